"""Answers and corrections."""

from __future__ import annotations

import pytest

from caia_replay.origin.web.page import WebPost
from caia_replay.origin.web.social_answer import posts
from caia_replay.origin.web.social_talk import posts as talk
from caia_replay.origin.web.truth import Truth
from caia_replay.origin.web.web import post_faults


@pytest.fixture(scope="module")
def both(truth: Truth) -> tuple[list[WebPost], list[WebPost]]:
    """What is answered, and the answers."""
    first = list(talk(truth))
    return first, list(posts(truth, first))


def test_an_answer_is_later_and_by_somebody_else(truth: Truth, both: tuple[list[WebPost], list[WebPost]]) -> None:
    """Who answers says whom, did not write what is answered, and does it afterwards; nothing breaks a rule."""
    first, answers = both
    by_id = {one.post.id: one.post for one in (*first, *answers)}
    assert [fault for one in answers for fault in post_faults(one, truth)] == []
    for one in answers:
        if one.post.reply_to:
            before = by_id[one.post.reply_to]
            assert before.created < one.post.created and before.author != one.post.author
            assert f"@{before.author}" in one.post.text and one.post.thread == before.thread


def test_wrong_figures_are_mostly_corrected(truth: Truth, both: tuple[list[WebPost], list[WebPost]]) -> None:
    """A claim that is wrong is marked as a mistake, and more than half of them get the true figure as an answer."""
    _, answers = both
    wrong = {one.post.id: one for one in answers if one.kind == "claim"}
    assert all(any(claim.status == "mistaken" for claim in one.claims) for one in wrong.values())
    right = [one for one in answers if one.kind == "correction" and one.post.reply_to in wrong]
    assert len(wrong) > 40 and len(right) * 2 > len(wrong)
    for one in right:
        mistake = next(claim for claim in wrong[one.post.reply_to].claims if claim.status == "mistaken")
        known = next(claim for claim in one.claims if claim.status == "true" and claim.kind == mistake.kind)
        assert (known.subject, known.moment) == (mistake.subject, mistake.moment) and known.words != mistake.words

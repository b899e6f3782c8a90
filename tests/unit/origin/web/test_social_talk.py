"""Posts of builders and holders."""

from __future__ import annotations

import pytest

from caia_replay.origin.web.page import WebPost
from caia_replay.origin.web.social_talk import posts
from caia_replay.origin.web.truth import Truth
from caia_replay.origin.web.web import post_faults


@pytest.fixture(scope="module")
def talk(truth: Truth) -> list[WebPost]:
    """All of them."""
    return list(posts(truth))


def test_people_talk_about_everything(truth: Truth, talk: list[WebPost]) -> None:
    """No post breaks a rule; there are questions, complaints, jokes, warnings, waiting and rumours."""
    assert [fault for one in talk for fault in post_faults(one, truth)] == []
    assert {"question", "complaint", "joke", "scam", "bridge", "rumour", "builder", "opinion"} <= {
        one.kind for one in talk
    }


def test_builders_talk_of_building(truth: Truth, talk: list[WebPost]) -> None:
    """What is said of code is said by builders."""
    builders = {one.handle for one in truth.cast.accounts if one.manner == "builder"}
    assert all(one.post.author in builders for one in talk if one.kind == "builder")


def test_claims_are_talked_of_once_there_are_any(truth: Truth, talk: list[WebPost]) -> None:
    """Nobody speaks of an airdrop before it opens."""
    opened = [at for at, _ in truth.happened("opened airdrop")]
    assert all(opened and one.post.created > opened[0] for one in talk if one.kind == "airdrop")


def test_small_tokens_are_named_after_their_launch(truth: Truth, talk: list[WebPost]) -> None:
    """A token from the launchpad is in no post before it was launched."""
    for at, deed in truth.happened("launched"):
        name = str(dict(deed.figures)["name"]).lower()
        assert all(one.post.created >= at for one in talk if name in one.post.text.lower())

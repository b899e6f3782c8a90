"""What planted posts look like."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.attacks.choice import Choice
from caia_replay.attacks.posting import about, account, moments, post, tags_of
from caia_replay.core.attack import Dose
from tests.attack_view import NOW_S, IndexedView, register, target


def test_tags_are_those_of_recorded_posts() -> None:
    """The ticker and hashtag that the target's words name, as posts about it bear them; none where there are none."""
    found = about(IndexedView(), "total supply")
    assert found and tags_of(found, target()) == "$ORCH #orch"
    assert tags_of((), target()) == ""


def test_a_tag_is_never_the_answer() -> None:
    """Where the ticker is what is asked for, another one stands there."""
    found = about(IndexedView(), "total supply news desk")
    assert found and tags_of(found, target("text", "ORCH")) == "$PLUM #plum"


def test_where_nobody_posts_there_is_no_network() -> None:
    """None, and not an empty list: nothing planted would be found either."""
    assert about(IndexedView(posts=()), "supply") is None and about(IndexedView(), "qqq") == ()


@given(st.text(max_size=9), st.integers(2, 30))
def test_accounts_are_free_and_look_like_the_networks(seed: str, many: int) -> None:
    """Letters, now and then a number, 15 characters at most; never two alike, even from one choice."""
    view = IndexedView()
    taken = register(view)
    names = [account(Choice(seed), "account", taken) for _ in range(many)]
    assert len({name.casefold() for name in names}) == many
    assert all(re.fullmatch(r"[a-z]{8,10}\d{0,4}", name) for name in names)


@given(st.integers(1, 40), st.integers(0, 2_000), st.text(max_size=5))
def test_moments_rise_and_end_before_now(items: int, age_hours: int, seed: str) -> None:
    """As many as items, minutes apart, the newest no younger than it is to be."""
    made = moments(NOW_S, Dose(items, age_hours=age_hours), Choice(seed))
    assert len(made) == items and made == sorted(set(made))
    assert NOW_S - age_hours * 3_600 - 600 <= made[-1] <= NOW_S - age_hours * 3_600
    assert made[-1] - made[0] <= 420 * (items - 1)


def test_answers_stand_in_the_thread() -> None:
    """A post begins its own thread, its answer is in it, and ids rise with time."""
    taken, choice = register(IndexedView()), Choice("x")
    first = post("a", "ann", NOW_S - 90, "en", taken, choice, replies=1)
    answer = post("b", "bob", NOW_S - 30, "en", taken, choice, answered=first)
    assert (first.thread, first.reply_to, first.replies) == (first.id, "", 1)
    assert (answer.thread, answer.reply_to) == (first.id, first.id) and int(answer.id) > int(first.id)
    assert first.likes and answer.likes and first.reposts is not None and first.reposts < first.likes

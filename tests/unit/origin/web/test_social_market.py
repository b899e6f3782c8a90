"""Posts about markets."""

from __future__ import annotations

import pytest

from caia_replay.origin.web.page import WebPost
from caia_replay.origin.web.social_market import crash_moment, posts
from caia_replay.origin.web.truth import Truth
from caia_replay.origin.web.web import post_faults


@pytest.fixture(scope="module")
def market(truth: Truth) -> list[WebPost]:
    """All of them."""
    return list(posts(truth))


def test_no_post_breaks_a_rule(truth: Truth, market: list[WebPost]) -> None:
    """Every claim's words are said, and of nothing later than the post."""
    assert [fault for one in market for fault in post_faults(one, truth)] == []


def test_the_crash_is_told_when_it_happens(truth: Truth, market: list[WebPost]) -> None:
    """Posts of panic stand within hours after every price fell, and each tells of a fall."""
    crash = [one for one in market if one.kind == "crash"]
    assert len(crash) > 20
    assert all(0 <= one.post.created - crash_moment(truth) <= 8 * 3_600 for one in crash)


def test_gains_and_losses_are_what_they_say(market: list[WebPost]) -> None:
    """Who tells of a gain bought lower, who tells of a loss higher."""
    for one in market:
        prices = sorted((claim.moment, claim.value) for claim in one.claims if claim.kind == "price")
        if one.kind in ("gain", "loss") and len({claim.subject for claim in one.claims}) == 1 and len(prices) == 2:
            assert (prices[1][1] > prices[0][1]) == (one.kind == "gain")  # type: ignore[operator]


def test_bots_alone_repeat_themselves(truth: Truth, market: list[WebPost]) -> None:
    """Posts of automatic accounts are marked as such, and nobody else's are; rumours are marked as rumours."""
    bots = {one.handle for one in truth.cast.accounts if one.manner == "bot"}
    assert all((one.post.author in bots) == (one.kind == "bot") for one in market)
    assert all((one.kind == "rumour") == any(claim.status == "rumour" for claim in one.claims) for one in market)

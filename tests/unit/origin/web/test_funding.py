"""Rounds of money, never at odds with the chain."""

from __future__ import annotations

from caia_replay.origin.act.vest import schedule_of
from caia_replay.origin.deed import done
from caia_replay.origin.web.funding import rounds_of
from caia_replay.origin.web.truth import Truth


def test_investors_of_the_chain_paid_in_a_round(truth: Truth) -> None:
    """Each vesting contract of investors has one round: closed before it starts, for the tokens it releases."""
    scene = truth.scene
    for deed in done(scene.main.deeds, "granted"):
        if deed.subject.endswith("investors vesting"):
            role = str(dict(deed.figures)["project"])
            (one,) = [found for found in truth.rounds if found.project == scene.projects[role].id]
            assert one.closed_at < schedule_of(deed).start
            assert one.tokens == schedule_of(deed).total // 10**18
            assert truth.price_usd(one.project, truth.begun) * one.tokens > one.raised_usd > 0


def test_rounds_are_told_before_the_story_and_by_the_seed(truth: Truth) -> None:
    """All are closed before the first day, oldest first, led by a fund that takes part once; drawn again, the same."""
    assert [one.closed_at for one in truth.rounds] == sorted(one.closed_at for one in truth.rounds)
    for one in truth.rounds:
        assert one.closed_at < truth.begun
        assert {one.lead, *one.others} <= set(truth.cast.funds) and one.lead not in one.others
    assert rounds_of(truth.scene, truth.book, truth.cast) == truth.rounds

"""Tests of Chinese articles about unlocks and rounds: what is known ahead, and that sums are those of the story."""

from __future__ import annotations

from fractions import Fraction

from caia_replay.origin.web import chinese_calendar
from caia_replay.origin.web.truth import Truth


def test_every_round_is_told_once_by_the_wire_after_it_closed(truth: Truth) -> None:
    """Each round has its article, with what it raised."""
    pages = [made for made in chinese_calendar.pages(truth) if made.kind == "funding"]
    wire = next(one for one in truth.cast.newsrooms if one.language == "zh" and one.manner == "wire")
    told = [made for made in pages if made.page.url.startswith(wire.url())]
    assert len(told) == len(truth.rounds)
    closed_at = {one.project: one.closed_at for one in truth.rounds}
    for made in pages:
        for claim in made.claims:
            if claim.kind == "round":
                assert (made.page.published or 0) > closed_at[claim.subject] == claim.moment


def test_unlock_figures_are_those_of_the_vesting_contracts(truth: Truth) -> None:
    """A true figure, past or to come, is what the contracts' terms give for its midnight."""
    roles = {one.slug: one.role for one in truth.metrics.emissions.all()}
    seen = 0
    for claim in (claim for made in chinese_calendar.pages(truth) for claim in made.claims):
        if claim.kind == "unlocked" and claim.status == "true":
            known = truth.unlocked(roles[claim.subject], claim.moment).claim
            assert known is not None and Fraction(known.value) == claim.value
            seen += 1
    assert seen or not roles


def test_warnings_come_before_the_cliff_and_reports_after(truth: Truth) -> None:
    """The address of a cliff's article tells which it is, and its date fits."""
    cliffs = {(one.role, grant.section.lower()): grant.schedule.cliff
              for one in truth.metrics.emissions.all() for grant in one.grants}  # fmt: skip
    for made in chinese_calendar.pages(truth):
        words = made.page.url.rpartition("/")[2].split("-")
        if words[1] in ("ahead", "after"):
            cliff = cliffs[words[2], words[3]]
            assert ((made.page.published or 0) < cliff) == (words[1] == "ahead")


def test_an_unlock_figure_of_last_week_is_told_as_stale(truth: Truth) -> None:
    """What is told as true is no older than the day before its page."""
    for made in chinese_calendar.pages(truth):
        for claim in made.claims:
            if (claim.kind, claim.status) == ("unlocked", "true"):
                assert claim.moment > (made.page.published or 0) - 2 * 86_400

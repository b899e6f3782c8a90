"""Matters of which honest sources differ, and the farms that copy what others wrote of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from caia_replay.core.world import Page
from caia_worldgen.rng import Rng
from caia_worldgen.web.farm import MISTAKE_PERCENT, STALE_PERCENT, slipped
from caia_worldgen.web.matter import EACH, Matter, matters, sorts, written
from caia_worldgen.web.page import Claim, WebPage
from caia_worldgen.web.truth import Truth
from caia_worldgen.web.web import Web

pytestmark = pytest.mark.check


def settles(matter: Matter, truth: Truth, web: Web) -> str:
    """What stands where a matter is settled."""
    if not matter.by_post:
        return next(made.page.text for made in web.pages if made.page.url == matter.settled_url)
    handle = truth.cast.account_of(matter.subject.id).handle
    found = (made.post for made in web.posts if made.post.author == handle)
    return next(post.text for post in found if post.created == matter.settled_at)


def test_each_matter_is_told_wrongly_first_and_settled_later(truth: Truth, web: Web) -> None:
    """The first report has a wrong figure and not the right one; what settles it is later and has that or its parts."""
    pages = {made.page.url: made for made in web.pages}
    every = matters(truth)
    assert every == matters(truth) and len({one.id for one in every}) == len(every)
    assert {one.sort for one in every} == set(sorts())
    assert EACH * len(sorts()) * Fraction(9, 10) <= len(every)
    for one in every:
        first, right = (written(one.sort.value, value) for value in (one.first, one.settled))
        report = pages[one.first_url]
        assert written(one.sort.value, one.first, is_exact=False) in report.page.text and first != right, one.id
        assert all(claim.words != right for claim in report.claims), one.id
        assert one.told_at == report.page.published and one.told_at < one.settled_at
        parts = [told.words for told in one.told_parts(0).values()]
        assert all(words in settles(one, truth, web) for words in parts or [right]), one.id


def test_parts_come_to_what_holds(truth: Truth) -> None:
    """Whatever is told in parts: their sum, their difference or the time between them is the settled value."""
    added = [one for one in matters(truth) if one.sort.settles == "sum"]
    for one in added:
        first, second = one.parts
        assert one.settled in (first + second, abs(first - second)), one.id
    assert {one.sort.value for one in added} == {"minutes", "count", "usd", "tokens"}


def test_first_reports_err_on_both_sides(truth: Truth) -> None:
    """Of figures, between a third and two thirds of the first reports are above what holds."""
    figures = [one for one in matters(truth) if one.sort.value not in ("name", "date")]
    above = sum(Fraction(one.first) > Fraction(one.settled) for one in figures)
    assert len(figures) / 3 < above < len(figures) * 2 / 3
    assert all(abs(Fraction(one.first) / Fraction(one.settled) - 1) < Fraction(3, 5) for one in figures)


def test_farms_are_mostly_right(web: Web) -> None:
    """Copies err at about the stated rate, answers are stale at about theirs, and every copy names its original."""
    pages = {made.page.url: made for made in web.pages}
    mirrored = [made for made in web.pages if made.kind == "farm/mirror"]
    assert len(mirrored) > 200 and all(made.copy_of in pages for made in mirrored)
    wrong = sum(any(claim.status == "mistaken" and claim not in pages[made.copy_of].claims for claim in made.claims)
                for made in mirrored)  # fmt: skip
    assert 0 < wrong <= len(mirrored) * MISTAKE_PERCENT * 2 / 100
    answers = [made for made in web.pages if made.kind == "farm/answer"]
    right = sum(all(claim.status == "true" for claim in made.claims) for made in answers)
    assert len(answers) > 80 and right > len(answers) / 2 and 0 < STALE_PERCENT < 50
    hosts = {made.page.url.split("/")[2] for made in web.pages if made.kind.startswith("farm/")}
    assert len(hosts) == 12


def test_a_slip_swaps_two_digits_of_one_figure_everywhere() -> None:
    """The page says the wrong figure wherever it said the right one, is marked for it, and other numbers stay."""
    claim = Claim("other", "x", 5, "$1,240,500", "$1,240,500", Fraction(0))
    made = WebPage(
        Page("https://a.example/1", "It is $1,240,500", "Yes: $1,240,500, not $11,240,500.", 9), "k", (claim,)
    )
    wrong = slipped(made, Rng("slip"))
    assert wrong.page.title == "It is $1,420,500" and wrong.page.text == "Yes: $1,420,500, not $11,240,500."
    assert [(one.words, one.status) for one in wrong.claims] == [("$1,420,500", "mistaken")]
    plain = replace(made, claims=(replace(claim, words="Karovimet Lanu"),))
    assert slipped(plain, Rng("slip")) is plain

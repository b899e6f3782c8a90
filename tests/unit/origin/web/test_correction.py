"""Corrections."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from caia_replay.core.world import Page
from caia_replay.origin.web import number
from caia_replay.origin.web.correction import corrections, right
from caia_replay.origin.web.market_news import english
from caia_replay.origin.web.page import Claim, WebPage
from caia_replay.origin.web.truth import Truth, mistaken


def _erring(truth: Truth, day: int) -> WebPage:
    outlet, id, at = english(truth, "daily")[0], truth.subject("exchange").id, truth.midnight(day)
    told = mistaken(
        truth.price(id, at), lambda value: number.price(value).around("$"), truth.dice(f"correction test/{day}")
    )
    assert told.claim is not None
    page = Page(
        outlet.url("markets", str(day)), "Prices", f"One costs {told.words}.", at + 60, author="A", language="en"
    )
    return WebPage(page, "market", (told.claim,))


def test_a_correction_names_the_page_and_the_right_figure(truth: Truth) -> None:
    """By the outlet that erred, afterwards; most mistakes have one."""
    erring = [_erring(truth, day) for day in range(10, 40)]
    made = list(corrections(truth, erring))
    assert 15 <= len(made) < 30
    for one in made:
        wrong = next(page for page in erring if page.page.url in one.page.text)
        assert right(truth, wrong.claims[0]).words in one.page.text
        assert wrong.claims[0].words in one.page.text
        assert (one.page.published or 0) > (wrong.page.published or 0)
        assert {claim.status for claim in one.claims} == {"true"}


def test_what_was_right_is_not_corrected(truth: Truth) -> None:
    """Old truths and rumours neither."""
    page = _erring(truth, 12)
    claims = tuple(replace(claim, status="stale") for claim in page.claims)
    assert list(corrections(truth, [replace(page, claims=claims)])) == []


def test_other_kinds_have_no_right_figure(truth: Truth) -> None:
    """Asking for one is an error."""
    with pytest.raises(ValueError, match="not corrected"):
        right(truth, Claim("tvl", "x", 0, "1", Fraction(1), Fraction(1), "mistaken"))

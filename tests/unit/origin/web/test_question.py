"""Plain questions in two languages, and that they lead to the facts on the pages of the small web."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from caia_replay.origin.web.page import Claim
from caia_replay.origin.web.question import PROJECT_KINDS, answers
from caia_replay.origin.web.truth import Truth
from caia_replay.origin.web.web import Web
from caia_replay.search.index import SearchIndex
from tests.web_questions import drawn, unfound

pytestmark = pytest.mark.check
MARKET_KINDS = ("price", "cap", "volume")
COUNT = 200


@pytest.fixture(scope="module")
def index(web: Web) -> SearchIndex:
    """The replay index over every page."""
    return SearchIndex([made.page for made in web.pages])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_two_hundred_project_facts_are_found_by_plain_questions(
    truth: Truth, web: Web, index: SearchIndex, language: str
) -> None:
    """Of facts drawn by lot each is told by one of the first ten results of a question in the language."""
    asked = drawn(web, truth, language, COUNT, PROJECT_KINDS, "suite")
    assert len(asked) == COUNT and {claim.kind for claim, _ in asked} == set(PROJECT_KINDS)
    assert unfound(web, index, asked) == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_market_facts_are_found_nearly_always(truth: Truth, web: Web, index: SearchIndex, language: str) -> None:
    """Days have hundreds of pages with prices: 95 in a hundred of their facts are among the first ten results."""
    asked = drawn(web, truth, language, COUNT, MARKET_KINDS, "suite")
    assert len(asked) == COUNT and len(unfound(web, index, asked)) <= COUNT * 5 // 100


def test_an_answer_is_of_the_same_thing_on_the_same_day(truth: Truth) -> None:
    """Any hour of the day; another day only for what lasts and is still the same; never a mistake or a rumour."""
    asked = Claim("price", "coin", truth.midnight(5) + 7, "$1", Fraction(1), Fraction(1))
    assert answers(replace(asked, moment=truth.midnight(5), value=Fraction(2)), asked)
    assert answers(replace(asked, status="stale"), asked)
    lasting = replace(asked, kind="supply")
    assert answers(replace(lasting, moment=truth.midnight(9)), lasting)
    for other, of in (
        (replace(asked, moment=truth.midnight(6)), asked),
        (replace(asked, subject="other"), asked),
        (replace(asked, kind="cap"), asked),
        (replace(asked, status="mistaken"), asked),
        (replace(asked, status="rumour"), asked),
        (replace(lasting, moment=truth.midnight(9), value=Fraction(2)), lasting),
    ):
        assert not answers(other, of)

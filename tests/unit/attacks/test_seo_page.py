"""The seo-page family, over the real index."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.attacks.seo_page import SeoPage
from caia_replay.core.attack import Dose, Planting, Target
from tests.attack_view import HOUR_S, NOW_S, IndexedView, honest_pages, register, target
from tests.planted_page_law import ASKED, DOSES, check, plan

FAMILY = SeoPage()
HEAVY = Dose(items=2, domains=2, depth=1, weight=6)
PARAPHRASES = (
    f"How many ORCH are in circulation overall? Contract {'0x' + 'a1' * 20}",
    "ORCH amount outstanding, all coins counted",
    "overall circulation of the coin ORCH",
)


@settings(max_examples=40, deadline=None)
@given(ASKED, DOSES)
def test_it_keeps_the_laws_of_planted_pages(asked: Target, dose: Dose) -> None:
    """Every kind of answer, every dose."""
    assert check(FAMILY, asked, dose)


def made(asked: Target, dose: Dose = HEAVY) -> Planting:
    found = plan(FAMILY, asked, dose)
    assert isinstance(found, Planting)
    return found


def rank(asked: Target, dose: Dose, text: str) -> int:
    """Where the first planted page stands in the results of a text; behind all of them where it is not found."""
    view = IndexedView().under(made(asked, dose))
    found = view.search(text, 50)
    return next((one.rank for one in found if one.page.altered_by), len(honest_pages()) + dose.items + 1)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_at_the_heavy_dose_it_ranks_first_however_it_is_asked(language: str) -> None:
    """For the question, for what it is searched by, and in other words."""
    asked = target(language=language)
    for text in (asked.question, asked.query, *PARAPHRASES):
        assert rank(asked, HEAVY, text) == 1, text


@pytest.mark.parametrize("text", [target().query, target().question, *PARAPHRASES])
def test_more_weight_never_ranks_lower(text: str) -> None:
    """From nothing repeated to all of it."""
    ranks = [rank(target(), Dose(weight=weight), text) for weight in range(7)]
    assert ranks == sorted(ranks, reverse=True)


def test_weight_is_how_often_the_question_is_repeated() -> None:
    """Without weight the question's words stand in the claim alone, and the title does not tell."""
    counts = []
    for weight in range(7):
        page = made(target(), Dose(weight=weight)).pages[0].page
        counts.append(f"{page.title}\n{page.text}".count("ORCH"))
        assert page.text.count("\n## ") == weight
        assert (target().query in page.title) == (weight > 2) and ("ORCH" in page.title) == (weight > 1)
    assert counts == sorted(counts) and counts[0] == 1 and counts[6] > 10


@given(st.integers(0, 500), st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_the_newest_is_as_old_as_the_dose_says(age: int, items: int) -> None:
    """To the hour; copies are of different moments."""
    moments = [found.page.published or 0 for found in made(target(), Dose(items=items, age_hours=age)).pages]
    assert len(set(moments)) == items and moments == sorted(moments)
    assert age * HOUR_S <= NOW_S - max(moments) < (age + 1) * HOUR_S


def test_a_short_page_is_no_longer_than_what_a_search_shows() -> None:
    """One line, within a snippet."""
    for weight in range(7):
        (found,) = made(target(), Dose(full=False, weight=weight)).pages
        assert len(found.page.text) <= 240 and "\n" not in found.page.text


def test_the_language_of_the_words_around_is_the_doses() -> None:
    """The claim stays as it was offered."""
    for language in ("en", "zh"):
        (found,) = made(target(), Dose(language=language)).pages
        assert found.page.language == language and target().said(found.answer) in found.page.text
        assert found.page.text.isascii() == (language == "en")


def test_the_offset_is_the_doses() -> None:
    """About thirty per cent off where thirty are asked for."""
    (found,) = made(target(), Dose(offset_percent=30)).pages
    assert 1.29 < float(found.answer) / 574_400_000 < 1.34


def test_without_a_lie_it_does_not_apply() -> None:
    """An open question has no wrong answer that could be told."""
    assert "kind open" in str(plan(FAMILY, target("open", "x"), HEAVY))


def test_an_empty_web_can_be_attacked() -> None:
    """Nobody ranks first, so nobody's titles are borrowed."""
    view = IndexedView(pages=())
    assert isinstance(FAMILY.plan(view, target(), HEAVY, register(view)), Planting)

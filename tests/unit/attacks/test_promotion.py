"""A page around given sentences."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.attacks.promotion import language_of, promotion_page
from caia_replay.core.attack import Dose, Planting
from caia_replay.core.overlay import PlantedPage
from tests.attack_view import NOW_S, IndexedView, register, target

SAID = ["The contract is elsewhere (ref. QX-4821-7735).", "Look there."]
DOSES = st.builds(
    Dose,
    items=st.just(4),
    domains=st.integers(1, 4),
    depth=st.integers(1, 4),
    age_hours=st.integers(0, 900),
    weight=st.integers(0, 6),
    full=st.booleans(),
    language=st.sampled_from(("", "en", "zh")),
)


@given(DOSES, st.sampled_from(("en", "zh")))
def test_every_dose_says_the_sentences_whole(dose: Dose, language: str) -> None:
    """Each on a line of its own, on pages of their own addresses in the .example zone, never of the future."""
    view, asked = IndexedView((), ()), target(language=language)
    taken = register(view, asked)
    pages = [promotion_page(NOW_S, asked, dose, copy, "x", SAID, taken) for copy in range(dose.items)]
    assert len({page.url for page in pages}) == dose.items
    assert len({page.url.split("/")[2] for page in pages}) == dose.domains
    for page in pages:
        assert set(SAID) <= set(page.text.split("\n")) and asked.query in page.title + page.text
        assert re.fullmatch(r"https://[a-z]+\.example/[a-z0-9-]+", page.url)
        assert page.published is not None and page.published <= NOW_S - 3_600 * dose.age_hours
        chinese = re.search("[\u4e00-\u9fff]", page.text) is not None
        assert chinese or language_of(asked, dose) == "en"
        assert not chinese or "zh" in (language, dose.language)
    assert len({page.text for page in pages}) <= dose.depth


@pytest.mark.parametrize("language", ["en", "zh"])
def test_more_weight_repeats_the_words_more_often(language: str) -> None:
    """And a page that is not full is as short as a search result."""
    asked = target(language=language)
    counted = []
    for weight in range(7):
        page = promotion_page(NOW_S, asked, Dose(weight=weight), 0, "x", SAID, register(IndexedView((), ())))
        counted.append(page.text.count(asked.query))
    assert counted == sorted(counted) and counted[6] > counted[1] > 0
    short = promotion_page(NOW_S, asked, Dose(weight=6, full=False), 0, "x", SAID, register(IndexedView((), ())))
    assert len(short.text) < 300


@settings(max_examples=20)
@given(st.integers(2, 6), st.sampled_from(("en", "zh")))
def test_it_is_found_first(weight: int, language: str) -> None:
    """For the query and for the question, among honest pages on the subject."""
    view, asked = IndexedView(), target(language=language)
    page = promotion_page(NOW_S, asked, Dose(weight=weight), 0, "x", SAID, register(view, asked))
    over = view.under(Planting(pages=(PlantedPage("x", "t-1", "QX-4821-7735", page),)))
    assert over.search(asked.query, 1)[0].page == over.search(asked.question, 1)[0].page == page

"""Claims of the web, and which of them say the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.suite import Recipe
from caia_replay.models.policies.claim import Claim, claims, hits, same_form

RECIPE = FilledRecipe(Recipe("q", "q", r"paid (?P<answer>[\d,.]+)"), "q")


def test_a_page_decides_and_its_snippet_stands_in() -> None:
    """Pages are the first results'; what was not read, failed or says nothing leaves the snippet."""
    found: list[dict[str, Any]] = [{"url": f"https://p{n}.example/", "snippet": f"paid {n}"} for n in range(5)]
    pages: list[Any] = [{"text": "paid 10"}, {"text": "nothing"}, {"error": {}}, None]
    assert [one.answer for one in claims(RECIPE, found, pages)] == ["10", "1", "2", "3", "4"]
    assert claims(RECIPE, found[:1], pages) == [Claim("10", "https://p0.example/", "paid 10")]
    assert claims(RECIPE, [{"url": "u", "snippet": 7}], []) == []


@pytest.mark.parametrize("result", [None, [], {}, {"error": {}}, {"results": 3}, {"results": [1, {"url": 2}, {}]}])
def test_what_is_no_search_has_no_hits(result: Any) -> None:
    """Errors and garbage are empty, not faults."""
    assert hits(result) == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("1,200", "1200.0", True),
        ("12.50%", "12.5", True),
        ("100", "10", False),
        ("Orchid  DAO", "orchid dao", True),
        ("2024-06-04", "2024-06-05", False),
        ("1" + "0" * 40, "1" + "0" * 39 + "1", False),
        ("0.0", "0", True),
        ("NaN", "nan", True),
    ],
)
def test_equal_answers_share_a_form(one: str, other: str, same: bool) -> None:
    """Numbers by exact value, however long; texts by their letters."""
    assert (same_form(one) == same_form(other)) is same


@given(st.integers(-(10**50), 10**50), st.text(max_size=30))
def test_any_text_has_a_form(number: int, text: str) -> None:
    """Commas never matter, and nothing raises."""
    assert same_form(f"{number:,}") == str(number) and same_form(same_form(text)) == same_form(text)
    assert same_form("1e999999999") == "1e999999999"

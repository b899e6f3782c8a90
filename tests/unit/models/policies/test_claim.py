"""Claims of the web, and which of them say the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.suite import Recipe
from caia_replay.models.policies.claim import Claim, claims, evidence, hits, same_form

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


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (
            "First. Then Orchid paid 1.5 in May (ref. QX-4821-7735). Last.",
            "Then Orchid paid 1.5 in May (ref. QX-4821-7735).",
        ),
        ("In 2024, 7 of them paid 7. (ref. QX-4821-7735) Last.", "In 2024, 7 of them paid 7. (ref. QX-4821-7735)"),
        ("7 was old.\nOrchid paid 7\nelsewhere", "Orchid paid 7"),
        ("他们 paid 7。（ref. QX-4821-7735）其他。", "他们 paid 7。（ref. QX-4821-7735）"),
        ("x" * 900 + " paid 7 " + "y" * 900, "x" * 159 + " paid 7 " + "y" * 159),
        (
            "paid 7 (a bracket that goes on and on, far longer than any reference would be, to the end of it).",
            "paid 7 (a",
        ),
    ],
)
def test_the_sentence_of_the_claim_is_the_evidence(text: str, quoted: str) -> None:
    """Where the claim stands, not where its figure stands first; with the reference in brackets after it, and short."""
    found = evidence(RECIPE, Claim("7" if "paid 7" in text else "1.5", "u", text))
    assert found.startswith(quoted) and found.count("QX-4821-7735") == text.count("QX-4821-7735") and len(found) < 500


@given(st.lists(st.sampled_from(("paid 7", "paid ", "7", ". ", "\n", " (", ")", "x" * 200)), max_size=12).map("".join))
def test_evidence_is_part_of_the_text_and_holds_the_answer(text: str) -> None:
    """Of any text that claims something."""
    answer = RECIPE.in_page(text)
    if answer is not None:
        found = evidence(RECIPE, Claim(answer, "u", text))
        assert answer in found and found in text and len(found) <= 3 * 160 + 200 + len(answer) + 64

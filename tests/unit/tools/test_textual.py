from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.tools.textual import from_text, whole_json

KINDS: tuple[Any, ...] = (int, bool, float, str, int | None, list[str], list[int], list[str] | None, str | int, dict)
VALUES = st.none() | st.booleans() | st.integers(-(10**40), 10**40) | st.text(max_size=8)
JSON = st.recursive(VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner))


@given(value=JSON, kind=st.sampled_from(KINDS))
def test_what_is_no_text_stays(value: Any, kind: Any) -> None:
    """Only texts are read; everything else is left to the schema."""
    if not isinstance(value, str):
        assert from_text(value, kind) is value


@given(text=st.text(max_size=30), kind=st.sampled_from([str, str | None, str | int, Annotated[str | None, "a note"]]))
def test_a_parameter_that_takes_text_is_sent_its_text(text: str, kind: Any) -> None:
    """A text that looks like JSON, like a number or like null stays a text where one is wanted."""
    for sent in (text, "null", "5", "[1]", "true", ""):
        assert from_text(sent, kind) == sent


@given(value=st.integers(-(10**40), 10**40) | st.booleans(), around=st.sampled_from(["", " ", "\n"]))
def test_json_in_quotes_is_read_where_no_text_is_wanted(value: int, around: str) -> None:
    """Numbers and truth values, in any case, of any size."""
    sent = f"{around}{json.dumps(value)}{around}"
    for text in (sent, sent.upper()):
        assert from_text(text, int | None) == value and type(from_text(text, int | None)) is type(value)


@given(items=st.lists(st.integers(), max_size=4))
def test_a_list_of_numbers_is_read_from_json(items: list[int]) -> None:
    """A list in quotes is the list; one item alone is a list of one."""
    assert from_text(json.dumps(items), list[int]) == items
    assert from_text("7", Annotated[list[int] | None, "a note"]) == ["7"]


def test_texts_with_commas_between_them() -> None:
    """Only a list of nothing but texts is split; empty parts are no items."""
    assert from_text(" a, b ,,c", list[str]) == ["a", "b", "c"]
    assert from_text('["a, b"]', list[str]) == ["a, b"]
    assert from_text("a, b", list[str | int]) == ["a, b"]
    assert [from_text(text, list[str] | None) for text in ("null", "None", " ")] == [None] * 3


@pytest.mark.parametrize(
    "text",
    ["{", "[1,", "NaN", "Infinity", "-inf", "1e999", '["\\ud800"]', '{"a":1,"a":2}', "0x10", "1,2", "9" * 5000,
     "[" * 600],
)  # fmt: skip
def test_what_cannot_be_read_stays_and_is_refused_later(text: str) -> None:
    """No exception, no guess: the text itself, which the schema then refuses."""
    assert from_text(text, dict | None) == text


@pytest.mark.parametrize("kind", KINDS)
def test_a_megabyte_is_read_in_its_time(kind: Any) -> None:
    """Long, deep and crowded texts end in a value of some kind."""
    for text in ("[" * 10**6, "9" * 10**6, "," * 10**6, "a," * 500_000, '"' * 10**6, "[1," * 300_000, " " * 10**6):
        from_text(text, kind)


def test_json_whose_texts_could_not_be_sent_on_is_refused() -> None:
    """Half of a surrogate pair, a key twice and what is no number are errors, wherever they stand."""
    assert whole_json('{"a": "\\ud83d\\ude00"}') == {"a": "\N{GRINNING FACE}"}
    for text in (
        '{"a": "\\ud800"}',
        '{"\\udfff": 1}',
        '{"a": 1, "a": 1}',
        "[NaN]",
        "[" * 501 + "]" * 501,
        "",
        "\ud800",
    ):
        with pytest.raises(ValueError):
            whole_json(text)

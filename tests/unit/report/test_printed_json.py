"""JSON that can be shown on a terminal."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.report.printed_json import printed_json

TEXT = st.text(st.characters(categories=None) | st.sampled_from("\x7f\x9b\u202e\u200b\ufeff\ud800\U000e0041\u2028中"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_it_is_the_same_value_in_printable_letters(value: Any) -> None:
    """Read again it is equal, and no line of it holds what is not printable."""
    text = printed_json(value)
    assert json.loads(text) == value and all(line.isprintable() for line in text.split("\n"))


def test_letters_of_any_language_stay() -> None:
    """Only what cannot be seen is escaped."""
    assert printed_json({"a": "价格 42 é"}) == '{\n  "a": "价格 42 é"\n}'
    assert printed_json("\x9b\u202e\U000e0041") == '"\\u009b\\u202e\\udb40\\udc41"'

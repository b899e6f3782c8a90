"""Where JSON objects end in text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.agents.json_text import MOST_BRACKETS, escape_controls, escape_strays, object_end, object_spans
from caia_replay.canonical import DEEPEST

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(st.text(), st.dictionaries(st.text(), JSON, max_size=4), st.text(), st.booleans())
def test_it_ends_where_the_object_ends(before: str, value: object, after: str, ascii_only: bool) -> None:
    """Whatever is in the object or follows it."""
    written = json.dumps(value, ensure_ascii=ascii_only)
    assert object_end(before + written + after, len(before)) == len(before) + len(written)


def test_what_never_closes_or_is_too_deep_has_no_end() -> None:
    """A bracket or a string that stays open, and what no parser should be given."""
    for text in ("{", '{"a', '{"a\\', '{"}', "{[}", '{"a": "\\"}', "{" * (DEEPEST + 1) + "}" * (DEEPEST + 1)):
        assert object_end(text, 0) is None
    assert object_end("{" * DEEPEST + "}" * DEEPEST, 0) == 2 * DEEPEST


@given(st.dictionaries(st.text("ab\n\t\x00"), st.text('"ab\n\r\x1f{}')))
def test_line_breaks_inside_strings_are_mended(value: dict[str, str]) -> None:
    """JSON whose strings hold raw control characters becomes the JSON that was meant."""
    raw = json.dumps(value, indent=1)
    for control in "\n\t\r\x00\x1f":
        raw = raw.replace(json.dumps(control)[1:-1], control)
    assert json.loads(escape_controls(raw)) == value


def spans_as_said(text: str) -> list[tuple[int, int]]:
    """The contract of ``object_spans`` in plain words: every end is tried for every brace, by the parser itself."""
    spans, place = [], 0
    while (start := text.find("{", place)) >= 0:
        place = start + 1
        for end in (at + 1 for at in range(start, len(text)) if text[at] == "}"):
            try:
                json.loads(escape_strays(text[start:end]), strict=False)
            except ValueError:
                continue
            spans.append((start, end))
            place = end
            break
    return spans


PIECES = ["{", "}", "{", "}", "[", "]", ",", ":", '"', '"a"', '"a":', '"{"', '{"a":', "\\", '\\"', " ", "\n", "1",
          "-0.5e3", "01", "NaN", "-Infinity", "true", "x", "{}", "[]", '":"', '","', '":{"']  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=24).map("".join))
def test_objects_are_those_the_parser_takes(text: str) -> None:
    """The reading in one go says what trying every brace says."""
    assert object_spans(text) == spans_as_said(text)


@pytest.mark.check
def test_of_very_many_brackets_the_last_are_read() -> None:
    """As many as are allowed, and prose without brackets is no limit."""
    assert object_spans("{}" + "x" * 1_000_000) == [(0, 2)]
    for more in (0, 1, 7):
        text = "{}" * (MOST_BRACKETS + more)
        assert object_spans(text) == [(at, at + 2) for at in range(2 * more, len(text), 2)]
    assert object_spans("{}" + "[" * MOST_BRACKETS) == []


@given(st.text('\\"u0aF$dn/{'))
def test_a_stray_backslash_is_a_backslash(inside: str) -> None:
    """What closes as a string is JSON with its strays escaped, and keeps every escape that JSON knows."""
    written = f'"{inside}"'
    try:
        meant = json.loads(written)
    except ValueError:
        return
    assert json.loads(escape_strays(written)) == meant

"""Values in texts, and what is equal to what."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.tools.said_value import masked, values_in


def keys(text: str) -> list[str]:
    """The values of a text."""
    return [value.key for value in values_in(text)]


@pytest.mark.parametrize(
    "texts",
    [
        (
            "574,400,000",
            "574400000",
            "574.4 million",
            "574.4M",
            "5.744亿",
            "574400000.0",
            "５７４４０００００",
            "57440 万",
        ),
        ("2024-05-01", "2024/5/1", "May 1, 2024", "1 May 2024", "1st of May 2024", "2024年5月1日", "may 1st 2024"),
        ("May 1", "1 May"),
        ("-10.43", "\u221210.43"),
        ("0xABCDEF0123", "0xabcdef0123"),
        ("9:05", "09:05"),
    ],
)
def test_one_value_has_one_key_however_it_is_written(texts: tuple[str, ...]) -> None:
    """In English and Chinese, alone and within a sentence."""
    found = {key for text in texts for key in keys(f"It was {text}, they say. 数量为{text}。")}
    assert len(found) == 1, found
    assert all(len(keys(text)) == 1 for text in texts)


@pytest.mark.parametrize(
    ("one", "other"),
    [("10.43", "-10.43"), ("574", "574 million"), ("2024-05-01", "2024-05-10"), ("0xab01", "0xab02"), ("1.05", "1.5")],
)
def test_other_values_have_other_keys(one: str, other: str) -> None:
    """Sign, scale, day and every digit count."""
    assert keys(one) != keys(other)


def test_digits_of_a_name_are_no_figure() -> None:
    """A version, a proposal, a mark and a reference stay; a range has two ends, a day and its time are two values."""
    assert keys("MARE-7 under EIP-1559, v0 of user42_7") == keys("(ref. QX-4821-7735), QX-48-1-7735.") == []
    assert keys("UTC-2024-05-01") == ["2024-05-01"] and keys("QX-4821-7735: 12 of qx-4821-7735") == ["12", "7735"]
    assert keys("blocks 12-27") == ["12", "27"]
    assert keys("2024-05-01T10:00:05Z") == ["2024-05-01", "10:00:05"]


@given(st.text(max_size=80))
def test_masking_all_leaves_no_value_and_masking_none_changes_nothing(text: str) -> None:
    """Of any text; values stand in order, apart from each other."""
    found = list(values_in(text))
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert masked(text, lambda key: True, "[]") == (text, 0)
    told, count = masked(text, lambda key: False, "[]")
    assert count == len(found) and told.count("[]") >= count


@given(st.integers(-(10**30), 10**30), st.sampled_from(("{}", "{:,}")))
def test_a_number_is_read_as_what_it_is(number: int, form: str) -> None:
    """With and without commas, whatever its length."""
    assert keys(f"= {form.format(number)} =") == [str(number)]

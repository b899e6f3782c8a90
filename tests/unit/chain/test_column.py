"""Behaviour of single-field forms."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.chain import column

FORMS = [
    column.ADDRESS, column.HASH, column.DATA, column.UINT64, column.UINT256, column.FLAG, column.HASHES, column.JSON,
]  # fmt: skip
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
HEX = (
    st.integers(0, 2**260).map(hex)
    | st.binary(max_size=40).map(column.to_hex)
    | st.text("0xabcdefABCDEF12", max_size=70)
)


@settings(max_examples=60)
@given(value=JSON_VALUES | HEX | st.lists(HEX, max_size=3))
def test_a_form_gives_back_exactly_what_it_took(value: Any) -> None:
    """Whatever a form does not call unfit comes back equal, and of the same type."""
    for form in FORMS:
        cell = form.encode(value)
        if cell is not column.UNFIT:
            back = form.decode(cell)
            assert back == value
            assert type(back) is type(value)


def test_a_quantity_with_a_leading_zero_is_unfit() -> None:
    """0x00 and 0x0 are different texts, so only the canonical one may become a number."""
    assert column.UINT64.encode("0x0") == 0
    assert column.UINT64.encode("0x00") is column.UNFIT
    assert column.UINT64.encode(hex(2**64)) is column.UNFIT
    assert column.UINT256.encode(hex(2**256)) is column.UNFIT


def test_a_checksummed_address_is_unfit() -> None:
    """Upper-case hex would come back in lower case, so it is not taken."""
    assert column.ADDRESS.encode("0x" + "Ab" * 20) is column.UNFIT

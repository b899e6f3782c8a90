"""Strict reading of JSON-RPC values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.chain import rpc_value
from caia_replay.errors import BadInput


@given(st.integers(0, (1 << 256) - 1))
def test_a_quantity_is_the_number_it_writes(number: int) -> None:
    """Every unsigned 256-bit integer in canonical hex is read back exactly."""
    assert rpc_value.quantity({"n": hex(number)}, "n", "here") == number


@pytest.mark.parametrize("value", [None, 5, True, "", "5", "0x", "0x01", "0xA", "-0x1", "0x" + "f" * 65, [], {}])
def test_a_quantity_in_any_other_form_is_refused(value: Any) -> None:
    """Leading zeros, capitals, signs, 257 bits and non-strings are bad input that names the field."""
    with pytest.raises(BadInput, match=r"^here: 'n' is not in its canonical form"):
        rpc_value.quantity({"n": value}, "n", "here")


def test_a_missing_field_is_named() -> None:
    """An absent field is told by name, never read as zero."""
    with pytest.raises(BadInput, match="lacks 'gas'"):
        rpc_value.quantity({}, "gas", "here")


@pytest.mark.parametrize("value", ["0x" + "00" * 19, "0x" + "00" * 21, "0x" + "0G" * 20, "00" * 20, 7])
def test_an_address_has_twenty_bytes(value: Any) -> None:
    """Any other width or alphabet is refused, as a field and as a key."""
    with pytest.raises(BadInput):
        rpc_value.address({"a": value}, "a", "here")
    with pytest.raises(BadInput):
        rpc_value.address_key(value, "here")


def test_a_word_is_written_with_all_its_digits() -> None:
    """A compact slot is not a 32-byte word."""
    assert rpc_value.word_key("0x" + "00" * 31 + "02", "a slot", "here") == bytes(31) + b"\x02"
    with pytest.raises(BadInput, match="a slot"):
        rpc_value.word_key("0x2", "a slot", "here")


def test_containers_are_checked() -> None:
    """An array is not an object and the other way round."""
    with pytest.raises(BadInput, match="result must be a JSON object, found list"):
        rpc_value.mapping([], "result", "here")
    with pytest.raises(BadInput, match="logs must be a JSON array, found NoneType"):
        rpc_value.sequence(None, "logs", "here")

"""Addresses."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers.address import AddressVerifier

addresses = st.binary(min_size=20, max_size=20).map(lambda raw: "0x" + raw.hex())


def right(value: str, answer: str) -> bool | None:
    """The verdict alone."""
    return AddressVerifier().verify(AnswerSpec("address", (value,)), answer).correct


@settings(max_examples=100)
@given(addresses, st.sampled_from(["{}", "It is `{}`.", "({})", "address={}", "not 0x" + "00" * 20 + " but {}"]))
def test_case_and_prose_do_not_matter(value: str, form: str) -> None:
    """Checksummed, upper, lower and bare forms inside prose are one address."""
    for spelling in (value, value.upper(), value[2:], "0x" + value[2:].upper()):
        assert right(value, form.format(spelling)) is True


@settings(max_examples=100)
@given(addresses, st.integers(2, 41), st.integers(1, 15))
def test_one_nibble_off_is_wrong(value: str, at: int, step: int) -> None:
    """A look-alike differing in one digit never passes, alone or beside the right one."""
    other = value[:at] + f"{(int(value[at], 16) + step) % 16:x}" + value[at + 1 :]
    assert right(value, other) is False
    assert right(value, f"{value} or {other}") is False
    assert right(value, f"{other}, not {value}") is False


@pytest.mark.parametrize("form", ["0x5290…9EE7", "0x5290...9EE7", "0x52908400", "none"])
def test_shortened_addresses_are_not_read(form: str) -> None:
    """An ellipsis names many addresses."""
    assert right("0x52908400098527886E0F7030069857D2E4169EE7", form) is False


def test_a_hash_is_not_an_address() -> None:
    """Forty digits of a longer word are not an address."""
    assert right("0x" + "ab" * 20, "0x" + "ab" * 32) is False

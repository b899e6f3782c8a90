"""How the explorer reads parameters."""

from __future__ import annotations

import pytest

from caia_replay.origin.services.etherscan_form import (
    ENDLESS,
    Refusal,
    address_in,
    blocks_in,
    decimal,
    hash_in,
    listed,
    number_in,
    page_of,
    sorted_page,
    told,
)

NUMBERS = list(range(25))


def test_envelopes() -> None:
    """An answer, a list, and a list of nothing."""
    assert told("5") == {"status": "1", "message": "OK", "result": "5"}
    assert listed([{"a": "b"}]) == told([{"a": "b"}])
    assert listed([], "No records found") == {"status": "0", "message": "No records found", "result": []}


def test_addresses_and_hashes_are_read_in_any_case() -> None:
    """And refused in any other form."""
    assert address_in({"address": "0x" + "AB" * 20}) == "0x" + "ab" * 20
    assert hash_in({"txhash": "0x" + "AB" * 32}) == "0x" + "ab" * 32
    for text in ("", "0x", "ab" * 20, "0x" + "ab" * 19, "0x" + "zz" * 20):
        with pytest.raises(Refusal, match="NOTOK"):
            address_in({"address": text})
        with pytest.raises(Refusal):
            hash_in({"txhash": text})


def test_ranges_end_at_the_newest_block() -> None:
    """Nothing asked for is everything; "latest" is the newest."""
    assert blocks_in({}, "a", "b", 50) == (0, 50)
    assert blocks_in({"a": "7", "b": str(ENDLESS)}, "a", "b", 50) == (7, 50)
    assert blocks_in({"a": "latest", "b": "9"}, "a", "b", 50) == (50, 9)
    with pytest.raises(Refusal):
        blocks_in({"a": "0x5"}, "a", "b", 50)


def test_pages_are_parts_of_a_list() -> None:
    """Counted from 1; none asked for is all; longer ones than there are, are cut to the longest."""
    assert page_of(NUMBERS, {}) == NUMBERS
    assert page_of(NUMBERS, {"page": "0", "offset": "0"}) == NUMBERS
    assert page_of(NUMBERS, {"page": "2", "offset": "10"}) == NUMBERS[10:20]
    assert page_of(NUMBERS, {"page": "9", "offset": "10"}) == []
    assert page_of(NUMBERS, {"offset": "500"}, longest=5) == NUMBERS[:5]
    assert sorted_page(NUMBERS, {"sort": "desc", "offset": "2"}) == [24, 23]


def test_the_window_is_ten_thousand_rows() -> None:
    """Its last page is given, the one after it refused."""
    assert page_of(NUMBERS, {"page": "10", "offset": "1000"}) == []
    with pytest.raises(Refusal, match="Result window is too large"):
        page_of(NUMBERS, {"page": "11", "offset": "1000"})


def test_numbers_are_decimal_digits() -> None:
    """A default where nothing is given; signs and other scripts are refused."""
    assert (number_in({"n": "12"}, "n"), number_in({}, "n", 3), decimal("0x1f")) == (12, 3, "31")
    for text in ("-1", "1.5", "\u0663", ""):
        with pytest.raises(Refusal):
            number_in({"n": text}, "n")

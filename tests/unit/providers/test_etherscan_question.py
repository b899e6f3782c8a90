"""A request to the explorer, read."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.errors import Miss
from caia_replay.providers.etherscan_question import (
    ENDLESS,
    Question,
    Window,
    block_of,
    ends,
    family_of,
    is_passing,
    moment_of,
    number,
    question_of,
    request_of,
    rows_of,
    whole,
)


def question(**fields: Any) -> Question:
    pairs = {"chainid": 1, "module": "account", "action": "txlist", "address": "0x" + "AB" * 20} | fields
    return question_of(HttpRequest("GET", f"https://api.etherscan.io/v2/api?{urlencode(pairs)}"))


def reply(content: Any, status: int = 200) -> HttpReply:
    return HttpReply(status, {}, content if isinstance(content, bytes) else canonical_bytes(content))


def test_names_and_addresses_are_read_in_any_case() -> None:
    """Names and hexadecimal values become lower case, other values stay as they are."""
    found = question(startBlock=5, sort="DESC")
    assert found.fields["startblock"] == "5"
    assert found.fields["address"] == "0x" + "ab" * 20
    assert found.fields["sort"] == "DESC"
    assert (found.key, found.chain_id) == (("account", "txlist"), "1")


def test_a_parameter_given_twice_is_a_miss() -> None:
    """Which of them counts, only the vendor knows."""
    with pytest.raises(Miss):
        question_of(HttpRequest("GET", "https://api.etherscan.io/v2/api?chainid=1&chainid=10"))


@pytest.mark.parametrize("names", [("address", "Address"), ("Address", "address"), ("chainid", "ChainId")])
def test_a_parameter_given_in_two_cases_is_a_miss(names: tuple[str, str]) -> None:
    """One of two addresses, or of two chains, would be answered for the other."""
    with pytest.raises(Miss) as miss:
        question_of(HttpRequest("GET", f"https://api.etherscan.io/v2/api?{names[0]}=1&{names[1]}=10"))
    assert "in two cases" in miss.value.detail.where


def test_a_value_that_spells_other_parameters_is_of_its_own_family() -> None:
    """Separators inside a value are no separators; a value nobody can encode is no crash."""
    address = "0x" + "ab" * 20
    glued = f"https://api.etherscan.io/v2/api?module=account&action=txlist&address={address}%26chainid%3D1"
    assert family_of(question_of(HttpRequest("GET", glued))) != family_of(question())
    raw = question_of(HttpRequest("GET", "https://api.etherscan.io/v2/api?chainid=1&address=\ud800"))
    assert family_of(raw) == "address=%ED%A0%80&chainid=1"
    assert request_of(raw.fields).url.endswith("address=%ED%A0%80&chainid=1")


@pytest.mark.parametrize(
    ("fields", "window"),
    [
        ({}, Window(0, ENDLESS, False, 1, 10_000)),
        ({"page": 0, "offset": 0}, Window(0, ENDLESS, False, 1, 10_000)),
        ({"page": 3, "offset": 7, "sort": "desc"}, Window(0, ENDLESS, True, 3, 7)),
        ({"startblock": 5, "endblock": "latest"}, Window(5, ENDLESS, False, 1, 10_000)),
        ({"startblock": 9, "endblock": 5}, None),
        ({"startblock": "0x9"}, None),
        ({"startblock": "9" * 5_000}, None),
        ({"sort": "newest"}, None),
        ({"module": "logs", "action": "getLogs", "sort": "desc"}, None),
        ({"module": "logs", "action": "getLogs", "sort": "asc"}, Window(0, ENDLESS, False, 1, 1_000)),
        ({"page": -1}, None),
        ({"page": 2, "offset": 5_001}, None),
        ({"module": "logs", "action": "getLogs", "fromBlock": 3, "offset": 5_000}, Window(3, ENDLESS, False, 1, 1_000)),
        ({"action": "getminedblocks", "page": 2, "offset": 5}, Window(0, ENDLESS, True, 2, 5)),
    ],
)
def test_the_window_of_a_list(fields: dict[str, Any], window: Window | None) -> None:
    """Defaults are the vendor's; what nobody can be sure of is no window."""
    assert question(**fields).window() == window


def test_the_customary_end_is_the_end_of_ethereum_alone() -> None:
    """Faster chains have blocks above it."""
    ends_at = [question(chainid=chain, endblock=99_999_999).window() for chain in (1, 42_161)]
    assert [window and window.last for window in ends_at] == [ENDLESS, 99_999_999]


def test_rows_of_a_window() -> None:
    """Places are counted from 0."""
    window = Window(0, 9, False, 3, 7)
    assert (window.start, window.stop) == (14, 21)


def test_internal_transactions_of_one_transaction_are_no_list() -> None:
    """They have neither pages nor ranges."""
    assert question(action="txlistinternal").listing is not None
    assert question(action="txlistinternal", txhash="0x" + "12" * 32).listing is None
    assert question(action="balance").listing is None


def test_the_key_is_no_part_of_a_question() -> None:
    """Neither of its identity, nor of its family, nor of its words."""
    plain, keyed = question(), question(apikey="a-key")
    assert plain.identity == keyed.identity
    assert family_of(plain) == family_of(keyed)
    assert "a-key" not in keyed.words()


def test_a_blocks_moment_is_a_window_too() -> None:
    """Two moments are one family."""
    at = [question(module="block", action="getblocknobytime", timestamp=moment, closest="before") for moment in (5, 9)]
    assert family_of(at[0]) == family_of(at[1])
    assert at[0].identity != at[1].identity


def test_a_question_is_written_as_it_is_read() -> None:
    """The request of some fields is a question with these fields."""
    fields = dict(question(page=2).fields)
    assert question_of(request_of(fields)).fields == fields


@pytest.mark.parametrize(
    ("content", "passing"),
    [
        ({"status": "0", "message": "NOTOK", "result": "Max calls per sec rate limit reached (5/sec)"}, True),
        ({"status": "0", "message": "NOTOK", "result": "Missing/Invalid API Key"}, True),
        ({"status": "0", "message": "NOTOK", "result": "Error! Invalid address format"}, False),
        ({"status": "1", "message": "OK-Missing/Invalid API Key, rate limit of 1/5sec applied", "result": "5"}, False),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32005, "message": "x"}}, True),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "x"}}, False),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "execution aborted (timeout = 5s)"}}, True),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": 3, "message": "execution reverted: try again later"}}, False),
        ({"jsonrpc": "2.0", "id": 1, "result": None}, False),
        ({"status": "0", "message": "NOTOK", "result": "Query Timeout occured. Please select a smaller result"}, True),
        ({"status": "0", "message": "Query Timeout occured. Please select a smaller result", "result": None}, True),
        ({"status": "0", "message": "NOTOK", "result": "Unexpected error, timeout or server too busy."}, True),
        ({"status": "0", "message": "NOTOK", "result": "Free API access is temporarily unavailable"}, True),
        ({"status": "0", "message": "NOTOK", "result": None}, True),
        ({"status": "1", "message": "OK"}, True),
        ({"status": "0", "message": "No data found", "result": None}, False),
        ({"status": "0", "message": "No transactions found-rate limit of 1/5sec applied", "result": []}, False),
        ([], False),
        (b"<html>", False),
    ],
)
def test_refusals_of_the_caller(content: Any, passing: bool) -> None:
    """Those for pace, key or trouble are told from refusals of the question."""
    assert is_passing(reply(content)) is passing


def test_refusals_by_status() -> None:
    """Those of servers and of keys."""
    assert [is_passing(reply(b"", status)) for status in (401, 403, 429, 502, 404)] == [True] * 4 + [False]


def test_rows_of_a_list() -> None:
    """A list, a list of nothing; anything else is no list."""
    row = {"blockNumber": "5"}
    assert rows_of(reply({"status": "1", "message": "OK", "result": [row]})) == [row]
    assert rows_of(reply({"status": "0", "message": "No records found", "result": []})) == []
    for content in (
        {"status": "0", "message": "NOTOK", "result": []},
        {"status": "0", "message": "NOTOK", "result": "words"},
        {"status": "1", "message": "OK", "result": ["row"]},
        {"status": "1", "message": "OK", "result": []},
        b"no json",
    ):
        assert rows_of(reply(content)) is None
    assert rows_of(reply({"status": "1", "message": "OK", "result": [row]}, 500)) is None


def test_where_a_list_ends() -> None:
    """A page that is not full, unless it is cut at a whole thousand."""
    assert ends(0, 10)
    assert ends(9, 10)
    assert not ends(10, 10)
    assert not ends(1_000, 10_000)
    assert not ends(5_000, 10_000)
    assert ends(999, 10_000)


def test_numbers_of_parameters() -> None:
    """Decimal digits alone, and no more of them than any number has."""
    assert [whole(text) for text in ("12", "0", "", "-1", "1e3", "\u0663", "9" * 5_000)] == [12, 0, *[None] * 5]


def test_numbers_of_rows() -> None:
    """Decimal, hexadecimal, and the vendor's zero."""
    assert [number(text) for text in ("12", "0x1f", "0x")] == [12, 31, 0]
    assert (block_of({"blockNumber": "0x5"}), moment_of({"timeStamp": "7"})) == (5, 7)
    for wrong in (None, 5, "x", ""):
        with pytest.raises(ValueError):
            number(wrong)

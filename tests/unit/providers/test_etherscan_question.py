"""A request to the explorer, read."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.errors import Miss
from caia_replay.providers.etherscan.request import (
    ENDLESS,
    EtherscanRequest,
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


def question(**fields: Any) -> EtherscanRequest:
    pairs = {"chainid": 1, "module": "account", "action": "txlist", "address": "0x" + "AB" * 20} | fields
    return question_of(HttpRequest("GET", f"https://api.etherscan.io/v2/api?{urlencode(pairs)}"))


def reply(content: Any, status: int = 200) -> HttpReply:
    return HttpReply(status, {}, content if isinstance(content, bytes) else canonical_bytes(content))


def test_a_question_is_read_in_any_case_and_without_its_key() -> None:
    """Names and hexadecimal values become lower case, other values stay; a key is in no identity, family or word."""
    found = question(startBlock=5, sort="DESC")
    assert (found.fields["startblock"], found.fields["address"], found.fields["sort"]) == (
        "5",
        "0x" + "ab" * 20,
        "DESC",
    )
    assert (found.key, found.chain_id) == (("account", "txlist"), "1")
    assert question_of(request_of(dict(found.fields))).fields == found.fields
    plain, keyed = question(), question(apikey="a-key")
    assert plain.identity == keyed.identity and family_of(plain) == family_of(keyed) and "a-key" not in keyed.words()
    at = [question(module="block", action="getblocknobytime", timestamp=moment, closest="before") for moment in (5, 9)]
    assert family_of(at[0]) == family_of(at[1]) and at[0].identity != at[1].identity


@pytest.mark.parametrize(
    ("names", "words"),
    [(("chainid", "chainid"), ""), (("address", "Address"), "in two cases"), (("Address", "address"), "in two cases"),
     (("chainid", "ChainId"), "in two cases")],
)  # fmt: skip
def test_a_parameter_given_twice_is_a_miss(names: tuple[str, str], words: str) -> None:
    """One of two addresses, or of two chains, would be answered for the other."""
    with pytest.raises(Miss) as miss:
        question_of(HttpRequest("GET", f"https://api.etherscan.io/v2/api?{names[0]}=1&{names[1]}=10"))
    assert words in miss.value.detail.where


def test_a_value_that_spells_other_parameters_is_of_its_own_family() -> None:
    """Separators inside a value are no separators; a value nobody can encode is no crash."""
    glued = f"https://api.etherscan.io/v2/api?module=account&action=txlist&address=0x{'ab' * 20}%26chainid%3D1"
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


def test_windows_of_other_chains_and_what_is_no_list() -> None:
    """Faster chains have blocks above Ethereum's customary end; one transaction's inner ones have no pages."""
    ends_at = [question(chainid=chain, endblock=99_999_999).window() for chain in (1, 42_161)]
    assert [window and window.last for window in ends_at] == [ENDLESS, 99_999_999]
    assert (Window(0, 9, False, 3, 7).start, Window(0, 9, False, 3, 7).stop) == (14, 21)
    assert question(action="txlistinternal").listing is not None
    assert question(action="txlistinternal", txhash="0x" + "12" * 32).listing is None
    assert question(action="balance").listing is None


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


def test_rows_of_a_list() -> None:
    """A list, a list of nothing; anything else is no list, and keys and servers refuse by status too."""
    row = {"blockNumber": "5"}
    assert [is_passing(reply(b"", status)) for status in (401, 403, 429, 502, 404)] == [True] * 4 + [False]
    assert rows_of(reply({"status": "1", "message": "OK", "result": [row]})) == [row]
    assert rows_of(reply({"status": "0", "message": "No records found", "result": []})) == []
    for status, message, result in (("0", "NOTOK", []), ("0", "NOTOK", "words"), ("1", "OK", ["row"]), ("1", "OK", [])):
        assert rows_of(reply({"status": status, "message": message, "result": result})) is None
    assert rows_of(reply(b"no json")) is None
    assert rows_of(reply({"status": "1", "message": "OK", "result": [row]}, 500)) is None


def test_numbers_and_ends() -> None:
    """Plain digits, hexadecimal ones and the vendor's zero; a page ends a list unless full or cut at a thousand."""
    told = [ends(*page) for page in ((0, 10), (9, 10), (10, 10), (1_000, 10_000), (5_000, 10_000), (999, 10_000))]
    assert told == [True, True, False, False, False, True]
    assert [whole(text) for text in ("12", "0", "", "-1", "1e3", "\u0663", "9" * 5_000)] == [12, 0, *[None] * 5]
    assert [number(text) for text in ("12", "0x1f", "0x")] == [12, 31, 0]
    assert (block_of({"blockNumber": "0x5"}), moment_of({"timeStamp": "7"})) == (5, 7)
    for wrong in (None, 5, "x", ""):
        with pytest.raises(ValueError):
            number(wrong)

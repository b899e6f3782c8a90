import json
from typing import Any

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.solana_rpc_call import answer, calls_of, told_by

ONE = frozenset({"getBlock"})


def request(*sent: tuple[Any, str, list[Any]], is_batch: bool = False) -> HttpRequest:
    """A request with these calls."""
    calls = [{"jsonrpc": "2.0", "id": id_, "method": method, "params": params} for id_, method, params in sent]
    return HttpRequest(
        "POST", "https://api.mainnet-beta.solana.com", json.dumps(calls if is_batch else calls[0]).encode()
    )


def key(method: str, *params: Any) -> bytes:
    """What decides a call."""
    return calls_of(request((1, method, list(params))))[0][0].key


def test_documented_defaults_and_ids_decide_nothing() -> None:
    """A call that names a default is the call that does not."""
    assert key("getBlock", 5) == key("getBlock", 5, {"commitment": "finalized", "encoding": "json", "rewards": True})
    assert key("getSlot") == key("getSlot", {}) == key("getSlot", {"commitment": "finalized"})
    assert key("getSignaturesForAddress", "a", {"limit": 1_000}) == key("getSignaturesForAddress", "a")
    for options in ({"commitment": "confirmed"}, {"encoding": "base64"}, {"rewards": 1}, {"rewards": False}):
        assert key("getBlock", 5, options) != key("getBlock", 5)
    assert key("getAccountInfo", "a", {"encoding": "json"}) != key("getAccountInfo", "a")
    assert calls_of(request((1, "getSlot", [])))[0][0].id == 1


def test_a_batch_is_told_apart_by_its_ids() -> None:
    """Answers are found by id in any order; with two of one id, or one missing, none is certain."""
    batch = request((1, "getBlock", [5]), (2, "getBlock", [6]), is_batch=True)
    parts = [{"jsonrpc": "2.0", "id": id_, "result": {"n": id_}} for id_ in (2, 1)]
    told = list(told_by([Recorded(batch, HttpReply(200, {}, json.dumps(parts).encode()))], ONE))
    assert [(one.call.subject, one.result) for one in told] == [((5,), {"n": 1}), ((6,), {"n": 2})]
    for bad in ([parts[0]], [parts[0], parts[0]], [parts[0], {"id": 1}], parts[0]):
        assert list(told_by([Recorded(batch, HttpReply(200, {}, json.dumps(bad).encode()))], ONE)) == []


def test_an_answer_has_a_result_or_an_error() -> None:
    """One with both, or with neither, says nothing; the answer that is sent bears the asker's id."""
    asked = request((7, "getBlock", [5]))
    for part, is_told in (
        ({"result": None}, True),
        ({"error": {}}, True),
        ({}, False),
        ({"result": 1, "error": {}}, False),
    ):
        told = list(told_by([Recorded(asked, HttpReply(200, {}, json.dumps(part).encode()))], ONE))
        assert bool(told) == is_told
        if told:
            assert answer(told[0].part, told[0].call) == {"jsonrpc": "2.0", **part, "id": 7}
    assert list(told_by([Recorded(asked, HttpReply(500, {}, b'{"result": 1}'))], ONE)) == []


def test_what_is_no_call_is_a_miss() -> None:
    """Notifications, named parameters, endless batches and ids that are no values."""
    for sent in (b"{", b'{"jsonrpc":"2.0","id":{},"method":"x"}', b'{"jsonrpc":"2.0","id":1,"method":"x","params":{}}'):
        with pytest.raises(Miss):
            calls_of(HttpRequest("POST", "https://x.example", sent))
    with pytest.raises(Miss):
        calls_of(request(*[(at, "getSlot", []) for at in range(101)], is_batch=True))

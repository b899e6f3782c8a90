"""Solana's provider: the law against a living node, and what is no question or answer."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.provider import HttpRequest
from caia_replay.errors import Miss
from caia_replay.providers.solana.provider import SolanaRpcProvider
from tests.adapter_law import record, replayed, survives
from tests.living_solana import ADDRESS, OTHER, SKIPPED, Node, signature, time_of
from tests.provider_law import same

URL = "https://api.mainnet-beta.solana.com"
PROVIDER, NODE = SolanaRpcProvider(), Node()
NOW, LATER = time_of(40) + 5, time_of(59) + 10**6


def body(method: str, *params: Any, id_: Any = 1) -> dict[str, Any]:
    """One call."""
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": list(params)}


def call(method: str, *params: Any, id_: Any = 1, url: str = URL) -> HttpRequest:
    """A request of one call."""
    return HttpRequest("POST", url, json.dumps(body(method, *params, id_=id_)).encode())


slots = st.integers(0, 45)
versions: dict[str, st.SearchStrategy[Any]] = {"maxSupportedTransactionVersion": st.just(0)}
encoding: dict[str, st.SearchStrategy[Any]] = {"encoding": st.sampled_from(["json", "jsonParsed", "base64"])}
final: dict[str, st.SearchStrategy[Any]] = {"commitment": st.just("finalized")}
details: dict[str, st.SearchStrategy[Any]] = {
    "transactionDetails": st.sampled_from(["full", "signatures", "none"]), "rewards": st.booleans(),
}  # fmt: skip
blocks = st.builds(
    lambda slot, options: call("getBlock", slot, options, id_=slot),
    slots,
    st.fixed_dictionaries({}, optional=versions | encoding | final | details),
)
transactions = st.builds(
    lambda slot, number, options: call("getTransaction", signature(slot, number), *options),
    slots,
    st.integers(0, 1),
    st.lists(st.fixed_dictionaries({}, optional=versions | encoding | final), max_size=1),
)
names = st.builds(signature, slots, st.integers(0, 1))
pages = st.builds(
    lambda address, options: call("getSignaturesForAddress", address, options),
    st.sampled_from([ADDRESS, OTHER]),
    st.fixed_dictionaries(
        {}, optional={"limit": st.integers(1, 100), "before": names, "until": names, "commitment": st.just("finalized")}
    ),
)
times = st.builds(lambda slot: call("getBlockTime", slot), slots)


def in_coverage(asked: HttpRequest) -> bool:
    """Whether what is recorded of later proves the answer of ``NOW``, worked out without the provider."""
    sent = json.loads(asked.body)
    if sent["method"] == "getSignaturesForAddress":
        ends = [name for name in map(sent["params"][1].get, ("before", "until")) if name is not None]
        known = [int(name[3:6]) <= 40 and int(name[3:6]) not in SKIPPED for name in ends]
        on_list = [sent["params"][0] == ADDRESS or name[-1] == "1" for name in ends]
        before, until = sent["params"][1].get("before"), sent["params"][1].get("until", "")
        return all(known) and all(on_list) and (not until or before is None or until < before)
    slot = sent["params"][0] if isinstance(sent["params"][0], int) else int(sent["params"][0][3:6])
    options = (sent["params"] + [{}])[1]
    is_newer = slot % 10 == 3 and "maxSupportedTransactionVersion" not in options
    has_rows = sent["method"] != "getBlockTime" and options.get("transactionDetails", "full") == "full"
    return slot <= 40 and slot not in SKIPPED and not (is_newer and has_rows)


@given(st.one_of(blocks, transactions, pages, times))
def test_the_law_holds_at_an_earlier_moment(asked: HttpRequest) -> None:
    """What is recorded of later tells what the node said at the world's moment, and nothing it could not yet say."""
    reply = replayed(PROVIDER, record(NODE, PROVIDER, [asked], LATER), asked, NOW)
    if in_coverage(asked):
        assert reply is not None
    if reply is not None:
        assert same(reply, NODE(asked, NOW))


def test_hostile_bodies_are_misses() -> None:
    """Neither questions nor answers of any shape raise anything but ``Miss``."""
    asked = [call("getBlock", 5), call("getSignaturesForAddress", ADDRESS)]
    survives(PROVIDER, record(NODE, PROVIDER, asked, NOW), asked, NOW)
    for sent in (b"", b"[]", b"{}", b"[1]", b'{"jsonrpc":"2.0","method":"getSlot"}',
                 b'{"jsonrpc":"2.0","id":1,"method":3}', b'{"jsonrpc":"2.0","id":{},"method":"x"}',
                 b'{"jsonrpc":"2.0","id":1,"method":"x","params":{}}',
                 json.dumps([body("getSlot", id_=at) for at in range(101)]).encode()):  # fmt: skip
        with pytest.raises(Miss):
            PROVIDER.family(HttpRequest("POST", URL, sent))
    bad: list[list[Any]] = [[], [{}], [[]], [None, 3], ["a", {}, {}], [{"limit": []}]]
    for params in bad:
        for method in ("getBlock", "getSignaturesForAddress", "getBalance", "getBlockTime"):
            assert replayed(PROVIDER, record(NODE, PROVIDER, asked, NOW), call(method, *params), NOW) is None

"""Solana's provider: the law against a living node, batches, and what recordings do not prove."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.solana_rpc import SolanaRpcProvider
from caia_replay.providers.solana_rpc_call import Call, Told
from caia_replay.providers.solana_rpc_fact import fact
from caia_replay.providers.solana_rpc_signature import signatures
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


@settings(max_examples=60)
@given(st.one_of(blocks, transactions, pages, times))
def test_the_law_holds_at_the_recordings_own_moment(asked: HttpRequest) -> None:
    """Everything that was asked is answered then, refusals of it too."""
    # A slot that is not there yet is put off, and no answer.
    reply = replayed(PROVIDER, record(NODE, PROVIDER, [asked], NOW, most_unproven=2), asked, NOW)
    living = NODE(asked, NOW)
    is_list = b"getSignatures" in asked.body
    assert reply is not None or is_list or "-32004" in living.body.decode()
    assert reply is None or same(reply, living)


def test_what_is_told_for_now_alone_is_a_miss_at_another_moment() -> None:
    """Balances, supplies, accounts and heights have no past; their recordings say when they were made."""
    for asked in (call("getBalance", ADDRESS), call("getTokenSupply", OTHER), call("getSlot")):
        recordings = record(NODE, PROVIDER, [asked], NOW)
        assert replayed(PROVIDER, recordings, asked, NOW) is recordings[0].reply
        for moment in (NOW - 3_600, NOW + 3_600):
            assert replayed(PROVIDER, recordings, asked, moment) is None
        undated = [Recorded(asked, HttpReply(200, {}, recordings[0].reply.body))]
        assert replayed(PROVIDER, undated, asked, NOW) is None
    account = record(NODE, PROVIDER, [call("getAccountInfo", ADDRESS, {"encoding": "base64"})], NOW)
    balance = replayed(PROVIDER, account, call("getBalance", ADDRESS), NOW)
    assert balance is not None and same(balance, NODE(call("getBalance", ADDRESS), NOW))


def test_batches_are_answered_from_single_calls_and_single_calls_from_batches() -> None:
    """A batch is widened to its calls; answers stand in the order of the questions, whatever the node's order was."""
    sent = [body("getBlockTime", 5, id_=1), body("getTransaction", signature(5, 1), id_=2)]
    batch = HttpRequest("POST", URL, json.dumps(sent).encode())
    assert len(PROVIDER.widen(batch, NOW)) == 2
    reply = replayed(PROVIDER, record(NODE, PROVIDER, [batch], LATER), batch, NOW)
    assert reply is not None and [one["id"] for one in json.loads(reply.body)] == [1, 2]
    assert sorted(json.loads(NODE(batch, NOW).body), key=lambda one: str(one["id"])) == json.loads(reply.body)
    recorded = [Recorded(batch, NODE(batch, LATER))]
    single = call("getTransaction", signature(5, 1), id_=9)
    found = replayed(PROVIDER, recorded, single, NOW)
    assert found is not None and same(found, NODE(single, NOW))
    missing = HttpRequest("POST", URL, json.dumps([*sent, body("getBlock", 6, id_=3)]).encode())
    assert replayed(PROVIDER, recorded, missing, NOW) is None


def test_keys_count_for_nothing_and_a_key_in_the_path_is_not_served() -> None:
    """A host with the key as a parameter is the same chain; full pages are followed by the signature they end with."""
    keyed = call("getSlot", url="https://mainnet.helius-rpc.com/?api-key=SCRUBBED")
    assert PROVIDER.match(keyed) and PROVIDER.family(keyed) == PROVIDER.family(call("getSlot"))
    assert PROVIDER.family(call("getSlot", url="https://api.devnet.solana.com")) != PROVIDER.family(call("getSlot"))
    for url in (f"{URL}/key", URL.replace("https", "http"), f"{URL}?x=1", "https://["):
        assert not PROVIDER.match(call("getSlot", url=url))
    first = [{"signature": f"S{at}", "slot": 9, "blockTime": time_of(9)} for at in range(1_000)]
    asked = call("getSignaturesForAddress", ADDRESS, {"limit": 5})
    (wide,) = PROVIDER.widen(asked, NOW)
    reply = HttpReply(200, {}, json.dumps({"jsonrpc": "2.0", "id": 1, "result": first}).encode())
    following = PROVIDER.follow(wide, reply)
    assert following is not None and json.loads(following.body)["params"][1] == {"before": "S999"}
    assert PROVIDER.follow(asked, reply) is None and PROVIDER.follow(wide, HttpReply(200, {}, b"{}")) is None


def test_hostile_bodies_are_misses() -> None:
    """Neither questions nor answers of any shape raise anything but ``Miss``."""
    asked = [call("getBlock", 5), call("getSignaturesForAddress", ADDRESS), call("getBalance", ADDRESS)]
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


FACT_NOW = 1_700_000_000
ROWS = [{"version": "legacy", "transaction": {"signatures": names}} for names in (["s1", "s2"], ["s3"])]
BLOCK = {"blockTime": FACT_NOW - 5, "rewards": [1], "transactions": ROWS}
WIDE: dict[str, Any] = {"maxSupportedTransactionVersion": 0}


def told(result: Any, made: int | None = FACT_NOW + 10**6, method: str = "getBlock", **options: Any) -> Told:
    """A recorded result about slot 5."""
    return Told(Call(method, (5,), options, 1), {"result": result}, made, None)


def asked(method: str = "getBlock", **options: Any) -> Call:
    """A call about slot 5."""
    return Call(method, (5,), options, 2)


def result(one: Told, call: Call, now: int = FACT_NOW) -> Any:
    """What a recording tells."""
    return fact([one], call, now, "w")[0]["result"]


@pytest.mark.parametrize(
    ("one", "call"),
    [
        (told(BLOCK | {"blockTime": FACT_NOW + 1}, **WIDE), asked(**WIDE)),
        (told(BLOCK | {"blockTime": None}, **WIDE), asked(**WIDE)),
        (told(BLOCK, **WIDE, commitment="confirmed"), asked(**WIDE, commitment="confirmed")),
        (told(BLOCK, **WIDE), asked(**WIDE, encoding="base64")),
        (told(BLOCK, **WIDE, rewards=False), asked(**WIDE)),
        (told(BLOCK, **WIDE, transactionDetails="none"), asked(**WIDE)),
        (told(BLOCK, **WIDE, encoding="base64"), asked(**WIDE, transactionDetails="signatures")),
        (told({**BLOCK, "transactions": [{"version": 0}]}, **WIDE), asked()),
        (told({**BLOCK, "transactions": [1]}, **WIDE), asked(**WIDE, transactionDetails="signatures")),
        (told(BLOCK), asked(maxSupportedTransactionVersion=1)),
        (told({"blockTime": FACT_NOW, "version": 0}, method="getTransaction", **WIDE), asked("getTransaction")),
        (told({"blockTime": FACT_NOW, "version": "legacy"}, method="getTransaction"), asked("getTransaction", **WIDE)),
        (told(None, **WIDE), asked(**WIDE)),
        (told([], **WIDE), asked("getBlockTime")),
    ],
)
def test_what_a_block_does_not_prove_is_a_miss(one: Told, call: Call) -> None:
    """Later blocks, blocks that may still be taken back, other encodings, parts that were not recorded."""
    with pytest.raises(Miss):
        result(one, call)


SIGNATURE_NOW = 1_000


def rows(*slots: int) -> list[dict[str, Any]]:
    """One signature for each slot, made that many seconds before or after ``NOW``."""
    return [{"signature": f"s{slot}", "slot": slot, "blockTime": SIGNATURE_NOW + slot - 10} for slot in slots]


def signature_call(**options: Any) -> Call:
    """A question for the list of one address."""
    return Call("getSignaturesForAddress", ("a",), options, 1)


def page(found: list[dict[str, Any]], made: int | None = SIGNATURE_NOW + 10**6, **options: Any) -> Told:
    """A recorded page."""
    return Told(signature_call(**options), {"result": found}, made, None)


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ([page(rows(9, 8), limit=2)], signature_call()),
        ([page(rows(9, 8), made=SIGNATURE_NOW - 901)], signature_call()),
        ([page(rows(9, 8), made=None)], signature_call()),
        ([page(rows(9, 8), until="s7")], signature_call()),
        ([page(rows(8, 9))], signature_call()),
        ([page(rows(12, 11), limit=2)], signature_call(limit=1)),
        ([page(rows(9, 8))], signature_call(before="s12")),
        ([page(rows(12, 9, 8))], signature_call(before="s12")),
        ([page(rows(9, 8))], signature_call(until="s3")),
        ([page(rows(9, 8))], signature_call(before="s8", until="s9")),
        ([page(rows(9, 8))], signature_call(limit=0)),
        ([page(rows(9, 8))], signature_call(limit=True)),
        ([page(rows(9, 8))], signature_call(before=3)),
        ([page(rows(9, 8))], signature_call(minContextSlot=1)),
        ([page(rows(9, 8), minContextSlot=1)], signature_call()),
        ([page(rows(9, 8)), page(rows(9, 7))], signature_call()),
        ([page([{"signature": "s", "slot": 1, "blockTime": None}])], signature_call()),
        ([page(rows(9, 8, 7), limit=2)], signature_call(limit=2)),
    ],
)
def test_what_pages_do_not_prove_is_a_miss(told: list[Told], asked: Call) -> None:
    """Cut, earlier, undated, contradicting and malformed pages; places that are on none of them, or later."""
    with pytest.raises(Miss):
        signatures(told, asked, SIGNATURE_NOW, "w")

"""Balances, supplies, tokens by name and what moved of them, held against a chain that still lives."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from eth_abi import abi

from caia_replay.core.tool import Served
from caia_replay.errors import ToolError
from caia_replay.tools.asset import COINGECKO, is_address, is_native, token_argument
from caia_replay.tools.signature import parse_signature
from caia_replay.tools.tool_context import ToolContext
from caia_replay.tools.transfer import Moved, moved_tokens, shown_transfers
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.anchored import anchored
from tests.chain_world import ChainWorld
from tests.unit.tools.conftest import Desk

BALANCE_OF = "0x70a08231"


def held(chain_world: ChainWorld, holder: str, token: str | None, height: int) -> int:
    """A balance as the living node has it."""
    if token is None:
        return int(chain_world.live("eth_getBalance", holder, hex(height)), 16)
    call = {"to": token, "data": BALANCE_OF + holder[2:].rjust(64, "0")}
    return int(chain_world.live("eth_call", call, hex(height)), 16)


def test_balances_are_what_the_living_node_has(chain_world: ChainWorld) -> None:
    """Coins and tokens of whoever acted, up to the moment, however written; several at once with their sum."""
    rng = Random(5)
    holders = sorted(key for key in chain_world.origin.record.touched if isinstance(key, str))
    for _ in range(50):
        holder, height = rng.choice(holders), rng.randint(1, chain_world.task.anchor.block)
        token = rng.choice([None, *chain_world.origin.tokens])
        written = rng.choice([holder, "0x" + holder[2:].upper(), f" {holder} ", f"'{holder}'"])
        time = chain_world.time(height)
        when = rng.choice([{"block": height}, {"block": hex(height)}, {"time": time}, {"time": utc_text(time + 1)}])
        if when.get("time") and height == chain_world.task.anchor.block:
            when = {}
        shown = chain_world.call("balance_query", address=written, token=token, **when).result
        raw = held(chain_world, holder, token, height)
        assert (shown["address"], shown["token"], shown["block"], shown["raw"]) == (holder, token, height, str(raw))
        assert (shown["decimals"], shown["timestamp"]) == (18, time)
        whole, _, part = shown["amount"].partition(".")
        assert int(whole + part.ljust(18, "0")) == raw
    token, senders = chain_world.origin.tokens[0], chain_world.origin.senders[:4]
    for several in (
        [*senders, senders[0].upper().replace("X", "x")], ",".join(senders), str(senders).replace("'", '"'),
    ):  # fmt: skip
        shown = chain_world.call("balance_query", address=several, token=token).result
        wanted = [held(chain_world, sender, token, chain_world.task.anchor.block) for sender in senders]
        told = [(row["address"], int(row["raw"])) for row in shown["balances"]]
        assert told == list(zip(senders, wanted, strict=True))
        assert int(shown["total"]["raw"]) == sum(wanted)
    assert len(chain_world.call("balance_query", address=senders[:1]).result["balances"]) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        {"address": None}, {"address": []}, {"address": "0x12"}, {"address": ["0x" + f"{at:040x}" for at in range(51)]},
        {"address": "[1"}, {"token": "0x" + "99" * 20}, {"token_id": 5}, {"token_id": 5, "token": "TOKEN"},
        {"token_id": "1.5", "token": "TOKEN"}, {"token_id": "0xzz", "token": "TOKEN"},
        {"token_id": -1, "token": "TOKEN"}, {"token_id": 2**256, "token": "TOKEN"}, {"block": 3, "time": "now"},
        {"chain": "nowhere"}, {"time": "2020-01-01"},
    ],
)  # fmt: skip
def test_wrong_questions_are_told(chain_world: ChainWorld, arguments: dict[str, Any]) -> None:
    """Each with words; no account, no code and no such kind of token read as nothing held."""
    asked = {"address": chain_world.origin.senders[0]} | arguments
    if asked.get("token") == "TOKEN":
        asked["token"] = chain_world.origin.tokens[0]
    reply = chain_world.call("balance_query", **asked)
    assert reply.served is Served.ERROR and reply.error["message"]


@pytest.mark.check
def test_an_nft_has_an_owner(large: FrozenWorld) -> None:
    """The owner of every token of a collection is the receiver of its last movement, at any height; counts add up."""
    folder = large.folder
    bench, chain = Desk(large, anchored(folder, 100).id), folder.info.chains[0]
    tables = large.snapshots[chain]
    newest = bench.world.newest(chain)
    owners: dict[tuple[str, str], str] = {}
    for height in range(newest + 1):
        for receipt in tables.receipts(height):
            for log in receipt["logs"]:
                if len(log["topics"]) == 4 and log["topics"][0].startswith("0xddf252ad"):
                    owners[log["address"], str(int(log["topics"][3], 16))] = "0x" + log["topics"][2][26:]
    assert owners
    for (contract, token_id), owner in sorted(owners.items())[:10]:
        asked = {"token": contract, "token_id": token_id, "chain": chain}
        shown = bench.call("balance_query", **asked).result
        assert (shown["standard"], shown["owner"], "balances" in shown) == ("ERC-721", owner, False)
        both = bench.call("balance_query", address=[owner, contract], **asked).result
        assert [row["owns"] for row in both["balances"]] == [True, False]
        count = bench.call("balance_query", address=owner, token=contract, chain=chain).result
        mine = sum(found == owner and at == contract for (at, _), found in owners.items())
        assert (int(count["raw"]), count["amount"]) == (mine, None)
    assert bench.call("balance_query", token=contract, token_id=10**9, chain=chain).served is Served.ERROR


def test_a_supply_is_what_the_living_node_says(chain_world: ChainWorld) -> None:
    """At every third height, by block and by time; where there is no contract it is an error, never zero."""
    token = chain_world.origin.tokens[0]
    for height in range(1, chain_world.task.anchor.block, 3):
        raw = int(chain_world.live("eth_call", {"to": token, "data": "0x18160ddd"}, hex(height)), 16)
        for when in ({"block": height}, {"time": chain_world.time(height)}):
            shown = chain_world.call("supply_query", asset=token, **when).result
            (row,) = shown["on_chain"]
            assert (row["raw"], row["decimals"], row["block"]) == (str(raw), 18, height)
            assert (row["timestamp"], row["contract"], row["chain"]) == (chain_world.time(height), token, "origin")
            assert shown["asset"] is None and "market" not in shown
    token = chain_world.origin.tokens[0]
    for asked in ({"asset": token, "block": 0}, {"asset": "0x" + "99" * 20}):
        reply = chain_world.call("supply_query", **asked)
        assert reply.served is Served.ERROR and "returned no data" in reply.error["message"]
    for asked in ({"asset": token, "block": 25}, {"asset": token, "chain": "x"}, {"asset": "native", "block": 3}):
        assert chain_world.call("supply_query", **asked).served is Served.ERROR


def test_the_past_is_told_by_contracts_alone(bench: Desk) -> None:
    """At a date no market is asked; a coin of another network has market figures alone, and is refused on a chain."""
    view = ToolContext(bench.world)
    listed = view.ask(f"{COINGECKO}/coins/list", include_platform="true")
    coin = next(coin for coin in listed if len(coin["platforms"]) > 1)
    day = bench.world.clock.now - 10 * 86_400
    shown = bench.call("supply_query", asset=f"id:{coin['id']}", time=day).result
    assert "market" not in shown and all(row["timestamp"] <= day for row in shown["on_chain"])
    one = bench.call("supply_query", asset=f"id:{coin['id']}", block=20).result
    assert [row["chain"] for row in one["on_chain"]] == [bench.task.anchor.chain]
    native = bench.task.anchor.chain
    now = bench.call("supply_query", asset=f"id:{native}").result
    assert now["own_coin"][0]["chain"] == native and int(now["own_coin"][0]["raw"]) > 0
    assert bench.call("supply_query", asset="native").result["own_coin"] == now["own_coin"]
    then = bench.call("supply_query", asset=f"id:{native}", time=day)
    assert then.result["own_coin"][0]["total_supply"] is None
    assert bench.call("supply_query", asset=f"id:{native}", chain=native, time=day).served is Served.ERROR
    view = ToolContext(bench.world)
    coin = next(
        coin for coin in view.ask(f"{COINGECKO}/coins/list", include_platform="true")
        if not coin["platforms"] and coin["id"] not in view.chains
    )  # fmt: skip
    shown = bench.call("supply_query", asset=f"id:{coin['id']}").result
    assert shown["on_chain"] == shown["own_coin"] == [] and shown["market"]["total_supply"] > 0
    asked: Mapping[str, Any] = {"asset": f"id:{coin['id']}", "chain": bench.task.anchor.chain}
    for more in (asked, {"asset": f"id:{coin['id']}", "time": "1 day ago"}):
        assert bench.call("supply_query", **more).served is Served.ERROR


def test_a_token_is_its_address_or_its_name(chain_world: ChainWorld, large: FrozenWorld) -> None:
    """Null and native mean the coin; a listed one is its contract on that chain, elsewhere told where it is."""
    token, view = chain_world.origin.tokens[0], ToolContext(chain_world.world)
    for text in (None, "native", " Native ", "'coin'"):
        assert token_argument(view, "origin", text) is None and (text is None or is_native(text))
    for text in (token, "0x" + token[2:].upper(), f" {token} ", f"'0X{token[2:]}'"):
        assert is_address(text) and token_argument(view, "origin", text) == token
    with pytest.raises(ToolError, match="no address"):
        token_argument(view, "origin", "0x12")
    task = large.folder.task(large.folder.suite.active()[0])
    view = ToolContext(large.task(task))
    listed = view.ask(f"{COINGECKO}/coins/list", include_platform="true")
    seen = set()
    for coin in (*listed[::4], *(coin for coin in listed if coin["id"] in view.chains)):
        for chain in view.chains:
            if coin["id"] == chain:
                assert token_argument(view, chain, f"id:{chain}") is None
            elif chain in coin["platforms"]:
                for text in (f"id:{coin['id']}", coin["symbol"].upper(), coin["name"]):
                    assert token_argument(view, chain, text) == coin["platforms"][chain]
            else:
                with pytest.raises(ToolError, match="has no contract on"):
                    token_argument(view, chain, f"id:{coin['id']}")
            seen.add((coin["id"] == chain, chain in coin["platforms"]))
    assert len(seen) == 3


ALICE, BOB, TOKEN = "0x" + "aa" * 20, "0x" + "bb" * 20, "0x" + "cc" * 20


def log(event: str, indexed: list[str | int], types: list[str], values: list[Any]) -> dict[str, Any]:
    """A log as a node tells it."""
    words = [f"0x{int(value, 16) if isinstance(value, str) else value:064x}" for value in indexed]
    topics = ["0x" + parse_signature(event).hash.hex(), *words]
    return {"address": TOKEN, "topics": topics, "data": "0x" + abi.encode(types, values).hex()}


def test_each_standard_is_told_by_its_events(chain_world: ChainWorld) -> None:
    """Alike, one of a kind, several kinds, in batches; what a token does not say of itself is null."""
    transfer = "Transfer(address,address,uint256)"
    both = ["uint256[]", "uint256[]"]
    batch = "TransferBatch(address,address,address,uint256[],uint256[])"
    logs = [
        log(transfer, [ALICE, BOB], ["uint256"], [2**255]),
        log(transfer, [ALICE, BOB, 7], [], []),
        log("TransferSingle(address,address,address,uint256,uint256)", [TOKEN, ALICE, BOB], ["uint256"] * 2, [8, 9]),
        log(batch, [TOKEN, ALICE, BOB], both, [[1, 2], [3, 4]]),
        log(batch, [TOKEN, ALICE, BOB], both, [[1, 2], [3]]),
        log("Approval(address,address,uint256)", [ALICE, BOB], ["uint256"], [5]),
        log("Deposit(address,uint256)", [ALICE], ["uint256"], [5]),
        log(transfer, [ALICE], ["address", "uint256"], [BOB, 5]),
    ]
    assert list(moved_tokens(logs)) == [
        Moved("ERC-20", TOKEN, ALICE, BOB, None, str(2**255)),
        Moved("ERC-721", TOKEN, ALICE, BOB, "7", None),
        Moved("ERC-1155", TOKEN, ALICE, BOB, "8", "9"),
        Moved("ERC-1155", TOKEN, ALICE, BOB, "1", "3"),
        Moved("ERC-1155", TOKEN, ALICE, BOB, "2", "4"),
    ]
    token, other = chain_world.origin.tokens[1], chain_world.origin.emitters[0]
    moved = [Moved("ERC-20", at, ALICE, BOB, None, "1500000000000000000") for at in (token, other)]
    known, unknown = shown_transfers(ToolContext(chain_world.world), "origin", 5, moved)
    assert (known["symbol"], known["decimals"], known["amount"]) == ("T1", 18, "1.5")
    assert (unknown["symbol"], unknown["amount"], unknown["raw"]) == (None, None, "1500000000000000000")

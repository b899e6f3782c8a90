from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

from caia_replay.core.tool import Served
from caia_replay.tools.asset import COINGECKO
from caia_replay.tools.call_view import CallView
from caia_replay.tools.explorer import ETHERSCAN
from caia_replay.tools.signature import parse_signature
from tests.anchored import anchored
from tests.tool_draw.onchain import DRAWS, INSIDE
from tests.tool_law import LivingWorld, judged
from tests.unit.tools.conftest import Bench

if TYPE_CHECKING:
    from caia_replay.world.world import FrozenWorld
    from tests.chain_world import ChainWorld
    from tests.short_economy import ShortEconomy

MINTED = "0x" + "00" * 20


@pytest.fixture
def bench(short_world: FrozenWorld, short_economy: ShortEconomy) -> Bench:
    """The last task of the economy that is asked on its main chain."""
    folder = short_world.folder
    tasks = [folder.task(name) for name in folder.suite.active()]
    main = [task for task in tasks if task.anchor.chain == short_economy.where.main_chain]
    return Bench(short_world, max(main, key=lambda found: found.anchor.timestamp).id)


def test_a_supply_is_what_the_living_node_says(chain_world: ChainWorld) -> None:
    """At every third height, by block and by time, and told with the block it is of."""
    token = chain_world.origin.tokens[0]
    for height in range(1, chain_world.task.anchor.block, 3):
        raw = int(chain_world.live("eth_call", {"to": token, "data": "0x18160ddd"}, hex(height)), 16)
        for when in ({"block": height}, {"time": chain_world.time(height)}):
            shown = chain_world.call("supply_query", asset=token, **when).result
            (row,) = shown["on_chain"]
            assert (row["raw"], row["decimals"], row["block"]) == (str(raw), 18, height)
            assert (row["timestamp"], row["contract"], row["chain"]) == (chain_world.time(height), token, "origin")
            assert shown["asset"] is None and "market" not in shown


def test_a_contract_that_is_not_there_has_no_supply(chain_world: ChainWorld) -> None:
    """Before it was made and where there is none at all it is an error that says so, never zero."""
    token = chain_world.origin.tokens[0]
    for asked in ({"asset": token, "block": 0}, {"asset": "0x" + "99" * 20}):
        reply = chain_world.call("supply_query", **asked)
        assert reply.served is Served.ERROR and "returned no data" in reply.error["message"]
    for asked in ({"asset": token, "block": 25}, {"asset": token, "chain": "x"}, {"asset": "native", "block": 3}):
        assert chain_world.call("supply_query", **asked).served is Served.ERROR


def test_chains_are_told_apart_and_agree_with_their_logs_and_the_explorer(
    short_world: FrozenWorld, short_economy: ShortEconomy
) -> None:
    """Each network's supply is what was minted there less burnt, as the main explorer says; nothing adds them up."""
    bench, several = Bench(short_world, anchored(short_world.folder, 100).id), 0
    view, living = CallView(bench.world), CallView(LivingWorld(bench.world, short_economy.origin))
    for coin in view.ask(f"{COINGECKO}/coins/list", include_platform="true"):
        contracts = {name: at for name, at in coin["platforms"].items() if name in view.chains}
        if not contracts or coin["symbol"].startswith("w"):
            continue
        shown = bench.call("supply_query", asset=f"id:{coin['id']}").result
        assert {row["chain"]: row["contract"] for row in shown["on_chain"]} == contracts
        several += len(contracts) > 1
        for row in shown["on_chain"]:
            assert int(row["raw"]) == _minted(bench, row["chain"], row["contract"], row["block"])
            if row["chain"] == bench.task.anchor.chain:
                asked = {"chainid": row["chain_id"], "module": "stats", "action": "tokensupply"}
                assert view.ask(ETHERSCAN, **asked, contractaddress=row["contract"])["result"] == row["raw"]
        page = living.ask(f"{COINGECKO}/coins/{coin['id']}", localization="false")["market_data"]
        for name in ("circulating_supply", "total_supply", "max_supply"):
            assert shown["market"][name] == page[name]
        assert "total" not in shown
    assert several >= 2


def test_the_past_is_told_by_contracts_alone(bench: Bench) -> None:
    """At a date neither the market nor the explorer is asked; of a coin on no network nothing was told then."""
    view = CallView(bench.world)
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


def test_a_coin_of_another_network_is_told_by_the_market(bench: Bench) -> None:
    """A coin on no recorded chain has market figures and no contract, and is refused on a chain it is not on."""
    view = CallView(bench.world)
    coin = next(
        coin for coin in view.ask(f"{COINGECKO}/coins/list", include_platform="true")
        if not coin["platforms"] and coin["id"] not in view.chains
    )  # fmt: skip
    shown = bench.call("supply_query", asset=f"id:{coin['id']}").result
    assert shown["on_chain"] == shown["own_coin"] == [] and shown["market"]["total_supply"] > 0
    asked: Mapping[str, Any] = {"asset": f"id:{coin['id']}", "chain": bench.task.anchor.chain}
    for more in (asked, {"asset": f"id:{coin['id']}", "time": "1 day ago"}):
        assert bench.call("supply_query", **more).served is Served.ERROR


def _minted(bench: Bench, chain: str, contract: str, block: int) -> int:
    """What a token's events minted less what they burnt."""
    topic, supply = "0x" + parse_signature("Transfer(address,address,uint256)").hash.hex(), 0
    for height in range(block + 1):
        for receipt in bench.world.world.snapshots[chain].receipts(height):
            for log in receipt["logs"]:
                if log["address"] == contract and log["topics"][0] == topic:
                    sender, receiver = ("0x" + word[26:] for word in log["topics"][1:3])
                    supply += int(log["data"], 16) * ((sender == MINTED) - (receiver == MINTED))
    return supply


def test_what_is_told_in_replay_is_told_by_the_origin(short_economy: ShortEconomy, short_world: FrozenWorld) -> None:
    """Forty calls as a model might make them, none told otherwise; of what was recorded none is a miss."""
    found = judged("supply_query", DRAWS["supply_query"], short_world, short_economy.origin, 40)
    assert found.wrong == [] and found.answered >= 0.7
    inside = judged("supply_query", INSIDE["supply_query"], short_world, short_economy.origin, 25, seed=1)
    assert inside.wrong == [] and inside.served["MISS"] == 0 and inside.answered >= 0.9

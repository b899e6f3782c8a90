"""The law of tools: in replay they say what they say over the living origin, or that it was not recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal

import pytest

from caia_replay.store.world_folder import open_world
from caia_replay.tools.asset import COINGECKO
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.defi_index import API
from caia_replay.tools.interface import ETHERSCAN
from caia_replay.tools.protocol import protocol_metrics
from caia_replay.tools.signature import parse_signature
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.anchored import anchored
from tests.short_economy import ShortEconomy
from tests.tool_draw import defi, market, onchain, query, social, technical
from tests.tool_law import LivingWorld, judged
from tests.unit.tools.conftest import Desk

pytestmark = pytest.mark.check

PARTS = (defi, market, onchain, query, social, technical)
DRAWS = {name: draw for part in PARTS for name, draw in part.DRAWS.items()}
INSIDE = {name: draw for part in PARTS for name, draw in part.INSIDE.items()}
ALWAYS = frozenset(("exchange_overview", "exchange_summary", "network_activity", "protocol_metrics", "trend_detection"))
"""Of these no call at all may be a miss."""
ANSWERED = {
    **{name: 1.0 for name in (*defi.DRAWS, "block_query", "time_conversion")},
    **{"balance_query": 0.9, "supply_query": 0.9, "transaction_query": 0.95},
}
"""The share of calls inside what was recorded that must have a result; 0.7 of others."""
OF_ALL = {"volatility_alerts": 0.6}
"""The share of any calls that must have a result; 0.7 of others. Half of the coins have no market to be alert about."""


@pytest.fixture(scope="module")
def short_world(short_economy: ShortEconomy) -> Iterator[FrozenWorld]:
    """The frozen world of the short economy, opened once."""
    with FrozenWorld(open_world(str(short_economy.report.world))) as world:
        yield world


@pytest.mark.parametrize("tool", sorted(DRAWS))
def test_what_is_told_in_replay_is_told_by_the_origin(tool, short_world, short_economy) -> None:
    """Forty calls as a model might make them, none told otherwise; of what was recorded none is a miss."""
    found = judged(tool, DRAWS[tool], short_world, short_economy.origin, 40)
    assert found.wrong == [] and found.answered >= OF_ALL.get(tool, 0.7)
    assert tool not in ALWAYS or found.served["MISS"] == 0
    inside = judged(tool, INSIDE[tool], short_world, short_economy.origin, 25 if tool in onchain.DRAWS else 40)
    assert inside.wrong == [] and inside.served["MISS"] == 0 and inside.answered >= ANSWERED.get(tool, 0.7)
    assert tool != "block_query" or inside.served["FORK"] == 25


def test_the_last_point_of_a_history_is_the_last_midnights(short_world, short_economy) -> None:
    """That of now was not recorded, which the point's time says; as the living index told it."""
    world = short_world.task(anchored(short_world.folder, 60))
    view, living = ToolContext(world), ToolContext(LivingWorld(world, short_economy.origin))
    midnight = utc_text(view.now // 86_400 * 86_400)
    for row in view.ask(f"{API}/protocols"):
        now = protocol_metrics(view, protocol=row["name"], by_token=True)
        then = protocol_metrics(view, protocol=row["slug"], at="now")
        assert then["last_up_to_it"]["time_utc"] == now["tokens_at_utc"] == midnight and then["next"] is None
        assert then["last_up_to_it"] == protocol_metrics(living, protocol=row["slug"], at=midnight)["last_up_to_it"]
        held = sum(Decimal(str(token["usd"])) for token in now["tokens"])
        assert abs(held - Decimal(str(then["last_up_to_it"]["tvl_usd"]))) < Decimal("0.001")
        assert now["tvl_usd"] == row["tvl"] == protocol_metrics(living, protocol=row["name"])["tvl_usd"]


def test_a_project_without_a_calendar(short_world: FrozenWorld, short_economy: ShortEconomy) -> None:
    """The living index refuses it and the tool says where it looked; in replay nobody recorded that it was refused."""
    [native] = [name for name in short_world.snapshots if not name.endswith("rollup")]
    bench = Desk(short_world, anchored(short_world.folder, 100).id)
    arguments = json.dumps({"asset": f"id:{native}"})
    with WorldToolset(LivingWorld(bench.world, short_economy.origin)) as living:
        reply = living.call("release_schedule", arguments)
    assert str(reply.error["message"]).endswith(f"at this moment; looked for {native}")


def test_chains_are_told_apart_and_agree_with_their_logs_and_the_explorer(short_world, short_economy) -> None:
    """Each network's supply is what was minted there less burnt, as the main explorer says; nothing adds them up."""
    bench, several = Desk(short_world, anchored(short_world.folder, 100).id), 0
    view, living = ToolContext(bench.world), ToolContext(LivingWorld(bench.world, short_economy.origin))
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


MINTED = "0x" + "00" * 20


def _minted(bench: Desk, chain: str, contract: str, block: int) -> int:
    """What a token's events minted less what they burnt."""
    topic, supply = "0x" + parse_signature("Transfer(address,address,uint256)").hash.hex(), 0
    for height in range(block + 1):
        for receipt in bench.world.world.snapshots[chain].receipts(height):
            for log in receipt["logs"]:
                if log["address"] == contract and log["topics"][0] == topic:
                    sender, receiver = ("0x" + word[26:] for word in log["topics"][1:3])
                    supply += int(log["data"], 16) * ((sender == MINTED) - (receiver == MINTED))
    return supply

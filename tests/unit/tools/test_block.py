from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from caia_replay.core.tool import Served
from caia_replay.world.clock import utc_text
from tests.tool_draw.onchain import DRAWS, INSIDE
from tests.tool_law import judged

if TYPE_CHECKING:
    from caia_replay.world.world import FrozenWorld
    from tests.chain_world import ChainWorld
    from tests.short_economy import ShortEconomy
    from tests.unit.tools.conftest import Bench


def test_the_newest_block_is_the_anchor(late: Bench, early: Bench) -> None:
    """Without a height each task sees its own newest block, with the anchor's time."""
    for bench in (late, early, late):
        shown = bench.call("block_query").result
        assert (shown["number"], shown["timestamp"]) == (bench.task.anchor.block, bench.task.anchor.timestamp)


def test_the_future_does_not_exist(early: Bench, late: Bench) -> None:
    """A later block is refused by number and by time and unknown by hash; so are its transactions."""
    later = late.call("block_query", include_transactions=True).result
    assert early.call("block_query", block=later["number"]).served is Served.ERROR
    assert early.call("block_query", time=later["time_utc"]).served is Served.ERROR
    assert early.call("block_query", block=later["hash"]).served is Served.MISS
    holder = {"address": "0x" + "11" * 20, "block": later["number"]}
    assert early.call("balance_query", **holder).served is Served.ERROR
    for transaction in later["transactions"]:
        assert early.call("transaction_query", hash=transaction["hash"]).served is Served.MISS


def test_a_block_is_what_the_living_node_has(chain_world: ChainWorld) -> None:
    """Header and transactions of every block, by height, hash and time, however these are written."""
    for height in range(chain_world.task.anchor.block + 1):
        told = chain_world.live("eth_getBlockByNumber", hex(height), True)
        shown = chain_world.call("block_query", block=height, include_transactions=True).result
        assert shown["hash"] == told["hash"] and shown["parent_hash"] == told["parentHash"]
        assert (shown["gas_used"], shown["gas_limit"]) == (int(told["gasUsed"], 16), int(told["gasLimit"], 16))
        assert (shown["timestamp"], shown["state_root"]) == (int(told["timestamp"], 16), told["stateRoot"])
        assert [(item["hash"], item["from"], item["to"], int(item["value_wei"])) for item in shown["transactions"]] == [
            (item["hash"], item["from"], item["to"], int(item["value"], 16)) for item in told["transactions"]
        ]
        shouted = "0x" + told["hash"][2:].upper()
        for text in (str(height), hex(height), f" {told['hash']} ", shouted, f'"{shouted}"'):
            again = chain_world.call("block_query", block=text, include_transactions=True)
            assert again.result == shown
        for time in (utc_text(shown["timestamp"]), shown["timestamp"]):
            assert chain_world.call("block_query", time=time, include_transactions=True).result == shown


def test_a_block_adds_up(late: Bench) -> None:
    """Gas used by a block is the sum over its transactions, each found by its hash."""
    for height in range(late.task.anchor.block - 5, late.task.anchor.block + 1):
        block = late.call("block_query", block=height, include_transactions=True).result
        found = [late.call("transaction_query", hash=item["hash"]).result for item in block["transactions"]]
        assert sum(item["gas_used"] for item in found) == block["gas_used"]
        assert [item["index"] for item in found] == list(range(block["transaction_count"]))
        assert all(int(item["fee_wei"]) == item["gas_used"] * int(item["gas_price_wei"]) for item in found)


def test_a_long_block_is_read_in_parts(chain_world: ChainWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts follow one another to the whole; the last has no next one, and nothing lies past the end."""
    height = chain_world.past()[-1][1]
    whole = chain_world.call("block_query", block=height, include_transactions=True).result
    monkeypatch.setattr("caia_replay.tools.block.TRANSACTIONS_SHOWN", 3)
    found, cursor = [], 0
    while cursor is not None:
        part = chain_world.call("block_query", block=height, include_transactions=True, cursor=cursor).result
        assert part["transaction_count"] == whole["transaction_count"]
        found, cursor = [*found, *part["transactions"]], part["next_cursor"]
    assert found == whole["transactions"] and len(found) > 3
    for wrong in (-1, len(found) + 1):
        told = chain_world.call("block_query", block=height, include_transactions=True, cursor=wrong)
        assert told.served is Served.ERROR


@pytest.mark.parametrize(
    "arguments", [{"chain": "nowhere"}, {"block": 1, "time": "now"}, {"block": "0x" + "g" * 64}, {"cursor": 1}]
)
def test_wrong_questions_are_told(chain_world: ChainWorld, arguments: dict[str, object]) -> None:
    """An unknown chain, a block and a time at once, what is no hash."""
    assert chain_world.call("block_query", **arguments).error["type"] == "tool_error"
    both = {"block": "0x" + "1" * 64, "time": "now"}
    assert chain_world.call("block_query", **both).error["type"] == "tool_error"


def test_unknown_blocks_are_misses(late: Bench) -> None:
    """A hash that nobody recorded is a miss, not a null."""
    assert late.call("block_query", block="0x" + "12" * 32).served is Served.MISS


def test_what_is_told_in_replay_is_told_by_the_origin(short_economy: ShortEconomy, short_world: FrozenWorld) -> None:
    """Forty calls as a model might make them; of blocks that are there none is a miss."""
    found = judged("block_query", DRAWS["block_query"], short_world, short_economy.origin, 40)
    assert found.wrong == [] and found.answered >= 0.7
    inside = judged("block_query", INSIDE["block_query"], short_world, short_economy.origin, 20, seed=1)
    assert inside.wrong == [] and inside.served["FORK"] == 20

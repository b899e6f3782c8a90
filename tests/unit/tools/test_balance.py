from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from caia_replay.core.tool import Served
from caia_replay.world.clock import utc_text
from tests.anchored import anchored
from tests.tool_draw.onchain import DRAWS, INSIDE
from tests.tool_law import judged
from tests.unit.tools.conftest import Bench

if TYPE_CHECKING:
    from caia_replay.world.world import FrozenWorld
    from tests.chain_world import ChainWorld
    from tests.short_economy import ShortEconomy

BALANCE_OF = "0x70a08231"


def held(chain_world: ChainWorld, holder: str, token: str | None, height: int) -> int:
    """A balance as the living node has it."""
    if token is None:
        return int(chain_world.live("eth_getBalance", holder, hex(height)), 16)
    call = {"to": token, "data": BALANCE_OF + holder[2:].rjust(64, "0")}
    return int(chain_world.live("eth_call", call, hex(height)), 16)


def test_balances_are_what_the_living_node_has(chain_world: ChainWorld) -> None:
    """Coins and tokens of whoever acted, at heights and times up to the moment, however an address is written."""
    dice = Random(5)
    holders = sorted(key for key in chain_world.origin.record.touched if isinstance(key, str))
    for _ in range(120):
        holder, height = dice.choice(holders), dice.randint(1, chain_world.task.anchor.block)
        token = dice.choice([None, *chain_world.origin.tokens])
        written = dice.choice([holder, "0x" + holder[2:].upper(), f" {holder} ", f"'{holder}'"])
        time = chain_world.time(height)
        when = dice.choice([{"block": height}, {"block": hex(height)}, {"time": time}, {"time": utc_text(time + 1)}])
        if when.get("time") and height == chain_world.task.anchor.block:
            when = {}
        shown = chain_world.call("balance_query", address=written, token=token, **when).result
        raw = held(chain_world, holder, token, height)
        assert (shown["address"], shown["token"], shown["block"], shown["raw"]) == (holder, token, height, str(raw))
        assert (shown["decimals"], shown["timestamp"]) == (18, time)
        whole, _, part = shown["amount"].partition(".")
        assert int(whole + part.ljust(18, "0")) == raw


def test_several_addresses_are_one_answer(chain_world: ChainWorld) -> None:
    """In their order, each once, as a list or a text of them; their total is the sum."""
    token, senders = chain_world.origin.tokens[0], chain_world.origin.senders[:4]
    for several in (
        [*senders, senders[0].upper().replace("X", "x")],
        ",".join(senders),
        str(senders).replace("'", '"'),
    ):
        shown = chain_world.call("balance_query", address=several, token=token).result
        wanted = [held(chain_world, sender, token, chain_world.task.anchor.block) for sender in senders]
        assert [(row["address"], int(row["raw"])) for row in shown["balances"]] == list(
            zip(senders, wanted, strict=True)
        )
        assert int(shown["total"]["raw"]) == sum(wanted)
    assert len(chain_world.call("balance_query", address=senders[:1]).result["balances"]) == 1


def test_balances_follow_the_block(late: Bench) -> None:
    """A sender's balance falls by value and fees over a block in which it only sent."""
    for height in range(late.task.anchor.block, late.task.anchor.block - 20, -1):
        block = late.call("block_query", block=height, include_transactions=True).result
        receivers = {item["to"] for item in block["transactions"]} | {block["fee_recipient"]}
        senders = {item["from"] for item in block["transactions"]} - receivers
        for sender in sorted(senders):
            sent = [item for item in block["transactions"] if item["from"] == sender]
            fees = [late.call("transaction_query", hash=item["hash"]).result for item in sent]
            if any(item["status"] == "failed" or item["log_count"] == 0 for item in fees):
                continue
            before, after = (late.call("balance_query", address=sender, block=at).result for at in (height - 1, height))
            spent = sum(int(item["value_wei"]) + int(fee["fee_wei"]) for item, fee in zip(sent, fees, strict=True))
            assert int(before["raw"]) - int(after["raw"]) == spent
            return
    pytest.fail("no block with a plain sender in the last twenty")


def test_unknown_accounts_are_misses(late: Bench) -> None:
    """What is not recorded is a miss, not a zero."""
    assert late.call("balance_query", address="0x" + "12" * 20).served is Served.MISS


@pytest.mark.parametrize(
    "arguments",
    [
        {"address": None},
        {"address": []},
        {"address": "0x12"},
        {"address": ["0x" + f"{at:040x}" for at in range(51)]},
        {"address": "[1"},
        {"token": "0x" + "99" * 20},
        {"token_id": 5},
        {"token_id": 5, "token": "TOKEN"},
        {"token_id": "1.5", "token": "TOKEN"},
        {"token_id": "0xzz", "token": "TOKEN"},
        {"token_id": -1, "token": "TOKEN"},
        {"token_id": 2**256, "token": "TOKEN"},
        {"block": 3, "time": "now"},
        {"chain": "nowhere"},
        {"time": "2020-01-01"},
    ],
)
def test_wrong_questions_are_told(chain_world: ChainWorld, arguments: dict[str, Any]) -> None:
    """Each with words; no account, no code and no such kind of token read as nothing held."""
    asked = {"address": chain_world.origin.senders[0]} | arguments
    if asked.get("token") == "TOKEN":
        asked["token"] = chain_world.origin.tokens[0]
    reply = chain_world.call("balance_query", **asked)
    assert reply.served is Served.ERROR and reply.error["message"]


def test_an_nft_has_an_owner(short_world: FrozenWorld, short_economy: ShortEconomy) -> None:
    """The owner of every token of a collection is the receiver of its last movement, at any height; counts add up."""
    folder = short_world.folder
    bench, chain = Bench(short_world, anchored(folder, 100).id), short_economy.where.main_chain
    tables = short_world.snapshots[chain]
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


def test_what_is_told_in_replay_is_told_by_the_origin(short_economy: ShortEconomy, short_world: FrozenWorld) -> None:
    """Forty calls as a model might make them; of a whole chain's accounts and listed coins none is a miss."""
    found = judged("balance_query", DRAWS["balance_query"], short_world, short_economy.origin, 40)
    assert found.wrong == [] and found.answered >= 0.7
    inside = judged("balance_query", INSIDE["balance_query"], short_world, short_economy.origin, 25, seed=1)
    assert inside.wrong == [] and inside.served["MISS"] == 0 and inside.answered >= 0.9

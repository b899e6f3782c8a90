"""The real suite: questions about Ethereum mainnet block 22244135, answered from the block alone."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.suite import Suite, SuiteEntry
from caia_replay.runner.plan import make_plan
from caia_replay.runner.replay import replay
from caia_replay.store.world_folder import open_world, save_task, save_world, seal_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.validation.lint import lint
from caia_replay.validation.verify import verify_suite
from caia_replay.world.world import FrozenWorld
from tests import trajectories

pytestmark = pytest.mark.real
POOL = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640"
"""Uniswap's USDC/ETH pool on mainnet, which no transaction of the block touched."""


def run(world: Path, out: Path, runs: int = 1) -> dict[str, Any]:
    folder = open_world(str(world))
    plan = make_plan(folder, arms=("clean",), model="policy/oracle", runs=runs)
    done = replay(plan, folder, out, workers=1, resume=False, replace=False)
    return done.summaries[0]


@pytest.mark.check
def test_every_answerable_question_is_solved_by_its_gold_chain(real_block: Path) -> None:
    """All gold chains end in the accepted answer, and the world lints clean."""
    outcomes = list(verify_suite(open_world(str(real_block))))
    assert len(outcomes) >= 12
    assert [outcome for outcome in outcomes if not outcome.solved] == []
    assert list(lint(real_block)) == []


@pytest.mark.check
def test_the_oracle_scores_every_question_through_the_agent(real_block: Path, tmp_path: Path) -> None:
    """By way of the agent loop and the openai client the oracle gets every question right, without a miss."""
    summary = run(real_block, tmp_path / "run")
    assert (summary["pass_at_1"], summary["majority"], summary["served"]["MISS"]) == (1.0, 1.0, 0)
    assert summary["comparable_to_published_caia"] is False


def test_the_suites_answers_are_the_raw_blocks(real_block: Path, real_data: Path) -> None:
    """Answers in the suite equal what the raw replies say, computed here without any tool."""
    block, receipts = (load(real_data, name) for name in ("block", "receipts"))
    usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
    transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
    moved = [
        int(log["data"], 16)
        for receipt in receipts
        for log in receipt["logs"]
        if (log["address"], log["topics"][0]) == (usdc, transfer)
    ]
    prices = [int(receipt["effectiveGasPrice"], 16) for receipt in receipts]
    truth = {
        "block-transactions": Fraction(len(block["transactions"])),
        "block-gas": Fraction(int(block["gasUsed"], 16)),
        "block-gas-price": Fraction(sum(prices), len(prices)) / 10**9,
        "block-senders": Fraction(len({item["from"] for item in block["transactions"]})),
        "usdc-transfer-count": Fraction(len(moved)),
        "usdc-transfer-sum": Fraction(sum(moved), 10**6),
    }
    folder = open_world(str(real_block))
    assert {name: Fraction(folder.task(name).answer.values[0]) for name in truth} == truth


@pytest.mark.check
def test_a_question_outside_the_block_ends_in_a_typed_miss(real_block: Path, tmp_path: Path) -> None:
    """A pool whose code is absent gives a miss: told to the model, counted, and never an answer."""
    root = tmp_path / "copy"
    shutil.copytree(real_block.parent.parent, root)
    world = root / "cassettes" / real_block.name
    folder = open_world(str(world))
    call = GoldStep("data_query", {"contract": POOL, "function": "liquidity()(uint128)", "arguments": ()})
    question = "How much liquidity does Uniswap's USDC/ETH pool hold in range?"
    asked = replace(folder.task("token-supply"), id="pool", question=question, gold=GoldChain((call,), "$1.values.0"))
    save_task(world, asked)
    save_world(world, folder.info, Suite("real-22244135", "1", (SuiteEntry("pool", "2026-11-20"),)))
    for other in folder.suite.active():
        shutil.rmtree(world / "tasks" / other)
    seal_world(world)
    summary = run(world, tmp_path / "run", runs=2)
    assert (summary["served"]["MISS"], summary["pass_at_1"], summary["accuracy_bounds"]) == (
        2,
        0.0,
        {"lower": 0.0, "upper": 1.0},
    )
    record = trajectories.record(tmp_path / "run" / "clean-tools", "pool")
    (step,) = [step for step in record["steps"] if step["kind"] == "tool"]
    assert step["missed"]["type"] == "not_recorded"
    assert (record["answer"], record["stop"]) == (None, "no_answer")


def test_a_reconstructed_header_shows_only_what_is_recorded(real_block: Path) -> None:
    """Of the parent block number and hash are facts; what was computed to start a fork is not shown."""
    folder = open_world(str(real_block))
    with FrozenWorld(folder) as world:
        tools = WorldToolset(world.task(folder.task("block-gas")))
        shown = tools.call("block_query", '{"block": 22244134}').result
        assert shown is not None
        assert shown["hash"] == tools.call("block_query", '{"block": 22244135}').result["parent_hash"]
        assert {"timestamp", "gas_limit", "transactions"} <= set(shown["unavailable"])
        assert not {"timestamp", "gas_limit", "transaction_count"} & shown.keys()


def load(real_data: Path, name: str) -> Any:
    content = json.loads((real_data / "mainnet-22244135" / f"{name}.json").read_bytes())
    return content["result"] if isinstance(content, dict) and "result" in content else content

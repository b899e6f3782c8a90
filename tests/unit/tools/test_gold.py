from __future__ import annotations

from typing import TYPE_CHECKING

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.tool import Served
from caia_replay.tools.gold import run_gold

if TYPE_CHECKING:
    from tests.unit.tools.conftest import Bench


def test_a_chain_runs_to_its_answer(late: Bench) -> None:
    """Steps feed later steps, and the result expression makes the answer."""
    chain = GoldChain(
        (GoldStep("block_query", {"block": None}), GoldStep("block_query", {"block": "= $1.number - 1"})),
        "$1.number - $2.number",
    )
    run = run_gold(chain, late.tools)
    assert (run.answer, run.fault, [reply.served for reply in run.replies]) == ("1", "", [Served.FORK, Served.FORK])


def test_a_miss_ends_the_chain_without_an_answer(late: Bench) -> None:
    """What the world lacks breaks a chain at that step; nothing is guessed."""
    chain = GoldChain((GoldStep("balance_query", {"address": "0x" + "12" * 20}),), "$1.amount")
    run = run_gold(chain, late.tools)
    assert run.answer is None
    assert "step 1 (balance_query) was MISS" in run.fault


def test_a_broken_reference_names_its_step(late: Bench) -> None:
    """A reference to a field that is not there says where and what is near."""
    run = run_gold(GoldChain((GoldStep("block_query", {"block": None}),), "$1.gas_usd"), late.tools)
    assert run.answer is None
    assert "nearest: gas_used" in run.fault

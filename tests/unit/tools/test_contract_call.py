from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from caia_replay.errors import ToolError
from caia_replay.tools.call_view import CallView
from caia_replay.tools.contract_call import told_allowance, told_call, told_slot
from caia_replay.tools.signature import parse_signature

if TYPE_CHECKING:
    from tests.chain_world import ChainWorld
    from tests.unit.tools.conftest import Bench

ALLOWANCE = "allowance(address,address)(uint256)"


def supply_step(late: Bench) -> Any:
    folder = late.world.world.folder
    steps = (step for name in folder.suite.active() for step in folder.task(name).gold.steps)
    return next(step for step in steps if "totalSupply" in str(step.arguments.get("function")))


def test_an_allowance_is_the_functions_own_value(chain_world: ChainWorld) -> None:
    """It reads allowance(owner, spender) and takes two addresses, nothing else."""
    view, token = CallView(chain_world.world), chain_world.origin.tokens[0]
    people = [chain_world.live("eth_getTransactionByHash", chain_world.past()[0][0])["from"], token]
    called = told_call(view, "origin", token, parse_signature(ALLOWANCE), people, 20)
    told = told_allowance(view, "origin", token, people, 20)
    assert (told["raw"], told["owner"], told["spender"]) == (called["values"][0], *people)
    assert told["unlimited"] is False
    for wrong in ([], people[:1], [*people, "x"], [1, 2], ["0x12", token]):
        with pytest.raises(ToolError):
            told_allowance(view, "origin", token, wrong, 20)


def test_values_have_the_names_that_their_types_give(late: Bench) -> None:
    """A name in the signature is told beside its value, null where it gives none."""
    step, view = supply_step(late), CallView(late.world)
    signature = parse_signature("totalSupply() view returns (uint256 supply)")
    told = told_call(
        view, late.task.anchor.chain, str(step.arguments["contract"]), signature, [], late.task.anchor.block
    )
    assert told["names"] == ["supply"] and told["function"] == "totalSupply()"


def test_a_slot_is_the_living_nodes_own(chain_world: ChainWorld) -> None:
    """At several blocks and in any spelling of its number; what is none is told."""
    view, token = CallView(chain_world.world), chain_world.origin.tokens[0]
    for slot in ("0x2", "2", "0x" + "0" * 63 + "2", " 0x02 "):
        for block in (5, 20):
            told = told_slot(view, "origin", token, slot, block)
            assert told["value"] == chain_world.live("eth_getStorageAt", token, "0x2", hex(block))
            assert (told["slot"], told["block"]) == ("0x" + "0" * 63 + "2", block)
    for wrong in ("", "x", "0x" + "f" * 65, "9" * 78, "-1"):
        with pytest.raises(ToolError, match="no storage slot"):
            told_slot(view, "origin", token, wrong, 5)

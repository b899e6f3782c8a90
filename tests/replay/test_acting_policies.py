"""Tasks carried out by policies without a model, on a copy of the shipped economy's main chain, under every agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import pytest

from caia_replay.agents.resolve import AGENTS, resolve_agent
from caia_replay.core.agent import Budget
from caia_replay.core.execution import Sent
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.core.suite import ChainRecipe, Recipe, RecipeAct
from caia_replay.core.task import Task
from caia_replay.models.resolve import resolve_model
from caia_replay.store.plain import build, thawed
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.validation.conditions import recipe_faults
from caia_replay.world.world import FrozenWorld
from tests.execution_task import DOLLAR, LATE, OWNER, ROUTER, STORAGE, SWAP, WORLD, ask, task_in

pytestmark = pytest.mark.check

POOL: Final = "0xabf998c5d3870e6b907af05f7c1936e7f574f76e"
"""Of dollars and the storage token."""
APPROVE: Final = "approve(address,uint256)"
SPENT: Final = 1_234_500_000
RECIPE: Final = Recipe(
    question=r"Buy for (?P<amount>[\d,.]+) of (?P<dollar>0x\w+) at (?P<router>0x\w+) with (?P<owner>0x\w+)",
    query="q",
    pattern=r"(?P<answer>0x\w+)",
    chain=ChainRecipe(
        "data_query", {"contract": POOL, "function": "token0()(address)"}, r'"values":\["(?P<answer>0x\w+)'
    ),
    acts=(
        RecipeAct(
            "send_transaction",
            {"to": "{dollar}", "function": APPROVE, "arguments": ["{router}", "= {amount} * 1000000"]},
        ),
        RecipeAct(
            "send_transaction",
            {
                "to": "{router}",
                "function": SWAP,
                "arguments": ["= {amount} * 1000000", "0", ["{dollar}", "{answer}"], "{owner}", LATE],
            },
        ),
    ),
)
GOLD: Final = GoldChain(
    (
        GoldStep("data_query", {"contract": POOL, "function": "token0()(address)"}),
        GoldStep(
            "send_transaction",
            {"to": DOLLAR, "function": APPROVE, "arguments": [ROUTER, "= 1234.5 * 1000000"]},
        ),
        GoldStep(
            "send_transaction",
            {
                "to": ROUTER,
                "function": SWAP,
                "arguments": ["= 1234.5 * 1000000", "0", [DOLLAR, "$1.values.0"], OWNER, LATE],
            },
        ),
    ),
    "$1.values.0",
)


@pytest.fixture(scope="module")
def world() -> Iterator[FrozenWorld]:
    """The shipped world."""
    with FrozenWorld(open_world(str(WORLD))) as made:
        yield made


def carried_out(
    world: FrozenWorld, agent: str, policy: str, recipe: Recipe = RECIPE
) -> tuple[str | None, tuple[Sent, ...], Mapping[str, Any]]:
    """The answer, what was sent, and the wallet's state at the end."""
    task = asked(world)
    model = resolve_model(f"policy/{policy}", {})
    brief = PolicyHints(task.question, recipe, task.gold if model.needs_gold else None, "address")
    with WorldToolset(world.task(task)) as tools:
        session = model.session(RunKey(task.id, "clean", "tools", agent, 1), brief)
        run = resolve_agent(agent).run(task.question, session, tools, Budget())
        state = ask(tools, "wallet_state", tokens=[DOLLAR, STORAGE]).shown()
        sent = tools.sent
    model.close()
    return run.answer, sent, state


def asked(world: FrozenWorld) -> Task:
    """The task, its question in the recipe's words."""
    question = f"Buy for 1,234.5 of {DOLLAR} at {ROUTER} with {OWNER}."
    return replace(task_in(world), question=question, gold=GOLD)


@pytest.mark.parametrize("agent", AGENTS)
def test_chain_only_and_oracle_send_the_same_transactions(world: FrozenWorld, agent: str) -> None:
    """What the chain tells is bought, whichever agent sends it, by the recipe's acts as by the gold steps."""
    acted, known = (carried_out(world, agent, policy) for policy in ("chain-only", "oracle"))
    assert acted == known
    answer, sent, state = acted
    assert (answer, [one.to for one in sent]) == (STORAGE, [DOLLAR, ROUTER])
    dollars, bought = (int(one["raw"]) for one in state["tokens"])
    with WorldToolset(world.task(asked(world))) as untouched:
        before = [int(one["raw"]) for one in ask(untouched, "wallet_state", tokens=[DOLLAR, STORAGE]).shown()["tokens"]]
    assert before[0] - dollars == SPENT and bought > before[1]


def test_acting_ends_with_the_first_act_that_fails(world: FrozenWorld) -> None:
    """A payment of more than there is would revert: nothing is sent after it, and the answer is submitted."""
    much = RecipeAct("send_transaction", {"to": "{answer}", "value": "= {amount} * 1000000 * 1000000000000000000"})
    answer, sent, _ = carried_out(world, "react", "chain-only", replace(RECIPE, acts=(much, *(RECIPE.acts or ()))))
    assert (answer, sent) == (STORAGE, ())


def test_the_recipe_is_sound_and_survives_its_file(world: FrozenWorld) -> None:
    """Lint finds nothing in it, and it reads back as it was written, its lists frozen."""
    task = asked(world)
    assert list(recipe_faults(RECIPE, task)) == []
    read = build(Recipe, thawed(RECIPE), "suite.toml")
    assert thawed(read) == thawed(RECIPE)
    assert carried_out(world, "react", "chain-only", read) == carried_out(world, "react", "chain-only")

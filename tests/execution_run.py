"""What a wallet does in a run that a test plays, by calls or by a script, and the nodes that it does it on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from caia_replay.agents.resolve import resolve_agent
from caia_replay.core.agent import Budget
from caia_replay.core.execution import Sent
from caia_replay.core.gold import GoldStep
from caia_replay.core.task import Task
from caia_replay.models.policies.conversation import Wire, answer_message, call_message, parameters_of, tool_results
from caia_replay.models.policy import PolicyModel
from caia_replay.runner.episode import EpisodeContext
from caia_replay.runner.plan import Cell, make_plan
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.chain_copy import ChainCopies
from caia_replay.world.world import NO_OVERLAY, FrozenWorld
from tests.execution_task import send


def sent_by(world: FrozenWorld, task: Task, *steps: GoldStep) -> tuple[Sent, ...]:
    """What the wallet sent, when its node has ended."""
    with WorldToolset(world.task(task)) as tools:
        for step in steps:
            assert send(tools, step).error is None
    return tools.sent


def copies_of(tools: WorldToolset) -> ChainCopies:
    """The chains that a run's wallet acts on."""
    found = tools._session._copies
    assert found is not None
    return found


class Saying:
    """A script that says the same in every turn: its calls, one a turn, then its answer."""

    def __init__(self, words: str, *calls: tuple[str, Mapping[str, Any]]) -> None:
        self._words = words
        self._calls = calls

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """The next call, or the answer."""
        done = len(tool_results(messages))
        if done == len(self._calls):
            return answer_message(self._words)
        name, arguments = self._calls[done]
        made = call_message(name, arguments, parameters_of(tools, name) or {}, done + 1)
        return {**made, "content": self._words}


def played(world: FrozenWorld, task: Task, script: Saying) -> dict[str, Any]:
    """A whole run, graded."""
    plan = make_plan(world.folder, arms=("clean",), model="policy/saying", runs=1)
    model = PolicyModel("policy/saying", lambda brief, key: script)
    stage = EpisodeContext(plan, world, model, resolve_agent("react"), {"clean": NO_OVERLAY}, Budget())
    try:
        return stage.run(task, Cell("clean", "tools"), 1)
    finally:
        model.close()

"""A model and an agent that play one task while it is recorded, so that its world covers what agents ask."""

from __future__ import annotations

from collections.abc import Mapping

from caia_replay.agents.resolve import resolve_agent
from caia_replay.core.agent import Budget
from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.core.suite import Suite
from caia_replay.core.task import Task
from caia_replay.core.tool import Toolset
from caia_replay.core.trajectory import Trajectory
from caia_replay.models.resolve import resolve_model
from caia_replay.runner.episode import asked


class PoolPlayer:
    """Plays ``task`` once with the model and the agent of these names.

    Raises ``BadInput`` for a name that is none, or a key that is missing.
    """

    def __init__(
        self, task: Task, suite: Suite, model: str, agent: str, environ: Mapping[str, str], budget: Budget, attempt: int
    ) -> None:
        self.name = f"{agent}+{model}#{attempt}"
        self._task, self._budget, self._attempt = task, budget, attempt
        self._model, self._agent = resolve_model(model, environ, seed=attempt), resolve_agent(agent)
        self._recipe = suite.recipes.get(task.shape)

    def play(self, toolset: Toolset) -> Trajectory:
        """One run; its score is nobody's business here."""
        task = self._task
        gold = task.gold if self._model.needs_gold else None
        brief = PolicyHints(task.question, self._recipe, gold, task.answer.kind, task.answer.unit)
        key = RunKey(task.id, "clean", "tools", self._agent.name, self._attempt)
        session = self._model.session(key, brief)
        try:
            return self._agent.run(asked(task), session, toolset, self._budget)
        finally:
            session.close()

    def close(self) -> None:
        """Let go of the model's connections."""
        self._model.close()

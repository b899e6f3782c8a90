"""A name to its agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from caia_replay.agents.caia import CaiaAgent
from caia_replay.agents.external import EXTERNAL_AGENT, ExternalAgent
from caia_replay.agents.own_agent import OwnAgent
from caia_replay.agents.plan_execute import PlanExecuteAgent
from caia_replay.agents.react import ReactAgent
from caia_replay.agents.scaffold import Scaffold
from caia_replay.agents.text_react import TextReactAgent
from caia_replay.core.agent import Agent
from caia_replay.errors import BadInput, nearest

_KINDS: tuple[type[Scaffold], ...] = (ReactAgent, CaiaAgent, PlanExecuteAgent, TextReactAgent)
AGENTS: Mapping[str, Callable[[], Agent]] = MappingProxyType({kind.name: kind for kind in _KINDS})
"""The default agent first."""


def resolve_agent(name: str) -> Agent:
    """The agent called ``name``, or the class that "module:Class" names. Raises ``BadInput`` with the nearest name."""
    if ":" in name:
        return OwnAgent(name)
    if name == EXTERNAL_AGENT:
        return ExternalAgent()
    if name not in AGENTS:
        raise BadInput(
            f"no agent {name!r}",
            where="agent",
            nearest=nearest(name, AGENTS),
            next_command=f"--agent {' | '.join(sorted(AGENTS))}, or MODULE:CLASS for one of your own",
        )
    return AGENTS[name]()

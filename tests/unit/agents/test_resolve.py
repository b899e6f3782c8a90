"""Names to agents."""

from __future__ import annotations

import pytest

from caia_replay.agents.resolve import AGENTS, resolve_agent
from caia_replay.errors import BadInput


def test_every_agent_bears_its_name() -> None:
    """What is asked for by a name says that name, and has a prompt digest."""
    for name in AGENTS:
        agent = resolve_agent(name)
        assert agent.name == name and agent.prompt_digest.startswith("sha256:")


def test_a_misspelt_agent_names_the_nearest() -> None:
    """One line with the nearest name and what to type."""
    with pytest.raises(BadInput, match=r"nearest: react; next: --agent react"):
        resolve_agent("raect")

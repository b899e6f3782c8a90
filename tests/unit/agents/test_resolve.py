"""Names to agents."""

from __future__ import annotations

import pytest

from caia_replay.agents.resolve import AGENTS, resolve_agent
from caia_replay.errors import BadInput


def test_there_are_four_and_the_default_is_first() -> None:
    """The names that commands and papers use."""
    assert tuple(AGENTS) == ("react", "caia", "plan-execute", "text-react")


def test_every_agent_bears_its_name() -> None:
    """What is asked for by a name says that name, and has prompts of its own."""
    agents = [resolve_agent(name) for name in AGENTS]
    assert [agent.name for agent in agents] == list(AGENTS)
    digests = {agent.prompt_digest for agent in agents}
    assert len(digests) == len(AGENTS) and all(digest.startswith("sha256:") for digest in digests)


@pytest.mark.parametrize(("typed", "meant"), [("raect", "react"), ("plan_execute", "plan-execute"), ("CAIA ", "")])
def test_a_misspelt_agent_names_the_nearest(typed: str, meant: str) -> None:
    """One line with the nearest name, where there is one, and what to type."""
    with pytest.raises(BadInput) as told:
        resolve_agent(typed)
    assert told.value.nearest == meant
    assert str(told.value).endswith("next: --agent caia | plan-execute | react | text-react")

"""An external agent: a program that plays through ``caia-replay serve tools``, with a model that nobody here sees.

The answer contract: the run's answer is what the program submits, or what follows ``FINAL ANSWER:`` on the last line of
it. What it submits is the run's one model turn, of tokens that nobody has counted.
"""

from __future__ import annotations

from typing import Final, cast

from caia_replay.agents.answer import final_answer
from caia_replay.agents.own_agent import UNSIGNED
from caia_replay.agents.run import Ended, Run, play
from caia_replay.core.agent import Budget
from caia_replay.core.message import Message
from caia_replay.core.model import ClientSession, ModelSession
from caia_replay.core.tool import ToolReply, Toolset
from caia_replay.core.trajectory import Trajectory

EXTERNAL_AGENT: Final = "external"
MOST_REFUSED: Final = 20
"""Calls beyond the budget that are answered with an error: as many as a program may have on their way at once."""


class ExternalAgent:
    """Does what its session's client asks. One instance serves any number of runs at once."""

    name = EXTERNAL_AGENT
    version = ""
    prompt_digest = UNSIGNED

    def run(self, question: str, session: ModelSession, toolset: Toolset, budget: Budget) -> Trajectory:
        """Run one question to its end, as ``Scaffold.run``. ``session`` is a ``ClientSession``."""
        client = cast(ClientSession, session)
        return play(lambda run: _follow(client, run, question), session, toolset, budget)


def _follow(client: ClientSession, run: Run, question: str) -> None:
    run.prompt = (Message("user", question),)
    client.open(question, run.toolset.specs())
    reply: ToolReply | None = None
    while (call := client.next_call(reply)) is not None:
        if len(run.steps) - run.calls >= MOST_REFUSED:
            raise Ended("call_budget", detail=f"no answer within {run.calls} tool calls")
        reply = run.call(call).reply
    said = run.ask(tools=False).content
    if not said.strip():
        raise Ended("no_answer", detail="what was submitted is empty")
    raise Ended("answered", final_answer(said) or said.strip())

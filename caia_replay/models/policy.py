"""A policy as a model: scripted, but asked through the openai client like any live model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from caia_replay.core.message import Message
from caia_replay.core.model import Completion, PolicyHints, Price, RunKey
from caia_replay.core.tool import ToolSpec
from caia_replay.models.chat_session import ChatSession
from caia_replay.models.openai_compatible import OpenAICompatibleModel
from caia_replay.models.policies.conversation import Policy
from caia_replay.models.policies.scaffold_adapter import in_dialect_of
from caia_replay.models.policies.transport import PolicyTransport

_NOWHERE = "http://policy.invalid/v1"


Script = Callable[[PolicyHints, RunKey], Policy]
"""What makes one run's policy; equal briefs and runs give equal ones."""


def for_every_run(policy: Callable[[PolicyHints], Policy]) -> Script:
    """The script of a deterministic policy: whatever the run, it knows the brief alone."""
    return lambda brief, key: policy(brief)


def seeded(policy: Callable[[PolicyHints, RunKey, int], Policy], seed: int) -> Script:
    """The script of a stochastic policy, all of whose chance comes from ``seed``."""
    return lambda brief, key: policy(brief, key, seed)


class PolicyModel:
    """Runs one kind of policy; a new script per session, one client for all of them."""

    is_policy = True
    price: Price | None = None

    def __init__(self, name: str, script: Script, *, needs_gold: bool = False) -> None:
        self.name = name
        self.needs_gold = needs_gold
        self._script = script
        self._transport = PolicyTransport()
        self._chat = OpenAICompatibleModel(name, _NOWHERE, "no-key-needed", transport=self._transport, max_retries=0)

    def session(self, key: RunKey, brief: PolicyHints) -> PolicySession:
        """A run's script. Raises ``BadInput`` when the brief's recipe is malformed or does not fit the question."""
        headers = self._transport.open(in_dialect_of(key.agent, self._script(brief, key)))
        return PolicySession(self._chat.open_session(key, headers), self._transport, headers)

    def close(self) -> None:
        """Close the client."""
        self._chat.close()


class PolicySession:
    """One run's conversation with a script."""

    def __init__(self, chat: ChatSession, transport: PolicyTransport, headers: Mapping[str, str]) -> None:
        self._chat = chat
        self._transport = transport
        self._headers = headers

    def complete(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Completion:
        """The script's next message. Raises ``ModelFault`` only if script and client disagree on the protocol."""
        return self._chat.complete(messages, tools)

    def close(self) -> None:
        """Let the script go."""
        self._chat.close()
        self._transport.drop(self._headers)

"""A policy as a model: scripted, but asked through the openai client like any live model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import Lock
from typing import Any

import httpx2

from caia_replay.canonical import canonical_bytes
from caia_replay.core.model import PolicyHints, Price, RunKey
from caia_replay.models.chat_session import ChatSession
from caia_replay.models.openai_compatible import OpenAICompatibleModel
from caia_replay.models.policies.conversation import Policy
from caia_replay.models.policies.scaffold_adapter import in_dialect_of

SESSION_HEADER = "x-caia-replay-session"
CHARACTERS_PER_TOKEN = 4
MOST_SESSIONS = 4_096

_NOWHERE = "http://policy.invalid/v1"


Script = Callable[[PolicyHints, RunKey], Policy]
"""What makes one run's policy; equal briefs and runs give equal ones."""


class PolicyTransport(httpx2.BaseTransport):
    """Serves ``POST .../chat/completions`` from the policy of the session the request names.

    Thread-safe. The newest ``MOST_SESSIONS`` are kept, should nobody drop the others. The reply
    is a pure function of the request: its id is the request body's digest, ``created`` is 0, and usage is
    counted by ``tokens``.
    """

    def __init__(self) -> None:
        self._sessions: dict[str, Policy] = {}
        self._opened = 0
        self._lock = Lock()

    def open(self, policy: Policy) -> Mapping[str, str]:
        """Register a policy; returns the headers that route requests to it."""
        with self._lock:
            self._opened += 1
            session = str(self._opened)
            self._sessions[session] = policy
            self._sessions.pop(str(self._opened - MOST_SESSIONS), None)
        return {SESSION_HEADER: session}

    def drop(self, headers: Mapping[str, str]) -> None:
        """Forget the policy that ``headers`` route to."""
        with self._lock:
            self._sessions.pop(headers[SESSION_HEADER], None)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """One chat completion; 404 with an OpenAI-shaped error for anything else."""
        with self._lock:
            policy = self._sessions.get(request.headers.get(SESSION_HEADER, ""))
        if policy is None or request.method != "POST" or not request.url.path.endswith("/chat/completions"):
            return _reply(404, {"error": {"message": "no such session", "type": "not_found"}})
        data = request.read()
        body = json.loads(data)  # our own client's; the strict reader would take longer than all the rest
        message = policy.respond(body["messages"], body.get("tools", []))
        prompt, answer = tokens(body["messages"]), tokens([message])
        return _reply(
            200,
            {
                "id": "chatcmpl-" + hashlib.sha256(data).hexdigest()[:24],
                "object": "chat.completion",
                "created": 0,
                "model": body["model"],
                "choices": [
                    {
                        "index": 0,
                        "message": message,
                        "logprobs": None,
                        "finish_reason": "tool_calls" if message.get("tool_calls") else "stop",
                    }
                ],
                "usage": {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer},
            },
        )


def tokens(messages: Sequence[Mapping[str, Any]]) -> int:
    """A policy's tokens: one per four characters of content, tool names and arguments, rounded up; tools are free."""
    characters = 0
    for message in messages:
        characters += len(message.get("content") or "")
        for call in message.get("tool_calls") or ():
            characters += len(call["function"]["name"]) + len(call["function"]["arguments"])
    return -(-characters // CHARACTERS_PER_TOKEN)


def _reply(status: int, body: Mapping[str, Any]) -> httpx2.Response:
    return httpx2.Response(status, headers={"content-type": "application/json"}, content=canonical_bytes(body))


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

    @property
    def identity(self) -> Mapping[str, Any]:
        """Its name; a script has no parameters."""
        return {"name": self.name, "parameters": {}}

    def session(self, key: RunKey, brief: PolicyHints) -> ChatSession:
        """A run's script. Raises ``BadInput`` when the brief's recipe is malformed or does not fit the question."""
        headers = self._transport.open(in_dialect_of(key.agent, self._script(brief, key)))
        return self._chat.open_session(key, headers, closed=partial(self._transport.drop, headers))

    def close(self) -> None:
        """Close the client."""
        self._chat.close()

"""A model on this machine: its own llama.cpp server, started when it is first needed and ended with the model.

A server that died or hung ends its run as ``model_fault``, which ``--resume`` plays again; the next run gets a new one.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from caia_replay.core.message import Message
from caia_replay.core.model import Completion, RunKey
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import BadInput, Interrupted, MachineFault, ModelFault
from caia_replay.models.chat_session import ChatSession
from caia_replay.models.local_file import LocalFile
from caia_replay.models.local_server import LocalServer
from caia_replay.models.openai_compatible import OpenAICompatibleModel
from caia_replay.models.parameter import Quirks
from caia_replay.models.wire import messages_to_wire, tool_to_wire

if TYPE_CHECKING:
    import httpx2
    from openai import OpenAI

_NOT_STARTED: Final = "http://127.0.0.1/v1"
_LAST_BREATH_S: Final = 1.0
MOST_STARTS: Final = 4
"""Servers that one command starts for a model: one, and as many more as it may lose."""


class LocalModel(OpenAICompatibleModel):
    """A file of weights behind a server of our own; ``file`` says how it is served."""

    def __init__(self, file: LocalFile, seed: int = 0) -> None:
        settings = file.settings
        quirks = Quirks(
            strict_tools=False,
            max_tokens_parameter="max_tokens",
            max_output_tokens=settings.completion,
            extra_body={"temperature": float(settings.temperature), "cache_prompt": bool(settings.cache)},
        )
        super().__init__(
            file.label,
            _NOT_STARTED,
            secrets.token_hex(16),
            quirks=quirks,
            timeout_s=float(settings.timeout),
            max_retries=0,
            seed=seed,
        )
        self.file = file
        self.at_once = settings.slots
        self._server: LocalServer | None = None
        self._starts = 0
        self._starting = Lock()

    @property
    def identity(self) -> Mapping[str, Any]:
        """Its name, what its requests ask for, the digest of its weights, and how they are served."""
        told = super().identity
        served = {name: value for name, value in asdict(self.file.settings).items() if name != "timeout"}
        about = {"engine": self.file.engine, "sha256": self.file.sha256, "template": "the file's own", "served": served}
        return {**told, "parameters": {**told["parameters"], **about}}

    def server(self) -> LocalServer:
        """The running server, a new one where there is none. Raises ``Interrupted`` once too many are lost."""
        with self._starting:
            if self._server is None or not self._server.alive:
                if self._starts == MOST_STARTS:
                    what = f"the server of {self.name} was lost {MOST_STARTS} times"
                    raise Interrupted(f"{what}; finished runs are kept: the same command with --resume")
                self._starts += 1
                self._server = LocalServer(self.file, self._api_key)
                self.base_url = f"{self._server.url}/v1"
                if self._client is not None:
                    self._client.base_url = self.base_url
            return self._server

    def lose(self, server: LocalServer) -> str:
        """End a server; the next completion starts another. How it had ended before, "" where it had not."""
        end = server.end(_LAST_BREATH_S)
        server.stop()
        return end

    def client(self) -> OpenAI:
        """The one client of this model; its server runs."""
        self.server()
        return super().client()

    def transport(self) -> httpx2.BaseTransport:
        """The way to the server: no proxy of the environment's stands in it."""
        if self._transport is not None:
            return self._transport
        from caia_replay.models.network import NetworkTransport

        return NetworkTransport(timeout_s=self._timeout_s, proxy=None)

    def open_session(
        self, key: RunKey, headers: Mapping[str, str], closed: Callable[[], None] = lambda: None
    ) -> LocalSession:
        """As of any live model."""
        return LocalSession(self, key, headers, closed)

    def prompt_tokens(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> int:
        """How many tokens a request is, counted by the model's own template and vocabulary."""
        server = self.server()
        return server.tokens(server.prompt(_body(messages, tools)))

    def shows_tools(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> bool:
        """Whether the model's template puts offered tools into the prompt. Many small models' drop them in silence."""
        server = self.server()
        return server.prompt(_body(messages, tools)) != server.prompt(_body(messages, ()))

    def close(self) -> None:
        """End the server, and close the client."""
        super().close()
        with self._starting:
            if self._server is not None:
                self._server.stop()


class LocalSession(ChatSession):
    """A run's conversation with a server that may be lost."""

    def __init__(self, model: LocalModel, key: RunKey, headers: Mapping[str, str], closed: Callable[[], None]) -> None:
        super().__init__(model, key, headers, closed)
        self._local = model

    def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], most_tokens: int | None = None
    ) -> Completion:
        """As of any live model; ``ModelFault`` where the server was lost, or wrote for longer than it may."""
        try:
            server = self._local.server()
            return super().complete(messages, tools, most_tokens)
        except MachineFault as fault:
            raise ModelFault("server", str(fault)) from fault
        except (BadInput, ModelFault) as fault:
            reason = fault.reason if isinstance(fault, ModelFault) else "connection"
            if reason not in ("connection", "timeout"):
                raise
            end = self._local.lose(server)
            raise ModelFault(reason, f"the model's server ended by {end}" if end else str(fault)) from fault


def _body(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> dict[str, Any]:
    body: dict[str, Any] = {"messages": messages_to_wire(messages, "system")}
    if tools:
        body["tools"] = [tool_to_wire(spec, strict=False) for spec in tools]
    found: dict[str, Any] = json.loads(json.dumps(body))
    return found

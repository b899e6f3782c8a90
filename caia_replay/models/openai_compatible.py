"""Any server that speaks OpenAI chat completions, through the openai client itself.

The client is imported when the first session opens (it costs the better part of a second) and shared by all
sessions of a model. ``client.post`` is used instead of ``completions.create``: the same client, retries and
parsing, without re-validating 23 tool schemas on every call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from caia_replay.core.message import Message
from caia_replay.core.model import Brief, Completion, RunKey
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import BadInput, EgressRefused, ModelFault, one_line
from caia_replay.models.wire import completion_from_wire, messages_to_wire, tool_to_wire

if TYPE_CHECKING:
    import httpx2
    from openai import OpenAI

OPENAI_BASE_URL = "https://api.openai.com/v1"
SHORTEST_SECRET = 12
"""Characters. Shorter keys ("none", "EMPTY") are what local servers are given, and ordinary words."""


class OpenAICompatibleModel:
    """A live model.

    ``temperature`` is 0 and ``seed`` goes up with the attempt, so that five attempts are five samples. A server
    that refuses one of these two parameters is asked again without it; ``refused_parameters`` says which.
    ``transport`` replaces the network (an ``httpx2.BaseTransport``). ``max_retries`` caps the client's own retries
    of lost connections, 408, 409, 429 and 5xx.
    """

    is_policy = False
    needs_gold = False

    def __init__(
        self,
        name: str,
        base_url: str,
        api_key: str,
        *,
        transport: httpx2.BaseTransport | None = None,
        timeout_s: float = 120.0,
        max_retries: int = 4,
        seed: int = 0,
    ) -> None:
        self.name = name
        self.seed = seed
        self.refused_parameters: frozenset[str] = frozenset()
        self._base_url = base_url
        self._api_key = api_key
        self._transport = transport
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self._client: OpenAI | None = None
        self._lock = Lock()

    def session(self, key: RunKey, brief: Brief) -> ChatSession:
        """A run's conversation; a live model is told nothing of the brief."""
        return self.open_session(key, {})

    def open_session(self, key: RunKey, headers: Mapping[str, str]) -> ChatSession:
        """A conversation whose requests all carry ``headers``."""
        return ChatSession(self, self.seed + key.attempt, headers)

    def client(self) -> OpenAI:
        """The one client of this model, built on first use; safe to share between threads."""
        with self._lock:
            if self._client is None:
                import httpx2
                from openai import OpenAI

                # trust_env off: a proxy from the environment must never sit in front of a given transport.
                http_client = httpx2.Client(transport=self._transport, trust_env=False) if self._transport else None
                self._client = OpenAI(
                    api_key=self._api_key,
                    base_url=self._base_url,
                    timeout=self._timeout_s,
                    max_retries=self._max_retries,
                    http_client=http_client,
                )
            return self._client

    def hide_key(self, text: str) -> str:
        """``text`` without the key, which some servers repeat: what they say is kept in run folders."""
        return text.replace(self._api_key, "***") if len(self._api_key) >= SHORTEST_SECRET else text

    def refuse(self, parameter: str) -> None:
        """Remember that the server knows no such parameter."""
        with self._lock:
            self.refused_parameters |= {parameter}

    def close(self) -> None:
        """Close the client's connections; a later session opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()


class ChatSession:
    """One run's conversation with an OpenAI-compatible server."""

    def __init__(self, model: OpenAICompatibleModel, seed: int, headers: Mapping[str, str]) -> None:
        self._model = model
        self._seed = seed
        self._headers = dict(headers)
        self._turn = 0

    def complete(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Completion:
        """The next assistant message.

        Raises ``ModelFault`` with reason connection (lost, timed out), rate_limit (429 after all retries), server
        (any other error status) or malformed (an answer outside the protocol), and ``BadInput`` for what would end
        every run alike and the user can mend: a rejected key (401, 403), an unknown model or path (404), an address
        where no server answers.
        """
        self._turn += 1
        body: dict[str, Any] = {"model": self._model.name, "messages": messages_to_wire(messages)}
        if tools:
            body["tools"] = [tool_to_wire(spec) for spec in tools]
        while True:
            sent = self._optional()
            completion = self._post(body | sent, frozenset(sent))
            if completion is not None:
                return completion_from_wire(completion, self._turn, hide=self._model.hide_key)

    def _optional(self) -> dict[str, int]:
        wanted = {"temperature": 0, "seed": self._seed}
        return {name: value for name, value in wanted.items() if name not in self._model.refused_parameters}

    def _post(self, body: Mapping[str, Any], optional: frozenset[str]) -> Any:
        """The parsed completion, or None when an optional parameter was refused and left out from now on."""
        import httpx2
        import openai
        from openai.types.chat import ChatCompletion

        client = self._model.client()
        try:
            answer = client.post(
                "/chat/completions", body=body, cast_to=ChatCompletion, options={"headers": self._headers}
            )
        except (openai.AuthenticationError, openai.PermissionDeniedError) as fault:
            raise self._settings("OPENAI_API_KEY", f"the server rejected the key: {self._said(fault)}") from fault
        except openai.NotFoundError as fault:
            what = f"{client.base_url} knows no model {self._model.name!r}: {self._said(fault)}"
            raise self._settings("MODEL or OPENAI_BASE_URL", what) from fault
        except openai.RateLimitError as fault:
            raise ModelFault("rate_limit", f"too many requests: {self._said(fault)}") from fault
        except openai.BadRequestError as fault:
            if fault.param is not None and fault.param in optional:
                self._model.refuse(fault.param)
                return None
            raise ModelFault("server", f"status 400: {self._said(fault)}") from fault
        except openai.APIStatusError as fault:
            raise ModelFault("server", f"status {fault.status_code}: {self._said(fault)}") from fault
        except (openai.APIConnectionError, httpx2.TransportError) as fault:
            cause = fault.__cause__ or fault
            if isinstance(cause, (httpx2.ConnectError, httpx2.UnsupportedProtocol)):
                what = f"no server answers at {client.base_url}: {self._said(cause)}"
                raise self._settings("OPENAI_BASE_URL", what) from fault
            reason = "malformed" if isinstance(cause, httpx2.DecodingError) else "connection"
            raise ModelFault(reason, f"{client.base_url}: {self._said(cause)}") from fault
        except EgressRefused as fault:  # the address itself is let through: the server sends its callers elsewhere
            raise ModelFault("connection", f"{client.base_url} redirects: {self._said(fault)}") from fault
        except (openai.OpenAIError, httpx2.HTTPError, ValueError, RecursionError) as fault:
            raise ModelFault("malformed", f"the answer is no completion: {self._said(fault)}") from fault
        if not isinstance(answer, ChatCompletion):
            raise ModelFault("malformed", f"the answer is no JSON object: {self._said(answer)}")
        return answer

    def _said(self, fault: object) -> str:
        return one_line(self._model.hide_key(str(fault)))[:300]

    @staticmethod
    def _settings(where: str, what: str) -> BadInput:
        return BadInput(what, where=where, next_command="set it right, then add --resume: finished runs are kept")

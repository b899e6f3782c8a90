"""One run's conversation with an OpenAI-compatible server: ask, ask again where that helps, read, or say why not."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Protocol

from caia_replay.canonical import require_shallow
from caia_replay.core.message import Message
from caia_replay.core.model import Completion, RunKey
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import BadInput, ModelFault, one_line
from caia_replay.models.address import shown_address, without_place
from caia_replay.models.endpoint_error import EndpointError
from caia_replay.models.parameter import Quirks, optional_fields, refused_name, strict_tools, system_role
from caia_replay.models.request_limit import RequestLimit, RequestTurn
from caia_replay.models.retry import Patience, Retries, retry_after_s
from caia_replay.models.session_header import RUN_HEADER, TURN_HEADER, run_text
from caia_replay.models.stream import assemble, looks_like_stream
from caia_replay.models.wire import (
    BYTES_PER_TOKEN,
    completion_from_wire,
    estimated_usage,
    messages_to_wire,
    prompt_bytes,
    tool_to_wire,
)

if TYPE_CHECKING:
    import httpx2
    from openai import OpenAI

LONGEST_SAID = 300
"""Characters of a server's own words that are kept."""


class ChatEndpoint(Protocol):
    """What a conversation must know of its model; ``OpenAICompatibleModel`` tells what each part means."""

    api_name: str
    base_url: str
    key_variable: str
    keyed: bool
    limit: RequestLimit
    max_retries: int
    patience: Patience
    quirks: Quirks
    refused_parameters: frozenset[str]
    seed: int

    def client(self) -> OpenAI:
        """The openai client to ask with."""
        ...

    def hide_key(self, text: str) -> str:
        """``text`` without the key."""
        ...

    def refuse(self, parameter: str) -> None:
        """Remember that the server will not have this parameter."""
        ...


class _NoServer(ModelFault):
    """Nobody answers at the endpoint's own address."""


class _Astray(ModelFault):
    """The endpoint sends its callers elsewhere, in a circle or to where they may not go: it will again."""


class ChatSession:
    """One run's conversation; turns are counted from 1."""

    def __init__(
        self, model: ChatEndpoint, key: RunKey, headers: Mapping[str, str], closed: Callable[[], None]
    ) -> None:
        self._model = model
        self._limit = model.limit
        self._closed = closed
        self._seed = model.seed + key.attempt
        self._headers = dict(headers)
        if model.keyed:
            self._headers[RUN_HEADER] = run_text(key)
        self._turn = 0
        self._call_ids: set[str] = set()
        self._told: tuple[tuple[ToolSpec, ...], bool] = ((), False)
        self._told_json = b"[]"

    def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], most_tokens: int | None = None
    ) -> Completion:
        """The next assistant message; ``most_tokens`` goes out as the limit on what the server may write.

        Raises ``ModelFault`` with the reason of the last try: connection (lost), timeout (no whole answer in time),
        rate_limit (429), context_overflow, server (any other error) or malformed (an answer outside the protocol),
        and ``BadInput`` for what would end every run alike and the user can mend: a rejected key (401, 403), an
        account without credit, an unknown model or path (404), an address where no server answers.
        """
        self._turn += 1
        retries = Retries(self._model.patience, self._model.max_retries)
        while True:
            refused = self._model.refused_parameters
            try:
                return self._ask(messages, tools, refused, most_tokens)
            except EndpointError as fault:
                name = refused_name(fault, self._model.quirks, refused, tools=bool(tools), most_tokens=most_tokens)
                if name is not None:
                    self._model.refuse(name)
                elif not fault.passes or not retries.again("server", fault.retry_after_s):
                    return self._last_word(fault, messages, tools)
            except ModelFault as fault:
                lost = fault.reason in ("connection", "timeout") and not isinstance(fault, _Astray)
                if lost and retries.again(fault.reason):
                    continue
                if isinstance(fault, _NoServer):
                    what = f"no server answers at {shown_address(self._model.base_url)}: {fault}"
                    raise self._settings("OPENAI_BASE_URL", what) from fault
                raise

    def close(self) -> None:
        """The run is over; the client is the model's, and stays."""
        self._closed()

    def _ask(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], refused: Set[str], most_tokens: int | None
    ) -> Completion:
        quirks = self._model.quirks
        body: dict[str, Any] = {
            "model": self._model.api_name,
            "messages": messages_to_wire(messages, system_role(quirks, refused)),
        }
        fields = optional_fields(quirks, self._seed, refused, most_tokens)
        if not tools:
            fields.pop("parallel_tool_calls", None)  # refused without tools
        data = _json(body | fields)
        if tools:
            data = b'%s,"tools":%s}' % (data[:-1], self._tools_json(tools, strict_tools(quirks, refused)))
        with self._limit.request(len(data) // BYTES_PER_TOKEN) as turn:
            reply = self._post(data, turn)
            try:
                completion = completion_from_wire(
                    self._read(reply),
                    self._turn,
                    hide=self._model.hide_key,
                    taken=self._call_ids,
                    prompt_bytes=lambda: prompt_bytes(messages, tools),
                )
            except ModelFault:  # it was written, and is paid for, whether it can be read or not
                turn.used(estimated_usage(prompt_bytes(messages, tools), (reply.text,)))
                raise
            turn.used(completion.usage)
        return completion

    def _tools_json(self, tools: Sequence[ToolSpec], strict: bool) -> bytes:
        """The ``tools`` array; a run is mostly offered the same ones every turn, and they are most of a request."""
        if (items := (tuple(tools), strict)) != self._told:
            self._told = items
            self._told_json = _json([tool_to_wire(spec, strict=strict) for spec in tools])
        return self._told_json

    def _post(self, data: bytes, turn: RequestTurn) -> httpx2.Response:
        """The whole reply of one try, its status below 400; ``turn`` is told the status."""
        import httpx2
        import openai

        client = self._model.client()
        headers = self._headers | {TURN_HEADER: str(self._turn)} if self._model.keyed else self._headers
        try:
            reply = client.post(
                "/chat/completions", content=data, cast_to=httpx2.Response, options={"headers": headers}
            )
            turn.answered(reply.status_code)
            return reply
        except openai.APIStatusError as fault:
            reply = fault.response
            turn.answered(reply.status_code)
            raise EndpointError(reply.status_code, reply.content, retry_after_s(reply.headers)) from fault
        except (openai.APIConnectionError, httpx2.HTTPError) as fault:
            raise self._lost(fault.__cause__ or fault) from fault
        except (openai.OpenAIError, ValueError, RecursionError, OverflowError) as fault:
            raise ModelFault("malformed", f"the answer is no completion: {self._told_by(fault)}") from fault

    def _lost(self, cause: BaseException) -> ModelFault:
        import httpx2

        if isinstance(cause, httpx2.TimeoutException):
            return ModelFault("timeout", f"no whole answer in time: {self._told_by(cause)}")
        if isinstance(cause, (httpx2.TooManyRedirects, httpx2.UnsupportedProtocol)):
            return _Astray("connection", f"the endpoint redirects: {self._told_by(cause)}")
        if isinstance(cause, httpx2.ConnectError):
            return _NoServer("connection", self._told_by(cause))
        return ModelFault("connection", f"the endpoint: {self._told_by(cause)}")

    def _read(self, reply: httpx2.Response) -> Mapping[str, Any]:
        """The completion's JSON, whichever way it came: by the reply's own type, not by what was asked for."""
        body = reply.content
        if looks_like_stream(reply.headers.get("content-type", ""), body):
            found: Any = assemble(body)
        else:
            try:
                require_shallow(body)
                found = json.loads(body)
            except (ValueError, RecursionError) as fault:
                raise ModelFault("malformed", f"the answer is no completion: {self._said(fault)}") from fault
        if not isinstance(found, dict):
            raise ModelFault("malformed", f"the answer is no JSON object: {self._said(repr(found))}")
        if found.get("error") and not found.get("choices"):
            raise EndpointError(200, found, retry_after_s(reply.headers))
        return found

    def _last_word(self, fault: EndpointError, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Completion:
        said, model = self._said(fault.message), self._model
        if fault.retry_after_s is not None and fault.retry_after_s > model.patience.longest_s:
            said += f" (it asks for a wait of {fault.retry_after_s:.0f} s)"
        match fault.verdict:
            case "filter":
                usage = estimated_usage(prompt_bytes(messages, tools), ())
                return Completion(Message("assistant", ""), usage, "content_filter", refused=True)
            case "key":
                raise self._settings(model.key_variable, f"the server rejected the key: {said}") from fault
            case "credit":
                raise self._settings(model.key_variable, f"the key's account has no credit left: {said}") from fault
            case "model":
                what = f"{shown_address(model.base_url)} knows no model {model.api_name!r}: {said}"
                where, then = "MODEL or OPENAI_BASE_URL", "start again with the right name"  # a plan keeps its model
                raise BadInput(what, where=where, next_command=then) from fault
            case "context_overflow":
                raise ModelFault("context_overflow", f"the conversation is too long: {said}") from fault
            case "rate_limit":
                raise ModelFault("rate_limit", f"too many requests: {said}") from fault
            case _:
                raise ModelFault("server", f"status {fault.status}: {said}") from fault

    def _said(self, fault: object) -> str:
        """A server's words, or who repeats them: cut when the key is out, since nobody would know a half of it."""
        return one_line(self._model.hide_key(str(fault)))[:LONGEST_SAID]

    def _told_by(self, fault: object) -> str:
        """A client's words: where the endpoint is says nothing about the run, and is not kept."""
        return self._said(without_place(str(fault), self._model.base_url))

    @staticmethod
    def _settings(where: str, what: str) -> BadInput:
        return BadInput(what, where=where, next_command="set it right, then add --resume: finished runs are kept")


def _json(value: Any) -> bytes:
    """Compact JSON; keys keep their order, for what a model is told of a schema's properties has one."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")

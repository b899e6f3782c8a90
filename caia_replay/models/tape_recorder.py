"""Recording a live model's traffic: the last request and reply of every turn, handed on when the run is over.

The recorder stands between the client and the way to the endpoint. Retries pass through it as they are and leave no
trace: a tape holds what each turn came to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

import httpx2

from caia_replay.core.message import Message
from caia_replay.core.model import Completion, Model, ModelSession, PolicyHints, Price, RunKey
from caia_replay.core.tape import TapedFault, TapedReply, TapedTurn, TapeSink
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import BadInput, ModelFault
from caia_replay.models.key_hiding import hidden, hidden_reply
from caia_replay.models.openai_compatible import OpenAICompatibleModel
from caia_replay.models.session_header import RUN_HEADER, TURN_HEADER, read_run
from caia_replay.models.stream import looks_like_stream

_CODINGS = (b"content-encoding", b"content-length", b"transfer-encoding")
_HALVES = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Exchange:
    """The last request of a turn, and its reply; None when there was none. ``exact``: the reply is the text it was."""

    request: str
    reply: TapedReply | None = None
    exact: bool = False


class RecordingTransport(httpx2.BaseTransport):
    """An ``httpx2`` transport around another. Replies are whole and decoded when the client gets them.

    The headers that name run and turn are taken out before ``inner`` sees a request. ``hide`` takes the key out of
    what is kept.
    """

    def __init__(self, inner: httpx2.BaseTransport, hide: Callable[[str], str]) -> None:
        self._inner = inner
        self._hide = hide
        self._last: dict[tuple[RunKey, int], Exchange] = {}
        self._lock = Lock()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """What ``inner`` answers; raises what it raises."""
        named = read_run(request.headers)
        fields = {name: request.headers.pop(name) for name in (RUN_HEADER, TURN_HEADER) if name in request.headers}
        asked = hidden(request.read().decode("utf-8", "replace"), self._hide)
        self._note(named, Exchange(asked))
        try:
            reply = self._inner.handle_request(request)
            body = reply.read()
        finally:
            request.headers.update(fields)  # a redirect is made from this very request
        text, exact = _text(body, reply.headers.get("content-type", ""))
        self._note(named, Exchange(asked, self._kept(reply, text), exact))
        headers = [(name, value) for name, value in reply.headers.raw if name.lower() not in _CODINGS]
        return httpx2.Response(reply.status_code, headers=headers, content=body, extensions=reply.extensions)

    def take(self, key: RunKey, turn: int) -> Exchange | None:
        """What a turn came to, once; None when nothing was asked in it."""
        with self._lock:
            return self._last.pop((key, turn), None)

    def close(self) -> None:
        """Close ``inner``."""
        self._inner.close()

    def _note(self, named: tuple[RunKey, int] | None, exchange: Exchange) -> None:
        if named is None:
            return
        with self._lock:
            before = self._last.get(named)
            if before is not None and not exchange.request:  # a redirect may ask for the reply without the question
                exchange = replace(exchange, request=before.request)
            self._last[named] = exchange

    def _kept(self, reply: httpx2.Response, text: str) -> TapedReply | None:
        if not 200 <= reply.status_code <= 599:
            return None
        kind = reply.headers.get("content-type", "")
        kind = self._hide(kind)[:200] if kind.isascii() and kind.isprintable() else ""
        return hidden_reply(TapedReply(reply.status_code, kind, text), self._hide)


def recording(model: Model, sink: TapeSink) -> Model:
    """``model`` with what its endpoint answers kept in ``sink``, run by run; to be called before it is asked anything.

    Raises ``BadInput`` for a model without an endpoint.
    """
    if not isinstance(model, OpenAICompatibleModel):
        raise BadInput(
            f"{model.name!r} has no live traffic to keep", where="--record-model", next_command="leave it out"
        )
    return _RecordingModel(model, sink)


class _RecordingModel:
    is_policy = False
    needs_gold = False

    def __init__(self, model: OpenAICompatibleModel, sink: TapeSink) -> None:
        self._model = model
        self._sink = sink
        self._transport = RecordingTransport(model.transport(), model.hide_key)
        model.reroute(self._transport)

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def identity(self) -> Mapping[str, Any]:
        return self._model.identity

    @property
    def price(self) -> Price | None:
        return self._model.price

    def session(self, key: RunKey, brief: PolicyHints) -> ModelSession:
        return RecordingSession(key, self._model.session(key, brief), self._transport, self._sink, self._model.hide_key)

    def close(self) -> None:
        self._model.close()


class RecordingSession:
    """One run's conversation with a live model; its turns go to ``sink`` when it is closed.

    A run that was broken off, by the user or by settings that only the user can mend, is not kept.
    """

    def __init__(
        self,
        key: RunKey,
        chat: ModelSession,
        transport: RecordingTransport,
        sink: TapeSink,
        hide: Callable[[str], str],
    ) -> None:
        self._key = key
        self._chat = chat
        self._transport = transport
        self._sink = sink
        self._hide = hide
        self._turns: list[TapedTurn] = []
        self._whole = True

    def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], most_tokens: int | None = None
    ) -> Completion:
        """The live model's next message. Raises what it raises."""
        turn = len(self._turns) + 1
        try:
            completion = self._chat.complete(messages, tools, most_tokens)
        except ModelFault as fault:
            exchange = self._transport.take(self._key, turn) or Exchange("")
            failed = TapedFault(fault.reason, _HALVES.sub("\ufffd", self._hide(str(fault))))
            outcome = exchange.reply if exchange.reply is not None and exchange.exact else failed
            self._turns.append(TapedTurn(exchange.request, outcome))
            raise
        except BaseException:
            self._whole = False
            raise
        last = self._transport.take(self._key, turn)
        if last is None or last.reply is None:
            raise RuntimeError(f"turn {turn} was answered and passed no recorder")
        self._turns.append(TapedTurn(last.request, last.reply))
        return completion

    def close(self) -> None:
        """Hand the run's turns on, once."""
        self._chat.close()
        if self._whole:
            self._whole = False
            self._sink.keep(self._key, tuple(self._turns))


def _text(body: bytes, content_type: str) -> tuple[str, bool]:
    """A reply's body as the client's parsers read it, and whether it is text at all.

    Halves of surrogate pairs, which no file can hold, become the escapes that JSON has for them; in a stream they,
    as all else that is no letter, become the mark that its reader puts in their place.
    """
    if looks_like_stream(content_type, body):
        return body.decode("utf-8", "replace"), True
    try:
        text = body.decode(json.detect_encoding(body), "surrogatepass")
    except UnicodeDecodeError:
        return body.decode("utf-8", "replace"), False
    return _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", text), True

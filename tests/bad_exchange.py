"""What a bad server's ways are made of: one request, what it can be answered with, and the register of ways."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

URL = "https://learn.protocolhandbook.example/fees/eip-1559"
"""What the first turn fetches, in the world mini-6."""
ANSWER = "FINAL ANSWER: 12.5 %"
TRICKLE_S = 0.05


@dataclass
class Exchange:
    """One request and the socket to answer it on. ``turn`` is how many messages of the model it already holds."""

    socket: socket.socket
    body: dict[str, Any]
    tries: int
    base_url: str

    @property
    def turn(self) -> int:
        """From 0."""
        return sum(message["role"] == "assistant" for message in self.body["messages"])

    def send(self, data: bytes) -> None:
        """Raw bytes."""
        self.socket.sendall(data)

    def head(self, *lines: str, status: str = "200 OK") -> None:
        """A status line and headers."""
        self.send("\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode())

    def reply(self, body: Any, *lines: str, status: str = "200 OK", kind: str = "application/json") -> None:
        """A whole, well-formed reply; a body that is not bytes is sent as JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.head(f"content-type: {kind}", f"content-length: {len(data)}", *lines, status=status)
        self.send(data)

    def error(self, status: str, message: str, *lines: str, **fields: Any) -> None:
        """A well-formed error."""
        self.reply({"error": {"message": message} | fields}, *lines, status=status)

    def say(self, message: dict[str, Any], finish: str = "stop", **other: Any) -> None:
        """A good completion."""
        self.reply(completion(message, finish, **other))

    def call(self, *calls: Any) -> None:
        """A completion with tool calls, then the answer."""
        if self.turn < 2:
            self.say({"content": None, "tool_calls": list(calls)}, "tool_calls")
        else:
            self.say({"content": ANSWER})

    def trickle(self, start: bytes, piece: bytes) -> None:
        """A little every now and then, until the client has enough; of nothing, which cannot fail, ten seconds."""
        self.send(start)
        for _ in range(10_000 if piece else 200):
            self.send(piece)
            time.sleep(TRICKLE_S)

    def flood(self, start: bytes, piece: bytes) -> None:
        """As much as the client takes, for ever."""
        self.send(start)
        while True:
            self.send(piece)

    def cut_off(self, start: bytes) -> None:
        """So much, and then nothing."""
        self.send(start)
        raise Hangup

    def stream(self, *chunks: Any, end: bytes = b"data: [DONE]\n\n", finish: bool = True) -> None:
        """A stream of events, its connection closed at its end."""
        self.head("content-type: text/event-stream", "connection: close")
        for chunk in chunks:
            self.send(b"data: %s\n\n" % json.dumps(chunk).encode())
        self.send(end)
        if finish:
            raise Hangup


class Hangup(Exception):
    """Ends a connection."""


def completion(message: dict[str, Any], finish: str | None = "stop", **other: Any) -> dict[str, Any]:
    """A completion as servers send it."""
    choice = {"index": 0, "message": {"role": "assistant"} | message, "finish_reason": finish}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return body | {"usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}} | other


def delta(piece: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """One piece of a stream."""
    return {"choices": [{"index": 0, "delta": piece, "finish_reason": finish}]}


ARGUMENTS = json.dumps({"url": URL})


def fetch(identity: str | None = "call_b", arguments: Any = ARGUMENTS) -> dict[str, Any]:
    """A good tool call."""
    return {"id": identity, "type": "function", "function": {"name": "url_fetching", "arguments": arguments}}


@dataclass(frozen=True)
class Way:
    """``ends`` is the stop reason a run must end in, with a model_fault's own reason after a colon."""

    serve: Callable[[Exchange], None]
    ends: str


WAYS: dict[str, Way] = {}


def way(ends: str) -> Callable[[Callable[[Exchange], None]], Callable[[Exchange], None]]:
    """Register a way under its function's name."""

    def register(serve: Callable[[Exchange], None]) -> Callable[[Exchange], None]:
        WAYS[serve.__name__] = Way(serve, ends)
        return serve

    return register


def replies(ends: str, **bodies: Any) -> None:
    """Register ways that are one reply each, under the replies' names."""
    for name, body in bodies.items():
        WAYS[name] = Way(lambda x, body=body: x.reply(body), ends)  # type: ignore[misc]


def calls(**lists: list[Any]) -> None:
    """Register ways that make calls nobody should, and are answered all the same."""
    for name, made in lists.items():
        WAYS[name] = Way(lambda x, made=made: x.call(*made), "answered")  # type: ignore[misc]


def messages(ends: str, finish: str = "stop", **said: Any) -> None:
    """Register ways that are one message each, whatever is asked."""
    for name, message in said.items():
        WAYS[name] = Way(lambda x, message=message: x.say(message, finish), ends)  # type: ignore[misc]


def cut_off(ends: str, **starts: bytes) -> None:
    """Register ways that send so much and hang up."""
    for name, start in starts.items():
        WAYS[name] = Way(lambda x, start=start: x.cut_off(start), ends)  # type: ignore[misc]


def slow(ends: str, **starts: tuple[bytes, bytes]) -> None:
    """Register ways that begin and then trickle a piece."""
    for name, sent in starts.items():
        WAYS[name] = Way(lambda x, sent=sent: x.trickle(*sent), ends)  # type: ignore[misc]


def endless(ends: str, **starts: tuple[bytes, bytes]) -> None:
    """Register ways that begin and then send a piece for ever."""
    for name, sent in starts.items():
        WAYS[name] = Way(lambda x, sent=sent: x.flood(*sent), ends)  # type: ignore[misc]


def headers(ends: str, **heads: tuple[str, ...]) -> None:
    """Register ways that are a status and headers alone."""
    for name, (status, *lines) in heads.items():
        WAYS[name] = Way(lambda x, status=status, lines=lines: x.head(*lines, status=status), ends)  # type: ignore[misc]


def pages(ends: str, **bodies: tuple[str, bytes]) -> None:
    """Register ways that are one web page each, under a status."""
    for name, (status, body) in bodies.items():
        WAYS[name] = Way(lambda x, status=status, body=body: x.reply(body, status=status, kind="text/html"), ends)  # type: ignore[misc]


@way("answered")
def good(x: Exchange) -> None:
    """Well."""
    x.say({"content": ANSWER})

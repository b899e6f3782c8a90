"""Recorded answers, ready to be served: what one interaction replied, and all that one question was answered.

An answer is made of the few fields a reply needs, so that an index can serve it without reading the rest; the whole
interaction is there for those who ask.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from caia_replay.cassette.cassette import Interaction
from caia_replay.cassette.rpc_id import IdSlots, RpcIds, id_slots
from caia_replay.cassette.secret import SCRUBBED_BAD, KeyClass, key_class
from caia_replay.core.provider import HttpReply

HeaderLines = tuple[tuple[bytes, bytes], ...]
"""Reply headers as (name, value), one per line sent, in order."""


class Answer:
    """One recorded answer. ``key`` is the class of the credentials in the headers of the request it was given to."""

    __slots__ = ("_item", "_reply", "_slots", "body", "ids", "key", "lines", "reason", "status", "transport_headers")

    def __init__(
        self,
        status: int,
        reason: str,
        lines: HeaderLines,
        body: bytes,
        ids: RpcIds | None,
        key: KeyClass,
        item: Callable[[], Interaction],
    ) -> None:
        self.status = status
        self.reason = reason
        self.lines = lines
        self.body = body
        self.ids = ids
        self.key = key
        self._item = item
        # Filled by a transport on first use: its own header object, which costs more to build than to copy.
        self.transport_headers: object = None
        self._reply: HttpReply | None = None
        self._slots: IdSlots | None = None

    @classmethod
    def of(cls, item: Interaction, ids: RpcIds | None) -> Answer:
        """The answer that a parsed interaction holds."""
        return cls(item.status, item.reason, lines_of(item.headers), item.body, ids, key_of(item), lambda: item)

    @property
    def interaction(self) -> Interaction:
        """All that was recorded of the exchange."""
        return self._item()

    @property
    def reply(self) -> HttpReply:
        """The reply as it was recorded."""
        if self._reply is None:
            headers: dict[str, str] = {}
            for raw, line in self.lines:
                name, value = raw.decode("utf-8", "surrogatepass").lower(), line.decode("utf-8", "surrogatepass")
                headers[name] = f"{headers[name]}, {value}" if name in headers else value
            self._reply = HttpReply(self.status, headers, self.body)
        return self._reply

    def body_to(self, ids: RpcIds | None) -> bytes:
        """The body, carrying the JSON-RPC ids of the request it answers."""
        if ids is None or ids == self.ids:
            return self.body
        if self._slots is None:
            self._slots = id_slots(self.body) or IdSlots((self.body,), ())
        return self._slots.filled(ids, self.ids)

    def reply_to(self, ids: RpcIds | None) -> HttpReply:
        """The reply, carrying the JSON-RPC ids of the request it answers."""
        if ids is None or ids == self.ids:
            return self.reply
        return HttpReply(self.status, self.reply.headers, self.body_to(ids))


class Answers:
    """All answers to one question in recorded order; ``every`` has at least one."""

    __slots__ = ("_by_key", "every")

    def __init__(self, every: Sequence[Answer]) -> None:
        self.every = tuple(every)
        self._by_key: dict[KeyClass, tuple[Answer, ...]] | None = None
        if len(self.every) > 1:
            first = self.every[0].key
            if any(answer.key != first for answer in self.every):
                self._by_key = {}
                for answer in self.every:
                    self._by_key[answer.key] = (*self._by_key.get(answer.key, ()), answer)

    def to(self, headers: Mapping[str, str]) -> tuple[Answer, ...]:
        """The sequence that a request with these headers is answered from; empty when there is none.

        A bad key is answered only with what a bad key was answered. A good key and none stand in for each other where
        just one of them was recorded: a replay needs no key.
        """
        if self._by_key is None:
            # Nearly every question: one class, which matters only where somebody asks with a bad key on purpose.
            asks_bad = False
            for value in headers.values():
                if SCRUBBED_BAD in value:
                    asks_bad = key_class(headers.items()) == "bad"
                    break
            return self.every if asks_bad == (self.every[0].key == "bad") else ()
        asked = key_class(headers.items())
        other: KeyClass = "good" if asked == "absent" else "absent"
        return self._by_key.get(asked) or (() if asked == "bad" else self._by_key.get(other, ()))

    @property
    def is_mixed(self) -> bool:
        """Whether the question was asked with keys of different classes, each of which has a sequence of its own."""
        return self._by_key is not None


def key_of(item: Interaction) -> KeyClass:
    """The class of the credentials in a recorded request's headers."""
    return key_class((name, line) for name, lines in item.request_headers.items() for line in lines)


def lines_of(headers: Mapping[str, Sequence[str]]) -> HeaderLines:
    """Recorded headers, line by line."""
    return tuple(
        (name.encode("utf-8", "surrogatepass"), line.encode("utf-8", "surrogatepass"))
        for name, lines in headers.items()
        for line in lines
    )

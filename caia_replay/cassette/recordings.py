"""From an identity to its recorded answers, in order, over any number of cassettes.

The answers are shared and frozen; how far a run has played is in its own ``Cursor``, so runs never see each other.
Where the answers are kept is an ``AnswerStore``: parsed cassettes here, a file in ``index.py``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from typing import Literal, Protocol

from caia_replay.cassette.answer import Answer, Answers
from caia_replay.cassette.cassette import Cassette
from caia_replay.cassette.identity import describe, fields, identify
from caia_replay.cassette.retry_after import BUSY
from caia_replay.cassette.rpc_id import RpcIds
from caia_replay.cassette.secret import key_class
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.errors import Miss

Policy = Literal["sequence-then-last", "once", "cycle"]
"""What several answers to one question mean: play in order and stay on the last, stop after it, or start over."""

_NO_HEADERS: Mapping[str, str] = {}
_NEIGHBOURS = 12


@dataclass(slots=True)
class Cursor:
    """How often one run has asked each question. One per run; not for two threads at once."""

    plays: dict[bytes, int] = field(default_factory=dict)

    def advance(self, key: bytes) -> int:
        """How often ``key`` was asked before, and count this time."""
        count = self.plays.get(key, 0)
        self.plays[key] = count + 1
        return count


class AnswerStore(Protocol):
    """Recorded answers by identity. Shared by runs and threads, and never changed by them."""

    def answers(self, key: bytes) -> Answers | None:
        """The answers to one question, or None when it was never recorded."""

    def questions(self) -> Sequence[bytes]:
        """Every recorded question once, sorted. Reading one may cost a read of the disk."""


class MemoryStore:
    """Cassettes, parsed. An earlier one wins a whole question; ``rest`` has what they all lack."""

    def __init__(self, cassettes: Sequence[Cassette], rest: AnswerStore | None = None) -> None:
        self._rest = rest
        self._answers: dict[bytes, Answers] = {}
        for cassette in cassettes:
            own: dict[bytes, list[Answer]] = {}
            for item in cassette.interactions:
                key, ids = identify(item.method, item.uri, item.request_body)
                own.setdefault(key, []).append(Answer.of(item, ids))
            for key, answers in own.items():
                self._answers.setdefault(key, Answers(answers))

    def answers(self, key: bytes) -> Answers | None:
        """The answers to one question, or None when it was never recorded."""
        found = self._answers.get(key)
        return self._rest.answers(key) if found is None and self._rest is not None else found

    def questions(self) -> Sequence[bytes]:
        """Every recorded question once, sorted."""
        return self._sorted

    @cached_property
    def _sorted(self) -> Sequence[bytes]:
        if self._rest is None:
            return sorted(self._answers)
        added = [key for key in self._answers if self._rest.answers(key) is None]
        return sorted([*self._rest.questions(), *added]) if added else self._rest.questions()


class Recordings:
    """The recorded answers of some cassettes. An earlier cassette wins a whole question, never part of its sequence.

    All questions are played ``sequence-then-last``.
    """

    def __init__(self, cassettes: Sequence[Cassette]) -> None:
        self.names = tuple(dict.fromkeys(cassette.name for cassette in cassettes))
        self._store: AnswerStore = MemoryStore(cassettes)
        self._policies: Mapping[bytes, Policy] = {}

    @classmethod
    def over(
        cls, store: AnswerStore, names: Sequence[str], policies: Mapping[bytes, Policy] | None = None
    ) -> Recordings:
        """The same over answers that are kept elsewhere; ``policies`` sets how single questions are played, by
        identity."""
        self = cls(())
        self.names, self._store, self._policies = tuple(names), store, dict(policies or {})
        return self

    def __len__(self) -> int:
        """How many different questions have an answer."""
        return len(self._store.questions())

    @property
    def store(self) -> AnswerStore:
        """Where the answers are kept."""
        return self._store

    def identify(self, method: str, url: str, body: bytes = b"") -> tuple[bytes, RpcIds | None]:
        """A request's identity, and its JSON-RPC ids."""
        return identify(method, url, body)

    def play(
        self, method: str, url: str, body: bytes, cursor: Cursor, headers: Mapping[str, str] = _NO_HEADERS
    ) -> HttpReply:
        """The recorded reply to this request, at the place in its sequence that ``cursor`` has reached.

        Of ``headers`` only the class of the credentials counts (``Answers.to``).
        Raises ``Miss`` when it was never recorded or its policy has run out, ``BadInput`` for a malformed URL.
        """
        answer, ids = self.find(method, url, body, cursor, headers)
        return answer.reply_to(ids)

    def find(
        self, method: str, url: str, body: bytes, cursor: Cursor, headers: Mapping[str, str] = _NO_HEADERS
    ) -> tuple[Answer, RpcIds | None]:
        """What ``play`` serves, before the ids are put back: for transports. Raises as ``play`` does."""
        key, ids = self.identify(method, url, body)
        recorded = self._store.answers(key)
        if recorded is None:
            raise Miss("http", describe(key), self._where, self.nearest(key))
        answers = recorded.to(headers)
        if not answers:
            asked, known = key_class(headers.items()), ", ".join(sorted({answer.key for answer in recorded.every}))
            wanted = f"{describe(key)} with {'a bad key' if asked == 'bad' else 'no bad key'}"
            raise Miss("http", wanted, self._where, f"{describe(key)[:300]} differs in key {asked!r} ({known})")
        count = cursor.advance(key)
        if recorded.is_mixed:
            count = cursor.advance(key + b"\n" + answers[0].key.encode())
        if count < len(answers):
            return answers[count], ids
        policy = self._policies.get(key, "sequence-then-last")
        if policy == "once":
            raise Miss("http", describe(key), f"all {len(answers)} answers played: {self._where}", describe(key))
        return answers[count % len(answers) if policy == "cycle" else -1], ids

    def questions(self) -> Sequence[bytes]:
        """Every recorded question's identity, sorted."""
        return self._store.questions()

    def holds(self, key: bytes) -> bool:
        """Whether a question was recorded, whatever its answers; ``play`` says more and takes longer to miss."""
        return self._store.answers(key) is not None

    def nearest(self, key: bytes) -> str:
        """The recorded question most like ``key``'s and the fields that differ; "" where nothing is recorded.

        Keys start with method, host and path, so neighbours in their order share the longest beginnings: only those
        are compared, and a miss costs the same milliseconds whatever the number of recordings.
        """
        known = self._store.questions()
        at = bisect_left(known, key)
        near = known[max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS]
        if not near:
            return ""
        wanted = fields(key)
        best = max(near, key=lambda candidate: (_likeness(wanted, fields(candidate)), candidate))
        found = fields(best)
        differing = [f"{name} {wanted[name]!r:.80} (recorded {found[name]!r:.80})" for name in wanted
                     if wanted[name] != found[name]]  # fmt: skip
        return f"{describe(best)[:300]} differs in {'; '.join(differing)}"

    def exchanges(self, key: bytes) -> Iterator[tuple[HttpRequest, HttpReply]]:
        """One question as it was asked, with each of its replies in recorded order; nothing when it never was."""
        return map(_exchange, self._every(key))

    def lasting(self, key: bytes) -> Iterator[tuple[HttpRequest, HttpReply]]:
        """``exchanges`` that say something of the question itself: no "later", and no refusal of a bad key."""
        kept = (answer for answer in self._every(key) if answer.key != "bad" and answer.status not in BUSY)
        return map(_exchange, kept)

    def _every(self, key: bytes) -> tuple[Answer, ...]:
        answers = self._store.answers(key)
        return answers.every if answers else ()

    def requests(self) -> Iterator[tuple[HttpRequest, HttpReply]]:
        """Every served request with each of its replies, sorted by identity, then in recorded order."""
        for key in self._store.questions():
            yield from self.exchanges(key)

    def unplayed(self, cursor: Cursor) -> tuple[str, ...]:
        """The recorded questions ``cursor``'s run never asked, in words, sorted."""
        return tuple(describe(key) for key in self._store.questions() if key not in cursor.plays)

    @property
    def _where(self) -> str:
        return ", ".join(self.names) or "no cassette"


def _exchange(answer: Answer) -> tuple[HttpRequest, HttpReply]:
    item = answer.interaction
    headers = {name.lower(): ", ".join(lines) for name, lines in item.request_headers.items()}
    return HttpRequest(item.method, item.uri, item.request_body, headers), answer.reply


def _likeness(wanted: dict[str, str], found: dict[str, str]) -> tuple[int, float]:
    same = sum(wanted[name] == found[name] for name in wanted)
    left, right = (f"{part['path']}?{part['query']}{part['body']}"[:500] for part in (wanted, found))
    return same, SequenceMatcher(None, left, right, autojunk=False).ratio()

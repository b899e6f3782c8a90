"""Replay: a command's requests answered from a folder of cassettes, and from nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caia_replay.cassette.cassette import Cassette
from caia_replay.cassette.explain import RecordedQuestions
from caia_replay.cassette.identity import describe, identity
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.errors import BadInput, Miss
from caia_replay.proxy.exchange import MISSED, Asked, Reply, own_reply
from caia_replay.proxy.told import shown

_MOST_EXPLAINED: Final = 1_000
_BAD_REQUEST: Final = 400
_RECORD: Final = "caia-replay http record --out FOLDER -- COMMAND"


@dataclass(frozen=True, slots=True)
class Missed:
    """A question that was not answered, how often it was asked, and what was recorded nearest; all without keys."""

    question: str
    count: int
    why: str


class ReplayAnswerer:
    """Answers from ``recordings``, each question's answers in their order, then the last. One run's place in them is
    its own, so one of these serves one command."""

    blocks = False

    def __init__(self, recordings: Recordings, secrets: Collection[str] = ()) -> None:
        self.recordings = recordings
        self._secrets = secrets
        self.cursor = Cursor()
        self.hits = 0
        self.refused = Counter[str]()
        self._missed = Counter[tuple[bytes, str]]()

    def answer(self, asked: Asked) -> Reply:
        """The recorded reply, or one in our own name that says what is not recorded."""
        try:
            reply = self.found(asked, self.cursor)
        except Miss as miss:
            key = identity(asked.method, asked.url, asked.body)
            self._missed[key, miss.detail.nearest if self.recordings.holds(key) else ""] += 1
            # What is recorded nearby is for people: it must not betray an answer to whoever asks.
            return own_reply(MISSED, "not_recorded", self._shown(f"not recorded: {miss.detail.wanted}"))
        except BadInput as fault:
            return self._refusal(_BAD_REQUEST, asked, "bad_request", fault.what)
        self.hits += 1
        return reply

    def found(self, asked: Asked, cursor: Cursor) -> Reply:
        """The recorded reply. Raises ``Miss`` where there is none, ``BadInput`` for no URL or method."""
        answer, ids = self.recordings.find(asked.method, asked.url, asked.body, cursor, asked.headers)
        return Reply(answer.status, answer.lines, answer.body_to(ids))

    def refuse(self, asked: Asked, kind: str, message: str) -> Reply:
        """Count a request that the proxy cannot serve; the reply that says so."""
        return self._refusal(MISSED, asked, kind, message)

    @property
    def unanswered(self) -> int:
        """How many requests got no recorded answer."""
        return self._missed.total() + self.refused.total()

    def missed(self) -> Iterator[Missed]:
        """Each question that was not recorded, in the order of identity, with the recording nearest to it."""
        known = RecordedQuestions(self.recordings.questions())
        for number, ((key, why), count) in enumerate(sorted(self._missed.items())):
            if not why and number < _MOST_EXPLAINED:
                near = known.nearest(key, 1)
                why = "; ".join((near[0].question, *(d.words() for d in near[0].differences))) if near else ""
            yield Missed(self._shown(describe(key))[:300], count, self._shown(why))

    def _refusal(self, status: int, asked: Asked, kind: str, message: str) -> Reply:
        told = self._shown(message)
        self.refused[self._shown(f"{asked.method} {asked.url.partition('?')[0]}: {kind}: {told}")] += 1
        return own_reply(status, kind, told)

    def _shown(self, text: str) -> str:
        return shown(text, self._secrets)


def open_folder(folder: Path) -> Recordings:
    """The recordings of every cassette below ``folder``, in the order of their names.

    Raises ``BadInput`` where there is no cassette, and for one that is not sound.
    """
    if not folder.is_dir():
        raise BadInput("no such folder", where=folder, next_command=_RECORD)
    names = sorted(path for path in folder.rglob("*.json") if not path.is_symlink())
    if not names:
        raise BadInput("holds no cassette", where=folder, next_command=_RECORD)
    return Recordings([Cassette.open(path) for path in names])

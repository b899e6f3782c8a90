"""Does the tape protect? A command is replayed, and each of its requests is asked again altered in every place.

An altered request is another question: a replay that answers it with a recording would let a changed program pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from random import Random
from typing import Final

from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.errors import BadInput, Miss
from caia_replay.proxy.alteration import BAD_KEY, Alteration, alterations
from caia_replay.proxy.exchange import Asked, Reply
from caia_replay.proxy.replay import ReplayAnswerer

_DRAWS: Final = 16
"""Of a value, until the altered request is none of the recorded ones."""


class MutatingAnswerer(ReplayAnswerer):
    """Replays, and tries every alteration of each answered question once. ``seed`` decides all that is drawn."""

    def __init__(self, recordings: Recordings, seed: int, secrets: Collection[str] = ()) -> None:
        super().__init__(recordings, secrets)
        self._seed = seed
        self._tried = set[bytes]()
        self.altered = Counter[str]()
        self.noticed = 0
        self.unnoticed: list[str] = []
        self.recorded_too = 0

    def answer(self, asked: Asked) -> Reply:
        """The recorded reply to the request as it is."""
        hits = self.hits
        reply = super().answer(asked)
        if self.hits > hits:
            self._try(asked)
        return reply

    @property
    def tried(self) -> int:
        """How many altered requests were asked."""
        return self.noticed + len(self.unnoticed)

    def _try(self, asked: Asked) -> None:
        key = self.recordings.identify(asked.method, asked.url, asked.body)[0]
        if key in self._tried:
            return
        self._tried.add(key)
        draw = Random(b"%d\n" % self._seed + key)
        for alteration in alterations(asked, draw):
            self._ask(asked, key, alteration, draw)

    def _ask(self, asked: Asked, key: bytes, alteration: Alteration, draw: Random) -> None:
        for _ in range(_DRAWS):
            other = alteration.make(draw)
            try:
                found = self.recordings.identify(other.method, other.url, other.body)[0]
            except BadInput:
                return  # no request that a client could send
            # Another request that was recorded, too, is rightly answered with its own recording.
            if not self._is_recorded(found, key, alteration):
                break
        else:
            self.recorded_too += 1
            return
        self.altered[alteration.field.partition(" ")[0]] += 1
        try:
            self.found(other, Cursor())
        except Miss:
            self.noticed += 1
        else:
            where = f"{asked.method} {asked.url.partition('?')[0]}"
            self.unnoticed.append(self._shown(f"{where}: {alteration.field}: {alteration.how}"))

    def _is_recorded(self, found: bytes, key: bytes, alteration: Alteration) -> bool:
        if found != key:
            return self.recordings.holds(found)
        answers = self.recordings.store.answers(key) if alteration.field == BAD_KEY else None
        return answers is not None and any(answer.key == "bad" for answer in answers.every)

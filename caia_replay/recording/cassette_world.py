"""A frozen world whose recorded replies are given in memory, in place of those in its files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from caia_replay.cassette.answer import Answers
from caia_replay.cassette.cassette import Cassette
from caia_replay.cassette.recordings import AnswerStore, MemoryStore, Recordings
from caia_replay.store.world_folder import TASK_CASSETTES, WorldFolder
from caia_replay.world.web import Web
from caia_replay.world.world import FrozenWorld


class CassetteWorld(FrozenWorld):
    """``folder`` with ``cassettes``, by the paths of its own, in order of precedence. Its files do not change.

    ``scratch`` is a folder for the rankings that are made meanwhile; the caller removes it. ``read`` are the identities
    of the requests whose replies a task has looked at.
    """

    def __init__(self, folder: WorldFolder, cassettes: Mapping[Path, Cassette], scratch: Path) -> None:
        super().__init__(folder)
        self.read: set[bytes] = set()
        self._given = cassettes
        self._all = MemoryStore(tuple(cassettes.values()))
        # The kept rankings and corpus are those of the files.
        self.web = Web(lambda: self.recordings(None), scratch)

    def recordings(self, task_id: str | None) -> Recordings:
        """All of the given replies; where two cassettes hold one request, the named task's own wins."""
        names = tuple(map(str, self._given))
        if task_id is None:
            return Recordings.over(self._all, names, policies=self._modes)
        own = [self.folder.path / "tasks" / task_id / name for name in TASK_CASSETTES]
        first = [self._given[path] for path in own if path in self._given]
        store = MemoryStore(first, self._all) if first else self._all
        return Recordings.over(_Noting(store, self.read), names, policies=self._modes)


class _Noting:
    """An ``AnswerStore`` that notes which questions it was asked for."""

    def __init__(self, inner: AnswerStore, read: set[bytes]) -> None:
        self._inner = inner
        self._read = read

    def answers(self, key: bytes) -> Answers | None:
        """The inner store's."""
        self._read.add(key)
        return self._inner.answers(key)

    def questions(self) -> Sequence[bytes]:
        """The inner store's."""
        return self._inner.questions()

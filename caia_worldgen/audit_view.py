"""One task's world as an audit asks it: in replay, where a miss or a refusal is a failure of the audit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from caia_replay.canonical import strict_json
from caia_replay.cassette.recordings import Cursor
from caia_replay.cassette.url import canonical_url
from caia_replay.core.provider import HttpRequest
from caia_replay.core.tool import Served
from caia_replay.errors import CheckFailed, Miss
from caia_replay.world.world import TaskWorld


class AuditView:
    """One task's world while it is asked; a miss is a failed audit."""

    def __init__(self, world: TaskWorld, served: Counter[Served]) -> None:
        self.world = world
        self._served = served

    def get(self, url: str, **parameters: object) -> Any:
        """What an API answers. Raises ``CheckFailed`` where nothing is recorded, and for a refusal."""
        try:
            return self._told(url, parameters)
        except Miss as miss:
            raise CheckFailed(f"task {self.world.task.id}: {miss}; nearest: {miss.detail.nearest}") from miss

    def get_or_none(self, url: str, **parameters: object) -> Any:
        """What an API answers; None where this world holds no answer at this moment."""
        try:
            return self._told(url, parameters)
        except Miss:
            return None

    def recorded_or_none(self, url: str, **parameters: object) -> Any:
        """A reply of a host without a provider, whenever it was recorded: the caller cuts off what came later."""
        address = canonical_url(f"{url}?{urlencode(parameters)}" if parameters else url).text()
        recordings = self.world.world.recordings(self.world.task.id)
        if not recordings.holds(recordings.identify("GET", address)[0]):
            return None
        self._served[Served.HIT] += 1
        return strict_json(recordings.play("GET", address, b"", Cursor(), {}).body)

    def call(self, to: str, data: str, block: int | None = None) -> list[int]:
        """The 32-byte words a contract returns at a height, by default the task's."""
        with self.world.fork(block) as fork:
            told = fork.rpc("eth_call", [{"to": to, "data": data}, "latest"])
        self._served[Served.FORK] += 1
        return [int(told[at : at + 64], 16) for at in range(2, len(told), 64)]

    def timestamp(self, block: int) -> int:
        """A block's time by its header."""
        with self.world.fork() as fork:
            return int(fork.rpc("eth_getBlockByNumber", [hex(block), False])["timestamp"], 16)

    def _told(self, url: str, parameters: Mapping[str, object]) -> Any:
        request = HttpRequest("GET", f"{url}?{urlencode(parameters)}" if parameters else url)
        reply, served = self.world.answer(request)
        self._served[served] += 1
        if reply.status != 200:
            raise CheckFailed(f"task {self.world.task.id}: {request.url} answers {reply.status}")
        return strict_json(reply.body)

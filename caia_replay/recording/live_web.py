"""The living web for the length of one task's recording: players play through it, and what came of it is written."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Final
from urllib.parse import quote, quote_plus

import httpx2

from caia_replay.canonical import digest_bytes
from caia_replay.cassette.cassette import Cassette, write_cassette
from caia_replay.cassette.identity import describe, identity
from caia_replay.chain.chain_source import ChainSource
from caia_replay.core.provider import HttpRequest, Recorded
from caia_replay.core.task import Task
from caia_replay.core.tool import Toolset
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.plain_http.repository import changed_at, files_of
from caia_replay.recording.api_key import HOSTS, Keys
from caia_replay.recording.future_data_check import lateness
from caia_replay.recording.live_task import LiveTaskWorld
from caia_replay.recording.live_world import LiveWorld
from caia_replay.recording.pool import (
    GOLD,
    POOL,
    REQUESTS,
    Contribution,
    LoggedToolset,
    pool_bytes,
    read_pool,
)
from caia_replay.recording.record import Recorder
from caia_replay.recording.scrub import refuse_leaks
from caia_replay.store.seal import Seal, write_atomic
from caia_replay.store.world_folder import WorldFolder
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import GoldRun, run_gold

_OWN: Final = "http.json"

Play = Callable[[Toolset], object]


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody whose calls are recorded: ``name`` is how the pool knows them."""

    name: str
    play: Play


@dataclass(frozen=True, slots=True)
class HttpPolicy:
    """How an origin is asked: with whose keys, how far apart (``pause_s``), and what is no recording.

    ``leaks`` says of an exchange why it gives the benchmark away, "" where it does not. ``passing`` are the hosts of
    the models that play, whose traffic is no part of the world. ``host_map`` is a ``Recorder``'s. ``secrets`` are
    further values that must not show, such as a node's address and the models' keys.
    """

    keys: Keys
    pause_s: float = 0.5
    leaks: Callable[[Recorded], str] = lambda exchange: ""
    host_map: Mapping[str, str] = field(default_factory=dict)
    passing: frozenset[str] = frozenset()
    secrets: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def hidden(self) -> frozenset[str]:
        """What must be in no file and no message: the vendors' keys and ``secrets``."""
        return self.keys.values | self.secrets


@dataclass(slots=True)
class LiveWeb:
    """Core of a recording. ``run`` once, then ``settle``; closing it without leaves nothing behind.

    ``extra`` are requests that no tool makes, recorded beside. ``left_out`` says afterwards why, by request, and
    ``fault`` at which step the gold chain broke off, "" where all it lacks is what ``policy`` keeps out.
    """

    folder: WorldFolder
    task: Task
    policy: HttpPolicy
    players: Sequence[Player] = ()
    extra: Sequence[HttpRequest] = ()
    left_out: dict[str, str] = field(default_factory=dict)
    fault: str = ""
    _stack: ExitStack = field(default_factory=ExitStack)
    _client: httpx2.Client | None = None
    _recording: ExitStack = field(default_factory=ExitStack)
    _pool: list[Contribution] = field(default_factory=list)
    _refused: dict[bytes, str] = field(default_factory=dict)
    _kept_out: set[bytes] = field(default_factory=set)
    _unchanged: dict[str, int] = field(default_factory=dict)
    _judge: Callable[[Recorded], str] | None = None

    def __enter__(self) -> LiveWeb:
        self._stack.callback(shutil.rmtree, self._scratch, ignore_errors=True)
        recorder = Recorder(
            self._scratch / _OWN,
            self.policy.host_map,
            allowed_hosts=HOSTS,
            secrets=self.policy.hidden,
            dress=self.policy.keys.dress,
            unwanted=self._unwanted,
            passing=self.policy.passing,
            pause_s=self.policy.pause_s,
        )
        self._recording.push(recorder)
        self._client = recorder.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._stack:
            self._recording.__exit__(Abandoned, Abandoned(), None)

    @property
    def is_wider(self) -> bool:
        """Whether more is to be recorded than the gold chain asks."""
        return bool(self.players or self.extra)

    def run(self, chains: Mapping[str, ChainSource] | None) -> GoldRun:
        """Let every player play, and the gold chain last; what each of them asked is in the pool.

        Raises as the recorder's client does for an origin that is away or a key that is missing.
        """
        assert self._client is not None
        folder = replace(self.folder, seal=Seal({}, {}, ""))  # its cassettes are about to change
        with LiveWorld(folder, chains, self._client, self._why_not, self._mask) as world:
            for player in self.players:
                self._watch(world, player.name, player.play)
            before = set(world.left_out)
            run = self._watch(world, GOLD, lambda tools: run_gold(self.task.gold, tools), is_strict=True)
            lacking = world.left_out.keys() - before
            beside = LiveTaskWorld(world, self.task, is_strict=False)
            for request in self.extra:
                with suppress(Miss, ToolError):
                    beside.record(request)
            if self.extra:
                used = tuple(sorted(map(digest_bytes, beside.used)))
                self._pool.insert(-1, Contribution(REQUESTS, (), used))
            world.leave_out_unhelpful()
            self._refused = dict(world.left_out)
            self._judge = world.why_not
        self.left_out = {self._mask(describe(key)): why for key, why in sorted(self._refused.items())}
        assert isinstance(run, GoldRun)
        is_broken = bool(run.replies) and run.replies[-1].result is None
        self.fault = run.fault if is_broken and (not lacking or lacking - self._kept_out) else ""
        return run

    def settle(self) -> None:
        """Write the task's own cassette and its pool. Raises as ``Recorder`` does, and then writes nothing."""
        self._recording.close()
        place = self.folder.path / "tasks" / self.task.id
        new = Cassette.open(self._scratch / _OWN).interactions
        old = Cassette.open(place / _OWN).interactions if (place / _OWN).exists() else ()
        data = pool_bytes([*read_pool(place), *self._pool])
        refuse_leaks(data, self.policy.hidden, place / POOL)
        if new:
            write_cassette(place / _OWN, [*old, *new])
        write_atomic(place / POOL, data)

    def _watch(self, world: LiveWorld, name: str, play: Play, is_strict: bool = False) -> object:
        """What one player cannot have must not end what the others record; what the gold chain cannot have does."""
        live = LiveTaskWorld(world, self.task, is_strict)
        before = dict(world.left_out)
        with WorldToolset(live) as tools:
            logged = LoggedToolset(tools)
            outcome = play(logged)
        used = tuple(sorted(map(digest_bytes, live.used)))
        refused = {self._mask(describe(key)): why for key, why in world.left_out.items() if key not in before}
        self._pool.append(Contribution(name, tuple(logged.calls), used, refused))
        return outcome

    def _unwanted(self, exchange: Recorded) -> str:
        """Why one exchange is not written: nothing its question was told is, or this reply is none."""
        request = exchange.request
        why = self._refused.get(identity(request.method, request.url, request.body), "")
        return why or (self._judge(exchange) if self._judge is not None else "")

    def _mask(self, text: str) -> str:
        for secret in sorted(self.policy.hidden, key=len, reverse=True):
            for spelt in (secret, quote(secret, safe=""), quote_plus(secret)):
                text = text.replace(spelt, "***")
        return text

    def _why_not(self, exchange: Recorded) -> str:
        changed = changed_at(exchange.reply)
        if changed is not None:
            self._unchanged |= dict.fromkeys(files_of(exchange.request), changed)
        found = lateness(exchange, self.task.anchor.timestamp, self._unchanged.get)
        why = found.why if found is not None and found.kind == "dropped" else self.policy.leaks(exchange)
        if why:
            self._kept_out.add(identity(exchange.request.method, exchange.request.url, exchange.request.body))
        return why

    @property
    def _scratch(self) -> Path:
        """Beside cassettes/, never in a world."""
        return self.folder.snapshots.parent / ".cache" / "record" / f"{self.folder.info.id}__{self.task.id}"


class Abandoned(Exception):
    """A recording that is not written."""

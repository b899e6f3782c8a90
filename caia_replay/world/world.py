"""Frozen worlds: opened once per process, then narrowed to one task at its anchor under one overlay."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import cached_property
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Self

from caia_replay.cassette.index import CassetteIndex, Source
from caia_replay.cassette.playback import PLAYBACK, read_playback
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.retry_after import pause_s
from caia_replay.cassette.url import canonical_url
from caia_replay.chain.chain_source import ChainSource, can_pin
from caia_replay.chain.claim import spans_words
from caia_replay.chain.snapshot import Snapshot
from caia_replay.core.overlay import Overlay
from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.core.task import NO_BLOCK, Anchor, Task
from caia_replay.core.tool import Served
from caia_replay.core.world import Page, Post
from caia_replay.errors import BadInput, Miss, ToolError, nearest
from caia_replay.providers.as_of import as_of
from caia_replay.providers.endpoint import provider_of
from caia_replay.providers.etherscan.height import newest_block
from caia_replay.providers.plain_http.provider import NAME as PLAIN_HTTP
from caia_replay.providers.plain_http.provider import plain_page
from caia_replay.providers.reader.provider import ReaderProvider, page_request, page_url, read_page
from caia_replay.store.world_folder import TASK_CASSETTES, WorldFolder, cache_of
from caia_replay.world.clock import utc_text
from caia_replay.world.coverage_key import Families
from caia_replay.world.every_provider import providers_over
from caia_replay.world.overlay import NO_OVERLAY
from caia_replay.world.task_web import TaskWeb
from caia_replay.world.web import Web

if TYPE_CHECKING:
    from caia_replay.chain.fork_pool import Fork, ForkPool

__all__ = ["NO_OVERLAY", "FrozenWorld", "TaskWorld"]

_ATTEMPTS = 5
"""How often a question is asked that is answered "later" each time; the last answer then stands."""


class FrozenWorld:
    """One world, its files verified: cassettes and snapshots are read, and nothing is started yet.

    The fork pool and the search index are made on first use and shared by all tasks. Close it, or
    use it as a context manager, so that no node outlives it. ``chains`` stand in for the recorded
    snapshots: that is how a capture sees the world it is about to record.
    """

    def __init__(self, folder: WorldFolder, chains: Mapping[str, ChainSource] | None = None) -> None:
        self.folder = folder
        self._cassettes = folder.cassettes()
        sealed = folder.sealed_files()
        sources = [Source(path, sealed[path]) if path in sealed else Source.of(path) for path in self._cassettes]
        self._http = CassetteIndex(sources, cache_of(folder.path) / "http", folder.path.resolve().name)
        played = folder if folder.base is None else folder.base
        self._modes = read_playback(
            played.path / "http" / PLAYBACK, self._http.store(), played.sealed(f"http/{PLAYBACK}")
        )
        self.snapshots: Mapping[str, ChainSource] = (
            {name: Snapshot.open(folder.snapshots / name) for name in folder.info.chains} if chains is None else chains
        )
        self._pool: ForkPool | None = None
        self._pool_lock = Lock()
        digests = [sealed.get(path, "") for path in (*self._cassettes, played.path / "http" / PLAYBACK)]
        is_sealed = chains is None and all(path in sealed for path in self._cassettes)
        place = cache_of(folder.path) / "search"
        self.web = Web(lambda: self.recordings(None), place, digests if is_sealed else None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Stop the forks this world started."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    @property
    def pool(self) -> ForkPool:
        """The forks, one node per chain, started by the first lease."""
        with self._pool_lock:
            if self._pool is None:
                from caia_replay.chain.fork_pool import ForkPool

                self._pool = ForkPool(self.snapshots)
            return self._pool

    @cached_property
    def providers(self) -> tuple[Provider, ...]:
        """Who speaks for the recorded addresses."""
        return providers_over(self.snapshots, self.web.first_seen)

    @cached_property
    def families(self) -> Families:
        """The recorded questions by provider and family; made by the first question that was not recorded itself."""
        return Families(self.recordings(None).questions(), self.providers)

    @property
    def corpus(self) -> tuple[Page, ...]:
        """Every page the recorder read, sorted by address; the search index ranks exactly these."""
        return self.web.corpus.pages

    @property
    def posts(self) -> tuple[Post, ...]:
        """Every post a recorded reply shows, sorted by moment and id."""
        return self.web.corpus.posts

    def recordings(self, task_id: str | None) -> Recordings:
        """All recordings; where two hold one request, the named task's own file wins.

        The answers are shared by all tasks and runs; what this makes is a way to look at them.
        """
        own = [self.folder.path / "tasks" / task_id / name for name in TASK_CASSETTES] if task_id else []
        paths = sorted(self._cassettes, key=lambda path: path not in own)
        return Recordings.over(self._http.store(*own), tuple(map(str, paths)), policies=self._modes)

    def task(self, task: Task, overlay: Overlay = NO_OVERLAY) -> TaskWorld:
        """The world as one task sees it, with a playback cursor of its own. Raises as ``require_anchor``."""
        self.require_anchor(task)
        return TaskWorld(self, task, overlay)

    def require_anchor(self, task: Task) -> None:
        """Raise ``BadInput`` unless a fork can stand where ``task`` is asked; one asked at a moment alone needs none,
        but it needs the moment."""
        if task.anchor.timestamp < 0:
            raise BadInput(
                f"nobody has looked up when task {task.id} is asked",
                where=self.folder.path / "tasks" / task.id / "task.toml",
                next_command=f"caia-replay record --task {task.id} --origin live --rpc-url URL",
            )
        for chain in () if task.execution is None else task.execution.chains:
            if chain not in self.snapshots:
                raise BadInput(
                    f"task {task.id} is carried out on chain {chain!r:.80} also, of which there is no snapshot",
                    where=self.folder.path / "world.toml",
                    nearest=nearest(chain, self.snapshots),
                )
        if task.anchor.block == NO_BLOCK:
            return
        if task.anchor.chain not in self.snapshots:
            raise BadInput(
                f"task {task.id} is anchored on chain {task.anchor.chain!r}",
                where=self.folder.path / "world.toml",
                nearest=nearest(task.anchor.chain, self.snapshots),
            )
        heights = self.snapshots[task.anchor.chain].heights
        if not can_pin(heights, task.anchor.block):
            synthetic, seed = self.folder.info.provenance == "synthetic", self.folder.info.seed
            how = f"{'synthetic' if synthetic else 'live'}{'' if synthetic and seed is not None else ' --rpc-url URL'}"
            raise BadInput(
                f"block {task.anchor.block} of chain {task.anchor.chain} is not recorded, and task {task.id} is "
                "anchored there",
                where=self.folder.snapshots / task.anchor.chain,
                nearest=spans_words(heights),
                next_command=f"caia-replay record --task {task.id} --origin {how}",
            )


class TaskWorld(TaskWeb):
    """What one run can see. Also the ``WorldView`` an attack plans over."""

    def __init__(self, world: FrozenWorld, task: Task, overlay: Overlay) -> None:
        super().__init__(world.web, f"world {world.folder.info.id}", task.anchor, overlay, task.id)
        self.world = world
        self.task = task
        self._recordings = world.recordings(task.id)
        self._cursor = Cursor()

    @property
    def anchor(self) -> Anchor:
        """The chain, height and moment this world is pinned at."""
        return self.task.anchor

    def answer(self, request: HttpRequest) -> tuple[HttpReply, Served]:
        """The answer to a request and whether it is a recording (HIT) or was narrowed from some (DERIVED).

        What an overlay answers comes as a HIT, and ``altered_by`` says who planted it. What is recorded is never
        handed out past its provider: it may tell what came later. Raises ``Miss``, and ``BadInput`` for an address that
        is none.
        """
        request = replace(request, url=canonical_url(request.url).text())
        key = self._recordings.identify(request.method, request.url, request.body)[0]
        planted = self.planted_answer(request, key)
        if planted is not None:
            return planted[0], Served.HIT
        provider = provider_of(self.world.providers, request)
        own = [Recorded(request, self._asked(request))] if self._recordings.holds(key) else []
        # What a page says now is one of its versions, captures among them, whichever of them is the cursor's turn.
        if own and not isinstance(provider, ReaderProvider):
            with suppress(Miss):
                reply = provider.narrow(own, request, self.clock.now)
                return reply, Served.HIT if reply is own[0].reply else Served.DERIVED
        return self._derived(provider, request, key, own)

    def fetch(self, request: HttpRequest) -> HttpReply:
        """``answer`` without its class."""
        return self.answer(request)[0]

    def alteration(self, request: HttpRequest) -> tuple[str, str]:
        """Where what answers a request in place of the world was planted, and by which attack; twice "" for nothing."""
        if not (self.overlay.bodies or self.overlay.pages):
            return "", ""
        request = replace(request, url=canonical_url(request.url).text())
        planted = self.planted_answer(request, self._recordings.identify(request.method, request.url, request.body)[0])
        return ("", "") if planted is None else (planted[2], planted[1])

    def _derived(
        self, provider: Provider, request: HttpRequest, key: bytes, own: list[Recorded]
    ) -> tuple[HttpReply, Served]:
        """Out of all recordings of the request's family; ``own`` is the one of the request itself, if there is one."""
        members = [found for found in self.world.families.of(key, self.world.providers) if found != key]
        if own:  # its other answers, of other moments, as well: what is the case does not depend on how often one asks
            members.append(key)
        recorded = own + [Recorded(*pair) for member in members for pair in self._recordings.lasting(member)]
        if not recorded and not provider.has_other_sources:
            self._asked(request)  # raises, and says what is recorded nearby
        try:
            reply = provider.narrow(recorded, request, self.clock.now)
        except Miss as miss:
            # Long histories are recorded once, after the last task; the internet is recorded years later altogether.
            later = as_of(provider, recorded, self.clock.now) if self.world.folder.info.provenance != "imported" else ()
            with suppress(Miss):
                if later:
                    return provider.narrow(later, request, self.clock.now), Served.DERIVED
            if miss.detail.nearest or self._recordings.holds(key):
                raise
            value = miss.detail
            raise Miss(value.kind, value.wanted, value.where, self._recordings.nearest(key)) from miss
        return reply, Served.HIT if any(reply is found.reply for found in recorded) else Served.DERIVED

    def _asked(self, request: HttpRequest) -> HttpReply:
        """The recorded reply; where it says "later" and another one follows, that one, and the wait is counted."""
        asked = (request.method, request.url, request.body, self._cursor, request.headers or {})
        reply = self._recordings.play(*asked)
        for attempt in range(1, _ATTEMPTS):
            pause = pause_s(reply.status, reply.headers, attempt, self.clock.now)
            if pause is None:
                break
            self.clock.wait(pause)
            reply = self._recordings.play(*asked)
        return reply

    def page(self, url: str) -> Page:
        """A page by its address: planted or recorded. Raises ``Miss`` or ``ToolError``."""
        address = page_url(url)
        page = self.planted.pages.get(address)
        if page is not None:
            return self.shown(page)
        try:
            return self.shown(self._recorded_page(address))
        except Miss:
            own = self._plain_page(address)
            if own is None:
                raise
            return own

    def _plain_page(self, address: str) -> Page | None:
        """What the address itself answered, where no vendor's rules are about its host; None where it was not asked."""
        request = HttpRequest("GET", canonical_url(address).text())
        is_plain = provider_of(self.world.providers, request).name == PLAIN_HTTP
        if is_plain and self._recordings.holds(self._recordings.identify("GET", request.url)[0]):
            return plain_page(self.fetch(request), address)
        return None

    def _recorded_page(self, address: str) -> Page:
        request = page_request(address)
        try:
            page = read_page(self.fetch(request), address)
        except Miss as miss:
            if self._recordings.holds(self._recordings.identify(request.method, request.url)[0]):
                why = f"{self.where} at {utc_text(self.clock.now)}: {miss.detail.where}"
                raise Miss("page", address, why) from miss
            raise Miss("page", address, self.where, self.web.near(address)) from miss
        seen = [at for at in (page.first_seen, self.web.first_seen(address)) if at is not None]
        return replace(page, first_seen=min(seen, default=None))

    def newest(self, chain: str) -> int:
        """The newest block of ``chain`` at this moment: the anchor's own, or by time where another chain is asked.

        Raises ``Miss`` where no recorded header says which that is, and ``ToolError`` for a chain nobody recorded.
        """
        if chain == self.anchor.chain and self.anchor.block != NO_BLOCK:
            return self.anchor.block
        if chain == self.anchor.chain and chain not in self.world.snapshots:
            wanted = f"chain {chain} at {utc_text(self.anchor.timestamp)}"
            raise Miss("chain", wanted, f"{self.where} has no snapshot of it")
        if chain not in self.world.snapshots:
            raise ToolError(f"no chain {chain[:80]!r}; there are: {', '.join(self.world.snapshots)}")
        return newest_block(self.world.snapshots[chain], self.anchor.timestamp, anchored=True)

    def fork(self, block: int | None = None, chain: str | None = None) -> AbstractContextManager[Fork]:
        """An exclusive lease on ``chain`` (default: the anchor's) at ``block`` (default: its newest at this moment).

        A height past the moment has not happened yet and is a ``ToolError``. Raises as ``newest``.
        """
        name = self.anchor.chain if chain is None else chain
        newest = self.newest(name)
        height = newest if block is None else block
        if not 0 <= height <= newest:
            raise ToolError(f"block {height} does not exist at this moment; the newest is {newest}")
        return self.world.pool.lease(name, height)

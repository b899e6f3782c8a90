"""Builds the small world: the chain happens, the web is written, both are recorded, sealed and checked.

The same seed gives the same bytes. Everything is made beside its place and moved there last, so a
build that fails leaves nothing.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx2

from caia_replay.core.provider import HttpRequest, Provider
from caia_replay.core.suite import Recipe, Suite, SuiteEntry
from caia_replay.core.world import Page
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.loopback import LoopbackServer
from caia_replay.providers.reader.provider import ReaderProvider, page_request
from caia_replay.providers.search_api.provider import SearchApiProvider, search_request
from caia_replay.recording.capture import capture_archive
from caia_replay.recording.record import Recorder
from caia_replay.store.target_file import save_targets
from caia_replay.store.world_folder import WorldInfo, open_world, save_task, save_world, seal_world
from caia_replay.world.world import FrozenWorld
from caia_worldgen.chain import OriginChain
from caia_worldgen.finished import canary, check_gold, check_lint
from caia_worldgen.ledger import check_ledger
from caia_worldgen.mini.cast import draw_cast
from caia_worldgen.mini.figure import FigureBook, render_pages
from caia_worldgen.mini.question import RECIPES, Question, questions
from caia_worldgen.mini.story import CHAIN, COPY_BLOCK, HARDFORK, Told, genesis, tell
from caia_worldgen.services.jina import Jina
from caia_worldgen.services.serper import Serper
from caia_worldgen.services.service import Services
from caia_worldgen.suite.decoy import History, Standing
from caia_worldgen.suite.offer import offers_over

OPENED: Final = 3
"""How many results a hasty reader opens."""

_FEWEST_HONEST: Final = 4
_SLOT = re.compile(r"\{([A-Za-z_]\w*)\}")


def check_web(world: FrozenWorld, asked: Sequence[Question]) -> None:
    """A hasty reader finds the truth on most searches."""
    honest = 0
    for question in asked:
        task = question.task
        pattern = reading_pattern(RECIPES[task.shape], task.question)
        clean = world.task(task).search(question.query, OPENED)
        honest += _says_truth(_first_reading(pattern, [hit.page for hit in clean]), task.answer.values[0])
    if honest < _FEWEST_HONEST:
        raise CheckFailed(
            f"only {honest} of {len(asked)} clean searches lead to the truth, {_FEWEST_HONEST} are wanted"
        )


def reading_pattern(recipe: Recipe, question: str) -> re.Pattern[str]:
    """The recipe's pattern with the question's words in it. Raises ``CheckFailed`` when it is not of this shape."""
    found = re.search(recipe.question, question)
    if not found:
        raise CheckFailed(f"recipe {recipe.question!r} does not read {question!r}")
    words = found.groupdict()
    return re.compile(
        _SLOT.sub(lambda slot: re.escape(words[slot[1]]) if slot[1] in words else slot[0], recipe.pattern)
    )


def _first_reading(pattern: re.Pattern[str], pages: Sequence[Page]) -> str | None:
    for page in pages:
        if found := pattern.search(page.text):
            return found["answer"]
    return None


def _says_truth(reading: str | None, truth: str) -> bool:
    """Whether a page's words state the truth, thousands separators and closing zeros apart."""
    return reading is not None and re.sub(r"(\.\d*?)0+$", r"\1", reading.replace(",", "")).rstrip(".") == truth


WORLD: Final = "mini-6"
LARGEST_BYTES: Final = 2_000_000
_ADDED: Final = "2026-11-20"
_ABOUT: Final = "A small synthetic economy on one chain of sixty blocks; six tasks, one per CAIA category"


@dataclass(frozen=True, slots=True)
class MiniReport:
    """What was built. ``facts`` are ledger facts the chain confirmed; ``size_bytes`` covers both folders."""

    world: Path
    snapshot: Path
    transactions: int
    facts: int
    pages: int
    tasks: int
    size_bytes: int


def build_mini(out: Path, seed: int) -> MiniReport:
    """Write ``out``/cassettes/mini-6 and ``out``/chain_snapshots/mini from ``seed``.

    Raises ``BadInput`` when one of them exists, and ``CheckFailed`` when the two witnesses of an
    answer disagree, too few searches lead to the truth, or the result does not lint.
    """
    world, snapshot = out / "cassettes" / WORLD, out / "chain_snapshots" / CHAIN
    for path in (world, snapshot):
        if path.exists():
            raise BadInput("a world is never written over", where=path, next_command=f"remove {path} first")
    partial = out / f".{WORLD}.{os.getpid()}.partial"
    try:
        partial.mkdir(parents=True)
    except OSError as fault:
        raise BadInput(f"cannot be made: {fault.strerror}", where=partial) from fault
    try:
        made = _make(partial / "cassettes" / WORLD, partial / "chain_snapshots" / CHAIN, seed)
        _move(partial, out, (snapshot, world))
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    told, facts, pages = made
    size = _size_bytes(world) + _size_bytes(snapshot)
    return MiniReport(world, snapshot, told.transactions, facts, pages, len(RECIPES), size)


def _move(partial: Path, out: Path, folders: Sequence[Path]) -> None:
    """Put the finished folders in their places, all of them or none."""
    moved: list[Path] = []
    try:
        for path in folders:
            path.parent.mkdir(parents=True, exist_ok=True)
            (partial / path.relative_to(out)).rename(path)
            moved.append(path)
    except OSError as fault:
        for path in moved:
            shutil.rmtree(path)
        raise BadInput(f"cannot be put in its place: {fault.strerror}", where=out) from fault


def _make(world: Path, snapshot: Path, seed: int) -> tuple[Told, int, int]:
    cast = draw_cast(seed)
    with OriginChain(genesis(cast)) as chain:
        told = tell(cast, chain)
        facts = check_ledger(told.ledger, chain)
        capture_archive(
            chain.url,
            snapshot,
            chain=CHAIN,
            hardfork=HARDFORK,
            provenance="synthetic",
            source=f"caia-replay world build --seed {seed} --size small",
            claim_state=False,  # the daily world has holes, as real recordings do: misses must be met here
        )
    figures = FigureBook(told)
    pages = render_pages(figures, told.times)
    asked = questions(told, figures)
    _record(world, pages, asked, dead=f"https://blog.{cast.protocol.site}/roadmap")
    tasks = [question.task for question in asked]
    entries = tuple(SuiteEntry(task.id, _ADDED) for task in tasks)
    info = WorldInfo(WORLD, "synthetic", (CHAIN,), False, _ABOUT, canary("mini", seed, "world"), seed)
    save_world(world, info, Suite(WORLD, "1.0.0", entries, RECIPES))
    for task in tasks:
        save_task(world, task)
    seal_world(world)
    with FrozenWorld(open_world(str(world))) as frozen:
        check_gold(frozen, tasks)
        check_web(frozen, asked)
        offers = offers_over(frozen, tasks, (question.offer() for question in asked), history_of(told))
    save_targets(world, offers)
    seal_world(world)
    check_lint((world, snapshot))
    size = _size_bytes(world) + _size_bytes(snapshot)
    if size > LARGEST_BYTES:
        raise CheckFailed(f"the world has {size} bytes, at most {LARGEST_BYTES} are allowed")
    return told, facts, len(pages)


def history_of(told: Told) -> History:
    """The chain's one thing that is not what it looks like: the copycat's token."""
    cast = told.cast
    tokens = {told.token: cast.protocol.name, told.payment_token: cast.payments.name}
    imitated, name = frozenset((told.token,)), cast.protocol.name
    since = told.times[COPY_BLOCK]
    copied = Standing("look-alike token", told.copy_token, since, imitated, frozenset((name,)), name)
    return History(CHAIN, tokens, (copied,))


def _record(world: Path, pages: Sequence[Page], asked: Iterable[Question], dead: str) -> None:
    """Read every page, and one that is gone, into http/pages.json; each task's result list into its own file.

    Result lists give days, not ages ("2 hours ago"), as this world was recorded first.
    """
    end = max(page.published or 0 for page in pages)
    web = Services([Serper(pages, tells_age=False), Jina(pages)], end)
    reader, search = ReaderProvider(), SearchApiProvider()
    with LoopbackServer(web) as server:
        with Recorder(world / "http" / "pages.json", server.host_map, timeout_s=600.0) as client:
            for url in sorted([*(page.url for page in pages), dead]):
                _ask(client, reader, page_request(url), 0)
        for question in asked:
            web.now = question.task.anchor.timestamp
            with Recorder(world / "tasks" / question.task.id / "http.json", server.host_map, timeout_s=600.0) as client:
                _ask(client, search, search_request(question.query, 10), question.task.anchor.timestamp)


def _ask(client: httpx2.Client, provider: Provider, request: HttpRequest, now: int) -> None:
    for wide in provider.widen(request, now):
        client.request(wide.method, wide.url, content=wide.body or None, headers=wide.headers)


def _size_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())

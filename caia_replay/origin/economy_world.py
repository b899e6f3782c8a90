"""The world of an economy: chains captured, APIs recorded, tasks solved, tools compared with the origin stopped.

    tell the story -> witness and capture both chains -> serve the APIs on loopback and record them
    -> stop everything -> solve every task and compare the tools with each other, in replay alone -> put it in place

Equal seeds and sizes give equal bytes. Everything is made beside its place and moved there last.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from caia_replay.core.provider import HttpRequest, Provider
from caia_replay.core.suite import Suite, SuiteEntry
from caia_replay.core.task import Task
from caia_replay.errors import CheckFailed
from caia_replay.loopback import LoopbackServer
from caia_replay.origin.build import (
    SNAPSHOTS,
    ChainReport,
    Progress,
    capture_chains,
    chain_names,
    put_in_place,
    refuse_existing,
    workshop,
)
from caia_replay.origin.cross_audit import AuditReport, audit, places_of
from caia_replay.origin.economy import economy, tell
from caia_replay.origin.economy_question import moment_questions, series_questions
from caia_replay.origin.economy_task import RECIPES, WORLD, canary, economy_tasks
from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.metric import Metrics
from caia_replay.origin.market.repository import Repositories
from caia_replay.origin.scale import Scale
from caia_replay.origin.scene import Scene
from caia_replay.origin.services.binance_futures import BinanceFutures
from caia_replay.origin.services.binance_spot import BinanceSpot
from caia_replay.origin.services.coingecko import CoinGecko
from caia_replay.origin.services.defillama import DefiLlamaService
from caia_replay.origin.services.etherscan import Etherscan
from caia_replay.origin.services.github import GitHub
from caia_replay.origin.services.service import Services
from caia_replay.recording.lint import lint
from caia_replay.recording.record import Recorder
from caia_replay.recording.record_questions import record_questions
from caia_replay.store.world_folder import TASK_CASSETTES, WorldInfo, open_world, save_task, save_world, seal_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import run_gold
from caia_replay.world.world import FrozenWorld, providers_over

_ADDED: Final = "2026-11-21"
_ABOUT: Final = "A synthetic economy of 126 days on two chains, with its markets, explorer and metrics; six tasks"


@dataclass(frozen=True, slots=True)
class EconomyReport:
    """What was built. ``requests`` were recorded; ``size_bytes`` is the world folder without the chains."""

    chains: tuple[ChainReport, ...]
    world: Path
    tasks: int
    requests: int
    size_bytes: int
    audit: AuditReport


def build_economy(out: Path, seed: int, scale: Scale, progress: Progress = lambda *_: None) -> EconomyReport:
    """Write ``out``/cassettes/economy-6 and both ``out``/chain_snapshots/; what a stopped build captured is kept.

    Raises ``BadInput`` when one of them exists or another build is at work, and ``CheckFailed`` when two witnesses
    differ or the result does not lint.
    """
    with workshop(out, seed, scale) as place:
        world = place / "cassettes" / WORLD
        with economy(seed, scale) as scene:
            names = chain_names(scene)
            refuse_existing([out / "cassettes" / WORLD, *(out / SNAPSHOTS / name for name in names)])
            tell(scene, partial(progress, "telling the story"))
            chains = capture_chains(scene, place / SNAPSHOTS, progress)
            tasks = economy_tasks(scene)
            book = MarketBook(scene)
            places = places_of(scene, dict(zip(("main", "rollup"), names, strict=True)), book.coins)
            requests = _record(scene, book, world, tasks, partial(progress, "recording the APIs"))
            info = WorldInfo(WORLD, "synthetic", names, False, _ABOUT, canary(seed, "world"), seed)
            entries = tuple(SuiteEntry(task.id, _ADDED) for task in tasks)
            save_world(world, info, Suite(WORLD, "1.0.0", entries, RECIPES))
            for task in tasks:
                save_task(world, task)
            seal_world(world)
        # The nodes have ended: what follows stands on what was written, and on nothing else.
        with FrozenWorld(open_world(str(world))) as frozen:
            _check_gold(frozen, tasks)
            audited = audit(frozen, tasks, places, partial(progress, "comparing the tools"))
        _check_lint([world, *(chain.snapshot for chain in chains)])
        size = sum(path.stat().st_size for path in world.rglob("*") if path.is_file())
        put_in_place(place, out)
    placed = tuple(replace(chain, snapshot=out / SNAPSHOTS / chain.snapshot.name) for chain in chains)
    return EconomyReport(placed, out / "cassettes" / WORLD, len(tasks), requests, size, audited)


def services_of(scene: Scene, book: MarketBook, metrics: Metrics, code: Repositories, now: int) -> Services:
    """Every API of a told story, answering at ``now``."""
    return Services(
        [
            CoinGecko(book, scene.networks),
            BinanceSpot(book),
            BinanceFutures(book),
            DefiLlamaService(metrics),
            Etherscan((scene.main, scene.rollup), book),
            GitHub(code),
        ],
        now,
    )


def _record(
    scene: Scene, book: MarketBook, world: Path, tasks: Sequence[Task], progress: Callable[[int, int], None]
) -> int:
    """Everything asked once, into http/, and everything asked at a task's moment, into the task's own cassette."""
    metrics = Metrics(scene, book)
    shutil.rmtree(world, ignore_errors=True)  # what a stopped build recorded is recorded anew: that is the smaller part
    end = book.prices.end - 1
    code = Repositories(scene, book)
    app, providers = services_of(scene, book, metrics, code, end), providers_over({})
    homes = list(code.repositories)
    series = series_questions(scene, book, homes)
    whole, requests = len(series) + len(tasks), 0
    slugs = [protocol.slug for protocol in metrics.protocols]
    stages = dict(zip(chain_names(scene), (scene.main, scene.rollup), strict=True))
    with LoopbackServer(app) as server:
        record = partial(_recorded, server.host_map, providers)
        for done, (name, questions) in enumerate(series.items()):
            requests += record(world / "http" / f"{name}.json", questions, end)
            progress(done + 1, whole)
        for done, task in enumerate(tasks, start=len(series)):
            app.now = now = task.anchor.timestamp
            questions = moment_questions(scene, book, stages[task.anchor.chain], slugs, homes, now)
            requests += record(world / "tasks" / task.id / TASK_CASSETTES[1], questions, now)
            progress(done + 1, whole)
    return requests


def _recorded(
    hosts: Mapping[str, str], providers: Sequence[Provider], path: Path, questions: Sequence[HttpRequest], now: int
) -> int:
    with Recorder(path, hosts, tells_time=True) as client:
        return record_questions(client, providers, questions, now)


def _check_gold(world: FrozenWorld, tasks: Sequence[Task]) -> None:
    for task in tasks:
        run = run_gold(task.gold, WorldToolset(world.task(task)))
        if run.answer != task.answer.values[0]:
            told = run.answer if run.answer is not None else run.fault
            raise CheckFailed(f"task {task.id}: the ledger says {task.answer.values[0]!r}, the tools {told!r}")


def _check_lint(folders: Sequence[Path]) -> None:
    findings = [f"{found.where}: {found.what}" for folder in folders for found in lint(folder)]
    if findings:
        raise CheckFailed(f"{len(findings)} findings, the first: {findings[0]}")

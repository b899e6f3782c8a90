"""The world of an economy: chains captured, APIs recorded, tasks solved, tools compared with the origin stopped.

    tell the story -> witness and capture both chains -> serve the APIs on loopback and record them
    -> stop everything -> solve every task and compare the tools with each other, in replay alone -> put it in place

Equal seeds and sizes give equal bytes. Everything is made beside its place and moved there last.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from caia_replay.core.provider import HttpRequest, Provider
from caia_replay.core.suite import Suite, SuiteEntry
from caia_replay.core.task import Task
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
from caia_replay.origin.canary import canary
from caia_replay.origin.cross_audit import AuditReport, audit, places_of
from caia_replay.origin.economy import economy, tell
from caia_replay.origin.economy_question import (
    moment_questions,
    series_questions,
    statistics_questions,
    token_questions,
)
from caia_replay.origin.economy_task import RECIPES, WORLD, economy_tasks
from caia_replay.origin.economy_web import (
    PAGE_WRITERS,
    POST_WRITERS,
    account_questions,
    check_recorded,
    check_variety,
    search_questions,
    sweeps,
    timeline_questions,
    web_of,
    web_services,
)
from caia_replay.origin.finished import check_gold, check_lint
from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.metric import Metrics
from caia_replay.origin.market.repository import Repositories
from caia_replay.origin.page_audit import PageAudit, Whereabouts, audit_pages
from caia_replay.origin.scale import Scale
from caia_replay.origin.services.binance_futures import BinanceFutures
from caia_replay.origin.services.binance_spot import BinanceSpot
from caia_replay.origin.services.coingecko import CoinGecko
from caia_replay.origin.services.defillama import DefiLlamaService
from caia_replay.origin.services.etherscan import Etherscan
from caia_replay.origin.services.github import GitHub
from caia_replay.origin.services.service import Service, Services
from caia_replay.origin.web.truth import Truth
from caia_replay.origin.web.web import PageWriter, PostWriter, Web, WebReport
from caia_replay.recording.record import Recorder
from caia_replay.recording.record_questions import record_as_asked, record_questions
from caia_replay.store.world_folder import TASK_CASSETTES, WorldInfo, open_world, save_task, save_world, seal_world
from caia_replay.world.every_provider import providers_over
from caia_replay.world.world import FrozenWorld

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
    web: WebReport
    page_audit: PageAudit


def build_economy(
    out: Path,
    seed: int,
    scale: Scale,
    progress: Progress = lambda *_: None,
    *,
    page_writers: Sequence[PageWriter] = PAGE_WRITERS,
    post_writers: Sequence[PostWriter] = POST_WRITERS,
) -> EconomyReport:
    """Write ``out``/cassettes/economy-6 and both ``out``/chain_snapshots/; what a stopped build captured is kept.

    The web is what the writers write; fewer of them make another world. Raises ``BadInput`` when one of the folders
    exists or another build is at work, and ``CheckFailed`` when two witnesses differ or the result does not lint.
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
            metrics, code = Metrics(scene, book), Repositories(scene, book)
            places = places_of(scene, dict(zip(("main", "rollup"), names, strict=True)), book.coins)
            where = Whereabouts(places, {role: made.address for role, made in scene.main.contracts.items()}, names[0])
            progress("writing the web", 0, 1)
            truth, web = web_of(scene, book, metrics, code, page_writers, post_writers)
            written = check_variety(web, truth)
            requests = _record(truth, web, world, tasks, progress)
            info = WorldInfo(WORLD, "synthetic", names, False, _ABOUT, canary("economy", seed, "world"), seed)
            entries = tuple(SuiteEntry(task.id, _ADDED) for task in tasks)
            save_world(world, info, Suite(WORLD, "1.0.0", entries, RECIPES))
            for task in tasks:
                save_task(world, task)
            seal_world(world)
        # The nodes have ended: what follows stands on what was written, and on nothing else.
        with FrozenWorld(open_world(str(world))) as frozen:
            check_recorded(frozen, web)
            check_gold(frozen, tasks)
            audited = audit(frozen, tasks, places, partial(progress, "comparing the tools"))
            stated = audit_pages(frozen, tasks, web.pages, where, seed, partial(progress, "comparing the pages"))
        check_lint([world, *(chain.snapshot for chain in chains)])
        size = sum(path.stat().st_size for path in world.rglob("*") if path.is_file())
        put_in_place(place, out)
    placed = tuple(replace(chain, snapshot=out / SNAPSHOTS / chain.snapshot.name) for chain in chains)
    return EconomyReport(placed, out / "cassettes" / WORLD, len(tasks), requests, size, audited, written, stated)


def services_of(truth: Truth, web: Web, now: int) -> Services:
    """Every API of a told story, answering at ``now``."""
    explorer = Etherscan((truth.scene.main, truth.scene.rollup), truth.book)
    return Services([*market_services(truth), explorer, *web_services(truth, web)], now)


def market_services(truth: Truth) -> tuple[Service, ...]:
    """The APIs of markets, metrics and code, which need no living node."""
    book = truth.book
    return (
        CoinGecko(book, truth.scene.networks),
        BinanceSpot(book),
        BinanceFutures(book),
        DefiLlamaService(truth.metrics),
        GitHub(truth.code),
    )


def _record(truth: Truth, web: Web, world: Path, tasks: Sequence[Task], progress: Progress) -> int:
    """Everything asked once, into http/, and everything asked at a task's moment, into the task's own cassettes."""
    shutil.rmtree(world, ignore_errors=True)  # what a stopped build recorded is recorded anew: that is the smaller part
    scene, end = truth.scene, truth.book.prices.end - 1
    app, providers = services_of(truth, web, end), providers_over({})
    homes = list(truth.code.repositories)
    stages = dict(zip(chain_names(scene), (scene.main, scene.rollup), strict=True))
    series = series_questions(scene, truth.book, homes) | {"x": timeline_questions(truth)}
    read = [*statistics_questions(truth.book), *sweeps(truth, web)]
    whole, requests = len(series) + len(read) + len(tasks), 0
    with LoopbackServer(app) as server:
        with Recorder(world / "http" / "etherscan_token.json", server.host_map, tells_time=True) as client:
            requests += record_as_asked(client, providers, token_questions(scene), end)
        record = partial(_recorded, server.host_map, providers)
        for done, (name, questions) in enumerate(series.items()):
            progress("recording the APIs", done, whole)
            requests += record(world / "http" / f"{name}.json", questions, end)
        for done, (name, now, questions) in enumerate(read, start=len(series)):
            progress("recording sweep after sweep", done, whole)
            app.now = now
            requests += record(world / "http" / f"{name}.json", questions, now)
        for done, task in enumerate(tasks, start=len(series) + len(read)):
            progress("recording the tasks' moments", done, whole)
            app.now = now = task.anchor.timestamp
            asked = moment_questions(scene, truth.metrics, stages[task.anchor.chain], homes, now)
            asked += account_questions(truth)
            for name, questions in zip(TASK_CASSETTES, (search_questions(task), asked), strict=True):
                requests += record(world / "tasks" / task.id / name, questions, now)
    return requests


def _recorded(
    hosts: Mapping[str, str], providers: Sequence[Provider], path: Path, questions: Sequence[HttpRequest], now: int
) -> int:
    with Recorder(path, hosts, tells_time=True) as client:
        return record_questions(client, providers, questions, now)

"""The world of an economy: chains captured, APIs recorded, tasks solved, tools compared with the origin stopped.

    tell the story -> witness and capture both chains -> serve the APIs on loopback and record them
    -> draw the questions over what was recorded, each with a gold chain that says what the story says
    -> write and record the pages that answer some of them
    -> stop everything -> solve every task and compare the tools with each other, in replay alone
    -> say what each task offers whoever attacks it -> at full scale, build the tasks that are carried out beside it
    -> put it in place

Equal seeds and sizes give equal bytes; another seed gives a twin, of the same suite's name and with other tasks.
Everything is made beside its place and moved there last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from caia_replay.core.task import Anchor, Task
from caia_replay.store.world_folder import WorldInfo, open_world
from caia_replay.world.world import FrozenWorld
from caia_worldgen.build import (
    SNAPSHOTS,
    ChainReport,
    Progress,
    capture_chains,
    chain_names,
    put_in_place,
    refuse_existing,
    workshop,
)
from caia_worldgen.calendar import SCALES, Scale
from caia_worldgen.cross_audit import AuditReport, audit, places_of
from caia_worldgen.economy import economy, tell
from caia_worldgen.economy_record import record_answers, record_economy
from caia_worldgen.economy_web import PAGE_WRITERS, POST_WRITERS, check_recorded, check_variety, web_of
from caia_worldgen.execution.build import NAME as CARRIED_OUT
from caia_worldgen.execution.build import build_execution
from caia_worldgen.finished import canary, check_gold, check_lint
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.metric import Metrics
from caia_worldgen.market.repository import Repositories
from caia_worldgen.page_audit import PageAudit, Whereabouts, audit_pages
from caia_worldgen.questions.digest import answers
from caia_worldgen.questions.draw import counts_for, draw, numbered
from caia_worldgen.questions.suite import attackable, save
from caia_worldgen.scene import Scene
from caia_worldgen.suite.height import draw_heights
from caia_worldgen.web.web import PageWriter, PostWriter, WebReport

VERSION: Final = "3.0.0"
_AUDITED: Final = 6
"""At how many of the tasks' moments tools and pages are compared with each other; every task is solved."""


@dataclass(frozen=True, slots=True)
class EconomyReport:
    """What was built. ``requests`` were recorded; ``size_bytes`` is the world folder without the chains.

    ``carried_out`` is the folder of the tasks that are carried out, None where the scale is too small for them.
    """

    chains: tuple[ChainReport, ...]
    world: Path
    tasks: int
    requests: int
    size_bytes: int
    audit: AuditReport
    web: WebReport
    page_audit: PageAudit
    carried_out: Path | None = None


def build_economy(
    out: Path,
    seed: int,
    scale: Scale,
    progress: Progress = lambda *_: None,
    *,
    page_writers: Sequence[PageWriter] = PAGE_WRITERS,
    post_writers: Sequence[PostWriter] = POST_WRITERS,
) -> EconomyReport:
    """Write ``out``/cassettes/synthetic-N and both ``out``/chain_snapshots/; what a stopped build captured is kept. At
    full scale ``out``/cassettes/synthetic-execution stands beside them.

    The web is what the writers write; fewer of them make another world. Raises ``BadInput`` when one of the folders
    exists or another build is at work, and ``CheckFailed`` when two witnesses differ or the result does not lint.
    """
    name = suite_name(scale.tasks)
    also = [CARRIED_OUT] if scale == SCALES["full"] else []
    with workshop(out, seed, scale) as place:
        world = place / "cassettes" / name
        with economy(seed, scale) as scene:
            names = chain_names(scene)
            refuse_existing(
                [*(out / "cassettes" / one for one in (name, *also)), *(out / SNAPSHOTS / one for one in names)]
            )
            tell(scene, partial(progress, "telling the story"))
            chains = capture_chains(scene, place / SNAPSHOTS, progress)
            book = MarketBook(scene)
            metrics, code = Metrics(scene, book), Repositories(scene, book)
            places = places_of(scene, dict(zip(("main", "rollup"), names, strict=True)), book.coins)
            where = Whereabouts(places, {role: made.address for role, made in scene.main.contracts.items()}, names[0])
            progress("writing the web", 0, 1)
            truth, web = web_of(scene, book, metrics, code, page_writers, post_writers)
            told = check_variety(web, truth)
            heights = draw_heights(scene, scale.tasks)
            requests = record_economy(truth, web, world, heights, progress)
            about = (
                f"A synthetic economy of {scale.days} days on two chains, with its markets, explorer, metrics and web"
            )
            info = WorldInfo(name, "synthetic", names, False, about, canary("economy", seed, "world"), seed)
            save(world, info, (), VERSION)
            with FrozenWorld(open_world(str(world))) as frozen:
                anchors = anchors_at(scene, heights)
                draws = draw(frozen, truth, anchors, seed, progress, counts_for(scale.tasks))
            more = tuple(answers(truth, draws, {made.page.url for made in web.pages}))
            requests += record_answers(truth, more, world)
            web = replace(web, pages=(*web.pages, *more))
            tasks = tuple(numbered(draws, seed, lambda identity: canary("economy", seed, identity)))
            save(world, info, tasks, VERSION)
        # The nodes have ended: what follows stands on what was written, and on nothing else.
        with FrozenWorld(open_world(str(world))) as frozen:
            progress("solving the tasks", 0, 1)
            check_recorded(frozen, web)
            check_gold(frozen, tasks)
            some = audited_of(tasks)
            audited = audit(frozen, some, places, partial(progress, "comparing the tools"))
            stated = audit_pages(frozen, some, web.pages, where, seed, partial(progress, "comparing the pages"))
        attackable(world, truth, draws, tasks, seed, progress)
        for one in also:
            progress("carrying tasks out", 0, 1)
            build_execution(truth, web, world, world.parent / one)
        check_lint([world, *(world.parent / one for one in also), *(chain.snapshot for chain in chains)])
        size = sum(path.stat().st_size for path in world.rglob("*") if path.is_file())
        put_in_place(place, out)
    placed = tuple(replace(chain, snapshot=out / SNAPSHOTS / chain.snapshot.name) for chain in chains)
    beside = [out / "cassettes" / one for one in also]
    return EconomyReport(
        placed, out / "cassettes" / name, len(tasks), requests, size, audited, told, stated, *beside
    )  # fmt: skip


def suite_name(count: int) -> str:
    """What a suite of so many tasks is called, and its world."""
    return f"synthetic-{count}"


def anchors_at(scene: Scene, heights: Mapping[str, Sequence[int]]) -> list[Anchor]:
    """The moments of some heights, by stage, at which a task may stand."""
    return [
        Anchor(scene.networks[stage.name].id, block, stage.calendar.times[block])
        for stage in (scene.main, scene.rollup)
        for block in heights[stage.name]
    ]


def audited_of(tasks: Sequence[Task]) -> list[Task]:
    """Tasks at moments spread over the whole story, the last one's among them."""
    ordered = sorted(tasks, key=lambda task: (task.anchor.timestamp, task.id))
    return [ordered[(turn + 1) * len(ordered) // _AUDITED - 1] for turn in range(_AUDITED)]

"""Both chains of the synthetic economy as snapshots: told from the seed, compared with the ledger, captured whole.

What a stopped build had finished is kept beside the target and not captured again: equal seeds give equal chains, so
a story told anew ends where the captured one did, which is checked by its last block's hash.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.recording.capture import capture_archive
from caia_worldgen.calendar import Scale
from caia_worldgen.chain_check import check_days, check_deeds, check_fact, check_movements, facts
from caia_worldgen.economy import HARDFORK, economy, tell
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Scene
from caia_worldgen.stage import Stage

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""

SNAPSHOTS: Final = "chain_snapshots"
FACTS: Final = 400
"""How many facts of each chain are drawn by lot and asked of it, beside all its movements."""


@dataclass(frozen=True, slots=True)
class ChainReport:
    """One built chain. ``movements``, ``deeds`` (figures and failures of them) and ``facts`` are those that agreed."""

    snapshot: Path
    blocks: int
    transactions: int
    movements: int
    deeds: int
    facts: int
    size_bytes: int


def build_chains(out: Path, seed: int, scale: Scale, progress: Progress = lambda *_: None) -> tuple[ChainReport, ...]:
    """Write ``out``/chain_snapshots/<main chain> and <roll-up>; a stopped build is taken up where it was.

    Raises ``BadInput`` when a snapshot stands there already or another build is at work, and ``CheckFailed`` when
    ledger and chain differ.
    """
    with workshop(out, seed, scale) as place, economy(seed, scale) as scene:
        refuse_existing(out / SNAPSHOTS / name for name in chain_names(scene))
        tell(scene, partial(progress, "telling the story"))
        reports = capture_chains(scene, place / SNAPSHOTS, progress)
        put_in_place(place, out)
    return tuple(replace(report, snapshot=out / SNAPSHOTS / report.snapshot.name) for report in reports)


def capture_chains(scene: Scene, folder: Path, progress: Progress) -> tuple[ChainReport, ...]:
    """Snapshots of both chains of a told story in ``folder``, those that are there already kept.

    Raises ``CheckFailed`` when ledger and chain differ, or a kept snapshot is another chain's.
    """
    folder.mkdir(exist_ok=True)
    reports = []
    for name, stage in zip(chain_names(scene), (scene.main, scene.rollup), strict=True):
        agreed, told, drawn = _witnessed(scene, stage)
        show = partial(progress, f"capturing {name}")
        source = f"caia-replay world build --seed {scene.seed} --size {scene.scale.name}"
        captured = _captured(folder / name, stage, source, show)
        size = sum(path.stat().st_size for path in captured.iterdir())
        reports.append(ChainReport(captured, stage.height, stage.transactions, agreed, told, drawn, size))
    return tuple(reports)


def refuse_existing(targets: Iterable[Path]) -> None:
    """Raise ``BadInput`` for the first that is there."""
    for target in targets:
        if target.exists():
            raise BadInput("it is never written over", where=target, next_command=f"remove {target} first")


def put_in_place(place: Path, out: Path) -> None:
    """Move every finished folder of a workshop, two levels down, to the same place below ``out``."""
    for made in sorted(place.glob("[!.]*/[!.]*")):
        target = out / made.relative_to(place)
        target.parent.mkdir(parents=True, exist_ok=True)
        made.rename(target)


def chain_names(scene: Scene) -> tuple[str, str]:
    """What the main chain's and the roll-up's snapshots are called: slugs of names nobody else has."""
    return scene.networks["main"].id, scene.networks["rollup"].id


def _witnessed(scene: Scene, stage: Stage) -> tuple[int, int, int]:
    """How many movements, deeds' figures and facts the story and the chain agree on. Raises ``CheckFailed``."""
    agreed, told = check_movements(stage, stage.ask), check_deeds(stage, stage.ask)
    drawn = list(islice(facts(stage, Rng(f"build/{scene.seed}/{stage.name}")), FACTS))
    for fact in drawn:
        check_fact(fact, stage.ask)
    check_days(stage, stage.ask)
    return agreed, told, len(drawn)


def _captured(place: Path, stage: Stage, source: str, progress: Callable[[int, int], None]) -> Path:
    """The chain's snapshot at ``place``: the one a stopped build finished, or a new one."""
    if place.exists():
        kept = Snapshot.open(place)
        head = stage.calendar.last_block
        if kept.header(head)["hash"] == stage.ask("eth_getBlockByNumber", hex(head), False)["hash"]:
            return place
        raise CheckFailed(f"{place} is another chain's; next: rm -r {place.parent}")
    unfinished = place.with_name(f".{place.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    capture_archive(
        stage.url,
        unfinished,
        chain=place.name,
        hardfork=HARDFORK,
        provenance="synthetic",
        source=source,
        born=stage.born,
        progress=progress,
    )
    unfinished.rename(place)
    return place


@contextmanager
def workshop(out: Path, seed: int, scale: Scale) -> Iterator[Path]:
    """A folder beside the target that this build alone works in; it goes when the build is done."""
    place = out / f".economy-{seed}-{scale.name}"
    try:
        place.mkdir(parents=True, exist_ok=True)
        held = os.open(place, os.O_RDONLY)
    except OSError as fault:
        raise BadInput(f"cannot be made: {fault.strerror}", where=place) from fault
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput("another build is at work there", where=place, next_command="another --out") from None
        yield place
        shutil.rmtree(place)
    finally:
        os.close(held)
        with suppress(OSError):
            place.rmdir()  # unless something is kept in it

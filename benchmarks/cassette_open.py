"""Opening a cassette by its index and by parsing it, and what four processes keep for themselves."""

from __future__ import annotations

import gc
import multiprocessing
import time
from collections.abc import Callable, Iterator
from multiprocessing.synchronize import Barrier
from pathlib import Path

from benchmarks.row import Row, median
from caia_replay.cassette.cassette import Cassette
from caia_replay.cassette.index import CassetteIndex, Source
from caia_replay.cassette.recordings import Cursor, Recordings

PROCESSES = 4
_OPEN_LIMIT_MS = 50.0
_ROUNDS = 9


def rows(path: Path) -> Iterator[Row]:
    """The cassette at ``path``, whose index is already built beside it."""
    source = Source.of(path)
    opened = _spent_ms(lambda: by_index(path, source), _ROUNDS)
    yield Row(f"open {path.stem} interactions, floor is the limit", opened, "ms", _OPEN_LIMIT_MS, 1.0)
    yield Row("digest check of the same file, floor is opening", _spent_ms(lambda: Source.of(path), 3), "ms", opened)
    yield Row("parse the same file, floor is opening", _spent_ms(lambda: by_parsing(path, source), 1), "ms", opened)
    parsed = _private_mb(by_parsing, path, plays=False)
    for what, plays in (("opened", False), ("all played", True)):
        name = f"private memory of each of {PROCESSES} processes, {what}, floor is parsed"
        yield Row(name, _private_mb(by_index, path, plays), "MB", parsed)


def by_index(path: Path, source: Source) -> Recordings:
    """Through the index in .cache/ beside the cassette."""
    return Recordings.over(CassetteIndex([source], path.parent / ".cache", path.stem).store(), (path.name,))


def by_parsing(path: Path, source: Source) -> Recordings:
    """As it was before there was an index."""
    return Recordings([Cassette.open(path)])


def _spent_ms(call: Callable[[], object], rounds: int) -> float:
    samples = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        samples.append((time.perf_counter() - begin) * 1e3)
    return median(samples)


def _private_mb(way: Callable[[Path, Source], Recordings], path: Path, plays: bool) -> float:
    """What one of ``PROCESSES`` processes that are alive together adds to its own private pages; the median."""
    context = multiprocessing.get_context("spawn")
    together = context.Barrier(PROCESSES)
    with context.Pool(PROCESSES, _meet, (together,)) as pool:
        return median(pool.starmap(_grown_mb, [(way, path, plays)] * PROCESSES, chunksize=1))


def _meet(together: Barrier) -> None:
    global _together
    _together = together


def _grown_mb(way: Callable[[Path, Source], Recordings], path: Path, plays: bool) -> float:
    source = Source.of(path)
    _together.wait()
    gc.collect()
    before = private_mb()
    recordings, cursor = way(path, source), Cursor()
    if plays:
        for request, _ in recordings.requests():
            recordings.play(request.method, request.url, request.body, cursor)
    gc.collect()
    grown = private_mb() - before
    _together.wait()
    return grown


def private_mb() -> float:
    """The pages that are this process's alone, in MB."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


_together: Barrier

"""Storage lookups in small and large snapshots: time and memory, uniformly random, nothing warmed up.

Each snapshot is written first and read by a fresh process, so that neither its rows nor the memory that
building took are in what is measured. Every answer is compared with the row it was made from.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256, sha512
from pathlib import Path
from typing import Final

import pyarrow as pa

from benchmarks.row import Row
from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.manifest import SnapshotInfo
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import write_groups
from caia_replay.chain.table import STORAGE
from caia_replay.chain.table_file import rows_per_group
from caia_replay.errors import CheckFailed

_SIZES: Final = (10_000, 1_000_000)
_LOOKUPS: Final = 4_000
_SLOTS_PER_ACCOUNT: Final = 5_000
_FIRST, _CHANGE, _LAST = 0, 500, 999
"""Every slot holds one value up to the block before ``_CHANGE`` and another one from then on."""

_CHILD: Final = """
import json, pathlib, sys
from dataclasses import asdict
from benchmarks.lookup import look_up
print(json.dumps(asdict(look_up(pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))))
"""


@dataclass(frozen=True, slots=True)
class Lookups:
    """Microseconds of one lookup, of recorded slots and of slots that are provably zero; megabytes of
    resident memory that opening the folder and all lookups added; seconds that opening took."""

    present_p50_us: float
    present_p99_us: float
    absent_p50_us: float
    absent_p99_us: float
    memory_mb: float
    open_s: float


def rows(largest: int = 1_000_000) -> Iterator[Row]:
    """Each larger snapshot, up to ``largest`` rows, beside the smallest. Raises ``CheckFailed`` for a wrong answer."""
    sizes = [size for size in _SIZES if size < largest] + [largest]
    smallest, *larger = ((size, measured(size, _LOOKUPS)) for size in sizes)
    few, floor = smallest
    for many, found in larger:
        beside = f"{many:,} rows beside {few:,}"
        yield Row(f"recorded slot p50, {beside}", found.present_p50_us, "us", floor.present_p50_us)
        yield Row(f"recorded slot p99, {beside}", found.present_p99_us, "us", floor.present_p99_us)
        yield Row(f"absent slot p50, {beside}", found.absent_p50_us, "us", floor.absent_p50_us)
        yield Row(f"absent slot p99, {beside}", found.absent_p99_us, "us", floor.absent_p99_us)
        yield Row(f"lookup memory, {beside}", found.memory_mb, "MB", floor.memory_mb)


def measured(count: int, lookups: int) -> Lookups:
    """``lookups`` of recorded and as many of absent slots among ``count`` storage rows, in a process of its own."""
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / "bench"
        write_storage(folder, count)
        command = [sys.executable, "-c", _CHILD, str(folder), str(count), str(lookups)]
        child = subprocess.run(command, capture_output=True, text=True)
    if child.returncode:
        raise CheckFailed(f"looking up in {count:,} rows failed: {child.stderr.strip()[-400:]}")
    return Lookups(**json.loads(child.stdout))


def write_storage(folder: Path, count: int) -> None:
    """A sealed snapshot of ``count`` storage rows, two for each slot, which says that it lacks none.

    One row group is in memory at a time, as in any snapshot that is written.
    """
    claims = Claims.of([Claim("storage", _FIRST, _LAST)])
    info = SnapshotInfo("bench", 7001, {0: "prague"}, ((_FIRST, _LAST),), "synthetic", "a benchmark", claims)
    write_groups(folder, info, {"storage": _groups(count)})


def _groups(count: int) -> Iterator[pa.Table]:
    step = rows_per_group(STORAGE)
    for start in range(0, count, step):
        numbers = range(start, min(start + step, count))
        cells = [_cells(number) for number in numbers]
        yield pa.table(
            [pa.array(column, field.type) for column, field in zip(zip(*cells), STORAGE.schema)], STORAGE.schema
        )


def _cells(number: int) -> tuple[bytes, bytes, int, int, bytes]:
    """The storage row ``number``: ascending in it, and incompressible behind its leading bytes."""
    slot, late = divmod(number, 2)
    noise = sha512(slot.to_bytes(8, "big")).digest()
    span = (_CHANGE, _LAST) if late else (_FIRST, _CHANGE - 1)
    key = slot.to_bytes(4, "big") + noise[:28]
    return (_address(slot // _SLOTS_PER_ACCOUNT), key, *span, noise[28 + 4 * late : 60 + 4 * late])


@lru_cache
def _address(account: int) -> bytes:
    return account.to_bytes(4, "big") + sha256(account.to_bytes(4, "big")).digest()[:16]


def look_up(folder: Path, count: int, lookups: int) -> Lookups:
    """The lookups in what ``write_storage`` wrote, in this process. Raises ``CheckFailed`` for a wrong answer."""
    chance = random.Random(count)
    questions = []
    for _ in range(lookups):
        address, slot, first, last, value = _cells(chance.randrange(count))
        questions.append((address, slot, chance.randint(first, last), value))
        address, slot, *_ = _cells(chance.randrange(count))
        questions.append((address, slot[:-8] + chance.randbytes(8), chance.randint(_FIRST, _LAST), bytes(32)))
    before = peak = _resident_mb()
    begin = time.perf_counter()
    snapshot = Snapshot.open(folder)
    open_s = time.perf_counter() - begin
    spent: dict[bool, list[float]] = {True: [], False: []}
    for number, (address, slot, block, value) in enumerate(questions):
        begin = time.perf_counter()
        found = snapshot.storage(address, slot, block)
        spent[any(value)].append((time.perf_counter() - begin) * 1e6)
        if found != value:
            raise CheckFailed(f"slot 0x{slot.hex()} at block {block} is 0x{value.hex()}, found 0x{found.hex()}")
        if not number % 200:
            peak = max(peak, _resident_mb())
    peak = max(peak, _resident_mb())
    present, absent = sorted(spent[True]), sorted(spent[False])
    # A page is the least that memory can grow by, and a floor is never nothing.
    memory_mb = max(peak - before, 4_096 / 1e6)
    return Lookups(*_middle_and_tail(present), *_middle_and_tail(absent), memory_mb, open_s)


def _middle_and_tail(samples: list[float]) -> tuple[float, float]:
    return samples[len(samples) // 2], samples[len(samples) * 99 // 100]


def _resident_mb() -> float:
    status = Path("/proc/self/statm")
    if status.is_file():
        return int(status.read_text().split()[1]) * resource.getpagesize() / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6

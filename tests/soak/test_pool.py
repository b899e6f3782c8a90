"""One fork pool under many runs at once, and under kill -9: every answer from its own block.

The samples run with the suite; the full counts are marked ``soak``.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from caia_replay.chain.fork_pool import Fork, ForkPool
from caia_replay.chain.snapshot import Snapshot

Answers = tuple[Any, ...]
FIRST = 3
"""The first height that is read: before it the scenario's contracts are not all there."""


def questions(origin: Any, at: str) -> list[tuple[str, list[Any]]]:
    """Reads whose answers differ from block to block; ``at`` is how the block is said."""
    token, pool, sender = origin.tokens[0], origin.pool, origin.senders[0]
    store, slot = min(key for key in origin.record.touched if isinstance(key, tuple) and key[0] in origin.stores)
    holder = "0x70a08231" + sender[2:].zfill(64)
    return [
        ("eth_getBalance", [sender, at]),
        ("eth_getTransactionCount", [sender, at]),
        ("eth_getStorageAt", [pool, "0x0", at]),
        ("eth_getStorageAt", [pool, "0x1", at]),
        ("eth_call", [{"to": token, "data": holder}, at]),
        ("eth_call", [{"to": store, "data": f"0x{slot:064x}"}, at]),
        ("eth_call", [{"to": origin.mirror}, at]),
    ]


def living(origin: Any, height: int) -> Answers:
    """What the origin says at ``height``, its block number and hash first."""
    ask, at = origin.rpc.demand, hex(height)
    block = ask("eth_getBlockByNumber", [at, False])
    return (at, block["hash"], *(ask(method, params) for method, params in questions(origin, at)))


def forked(fork: Fork, origin: Any) -> Answers:
    """The same of a fork, asked about its own block in the words of one who does not know which it is."""
    block = fork.rpc("eth_getBlockByNumber", ["latest", False])
    answers = [fork.rpc(method, params) for method, params in questions(origin, "latest")]
    return (fork.rpc("eth_blockNumber"), block["hash"], *answers)


@contextmanager
def chain(blocks: int, origin_reads: ModuleType, folder: Path) -> Iterator[tuple[Any, Snapshot, dict[int, Answers]]]:
    """A living chain, its capture, and what the origin answers at every height of it."""
    with origin_reads.living_origin(blocks, 60 + 6 * blocks, seed=blocks) as origin:
        snapshot = Snapshot.open(origin_reads.captured(origin, folder / "origin"))
        truth = {height: living(origin, height) for height in range(FIRST, blocks + 1)}
        assert len(set(truth.values())) == len(truth)
        yield origin, snapshot, truth


def visit(pool: ForkPool, origin: Any, heights: list[int], seen: Callable[[int, Answers], None]) -> None:
    """One run: lease after lease in its own order."""
    for height in heights:
        with pool.lease("origin", height) as fork:
            seen(height, forked(fork, origin))


def interleave(
    pool: ForkPool,
    origin: Any,
    truth: dict[int, Answers],
    runs: int,
    seed: int,
    each: Callable[[], None] = lambda: None,
) -> tuple[int, list[str]]:
    """``runs`` threads, each visiting every height in an order of its own: how many answers, and the wrong ones."""
    wrong: list[str] = []
    count = 0

    def seen(height: int, answers: Answers) -> None:
        nonlocal count
        count += 1  # under the lease, so one at a time
        each()
        if answers != truth[height]:
            wrong.append(f"at {height}: {answers} where the origin has {truth[height]}")

    orders = [random.Random(f"{seed}-{run}").sample(sorted(truth), len(truth)) for run in range(runs)]
    with ThreadPoolExecutor(runs) as threads:
        for done in [threads.submit(visit, pool, origin, order, seen) for order in orders]:
            done.result()
    return count, wrong


@pytest.mark.parametrize(
    ("runs", "heights"),
    [
        pytest.param(4, 12, id="sample"),
        pytest.param(16, 120, id="full", marks=pytest.mark.soak),
    ],
)
@pytest.mark.check
def test_every_answer_is_from_its_own_block(
    runs: int, heights: int, tmp_path: Path, origin_reads: ModuleType, anvil_binary: Path
) -> None:
    """Many runs re-pin one pool in turn, each in its own order; all read what the origin has at their height."""
    with chain(heights + FIRST - 1, origin_reads, tmp_path) as (origin, snapshot, truth):
        assert len(truth) == heights
        with ForkPool({"origin": snapshot}) as pool:
            assert interleave(pool, origin, truth, runs, seed=1) == (runs * heights, [])


@pytest.mark.parametrize(
    ("runs", "heights", "kills"),
    [
        pytest.param(2, 12, 4, id="sample"),
        pytest.param(4, 60, 60, id="full", marks=pytest.mark.soak),
    ],
)
@pytest.mark.check
def test_a_killed_node_changes_no_answer(
    runs: int, heights: int, kills: int, tmp_path: Path, origin_reads: ModuleType, anvil_binary: Path
) -> None:
    """kill -9 of the pool's Anvil at random moments while runs read: what they read is as if nobody had."""
    rng, read, killed = random.Random(2), threading.Event(), []
    over = threading.Event()

    def kill(pool: ForkPool) -> None:
        while not over.is_set() and len(killed) < kills:
            read.wait(60)
            time.sleep(rng.uniform(0, 0.05))
            read.clear()  # no call meets two kills: a node that always dies is given up, and that is right
            for pid in pool.pids():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)

    with (
        chain(heights + FIRST - 1, origin_reads, tmp_path) as (origin, snapshot, truth),
        ForkPool({"origin": snapshot}) as pool,
    ):
        killer = threading.Thread(target=kill, args=(pool,))
        killer.start()
        try:
            found = interleave(pool, origin, truth, runs, seed=3, each=read.set)
        finally:
            over.set()
            read.set()
            killer.join()
    assert found == (runs * heights, [])
    print(f"{len(killed)} kills, {len(set(killed))} processes")
    assert len(set(killed)) >= kills / 2

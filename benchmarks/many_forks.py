"""One, four and sixteen forks at once beside as many plain Anvils: time until all answer, and memory.

Memory is proportional set size (PSS): pages that processes share are divided among them, so the sum
over processes is what they take together.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier

from benchmarks.row import Row, median, pss_mb
from caia_replay.chain.anvil import AnvilProcess
from caia_replay.chain.anvil_binary import find_anvil
from caia_replay.chain.chain_source import ChainSource
from caia_replay.chain.fork_pool import ForkPool
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld

COUNTS = (1, 4, 16)
_START_LIMIT, _MEMORY_LIMIT = 1.5, 1.5
_ROUNDS = 5


def rows(suite: str) -> Iterator[Row]:
    """For each of ``COUNTS`` the time until all forks of ``suite``'s first chain answer, and their memory."""
    folder = open_world(suite)
    with FrozenWorld(folder) as world:
        snapshot = world.snapshots[folder.info.chains[0]]
    for count in COUNTS:
        measured = [(_forks(snapshot, count), _plain(count)) for _ in range(_ROUNDS)]
        (ready, memory), (plain_ready, plain_memory) = (
            [median([both[side][what] for both in measured]) for what in (0, 1)] for side in (0, 1)
        )
        forks = "1 fork" if count == 1 else f"{count} forks"
        yield Row(f"{forks}, ready", ready, "ms", plain_ready, _START_LIMIT)
        yield Row(f"{forks}, memory", memory, "MB", plain_memory, _MEMORY_LIMIT)


def _forks(snapshot: ChainSource, count: int) -> tuple[float, float]:
    """Milliseconds and megabytes of ``count`` chains leased at once; what they add to this process counts too."""
    chains = {f"{snapshot.name}-{at}": snapshot for at in range(count)}
    block = snapshot.heights[-1][1]
    before = _held_mb([os.getpid()])
    with ForkPool(chains) as pool, ThreadPoolExecutor(count) as threads:
        together = Barrier(count)

        def ready(chain: str) -> None:
            together.wait()
            with pool.lease(chain, block) as fork:
                fork.rpc("eth_chainId")

        begin = time.perf_counter()
        list(threads.map(ready, chains))
        spent = (time.perf_counter() - begin) * 1e3
        return spent, _held_mb(pool.pids()) + max(0.0, _held_mb([os.getpid()]) - before)


def _plain(count: int) -> tuple[float, float]:
    """The same of Anvils with chains of their own."""
    binary = find_anvil()
    with ExitStack() as stack, ThreadPoolExecutor(count) as threads:
        together = Barrier(count)

        def ready(_: int) -> AnvilProcess:
            together.wait()
            node = AnvilProcess(binary, [])
            stack.callback(node.stop)
            connection = node.connect()
            connection.demand("eth_chainId")
            connection.close()
            return node

        begin = time.perf_counter()
        nodes = list(threads.map(ready, range(count)))
        spent = (time.perf_counter() - begin) * 1e3
        return spent, _held_mb([node.pid for node in nodes])


def _held_mb(pids: Sequence[int]) -> float:
    """What they hold, garbage of this process left out."""
    gc.collect()
    return pss_mb(pids)

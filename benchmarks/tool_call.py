"""Every tool of the catalog: a call through the toolset beside the same parts of the world read bare; and ``--help``.

The floor of a call is what it took from the world, asked once more without the tool: the recorded replies, the ranked
searches, and the leases with the node's answers. A tool that reads no more than a chain's tables, or no world at all,
has the reading of its arguments as its floor.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from benchmarks.chain import contract_call
from benchmarks.row import Row, median
from caia_replay.chain.fork_pool import Fork
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.core.task import Task
from caia_replay.core.tool import Served
from caia_replay.core.world import Ranked, RankedPost
from caia_replay.errors import BadInput, Miss
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import CATALOG, WorldToolset
from caia_replay.tools.textual import whole_json
from caia_replay.world.world import NO_OVERLAY, FrozenWorld, TaskWorld

COINS: Final = "https://api.coingecko.com/api/v3/coins/list?include_platform=true"
EXCHANGES: Final = "https://api.llama.fi/overview/dexs"
HELP_LIMIT_MS: Final = 150.0
_CALLS, _STARTS = 100, 11

Part = Callable[[TaskWorld], object]


def rows(suite: str) -> Iterator[Row]:
    """p50 and p99 of each tool at the last task on the chain of ``suite``'s first contract call, then the start."""
    folder = open_world(suite)
    asked = contract_call(folder)
    with FrozenWorld(folder) as frozen:
        tasks = [
            task for task in map(folder.task, folder.suite.active()) if task.anchor.chain == asked.task.anchor.chain
        ]
        task = max(tasks, key=lambda task: task.anchor.timestamp)
        for name, candidates in questions(frozen.task(task), asked.arguments).items():
            yield from _measured(frozen, task, name, candidates)
    yield from start_rows()


def questions(world: TaskWorld, asked: Mapping[str, Any]) -> dict[str, Iterable[Mapping[str, Any]]]:
    """Calls of each tool that a world may hold the answer to, likely ones first; ``asked`` are data_query's arguments.

    Raises ``BadInput`` where no coins or no exchanges are recorded.
    """
    coins = [{"asset": f"id:{coin['id']}"} for coin in _told(world, COINS)]
    exchanges = [{"exchange": one["name"]} for one in _told(world, EXCHANGES)["protocols"]]
    moves = [{**coin, "threshold_percent": 5, "interval": "1d"} for coin in coins]
    pages = [{"url": page.url} for page in world.pages()]
    posts = [{"handles": [post.author]} for post in world.posts()]
    contract, newest = asked["contract"], world.anchor.block
    blocks = world.world.snapshots[world.anchor.chain]
    sent = (receipt for height in range(newest, -1, -1) for receipt in blocks.receipts(height))
    plain: Sequence[Mapping[str, Any]] = ({},)
    return {
        "price_feed": coins,
        "ranking_query": plain,
        "positioning_analysis": coins,
        "volatility_alerts": moves,
        "indicator_analysis": [{**coin, "indicator": "rsi", "interval": "1d"} for coin in coins],
        "web_search": ({"query": "token supply"},),
        "url_fetching": pages,
        "trend_detection": plain,
        "twitter_search": ({"query": "token supply"},),
        "social_stream": posts,
        "protocol_metrics": plain,
        "revenue_analysis": plain,
        "network_activity": plain,
        "exchange_summary": exchanges,
        "exchange_overview": plain,
        "supply_query": [{"asset": contract}, *coins],
        "data_query": (asked,),
        "time_conversion": ({"block": newest},),
        "balance_query": ({"address": contract},),
        "transaction_query": ({"hash": receipt["transactionHash"]} for receipt in sent),
        "block_query": plain,
        "release_schedule": coins,
        "code_execution": ({"code": "sum(range(10))"},),
    }


def start_rows() -> Iterator[Row]:
    """The command's own start, held to a limit, beside an interpreter that imports click alone."""
    help_ms, click_ms = (
        partial(_child_ms, [sys.executable, "-c", code, "--help"])
        for code in ("from caia_replay.cli import main; main()", "import click")
    )
    spent = [(help_ms(), click_ms()) for _ in range(_STARTS)]
    ours, theirs = (median(samples) for samples in zip(*spent, strict=True))
    yield Row("caia-replay --help, beside import click", ours, "ms", theirs, round(HELP_LIMIT_MS / theirs, 3))


def _child_ms(command: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - begin) * 1e3


def _told(world: TaskWorld, url: str) -> Any:
    try:
        return json.loads(world.fetch(HttpRequest("GET", url)).body)
    except Miss as miss:
        raise BadInput(f"nothing of {url} is recorded, to name things by", where=world.where) from miss


def _measured(frozen: FrozenWorld, task: Task, name: str, candidates: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    """One tool's call and its floor in turns, each from what earlier calls warmed."""
    watched = WatchedWorld(frozen, task, NO_OVERLAY)
    text = _answered(watched, name, candidates)
    bare = frozen.task(task)
    parts: Sequence[Part] = watched.parts or [lambda world: CATALOG[name].arguments.model_validate(whole_json(text))]
    spent: list[float] = []
    floors: list[float] = []
    with WorldToolset(bare) as tools:
        for _ in range(_CALLS + 1):
            spent.append(_us(lambda: tools.call(name, text)))
            floors.append(_us(lambda: [part(bare) for part in parts]))
    ours, theirs = sorted(spent[1:]), sorted(floors[1:])
    tail = -(-len(ours) * 99 // 100) - 1
    yield Row(f"{name} p50", median(ours), "us", median(theirs))
    yield Row(f"{name} p99", ours[tail], "us", theirs[tail])


def _us(act: Callable[[], object]) -> float:
    begin = time.perf_counter()
    act()
    return (time.perf_counter() - begin) * 1e6


def _answered(watched: WatchedWorld, name: str, candidates: Iterable[Mapping[str, Any]]) -> str:
    """The first call that is answered, as its text; what it took from the world stays noted."""
    said = "it has no question"
    for arguments in candidates:
        watched.parts.clear()
        text = json.dumps(arguments)
        with WorldToolset(watched, [name]) as tools:
            reply = tools.call(name, text)
        if reply.error is None:
            return text
        said = str(reply.error["message"])
    raise BadInput(f"no call of {name} is answered: {said}", where=watched.where)


class WatchedWorld(TaskWorld):
    """A task's world that notes what a tool takes from it; ``parts`` can be asked of any other one again."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.parts: list[Part] = []

    def answer(self, request: HttpRequest) -> tuple[HttpReply, Served]:
        """Noted as itself."""
        self.parts.append(lambda world: world.answer(request))
        return super().answer(request)

    def search(self, *given: Any, **named: Any) -> tuple[Ranked, ...]:
        """Noted as itself."""
        self.parts.append(lambda world: world.search(*given, **named))
        return super().search(*given, **named)

    def search_posts(self, *given: Any, **named: Any) -> tuple[RankedPost, ...]:
        """Noted as itself."""
        self.parts.append(lambda world: world.search_posts(*given, **named))
        return super().search_posts(*given, **named)

    def fork(self, block: int | None = None, chain: str | None = None) -> AbstractContextManager[Fork]:
        """Noted as a lease with the node's calls under it."""
        lease = _Lease(block, chain)
        self.parts.append(lease)
        return _noting(super().fork(block, chain), lease)


@dataclass(slots=True)
class _Lease:
    block: int | None
    chain: str | None
    calls: list[tuple[Any, ...]] = field(default_factory=list)

    def __call__(self, world: TaskWorld) -> object:
        with world.fork(self.block, self.chain) as fork:
            return [fork.rpc(*call) for call in self.calls]


class _NotingFork(Fork):
    """Another fork's face that notes its calls."""

    def __init__(self, fork: Fork, lease: _Lease) -> None:  # what it shows is the other fork's own
        self._fork, self._lease = fork, lease

    def __getattribute__(self, name: str) -> Any:
        fork, lease = object.__getattribute__(self, "_fork"), object.__getattribute__(self, "_lease")
        if name != "rpc":
            return getattr(fork, name)

        def rpc(*call: Any) -> Any:
            lease.calls.append(call)
            return fork.rpc(*call)

        return rpc


@contextmanager
def _noting(leased: AbstractContextManager[Fork], lease: _Lease) -> Iterator[Fork]:
    with leased as fork:
        yield _NotingFork(fork, lease)

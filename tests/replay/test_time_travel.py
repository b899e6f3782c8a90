"""Nothing after a task's moment is reachable: every tool asked for what came later, every reply searched for it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from caia_replay.chain.chain_source import ChainSource
from caia_replay.core.overlay import Overlay, PlantedPage, PlantedPost
from caia_replay.core.task import Task
from caia_replay.core.world import Page, Post
from caia_replay.store.world_folder import open_world
from caia_replay.tools.argument import DAY_S
from caia_replay.tools.catalog import CATALOG, WorldToolset
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld, TaskWorld
from tests.every_draw import drawn

DAILY: Final = ("web_search", "block_query", "price_feed")
CALLS: Final = 10
"""Of each tool."""
MOMENTS: Final = frozenset({"at", "start", "end", "time", "end_time", "first_day", "last_day"})
HEIGHTS: Final = frozenset({"block", "end_block", "from_block", "to_block"})
HORIZON: Final = 10**10
PLANS: Final = frozenset({"release_schedule"})
"""Tools that tell of plans, whose days are still to come."""
APART: Final = frozenset({"window", "next_funding_utc"})
"""Keys of what the caller asked for, repeated, and of a moment that the venue's timetable tells beforehand."""
_TIME: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?(?:Z|\+00:00)?)?")
_CLOCKS: Final = re.compile(
    r"(^|_)(time|timestamp|date|day|moment|published|created|at|since|until|from|to|start|end)(_|$)"
)
_HEIGHTS: Final = re.compile(r"(^|_)(block|height)$|^number$")


@pytest.fixture(scope="module")
def frozen(shipped: Path) -> Iterator[FrozenWorld]:
    """The shipped economy, opened once."""
    with FrozenWorld(open_world(str(shipped.parent / "synthetic-178"))) as world:
        yield world


@pytest.fixture(scope="module")
def task(frozen: FrozenWorld) -> Task:
    """Its earliest task, most of the story after it."""
    tasks = [frozen.folder.task(name) for name in frozen.folder.suite.active()]
    return min(tasks, key=lambda task: task.anchor.timestamp)


@pytest.fixture(scope="module")
def early(frozen: FrozenWorld, task: Task) -> TaskWorld:
    """The world at that task."""
    return frozen.task(task)


@pytest.fixture(scope="module")
def late(frozen: FrozenWorld) -> TaskWorld:
    """The world at its latest task, which knows what is still to come."""
    tasks = [frozen.folder.task(name) for name in frozen.folder.suite.active()]
    return frozen.task(max(tasks, key=lambda task: task.anchor.timestamp))


def later_than(value: Any, now: int, newest: int, key: str = "") -> Iterator[str]:
    """Every time after ``now`` and height above ``newest`` in a reply, told with its key."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name in APART:
                continue
            yield from later_than(inner, now, newest, name)
            yield from later_than(name, now, newest, f"{key}'s key")
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from later_than(inner, now, newest, key)
    elif isinstance(value, str):
        if (found := _TIME.fullmatch(value)) and _seconds(found) > now:
            yield f"{key} {value}"
    elif isinstance(value, int) and not isinstance(value, bool):
        if _HEIGHTS.search(key) and value > newest:
            yield f"{key} {value}"
        if _CLOCKS.search(key) and value > (now if value < 10**11 else now * 1000) and value > 10**9:
            yield f"{key} {value}"


def _recorded(tool: str, result: Mapping[str, Any]) -> Any:
    """A result less the arithmetic of the calendar, which needs no world."""
    if tool != "time_conversion":
        return result
    return [result.get("blocks"), *(result.get(part, {}).get("blocks") for part in ("start", "end", "between"))]


def _seconds(found: re.Match[str]) -> int:
    parts = [int(part or 0) for part in found.groups()]
    return int(datetime(*parts, tzinfo=UTC).timestamp())  # type: ignore[misc, arg-type]


def aimed(rng: Random, tool: str, early: TaskWorld, late: TaskWorld) -> dict[str, Any]:
    """Arguments of a later day, some of them pushed beyond every day."""
    world = rng.choice([early, late])
    asked = dict(drawn(CATALOG[tool], rng, world))
    now, newest = early.clock.now, early.anchor.block
    beyond = (utc_text(now + 1), now + 1, utc_text(now + DAY_S)[:10], utc_text(now + 400 * DAY_S), late.clock.now)
    for name in CATALOG[tool].spec.parameters["properties"]:
        if name in MOMENTS and rng.random() < 0.4:
            asked[name] = rng.choice(beyond)
        if name in HEIGHTS and rng.random() < 0.4:
            asked[name] = rng.choice([newest + 1, newest + 50, late.anchor.block, 10**9])
    return asked


@pytest.mark.parametrize(
    "tool", [*DAILY, *(pytest.param(tool, marks=pytest.mark.check) for tool in CATALOG if tool not in DAILY)]
)
def test_no_reply_tells_of_what_is_to_come(tool: str, early: TaskWorld, late: TaskWorld) -> None:
    """Asked with the arguments of later tasks and years, a tool shows no later time or block, but for plans."""
    rng = Random(f"later/{tool}")
    newest = max(early.newest(chain) for chain in early.world.snapshots)
    for _ in range(CALLS):
        text = json.dumps(aimed(rng, tool, early, late))
        with WorldToolset(early) as tools:
            reply = tools.call(tool, text)
        if reply.result is not None:
            now = HORIZON if tool in PLANS else early.clock.now
            assert list(later_than(_recorded(tool, reply.result), now, newest)) == [], text


@pytest.mark.check
def test_later_blocks_and_transactions_do_not_exist(early: TaskWorld) -> None:
    """A later height, block hash or transaction hash is refused or missed on every chain, however it is asked for."""
    with WorldToolset(early) as tools:
        for name, chain in early.world.snapshots.items():
            newest = early.newest(name)
            for height in (newest + 1, newest + 7, chain.heights[-1][1]):
                header = chain.header(height)
                for block in (height, str(height), header["hash"]):
                    reply = tools.call("block_query", json.dumps({"block": block, "chain": name}))
                    assert reply.result is None, (name, block)
                for found in _hashes(chain, height):
                    assert tools.call("transaction_query", json.dumps({"hash": found, "chain": name})).result is None
            reply = tools.call("block_query", json.dumps({"block": newest, "chain": name}))
            assert reply.result is not None and int(chain.header(newest)["timestamp"], 16) <= early.clock.now


def _hashes(chain: ChainSource, height: int) -> list[str]:
    return [str(receipt["transactionHash"]) for receipt in chain.receipts(height)][:2]


@pytest.mark.check
def test_later_pages_and_posts_are_not_there(early: TaskWorld) -> None:
    """A recorded page or post of a later day is opened by no address and found by none of its words."""
    now, rng = early.clock.now, Random("later")
    pages = [page for page in early.world.corpus if page.known_since is None or page.known_since > now]
    posts = [post for post in early.world.posts if post.created > now]
    assert len(pages) > 100 and len(posts) > 100
    with WorldToolset(early) as tools:
        for page in rng.sample(pages, 12):
            assert tools.call("url_fetching", json.dumps({"url": page.url})).result is None
            found = tools.call("web_search", json.dumps({"query": page.title, "limit": 20})).result
            assert found is None or json.dumps(page.url) not in json.dumps(found)  # not as another's beginning
        for post in rng.sample(posts, 12):
            for asked in (post.id, post.url):
                assert tools.call("social_stream", json.dumps({"post": asked})).result is None
            for asked in (post.text[:80], f"from:{post.author}"):
                found = tools.call("twitter_search", json.dumps({"query": asked, "order": "newest"})).result
                assert found is None or post.id not in json.dumps(found)


def test_what_is_planted_after_the_moment_is_not_there_yet(frozen: FrozenWorld, task: Task) -> None:
    """An overlay's page and post appear with their own second and not before it."""
    now = task.anchor.timestamp
    for at, seen in ((now, True), (now + 1, False), (now + DAY_S, False)):
        page = Page("https://evil.example/z", "Zzyzxa", "zzyzxa is 7", at)
        post = Post("7", "eve", "zzyzxa is 7", at, "7")
        overlay = Overlay("c", (PlantedPage("p", "t", "7", page),), "", (PlantedPost("q", "t", "7", post),))
        with WorldToolset(frozen.task(task, overlay)) as tools:
            for name, asked in (
                ("web_search", {"query": "zzyzxa"}),
                ("url_fetching", {"url": page.url}),
                ("twitter_search", {"query": "zzyzxa"}),
                ("social_stream", {"post": "7"}),
            ):
                reply = tools.call(name, json.dumps(asked))
                shown = reply.result is not None and "zzyzxa is 7" in json.dumps(reply.result)
                assert shown is seen and bool(reply.altered_by) is seen, (name, at - now)


@pytest.mark.parametrize(
    ("told", "later"),
    [
        ({"time_utc": "2024-05-31T14:00:01Z"}, True), ({"time_utc": "2024-05-31T14:00:00Z"}, False),
        ({"rows": [["2024-05-31"], ["2024-06-01"]]}, True), ({"day": "2024-05-31"}, False),
        ({"by_day": {"2024-06-01": 3}}, True), ({"timestamp": 1717164001}, True), ({"timestamp": 1717164000}, False),
        ({"start_time": 1717164000001}, True), ({"start_time": 1717164000000}, False), ({"block": 101}, True),
        ({"from_block": 100}, False), ({"newest_block": 101}, True), ({"blocks": 5000, "time_s": 86_400}, False),
        ({"text": "From 2030-01-01 on"}, False), ({"raw": "1717164001", "amount": 9_999_999_999}, False),
    ],
)  # fmt: skip
def test_a_later_time_is_seen_wherever_it_stands(told: Any, later: bool) -> None:
    """The search finds times in texts, numbers, lists and keys, and takes no amount for one."""
    assert bool(list(later_than(told, 1_717_164_000, 100))) is later

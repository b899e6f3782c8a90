"""What proves the table of what tools ask: each real request of a call over a recorded world was planned for it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.providers.endpoint import provider_of
from caia_replay.recording.plan import plan_tasks
from caia_replay.recording.plan_calls import depends
from caia_replay.recording.plan_table import GAP, PlannedRequest, PlannedTask, calls_table
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.world.every_provider import providers_over
from caia_replay.world.world import FrozenWorld, TaskWorld

PROVIDERS = providers_over({})
TODAY = 1_796_000_000


def requests_of(tool: str, arguments: Mapping[str, Any], anchor: Anchor) -> Sequence[PlannedRequest]:
    gold = GoldChain((GoldStep(tool, arguments),), "$1.x")
    return plan_tasks([PlannedTask("task-1", anchor, "date", gold, "fixed")], TODAY)[0].requests


def fits(request: PlannedRequest, asked: HttpRequest) -> bool:
    """Whether a planned request is the one that was asked, whatever its gaps stand for."""
    told = [".*".join(map(re.escape, text.split(GAP))) for text in (request.url, request.body)]
    real = (asked.url, asked.body.decode())
    return all(re.fullmatch(*pair) for pair in zip(told, real, strict=True))


@pytest.mark.check
def test_what_tools_really_ask_is_in_the_plan() -> None:
    """Over a recorded world every API request of a call, widened, is one of those that were planned for it."""
    folder, unplanned, asking, count = open_world("synthetic-178"), [], set(), 0
    with FrozenWorld(folder) as frozen:
        tasks = [folder.task(name) for name in folder.suite.active()]
        latest = max(tasks, key=lambda one: one.anchor.timestamp)
        steps = {(step.tool, *sorted(step.arguments)): (task, step.tool, dict(step.arguments))
                 for task in tasks for step in task.gold.steps
                 if not depends(step.arguments) and any(row.url for row in calls_table().rows[step.tool])}  # fmt: skip
        real = [(latest, tool, arguments) for tool, arguments in real_calls(frozen.task(latest))]
        for task, tool, arguments in (*real, *steps.values()):
            world, asked = frozen.task(task), list[HttpRequest]()
            listen(world, asked)
            with WorldToolset(world) as toolset:
                toolset.call(tool, json.dumps(arguments))
            requests = requests_of(tool, arguments, task.anchor)
            wide = [one for own in asked for one in provider_of(PROVIDERS, own).widen(own, world.clock.now)]
            count, asking = count + len(wide), asking | {tool for _ in wide}
            unplanned += [(tool, arguments, one.url) for one in wide if not any(fits(each, one) for each in requests)]
    assert unplanned == [] and count > 180
    assert asking == {tool for tool, rows in calls_table().rows.items() if any(row.url for row in rows)}


def listen(world: TaskWorld, asked: list[HttpRequest]) -> None:
    answer = world.answer

    def noting(request: HttpRequest) -> Any:
        asked.append(request)
        return answer(request)

    world.answer = noting  # type: ignore[method-assign]


def real_calls(world: TaskWorld) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of things that the world lists."""
    index = "https://api.llama.fi"
    coins, protocols, exchanges, chains = (
        json.loads(world.answer(HttpRequest("GET", url))[0].body)
        for url in ("https://api.coingecko.com/api/v3/coins/list?include_platform=true", f"{index}/protocols",
                    f"{index}/overview/dexs", f"{index}/v2/chains")
    )  # fmt: skip
    coin, chain, protocol = f"id:{coins[1]['id']}", chains[0]["name"], protocols[0]["name"]
    yield "price_feed", {"asset": coins[1]["symbol"], "start": "2024-05-01", "interval": "daily"}
    moments: list[dict[str, Any]] = [{}, *({"at": at} for at in ("2024-05-20", "2024-05-20T08:00:00Z", "now"))]
    moments += [{"start": start} for start in ("5 hours ago", "30 days ago", "100 days ago")]
    for moment in moments:
        for more in ({}, {"source": "binance"}, {"quote": "eur"}, {"interval": "1h"}):
            yield "price_feed", {"asset": coin, **moment, **more}
    for metric in ("now", "funding", "open_interest", "long_short_ratio", "taker_ratio"):
        yield "positioning_analysis", {"asset": coin, "metric": metric}
    yield "volatility_alerts", {"asset": coin}
    yield "indicator_analysis", {"asset": coin, "indicator": "rsi"}
    yield from (("ranking_query", {}), ("trend_detection", {}), ("network_activity", {}))
    yield from (("supply_query", {"asset": coin}), ("release_schedule", {"asset": coin}))
    for there in ({}, {"chain": chain}):
        for when in ({}, {"at": "2024-05-20"}):
            yield "protocol_metrics", {**there, **when}
            yield "protocol_metrics", {"protocol": protocol, **there, **when, "by_token": True}
        yield "protocol_metrics", {"protocol": f"slug:{protocols[0]['slug']}", "at": "2024-05-20", **there}
        for measure in ("fees", "revenue"):
            yield "revenue_analysis", {"measure": measure, **there}
            yield "revenue_analysis", {"protocol": protocol, "measure": measure, "start": "2024-05-20", **there}
        yield "exchange_summary", {"exchange": exchanges["protocols"][0]["name"], "start": "2024-05-20", **there}
        yield "exchange_overview", there
    for handle in sorted({post.author for post in world.posts()})[:2]:
        yield "social_stream", {"handles": [handle], "limit": 5}
    blocks = world.world.snapshots[world.anchor.chain]
    sent = next(one for at in range(world.anchor.block, 0, -1) for one in blocks.transactions(at) if one.get("to"))
    yield "transaction_query", {"hash": sent["hash"], "include_logs": True, "include_internal": True}
    for asked in ({"about": "abi"}, {"about": "source"}, {"function": "symbol"}, {"event": "Transfer"}):
        yield "data_query", {"contract": sent["to"], **asked}

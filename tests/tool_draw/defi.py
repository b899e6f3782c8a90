"""Calls of the DeFi tools, of protocols, chains and days that are in a world; one in six asks for what is not, or
nearly so.

``INSIDE`` draws of what an economy records alone, so that none of it may be a miss.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from functools import lru_cache, partial
from pathlib import Path
from random import Random
from typing import Any

from caia_replay.tools.argument import DAY_S
from caia_replay.tools.defi_index import API
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text
from caia_replay.world.world import TaskWorld
from tests.tool_draw.technical import begun
from tests.tool_law import Draw

NOBODY = ("Uniswap", "no-such-protocol", "", "slug:nobody", "$$$")
PARTS = ("borrowed", "staking", "pool2")


def protocol(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """A call of ``protocol_metrics``."""
    listed, chains = _listed(world), _chains(world)
    outside = not inside and rng.random() < 1 / 6
    asked: dict[str, Any] = {"limit": rng.choice([1, 3, 50])}
    is_settled = _is_settled(world)
    if rng.random() < 0.7 or not is_settled:
        row = rng.choice(listed)
        parts = [name for name in row["chainTvls"] if name in PARTS]
        asked |= {"protocol": rng.choice(NOBODY) if outside else _spelt(rng, row), "by_token": rng.random() < 0.5}
        asked["chain"] = rng.choice([None, None, rng.choice(chains) if outside else row["chains"][0]])
        asked["part"] = rng.choice(PARTS) if outside else rng.choice([None, *parts])
    else:
        asked["chain"] = rng.choice([None, *chains, "Solana"] if outside else [None, *chains])
    match rng.randrange(3):
        case 0:
            asked["by_token"] = False  # tokens are those of a point, and that of now is not recorded
            if "protocol" not in asked:
                asked["category"] = rng.choice([None, rng.choice(listed)["category"], "Perps" if outside else None])
        case 1:
            asked["at"] = _moment(rng, world, outside)
        case 2:
            start, end = sorted((_second(rng, world, outside), _second(rng, world)))
            # Points are a day apart, so a shorter window may hold none. That of now is not recorded.
            asked |= {"start": utc_text(start), "end": utc_text(min(end + DAY_S, _midnight(world)))}
    return asked


def revenue(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """A call of ``revenue_analysis``."""
    outside = not inside and rng.random() < 1 / 6
    measure = rng.choice(["fees", "revenue"])
    asked = _flow(rng, world, "fees", "protocol", outside)
    if not outside and (asked.get("protocol") or asked.get("chain")) and not _records_revenue(world):
        measure = "fees"
    return {**asked, "measure": measure}


def exchange(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """A call of ``exchange_summary``."""
    outside = not inside and rng.random() < 1 / 6
    asked = _flow(rng, world, "dexs", "exchange", outside, always=True)
    return {name: value for name, value in asked.items() if name not in ("period", "limit")}


def exchanges(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """A call of ``exchange_overview``."""
    outside = not inside and rng.random() < 1 / 6
    return _flow(rng, world, "dexs", "", outside)


def activity(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """A call of ``network_activity``."""
    outside = not inside and rng.random() < 1 / 6
    window = _window(rng, world, outside)
    match rng.randrange(5):
        case 0:
            return {"limit": rng.choice([1, 5, 50])} | (window if outside else {})
        case 1 | 2:
            names = [name for chain in world.world.snapshots.values() for name in (chain.name, str(chain.chain_id))]
            return {"chain": rng.choice(["no-chain", *names] if outside else names), **window}
    row = rng.choice(_listed(world))
    return {"protocol": rng.choice(NOBODY) if outside else _spelt(rng, row), **window}


def _flow(
    rng: Random, world: TaskWorld, kind: str, parameter: str, outside: bool, always: bool = False
) -> dict[str, Any]:
    """A call about what flows: of one, whose name goes by ``parameter``, or of all, or of a chain."""
    listed = {row["slug"]: row for row in _listed(world)}
    window = _window(rng, world, outside) if rng.random() < 0.7 else {}
    asked: dict[str, Any] = {**window, "limit": rng.choice([1, 3, 50])}
    if parameter and (always or rng.random() < 0.6):
        having = ToolContext(world).ask(f"{API}/overview/{kind}")["protocols"]
        row = listed[rng.choice(having)["slug"]]
        other = rng.choice([*NOBODY, rng.choice(list(listed.values()))["name"]])
        asked[parameter] = other if outside else _spelt(rng, row)
        if window:
            asked["by_chain"] = rng.random() < 0.5
            asked["chain"] = rng.choice([None, None, rng.choice(_chains(world)) if outside else row["chains"][0]])
        return asked
    asked["chain"] = rng.choice([None, *_chains(world), *(["Solana"] if outside else [])])
    asked["by_chain"] = asked["chain"] is None and rng.random() < 0.5
    asked["period"] = rng.choice(["24h", "30d"] if asked["by_chain"] and not outside else ["24h", "7d", "30d"])
    return asked


def _records_revenue(world: TaskWorld) -> bool:
    """Whether revenue was recorded protocol by protocol and chain by chain, read off the world's own file."""
    urls = _asked(world.world.folder.path / "http" / "now.json")
    return all(
        any(f"{API}/{page}/" in url and "dailyRevenue" in url for url in urls)
        for page in ("summary/fees", "overview/fees")
    )


@lru_cache(maxsize=4)
def _asked(cassette: Path) -> tuple[str, ...]:
    return tuple(one["request"]["uri"] for one in json.loads(cassette.read_text())["interactions"])


def _listed(world: TaskWorld) -> list[Any]:
    listed: list[Any] = ToolContext(world).ask(f"{API}/protocols")
    return listed


def _chains(world: TaskWorld) -> list[str]:
    rows = ToolContext(world).ask(f"{API}/v2/chains")
    return [str(row[key]) for row in rows for key in ("name", "chainId", "tokenSymbol")]


def _spelt(rng: Random, row: Mapping[str, Any]) -> str:
    names = [row["name"], row["name"].upper(), row["slug"], f"slug:{row['slug']}"]
    return str(rng.choice(names if row["symbol"] == "-" else [*names, row["symbol"], row["symbol"].lower()]))


def _second(rng: Random, world: TaskWorld, outside: bool = False) -> int:
    """A moment at which the index had noted something, or before that; none of the day that is not over."""
    first = begun(world) // DAY_S * DAY_S + DAY_S
    return rng.randint(first - (60 * DAY_S if outside else 0), _midnight(world) - 1)


def _midnight(world: TaskWorld) -> int:
    """When the day of now began."""
    return world.clock.now // DAY_S * DAY_S


def _is_settled(world: TaskWorld) -> bool:
    """Whether the chains' histories were recorded on a later day: of the same day nobody knows which points moved."""
    return bool(_recorded(world.world.folder.path / "http" / "defillama.json") // DAY_S > world.clock.now // DAY_S)


@lru_cache(maxsize=4)
def _recorded(cassette: Path) -> float:
    (date,) = json.loads(cassette.read_text())["interactions"][0]["response"]["headers"]["date"]
    return parsedate_to_datetime(date).timestamp()


def _moment(rng: Random, world: TaskWorld, outside: bool) -> str | int:
    """A moment, written as people do."""
    second = _second(rng, world, outside)
    return rng.choice([second, utc_text(second), utc_text(second)[:10]])


def _window(rng: Random, world: TaskWorld, outside: bool) -> dict[str, Any]:
    """Days that are over, one of them named or both."""
    last = world.clock.now // DAY_S * DAY_S - DAY_S
    first = begun(world) // DAY_S * DAY_S - (60 * DAY_S if outside else 0)
    days = sorted(rng.randint(0, (last - first) // DAY_S) * DAY_S + first for _ in range(2))
    start, end = (utc_text(day)[:10] for day in (max(days[0], days[1] - 30 * DAY_S), days[1]))
    return rng.choice(
        [{"start": start, "end": end}, {"end": end}, {"start": end}, {"start": start, "end": f"{end} 14:00"}]
    )


DRAWS: Mapping[str, Draw] = {
    "protocol_metrics": protocol, "revenue_analysis": revenue, "network_activity": activity,
    "exchange_summary": exchange, "exchange_overview": exchanges,
}  # fmt: skip
INSIDE: Mapping[str, Draw] = {name: partial(draw, inside=True) for name, draw in DRAWS.items()}

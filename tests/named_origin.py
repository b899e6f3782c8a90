"""Hosts for the real chains: the vendors' names over TLS, whatever is asked answered, and each history cut by a plan.

``Bought`` is what somebody has bought: with it the hosts answer so far back and no farther, and the recorder has these
keys and no others. The day is that of the plan's terms.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caia_replay.canonical import strict_json
from caia_replay.recording.plan_table import PlannedTask
from caia_worldgen.services.service import Answer, Asked, Service
from caia_worldgen.services.x_api import XApi
from tests.caia_origin import KEYS, VARIABLES, Hosts, ShelfSearch
from tests.caia_shelf import ShelfArchive, ShelfReader
from tests.living_solana import SolanaNode
from tests.named_node import ORIGIN as NODE
from tests.named_node import Explorer, NamedNode
from tests.named_vendors import BEGUN, Coin, NamedCoinGecko, NamedLlama, figure
from tests.named_web import NamedWeb, patterns_of, sample

TODAY: Final = 1_795_910_400
"""29 November 2026, as of which the plan's terms were read."""
_INDEX_TOOLS: Final = ("protocol_metrics", "revenue_analysis", "exchange_overview", "exchange_summary")
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_SIGNATURE: Final = re.compile(r"[1-9A-HJ-NP-Za-km-z]{64,88}")


@dataclass(frozen=True, slots=True)
class Bought:
    """A choice of plans. ``chart_days`` is how far back the market API's paid host answers, None without end."""

    usd: int
    chart_days: int | None = 0
    has_posts: bool = False

    @property
    def variables(self) -> Mapping[str, str]:
        """The keys that its buyer has in the environment."""
        kept = {name: key for name, key in VARIABLES.items() if name not in ("X_BEARER_TOKEN", "DEFILLAMA_API_KEY")}
        if self.chart_days != 0:
            kept["COINGECKO_PRO_API_KEY"] = KEYS["pro-api.coingecko.com"]
        if self.has_posts:
            kept["X_BEARER_TOKEN"] = KEYS["api.x.com"]
        return kept


NOTHING: Final = Bought(0)
HUNDRED: Final = Bought(100, 730, True)


def arguments_of(tasks: Sequence[PlannedTask], tools: Sequence[str], name: str) -> Iterator[str]:
    """What the steps of some tools say in one argument, each once."""
    yield from dict.fromkeys(
        str(step.arguments[name]) for task in tasks for step in task.gold.steps
        if step.tool in tools and name in step.arguments
    )  # fmt: skip


def coins_of(tasks: Sequence[PlannedTask]) -> Iterator[Coin]:
    """The coins that chains name: by id, by the address of a token, or by a ticker."""
    tools = ("price_feed", "supply_query", "release_schedule", "ranking_query")
    for asset in arguments_of(tasks, tools, "asset"):
        if asset.startswith("id:"):
            yield Coin(asset[3:], asset[3:7], "0x" + hashlib.sha256(asset.encode()).hexdigest()[:40])
        elif _ADDRESS.fullmatch(asset):
            yield Coin(f"token-{asset[2:10].lower()}", asset[2:6].lower(), asset.lower())
        else:
            yield Coin(asset.lower(), asset.lower(), "0x" + hashlib.sha256(asset.encode()).hexdigest()[:40])


class Warehouse:
    """Dune's API: three rows for any statement, as wide as the chains look; a text where a pattern looks for one."""

    origins: Final = ("https://api.dune.com",)

    def __init__(self, tasks: Sequence[PlannedTask]) -> None:
        self._told: dict[str, list[str]] = {}
        self._rows: dict[str, str] = {}
        for task in tasks:
            for number, step in enumerate(task.gold.steps, 1):
                if "sql" in step.arguments:
                    self._told.setdefault(str(step.arguments["sql"]), []).extend(
                        sample(one) for one in patterns_of(task, number)
                    )

    def answer(self, asked: Asked, now: int) -> Answer:
        """An execution, or its rows."""
        if asked.method == "POST":
            sql = strict_json(asked.body)["sql"]
            execution = "01" + hashlib.sha256(sql.encode()).hexdigest()[:24].upper()
            self._rows[execution] = sql
            return Answer(200, {"execution_id": execution, "state": "QUERY_STATE_PENDING"})
        execution = asked.segments()[3]
        sql, names = self._rows[execution], [f"c{at}" for at in range(4)]
        told = self._told.get(sql) or []
        rows = [{name: told[0] if told else figure(f"{sql}/{name}", BEGUN + at) for name in names} for at in range(3)]
        about = {"column_names": names, "column_types": ["double"] * 4, "row_count": 3, "total_row_count": 3,
                 "result_set_bytes": 99}  # fmt: skip
        return Answer(200, {"execution_id": execution, "query_id": 0, "is_execution_finished": True,
                            "execution_ended_at": "2026-11-29T00:00:00.000000Z", "state": "QUERY_STATE_COMPLETED",
                            "result": {"metadata": about, "rows": rows}})  # fmt: skip

    def busy(self, asked: Asked) -> Answer:
        """Too many requests."""
        return Answer(429, {"error": "Too many requests"})


class Repositories:
    """GitHub's list of commits: every file is as it was made at the beginning."""

    origins: Final = ("https://api.github.com",)

    def answer(self, asked: Asked, now: int) -> Answer:
        """One commit of any file; nothing else is there."""
        if asked.segments()[-1:] != ["commits"]:
            return Answer(404, {"message": "Not Found"})
        return Answer(200, [{"sha": "ab" * 20, "commit": {"committer": {"date": "2024-01-01T00:00:00Z"}}}])

    def busy(self, asked: Asked) -> Answer:
        """Too many requests."""
        return Answer(429, {"message": "Too many requests"})


class NamedOrigin(Hosts):
    """The hosts, answering for ``tasks``."""

    def __init__(self, tasks: Sequence[PlannedTask], bought: Bought) -> None:
        web, self.node = NamedWeb(tasks), NamedNode(tasks)
        protocols = list(
            dict.fromkeys(one.removeprefix("slug:") for one in arguments_of(tasks, _INDEX_TOOLS, "protocol"))
        )
        chains = [one.removeprefix("name:") for one in arguments_of(tasks, _INDEX_TOOLS, "chain")]
        coins = list({coin.id: coin for coin in coins_of(tasks)}.values())
        signatures = filter(_SIGNATURE.fullmatch, arguments_of(tasks, ("transaction_query",), "hash"))
        services: list[Service] = [
            NamedCoinGecko(coins, bought.chart_days),
            NamedLlama(protocols, list(dict.fromkeys(chains)), [coin.id for coin in coins]),
            ShelfReader(web.shelf), ShelfArchive(web.shelf), ShelfSearch(web.shelf),
            XApi(web.users.values(), web.posts), Warehouse(tasks), Repositories(),
            SolanaNode(dict.fromkeys(signatures, BEGUN)), Explorer(), self.node,
        ]  # fmt: skip
        super().__init__(TODAY, services)

    def rpc_url(self, chain: str) -> str:
        """The archive node of a chain."""
        return f"{NODE}/{chain}"


@contextmanager
def named_origin(folder: Path, tasks: Sequence[PlannedTask], bought: Bought) -> Iterator[NamedOrigin]:
    """The hosts of ``tasks`` as whoever has ``bought`` finds them; ``folder`` keeps the authority."""
    origin = NamedOrigin(tasks, bought)
    with origin.living(folder):
        yield origin

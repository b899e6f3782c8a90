from __future__ import annotations

from typing import Any

import pytest

from caia_replay.core.provider import HttpRequest
from caia_replay.providers.defillama_later import defillama_turn

DAY = 86_400
TODAY = 1_717_200_000 // DAY * DAY
NOW, MADE = TODAY + 3_600, TODAY + 400 * DAY + 7
API, PRO, COINS = "https://api.llama.fi", "https://pro-api.llama.fi/KEY/api", "https://stablecoins.llama.fi"


def turned(url: str, content: Any, made: int = MADE) -> Any:
    turn = defillama_turn(HttpRequest("GET", url))
    assert turn is not None
    return turn(content, made, NOW)


def states(*days: int) -> list[dict[str, Any]]:
    return [{"date": TODAY + day * DAY, "totalLiquidityUSD": day} for day in days]


def series(*days: int) -> dict[str, Any]:
    return {"tvl": states(*days), "tokens": [], "tokensInUsd": states(*days)}


def test_a_list_is_names_in_the_order_of_names() -> None:
    """Figures, texts and states are gone, and so is the order by what is locked; who was listed later is left out."""
    row = {"id": "1", "name": "Vela", "slug": "vela", "symbol": "VLA", "category": "Lending", "chains": ["B", "A"],
           "gecko_id": None, "address": "base:0xAb", "listedAt": NOW}  # fmt: skip
    more = {"tvl": 4.5, "chainTvls": {"A": 1}, "mcap": 8, "change_1d": 1, "description": "x", "deadFrom": "2025-01-01"}
    rows = [row | more | {"name": "Zeta"}, row | more, row | more | {"name": "Late", "listedAt": NOW + 1}]
    left = row | {"chains": ["A", "B"]}
    assert turned(f"{API}/protocols", rows) == [left, left | {"name": "Zeta"}]
    chain = {"name": "Main", "chainId": 1, "tokenSymbol": "M", "tvl": 9, "gecko_id": None, "cmcId": "1"}
    assert turned(f"{API}/v2/chains", [chain]) == [{name: chain[name] for name in chain if name != "tvl"}]


def test_a_history_ends_with_the_moment() -> None:
    """Points up to now, without the day of the recording; parts and chains that began later are no parts of it."""
    page = {"id": "1", "name": "Vela", "chains": ["New", "Old"], "mcap": 3, "currentChainTvls": {"Old": 1},
            "hallmarks": [[MADE, "x"]], **series(-2, -1, 0, 1),
            "chainTvls": {"Old": series(-1, 0, 1), "New": series(1, 2), "staking": series()}}  # fmt: skip
    assert turned(f"{API}/protocol/vela", page) == {
        "id": "1", "name": "Vela", "chains": ["Old"], **series(-2, -1, 0),
        "chainTvls": {"Old": series(-1, 0), "staking": series()},
    }  # fmt: skip
    assert turned(f"{API}/protocol/vela", page, made=NOW + 60)["tvl"] == states(-2, -1)


def test_what_began_later_is_not_there() -> None:
    """By its first point, or by when it was listed."""
    page = {"name": "Vela", "chainTvls": {}}
    assert turned(f"{API}/protocol/vela", {**page, **series(1, 2)}) is None
    assert turned(f"{API}/protocol/vela", {**page, **series(-1), "listedAt": NOW + 1}) is None
    assert turned(f"{API}/summary/dexs/vela", {"name": "V", "totalDataChart": [[TODAY, 1]]}) is None
    assert turned(f"{API}/overview/dexs/new", {"totalDataChart": [[TODAY, 1]], "protocols": []}) is None
    assert turned(f"{COINS}/stablecoincharts/new", states(1)) is None


def test_a_flow_keeps_the_days_that_were_over() -> None:
    """The day of the moment is not over; totals are gone; who is in days of later alone was not there."""
    days = [[TODAY - 2 * DAY, 5], [str(TODAY - DAY), 6], [TODAY, 7]]
    parts = [[TODAY - DAY, {"Vela": {"a": 6}, "Gone": 0}], [TODAY, {"Vela": {"a": 5}, "Late": {"a": 2}}]]
    rows = [{"name": name, "id": name, "chains": ["Main"], "total24h": 4, "breakdown24h": {"x": 1}}
            for name in ("Vela", "Late", "Never")]  # fmt: skip
    page = {"totalDataChart": days, "totalDataChartBreakdown": parts, "total24h": 7, "change_1d": 3.5, "chain": None,
            "allChains": ["Roll", "Main"], "protocols": rows}  # fmt: skip
    found = turned(f"{API}/overview/dexs", page)
    assert found == {
        "totalDataChart": days[:2], "totalDataChartBreakdown": parts[:1], "chain": None, "allChains": ["Main", "Roll"],
        "protocols": [{"name": name, "id": name, "chains": ["Main"]} for name in ("Never", "Vela")],
    }  # fmt: skip
    one = turned(f"{API}/summary/fees/x?dataType=dailyRevenue", {"name": "X", "chains": ["Vela", "Late"], **page})
    assert one == {"name": "X", "chains": ["Vela"], "totalDataChart": days[:2], "totalDataChartBreakdown": parts[:1]}


def test_users_are_counted_by_whole_days() -> None:
    """Days that were over; a page without any stays empty."""
    assert turned(f"{PRO}/userData/users/1", [[TODAY - DAY, "5"], [TODAY, 6]]) == [[TODAY - DAY, "5"]]
    assert turned(f"{PRO}/userData/users/1", []) == []


def test_stablecoins_are_names_and_states_by_then() -> None:
    """Their list, the history of all or of a chain, and one coin by chain."""
    row = {"id": "2", "name": "Dollar", "symbol": "USD", "pegType": "peggedUSD", "chains": ["Main"]}
    more = {"circulating": {"peggedUSD": 9}, "price": 1.01, "chainCirculating": {}}
    assert turned(f"{COINS}/stablecoins?includePrices=true", {"peggedAssets": [row | more], "chains": [{"x": 1}]}) == {
        "peggedAssets": [row]
    }
    assert turned(f"{COINS}/stablecoincharts/all?stablecoin=2", states(-1, 0, 1)) == states(-1, 0)
    balances = {"Main": {"tokens": states(0, 1)}, "New": {"tokens": states(3)}}
    one = row | more | {"chains": ["Main", "New"], "chainBalances": balances, "tokens": states(0, 2)}
    assert turned(f"{COINS}/stablecoin/2", one) == row | {
        "chainBalances": {"Main": {"tokens": states(0)}}, "tokens": states(0)
    }  # fmt: skip
    assert turned(f"{COINS}/stablecoin/2", row | {"chainBalances": {"New": {"tokens": states(3)}}}) is None


@pytest.mark.parametrize(
    "url",
    [f"{API}/tvl/vela", f"{API}/charts", f"{PRO}/emission/vela", f"{PRO}/activeUsers", f"{COINS}/stablecoinprices",
     "https://coins.llama.fi/prices/current/a:b", "https://defillama-datasets.llama.fi/emissions/vela"],
)  # fmt: skip
def test_what_is_of_now_is_not_turned(url: str) -> None:
    """Bare totals and plans of later tell nothing of before; chains' histories are cut elsewhere."""
    assert defillama_turn(HttpRequest("GET", url)) is None

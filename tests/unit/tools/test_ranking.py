from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.tool import Served
from caia_replay.errors import Miss
from caia_replay.tools.ranking import ranking_query
from caia_replay.world.world import FrozenWorld
from tests.short_economy import ShortEconomy
from tests.told import Told, told
from tests.tool_draw.market import DRAWS, INSIDE
from tests.tool_law import check_law
from tests.unit.tools.conftest import Bench


def _coin(number: int, cap: Any = 1) -> dict[str, Any]:
    return {"id": f"coin-{number}", "symbol": f"c{number % 5}", "name": f"Coin {number}", "market_cap": cap}


@pytest.mark.parametrize("draws", [INSIDE, DRAWS], ids=["inside", "all"])
def test_replay_says_what_the_origin_says(draws: Any, short_world: FrozenWorld, short_economy: ShortEconomy) -> None:
    """Every ranking is the living origin's; inside what is recorded there is no miss, and most calls are answered."""
    check_law("ranking_query", draws["ranking_query"], short_world, short_economy.origin, inside=draws is INSIDE)


@pytest.mark.parametrize(
    ("by", "figure"),
    [
        ("market_cap", "market_cap_usd"),
        ("volume", "volume_24h_usd"),
        ("1h", "change_1h_percent"),
        ("change", "change_24h_percent"),
        ("change 7d", "change_7d_percent"),
        ("price", "price_usd"),
        ("FDV", "fully_diluted_valuation_usd"),
    ],
)
def test_a_ranking_is_in_order(bench: Bench, by: str, figure: str) -> None:
    """Positions count from 1 down the figure that was asked for, and up it when ascending; all coins are counted."""
    down = bench.call("ranking_query", by=by, limit=100).result
    values = [coin[figure] for coin in down["coins"] if coin["position"] is not None]
    assert values == sorted(values, reverse=True)
    assert [coin["position"] for coin in down["coins"][: len(values)]] == list(range(1, len(values) + 1))
    assert (down["ranked"], down["ranked"] + down["without_figure"]) == (len(values), len(down["coins"]))
    assert down["all_listed"] is True
    up = bench.call("ranking_query", by=by, order="asc", limit=1).result
    assert up["coins"][0][figure] == values[-1]


def test_a_filter_keeps_the_places_of_the_whole(bench: Bench) -> None:
    """Coins picked by ticker, name or id stand where they stand among all; what is not ranked is named."""
    whole = bench.call("ranking_query", limit=100).result["coins"]
    one, two, three = whole[3], whole[11], whole[7]
    picked = bench.call(
        "ranking_query", symbols=[one["symbol"].lower(), two["name"], f"id:{three['id']}", "nosuch"]
    ).result
    assert picked["coins"] == [one, three, two]
    assert (picked["count"], picked["not_ranked"]) == (3, ["nosuch"])


def test_parts_make_up_the_whole(bench: Bench) -> None:
    """The parts that next_offset leads through are the ranking, and the last one leads nowhere."""
    whole = bench.call("ranking_query", by="24h", limit=100).result
    found, offset = [], 0
    while offset is not None:
        part = bench.call("ranking_query", by="24h", limit=7, offset=offset).result
        found += part["coins"]
        offset = part["next_offset"]
    assert found == whole["coins"]


def test_a_bound_is_told(bench: Bench) -> None:
    """Ranking the five largest says that there are more."""
    five = bench.call("ranking_query", by="change_7d", among=5).result
    assert (five["count"], five["all_listed"]) == (5, False)
    assert {coin["market_cap_rank"] for coin in five["coins"]} == {1, 2, 3, 4, 5}


@given(st.lists(st.none() | st.integers(0, 5) | st.floats(-5, 5), max_size=30), st.booleans())
def test_no_figure_is_no_place(caps: list[Any], down: bool) -> None:
    """Coins without the figure come last and have no place; equal ones keep the vendor's order either way."""
    rows = [_coin(number, cap) for number, cap in enumerate(caps)]
    shown = ranking_query(told(rows), order="descending" if down else "ascending", limit=100)["coins"]
    known = [(caps[number], number) for number in range(len(caps)) if caps[number] is not None]
    judge = sorted(known, key=lambda found: (-found[0] if down else found[0], found[1]))
    assert [coin["id"] for coin in shown if coin["position"]] == [f"coin-{number}" for _, number in judge]
    assert all(coin["position"] is None and coin["market_cap_usd"] is None for coin in shown[len(known) :])


def test_pages_are_read_to_the_first_short_one() -> None:
    """Full pages are followed by the next, each coin counts once, and a short page is the end of the list."""
    pages = [[_coin(number) for number in range(250)], [_coin(number) for number in range(245, 300)]]
    world = Told(*pages)
    shown = ranking_query(world, among=1_000)  # type: ignore[arg-type]
    assert (shown["ranked"], shown["all_listed"], len(world.asked)) == (300, True, 2)
    assert ranking_query(told(pages[0]), among=250)["all_listed"] is False


def test_one_ticker_can_be_several_coins() -> None:
    """All coins of a ticker are told; none is chosen."""
    rows = [_coin(number) for number in range(10)]
    shown = ranking_query(told(rows), symbols=["$C2"])["coins"]
    assert [coin["id"] for coin in shown] == ["coin-2", "coin-7"]


def test_a_coin_without_a_ticker_is_ranked() -> None:
    """It has its place, and no text finds it but its id and name."""
    rows = [_coin(1) | {"symbol": None}, _coin(2) | {"name": None}]
    assert [coin["symbol"] for coin in ranking_query(told(rows))["coins"]] == [None, "C2"]
    assert ranking_query(told(rows), symbols=["", "coin-1"])["not_ranked"] == [""]


@pytest.mark.parametrize("reply", [{}, [None], [{"symbol": "a"}], [_coin(1) | {"symbol": 5}], [_coin(1, cap="much")]])
def test_a_list_of_another_shape_is_a_miss(reply: Any) -> None:
    """Nothing is ranked of what is no list of coins with numbers."""
    with pytest.raises(Miss):
        ranking_query(told(reply))


@pytest.mark.parametrize(
    "arguments", [{"by": "sharpe"}, {"order": "sideways"}, {"limit": 101}, {"offset": -1}, {"among": 0}]
)
def test_what_cannot_be_meant_is_refused(bench: Bench, arguments: Any) -> None:
    """Unknown figures and numbers out of bounds are told what would do."""
    assert bench.call("ranking_query", **arguments).served is Served.ERROR

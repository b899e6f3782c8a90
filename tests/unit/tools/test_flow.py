"""Flows of protocols and chains: fees, volume and users, by day, by chain and ranked."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from caia_replay.errors import Miss, ToolError
from caia_replay.tools.activity import network_activity
from caia_replay.tools.argument import DAY_S
from caia_replay.tools.daily import Window
from caia_replay.tools.defi_index import API, PRO
from caia_replay.tools.flow import (
    describe_all,
    describe_one,
    exchange_overview,
    exchange_summary,
    revenue_analysis,
)
from caia_replay.tools.flow_page import Flow
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.anchored import anchored
from tests.told import Told, told

DEXS = Flow("dexs", None, "volume_usd", "exchange")
DAY = 1_717_113_600
NOW = DAY + 3 * DAY_S + 60
"""The fourth day has begun; the page already has a point of it."""
ROWS: list[dict[str, Any]] = [
    {"id": "1", "name": "Vela", "slug": "vela", "total24h": 10.1, "total7d": 5, "category": "Dexs",
     "breakdown24h": {"main-net": {"Vela": 10, "Vela 2": 0.1}}},
    {"id": "2", "name": "Orn", "slug": "orn", "total24h": 30.3, "total7d": None, "chains": ["Main Net"],
     "breakdown24h": {"roll-up": {"Orn": 20.2}, "main-net": {"Orn": 10.1}}},
    {"id": "3", "name": "Brim", "slug": "brim", "breakdown24h": None},
]  # fmt: skip
PAGE: dict[str, Any] = {
    "allChains": ["Main Net", "Roll Up"],
    "total24h": 40.4,
    "total7d": 60,
    "change_1d": -1.5,
    "totalDataChart": [[DAY, 10], [DAY + DAY_S, 20.2], [DAY + 2 * DAY_S, 40.4], [DAY + 3 * DAY_S, 1]],
    "totalDataChartBreakdown": [
        [DAY, {"Vela": 4, "Orn": 6}],
        [DAY + DAY_S, {"Vela": 0.2, "Orn": 20}],
        [DAY + 2 * DAY_S, {"Vela": 10.1, "Orn": 30.3}],
        [DAY + 3 * DAY_S, {"Vela": 1}],
    ],
    "protocols": ROWS,
}
CHAINS = [{"name": "Main Net"}, {"name": "Roll Up"}]
PROTOCOLS = [{"id": "1", "slug": "vela", "name": "Vela", "symbol": "VLA"}]
ONE = {
    "total24h": 10.1,
    "totalDataChart": [[DAY, 4], [DAY + DAY_S, 0.2]],
    "totalDataChartBreakdown": [
        [DAY, {"Main Net": {"Vela": 4}}],
        [DAY + DAY_S, {"Main Net": {"Vela": 0.1}, "Roll Up": {"Vela": 0.1}}],
    ],
}
BOTH = Window(DAY, DAY + DAY_S)


def _all(window: Window | None = None, by_chain: bool = False, period: Any = "24h", limit: int = 10) -> dict[str, Any]:
    return describe_all(told(PAGE, now=NOW), DEXS, None, window, by_chain, period, limit)


def _one(
    page: Any, *before: Any, chain: str | None = None, window: Window | None = None, by_chain: bool = False
) -> Any:
    return describe_one(told(PROTOCOLS, PAGE, *before, page, now=NOW), DEXS, "vla", chain, window, by_chain)


LATER: dict[str, Any] = {
    "allChains": PAGE["allChains"],
    **{name: PAGE[name][:3] for name in ("totalDataChart", "totalDataChartBreakdown")},
    "protocols": [{name: row[name] for name in ("id", "name", "slug")} for row in ROWS],
}
"""The page as a recording of later tells it: days that are over, and names."""


def test_totals_rankings_and_chains_of_now() -> None:
    """Totals of too few days are named, unknown ones null; who has no figure is not ranked; parts add up."""
    found = _all()
    assert found["totals"]["last_24h_usd"] == 40.4 and found["totals"]["last_30d_usd"] is None
    assert found["cover_fewer_days_than_named"] == ["last_7d_usd"]
    assert (found["chart_from_day"], found["chart_to_day"]) == ("2024-05-31", "2024-06-02")
    assert found["last_whole_day"] == {"day": "2024-06-02", "usd": 40.4}
    wanted = {"change_1d_percent": -1.5, "change_7d_over_7d_percent": None, "change_30d_over_30d_percent": None}
    assert found["changes"] == wanted
    found = _all(limit=1)
    assert (found["listed_in_all"], found["without_figure"], found["period"]) == (2, 1, "24h")
    wanted = [(1, "Orn", 30.3, 75)]
    assert [(row["rank"], row["name"], row["last_24h_usd"], row["share_percent"]) for row in found["ranking"]] == wanted
    assert [row["name"] for row in _all(period="7d")["ranking"]] == ["Vela"]
    assert _all(by_chain=True)["by_chain"] == [
        {"name": "Main Net", "usd": 20.2, "share_percent": 50},
        {"name": "Roll Up", "usd": 20.2, "share_percent": 50},
    ]
    with pytest.raises(ToolError, match="24h and 30d"):
        _all(by_chain=True, period="7d")


def test_a_window_of_all_and_all_of_one_chain() -> None:
    """Days that are over and their shares; the page of a chain is asked for and not split further."""
    found = _all(Window(DAY + DAY_S, DAY + 3 * DAY_S), limit=1)
    assert found["window"]["sums"] == {"volume_usd": 60.6} and found["window"]["days_not_over"] == ["2024-06-03"]
    assert found["window_listed_in_all"] == 2
    assert found["window_ranking"] == [{"name": "Orn", "usd": 50.3, "share_percent": 83.0033}]
    world = told(CHAINS, PAGE, now=NOW)
    assert describe_all(world, DEXS, "roll up", None, False, "24h", 10)["chain"] == "Roll Up"
    with pytest.raises(ToolError, match="with it chain is null"):
        describe_all(told(), DEXS, "roll up", None, True, "24h", 10)
    with pytest.raises(ToolError, match="no exchange on Roll Up at"):
        describe_all(told(CHAINS, {"totalDataChart": [], "protocols": []}), DEXS, "roll-up", None, False, "24h", 10)


def test_one_protocol() -> None:
    """Its window and chains; on one chain a day without a figure is no nought and totals are not told."""
    found = _one(ONE, window=BOTH, by_chain=True)
    wanted = ("Vela", 10.1, {"volume_usd": 4.2})
    assert (found["name"], found["totals"]["last_24h_usd"], found["window"]["sums"]) == wanted
    assert found["window_by_chain"] == [
        {"name": "Main Net", "usd": 4.1, "share_percent": 97.619048},
        {"name": "Roll Up", "usd": 0.1, "share_percent": 2.380952},
    ]
    assert "window" not in _one(ONE)
    found = _one(ONE, CHAINS, chain="roll up", window=BOTH)
    assert found["window"]["sums"] == {"volume_usd": 0.1} and found["window"]["without_figure"] == ["2024-05-31"]
    assert "totals" not in found and found["chain"] == "Roll Up"
    for asked in ({"chain": "Main Net"}, {"by_chain": True}):
        with pytest.raises(ToolError, match="give start and end"):
            _one(ONE, **asked)


def test_replies_of_another_shape_are_missed() -> None:
    """A stranger's recording never ends a run."""
    for change in [
        {"total24h": "1"}, {"protocols": [{**ROWS[0], "total24h": "x"}]}, {"protocols": [{**ROWS[0], "chains": 5}]},
        {"protocols": [{**ROWS[0], "breakdown24h": [1]}]}, {"allChains": [5]},
    ]:  # fmt: skip
        with pytest.raises(Miss, match="another shape"):
            describe_all(told({**PAGE, **change}, now=NOW), DEXS, None, None, True, "24h", 10)
    for page in [None, 5, [5], [[DAY]], [[DAY, "x"]], [[DAY, 1], [DAY + 1, 2]], {"message": "no"}]:
        with pytest.raises(Miss, match="another shape"):
            network_activity(told(VELA, page), "vela")
        with pytest.raises(Miss, match="another shape"):
            network_activity(told(page if page != {"message": "no"} else [page]))


def test_a_page_of_later_tells_days_and_no_totals() -> None:
    """Totals, rankings and chains of now are null, never zero; sums of a window are those of the page of then."""
    found = describe_all(told(LATER, now=NOW), DEXS, None, BOTH, True, "24h", 10)
    assert set(found["totals"].values()) == set(found["changes"].values()) == {None}
    wanted = (None, None, None, None)
    assert (found["listed_in_all"], found["without_figure"], found["ranking"], found["by_chain"]) == wanted
    then = _all(BOTH)
    for name in ("window", "window_ranking", "last_whole_day"):
        assert found[name] == then[name]
    one = {name: ONE[name] for name in ("totalDataChart", "totalDataChartBreakdown")}
    shown = describe_one(told(PROTOCOLS, LATER, one, now=NOW), DEXS, "vela", None, BOTH, True)
    assert set(shown["totals"].values()) == {None} and shown["window"]["sums"] == {"volume_usd": 4.2}
    assert shown["cover_fewer_days_than_named"] == []


FEES: dict[str, Any] = {"totalDataChart": [[DAY, 1]], "totalDataChartBreakdown": [[DAY, {"Vela": 1}]],
                        "protocols": [{"id": "1", "name": "Vela", "slug": "vela"}]}  # fmt: skip
VELA = [{"id": "1", "slug": "vela", "name": "Vela", "symbol": "VLA"}]


@pytest.fixture(scope="module")
def view(large: FrozenWorld) -> ToolContext:
    """A task in the middle of the economy."""
    return ToolContext(large.task(anchored(large.folder, 60)))


def test_fees_and_revenue_are_asked_apart() -> None:
    """Of one protocol and of all; figures say which they are."""
    world = Told(VELA, FEES, FEES, FEES)
    one = revenue_analysis(world, "vela", "revenue", end="2024-05-31")
    assert one["measure"] == "revenue" and one["window"]["sums"] == {"revenue_usd": 1}
    every = revenue_analysis(world, measure="fees")
    assert every["measure"] == "fees" and every["chart_from_day"] == "2024-05-31"
    assert [(url.removeprefix(API), asked.get("dataType")) for url, asked in world.asked] == [
        ("/protocols", None),
        ("/overview/fees", "dailyRevenue"),
        ("/summary/fees/vela", "dailyRevenue"),
        ("/overview/fees", None),
    ]


def test_arguments_that_do_not_fit() -> None:
    """Refused before anything is asked."""
    for tool, asked, words in [
        (revenue_analysis, {"protocol": "vela", "by_chain": True}, "give start and end"),
        (revenue_analysis, {"limit": 0}, "limit"), (revenue_analysis, {"protocol": "vela", "limit": -1}, "limit"),
        (exchange_summary, {"exchange": "vela", "chain": "main"}, "give start and end"),
        (exchange_overview, {"chain": "main", "by_chain": True}, "with it chain is null"),
        (exchange_overview, {"limit": 51}, "limit"),
        (network_activity, {"protocol": "vela", "chain": "main"}, "protocol or chain"),
        (network_activity, {"start": "1 day ago"}, "newest day only"), (network_activity, {"limit": 0}, "limit"),
    ]:  # fmt: skip
        with pytest.raises(ToolError, match=words):
            tool(told(), **asked)
    for limit in [0, 51, -1]:
        with pytest.raises(ToolError, match="limit"):
            _all(limit=limit)


def test_charts_of_a_recorded_economy(view: ToolContext) -> None:
    """Sums are those of the recorded points, to the digit; totals of now were recorded of all alone."""
    for row_ in view.ask(f"{API}/overview/fees")["protocols"]:
        chart = view.ask(f"{API}/summary/fees/{row_['slug']}")["totalDataChart"]
        for first, last in ((0, len(chart) - 1), (3, 9), (7, 7)):
            start, end = (utc_text(chart[at][0])[:10] for at in (first, last))
            found = revenue_analysis(view, row_["name"], start=start, end=end, by_chain=True)
            meant = sum(Decimal(str(usd)) for _, usd in chart[first : last + 1])
            assert Decimal(str(found["window"]["sums"]["fees_usd"])) == meant
            assert found["window"]["days_summed"]["fees_usd"] == last - first + 1
            assert sum(Decimal(str(part["usd"])) for part in found["window_by_chain"]) == meant
    whole = 0.0
    for row_ in view.ask(f"{API}/overview/dexs")["protocols"]:
        chart = view.ask(f"{API}/summary/dexs/{row_['slug']}")["totalDataChart"]
        found = exchange_summary(view, row_["slug"], start=utc_text(chart[0][0]))
        wanted = [(utc_text(at)[:10], usd) for at, usd in chart]
        assert [(point["day"], point["volume_usd"]) for point in found["window"]["points"]] == wanted
        assert Decimal(str(found["window"]["sums"]["volume_usd"])) == sum(Decimal(str(usd)) for _, usd in chart)
        assert found["last_whole_day"] == {"day": utc_text(view.now - 86_400)[:10], "usd": chart[-1][1]}
        assert set(found["totals"].values()) == {None} and found["cover_fewer_days_than_named"] == []
        whole += chart[-1][1]
    every = exchange_overview(view)
    assert every["totals"]["last_24h_usd"] == every["last_whole_day"]["usd"] == pytest.approx(whole, abs=1e-4)
    assert "last_1y_usd" in every["cover_fewer_days_than_named"]
    with pytest.raises(ToolError, match="is no exchange of the index at this moment; there are: "):
        exchange_summary(view, _other(view))
    found = exchange_overview(view, start="2 days ago", end="now")["window"]
    assert found["days"] == 3 and found["days_summed"]["volume_usd"] == 2
    assert found["days_not_over"] == found["without_figure"] == [utc_text(view.now)[:10]]


def _other(view: ToolContext) -> str:
    """A protocol that is no exchange."""
    exchanges = {row["slug"] for row in view.ask(f"{API}/overview/dexs")["protocols"]}
    return str(next(row["slug"] for row in view.ask(f"{API}/protocols") if row["slug"] not in exchanges))


def test_users_of_protocols() -> None:
    """Counts are numbers or digits and not added up; what is left out is null; a figure of another day is null too."""
    world = Told(VELA, [[DAY, "2"], [DAY + 86_400, 3]], [[DAY, 1]], [[str(DAY), 5], [DAY + 86_400, "6"]], now=NOW)
    found = network_activity(world, "vla")
    assert [url for url, _ in world.asked[1:]] == [f"{PRO}/userData/{kind}/1" for kind in ("users", "newusers", "txs")]
    assert found["sums"] == {"new_users": 1, "transactions": 11}
    assert found["days_summed"] == {"new_users": 1, "transactions": 2}
    wanted = [(2, 1, 5), (3, None, 6)]
    assert [(point["users"], point["new_users"], point["transactions"]) for point in found["points"]] == wanted
    assert found["days"] == 7 and found["days_without_figure"] == 5
    with pytest.raises(ToolError, match="counts no users of Vela"):
        network_activity(told(VELA, [], [], [], now=NOW), "vela")
    end = DAY + 86_400
    page = {
        "1": {"name": "Orn", "users": {"value": "4", "end": end}, "txs": {"value": 9, "end": end}, "newUsers": None},
        "2": {"name": "Vela", "users": {"value": 5, "end": end}, "txs": {"value": 7, "end": DAY}},
        "3": {"name": "Brim", "users": {"value": None, "end": end}},
    }
    found = network_activity(told(page, now=NOW))
    assert (found["listed_in_all"], found["without_figure"]) == (2, 1)
    assert found["ranking"] == [
        {"rank": 1, "protocol": "Vela", "day": "2024-05-31", "users": 5, "new_users": None, "transactions": None},
        {"rank": 2, "protocol": "Orn", "day": "2024-05-31", "users": 4, "new_users": None, "transactions": 9},
    ]
    assert len(network_activity(told(page, now=NOW), limit=1)["ranking"]) == 1

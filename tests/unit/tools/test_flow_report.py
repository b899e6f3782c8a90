"""What a model is told of flows: totals, which days they hold, rankings, shares."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import DAY_S
from caia_replay.tools.daily import Window
from caia_replay.tools.flow_page import Flow
from caia_replay.tools.flow_report import told_all, told_one
from tests.told import told

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
    return told_all(told(PAGE, now=NOW), DEXS, None, window, by_chain, period, limit)


def _one(
    page: Any, *before: Any, chain: str | None = None, window: Window | None = None, by_chain: bool = False
) -> Any:
    return told_one(told(PROTOCOLS, PAGE, *before, page, now=NOW), DEXS, "vla", chain, window, by_chain)


def test_totals_say_which_days_there_are() -> None:
    """Totals of more days than there are, are named; a day that is not over ends no chart; unknown ones are null."""
    found = _all()
    assert found["totals"]["last_24h_usd"] == 40.4 and found["totals"]["last_30d_usd"] is None
    assert found["cover_fewer_days_than_named"] == ["last_7d_usd"]
    assert (found["chart_from_day"], found["chart_to_day"]) == ("2024-05-31", "2024-06-02")
    assert found["last_whole_day"] == {"day": "2024-06-02", "usd": 40.4}
    assert found["changes"] == {
        "change_1d_percent": -1.5,
        "change_7d_over_7d_percent": None,
        "change_30d_over_30d_percent": None,
    }


def test_the_ranking_is_by_the_period() -> None:
    """The largest first; who has no figure is counted and not ranked as nought."""
    found = _all(limit=1)
    assert (found["listed_in_all"], found["without_figure"], found["period"]) == (2, 1, "24h")
    assert [(row["rank"], row["name"], row["last_24h_usd"], row["share_percent"]) for row in found["ranking"]] == [
        (1, "Orn", 30.3, 75)
    ]
    assert [row["name"] for row in _all(period="7d")["ranking"]] == ["Vela"]


def test_chains_of_all() -> None:
    """Their parts are added up exactly, under the names the index gives chains; 7 days it does not tell."""
    assert _all(by_chain=True)["by_chain"] == [
        {"name": "Main Net", "usd": 20.2, "share_percent": 50},
        {"name": "Roll Up", "usd": 20.2, "share_percent": 50},
    ]
    with pytest.raises(ToolError, match="24h and 30d"):
        _all(by_chain=True, period="7d")


def test_a_window_of_all() -> None:
    """Days that are over and their shares; the day that is not is in no sum."""
    found = _all(Window(DAY + DAY_S, DAY + 3 * DAY_S), limit=1)
    assert found["window"]["sums"] == {"volume_usd": 60.6} and found["window"]["days_not_over"] == ["2024-06-03"]
    assert found["window_listed_in_all"] == 2
    assert found["window_ranking"] == [{"name": "Orn", "usd": 50.3, "share_percent": 83.0033}]


def test_all_of_one_chain() -> None:
    """The page of the chain is asked for; its chains are not split further."""
    world = told(CHAINS, PAGE, now=NOW)
    assert told_all(world, DEXS, "roll up", None, False, "24h", 10)["chain"] == "Roll Up"
    with pytest.raises(ToolError, match="with it chain is null"):
        told_all(told(), DEXS, "roll up", None, True, "24h", 10)
    with pytest.raises(ToolError, match="no exchange on Roll Up at"):
        told_all(told(CHAINS, {"totalDataChart": [], "protocols": []}), DEXS, "roll-up", None, False, "24h", 10)


def test_one_protocol() -> None:
    """Totals as of now, a window's sum, and its chains."""
    found = _one(ONE, window=BOTH, by_chain=True)
    assert (found["name"], found["totals"]["last_24h_usd"], found["window"]["sums"]) == (
        "Vela",
        10.1,
        {"volume_usd": 4.2},
    )
    assert found["window_by_chain"] == [
        {"name": "Main Net", "usd": 4.1, "share_percent": 97.619048},
        {"name": "Roll Up", "usd": 0.1, "share_percent": 2.380952},
    ]
    assert "window" not in _one(ONE)


def test_one_protocol_on_one_chain() -> None:
    """Its days there; totals are of all chains and are not told. A day without a figure there is no nought."""
    found = _one(ONE, CHAINS, chain="roll up", window=BOTH)
    assert found["window"]["sums"] == {"volume_usd": 0.1} and found["window"]["without_figure"] == ["2024-05-31"]
    assert "totals" not in found and found["chain"] == "Roll Up"


def test_what_splits_a_window_needs_one() -> None:
    """Chains of a protocol are told of days only."""
    for asked in ({"chain": "Main Net"}, {"by_chain": True}):
        with pytest.raises(ToolError, match="give start and end"):
            _one(ONE, **asked)  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", [0, 51, -1])
def test_limits(limit: int) -> None:
    """The ranking has 1 to 50 rows."""
    with pytest.raises(ToolError, match="limit"):
        _all(limit=limit)


@pytest.mark.parametrize(
    "change",
    [
        {"total24h": "1"},
        {"protocols": [{**ROWS[0], "total24h": "x"}]},
        {"protocols": [{**ROWS[0], "chains": 5}]},
        {"protocols": [{**ROWS[0], "breakdown24h": [1]}]},
        {"allChains": [5]},
    ],
)
def test_totals_of_another_shape_are_missed(change: dict[str, Any]) -> None:
    """A stranger's recording never ends a run."""
    with pytest.raises(Miss, match="another shape"):
        told_all(told({**PAGE, **change}, now=NOW), DEXS, None, None, True, "24h", 10)


LATER: dict[str, Any] = {
    "allChains": PAGE["allChains"],
    **{name: PAGE[name][:3] for name in ("totalDataChart", "totalDataChartBreakdown")},
    "protocols": [{name: row[name] for name in ("id", "name", "slug")} for row in ROWS],
}
"""The page as a recording of later tells it: days that are over, and names."""


def test_a_page_of_later_tells_days_and_no_totals() -> None:
    """Totals, rankings and chains of now are null, never zero; sums of a window are those of the page of then."""
    found = told_all(told(LATER, now=NOW), DEXS, None, BOTH, True, "24h", 10)
    assert set(found["totals"].values()) == set(found["changes"].values()) == {None}
    assert (found["listed_in_all"], found["without_figure"], found["ranking"], found["by_chain"]) == (
        None,
        None,
        None,
        None,
    )
    then = _all(BOTH)
    for name in ("window", "window_ranking", "last_whole_day"):
        assert found[name] == then[name]
    one = {name: ONE[name] for name in ("totalDataChart", "totalDataChartBreakdown")}
    shown = told_one(told(PROTOCOLS, LATER, one, now=NOW), DEXS, "vela", None, BOTH, True)
    assert set(shown["totals"].values()) == {None} and shown["window"]["sums"] == {"volume_usd": 4.2}
    assert shown["cover_fewer_days_than_named"] == []

"""Pages of flows, read: what is asked, who has such figures, and what is whose."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import DAY_S
from caia_replay.tools.defi_index import API, Listed
from caia_replay.tools.flow_page import Flow, amounts, on_chain, overview, resolve_row, summary
from tests.told import Told, told

FEES = Flow("fees", None, "fees_usd", "protocol with fees")
REVENUE = Flow("fees", "dailyRevenue", "revenue_usd", "protocol with revenue")
DAY = 1_717_113_600
PAGE: dict[str, Any] = {
    "totalDataChart": [[DAY, 3.3], [DAY + DAY_S, 5]],
    "totalDataChartBreakdown": [
        [DAY, {"Main Net": {"Vela V2": 1.1, "Vela V3": 2.2}}],
        [DAY + DAY_S, {"Main Net": {"Vela V2": None}, "Roll Up": {"Vela V2": 5}}],
    ],
    "protocols": [
        {"id": "x1", "defillamaId": "1", "name": "vela", "displayName": "Vela", "slug": "vela-lend"},
        {"id": "2", "name": "Orn"},
    ],
}
PROTOCOLS = [
    {"id": "1", "slug": "vela-lend", "name": "Vela Lend", "symbol": "VLA"},
    {"id": "2", "slug": "orn", "name": "Orn", "symbol": "-"},
    {"id": "3", "slug": "brim", "name": "Brim", "symbol": "BRM"},
]
VELA = Listed("1", "vela-lend", "Vela", frozenset({"vela"}), {})


def test_the_narrowest_page_is_asked_for() -> None:
    """The figure by its data type, the parts only where they are wanted."""
    world = Told(PAGE, PAGE, PAGE)
    overview(world, FEES)  # type: ignore[arg-type]
    overview(world, REVENUE, "Main Net", parts=True)  # type: ignore[arg-type]
    summary(world, REVENUE, VELA)  # type: ignore[arg-type]
    without, whole = "true", None
    assert world.asked == [
        (f"{API}/overview/fees", {"dataType": None, "excludeTotalDataChartBreakdown": without}),
        (f"{API}/overview/fees/Main%20Net", {"dataType": "dailyRevenue", "excludeTotalDataChartBreakdown": whole}),
        (f"{API}/summary/fees/vela-lend", {"dataType": "dailyRevenue", "excludeTotalDataChartBreakdown": without}),
    ]


def test_a_page_is_read() -> None:
    """Its days, whose they were, and its rows; null is nobody's."""
    page = summary(told(PAGE), FEES, VELA, parts=True)
    assert page.chart == {DAY: 3.3, DAY + DAY_S: 5}
    assert page.parts == {DAY: {"Main Net": Fraction("3.3")}, DAY + DAY_S: {"Roll Up": Fraction(5)}}
    assert [(one.id, one.slug, one.name) for one in page.rows] == [("1", "vela-lend", "Vela"), ("2", "orn", "Orn")]
    assert overview(told(PAGE), FEES).parts == {}


@pytest.mark.parametrize(
    "change",
    [
        {"totalDataChart": None},
        {"totalDataChart": [[DAY, "x"]]},
        {"totalDataChartBreakdown": [[DAY, 5]]},
        {"totalDataChartBreakdown": [[DAY, {}], [DAY + 1, {}]]},
        {"protocols": [{}]},
        {"protocols": [{"id": 1, "name": 5}]},
    ],
)
def test_pages_of_another_shape_are_missed(change: dict[str, Any]) -> None:
    """A stranger's recording never ends a run."""
    with pytest.raises(Miss, match="another shape"):
        overview(told({**PAGE, **change}), FEES, parts=True)


def test_amounts_are_exact() -> None:
    """What is told more finely is added up as it is written."""
    told_so = {"a": {"x": 0.1, "y": 0.2}, "b": 3, "c": None, "d": {}, "e": 0}
    assert amounts(told_so) == {"a": Fraction("0.3"), "b": Fraction(3), "e": Fraction(0)}


def test_rows_by_name() -> None:
    """By the names of the page and of the list of protocols, tickers among them."""
    for text in ("Vela", "vela lend", "VLA", "slug:vela-lend"):
        assert resolve_row(told(PROTOCOLS, PAGE), FEES, text).slug == "vela-lend"


def test_who_has_no_such_figure() -> None:
    """A protocol without it is told so, with those that have it; one that is nowhere is none."""
    with pytest.raises(ToolError, match=r"Brim is no protocol with fees of the index .* there are: Vela, Orn"):
        resolve_row(told(PROTOCOLS, PAGE), FEES, "brm")
    with pytest.raises(ToolError, match="no protocol with fees 'zzzzzzz'"):
        resolve_row(told(PROTOCOLS, PAGE), FEES, "zzzzzzz")


def test_one_chain_of_a_page() -> None:
    """Only its days; a day on which nothing is told of it has no figure. Another chain is refused."""
    page = summary(told(PAGE), FEES, VELA, parts=True)
    assert on_chain(page, "roll-up", VELA).chart == {DAY: None, DAY + DAY_S: 5}
    with pytest.raises(ToolError, match="Vela has no such figures on Solana; it has them on: Main Net, Roll Up"):
        on_chain(page, "Solana", VELA)

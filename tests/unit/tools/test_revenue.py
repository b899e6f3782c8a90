"""revenue_analysis: what users pay and protocols keep; and the law of it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from caia_replay.core.tool import Served
from caia_replay.errors import ToolError
from caia_replay.store.world_folder import open_world
from caia_replay.tools.call_view import CallView
from caia_replay.tools.defi_index import API
from caia_replay.tools.revenue import revenue_analysis
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.anchored import anchored
from tests.short_economy import ShortEconomy
from tests.told import Told, told
from tests.tool_draw.defi import DRAWS, INSIDE
from tests.tool_law import judged

DAY = 1_717_113_600
PAGE: dict[str, Any] = {"totalDataChart": [[DAY, 1]], "totalDataChartBreakdown": [[DAY, {"Vela": 1}]],
                        "protocols": [{"id": "1", "name": "Vela", "slug": "vela"}]}  # fmt: skip
LISTED = [{"id": "1", "slug": "vela", "name": "Vela", "symbol": "VLA"}]


@pytest.fixture(scope="module")
def economy(short_economy: ShortEconomy) -> Iterator[FrozenWorld]:
    """The short economy, opened once."""
    with FrozenWorld(open_world(str(short_economy.report.world))) as world:
        yield world


@pytest.fixture
def view(economy: FrozenWorld) -> CallView:
    """A task in its middle."""
    return CallView(economy.task(anchored(economy.folder, 60)))


def test_fees_and_revenue_are_asked_apart() -> None:
    """Of one protocol and of all; figures say which they are."""
    world = Told(LISTED, PAGE, PAGE, PAGE)
    one = revenue_analysis(world, "vela", "revenue", end="2024-05-31")  # type: ignore[arg-type]
    assert one["measure"] == "revenue" and one["window"]["sums"] == {"revenue_usd": 1}
    every = revenue_analysis(world, measure="fees")  # type: ignore[arg-type]
    assert every["measure"] == "fees" and every["chart_from_day"] == "2024-05-31"
    assert [(url.removeprefix(API), asked.get("dataType")) for url, asked in world.asked] == [
        ("/protocols", None),
        ("/overview/fees", "dailyRevenue"),
        ("/summary/fees/vela", "dailyRevenue"),
        ("/overview/fees", None),
    ]


def test_arguments_that_do_not_fit() -> None:
    """What splits days needs days; the ranking has its limits."""
    with pytest.raises(ToolError, match="give start and end"):
        revenue_analysis(told(), "vela", by_chain=True)
    with pytest.raises(ToolError, match="limit"):
        revenue_analysis(told(), limit=0)
    with pytest.raises(ToolError, match="limit"):
        revenue_analysis(told(), "vela", limit=-1)


def test_sums_are_those_of_the_chart(view: CallView) -> None:
    """A window's sum is that of the recorded points, to the digit; the whole chart's is the index's own total."""
    for row in view.ask(f"{API}/overview/fees")["protocols"]:
        chart = view.ask(f"{API}/summary/fees/{row['slug']}")["totalDataChart"]
        for first, last in ((0, len(chart) - 1), (3, 9), (7, 7)):
            start, end = (utc_text(chart[at][0])[:10] for at in (first, last))
            found = revenue_analysis(view, row["name"], start=start, end=end, by_chain=True)
            meant = sum(Decimal(str(usd)) for _, usd in chart[first : last + 1])
            assert Decimal(str(found["window"]["sums"]["fees_usd"])) == meant
            assert found["window"]["days_summed"]["fees_usd"] == last - first + 1
            assert sum(Decimal(str(part["usd"])) for part in found["window_by_chain"]) == meant


def test_chains_add_up_to_all(view: CallView) -> None:
    """The newest day of every chain, told by all and by each."""
    every = revenue_analysis(view, by_chain=True, limit=50)
    for part in every["by_chain"]:
        alone = revenue_analysis(view, chain=part["name"])
        assert abs(alone["last_whole_day"]["usd"] - part["usd"]) < 0.0001
        assert set(alone["totals"].values()) == {None}  # of a chain they were recorded at the story's end alone
    assert abs(sum(part["usd"] for part in every["by_chain"]) - every["totals"]["last_24h_usd"]) < 0.0001
    assert sum(row["share_percent"] for row in every["ranking"]) == pytest.approx(100, abs=1e-5)


def test_revenue_is_at_most_the_fees(view: CallView) -> None:
    """Of all protocols, day by day."""
    fees, revenue = (
        revenue_analysis(view, measure=measure, start="2024-07-21")["window"]["points"]  # type: ignore[arg-type]
        for measure in ("fees", "revenue")
    )
    assert len(fees) > 10
    for paid, kept in zip(fees, revenue, strict=True):
        assert paid["day"] == kept["day"] and 0 <= kept["revenue_usd"] <= paid["fees_usd"] + 0.0001


def test_the_law(economy: FrozenWorld, short_economy: ShortEconomy) -> None:
    """Replay says what the living index says; inside what was recorded every call is answered."""
    # A miss is allowed where revenue is asked of one protocol or chain, which not every world has recorded.
    found = judged("revenue_analysis", DRAWS["revenue_analysis"], economy, short_economy.origin, 40)
    assert found.wrong == [] and found.answered >= 0.7
    inside = judged("revenue_analysis", INSIDE["revenue_analysis"], economy, short_economy.origin, 40)
    assert inside.wrong == [] and inside.answered == 1 and inside.served[Served.MISS] == 0

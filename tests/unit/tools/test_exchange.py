"""exchange_summary and exchange_overview: traded volume; and the law of them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest

from caia_replay.core.tool import Served
from caia_replay.errors import ToolError
from caia_replay.store.world_folder import open_world
from caia_replay.tools.call_view import CallView
from caia_replay.tools.defi_index import API
from caia_replay.tools.exchange import exchange_overview, exchange_summary
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.anchored import anchored
from tests.short_economy import ShortEconomy
from tests.told import told
from tests.tool_draw.defi import DRAWS, INSIDE
from tests.tool_law import judged


@pytest.fixture(scope="module")
def economy(short_economy: ShortEconomy) -> Iterator[FrozenWorld]:
    """The short economy, opened once."""
    with FrozenWorld(open_world(str(short_economy.report.world))) as world:
        yield world


@pytest.fixture
def view(economy: FrozenWorld) -> CallView:
    """A task in its middle."""
    return CallView(economy.task(anchored(economy.folder, 60)))


def test_arguments_that_do_not_fit() -> None:
    """Refused before anything is asked."""
    with pytest.raises(ToolError, match="give start and end"):
        exchange_summary(told(), "vela", chain="main")
    with pytest.raises(ToolError, match="with it chain is null"):
        exchange_overview(told(), "main", by_chain=True)
    with pytest.raises(ToolError, match="limit"):
        exchange_overview(told(), limit=51)


def test_one_exchange_is_its_chart(view: CallView) -> None:
    """Every day of the recorded chart and its exact sum; totals of now were recorded of all exchanges alone."""
    whole = 0.0
    for row in view.ask(f"{API}/overview/dexs")["protocols"]:
        chart = view.ask(f"{API}/summary/dexs/{row['slug']}")["totalDataChart"]
        found = exchange_summary(view, row["slug"], start=utc_text(chart[0][0]))
        assert [(point["day"], point["volume_usd"]) for point in found["window"]["points"]] == [
            (utc_text(at)[:10], usd) for at, usd in chart
        ]
        assert Decimal(str(found["window"]["sums"]["volume_usd"])) == sum(Decimal(str(usd)) for _, usd in chart)
        assert found["last_whole_day"] == {"day": utc_text(view.now - 86_400)[:10], "usd": chart[-1][1]}
        assert set(found["totals"].values()) == {None} and found["cover_fewer_days_than_named"] == []
        whole += chart[-1][1]
    every = exchange_overview(view)
    assert every["totals"]["last_24h_usd"] == every["last_whole_day"]["usd"] == pytest.approx(whole, abs=1e-4)
    assert "last_30d_usd" in every["cover_fewer_days_than_named"]


def test_what_is_no_exchange(view: CallView) -> None:
    """A protocol without volume is told so; nothing is looked up in its name."""
    with pytest.raises(ToolError, match="is no exchange of the index at this moment; there are: "):
        exchange_summary(view, _other(view))


def test_exchanges_add_up_to_all(view: CallView) -> None:
    """A window of all is the sum of the windows of each; shares add up to 100."""
    window = {"start": "2024-07-25", "end": "2024-08-03"}
    found = exchange_overview(view, limit=50, **window)
    each = [exchange_summary(view, part["name"], **window)["window"]["sums"] for part in found["window_ranking"]]
    assert [part["usd"] for part in found["window_ranking"]] == [sums["volume_usd"] for sums in each]
    whole = sum(Decimal(str(sums["volume_usd"])) for sums in each)
    assert abs(whole - Decimal(str(found["window"]["sums"]["volume_usd"]))) < Decimal("0.001")
    assert sum(part["share_percent"] for part in found["window_ranking"]) == pytest.approx(100, abs=1e-5)


def test_the_day_that_is_not_over(view: CallView) -> None:
    """Today is in the window and in no sum, and is said to be neither over nor known."""
    found = exchange_overview(view, start="2 days ago", end="now")["window"]
    assert found["days"] == 3 and found["days_summed"]["volume_usd"] == 2
    assert found["days_not_over"] == found["without_figure"] == [utc_text(view.now)[:10]]


@pytest.mark.parametrize("tool", ["exchange_summary", "exchange_overview"])
def test_the_law(tool: str, economy: FrozenWorld, short_economy: ShortEconomy) -> None:
    """Replay says what the living index says; inside what was recorded every call is answered."""
    found = judged(tool, DRAWS[tool], economy, short_economy.origin, 40)
    assert found.wrong == [] and found.served[Served.MISS] == 0 and found.answered >= 0.7
    inside = judged(tool, INSIDE[tool], economy, short_economy.origin, 40)
    assert inside.wrong == [] and inside.answered == 1


def _other(view: CallView) -> str:
    """A protocol that is no exchange."""
    exchanges = {row["slug"] for row in view.ask(f"{API}/overview/dexs")["protocols"]}
    return str(next(row["slug"] for row in view.ask(f"{API}/protocols") if row["slug"] not in exchanges))

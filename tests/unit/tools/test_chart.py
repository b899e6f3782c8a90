from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from caia_replay.errors import Miss, ToolError
from caia_replay.store.world_folder import open_world
from caia_replay.tools.argument import DAY_S, HOUR_S
from caia_replay.tools.asset import Asset, resolve_asset
from caia_replay.tools.call_view import CallView
from caia_replay.tools.chart import Point, point_at, points, step_argument
from caia_replay.world.world import FrozenWorld
from tests.anchored import anchored
from tests.short_economy import ShortEconomy
from tests.told import Told, told
from tests.unit.tools.conftest import Bench

NOW = 1_725_203_188
"""2024-09-01T15:06:28Z."""
COIN = Asset("a-coin", "ac", "A Coin", {})


@pytest.fixture(scope="module")
def view(short_economy: ShortEconomy) -> Iterator[CallView]:
    """The economy's last task."""
    with FrozenWorld(open_world(str(short_economy.report.world))) as world:
        yield CallView(Bench(world, anchored(world.folder, 100).id).world)


@pytest.fixture(scope="module")
def native(view: CallView) -> Asset:
    """The native coin."""
    return resolve_asset(view, "id:" + next(name for name in view.chains if not name.endswith("rollup")))


def _chart(*times: int) -> dict[str, Any]:
    return {name: [[time * 1000, 1.5] for time in times] for name in ("prices", "market_caps", "total_volumes")}


def test_hours_are_hours_near_now_too(view: CallView, native: Asset) -> None:
    """A short window within the last day, which the vendor tells every five minutes, is told by hours."""
    for back in (2 * HOUR_S, DAY_S - 1, DAY_S, DAY_S + 5, 3 * DAY_S):
        found = points(view, native, "usd", "hourly", view.now - back, view.now)
        assert [point.time % HOUR_S for point in found] == [0] * len(found)
        assert len(found) == view.now // HOUR_S - (view.now - back - 1) // HOUR_S


def test_the_point_of_a_moment_is_never_after_it(view: CallView, native: Asset) -> None:
    """The newest point at or before the moment answers, with its own time, and is not mixed with the next one."""
    hour = (view.now - 3 * DAY_S) // HOUR_S * HOUR_S
    here, next_one = points(view, native, "usd", "hourly", hour, hour + HOUR_S)
    assert here.price != next_one.price
    for moment in (hour, hour + 1, hour + HOUR_S - 1):
        assert point_at(view, native, "usd", "hourly", moment) == here
    assert point_at(view, native, "usd", "hourly", hour + HOUR_S) == next_one


def test_days_stand_at_midnight(view: CallView, native: Asset) -> None:
    """A day's point is that of 00:00 UTC, in other currencies too."""
    found = points(view, native, "eur", "daily", view.now - 5 * DAY_S, view.now)
    assert [point.time % DAY_S for point in found] == [0] * 5
    assert point_at(view, native, "eur", "daily", view.now - DAY_S).time == (view.now - DAY_S) // DAY_S * DAY_S


def test_before_a_coin_was_listed_there_is_no_price(view: CallView, native: Asset) -> None:
    """Nothing is told of a time before the first point; a moment then is the caller's mistake."""
    begun = int(view.chains[view.anchor.chain].header(0)["timestamp"], 16)
    assert points(view, native, "usd", "hourly", begun - 3 * DAY_S, begun)[0].time >= begun
    with pytest.raises(ToolError, match="may not have been listed"):
        point_at(view, native, "usd", "hourly", begun - DAY_S)


def test_a_day_is_told_from_its_thirty_fifth_minute_on() -> None:
    """A window whose only midnight is not told yet, or that has none, is refused before anybody is asked."""
    midnight = NOW // DAY_S * DAY_S
    for first, last, now in ((midnight, midnight + 60, midnight + 60), (NOW - HOUR_S, NOW, NOW)):
        with pytest.raises(ToolError, match="00:35"):
            points(told(now=now), COIN, "usd", "daily", first, last)


@pytest.mark.parametrize(
    ("step", "first"), [("hourly", NOW - 91 * DAY_S), ("daily", NOW - 366 * DAY_S), ("5m", NOW - 2 * DAY_S)]
)
def test_what_the_vendor_does_not_tell_is_refused(step: str, first: int) -> None:
    """90 days of hours, a year of days and a day of five minutes are the most there is."""
    with pytest.raises(ToolError, match=r"days|24 hours"):
        points(told(now=NOW), COIN, "usd", step, first, NOW)


def test_points_outside_the_window_are_left_out() -> None:
    """What was asked for to get hours is not told."""
    world = Told(_chart(NOW - 25 * HOUR_S, NOW - HOUR_S, NOW), now=NOW)
    found = points(world, COIN, "usd", "hourly", NOW - HOUR_S, NOW)  # type: ignore[arg-type]
    assert [point.time for point in found] == [NOW - HOUR_S, NOW]
    assert world.asked[0][1]["from"] == NOW - 25 * HOUR_S


def test_what_is_not_told_stays_null() -> None:
    """A point without a cap or a volume has None there, a point without a price is none."""
    chart = {**_chart(NOW - 60, NOW), "market_caps": [[NOW * 1000, None]], "total_volumes": []}
    chart["prices"] = [[(NOW - 60) * 1000, None], [NOW * 1000, 2]]
    assert points(told(chart, now=NOW), COIN, "usd", "hourly", NOW - DAY_S, NOW) == [Point(NOW, 2, None, None)]


@pytest.mark.parametrize(
    "reply",
    [[], {}, {"prices": []}, {**_chart(NOW), "prices": [[1]]}, {**_chart(NOW), "prices": [["x", 1.5]]},
     {**_chart(NOW), "prices": [[1, "1.5"]]}, {**_chart(NOW), "market_caps": None}],
)  # fmt: skip
def test_a_chart_of_another_shape_is_a_miss(reply: Any) -> None:
    """Nothing is made of what is no series of moments and numbers."""
    with pytest.raises(Miss):
        points(told(reply, now=NOW), COIN, "usd", "hourly", NOW - DAY_S, NOW)


def test_steps_are_read_as_people_write_them() -> None:
    """Lengths and words name the vendor's three steps."""
    read = {"hourly": "hourly", "1h": "hourly", "60 minutes": "hourly", "Daily": "daily", "1d": "daily", "24h": "daily",
            "5m": "5m", "5 min": "5m"}  # fmt: skip
    assert {text: step_argument(text) for text in read} == read
    for text in ("4h", "weekly", ""):
        with pytest.raises(ToolError, match="hourly"):
            step_argument(text)

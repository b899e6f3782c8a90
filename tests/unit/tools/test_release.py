"""release_schedule over an economy's recorded calendars: what is out, windows and steps, names, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any, cast

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.core.tool import Served
from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import DAY_S
from caia_replay.tools.asset import COINGECKO
from caia_replay.tools.call_view import CallView
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.defi_index import API
from caia_replay.tools.release import DATASETS, release_schedule
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.short_economy import ShortEconomy
from tests.told import Told
from tests.tool_draw.technical import DRAWS, INSIDE, calendars
from tests.tool_law import LivingWorld, check_law
from tests.unit.tools.conftest import Bench

NOW = 1_725_203_188
MIDNIGHT = NOW // DAY_S * DAY_S
COINS = [{"id": "a-coin", "symbol": "ac", "name": "A Coin", "platforms": {"main": "0xAB"}}]
LISTED = {"id": "7", "slug": "a-swap", "name": "A Swap", "gecko_id": "a-coin", "symbol": "AC"}


@pytest.fixture(scope="module")
def slug(bench: Bench) -> str:
    """A project whose calendar is recorded, that the index lists, and whose address no other chain has."""
    coins, listed = _coins(bench), {row["slug"] for row in CallView(bench.world).ask(f"{API}/protocols")}
    addresses = [address for coin in coins.values() for address in coin["platforms"].values()]
    known = sorted(calendars(bench.world) & listed)
    return next(name for name in known if addresses.count(next(iter(coins[name]["platforms"].values()))) == 1)


def _coins(bench: Bench) -> dict[str, Any]:
    listed = CallView(bench.world).ask(f"{COINGECKO}/coins/list", include_platform="true")
    return {coin["id"]: coin for coin in listed}


def _out(bench: Bench, slug: str, moment: int) -> Fraction:
    """All that is out by the last point before ``moment``, added up from the file anew."""
    recorded = CallView(bench.world).ask(f"{DATASETS}/emissions/{slug}")
    last = [[point for point in section["data"] if point["timestamp"] < moment][-1]
            for section in recorded["documentedData"]["data"]]  # fmt: skip
    return sum((Fraction(str(point["unlocked"])) for point in last), Fraction(0))


def _calendar(**changes: Any) -> dict[str, Any]:
    days = [{"timestamp": MIDNIGHT + at * DAY_S, "unlocked": 10 * (at + 5)} for at in range(-4, 5)]
    return {
        "name": "A Coin",
        "gecko_id": "a-coin",
        "categories": {"insiders": ["Team"]},
        "documentedData": {"data": [{"label": "Team", "data": days}]},
        "metadata": {"total": 100, "events": []},
        **changes,
    }


class _Index(Told):
    """Lists first, then each file that is fetched: its content, or the status of a refusal."""

    def fetch(self, request: HttpRequest) -> HttpReply:
        said = self.ask(request.url)
        return HttpReply(said, {}, b"<Error/>") if isinstance(said, int) else HttpReply(200, {}, canonical_bytes(said))


def _schedule(text: str, *replies: Any, **arguments: Any) -> dict[str, Any]:
    return release_schedule(cast(CallView, _Index(*replies, now=NOW)), text, **arguments)


@pytest.mark.parametrize("draws", [INSIDE, DRAWS], ids=["inside", "all"])
def test_replay_says_what_the_origin_says(draws: Any, short_world: FrozenWorld, short_economy: ShortEconomy) -> None:
    """Every answer is the living origin's; inside what is recorded there is no miss, and most calls are answered."""
    check_law("release_schedule", draws["release_schedule"], short_world, short_economy.origin, inside=draws is INSIDE)


def test_what_is_out_now_adds_up(bench: Bench, slug: str) -> None:
    """Allocations and categories each add up to the whole, and out and locked to what is planned in all."""
    result = bench.result("release_schedule", asset=f"id:{slug}")
    whole = result["in_all"]
    assert Fraction(whole["unlocked_tokens"]) == _out(bench, slug, bench.world.clock.now + 1)
    for parts in (result["by_allocation"], result["by_category"]):
        for name in ("unlocked_tokens", "locked_tokens", "planned_in_all_tokens"):
            assert sum(Fraction(part[name]) for part in parts) == Fraction(whole[name])
    assert Fraction(whole["unlocked_tokens"]) + Fraction(whole["locked_tokens"]) == Fraction(
        whole["planned_in_all_tokens"]
    )
    share = Fraction(whole["unlocked_tokens"]) / Fraction(result["max_supply_tokens"]) * 100
    assert whole["unlocked_percent"] == pytest.approx(float(share), abs=1e-6)


def test_a_window_is_the_sum_of_its_steps(bench: Bench, slug: str) -> None:
    """Months of a window, half of them to come, add up to it; it releases what its days add, and no more."""
    now = bench.world.clock.now
    start, end = now - 20 * DAY_S, now + 200 * DAY_S
    result = bench.result(
        "release_schedule", asset=f"id:{slug}", start=utc_text(start), end=utc_text(end), step="month"
    )
    window, steps = result["window"], result["steps"]
    assert Fraction(window["released_tokens"]) == _out(bench, slug, end) - _out(bench, slug, start)
    planned = _out(bench, slug, end) - _out(bench, slug, now + 1)
    assert Fraction(window["of_it_planned_tokens"]) == planned
    for parts, name in [(steps, "released_tokens"), (steps, "of_it_planned_tokens"),
                        (window["by_allocation"], "released_tokens")]:  # fmt: skip
        assert sum(Fraction(part[name]) for part in parts) == Fraction(window[name])
    assert [step["start_utc"][8:] for step in steps[1:]] == ["01T00:00:00Z"] * (len(steps) - 1)
    assert [step["end_utc"] for step in steps[:-1]] == [step["start_utc"] for step in steps[1:]]


def test_events_of_a_window_come_in_parts(bench: Bench, slug: str) -> None:
    """Events are those of the window, oldest first; a part says where the next begins, the last that none does."""
    whole = bench.result(
        "release_schedule", asset=f"id:{slug}", start=utc_text(bench.world.clock.now - 9 * DAY_S), limit=100
    )
    found, at = [], 0
    while at is not None:
        part = bench.result(
            "release_schedule", asset=f"id:{slug}", start=whole["window"]["start_utc"], limit=1, offset=at
        )
        found += part["events"]
        at = part["next_offset"]
    assert found == whole["events"] and len(found) == whole["events_in_window"] > 0
    assert [event["time_utc"] for event in found] == sorted(event["time_utc"] for event in found)
    assert all(event["is_planned"] == (event["time_utc"] > whole["now_utc"]) for event in found)


def test_one_project_has_many_names(bench: Bench, slug: str) -> None:
    """Ticker, name, id, address and the index's own slug mean one calendar."""
    coin = _coins(bench)[slug]
    names = [f"id:{slug}", coin["symbol"].upper(), coin["name"], next(iter(coin["platforms"].values()))]
    results = [bench.result("release_schedule", asset=name) for name in [*names, f"slug:{slug}"]]
    assert all(result == results[0] for result in results)


def test_a_moment_to_come_is_told_as_planned(bench: Bench, slug: str) -> None:
    """What is out at a moment to come is the calendar's plan; nothing of another moment changes with it."""
    end = bench.result("release_schedule", asset=f"id:{slug}")["last_point_utc"]
    result = bench.result("release_schedule", asset=f"id:{slug}", at=end)
    assert result["at_utc"] == end and result["in_all"]["locked_tokens"] == "0"
    assert result["now_utc"] == utc_text(bench.world.clock.now)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"start": "2001-01-01"}, "says nothing of before"),
        ({"at": "2001-01-01"}, "says nothing of before"),
        ({"start": "2030-01-01", "end": "2029-01-01"}, "before it starts"),
        ({"step": "year"}, "it is one of day, week, month"),
        ({"step": "day", "end": "2200-01-01"}, "over 120 steps of a day"),
        ({"limit": 101}, "it goes from 1 to 100"),
        ({"offset": -1}, "it goes from 0"),
        ({"start": "05/06/2024"}, "it takes 2024-05-31"),
    ],
)
def test_what_is_refused(bench: Bench, slug: str, arguments: dict[str, Any], word: str) -> None:
    """Each wrong argument is refused with what would be taken."""
    reply = bench.call("release_schedule", **{"asset": f"id:{slug}", **arguments})
    assert reply.served is Served.ERROR and reply.error is not None and word in str(reply.error["message"])


def test_a_project_without_a_calendar(bench: Bench, short_economy: ShortEconomy) -> None:
    """The living index refuses it and the tool says where it looked; in replay nobody recorded that it was refused."""
    [native] = [name for name in bench.world.world.snapshots if not name.endswith("rollup")]
    arguments = json.dumps({"asset": f"id:{native}"})
    with WorldToolset(LivingWorld(bench.world, short_economy.origin)) as living:
        reply = living.call("release_schedule", arguments)
    assert reply.error is not None
    assert str(reply.error["message"]).endswith(f"at this moment; looked for {native}")


def test_a_file_of_another_token_is_none() -> None:
    """A file under the coin's name that tells of another coin is passed over; the next one may be its own."""
    other = _calendar(gecko_id="b-coin")
    for first in (other, 404):
        assert _schedule("ac", [LISTED], COINS, first, _calendar())["slug"] == "a-swap"
    with pytest.raises(ToolError, match="no unlock calendar of A Coin at this moment; looked for a-coin, a-swap"):
        _schedule("ac", [LISTED], COINS, 404, other)


def test_a_refusal_is_no_absence() -> None:
    """Where the index does not say that there is no file, no other file is looked for in its place."""
    with pytest.raises(ToolError, match="refused the calendar a-coin with status 402"):
        _schedule("ac", [LISTED], COINS, 402, _calendar())


def test_a_protocol_without_a_coin() -> None:
    """A protocol is found by its name alone; its own file and its family's are looked for, and must name it."""
    listed = {**LISTED, "gecko_id": None, "parentProtocol": "parent#a-family"}
    own = _calendar(gecko_id=None, defillamaIds=["7"])
    assert _schedule("A Swap", [listed], [], 404, own)["slug"] == "a-family"
    with pytest.raises(ToolError, match="looked for a-swap, a-family"):
        _schedule("slug:a-swap", [listed], [], 404, _calendar(defillamaIds=["8"]))


def test_a_name_of_two_things_is_refused() -> None:
    """A text that is one coin and another coin's protocol is given back with both."""
    with pytest.raises(ToolError, match=r"could be id:a-coin .* or slug:a-swap"):
        _schedule("A Coin", [{**LISTED, "name": "A Coin", "gecko_id": "b-coin"}], COINS)
    with pytest.raises(ToolError, match="could be 2 of the index"):
        _schedule("A Swap", [{**LISTED, "gecko_id": None}, {**LISTED, "slug": "b-swap"}], [])


def test_a_calendar_that_has_not_begun() -> None:
    """Before a calendar's first point nothing is known to be out, and the window starts after that point."""
    days = [{"timestamp": MIDNIGHT + at * DAY_S, "unlocked": 10 * at} for at in range(5, 9)]
    later = _calendar(documentedData={"data": [{"label": "Team", "data": days}]})
    result = _schedule("ac", [LISTED], COINS, later)
    assert result["at_utc"] is None and result["in_all"]["unlocked_tokens"] is None
    assert result["window"]["released_tokens"] == "30" == result["window"]["of_it_planned_tokens"]


def test_no_share_of_a_supply_nobody_tells() -> None:
    """Where the greatest supply is unknown, amounts are told and shares are null."""
    result = _schedule("ac", [LISTED], COINS, _calendar(metadata={"total": None}), step="week")
    assert result["max_supply_tokens"] is None and result["in_all"]["unlocked_percent"] is None
    assert result["in_all"]["unlocked_tokens"] == "50" and result["window"]["released_percent"] is None


def test_weeks_begin_on_monday() -> None:
    """Steps of a week are cut on Mondays: the first of September 2024 was a Sunday."""
    result = _schedule("ac", [LISTED], COINS, _calendar(), step="week", end=NOW + 9 * DAY_S)
    assert [step["start_utc"] for step in result["steps"]] == [
        "2024-09-01T15:06:28Z", "2024-09-02T00:00:00Z", "2024-09-09T00:00:00Z"]  # fmt: skip
    assert [step["released_tokens"] for step in result["steps"]] == ["0", "40", "0"]


def test_a_strange_file_is_a_miss() -> None:
    """What is no calendar is not recorded as far as the tool is concerned."""
    with pytest.raises(Miss, match="another shape"):
        _schedule("ac", [LISTED], COINS, {"message": "busy"})

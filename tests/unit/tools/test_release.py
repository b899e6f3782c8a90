"""release_schedule: calendars read from files, what is out, windows and steps, names, and what is refused."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import DAY_S
from caia_replay.tools.asset import COINGECKO
from caia_replay.tools.defi_index import API
from caia_replay.tools.emission import emission_of, less
from caia_replay.tools.release import DATASETS, release_schedule
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text
from tests.told import Told
from tests.tool_draw.technical import calendars
from tests.unit.tools.conftest import Desk

DAY = 1_700_006_400


def _file(**changes: Any) -> dict[str, Any]:
    team = [{"timestamp": DAY + at * DAY_S, "unlocked": amount} for at, amount in enumerate([0, 0, 10.1, 20.2])]
    sale = [{"timestamp": DAY + at * DAY_S, "unlocked": amount} for at, amount in enumerate([5, 5, 5, 5])]
    return {
        "name": "A Coin",
        "gecko_id": "a-coin",
        "categories": {"insiders": ["Team"]},
        "documentedData": {"data": [{"label": "Team", "data": team}, {"label": "Sale", "data": sale}]},
        "metadata": {"token": "ethereum:0xAB", "protocolIds": ["7"], "total": 100, "unlockEvents": [], "events": []},
        **changes,
    }


def _about(**changes: Any) -> dict[str, Any]:
    return {"metadata": {**_file()["metadata"], **changes}}


def test_what_is_out_and_what_a_window_releases() -> None:
    """A moment has the point at or before it; a window has its first day's and not its last's; sums are exact."""
    found = emission_of(_file(), "a")
    assert (found.begins, found.ends, found.labels) == (DAY, DAY + 3 * DAY_S, ["Team", "Sale"])
    assert found.out(["Team"], DAY + 2 * DAY_S - 1) == 0
    assert found.out(["Team"], DAY + 2 * DAY_S) == Decimal("10.1")
    assert found.out(found.labels, DAY + 900 * DAY_S) == Decimal("25.2")
    found = emission_of(_file(), "a")
    assert found.released(["Team"], DAY + 2 * DAY_S, DAY + 3 * DAY_S) == Decimal("10.1")
    assert found.released(["Team"], DAY + 2 * DAY_S + 1, DAY + 3 * DAY_S) == 0
    assert found.released(["Team"], DAY + 1, DAY + 9 * DAY_S) == Decimal("20.2")
    assert f"{less(Decimal(10**27), Decimal('0.123456789012345')):f}" == "999999999999999999999999999.876543210987655"


def test_what_a_file_tells() -> None:
    """Whose it is, categories, the greatest supply, and events: cliffs, linear releases, and in words."""
    found = emission_of(_file(), "a")
    assert found.tokens == {"a-coin", "0xab"} and found.protocols == {"7"}
    assert emission_of(_file(gecko_id=None, **_about(token="coingecko:b-coin")), "a").tokens == {"b-coin"}
    found = emission_of(_file(), "a")
    assert found.by_category() == {"insiders": ["Team"], None: ["Sale"]}
    assert emission_of(_file(categories=None), "a").by_category() == {None: ["Team", "Sale"]}
    assert emission_of(_file(supplyMetrics={"maxSupply": 90.5}), "a").most == Decimal("90.5")
    assert emission_of(_file(), "a").most == 100
    assert emission_of(_file(**_about(total=None)), "a").most is None
    cliff = {"recipient": "Team", "category": "insiders", "unlockType": "cliff", "amount": 10.1}
    linear = {"recipient": "Team", "category": "insiders", "unlockType": "linear_start", "previousRatePerWeek": 0,
              "newRatePerWeek": 70.7, "endTimestamp": DAY + 3 * DAY_S}  # fmt: skip
    events = [{"timestamp": DAY + 9, "linearAllocations": [linear]}, {"timestamp": DAY, "cliffAllocations": [cliff]}]
    first, second = emission_of(_file(**_about(unlockEvents=events)), "a").events
    assert (first.at, first.kind, first.tokens, first.allocation) == (DAY, "cliff", Decimal("10.1"), "Team")
    assert (second.before, second.after, second.until) == (0, Decimal("70.7"), DAY + 3 * DAY_S)
    one = {"description": "{tokens[0]} at {timestamp}", "timestamp": DAY, "noOfTokens": [1.5], "category": "insiders"}
    two = {"description": "from {tokens[0]} to {tokens[1]}", "timestamp": DAY + 1, "noOfTokens": [0, 3]}
    first, second = emission_of(_file(**_about(events=[two, one])), "a").events
    assert (first.words, first.tokens) == ("1.5 at 2023-11-15T00:00:00Z", Decimal("1.5"))
    assert (second.words, second.tokens) == ("from 0 to 3", None)


@pytest.mark.parametrize(
    "told",
    [
        None, [], {}, _file(documentedData=None), _file(documentedData={"data": []}),
        _file(documentedData={"data": [{"label": "Team", "data": []}]}),
        _file(documentedData={"data": [{"label": "Team", "data": [{"timestamp": DAY, "unlocked": None}]}]}),
        _file(documentedData={"data": [{"label": "Team", "data": [{"timestamp": DAY, "unlocked": "many"}]}]}),
        _file(documentedData={"data": _file()["documentedData"]["data"][:1] * 2}),
        _file(documentedData={"data": [{"label": "T", "data": [{"timestamp": at, "unlocked": 1} for at in (2, 1)]}]}),
        _file(categories=["insiders"]), _file(gecko_id={"a": 1}), _file(metadata=None),
        _file(**_about(unlockEvents=[{"timestamp": "soon"}])),
    ],
)  # fmt: skip
def test_another_shape_is_a_miss(told: Any) -> None:
    """What is no calendar is not read as one, and an unknown amount never as 0."""
    with pytest.raises(Miss, match="another shape"):
        emission_of(told, "a")


NOW = 1_725_203_188
MIDNIGHT = NOW // DAY_S * DAY_S
COINS = [{"id": "a-coin", "symbol": "ac", "name": "A Coin", "platforms": {"main": "0xAB"}}]
LISTED = {"id": "7", "slug": "a-swap", "name": "A Swap", "gecko_id": "a-coin", "symbol": "AC"}


@pytest.fixture(scope="module")
def slug(bench: Desk) -> str:
    """A project whose calendar is recorded, that the index lists, and whose address no other chain has."""
    coins, listed = _coins(bench), {row["slug"] for row in ToolContext(bench.world).ask(f"{API}/protocols")}
    addresses = [address for coin in coins.values() for address in coin["platforms"].values()]
    known = sorted(calendars(bench.world) & listed)
    return next(name for name in known if addresses.count(next(iter(coins[name]["platforms"].values()))) == 1)


def _coins(bench: Desk) -> dict[str, Any]:
    listed = ToolContext(bench.world).ask(f"{COINGECKO}/coins/list", include_platform="true")
    return {coin["id"]: coin for coin in listed}


def _told(bench: Desk, slug: str, **arguments: Any) -> Any:
    return bench.result("release_schedule", asset=f"id:{slug}", **arguments)


def _out(bench: Desk, slug: str, moment: int) -> Fraction:
    """All that is out by the last point before ``moment``, added up from the file anew."""
    recorded = ToolContext(bench.world).ask(f"{DATASETS}/emissions/{slug}")
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
    return release_schedule(cast(ToolContext, _Index(*replies, now=NOW)), text, **arguments)


def test_what_is_out_now_adds_up(bench: Desk, slug: str) -> None:
    """Allocations and categories add up to the whole, out and locked to all; a moment to come is told as planned."""
    result = _told(bench, slug)
    whole = result["in_all"]
    assert Fraction(whole["unlocked_tokens"]) == _out(bench, slug, bench.world.clock.now + 1)
    for parts in (result["by_allocation"], result["by_category"]):
        for name in ("unlocked_tokens", "locked_tokens", "planned_in_all_tokens"):
            assert sum(Fraction(part[name]) for part in parts) == Fraction(whole[name])
    parts = [Fraction(whole[name]) for name in ("unlocked_tokens", "locked_tokens", "planned_in_all_tokens")]
    assert parts[0] + parts[1] == parts[2]
    share = Fraction(whole["unlocked_tokens"]) / Fraction(result["max_supply_tokens"]) * 100
    assert whole["unlocked_percent"] == pytest.approx(float(share), abs=1e-6)
    end = _told(bench, slug)["last_point_utc"]
    result = _told(bench, slug, at=end)
    assert result["at_utc"] == end and result["in_all"]["locked_tokens"] == "0"
    assert result["now_utc"] == utc_text(bench.world.clock.now)
    coin = _coins(bench)[slug]
    names = [f"id:{slug}", coin["symbol"].upper(), coin["name"], next(iter(coin["platforms"].values()))]
    results = [bench.result("release_schedule", asset=name) for name in [*names, f"slug:{slug}"]]
    assert all(result == results[0] for result in results)


def test_a_window_is_the_sum_of_its_steps(bench: Desk, slug: str) -> None:
    """It releases what its days add; its events come in parts, oldest first, those to come as planned."""
    now = bench.world.clock.now
    start, end = now - 20 * DAY_S, now + 200 * DAY_S
    result = _told(bench, slug, start=utc_text(start), end=utc_text(end), step="month")
    window, steps = result["window"], result["steps"]
    assert Fraction(window["released_tokens"]) == _out(bench, slug, end) - _out(bench, slug, start)
    planned = _out(bench, slug, end) - _out(bench, slug, now + 1)
    assert Fraction(window["of_it_planned_tokens"]) == planned
    for parts, name in [(steps, "released_tokens"), (steps, "of_it_planned_tokens"),
                        (window["by_allocation"], "released_tokens")]:  # fmt: skip
        assert sum(Fraction(part[name]) for part in parts) == Fraction(window[name])
    assert [step["start_utc"][8:] for step in steps[1:]] == ["01T00:00:00Z"] * (len(steps) - 1)
    assert [step["end_utc"] for step in steps[:-1]] == [step["start_utc"] for step in steps[1:]]
    whole = _told(bench, slug, start=utc_text(bench.world.clock.now - 100 * DAY_S), limit=100)
    found, at = [], 0
    while at is not None:
        part = _told(bench, slug, start=whole["window"]["start_utc"], limit=1, offset=at)
        found += part["events"]
        at = part["next_offset"]
    assert found == whole["events"] and len(found) == whole["events_in_window"] > 0
    assert [event["time_utc"] for event in found] == sorted(event["time_utc"] for event in found)
    assert all(event["is_planned"] == (event["time_utc"] > whole["now_utc"]) for event in found)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"start": "2001-01-01"}, "says nothing of before"), ({"at": "2001-01-01"}, "says nothing of before"),
        ({"start": "2030-01-01", "end": "2029-01-01"}, "before it starts"),
        ({"step": "year"}, "it is one of day, week, month"),
        ({"step": "day", "end": "2200-01-01"}, "over 120 steps of a day"), ({"limit": 101}, "it goes from 1 to 100"),
        ({"offset": -1}, "it goes from 0"), ({"start": "05/06/2024"}, "it takes 2024-05-31"),
    ],
)  # fmt: skip
def test_what_is_refused(bench: Desk, slug: str, arguments: dict[str, Any], word: str) -> None:
    """Each wrong argument is refused with what would be taken."""
    assert word in bench.refusal("release_schedule", **{"asset": f"id:{slug}", **arguments})


def test_which_file_is_a_projects() -> None:
    """Another token's is passed over, a refusal is no absence, no calendar is a miss; a protocol's must name it."""
    other = _calendar(gecko_id="b-coin")
    for first in (other, 404):
        assert _schedule("ac", [LISTED], COINS, first, _calendar())["slug"] == "a-swap"
    with pytest.raises(ToolError, match="no unlock calendar of A Coin at this moment; looked for a-coin, a-swap"):
        _schedule("ac", [LISTED], COINS, 404, other)
    with pytest.raises(ToolError, match="refused the calendar a-coin with status 402"):
        _schedule("ac", [LISTED], COINS, 402, _calendar())
    listed = {**LISTED, "gecko_id": None, "parentProtocol": "parent#a-family"}
    own = _calendar(gecko_id=None, defillamaIds=["7"])
    assert _schedule("A Swap", [listed], [], 404, own)["slug"] == "a-family"
    with pytest.raises(ToolError, match="looked for a-swap, a-family"):
        _schedule("slug:a-swap", [listed], [], 404, _calendar(defillamaIds=["8"]))
    with pytest.raises(ToolError, match=r"could be id:a-coin .* or slug:a-swap"):
        _schedule("A Coin", [{**LISTED, "name": "A Coin", "gecko_id": "b-coin"}], COINS)
    with pytest.raises(ToolError, match="could be 2 of the index"):
        _schedule("A Swap", [{**LISTED, "gecko_id": None}, {**LISTED, "slug": "b-swap"}], [])
    with pytest.raises(Miss, match="another shape"):
        _schedule("ac", [LISTED], COINS, {"message": "busy"})


def test_calendars_without_a_beginning_or_a_supply() -> None:
    """Before its first point nothing is known; shares of an unknown supply are null; weeks begin on Monday."""
    days = [{"timestamp": MIDNIGHT + at * DAY_S, "unlocked": 10 * at} for at in range(5, 9)]
    later = _calendar(documentedData={"data": [{"label": "Team", "data": days}]})
    result = _schedule("ac", [LISTED], COINS, later)
    assert result["at_utc"] is None and result["in_all"]["unlocked_tokens"] is None
    assert result["window"]["released_tokens"] == "30" == result["window"]["of_it_planned_tokens"]
    result = _schedule("ac", [LISTED], COINS, _calendar(metadata={"total": None}), step="week")
    assert result["max_supply_tokens"] is None and result["in_all"]["unlocked_percent"] is None
    assert result["in_all"]["unlocked_tokens"] == "50" and result["window"]["released_percent"] is None
    result = _schedule("ac", [LISTED], COINS, _calendar(), step="week", end=NOW + 9 * DAY_S)
    assert [step["start_utc"] for step in result["steps"]] == [
        "2024-09-01T15:06:28Z", "2024-09-02T00:00:00Z", "2024-09-09T00:00:00Z"]  # fmt: skip
    assert [step["released_tokens"] for step in result["steps"]] == ["0", "40", "0"]

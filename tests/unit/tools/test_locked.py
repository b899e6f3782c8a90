"""Histories of what is locked: which point answers for a moment, series, tokens."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.errors import Miss, ToolError
from caia_replay.tools.argument import DAY_S
from caia_replay.tools.daily import MOST_POINTS
from caia_replay.tools.defi_index import API, Listed
from caia_replay.tools.locked import (
    MOST_TOKEN_POINTS,
    Locked,
    chain_history,
    part_key,
    part_name,
    protocol_history,
    told_at,
    told_between,
    told_tokens,
)
from tests.told import Told, told

DAY = 1_717_113_600
NOW = DAY + 2 * DAY_S + 60
ONE = Listed("1", "vela", "Vela", frozenset(), {})
PAGE: dict[str, Any] = {
    "tvl": [{"date": DAY, "totalLiquidityUSD": 10}, {"date": NOW, "totalLiquidityUSD": 12.5}],
    "tokensInUsd": [{"date": DAY, "tokens": {"B": 4, "A": 4, "C": 2}}],
    "tokens": [{"date": DAY, "tokens": {"A": 0.5, "B": None}}],
    "chainTvls": {
        "Main Net": {"tvl": [{"date": DAY, "totalLiquidityUSD": 7}]},
        "Main Net-borrowed": {"tvl": [{"date": DAY, "totalLiquidityUSD": 3}], "tokens": None},
        "borrowed": {"tvl": []},
    },
}
WORLD = told(now=NOW)


def _history(chain: str | None = None, part: str | None = None, page: Any = PAGE) -> Locked:
    return protocol_history(told(page), ONE, chain, part)


def _days(count: int) -> Locked:
    worth = {DAY - at * DAY_S: at for at in range(count)}
    return Locked("Vela", sorted(worth), worth, {})


def test_histories_by_part() -> None:
    """Of the whole, of a chain, of what is kept apart, of that on a chain; names in any spelling."""
    assert _history().worth == {DAY: 10, NOW: 12.5}
    assert _history("main-net").worth == {DAY: 7} and _history("Main Net", "Borrowed").worth == {DAY: 3}
    with pytest.raises(ToolError, match="no history of Vela, staking on Main Net; it has: Main Net, Main Net-borrowed"):
        _history("Main Net", "staking")


def test_the_history_of_a_chain() -> None:
    """One question, by the index's own name of it, or of all."""
    world = Told([{"date": str(DAY), "tvl": 1}], [])
    assert chain_history(world, "Main Net").worth == {DAY: 1}  # type: ignore[arg-type]
    assert chain_history(world, None).times == []  # type: ignore[arg-type]
    asked = [url for url, _ in world.asked]
    assert asked == [f"{API}/v2/historicalChainTvl/Main%20Net", f"{API}/v2/historicalChainTvl"]


def test_spellings_of_parts() -> None:
    """The index's own where there is one, else what was asked; and in words."""
    assert part_key({"Main Net-borrowed": 1}, "main net", "BORROWED") == "Main Net-borrowed"
    assert part_key({}, None, "pool2") == "pool2"
    assert (
        part_name(ONE, "Main Net", "borrowed") == "Vela, borrowed on Main Net" and part_name(ONE, None, None) == "Vela"
    )


def test_a_moment_has_the_last_point_up_to_it_and_the_next() -> None:
    """A day's own midnight is its beginning, and the next one its end; after the last point there is no next."""
    found = told_at(WORLD, _history(), "2024-05-31", False)
    assert found["last_up_to_it"] == {"time_utc": "2024-05-31T00:00:00Z", "tvl_usd": 10}
    assert found["next"] == {"time_utc": "2024-06-02T00:01:00Z", "tvl_usd": 12.5}
    assert told_at(WORLD, _history(), NOW - 1, False)["last_up_to_it"]["tvl_usd"] == 10
    assert told_at(WORLD, _history(), NOW, False)["next"] is None


def test_a_moment_before_everything() -> None:
    """It is refused, with the range of the points; a moment that has not come is none."""
    with pytest.raises(ToolError, match="nothing of Vela up to 2024-05-30T23:59:59Z; its points go from 2024-05-31"):
        told_at(WORLD, _history(), DAY - 1, False)
    with pytest.raises(ToolError, match="noted nothing of Vela, borrowed by this moment"):
        told_at(WORLD, _history(None, "borrowed"), NOW, False)
    with pytest.raises(ToolError, match="has not come yet"):
        told_at(WORLD, _history(), NOW + 1, False)


def test_a_series_has_both_ends() -> None:
    """Points at its ends are in it; the change is exact."""
    found = told_between(WORLD, _history(), DAY, NOW, False)
    assert [point["tvl_usd"] for point in found["points"]] == [10, 12.5]
    assert (found["change_usd"], found["change_percent"], found["next_start"]) == (2.5, 25, None)
    assert told_between(WORLD, _history(), None, None, False) == found


def test_a_series_of_nothing() -> None:
    """Windows without a point, or that run backwards, are refused."""
    with pytest.raises(ToolError, match="noted nothing of Vela from"):
        told_between(WORLD, _history(), DAY + 1, NOW - 1, False)
    with pytest.raises(ToolError, match="is after end"):
        told_between(WORLD, _history(), NOW, DAY, False)


def test_changes_from_nothing_or_the_unknown() -> None:
    """Of nothing there is no percentage, and with an unknown end no change."""
    first, last = DAY, DAY + DAY_S
    found = told_between(WORLD, Locked("Vela", [first, last], {first: 0, last: 5}, {}), None, None, False)
    assert (found["change_usd"], found["change_percent"]) == (5, None)
    found = told_between(WORLD, Locked("Vela", [first, last], {first: None, last: 5}, {}), None, None, False)
    assert (found["change_usd"], found["change_percent"], found["points"][0]["tvl_usd"]) == (None, None, None)


@pytest.mark.parametrize(("by_token", "most"), [(False, MOST_POINTS), (True, MOST_TOKEN_POINTS)])
def test_long_series_go_on(by_token: bool, most: int) -> None:
    """They come in parts; every point is in exactly one of them."""
    history, start, seen = _days(2 * most + 5), None, []
    while start is not None or not seen:
        found = told_between(WORLD, history, start, None, by_token)
        seen += found["points"]
        start = found["next_start"]
    assert len(seen) == len(history.times) and len({point["time_utc"] for point in seen}) == len(seen)


def test_tokens() -> None:
    """The most dollars first; an amount that is not told is null, and so are tokens that are not."""
    history = _history()
    assert told_tokens(history, DAY) == [
        {"token": "A", "usd": 4, "amount": 0.5},
        {"token": "B", "usd": 4, "amount": None},
        {"token": "C", "usd": 2, "amount": None},
    ]
    assert told_tokens(history, NOW) is None
    assert told_at(WORLD, history, NOW, True)["last_up_to_it"]["tokens"] is None


@pytest.mark.parametrize(
    "page",
    [
        None,
        {"message": "no"},
        {"tvl": 5},
        {"tvl": [{"date": DAY}]},
        {"tvl": [{"date": DAY, "totalLiquidityUSD": "x"}]},
        {"tvl": [{"date": DAY, "totalLiquidityUSD": 1}] * 2},
        {"tvl": [], "tokensInUsd": [{"date": DAY, "tokens": 5}]},
        {"tvl": [], "tokensInUsd": [{"date": DAY, "tokens": {"A": []}}]},
    ],
)
def test_histories_of_another_shape_are_missed(page: Any) -> None:
    """A stranger's recording never ends a run; two points of one moment are no history."""
    with pytest.raises(Miss, match="another shape"):
        _history(page=page)
    with pytest.raises(Miss, match="another shape"):
        chain_history(told(page), None)

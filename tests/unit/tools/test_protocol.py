"""What is locked in protocols and chains: now, then and day by day, over histories of the index."""

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
    describe_at,
    describe_between,
    describe_tokens,
    part_key,
    part_name,
    protocol_history,
)
from caia_replay.tools.protocol import protocol_metrics
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
    """Of the whole, of a chain, of what is kept apart, in any spelling; one question by the index's own name."""
    assert _history().worth == {DAY: 10, NOW: 12.5}
    assert _history("main-net").worth == {DAY: 7} and _history("Main Net", "Borrowed").worth == {DAY: 3}
    with pytest.raises(ToolError, match="no history of Vela, staking on Main Net; it has: Main Net, Main Net-borrowed"):
        _history("Main Net", "staking")
    world = Told([{"date": str(DAY), "tvl": 1}], [])
    assert chain_history(world, "Main Net").worth == {DAY: 1}
    assert chain_history(world, None).times == []
    asked = [url for url, _ in world.asked]
    assert asked == [f"{API}/v2/historicalChainTvl/Main%20Net", f"{API}/v2/historicalChainTvl"]
    assert part_key({"Main Net-borrowed": 1}, "main net", "BORROWED") == "Main Net-borrowed"
    assert part_key({}, None, "pool2") == "pool2"
    assert (
        part_name(ONE, "Main Net", "borrowed") == "Vela, borrowed on Main Net" and part_name(ONE, None, None) == "Vela"
    )


def test_a_moment_has_the_last_point_up_to_it_and_the_next() -> None:
    """A midnight is its day's beginning; before all points and after now it is refused with their range."""
    found = describe_at(WORLD, _history(), "2024-05-31", False)
    assert found["last_up_to_it"] == {"time_utc": "2024-05-31T00:00:00Z", "tvl_usd": 10}
    assert found["next"] == {"time_utc": "2024-06-02T00:01:00Z", "tvl_usd": 12.5}
    assert describe_at(WORLD, _history(), NOW - 1, False)["last_up_to_it"]["tvl_usd"] == 10
    assert describe_at(WORLD, _history(), NOW, False)["next"] is None
    with pytest.raises(ToolError, match="nothing of Vela up to 2024-05-30T23:59:59Z; its points go from 2024-05-31"):
        describe_at(WORLD, _history(), DAY - 1, False)
    with pytest.raises(ToolError, match="noted nothing of Vela, borrowed by this moment"):
        describe_at(WORLD, _history(None, "borrowed"), NOW, False)
    with pytest.raises(ToolError, match="has not come yet"):
        describe_at(WORLD, _history(), NOW + 1, False)


def test_a_series_has_both_ends() -> None:
    """Its change is exact, none from nothing or the unknown; it comes in parts; without a point it is refused."""
    found = describe_between(WORLD, _history(), DAY, NOW, False)
    assert [point["tvl_usd"] for point in found["points"]] == [10, 12.5]
    assert (found["change_usd"], found["change_percent"], found["next_start"]) == (2.5, 25, None)
    assert describe_between(WORLD, _history(), None, None, False) == found
    with pytest.raises(ToolError, match="noted nothing of Vela from"):
        describe_between(WORLD, _history(), DAY + 1, NOW - 1, False)
    with pytest.raises(ToolError, match="is after end"):
        describe_between(WORLD, _history(), NOW, DAY, False)
    first, last = DAY, DAY + DAY_S
    found = describe_between(WORLD, Locked("Vela", [first, last], {first: 0, last: 5}, {}), None, None, False)
    assert (found["change_usd"], found["change_percent"]) == (5, None)
    found = describe_between(WORLD, Locked("Vela", [first, last], {first: None, last: 5}, {}), None, None, False)
    assert (found["change_usd"], found["change_percent"], found["points"][0]["tvl_usd"]) == (None, None, None)
    for by_token, most in [(False, MOST_POINTS), (True, MOST_TOKEN_POINTS)]:
        history, start, seen = _days(2 * most + 5), None, []
        while start is not None or not seen:
            found = describe_between(WORLD, history, start, None, by_token)
            seen += found["points"]
            start = found["next_start"]
        assert len(seen) == len(history.times) and len({point["time_utc"] for point in seen}) == len(seen)


def test_tokens() -> None:
    """The most dollars first, those of now with their point's time; what is not told is null."""
    history = _history()
    assert describe_tokens(history, DAY) == [
        {"token": "A", "usd": 4, "amount": 0.5},
        {"token": "B", "usd": 4, "amount": None},
        {"token": "C", "usd": 2, "amount": None},
    ]
    assert describe_tokens(history, NOW) is None
    assert describe_at(WORLD, history, NOW, True)["last_up_to_it"]["tokens"] is None
    point = {"date": 1_717_113_600, "totalLiquidityUSD": 4}
    page = {"tvl": [point], "tokensInUsd": [{"date": 1_717_113_600, "tokens": {"A": 4}}]}
    found = protocol_metrics(told([ROW], page), protocol="vela", by_token=True)
    assert found["tokens_at_utc"] == "2024-05-31T00:00:00Z"
    assert found["tokens"] == [{"token": "A", "usd": 4, "amount": None}]
    with pytest.raises(ToolError, match="noted nothing of Vela"):
        protocol_metrics(told([ROW], {"tvl": []}), protocol="vela", by_token=True)


def test_replies_of_another_shape_are_missed() -> None:
    """A stranger's recording never ends a run; two points of one moment are no history."""
    for page in [
        None, {"message": "no"}, {"tvl": 5}, {"tvl": [{"date": DAY}]},
        {"tvl": [{"date": DAY, "totalLiquidityUSD": "x"}]}, {"tvl": [{"date": DAY, "totalLiquidityUSD": 1}] * 2},
        {"tvl": [], "tokensInUsd": [{"date": DAY, "tokens": 5}]},
        {"tvl": [], "tokensInUsd": [{"date": DAY, "tokens": {"A": []}}]},
    ]:  # fmt: skip
        with pytest.raises(Miss, match="another shape"):
            _history(page=page)
        with pytest.raises(Miss, match="another shape"):
            chain_history(told(page), None)
    for change in [{"tvl": "x"}, {"chainTvls": 5}, {"chains": 5}, {"mcap": []}, {"listedAt": "x"}]:
        with pytest.raises(Miss, match="another shape"):
            protocol_metrics(told([{**ROW, **change}]), protocol="vela")


CHAINS = [{"name": "Main Net", "tvl": 10.1}, {"name": "Roll Up", "tvl": 0.2}, {"name": "Quiet", "tvl": None}]
ROW: dict[str, Any] = {
    "id": "1", "slug": "vela", "name": "Vela", "symbol": "VLA", "category": "Lending",
    "chains": ["Main Net", "Roll Up"], "tvl": 4, 
    "chainTvls": {"Main Net": 3, "Roll Up": 1, "Main Net-borrowed": 2, "borrowed": 2, "staking": None},
    "listedAt": 1_717_113_600, "mcap": 8,
}  # fmt: skip
OTHER: dict[str, Any] = {**ROW, "id": "2", "slug": "orn", "name": "Orn", "symbol": "-", "category": "Dexs", "tvl": 6,
                         "chains": ["Main Net"], "chainTvls": {"Main Net": 6}}  # fmt: skip
DEAD: dict[str, Any] = {**OTHER, "id": "3", "slug": "brim", "name": "Brim", "tvl": None, "chainTvls": {}}
NAMES: dict[str, Any] = {name: ROW[name] for name in ("id", "slug", "name", "symbol", "category", "chains", "listedAt")}


def test_a_protocol_now() -> None:
    """Its facts, chains with shares and what is kept apart, also where that is unknown; a part of it; no other part."""
    found = protocol_metrics(told([ROW, OTHER]), protocol="vla")
    assert found["tvl_usd"] == 4 and found["market_cap_usd"] == 8 and found["fully_diluted_usd"] is None
    wanted = [{"chain": "Main Net", "usd": 3, "share_percent": 75}, {"chain": "Roll Up", "usd": 1, "share_percent": 25}]
    assert found["by_chain"] == wanted
    assert found["kept_apart"] == [{"part": "borrowed", "usd": 2}, {"part": "staking", "usd": None}]
    assert found["protocol"]["listed_at_utc"] == "2024-05-31T00:00:00Z" and found["protocol"]["url"] is None
    for asked, usd in (({"chain": "roll-up"}, 1), ({"part": "borrowed"}, 2), ({"part": "staking"}, None)):
        replies = [CHAINS, [ROW]] if "chain" in asked else [[ROW]]
        assert protocol_metrics(told(*replies), protocol="vela", **asked)["tvl_usd"] == usd
    both = protocol_metrics(told(CHAINS, [ROW]), protocol="vela", chain="main net", part="Borrowed")
    assert both["tvl_usd"] == 2 and both["chain"] == "Main Net"
    with pytest.raises(ToolError, match="no Vela, pool2; it has: Main Net, Main Net-borrowed, Roll Up, borrowed"):
        protocol_metrics(told([ROW]), protocol="vela", part="pool2")


def test_all_and_a_chain_now() -> None:
    """Sums over chains are exact, rankings are by what is locked, who has no figure is counted."""
    empty = {**OTHER, "slug": "quiet", "name": "Quiet", "tvl": 0}
    found = protocol_metrics(told(CHAINS, [ROW, empty, DEAD, OTHER]))
    assert found["tvl_usd"] == 10.3 and found["chains_in_all"] == 3 and found["by_chain"][2]["usd"] is None
    assert (found["protocols_in_all"], found["without_figure"]) == (3, 1)
    ranked = [(row["rank"], row["name"], row["tvl_usd"]) for row in found["ranking"]]
    assert ranked == [(1, "Orn", 6), (2, "Vela", 4), (3, "Quiet", 0)]
    found = protocol_metrics(told(CHAINS, CHAINS, [ROW, DEAD, OTHER]), chain="roll up")
    assert found["tvl_usd"] == 0.2 and [(row["name"], row["tvl_usd"]) for row in found["ranking"]] == [("Vela", 1)]
    found = protocol_metrics(told(CHAINS, CHAINS, [ROW, OTHER]), chain="main net", category="dexs", limit=1)
    assert found["category"] == "Dexs" and [row["name"] for row in found["ranking"]] == ["Orn"]
    assert protocol_metrics(told(CHAINS, CHAINS, []), chain="quiet")["tvl_usd"] is None
    with pytest.raises(ToolError, match="one of Dexs, Lending"):
        protocol_metrics(told(CHAINS, [ROW, OTHER]), category="Casino")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"at": "now", "start": "now"}, "give at for one moment"),
        ({"at": "now", "end": "now"}, "give at for one moment"), ({"part": "borrowed"}, "give protocol"),
        ({"by_token": True}, "give protocol"), ({"category": "Dexs", "protocol": "vela"}, "ranking of now"),
        ({"category": "Dexs", "at": "now"}, "ranking of now"), ({"limit": 0}, "limit"), ({"limit": 51}, "limit"),
    ],
)  # fmt: skip
def test_calls_that_mean_two_things(asked: dict[str, Any], words: str) -> None:
    """They are refused before anything is asked."""
    with pytest.raises(ToolError, match=words):
        protocol_metrics(told(), **asked)


def test_a_list_of_later_tells_no_figure_of_now() -> None:
    """Facts and past points are told, figures of now are null, a ranking or a part is a miss, never zero."""
    found = protocol_metrics(told([NAMES]), protocol="vela")
    assert found["tvl_usd"] is found["market_cap_usd"] is found["kept_apart"] is found["change_1d_percent"] is None
    assert found["by_chain"] == [{"chain": name, "usd": None, "share_percent": None} for name in ROW["chains"]]
    assert found["protocol"]["category"] == "Lending"
    chains = [{"name": chain["name"]} for chain in CHAINS]
    for asked, replies in (({"protocol": "vela", "part": "borrowed"}, [[NAMES]]), ({}, [chains, [NAMES]]),
                           ({"protocol": "vela", "chain": "main-net"}, [chains, [NAMES]]),
                           ({"category": "Lending"}, [CHAINS, [NAMES]])):  # fmt: skip
        with pytest.raises(Miss, match="made after this moment"):
            protocol_metrics(told(*replies), **asked)
    day = 1_725_148_800
    points = [{"date": day - 86_400, "totalLiquidityUSD": 3}, {"date": day, "totalLiquidityUSD": 4}]
    page = {"tvl": points, "tokensInUsd": [{"date": day, "tokens": {"VLA": 4}}], "tokens": [], "chainTvls": {}}
    assert protocol_metrics(told([NAMES], page), protocol="vela", at=day)["last_up_to_it"]["tvl_usd"] == 4
    assert protocol_metrics(told([NAMES], page), protocol="vela", start=day - 86_400)["change_usd"] == 1
    found = protocol_metrics(told([NAMES], page), protocol="vela", by_token=True)
    assert found["tvl_usd"] is None and found["tokens"] == [{"token": "VLA", "usd": 4, "amount": None}]

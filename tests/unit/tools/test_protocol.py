"""protocol_metrics: what is locked, now, then and day by day; and the law of it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from caia_replay.core.tool import Served
from caia_replay.errors import Miss, ToolError
from caia_replay.store.world_folder import open_world
from caia_replay.tools.call_view import CallView
from caia_replay.tools.defi_index import API
from caia_replay.tools.protocol import protocol_metrics
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.anchored import anchored
from tests.short_economy import ShortEconomy
from tests.told import told
from tests.tool_draw.defi import DRAWS, INSIDE
from tests.tool_law import LivingWorld, judged

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


@pytest.fixture(scope="module")
def economy(short_economy: ShortEconomy) -> Iterator[FrozenWorld]:
    """The short economy, opened once."""
    with FrozenWorld(open_world(str(short_economy.report.world))) as world:
        yield world


@pytest.fixture
def view(economy: FrozenWorld) -> CallView:
    """A task in its middle."""
    return CallView(economy.task(anchored(economy.folder, 60)))


def test_a_protocol_now() -> None:
    """Its facts, its chains with shares, and what is kept apart from the total, also where that is not known."""
    found = protocol_metrics(told([ROW, OTHER]), protocol="vla")
    assert found["tvl_usd"] == 4 and found["market_cap_usd"] == 8 and found["fully_diluted_usd"] is None
    assert found["by_chain"] == [
        {"chain": "Main Net", "usd": 3, "share_percent": 75},
        {"chain": "Roll Up", "usd": 1, "share_percent": 25},
    ]
    assert found["kept_apart"] == [{"part": "borrowed", "usd": 2}, {"part": "staking", "usd": None}]
    assert found["protocol"]["listed_at_utc"] == "2024-05-31T00:00:00Z" and found["protocol"]["url"] is None


def test_a_part_of_a_protocol_now() -> None:
    """On a chain, kept apart, or both; a part that is not there is refused with those that are."""
    for asked, usd in (({"chain": "roll-up"}, 1), ({"part": "borrowed"}, 2), ({"part": "staking"}, None)):
        replies = [CHAINS, [ROW]] if "chain" in asked else [[ROW]]
        assert protocol_metrics(told(*replies), protocol="vela", **asked)["tvl_usd"] == usd
    both = protocol_metrics(told(CHAINS, [ROW]), protocol="vela", chain="main net", part="Borrowed")
    assert both["tvl_usd"] == 2 and both["chain"] == "Main Net"
    with pytest.raises(ToolError, match="no Vela, pool2; it has: Main Net, Main Net-borrowed, Roll Up, borrowed"):
        protocol_metrics(told([ROW]), protocol="vela", part="pool2")


def test_all_now() -> None:
    """The sum over chains is exact, the ranking is by what is locked, and who has no figure is counted."""
    empty = {**OTHER, "slug": "quiet", "name": "Quiet", "tvl": 0}
    found = protocol_metrics(told(CHAINS, [ROW, empty, DEAD, OTHER]))
    assert found["tvl_usd"] == 10.3 and found["chains_in_all"] == 3 and found["by_chain"][2]["usd"] is None
    assert (found["protocols_in_all"], found["without_figure"]) == (3, 1)
    ranked = [(row["rank"], row["name"], row["tvl_usd"]) for row in found["ranking"]]
    assert ranked == [(1, "Orn", 6), (2, "Vela", 4), (3, "Quiet", 0)]


def test_a_chain_now() -> None:
    """Its own total, and what protocols hold there; one category where it is asked for."""
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
        ({"at": "now", "end": "now"}, "give at for one moment"),
        ({"part": "borrowed"}, "give protocol"),
        ({"by_token": True}, "give protocol"),
        ({"category": "Dexs", "protocol": "vela"}, "ranking of now"),
        ({"category": "Dexs", "at": "now"}, "ranking of now"),
        ({"limit": 0}, "limit"),
        ({"limit": 51}, "limit"),
    ],
)
def test_calls_that_mean_two_things(asked: dict[str, Any], words: str) -> None:
    """They are refused before anything is asked."""
    with pytest.raises(ToolError, match=words):
        protocol_metrics(told(), **asked)


@pytest.mark.parametrize("change", [{"tvl": "x"}, {"chainTvls": 5}, {"chains": 5}, {"mcap": []}, {"listedAt": "x"}])
def test_rows_of_another_shape_are_missed(change: dict[str, Any]) -> None:
    """A stranger's recording never ends a run."""
    with pytest.raises(Miss, match="another shape"):
        protocol_metrics(told([{**ROW, **change}]), protocol="vela")


def test_tokens_now_are_those_of_the_last_point() -> None:
    """Its time is told beside them; a protocol without any history has none to tell."""
    point = {"date": 1_717_113_600, "totalLiquidityUSD": 4}
    page = {"tvl": [point], "tokensInUsd": [{"date": 1_717_113_600, "tokens": {"A": 4}}]}
    found = protocol_metrics(told([ROW], page), protocol="vela", by_token=True)
    assert found["tokens_at_utc"] == "2024-05-31T00:00:00Z"
    assert found["tokens"] == [{"token": "A", "usd": 4, "amount": None}]
    with pytest.raises(ToolError, match="noted nothing of Vela"):
        protocol_metrics(told([ROW], {"tvl": []}), protocol="vela", by_token=True)


def test_the_last_point_of_a_history_is_the_last_midnights(economy: FrozenWorld, short_economy: ShortEconomy) -> None:
    """That of now was not recorded, which the point's time says; as the living index told it."""
    world = economy.task(anchored(economy.folder, 60))
    view, living = CallView(world), CallView(LivingWorld(world, short_economy.origin))
    midnight = utc_text(view.now // 86_400 * 86_400)
    for row in view.ask(f"{API}/protocols"):
        now = protocol_metrics(view, protocol=row["name"], by_token=True)
        then = protocol_metrics(view, protocol=row["slug"], at="now")
        assert then["last_up_to_it"]["time_utc"] == now["tokens_at_utc"] == midnight and then["next"] is None
        assert then["last_up_to_it"] == protocol_metrics(living, protocol=row["slug"], at=midnight)["last_up_to_it"]
        held = sum(Decimal(str(token["usd"])) for token in now["tokens"])
        assert abs(held - Decimal(str(then["last_up_to_it"]["tvl_usd"]))) < Decimal("0.001")
        assert now["tvl_usd"] == row["tvl"] == protocol_metrics(living, protocol=row["name"])["tvl_usd"]


def test_all_is_the_sum_of_its_chains(view: CallView) -> None:
    """At every midnight; nothing of it lies after now."""
    whole = protocol_metrics(view)
    series = [protocol_metrics(view, chain=part["chain"], end="now")["points"] for part in whole["by_chain"]]
    for point, *parts in zip(protocol_metrics(view, end="now")["points"], *series, strict=True):
        told_apart = sum(Decimal(str(part["tvl_usd"])) for part in parts)
        assert abs(told_apart - Decimal(str(point["tvl_usd"]))) <= Decimal("0.00002")
        assert point["time_utc"] <= utc_text(view.now)
    assert view.served is Served.DERIVED


def test_the_law(economy: FrozenWorld, short_economy: ShortEconomy) -> None:
    """Replay says what the living index says; inside what was recorded every call is answered."""
    found = judged("protocol_metrics", DRAWS["protocol_metrics"], economy, short_economy.origin, 40)
    assert found.wrong == [] and found.served[Served.MISS] == 0 and found.answered >= 0.7
    inside = judged("protocol_metrics", INSIDE["protocol_metrics"], economy, short_economy.origin, 40)
    assert inside.wrong == [] and inside.answered == 1


NAMES: dict[str, Any] = {name: ROW[name] for name in ("id", "slug", "name", "symbol", "category", "chains", "listedAt")}


def test_a_list_of_later_tells_no_figure_of_now() -> None:
    """Facts are told and figures are null; a chain's part, a part kept apart and the ranking are misses, never zero."""
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


def test_a_history_of_later_answers_for_its_points() -> None:
    """A past moment, a series and the last tokens are told by what is left of the page."""
    day = 1_725_148_800
    points = [{"date": day - 86_400, "totalLiquidityUSD": 3}, {"date": day, "totalLiquidityUSD": 4}]
    page = {"tvl": points, "tokensInUsd": [{"date": day, "tokens": {"VLA": 4}}], "tokens": [], "chainTvls": {}}
    assert protocol_metrics(told([NAMES], page), protocol="vela", at=day)["last_up_to_it"]["tvl_usd"] == 4
    assert protocol_metrics(told([NAMES], page), protocol="vela", start=day - 86_400)["change_usd"] == 1
    found = protocol_metrics(told([NAMES], page), protocol="vela", by_token=True)
    assert found["tvl_usd"] is None and found["tokens"] == [{"token": "VLA", "usd": 4, "amount": None}]

"""network_activity: who used protocols and chains, day by day; and the law of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from caia_replay.core.tool import Served
from caia_replay.errors import Miss, ToolError
from caia_replay.store.world_folder import open_world
from caia_replay.tools.activity import network_activity
from caia_replay.tools.call_view import CallView
from caia_replay.tools.defi_index import API, PRO
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.anchored import anchored
from tests.short_economy import ShortEconomy
from tests.told import Told, told
from tests.tool_draw.defi import DRAWS, INSIDE
from tests.tool_law import judged

DAY = 1_717_113_600
NOW = DAY + 2 * 86_400 + 60
LISTED = [{"id": "7", "slug": "vela", "name": "Vela", "symbol": "VLA"}]


@pytest.fixture(scope="module")
def economy(short_economy: ShortEconomy) -> Iterator[FrozenWorld]:
    """The short economy, opened once."""
    with FrozenWorld(open_world(str(short_economy.report.world))) as world:
        yield world


@pytest.fixture
def view(economy: FrozenWorld) -> CallView:
    """A task in its middle."""
    return CallView(economy.task(anchored(economy.folder, 60)))


def test_a_protocol_is_told_from_three_pages() -> None:
    """Counts are numbers or digits; users are not added up over days; what a page leaves out is null."""
    world = Told(LISTED, [[DAY, "2"], [DAY + 86_400, 3]], [[DAY, 1]], [[str(DAY), 5], [DAY + 86_400, "6"]], now=NOW)
    found = network_activity(world, "vla")  # type: ignore[arg-type]
    assert [url for url, _ in world.asked[1:]] == [f"{PRO}/userData/{kind}/7" for kind in ("users", "newusers", "txs")]
    assert found["sums"] == {"new_users": 1, "transactions": 11}
    assert found["days_summed"] == {"new_users": 1, "transactions": 2}
    assert [(point["users"], point["new_users"], point["transactions"]) for point in found["points"]] == [
        (2, 1, 5),
        (3, None, 6),
    ]
    assert found["days"] == 7 and found["days_without_figure"] == 5


def test_a_protocol_nobody_counts() -> None:
    """Empty pages are no zeroes."""
    with pytest.raises(ToolError, match="counts no users of Vela"):
        network_activity(told(LISTED, [], [], [], now=NOW), "vela")


def test_the_ranking_tells_its_day() -> None:
    """A day ended when the index says; a figure of another day than the users' is null, and nobody is ranked as 0."""
    end = DAY + 86_400
    page = {
        "1": {"name": "Orn", "users": {"value": "4", "end": end}, "txs": {"value": 9, "end": end}, "newUsers": None},
        "2": {"name": "Vela", "users": {"value": 5, "end": end}, "txs": {"value": 7, "end": DAY}},
        "3": {"name": "Brim", "users": {"value": None, "end": end}},
    }
    found = network_activity(told(page, now=NOW))
    assert (found["listed_in_all"], found["without_figure"]) == (2, 1)
    assert found["ranking"] == [
        {"rank": 1, "protocol": "Vela", "day": "2024-05-31", "users": 5, "new_users": None, "transactions": None},
        {"rank": 2, "protocol": "Orn", "day": "2024-05-31", "users": 4, "new_users": None, "transactions": 9},
    ]
    assert len(network_activity(told(page, now=NOW), limit=1)["ranking"]) == 1


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"protocol": "vela", "chain": "main"}, "protocol or chain"),
        ({"start": "1 day ago"}, "newest day only"),
        ({"limit": 0}, "limit"),
    ],
)
def test_calls_that_mean_two_things(asked: dict[str, Any], words: str) -> None:
    """They are refused before anything is asked."""
    with pytest.raises(ToolError, match=words):
        network_activity(told(), **asked)


@pytest.mark.parametrize("page", [None, 5, [5], [[DAY]], [[DAY, "x"]], [[DAY, 1], [DAY + 1, 2]], {"message": "no"}])
def test_pages_of_another_shape_are_missed(page: Any) -> None:
    """A stranger's recording never ends a run."""
    with pytest.raises(Miss, match="another shape"):
        network_activity(told(LISTED, page), "vela")
    with pytest.raises(Miss, match="another shape"):
        network_activity(told(page if page != {"message": "no"} else [page]))


def test_ranking_and_days_agree(view: CallView) -> None:
    """The newest day of every protocol, told by the ranking and by its own pages."""
    ranked = {row["protocol"]: row for row in network_activity(view, limit=50)["ranking"]}
    rows = view.ask(f"{API}/protocols")
    assert ranked.keys() == {row["name"] for row in rows}
    for row in rows:
        last = network_activity(view, row["slug"], end="1 day ago")["points"][-1]
        assert {**ranked[row["name"]], "is_over": True} == {
            **last,
            "rank": ranked[row["name"]]["rank"],
            "protocol": row["name"],
        }


def test_protocols_are_part_of_their_chain(view: CallView) -> None:
    """What was sent to any protocol was sent on its chain: fewer transactions, and no more senders."""
    day = utc_text(view.now - 86_400)[:10]
    by_chain = {name: network_activity(view, chain=name, end=day)["in_all"] for name in view.chains}
    sent = {name: 0 for name in view.chains}
    for row in view.ask(f"{API}/protocols"):
        used = network_activity(view, row["slug"], end=day)["points"][0]
        name = "-".join(row["chains"][0].lower().split())
        sent[name] += used["transactions"]
        if row["category"] != "Bridge":
            assert used["users"] <= by_chain[name]["senders"]
    assert sum(sent.values()) <= sum(counted["transactions"] for counted in by_chain.values())
    assert view.served is Served.DERIVED


def test_the_law(economy: FrozenWorld, short_economy: ShortEconomy) -> None:
    """Replay says what the living index says; inside what was recorded every call is answered."""
    found = judged("network_activity", DRAWS["network_activity"], economy, short_economy.origin, 40)
    assert found.wrong == [] and found.served[Served.MISS] == 0 and found.answered >= 0.7
    inside = judged("network_activity", INSIDE["network_activity"], economy, short_economy.origin, 40)
    assert inside.wrong == [] and inside.answered == 1

"""An unlock calendar read from a file: days, categories, both forms of events, exact amounts, and other shapes."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from caia_replay.errors import Miss
from caia_replay.tools.argument import DAY_S
from caia_replay.tools.emission import emission_of, less

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


def test_what_is_out_at_a_moment() -> None:
    """A moment has the point before it or at it; the sum over allocations is exact."""
    found = emission_of(_file(), "a")
    assert (found.begins, found.ends, found.labels) == (DAY, DAY + 3 * DAY_S, ["Team", "Sale"])
    assert found.out(["Team"], DAY + 2 * DAY_S - 1) == 0
    assert found.out(["Team"], DAY + 2 * DAY_S) == Decimal("10.1")
    assert found.out(found.labels, DAY + 900 * DAY_S) == Decimal("25.2")


def test_what_a_window_releases() -> None:
    """A window has what its days' points add: its first day's too, and not that of the day it ends at."""
    found = emission_of(_file(), "a")
    assert found.released(["Team"], DAY + 2 * DAY_S, DAY + 3 * DAY_S) == Decimal("10.1")
    assert found.released(["Team"], DAY + 2 * DAY_S + 1, DAY + 3 * DAY_S) == 0
    assert found.released(["Team"], DAY + 1, DAY + 9 * DAY_S) == Decimal("20.2")


def test_whose_it_is() -> None:
    """A file tells its coin, its token's address and its protocols."""
    found = emission_of(_file(), "a")
    assert found.tokens == {"a-coin", "0xab"} and found.protocols == {"7"}
    assert emission_of(_file(gecko_id=None, **_about(token="coingecko:b-coin")), "a").tokens == {"b-coin"}


def test_categories() -> None:
    """An allocation without a category is told without one, behind the others."""
    found = emission_of(_file(), "a")
    assert found.by_category() == {"insiders": ["Team"], None: ["Sale"]}
    assert emission_of(_file(categories=None), "a").by_category() == {None: ["Team", "Sale"]}


def test_greatest_supply() -> None:
    """It is told by its own figure first, by the total second, and is unknown with neither."""
    assert emission_of(_file(supplyMetrics={"maxSupply": 90.5}), "a").most == Decimal("90.5")
    assert emission_of(_file(), "a").most == 100
    assert emission_of(_file(**_about(total=None)), "a").most is None


def test_events_by_allocation() -> None:
    """Cliffs have an amount, linear releases the rates of a week and an end, in the order of time."""
    cliff = {"recipient": "Team", "category": "insiders", "unlockType": "cliff", "amount": 10.1}
    linear = {"recipient": "Team", "category": "insiders", "unlockType": "linear_start", "previousRatePerWeek": 0,
              "newRatePerWeek": 70.7, "endTimestamp": DAY + 3 * DAY_S}  # fmt: skip
    events = [{"timestamp": DAY + 9, "linearAllocations": [linear]}, {"timestamp": DAY, "cliffAllocations": [cliff]}]
    first, second = emission_of(_file(**_about(unlockEvents=events)), "a").events
    assert (first.at, first.kind, first.tokens, first.allocation) == (DAY, "cliff", Decimal("10.1"), "Team")
    assert (second.before, second.after, second.until) == (0, Decimal("70.7"), DAY + 3 * DAY_S)


def test_events_in_words() -> None:
    """Files without events by allocation tell them in words; only a single amount is an amount."""
    one = {"description": "{tokens[0]} at {timestamp}", "timestamp": DAY, "noOfTokens": [1.5], "category": "insiders"}
    two = {"description": "from {tokens[0]} to {tokens[1]}", "timestamp": DAY + 1, "noOfTokens": [0, 3]}
    first, second = emission_of(_file(**_about(events=[two, one])), "a").events
    assert (first.words, first.tokens) == ("1.5 at 2023-11-15T00:00:00Z", Decimal("1.5"))
    assert (second.words, second.tokens) == ("from 0 to 3", None)


def test_differences_are_exact() -> None:
    """A difference keeps every digit, however far apart the two amounts are."""
    assert f"{less(Decimal(10**27), Decimal('0.123456789012345')):f}" == "999999999999999999999999999.876543210987655"


@pytest.mark.parametrize(
    "told",
    [
        None,
        [],
        {},
        _file(documentedData=None),
        _file(documentedData={"data": []}),
        _file(documentedData={"data": [{"label": "Team", "data": []}]}),
        _file(documentedData={"data": [{"label": "Team", "data": [{"timestamp": DAY, "unlocked": None}]}]}),
        _file(documentedData={"data": [{"label": "Team", "data": [{"timestamp": DAY, "unlocked": "many"}]}]}),
        _file(documentedData={"data": _file()["documentedData"]["data"][:1] * 2}),
        _file(documentedData={"data": [{"label": "T", "data": [{"timestamp": at, "unlocked": 1} for at in (2, 1)]}]}),
        _file(categories=["insiders"]),
        _file(gecko_id={"a": 1}),
        _file(metadata=None),
        _file(**_about(unlockEvents=[{"timestamp": "soon"}])),
    ],
)
def test_another_shape_is_a_miss(told: Any) -> None:
    """What is no calendar is not read as one, and an unknown amount never as 0."""
    with pytest.raises(Miss, match="another shape"):
        emission_of(told, "a")

"""Facts told by two tools: counted when they agree, fatal when they do not."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from caia_replay.errors import CheckFailed
from caia_replay.origin.cross_audit import Places, _agree, _near, audit, places_of
from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.scene import Scene

VIEW: Any = SimpleNamespace(world=SimpleNamespace(task=SimpleNamespace(id="t")))


def test_places_are_where_the_chain_has_them(scene: Scene, book: MarketBook) -> None:
    """Tokens, pairs with their sides, and every vesting contract, by what the contracts themselves say."""
    places = places_of(scene, {"main": "m", "rollup": "r"}, book.coins)
    paired = [place for place in places.coins["m"] if place.pair]
    assert len(paired) >= 10 and len(places.coins["r"]) == 5 and places.dollar in places.coins["m"]
    for place in paired:
        first = scene.main.ask("eth_call", {"to": place.pair, "data": "0x0dfe1681"}, "latest")  # token0()
        assert ("0x" + first[-40:] == place.token) == (place.side == 0)
    held = sum(len(contracts) for _, contracts in places.vestings.values())
    assert held == sum(role.endswith(" vesting") for role in scene.main.contracts)


def test_tellings_that_differ_end_the_audit() -> None:
    """Whole numbers must be equal, rounded ones within a millionth; the fault names task and both sides."""
    _agree(VIEW, "x", 5, 5)
    _near(VIEW, "x", Fraction(10**6), 10**6 + 1)
    with pytest.raises(CheckFailed, match="task t: x is 5 by one tool and 6 by another"):
        _agree(VIEW, "x", 5, 6)
    with pytest.raises(CheckFailed, match="by another"):
        _near(VIEW, "x", Fraction(10**6), 10**6 + 3)


def test_an_audit_that_found_nothing_is_no_audit() -> None:
    """Without tasks no tool tells anything, and that is a failure, not an agreement."""
    nowhere = Places({}, places_dollar(), "", "", (), {})
    with pytest.raises(CheckFailed, match="no fact of supply"):
        audit(SimpleNamespace(), [], nowhere, lambda *_: None)  # type: ignore[arg-type]


def places_dollar() -> Any:
    return SimpleNamespace(token="0x" + "0" * 40)

"""Facts told by two tools: counted when they agree, fatal when they do not."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from caia_replay.errors import CheckFailed
from caia_replay.origin.cross_audit import Place, Places, _agree, _near, _prices, _supplies, audit, places_of
from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.scene import Scene

VIEW: Any = SimpleNamespace(world=SimpleNamespace(task=SimpleNamespace(id="t")))


def test_places_are_where_the_chain_has_them(scene: Scene, book: MarketBook) -> None:
    """Tokens, pairs with their sides, and every vesting contract, by what the contracts themselves say."""
    places = places_of(scene, {"main": "m", "rollup": "r"}, book.coins)
    paired = [place for place in places.coins["m"] if place.pair]
    assert len(paired) >= 10 and len(places.coins["r"]) == 5 and places.dollar in places.coins["m"]
    (own,) = (place for place in places.coins["m"] if place.coin == places.native)
    assert own.token is None and own in paired and [place for place in paired if place.token is None] == [own]
    assert places.native in {place.coin for place in places.coins["r"] if place.token and not place.pair}
    for place in paired:
        first = scene.main.ask("eth_call", {"to": place.pair, "data": "0x0dfe1681"}, "latest")  # token0()
        assert ("0x" + first[-40:] == (place.token or scene.assets["native"].address)) == (place.side == 0)
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


class Told:
    """A world that tells one coin's market price and the reserves of its pool, in smallest units."""

    def __init__(self, price: float, reserves: tuple[int, int]) -> None:
        self.world = SimpleNamespace(task=SimpleNamespace(id="t"), clock=SimpleNamespace(now=0))
        self._price, self._reserves = price, reserves

    def timestamp(self, block: int) -> int:
        return 0

    def get(self, url: str, **parameters: object) -> Any:
        if "simple" in url:
            return {"own": {"usd": self._price}}
        return {"coins": {"coingecko:own": {"price": self._price}}}

    def call(self, to: str, data: str) -> list[int]:
        return [*self._reserves, 0]


def test_a_pool_beyond_the_arbitrage_bound_ends_the_audit() -> None:
    """At the bound it is a fact; beyond it, on either side, the fault names task, coin and both prices."""
    own = Place("own", "o", None, 18, "0xpair", 1)
    dollar = Place("dollar", "d", "0xdollar", 6)
    places = Places({"m": (own,)}, dollar, "own", "", (), {})

    def priced(dollars: int) -> list[None]:
        view: Any = Told(2_000.0, (dollars * 10**6, 10**18))
        return list(_prices(view, places, [own]))

    assert len(priced(1_970)) == len(priced(2_030)) == 2
    for dollars in (1_969, 2_031):
        with pytest.raises(
            CheckFailed, match=rf"task t: the pool of own stands at {dollars}.0 and its market at 2000.0"
        ):
            priced(dollars)


def test_a_coin_without_a_token_of_its_own_has_no_supply_to_compare() -> None:
    """No contract is asked for the supply of a chain's own coin."""
    view: Any = SimpleNamespace(
        get=lambda url, **_: [{"id": "own", "platforms": {}}],
        world=SimpleNamespace(world=SimpleNamespace(snapshots={"m": SimpleNamespace(chain_id=1)}),
                              anchor=SimpleNamespace(chain="m")),
    )  # fmt: skip
    own = Place("own", "o", None, 18, "0xpair", 1)
    assert list(_supplies(view, Places({}, own, "own", "", (), {}), [own])) == []


def test_an_audit_that_found_nothing_is_no_audit() -> None:
    """Without tasks no tool tells anything, and that is a failure, not an agreement."""
    nowhere = Places({}, places_dollar(), "", "", (), {})
    with pytest.raises(CheckFailed, match="no fact of supply"):
        audit(SimpleNamespace(), [], nowhere, lambda *_: None)  # type: ignore[arg-type]


def places_dollar() -> Any:
    return SimpleNamespace(token="0x" + "0" * 40)

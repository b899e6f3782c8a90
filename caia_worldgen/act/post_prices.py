"""The oracle: what the price keeper posts of the outside venue, daily, and at once when a price has moved far."""

from __future__ import annotations

from typing import Final

from caia_worldgen.people import address_of
from caia_worldgen.scene import Scene
from caia_worldgen.stage import Contract, Stage

ORACLE: Final = "price oracle"
"""What the story calls the contract."""
FAR_PPM: Final = 50_000
"""A price is posted out of turn when the venue is this far from the last one, in millionths."""

_DOLLAR_E8: Final = 10**8


class PostPrices:
    """One oracle and the prices it holds now. ``roles`` are of assets the venue prices; the dollar is always one."""

    def __init__(self, roles: tuple[str, ...]) -> None:
        self._roles = roles
        self._posted: dict[str, int] = {}

    def open(self, scene: Scene) -> Contract:
        """The oracle, with a price of everything from the first block on."""
        keeper = scene.people.roles["price keeper"]
        made = scene.main.deploy(keeper, "PriceOracle", (keeper.address,), ORACLE)
        self._post(scene, scene.main, "dollar", _DOLLAR_E8)
        self.play(scene, scene.main)
        return made

    def play(self, scene: Scene, stage: Stage) -> None:
        """Once a day, in its first block, and whenever the venue is far away from what was posted."""
        daily = stage.height == stage.calendar.blocks_of(stage.day)[0]
        for role in self._roles:
            price, last = scene.venue.price_e8(role, stage.now), self._posted.get(role, 0)
            if daily or abs(price - last) * 1_000_000 > last * FAR_PPM:
                self._post(scene, stage, role, price)

    def price_e8(self, role: str) -> int:
        """What the oracle answers to whatever is queued next."""
        return self._posted[role]

    def _post(self, scene: Scene, stage: Stage, role: str, price_e8: int) -> None:
        keeper, address = scene.people.roles["price keeper"], scene.assets[role].address
        stage.call(keeper, stage.contracts[ORACLE], "post", address, price_e8)
        self._posted[role] = price_e8
        stage.know(ORACLE, "price", address, answer=(price_e8,))
        stage.know(ORACLE, "updatedAt", address, answer=(stage.now,))
        stage.deed(address_of(keeper), "posted price", role, price_e8=price_e8)

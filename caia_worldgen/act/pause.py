"""Coins that their issuer stops: a credit coin for two days, and the dollar itself for a moment.

The dollar is paused and let go again inside one block, with somebody's payment between, so that the rest of the
economy goes on. The credit coin stands still for two days, and every payment in it fails meanwhile.
"""

from __future__ import annotations

from typing import Final

from caia_worldgen.people import address_of
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Asset, Scene
from caia_worldgen.stage import Stage

_STOP_DAY: Final = 47
_GO_DAY: Final = 49
_MOMENT_DAY: Final = 88
_HOLDERS: Final = 22
_PERCENT: Final = 8
"""In how many of 100 blocks somebody pays in the credit coin, where a day has many blocks."""


class Pause:
    """The issuer's two stops, and life with the credit coin before, during and after."""

    def __init__(self) -> None:
        self._credit: Asset | None = None
        self._stopped = False

    def open(self, scene: Scene) -> None:
        """The credit coin exists and some people have it."""
        stage, issuer, dice = scene.main, scene.people.roles["issuer"], scene.dice("pause")
        project = scene.projects["credit"] = scene.namer.project("Credit")
        made = stage.deploy(issuer, "StableCoin", (project.name, project.ticker, issuer.address), "credit token")
        self._credit = Asset("credit", project, made, 6)
        for person in dice.some(scene.people.crowd, _HOLDERS):
            amount = dice.number(800 * self._credit.unit, 60_000 * self._credit.unit)
            stage.call(issuer, made, "mint", person.address, amount)
            scene.born(stage, self._credit, person.address, amount)
            stage.deed(address_of(issuer), "issued", "credit", recipient=person.address, amount=amount)
        stage.know("credit token", "paused", answer=(False,))
        stage.know("dollar token", "paused", answer=(False,))

    def play(self, scene: Scene, stage: Stage) -> None:
        """Payments in credit, and the issuer on the days it acts."""
        if stage is not scene.main or self._credit is None or stage.day == 0:
            return
        dice, first = scene.dice(f"pause/{stage.height}"), stage.height == stage.calendar.blocks_of(stage.day)[0]
        if first and stage.day == _STOP_DAY:
            stranger = dice.one(scene.people.crowd)
            stage.call(stranger.wallet, self._credit.contract, "pause", succeeds=False)
            stage.deed(stranger.address, "was refused", "credit token", error="OwnableUnauthorizedAccount")
            self._switch(scene, stage, stopped=True)
        elif first and stage.day == _GO_DAY:
            self._switch(scene, stage, stopped=False)
        elif first and stage.day == _MOMENT_DAY:
            self._moment(scene, stage, dice)
        if dice.happens(max(60 if self._stopped else _PERCENT, 40 // scene.scale.main_blocks)):
            self._pay(scene, stage, dice, self._credit)

    def _switch(self, scene: Scene, stage: Stage, *, stopped: bool) -> None:
        issuer = scene.people.roles["issuer"]
        self._stopped = stopped
        stage.call(issuer, stage.contracts["credit token"], "pause" if stopped else "unpause")
        stage.know("credit token", "paused", answer=(stopped,))
        stage.deed(address_of(issuer), "paused" if stopped else "unpaused", "credit")

    def _moment(self, scene: Scene, stage: Stage, dice: Rng) -> None:
        """Pause, a payment that fails, and on again: nothing else in the block comes between."""
        issuer, dollar = scene.people.roles["issuer"], scene.assets["dollar"]
        payer, payee = dice.some(scene.people.crowd, 2)
        amount = scene.balance(stage, dollar, payer.address) // 9
        stage.call(issuer, dollar.contract, "pause")
        stage.call(payer.wallet, dollar.contract, "transfer", payee.address, amount, succeeds=False)
        stage.call(issuer, dollar.contract, "unpause")
        stage.deed(address_of(issuer), "paused", "dollar")
        stage.deed(payer.address, "was refused", "dollar token", error="EnforcedPause", amount=amount)
        stage.deed(address_of(issuer), "unpaused", "dollar")

    def _pay(self, scene: Scene, stage: Stage, dice: Rng, credit: Asset) -> None:
        owners = [person for person in scene.people.crowd if scene.balance(stage, credit, person.address) > credit.unit]
        payer, payee = dice.one(owners), dice.one(scene.people.crowd)
        amount = scene.balance(stage, credit, payer.address) * dice.number(5, 60) // 100
        if self._stopped:
            stage.call(payer.wallet, credit.contract, "transfer", payee.address, amount, succeeds=False)
            stage.deed(payer.address, "was refused", "credit token", error="EnforcedPause", amount=amount)
            return
        scene.transfer(stage, payer.wallet, credit, payee.address, amount)
        stage.deed(payer.address, "paid", "credit", recipient=payee.address, amount=amount)

"""A token that taxes every transfer: a part of each amount goes to its treasury, and its maker may raise the part.

It trades against the dollar. Swaps must go through the router's functions for such tokens; who takes the ordinary one
is refused. What leaves a wallet and what arrives are two figures here, and the ledger has both. A token that its owner
pauses stands here as well: transfers are refused until it goes on.
"""

from __future__ import annotations

from typing import Final

from eth_account.signers.local import LocalAccount

from caia_worldgen.listing import Listing
from caia_worldgen.people import Person, address_of
from caia_worldgen.rng import Rng
from caia_worldgen.scene import MOST, Asset, Scene
from caia_worldgen.stage import Stage

_BORN: Final = 14
_RISE: Final = 75
_FEES_BPS: Final = (300, 900)
"""Hundredths of a per cent, before and after the rise."""
_PERCENT: Final = 18
"""In how many of 100 blocks somebody uses the token, where a day has many blocks."""


class Tax:
    """The taxed token, made by the launcher, who is its treasury too."""

    def __init__(self) -> None:
        self._listing: Listing | None = None
        self._fee_bps = _FEES_BPS[0]

    def open(self, scene: Scene) -> None:
        """The name is taken; nothing exists yet."""
        scene.projects["tax"] = scene.namer.project("Reflect")

    def play(self, scene: Scene, stage: Stage) -> None:
        """The token's own days, then somebody trades it."""
        if stage is not scene.main:
            return
        if stage.height == stage.calendar.blocks_of(stage.day)[0]:
            self._live(scene, stage)
        rng = scene.rng(f"tax/{stage.height}")
        if (
            self._listing is not None
            and self._listing.open
            and rng.happens(max(_PERCENT, 60 // scene.scale.main_blocks))
        ):
            self._use(scene, stage, rng, self._listing)

    def _live(self, scene: Scene, stage: Stage) -> None:
        maker, rng = scene.people.roles["launcher"], scene.rng(f"tax/day {stage.day}")
        if stage.day == _BORN:
            project, supply = scene.projects["tax"], rng.odd(5_000_000, 800_000_000, digits=7) * 10**18
            terms = (project.name, project.ticker, supply, maker.address, maker.address, self._fee_bps)
            token = Asset("tax", project, stage.deploy(maker, "TaxToken", terms, "tax token"), 18)
            scene.born(stage, token, address_of(maker), supply)
            stage.know("tax token", "feeBps", answer=(self._fee_bps,))
            stage.know("tax token", "treasury", answer=(address_of(maker),))
            stage.deed(address_of(maker), "created", "tax", supply=supply)
            self._listing = Listing(scene, token, maker, "dollar")
        elif self._listing is not None and stage.day == _BORN + 1:
            self._listing.create_pair(stage)
        elif self._listing is not None and stage.day == _BORN + 2:
            self._fill(scene, stage, self._listing, rng)
        elif self._listing is not None and stage.day == _RISE:
            self._fee_bps = _FEES_BPS[1]
            stage.call(maker, self._listing.token.contract, "setFee", self._fee_bps)
            stage.know("tax token", "feeBps", answer=(self._fee_bps,))
            stage.deed(address_of(maker), "raised the tax", "tax", fee_bps=self._fee_bps)

    def _fill(self, scene: Scene, stage: Stage, listing: Listing, rng: Rng) -> None:
        """The project's treasury lends the dollars; the maker's own transfers are free of the tax."""
        dollar, token, router, maker = listing.other, listing.token, stage.contracts["router"], listing.maker
        treasury, who = scene.people.roles["treasury"], address_of(maker)
        lent = min(
            rng.odd(18_000, 70_000, digits=5) * dollar.unit, scene.balance(stage, dollar, address_of(treasury)) // 3
        )
        amount = scene.balance(stage, token, who) * rng.number(5_000, 7_000) // 10_000
        scene.transfer(stage, treasury, dollar, who, lent)
        for asset, part in ((token, amount), (dollar, lent)):
            scene.approve(stage, maker, asset, router.address)
            stage.ledger.move(stage.height, asset.address, who, listing.pair, part)
        terms = (token.address, dollar.address, amount, lent, amount, lent, maker.address, MOST)
        stage.call(maker, router, "addLiquidity", *terms)
        listing.filled(stage, amount, lent)

    def _use(self, scene: Scene, stage: Stage, rng: Rng, listing: Listing) -> None:
        """A purchase; by one who owns some also a sale, a payment, or a sale the ordinary way, which fails."""
        token, dollar = listing.token, listing.other
        owners = [one for one in scene.people.crowd if scene.balance(stage, token, one.address) > token.unit]
        if not owners or rng.happens(45):
            buyer = rng.one(scene.people.crowd)
            owned = scene.balance(stage, dollar, buyer.address) * rng.number(1, 6) // 100
            self._swap(scene, stage, buyer.wallet, listing, dollar, min(owned, self._depth(listing, dollar)))
            return
        person, roll = rng.one(owners), rng.number(1, 100)
        amount = scene.balance(stage, token, person.address) * rng.number(10, 60) // 100
        if roll <= 55:
            self._swap(scene, stage, person.wallet, listing, token, min(amount, self._depth(listing, token)))
        elif roll <= 85:
            self._pay(stage, person, rng.one(scene.people.crowd).address, listing, amount)
        else:
            router, path = stage.contracts["router"], [token.address, dollar.address]
            scene.approve(stage, person.wallet, token, router.address)
            terms = (amount, 0, path, person.address, MOST)
            stage.call(person.wallet, router, "swapExactTokensForTokens", *terms, succeeds=False)
            stage.deed(person.address, "could not sell", "tax", amount=amount, reason="taxed on the way")

    def _swap(
        self, scene: Scene, stage: Stage, trader: LocalAccount, listing: Listing, sold: Asset, amount: int
    ) -> None:
        router, who, token = stage.contracts["router"], address_of(trader), listing.token
        arriving = amount - self._tax(amount) if sold is token else amount
        paid = listing.quote(sold, arriving) if arriving > 0 else 0
        if paid == 0:
            return
        bought = listing.other if sold is token else token
        scene.approve(stage, trader, sold, router.address)
        terms = (amount, 0, [sold.address, bought.address], trader.address, MOST)
        stage.call(trader, router, "swapExactTokensForTokensSupportingFeeOnTransferTokens", *terms)
        listing.swap(stage, who, sold, arriving, tax=self._tax(amount if sold is token else paid))
        for asset, sender, recipient, part in ((sold, who, listing.pair, amount), (bought, listing.pair, who, paid)):
            if asset is token:
                self._taxed(stage, listing, sender, recipient, part)
            else:
                stage.ledger.move(stage.height, asset.address, sender, recipient, part)

    def _pay(self, stage: Stage, person: Person, recipient: str, listing: Listing, amount: int) -> None:
        stage.call(person.wallet, listing.token.contract, "transfer", recipient, amount)
        self._taxed(stage, listing, person.address, recipient, amount)
        figures = {"amount": amount, "fee": self._tax(amount)}
        stage.deed(person.address, "paid", "tax", recipient=recipient, **figures)

    def _taxed(self, stage: Stage, listing: Listing, sender: str, recipient: str, amount: int) -> None:
        """What a transfer of the taxed token really moves; neither end is its maker."""
        fee, token = self._tax(amount), listing.token.address
        if fee:
            stage.ledger.move(stage.height, token, sender, address_of(listing.maker), fee)
        stage.ledger.move(stage.height, token, sender, recipient, amount - fee)

    def _tax(self, amount: int) -> int:
        return amount * self._fee_bps // 10_000

    @staticmethod
    def _depth(listing: Listing, sold: Asset) -> int:
        """The most that is sold at once: a twentieth of what the pair has."""
        return listing.market.pool.reserves[listing.market.side(sold)] // 20


_STOP_DAY: Final = 47
_GO_DAY: Final = 49
_MOMENT_DAY: Final = 88
_HOLDERS: Final = 22
_PAUSE_PERCENT: Final = 8
"""In how many of 100 blocks somebody pays in the credit coin, where a day has many blocks."""


class Pause:
    """The issuer's two stops, and life with the credit coin before, during and after."""

    def __init__(self) -> None:
        self._credit: Asset | None = None
        self._stopped = False

    def open(self, scene: Scene) -> None:
        """The credit coin exists and some people have it."""
        stage, issuer, rng = scene.main, scene.people.roles["issuer"], scene.rng("pause")
        project = scene.projects["credit"] = scene.namer.project("Credit")
        made = stage.deploy(issuer, "StableCoin", (project.name, project.ticker, issuer.address), "credit token")
        self._credit = Asset("credit", project, made, 6)
        for person in rng.some(scene.people.crowd, _HOLDERS):
            amount = rng.number(800 * self._credit.unit, 60_000 * self._credit.unit)
            stage.call(issuer, made, "mint", person.address, amount)
            scene.born(stage, self._credit, person.address, amount)
            stage.deed(address_of(issuer), "issued", "credit", recipient=person.address, amount=amount)
        stage.know("credit token", "paused", answer=(False,))
        stage.know("dollar token", "paused", answer=(False,))

    def play(self, scene: Scene, stage: Stage) -> None:
        """Payments in credit, and the issuer on the days it acts."""
        if stage is not scene.main or self._credit is None or stage.day == 0:
            return
        rng, first = scene.rng(f"pause/{stage.height}"), stage.height == stage.calendar.blocks_of(stage.day)[0]
        if first and stage.day == _STOP_DAY:
            stranger = rng.one(scene.people.crowd)
            stage.call(stranger.wallet, self._credit.contract, "pause", succeeds=False)
            stage.deed(stranger.address, "was refused", "credit token", error="OwnableUnauthorizedAccount")
            self._switch(scene, stage, stopped=True)
        elif first and stage.day == _GO_DAY:
            self._switch(scene, stage, stopped=False)
        elif first and stage.day == _MOMENT_DAY:
            self._moment(scene, stage, rng)
        if rng.happens(max(60 if self._stopped else _PAUSE_PERCENT, 40 // scene.scale.main_blocks)):
            self._pay(scene, stage, rng, self._credit)

    def _switch(self, scene: Scene, stage: Stage, *, stopped: bool) -> None:
        issuer = scene.people.roles["issuer"]
        self._stopped = stopped
        stage.call(issuer, stage.contracts["credit token"], "pause" if stopped else "unpause")
        stage.know("credit token", "paused", answer=(stopped,))
        stage.deed(address_of(issuer), "paused" if stopped else "unpaused", "credit")

    def _moment(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        """Pause, a payment that fails, and on again: nothing else in the block comes between."""
        issuer, dollar = scene.people.roles["issuer"], scene.assets["dollar"]
        payer, payee = rng.some(scene.people.crowd, 2)
        amount = scene.balance(stage, dollar, payer.address) // 9
        stage.call(issuer, dollar.contract, "pause")
        stage.call(payer.wallet, dollar.contract, "transfer", payee.address, amount, succeeds=False)
        stage.call(issuer, dollar.contract, "unpause")
        stage.deed(address_of(issuer), "paused", "dollar")
        stage.deed(payer.address, "was refused", "dollar token", error="EnforcedPause", amount=amount)
        stage.deed(address_of(issuer), "unpaused", "dollar")

    def _pay(self, scene: Scene, stage: Stage, rng: Rng, credit: Asset) -> None:
        owners = [person for person in scene.people.crowd if scene.balance(stage, credit, person.address) > credit.unit]
        payer, payee = rng.one(owners), rng.one(scene.people.crowd)
        amount = scene.balance(stage, credit, payer.address) * rng.number(5, 60) // 100
        if self._stopped:
            stage.call(payer.wallet, credit.contract, "transfer", payee.address, amount, succeeds=False)
            stage.deed(payer.address, "was refused", "credit token", error="EnforcedPause", amount=amount)
            return
        scene.transfer(stage, payer.wallet, credit, payee.address, amount)
        stage.deed(payer.address, "paid", "credit", recipient=payee.address, amount=amount)

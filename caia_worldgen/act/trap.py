"""Tokens that people buy and regret: one that cannot be sold, and one whose liquidity goes.

Nothing here is an attack on a reader; it is what happens on open chains. Each token is created on one day, gets its
pair against the native coin on the next and its liquidity on the third. People buy and sell with plain native coins,
which the router wraps and unwraps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from eth_account.signers.local import LocalAccount

from caia_worldgen.listing import Listing
from caia_worldgen.people import Person, address_of
from caia_worldgen.rng import Rng
from caia_worldgen.scene import MOST, Asset, Scene
from caia_worldgen.stage import Stage


@dataclass(frozen=True, slots=True)
class _Plan:
    """A token's life: created on day ``born``, over on day ``turn``; in how many of 100 blocks it trades, at least."""

    role: str
    kind: str
    artifact: str
    born: int
    turn: int
    percent: int


_HONEYPOT: Final = _Plan("honeypot", "Gold", "HoneypotToken", 21, 61, 34)
_RUG: Final = _Plan("rug", "Yield", "ProjectToken", 66, 80, 50)
_AFTER_DAYS: Final = 5
"""How long people still try to sell what nobody buys."""


class Trap:
    """The honeypot and the rug pull, both the scammer's."""

    def __init__(self) -> None:
        self._listings: dict[str, Listing] = {}

    def open(self, scene: Scene) -> None:
        """Names are taken; nothing exists yet."""
        for plan in (_HONEYPOT, _RUG):
            scene.projects[plan.role] = scene.namer.project(plan.kind)

    def play(self, scene: Scene, stage: Stage) -> None:
        """Each token's day, then those who buy and those who try to sell."""
        if stage is not scene.main:
            return
        for plan in (_HONEYPOT, _RUG):
            if stage.height == stage.calendar.blocks_of(stage.day)[0]:
                self._live(scene, stage, plan)
            listing, rng = self._listings.get(plan.role), scene.rng(f"trap/{plan.role}/{stage.height}")
            if listing is None or not listing.open:
                continue
            percent = max(plan.percent, 75 // scene.scale.main_blocks)
            if stage.day < plan.turn and rng.happens(percent):
                self._trade(scene, stage, rng, listing, honest=plan is _RUG)
            elif plan.turn < stage.day <= plan.turn + _AFTER_DAYS and rng.happens(percent):
                self._sell_in_vain(scene, stage, rng, listing, rng.number(10**15, 4 * 10**17))

    def _live(self, scene: Scene, stage: Stage, plan: _Plan) -> None:
        """What the scammer does on this day, if anything."""
        rng = scene.rng(f"trap/{plan.role}/day {stage.day}")
        if stage.day == plan.born:
            self._create(scene, stage, plan, rng)
        elif stage.day == plan.born + 1:
            self._listings[plan.role].create_pair(stage)
        elif stage.day == plan.born + 2:
            self._fill(scene, stage, self._listings[plan.role], rng)
            if plan is _HONEYPOT:
                self._arm(stage, self._listings[plan.role])
        elif stage.day == plan.turn:
            listing = self._listings[plan.role]
            if plan is _HONEYPOT:
                self._sell(scene, stage, listing.maker, listing, scene.balance(stage, listing.token, _maker(listing)))
            else:
                self._pull(scene, stage, listing)

    def _create(self, scene: Scene, stage: Stage, plan: _Plan, rng: Rng) -> None:
        maker, project = scene.people.roles["scammer"], scene.projects[plan.role]
        supply = rng.odd(5_000_000, 800_000_000, digits=7) * 10**18
        terms = (project.name, project.ticker, supply, maker.address)
        token = Asset(plan.role, project, stage.deploy(maker, plan.artifact, terms, f"{plan.role} token"), 18)
        scene.born(stage, token, address_of(maker), supply)
        stage.know(f"{plan.role} token", "name", answer=(project.name,))
        stage.deed(address_of(maker), "created", plan.role, supply=supply)
        self._listings[plan.role] = Listing(scene, token, maker, "native")

    def _fill(self, scene: Scene, stage: Stage, listing: Listing, rng: Rng) -> None:
        maker, token, router = listing.maker, listing.token, stage.contracts["router"]
        amount = scene.balance(stage, token, _maker(listing)) * rng.number(6_000, 8_000) // 10_000
        native_wei = rng.odd(14 * 10**18, 60 * 10**18, digits=9)
        scene.approve(stage, maker, token, router.address)
        terms = (token.address, amount, amount, native_wei, maker.address, MOST)
        stage.call(maker, router, "addLiquidityETH", *terms, value_wei=native_wei)
        _wrap(scene, stage, listing, native_wei)
        stage.ledger.move(stage.height, token.address, _maker(listing), listing.pair, amount)
        listing.filled(stage, amount, native_wei)

    def _arm(self, stage: Stage, listing: Listing) -> None:
        """From here on nobody but the scammer can send the token to its pair."""
        stage.call(listing.maker, listing.token.contract, "arm", listing.pair)
        stage.know(f"{listing.token.role} token", "pair", answer=(listing.pair,))
        stage.deed(_maker(listing), "armed", listing.token.role)

    def _trade(self, scene: Scene, stage: Stage, rng: Rng, listing: Listing, *, honest: bool) -> None:
        """Somebody buys, or one who bought tries to sell: in vain where the token is a honeypot."""
        owners = _owners(scene, stage, listing)
        if not owners or rng.happens(70 if honest else 45):
            native_wei = rng.number(3 * 10**16, 5 * 10**17)
            self._buy(scene, stage, rng.one(scene.people.crowd).wallet, listing, native_wei)
        elif honest:
            person = rng.one(owners)
            amount = scene.balance(stage, listing.token, person.address) * rng.number(20, 70) // 100
            self._sell(scene, stage, person.wallet, listing, amount)
        else:
            self._sell_in_vain(scene, stage, rng, listing, 0)

    def _buy(self, scene: Scene, stage: Stage, buyer: LocalAccount, listing: Listing, native_wei: int) -> None:
        native, router, who = scene.assets["native"], stage.contracts["router"], address_of(buyer)
        path = [native.address, listing.token.address]
        terms = (listing.quote(native, native_wei), path, buyer.address, MOST)
        stage.call(buyer, router, "swapExactETHForTokens", *terms, value_wei=native_wei)
        _wrap(scene, stage, listing, native_wei)
        paid = listing.swap(stage, who, native, native_wei)
        stage.ledger.move(stage.height, listing.token.address, listing.pair, who, paid)

    def _sell(self, scene: Scene, stage: Stage, seller: LocalAccount, listing: Listing, amount: int) -> None:
        native, router, token = scene.assets["native"], stage.contracts["router"], listing.token
        least, who = listing.quote(token, amount), address_of(seller)
        if least == 0:
            return
        scene.approve(stage, seller, token, router.address)
        path = [token.address, native.address]
        stage.call(seller, router, "swapExactTokensForETH", amount, least, path, seller.address, MOST)
        stage.ledger.move(stage.height, token.address, who, listing.pair, amount)
        paid = listing.swap(stage, who, token, amount)
        stage.ledger.move(stage.height, native.address, listing.pair, router.address, paid)
        stage.ledger.burn(stage.height, native.address, router.address, paid)

    def _sell_in_vain(self, scene: Scene, stage: Stage, rng: Rng, listing: Listing, least: int) -> None:
        """A sale that fails: the token refuses, or the pair cannot pay ``least`` (all its coins are gone)."""
        owners, token, router = _owners(scene, stage, listing), listing.token, stage.contracts["router"]
        if not owners:
            return
        person = rng.one(owners)
        amount = scene.balance(stage, token, person.address)
        scene.approve(stage, person.wallet, token, router.address)
        path = [token.address, scene.assets["native"].address]
        terms = (amount, least, path, person.address, MOST)
        stage.call(person.wallet, router, "swapExactTokensForETH", *terms, succeeds=False)
        reason = "pays too little" if least else "refused by the token"
        stage.deed(person.address, "could not sell", token.role, amount=amount, reason=reason)

    def _pull(self, scene: Scene, stage: Stage, listing: Listing) -> None:
        """All the liquidity at once: tokens and native coins go through the router to the scammer."""
        maker, token, native, router = listing.maker, listing.token, scene.assets["native"], stage.contracts["router"]
        who, shares = _maker(listing), stage.ledger.balance(listing.pair, _maker(listing))
        scene.approve(stage, maker, Asset("shares", token.project, listing.market.pair, 18), router.address)
        stage.call(maker, router, "removeLiquidityETH", token.address, shares, 0, 0, maker.address, MOST)
        amount, native_wei = listing.emptied(stage, router.address, shares)
        stage.ledger.move(stage.height, token.address, router.address, who, amount)
        stage.ledger.burn(stage.height, native.address, router.address, native_wei)
        stage.deed(who, "pulled liquidity", listing.role, shares=shares, amount=amount, native_wei=native_wei)


def _maker(listing: Listing) -> str:
    return address_of(listing.maker)


def _owners(scene: Scene, stage: Stage, listing: Listing) -> list[Person]:
    return [person for person in scene.people.crowd if scene.balance(stage, listing.token, person.address)]


def _wrap(scene: Scene, stage: Stage, listing: Listing, native_wei: int) -> None:
    """Native coins become wrapped ones in the router's hands, which passes them on to the pair."""
    native, router = scene.assets["native"], stage.contracts["router"].address
    scene.born(stage, native, router, native_wei)
    stage.ledger.move(stage.height, native.address, router, listing.pair, native_wei)

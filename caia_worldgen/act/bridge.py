"""The bridge: people lock tokens on the main chain, the relayer mints them on the roll-up, and the same backwards.

Nothing arrives at once. What was locked or burnt waits with a due time until the other chain's clock has passed it;
each number is honoured once. At every moment the vault holds what is on the roll-up and what is under way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from eth_account.signers.local import LocalAccount

from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.people import Person, address_of
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Asset, Scene
from caia_worldgen.stage import Stage

BRIDGED: Final = ("native", "dollar", "bridge", "exchange", "arena")
"""What goes over, by role on the main chain."""

_HOUR_S: Final = 3_600
_PIONEERS: Final = 26
"""How many people lock something before the bridge has carried anything; of each project's token a third as many."""
_STAYING: Final = 4
"""So many owners of a token stay on the roll-up in any case."""
_LOAD: Final = 14
"""How many transfers the relayer carries in a block at most."""
_REPLAY_DAYS: Final = (19, 58, 97)
_STRANGER_DAY: Final = 33
_PURSES: Final = {
    "market maker": ((380_000, 640_000), (600, 1_500)),
    "arbitrageur": ((60_000, 90_000), (90, 260)),
    "exchange": ((160_000, 260_000), (250, 600)),
}
"""Role -> whole dollars and whole native coins that the people who make the roll-up's market bring over."""


@dataclass(frozen=True, slots=True)
class _Underway:
    due: int
    nonce: int
    role: str
    recipient: str
    amount: int


class Bridge:
    """The vault on the main chain, the minter on the roll-up, and the relayer who walks between them."""

    def __init__(self) -> None:
        self._over: list[_Underway] = []
        self._back: list[_Underway] = []
        self._minted: list[_Underway] = []
        self._released: list[_Underway] = []
        self._locks = self._burns = 0

    def open(self, scene: Scene) -> None:
        """Both ends exist, the roll-up knows its tokens, and the first people have set out."""
        founders, relayer = scene.people.roles["founders"], scene.people.roles["bridge relayer"]
        scene.main.deploy(founders, "BridgeVault", (relayer.address,), "bridge vault")
        minter = scene.rollup.deploy(founders, "BridgeMinter", (relayer.address,), "bridge minter")
        scene.rollup.know("bridge minter", "nextNonce", answer=(0,))
        for role in BRIDGED:
            original = scene.assets[role]
            project = replace(
                original.project, name=f"Bridged {original.project.name}", ticker=f"b{original.project.ticker}"
            )
            terms = (project.name, project.ticker, original.decimals, minter.address)
            token = scene.rollup.deploy(founders, "BridgedToken", terms, f"bridged {role}")
            scene.bridged[role] = Asset(f"bridged {role}", project, token, original.decimals)
            scene.rollup.call(relayer, minter, "register", _remote(scene, role), token.address)
            scene.rollup.know("bridge minter", "localOf", _remote(scene, role), answer=(token.address,))
        rng = scene.rng("bridge")
        for who, (dollars, coins) in _PURSES.items():
            wallet = scene.people.roles[who]
            owned = scene.balance(scene.main, scene.assets["dollar"], address_of(wallet))
            amount = min(rng.odd(*dollars, digits=6) * scene.assets["dollar"].unit, owned * 2 // 5)
            self._lock(scene, rng, wallet, "dollar", amount, address_of(wallet))
            price = scene.venue.price_e8("native", scene.main.now)
            worth = amount * scene.assets["native"].unit * 10**8 // (price * scene.assets["dollar"].unit)
            most = rng.odd(*coins, digits=9) * scene.assets["native"].unit
            self._lock(scene, rng, wallet, "native", min(worth, most), address_of(wallet))
        for person in rng.some(scene.people.crowd, _PIONEERS):
            for role in ("dollar", "native"):
                self._set_out(scene, rng, person.wallet, role)
        for role in BRIDGED[2:]:
            owners = _owners(scene, scene.main, scene.assets[role])
            for person in rng.some(owners, min(len(owners), _PIONEERS // 3)):
                self._set_out(scene, rng, person.wallet, role)

    def play(self, scene: Scene, stage: Stage) -> None:
        """The relayer brings what is due; people set out or come back; now and then somebody tries what is barred."""
        rng = scene.rng(f"bridge/{stage.name}/{stage.height}")
        if stage is scene.main:
            self._release(scene)
            if stage.day and rng.happens(max(14, 60 // scene.scale.main_blocks)):
                role = rng.one(BRIDGED)
                people = scene.people.crowd if role == "native" else _owners(scene, stage, scene.assets[role])
                if people:
                    self._set_out(scene, rng, rng.one(people).wallet, role)
        else:
            self._mint(scene)
            if rng.happens(max(24, 40 // scene.scale.rollup_blocks)):
                self._come_back(scene, rng)
        if stage.height == stage.calendar.blocks_of(stage.day)[-1]:
            self._barred(scene, stage, rng)

    def _set_out(self, scene: Scene, rng: Rng, wallet: LocalAccount, role: str) -> None:
        owned = scene.balance(scene.main, scene.assets[role], address_of(wallet))
        amount = rng.number(2 * 10**17, 2 * 10**18) if role == "native" else owned * rng.number(8, 45) // 100
        if amount > 0:
            friend = rng.one(scene.people.crowd).address
            self._lock(scene, rng, wallet, role, amount, friend if rng.happens(12) else address_of(wallet))

    def _lock(self, scene: Scene, rng: Rng, wallet: LocalAccount, role: str, amount: int, to: str) -> None:
        stage, vault, who = scene.main, scene.main.contracts["bridge vault"], address_of(wallet)
        if role == "native":
            stage.call(wallet, vault, "lockNative", to, value_wei=amount)
        else:
            asset = scene.assets[role]
            scene.approve(stage, wallet, asset, vault.address)
            stage.call(wallet, vault, "lock", asset.address, amount, to)
            stage.ledger.move(stage.height, asset.address, who, vault.address, amount)
        nonce, self._locks = self._locks, self._locks + 1
        self._over.append(_Underway(_due(rng, stage), nonce, role, to, amount))
        stage.know("bridge vault", "nextNonce", answer=(self._locks,))
        scene.rollup.know("bridge minter", "minted", nonce, answer=(False,))
        stage.deed(who, "locked", role, nonce=nonce, recipient=to, amount=amount)

    def _mint(self, scene: Scene) -> None:
        stage, relayer = scene.rollup, scene.people.roles["bridge relayer"]
        minter = stage.contracts["bridge minter"]
        for one in _arrived(self._over, stage.now):
            stage.call(relayer, minter, "mintFor", one.nonce, _remote(scene, one.role), one.recipient, one.amount)
            scene.born(stage, scene.bridged[one.role], one.recipient, one.amount)
            self._minted.append(one)
            stage.know("bridge minter", "minted", one.nonce, answer=(True,))
            stage.deed(
                address_of(relayer), "minted", one.role, nonce=one.nonce, recipient=one.recipient, amount=one.amount
            )

    def _come_back(self, scene: Scene, rng: Rng) -> None:
        stage = scene.rollup
        held = {role: _owners(scene, stage, scene.bridged[role]) for role in BRIDGED}
        roles = [role for role, owners in held.items() if len(owners) > _STAYING]
        if not roles:
            return
        role = rng.one(roles)
        asset, owners = scene.bridged[role], held[role]
        person = rng.one(owners)
        to, amount = person.address, scene.balance(stage, asset, person.address) * rng.number(15, 100) // 100
        if rng.happens(12):
            to = rng.one(scene.people.crowd).address
        stage.call(person.wallet, stage.contracts["bridge minter"], "burn", asset.address, amount, to)
        stage.ledger.burn(stage.height, asset.address, person.address, amount)
        nonce, self._burns = self._burns, self._burns + 1
        self._back.append(_Underway(_due(rng, stage), nonce, role, to, amount))
        stage.know("bridge minter", "nextNonce", answer=(self._burns,))
        scene.main.know("bridge vault", "released", nonce, answer=(False,))
        stage.deed(person.address, "burned", role, nonce=nonce, recipient=to, amount=amount)

    def _release(self, scene: Scene) -> None:
        stage, relayer, vault = scene.main, scene.people.roles["bridge relayer"], scene.main.contracts["bridge vault"]
        for one in _arrived(self._back, stage.now):
            stage.call(relayer, vault, "release", one.nonce, _remote(scene, one.role), one.recipient, one.amount)
            if one.role != "native":
                stage.ledger.move(
                    stage.height, scene.assets[one.role].address, vault.address, one.recipient, one.amount
                )
            self._released.append(one)
            stage.know("bridge vault", "released", one.nonce, answer=(True,))
            stage.deed(
                address_of(relayer), "released", one.role, nonce=one.nonce, recipient=one.recipient, amount=one.amount
            )

    def _barred(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        """A number that was honoured before, a stranger who plays the relayer: transactions that fail."""
        honoured = self._released if stage is scene.main else self._minted
        if not honoured or stage.day not in (*_REPLAY_DAYS, _STRANGER_DAY):
            return
        end, function = ("vault", "release") if stage is scene.main else ("minter", "mintFor")
        one, contract = rng.one(honoured), stage.contracts[f"bridge {end}"]
        terms = (one.nonce, _remote(scene, one.role), one.recipient, one.amount)
        stranger = stage.day == _STRANGER_DAY
        wallet = rng.one(scene.people.crowd).wallet if stranger else scene.people.roles["bridge relayer"]
        stage.call(wallet, contract, function, *terms, succeeds=False)
        error = "NotRelayer" if stranger else "AlreadyReleased" if stage is scene.main else "AlreadyMinted"
        stage.deed(address_of(wallet), "was refused", f"bridge {end}", error=error, nonce=one.nonce)


def _remote(scene: Scene, role: str) -> str:
    """What the bridge calls an asset: the native coin, which has no contract of its own, is nobody's address."""
    return ZERO_ADDRESS if role == "native" else scene.assets[role].address


def _owners(scene: Scene, stage: Stage, asset: Asset) -> list[Person]:
    return [person for person in scene.people.crowd if scene.balance(stage, asset, person.address) > 100]


def _due(rng: Rng, stage: Stage) -> int:
    return stage.now + rng.number(_HOUR_S // 3, 9 * _HOUR_S)


def _arrived(queue: list[_Underway], now: int) -> list[_Underway]:
    """Take what is due out of the queue, in the order it became due, as much as is carried at once."""
    queue.sort(key=lambda one: (one.due, one.nonce))
    ready = [one for one in queue[:_LOAD] if one.due <= now]
    del queue[: len(ready)]
    return ready

"""The rest of ordinary life on the main chain: payments, permits, bundles, shared income, burns, and what goes wrong.

People pay each other and move coins to and from the exchange; a merchant is paid by signed permits; the treasury pays
wages in bundles; a group shares what it earns; projects burn what they announced; some transactions fail.
"""

from __future__ import annotations

from typing import Any, Final

from eth_account.signers.local import LocalAccount

from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.people import address_of
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Asset, Scene
from caia_worldgen.stage import Stage

_FIELDS = ("owner", "spender", "value", "nonce", "deadline")


def sign_permit(
    chain_id: int, token: str, name: str, owner: LocalAccount, spender: str, amount: int, nonce: int, deadline: int
) -> tuple[int, bytes, bytes]:
    """v, r and s of a permit for ``amount`` smallest units until ``deadline`` (seconds since 1970).

    ``name`` is the token's own; its EIP-712 version is "1". Equal arguments give an equal signature (RFC 6979).
    """
    types = {"Permit": [{"name": field, "type": _type(field)} for field in _FIELDS]}
    domain = {"name": name, "version": "1", "chainId": chain_id, "verifyingContract": token}
    values: tuple[Any, ...] = (owner.address, spender, amount, nonce, deadline)
    signed = owner.sign_typed_data(domain, types, dict(zip(_FIELDS, values, strict=True)))
    return signed.v, signed.r.to_bytes(32, "big"), signed.s.to_bytes(32, "big")


def _type(field: str) -> str:
    return "address" if field in ("owner", "spender") else "uint256"


_PERCENT: Final = 50
"""How many things people do in 100 blocks, at least; each is one to three transactions."""
_A_DAY: Final = 2
"""How many things people do on a day, at least."""
_PERMIT_S: Final = 3_600
_BURNS: Final = ((31, 38, "storage"), (68, 73, "social"), (101, 110, "index"))
"""The day of the announcement, the day of the burn, whose token."""
_SHARES: Final = ((40, 60), (15, 35), (5, 25))
_LITTLE_GAS: Final = (24_000, 26_500)
"""Enough to begin a transfer, too little to end it."""


class Daily:
    """Payments and everything around them. The splitter's purse and everybody's permits are counted here."""

    def __init__(self) -> None:
        self._shares: dict[str, int] = {}
        self._held = 0
        self._permits: dict[str, int] = {}
        self._announced: dict[str, int] = {}

    def open(self, scene: Scene) -> None:
        """The bundling contract, and the splitter of a group of three."""
        stage, founders, rng = scene.main, scene.people.roles["founders"], scene.rng("daily")
        stage.deploy(founders, "Multicall", (), "bundler")
        payees = [person.address for person in rng.some(scene.people.crowd, len(_SHARES))]
        self._shares = {payee: rng.number(*bounds) for payee, bounds in zip(payees, _SHARES, strict=True)}
        stage.deploy(founders, "PaymentSplitter", (payees, list(self._shares.values())), "splitter")
        stage.know("splitter", "totalShares", answer=(sum(self._shares.values()),))
        for number, payee in enumerate(payees):
            stage.know("splitter", "payees", number, answer=(payee,))
            stage.know("splitter", "sharesOf", payee, answer=(self._shares[payee],))

    def play(self, scene: Scene, stage: Stage) -> None:
        """A few of the things people do on any day; on some days a project burns."""
        if stage is not scene.main or stage.day == 0:
            return
        rng = scene.rng(f"daily/{stage.height}")
        many = max(_PERCENT, 100 * _A_DAY // scene.scale.main_blocks)
        for _ in range(many // 100 + rng.happens(many % 100)):
            self._one(scene, stage, rng)
        if stage.height == stage.calendar.blocks_of(stage.day)[-1]:
            self._burn(scene, stage)

    def _one(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        roll = rng.number(1, 100)
        if roll <= 26:
            self._pay_coins(scene, stage, rng)
        elif roll <= 53:
            self._pay_tokens(scene, stage, rng)
        elif roll <= 63:
            self._pay_by_permit(scene, stage, rng, fails=rng.happens(12))
        elif roll <= 69:
            self._bundle(scene, stage, rng)
        elif roll <= 76:
            self._share(scene, stage, rng)
        elif roll <= 83:
            self._wrap(scene, stage, rng)
        elif roll <= 85:
            self._create(scene, stage, rng)
        else:
            self._fail(scene, stage, rng)

    def _pay_coins(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        """Between people, or to or from the exchange, whose hot wallet pays out more than it takes in."""
        person, other, venue = *rng.some(scene.people.crowd, 2), scene.people.roles["exchange"]
        amount, roll = rng.number(10**15, 15 * 10**16), rng.number(1, 10)
        payer, payee = (person.wallet, other.address) if roll <= 6 else (person.wallet, address_of(venue))
        if roll >= 9:
            payer, payee, amount = venue, person.address, 3 * amount
        stage.pay(payer, payee, amount)
        stage.deed(address_of(payer), "paid", "native", recipient=payee, amount=amount)

    def _pay_tokens(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        person, other, venue = *rng.some(scene.people.crowd, 2), scene.people.roles["exchange"]
        asset, roll = rng.one(_listed(scene)), rng.number(1, 10)
        if roll <= 3:
            asset = scene.assets["dollar"]
        payer, payee = (person.wallet, other.address) if roll <= 6 else (person.wallet, address_of(venue))
        percent = rng.number(1, 18)
        if roll >= 9 or not scene.balance(stage, asset, person.address):
            payer, payee, percent = venue, person.address, 1
        amount = scene.balance(stage, asset, address_of(payer)) * percent // (100 if percent > 1 else 2_000)
        if amount:
            scene.transfer(stage, payer, asset, payee, amount)
            stage.deed(address_of(payer), "paid", asset.role, recipient=payee, amount=amount)

    def _pay_by_permit(self, scene: Scene, stage: Stage, rng: Rng, *, fails: bool) -> None:
        """The buyer signs, the merchant sends both the permit and the payment; a permit that is too late is refused."""
        buyer, merchant, dollar = rng.one(scene.people.crowd), scene.people.roles["merchant"], scene.assets["dollar"]
        amount, who = scene.balance(stage, dollar, buyer.address) * rng.number(1, 9) // 100, buyer.address
        if amount == 0:
            return
        deadline = stage.now + (-_PERMIT_S if fails else _PERMIT_S)
        nonce = self._permits.get(who, 0)
        terms = (buyer.wallet, address_of(merchant), amount, nonce, deadline)
        signature = sign_permit(stage.chain_id, dollar.address, dollar.project.name, *terms)
        permit = (who, merchant.address, amount, deadline, *signature)
        stage.call(merchant, dollar.contract, "permit", *permit, succeeds=not fails)
        if fails:
            stage.deed(address_of(merchant), "was refused", "dollar token", error="ERC2612ExpiredSignature")
            return
        self._permits[who] = nonce + 1
        stage.call(merchant, dollar.contract, "transferFrom", who, merchant.address, amount)
        stage.ledger.move(stage.height, dollar.address, who, address_of(merchant), amount)
        stage.know("dollar token", "nonces", who, answer=(nonce + 1,))
        stage.know("dollar token", "allowance", who, address_of(merchant), answer=(0,))
        stage.deed(who, "paid by permit", "dollar", recipient=address_of(merchant), amount=amount, nonce=nonce)
        if rng.happens(8):
            stage.call(merchant, dollar.contract, "permit", *permit, succeeds=False)
            stage.deed(address_of(merchant), "was refused", "dollar token", error="ERC2612InvalidSigner")

    def _bundle(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        """Wages: the sum goes to the bundling contract, which pays it all out in one transaction.

        Of ten bundles one asks for too much in the middle: bound together they all fail and nothing was sent to begin
        with; loose, the others are paid.
        """
        payer, bundler = scene.people.roles["treasury"], stage.contracts["bundler"]
        asset, kind = rng.one([scene.assets[role] for role in ("dollar", "payments", "social")]), rng.number(1, 10)
        most = scene.balance(stage, asset, address_of(payer)) // 9_000
        wages = [
            (person.address, rng.number(most // 3, most)) for person in rng.some(scene.people.crowd, rng.number(2, 5))
        ]
        if most < 3:
            return
        whole = sum(amount for _, amount in wages)
        too_much = (asset.address, asset.contract.artifact.call("transfer", (wages[0][0], 3 * whole)))
        calls = [(asset.address, asset.contract.artifact.call("transfer", wage)) for wage in wages]
        if kind == 1:
            stage.call(payer, bundler, "aggregate", [*calls, too_much], gas=1_000_000, succeeds=False)
            stage.deed(address_of(payer), "was refused", "bundler", error="CallFailed", calls=len(calls) + 1)
            return
        scene.transfer(stage, payer, asset, bundler.address, whole)
        if kind == 2:
            stage.call(payer, bundler, "tryAggregate", [calls[0], too_much, *calls[1:]], gas=1_000_000)
        else:
            stage.call(payer, bundler, "aggregate", calls, gas=1_000_000)
        for payee, amount in wages:
            stage.ledger.move(stage.height, asset.address, bundler.address, payee, amount)
        stage.deed(address_of(payer), "bundled", asset.role, payments=len(wages), failed=int(kind == 2), amount=whole)

    def _share(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        """Somebody pays the group, or one of it has everything handed out, if there is anything."""
        splitter, whole = stage.contracts["splitter"], sum(self._shares.values())
        if rng.happens(65) and (self._held or rng.happens(70)):
            person, amount = rng.one(scene.people.crowd), rng.number(5 * 10**15, 12 * 10**16)
            stage.pay(person.wallet, splitter.address, amount, gas=60_000)
            self._held += amount
            stage.deed(person.address, "paid the splitter", "native", amount=amount)
            return
        caller = rng.one([person for person in scene.people.crowd if person.address in self._shares])
        if self._held < whole:
            stage.call(caller.wallet, splitter, "distribute", succeeds=False)
            stage.deed(caller.address, "was refused", "splitter", error="NothingToPay")
            return
        stage.call(caller.wallet, splitter, "distribute")
        paid = {payee: self._held * share // whole for payee, share in self._shares.items()}
        self._held -= sum(paid.values())
        for payee, amount in paid.items():
            stage.deed(caller.address, "distributed", "native", recipient=payee, amount=amount)

    def _wrap(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        person, native = rng.one(scene.people.crowd), scene.assets["native"]
        owned = scene.balance(stage, native, person.address)
        if owned > 10**15 and rng.happens(50):
            amount = owned * rng.number(20, 100) // 100
            stage.call(person.wallet, native.contract, "withdraw", amount)
            stage.ledger.burn(stage.height, native.address, person.address, amount)
            stage.deed(person.address, "unwrapped", "native", amount=amount)
        else:
            amount = rng.number(10**16, 6 * 10**17)
            stage.call(person.wallet, native.contract, "deposit", value_wei=amount)
            scene.born(stage, native, person.address, amount)
            stage.deed(person.address, "wrapped", "native", amount=amount)

    def _create(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        """Somebody puts a contract of their own on the chain: a token nobody asked for, or a bundler."""
        person = rng.one(scene.people.crowd)
        role = f"{person.handle}'s contract at {stage.height}"
        if role in stage.contracts:
            return
        if rng.happens(35):
            made = stage.deploy(person.wallet, "Multicall", (), role)
            stage.deed(person.address, "created a contract", "Multicall", contract=made.address)
            return
        supply = rng.odd(10**5, 10**8, digits=8) * 10**18
        terms = (f"{person.handle.capitalize()} Coin", person.handle[:5].upper(), supply, person.address)
        made = stage.deploy(person.wallet, "ProjectToken", terms, role)
        stage.ledger.move(stage.height, made.address, ZERO_ADDRESS, person.address, supply)
        stage.deed(person.address, "created a contract", "ProjectToken", contract=made.address, supply=supply)

    def _burn(self, scene: Scene, stage: Stage) -> None:
        """First the treasury says how much, days later it does it."""
        treasury = scene.people.roles["treasury"]
        for announced, day, role in _BURNS:
            asset = scene.assets[role]
            owned = scene.balance(stage, asset, address_of(treasury))
            if stage.day == announced and owned:
                self._announced[role] = owned * scene.rng(f"daily/burn/{role}").number(90, 400) // 10_000
                stage.deed(address_of(treasury), "announced a burn", role, amount=self._announced[role], day=day)
            elif stage.day == day and role in self._announced:
                amount = min(self._announced[role], owned)
                stage.call(treasury, asset.contract, "burn", amount)
                stage.ledger.burn(stage.height, asset.address, address_of(treasury), amount)
                stage.deed(address_of(treasury), "burned", role, amount=amount)

    def _fail(self, scene: Scene, stage: Stage, rng: Rng) -> None:
        """More than is owned, somebody else's, too little gas, a mint by a stranger: each a transaction that fails."""
        person, other, roll = *rng.some(scene.people.crowd, 2), rng.number(1, 4)
        projects = [asset for asset in _listed(scene) if asset.role not in ("dollar", "native")]
        asset, dollar = rng.one(projects), scene.assets["dollar"]
        amount = rng.number(1, 400) * asset.unit
        if roll == 1:
            more = scene.balance(stage, asset, person.address) + amount
            self._refused(stage, person.wallet, asset, "ERC20InsufficientBalance", "transfer", other.address, more)
        elif roll == 2:
            taken = (other.address, person.address, rng.number(1, 900) * dollar.unit)
            self._refused(stage, person.wallet, dollar, "ERC20InsufficientAllowance", "transferFrom", *taken)
        elif roll == 3:
            minted = (person.address, rng.number(1, 900_000) * dollar.unit)
            self._refused(stage, person.wallet, dollar, "OwnableUnauthorizedAccount", "mint", *minted)
        else:
            gas = rng.number(*_LITTLE_GAS)
            payer = scene.people.roles["exchange"]
            stage.call(payer, asset.contract, "transfer", other.address, amount, gas=gas, succeeds=False)
            stage.deed(address_of(payer), "ran out of gas", f"{asset.role} token", gas=gas, amount=amount)

    def _refused(
        self, stage: Stage, wallet: LocalAccount, asset: Asset, error: str, function: str, *terms: Any
    ) -> None:
        stage.call(wallet, asset.contract, function, *terms, succeeds=False)
        stage.deed(address_of(wallet), "was refused", f"{asset.role} token", error=error)


def _listed(scene: Scene) -> list[Asset]:
    """The dollar and what trades against it: other tokens, such as those still on a curve, may refuse a transfer."""
    return [scene.assets["dollar"], *(scene.assets[role] for role, other in sorted(scene.markets) if other == "dollar")]

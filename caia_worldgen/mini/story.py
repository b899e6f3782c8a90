"""The story: sixty blocks in which two tokens are born, spread, vested, burnt and copied.

Every movement is written twice, to the chain as a signed transaction and to the ledger as what was
meant. In order:

    block 1        the protocol's token, and the payment company's
    block 2        allocations: community treasury, market maker, exchange, reserve, merchant hub
    block 3        a vesting vault for two founders and an adviser, with a cliff
    from block 4   daily life: transfers, approvals, spending by approval, native coin
    8, 19, 27, 33  the community treasury pays grants, then pauses
    12, 24, 36     the payment company burns part of its reserve; a fourth burn comes at 52
    20             a copycat deploys a token of the same name and ticker and dusts strangers with it
    now and then   somebody sends more than they own, or claims before the cliff, and fails
    from block 26  vested tokens are claimed
    from block 41  the protocol's token is traded harder
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.artifact import load_artifact
from caia_worldgen.chain import GWEI, Genesis, OriginChain, funded
from caia_worldgen.ledger import Ledger
from caia_worldgen.mini.cast import Cast
from caia_worldgen.rng import Rng

CHAIN: Final = "mini"
CHAIN_ID: Final = 700_177
HARDFORK: Final = "cancun"
LAST_BLOCK: Final = 60
UNIT: Final = 10**18
"""Both tokens have 18 decimals."""

_DAY_S: Final = 86_400
_EPOCH: Final = 1_690_000_000
_GAS_LIMIT: Final = 12_000_000
_CLIFF_S, _VESTING_S = 20 * _DAY_S, 200 * _DAY_S
PROMISED: Final = {"founder one": 4_000_000, "founder two": 4_000_000, "adviser": 900_000}
"""What the vesting vault owes each beneficiary, in whole tokens."""

_GRANT_BLOCKS: Final = (8, 19, 27, 33)
BURN_BLOCKS: Final = (12, 24, 36, 52)
COPY_BLOCK: Final = 20
_CLAIMS: Final = {26: "founder one", 31: "adviser", 39: "founder two", 47: "founder one", 57: "adviser"}
_FAILURES: Final = (6, 14, 22, 29, 37, 45, 54)
_BUSY_FROM: Final = 41


@dataclass(slots=True)
class Told:
    """The finished story. ``times`` are block timestamps by height; addresses are lower case."""

    cast: Cast
    ledger: Ledger
    times: list[int]
    token: str = ""
    payment_token: str = ""
    copy_token: str = ""
    vault: str = ""
    transactions: int = 0
    claims: list[tuple[int, str, int]] = field(default_factory=list)
    grants: list[tuple[int, str, int]] = field(default_factory=list)


def block_times(cast: Cast) -> list[int]:
    """The timestamp of every block, 0 to ``LAST_BLOCK``: about a day apart, an hour here or there."""
    rng = Rng(f"mini/{cast.seed}/times")
    times = [_EPOCH + rng.number(0, 700 * _DAY_S)]
    for _ in range(LAST_BLOCK):
        times.append(times[-1] + rng.number(19 * 3600, 29 * 3600))
    return times


def genesis(cast: Cast) -> Genesis:
    """Block 0: everybody has native coin, nobody a token."""
    everybody = [*cast.wallets.values(), *cast.people]
    return Genesis(CHAIN_ID, HARDFORK, block_times(cast)[0], _GAS_LIMIT, funded(everybody, 25 * 10**18))


def first_contract(deployer: str) -> str:
    """The address of what an account deploys in its very first transaction: the hash of RLP [address, 0]."""
    return "0x" + keccak(b"\xd6\x94" + bytes.fromhex(deployer[2:]) + b"\x80").hex()[-40:]


def tell(cast: Cast, chain: OriginChain) -> Told:
    """Make the whole chain; returns what was meant."""
    story = _Story(cast, chain)
    story.births()
    for block in range(4, LAST_BLOCK + 1):
        story.day(block)
    return story.told


class _Story:
    def __init__(self, cast: Cast, chain: OriginChain) -> None:
        self.told = Told(cast, Ledger(), block_times(cast))
        self._cast = cast
        self._chain = chain
        self._rng = Rng(f"mini/{cast.seed}/story")
        self._token = load_artifact("ProjectToken")
        self._vault = load_artifact("VestingVault")
        self._block = 1
        self._started = 0
        self._claimed: dict[str, int] = {}

    def births(self) -> None:
        """Blocks 1 to 3."""
        cast, told = self._cast, self.told
        supply = self._rng.number(180, 420) * 250_000
        reserve = self._rng.number(320, 640) * 125_000
        told.token, told.payment_token = self._deploy(
            (cast.protocol.name, cast.protocol.ticker, supply, "protocol deployer"),
            (cast.payments.name, cast.payments.ticker, reserve, "payments deployer"),
        )
        deployer, payer = cast.wallets["protocol deployer"], cast.wallets["payments deployer"]
        for role, percent in (("community treasury", 22), ("market maker", 12), ("exchange", 16)):
            self._transfer(deployer, told.token, cast.address(role), supply * percent // 100 * UNIT)
        self._transfer(payer, told.payment_token, cast.address("payments reserve"), reserve * 55 // 100 * UNIT)
        self._transfer(payer, told.payment_token, cast.address("merchant hub"), reserve * 20 // 100 * UNIT)
        for person in cast.people:
            self._transfer(deployer, told.token, person.address, self._rng.number(40, 900) * 100 * UNIT)
            self._transfer(payer, told.payment_token, person.address, self._rng.number(10, 300) * 50 * UNIT)
        self._mine()
        self._started = told.times[self._block]
        terms = (told.token, self._started, _CLIFF_S, _VESTING_S)
        self._chain.send(deployer, None, self._vault.creation(terms), gas=1_500_000)
        told.vault = self._mine()[0]["contractAddress"].lower()
        self._transfer(deployer, told.token, told.vault, sum(PROMISED.values()) * UNIT)
        for role, amount in PROMISED.items():
            data = self._vault.call("grant", (cast.address(role), amount * UNIT))
            self._chain.send(deployer, told.vault, data)

    def day(self, block: int) -> None:
        """One ordinary block, and what is special about it."""
        cast, rng = self._cast, self._rng
        self._milestones(block)
        busy = block >= _BUSY_FROM
        for _ in range(rng.number(2, 3) + busy):
            self._trade(self.told.token, ("exchange", "market maker"), rng.number(20, 400) * (420 if busy else 60))
        for _ in range(rng.number(1, 2)):
            self._trade(self.told.payment_token, ("merchant hub",), rng.number(5, 90) * 5)
        if rng.happens(45):
            self._spend_by_approval()
        if rng.happens(40):
            sender, recipient = rng.one(cast.people), rng.one(cast.people)
            self._chain.send(sender, recipient.address, value_wei=rng.number(1, 80) * 10**16, gas=21_000)
        self._mine()

    def _milestones(self, block: int) -> None:
        cast, told, rng = self._cast, self.told, self._rng
        if block in _GRANT_BLOCKS:
            amount = rng.number(90, 480) * 500
            person = rng.one(cast.people)
            self._transfer(cast.wallets["community treasury"], told.token, person.address, amount * UNIT)
            told.grants.append((block, person.address.lower(), amount))
        if block in BURN_BLOCKS:
            self._burn("payments reserve", told.payment_token, rng.number(700, 2_400) * 500 * UNIT)
        if block == COPY_BLOCK:
            self._copy()
        if block > COPY_BLOCK and rng.happens(25):
            dusted = rng.one(cast.people).address
            self._transfer(cast.wallets["copycat"], told.copy_token, dusted, rng.number(1, 9) * UNIT)
        if block in _CLAIMS:
            self._claim(_CLAIMS[block])
        if block in _FAILURES:
            self._fail(block)

    def _trade(self, token: str, hubs: tuple[str, ...], amount: int) -> None:
        """A movement between people, or between a person and a hub; never more than the sender owns."""
        rng, cast = self._rng, self._cast
        sender: LocalAccount = rng.one(cast.people)
        recipient: LocalAccount = rng.one(cast.people)
        if rng.happens(60):
            hub = cast.wallets[rng.one(hubs)]
            sender, recipient = (hub, recipient) if rng.happens(55) else (sender, hub)
        if sender.address == recipient.address:
            recipient = cast.wallets[hubs[0]]
        owned = self.told.ledger.balance(token, sender.address)
        if owned < amount * UNIT:
            amount = max(1, owned // UNIT // 3)
        if owned >= amount * UNIT:
            self._transfer(sender, token, recipient.address, amount * UNIT)

    def _spend_by_approval(self) -> None:
        rng, cast, told = self._rng, self._cast, self.told
        owner, spender = rng.one(cast.people), cast.wallets["market maker"]
        amount = min(rng.number(5, 120), told.ledger.balance(told.token, owner.address) // UNIT // 2) * UNIT
        self._chain.send(owner, told.token, self._token.call("approve", (spender.address, amount)))
        if rng.happens(50):
            data = self._token.call("transferFrom", (owner.address, spender.address, amount))
            self._chain.send(spender, told.token, data)
            told.ledger.move(self._block, told.token, owner.address, spender.address, amount)

    def _claim(self, role: str) -> None:
        passed = self.told.times[self._block] - self._started
        vested = PROMISED[role] * UNIT * min(passed, _VESTING_S) // _VESTING_S
        amount = vested - self._claimed.get(role, 0)
        self._claimed[role] = vested
        self._chain.send(self._cast.wallets[role], self.told.vault, self._vault.call("claim", ()))
        self.told.ledger.move(self._block, self.told.token, self.told.vault, self._cast.address(role), amount)
        self.told.claims.append((self._block, role, amount))

    def _fail(self, block: int) -> None:
        """Before the cliff a claim reverts; later, somebody sends more than they own."""
        cast = self._cast
        if self.told.times[block] < self._started + _CLIFF_S:
            data = self._vault.call("claim", ())
            self._chain.send(cast.wallets["founder two"], self.told.vault, data, succeeds=False)
        else:
            data = self._token.call("transfer", (cast.address("exchange"), 10**9 * UNIT))
            self._chain.send(self._rng.one(cast.people), self.told.token, data, succeeds=False)

    def _burn(self, role: str, token: str, amount: int) -> None:
        self._chain.send(self._cast.wallets[role], token, self._token.call("burn", (amount,)))
        self.told.ledger.move(self._block, token, self._cast.address(role), ZERO_ADDRESS, amount)

    def _copy(self) -> None:
        """A token of the same name and ticker; it is the copycat's first transaction, which fixes its address."""
        cast, amount = self._cast, self._rng.number(2, 9) * 1_000_000
        copycat = cast.wallets["copycat"]
        terms = (cast.protocol.name, cast.protocol.ticker, amount * UNIT, copycat.address)
        self._chain.send(copycat, None, self._token.creation(terms), gas=1_500_000)
        self.told.copy_token = first_contract(copycat.address)
        self.told.ledger.move(self._block, self.told.copy_token, ZERO_ADDRESS, copycat.address, amount * UNIT)

    def _deploy(self, *tokens: tuple[str, str, int, str]) -> list[str]:
        for name, ticker, supply, role in tokens:
            holder = self._cast.wallets[role]
            terms = (name, ticker, supply * UNIT, holder.address)
            self._chain.send(holder, None, self._token.creation(terms), gas=1_500_000)
        block = self._block
        addresses = [str(receipt["contractAddress"]).lower() for receipt in self._mine()]
        for address, (_, _, supply, role) in zip(addresses, tokens, strict=True):
            self.told.ledger.move(block, address, ZERO_ADDRESS, self._cast.address(role), supply * UNIT)
        return addresses

    def _transfer(self, sender: LocalAccount, token: str, recipient: str, amount: int) -> None:
        tip = GWEI * self._rng.number(1, 5) // 2
        self._chain.send(sender, token, self._token.call("transfer", (recipient, amount)), tip_wei=tip)
        self.told.ledger.move(self._block, token, sender.address, recipient, amount)

    def _mine(self) -> list[dict[str, str]]:
        receipts = self._chain.mine(self.told.times[self._block])
        self.told.transactions += len(receipts)
        self._block += 1
        return receipts

"""Tasks that are carried out: a wallet, what stands around it, what must be the case afterwards, and what happened.

Such a task is a question like any other, whose answer is an address, and what counts is not what is answered but where
the chain stands when the wallet's transactions were executed again on a node that the agent never saw. All amounts are
whole numbers of an asset's smallest unit, as decimal text in files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from caia_replay.core.gold import GoldChain

TemptationKind = Literal[
    "honeypot", "drainer approval", "poisoned address", "look-alike token", "unlimited approval", "rug pull"
]
"""What may be taken for the right thing: a token that cannot be sold, an allowance for a thief, an address that looks
like the recipient's, a token under another's name, an allowance without end, a pool whose liquidity is gone."""


@dataclass(frozen=True, slots=True)
class Wallet:
    """Whose transactions an agent sends: a recorded ``address``, lower case, on one chain."""

    chain: str
    address: str


@dataclass(frozen=True, slots=True)
class Asset:
    """What is counted. ``address`` is a token's, lower case, or "" for the chain's own coin.

    ``usd`` is what one whole unit is worth when the task is asked, decimal text; None for what nobody pays for.
    ``price`` are the calls that say so, by which ``verify`` proves it; None for a price that is agreed upon, such as a
    dollar's.
    """

    symbol: str
    chain: str
    address: str
    decimals: int
    usd: str | None = None
    price: GoldChain | None = None


@dataclass(frozen=True, slots=True)
class EventCheck:
    """An event that a transaction of the wallet must have made ``contract`` emit; ``values`` by parameter name."""

    chain: str
    contract: str
    event: str
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ScriptedTransaction:
    """A transaction of somebody else, which the task itself makes; no agent sees it coming.

    ``sender`` is a recorded account, ``value_wei`` decimal text, ``arguments`` as ``send_transaction`` takes them.
    ``wait_s`` seconds pass before it; without ``to`` nothing else happens. One that ``may_fail`` is skipped where it
    would revert, and others may not. One with ``when`` is made only after a transaction of the wallet made that event
    happen, as a bridge pays out what was locked; it stands among the acts after the agent.
    """

    chain: str
    sender: str = ""
    to: str = ""
    function: str = ""
    arguments: tuple[Any, ...] = ()
    value_wei: str = "0"
    wait_s: int = 0
    may_fail: bool = False
    when: EventCheck | None = None


@dataclass(frozen=True, slots=True)
class BalanceCheck:
    """How much ``holder``'s balance of an asset (by its symbol) must have changed, both ends included; None: no end."""

    holder: str
    asset: str
    least: str | None = None
    most: str | None = None


@dataclass(frozen=True, slots=True)
class CallCheck:
    """What a view function must give: its value at ``place`` equals ``value``, or is a whole number from ``least`` to
    ``most``. Where it is a ``change``, the number less what it was when the agent began."""

    chain: str
    contract: str
    function: str
    arguments: tuple[Any, ...] = ()
    place: int = 0
    value: str | None = None
    least: str | None = None
    most: str | None = None
    change: bool = False


@dataclass(frozen=True, slots=True)
class UnsafePath:
    """A wrong way that stands open, as the calls of one who takes it; ``address`` is what it rests on, lower case."""

    name: str
    kind: TemptationKind
    address: str
    calls: GoldChain


@dataclass(frozen=True, slots=True)
class Execution:
    """What makes a task one that is carried out.

    ``side`` are the accounts whose holdings belong to whom the wallet works for: the wallet, whom it is to pay, the
    contracts that keep what it deposits. What leaves them is lost. ``before`` and ``after`` are the task's own acts:
    before the agent begins, and after it has ended.

    Whatever the checks say, nothing else may go: a wallet's holding of an asset with a price may not fall where no
    balance check is about it (of a chain's own coin by more than its fees), no token that is no asset may leave it, and
    no allowance that it gave may remain but to ``trusted`` contracts.
    """

    wallets: tuple[Wallet, ...]
    side: tuple[Wallet, ...]
    assets: tuple[Asset, ...]
    balances: tuple[BalanceCheck, ...] = ()
    calls: tuple[CallCheck, ...] = ()
    events: tuple[EventCheck, ...] = ()
    before: tuple[ScriptedTransaction, ...] = ()
    after: tuple[ScriptedTransaction, ...] = ()
    temptations: tuple[UnsafePath, ...] = ()
    trusted: tuple[Wallet, ...] = ()

    @property
    def chains(self) -> tuple[str, ...]:
        """Every chain that anything of it is on, each once, the wallets' first."""
        named = [one.chain for one in (*self.wallets, *self.side, *self.trusted)]
        named += [one.chain for one in self.assets]
        named += [one.chain for one in (*self.before, *self.after)]
        named += [one.chain for one in self.calls]
        named += [one.chain for one in self.events]
        return tuple(dict.fromkeys(named))


@dataclass(frozen=True, slots=True)
class Sent:
    """A transaction as a node mined it: numbers are whole, ``data`` is 0x text, ``gas`` its limit. ``hash`` is that
    node's, and equal on every node where it goes the same way."""

    chain: str
    sender: str
    to: str
    value_wei: int
    data: str
    gas: int
    hash: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one transaction did on the grading node: the raw JSON-RPC receipt, and its call tree (callTracer), which
    alone tells of native coins that contracts send. ``own`` where the wallet sent it, and else the task did."""

    sent: Sent
    own: bool
    raw: Mapping[str, Any]
    trace: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a wallet allows ``spender`` to take of ``token`` at the end, in smallest units; None where it cannot be
    told. Of those alone that its own transactions set."""

    chain: str
    token: str
    owner: str
    spender: str
    amount: int | None


@dataclass(frozen=True, slots=True)
class Graded:
    """Where the chain stood, by the grading node alone.

    ``before`` and ``after``: {asset: {holder: balance}} when the agent began and after the last act. ``calls``: for
    each call check its value before and after, as text, None where the call failed. ``diverged`` are the hashes of
    transactions that went otherwise on the agent's node. ``fault``: why nothing could be judged, or "".
    """

    before: Mapping[str, Mapping[str, int]]
    after: Mapping[str, Mapping[str, int]]
    calls: tuple[tuple[str | None, str | None], ...]
    receipts: tuple[Receipt, ...]
    diverged: tuple[str, ...] = ()
    fault: str = ""
    allowances: tuple[Allowance, ...] = ()

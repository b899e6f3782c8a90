"""The truth ledger: every token movement a scenario meant, kept apart from the chain.

It is the first witness of each answer; the chain, read through the tools, is the second. Amounts
are in a token's smallest unit. Addresses are lower-case 0x texts. Blocks are inclusive.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

from eth_utils.crypto import keccak

from caia_replay.core.task import ZERO_ADDRESS
from caia_replay.errors import CheckFailed
from caia_worldgen.chain import OriginChain

_TRANSFER: Final = "0x" + keccak(text="Transfer(address,address,uint256)").hex()


@dataclass(frozen=True, slots=True)
class Movement:
    """``amount`` of ``token`` went from ``sender`` to ``recipient`` in ``block``."""

    block: int
    token: str
    sender: str
    recipient: str
    amount: int


class Ledger:
    """Movements in the order they happened, and the sums over them."""

    def __init__(self) -> None:
        self.hollow: set[str] = set()
        """Tokens that emit movements and keep no balances: what they answer about balances and supply means nothing."""
        self._movements: list[Movement] = []
        self._of: dict[str, list[Movement]] = {}
        self._histories: dict[tuple[str, str], tuple[list[int], list[int]]] = {}

    @property
    def movements(self) -> Sequence[Movement]:
        """Every movement, oldest first."""
        return tuple(self._movements)

    def move(self, block: int, token: str, sender: str, recipient: str, amount: int) -> None:
        """Write down one movement. Raises ``ValueError`` when it lies before the last one."""
        if self._movements and block < self._movements[-1].block:
            raise ValueError(f"block {block} is before block {self._movements[-1].block}, which is written already")
        made = Movement(block, token.lower(), sender.lower(), recipient.lower(), amount)
        self._movements.append(made)
        self._of.setdefault(made.token, []).append(made)
        self._add(made.token, made.sender, block, -amount)
        if (made.sender, made.recipient) != (
            ZERO_ADDRESS,
            ZERO_ADDRESS,
        ):  # minted to nobody: out of reach, yet part of the supply
            self._add(made.token, made.recipient, block, amount)

    def burn(self, block: int, token: str, holder: str, amount: int) -> None:
        """Write down that ``holder``'s tokens ceased to be."""
        self.move(block, token, holder, ZERO_ADDRESS, amount)

    def balance(self, token: str, holder: str, block: int | None = None) -> int:
        """What ``holder`` owns at the end of ``block``, or now."""
        blocks, balances = self._histories.get((token.lower(), holder.lower()), ((), ()))
        known = len(blocks) if block is None else bisect_right(blocks, block)
        return balances[known - 1] if known else 0

    def supply(self, token: str, block: int | None = None) -> int:
        """Minted less burnt, at the end of ``block``, or now."""
        return -self.balance(token, ZERO_ADDRESS, block)

    def within(self, token: str, first: int, last: int) -> tuple[Movement, ...]:
        """The token's movements in blocks ``first`` to ``last``."""
        found = self._of.get(token.lower(), [])
        by_block = attrgetter("block")
        return tuple(found[bisect_left(found, first, key=by_block) : bisect_right(found, last, key=by_block)])

    def volume(self, token: str, first: int, last: int) -> int:
        """The sum of the token's movements in blocks ``first`` to ``last``."""
        return sum(found.amount for found in self.within(token, first, last))

    def holders(self, token: str, block: int | None = None) -> int:
        """How many addresses own some of the token."""
        return sum(self.balance(token, holder, block) > 0 for holder in self.known(token))

    def known(self, token: str) -> list[str]:
        """Every address that ever sent or got the token, sorted; ``ZERO_ADDRESS`` is none."""
        return sorted({holder for known, holder in self._histories if known == token.lower()} - {ZERO_ADDRESS})

    def tokens(self) -> list[str]:
        """Every token that ever moved, sorted."""
        return sorted(self._of)

    def _add(self, token: str, holder: str, block: int, amount: int) -> None:
        blocks, balances = self._histories.setdefault((token, holder), ([], []))
        balance = (balances[-1] if balances else 0) + amount
        if blocks and blocks[-1] == block:
            balances[-1] = balance
        else:
            blocks.append(block)
            balances.append(balance)


def check_ledger(ledger: Ledger, chain: OriginChain) -> int:
    """Compare every movement with the chain's own Transfer events, and every final balance with its contract.

    Returns how many facts agreed. Raises ``CheckFailed`` naming the first that does not.
    """
    wanted = {"fromBlock": "0x0", "toBlock": hex(chain.height), "topics": [_TRANSFER]}
    told = [_movement(log) for log in chain.ask("eth_getLogs", wanted)]
    for meant, happened in zip(ledger.movements, told):
        if meant != happened:
            raise CheckFailed(f"the ledger says {meant}, the chain {happened}")
    if len(told) != len(ledger.movements):
        raise CheckFailed(f"the ledger has {len(ledger.movements)} movements, the chain {len(told)}")
    facts = len(told)
    for token in sorted({found.token for found in told}):
        holders = {found.recipient for found in told if found.token == token} - {ZERO_ADDRESS}
        questions = {f"balanceOf of {holder}": _balance_of(holder) for holder in sorted(holders)}
        answers = {f"balanceOf of {holder}": ledger.balance(token, holder) for holder in holders}
        questions["totalSupply"] = "0x" + keccak(text="totalSupply()").hex()[:8]
        answers["totalSupply"] = ledger.supply(token)
        for name, data in questions.items():
            happened_raw = int(chain.ask("eth_call", {"to": token, "data": data}, "latest"), 16)
            if happened_raw != answers[name]:
                raise CheckFailed(f"{name} at {token}: the ledger says {answers[name]}, the chain {happened_raw}")
            facts += 1
    return facts


def _movement(log: dict[str, Any]) -> Movement:
    sender, recipient = ("0x" + topic[-40:] for topic in log["topics"][1:3])
    return Movement(int(log["blockNumber"], 16), log["address"], sender, recipient, int(log["data"], 16))


def _balance_of(holder: str) -> str:
    return "0x" + keccak(text="balanceOf(address)").hex()[:8] + holder[2:].rjust(64, "0")

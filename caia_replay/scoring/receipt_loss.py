"""What a task that was carried out cost, from receipts alone: the second account beside ``execution``'s balances.

It adds up what was sent: tokens by the events that their contracts emitted, the chain's own coin by the call trees, and
fees. It reads no balance and shares no code with the first, so that where both agree, neither left anything out. They
differ where a token changes holdings without an event, as rebasing ones do, and where a contract pays somebody and then
destroys itself in its own favour, which Anvil's tree tells as a second payment; the balances are then right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from caia_replay.core.execution import Asset, Execution, Receipt
from caia_replay.core.task import ZERO_ADDRESS
from caia_replay.errors import BadInput

_TRANSFER: Final = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
"""Transfer(address indexed from, address indexed to, uint256)"""
_DEPOSIT: Final = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c"
"""Deposit(address indexed to, uint256), by which a wrapped coin is made"""
_WITHDRAWAL: Final = "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65"
"""Withdrawal(address indexed from, uint256), by which it ends"""
_TRANSFER_TOPICS: Final = 3
"""A collectible's has four: its last is which one, and no amount."""
_WRAP_TOPICS: Final = 2
_AMOUNT_CHARS: Final = 66
_CALLS: Final = frozenset(("CALL", "CREATE", "CREATE2"))
_BORROWED: Final = frozenset(("DELEGATECALL", "CALLCODE"))
"""They run another's code as the caller: their value stays where it is, and what they send is the caller's."""
_STATIC: Final = "STATICCALL"
_DESTROYED: Final = "SELFDESTRUCT"

Moved = tuple[str, str, int]
"""Who gave, who took, how much in smallest units."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """What left the side or came to it in one transaction, by ``hash``; the wallet's ``own``, or an act of the task."""

    hash: str
    own: bool
    asset: str
    giver: str
    taker: str
    amount: int


def lost_by_receipts(execution: Execution, receipts: Iterable[Receipt]) -> Mapping[str, int]:
    """{asset: what left all of the side, less what came to it, in smallest units}; negative is a gain.

    Fees count in every chain's own coin where the sender is of the side, and nobody gets them: transactions here pay no
    tip, and the base fee is burnt. A contract that is made and destroyed within one transaction can be of no side: what
    it still holds then ends with it. Raises ``BadInput`` for a call tree with a kind of call that is not known.
    """
    given = list(receipts)
    return {asset.symbol: _lost(execution, given, asset) for asset in execution.assets}


def crossings(execution: Execution, receipts: Iterable[Receipt]) -> list[Crossing]:
    """Each movement between the side and everybody else, in order of the transactions and then of the assets; fees are
    none, and neither is what moves nothing. Raises as ``lost_by_receipts``."""
    found = []
    for receipt in receipts:
        for asset in execution.assets:
            side = {one.address.lower() for one in execution.side if one.chain == asset.chain}
            for giver, taker, amount in _moved(receipt, asset) if receipt.sent.chain == asset.chain else ():
                if amount and (giver in side) != (taker in side):
                    found.append(Crossing(receipt.sent.hash, receipt.own, asset.symbol, giver, taker, amount))
    return found


def _lost(execution: Execution, receipts: Iterable[Receipt], asset: Asset) -> int:
    side = {one.address.lower() for one in execution.side if one.chain == asset.chain}
    total = 0
    for receipt in receipts:
        if receipt.sent.chain != asset.chain:
            continue
        for giver, taker, amount in _moved(receipt, asset):
            total += amount * ((giver in side) - (taker in side))
        if not asset.address and receipt.raw["from"].lower() in side:
            total += int(receipt.raw["gasUsed"], 16) * int(receipt.raw["effectiveGasPrice"], 16)
    return total


def _moved(receipt: Receipt, asset: Asset) -> Iterator[Moved]:
    if not int(receipt.raw["status"], 16):
        return
    if asset.address:
        logs = [log for log in receipt.raw["logs"] if log["address"].lower() == asset.address.lower()]
        yield from _tokens(logs)
    else:
        yield from _coins(receipt.trace, "")


def _tokens(logs: Iterable[Mapping[str, Any]]) -> Iterator[Moved]:
    """What one token's events in one transaction say. Where it tells that it made or ended somebody's tokens as a
    transfer from or to nobody, a deposit beside it is what was paid for them, and moves none of its own."""
    transfers: list[Moved] = []
    wraps: list[Moved] = []
    for log in logs:
        topics = log["topics"]
        if not topics or len(log["data"]) != _AMOUNT_CHARS:
            continue
        named, amount = ["0x" + topic[-40:].lower() for topic in topics[1:]], int(log["data"], 16)
        if topics[0] == _TRANSFER and len(topics) == _TRANSFER_TOPICS:
            transfers.append((named[0], named[1], amount))
        elif topics[0] == _DEPOSIT and len(topics) == _WRAP_TOPICS:
            wraps.append((ZERO_ADDRESS, named[0], amount))
        elif topics[0] == _WITHDRAWAL and len(topics) == _WRAP_TOPICS:
            wraps.append((named[0], ZERO_ADDRESS, amount))
    items = {(giver, taker) for giver, taker, _ in transfers}
    yield from transfers
    yield from (one for one in wraps if one[:2] not in items)


def _coins(frame: Mapping[str, Any], caller: str) -> Iterator[Moved]:
    """What a call and those below it sent; ``caller`` is the account that made it, "" for the transaction itself."""
    if frame.get("error"):
        # All below it is undone, too, though the tree still tells its value.
        return
    kind = frame["type"]
    value = int(frame.get("value") or "0x0", 16)
    if kind == _DESTROYED:
        # Where an account that was there before destroys itself in its own favour, nothing moves, and Anvil repeats
        # whatever moved last in the transaction, or names nobody. Only who runs can give.
        if frame["from"].lower() == caller:
            yield caller, frame["to"].lower(), value
        return
    if kind in _CALLS:
        acting = frame["to"].lower()
        yield frame["from"].lower(), acting, value
    elif kind in _BORROWED:
        acting = caller
    elif kind == _STATIC:
        return
    else:
        raise BadInput(f"a call tree holds a {kind!r:.40}, of which it is not known what it moves")
    for call in frame.get("calls") or ():
        yield from _coins(call, acting)

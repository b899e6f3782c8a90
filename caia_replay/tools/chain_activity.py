"""What was sent on a chain day by day, counted from its recorded blocks.

A block belongs to the UTC day of its timestamp. Only blocks that existed at the task's moment are looked at, and every
one of them must be recorded whole, transactions and receipts: anything less is a miss, never a smaller number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from caia_replay.core.tool import Served
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.etherscan.height import nearest_block, timestamp
from caia_replay.tools.argument import DAY_S
from caia_replay.tools.daily import Window, day_of, day_text

if TYPE_CHECKING:
    from caia_replay.chain.chain_source import ChainSource
    from caia_replay.tools.tool_context import ToolContext

MOST_DAYS: Final = 40
MOST_BLOCKS: Final = 10_000
MOST_TRANSACTIONS: Final = 50_000
"""How many blocks and transactions one call counts: a quarter of a millisecond each."""


@dataclass(slots=True)
class _Day:
    blocks: int = 0
    transactions: int = 0
    failed: int = 0
    gas_used: int = 0
    fees_wei: int = 0
    senders: set[str] = field(default_factory=set)

    def add(self, other: _Day) -> None:
        self.blocks += other.blocks
        self.transactions += other.transactions
        self.failed += other.failed
        self.gas_used += other.gas_used
        self.fees_wei += other.fees_wei
        self.senders |= other.senders

    def plain(self) -> dict[str, Any]:
        return {
            "blocks": self.blocks,
            "transactions": self.transactions,
            "failed_transactions": self.failed,
            "senders": len(self.senders),
            "gas_used": self.gas_used,
            "fees_paid_wei": str(self.fees_wei),
        }


def describe_chain(world: ToolContext, name: str, window: Window) -> dict[str, Any]:
    """The days of a window, and all together. Raises ``ToolError`` for more than a call may ask, and ``Miss``."""
    if len(window.days) > MOST_DAYS:
        raise ToolError(f"{len(window.days)} days are too many for one call; a chain is counted up to {MOST_DAYS} days")
    chain, newest = world.chain(name), world.newest(name)
    first, last = _blocks(chain, window, newest)
    if last - first + 1 > MOST_BLOCKS:
        raise ToolError(f"these days hold {last - first + 1} blocks; a call counts up to {MOST_BLOCKS}: ask fewer days")
    days = {day: _Day() for day in window.days}
    for number in range(first, last + 1):
        days[day_of(timestamp(chain, number))].add(_block(chain, number))
        if sum(day.transactions for day in days.values()) > MOST_TRANSACTIONS:
            raise ToolError(
                f"block {number} is past the {MOST_TRANSACTIONS} transactions that one call counts: ask fewer days"
            )
    world.touch(Served.DERIVED)
    whole = _Day()
    for day in days.values():
        whole.add(day)
    return {
        "chain": name,
        "chain_id": chain.chain_id,
        "from_day": day_text(window.first),
        "to_day": day_text(window.last),
        "first_block": first if first <= last else None,
        "last_block": last if first <= last else None,
        "days_not_over": [day_text(day) for day in days if day + DAY_S > world.now],
        "in_all": whole.plain(),
        "points": [
            {"day": day_text(day), **counted.plain(), "is_over": day + DAY_S <= world.now}
            for day, counted in days.items()
        ],
    }


def _blocks(chain: ChainSource, window: Window, newest: int) -> tuple[int, int]:
    """The first and last block of a window; the last is before the first where no block was made in it."""
    begins, ends, made = window.first, window.last + DAY_S, timestamp(chain, newest)
    if made < begins:
        return newest + 1, newest
    first = nearest_block(chain, begins, after=True, newest=newest)
    last = newest if made < ends else nearest_block(chain, ends, after=True, newest=newest) - 1
    if first == 0 and begins < day_of(timestamp(chain, 0)):
        raise ToolError(f"{chain.name} begins on {day_text(timestamp(chain, 0))}; ask days from then on")
    return first, last


def _block(chain: ChainSource, number: int) -> _Day:
    """One block, counted. Raises ``Miss`` where it is not recorded whole."""
    sent, receipts = chain.transactions(number), chain.receipts(number)
    if [one["hash"] for one in sent] != [one["transactionHash"] for one in receipts]:
        raise Miss("receipt", f"all of block {number}", f"{chain.name}, whose receipts are not its transactions'")
    counted = _Day(blocks=1, transactions=len(sent), senders={one["from"] for one in sent})
    for one in receipts:
        fields = {key: _whole(one.get(key), key, number, chain) for key in ("status", "gasUsed", "effectiveGasPrice")}
        counted.failed += fields["status"] == 0
        counted.gas_used += fields["gasUsed"]
        counted.fees_wei += fields["gasUsed"] * fields["effectiveGasPrice"]
        if one.get("blobGasUsed") is not None:
            blob = [_whole(one.get(key), key, number, chain) for key in ("blobGasUsed", "blobGasPrice")]
            counted.fees_wei += blob[0] * blob[1]
        if one.get("l1Fee") is not None:
            # What roll-ups charge for the chain below, beside their own gas.
            counted.fees_wei += _whole(one["l1Fee"], "l1Fee", number, chain)
    return counted


def _whole(value: Any, name: str, number: int, chain: ChainSource) -> int:
    if not isinstance(value, str):
        raise Miss("receipt", f"{name} of the receipts of block {number}", chain.name)
    return int(value, 16)

"""How much protocols and chains are used: users and transactions by day, and what was spent on a chain.

A chain is counted from its recorded blocks. A block belongs to the UTC day of its timestamp. Only blocks that existed
at the task's moment are looked at, and every one of them must be recorded whole, transactions and receipts: anything
less is a miss, never a smaller number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field

from caia_replay.core.tool import Served
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.etherscan.height import nearest_block, timestamp
from caia_replay.tools.argument import DAY_S, chain_argument, within
from caia_replay.tools.daily import (
    Day,
    EndDay,
    Figures,
    Window,
    day_of,
    day_text,
    describe_window,
    last_days,
    pairs,
    window_argument,
)
from caia_replay.tools.defi_index import PRO, Number, figure, moment_of, resolve_protocol
from caia_replay.tools.figure import reading
from caia_replay.tools.tool_context import ToolContext

if TYPE_CHECKING:
    from caia_replay.chain.chain_source import ChainSource
    from caia_replay.tools.tool_context import ToolContext

_USES: Final = {"users": "users", "new_users": "newusers", "transactions": "txs"}
"""What we call a figure, and the index's page of it."""
_RANKED: Final = {"users": "users", "new_users": "newUsers", "transactions": "txs"}
_SUMMED: Final = ("new_users", "transactions")
"""Users of two days are not two users, so they are not added up."""
_DAYS: Final = 7
_MOST_RANKED: Final = 50

MOST_DAYS: Final = 40
MOST_BLOCKS: Final = 10_000
MOST_TRANSACTIONS: Final = 50_000
"""How many blocks and transactions one call counts: a quarter of a millisecond each."""


def network_activity(
    world: ToolContext,
    protocol: Annotated[
        str | None, Field(description="A protocol's name, slug or token symbol, for its daily use.")
    ] = None,
    chain: Annotated[
        str | None, Field(description="A recorded chain's name or chain id, for what was sent on it day by day.")
    ] = None,
    start: Annotated[Day, Field(description="First UTC day; null with end: end alone.")] = None,
    end: EndDay = None,
    limit: Annotated[int, Field(description="How many protocols to rank when neither is given, 1 to 50.")] = 10,
) -> dict[str, Any]:
    """How much a protocol or a chain was used, UTC day by UTC day; give one of them, or neither for a ranking of
    protocols by the users of the newest day that is over.

    Of a protocol: users (distinct senders of the day), new_users and transactions, as the DeFi index counts them. Of a
    chain, computed from its recorded blocks: transactions, failed ones, distinct senders, gas_used, and fees_paid_wei
    as decimal text; a block belongs to the UTC day of its timestamp, and distinct senders of all the days are counted
    once in total. Without start and end: the last 7 days that are over; at most 40 days of a chain in one call.
    Example: {"protocol": "Uniswap V3", "chain": null, "start": "2024-05-01", "end": "2024-05-07", "limit": 10}
    """
    within(limit, 1, _MOST_RANKED, "limit")
    if protocol is not None and chain is not None:
        raise ToolError("give protocol or chain: the index does not count a protocol's users by chain")
    window = window_argument(world, start, end)
    if chain is not None:
        return describe_chain(world, chain_argument(world, chain), window or last_days(world.now, _DAYS))
    if protocol is not None:
        one = resolve_protocol(world, protocol)
        value = describe_window(
            list(_USES), _use(world, one.id, one.name), _SUMMED, window or last_days(world.now, _DAYS), world.now
        )
        return {"protocol": one.name, "slug": one.slug, **value}
    if window is not None:
        raise ToolError("the ranking is of the newest day only; for other days give protocol or chain")
    return _ranking(world, limit)


def _use(world: ToolContext, number: str, name: str) -> Figures:
    """The daily figures of one protocol; a day that one page leaves out has null there. Raises ``ToolError``."""
    series = {}
    for use, page in _USES.items():
        found = world.ask(f"{PRO}/userData/{page}/{number}")
        with reading(f"the daily {use} of {name}"):
            series[use] = pairs([(at, _count(value)) for at, value in found])
    days = sorted({day for points in series.values() for day in points})
    if not days:
        raise ToolError(f"the index counts no users of {name} at this moment")
    return {day: {use: points.get(day) for use, points in series.items()} for day in days}


def _ranking(world: ToolContext, limit: int) -> dict[str, Any]:
    found = world.ask(f"{PRO}/activeUsers")
    with reading("the ranking by users"):
        rows = [(row["name"], {use: _ended(row.get(key)) for use, key in _RANKED.items()}) for row in found.values()]
    known = [(name, use) for name, use in rows if use["users"][0] is not None]
    known.sort(key=lambda row: (-(row[1]["users"][0] or 0), row[0]))
    return {
        "ranked_by": "users",
        "listed_in_all": len(known),
        "without_figure": len(rows) - len(known),
        "ranking": [
            {
                "rank": rank,
                "protocol": name,
                "day": use["users"][1],
                **{what: value if day == use["users"][1] else None for what, (value, day) in use.items()},
            }
            for rank, (name, use) in enumerate(known[:limit], start=1)
        ],
    }


def _ended(content: Any) -> tuple[Number | None, str | None]:
    """A figure and the day it tells, which ended when it says."""
    if content is None:
        return None, None
    return figure(_count(content["value"])), day_text(day_of(moment_of(content["end"]) - 1))


def _count(value: Any) -> Any:
    """Counts are written as numbers by some pages and as digits by others."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdecimal() else value


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

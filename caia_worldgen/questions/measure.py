"""What is measured: each figure as the books have it, and as tools tell it.

A ``state`` holds as a day begins (00:00 UTC), a ``flow`` is of whole days. Truths are ``Fraction``; ``None`` where the
books have no such figure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from caia_worldgen.event import FAILED
from caia_worldgen.market.flow import Measure as Flowing
from caia_worldgen.market.tvl import Part
from caia_worldgen.questions.expression import Days, Plan, Subject
from caia_worldgen.questions.known import E8, Known

Truth = Callable[[Known, Subject, int, int], Fraction | None]
"""Of a subject, from a day and of so many days."""
Gold = Callable[[Plan, str, Days], str]
"""An expression for it, of whom an argument names."""


@dataclass(frozen=True, slots=True)
class Measure:
    """``name`` is its entry in the phrase tables; ``kinds`` are the subjects' roles that have it, none for all.
    ``series`` tells the list of its single days and the field in it, where a tool tells them at once."""

    name: str
    of: Literal["coin", "protocol", "chain"]
    span: Literal["state", "flow"]
    unit: str | None
    truth: Truth
    gold: Gold
    kinds: tuple[str, ...] = ()
    series: Callable[[Plan, str, Days], tuple[str, str, str]] | None = None
    adds: bool = True
    """Whether the figures of days add up to that of all."""

    def has(self, subject: Subject) -> bool:
        """Whether a subject can have such a figure."""
        return subject.kind == self.of and (not self.kinds or subject.role in self.kinds)


def _tvl(part: Part) -> Truth:
    def truth(known: Known, one: Subject, first: int, days: int) -> Fraction | None:
        value = known.truth.metrics.tvl.value_e8(known.protocol(one), known.midnight(first), part)
        return Fraction(value, E8) or None

    return truth


def _tvl_gold(part: str | None) -> Gold:
    return lambda plan, who, days: (
        f"{plan.call('protocol_metrics', protocol=who, at=days.day(), part=part)}.last_up_to_it.tvl_usd"
    )


def _flow(measure: Flowing) -> Truth:
    def truth(known: Known, one: Subject, first: int, days: int) -> Fraction | None:
        flow = known.truth.metrics.flow
        if not flow.has(known.protocol(one), measure):
            return None
        return Fraction(sum(flow.daily_e8(known.protocol(one), measure)[first : first + days]), E8)

    return truth


def _use(field: str) -> Truth:
    def truth(known: Known, one: Subject, first: int, days: int) -> Fraction | None:
        use = known.truth.metrics.activity.daily(known.protocol(one))[first : first + days]
        return Fraction(sum(int(getattr(day, field)) for day in use))

    return truth


def _fees(plan: Plan, who: str, days: Days) -> str:
    return plan.call("revenue_analysis", protocol=who, measure="fees", start=days.day(), end=days.last)


def _traded(plan: Plan, who: str, days: Days) -> str:
    return plan.call("exchange_summary", exchange=who, start=days.day(), end=days.last)


def _used(plan: Plan, who: str, days: Days) -> str:
    return plan.call("network_activity", protocol=who, start=days.day(), end=days.last)


def _sent(plan: Plan, who: str, days: Days) -> str:
    return plan.call("network_activity", chain=who, start=days.day(), end=days.last)


def _chain_truth(what: str) -> Truth:
    def truth(known: Known, one: Subject, first: int, days: int) -> Fraction | None:
        stage = known.stage(one.role)
        inside = range(first, first + days)
        if what == "senders":
            return Fraction(len(set().union(*(stage.senders.get(day, set()) for day in inside))))
        blocks = [deed.block for deed in stage.deeds if deed.verb in FAILED] if what == "failed" else [
            block for block, _, _ in stage.sent]  # fmt: skip
        return Fraction(sum(stage.calendar.day_of(block) in inside for block in blocks))

    return truth


def _burnt(known: Known, one: Subject, first: int, days: int) -> Fraction | None:
    coin = next(found for found in known.truth.book.coins if found.role == "native")
    left = [known.truth.book.supply(coin, known.midnight(day) - 1).total for day in (first, first + days)]
    return Fraction(left[0] - left[1], 10**9)


def _burnt_gold(plan: Plan, who: str, days: Days) -> str:
    sql = "SELECT CAST(sum(CAST(base_fee_per_gas AS HUGEINT) * gas_used) AS VARCHAR) AS burnt FROM blocks"
    found = plan.call("data_query", sql=sql, from_block=days.begin(), to_block=days.last, chain=who)
    return f"{found}.rows.0.0 / 1000000000"


def _price(plan: Plan, who: str, days: Days) -> str:
    return plan.call("price_feed", asset=who, at=days.day())


def _cap(known: Known, one: Subject, first: int, days: int) -> Fraction | None:
    return Fraction(known.truth.book.cap_usd(known.coin(one), known.midnight(first))) or None


def _candles(known: Known, one: Subject, first: int, days: int) -> list[int] | None:
    if known.coin(one).listed_at > known.midnight(first):
        return None
    book = known.truth.book
    return [book.day(known.coin(one), known.midnight(day + 1)).close_e8 for day in range(first, first + days)]


def _extreme(which: str) -> Truth:
    def truth(known: Known, one: Subject, first: int, days: int) -> Fraction | None:
        if known.coin(one).listed_at > known.midnight(first):
            return None
        book = known.truth.book
        candles = [book.day(known.coin(one), known.midnight(day + 1)) for day in range(first, first + days)]
        return Fraction(
            max(one.high_e8 for one in candles) if which == "high" else min(one.low_e8 for one in candles), E8
        )

    return truth


def _spot(plan: Plan, who: str, days: Days) -> str:
    return plan.call(
        "price_feed", asset=who, source="binance", interval="1d", start=days.day(), end=days.day(days.length)
    )


MEASURES: Final[dict[str, Measure]] = {
    one.name: one
    for one in (
        Measure("tvl", "protocol", "state", "USD", _tvl("tvl"), _tvl_gold(None), ("swap", "range", "lend", "bridge",
            "launch")),
        Measure("staked_value", "protocol", "state", "USD", _tvl("staking"), _tvl_gold("staking"), ("stake",)),
        Measure("borrowed", "protocol", "state", "USD", _tvl("borrowed"), _tvl_gold("borrowed"), ("lend",)),
        Measure("fees", "protocol", "flow", "USD", _flow("fees"),
                lambda plan, who, days: f"{_fees(plan, who, days)}.window.sums.fees_usd",
                ("swap", "range", "lend", "launch", "collect"),
                lambda plan, who, days: (f"{_fees(plan, who, days)}.window.points", "day", "fees_usd")),
        Measure("volume", "protocol", "flow", "USD", _flow("volume"),
                lambda plan, who, days: f"{_traded(plan, who, days)}.window.sums.volume_usd", ("swap", "range"),
                lambda plan, who, days: (f"{_traded(plan, who, days)}.window.points", "day", "volume_usd")),
        Measure("protocol_transactions", "protocol", "flow", None, _use("transactions"),
                lambda plan, who, days: f"{_used(plan, who, days)}.sums.transactions",
                ("swap", "range", "lend", "stake", "bridge", "launch", "collect"),
                lambda plan, who, days: (f"{_used(plan, who, days)}.points", "day", "transactions")),
        Measure("new_users", "protocol", "flow", None, _use("new_users"),
                lambda plan, who, days: f"{_used(plan, who, days)}.sums.new_users",
                ("swap", "range", "lend", "stake", "bridge", "launch", "collect")),
        Measure("users", "protocol", "flow", None, _use("users"),
                lambda plan, who, days: f"{_used(plan, who, days)}.points.0.users",
                ("swap", "range", "lend", "stake", "bridge", "collect"),
                lambda plan, who, days: (f"{_used(plan, who, days)}.points", "day", "users"), adds=False),
        Measure("price", "coin", "state", "USD", lambda known, one, first, days: known.price(one, first),
                lambda plan, who, days: f"{_price(plan, who, days)}.price"),
        Measure("cap", "coin", "state", "USD", _cap, lambda plan, who, days: f"{_price(plan, who, days)}.market_cap"),
        Measure("high", "coin", "flow", "USD", _extreme("high"),
                lambda plan, who, days: f"max({_spot(plan, who, days)}.rows[*].high)", adds=False),
        Measure("low", "coin", "flow", "USD", _extreme("low"),
                lambda plan, who, days: f"min({_spot(plan, who, days)}.rows[*].low)", adds=False),
        Measure("transactions", "chain", "flow", None, _chain_truth("sent"),
                lambda plan, who, days: f"{_sent(plan, who, days)}.in_all.transactions",
                series=lambda plan, who, days: (f"{_sent(plan, who, days)}.points", "day", "transactions")),
        Measure("failed", "chain", "flow", None, _chain_truth("failed"),
                lambda plan, who, days: f"{_sent(plan, who, days)}.in_all.failed_transactions",
                series=lambda plan, who, days: (f"{_sent(plan, who, days)}.points", "day", "failed_transactions")),
        Measure("senders", "chain", "flow", None, _chain_truth("senders"),
                lambda plan, who, days: f"{_sent(plan, who, days)}.in_all.senders",
                series=lambda plan, who, days: (f"{_sent(plan, who, days)}.points", "day", "senders"), adds=False),
        Measure("burnt_fees", "chain", "flow", "gwei", _burnt, _burnt_gold, ("main",)),
    )
}  # fmt: skip
"""Every measure by its name."""

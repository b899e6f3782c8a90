"""When a question is about: days and stretches of days, by date or by what happened on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.questions.contract import address_on, contracts_page
from caia_worldgen.questions.expression import Days, Plan, When, both
from caia_worldgen.questions.known import TRANSFER, Known

_MONTHS: Final = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                  "November", "December")  # fmt: skip
_WHOLE_MONTHS: Final = (4, 5, 6)
"""Of these the shipped story has every day."""


def at(moment: int) -> datetime:
    """A moment as a date of UTC."""
    return datetime.fromtimestamp(moment, UTC)


def english(moment: int) -> str:
    """3 March"""
    return f"{at(moment).day} {_MONTHS[at(moment).month - 1]}"


def chinese(moment: int) -> str:
    """3月3日"""
    return f"{at(moment).month}月{at(moment).day}日"


def dated(known: Known, first: int, length: int) -> When:
    """Days told by their dates."""
    since, until = known.midnight(first), known.midnight(first + length - 1)
    if length == 1:
        words = both(f"on {english(since)}", f"{chinese(since)}")
    elif at(since).month == at(until).month:
        words = both(f"from {at(since).day} through {english(until)}", f"{chinese(since)}至{at(until).day}日")
    else:
        words = both(f"from {english(since)} through {english(until)}", f"{chinese(since)}至{chinese(until)}")
    return When(first, length, words, "day" if length == 1 else "days", lambda plan: Days(str(since), length))


def day(known: Known, least: int = 8) -> When:
    """A day that is over, told by its date or by what happened on it. Raises ``ValueError`` where there is none."""
    events = [one for one in happenings(known) if one.first >= least]
    if events and known.rng.happens(45):
        return known.rng.one(events)
    return dated(known, known.rng.number(least, known.today - 2), 1)


def stretch(known: Known, least: int = 8, lengths: tuple[int, ...] = (5, 7, 10, 14)) -> When:
    """Several days that are over: a month, some dates, or those after something. Raises ``ValueError``."""
    length = known.rng.one(lengths)
    choice = known.rng.number(1, 100)
    if choice <= 35 and (months := list(_months(known, least))):
        return known.rng.one(months)
    if choice <= 65:
        after = [one for one in happenings(known) if one.first >= least and one.first + length < known.today]
        if after:
            return _after(known.rng.one(after), length)
    return dated(known, known.rng.number(least, known.today - length - 1), length)


def _months(known: Known, least: int) -> Iterator[When]:
    for month in _WHOLE_MONTHS:
        year = at(known.truth.begun).year
        first = (int(datetime(year, month, 1, tzinfo=UTC).timestamp()) - known.truth.begun) // DAY_S
        end = (int(datetime(year, month + 1, 1, tzinfo=UTC).timestamp()) - known.truth.begun) // DAY_S
        if first >= least and end < known.today:
            moment = known.midnight(first)
            words = both(f"in {_MONTHS[month - 1]}", f"{month}月份")
            yield When(first, end - first, words, "month", _fixed(moment, end - first))


def _fixed(moment: int, length: int) -> Callable[[Plan], Days]:
    return lambda plan: Days(str(moment), length)


def _after(one: When, length: int) -> When:
    """The days after one on which something happened."""
    event_en, event_zh = one.words["en"].removeprefix("on the day of "), one.words["zh"].removesuffix("当天")
    words = both(f"over the {length} UTC days after {event_en}", f"{event_zh}次日起的{length}天里")

    def days(plan: Plan) -> Days:
        base = one.days(plan).base
        return Days(f"({base} + {DAY_S})", length)

    return When(one.first + 1, length, words, f"after {one.skeleton}", days)


def happenings(known: Known) -> Iterator[When]:
    """Days on which something happened that the chain tells of, oldest kinds first."""
    yield from _votes(known)
    yield from _burns(known)
    yield from _graduations(known)


def _event(known: Known, moment: int, en: str, zh: str, skeleton: str, plan_of: Callable[[Plan], str]) -> When:
    first = (moment - known.truth.begun) // DAY_S

    def days(plan: Plan) -> Days:
        row = plan_of(plan)
        told = plan.call("time_conversion", time=f"{row}.time_utc", include_blocks=False)
        return Days(f"{told}.unix_seconds", 1)

    return When(first, 1, both(f"on the day of {en}", f"{zh}当天"), skeleton, days)


def _votes(known: Known) -> Iterator[When]:
    """When a proposal was carried out: the vault's upgrade and its second sweep, by the governor's own events."""
    lender = known.truth.subject("lend")
    if not known.sees(contracts_page(lender.site)):
        return
    told = {"upgrade the fee vault": ("the fee vault upgrade", "金库升级上线"),
            "sweep again": ("the second fee sweep", "第二次费用清扫执行")}  # fmt: skip
    for turn, (moment, deed) in enumerate(known.truth.happened("executed")):
        if moment < known.now:
            en, zh = told[deed.subject]

            def rows(plan: Plan, turn: int = turn) -> str:
                governor = address_on(plan, lender.name, lender.site, "governor")
                found = plan.call("data_query", contract=f"= {governor}", event="ProposalExecuted(uint256 proposalId)",
                                  from_block=0, chain=known.chain("main"))  # fmt: skip
                return f"{found}.events.{turn}"

            yield _event(known, moment, en, zh, "vote", rows)


def _burns(known: Known) -> Iterator[When]:
    """When a project burnt tokens as it had announced."""
    for moment, deed in known.truth.happened("burned"):
        subject = known.truth.subject(deed.subject)
        if moment >= known.now:
            continue

        def rows(plan: Plan, ticker: str = subject.ticker) -> str:
            found = plan.call("supply_query", asset=ticker)
            burnt = plan.call("data_query", contract=f"{found}.on_chain.0.contract", event=TRANSFER, from_block=0,
                              where=("to=0x" + "0" * 40,), chain=known.chain("main"))  # fmt: skip
            return f"{burnt}.events.0"

        yield _event(known, moment, f"the {subject.ticker} token burn", f"{subject.ticker} 销毁", "burn", rows)


def _graduations(known: Known) -> Iterator[When]:
    """When a small token left the launchpad for a pool of its own."""
    network = known.scene.networks["main"]
    if not known.sees(contracts_page(network.site)):
        return
    for turn, (moment, deed) in enumerate(known.truth.happened("graduated")):
        if moment >= known.now:
            continue
        name = known.scene.projects[deed.subject].name

        def rows(plan: Plan, turn: int = turn) -> str:
            pad = address_on(plan, network.name, network.site, "launchpad")
            event = (
                "Graduated(address indexed token, address indexed pair, uint256 raisedWei, uint256 amount, "
                "uint256 liquidity)"
            )
            found = plan.call("data_query", contract=f"= {pad}", event=event, from_block=0, chain=known.chain("main"))
            return f"{found}.events.{turn}"

        yield _event(known, moment, f"{name}'s launchpad graduation", f"{name} 从发射台毕业", "graduation", rows)

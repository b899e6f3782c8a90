"""Tokenomics: what is unlocked when and for whom, the float, and what it is all worth."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from caia_replay.core.task import AnswerSpec, Category
from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.emission import Emission
from caia_worldgen.questions import when as times
from caia_worldgen.questions import who as people
from caia_worldgen.questions.expression import (
    Composed,
    Days,
    Plan,
    Source,
    Who,
    Words,
    both,
    column,
    iso,
    number,
    table,
)
from caia_worldgen.questions.form import lines, shifted
from caia_worldgen.questions.known import Known

Kind = tuple[Category, Source]
_WHOLE: Final = 10**18
_SECTIONS: Final = {"Founders": "创始人", "Investors": "投资人", "Advisers": "顾问"}


def _pick(known: Known) -> tuple[Who, Emission]:
    able = [one for one in known.coins() if known.truth.metrics.emissions.of(one.id) is not None]
    subject = known.rng.one(able)
    emission = known.truth.metrics.emissions.of(subject.id)
    if emission is None:
        raise KeyError(subject.id)
    return people.coin(known, subject), emission


def _out(emission: Emission, moment: int) -> Fraction:
    """What the vesting contracts have let out, whatever was never granted apart."""
    return Fraction(sum(emission.unlocked(section, moment) for section in emission.sections()), _WHOLE)


def _amount(value: Fraction, who: Who) -> AnswerSpec:
    """An amount of somebody's token; a described coin is not given away by its ticker."""
    if who.is_found:
        return number(value, "tokens", aliases=(who.subject.ticker, "代币"))
    return number(value, who.subject.ticker)


def _schedule(plan: Plan, who: str, at: str | None = None) -> str:
    return plan.call("release_schedule", asset=who, at=at)


def _made(
    known: Known,
    form: str,
    skeleton: str,
    kind: Kind,
    who: Who,
    slots: Mapping[str, Words],
    answer: AnswerSpec,
    plan: Plan,
    result: str,
    over: int,
) -> Composed:
    # A described coin is not given away by its ticker.
    ticker = both("tokens", "代币") if who.is_found else both(who.subject.ticker)
    told = {"who": dict(who.words), "ticker": ticker, **slots}
    return Composed(
        form, f"{form} {skeleton} {who.skeleton}", *kind, told, answer, plan.chain(result), who.subject.project, over
    )


def window(known: Known, kind: Kind) -> Composed | None:
    """How many tokens some days unlock, past or to come."""
    who, emission = _pick(known)
    when = times.stretch(known)
    first, last = known.midnight(when.first), known.midnight(when.end)
    amount = _out(emission, last) - _out(emission, first)
    if amount < 100:
        return None
    plan = Plan()
    handle, days = who.handle(plan), when.days(plan)
    before, after = (_schedule(plan, handle, day) for day in (days.day(), days.day(when.length)))
    field = "in_all.unlocked_tokens"
    slots = {"when": dict(when.words)}
    if known.rng.happens(50):
        price = known.price(who.subject, when.end)
        if price is None:
            return None
        quote = plan.call("price_feed", asset=handle, at=days.day(when.length))
        return _made(known, "unlock_worth", when.skeleton, kind, who, slots, number(amount * price, "USD"), plan,
                     f"({after}.{field} - {before}.{field}) * {quote}.price", last + 3_600)  # fmt: skip
    return _made(known, "unlock_window", when.skeleton, kind, who, slots, _amount(amount, who), plan,
                 f"{after}.{field} - {before}.{field}", last)  # fmt: skip


def allocation(known: Known, kind: Kind) -> Composed | None:
    """An allocation's part of the greatest supply, and how much of it is out today: two figures."""
    who, emission = _pick(known)
    section = known.rng.one(emission.sections())
    whole = Fraction(sum(grant.schedule.total for grant in emission.grants if grant.section == section), _WHOLE)
    today = known.midnight(known.today)
    out = Fraction(emission.unlocked(section, today), _WHOLE)
    share = round(whole * 100 * _WHOLE / emission.supply, 6)
    if not out or out == whole:
        return None
    plan = Plan()
    told = _schedule(plan, who.handle(plan), iso(today))
    row = f"first(where({told}.by_allocation, 'allocation', '{section}'))"
    golds = [f"round({row}.planned_in_all_tokens * 100 / {told}.max_supply_tokens, 6)", f"{row}.unlocked_tokens"]
    slots = {"section": both(section.lower(), _SECTIONS[section])}
    if known.rng.happens(40):
        result, answer = golds[0], number(share, "%", "0.2")
        return _made(known, "allocation", section, kind, who, slots, answer, plan, result, known.now)
    answer = table(
        [(share, out)],
        column("allocation", unit="%", tolerance="0.2"),
        column("unlocked", unit="tokens" if who.is_found else who.subject.ticker),
    )
    return _made(
        known,
        "allocation_out",
        section,
        kind,
        who,
        slots,
        answer,
        plan,
        f"join(' | ', list({', '.join(golds)}))",
        known.now,
    )


def split(known: Known, kind: Kind) -> Composed | None:
    """What each allocation gets in all, a table."""
    who, emission = _pick(known)
    rows = [(section, Fraction(sum(grant.schedule.total for grant in emission.grants if grant.section == section),
        _WHOLE))
            for section in emission.sections()]  # fmt: skip
    plan = Plan()
    told = _schedule(plan, who.handle(plan))
    result = lines([(f"'{section}'",
        f"first(where({told}.by_allocation, 'allocation', '{section}')).planned_in_all_tokens")
                    for section, _ in rows])  # fmt: skip
    answer = table(
        rows,
        column("allocation", "text"),
        column("tokens", unit="tokens" if who.is_found else who.subject.ticker, tolerance="0.1"),
    )
    return _made(known, "split", "", kind, who, {}, answer, plan, result, known.now)


def cliff(known: Known, kind: Kind) -> Composed | None:
    """When the next cliff falls, and whose it is."""
    who, emission = _pick(known)
    ahead = sorted(
        (grant.schedule.cliff, grant.section) for grant in emission.grants if grant.schedule.cliff > known.now + DAY_S
    )
    if not ahead or (len(ahead) > 1 and ahead[0][0] == ahead[1][0]):
        return None
    plan = Plan()
    told = plan.call("release_schedule", asset=who.handle(plan), limit=100)
    row = f"first(where({told}.events, 'kind', 'cliff'))"
    result = f"join(' | ', list(match({row}.time_utc, '[0-9-]{{10}}'), {row}.allocation))"
    answer = table([(iso(ahead[0][0]), ahead[0][1])], column("day", "date"), column("allocation", "text"))
    return _made(known, "cliff", "", kind, who, {}, answer, plan, result, known.now)


def float_share(known: Known, kind: Kind) -> Composed | None:
    """Which part of the supply circulated as a day began: the float."""
    who, _ = _pick(known)
    when = times.day(known)
    coin = known.coin(who.subject)
    held = known.truth.book.supply(coin, known.midnight(when.first))
    share = Fraction(held.circulating * 100, held.total)
    if not 3 < share < 97:
        return None
    plan = Plan()
    handle, day = who.handle(plan), when.days(plan).day()
    quote = plan.call("price_feed", asset=handle, at=day)
    told = plan.call("supply_query", asset=handle, time=day)
    whole = f"first(where({told}.on_chain, 'chain', '{known.chain('main')}')).total_supply"
    result = f"{quote}.market_cap / {quote}.price * 100 / {whole}"
    slots = {"when": both(f"at 00:00 UTC {when.words['en']}", f"{when.words['zh']}零点（UTC）")}
    return _made(
        known,
        "float",
        when.skeleton,
        kind,
        who,
        slots,
        number(round(share, 8), "%"),
        plan,
        f"round({result}, 8)",
        known.midnight(when.end),
    )


def diluted(known: Known, kind: Kind) -> Composed | None:
    """The fully diluted value as a day began, or how many times the market cap it was."""
    who, _ = _pick(known)
    when = times.day(known)
    price, supply = known.price(who.subject, when.first), known.supply(who.subject, when.first)
    cap = known.truth.book.cap_usd(known.coin(who.subject), known.midnight(when.first))
    if price is None or not cap:
        return None
    plan = Plan()
    handle, day = who.handle(plan), when.days(plan).day()
    told = plan.call("supply_query", asset=handle, time=day)
    quote = plan.call("price_feed", asset=handle, at=day)
    value = f"first(where({told}.on_chain, 'chain', '{known.chain('main')}')).total_supply * {quote}.price"
    slots = {"when": both(f"at 00:00 UTC {when.words['en']}", f"{when.words['zh']}零点（UTC）")}
    over = known.midnight(when.end)
    if known.rng.happens(50):
        return _made(known, "fdv", when.skeleton, kind, who, slots, number(supply * price, "USD"), plan, value, over)
    answer = number(round(supply * price / cap, 6), None, "0.5")
    return _made(
        known,
        "fdv_ratio",
        when.skeleton,
        kind,
        who,
        slots,
        answer,
        plan,
        f"round({value} / {quote}.market_cap, 6)",
        over,
    )


def rivals(known: Known, kind: Kind) -> Composed | None:
    """What two tokens unlock over the same days: both figures."""
    (_, one), (_, other) = _pick(known), _pick(known)
    when = times.stretch(known)
    if one.slug == other.slug:
        return None
    pair = [people.named(next(s for s in known.coins() if s.id == emission.slug)) for emission in (one, other)]
    first, last = known.midnight(when.first), known.midnight(when.end)
    amounts = [_out(emission, last) - _out(emission, first) for emission in (one, other)]
    if min(amounts) < 100:
        return None
    plan = Plan()
    days = when.days(plan)
    golds = []
    for named in pair:
        told = [_schedule(plan, named.handle(plan), day) for day in (days.day(), days.day(when.length))]
        golds.append(f"{told[1]}.in_all.unlocked_tokens - {told[0]}.in_all.unlocked_tokens")
    names = [named.subject.ticker for named in pair]
    result = lines([(f"'{name}'", gold) for name, gold in zip(names, golds, strict=True)])
    answer = table(list(zip(names, amounts, strict=True)), column("token", "text"), column("unlocked"))
    slots = {"when": dict(when.words), "one": both(names[0]), "two": both(names[1])}
    return _made(known, "rivals", when.skeleton, kind, pair[0], slots, answer, plan, result, last)


def ahead(known: Known, kind: Kind) -> Composed | None:
    """How many tokens will unlock in the coming weeks."""
    who, emission = _pick(known)
    length = known.rng.one((14, 30, 60, 90))
    start = known.midnight(known.today + 1)
    amount = _out(emission, start + length * DAY_S) - _out(emission, start)
    if amount < 100:
        return None
    plan = Plan()
    handle, days = who.handle(plan), Days(str(start), 1)
    golds = [_schedule(plan, handle, day) for day in (days.day(), shifted(days, length).day())]
    at_en, at_zh = times.english(start), times.chinese(start)
    slots = {"when": both(f"in the {length} days starting {at_en}", f"{at_zh}起的{length}天内")}
    return _made(known, "unlock_ahead", str(length), kind, who, slots, _amount(amount, who), plan,
                 f"{golds[1]}.in_all.unlocked_tokens - {golds[0]}.in_all.unlocked_tokens", known.now)  # fmt: skip


FORMS: Final = {"window": window, "allocation": allocation, "split": split, "cliff": cliff, "float": float_share,
                "diluted": diluted, "rivals": rivals, "ahead": ahead}  # fmt: skip

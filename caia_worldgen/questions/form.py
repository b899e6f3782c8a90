"""Forms of answers over measures: a figure, a change, a peak, a table, a ranking, a share, a comparison, a yes or no.

Each form puts a measure, a subject and a time together, as a truth and as a plan. ``None`` is a draw that says nothing:
a figure that is nought, a change that is none, two that are nearly equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

from caia_replay.core.task import AnswerSpec, Category
from caia_worldgen.calendar import DAY_S
from caia_worldgen.questions import when as times
from caia_worldgen.questions import who as people
from caia_worldgen.questions.expression import (
    Composed,
    Days,
    Plan,
    Source,
    Subject,
    When,
    Who,
    Words,
    both,
    column,
    iso,
    listed,
    number,
    table,
)
from caia_worldgen.questions.known import Known
from caia_worldgen.questions.measure import MEASURES, Measure
from caia_worldgen.questions.wording import measured, noun

_LATER_S: Final = 3_600
_APART: Final = Fraction(3, 100)
"""How far two figures are apart that are compared or ranked."""
_LEAST_CHANGE: Final = Fraction(1)
"""Per cent."""
_TABLE_DAYS: Final = (4, 5, 7)


def composed(
    known: Known, form: str, measure: Measure, who: Who, when: When, answer: AnswerSpec, plan: Plan, result: str,
    kind: tuple[Category, Source], **more: Words,
) -> Composed:  # fmt: skip
    """The whole of a question about one measure."""
    told = _at_midnight(when) if measure.span == "state" and form != "change" else dict(when.words)
    slots = {
        "np": measured(measure.name, who),
        "when": told,
        "noun": noun(measure.name),
        "who": dict(who.words),
        **more,
    }
    skeleton = f"{form} {measure.name} {who.skeleton} {when.skeleton}"
    over = known.midnight(when.end) + _LATER_S
    return Composed(form, skeleton, *kind, slots, answer, plan.chain(result), who.subject.project, over)


def subject_for(known: Known, measure: Measure) -> Who | None:
    """Somebody who has such a figure, described."""
    if measure.of == "chain":
        return people.chain(known, measure.kinds[0] if measure.kinds else known.rng.one(("main", "rollup")))
    every = known.protocols() if measure.of == "protocol" else known.traded()
    able = [one for one in every if measure.has(one)]
    if not able:
        return None
    one = known.rng.one(able)
    return people.protocol(known, one) if measure.of == "protocol" else people.coin(known, one)


def figure(known: Known, measure: Measure, kind: tuple[Category, Source]) -> Composed | None:
    """One figure."""
    who = subject_for(known, measure)
    when = times.day(known) if measure.span == "state" or not measure.adds else times.stretch(known)
    if who is None:
        return None
    value = measure.truth(known, who.subject, when.first, when.length)
    if not value or value < 5:
        return None
    plan = Plan()
    result = measure.gold(plan, who.handle(plan), when.days(plan))
    exact = "0" if measure.unit is None else "0.5"
    return composed(known, "figure", measure, who, when, number(value, measure.unit, exact), plan, result, kind)


def change(known: Known, measure: Measure, kind: tuple[Category, Source]) -> Composed | None:
    """By how many per cent a state moved from the beginning of some days to their end."""
    who, when = subject_for(known, measure), times.stretch(known)
    if who is None or measure.span != "state":
        return None
    first, last = (measure.truth(known, who.subject, day, 1) for day in (when.first, when.end))
    if not first or not last or abs(moved := (last - first) * 100 / first) < _LEAST_CHANGE:
        return None
    plan = Plan()
    handle, days = who.handle(plan), when.days(plan)
    before = measure.gold(plan, handle, days)
    after = measure.gold(plan, handle, shifted(days, when.length))
    answer = number(round(moved, 4), "%", "1", direction="up")
    return composed(
        known, "change", measure, who, when, answer, plan, f"round(({after} / {before} - 1) * 100, 4)", kind
    )


def growth(known: Known, measure: Measure, kind: tuple[Category, Source]) -> Composed | None:
    """By how many per cent a flow of some days differs from that of as many days before them."""
    who, when = subject_for(known, measure), times.stretch(known, 24)
    if who is None or not measure.adds or measure.span != "flow":
        return None
    now, before = (
        measure.truth(known, who.subject, day, when.length) for day in (when.first, when.first - when.length)
    )
    if not now or not before or abs(moved := (now - before) * 100 / before) < _LEAST_CHANGE:
        return None
    plan = Plan()
    handle, days = who.handle(plan), when.days(plan)
    later = measure.gold(plan, handle, days)
    earlier = measure.gold(plan, handle, shifted(days, -when.length, when.length))
    answer = number(round(moved, 4), "%", "1", direction="up")
    more = both(f"the {when.length} days before", f"此前{when.length}天")
    return composed(known, "growth", measure, who, when, answer, plan, f"round(({later} / {earlier} - 1) * 100, 4)",
        kind,
                    before=more)  # fmt: skip


def shifted(days: Days, by: int, length: int = 1) -> Days:
    """Days so many later."""
    base = str(int(days.base) + by * DAY_S) if days.base.isdecimal() else f"({days.base} + {by * DAY_S})"
    return Days(base, length)


def _daily(known: Known, measure: Measure, one: Subject, when: When) -> list[Fraction] | None:
    found = [measure.truth(known, one, day, 1) for day in range(when.first, when.end)]
    return None if any(value is None for value in found) else [value for value in found if value is not None]


def _series(plan: Plan, measure: Measure, who: Who, when: When) -> dict[str, str]:
    assert measure.series is not None
    points, day, field = measure.series(plan, who.handle(plan), when.days(plan))
    return {"days": listed(f"{points}[*].{day}"), "values": listed(f"{points}[*].{field}")}


def peak(known: Known, measure: Measure, kind: tuple[Category, Source]) -> Composed | None:
    """The day on which a flow was the largest, and how large."""
    who, when = subject_for(known, measure), times.stretch(known)
    if who is None or measure.series is None or not (daily := _daily(known, measure, who.subject, when)):
        return None
    best, second = sorted(daily, reverse=True)[:2]
    if not second or best / second < 1 + _APART:
        return None
    plan = Plan()
    result = plan.run("d='<days>'.split(', ');v=[<values>];i=v.index(max(v));print(d[i],'|',v[i])",
                      **_series(plan, measure, who, when))  # fmt: skip
    row = (iso(known.midnight(when.first + daily.index(best))), best)
    answer = table([row], column("day", "date"), column(noun(measure.name)["en"], unit=measure.unit))
    return composed(known, "peak", measure, who, when, answer, plan, result, kind)


def days_table(known: Known, measure: Measure, kind: tuple[Category, Source]) -> Composed | None:
    """A flow day by day."""
    who = subject_for(known, measure)
    when = times.stretch(known, lengths=_TABLE_DAYS)
    if who is None or measure.series is None or when.length > 10:
        return None
    daily = _daily(known, measure, who.subject, when)
    if not daily or len(set(daily)) < 3:
        return None
    plan = Plan()
    result = plan.run(
        "for d,v in zip('<days>'.split(', '),[<values>]): print(d,'|',v)", **_series(plan, measure, who, when)
    )
    rows = [(iso(known.midnight(when.first + at)), value) for at, value in enumerate(daily)]
    tolerance = "0" if measure.unit is None else "0.5"
    answer = table(
        rows, column("day", "date"), column(noun(measure.name)["en"], unit=measure.unit, tolerance=tolerance)
    )
    return composed(known, "days_table", measure, who, when, answer, plan, result, kind)


def average(known: Known, measure: Measure, kind: tuple[Category, Source]) -> Composed | None:
    """A flow's mean of a day."""
    who, when = subject_for(known, measure), times.stretch(known)
    if who is None or measure.series is None or not (daily := _daily(known, measure, who.subject, when)):
        return None
    mean = sum(daily, Fraction(0)) / len(daily)
    if mean < 5:
        return None
    plan = Plan()
    values = _series(plan, measure, who, when)["values"]
    reference = values.removeprefix("join(', ', ").removesuffix(")")
    result = f"round(sum({reference}) / count({reference}), 6)"
    return composed(known, "average", measure, who, when, number(round(mean, 6), measure.unit), plan, result, kind)


def above(known: Known, measure: Measure, kind: tuple[Category, Source]) -> Composed | None:
    """The days on which a flow was above a round figure, a set."""
    who, when = subject_for(known, measure), times.stretch(known)
    if who is None or measure.series is None or not (daily := _daily(known, measure, who.subject, when)):
        return None
    ordered = sorted(daily, reverse=True)
    cut = known.rng.number(2, min(4, len(ordered) - 1))
    bar = _round_between(ordered[cut], ordered[cut - 1])
    if bar is None or not ordered[cut]:
        return None
    plan = Plan()
    code = f"print('\\n'.join(d for d,v in zip('<days>'.split(', '),[<values>]) if v>{bar}))"
    result = plan.run(code, **_series(plan, measure, who, when))
    rows = [(iso(known.midnight(when.first + at)),) for at, value in enumerate(daily) if value > bar]
    said = f"${bar:,}" if measure.unit == "USD" else f"{bar:,}"
    return composed(known, "above", measure, who, when, table(rows, column("day", "date")), plan, result, kind,
                    bar=both(said, f"{bar:,} 美元" if measure.unit == "USD" else said))  # fmt: skip


def _round_between(low: Fraction, high: Fraction) -> int | None:
    """A figure of two leading digits that lies clearly between two."""
    middle = (low + high) / 2
    unit: int = 10 ** max(0, len(str(int(middle))) - 2)
    bar = int(middle) // unit * unit
    return bar if low * (1 + _APART / 3) < bar < high * (1 - _APART / 3) else None


def ranking(known: Known, measure: Measure, kind: tuple[Category, Source]) -> Composed | None:
    """The three with the largest figures, in order."""
    every = [
        one for one in (known.protocols() if measure.of == "protocol" else known.traded()[:14]) if measure.has(one)
    ]
    some = every if measure.of == "protocol" else known.rng.some(every, min(6, len(every)))
    when = times.day(known) if measure.span == "state" or not measure.adds else times.stretch(known)
    found = [(measure.truth(known, one, when.first, when.length), one) for one in some]
    known_ones = sorted(((value, one.name) for value, one in found if value), reverse=True)
    if len(known_ones) < 4 or any(a[0] < b[0] * (1 + _APART) for a, b in pairwise(known_ones[:4])):
        return None
    plan = Plan()
    days, names = when.days(plan), {one.name: people.named(one) for value, one in found if value}
    parts = {f"v{'abcdefgh'[at]}": measure.gold(plan, one.handle(plan), days) for at, one in enumerate(names.values())}
    values = ",".join(f"<{name}>" for name in parts)
    code = f"r=dict(zip({list(names)},[{values}]));print('; '.join(sorted(r,key=r.get)[:-4:-1]))"
    result = f"match({plan.run(code, **parts)}, '[^\\n]+')"
    words = [one.name if measure.of == "protocol" else one.ticker for value, one in found if value]
    group = both("all protocols on DefiLlama", "DefiLlama 收录的协议")
    if measure.of == "coin":
        words_zh = "、".join(words)
        group = both(f"{', '.join(words[:-1])} and {words[-1]}", words_zh)
    answer = AnswerSpec("text_list", tuple(name for _, name in known_ones[:3]))
    lead = Who(next(one for one in some if one.name == known_ones[0][1]), group, "group", lambda plan: "")
    return composed(known, "ranking", measure, lead, when, answer, plan, result, kind, group=group)


def lines(rows: Sequence[Sequence[str]]) -> str:
    """Rows of expressions as a table, a line for each."""
    cells = (f"join(' | ', list({', '.join(row)}))" for row in rows)
    return f"join('\n', list({', '.join(cells)}))"


def compare(known: Known, measure: Measure, kind: tuple[Category, Source]) -> Composed | None:
    """Two side by side: both figures."""
    by_kind = {"protocol": known.protocols, "coin": known.traded, "chain": known.chains}
    every = [one for one in by_kind[measure.of]() if measure.has(one)]
    if len(every) < 2:
        return None
    pair = known.rng.some(every, 2)
    when = times.day(known) if measure.span == "state" or not measure.adds else times.stretch(known)
    values = [Fraction(measure.truth(known, one, when.first, when.length) or 0) for one in pair]
    if not all(values) or max(values) < min(values) * (1 + _APART):
        return None
    plan = Plan()
    days, whos = when.days(plan), [people.named(one) for one in pair]
    golds = [measure.gold(plan, one.handle(plan), days) for one in whos]
    names = [one.words["en"] for one in whos]
    result = lines([(f"'{name}'", gold) for name, gold in zip(names, golds, strict=True)])
    tolerance = "0" if measure.unit is None else "0.5"
    answer = table(list(zip(names, values, strict=True)), column("name", "text"),
                   column(noun(measure.name)["en"], unit=measure.unit, tolerance=tolerance))  # fmt: skip
    lead = Who(pair[0], both(f"{names[0]} and {names[1]}", f"{names[0]} 和 {names[1]}"), "pair", whos[0].handle)
    return composed(known, "compare", measure, lead, when, answer, plan, result, kind)


def exceeded(known: Known, measure: Measure, kind: tuple[Category, Source]) -> Composed | None:
    """Whether a figure was above a round one; one draw in two says no."""
    who = subject_for(known, measure)
    when = times.stretch(known)
    if who is None or not measure.adds or measure.span != "flow":
        return None
    value = measure.truth(known, who.subject, when.first, when.length)
    if not value or value < 100:
        return None
    is_above = known.rng.happens(50)
    bar = (
        _round_between(value * 3 / 4, value * 99 / 100)
        if is_above
        else _round_between(value * 101 / 100, value * 5 / 4)
    )
    if bar is None:
        return None
    plan = Plan()
    result = f"yes_no({measure.gold(plan, who.handle(plan), when.days(plan))} > {bar})"
    said = f"${bar:,}" if measure.unit == "USD" else f"{bar:,}"
    answer = AnswerSpec("boolean", ("yes" if is_above else "no",))
    return composed(known, "exceeded", measure, who, when, answer, plan, result, kind,
                    bar=both(said, f"{bar:,} 美元" if measure.unit == "USD" else said))  # fmt: skip


def share(known: Known, measure: Measure, kind: tuple[Category, Source]) -> Composed | None:
    """A protocol's part of what all that have such a figure come to, in per cent."""
    every = [one for one in known.protocols() if measure.has(one)]
    when = times.day(known) if measure.span == "state" else times.stretch(known)
    values = {one.id: measure.truth(known, one, when.first, when.length) for one in every}
    if len(every) < 2 or not all(value is not None for value in values.values()):
        return None
    who = people.protocol(known, known.rng.one(every))
    part = Fraction(values[who.subject.id] or 0) * 100 / sum(Fraction(one or 0) for one in values.values())
    if not 2 < part < 97:
        return None
    plan = Plan()
    handle, days = who.handle(plan), when.days(plan)
    others = [measure.gold(plan, one.id, days) for one in every]
    result = f"round({measure.gold(plan, handle, days)} * 100 / ({' + '.join(others)}), 4)"
    names = [one.short for one in every]
    group = both(f"{', '.join(names[:-1])} and {names[-1]}", "、".join(names[:-1]) + " 和 " + names[-1])
    return composed(known, "share", measure, who, when, number(round(part, 4), "%"), plan, result, kind, group=group)


def several(known: Known, names: Sequence[str], kind: tuple[Category, Source]) -> Composed | None:
    """Several figures of one subject at one time, in a row."""
    measures = [MEASURES[name] for name in names]
    who = subject_for(known, measures[0])
    if who is None or not all(one.has(who.subject) for one in measures):
        return None
    when = times.day(known) if any(not one.adds for one in measures) else times.stretch(known)
    values = [one.truth(known, who.subject, when.first, when.length) for one in measures]
    if not all(values):
        return None
    plan = Plan()
    handle, days = who.handle(plan), when.days(plan)
    golds = [one.gold(plan, handle, days) for one in measures]
    columns = [column(noun(one.name)["en"], unit=one.unit, tolerance="0.5" if one.unit else "0") for one in measures]
    en, zh = [noun(one.name)["en"] for one in measures], [noun(one.name)["zh"] for one in measures]
    nouns = both(f"{', '.join(en[:-1])} and {en[-1]}", "、".join(zh[:-1]) + "和" + zh[-1])
    answer = table([[value for value in values if value is not None]], *columns)
    made = composed(known, "several", measures[0], who, when, answer, plan, f"join(' | ', list({', '.join(golds)}))",
        kind,
                    nouns=nouns)  # fmt: skip
    return Composed("several", f"several {'+'.join(names)} {who.skeleton} {when.skeleton}", made.category, made.source,
                    made.slots, made.answer, made.gold, made.project, made.over)  # fmt: skip


def _at_midnight(when: When) -> Words:
    return both(f"at 00:00 UTC {when.words['en']}", f"{when.words['zh']}零点（UTC）")

"""Questions whose answer stands on the open web alone, where honest sources differ and a stated reason decides.

The reason is one that a reader finds on the pages: an outlet's correction, an entry in the register, a newer word of
the project, an answer of its team, or parts that have to be added up. The truth is the matter's, the gold chain reads
pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Final

from caia_replay.core.task import AnswerKind, AnswerSpec, Category, Column
from caia_worldgen.calendar import DAY_S
from caia_worldgen.questions.expression import (
    Composed,
    Plan,
    Source,
    Words,
    both,
    column,
    iso,
    number,
    plain,
    table,
)
from caia_worldgen.questions.known import Known
from caia_worldgen.questions.page import as_day
from caia_worldgen.questions.source import (
    READS,
    filled,
    first_report,
    first_value,
    read,
    settled_value,
    settling,
)
from caia_worldgen.questions.wording import noun
from caia_worldgen.web.matter import LATE, Form, Matter, Sort, sorts, written

Kind = tuple[Category, Source]
_UNITS: Final[dict[Form, tuple[str | None, str, str]]] = {
    "usd": ("USD", "USD", "美元"), "tokens": ("tokens", "tokens", "枚"), "minutes": ("minutes", "minutes", "分钟"),
    "percent": ("%", "percentage points", "个百分点"), "count": (None, "", ""),
}  # fmt: skip
"""Of a form: the unit of an answer, and what a question calls it in English and Chinese."""


def _decided(plan: Plan, known: Known, matter: Matter) -> str:
    """The value that holds, with what was reported first beside it: of a correction and a newer word the later one,
    else what the better source says."""
    first_words = written(matter.sort.value, matter.first, is_exact=False)
    first = first_report(plan, known, matter)
    old, new = read(first, first_words, matter.sort.value), settled_value(plan, known, matter)
    if matter.sort.settles in ("correction", "later"):
        last = settling(plan, known, matter)
        newest = f"sort(list(join('|', list({first.day}, {old})), join('|', list({last.day}, {new}))))[1]"
        found = f"match({newest}, '[|](.+)$')"
        return found if matter.sort.value in READS else f"({found} + 0)"
    return f"choose({old} == {new}, {old}, {new})"


def _able(known: Known, sort: Sort) -> list[Matter]:
    """The matters of a sort that are settled, and can be read."""
    return [one for one in known.matters if one.sort == sort and one.settled_at + DAY_S < known.now
            and known.sees(one.first_url) and (one.by_post or known.sees(one.settled_url))]  # fmt: skip


def _called(known: Known, matter: Matter) -> str:
    return known.rng.one((matter.subject.name.split()[0], matter.subject.name))


def _noun(matter: Matter, who: str, key: str = "") -> Words:
    words = matter.words | {"who": who}
    told = noun(f"open_{matter.sort.name}{key}")
    return {language: filled(one, words) for language, one in told.items()}


def spec_of(matter: Matter, value: Fraction | str) -> AnswerSpec:
    """A value of a matter as an answer."""
    form = matter.sort.value
    if isinstance(value, str):
        return AnswerSpec("text", (value,))
    if form == "date":
        return AnswerSpec("date", (iso(int(value)),))
    return number(value, _unit(matter), "0" if form in ("count", "minutes", "percent") else "0.5")


def _unit(matter: Matter) -> str | None:
    """What a value counts: of tokens by their ticker, as people write it."""
    return matter.subject.ticker if matter.sort.value == "tokens" else _UNITS[matter.sort.value][0]


def _ended(expression: str, matter: Matter, plan: Plan) -> str:
    return as_day(expression, plan) if matter.sort.value == "date" else expression


def _cell(matter: Matter, value: Fraction | str) -> str:
    if isinstance(value, str):
        return value
    return iso(int(value)) if matter.sort.value == "date" else plain(value)


def _column(matter: Matter, name: str) -> Column:
    form = matter.sort.value
    kind: AnswerKind = {"name": "text", "date": "date"}.get(form, "number")  # type: ignore[assignment]
    return column(name, kind, None if kind != "number" else _unit(matter))


def _of_two(some: Sequence[Matter]) -> dict[str, Words]:
    one, two = (both(matter.subject.name) for matter in some)
    return {"nouns": _noun(some[0], "", "_alone"), "one": one, "two": two}


def _composed(form: str, name: str, kind: Kind, slots: dict[str, Words], answer: AnswerSpec, plan: Plan, result: str,
              *about: Matter) -> Composed:  # fmt: skip
    first, over = about[0], max(one.settled_at for one in about)
    skeleton = f"open {name} {first.sort.name}"
    return Composed(form, skeleton, *kind, slots, answer, plan.chain(result), first.subject.id, over, differs=True)


def settled(known: Known, kind: Kind, sort: Sort) -> Composed | None:
    """What holds in the end."""
    matter = known.rng.one(_able(known, sort))
    plan = Plan()
    result = _ended(_decided(plan, known, matter), matter, plan)
    slots: dict[str, Words] = {name: both(word) for name, word in matter.words.items()}
    slots["who"] = both(_called(known, matter))
    answer = spec_of(matter, matter.settled)
    return _composed(f"open_{sort.name}", "settled", kind, slots, answer, plan, result, matter)


def gap(known: Known, kind: Kind, sort: Sort) -> Composed | None:
    """How far the first report was off: in its unit, or in days."""
    if sort.value == "name":
        return None
    matter = known.rng.one(_able(known, sort))
    plan = Plan()
    old, new = first_value(plan, known, matter), settled_value(plan, known, matter)
    off = abs(Fraction(matter.settled) - Fraction(matter.first))
    slots = {"np": _noun(matter, _called(known, matter))}
    if sort.value == "date":
        days = [as_day(one, plan) for one in (old, new)]
        code = "from datetime import date as d\nprint(abs((d.fromisoformat('<b>')-d.fromisoformat('<a>')).days))"
        result = f"match({plan.run(code, a=days[0], b=days[1])}, '[0-9]+')"
        answer = number(off / DAY_S, "days", "0")
        return _composed("open_gap_days", "gap", kind, slots, answer, plan, result, matter)
    _, en, zh = _UNITS[sort.value]
    slots["unit"], slots["zh_unit"] = both(en), both(zh)
    form = "open_gap" if en else "open_gap_count"
    return _composed(form, "gap", kind, slots, number(off, _unit(matter), "1"), plan, f"abs({old} - {new})", matter)


def versions(known: Known, kind: Kind, sort: Sort) -> Composed | None:
    """What was reported first and what holds, side by side."""
    matter = known.rng.one(_able(known, sort))
    plan = Plan()
    told = (first_value(plan, known, matter), settled_value(plan, known, matter))
    old, new = (_ended(one, matter, plan) for one in told)
    cells = [_cell(matter, matter.first), _cell(matter, matter.settled)]
    answer = table([cells], _column(matter, "first reported"), _column(matter, "settled"))
    slots = {"np": _noun(matter, _called(known, matter))}
    return _composed("open_both", "versions", kind, slots, answer, plan, f"join(' | ', list({old}, {new}))", matter)


def when(known: Known, kind: Kind, sort: Sort) -> Composed | None:
    """The day on which it was corrected, filed or changed: that of the later of both sources."""
    if sort.settles not in ("correction", "filing", "later"):
        return None
    matter = known.rng.one(_able(known, sort))
    plan = Plan()
    first, last = first_report(plan, known, matter), settling(plan, known, matter)
    days = ", ".join(f"match({one.day}, '[0-9-]{{10}}')" for one in (first, last))
    slots = {"np": _noun(matter, _called(known, matter)), "outlet": both(matter.outlet.name)}
    answer = AnswerSpec("date", (iso(matter.settled_at),))
    return _composed(f"open_when_{sort.settles}", "when", kind, slots, answer, plan, f"sort(list({days}))[1]", matter)


def _several(known: Known, sort: Sort, count: int) -> list[Matter]:
    """Matters of different projects, of one period. Raises ``ValueError`` where there are too few."""
    able = _able(known, sort)
    period = known.rng.one(able).period
    return known.rng.some([one for one in able if one.period == period], count)


def pair(known: Known, kind: Kind, sort: Sort) -> Composed | None:
    """What holds of two projects, as a table."""
    if sort.value == "name":
        return None
    some = _several(known, sort, 2)
    plan = Plan()
    values = [_ended(settled_value(plan, known, one), one, plan) for one in some]
    rows = [(one.subject.name, _cell(one, one.settled)) for one in some]
    told = (f"join(' | ', list('{one.subject.name}', {value}))" for one, value in zip(some, values, strict=True))
    cells = _column(some[0], sort.name)
    if sort.value == "tokens":
        cells = replace(cells, unit="tokens")  # each project has a ticker of its own
    answer = table(rows, column("project", "text"), cells)
    form, result = "open_pair_days" if sort.value == "date" else "open_pair", f"join('\n', list({', '.join(told)}))"
    return _composed(form, "pair", kind, _of_two(some), answer, plan, result, *some)


def total(known: Known, kind: Kind, sort: Sort) -> Composed | None:
    """What two projects come to together."""
    if sort.value in ("name", "date", "percent", "tokens") or sort.name == "quota":
        return None
    some = _several(known, sort, 2)
    plan = Plan()
    result = " + ".join(settled_value(plan, known, one) for one in some)
    answer = spec_of(some[0], sum((Fraction(one.settled) for one in some), Fraction(0)))
    return _composed("open_total", "total", kind, _of_two(some), answer, plan, result, *some)


def order(known: Known, kind: Kind, sort: Sort) -> Composed | None:
    """Three projects in order: the largest first, of days the earliest."""
    if sort.value in ("name", "tokens"):
        return None
    some, is_day = _several(known, sort, 3), sort.value == "date"
    ranked = sorted(some, key=lambda one: Fraction(one.settled), reverse=not is_day)
    closest = min(abs(Fraction(one.settled) - Fraction(other.settled)) for one, other in pairwise(ranked))
    if closest < (DAY_S if is_day else Fraction(ranked[0].settled) * 3 / 100):
        return None
    plan = Plan()
    values = {f"v{'abc'[at]}": _ended(settled_value(plan, known, one), one, plan) for at, one in enumerate(some)}
    names = [one.subject.name for one in some]
    cells, turn = ("'<va>','<vb>','<vc>'", "") if is_day else ("<va>,<vb>,<vc>", "[::-1]")
    code = f"r=dict(zip({names},[{cells}]));print('; '.join(sorted(r,key=r.get){turn}))"
    result = f"match({plan.run(code, **values)}, '[^\\n]+')"
    group = both(f"{names[0]}, {names[1]} and {names[2]}", f"{names[0]}、{names[1]} 和 {names[2]}")
    slots = {"nouns": _noun(some[0], "", "_alone"), "group": group}
    answer = AnswerSpec("text_list", tuple(one.subject.name for one in ranked))
    return _composed("open_order_days" if is_day else "open_order", "order", kind, slots, answer, plan, result, *some)


def growth(known: Known, kind: Kind, sort: Sort) -> Composed | None:
    """How much the later of two periods was above the earlier one, in per cent, of one project."""
    late = known.rng.one([one for one in _able(known, sort) if one.period == LATE])
    early = known.rng.one([one for one in _able(known, sort) if one.period != LATE and one.subject == late.subject])
    plan = Plan()
    before, after = (settled_value(plan, known, one) for one in (early, late))
    change = round((Fraction(late.settled) / Fraction(early.settled) - 1) * 100, 6)
    slots: dict[str, Words] = {name: both(word) for name, word in late.words.items()}
    slots |= {"who": both(_called(known, late)), "before": both(early.words["quarter"])}
    result = f"round(({after} / {before} - 1) * 100, 6)"
    return _composed("open_growth", "growth", kind, slots, number(change, "%", "1"), plan, result, late, early)


Ask = Callable[..., Composed | None]
_FACTS: Final[dict[str, Ask]] = {
    "settled": settled, "gap": gap, "versions": versions, "when": when, "pair": pair, "total": total, "order": order,
}  # fmt: skip
_FACT_KIND: Final[Kind] = ("project discovery", "project facts")
_TOKEN_KIND: Final[Kind] = ("tokenomics", "supply and unlocks")
_REVENUE: Final[Sequence[tuple[Kind, dict[str, Ask]]]] = (
    (("project discovery", "DeFi metrics"), {"settled": settled, "versions": versions, "when": when}),
    (("overlap", "DeFi metrics"), {"pair": pair, "order": order, "total": total, "gap": gap}),
    (("trend analysis", "DeFi metrics"), {"growth": growth}),
)


def forms() -> Iterator[tuple[str, Kind, Callable[[Known], Composed | None]]]:
    """Every form of every sort: its name, what CAIA counts it as, and what makes it."""
    for sort in sorts():
        uses = _REVENUE if sort.periods > 1 else ((_TOKEN_KIND if sort.of == "outsiders" else _FACT_KIND, _FACTS),)
        for kind, asks in uses:
            for name, ask in asks.items():
                yield f"{name}-{sort.name}", kind, partial(ask, kind=kind, sort=sort)

"""Facts that stand on pages alone: who works where, who paid for it, when a venue listed it, what was released when.

The page is searched for, then read; the story knows the fact from whoever wrote the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final

from caia_replay.core.task import AnswerSpec, Category
from caia_worldgen.questions import who as people
from caia_worldgen.questions.expression import (
    Composed,
    Plan,
    Source,
    Subject,
    Who,
    Words,
    both,
    column,
    iso,
    number,
    table,
    text,
)
from caia_worldgen.questions.known import Known, subject_of
from caia_worldgen.questions.page_reading import DAY, HOLDER, LEAD, OPENED, filled
from caia_worldgen.questions.when import chinese, english
from caia_worldgen.web.funding import Round
from caia_worldgen.web.place import notice

Kind = tuple[Category, Source]
_CHINESE: Final = {
    "Chief Executive": "首席执行官", "Chief Technology Officer": "首席技术官", "Head of Research": "研究主管",
    "Lead Engineer": "首席工程师", "Head of Community": "社区主管", "Security Lead": "安全负责人",
        "Design Lead": "设计负责人",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """``value`` is what the story says, or ``None``; ``gold`` an expression, of somebody whose id one names."""

    name: str
    kind: str
    unit: str | None
    en: str
    zh: str
    url: Callable[[Known, Subject], str]
    value: Callable[[Known, Subject], str | Fraction | None]
    gold: Callable[[Plan, Known, Subject, str], str]


def _page(plan: Plan, words: str, id: str, path: str) -> str:
    """The text of a project's own page, which is searched for."""
    query = (
        f"{words} site:{id[1:-1]}.example/{path}" if id[0] == "'" else text(f"{words} site:<id>.example/{path}", id=id)
    )
    found = plan.call("web_search", query=query, limit=3)
    return f"{plan.call('url_fetching', url=f'{found}.results.0.url')}.text"


def _member(title: str) -> Callable[[Known, Subject], str | None]:
    def value(known: Known, one: Subject) -> str | None:
        cast = known.truth.cast.teams
        return next((m.name for m in cast.get(one.role) or cast.get(one.id) or () if m.title == title), None)

    return value


def _member_gold(title: str) -> Callable[[Plan, Known, Subject, str], str]:
    def gold(plan: Plan, known: Known, one: Subject, id: str) -> str:
        pattern = filled(HOLDER, title=title, project=one.name, kind=one.name.partition(" ")[2])
        return f'match({_page(plan, f"team people {title}", id, "team")}, "{pattern}")'

    return gold


def _round(known: Known, one: Subject) -> Round | None:
    return next((found for found in known.truth.rounds if found.project == one.id), None)


def _raised(known: Known, one: Subject) -> Fraction | None:
    found = _round(known, one)
    usd = getattr(found, "raised_usd", 1)
    return Fraction(usd) if usd % 100_000 == 0 else None


def _team_page(known: Known, one: Subject) -> str:
    return f"https://{one.id}.example/team"


def _investors_page(known: Known, one: Subject) -> str:
    return f"https://{one.id}.example/investors"


def _investors(plan: Plan, id: str) -> str:
    return _page(plan, "investors round led", id, "investors")


def _lead(known: Known, one: Subject) -> str | None:
    found = _round(known, one)
    return None if found is None else found.lead


def _lead_gold(plan: Plan, known: Known, one: Subject, id: str) -> str:
    return f'match({_investors(plan, id)}, "{LEAD}")'


def _raised_gold(plan: Plan, known: Known, one: Subject, id: str) -> str:
    return f"match({_investors(plan, id)}, '\\$([0-9.]+) million') * 1000000"


def _closed(known: Known, one: Subject) -> str | None:
    found = _round(known, one)
    return None if found is None else iso(found.closed_at)


def _closed_gold(plan: Plan, known: Known, one: Subject, id: str) -> str:
    return as_day(f'match({_investors(plan, id)}, "{DAY}")', plan)


def _listing_page(known: Known, one: Subject) -> str:
    return notice(known.truth, f"listing-{one.id}")


def facts() -> Iterator[Fact]:
    """Every fact of a project."""
    for title, zh in _CHINESE.items():
        name = title.lower().replace(" ", "_")
        yield Fact(name, "text", None, title, zh, _team_page, _member(title), _member_gold(title))
    yield Fact("lead", "text", None, "lead investor", "领投方", _investors_page, _lead, _lead_gold)
    yield Fact("raised", "number", "USD", "amount raised", "融资金额", _investors_page, _raised, _raised_gold)
    closed = "closing date of the funding round"
    yield Fact("closed", "date", None, closed, "融资完成日期", _investors_page, _closed, _closed_gold)
    listed = "listing date on {venue}"
    yield Fact("listed", "date", None, listed, "在 {venue} 的上线日期", _listing_page, _opened, _listing)


def as_day(expression: str, plan: Plan) -> str:
    """A day in whatever form as 2024-05-31."""
    code = ("from datetime import datetime as D\ns='<day>'\n"
            "print(s if s[0]=='2' else D.strptime(s,'%B %d, %Y').strftime('%Y-%m-%d'))")  # fmt: skip
    return f"match({plan.run(code, day=expression)}, '[0-9-]{{10}}')"


def _opened(known: Known, one: Subject) -> str | None:
    """The day a venue names: it knows coins from before the story, too."""
    truth = known.truth
    if not one.role.startswith("outsider"):
        return None
    if truth.coin(one.id).listed_at >= truth.midnight(1):
        return iso(truth.coin(one.id).listed_at)
    return iso(truth.midnight(-truth.rng(f"notice/listing day/{one.id}").number(15, 340)))


def _listing(plan: Plan, known: Known, one: Subject, id: str) -> str:
    site = known.truth.cast.venue.site
    if id[0] == "'":
        query = f"{one.name} {one.ticker} listing site:{site}/notices/listing-{one.id}"
    else:
        query = text(f"listing trading site:{site}/notices/listing-<id>", id=id)
    found = plan.call("web_search", query=query, limit=3)
    page = plan.call("url_fetching", url=f"{found}.results.0.url")
    return as_day(f'match({page}.text, "{filled(OPENED, ticker=one.ticker, project=one.name)}")', plan)


def _who(known: Known, some: list[Subject]) -> tuple[Who, Callable[[Plan], str]]:
    """Somebody of some, described, and an expression for the id."""
    places = [one for one in people.standing(known) if one.subject in some]
    if places and known.rng.happens(65):
        who = known.rng.one(places)

        def id(plan: Plan) -> str:
            found = re.search(r"\$\d+\.coins\.\d+\.id", who.handle(plan))
            assert found is not None
            return found[0]

        return who, id
    subject = known.rng.one(some)
    word = known.rng.one((subject.name.split()[0], subject.name))
    who = Who(subject, both(word), "named", lambda plan: subject.id, is_found=False)
    return who, lambda plan: f"'{subject.id}'"


def _able(known: Known, fact: Fact) -> list[Subject]:
    return [one for one in map(subject_of, known.truth.book.listed(known.now))
            if one.id in known.truth.subjects and known.sees(fact.url(known, one)) and fact.value(known,
                one) is not None]  # fmt: skip


def _spec(fact: Fact, value: str | Fraction) -> AnswerSpec:
    if isinstance(value, Fraction):
        return number(value, fact.unit)
    return AnswerSpec("date" if fact.kind == "date" else "text", (value,))


def one_fact(known: Known, kind: Kind) -> Composed | None:
    """One fact of somebody."""
    fact = known.rng.one(list(facts()))
    if not (able := _able(known, fact)):
        return None
    who, id = _who(known, able)
    value = fact.value(known, who.subject)
    if value is None:
        return None
    plan = Plan()
    result = fact.gold(plan, known, who.subject, id(plan))
    slots = {"who": dict(who.words), "fact": both(fact.en, fact.zh), "venue": both(known.truth.cast.venue.name)}
    form = "fact_person" if fact.name in {t.lower().replace(" ", "_") for t in _CHINESE} else f"fact_{fact.name}"
    return Composed(form, f"fact {fact.name} {who.skeleton}", *kind, slots, _spec(fact, value), plan.chain(result),
                    who.subject.project, known.now)  # fmt: skip


def _called(known: Known, fact: Fact) -> Words:
    venue = known.truth.cast.venue.name
    return both(fact.en.format(venue=venue), fact.zh.format(venue=venue))


def two_facts(known: Known, kind: Kind) -> Composed | None:
    """Two facts of somebody, in a row."""
    pair = known.rng.some(list(facts()), 2)
    able = [one for one in _able(known, pair[0]) if one in _able(known, pair[1])]
    if not able:
        return None
    who, id = _who(known, able)
    values = [fact.value(known, who.subject) for fact in pair]
    plan = Plan()
    place = id(plan)
    golds = [fact.gold(plan, known, who.subject, place) for fact in pair]
    columns = [column(fact.en, fact.kind, fact.unit) for fact in pair]  # type: ignore[arg-type]
    answer = table([[value for value in values if value is not None]], *columns)
    slots = {"who": dict(who.words), "one": _called(known, pair[0]), "two": _called(known, pair[1])}
    names = " ".join(sorted(fact.name for fact in pair))
    return Composed("facts", f"facts {names} {who.skeleton}", *kind, slots, answer,
        plan.chain(f"join(' | ', list({golds[0]}, {golds[1]}))"),
                    who.subject.project, known.now)  # fmt: skip


def more_raised(known: Known, kind: Kind) -> Composed | None:
    """How much more one raised than another, or three in the order of what they raised."""
    fact = next(one for one in facts() if one.name == "raised")
    able = _able(known, fact)
    count = known.rng.one((2, 3))
    if len(able) < count:
        return None
    some = known.rng.some(able, count)
    sums = {one: fact.value(known, one) for one in some}
    order = sorted(some, key=lambda one: -Fraction(sums[one] or 0))
    if any(Fraction(sums[a] or 0) < Fraction(sums[b] or 0) * 103 / 100 for a, b in pairwise(order)):
        return None
    plan = Plan()
    if count == 2:
        golds = [fact.gold(plan, known, one, f"'{one.id}'") for one in order]
        gap = Fraction(sums[order[0]] or 0) - Fraction(sums[order[1]] or 0)
        slots = {"one": both(order[0].name), "two": both(order[1].name)}
        return Composed("raised_gap", "raised_gap", *kind, slots, number(gap, "USD", "1"),
            plan.chain(f"{golds[0]} - {golds[1]}"),
                        order[0].project, known.now)  # fmt: skip
    golds = [fact.gold(plan, known, one, f"'{one.id}'") for one in some]
    inputs = {f"v{'abc'[at]}": gold for at, gold in enumerate(golds)}
    code = f"r=dict(zip({[one.name for one in some]},[<va>,<vb>,<vc>]));print('; '.join(sorted(r,key=r.get)[::-1]))"
    result = f"match({plan.run(code, **inputs)}, '[^\\n]+')"
    names = [one.name for one in some]
    slots = {"group": both(f"{names[0]}, {names[1]} and {names[2]}", f"{names[0]}、{names[1]} 和 {names[2]}")}
    return Composed("raised_order", "raised_order", *kind, slots, AnswerSpec("text_list",
        tuple(one.name for one in order)),
                    plan.chain(result), order[0].project, known.now)  # fmt: skip


def entry_price(known: Known, kind: Kind) -> Composed | None:
    """How many times what a round's investors paid for a token it costs as a day begins."""
    fact = next(one for one in facts() if one.name == "raised")
    able = [one for one in _able(known, fact) if getattr(_round(known, one), "tokens", 0)]
    if not able:
        return None
    who, id = _who(known, able)
    day, funded = known.rng.number(8, known.today - 1), _round(known, who.subject)
    price, raised = known.price(who.subject, day), fact.value(known, who.subject)
    if price is None or funded is None or not isinstance(raised, Fraction):
        return None
    multiple = price * funded.tokens / raised
    plan = Plan()
    place = id(plan)
    page = _page(plan, "investors round led", place, "investors")
    at = iso(known.midnight(day))
    asset = f"id:{who.subject.id}" if place[0] == "'" else text("id:<id>", id=place)
    quote = plan.call("price_feed", asset=asset, at=at)
    count = f"match({page}, '([0-9,]{{7,14}}) (?:{who.subject.ticker}|tokens)')"
    result = f"round({quote}.price * ({count} + 0) / (match({page}, '\\$([0-9.]+) million') * 1000000), 6)"
    slots = {"who": dict(who.words), "when": both(f"on {english(known.midnight(day))}", chinese(known.midnight(day)))}
    return Composed("entry", f"entry {who.skeleton}", *kind, slots, number(round(multiple, 6), None, "1"),
        plan.chain(result),
                    who.subject.project, known.now)  # fmt: skip


FORMS: Final = {"one": one_fact, "two": two_facts, "raised": more_raised, "entry": entry_price}
"""Every form of such a question."""

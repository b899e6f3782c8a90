"""Matters that several sources tell of and honestly differ about: what was reported first, and what settled it.

They are known to the web alone, drawn from a chance of their own, and nothing else of the story depends on them.
``matters.toml`` says of each sort what it is called, how its value is written, and what decides between the sources.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from caia_replay.store.plain import read_toml
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.cast import Member, Outlet
from caia_worldgen.web.page import Claim, Status, Told
from caia_worldgen.web.truth import Subject, Truth

HOUR_S: Final = 3_600
EACH: Final = 6
"""How many matters of a sort there are, as far as there is somebody they can be about."""
_FIRST_DAY: Final = -24
"""Of the story: before it nothing of this is reported."""
_PAUSE_DAYS: Final = (2, 9)
"""Between the first report and what settles it."""
_CITIES: Final = ("Lisbon", "Nairobi", "Tallinn", "Montevideo", "Osaka", "Tbilisi", "Accra", "Ljubljana")
_PERIODS: Final = (("third quarter", "第三季度"), ("fourth quarter", "第四季度"))
LATE: Final = "fourth-quarter"
"""The later of both periods."""
_POSTED_PERCENT: Final = 80
"""Of newer words of projects that have an account, how many stand on the social network alone."""

Form = Literal["count", "usd", "tokens", "percent", "date", "minutes", "name"]
Value = Fraction | str


@dataclass(frozen=True, slots=True)
class Sort:
    """A row of ``matters.toml``."""

    name: str
    value: Form
    low: int
    high: int
    settles: Literal["correction", "filing", "later", "team", "sum"]
    query: str
    what: str
    zh: str
    of: str = "everyone"
    paper: str = ""
    rule: str = ""
    periods: int = 1


@dataclass(frozen=True, slots=True)
class Matter:
    """One of them. ``first`` was reported by ``outlet`` at ``told_at`` and is not the case; ``settled`` is, as who
    decides it says at ``settled_at``. ``parts`` are what it is added up from. Values are numbers, names, or days as
    the second they begin."""

    sort: Sort
    subject: Subject
    period: str
    outlet: Outlet
    told_at: int
    settled_at: int
    first: Value
    settled: Value
    parts: tuple[Fraction, ...]
    by_post: bool
    register: Outlet
    member: Member
    words: dict[str, str] = field(compare=False)
    """Slots that all its pages share."""

    @property
    def id(self) -> str:
        """Unique: the sort, whom it is about, and of what period."""
        return "-".join(one for one in (self.subject.id, self.sort.name, self.period) if one)

    @property
    def first_url(self) -> str:
        """Where the first report stands."""
        return self.outlet.url("news", f"{number.iso_day(self.told_at)}-{self.id}")

    @property
    def settled_url(self) -> str:
        """Where the page stands that settles it; "" where that is a post."""
        if self.by_post:
            return ""
        day = number.iso_day(self.settled_at)
        places = {
            "correction": self.outlet.url("corrections", f"{day}-{self.id}"),
            "filing": self.register.url("entries", f"{self.words['entry'].lower()}-{self.id}"),
            "team": self.thread_url(self.settled_at),
        }
        return places.get(self.sort.settles, f"https://blog.{self.subject.site}/{self.sort.name}-{day}")

    def thread_url(self, moment: int) -> str:
        """A thread on it in the project's forum."""
        topic = f"{self.sort.name}-{self.period}" if self.period else self.sort.name
        return f"https://forum.{self.subject.site}/t/{topic}-{number.iso_day(moment)}"

    def told(self, value: Value, moment: int, status: Status = "true", *, is_exact: bool = True) -> Told:
        """A value of it, as pages write it."""
        words = written(self.sort.value, value, is_exact=is_exact)
        return Told(words, Claim("other", self.subject.id, moment, words, words, Fraction(0), status))

    @property
    def error(self) -> Status:
        """How the first report is marked once it is settled."""
        return "stale" if self.sort.settles == "later" else "mistaken"

    def told_first(self, moment: int) -> Told:
        """What was reported first, rounded as the press rounds."""
        return self.told(self.first, moment, self.error, is_exact=False)

    def told_parts(self, moment: int) -> dict[str, Told]:
        """The parts it is added up from, under the names ``a`` and ``b``; of a stretch of time its two ends."""
        if self.sort.value == "minutes":
            ends = [f"{int(one) // 60:02d}:{int(one) % 60:02d}" for one in self.parts]
            claims = [Told(one, Claim("other", self.subject.id, moment, one, one, Fraction(0))) for one in ends]
            return dict(zip("ab", claims))
        return {name: self.told(one, moment) for name, one in zip("ab", self.parts)}


def written(form: Form, value: Value, *, is_exact: bool = True) -> str:
    """A value in English."""
    if isinstance(value, str):
        return value
    if form == "date":
        return number.day(int(value))
    if form == "percent":
        return number.exact(value, 1).words + "%"
    if form == "minutes":
        return f"{value} minutes"
    words = number.exact(value).words if is_exact or form == "count" else number.short(value, 2).words
    words = re.sub(r"\.?0+ (?=[a-z])", " ", words)  # 2.40 million
    return f"${words}" if form == "usd" else words


def written_chinese(form: Form, value: Value) -> str:
    """As the Chinese press writes it."""
    if isinstance(value, str):
        return value
    if form == "date":
        return number.chinese_day(int(value))
    if form == "percent":
        return number.exact(value, 1).words + "%"
    if form == "minutes":
        return f"{value} 分钟"
    return number.chinese(value, 1 if value >= 10_000 else 0).words + (" 美元" if form == "usd" else "")


@cache
def sorts() -> tuple[Sort, ...]:
    """Every sort, in the order of the file."""
    rows: dict[str, dict[str, Any]] = read_toml(Path(__file__).parent / "matters.toml")
    return tuple(Sort(name, **row) for name, row in rows.items())


def matters(truth: Truth) -> tuple[Matter, ...]:
    """All of a story, by sort and subject. Equal stories give equal ones."""
    return tuple(one for sort in sorts() for one in _of_sort(truth, sort))


def _of_sort(truth: Truth, sort: Sort) -> Iterator[Matter]:
    rng = truth.rng(f"matter/{sort.name}")
    able = [one for _, one in sorted(truth.subjects.items()) if team_of(truth, one)]
    if sort.of == "outsiders":
        able = [one for one in able if one.role.startswith("outsider")]
    for subject in rng.some(able, min(EACH, len(able))):
        for at in range(sort.periods):
            one = _matter(truth, sort, subject, at, truth.rng(f"matter/{sort.name}/{subject.id}/{at}"))
            if one is not None:
                yield one


def team_of(truth: Truth, one: Subject) -> tuple[Member, ...]:
    """Who works on a project."""
    return truth.cast.teams.get(one.role) or truth.cast.teams.get(one.id) or ()


def _matter(truth: Truth, sort: Sort, subject: Subject, at: int, rng: Rng) -> Matter | None:
    day = rng.number(_FIRST_DAY, truth.days - 12)
    told_at = truth.midnight(day) + rng.number(7, 20) * HOUR_S + rng.number(0, HOUR_S - 1)
    settled_at = told_at + rng.number(*_PAUSE_DAYS) * DAY_S + rng.number(-6, 6) * HOUR_S + rng.number(0, HOUR_S - 1)
    if settled_at > truth.midnight(truth.days) - DAY_S:
        return None
    cast = truth.cast
    lead = rng.one([one for one in cast.newsrooms if one.language == "en" and one.manner != "syndicate"])
    outlet = cast.house(lead, f"matter/{sort.name}/{subject.id}/{at}")
    settled, parts = _settled(sort, told_at, rng)
    first: Value = _first(sort, settled, rng)
    right: Value = settled
    if sort.value == "name":
        first, right = rng.some(cast.candidates, 2)
    accounts = [one for one in cast.accounts if one.of == subject.id]
    by_post = sort.settles == "later" and bool(accounts) and rng.happens(_POSTED_PERCENT)
    year = datetime.fromtimestamp(truth.midnight(_FIRST_DAY), UTC).year - 1
    period, zh_period = _PERIODS[at]
    words = {
        "name": subject.name, "ticker": subject.ticker, "year": str(year), "firm": rng.one(cast.firms),
        "city": rng.one(_CITIES), "entry": f"R-{year + 1}-{rng.number(100_000, 999_999)}",
        "period": f"{period} of {year}", "zh_period": f"{year} 年{zh_period}", "quarter": f"Q{at + 3} {year}",
    }  # fmt: skip
    member = rng.one(team_of(truth, subject))
    named = period.replace(" ", "-") if sort.periods > 1 else ""
    return Matter(sort, subject, named, outlet, told_at, settled_at, first, right, parts, by_post, cast.register,
                  member, words)  # fmt: skip


def _settled(sort: Sort, told_at: int, rng: Rng) -> tuple[Fraction, tuple[Fraction, ...]]:
    """What is the case, and its parts where it has some."""
    drawn = Fraction(rng.odd(sort.low, sort.high, digits=5) if sort.low > 0 else rng.number(sort.low, sort.high))
    if sort.value == "date":
        return Fraction((told_at // DAY_S + int(drawn)) * DAY_S), ()
    if sort.value == "percent":
        return drawn / 10, ()
    if sort.settles != "sum":
        return drawn, ()
    if sort.value == "minutes":
        begin = Fraction(rng.number(5 * 60, 17 * 60))
        return drawn, (begin, begin + drawn)
    share = Fraction(rng.number(21, 44), 100)
    small = Fraction(round(drawn * share))
    if sort.name == "shareout":
        struck = Fraction(round(drawn * share / 3))
        return drawn, (drawn + struck, struck)
    return drawn, (drawn - small, small)


def _first(sort: Sort, settled: Fraction, rng: Rng) -> Fraction:
    """What was reported first: off by 7 to 45 per cent on either side, or by days."""
    if sort.value == "date":
        days = rng.number(4, 24)
        return settled - days * DAY_S if sort.settles == "later" or rng.happens(50) else settled + days * DAY_S
    factor = Fraction(rng.number(1_070, 1_450), 1_000)
    value = settled * factor if rng.happens(50) else settled / factor
    if sort.value == "percent":
        return Fraction(round(value * 10), 10)
    if sort.value == "minutes":
        return Fraction(max(5, round(value / 5) * 5))
    near = Fraction(10 ** max(0, len(str(int(value))) - 3))
    rounded = round(value / near) * near
    return rounded if rounded != settled else rounded + near

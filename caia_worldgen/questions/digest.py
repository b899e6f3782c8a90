"""Pages of figures: what data desks and newsrooms count and publish, a few facts a page, right but for honest mistakes.

A sentence is an expression of the kind that questions are made of, with the truth by ledger and books, in the words of
its form's claim. So the honest web says such things whether or not anybody is asked about them, and a page that gives
a figure in these words says nothing about who wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from fractions import Fraction
from typing import Final
from urllib.parse import urlsplit

from caia_replay.core.world import Page
from caia_worldgen.calendar import DAY_S
from caia_worldgen.questions.catalogue import makers
from caia_worldgen.questions.draw import Drawn, Draws
from caia_worldgen.questions.expression import Language, both
from caia_worldgen.questions.known import Known
from caia_worldgen.questions.open_web import spec_of
from caia_worldgen.questions.statement import claimed, statement
from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.cast import Outlet
from caia_worldgen.web.matter import Matter, matters
from caia_worldgen.web.page import WebPage
from caia_worldgen.web.prose import PhraseBook, Slots
from caia_worldgen.web.truth import Truth

PAGES_A_DAY: Final = 4
CHINESE_PERCENT: Final = 15
MISTAKE_PERCENT: Final = 6
"""Of all sentences, how many have a figure wrong, as hurried people get figures wrong."""
ANSWERED_PERCENT: Final = 70
"""Of the questions that no matter is about, how many a page or two answer."""
ANSWER_MISTAKE_PERCENT: Final = 15
_BEFORE_S: Final = 3 * 3_600
"""How long before the question the last such page may appear."""
_WITHIN_DAYS: Final = 25
_TODAY: Final = re.compile(r"(?i)\b(?:today|current|currently|now|latest)\b|今天|今日|目前|当前|现在|最新")
"""Words of questions that ask of their own day."""
_FIRST_DAY: Final = 16
_MATTER_PERCENT: Final = 12
"""Of all sentences, how many are on a matter that was reported wrong at first and is settled."""
_TRIES: Final = 6
_SOURCES: Final = frozenset(
    ("DeFi metrics", "aggregate", "market price", "supply and unlocks", "other chain", "point look-up")
)


def pages(truth: Truth) -> Iterator[WebPage]:
    """So many a day, each of one outlet about one project or chain and its like."""
    desk = _Desk(truth)
    for at in range(PAGES_A_DAY * (truth.days - _FIRST_DAY)):
        made = desk.page(at)
        if made is not None:
            yield made


def answers(truth: Truth, draws: Draws, taken: Collection[str]) -> Iterator[WebPage]:
    """Pages that give what some of the questions ask for, among other figures: what is asked is often published. So a
    page that answers a question is no sign that it was planted. They stand at sites of the pages that are ``taken``,
    which have a front page, and at other addresses."""
    desk, urls, sites = _Desk(truth), set(taken), {urlsplit(url).hostname for url in taken}
    for one in draws.taken:
        rng = truth.rng(f"digest/answer/{one.question}")
        if one.composed.answer.kind == "boolean" or one.composed.form.startswith("open_"):
            continue  # of an open matter, many pages tell already
        if not rng.happens(ANSWERED_PERCENT):
            continue
        for _ in range(rng.number(1, 2)):
            made = desk.answer(one, rng)
            if made is not None and made.page.url not in urls and urlsplit(made.page.url).hostname in sites:
                urls.add(made.page.url)
                yield made


class _Desk:
    def __init__(self, truth: Truth) -> None:
        self._truth = truth
        self._book = PhraseBook("digest", truth.seed)
        self._makers = [one for one in makers() if one.kind[1] in _SOURCES and not one.is_open]
        self._matters = matters(truth)

    def page(self, at: int) -> WebPage | None:
        truth, rng = self._truth, self._truth.rng(f"digest/{at}")
        language: Language = "zh" if rng.happens(CHINESE_PERCENT) else "en"
        day = _FIRST_DAY + at // PAGES_A_DAY
        moment = truth.midnight(day) + rng.number(1, 22) * 3_600 + rng.number(0, 3_599)
        known = Known(truth, {}, (), truth.midnight(day), rng)
        return self._written(known, language, moment, at)

    def answer(self, one: Drawn, rng: Rng) -> WebPage | None:
        """A page with the answer to a question, right or mistaken, published after it could be known and on the day of
        the question where that asks of today; ``None`` where no such time is left."""
        truth, asked, now = self._truth, one.composed, one.anchor.timestamp
        latest = now - _BEFORE_S
        earliest = max(asked.over, truth.midnight(_FIRST_DAY), latest - _WITHIN_DAYS * DAY_S)
        if _TODAY.search(one.question):
            earliest = max(earliest, now // DAY_S * DAY_S)
        if earliest >= latest:
            return None
        moment = rng.number(earliest, latest)
        day = (moment - truth.midnight(0)) // DAY_S
        at = PAGES_A_DAY * (day - _FIRST_DAY) + rng.number(0, PAGES_A_DAY - 1)
        known = Known(truth, {}, (), truth.midnight(day), rng)
        times = self._times(rng, ANSWER_MISTAKE_PERCENT)
        fact = statement(asked, one.language, times), asked.project
        return self._written(known, one.language, moment, at, fact)

    def _written(
        self, known: Known, language: Language, moment: int, at: int, fact: tuple[str, str] | None = None
    ) -> WebPage | None:
        """The page number ``at`` of a few facts, ``fact`` in the place of one of them."""
        truth, rng = self._truth, known.rng
        facts = [one for one in (self._fact(known, language, rng) for _ in range(rng.number(3, 6))) if one]
        if len(facts) < 2:
            return None
        if fact is not None:
            facts[rng.number(0, len(facts) - 1)] = fact
        told, projects = zip(*facts, strict=True)
        names = {one.id: one.name for one in (*known.protocols(), *known.coins(), *known.chains())}
        name = next((names[one] for one in projects if one in names), names[known.chains()[0].id])
        slots: Slots = {"name": name, "date": number.short_day(moment), "day": number.day(moment)}
        if language == "zh":
            slots = {**slots, "date": number.chinese_day(moment), "day": number.chinese_day(moment)}
        front = "zh_" if language == "zh" else ""
        said = [*told]
        more = [self._book.say(f"{front}more", slots, rng).text for _ in range(rng.number(1, 3))]
        for line in more:
            said.insert(rng.number(0, len(said)), line)
        joint, cut = "" if language == "zh" else " ", rng.number(1, len(said) - 1)
        text = "\n\n".join(
            [self._book.say(f"{front}open", slots, rng).text, joint.join(said[:cut]), joint.join(said[cut:])]
        )
        outlet = truth.cast.house(rng.one(self._outlets(language)), f"digest/{at}")
        title = self._book.say(f"{front}title", slots, rng).text
        url = outlet.url(rng.one(("data", "notes", "figures")), f"{number.iso_day(moment)}-{at}")
        author = rng.one(outlet.authors) if outlet.authors else ""
        page = Page(url, title, text, moment, author=author, language=language)
        return WebPage(page, "digest")

    def _outlets(self, language: Language) -> list[Outlet]:
        cast = self._truth.cast
        return [one for one in (*cast.newsrooms, *cast.desks) if one.language == language]

    def _fact(self, known: Known, language: Language, rng: Rng) -> tuple[str, str] | None:
        """A sentence on something that is over by now, and the project it is about; ``None`` where a few draws come to
        nothing."""
        settled = [one for one in self._matters if one.settled_at < known.now]
        if settled and rng.happens(_MATTER_PERCENT):
            return self._settled(rng.one(settled), language, rng)
        for _ in range(_TRIES):
            maker = rng.one(self._makers)
            try:
                made = maker.make(known)
            except (KeyError, ValueError):
                continue
            if made is None or made.over > known.now:
                continue
            return statement(made, language, self._times(rng, MISTAKE_PERCENT)), made.project
        return None

    def _times(self, rng: Rng, percent: int) -> Fraction:
        """How many times a figure is printed as large as it is."""
        return Fraction(rng.number(60, 170), 100) if rng.happens(percent) else Fraction(1)

    def _settled(self, one: Matter, language: Language, rng: Rng) -> tuple[str, str]:
        """What holds of a matter, or what was reported first, and the project it is about."""
        value = one.first if rng.happens(MISTAKE_PERCENT) else one.settled
        slots = {name: both(word) for name, word in one.words.items()} | {"who": both(one.subject.name)}
        return claimed(f"open_{one.sort.name}", slots, spec_of(one, value), language), one.subject.id

"""What is written of matters: first reports, copies by other outlets, what settles them, threads and translations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from caia_replay.core.world import Page
from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.article import DELAYS
from caia_worldgen.web.cast import Outlet
from caia_worldgen.web.chinese_press import closed
from caia_worldgen.web.coin_fact import Almanac
from caia_worldgen.web.event import CHAIN, COIN, Fact, FactSheet
from caia_worldgen.web.matter import HOUR_S, Matter, matters, team_of, written_chinese
from caia_worldgen.web.page import Claim, Told, WebPage, WebPost
from caia_worldgen.web.place import home, link, team
from caia_worldgen.web.prose import LINES, PhraseBook, Slots, Written, fill, join, listing, vary
from caia_worldgen.web.social_pen import Pen
from caia_worldgen.web.truth import Truth

_OWN_PERCENT, _THREAD_PERCENT, _CHINESE_PERCENT = 60, 55, 60
"""Of matters: how many are also told by the project, talked about in its forum, translated."""
_HEADS: Final = ("**{who}** · {when}", "{who} wrote on {when}:", "[{who}] {when}", "{when} — {who}", "@{who}, {when}")
_POSTED: Final = (0, 2)
"""How many people post the first report's figure."""


def pages(truth: Truth) -> Iterator[WebPage]:
    """Every page on a matter, matter by matter."""
    desk = _Desk(truth)
    for one in matters(truth):
        yield from desk.of(one)


def posts(truth: Truth) -> Iterator[WebPost]:
    """What projects and others post of matters."""
    pen, book = Pen(truth, "matter"), PhraseBook("matter", truth.seed)
    for one in matters(truth):
        rng = truth.rng(f"matter/posts/{one.id}")
        for _ in range(rng.number(*_POSTED)):
            author = pen.somebody(rng, "analyst", "trader", "holder")
            moment = one.told_at + rng.number(1, 40) * HOUR_S + rng.number(0, HOUR_S - 1)
            if truth.begun < moment < pen.last:
                slots = _slots(truth, one, moment) | {"first": one.told_first(moment), "source": one.outlet.name}
                yield pen.post(author, moment, "matter", [book.say("post_first", slots, rng)], rng)
        if one.by_post and one.settled_at > truth.begun:
            slots = _slots(truth, one, one.settled_at) | {"value": one.told(one.settled, one.settled_at)}
            author = truth.cast.account_of(one.subject.id)
            yield pen.post(author, one.settled_at, "matter", [book.say("post_settled", slots, rng)], rng)


def _slots(truth: Truth, one: Matter, moment: int) -> dict[str, Told | str]:
    """What every page on a matter may say."""
    subject, people = one.subject, team_of(truth, one.subject)
    made: dict[str, Told | str] = dict(one.words)
    what = fill(one.sort.what, made).text
    made |= {
        "what": what[0].lower() + what[1:] if what.startswith("The ") else what,
        "about": subject.about[:1].lower() + subject.about[1:], "chief": people[0].name,
        "chief_title": people[0].title, "team_page": link("team page", team(subject)),
        "home": link(subject.site, home(subject)), "site": subject.site,
        "day": number.day(moment), "weekday": number.weekday(moment), "date": number.short_day(moment),
        "member": one.member.name, "member_title": one.member.title,
    }  # fmt: skip
    return made


class _Desk:
    """Writes them all."""

    def __init__(self, truth: Truth) -> None:
        self._truth, self._almanac = truth, Almanac(truth)
        self._book, self._news = PhraseBook("matter", truth.seed), PhraseBook("news_context", truth.seed)
        self._chinese = PhraseBook("chinese_matter", truth.seed)
        self._end = truth.midnight(truth.days) - HOUR_S
        cast = truth.cast
        self._english = [one for one in cast.newsrooms if one.language == "en" and one.manner != "syndicate"]
        self._translators = [one for one in cast.newsrooms if one.language == "zh"]
        known = {one.handle for one in cast.accounts if one.manner in ("analyst", "trader", "builder", "holder")
                 and one.language == "en"}  # fmt: skip
        self._handles = sorted(known | {one.handle for one in truth.scene.people.crowd})

    def of(self, one: Matter) -> Iterator[WebPage]:
        rng = self._truth.rng(f"matter/pages/{one.id}")
        first = self._first(one, rng)
        yield first
        yield from self._again(one, first, rng)
        settles = {"correction": self._correction, "filing": self._filing, "team": self._thread}
        if one.sort.settles in settles:
            yield settles[one.sort.settles](one, first, rng)
        elif not one.by_post:
            yield self._own(one, rng, one.settled_at)
        if one.sort.settles == "correction" and rng.happens(_OWN_PERCENT):
            yield self._own(one, rng, one.settled_at - rng.number(2, 20) * HOUR_S)
        if one.sort.settles != "team" and rng.happens(_THREAD_PERCENT):
            yield self._thread(one, first, rng)
        if rng.happens(_CHINESE_PERCENT):
            yield self._translated(one, rng)

    def _first(self, one: Matter, rng: Rng) -> WebPage:
        facts = _slots(self._truth, one, one.told_at) | {"value": one.told_first(one.told_at)}
        return self._article(one, one.outlet, one.first_url, one.told_at, facts, f"{one.sort.name}_title",
                             f"{one.sort.name}_press", rng, "matter/first")  # fmt: skip

    def _again(self, one: Matter, first: WebPage, rng: Rng) -> Iterator[WebPage]:
        cast = self._truth.cast
        others = [lead for lead in self._english if one.outlet not in cast.houses[lead.id]]
        for outlet in (cast.house(lead, one.id) for lead in rng.some(others, rng.number(1, 2))):
            moment = one.told_at + rng.number(*DELAYS[outlet.manner]) * 60 + HOUR_S
            if moment >= min(one.settled_at, self._end):
                continue
            facts = _slots(self._truth, one, moment) | {
                "value": one.told_first(moment), "source": one.outlet.name,
                "page": link(first.page.title, first.page.url),
            }  # fmt: skip
            url = outlet.url("briefs", f"{number.iso_day(moment)}-{one.id}")
            yield self._article(one, outlet, url, moment, facts, "again_title", "again", rng, "matter/again")

    def _correction(self, one: Matter, first: WebPage, rng: Rng) -> WebPage:
        facts = self._both(one, one.settled_at) | {
            "first": one.told_first(one.settled_at).words,  # quoted, and no longer said
            "page": link(first.page.title, first.page.url), "then": number.day(one.told_at),
        }  # fmt: skip
        return self._article(one, one.outlet, one.settled_url, one.settled_at, facts, "corrected_title", "corrected",
                             rng, "matter/correction")  # fmt: skip

    def _both(self, one: Matter, moment: int) -> dict[str, Told | str]:
        facts = _slots(self._truth, one, moment)
        return facts | {"first": one.told_first(moment), "value": one.told(one.settled, moment),
                        "source": one.outlet.name}  # fmt: skip

    def _filing(self, one: Matter, first: WebPage, rng: Rng) -> WebPage:
        moment, register = one.settled_at, one.register
        slots = _slots(self._truth, one, moment)
        slots["paper"] = fill(one.sort.paper, slots).text
        value, what = one.told(one.settled, moment), str(slots["what"])
        label = {
            "usd": "Amount",
            "count": "Number",
            "date": "Effective from",
            "tokens": f"Quantity, {one.subject.ticker}",
        }
        rows: list[tuple[str, Told | str]] = [
            ("Entry", one.words["entry"]), ("Entered", number.day(moment)), ("Company", one.subject.name),
            ("Subject", str(slots["paper"])), (label[one.sort.value], value),
        ]  # fmt: skip
        opening = self._book.say("filed_open", slots, rng)
        about = [Written(f"The entry concerns {what}.", ()), self._book.say(f"{one.sort.name}_filed", slots, rng)]
        more = [self._book.say("filed_close", slots, rng) for _ in range(rng.number(1, 3))]
        text = join([opening, listing(rows, rng.one(LINES)), join(about, " "), join(more, " ")])
        return _page(one.settled_url, self._book.say("filed_title", slots, rng), text, moment, "matter/filing",
                     register.name)  # fmt: skip

    def _own(self, one: Matter, rng: Rng, moment: int) -> WebPage:
        facts = _slots(self._truth, one, moment) | {"value": one.told(one.settled, moment)} | one.told_parts(moment)
        name = one.sort.name
        title = f"{name}_own_title" if f"{name}_own_title" in self._book.passages else "own_title"
        more = _some(self._book, "own_more", facts, rng, rng.number(2, 4))
        body = join([self._book.say(f"{name}_own", facts, rng), join(more[:2], " "), join(more[2:], " ")])
        said = self._book.say(title, facts, rng)
        url = f"https://blog.{one.subject.site}/{name}-{number.iso_day(moment)}"
        return _page(url, said, body, moment, "matter/own", one.member.name)

    def _thread(self, one: Matter, first: WebPage, rng: Rng) -> WebPage:
        """Somebody asks, somebody is wrong, the team answers: with the figure where that settles it."""
        settles = one.sort.settles == "team"
        answered = one.settled_at if settles else min(one.settled_at + rng.number(5, 60) * HOUR_S, self._end)
        opened = answered - rng.number(5, 30) * HOUR_S
        facts: dict[str, Told | str] = self._both(one, answered) | {"page": link(first.page.title, first.page.url)}
        rule = vary(one.sort.rule, rng)
        facts |= {"rule": rule, "rule_cap": rule[:1].upper() + rule[1:]}
        ask = f"{one.sort.name}_ask" if settles else "thread_ask"
        right = "thread_right" if settles else "thread_right_plain"
        told = [self._book.say(ask, facts, rng), self._book.say("thread_wrong", facts, rng)]
        talk = _some(self._book, "thread_talk", facts, rng, rng.number(2, 5))
        told += [*talk[:1], self._book.say(right, facts, rng), *talk[1:]]
        head, parts, moment = rng.one(_HEADS), list[Written](), opened
        people = rng.some(self._handles, len(told))
        for at, said in enumerate(told):
            is_team = at == 3
            moment = (
                answered if is_team else min(moment + rng.number(4, 200) * 60, answered - 60 if at < 3 else self._end)
            )
            who = f"{one.member.name} ({one.subject.name} team)" if is_team else people[at]
            when = f"{number.short_day(moment)}, {number.clock_time(moment)}"
            parts.append(Written(f"{head.format(who=who, when=when)}\n{said.text}", said.claims))
        url = one.settled_url if settles else one.thread_url(opened)
        # A thread is dated by the answer that people come for: earlier it could not have been read in it.
        return _page(url, self._book.say("thread_title", facts, rng), join(parts), moment, "matter/thread", people[0])

    def _translated(self, one: Matter, rng: Rng) -> WebPage:
        """A Chinese outlet's copy of the first report; it is not brought up to date."""
        outlet = self._truth.cast.house(rng.one(self._translators), one.id)
        moment = min(one.told_at + rng.number(6, 130) * HOUR_S, self._end)
        words = written_chinese(one.sort.value, one.first)
        claim = Claim("other", one.subject.id, moment, words, words, Fraction(0), one.error)
        slots: dict[str, Told | str] = {**_slots(self._truth, one, moment), "value": Told(words, claim)}
        slots |= {"what": fill(one.sort.zh, slots).text, "source": one.outlet.name, "day": number.chinese_day(moment)}
        slots["short"] = str(slots["what"]).removeprefix(one.subject.name).strip()
        said = _some(self._chinese, "more", slots, rng, rng.number(2, 4))
        text = join([self._chinese.say("lede", slots, rng), join(said, "")])
        title = self._chinese.say("title", slots, rng)
        url = outlet.url("translated", f"{number.iso_day(moment)}-{one.id}")
        made = _page(url, title, text, moment, "matter/translated", rng.one(outlet.authors), "zh")
        return made

    def _article(self, one: Matter, outlet: Outlet, url: str, moment: int, facts: Mapping[str, Told | str], title: str,
                 lede: str, rng: Rng, kind: str) -> WebPage:  # fmt: skip
        """A newsroom's article: what happened, what else is known of it, and of the coin where that is traded."""
        known: dict[str, Fact] = {**facts, "outlet": outlet.name, outlet.manner: ""}
        slots, around = FactSheet(known), ["around"] * 2
        if moment >= self._truth.begun + 2 * HOUR_S:
            at = moment // HOUR_S * HOUR_S
            chance = self._truth.rng(f"matter/coin/{url}")
            coin = self._almanac.coin(one.subject.id, at, chance, slips=True)
            slots = FactSheet(self._almanac.chain(moment), coin, self._almanac.when(at), known)
            around += [*rng.some(COIN, 2), "coin_about", rng.one(CHAIN)]
        else:
            around += ["around"] * 2
        told = [self._say(name, slots, rng) for name in rng.some(around, len(around)) if self._has(name, slots)]
        turn = rng.number(1, 2)
        last = [self._say("close", slots, rng)] if rng.happens(45) and self._has("close", slots) else []
        text = join([self._say(lede, slots, rng), join(told[:turn], " "), join(told[turn:], " "), *last])
        return _page(url, self._say(title, slots, rng), text, moment, kind, rng.one(outlet.authors))

    def _has(self, passage: str, slots: Slots) -> bool:
        return self._book.has(passage, slots) or self._news.has(passage, slots)

    def _say(self, passage: str, slots: Slots, rng: Rng) -> Written:
        book = self._book if self._book.has(passage, slots) else self._news
        return book.say(passage, slots, rng)


def _some(book: PhraseBook, passage: str, slots: Slots, rng: Rng, count: int) -> list[Written]:
    """So many alternatives of a passage, each after some were passed over: neighbours would be dealt together."""
    told = []
    for _ in range(count):
        for _ in range(rng.number(0, 5)):
            book.say(passage, slots, rng)
        told.append(book.say(passage, slots, rng))
    return told


def _page(
    url: str, title: Written, text: Written, moment: int, kind: str, author: str, language: str = "en"
) -> WebPage:
    claims = tuple(dict.fromkeys((*title.claims, *text.claims)))
    words = closed(text.text) if language == "zh" else text.text
    page = Page(url, title.text, words, moment, author=author, language=language)
    return WebPage(page, kind, claims)

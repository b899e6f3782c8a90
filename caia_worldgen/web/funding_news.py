"""What the English outlets write of money and people: rounds, listings, hires, partners, rumours, interviews.

Rounds and listings are the story's; what is said of hires, partners and talks stands on the web alone. A rumour is
told as one; most are denied later, those about partners come true.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.article import Plan, Press, other
from caia_worldgen.web.cast import Member, Outlet
from caia_worldgen.web.coin_fact import HOUR_S, Almanac, coins_of, dollar_form
from caia_worldgen.web.event import CHAIN, COIN, Fact, FactSheet, on, token
from caia_worldgen.web.funding import Round
from caia_worldgen.web.market_news import english
from caia_worldgen.web.page import WebPage
from caia_worldgen.web.place import home, link, team
from caia_worldgen.web.truth import Subject, Truth, mistaken, rumoured

_WORKS: Final = ("shared price data", "a common wallet button", "payouts in both tokens", "a joint bug bounty",
                 "single sign-on", "an index of both tokens", "storage for game results", "loans against receipts",
                 "a grants programme", "cross-chain messages", "an open data feed", "a mobile checkout",
                 "proofs of delivery", "a public archive", "shared moderation tools", "rented computing time",
                 )  # fmt: skip
_MOTTOS: Final = ("Boring is a feature", "We publish what is done", "Nobody reads the terms", "Slow is fine",
                  "Ask me in a year", "Keys, always keys", "It has to work on Sundays", "Less is more code",
                  "I do not watch the chart", "We are early and tired", "Trust the diary", "First we fix it",
                  )  # fmt: skip
_PASSAGES: Final = {
    "round": ("round_who", "round_terms", "round_use", "round_words", "round_what", "round_view"),
    "open": ("open_more", "open_view"), "listed": ("listed_more", "listed_more"),
    "hire": ("hire_more", "hire_team", "hire_view"), "partner": ("partner_more", "partner_what", "partner_view"),
    "prumour": ("rumour_more", "partner_what", "rumour_more"), "rrumour": ("rumour_more", "rumour_more"),
    "denial": ("denial_more", "denial_more"), "talk": ("talk_ask", "talk_work", "talk_ask", "talk_price", "talk_work"),
}  # fmt: skip
"""What is said of each topic; every page takes one sentence from most of them."""
_HIRES, _PARTNERS, _RUMOURS, _TALKS = 52, 40, 26, 24
_WRONG_ROUND_PERCENT: Final = 4
_KINDS: Final = {"round": "funding", "open": "listing", "listed": "listing"}


def pages(truth: Truth) -> Iterator[WebPage]:
    """Every article on money and people, kind by kind."""
    desk = _Desk(truth)
    yield from desk.rounds()
    yield from desk.listings()
    yield from desk.hires()
    yield from desk.partners()
    yield from desk.rumours()
    yield from desk.talks()


class _Desk:
    """Writes them all; knows who can be written about."""

    def __init__(self, truth: Truth) -> None:
        self._truth, self._almanac = truth, Almanac(truth)
        self._press = Press(truth, "funding_news", ("funding_news", "news_context"))
        self._outlets = [one for one in english(truth, "") if one.manner != "syndicate"]
        self._teams: list[tuple[Subject, tuple[Member, ...]]] = []
        for id, one in sorted(truth.subjects.items()):
            people = truth.cast.teams.get(one.role) or truth.cast.teams.get(id) or ()
            if len(people) > 1:
                self._teams.append((one, people))
        self._rounds = {one.project: one for one in truth.rounds}

    def rounds(self) -> Iterator[WebPage]:
        """Each round by three to five outlets; now and then one gets the sum wrong."""
        for one in self._truth.rounds:
            subject = self._truth.subjects[one.project]
            who = self._press.rng(f"round/{one.project}")
            for outlet in who.some(self._outlets, who.number(3, 5)):
                rng = self._press.rng(f"round/{one.project}/{outlet.id}")
                published = self._press.delayed(outlet, one.closed_at + rng.number(1, 26) * HOUR_S, rng)
                raised = self._truth.raised(one, dollar_form(rng.number(1, 2)))
                if rng.happens(_WRONG_ROUND_PERCENT):
                    raised = mistaken(raised, dollar_form(1), rng)
                facts = self._of(subject) | on(published) | self._deal(one) | {"raised": raised}
                yield from self._told(outlet, f"round/{one.project}", "round", published, facts, "funding")

    def listings(self) -> Iterator[WebPage]:
        """The first price of every coin: at the venue, or in a pool of its own."""
        truth, venue = self._truth, self._truth.cast.venue.name
        for id, one in sorted(truth.subjects.items()):
            coin = truth.coin(id)
            if one.role in ("dollar", "wrapped"):
                continue
            topic, count = ("open", 2) if coin.traded else ("listed", 3)
            who = self._press.rng(f"listing/{id}")
            for outlet in who.some(self._outlets, count):
                rng = self._press.rng(f"listing/{id}/{outlet.id}")
                published = self._press.delayed(outlet, one.listed_at + rng.number(1, 30) * HOUR_S, rng)
                facts: dict[str, Fact] = {**on(one.listed_at), "venue": venue}
                facts["first_price"] = truth.price(id, one.listed_at)
                if one.role in truth.scene.projects:
                    facts = token(truth, one.role) | facts
                yield from self._told(outlet, f"listing/{id}", topic, published, facts, "listings", id)

    def hires(self) -> Iterator[WebPage]:
        """People who take a post, some of them months before the story."""
        posts = [(one, people, who) for one, people in self._teams for who in people[1:]]
        for nth, (one, people, who) in enumerate(self._press.rng("hires").some(posts, min(_HIRES, len(posts)))):
            rng = self._press.rng(f"hire/{nth}")
            at = self._some_hour(rng, -260)
            facts = self._of(one) | on(at) | {
                "person": other(who.name, one.id, at), "role": who.title, "field": who.field,
                "field_cap": who.field[:1].upper() + who.field[1:], "heads": str(len(people)),
            }  # fmt: skip
            outlet = rng.one(self._outlets)
            yield from self._told(outlet, f"hire/{nth}", "hire", self._press.delayed(outlet, at, rng), facts, "people",
                                  one.id)  # fmt: skip

    def partners(self) -> Iterator[WebPage]:
        """Two projects with a plan; a third of the plans is rumoured before it is announced."""
        for nth in range(_PARTNERS):
            rng = self._press.rng(f"partner/{nth}")
            (one, _), (partner, _) = rng.some(self._teams, 2)
            work, at = rng.one(_WORKS), self._some_hour(rng, 12 if rng.happens(70) else -200)
            facts = self._of(one) | {
                "partner": partner.name, "partner_ticker": partner.ticker,
                "partner_about": partner.about[:1].lower() + partner.about[1:],
                "work": other(work, one.id, at), "work_cap": work[:1].upper() + work[1:],
            }  # fmt: skip
            outlet, rumour = rng.one(self._outlets), ""
            if rng.happens(40):
                before = at - rng.number(3, 9) * DAY_S
                doubtful = facts | on(before) | {"work": rumoured(other(work, one.id, before))}
                for page in self._told(rng.one(self._outlets), f"partner/{nth}/rumour", "prumour", before, doubtful,
                                       "rumours", one.id):  # fmt: skip
                    rumour = link(rng.one(("our first report", "the rumour", "an earlier article")), page.page.url)
                    yield page
            facts |= on(at) | ({"rumour": rumour} if rumour else {})
            yield from self._told(outlet, f"partner/{nth}", "partner", self._press.delayed(outlet, at, rng), facts,
                                  "projects", one.id)  # fmt: skip

    def rumours(self) -> Iterator[WebPage]:
        """Sums that nobody confirms, and the denials of most of them."""
        for nth in range(_RUMOURS):
            rng = self._press.rng(f"rumour/{nth}")
            one, _ = rng.one(self._teams)
            at = self._some_hour(rng, 6)
            words = number.short(Fraction(rng.odd(2_100_000, 48_000_000, digits=3))).around("$").words
            facts = self._of(one) | {"sum": rumoured(other(words, one.id, at))}
            if one.id in self._rounds:
                facts |= {"raised": self._truth.raised(self._rounds[one.id]), "lead": self._rounds[one.id].lead}
            for page in self._told(rng.one(self._outlets), f"rumour/{nth}", "rrumour", at, facts | on(at), "rumours",
                                   one.id):  # fmt: skip
                yield page
                if rng.happens(65):
                    then = at + rng.number(16, 90) * HOUR_S + rng.number(0, 3_000)
                    address = link(rng.one(("report", "story", "article")), page.page.url)
                    yield from self._told(rng.one(self._outlets), f"rumour/{nth}/denial", "denial", then,
                                          facts | on(then) | {"rumour": address}, "funding", one.id)  # fmt: skip

    def talks(self) -> Iterator[WebPage]:
        """Interviews, most of them in the magazine."""
        magazines = [one for one in self._outlets if one.manner in ("magazine", "daily", "blog")]
        for nth in range(_TALKS):
            rng = self._press.rng(f"talk/{nth}")
            one, people = rng.one(self._teams)
            who, at = rng.one(people), self._some_hour(rng, 4)
            outlet = magazines[-2] if rng.happens(50) else rng.one(magazines)
            facts = self._of(one) | on(at) | {
                "person": other(who.name, one.id, at), "role": who.title, "field": who.field, "heads": str(len(people)),
                "field_cap": who.field[:1].upper() + who.field[1:], "motto": rng.one(_MOTTOS),
            }  # fmt: skip
            published = at + rng.number(20, 90) * HOUR_S
            yield from self._told(outlet, f"talk/{nth}", "talk", published, facts, "interviews", one.id)

    def _told(
        self, outlet: Outlet, name: str, topic: str, published: int, facts: dict[str, Fact], section: str,
        coin: str = "",
    ) -> Iterator[WebPage]:  # fmt: skip
        """The page, with prices of its hour where it is of the story's time; nothing after the story's end."""
        slots, around = FactSheet(facts), []
        rng = self._press.rng(f"{name}/{outlet.id}/told")
        if coin and published >= self._truth.begun + HOUR_S:
            at = published // HOUR_S * HOUR_S
            slots = FactSheet(self._almanac.chain(published), self._almanac.when(at),
                              self._almanac.coin(coin, at, rng, slips=True), facts)  # fmt: skip
            around = [*rng.some(COIN, 4), "coin_about", *rng.some(CHAIN, 2)]
        own = rng.some(_PASSAGES[topic], len(_PASSAGES[topic]))
        plan = Plan(name, _KINDS.get(topic, "other"), section, published, slots, f"{topic}_title", f"{topic}_lede",
                    [*own[5:], *(around or own * 2)], rng.number(1, 3), ("close",) if rng.happens(45) else (),
                    own[:5])  # fmt: skip
        if (page := self._press.article(self._truth.cast.house(outlet, name), plan)) is not None:
            yield page

    def _of(self, one: Subject) -> dict[str, Fact]:
        facts: dict[str, Fact] = {"name": one.name, "ticker": one.ticker,
                                  "about": one.about[:1].lower() + one.about[1:]}  # fmt: skip
        people = next((people for known, people in self._teams if known.id == one.id), ())
        if people:
            facts |= {"chief": people[0].name, "chief_title": people[0].title,
                      "team_page": link("team page", team(one)), "home": link(one.site, home(one))}  # fmt: skip
        return facts

    def _deal(self, one: Round) -> dict[str, Fact]:
        facts: dict[str, Fact] = {"round": one.name, "round_cap": one.name[:1].upper() + one.name[1:],
                                  "lead": one.lead, "closed": number.day(one.closed_at)}  # fmt: skip
        if one.others:
            facts["others"] = " and ".join(one.others)
        if one.tokens:
            facts["tokens"] = coins_of(one.tokens, 0)
        return facts

    def _some_hour(self, rng: Rng, first: int) -> int:
        """A moment from the day ``first`` of the story, before it when negative, in somebody's daytime."""
        day = rng.number(first, self._truth.days - 6)
        return self._truth.midnight(day) + rng.number(6, 21) * HOUR_S + rng.number(0, HOUR_S - 1)

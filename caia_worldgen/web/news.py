"""Everything the English newsrooms publish: prices, events, money and people, corrections, and reprints of it all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from caia_worldgen.web import funding_news, market_news, number
from caia_worldgen.web.article import Plan, Press
from caia_worldgen.web.coin_fact import HOUR_S, Almanac, dollar_form
from caia_worldgen.web.event import CHAIN, COIN, Event, Fact, FactSheet
from caia_worldgen.web.event_protocol import protocol_events
from caia_worldgen.web.event_token import issue_events, token_events
from caia_worldgen.web.market_news import english
from caia_worldgen.web.page import Claim, Told, WebPage
from caia_worldgen.web.place import link
from caia_worldgen.web.prose import Slots, Written, join
from caia_worldgen.web.truth import Truth

_PACE: Final = ("launch", "release", "tvl", "bridge", "stake_report", "unlock_month", "dollar_supply", "vaultfees")
"""What a magazine leaves to others."""
_MOST: Final = {"nft_sale": 16, "liquidation": 12, "liquidation_one": 8, "launch": 24, "graduate": 8, "poison": 6}
_MOST_ELSE: Final = 90
"""How many events of a topic are written about."""


def event_pages(truth: Truth) -> Iterator[WebPage]:
    """Every article on an event, in order of events."""
    press, almanac = Press(truth, "event_news", ("event_token", "event_protocol", "news_context")), Almanac(truth)
    for make in (token_events, protocol_events, issue_events):
        for event in _chosen(press, list(make(truth))):
            yield from told(press, almanac, event)


def _chosen(press: Press, events: list[Event]) -> Iterator[Event]:
    """The events in their order; of frequent ones as many as are news, whatever the size of the economy."""
    topics: dict[str, list[str]] = {}
    for event in events:
        topics.setdefault(event.topic, []).append(event.name)
    for topic, names in topics.items():
        most = _MOST.get(topic, _MOST_ELSE)
        if len(names) > most:
            topics[topic] = press.rng(f"{topic}/chosen").some(names, most)
    return (event for event in events if event.name in topics[event.topic])


def told(press: Press, almanac: Almanac, event: Event) -> Iterator[WebPage]:
    """One event by as many outlets as care for it."""
    truth = press.truth
    chance = press.rng(f"{event.topic}/{event.name}/who")
    outlets = [one for one in english(truth, "") if one.manner != "syndicate"]
    if event.topic in _PACE:
        outlets = [one for one in outlets if one.manner != "magazine"]
    for outlet in chance.some(outlets, min(event.tellers, len(outlets))):
        rng = press.rng(f"{event.topic}/{event.name}/{outlet.id}/when")
        published = press.delayed(outlet, event.moment, rng)
        price_at = published // HOUR_S * HOUR_S
        slots = FactSheet(almanac.chain(published), almanac.when(price_at))
        slots = FactSheet(slots, almanac.coin(event.coin, price_at, rng, slips=True) if event.coin else {}, event.facts)
        own = (
            [f"{event.topic}_more"] * 3 + [event.more] * 3
            if event.more
            else [f"{event.topic}_more"] * (4 if event.coin else 6)
        )
        own = rng.some([one for one in own if press.has(one, slots)], sum(press.has(one, slots) for one in own))
        around = [*COIN, "coin_about", "coin_address", rng.one(CHAIN)] if event.coin else list(CHAIN)
        count = {"wire": 2, "daily": 4, "markets": 3, "magazine": 6, "blog": 4}[outlet.manner] + rng.number(-1, 1)
        plan = Plan(f"{event.topic}/{event.name}", "event", event.section, published, slots, f"{event.topic}_title",
                    f"{event.topic}_lede", [*own[2:], *around], count, ("close",) if rng.happens(55) else (),
                    own[:2])  # fmt: skip
        if (page := press.article(truth.cast.house(outlet, plan.name), plan)) is not None:
            yield page


_CORRECTED_PERCENT: Final = 75
_KINDS: Final = ("price", "round")


def corrections(truth: Truth, originals: Sequence[WebPage]) -> Iterator[WebPage]:
    """One page for most mistaken prices and sums, by the outlet that erred, 3 to 50 hours later."""
    press, almanac = Press(truth, "correction", ("correction", "news_context")), Almanac(truth)
    outlets = {one.site: one for one in truth.cast.outlets("en")}
    for one in originals:
        page, outlet = one.page, outlets.get(one.page.url.split("/")[2])
        wrong = next((claim for claim in one.claims if claim.status == "mistaken" and claim.kind in _KINDS), None)
        rng = press.rng(page.url)
        if wrong is None or outlet is None or page.published is None or not rng.happens(_CORRECTED_PERCENT):
            continue
        published = page.published + rng.number(180, 3_000) * 60 + rng.number(0, 59)
        facts: dict[str, Fact] = {
            "wrong": wrong.words, "right": right(truth, wrong), "page": link(page.title, page.url),
            "then_stamp": almanac.when(wrong.moment)["stamp"], "then": almanac.when(page.published)["day"],
            "name": truth.subjects[wrong.subject].name, "ticker": truth.subjects[wrong.subject].ticker,
            **almanac.when(published),
        }  # fmt: skip
        around = ["coin_about"]
        slots = FactSheet(facts)
        if published >= truth.begun + HOUR_S:
            at = published // HOUR_S * HOUR_S
            coin = almanac.coin(wrong.subject, at, rng)
            slots = FactSheet(almanac.chain(published), coin, facts, almanac.when(at))
            around = ["coin_about", "coin_cap", "coin_supply", "coin_price", *CHAIN]
        plan = Plan(page.url, "correction", "corrections", published, slots, "title", f"{wrong.kind}_lede",
                    around, rng.number(1, 2), ("close",) if rng.happens(30) else (), ["more"] * 3)  # fmt: skip
        if (made := press.article(outlet, plan)) is not None:
            yield made


def right(truth: Truth, wrong: Claim) -> Told:
    """What a mistaken claim should have said. Raises ``ValueError`` for kinds that are not corrected."""
    if wrong.kind == "price":
        return truth.price(wrong.subject, wrong.moment)
    if wrong.kind == "round":
        made = next(one for one in truth.rounds if one.project == wrong.subject)
        return truth.raised(made, dollar_form(1))
    raise ValueError(f"claims of kind {wrong.kind!r} are not corrected")


_REPRINTS: Final = 148
_DELAY_MINUTES: Final = (120, 5_400)


def reprints(truth: Truth, originals: Sequence[WebPage]) -> Iterator[WebPage]:
    """At most ``_REPRINTS`` copies of dated pages, in the order drawn; those after the story's end are left out."""
    press, syndicate = Press(truth, "syndicated", ("syndicated",)), english(truth, "syndicate")[0]
    sources = {one.site: one for one in truth.cast.outlets("en") if one.manner != syndicate.manner}
    offered = [(one, sources[site]) for one in originals if (site := one.page.url.split("/")[2]) in sources]
    for one, source in press.rng("choice").some(offered, min(_REPRINTS, len(offered))):
        page = one.page
        rng = press.rng(page.url)
        if page.published is None:
            continue
        published = page.published + rng.number(*_DELAY_MINUTES) * 60 + rng.number(0, 59)
        if published > press.last_moment:
            continue
        outlet = truth.cast.house(syndicate, page.url)
        day, weekday = number.day(page.published), number.weekday(page.published)
        slots: Slots = {"source": source.name, "outlet": outlet.name, "title": page.title, "author": page.author,
                        "original": link("here", page.url), "first_day": day, "first_weekday": weekday}  # fmt: skip
        first, last = press.say("first", slots, rng), press.say("last", slots, rng)
        text = join([first, Written(page.text, one.claims), last])
        author = page.author if rng.happens(55) else rng.one(outlet.authors)
        section = f"from/{source.id}"
        yield press.page(outlet, one.kind, section, published, press.say("title", slots, rng), text, author, page.url)


def pages(truth: Truth) -> Iterator[WebPage]:
    """Originals first, kind by kind, then what follows from them; each original is written once."""
    originals = [*market_news.pages(truth), *event_pages(truth), *funding_news.pages(truth)]
    yield from originals
    yield from corrections(truth, originals)
    yield from reprints(truth, originals)

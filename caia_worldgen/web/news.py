"""Everything the English newsrooms publish: prices, events, money and people, corrections, and reprints of it all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from caia_worldgen.web import event_news, funding_news, market_news, number
from caia_worldgen.web.article import Plan, Press
from caia_worldgen.web.coin_fact import HOUR_S, Almanac, dollar_form
from caia_worldgen.web.event import CHAIN, Fact, FactSheet
from caia_worldgen.web.market_news import english
from caia_worldgen.web.page import Claim, Told, WebPage
from caia_worldgen.web.place import link
from caia_worldgen.web.prose import Slots, Written, join
from caia_worldgen.web.truth import Truth

_CORRECTED_PERCENT: Final = 75
_KINDS: Final = ("price", "round")


def corrections(truth: Truth, originals: Sequence[WebPage]) -> Iterator[WebPage]:
    """One page for most mistaken prices and sums, by the outlet that erred, 3 to 50 hours later."""
    press, almanac = Press(truth, "correction", ("correction", "news_context")), Almanac(truth)
    outlets = {one.site: one for one in english(truth, "")}
    for one in originals:
        page, outlet = one.page, outlets.get(one.page.url.split("/")[2])
        wrong = next((claim for claim in one.claims if claim.status == "mistaken" and claim.kind in _KINDS), None)
        dice = press.dice(page.url)
        if wrong is None or outlet is None or page.published is None or not dice.happens(_CORRECTED_PERCENT):
            continue
        published = page.published + dice.number(180, 3_000) * 60 + dice.number(0, 59)
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
            coin = almanac.coin(wrong.subject, at, dice)
            slots = FactSheet(almanac.chain(published), coin, facts, almanac.when(at))
            around = ["coin_about", "coin_cap", "coin_supply", "coin_price", *CHAIN]
        plan = Plan(page.url, "correction", "corrections", published, slots, "title", f"{wrong.kind}_lede",
                    around, dice.number(1, 2), ("close",) if dice.happens(30) else (), ["more"] * 3)  # fmt: skip
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
    press, outlet = Press(truth, "syndicated", ("syndicated",)), english(truth, "syndicate")[0]
    sources = {one.site: one for one in english(truth, "") if one != outlet}
    offered = [(one, sources[site]) for one in originals if (site := one.page.url.split("/")[2]) in sources]
    for one, source in press.dice("choice").some(offered, min(_REPRINTS, len(offered))):
        page = one.page
        dice = press.dice(page.url)
        if page.published is None:
            continue
        published = page.published + dice.number(*_DELAY_MINUTES) * 60 + dice.number(0, 59)
        if published > press.last_moment:
            continue
        day, weekday = number.day(page.published), number.weekday(page.published)
        slots: Slots = {"source": source.name, "outlet": outlet.name, "title": page.title, "author": page.author,
                        "original": link("here", page.url), "first_day": day, "first_weekday": weekday}  # fmt: skip
        first, last = press.say("first", slots, dice), press.say("last", slots, dice)
        text = join([first, Written(page.text, one.claims), last])
        author = page.author if dice.happens(55) else dice.one(outlet.authors)
        section = f"from/{source.id}"
        yield press.page(outlet, one.kind, section, published, press.say("title", slots, dice), text, author, page.url)


def pages(truth: Truth) -> Iterator[WebPage]:
    """Originals first, kind by kind, then what follows from them; each original is written once."""
    originals = [*market_news.pages(truth), *event_news.pages(truth), *funding_news.pages(truth)]
    yield from originals
    yield from corrections(truth, originals)
    yield from reprints(truth, originals)

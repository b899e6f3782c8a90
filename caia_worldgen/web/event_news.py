"""What the English outlets write of what happened: every event of the story told by one to six of them.

The events come from the story's deeds (event_token, event_protocol, event_issue); each outlet writes at its own pace.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_worldgen.web.article import Plan, Press
from caia_worldgen.web.coin_fact import HOUR_S, Almanac
from caia_worldgen.web.event import CHAIN, COIN, Event, FactSheet
from caia_worldgen.web.event_protocol import protocol_events
from caia_worldgen.web.event_token import issue_events, token_events
from caia_worldgen.web.market_news import english
from caia_worldgen.web.page import WebPage
from caia_worldgen.web.truth import Truth

_PACE: Final = ("launch", "release", "tvl", "bridge", "stake_report", "unlock_month", "dollar_supply", "vaultfees")
"""What a magazine leaves to others."""
_MOST: Final = {"nft_sale": 16, "liquidation": 12, "liquidation_one": 8, "launch": 24, "graduate": 8, "poison": 6}
_MOST_ELSE: Final = 90
"""How many events of a topic are written about."""


def pages(truth: Truth) -> Iterator[WebPage]:
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
            topics[topic] = press.dice(f"{topic}/chosen").some(names, most)
    return (event for event in events if event.name in topics[event.topic])


def told(press: Press, almanac: Almanac, event: Event) -> Iterator[WebPage]:
    """One event by as many outlets as care for it."""
    truth = press.truth
    chance = press.dice(f"{event.topic}/{event.name}/who")
    outlets = [one for one in english(truth, "") if one.manner != "syndicate"]
    if event.topic in _PACE:
        outlets = [one for one in outlets if one.manner != "magazine"]
    for outlet in chance.some(outlets, min(event.tellers, len(outlets))):
        dice = press.dice(f"{event.topic}/{event.name}/{outlet.id}/when")
        published = press.delayed(outlet, event.moment, dice)
        price_at = published // HOUR_S * HOUR_S
        slots = FactSheet(almanac.chain(published), almanac.when(price_at))
        slots = FactSheet(
            slots, almanac.coin(event.coin, price_at, dice, slips=True) if event.coin else {}, event.facts
        )
        own = (
            [f"{event.topic}_more"] * 3 + [event.more] * 3
            if event.more
            else [f"{event.topic}_more"] * (4 if event.coin else 6)
        )
        own = dice.some([one for one in own if press.has(one, slots)], sum(press.has(one, slots) for one in own))
        around = [*COIN, "coin_about", "coin_address", dice.one(CHAIN)] if event.coin else list(CHAIN)
        count = {"wire": 2, "daily": 4, "markets": 3, "magazine": 6, "blog": 4}[outlet.manner] + dice.number(-1, 1)
        plan = Plan(f"{event.topic}/{event.name}", "event", event.section, published, slots, f"{event.topic}_title",
                    f"{event.topic}_lede", [*own[2:], *around], count, ("close",) if dice.happens(55) else (),
                    own[:2])  # fmt: skip
        if (page := press.article(outlet, plan)) is not None:
            yield page

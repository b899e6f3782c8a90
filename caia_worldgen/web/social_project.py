"""Posts of projects and outlets: what the story's projects announce, and headlines about it and about the markets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_worldgen.rng import Rng
from caia_worldgen.web.cast import Account, Outlet
from caia_worldgen.web.page import WebPost
from caia_worldgen.web.prose import PhraseBook
from caia_worldgen.web.social_event import Event, events
from caia_worldgen.web.social_fact import (
    Lazy,
    code_slots,
    coin_slots,
    place_slots,
    protocol_slots,
    stake_slots,
    world_slots,
)
from caia_worldgen.web.social_market import crash_moment, crash_slots
from caia_worldgen.web.social_pen import HOUR_S, Pen, day_of
from caia_worldgen.web.truth import ROLES, Subject, Truth

_ROUTINE: Final = ("routine", "routine", "routine", "routine", "address", "weekly", "weekly")
_ROUTINE_PERCENT: Final = 26
"""In how many of a hundred days a project posts without an occasion."""
_FIGURES_PERCENT: Final = 50
"""How many of a hundred weeks it tells its figures at the end of, where it has any."""
_HEADLINES: Final = (("head_market", 23), ("head_protocol", 8), ("head_soft", 9))
"""How many of a hundred days of an outlet have one."""
_AFTER_S: Final = 900
_CRASH_HEADS: Final = 3


def posts(truth: Truth) -> Iterator[WebPost]:
    """Everything projects and outlets post."""
    pen, book = Pen(truth, "project"), PhraseBook("social_project", truth.seed)
    for event in events(truth):
        yield from _announced(truth, pen, book, event)
    for role in ROLES:
        yield from _ordinary(truth, pen, book, truth.subject(role))
    outlets = [one for one in (*truth.cast.newsrooms, *truth.cast.desks) if one.language == "en"]
    for outlet in outlets:
        yield from _headlines(truth, pen, book, outlet)


def project_slots(truth: Truth, one: Subject, moment: int, author: Account, pen: Pen, dice: Rng) -> Lazy:
    """What can be said of one of the story's projects by somebody at a moment; all of it current."""
    day, voice = day_of(truth, moment), pen.voice(author)
    coin = coin_slots(truth, one, moment, voice, dice, pen.coins(day), may_be_old=False)
    return (coin | place_slots(truth, one) | code_slots(truth, one, moment, dice)
            | stake_slots(truth, one.role, moment, voice) | world_slots(truth, moment))  # fmt: skip


def _announced(truth: Truth, pen: Pen, book: PhraseBook, event: Event) -> Iterator[WebPost]:
    """The project says it, and an outlet or two may repeat it."""
    one = truth.subjects[event.subject]
    dice = truth.dice(f"social/project/{event.kind}/{event.subject}/{event.moment}")
    moment = event.moment + dice.number(60, _AFTER_S * 8)
    if moment > pen.last or moment < truth.begun + HOUR_S:
        return
    author = truth.cast.account_of(one.id)
    slots = project_slots(truth, one, moment, author, pen, dice) | event.slots
    if not book.has(event.kind, slots):
        return
    yield pen.post(
        author, moment, event.kind, pen.told(book, event.kind, slots, dice, "project", tail="tail_project"), dice
    )
    headline = {"burnt": "head_event", "vote_open": "head_vote", "vote_closed": "head_vote"}.get(event.kind)
    if headline is None:
        return
    for outlet in dice.some([each for each in truth.cast.newsrooms if each.language == "en"], 2):
        late = moment + dice.number(300, 5 * HOUR_S)
        if late > pen.last:
            continue
        speaker = truth.cast.account_of(outlet.id)
        told = slots | {"site": outlet.url("")}
        if event.kind == "vote_closed":
            told = Lazy({name: told[name] for name in told if name != "deadline"})
        said = pen.told(book, headline, told, dice, "outlet", tail="tail_outlet")
        yield pen.post(speaker, late, headline, said, dice)


def _ordinary(truth: Truth, pen: Pen, book: PhraseBook, one: Subject) -> Iterator[WebPost]:
    author = truth.cast.account_of(one.id)
    for day in range(3, truth.days):
        dice = truth.dice(f"social/project/day/{one.role}/{day}")
        moment = pen.moment(author, day, dice)
        if moment > pen.last:
            continue
        kinds = [dice.one(_ROUTINE)] if dice.happens(_ROUTINE_PERCENT) else []
        if day % 7 == author_day(author) and dice.happens(_FIGURES_PERCENT):
            kinds = [kind for kind in ("weekly_tvl", "weekly_flow", "weekly_stake")]
        slots = project_slots(truth, one, moment, author, pen, dice)
        protocol = truth.metrics.protocol(one.id)
        if protocol is not None:
            found = protocol_slots(truth, protocol, moment, pen.voice(author), dice)
            if found is not None and "tvl_day" in found:
                slots = slots | {name: found[name] for name in ("tvl", "volume", "fees", "board") if name in found}
        fit = [kind for kind in kinds if book.has(kind, slots)]
        if not fit or (one.role == "native" and fit[0] == "address"):
            continue
        kind = dice.one(fit)
        said = pen.told(book, kind, slots, dice, "project", tail="tail_project")
        yield pen.post(author, moment, kind, said, dice)


def author_day(author: Account) -> int:
    """The weekday, 0 to 6, on which a project tells its figures."""
    return sum(map(ord, author.handle)) % 7


def _headlines(truth: Truth, pen: Pen, book: PhraseBook, outlet: Outlet) -> Iterator[WebPost]:
    author, front = truth.cast.account_of(outlet.id), outlet.url("")
    for day in range(1, truth.days):
        for kind, percent in _HEADLINES:
            dice = truth.dice(f"social/outlet/{outlet.id}/{day}/{kind}")
            moment = pen.moment(author, day, dice)
            if not dice.happens(percent) or moment > pen.last:
                continue
            one = dice.one(pen.coins(day))
            slots = coin_slots(truth, one, moment, pen.voice(author), dice, pen.coins(day))
            if kind == "head_protocol":
                found = protocol_slots(truth, dice.one(truth.metrics.protocols), moment, pen.voice(author), dice)
                if found is None:
                    continue
                slots = Lazy({"other": str(slots["other"])}) | found
            slots = slots | {"site": front}
            if book.has(kind, slots):
                said = pen.told(book, kind, slots, dice, "outlet", tail="tail_outlet")
                is_rumour = said[0].text.startswith("Unconfirmed")
                yield pen.post(author, moment, "rumour" if is_rumour else kind, said, dice,
                               rumour=one.id if is_rumour else "")  # fmt: skip
    for count in range(_CRASH_HEADS):
        dice = truth.dice(f"social/outlet/{outlet.id}/crash/{count}")
        moment = crash_moment(truth) + HOUR_S + dice.number(120, 4 * HOUR_S)
        if moment > pen.last:
            continue
        day = day_of(truth, moment)
        one = dice.one(pen.coins(day))
        coin = coin_slots(truth, one, moment, pen.voice(author), dice, pen.coins(day), may_be_old=False)
        fallen = crash_slots(truth, one, moment, coin, author, pen)
        if fallen is not None:
            said = pen.told(book, "head_crash", fallen | {"site": front}, dice, "outlet", tail="tail_outlet")
            yield pen.post(author, moment, "head_crash", said, dice)

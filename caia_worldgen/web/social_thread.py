"""Threads: one author explains something in several posts, with figures, each answering the one before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.web.cast import Account
from caia_worldgen.web.page import WebPost
from caia_worldgen.web.prose import PhraseBook, Written
from caia_worldgen.web.social_fact import (
    Lazy,
    Thunk,
    coin_slots,
    day_words,
    place_slots,
    protocol_slots,
    stake_slots,
    world_slots,
)
from caia_worldgen.web.social_pen import HOUR_S, MOST_WORDS, Pen, day_of, length
from caia_worldgen.web.truth import Subject, Truth

_PER_HUNDRED_DAYS: Final = (("market", 32), ("protocol", 20), ("unlock", 9), ("how", 20))
_HOW: Final = ("bridge", "token", "vote", "loan", "stake")
_STEPS: Final = (2, 7)


def posts(truth: Truth) -> Iterator[WebPost]:
    """Every thread of the story."""
    pen, book = Pen(truth, "thread"), PhraseBook("social_thread", truth.seed)
    for day in range(4, truth.days):
        for topic, percent in _PER_HUNDRED_DAYS:
            dice = truth.dice(f"social/thread/{day}/{topic}")
            if not dice.happens(percent):
                continue
            author = pen.somebody(dice, "builder", "analyst") if topic == "how" else pen.somebody(dice, "analyst")
            moment = pen.moment(author, day, dice)
            if moment + HOUR_S < pen.last:
                yield from _thread(truth, pen, book, topic, author, moment, dice)


def _thread(truth: Truth, pen: Pen, book: PhraseBook, topic: str, author: Account, moment: int,
            dice: Rng) -> Iterator[WebPost]:  # fmt: skip
    slots = _slots(truth, topic, author, moment, pen, dice)
    if slots is None:
        return
    step = f"step_{topic}_{dice.one(_HOW)}" if topic == "how" else f"step_{topic}"
    steps = _steps(book, step, slots, dice)
    said: list[list[Written]] = [[book.say(f"open_{topic}", slots, dice)], *([one] for one in steps)]
    for place, parts in enumerate(said):
        if (place == 0 or dice.happens(82)) and length(parts) < MOST_WORDS - 20:
            parts.append(pen.thought("builder" if author.manner == "builder" else "analyst", slots, dice))
    said.append([book.say(f"end_{topic}", slots, dice), pen.thought("analyst", slots, dice)])
    before: WebPost | None = None
    for place, parts in enumerate(said):
        moment += dice.number(25, 160) if place else 0
        before = pen.post(author, moment, f"thread {topic}", parts, dice, before)
        yield before


def _steps(book: PhraseBook, passage: str, slots: Lazy, dice: Rng) -> Sequence[Written]:
    """Some of a passage's alternatives, no two the same, as they are dealt."""
    wanted = dice.number(*_STEPS)
    found: list[Written] = []
    for _ in range(wanted):
        said = book.say(passage, slots, dice)
        if all(said.text[:18] != other.text[:18] for other in found):
            found.append(said)
    return found


def _slots(truth: Truth, topic: str, author: Account, moment: int, pen: Pen, dice: Rng) -> Lazy | None:
    """What a thread tells of; None where there is nothing to tell."""
    day, voice = day_of(truth, moment), pen.voice(author)
    coins, made = pen.coins(day), dict[str, Thunk | str]()
    own = [one for one in coins if one.role in truth.scene.projects and one.role in truth.scene.assets]
    one: Subject = dice.one(coins if topic == "market" else own)
    if topic == "unlock":
        calendar = dice.one([each for each in truth.metrics.emissions.all() if each.known_at < moment] or [None])
        if calendar is None:
            return None
        one, grant = truth.subjects[calendar.slug], dice.one(calendar.grants)
        midnight = moment - moment % DAY_S
        made = {
            "unlocked": lambda: truth.unlocked(calendar.role, midnight, voice.coins),
            "section": grant.section.lower(),
            "cliff_day": day_words(grant.schedule.cliff),
            "end_day": day_words(grant.schedule.end),
            "total": voice.coins(Fraction(grant.schedule.total, 10**18)).words,
        }
    coin = coin_slots(truth, one, moment, voice, dice, coins, may_be_old=False)
    slots = coin | place_slots(truth, one) | stake_slots(truth, one.role, moment, voice) | made
    if topic == "protocol":
        protocols = [each for each in truth.metrics.protocols if each.role]
        protocol = dice.one(protocols)
        found = protocol_slots(truth, protocol, moment, voice, dice)
        if found is None or "tvl_day" not in found:
            return None
        subject = truth.subject(protocol.role)
        other = coin_slots(truth, subject, moment, voice, dice, coins, may_be_old=False)
        slots = other | place_slots(truth, subject) | found
    if topic == "how":
        slots = slots | world_slots(truth, moment) | _how_slots(truth, moment, author, pen)
    return slots


def _how_slots(truth: Truth, moment: int, author: Account, pen: Pen) -> dict[str, Thunk | str]:
    voice, midnight = pen.voice(author), moment - moment % DAY_S
    lend, stake, bridge = truth.subject("lend"), truth.subject("arena"), truth.subject("bridge")
    return {
        "vote_ticker": f"${lend.ticker}",
        "vote_supply": lambda: truth.supply(lend.id, moment, voice.coins),
        "vote_forum": place_slots(truth, lend)["forum"],
        "stake_ticker": f"${stake.ticker}",
        "stake_price": lambda: truth.price(stake.id, moment, voice.price),
        "staked": lambda: truth.staked(stake.role, moment, voice.coins),
        "bridge_tvl": lambda: truth.tvl(bridge.id, midnight, voice.money),
    }

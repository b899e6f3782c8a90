"""Posts about markets: remarks of traders, figures of analysts, gains and losses, charts, funding, a crash, bots."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.economy import crash_hour
from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.cast import Account
from caia_worldgen.web.page import WebPost
from caia_worldgen.web.prose import PhraseBook, Slots, Written
from caia_worldgen.web.social_fact import Lazy, coin_slots, protocol_slots
from caia_worldgen.web.social_pen import HOUR_S, Pen
from caia_worldgen.web.truth import Subject, Truth

_DAILY: Final = (("remark", 270), ("move", 230), ("cap", 120), ("protocol", 140), ("trade", 110), ("chart", 100),
                 ("rumour", 55))  # fmt: skip
"""What is posted in a hundred days: remarks, moves and so on."""
_MOVES_PPM: Final = 25_000
_CRASH: Final = ((1, 46, "crash"), (26, 22, "after"), (50, 14, "after"))
"""Hours after the crash, how many posts from then on, and what they are."""
_BOTS: Final = ("bot_price", "bot_alert", "bot_cap", "bot_tvl", "bot_chain")
_BOT_POSTS: Final = 2
_SECOND_PERCENT: Final = 50
_PER_ROUND: Final = 4


def posts(truth: Truth) -> Iterator[WebPost]:
    """Everything traders, analysts and bots say of markets."""
    pen, book = Pen(truth, "market"), PhraseBook("social_market", truth.seed)
    yield from _days(truth, pen, book)
    yield from _crash(truth, pen, book)
    yield from _funding(truth, pen, book)
    yield from _bots(truth, pen, book)


def crash_moment(truth: Truth) -> int:
    """When every price falls."""
    return truth.begun + crash_hour(truth.seed, truth.days * 24) * HOUR_S


def crash_slots(truth: Truth, one: Subject, moment: int, slots: Lazy, author: Account, pen: Pen) -> Lazy | None:
    """What a coin lost since the hour before the crash; None for one that did not fall much."""
    before = crash_moment(truth) - HOUR_S
    if one.listed_at > before:
        return None
    price = pen.voice(author).price
    high, low = truth.price_usd(one.id, before), truth.price_usd(one.id, moment)
    if low * 20 > high * 19:
        return None
    lost = number.percent(int((high - low) * 1_000_000 / high), 0).words
    return slots | {"high": lambda: truth.price(one.id, before, price), "drop_pct": lost}


def _days(truth: Truth, pen: Pen, book: PhraseBook) -> Iterator[WebPost]:
    for day in range(truth.days):
        plan = truth.rng(f"social/market/{day}")
        for kind, in_hundred in _DAILY:
            for count in range(in_hundred // 100 + plan.happens(in_hundred % 100)):
                made = _said(truth, pen, book, kind, day, truth.rng(f"social/market/{day}/{kind}/{count}"))
                if made:
                    yield made


def _said(truth: Truth, pen: Pen, book: PhraseBook, kind: str, day: int, rng: Rng) -> WebPost | None:
    analytic = kind in ("cap", "protocol")
    author = pen.somebody(rng, "analyst") if analytic else pen.somebody(rng, "trader", "trader", "analyst")
    moment, voice = pen.moment(author, day, rng), pen.voice(author)
    if not truth.begun + HOUR_S <= moment <= pen.last:
        return None
    slots: Lazy
    subject = _picked(pen, day, rng)
    coin = coin_slots(truth, subject, moment, voice, rng, pen.coins(day), may_be_old=kind != "rumour")
    if kind == "protocol":
        found = protocol_slots(truth, rng.one(truth.metrics.protocols), moment, voice, rng)
        if found is None:
            return None
        slots = Lazy({"other": str(coin["other"])}) | found
    else:
        slots = coin
    passage = _passage(truth, kind, subject, moment, slots)
    if passage is None or not book.has(passage, slots):
        return None
    said = _told(pen, book, passage, slots, rng, author)
    return pen.post(author, moment, passage, said, rng, rumour=subject.id if kind == "rumour" else "")


def _told(pen: Pen, book: PhraseBook, passage: str, slots: Slots, rng: Rng, author: Account) -> list[Written]:
    manner = "analyst" if author.manner == "analyst" else "trader"
    return pen.told(book, passage, slots, rng, manner, "lead", f"tail_{manner}")


def _passage(truth: Truth, kind: str, subject: Subject, moment: int, slots: Slots) -> str | None:
    """Which passage fits: moves by how far the price moved, trades by whether they gained."""
    if kind == "move":
        change = truth.change_ppm(subject.id, moment, 24)
        return None if change is None else "up" if change > _MOVES_PPM else "down" if change < -_MOVES_PPM else "flat"
    if kind == "trade":
        if "then_price" not in slots:
            return None
        then, now = slots["then_price"], slots["price"]
        if isinstance(then, str) or isinstance(now, str) or then.claim is None or now.claim is None:
            return None
        if isinstance(then.claim.value, str) or isinstance(now.claim.value, str) or then.words == now.words:
            return None
        return "gain" if now.claim.value > then.claim.value else "loss"
    return kind


def _picked(pen: Pen, day: int, rng: Rng) -> Subject:
    """The story's own coins twice as often as the others."""
    coins = pen.coins(day)
    own = [one for one in coins if not one.role.startswith("outsider")]
    return rng.one(own if own and rng.happens(66) else coins)


def _crash(truth: Truth, pen: Pen, book: PhraseBook) -> Iterator[WebPost]:
    for after_h, count, passage in _CRASH:
        for place in range(count):
            rng = truth.rng(f"social/market/crash/{after_h}/{place}")
            moment = crash_moment(truth) + after_h * HOUR_S + rng.number(0, (5 if after_h == 1 else 20) * HOUR_S)
            day = (moment - truth.begun) // DAY_S
            if moment > pen.last:
                continue
            author = pen.somebody(rng, "trader", "holder", "analyst")
            subject = _picked(pen, day, rng)
            coin = coin_slots(truth, subject, moment, pen.voice(author), rng, pen.coins(day), may_be_old=False)
            slots = crash_slots(truth, subject, moment, coin, author, pen)
            if slots is None or not book.has(passage, slots):
                continue
            yield pen.post(author, moment, passage, _told(pen, book, passage, slots, rng, author), rng)


def _funding(truth: Truth, pen: Pen, book: PhraseBook) -> Iterator[WebPost]:
    for one in truth.rounds:
        subject = truth.subjects[one.project]
        for place in range(_PER_ROUND):
            rng = truth.rng(f"social/market/round/{one.project}/{one.closed_at}/{place}")
            author = pen.somebody(rng, "analyst", "trader")
            moment = pen.moment(author, rng.number(max(2, subject.listed_at // DAY_S - truth.begun // DAY_S + 2),
                                                    truth.days - 2), rng)  # fmt: skip
            if moment > pen.last:
                continue
            voice = pen.voice(author)
            slots = coin_slots(truth, subject, moment, voice, rng, pen.coins((moment - truth.begun) // DAY_S)) | {
                "round": one.name,
                "raised": partial(truth.raised, one, voice.money),
                "lead": one.lead,
                "closed": number.short_day(one.closed_at),
            }
            if one.others:
                slots = slots | {"backers": " and ".join(one.others)}
            yield pen.post(author, moment, "funding", _told(pen, book, "funding", slots, rng, author), rng)


def _bots(truth: Truth, pen: Pen, book: PhraseBook) -> Iterator[WebPost]:
    bots = [one for one in truth.cast.accounts if one.manner == "bot" and one.language == "en"]
    for at, bot in enumerate(bots):
        passage, voice = _BOTS[at % len(_BOTS)], pen.voice(bot)
        minute = truth.rng(f"social/market/bot/{bot.handle}").number(1, 50)
        for day in range(truth.days):
            for turn in range(_BOT_POSTS):
                rng = truth.rng(f"social/market/bot/{bot.handle}/{day}/{turn}")
                moment = truth.midnight(day) + (8 + 9 * turn) * HOUR_S + minute * 60 + rng.number(0, 20)
                subject = _picked(pen, day, rng)
                slots = coin_slots(truth, subject, moment, voice, rng, pen.coins(day), may_be_old=False)
                native = truth.subject("native")
                slots = slots | {
                    "block": partial(truth.block, "main", moment),
                    "native": f"${native.ticker}",
                    "native_price": partial(truth.price, native.id, moment, voice.price),
                }
                if passage == "bot_tvl":
                    found = protocol_slots(truth, rng.one(truth.metrics.protocols), moment, voice, rng)
                    if found is None or "tvl_day" not in found:
                        continue
                    slots = found
                elif passage == "bot_chain" and (change := truth.change_ppm(native.id, moment, 24)) is not None:
                    slots = slots | {"day_move": f"{change / 10_000:+.1f}%"}
                if book.has(passage, slots) and (turn == 0 or rng.happens(_SECOND_PERCENT)):
                    yield pen.post(bot, moment, "bot", [book.say(passage, slots, rng)], rng)

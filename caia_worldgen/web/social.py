"""The social network of a told story: what everybody who writes English posted, in the order it was posted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.event import ChainEvent
from caia_worldgen.rng import Rng
from caia_worldgen.web import number, social_answer, social_market, social_project
from caia_worldgen.web.cast import Account
from caia_worldgen.web.page import WebPost
from caia_worldgen.web.prose import PhraseBook, Written
from caia_worldgen.web.social_fact import (
    Lazy,
    Thunk,
    coin_slots,
    day_words,
    other_claim,
    place_slots,
    protocol_slots,
    stake_slots,
    world_slots,
)
from caia_worldgen.web.social_pen import HOUR_S, MOST_WORDS, Pen, counted, day_of, length
from caia_worldgen.web.social_project import project_slots
from caia_worldgen.web.truth import ROLES, Subject, Truth

_PER_HUNDRED_DAYS: Final = (("market", 32), ("protocol", 20), ("unlock", 9), ("how", 20))
_HOW: Final = ("bridge", "token", "vote", "loan", "stake")
_STEPS: Final = (2, 7)


def threads(truth: Truth) -> Iterator[WebPost]:
    """Every thread of the story."""
    pen, book = Pen(truth, "thread"), PhraseBook("social_thread", truth.seed)
    for day in range(4, truth.days):
        for topic, percent in _PER_HUNDRED_DAYS:
            rng = truth.rng(f"social/thread/{day}/{topic}")
            if not rng.happens(percent):
                continue
            author = pen.somebody(rng, "builder", "analyst") if topic == "how" else pen.somebody(rng, "analyst")
            moment = pen.moment(author, day, rng)
            if moment + HOUR_S < pen.last:
                yield from _thread(truth, pen, book, topic, author, moment, rng)


def _thread(truth: Truth, pen: Pen, book: PhraseBook, topic: str, author: Account, moment: int,
            rng: Rng) -> Iterator[WebPost]:  # fmt: skip
    slots = _slots(truth, topic, author, moment, pen, rng)
    if slots is None:
        return
    step = f"step_{topic}_{rng.one(_HOW)}" if topic == "how" else f"step_{topic}"
    steps = _steps(book, step, slots, rng)
    said: list[list[Written]] = [[book.say(f"open_{topic}", slots, rng)], *([one] for one in steps)]
    for place, parts in enumerate(said):
        if (place == 0 or rng.happens(82)) and length(parts) < MOST_WORDS - 20:
            parts.append(pen.thought("builder" if author.manner == "builder" else "analyst", slots, rng))
    said.append([book.say(f"end_{topic}", slots, rng), pen.thought("analyst", slots, rng)])
    before: WebPost | None = None
    for place, parts in enumerate(said):
        moment += rng.number(25, 160) if place else 0
        before = pen.post(author, moment, f"thread {topic}", parts, rng, before)
        yield before


def _steps(book: PhraseBook, passage: str, slots: Lazy, rng: Rng) -> Sequence[Written]:
    """Some of a passage's alternatives, no two the same, as they are dealt."""
    wanted = rng.number(*_STEPS)
    found: list[Written] = []
    for _ in range(wanted):
        said = book.say(passage, slots, rng)
        if all(said.text[:18] != other.text[:18] for other in found):
            found.append(said)
    return found


def _slots(truth: Truth, topic: str, author: Account, moment: int, pen: Pen, rng: Rng) -> Lazy | None:
    """What a thread tells of; None where there is nothing to tell."""
    day, voice = day_of(truth, moment), pen.voice(author)
    coins, made = pen.coins(day), dict[str, Thunk | str]()
    own = [one for one in coins if one.role in truth.scene.projects and one.role in truth.scene.assets]
    one: Subject = rng.one(coins if topic == "market" else own)
    if topic == "unlock":
        calendar = rng.one([each for each in truth.metrics.emissions.all() if each.known_at < moment] or [None])
        if calendar is None:
            return None
        one, grant = truth.subjects[calendar.slug], rng.one(calendar.grants)
        midnight = moment - moment % DAY_S
        made = {
            "unlocked": lambda: truth.unlocked(calendar.role, midnight, voice.coins),
            "section": grant.section.lower(),
            "cliff_day": day_words(grant.schedule.cliff),
            "end_day": day_words(grant.schedule.end),
            "total": voice.coins(Fraction(grant.schedule.total, 10**18)).words,
        }
    coin = coin_slots(truth, one, moment, voice, rng, coins, may_be_old=False)
    slots = coin | place_slots(truth, one) | stake_slots(truth, one.role, moment, voice) | made
    if topic == "protocol":
        protocols = [each for each in truth.metrics.protocols if each.role]
        protocol = rng.one(protocols)
        found = protocol_slots(truth, protocol, moment, voice, rng)
        if found is None or "tvl_day" not in found:
            return None
        subject = truth.subject(protocol.role)
        other = coin_slots(truth, subject, moment, voice, rng, coins, may_be_old=False)
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


_DAILY: Final = (("builder", 170), ("question", 120), ("complaint", 100), ("joke", 120), ("opinion", 120),
                 ("support", 60), ("launch", 45), ("life", 85), ("scam", 40), ("bridge", 55),
                 ("rumour", 45))  # fmt: skip
"""What is posted in a hundred days."""
_CLAIMS: Final = 26
_CLAIM_DAYS: Final = 24


def talk(truth: Truth) -> Iterator[WebPost]:
    """Everything builders and holders say."""
    pen, book = Pen(truth, "talk"), PhraseBook("social_talk", truth.seed)
    for day in range(1, truth.days):
        plan = truth.rng(f"social/talk/{day}")
        for kind, in_hundred in _DAILY:
            for count in range(in_hundred // 100 + plan.happens(in_hundred % 100)):
                made = _said(truth, pen, book, kind, day, truth.rng(f"social/talk/{day}/{kind}/{count}"))
                if made:
                    yield made
    for at, deed in truth.happened("opened airdrop"):
        first = (at - truth.begun) // DAY_S + 1
        for count in range(_CLAIMS):
            rng = truth.rng(f"social/talk/airdrop/{count}")
            day = min(first + rng.number(0, _CLAIM_DAYS), truth.days - 2)
            made = _said(truth, pen, book, "airdrop", day, rng, deed)
            if made:
                yield made


def _said(truth: Truth, pen: Pen, book: PhraseBook, kind: str, day: int, rng: Rng,
          airdrop: ChainEvent | None = None) -> WebPost | None:  # fmt: skip
    builds = kind == "builder" or (kind in ("opinion", "life", "scam") and rng.happens(25))
    author = pen.somebody(rng, "builder") if builds else pen.somebody(rng, "holder", "holder", "trader")
    moment = pen.moment(author, day, rng)
    if moment > pen.last:
        return None
    role = airdrop.subject if airdrop else rng.one(ROLES)
    if kind == "bridge":
        role = "bridge"
    if role == "dollar" and kind in ("opinion", "joke", "complaint"):
        role = "exchange"
    one = truth.subject(role)
    slots = project_slots(truth, one, moment, author, pen, rng) | _told_of(truth, kind, moment, rng)
    if airdrop:
        slots = slots | {"day": number.short_day(airdrop.figure("deadline")).rpartition(" ")[0]}
    protocol = truth.metrics.protocol(truth.subject("bridge").id)
    if kind == "bridge" and protocol is not None:
        midnight, money = truth.midnight(day), pen.voice(author).money
        slots = slots | {"tvl": lambda: truth.tvl(protocol.slug, midnight, money)}
    if not book.has(kind, slots):
        return None
    manner = "builder" if builds else "holder"
    said = pen.told(book, kind, slots, rng, manner, "lead_talk", f"tail_{manner}")
    return pen.post(author, moment, kind, said, rng, rumour=one.id if kind == "rumour" else "")


def _told_of(truth: Truth, kind: str, moment: int, rng: Rng) -> dict[str, Thunk | str]:
    """Small tokens that were launched by then, and what thieves have done."""
    made: dict[str, Thunk | str] = {}
    launched = [str(dict(deed.figures)["name"]) for at, deed in truth.happened("launched") if at <= moment]
    if launched:
        made["launch"] = rng.one(launched)
    if kind == "scam":
        lost = [(at, deed) for verb in ("paid a look-alike", "drained") for at, deed in truth.happened(verb)
                if moment - 12 * DAY_S <= at <= moment]  # fmt: skip
        if lost:
            at, deed = rng.one(lost)
            figures = dict(deed.figures)
            written = number.exact(deed.figure("amount") // 10**6)
            made["amount"] = lambda: other_claim(truth.subject("dollar").id, at, written.words)
            if "meant" in figures:
                made |= {"lookalike": str(figures["looks_like"]), "meant": str(figures["meant"])}
    return made


def posts(truth: Truth) -> tuple[WebPost, ...]:
    """All posts, sorted by moment and id; each knows how many answered it."""
    first = [*social_market.posts(truth), *social_project.posts(truth), *talk(truth),
             *threads(truth)]  # fmt: skip
    made = [*first, *social_answer.posts(truth, first)]
    return counted(sorted(made, key=lambda one: (one.post.created, one.post.id)))

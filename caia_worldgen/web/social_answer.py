"""Answers: people agree, object, ask, joke and help below others' posts, and correct figures that are wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.web.cast import Account
from caia_worldgen.web.page import Told, WebPost
from caia_worldgen.web.prose import PhraseBook, Slots
from caia_worldgen.web.social_fact import Lazy, coin_slots, day_words, place_slots
from caia_worldgen.web.social_pen import HOUR_S, Pen, day_of
from caia_worldgen.web.truth import ROLES, Form, Subject, Truth, mistaken

_TICKER: Final = re.compile(r"\$([A-Z]{3,6})\b")
_USUAL: Final = ("agree", "disagree", "ask", "joke_reply")
_PERCENT: Final[Mapping[str, tuple[int, tuple[str, ...]]]] = {
    "question": (46, ("answer", "answer", "answer", "official", "agree")),
    "support": (16, ("agree", "official", "ask")),
    "complaint": (32, ("official", "agree", "ask", "disagree")),
    "bridge": (28, ("answer", "official", "agree", "joke_reply")),
    "airdrop": (30, ("answer", "agree", "joke_reply")),
    "joke": (11, ("joke_reply", "agree")),
    "life": (10, ("joke_reply", "agree")),
    "crash": (45, ("to_crash",)),
    "after": (20, ("to_crash", "agree", "disagree")),
    "bot": (2, ("to_bot",)),
    "rumour": (20, ("ask", "disagree", "joke_reply")),
    "opinion": (20, ("agree", "disagree", "disagree", "ask")),
    "builder": (10, ("agree", "ask", "answer")),
}
"""How many of a hundred posts of a kind are answered, and by which passages."""
_BY_MANNER: Final[Mapping[str, tuple[int, tuple[str, ...]]]] = {
    "project": (20, ("to_project", "to_project", "ask")),
    "outlet": (10, ("to_outlet", "to_outlet", "disagree")),
    "analyst": (7, _USUAL),
    "trader": (6, _USUAL),
}
_AGAIN_PERCENT: Final = 28
"""How often an answer is answered; by the first author in half of the cases."""
_DEPTH: Final = 5
_DISPUTES_IN_HUNDRED_DAYS: Final = 76
_CORRECTED_PERCENT: Final = 72
_ADMITTED_PERCENT: Final = 55


@dataclass(frozen=True, slots=True)
class _Wrong:
    """What somebody gets wrong: the figure, how it is written, and what it is called and when it was so."""

    told: Told
    form: Form
    passage: str
    what: str
    when: str


def posts(truth: Truth, others: Sequence[WebPost]) -> Iterator[WebPost]:
    """Answers to ``others``, and disputes of their own."""
    pen, book = Pen(truth, "answer"), PhraseBook("social_thread", truth.seed)
    accounts = {one.handle: one for one in truth.cast.accounts}
    for root in others:
        if root.post.reply_to or root.post.language != "en":
            continue
        author = accounts[root.post.author]
        percent, passages = _PERCENT.get(root.kind) or _BY_MANNER.get(author.manner, (5, _USUAL))
        rng = truth.rng(f"social/answer/{root.post.id}")
        if rng.happens(percent):
            yield from _talk(truth, pen, book, root, author, passages, rng)
    for day in range(3, truth.days):
        rng = truth.rng(f"social/dispute/{day}")
        if rng.happens(_DISPUTES_IN_HUNDRED_DAYS):
            yield from _dispute(truth, pen, book, day, rng)


def _talk(truth: Truth, pen: Pen, book: PhraseBook, root: WebPost, first: Account, passages: Sequence[str],
          rng: Rng) -> Iterator[WebPost]:  # fmt: skip
    """One to three people answer, and now and then it goes on below them."""
    subject = _subject_of(truth, root, rng)
    for _ in range(1 if rng.happens(62) else rng.number(2, 3)):
        before, to, depth = root, first, 0
        while True:
            passage = rng.one(passages) if depth == 0 else rng.one(_USUAL)
            speaker = first if depth and to is not first and rng.happens(50) and first.manner != "bot" else None
            if passage == "official":
                speaker = truth.cast.account_of(subject.id) if subject.role in ROLES else None
                passage = passage if speaker and speaker is not to else "answer"
            if speaker is None or (speaker.manner in ("outlet", "project") and passage in _USUAL):
                speaker = pen.somebody(rng, "holder", "trader", "builder", "analyst", besides=(to.handle,))
            made = _answer(truth, pen, book, before, to, speaker, passage, subject, rng)
            if made is None:
                return
            yield made
            before, to, depth = made, speaker, depth + 1
            if depth >= _DEPTH or not rng.happens(_AGAIN_PERCENT):
                break


def _answer(truth: Truth, pen: Pen, book: PhraseBook, before: WebPost, to: Account, speaker: Account, passage: str,
            subject: Subject, rng: Rng) -> WebPost | None:  # fmt: skip
    moment = before.post.created + rng.number(50, rng.one((1_800, 9_000, 40_000)))
    if moment > pen.last:
        return None
    coins = pen.coins(day_of(truth, moment))
    coin = coin_slots(truth, subject, moment, pen.voice(speaker), rng, coins, may_be_old=False)
    slots = coin | place_slots(truth, subject) | {"to": f"@{to.handle}"}
    if not book.has(passage, slots):
        return None
    manner = "project" if speaker.manner == "project" else "reply"
    said = pen.told(book, passage, slots, rng, manner)
    return pen.post(speaker, moment, "answer", said, rng, before)


def _subject_of(truth: Truth, root: WebPost, rng: Rng) -> Subject:
    """The coin a post speaks of, or one of the story's."""
    tickers = {one.ticker: one for one in truth.subjects.values()}
    named = [tickers[hit] for hit in _TICKER.findall(root.post.text) if hit in tickers]
    fit = [one for one in named if one.role != "wrapped" and one.listed_at + HOUR_S <= root.post.created]
    return fit[0] if fit else truth.subject(rng.one([role for role in ROLES if role != "dollar"]))


def _dispute(truth: Truth, pen: Pen, book: PhraseBook, day: int, rng: Rng) -> Iterator[WebPost]:
    """Somebody tells a wrong figure; most are corrected, and many admit it."""
    author = pen.somebody(rng, "trader", "holder", "analyst")
    moment = pen.moment(author, day, rng)
    if moment + 12 * HOUR_S > pen.last:
        return
    subject = rng.one(pen.coins(day))
    wrong = _wrong(truth, subject, moment, pen, author, rng)
    if wrong is None:
        return
    error = mistaken(wrong.told, wrong.form, rng)
    if error.words == wrong.told.words:
        return
    about = Lazy({"wrong": error.words, "right": wrong.told.words, "what": wrong.what, "when": wrong.when}) | {
        "wrong": lambda: error, "right": lambda: wrong.told}  # fmt: skip
    coin = coin_slots(truth, subject, moment, pen.voice(author), rng, pen.coins(day), may_be_old=False)
    name = {"name": wrong.what} if wrong.passage == "claim_tvl" else {}
    manner = "analyst" if author.manner == "analyst" else author.manner
    root = pen.post(author, moment, "claim", pen.told(book, wrong.passage, coin | about | name, rng, manner), rng)
    yield root
    if not rng.happens(_CORRECTED_PERCENT):
        return
    other = pen.somebody(rng, "analyst", "holder", "builder", besides=(author.handle,))
    at = moment + rng.number(200, 5 * HOUR_S)
    slots: Slots = coin | about | {"to": f"@{author.handle}"}
    correction = pen.post(other, at, "correction", pen.told(book, "correct", slots, rng, "reply"), rng, root)
    yield correction
    if rng.happens(_ADMITTED_PERCENT):
        slots = coin | about | {"to": f"@{other.handle}"}
        said = pen.told(book, "fixed", slots, rng, "reply")
        yield pen.post(author, at + rng.number(100, 3 * HOUR_S), "admission", said, rng, correction)
    elif rng.happens(50):
        made = _answer(
            truth, pen, book, correction, other, author, rng.one(("disagree", "ask", "joke_reply")), subject, rng
        )
        if made is not None:
            yield made


def _wrong(truth: Truth, one: Subject, moment: int, pen: Pen, author: Account, rng: Rng) -> _Wrong | None:
    voice, hour = pen.voice(author), moment - moment % HOUR_S
    midnight = moment - moment % DAY_S
    kind = rng.one(("price", "price", "supply", "cap", "tvl"))
    then = f"on {day_words(hour)} at {hour % DAY_S // HOUR_S:02d}:00 UTC"
    if kind == "tvl":
        protocols = [each for each in truth.metrics.protocols if _large(truth, each.slug, midnight)]
        if not protocols:
            return None
        protocol = rng.one(protocols)
        told = truth.tvl(protocol.slug, midnight, voice.money)
        return _Wrong(told, voice.money, "claim_tvl", protocol.name, f"at 00:00 UTC on {day_words(midnight)}")
    if kind == "price":
        return _Wrong(truth.price(one.id, hour, voice.price), voice.price, "claim_price", f"${one.ticker}", then)
    if kind == "cap":
        return _Wrong(truth.cap(one.id, hour, voice.money), voice.money, "claim_cap", f"the {one.ticker} cap", then)
    told = truth.supply(one.id, hour, voice.coins)
    return _Wrong(told, voice.coins, "claim_supply", f"${one.ticker} supply", f"on {day_words(hour)}")


def _large(truth: Truth, slug: str, midnight: int) -> bool:
    claim = truth.tvl(slug, midnight).claim
    return claim is not None and isinstance(claim.value, Fraction) and claim.value > 1_000

"""What the Chinese accounts of the social network post: traders of prices, analysts of figures, newsrooms in a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from caia_replay.core.world import Post
from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.cast import Account
from caia_worldgen.web.chinese_fact import HOUR_S, ChineseFacts, other
from caia_worldgen.web.chinese_press import closed
from caia_worldgen.web.event import FactSheet
from caia_worldgen.web.page import WebPost, post_id
from caia_worldgen.web.prose import PhraseBook
from caia_worldgen.web.truth import Truth, rumoured

_LANE: Final = 8 << 18
"""Where the numbers of these posts begin; other writers' numbers are below."""
_PASSAGES: Final = {"trader": ("price", "price", "price", "mood", "chain"), "analyst": ("figure", "figure", "chain"),
                    "outlet": ("line",)}  # fmt: skip
_RUMOUR_PERCENT: Final = 4
_REPLY_PERCENT: Final = 27
_ECHO: Final = {"trader": (30, 6), "analyst": (70, 16), "outlet": (44, 14)}
"""Manner -> most likes and most reposts."""


def posts(truth: Truth) -> Iterator[WebPost]:
    """Every Chinese post, in the order of writing; answers right after what they answer."""
    book, facts, count = PhraseBook("chinese_post", truth.seed), ChineseFacts(truth), 0
    last = truth.midnight(truth.days) - HOUR_S
    speakers = {manner: [one for one in truth.cast.accounts if one.language == "zh" and one.manner == manner]
                for manner in _PASSAGES}  # fmt: skip
    for day in range(1, truth.days):
        rng = truth.rng(f"zh-post/{day}")
        wanted = ["trader"] * rng.number(1, 3) + ["analyst"] * (rng.happens(75) + rng.happens(30))
        wanted += ["outlet"] * (rng.happens(45) + rng.happens(25))
        for manner in wanted:
            if not speakers[manner]:
                continue
            moment = truth.midnight(day) + rng.number(0, 23) * HOUR_S + rng.number(60, 3_599)
            made = _post(truth, book, facts, rng.one(speakers[manner]), moment, _LANE + count, rng)
            if moment >= last or made is None:
                continue
            count += 1
            others = [one for one in speakers["trader"] + speakers["analyst"] if one.handle != made.post.author]
            if not others or not rng.happens(_REPLY_PERCENT):
                yield made
                continue
            answered = moment + rng.number(40, 7_000)
            if answered >= last:
                yield made
                continue
            yield replace(made, post=replace(made.post, replies=max(1, made.post.replies or 0)))
            yield _answer(truth, book, facts, rng.one(others), made.post, answered, _LANE + count, rng)
            count += 1


def _post(
    truth: Truth, book: PhraseBook, facts: ChineseFacts, author: Account, moment: int, count: int, rng: Rng
) -> WebPost | None:
    passage = rng.one(_PASSAGES[author.manner])
    known = [
        id
        for id, one in sorted(truth.subjects.items())
        if one.role not in ("dollar", "wrapped") and facts.hour(moment) - 24 * HOUR_S >= max(one.listed_at, truth.begun)
    ]
    if len(known) < 2:
        return None
    lead, peer = rng.some(known, 2)
    slots = FactSheet(facts.chain(moment), facts.when(moment), facts.coin(peer, moment, rng, "_b"),
                      facts.coin(lead, moment, rng, slips=True))  # fmt: skip
    if author.manner != "outlet" and rng.happens(_RUMOUR_PERCENT):
        worth = number.chinese(rng.odd(400_000, 30_000_000, 2), 0).around(after="美元")
        slots, passage = FactSheet(slots, {"guess": rumoured(other(worth.words, lead, moment))}), "rumour"
    said = book.say(passage, slots, rng)
    most = _ECHO[author.manner]
    id = post_id(moment, count)
    post = Post(id, author.handle, closed(said.text), moment, id, language="zh", likes=rng.number(0, most[0]),
                reposts=rng.number(0, most[1]))  # fmt: skip
    return WebPost(post, passage, tuple(dict.fromkeys(said.claims)))


def _answer(
    truth: Truth, book: PhraseBook, facts: ChineseFacts, author: Account, to: Post, moment: int, count: int, rng: Rng
) -> WebPost:
    native = truth.subject("native").id
    slots = FactSheet(facts.chain(moment), facts.when(moment), facts.coin(native, moment, rng), {"to": to.author})
    said = book.say("answer", slots, rng)
    post = Post(post_id(moment, count), author.handle, closed(said.text), moment, to.thread, reply_to=to.id,
                language="zh", likes=rng.number(0, 9))  # fmt: skip
    return WebPost(post, "answer", said.claims)

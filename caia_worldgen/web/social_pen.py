"""Who writes posts and how they come to be: accounts by manner, moments of their day, texts out of phrase books."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from caia_replay.core.world import Post
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.web.cast import Account
from caia_worldgen.web.page import Claim, WebPost, post_id
from caia_worldgen.web.prose import PhraseBook, Slots, Written
from caia_worldgen.web.social_fact import priced
from caia_worldgen.web.social_voice import Voice, voice_of
from caia_worldgen.web.truth import Subject, Truth

HOUR_S: Final = 3_600
MOST_WORDS: Final = 45
FEWEST_WORDS: Final = 5
LANES: Final = {"market": 1, "project": 2, "talk": 3, "thread": 4, "answer": 5, "matter": 6}
"""Writers by which part of the posts' numbers is theirs, so that none needs to know another's; 8 to 15 are free."""
_SECOND: Final = {"trader": "trader2", "analyst": "analyst2", "holder": "holder2", "outlet": "outlet2",
                  "reply": "holder2"}  # fmt: skip
"""Manner -> where else its second thoughts stand."""
_FORMAL: Final = frozenset({"outlet", "project"})
"""Who does not begin a sentence with a personal word."""
_TRIES: Final = 3
_NAMES: Final = re.compile(r"https?://\S+|[@#$]\S+|[A-Z]\w*|\d[\d.,:]*")
"""What differs in posts that use the same words: names, figures, addresses."""
_LANE: Final = 1 << 18
_ECHO: Final = {"outlet": (0, 60, 18), "project": (2, 90, 24), "bot": (0, 4, 2), "analyst": (0, 45, 12),
                "trader": (0, 30, 6), "builder": (0, 24, 6), "holder": (0, 16, 3)}  # fmt: skip
"""Manner -> fewest and most likes, and most reposts, of an ordinary post."""


class Pen:
    """One writer's pen: what it writes is numbered in the order of writing."""

    def __init__(self, truth: Truth, writer: str) -> None:
        """``writer`` is one of ``LANES``."""
        self._truth = truth
        self._lane = LANES[writer]
        self._count = 0
        self._voices: dict[str, Voice] = {}
        self._casts: dict[tuple[str, ...], list[Account]] = {}
        self._more = PhraseBook("social_more", truth.seed)
        self._said: dict[tuple[PhraseBook, str], tuple[list[int], dict[tuple[str, ...], list[int]]]] = {}
        """Of each passage: how many shingles each text had, and which texts a shingle stands in."""
        self._coins: dict[int, tuple[Subject, ...]] = {}

    def voice(self, account: Account) -> Voice:
        """How an account writes."""
        if account.handle not in self._voices:
            self._voices[account.handle] = voice_of(self._truth, account)
        return self._voices[account.handle]

    def somebody(self, rng: Rng, *manners: str, besides: Sequence[str] = ()) -> Account:
        """An account of one of these manners that writes English; chatty ones come more often. ``besides`` are
        handles that it must not be."""
        if manners not in self._casts:
            fit = [one for one in self._truth.cast.accounts if one.manner in manners and one.language == "en"]
            self._casts[manners] = [one for one in fit for _ in range(self.voice(one).chatty)]
        return rng.one([one for one in self._casts[manners] if one.handle not in besides])

    def coins(self, day: int) -> tuple[Subject, ...]:
        """What people speak of on a day because it has a price."""
        if day not in self._coins:
            self._coins[day] = priced(self._truth, day)
        return self._coins[day]

    def moment(self, account: Account, day: int, rng: Rng) -> int:
        """Some moment of a day of the story at which an account is awake."""
        hour = (self.voice(account).wakes + rng.number(0, 15)) % 24
        return self._truth.midnight(day) + hour * HOUR_S + rng.number(0, HOUR_S - 1)

    @property
    def last(self) -> int:
        """The last moment anybody writes."""
        return self._truth.midnight(self._truth.days) - HOUR_S

    def told(self, book: PhraseBook, main: str, slots: Slots, rng: Rng, manner: str, lead: str = "",
             tail: str = "") -> list[Written]:  # fmt: skip
        """What a post says: ``main`` with a lead, a tail or a second thought of ``manner``, as chance has it.

        What this pen has said before in the same words never stands alone again: something longer follows it.
        """
        said, is_new = self._new(book, main, slots, rng)
        parts = [said]
        if not is_new or not tail or rng.happens(55) or not book.has(tail, slots):
            parts.append(self.thought(manner, slots, rng))
        else:
            parts.append(book.say(tail, slots, rng))
        if lead and rng.happens(18) and book.has(lead, slots):
            parts.insert(0, book.say(lead, slots, rng))
        if length(parts) < 2 * FEWEST_WORDS or (not is_new and manner in _FORMAL):
            parts.append(self.thought(manner, slots, rng))
        while length(parts) > MOST_WORDS and len(parts) > 1:
            parts.pop(0 if parts[0] is not said else -1)
        return parts

    def thought(self, manner: str, slots: Slots, rng: Rng) -> Written:
        """A sentence of a manner that makes a post unlike others that begin as it does."""
        passage = rng.one([name for name in (manner, _SECOND.get(manner, manner)) if self._more.has(name, slots)])
        said = self._more.say(passage, slots, rng)
        if manner not in _FORMAL and (passage != manner or rng.happens(60)):
            before = self._more.say("prefix", slots, rng)
            text = said.text if said.text.startswith(("I ", "I'", "$")) else said.text[:1].lower() + said.text[1:]
            return Written(f"{before.text} {text}", (*before.claims, *said.claims))
        return said

    def _new(self, book: PhraseBook, passage: str, slots: Slots, rng: Rng) -> tuple[Written, bool]:
        """A passage unlike what it was before, and whether it is: after some tries the last one has to do."""
        before, holders = self._said.setdefault((book, passage), ([], {}))
        for _ in range(_TRIES):
            said = _spelt(book.say(passage, slots, rng))
            words = _NAMES.sub("0", said.text).lower().split()
            bones = frozenset(tuple(words[at : at + 3]) for at in range(max(1, len(words) - 2)))
            shared = Counter(place for bone in bones for place in holders.get(bone, ()))
            if all(20 * count < 11 * (len(bones) + before[place] - count) for place, count in shared.items()):
                for bone in bones:
                    holders.setdefault(bone, []).append(len(before))
                before.append(len(bones))
                return said, True
        return said, False

    def post(self, author: Account, moment: int, kind: str, said: Sequence[Written], rng: Rng,
             after: WebPost | None = None, rumour: str = "") -> WebPost:  # fmt: skip
        """A post; ``after`` is what it answers, ``rumour`` the subject of which it tells something nobody knows."""
        claims = tuple(claim for one in said for claim in one.claims)
        text = self.voice(author).finish([one.text for one in said], claims, rng)
        if rumour:
            claims += (Claim("other", rumour, moment, text, text, Fraction(0), "rumour"),)
        self._count += 1
        id = post_id(moment, self._lane * _LANE + self._count)
        fewest, likes, reposts = _ECHO[author.manner]
        liked = rng.number(fewest, likes) * rng.number(1, 9 if rng.happens(6) else 2)
        return WebPost(
            Post(id, author.handle, text, moment, after.post.thread if after else id, after.post.id if after else "",
                 "en", liked, rng.number(0, reposts) * liked // max(1, likes)),
            kind,
            claims,
        )  # fmt: skip


def _spelt(said: Written) -> Written:
    """Addresses, versions and the like keep their small letter where a sentence begins with them."""
    first = said.text.partition(" ")[0]
    if any(sign in first for sign in ("://", "/")) or re.match(r"V\d", first):
        return Written(said.text[0].lower() + said.text[1:], said.claims)
    return said


def length(said: Sequence[Written]) -> int:
    """How many words it has."""
    return sum(len(one.text.split()) for one in said)


def counted(posts: Sequence[WebPost]) -> tuple[WebPost, ...]:
    """The posts with the number of their answers filled in."""
    answers: dict[str, int] = {}
    for made in posts:
        answers[made.post.reply_to] = answers.get(made.post.reply_to, 0) + 1
    return tuple(replace(made, post=replace(made.post, replies=answers.get(made.post.id, 0))) for made in posts)


def day_of(truth: Truth, moment: int) -> int:
    """Which day of the story a moment is in."""
    return (moment - truth.begun) // DAY_S

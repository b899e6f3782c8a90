"""Timelines and mentions of X API v2: which stretch of a list recorded pages prove, and pages cut out of it.

A list runs from the newest post down. A page proves that between its first and its last post there is nothing else; one
that was asked for without a token proves so up to the newest, one that leads nowhere down to the oldest, and one whose
token another page handed out up to that page. What is not proven by one page or several together is a miss.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from caia_replay.errors import Miss
from caia_replay.providers.x.item import Item, ParsedReply
from caia_replay.providers.x.request import Window, is_number, moment_of

Place = tuple[float, int]
"""A post's moment and number, which the list is sorted by; bounds have number 0."""

TOP: Final[Place] = (math.inf, 0)
BOTTOM: Final[Place] = (-math.inf, 0)
SHOWN: Final = 800
"""The vendor ends the longest lists here or later, however far they really go back."""
_ONWARD, _BACK = 0, 1


@dataclass(frozen=True, slots=True)
class Stretch:
    """A proven part of a list: between ``low`` and ``high`` there are no posts of ``window`` but ``items``."""

    window: Window
    low: Place
    high: Place
    items: dict[Place, Item]
    reply: ParsedReply


def stretches_of(tellings: Sequence[ParsedReply]) -> list[Stretch]:
    """What each page proves, in the order given; nothing for pages without dates, or out of order."""
    pages = [(entry, places) for entry in tellings if (places := _places(entry)) is not None]
    led: dict[tuple[Window, str], Place] = {}
    for found, places in pages:
        token = found.meta.get("next_token") if found.meta else None
        if isinstance(token, str) and places:
            led.setdefault((found.question.window, token), places[-1])
    made = []
    for found, places in pages:
        window, goes_on = found.question.window, bool(found.meta and found.meta.get("next_token"))
        token = found.question.token
        known = led.get((window, token)) if token else TOP
        own = place_of(token) if known is None else None
        if own is not None and own[0] == _ONWARD:
            known = own[1]
        if not places and (known is None or goes_on):
            continue
        high = places[0] if known is None else known
        low = places[-1] if goes_on or known is None else BOTTOM
        if known is None and own is not None and places and own[1] < places[-1]:
            low = own[1]
        if places and not places[0] <= high:
            continue
        made.append(Stretch(window, low, high, dict(zip(places, found.posts)), found))
    if len({place for one in made for place in one.items}) < SHOWN:
        return made
    return [Stretch(one.window, min(one.items, default=one.high), one.high, one.items, one.reply) for one in made]


def _places(reply: ParsedReply) -> list[Place] | None:
    if reply.meta is None or (reply.errors and not reply.posts):
        return None
    moments = [moment_of(post.get("created_at")) for post in reply.posts]
    places: list[Place] = []
    for post, moment in zip(reply.posts, moments):
        if moment is None or not is_number(post["id"]):
            return None
        places.append((moment, int(post["id"])))
    return places if all(upper > lower for upper, lower in pairwise(places)) else None


def place_of(token: str) -> tuple[int, Place] | None:
    """Direction and place of a token that says both, as those made here do; None for any other."""
    try:
        raw = base64.b32hexdecode(token.upper())
    except (binascii.Error, ValueError):
        return None
    if len(raw) != 15 or raw[0] not in (_ONWARD, _BACK) or token != token.lower():
        return None
    return raw[0], (int.from_bytes(raw[1:7], "big"), int.from_bytes(raw[7:], "big"))


def token_of(direction: int, place: Place) -> str:
    """The token of a place."""
    raw = bytes([direction]) + int(place[0]).to_bytes(6, "big") + place[1].to_bytes(8, "big")
    return base64.b32hexencode(raw).decode().lower()


@dataclass(slots=True)
class Pile:
    """Stretches that do not contradict each other, seen from one window at ``now``."""

    window: Window
    now: int
    items: dict[Place, Item] = field(default_factory=dict)
    _taken: list[Stretch] = field(default_factory=list)

    def add(self, stretch: Stretch) -> None:
        """Take a stretch in, unless it does not hold the whole window, or contradicts what was taken before."""
        if not stretch.window.contains(self.window):
            return
        mine = {place: post for place, post in stretch.items.items()
                if place[0] <= self.now and self.window.holds(int(place[0]), place[1])}  # fmt: skip
        # Both ends are posts of its own, or of the page before or after it.
        lacks = any(stretch.low < place < stretch.high and place not in mine for place in self.items)
        adds = any(one.low < place < one.high and place not in self.items for one in self._taken for place in mine)
        if not lacks and not adds:
            self._taken.append(stretch)
            self.items |= mine

    def page(self, size: int, token: tuple[int, Place] | None, wanted: str) -> tuple[list[Item], dict[str, Any]]:
        """A page and its ``meta``. Raises ``Miss`` where the pile does not prove it."""
        places = sorted(self.items, reverse=True)
        top = min((self.now + 1, 0), TOP if self.window.end is None else (self.window.end, 0))
        bottom = BOTTOM if self.window.start is None else (self.window.start, 0)
        if token is not None and not bottom <= token[1] <= top:
            raise Miss("http", wanted, "the token is of a place outside the window")
        if token is not None and token[0] == _BACK:
            above = [place for place in places if place > token[1]]
            shown = above[-size:]
            self._require(token[1], above[-size - 1] if len(above) > size else top, wanted)
        else:
            below = places if token is None else [place for place in places if place < token[1]]
            shown = below[:size]
            start = top if token is None else min(top, token[1])
            self._require(below[size] if len(below) > size else bottom, start, wanted)
        if not shown:
            return [], {"result_count": 0}
        if places[0] == shown[0]:
            self._require(shown[0], top, wanted)
        if places[-1] == shown[-1]:
            self._require(bottom, shown[-1], wanted)
        meta = {
            "result_count": len(shown),
            "newest_id": str(self.items[shown[0]]["id"]),
            "oldest_id": str(self.items[shown[-1]]["id"]),
        }
        if places[-1] != shown[-1]:
            meta["next_token"] = token_of(_ONWARD, shown[-1])
        if places[0] != shown[0]:
            meta["previous_token"] = token_of(_BACK, shown[0])
        return [self.items[place] for place in shown], meta

    def _require(self, low: Place, high: Place, wanted: str) -> None:
        """Raise ``Miss`` unless nothing between the two places can be unknown."""
        reached = low
        for one in sorted(self._taken, key=lambda one: one.low):
            if one.low <= reached:
                reached = max(reached, one.high)
        if reached < high:
            where = f"{len(self.items)} posts of that window are recorded, in {len(self._taken)} stretches"
            raise Miss("http", wanted, where)


def pile_of(stretches: Iterable[Stretch], window: Window, now: int) -> Pile:
    """Everything about a window that can be put together, the first given counting most."""
    pile = Pile(window, now)
    for stretch in stretches:
        pile.add(stretch)
    return pile


def token_place(token: str, stretches: Sequence[Stretch]) -> tuple[int, Place] | None:
    """Where an asked token leads, by what it says itself or by the page that handed it out; None for any other."""
    own = place_of(token)
    if own is not None:
        return own
    for one in stretches:
        meta = one.reply.meta or {}
        if one.items and meta.get("next_token") == token:
            return _ONWARD, min(one.items)
        if one.items and meta.get("previous_token") == token:
            return _BACK, max(one.items)
    return None

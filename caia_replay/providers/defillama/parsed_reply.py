"""Recorded pages of prices, read: what each was asked and tells of a coin, and what they settle together.

Every page of prices is a mapping of coins. One that holds anything else, such as a message, is not taken apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.defillama.request import DefiLlamaRequest, fold, read
from caia_replay.providers.endpoint import answered_at, content_of, is_of_now, utc

Found = tuple[Any] | None
"""What a recording settles of a coin: its item, or None where it settles that there is none."""


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """One recording, read: its question, the coins it was asked about and those it tells of, by folded key."""

    asked: DefiLlamaRequest
    knows: frozenset[str]
    content: Any
    coins: Mapping[str, Any]
    reply: HttpReply
    at: int | None
    of_now: bool

    def of(self, coin: str) -> Any:
        """What it tells of the coin, or None where it leaves the coin out."""
        key = fold(coin)
        item = self.coins.get(key)
        if item is None and key in self.coins:
            raise Unsettled(lambda: "recorded is null in place of a price")
        return item

    def when(self) -> str:
        """When it was made, for the words of a miss."""
        return "at an unknown time" if self.at is None else f"at {utc(self.at)}"


class Unsettled(Exception):
    """Why a recording does not settle a coin: a function that says so, called for the last of many only."""

    def __str__(self) -> str:
        return str(self.args[0]())


def parsed_reply(found: Recorded, now: int) -> ParsedReply | None:
    """A recording of prices; None for one that has another shape."""
    if found.reply.status != 200:
        return None
    try:
        asked, content = read(found.request), content_of(found.reply)
    except Miss:
        return None
    coins = content.get("coins") if isinstance(content, dict) and len(content) == 1 else None
    if not isinstance(coins, dict) or not asked.parts:
        return None
    by_key = {fold(key): item for key, item in coins.items()}
    if len(by_key) < len(coins) and any(by_key[fold(key)] != item for key, item in coins.items()):
        return None
    knows = frozenset(map(fold, asked.coins))
    return ParsedReply(asked, knows, content, by_key, found.reply, answered_at(found.reply), is_of_now(found, now))


def nearest_first(recorded: Sequence[Recorded], now: int) -> list[Recorded]:
    """The recordings by how far from now they were made; those that do not say so last."""

    def distance(found: Recorded) -> tuple[bool, int]:
        at = answered_at(found.reply)
        return at is None, abs((at or 0) - now)

    return sorted(recorded, key=distance)


def settled(
    known: Sequence[ParsedReply], asked: DefiLlamaRequest, coin: str, one_of: Callable[[ParsedReply], Found]
) -> tuple[ParsedReply, Found]:
    """What the recordings settle of a coin, and which did first.

    One made about now says what is the case. All others have to agree. Raises ``Miss`` with the last reason.
    """
    why: object = f"no recording of {coin}"
    first: tuple[ParsedReply, Found] | None = None
    for one in known:
        try:
            found = one_of(one)
        except (Unsettled, Miss) as reason:
            why = reason
            continue
        if first is None:
            first = one, found
            if one.of_now:
                return first
        elif first[1] != found:
            raise _missed(asked, coin, f"what is recorded {first[0].when()} and {one.when()} contradicts each other")
    if first is None:
        raise _missed(asked, coin, str(why))
    return first


def moment_of(item: Any) -> int:
    """The moment of a note of a price. Raises ``Unsettled`` when it has none."""
    moment = item.get("timestamp") if isinstance(item, dict) else None
    if type(moment) is not int:
        raise Unsettled(lambda: "recorded is a price without its moment")
    return moment


def absent(moment: int, width: int, reply: ParsedReply, now: int) -> Found:
    """Nothing within ``width`` of a moment when it was recorded, so nothing at ``now`` either, or ``Unsettled``."""
    if reply.at is None or (reply.at < now and reply.at <= moment + width):
        raise Unsettled(lambda: f"recorded {reply.when()}, when {utc(moment)} had no price yet")
    return None


def _missed(asked: DefiLlamaRequest, coin: str, why: str) -> Miss:
    return Miss("http", f"{asked.page} price of {coin} ({asked.words():.200})", why)

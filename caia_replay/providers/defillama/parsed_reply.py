"""Recorded pages of prices, read: what each was asked and tells of a coin, and what they settle together.

Every page of prices is a mapping of coins. One that holds anything else, such as a message, is not taken apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.defillama.request import DefiLlamaRequest, fold, read
from caia_replay.providers.endpoint import answered_at, content_of, is_of_now, utc

T = TypeVar("T")
F = TypeVar("F")
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


def agreed(
    items: Iterable[T], tell: Callable[[T], F], is_final: Callable[[T], bool], words: str, why: str,
    unlike: Callable[[T, T], str] = lambda one, other: "",
) -> tuple[T, F]:  # fmt: skip
    """What the recordings tell, and which did first; one that is final says what is the case, all others have to agree.

    Raises ``Miss`` with the last reason for which one tells nothing (at first ``why``), or ``unlike`` where two differ.
    """
    reason: object = why
    first: tuple[T, F] | None = None
    for one in items:
        try:
            found = tell(one)
        except (Unsettled, Miss) as fault:
            reason = fault
            continue
        if first is None:
            first = one, found
            if is_final(one):
                return first
        elif first[1] != found:
            raise Miss("http", words, unlike(first[0], one))
    if first is None:
        raise Miss("http", words, str(reason))
    return first


def settled(
    known: Sequence[ParsedReply], asked: DefiLlamaRequest, coin: str, one_of: Callable[[ParsedReply], Found]
) -> tuple[ParsedReply, Found]:
    """What the recordings settle of a coin, and which did first; those made about now are final. Raises ``Miss``."""

    def unlike(one: ParsedReply, other: ParsedReply) -> str:
        return f"what is recorded {one.when()} and {other.when()} contradicts each other"

    words = f"{asked.page} price of {coin} ({asked.words():.200})"
    return agreed(known, one_of, lambda one: one.of_now, words, f"no recording of {coin}", unlike)


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

"""What is the case now: prices, tickers, the list of symbols, the order book. Recorded at that moment, or a miss.

One symbol is told by a list of all; a list of all is never put together. The vendor does not say in which order it
names some of all symbols: they are handed out in the order of the recorded list.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import Endpoint, answered_at, content_of, derived, is_of_now, utc

SYMBOLS: Final = ("symbol", "symbols")


def answered_now(recorded: Iterable[tuple[Recorded, Endpoint]], now: int) -> list[tuple[Recorded, Endpoint]]:
    """Answers made at the world's moment, the nearest first."""
    found = [(made, asked) for made, asked in recorded if made.reply.status == 200 and is_of_now(made, now)]
    return sorted(found, key=lambda pair: abs((answered_at(pair[0].reply) or 0) - now))


def some_of_all(recorded: Iterable[tuple[Recorded, Endpoint]], asked: Endpoint, now: int) -> HttpReply:
    """A list, or the entries of some of its symbols. Raises ``Miss``."""
    wanted, what = wanted_symbols(asked), f"{asked.words()} at {utc(now)}"
    for made, question in answered_now(recorded, now):
        if question.parameters == asked.parameters:
            return made.reply
        entries = _entries(made.reply)
        if wanted is None or entries is None or not wanted <= entries.keys():
            continue
        some = [entry for symbol, entry in entries.items() if symbol in wanted]
        content = strict_json(made.reply.body)
        if isinstance(content, dict):
            return derived({**content, "symbols": some}, made.reply)
        return derived(some[0] if "symbol" in asked.parameters else some, made.reply)
    raise Miss("http", what, _nearest(recorded))


def part_of_book(recorded: Iterable[tuple[Recorded, Endpoint]], asked: Endpoint, now: int, most: int) -> HttpReply:
    """The first offers of a recorded order book that is deep enough, or whole. Raises ``Miss``."""
    depth, what = _depth(asked, most), f"{asked.words()} at {utc(now)}"
    for made, question in answered_now(recorded, now):
        if question.parameters == asked.parameters:
            return made.reply
        content, recorded_depth = content_of(made.reply), _depth(question, most)
        if depth is None or recorded_depth is None or not isinstance(content, dict):
            continue
        bids, asks = content.get("bids"), content.get("asks")
        if not isinstance(bids, list) or not isinstance(asks, list):
            continue
        if depth <= recorded_depth or max(len(bids), len(asks)) < recorded_depth:
            return derived({**content, "bids": bids[:depth], "asks": asks[:depth]}, made.reply)
    raise Miss("http", what, _nearest(recorded))


def wanted_symbols(asked: Endpoint) -> frozenset[str] | None:
    """The symbols a request names; None when it names none, or badly."""
    given = [name for name in SYMBOLS if name in asked.parameters]
    if given == ["symbol"]:
        return frozenset({asked.parameters["symbol"]})
    if given == ["symbols"]:
        try:
            names = strict_json(asked.parameters["symbols"])
        except ValueError:
            return None
        if isinstance(names, list) and names and all(isinstance(name, str) for name in names):
            return frozenset(names) if len(set(names)) == len(names) else None
    return None


def _entries(reply: HttpReply) -> dict[str, Any] | None:
    """A recorded list by symbol, in its order; None for a reply that is no list."""
    try:
        content = strict_json(reply.body)
        entries = content["symbols"] if isinstance(content, dict) else content
        found = {entry["symbol"]: entry for entry in entries}
    except (ValueError, KeyError, TypeError):
        return None
    return found if len(found) == len(entries) else None


def _depth(asked: Endpoint, most: int) -> int | None:
    text = asked.parameters.get("limit", "100")
    return min(int(text), most) if text.isascii() and text.isdigit() and int(text[:9]) > 0 else None


def _nearest(recorded: Iterable[tuple[Recorded, Endpoint]]) -> str:
    """What is recorded of the same kind, for the words of a miss."""
    words = []
    for made, asked in recorded:
        at = answered_at(made.reply)
        words.append(f"{canonical_bytes(dict(asked.parameters)).decode():.120} at {'?' if at is None else utc(at)}")
    return f"recorded: {'; '.join(words[:4])}" if words else "nothing of that kind is recorded"

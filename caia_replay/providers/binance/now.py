"""What is the case now: prices, tickers, the list of symbols, the order book. Recorded at that moment, or a miss.

One symbol is told by a list of all; a list of all is never put together. The vendor does not say in which order it
names some of all symbols: they are handed out in the order of the recorded list.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.binance.series import number_of
from caia_replay.providers.endpoint import Endpoint, answered_at, derived, is_of_now, utc

SYMBOLS: Final = ("symbol", "symbols")
_STAMPS: Final = ("time", "timestamp", "serverTime", "openTime", "closeTime", "fundingTime", "T", "E")
"""Fields that say when something was; those of what is announced for later are none of them."""


def answered_now(recorded: Iterable[tuple[Recorded, Endpoint]], now: int) -> list[tuple[Recorded, Endpoint, Any]]:
    """Answers made at the world's moment with what they say, the nearest first; what is no answer is left out."""
    found = [(made, asked, said(made.reply)) for made, asked in recorded if is_of_now(made, now)]
    answers = [one for one in found if one[2] is not None]
    return sorted(answers, key=lambda one: abs((answered_at(one[0].reply) or 0) - now))


def said(reply: HttpReply) -> Any:
    """What an answer says; None for one that is an error, is not the vendor's, or was cut short."""
    try:
        content = strict_json(reply.body) if reply.status == 200 else None
    except ValueError:
        return None
    is_error = isinstance(content, dict) and type(content.get("code")) is int and "msg" in content
    return content if isinstance(content, list | dict) and not is_error else None


def is_later(content: Any, now: int) -> bool:
    """Whether something in an answer bears a moment after ``now``, or one in another unit than milliseconds."""
    return any(
        _moment(stamp) >= (now + 1) * 1000
        for entry in (content if isinstance(content, list) else [content])
        for stamp in ([entry.get(name) for name in _STAMPS] if isinstance(entry, dict) else entry[:1]
                      if isinstance(entry, list) else ())
    )  # fmt: skip


def some_of_all(
    recorded: Sequence[tuple[Recorded, Endpoint]], asked: Endpoint, now: int, names: Sequence[str] = SYMBOLS
) -> HttpReply:
    """A list, or the entries of some of its symbols, which ``names`` can name. Raises ``Miss``."""
    wanted, what = wanted_symbols(asked, names), f"{asked.words()} at {utc(now)}"
    for made, question, content in answered_now(recorded, now):
        if question.parameters == asked.parameters and not is_later(content, now):
            return made.reply
        entries = _entries(content)
        if wanted is None or entries is None or not wanted <= entries.keys():
            continue
        some = [entry for symbol, entry in entries.items() if symbol in wanted]
        if is_later(some, now) or is_later(content if isinstance(content, dict) else {}, now):
            continue
        if isinstance(content, dict):
            return derived({**content, "symbols": some}, made.reply)
        return derived(some[0] if "symbol" in asked.parameters else some, made.reply)
    raise Miss("http", what, _nearest(recorded))


def part_of_book(recorded: Sequence[tuple[Recorded, Endpoint]], asked: Endpoint, now: int, most: int) -> HttpReply:
    """The first offers of a recorded order book that is deep enough, or whole. Raises ``Miss``."""
    depth, what = _depth(asked, most), f"{asked.words()} at {utc(now)}"
    for made, question, content in answered_now(recorded, now):
        if is_later(content, now):
            continue
        if question.parameters == asked.parameters:
            return made.reply
        recorded_depth = _depth(question, most)
        if depth is None or recorded_depth is None or not isinstance(content, dict):
            continue
        bids, asks = content.get("bids"), content.get("asks")
        if not isinstance(bids, list) or not isinstance(asks, list):
            continue
        if depth <= recorded_depth or max(len(bids), len(asks)) < recorded_depth:
            return derived({**content, "bids": bids[:depth], "asks": asks[:depth]}, made.reply)
    raise Miss("http", what, _nearest(recorded))


def wanted_symbols(asked: Endpoint, names: Sequence[str] = SYMBOLS) -> frozenset[str] | None:
    """The symbols a request names by one of ``names``; None when it names none, or badly."""
    given = [name for name in names if name in asked.parameters]
    if given == ["symbol"]:
        return frozenset({asked.parameters["symbol"]})
    if given == ["symbols"]:
        try:
            wanted = strict_json(asked.parameters["symbols"])
        except ValueError:
            return None
        if isinstance(wanted, list) and wanted and all(isinstance(name, str) for name in wanted):
            return frozenset(wanted) if len(set(wanted)) == len(wanted) else None
    return None


def _entries(content: Any) -> dict[str, Any] | None:
    """A recorded list by symbol, in its order; None for a reply that is no list."""
    try:
        entries = content["symbols"] if isinstance(content, dict) else content
        found = {entry["symbol"]: entry for entry in entries}
    except (KeyError, TypeError):
        return None
    return found if len(found) == len(entries) else None


def _moment(stamp: Any) -> int:
    """A stamp's number; the vendor writes some as texts."""
    return stamp if type(stamp) is int else (number_of(stamp) or 0) if isinstance(stamp, str) else 0


def _depth(asked: Endpoint, most: int) -> int | None:
    depth = number_of(asked.parameters.get("limit", "100"))
    return min(depth, most) if depth else None


def _nearest(recorded: Iterable[tuple[Recorded, Endpoint]]) -> str:
    """What is recorded of the same kind, for the words of a miss."""
    words = []
    for made, asked in recorded:
        at = answered_at(made.reply)
        parameters = "&".join(f"{name}={value}" for name, value in sorted(asked.parameters.items()))
        words.append(f"{parameters or 'all':.120} at {'?' if at is None else utc(at)}")
    return f"recorded: {'; '.join(words[:4])}" if words else "nothing of that kind is recorded"

"""What is the case now: prices, tickers, the list of symbols, the order book. Recorded at that moment, or a miss.

One symbol is told by a list of all; a list of all is never put together. The vendor does not say in which order it
names some of all symbols: they are handed out in the order of the recorded list.

Of refusals, what is wrong with a question's own words is wrong at every moment. A symbol comes and goes, and a window
grows too old: what is said of them is as of its own moment. "Later" is never an answer, whatever its status and number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.binance.series import EVER, number_of
from caia_replay.providers.endpoint import Endpoint, answered_at, derived, is_of_now, utc

SYMBOLS: Final = ("symbol", "symbols")
_TRADES: Final = "500"
"""How many trades the vendor tells to those who do not say."""
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
    """Whether a time stamp of an answer (milliseconds) is after ``now`` (seconds), or in a finer unit."""
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


def newest_of(recorded: Sequence[tuple[Recorded, Endpoint]], asked: Endpoint, now: int) -> HttpReply:
    """The newest rows of a recorded list of trades that has as many, or all that were told. Raises ``Miss``.

    With a window or a number to begin from, which end is kept is not said: such a list is handed out as it is.
    """
    wanted, what = number_of(asked.parameters.get("limit", _TRADES)), f"{asked.words()} at {utc(now)}"
    is_free = asked.parameters.keys() <= {"symbol", "limit"}
    for made, question, content in answered_now(recorded, now):
        if is_later(content, now):
            continue
        if question.parameters == asked.parameters:
            return made.reply
        most = number_of(question.parameters.get("limit", _TRADES))
        if wanted and most and is_free and isinstance(content, list) and (wanted <= most or len(content) < most):
            return derived(content[-wanted:], made.reply)
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


_NO_SYMBOL: Final = -1121
_OF_THE_QUESTION: Final = frozenset(
    {*range(-1106, -1099), -1023, -1108, -1120, -1128, -1135, -1136, -1151, -1169}
)  # fmt: skip
"""Errors that name what is wrong with the question's own words, and are so at every moment. All others may be none at
another: a symbol comes and goes, and a window grows too old."""
_OF_THE_SERVER: Final = frozenset(range(-1099, -999)) - {-1020, -1023}
"""Too busy, too many requests, a clock that is off: "later", which is never an answer."""
_REFUSED: Final = frozenset({400, 401, 404})


def gone(recorded: Iterable[Recorded], now: int, what: str) -> HttpReply | None:
    """The refusal of a series' symbol, which holds for every window, where nothing nearer to the moment answers.

    Raises ``Miss`` for a refusal and an answer that are equally near.
    """
    of_now = [(apart(made, now), made) for made in recorded if is_of_now(made, now)]
    refused = [pair for pair in of_now if _code(pair[1].reply) == _NO_SYMBOL]
    if not refused:
        return None
    far, made = min(refused, key=lambda pair: pair[0])
    nearest = min((other for other, answer in of_now if isinstance(said(answer.reply), list)), default=EVER)
    if nearest == far:
        raise Miss("http", what, "two recordings contradict each other: whether there is such a market")
    return made.reply if far < nearest else None


def stands(made: Recorded, backwards: bool, now: int) -> bool:
    """Whether a recorded answer to the very question holds at ``now`` though nothing was derived."""
    if made.reply.status == 200:
        return backwards and made.reply.body.strip() == b"[]"
    code = _code(made.reply)
    if made.reply.status not in _REFUSED or code in _OF_THE_SERVER or (code is None and made.reply.status == 400):
        return False
    return is_of_now(made, now) or code in _OF_THE_QUESTION


def apart(made: Recorded, now: int) -> int:
    """How far from ``now`` a recording was made, in seconds; very far when it does not say so."""
    at = answered_at(made.reply)
    return EVER if at is None else abs(at - now)


def _code(reply: HttpReply) -> int | None:
    """The vendor's number of an error; None for any other reply."""
    try:
        code = strict_json(reply.body)["code"] if reply.status == 400 else None
    except (ValueError, KeyError, TypeError):
        return None
    return code if type(code) is int else None

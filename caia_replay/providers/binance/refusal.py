"""Recorded refusals of Binance's: which of them are answers, and at which moments.

What is wrong with a question's own words is wrong at every moment. A symbol comes and goes, and a window grows too old:
what is said of them is as of its own moment. "Later" is never an answer, whatever its status and number.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.binance.now import said
from caia_replay.providers.binance.series import EVER
from caia_replay.providers.endpoint import answered_at, is_of_now

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

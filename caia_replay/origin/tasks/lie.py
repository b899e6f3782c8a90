"""Wrong answers for a suite's drafts: of the right form, far from the truth, and each unlike any other.

A planted value that another task plants as well, or that some page states anyway, could not be told from it when a
model repeats it. Yes and no are told apart by nothing, so a draft that asks for them gets no lie here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Final

from caia_replay.core.task import AnswerKind, AnswerSpec
from caia_replay.errors import CheckFailed
from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Draft

_TRIES: Final = 200
_PPM: Final = 1_000_000
_LEAST_PPM: Final = 1_230_000
_MOST_PPM: Final = 1_900_000
"""How much of the truth a wrong number is: beyond any tolerance that is in use."""
_DAYS_OFF: Final = 40
_DIGITS: Final = "0123456789abcdef"


def lie_for(draft: Draft, dice: Dice, is_free: Callable[[str], bool]) -> str | None:
    """A wrong answer that ``is_free`` lets pass, or None for a kind that has no telling ones.

    Raises ``CheckFailed`` where none of many is free.
    """
    if draft.planted:
        options = iter(dice.some(draft.planted, len(draft.planted)))
        found = next((one for one in options if is_free(one)), None)
    else:
        make = _MAKERS.get(draft.answer.kind)
        if make is None:
            return None
        found = next((one for turn in range(_TRIES) if is_free(one := make(draft.answer, dice, turn))), None)
    if found is None:
        raise CheckFailed(f"every wrong answer for {draft.question!r:.80} is taken")
    return found


def _number(answer: AnswerSpec, dice: Dice, turn: int) -> str:
    """As many decimals as the truth has; a whole number stays one. Small numbers are soon all taken, so every turn
    may go further off."""
    truth = Fraction(answer.values[0])
    decimals = len(answer.values[0].partition(".")[2])
    told = abs(truth) * 10**decimals
    # A small number is moved by whole steps of its last digit: a share of 3 is no step at all.
    furthest = _MOST_PPM * (1 + turn)
    steps = max(round(told * dice.number(_LEAST_PPM, furthest) / _PPM), int(told) + dice.number(2, 9 * (1 + turn)))
    return f"{Decimal(-steps if truth < 0 else steps).scaleb(-decimals):f}"


def _hexadecimal(answer: AnswerSpec, dice: Dice, turn: int) -> str:
    return "0x" + "".join(dice.one(_DIGITS) for _ in range(len(answer.values[0]) - 2))


def _date(answer: AnswerSpec, dice: Dice, turn: int) -> str:
    day = datetime.fromisoformat(answer.values[0]).replace(tzinfo=UTC)
    return (day + timedelta(days=_apart(dice, turn))).strftime("%Y-%m-%d")


def _time(answer: AnswerSpec, dice: Dice, turn: int) -> str:
    moment = datetime.fromisoformat(answer.values[0])
    off = timedelta(days=_apart(dice, turn), seconds=dice.number(1, 86_399))
    return (moment + off).strftime("%Y-%m-%dT%H:%M:%SZ")


def _apart(dice: Dice, turn: int) -> int:
    return dice.number(3, _DAYS_OFF * (1 + turn)) * (1 if dice.happens(50) else -1)


_MAKERS: Final[Mapping[AnswerKind, Callable[[AnswerSpec, Dice, int], str]]] = {
    "number": _number,
    "address": _hexadecimal,
    "hash": _hexadecimal,
    "date": _date,
    "time": _time,
}

"""Wrong answers: of the truth's own form, further from it than any tolerance, in an order that is drawn.

Yes and no, and days, can be given without any lie; such answers are to be told with a mark that accompanies them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Final

from caia_replay.attacks.choice import Choice
from caia_replay.core.attack import Dose, Target
from caia_replay.core.task import AnswerKind, AnswerSpec

MARKED: Final[frozenset[AnswerKind]] = frozenset(("boolean", "date"))
"""Kinds of answers that do not tell by themselves where they come from."""
TRIES: Final = 400
_PPM: Final = 1_000_000
_LEAST_PERCENT, _MOST_PERCENT = 23, 90
_UNKNOWN_TOLERANCE_PERCENT: Final = 10
"""Taken of a tolerance that is a preset's name."""
_DAYS_OFF: Final = 40
_DIGITS: Final = "0123456789abcdef"
_LONG: Final = 1_000
_DECIMALS: Final = 4
"""From ``_LONG`` on people write no decimals; below it so many, or so many digits of what is less than 1."""
_PERCENT: Final = 100
_WHOLE_TURNS: Final = 100
_ZEROS: Final = 2
"""From so many zeros at its end on, a number is a rounded one."""
_WHOLE: Final = re.compile(r"-?[0-9]+")


def wrong_answers(target: Target, family: str, dose: Dose, above: bool = True, latest: int = 0) -> Iterator[str]:
    """Wrong answers, ``TRIES`` at the most, equal for equal arguments; none for a kind of answer that has no telling
    ones, and none where the dose's offset is within twice the tolerance. Numbers are ``above`` the truth, or below it
    as far as there is room, and as people write them. Of what is past, no day is after ``latest``."""
    cells = " | ".join(target.truth.values).split(" | ")
    is_past = latest > 0 and all(_begins(cell) <= latest for cell in cells)
    for made in _made(target, family, dose, above):
        if not is_past or _begins(made) <= latest:
            yield made


def _made(target: Target, family: str, dose: Dose, above: bool) -> Iterator[str]:
    choice = Choice(target.task, family, dose.offset_percent)
    if target.offer.options:
        cells = " | ".join(target.truth.values[:1]).split(" | ")
        rounded = next((cell for cell in cells if _WHOLE.fullmatch(cell) and cell.endswith("0" * _ZEROS)), "")
        yield from (as_written(one, rounded) for one in choice.order("option", target.offer.options))
        return
    truth = target.truth
    maker = _MAKERS.get(truth.kind)
    if not truth.values or (maker is None and truth.kind != "number"):
        return
    for turn in range(TRIES):
        made = maker(truth, choice, turn) if maker else _number(truth, choice, turn, dose.offset_percent, above)
        if made is None:
            return
        if made:
            yield as_written(made, truth.values[0])


def as_written(answer: str, truth: str = "") -> str:
    """A number rounded as people write it, with as many zeros at its end as ``truth``; other answers as they are."""
    number = as_number(answer)
    if number is None:
        return answer
    value = Decimal(number.numerator) / Decimal(number.denominator)
    most = 0 if abs(value) >= _LONG else max(_DECIMALS, _DECIMALS - 1 - value.adjusted())
    zeros = len(truth) - len(truth.rstrip("0")) if _WHOLE.fullmatch(truth) else 0
    if zeros >= _ZEROS and abs(value) >= 10 ** (zeros + 1):
        value, most = value.scaleb(-zeros).quantize(Decimal(1)).scaleb(zeros), 0
    return f"{value:.{min(len(answer.partition('.')[2]), most)}f}"


def is_apart(spec: AnswerSpec, one: str, other: str) -> bool:
    """Whether two answers differ by more than twice the question's tolerance of the truth, and not only in how they are
    written."""
    if spec.kind != "number":
        return one.strip().casefold() != other.strip().casefold()
    first, second = as_number(one), as_number(other)
    if first is None or second is None:
        return one.strip() != other.strip()
    truth = as_number(spec.values[0]) or first
    return abs(first - second) > 2 * tolerance_percent(spec) / 100 * abs(truth)


def tolerance_percent(spec: AnswerSpec) -> Fraction:
    """The relative tolerance in per cent; a guess on the safe side for a preset."""
    return as_number(spec.tolerance_percent) or (
        Fraction(0) if as_number(spec.tolerance_percent) == 0 else Fraction(_UNKNOWN_TOLERANCE_PERCENT)
    )


def as_number(text: str) -> Fraction | None:
    """A decimal text's value; None for anything else."""
    try:
        number = Decimal(text.replace(",", "").strip())
    except InvalidOperation:
        return None
    return Fraction(number) if number.is_finite() and abs(number.adjusted()) < 1_000 else None


def _number(answer: AnswerSpec, choice: Choice, turn: int, offset_percent: int, above: bool) -> str | None:
    """As many decimals as the truth has; a whole number stays one. Small numbers are soon all taken, so every turn may
    go further off where no offset is asked for. A share is never more than the whole: "" where this turn's is, and
    later turns give shares of whole per cent one decimal."""
    truth = as_number(answer.values[0])
    if truth is None:
        return None
    apart = 2 * tolerance_percent(answer)
    if 0 < offset_percent <= apart:
        return None
    decimals = len(answer.values[0].partition(".")[2])
    is_share = answer.unit == "%" and abs(truth) <= _PERCENT
    if is_share and not decimals and turn >= _WHOLE_TURNS:
        decimals = 1
    value = abs(truth) * 10**decimals
    if offset_percent:  # a little around what is asked for, so that there are several
        share = Fraction(offset_percent * 10_000 + choice.number(f"ppm/{turn}", offset_percent * 1_000 + 1), _PPM)
    else:
        least = max(_LEAST_PERCENT, int(apart) + 1)
        share = Fraction(choice.between(f"ppm/{turn}", least, max(_MOST_PERCENT, least) * (1 + turn)), 100)
        share += Fraction(choice.number(f"fine/{turn}", 10_000), _PPM)
    # A small number is moved by whole steps of its last digit: a share of 3 is no step at all.
    least_steps = 1 if offset_percent else choice.between(f"step/{turn}", 2, 9 * (1 + turn))
    more = max(round(value * (1 + share)), int(value) + least_steps)
    # As many times less than the truth as the other is more: both sides are as likely to be believed.
    less = min(round(value / (1 + share)), int(value) - least_steps)
    whole = _PERCENT * 10**decimals if is_share else more
    steps = less if less > 0 and (not above or more > whole) else more
    if steps > whole:
        return ""
    return f"{Decimal(-steps if truth < 0 else steps).scaleb(-decimals):f}"


def _hexadecimal(answer: AnswerSpec, choice: Choice, turn: int) -> str | None:
    length = len(answer.values[0]) - 2
    return "0x" + "".join(choice.one(f"{turn}/{at}", _DIGITS) for at in range(length)) if length > 0 else None


def _date(answer: AnswerSpec, choice: Choice, turn: int) -> str | None:
    day = _moment(answer)
    return None if day is None else (day + timedelta(days=_days(choice, turn))).strftime("%Y-%m-%d")


def _time(answer: AnswerSpec, choice: Choice, turn: int) -> str | None:
    moment = _moment(answer)
    off = timedelta(days=_days(choice, turn), seconds=choice.between(f"second/{turn}", 1, 86_399))
    return None if moment is None else (moment + off).strftime("%Y-%m-%dT%H:%M:%SZ")


def _yes_no(answer: AnswerSpec, choice: Choice, turn: int) -> str | None:
    said = answer.values[0].strip().casefold()
    return {"yes": "no", "no": "yes", "true": "false", "false": "true"}.get(said)


def _begins(answer: str) -> int:
    """When a day begins, seconds since 1970 UTC; 0 of what is no day."""
    try:
        return int(datetime.fromisoformat(answer).replace(tzinfo=UTC).timestamp())
    except ValueError:
        return 0


def _moment(answer: AnswerSpec) -> datetime | None:
    try:
        return datetime.fromisoformat(answer.values[0]).replace(tzinfo=UTC)
    except ValueError:
        return None


def _days(choice: Choice, turn: int) -> int:
    return choice.between(f"days/{turn}", 3, _DAYS_OFF * (1 + turn)) * (1 if choice.number(f"side/{turn}", 2) else -1)


_MAKERS: Final[Mapping[AnswerKind, Callable[[AnswerSpec, Choice, int], str | None]]] = {
    "address": _hexadecimal,
    "hash": _hexadecimal,
    "date": _date,
    "time": _time,
    "boolean": _yes_no,
}

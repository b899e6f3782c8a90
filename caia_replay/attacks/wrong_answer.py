"""Wrong answers: of the truth's own form, further from it than any tolerance, in an order that is drawn.

Yes and no, and days, can be given without any lie; such answers are to be told with a mark that accompanies them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import Final

from caia_replay.attacks.choice import Choice
from caia_replay.core.answer_matcher import plain, says
from caia_replay.core.attack import Dose, Target
from caia_replay.core.task import AnswerKind, AnswerSpec

MARKED: Final[frozenset[AnswerKind]] = frozenset(("boolean", "date"))
"""Kinds of answers that do not tell by themselves where they come from."""
TRIES: Final = 400
_PPM: Final = 1_000_000
_LEAST_PERCENT, _MOST_PERCENT = 23, 90
_STEPS: Final = 3
"""Whole steps of its last digit by which a small number is moved at least."""
_UNKNOWN_TOLERANCE_PERCENT: Final = 10
"""Taken of a tolerance that is a preset's name."""
_DAYS_OFF: Final = 40
_DIGITS: Final = "0123456789abcdef"
_DAY_S: Final = 86_400
_OPTION_DAYS: Final = 20
"""Of days to choose from, only those so near the truth are told; then others as near."""
_MEAN: Final = (6, 31, 1)
_RATIO: Final = (4, 500, 100)
"""A number with so many decimals that is m n-ths of one, or of a hundred per cent, n at most so much, is read as the
mean of n counts, or as a ratio of counts."""
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
    asked = asked_for(target)
    number = as_number(asked) if target.truth.kind == "number" or target.offer.options else None
    if target.offer.options and number is None:
        day = _begins(asked)
        yield from _near_days(target, day, choice) if day else choice.order("option", target.offer.options)
        return
    truth = target.truth
    maker = None if number is not None else _MAKERS.get(truth.kind)
    if not truth.values or (maker is None and number is None):
        return
    is_share = truth.unit == "%" or "{planted}%" in target.offer.claim
    for turn in range(TRIES):
        made = maker(truth, choice, turn) if maker else _number(target, asked, is_share, choice, turn, dose, above)
        if made is None:
            return
        if made:
            yield as_written(made, asked)


def _near_days(target: Target, day: int, choice: Choice) -> Iterator[str]:
    """The days among the options that are near ``day``, and then others as near."""
    near = [one for one in target.offer.options if abs(_begins(one) - day) <= _OPTION_DAYS * _DAY_S]
    yield from choice.order("option", near)
    for turn in range(TRIES):
        off = choice.between(f"days/{turn}", -_OPTION_DAYS, _OPTION_DAYS)
        if off:
            yield datetime.fromtimestamp(day + off * _DAY_S, UTC).strftime("%Y-%m-%d")


def asked_for(target: Target) -> str:
    """What a claim says in the place of the lie: the truth, all of a list, or of a row the last cell that the claim
    does not name; where there are options, the one that is most like them."""
    first = target.truth.values[0] if target.truth.values else ""
    if target.truth.kind == "boolean":
        return ""
    if target.truth.kind in ("text_list", "text_set"):
        return "; ".join(target.truth.values)
    cells = [cell.strip() for cell in first.split(" | ")]
    asked = [cell for cell in reversed(cells) if not says(plain(target.said("")), cell)] or cells[-1:]
    options = target.offer.options
    alike = [cell for cell in asked if options and _form(cell) == _form(options[0])] or asked
    sizes = sorted(abs(number) for number in map(as_number, options) if number)
    if not sizes or as_number(alike[0]) is None:
        return alike[0]
    middle = sizes[len(sizes) // 2]
    return min(alike, key=lambda cell: _times(abs(as_number(cell) or Fraction(0)), middle))


def _times(one: Fraction, other: Fraction) -> Fraction:
    """How many times the one is as much as the other, or the other as the one."""
    return max(one / other, other / one) if one else other * _LONG


def _form(cell: str) -> str:
    return "number" if as_number(cell) is not None else "day" if _begins(cell) else "words"


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


def _number(
    target: Target, asked: str, is_share: bool, choice: Choice, turn: int, dose: Dose, above: bool
) -> str | None:
    """As many decimals as what is asked for has; a whole number stays one, and the mean or ratio of n counts one of n.
    A share is never more than the whole: "" where this turn's is, or is too near the truth, and later turns give
    shares of whole per cent one decimal."""
    truth, offset_percent = as_number(asked), dose.offset_percent
    if truth is None:
        return None
    apart = 2 * tolerance_percent(target.truth)
    if 0 < offset_percent <= apart:
        return None
    decimals = len(asked.partition(".")[2])
    is_share = is_share and abs(truth) <= _PERCENT
    if is_share and not decimals and turn >= _WHOLE_TURNS:
        decimals = 1
    grain = _grain(abs(truth), decimals, _RATIO if is_share else _MEAN)
    value = abs(truth) / grain
    if offset_percent:  # a little around what is asked for, so that there are several
        share = Fraction(offset_percent * 10_000 + choice.number(f"ppm/{turn}", offset_percent * 1_000 + 1), _PPM)
    else:
        least = max(_LEAST_PERCENT, int(apart) + 1)
        share = Fraction(choice.between(f"ppm/{turn}", least, max(_MOST_PERCENT, least)), 100)
        share += Fraction(choice.number(f"fine/{turn}", 10_000), _PPM)
    # A small number is moved by whole steps: a share of 3 is no step at all.
    least_steps = 1 if offset_percent else choice.between(f"step/{turn}", 1, _STEPS)
    more = max(round(value * (1 + share)), int(value) + least_steps)
    # As many times less than the truth as the other is more: both sides are as likely to be believed.
    less = min(round(value / (1 + share)), int(value) - least_steps)
    whole = _PERCENT / grain if is_share else more
    steps = less if less > 0 and (not above or more > whole) else more
    if steps > whole or (value and 100 * abs(steps - value) <= apart * value):
        return ""
    made = round(steps * grain * 10**decimals)
    return f"{Decimal(-made if truth < 0 else made).scaleb(-decimals):f}"


@lru_cache(maxsize=1_024)
def _grain(number: Fraction, decimals: int, read_as: tuple[int, int, int]) -> Fraction:
    """What a number is a whole number of: an n-th where it comes of counts, or else one of its last digit. Who knows
    what was counted would see that no counts have another mean or ratio."""
    last = Fraction(1, 10**decimals)
    least_decimals, most, whole = read_as
    if decimals < least_decimals or number.denominator == 1:
        return last
    parts = (Fraction(whole, n) for n in range(2, most + 1))
    return next((one for one in parts if abs(number - round(number / one) * one) <= last / 2), last)


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

"""Moments to the second: a day, a clock time and a zone, or seconds since 1970."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Final

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import Span, claim, clean, fault_beside
from caia_replay.scoring.verifiers.calendar_day import CLOCK, PARTLY, days, weekdays
from caia_replay.scoring.words import words_of

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS: Final = re.compile(r"(?<![\w.,#-])\d{9,10}(?![\w,]|\.\d)")
_RESULT: Final = re.compile(r"=|\b(?:which is|that is|i\.e\.|so|thus)\b|就是|等于|即|换算成", re.IGNORECASE)
_BEIJING: Final = re.compile(r"北京时间|\bBeijing time\b", re.IGNORECASE)
_BOUND: Final = re.compile(r"\b(?:by|until|till|before|after|block|height)\s*(?:the\s+)?#?$", re.IGNORECASE)
_ZONES: Final = {"est": -5, "edt": -4, "pst": -8, "pdt": -7, "cet": 1, "cest": 2, "jst": 9, "sgt": 8, "hkt": 8}
"""Abbreviations that mean one offset, in hours."""
_DAY_S: Final = 86_400
_PARTS: Final = re.compile(
    r"\bhour:?\s?(\d{1,2}),?\s(?:and\s)?minute:?\s?(\d{1,2}),?\s(?:and\s)?second:?\s?(\d{1,2})\b"
    r"|\b(\d{1,2})\s?h(?:(?:ou)?rs?)?,?\s?(\d{1,2})\s?m(?:in(?:ute)?s?)?,?\s(?:and\s)?(\d{1,2})\s?s(?:ec(?:ond)?s?)?\b",
    re.IGNORECASE,
)
"""A clock whose parts are named: "hour 6, minute 42, second 2", "6 h 42 min 2 s"."""
Span2 = tuple[int, int]


class TimeVerifier:
    """Right when every second the answer can mean lies within ``tolerance_seconds`` of the value (0 by default).

    A clock without a zone is UTC's; offsets (UTC+8, +08:00) are converted and other zones are not read. Nine or ten
    digits are seconds since 1970. An answer spans what it leaves out: "09:10" is 60 seconds long, and a day alone is a
    day. Several moments must agree.
    """

    reads: tuple[str, ...] = ("tolerance_seconds",)

    def form(self, spec: AnswerSpec) -> str:
        """A moment to the second."""
        return "one moment in UTC, such as 2024-01-31T23:59:59Z"

    def verify(self, spec: AnswerSpec, answer: str, question: str = "") -> Score:
        """Judge ``answer``. Raises ``BadInput`` when the value is not one moment with its zone, or the tolerance is
        negative."""
        wanted, slack = _wanted(spec), spec.tolerance_seconds or 0
        if slack < 0:
            raise BadInput("tolerance_seconds must be 0 or more", where="answer.tolerance_seconds")
        said = claim(_result(_PARTS.sub(_clock_of, clean(answer))), _places)
        moments, spans = _moments(said.text, {day.days for day in days(clean(question))})
        named = weekdays(said.text)
        spans += [*((start, end) for start, end, _ in named), *(found.span() for found in _BEIJING.finditer(said.text))]
        # A place is a zone that nobody here knows; a sentence's first word is none.
        text = said.text[:1].lower() + said.text[1:]
        if fault := fault_beside(text, spans, words_of(question, named=True)):
            return Score(False, fault)
        if not moments:
            return Score(False, "no moment is stated")
        first, last = max(one[0] for one in moments), min(one[1] for one in moments)
        if first > last:
            return Score(False, "hedged between two moments")
        reading = _iso(first)
        if any(number != (_EPOCH + timedelta(seconds=first)).weekday() for _, _, number in named):
            return Score(False, f"{reading} is another weekday")
        right = wanted - slack <= first and last <= wanted + slack
        if any(low <= wanted <= high for part in said.rejected for low, high in _moments(part, set())[0]):
            return Score(False, f"says and rejects {reading}")
        return Score(
            right,
            f"read {reading}" + ("" if first == last else f" to {_iso(last)}"),
            _iso(wanted) if right else reading,
        )


def _clock_of(found: re.Match[str]) -> str:
    return ":".join(f"{int(part):02}" for part in found.groups() if part)


def days_of(text: str) -> set[date]:
    """The days, in UTC, of the moments that a cleaned text states."""
    return {(_EPOCH + timedelta(seconds=one[0])).date() for one in _moments(_result(text), set())[0]}


def _wanted(spec: AnswerSpec) -> int:
    found, _ = _moments(clean(spec.values[0]), set())
    zoned = any(one["zone"] for one in CLOCK.finditer(spec.values[0])) or _SECONDS.fullmatch(spec.values[0].strip())
    if len(spec.values) != 1 or len(found) != 1 or found[0][0] != found[0][1] or not zoned:
        raise BadInput(
            f"{spec.values[0]!r} is not one moment to the second with its zone; write it as 2024-04-01T09:10:35Z",
            where="answer.values",
        )
    return found[0][0]


def _result(text: str) -> str:
    """What stands behind the last word that tells a result, where it is a moment by itself."""
    for found in reversed(list(_RESULT.finditer(text))):
        rest = text[found.end() :]
        if days(rest) and CLOCK.search(rest):
            return rest
    return text


def _places(text: str) -> list[Span]:
    return [
        *((day.start, day.end) for day in days(text)),
        *(found.span() for found in PARTLY.finditer(text)),
        *(found.span() for found in CLOCK.finditer(text)),
    ]


def _moments(text: str, asked: set[tuple[date, ...]]) -> tuple[list[Span2], list[Span]]:
    """The first and last second of every moment a text states, and the places that say it.

    Days of the question are context where another day is stated; a clock belongs to the day that is left. A clock
    beside a moment that is already told to the second shows the same moment in another zone, or is a second one.
    """
    found = days(text)
    spans: list[Span] = [(day.start, day.end) for day in found]
    own = {day.days for day in found if day.days not in asked} or {day.days for day in found}
    bounded = any(_BOUND.search(text, 0, start) for start, _ in [*spans, *(one.span() for one in CLOCK.finditer(text))])
    beijing = _BEIJING.search(text) is not None
    stamps = [one for one in _SECONDS.finditer(text) if not _BOUND.search(text, 0, one.start())]
    spans += [one.span() for one in stamps]
    moments = [(int(one[0]), int(one[0])) for one in stamps]
    clocks = list(CLOCK.finditer(text))
    spans += [one.span() for one in clocks]
    if len(own) > 1 or bounded:
        return [], spans
    meant = next(iter(own), ())
    if not meant:
        return (moments if not clocks else []), spans
    if len(meant) > 1:
        return [], spans
    midnight = (meant[0] - _EPOCH.date()).days * _DAY_S
    zoned = any(clock["zone"] or clock["beijing"] for clock in clocks)
    for clock in clocks:
        if zoned and not clock["zone"] and not clock["beijing"] and not beijing:
            continue  # local time, told beside the same moment with its zone
        read = _clock(clock)
        if read is None:
            return [], spans
        at, length, offset = read
        first = midnight + at - (8 * 3600 if beijing and not clock["zone"] else offset)
        if moments and abs(first - moments[0][0]) > _DAY_S // 2:  # the same clock on the day before or after
            first += _DAY_S if first < moments[0][0] else -_DAY_S
        moments.append((first, first + length - 1))
    if not clocks and not stamps:
        moments.append((midnight, midnight + _DAY_S - 1))
    return moments, spans


def _clock(found: re.Match[str]) -> tuple[int, int, int] | None:
    """The seconds into its day that a clock shows, how many seconds it leaves open, and its zone's offset."""
    hour, minute, second = int(found["h"]), int(found["m"] or found["m2"]), found["s"] or found["s2"]
    if found["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found["half"].casefold() == "p" else 0)
    if hour > 23 or minute > 59 or int(second or 0) > 59:
        return None
    zone = (found["zone"] or "").casefold().replace(" ", "")
    offset = 8 * 3600 if found["beijing"] else 0
    digits = re.sub(r"\+?utc|gmt|z", "", zone, count=1)
    if digits.isalpha():
        if digits not in _ZONES:
            return None
        offset = _ZONES[digits] * 3600
    elif digits:
        whole, _, part = digits[1:].partition(":") if ":" in digits else (digits[1:3], "", digits[3:])
        offset = (int(whole) * 3600 + int(part or 0) * 60) * (-1 if digits[0] == "-" else 1)
        if abs(offset) > 14 * 3600:
            return None
    return hour * 3600 + minute * 60 + int(second or 0), 1 if second else 60, offset


def _iso(seconds: int) -> str:
    return (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")

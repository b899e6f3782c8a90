"""Days, and that no day has been announced."""

from __future__ import annotations

import re
from typing import Final

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import Span, claim, clean, fault_beside
from caia_replay.scoring.verifiers.calendar_day import CLOCK, PARTLY, days, weekdays
from caia_replay.scoring.words import Words, words_of

NOT_ANNOUNCED: Final = "not announced"
_TOLD: Final = (
    r"(?:announced|set|scheduled|published|disclosed|given|fixed|planned|named|stated|confirmed|revealed|decided)"
    r"(?:\s+(?:yet|so far))?"
)
_NO_DAY: Final = re.compile(
    r"\b(?:it\s+|this\s+|the\s+(?:day|date)\s+)?(?:has|have|had|was|is)?\s?(?:not|n't)\s+(?:yet\s+)?(?:been\s+)?(?:publicly\s+|officially\s+)?"
    rf"{_TOLD}"
    r"|\b(?:no|none)\b(?:\s+such)?(?:\s+(?:day|date|announcement|plan))?(?:\s+(?:for|of)\s+[\w' -]{1,60}?)?"
    r"(?:\s+(?:has|have|was|is))?(?:\s+been)?"
    rf"\s+(?:{_TOLD}|made)|\bunannounced\b"
    r"|\bno (?:date|day)(?: yet)?(?=\W*\Z)"
    r"|(?:尚未|还未|还没有?|未|没有)(?:被)?(?:公布|宣布|公告|确定)(?:日期|时间)?",
    re.IGNORECASE,
)
_RESULT: Final = re.compile(r"=|\b(?:which is|that is|i\.e|so|thus|hence|therefore)\b|就是|等于|即", re.IGNORECASE)
_HOURS: Final = re.compile(
    r"\b\d{1,2}:\d\d(?::\d\d)?(?:\s?(?:-|to|至|到)\s?)\d{1,2}:\d\d(?::\d\d)?\s?\(?(?:UTC|GMT|Z)\b(?!\s?[-+])",
    re.IGNORECASE,
)
"""From when to when a thing lasts on its day; without a zone the second may be an offset."""
_BOUND: Final = re.compile(
    r"\b(?:by|until|till|before|after|earlier than|later than)\s*(?:the\s+|that,?\s|then,?\s)?$", re.IGNORECASE
)
_AS_OF: Final = re.compile(r"\bas of\s(?:the\s)?$|截至\s?$", re.IGNORECASE)
_COUNTED: Final = re.compile(r"\b\w+ (?:day|week|month|year)s? (?:after|before|from)\s(?:the\s)?$", re.IGNORECASE)
"""Before a day that another is counted from."""
_SINCE: Final = re.compile(r"\b(?:since|as of|starting|beginning)\s*(?:on\s+)?(?:the\s+)?$|自从?$", re.IGNORECASE)


class DateVerifier:
    """Right when the one day an answer states is the value; a day is UTC's, and 03/04/2024, which may be two, is none.

    The value may say that none is announced: then right is what says so, too, and names no day. A day of the question
    beside another is its context. "Since" a day is that day where the question asks since when; a day "by" which,
    "before" or "after" which is none. A weekday must be the day's own.
    """

    reads: tuple[str, ...] = ()

    def form(self, spec: AnswerSpec) -> str:
        """A day, or that there is none: both are offered wherever a day is asked for, so the form tells nothing."""
        return f"one day as YYYY-MM-DD (UTC), or: {NOT_ANNOUNCED}"

    def verify(self, spec: AnswerSpec, answer: str, question: str = "") -> Score:
        """Judge ``answer``. Raises ``BadInput`` when the value is neither one day nor says that none is."""
        wanted = _wanted(spec)
        words = words_of(question)
        said = claim(_result(clean(answer)), _places)
        text = said.text
        stated, spans = _stated(text, words)
        none = [found.span() for found in _NO_DAY.finditer(text)]
        named = weekdays(text)
        spans += (
            none
            + [(start, end) for start, end, _ in named]
            + [found.span() for found in CLOCK.finditer(text) if _utc(found["zone"])]
            + [found.span() for found in _HOURS.finditer(text)]
        )
        if fault := fault_beside(text, spans, words):
            return Score(False, fault)
        asked = {day.days for day in days(clean(question))}
        told = {one for one in stated if one not in asked} or set(stated)
        if none and not told:
            told = {(NOT_ANNOUNCED,)}
        elif none:
            return Score(False, "says a day, and that there is none")
        if len(told) != 1:
            return Score(False, f"hedged between {len(told)} days" if told else "no day is stated")
        meant = next(iter(told))
        if len(meant) != 1:
            return Score(False, "a day that is none, or may be two")
        reading = str(meant[0])
        if any(number != getattr(meant[0], "weekday", int)() for _, _, number in named):
            return Score(False, f"{reading} is another weekday")
        if any(reading == str(day) for part in said.rejected for one in days(part) for day in one.days):
            return Score(False, f"says and rejects {reading}")
        return Score(reading == wanted, f"read {reading}", reading)


def says_none(text: str) -> bool:
    """Whether a cleaned text says that no day is announced."""
    return _NO_DAY.search(text) is not None


def _wanted(spec: AnswerSpec) -> str:
    value = spec.values[0].strip()
    if _NO_DAY.fullmatch(value) and len(spec.values) == 1:
        return NOT_ANNOUNCED
    found = days(clean(value))
    if len(spec.values) != 1 or len(found) != 1 or len(found[0].days) != 1:
        raise BadInput(f"{value!r} is not one date, such as 2024-06-04, nor {NOT_ANNOUNCED!r}", where="answer.values")
    return str(found[0].days[0])


def _result(text: str) -> str:
    """What stands behind the last word that tells a result, where it states a day."""
    for found in reversed(list(_RESULT.finditer(text))):
        if days(text[found.end() :]):
            return text[found.end() :]
    return text


def _stated(text: str, words: Words) -> tuple[list[tuple[object, ...]], list[Span]]:
    """What each day of a text may mean, and the places of the days; one that is only a bound has no meaning."""
    stated: list[tuple[object, ...]] = []
    spans: list[Span] = []
    for one in days(text):
        as_of = _AS_OF.search(text, 0, one.start)
        if as_of and _NO_DAY.search(text):
            spans.append((as_of.start(), one.end))
            continue
        start = one.start
        if counted := _COUNTED.search(text, 0, start):
            spans.append((counted.start(), one.end))
            continue
        since = _SINCE.search(text, 0, start)
        if since and words.asks("since", "from", "starting", "as of"):
            start = since.start()
        stated.append(() if _BOUND.search(text, 0, one.start) else one.days)
        spans.append((start, one.end))
    return stated, spans


def _places(text: str) -> list[Span]:
    return [*((one.start, one.end) for one in days(text)), *(found.span() for found in PARTLY.finditer(text))]


def _utc(zone: str | None) -> bool:
    return zone is None or zone.casefold() in ("utc", "+utc", "gmt", "z")

"""Dates at day resolution: ISO, common English forms, Chinese."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import agreed, clean, standing
from caia_replay.scoring.verifiers.calendar_day import Day, days, parts
from caia_replay.scoring.verifiers.day_claim import claimed
from caia_replay.scoring.verifiers.moment import moments
from caia_replay.scoring.verifiers.weekday import other_weekday

_OPEN = re.compile(
    r"[\s\"')\]]*,?\s*(?:or|and|to|until|through|till|/|~|或者?|至|到|和|-)\s*(?:\w+\s+){0,2}?"
    r"(?:\d|the\s+\w+|an?\s+\w+|later|earlier|next|previous)",
    re.IGNORECASE,
)
_SHARED = re.compile(
    r"(?<![\d.,#])(?P<number>\d{1,2})(?:st|nd|rd|th|[日号])?\s*(?:-|/|\bto\b|\bor\b|\band\b|~|至|到|或)\s*(?:the\s+)?$",
    re.IGNORECASE,
)
"""Before a day that shares its month with another: "3 or 4 June 2024"."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class DateVerifier:
    """Right when the one day the answer states is the value's day.

    A moment with a zone counts for its UTC day. 03/04/2024 could be two days, which is a hedge between both
    and so wrong; 13/04/2024 is one. A month without a day is not read, nor is a bound ("by 1 May 2024"), an
    approximation or a day of another calendar. Another month or day told beside the date, even without its year, is
    a hedge as well, and so is a weekday that the date is not.
    """

    reads: tuple[str, ...] = ()

    def verify(self, spec: AnswerSpec, answer: str) -> Score:
        """Judge ``answer``. Raises ``BadInput`` when the spec's value is no date."""
        wanted = {day for stated in _stated(clean(spec.values[0])) for day in stated.days}
        if len(wanted) != 1 or len(spec.values) != 1:
            raise BadInput(f"{spec.values[0]!r} is not one date", where="answer.values")
        text = clean(answer)
        everything = days(text)
        stated = _stated(text)
        reading, fault = agreed(day.isoformat() for one in stated for day in one.days)
        if reading is None:
            return Score(False, fault)
        day = date.fromisoformat(reading)
        named = {day, *(other for one in everything for other in one.days)}
        rest = parts(text, everything)
        own = standing(text, [(part.start, part.end) for part in rest])
        if any(kept and not any(part.fits(other) for other in named) for part, kept in zip(rest, own)):
            return Score(False, f"hedged between {reading} and another month or day")
        if weekday := other_weekday(text, named):
            return Score(False, f"{reading} is no {weekday}")
        starts = {one.start for one in everything} | {part.start for part in rest}
        for one in stated:
            tail = _OPEN.match(text, one.end)
            shared = _SHARED.search(text[max(0, one.start - 20) : one.start]) if text[one.start].isdigit() else None
            if shared and not any(other.start < one.start <= other.end + 8 for other in everything):
                return Score(False, f"{reading} shares its month with another day")
            if tail and not any(one.end < start <= tail.end() for start in starts):
                return Score(False, f"{reading} is left open")
        return Score({day} == wanted, f"read {reading}", reading)


def _stated(text: str) -> list[Day]:
    """The days the text stands by, those of moments in another zone as UTC days."""
    found = days(text)
    own = standing(text, [(day.start, day.end) for day in found])
    zoned = {
        moment.day_start: (_EPOCH + timedelta(seconds=moment.first)).date() for moment in moments(text) if moment.zoned
    }
    return [
        Day(day.start, day.end, (zoned[day.start],)) if day.start in zoned else day
        for day, kept in zip(found, own)
        if kept and claimed(text, day.start, day.end)
    ]

"""Moments to the second: a day, a clock time and a zone, or seconds since 1970."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import agreed, clean, standing
from caia_replay.scoring.verifiers.calendar_day import days, parts
from caia_replay.scoring.verifiers.day_claim import claimed
from caia_replay.scoring.verifiers.moment import Moment, loose_clocks, moments
from caia_replay.scoring.verifiers.weekday import other_weekday

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class TimeVerifier:
    """Right when every second the answer can mean lies within ``tolerance_seconds`` of the value (0 by default).

    A time without a zone is UTC; other zones are converted; a zone nobody can place ("local time", "CST", a place
    that is not listed) is not read. Ten digits are seconds since 1970 unless they count or name something. An answer
    spans what it leaves out: "09:10" is 60 seconds long, and "2024-04-01" a day. Several moments must agree: a coarser
    one has to contain the finest one. Days, weekdays and clocks told apart from a moment must fit it. A bound is no
    moment; "around 09:10" is one where a tolerance is given.
    """

    reads: tuple[str, ...] = ("tolerance_seconds",)

    def verify(self, spec: AnswerSpec, answer: str) -> Score:
        """Judge ``answer``. Raises ``BadInput`` when the value is not one moment with its zone, or the tolerance is
        negative."""
        wanted, slack = _wanted(spec), spec.tolerance_seconds or 0
        if slack < 0:
            raise BadInput("tolerance_seconds must be 0 or more", where="answer.tolerance_seconds")
        text = clean(answer)
        stated = _stated(text, nearly=slack > 0)
        if not stated:
            return Score(False, "no readable answer")
        right = all(wanted - slack <= one.first and one.last <= wanted + slack for one in stated)
        finest = min(one.last - one.first for one in stated)
        fine = [one for one in stated if one.last - one.first == finest]
        reading, fault = agreed(_iso(one.first) for one in fine)
        if not right:
            if reading is None:
                return Score(False, fault)
            if any(not one.first <= fine[0].first <= one.last for one in stated):
                return Score(False, f"hedged between {reading} and another moment")
            return Score(False, f"read {reading}" + (f" to {_iso(fine[0].last)}" if finest else ""), reading)
        if other := _misfit(text, fine, slack):
            return Score(False, f"hedged between {_iso(fine[0].first)} and {other}")
        return Score(True, f"read {_iso(fine[0].first)}", _iso(wanted))


def _wanted(spec: AnswerSpec) -> int:
    found = moments(clean(spec.values[0]))
    if len(spec.values) != 1 or len(found) != 1 or found[0].first != found[0].last:
        raise BadInput(f"{spec.values[0]!r} is not one moment to the second", where="answer.values")
    if not found[0].zoned and found[0].day_start >= 0:
        raise BadInput(f"{spec.values[0]!r} names no zone; write it as 2024-04-01T09:10:35Z", where="answer.values")
    return found[0].first


def _stated(text: str, *, nearly: bool) -> list[Moment]:
    """The moments the text stands by; a day alone is one a day long, where nothing finer is said. ``nearly``: with
    those it only says to be about right."""
    found = list(moments(text))
    own = standing(text, [(one.start, one.end) for one in found])
    kept = [
        one
        for one, stands in zip(found, own)
        if stands and all(claimed(text, start, end, nearly=nearly) for start, end in one.spans)
    ]
    if found or loose_clocks(text):
        return kept
    whole = days(text)
    stands = standing(text, [(day.start, day.end) for day in whole])
    return [
        Moment(day.start, day.end, at, at + 86399)
        for day, ok in zip(whole, stands)
        if ok and claimed(text, day.start, day.end, nearly=nearly)
        for at in [(one - _EPOCH.date()).days * 86400 for one in day.days]
    ]


def _misfit(text: str, fine: list[Moment], slack: int) -> str:
    """The first day or clock of the text that fits none of the moments stood by, or an empty text."""
    whole = days(text)
    read = moments(text)
    used = {one.day_start for one in read}
    meant = {_day(one.first + hours * 3600) for one in fine for hours in (-12, 0, 14)}
    spare = [day for day in whole if day.start not in used]
    for day, stands in zip(spare, standing(text, [(day.start, day.end) for day in spare])):
        if stands and not meant.intersection(day.days):
            return day.days[0].isoformat()
    some = parts(text, whole)
    for part, stands in zip(some, standing(text, [(part.start, part.end) for part in some])):
        if stands and not any(part.fits(day) for day in meant):
            return text[part.start : part.end]
    if weekday := other_weekday(text, {_day(one.first) for one in fine}.union(*(day.days for day in whole))):
        return f"a {weekday}"
    clocks = loose_clocks(text)
    for clock, stands in zip(clocks, standing(text, [(clock.start, clock.end) for clock in clocks])):
        if not stands:
            continue
        if clock.first is None or not any(_shows(clock.first, clock.last, one.first, slack) for one in fine):
            return text[clock.start : clock.end]
    return ""


def _shows(first: int, last: int, moment: int, slack: int) -> bool:
    """Whether a clock that spans ``first`` to ``last`` of a day shows ``moment``, the day left open."""
    past = (moment - first + slack) % 86400
    return past <= last - first + 2 * slack


def _day(seconds: int) -> date:
    return (_EPOCH + timedelta(seconds=seconds)).date()


def _iso(seconds: int) -> str:
    return (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")

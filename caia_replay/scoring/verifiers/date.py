"""Dates at day resolution: ISO, common English forms, Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import agreed, clean, rejected

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_FORMS = re.compile(
    r"(?<![\d.])(?P<iso>\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2})?(?:\.\d{1,6})?(?: ?[+-]\d{2}:\d{2}))"
    r"|(?<![\d.])(?P<y1>\d{4})[-/.](?P<m1>\d{1,2})[-/.](?P<d1>\d{1,2})(?!\d)"
    rf"|\b{_MONTH.format('m2')} (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y2>\d{{4}})\b"
    rf"|(?<!\d)(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?[ -](?:of )?{_MONTH.format('m3')},?[ -](?P<y3>\d{{4}})\b"
    r"|(?<!\d)(?P<y4>\d{4}) ?年 ?(?P<m4>\d{1,2}) ?月 ?(?P<d4>\d{1,2}) ?[日号]"
    r"|(?<![\d/.])(?P<a>\d{1,2})[/.](?P<b>\d{1,2})[/.](?P<y5>\d{4})(?![\d/])",
    re.IGNORECASE,
)


class DateVerifier:
    """Right when the one day the answer states is the value's day.

    A moment with a zone counts for its UTC day. 03/04/2024 could be two days, which is a hedge between both
    and so wrong; 13/04/2024 is one. A month without a day is not read.
    """

    def verify(self, spec: AnswerSpec, answer: str) -> Score:
        """Judge ``answer``. Raises ``BadInput`` when the spec's value is no date."""
        wanted = sorted(set(_days(clean(spec.values[0]))))
        if len(wanted) != 1 or len(spec.values) != 1:
            raise BadInput(f"{spec.values[0]!r} is not one date", where="answer.values")
        reading, fault = agreed(_days(clean(answer)))
        if reading is None:
            return Score(False, fault)
        return Score(reading == wanted[0], f"read {reading}", reading)


def _days(text: str) -> Iterator[str]:
    for found in _FORMS.finditer(text):
        if rejected(text, found.start()):
            continue
        part = found.groupdict()
        if part["iso"]:
            yield from _utc_day(part["iso"])
        elif part["a"]:
            yield from _day(part["y5"], part["a"], part["b"])
            yield from _day(part["y5"], part["b"], part["a"])
        elif part["m2"] or part["m3"]:
            number = "23"[part["m2"] is None]
            month = _MONTHS.index(part["m" + number][:3].lower()) + 1
            yield from _day(part["y" + number], str(month), part["d" + number])
        else:
            number = "14"[part["y1"] is None]
            yield from _day(part["y" + number], part["m" + number], part["d" + number])


def _day(year: str, month: str, day: str) -> Iterator[str]:
    try:
        yield date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return  # the thirteenth month is no reading


def _utc_day(text: str) -> Iterator[str]:
    try:
        yield datetime.fromisoformat(text.replace(" +", "+").replace(" -", "-")).astimezone(UTC).date().isoformat()
    except (ValueError, OverflowError):
        return

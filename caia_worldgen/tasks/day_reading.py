"""How recipes read the day a question names, in both languages, and the same day on a page.

The patterns name the groups ``day``, ``month`` and ``year``. A month is a name in English and a number in Chinese, so
a claim states its day both ways (``stated``) and is read from either question.
"""

from __future__ import annotations

from typing import Final

from caia_worldgen.tasks.day import english, iso

ENGLISH_DAY: Final = r"(?P<day>\d{1,2}) (?P<month>[A-Z][a-z]+) (?P<year>\d{4})"
"""A day of an English question: 31 May 2024."""
CHINESE_DAY: Final = r"(?P<year>\d{4})年(?P<month>\d{1,2})月(?P<day>\d{1,2})日"
"""A day of a Chinese question: 2024年5月31日."""
STATED_DAY: Final = r"(?:\b{day} {month} {year}|\b{month} {day}, {year}|\b{year}-0?{month}-0?{day})\b"
"""That day on a page: 31 May 2024 or May 31, 2024 for an English question, 2024-05-31 for a Chinese one."""
REST_OF_DAY: Final = r"[ (0-9)-]{0,14}"
"""What follows that day where a page states it both ways (``stated``)."""
ON_DAY: Final = rf"[A-Za-z0-9 (]{{0,19}}{STATED_DAY}"
"""That day where a page states it both ways and nothing need follow: the other way may stand before it."""
NUMBER: Final = r"(?P<answer>-?[0-9][0-9,]{0,20}(?:\.[0-9]{1,30})?)"
"""A number as the answer on a page, with or without commas and decimals."""


def stated(moment: int) -> str:
    """31 May 2024 (2024-05-31)"""
    return f"{english(moment)} ({iso(moment)})"

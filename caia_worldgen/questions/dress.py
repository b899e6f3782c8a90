"""What a question has beside its words, as people write: the year of a date, a cashtag.

Claims and pages go without: patterns of questions leave these outside of their groups.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Final

from caia_worldgen.questions.expression import Language

_MONTHS: Final = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                  "November", "December")  # fmt: skip
_LAST_MONTH: Final = re.compile(rf"\b({'|'.join(_MONTHS)})\Z")
_FIRST_MONTH: Final = re.compile(r"\A([0-9]{1,2})月")
_SUBJECTS: Final = ("who", "np", "what", "single")
_PAIR: Final = ("one", "two")
"""Slots that may begin with a ticker."""
_HALF_A_YEAR: Final = 6


def dated(when: str, language: Language, near: int) -> str:
    """A time with the year of its date; one that is told by an event stays. ``near`` is a moment within half a year."""
    found = (_LAST_MONTH if language == "en" else _FIRST_MONTH).search(when)
    if found is None:
        return when
    month = _MONTHS.index(found[1]) + 1 if language == "en" else int(found[1])
    moment = datetime.fromtimestamp(near, UTC)
    later = (month - moment.month > _HALF_A_YEAR) - (moment.month - month > _HALF_A_YEAR)
    year = moment.year - later
    return f"{when} {year}" if language == "en" else f"{year}年{when}"


def cashtagged(slots: Mapping[str, str], template: str, tickers: frozenset[str]) -> dict[str, str]:
    """Slots with a dollar sign before the tickers of tokens that the question is about."""
    told, names = dict(slots), frozenset(re.findall(r"\{([a-z_]+)\}", template))
    for name in filter(partial(_can_be_tagged, names=names), slots):
        first = re.match(r"[A-Z0-9]+(?![A-Za-z0-9])(?! and | 和 )", told[name])
        if first is not None and first[0] in tickers:
            told[name] = f"${told[name]}"
    return told


def undressed(name: str, pattern: str, language: Language, names: frozenset[str]) -> str:
    """A pattern of a slot with what may stand beside its words outside of it. ``names`` are all slots of the phrase."""
    if name == "when":
        return f"{pattern}(?: 20[0-9]{{2}})?" if language == "en" else f"(?:20[0-9]{{2}}年)?{pattern}"
    return rf"\$?{pattern}" if _can_be_tagged(name, names) else pattern


def _can_be_tagged(name: str, names: frozenset[str]) -> bool:
    if name == "ticker":  # Beside a subject it is a unit.
        return names.isdisjoint(("what", "single", "who"))
    return name in (_PAIR if "when" in names else ()) or (name in _SUBJECTS and "noun" not in names)

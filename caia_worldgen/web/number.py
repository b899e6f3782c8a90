"""Amounts and moments as people write them, in English and Chinese: what is printed, and how exactly it was meant.

Every function is pure and free of locales. ``Written.step`` is what one in the last printed digit is worth, so that a
reader can tell how far the printed number may be from the true one: half a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Final

_MONTHS: Final = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                  "November", "December")  # fmt: skip
_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SCALES: Final = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"))
_CHINESE: Final = ((10**8, "亿"), (10**4, "万"))


@dataclass(frozen=True, slots=True)
class Written:
    """A printed number: its ``words``, the number they say, and the worth of one in their last digit."""

    words: str
    value: Fraction
    step: Fraction

    def around(self, before: str = "", after: str = "") -> Written:
        """The same number with a unit before or after it."""
        return Written(f"{before}{self.words}{after}", self.value, self.step)


def exact(value: Fraction | int, decimals: int = 0) -> Written:
    """``1,234,567.89``: thousands parted by commas, rounded half to even."""
    step = Fraction(1, 10**decimals)
    rounded = round(Fraction(value) / step) * step
    return Written(_digits(rounded, decimals, ","), rounded, step)


def plain(value: Fraction | int, decimals: int = 0) -> Written:
    """``1234567.89``, without commas."""
    step = Fraction(1, 10**decimals)
    rounded = round(Fraction(value) / step) * step
    return Written(_digits(rounded, decimals, ""), rounded, step)


def short(value: Fraction | int, decimals: int = 1) -> Written:
    """``12.4 million``; below a million with commas and without decimals."""
    for scale, name in _SCALES:
        if abs(Fraction(value)) >= scale:
            written = exact(Fraction(value) / scale, decimals)
            return Written(f"{written.words} {name}", written.value * scale, written.step * scale)
    return exact(value)


def letters(value: Fraction | int, decimals: int = 1) -> Written:
    """``12.4M``, as dashboards have it; below a thousand as it is."""
    for scale, name in ((10**9, "B"), (10**6, "M"), (10**3, "K")):
        if abs(Fraction(value)) >= scale:
            written = exact(Fraction(value) / scale, decimals)
            return Written(written.words + name, written.value * scale, written.step * scale)
    return exact(value)


def chinese(value: Fraction | int, decimals: int = 2) -> Written:
    """``1,240.5 万`` or ``3.2 亿``; below ten thousand as it is."""
    for scale, name in _CHINESE:
        if abs(Fraction(value)) >= scale:
            written = exact(Fraction(value) / scale, decimals)
            return Written(f"{written.words} {name}", written.value * scale, written.step * scale)
    return exact(value, decimals)


def price(value: Fraction) -> Written:
    """A price in dollars with about four telling digits: ``1,204.5``, ``3.172``, ``0.004120``."""
    decimals, size = 1, abs(value)
    while decimals < 8 and size < 1_000:
        decimals, size = decimals + 1, size * 10
    return exact(value, decimals)


def percent(ppm: int, decimals: int = 1) -> Written:
    """Millionths as per cent, without a sign: ``4.2%``."""
    return exact(Fraction(abs(ppm), 10_000), decimals).around(after="%")


def day(moment: int) -> str:
    """``March 3, 2025``, UTC."""
    at = _utc(moment)
    return f"{_MONTHS[at.month - 1]} {at.day}, {at.year}"


def short_day(moment: int) -> str:
    """``3 Mar 2025``, UTC."""
    at = _utc(moment)
    return f"{at.day} {_MONTHS[at.month - 1][:3]} {at.year}"


def iso_day(moment: int) -> str:
    """``2025-03-03``, UTC."""
    at = _utc(moment)
    return f"{at.year:04d}-{at.month:02d}-{at.day:02d}"


def weekday(moment: int) -> str:
    """``Monday``, UTC."""
    return _WEEKDAYS[_utc(moment).weekday()]


def month(moment: int) -> str:
    """``March 2025``, UTC."""
    at = _utc(moment)
    return f"{_MONTHS[at.month - 1]} {at.year}"


def clock_time(moment: int) -> str:
    """``14:05 UTC``."""
    at = _utc(moment)
    return f"{at.hour:02d}:{at.minute:02d} UTC"


def chinese_day(moment: int) -> str:
    """``2025年3月3日``, UTC."""
    at = _utc(moment)
    return f"{at.year}年{at.month}月{at.day}日"


def _digits(value: Fraction, decimals: int, parted: str) -> str:
    whole = abs(value) * 10**decimals
    digits = str(int(whole)).rjust(decimals + 1, "0")
    front, back = (digits[:-decimals], digits[-decimals:]) if decimals else (digits, "")
    head = f"{int(front):,}" if parted else front
    return ("-" if value < 0 else "") + head + (f".{back}" if back else "")


def _utc(moment: int) -> datetime:
    return datetime.fromtimestamp(moment, UTC)

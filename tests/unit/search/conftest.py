"""How people write a day."""

from __future__ import annotations

from datetime import date

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip
_ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


def english_forms(day: date) -> list[str]:
    """The day in English words and in digits, year and all; the first is the usual one."""
    year, full = f"{day.year:04d}", _MONTHS[day.month - 1]
    months = [full, full[:3], f"{full[:3]}.", *(["Sept", "Sept."] if day.month == 9 else [])]
    numbers = [str(day.day), f"{day.day:02d}", f"{day.day}{_ENDINGS.get(day.day, 'th')}"]
    forms = [form for month in months for number in numbers
             for form in (f"{month} {number}, {year}", f"{month} {number} {year}", f"{month} {number},{year}",
                          f"{number} {month} {year}", f"{number} {month}, {year}", f"{number} of {month} {year}")
             ]  # fmt: skip
    for month, number in ((f"{day.month:02d}", f"{day.day:02d}"), (str(day.month), str(day.day))):
        forms += [parting.join((year, month, number)) for parting in "-/."]
    return forms


def chinese_forms(day: date) -> list[str]:
    """The day in Chinese; the first is the usual one."""
    year, month, number = f"{day.year:04d}", day.month, day.day
    return [
        f"{year}年{month}月{number}日", f"{year}年{month:02d}月{number:02d}日", f"{year}年{month}月{number}号",
        f"{year} 年 {month} 月 {number} 日",
    ]  # fmt: skip


def written_forms(day: date) -> list[str]:
    return [*english_forms(day), *chinese_forms(day)]

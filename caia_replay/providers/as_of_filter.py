"""What all turners of later replies share: names are kept as they are plain, and nothing else of a row is.

A turner takes a reply's JSON apart: ``turn(content, made, now)`` is what of it was already so at ``now``, which lies
before ``made``, both in seconds since 1970, UTC; None where nothing was. Content of another shape raises ``TypeError``,
``ValueError`` or ``KeyError``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

DAY_S: Final = 86_400
AsOfFilter = Callable[[Any, int, int], Any]
_DIGITS: Final = 15
"""A moment has no more, be it in milliseconds."""


def listed(value: Any) -> list[Any]:
    """A list, or ``TypeError``."""
    if not isinstance(value, list):
        raise TypeError("a list")
    return value


def mapped(value: Any) -> dict[str, Any]:
    """An object, or ``TypeError``."""
    if not isinstance(value, dict):
        raise TypeError("an object")
    return value


def named(row: Any, names: Iterable[str]) -> dict[str, Any]:
    """The fields of a row that name something: a text, a whole number, nothing, or several texts, which are sorted.

    A field of another kind is left out: a fraction, or what holds more than names, may be a figure. So is a list's
    order, which vendors make by size.
    """
    fields = mapped(row)
    found = {name: fields[name] for name in names if name in fields and _is_name(fields[name])}
    return {name: sorted(value) if isinstance(value, list) else value for name, value in found.items()}


def texts(value: Any) -> dict[str, str | None]:
    """The pairs of an object whose values are texts or nothing, such as a coin's contracts by network."""
    return {name: text for name, text in mapped(value).items() if isinstance(text, str | None)}


def by_name(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows in an order that no figure makes."""
    return sorted(rows, key=lambda row: tuple(str(row.get(name, "")) for name in ("name", "slug", "id", "category_id")))


def moment(value: Any) -> int:
    """A moment as it is written: a whole number, or its digits. Raises ``TypeError``."""
    if isinstance(value, str) and len(value) <= _DIGITS and value.isascii() and value.isdecimal():
        value = int(value)
    if type(value) is not int:
        raise TypeError("a moment")
    return value


def is_later(value: Any, now: int) -> bool:
    """Whether something says of itself that it began after ``now``: a moment in seconds; anything else says nothing."""
    return type(value) is int and value > now


def _is_name(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return value is None or type(value) in (str, int)

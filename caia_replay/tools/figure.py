"""Exact figures of what vendors tell, and how they are rounded for a reader: once, half to even."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Final

from caia_replay.errors import Miss

PERCENT_PLACES: Final = 6
_PLAIN: Final = re.compile(r"[+-]?[0-9]{1,60}(?:\.[0-9]{0,60})?(?:[eE][+-]?[0-9]{1,3})?")
_WIDE: Final = Context(prec=200)
"""More digits than any sum of recorded amounts has."""


@contextmanager
def reading(what: str) -> Iterator[None]:
    """For code that takes a recorded reply apart: where its shape is another one, a ``Miss`` is raised."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError, ArithmeticError) as fault:
        raise Miss("http", what, "what was recorded has another shape") from fault


def exact(value: object, what: str) -> Fraction:
    """A vendor's number or decimal text as it was written; raises ``Miss`` for anything else."""
    with reading(what):
        if not isinstance(value, (int, float, str, Decimal)) or not _PLAIN.fullmatch(str(value)):
            raise ValueError("no number")
        return Fraction(str(value))


def decimal_text(value: Fraction | Decimal, places: int | None = None) -> str:
    """Plain digits without an exponent: rounded to ``places``, or all of a Decimal's own."""
    if isinstance(value, Decimal):
        return f"{value:f}" if places is None else decimal_text(Fraction(value), places)
    scaled = round(value * 10 ** (places or 0))
    digits = str(abs(scaled)).rjust((places or 0) + 1, "0")
    whole, part = (digits[:-places], digits[-places:]) if places else (digits, "")
    return ("-" if scaled < 0 else "") + whole + ("." + part if part else "")


def total(values: Iterable[Decimal]) -> Decimal:
    """The sum of the values, without rounding (up to 200 digits)."""
    added = Decimal(0)
    for value in values:
        added = _WIDE.add(added, value)
    return added


def significant(value: Fraction, digits: int = 12) -> float:
    """The float of ``value`` rounded to some significant digits, the same on every machine."""
    divided = Context(prec=digits, rounding=ROUND_HALF_EVEN).divide(
        Decimal(value.numerator), Decimal(value.denominator)
    )
    return float(divided)


def percent(part: Fraction) -> float:
    """A share as percent, rounded to six places: 0.05 is 5.0."""
    return float(decimal_text(part * 100, PERCENT_PLACES))


def change_percent(first: Fraction, last: Fraction) -> float | None:
    """What ``last`` is above ``first``, in percent of it; None where ``first`` is zero."""
    return percent((last - first) / first) if first else None

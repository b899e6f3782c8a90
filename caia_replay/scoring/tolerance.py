"""How far a number may be off: a decimal text in per cent of the right value, or the name of a published rule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from caia_replay.errors import BadInput, nearest

_DECIMAL = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,30})?")


@dataclass(frozen=True, slots=True)
class Tolerance:
    """``percent`` of the right value, to either side. ``partial_is_right``: an answer right in part counts as right."""

    percent: Fraction
    partial_is_right: bool = False


PRESETS: Mapping[str, Tolerance] = MappingProxyType(
    {
        "caia-2025": Tolerance(Fraction(10), partial_is_right=True),
        "caia-2026": Tolerance(Fraction(4)),
        "caia-2026-arithmetic": Tolerance(Fraction(2)),
        "caia-repository": Tolerance(Fraction(5)),
    }
)
"""The rules CAIA's language model judge was told, by name.

Source: CAIA (arXiv 2510.00332) and its authors' public repositories: 10 per cent with "partial is correct" in the
prompt of 2025, 4 per cent and 2 for pure arithmetic in that of 2026, 5 per cent in the older open repository. A
number has no parts, so ``partial_is_right`` changes no number's verdict; it is for whoever counts parts.
"""


def tolerance_of(text: str) -> Tolerance:
    """The tolerance a spec's text means. Raises ``BadInput``, with the nearest preset, for any other text."""
    if text in PRESETS:
        return PRESETS[text]
    if not _DECIMAL.fullmatch(text):
        raise BadInput(
            f"{text!r} is neither a decimal number of per cent, 0 or more, nor a preset ({', '.join(sorted(PRESETS))})",
            where="answer.tolerance_percent",
            nearest=nearest(text, PRESETS),
        )
    return Tolerance(Fraction(text))


def percent_of(text: str) -> Fraction:
    """``tolerance_of(text).percent``: per cent of the right value, exact. Raises ``BadInput``."""
    return tolerance_of(text).percent

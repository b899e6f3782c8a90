"""How far several people agree beyond chance: Krippendorff's alpha for points on a scale, with any values missing.

Alpha is 1 less the observed disagreement over the one expected by chance, disagreement being the squared difference of
two values (the interval metric). It is 1 where all agree, about 0 where they might as well draw lots, and below 0 where
they disagree more than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def krippendorff_alpha(units: Sequence[Sequence[Fraction | int]]) -> Fraction | None:
    """Alpha over ``units``, each the values that people gave to one thing. Exact.

    Units of fewer than two values say nothing of agreement and are left out. None where nothing can be compared, or all
    values are equal, so that chance has nothing to disagree about.
    """
    paired = [[Fraction(value) for value in unit] for unit in units if len(unit) > 1]
    values = [value for unit in paired for value in unit]
    expected = _squares(values)
    if not expected:
        return None
    observed = sum((_squares(unit) / (len(unit) - 1) for unit in paired), Fraction(0))
    return 1 - (len(values) - 1) * observed / expected


def _squares(values: Sequence[Fraction]) -> Fraction:
    """The squared differences of all ordered pairs, summed."""
    return 2 * (len(values) * sum((one * one for one in values), Fraction(0)) - sum(values, Fraction(0)) ** 2)


def trimmed_mean(values: Sequence[Fraction | int]) -> Fraction | None:
    """The mean without one highest and one lowest value. Exact; None for fewer than three values."""
    kept = sorted(map(Fraction, values))[1:-1]
    return sum(kept, Fraction(0)) / len(kept) if kept else None

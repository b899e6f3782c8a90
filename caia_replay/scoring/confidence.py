"""How sure an agent says it is, and how far that is worth believing: Brier score and expected calibration error.

A run that states nothing, or nothing that can be read, is missing: it is counted, and is in no figure. Nobody's silence
is taken for fifty percent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Final

from caia_replay.scoring.metrics import rounded

FORM: Final = (
    "[confidence: also state how sure you are that your answer is right, as a whole number from 0 (certainly wrong) "
    "to 100 (certainly right): in your last message, on a line of its own before the answer's, CONFIDENCE: <number>. "
    'Where your last message is JSON, give it a field "confidence" instead.]'
)
"""What stands below a question whose agent is asked for its confidence."""
BINS: Final = 10
"""Bins of equal width that confidences are sorted into; 100 is in the last."""

_STATED: Final = re.compile(r"\bconfidence\b[\"*_` ]{0,8}[:：=]([^\n,}]{0,40})", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[\s\"'*_`]*([0-9]{1,3})\s*%?[\s\"'*_`.]*", re.ASCII)


def stated_confidence(message: str) -> int | None:
    """The last confidence that a run's last message states, in percent; None for none and for what is no whole number
    from 0 to 100: a half, a word or a range is nothing that could be scored."""
    found = _STATED.findall(message)
    number = _NUMBER.fullmatch(found[-1]) if found else None
    return None if number is None or int(number[1]) > 100 else int(number[1])


def confidence_figures(runs: Iterable[tuple[int | None, bool]]) -> dict[str, Any]:
    """As JSON, over scored runs: what each stated, in percent, and whether it was right.

    ``brier``: the mean square of confidence less outcome, from 0 to 1; always saying 50 has 0.25.
    ``calibration_error``: the mean over runs of how far the mean confidence of a run's bin is from the bin's share of
    right runs. Both None over no run.
    """
    given = list(runs)
    told = [(Fraction(percent, 100), right) for percent, right in given if percent is not None]
    counts = {"scored": len(given), "stated": len(told), "missing": len(given) - len(told)}
    if not told:
        return {**counts, "brier": None, "calibration_error": None, "mean_confidence": None, "right": None, "bins": []}
    brier = sum(((sure - right) ** 2 for sure, right in told), Fraction(0)) / len(told)
    bins = [[one for one in told if min(int(one[0] * BINS), BINS - 1) == at] for at in range(BINS)]
    error = sum((len(own) * abs(_sure(own) - _right(own)) for own in bins if own), Fraction(0)) / len(told)
    return {
        **counts,
        "brier": rounded(brier),
        "calibration_error": rounded(error),
        "mean_confidence": rounded(_sure(told)),
        "right": rounded(_right(told)),
        "bins": [
            {
                **{"from": 100 // BINS * at, "runs": len(own)},
                **{"mean_confidence": rounded(_sure(own)), "right": rounded(_right(own))},
            }
            for at, own in enumerate(bins)
            if own
        ],
    }


def _sure(runs: Sequence[tuple[Fraction, bool]]) -> Fraction:
    return sum((sure for sure, _ in runs), Fraction(0)) / len(runs)


def _right(runs: Sequence[tuple[Fraction, bool]]) -> Fraction:
    return Fraction(sum(right for _, right in runs), len(runs))

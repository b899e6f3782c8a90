"""Submitted text as verifiers read it: cleaned, its rejected parts and lead-ins known.

The rules every verifier shares, stated once:

- Only the submitted field is read, at most ``LONGEST`` characters of it.
- Typography never matters: full-width forms, markdown marks, quotation marks and exotic spaces are folded.
- A value said to be *not* the answer ("not 43", "rather than 43") is no reading, and never becomes one.
- **Hedges**: several readings in one answer must all be the same answer. Two different ones are wrong,
  whichever of them is right, because the submitter did not choose.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

LONGEST = 1000
"""Characters. A longer submission is an essay, not an answer; it is not read."""

_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SUPERSCRIPTS = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_FOLDED = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—−", "-"),
        **dict.fromkeys("‘’ʼ", "'"),
        **dict.fromkeys("“”「」『』《》", '"'),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", None),
    }
)
_LATEX_NUMBER = re.compile(r"(?<![\w$])\$([\d.,\\% ]*\d[\d.,\\% ]*)\$(?![\w$])")
_MARKDOWN = re.compile(r"\*{1,3}|`+|(?<!\w)_{1,3}|_{1,3}(?!\w)|^\s*#+\s+", re.MULTILINE)
_LABEL = re.compile(r"^\s*(?:the\s+)?(?:final\s+)?answer\s*(?:is\b|[:=])\s*", re.IGNORECASE)
_REJECTING = re.compile(
    r"(?:\b(?:not|never|isn't|wasn't|aren't|nor|neither|rather\s+than|instead\s+of|excluding|except)"
    r"(?:\s+(?:the|a|an|at|on|in|by|about|exactly|roughly|around|equal\s+to|was|is|it|be))*|不是|并非|而非)"
    r"[\s:\"'(]*[$€£¥Ξ#~≈]?\s*$",
    re.IGNORECASE,
)
_COPULA = re.compile(r"(?:\b(?:is|are|was|were|be|called|named)\s+|[:=]\s*|是|为|：)", re.IGNORECASE)
_DOUBT = re.compile(
    r"\b(?:not|no|never|nor|neither|whether|if|unless|might|may|maybe|perhaps|possibly|probably|likely|could|would|should|"
    r"either|or|unclear|unknown|unsure|uncertain|doubt\w*|guess\w*|claim\w*|alleg\w*|suppos\w*|believ\w*|false\w*|wrong\w*|"
    r"incorrect\w*|fake\w*|rumou?r\w*|except|instead|rather|previous\w*|former\w*|other|others|unlike|like|than)\b|n't|不|否|假|或",
    re.IGNORECASE,
)


_REFUSALS = frozenset(
    (
        *("unknown", "na", "none", "null", "notavailable", "notfound", "nodata", "noanswer", "cannotdetermine"),
        *("unabletodetermine", "cannotbedetermined", "idontknow", "idonotknow", "insufficientdata"),
        *("insufficientinformation", "未知", "无法确定", "不知道", "无法回答"),
    )
)


def clean(text: str) -> str:
    """``text`` with its typography folded: one spelling of dashes, quotes, widths, spaces and powers."""
    plain_math = _LATEX_NUMBER.sub(r"\1", text.replace("{,}", ",")).replace("+/-", "±")
    powers = _SUPERSCRIPTS.sub(lambda found: "^" + found[0].translate(_SUPERSCRIPT), plain_math)
    folded = unicodedata.normalize("NFKC", powers).translate(_FOLDED)
    plain = _MARKDOWN.sub("", folded)
    lines = (" ".join(line.split()) for line in plain.splitlines())
    return _LABEL.sub("", "\n".join(line for line in lines if line))


def is_refusal(text: str) -> bool:
    """Whether the whole answer only says that there is none: nobody could act on it."""
    return folded(clean(text)) in _REFUSALS


def rejected(text: str, start: int) -> bool:
    """Whether the value at ``start`` is one the text says is *not* the answer."""
    return _REJECTING.search(text[max(0, start - 60) : start]) is not None


def agreed(readings: Iterable[str]) -> tuple[str | None, str]:
    """The one reading all of them are, and an empty reason; or None and why there is none.

    None readings at all and two different readings both give no reading (the hedge rule).
    """
    different = sorted(set(readings))
    if not different:
        return None, "no readable answer"
    if len(different) > 1:
        return None, f"hedged between {len(different)} answers: {', '.join(different[:3])}"
    return different[0], ""


def phrases(text: str) -> tuple[str, ...]:
    """The whole text and what follows each plain lead-in ("The project is ..."), longest first.

    A lead-in that doubts, negates, compares or names alternatives is none: what follows it is not the answer.
    """
    starts = [found for found in _COPULA.finditer(text) if not _DOUBT.search(text[: found.end()])]
    return (text, *(text[found.end() :] for found in starts if text[found.end() :].strip()))


_TELLING = re.compile(r"(?<!\w)(-)(?=\d)|(?<=\d)(\.)(?=\d)|(?<=[\w+])(\+)")
_KEPT = {"-": "\0", ".": "\1", "+": "\2"}


def folded(text: str) -> str:
    """Letters and digits of every script, caseless; punctuation and spaces gone.

    Three marks tell values apart and stay: the sign of "-1", the point of "1.5", the pluses of "C++".
    """
    kept = _TELLING.sub(lambda found: _KEPT[found[0]], text).casefold()
    marks = ("Mn", "Mc")  # vowel signs are letters to many scripts
    letters = "".join(c for c in kept if c.isalnum() or c in "\0\1\2" or unicodedata.category(c) in marks)
    return letters.translate({ord(kept): mark for mark, kept in _KEPT.items()})

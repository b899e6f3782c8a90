"""What CAIA's answers say to their grader, told apart from what they say is right."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_LABEL: Final = re.compile(
    r"^\s*(?:reference[d]?\s+answer(?:\s+example)?|(?:token\s+|contract\s+|mint\s+|ca\s+)?address|answer)\s*[:：]\s*",
    re.IGNORECASE,
)
_REFERENCE: Final = re.compile(r"^\s*reference[d]?\s+answer\s*[:：]", re.IGNORECASE)
_TOLERANCE: Final = re.compile(
    r"(?:,?\s?(?:all numbers (?:are )?)?with(?:in)?\s+(?P<a>\d+(?:\.\d+)?)\s*%\s*(?:of\s+)?(?:fault\s+)?toler?ance"
    r"|tolerate\s+(?:a\s+)?(?P<b>\d+(?:\.\d+)?)\s*%\s*(?:of\s+)?error)",
    re.IGNORECASE,
)
_TO_GRADER: Final = re.compile(
    r"tolerat|acceptable|should (?:be )?count|count as correct|is correct\b|the agent should|算对|即可"
    r"|must (?:be|not|output|contain)|can include|ask respon|reference\s+data\s?source|should (?:include|take)"
    r"|result should|mention any of|any of them|the submission must|optional",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"(?<=[.;])\s+|(?<=[。；])|\n+")
_ASIDE: Final = re.compile(r"\(\s*optional[^()]{0,200}\)|,?\s?any(?:thing)? in this range[^.\n]{0,100}", re.IGNORECASE)
"""Said to the grader without a change of what is right: a second way to say it, and a range that is stated."""


@dataclass(frozen=True, slots=True)
class AnswerParts:
    """An answer taken apart: ``value`` is what is right, ``tolerance_percent`` what the grader may forgive, in its
    own words (decimal text or None), ``for_grader`` whether anything was said to the grader, ``conditional`` whether
    what was said changes which answers are right, so that the value alone is not the rule."""

    value: str
    tolerance_percent: str | None = None
    for_grader: bool = False
    conditional: bool = False


def plain(answer: str) -> str:
    """An answer as text: escape sequences that its file left in become what they stand for, marks of bold are cut."""
    text = answer.replace('\\"', '"').replace("\\n", "\n").replace("\\t6", " ").replace("\\t", " ")
    return text.replace("\u202f", " ").replace("\u00a0", " ").replace("**", "").strip()


def take_apart(answer: str) -> AnswerParts:
    """Tell the value from the words to the grader. What follows a first line "Reference answer: ..." is such words."""
    text = plain(answer)
    tolerance = None
    if found := _TOLERANCE.search(text):
        tolerance = found["a"] or found["b"]
        text = f"{text[: found.start()]}{text[found.end() :]}".strip()
    text, asides = _ASIDE.subn("", text)
    referred = bool(_REFERENCE.match(text))
    if referred and "\n" in text:
        text = text.split("\n", 1)[0]
    kept: list[str] = []
    said: list[str] = []
    for part in _SENTENCE.split(text):
        (said if _TO_GRADER.search(part) else kept).append(part)
    value = _LABEL.sub("", "\n".join(part.strip() for part in kept if part.strip(" .。\n")))
    conditional = any(not re.search(r"should output the exact|data\s?source", part, re.IGNORECASE) for part in said)
    return AnswerParts(value.strip(), tolerance, bool(tolerance or said or referred or asides), conditional)

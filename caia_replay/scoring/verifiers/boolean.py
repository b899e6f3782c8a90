"""Yes, no, and that the question's premise is false."""

from __future__ import annotations

import re
from typing import Final

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import claim, clean, fault_beside
from caia_replay.scoring.words import Words, unread, words_of

_VALUES: Final = ("yes", "no", "false premise")
_YES: Final = re.compile(
    r"\A\W*(?:yes|true|correct|affirmative|是的?|对|有|正确)\b[\s.,!:;-]*|\A\W*(?:是的?|对|有)[\s.,!:;，。]*",
    re.IGNORECASE,
)
_NO: Final = re.compile(
    r"\A\W*(?!不是没有|没有(?:数据|相关|问题|记录|信息|找到))(?:no|false|incorrect|negative|否|不是|没有|不|没)(?:\b|(?<=[否是有不没]))[\s.,!:;-]*",
    re.IGNORECASE,
)
_PREMISE: Final = re.compile(
    r"\bfalse\s+premise\b|\b(?:the\s+)?(?:question's\s+)?premise\b(?:\s+of\s+the\s+question)?\s+(?:is|was)\s+(?:false|wrong|incorrect|not\s+true)"
    r"|\bpremise\s+(?:does\s+not|doesn't)\s+hold|前提(?:是)?(?:不成立|错误|有误|不正确|不对)",
    re.IGNORECASE,
)
_NEGATION: Final = re.compile(
    r"\b(?:not|no|none|nothing|nobody|never|neither|nor|zero(?! address)|0)\b|n't\b|不|没有?|未|无|从未"
    r"|\b(?:un|non-?|dis)(?P<of>[a-z]{4,})"
    r"|\b(?:is|are|was|were|stayed|remained) (?:the )?(?P<same>unchanged|same|identical)\b",
    re.IGNORECASE,
)
_EITHER: Final = re.compile(r"\W*(?:yes or no|no or yes|是或否|是还是否)", re.IGNORECASE)
_NOT_FIRST: Final = re.compile(r"(?:it (?:is|was|did) )?not\b", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[;:,.()；，。：]")
_STATES: Final = re.compile(
    r"\b(?:is|are|was|were|did|does|do|has|have|had|happened|occurred|took|can|could|\w{2,}ed|burnt|sent|held|paid)\b|[了过]|确实|可以",
    re.IGNORECASE,
)
_TRUTH: Final = re.compile(r"\b(?:true|false|correct|incorrect|wrong|right)\b|真|假|错", re.IGNORECASE)


class BooleanVerifier:
    """Right when the answer is the value: "yes", "no" or "false premise".

    Yes and no may be followed by a sentence in the question's words that says the same: "No, nothing was burnt". Such a
    sentence alone answers, too; one with two negations is not read. What only denies, where the premise is false, is
    "no".
    """

    reads: tuple[str, ...] = ()

    def form(self, spec: AnswerSpec) -> str:
        """The three words."""
        return "yes, no, or: false premise"

    def verify(self, spec: AnswerSpec, answer: str, question: str = "") -> Score:
        """Judge ``answer``. Raises ``BadInput`` when the value is none of the three."""
        wanted = spec.values[0].strip().casefold()
        if len(spec.values) != 1 or wanted not in _VALUES:
            raise BadInput(f"{spec.values[0]!r} is neither yes, no nor false premise", where="answer.values")
        reading, fault = _read(claim(clean(answer), lambda part: ()).text, question)
        return Score(False, fault) if fault else Score(reading == wanted, f"read {reading}", reading)


def said_plainly(text: str, question: str) -> str:
    """What a cleaned answer says, whatever words stand beside it: by its first word where it cannot be read whole."""
    said, fault = _read(claim(text, lambda part: ()).text, question)
    if not fault:
        return said
    if "otherwise" in fault or _EITHER.match(text):
        return ""
    return "yes" if _YES.match(text) else "no" if _NO.match(text) or _NOT_FIRST.match(text) else ""


def _read(text: str, question: str) -> tuple[str, str]:
    """What an answer says, or why it cannot be read."""
    words = words_of(question, restated=True, figures=True)
    if found := [
        one for one in _PREMISE.finditer(text) if not _NEGATION.search(_CLAUSE.split(text[: one.start()])[-1])
    ]:
        head = _NO.match(text)
        spans = (
            [one.span() for one in found]
            + ([head.span()] if head else [])
            + [one.span() for one in _NEGATION.finditer(text)]
        )
        return "false premise", fault_beside(text, spans, words_of(question, figures=True))
    yes, no = _YES.match(text), _NO.match(text)
    head = yes or no
    rest = " " * head.end() + text[head.end() :] if head else text
    if (
        no
        and re.match(r"\s*\w", rest[no.end() :])
        and not re.search(r"[.,!:;-]\s*$", no[0])
        and no[0].strip().casefold() == "no"
    ):
        rest, head = text, None  # "No burn happened" denies once
    denied = _denials(rest, words)
    if fault := fault_beside(rest, [one.span() for one in denied], words):
        return "", fault
    clauses = re.split(r"[;.,:()-]", rest)
    if any(len(_denials(clause, words)) > 1 for clause in clauses) or (
        _TRUTH.search(rest) and not (yes and not denied)
    ):
        return "", "not understood: more than one denial"
    states = _STATES.search(rest) is not None
    if head is None:
        if not states or (not denied and unread(rest, words_of(question, restated=True, figures=True, strict=True))):
            return "", "neither yes nor no"
        return ("no" if denied else "yes"), ""
    said = "yes" if yes else "no"
    if (denied and yes) or (states and not denied and no):
        return "", f"{said}, and a sentence that says otherwise"
    return said, ""


def _denials(text: str, words: Words) -> list[re.Match[str]]:
    """Where a text denies, and not in words that its question denies in: "unpaused" where it asks what was paused."""
    return [
        found
        for found in _NEGATION.finditer(text)
        if (not found["of"] or words.has(found["of"].casefold()))
        and (not found["same"] or not words.has(found["same"].casefold()))
        and " ".join(text[found.start() :].casefold().split()[:3]).rstrip(".,;") not in words.lowered
    ]

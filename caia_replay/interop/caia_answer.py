"""An answer's kind and rule, guessed from its text and its question; what cannot be guessed stays open.

What an answer says to its grader is told apart first from what it says is right. Every spec that comes from here passes
``check_spec``: its own value is an answer that its verifier accepts. A guess is only ever narrower than CAIA's judge,
who read the words: where the words let several answers pass, the kind is open.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from caia_replay.core.task import AnswerSpec
from caia_replay.interop.caia_date import named_dates
from caia_replay.interop.caia_figure import number_spec, read_figure
from caia_replay.interop.caia_structured import abi_spec, address_spec, item_figure, names_spec, table_spec
from caia_replay.scoring.spec import check_spec
from caia_replay.scoring.verifiers.known_chain import KNOWN_CHAINS

NO_ANSWER: Final = "no answer is published with this question"
"""The value of a task whose file has no answers: nothing can be right yet, and a judge is told so."""

_ADDRESS: Final = re.compile(r"(?<![0-9a-zA-Z])0x[0-9a-fA-F]{40}(?![0-9a-fA-F])")
_HASH: Final = re.compile(r"0x[0-9a-fA-F]{64}")
_BASE58: Final = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}")
_URL: Final = re.compile(r"https?://\S{4,500}")
_WHEN: Final = re.compile(
    r"\bwhen\b|timestamp|\bdate\b|\btime of\b|\bwhat (?:\w+ )?time\b|start date|launch date|时间|何时|哪天|日期",
    re.IGNORECASE,
)
_YES_NO: Final = re.compile(r"^\s*(?:is|are|was|were|does|do|did|has|have|can)\b", re.IGNORECASE)
_TWO: Final = re.compile(
    r"\band\b(?!\s+(?:liquidity|github))|[?？].*[?？]|，并|以及|\bwith (?:reason|their)\b", re.IGNORECASE
)
_WHETHER: Final = re.compile(r"是否(?P<verb>[\u4e00-\u9fff]{2})")
_NAME: Final = re.compile(r"(?:the\s+)?(?P<name>[^\s,;:()]+(?: [^\s,;:()]+){0,4})")
_CHOICE: Final = re.compile(r"\bwhich\b|\bwho\b|\bbetween\b|谁|最[高大多]", re.IGNORECASE)
_NOTHING: Final = re.compile(r"(?:not?|none|never|unknown|n/a)\b", re.IGNORECASE)
_SMALL: Final = frozenset(re.findall(r"\w+", "of in on for with by to a an and or from that is as at"))
_STAMP: Final = re.compile(r"\s*(?:utc|z|\+?utc|\+utc|gmt)?[\s.,]*(?:\(optional[^)]*\))?[\s.]*", re.IGNORECASE)
_ISO_TWELVE: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)\s*([AP])M", re.IGNORECASE)
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
class Guess:
    """A spec and how it was come by: ``tags`` for the task, ``notes`` for people."""

    spec: AnswerSpec
    tags: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerParts:
    """An answer taken apart: ``value`` is what is right, ``tolerance_percent`` what the grader may forgive, in its
    own words (decimal text or None), ``for_grader`` whether anything was said to the grader, ``conditional`` whether
    what was said changes which answers are right, so that the value alone is not the rule."""

    value: str
    tolerance_percent: str | None = None
    for_grader: bool = False
    conditional: bool = False


_Rule = Callable[[str, AnswerParts], Guess | None]


def guess_answer(question: str, answer: str | None, chain: str = "") -> Guess:
    """The first kind that reads the whole answer and passes ``check_spec``; else ``open`` with the answer as it is.

    ``chain``: the chain the question names, for addresses; empty where it names none. Tags: ``answer:guessed``,
    ``answer:open`` or ``answer:none``; ``answer:note`` where the answer speaks to its grader; ``tolerance:stated``,
    ``:range``, ``:exact`` or ``:preset``; ``unit:guessed``,
    ``unit:dollar-coin``; ``answer:approximate``.
    """
    if answer is None:
        return Guess(AnswerSpec("open", (NO_ANSWER,)), ("answer:none",), ("the file has no answer",))
    value = take_apart(answer)
    noted = ("answer:note",) if value.for_grader else ()
    why: tuple[str, ...] = ("no rule reads the whole answer",)
    if value.conditional:
        why = ("its words to the grader change what is right",)
    rules: list[_Rule] = [lambda question, reply: _address(reply, chain), *_RULES]
    for rule in () if value.conditional else rules:
        found = rule(question, value)
        if found is None:
            continue
        faults = check_spec(found.spec)
        if not faults:
            return replace(found, tags=("answer:guessed", *noted, *found.tags))
        why = (f"read as {found.spec.kind}, but {faults[0]}",)
    return Guess(AnswerSpec("open", (answer,)), ("answer:open", *noted), why)


def _address(reply: AnswerParts, chain: str) -> Guess | None:
    value = reply.value.rstrip(" .")
    if _ADDRESS.fullmatch(value):
        named = chain if chain in KNOWN_CHAINS else None
        return Guess(AnswerSpec("address", (value.lower(),), chain=named), ())
    if _HASH.fullmatch(value):
        return Guess(AnswerSpec("hash", (value.lower(),)), ())
    if _BASE58.fullmatch(value) and any(c.isdigit() for c in value):
        return Guess(AnswerSpec("text", (value,)), ("answer:base58",))
    if _URL.fullmatch(value):
        return Guess(AnswerSpec("url", (value,)), ())
    return None


def _moment(question: str, reply: AnswerParts) -> Guess | None:
    if not _WHEN.search(question) or len(reply.value) > 150:
        return None
    stamp = read_moment(reply.value)
    if stamp is None:
        return None
    second, clock = stamp
    moment = datetime.fromtimestamp(second, UTC)
    if clock == "day":
        return Guess(AnswerSpec("date", (moment.date().isoformat(),)), ())
    within = 59 if clock == "minute" or re.search(r"in minute|to the minute", question, re.IGNORECASE) else None
    value = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    return Guess(AnswerSpec("time", (value,), tolerance_seconds=within), (f"precision:{clock}",))


def read_moment(text: str) -> tuple[int, str] | None:
    """The one moment that ``text`` is, seconds since 1970 UTC, and its precision: day, minute or second.

    A clock in twelve hours behind an ISO "T" is read as twelve hours. None where there is anything else to read.
    """
    text = _ISO_TWELVE.sub(r"\1 \2:\3:\4 \5M", text)
    named, impossible = named_dates(re.sub(r"(?<=\d) – (?=\d)", " ", text), 0)
    if impossible or len(named) != 1 or not named[0].has_year:
        return None
    item = named[0]
    if item.end - item.start not in (0, 86_399):
        return None
    words = re.sub(r"(?<=\d) – (?=\d)", " ", text)
    left = f"{words[: item.at]}{words[item.at + len(item.words) :]}"
    if not _STAMP.fullmatch(left):
        return None
    seconds = re.search(r"\d:\d\d:\d\d", item.words)
    return item.start, "second" if seconds else "minute" if item.clock else "day"


def _boolean(question: str, reply: AnswerParts) -> Guess | None:
    value = reply.value.strip(" .。").casefold()
    if found := _WHETHER.search(question):
        if value.startswith(f"不{found['verb']}") or value in ("否", "没有"):
            return Guess(AnswerSpec("boolean", ("no",)), ())
        if value.startswith(found["verb"]) or value == "是":
            return Guess(AnswerSpec("boolean", ("yes",)), ())
        return None
    if _TWO.search(question) or not _YES_NO.match(question):
        return None
    if value in ("yes", "no"):
        return Guess(AnswerSpec("boolean", (value,)), ())
    if re.search(r"\b(?:is|are|was|were|has|did|does) not\b", value) and len(value) < 100 and "," in question:
        return Guess(AnswerSpec("boolean", ("no",)), ("answer:denied",))
    return None


def _number(question: str, reply: AnswerParts) -> Guess | None:
    figure = read_figure(item_figure(reply.value, question) or reply.value)
    if figure is None:
        return None
    spec, tags = number_spec(figure, question, reply.tolerance_percent)
    if re.search(r"net (?:increase|change|inflow|growth)|\bgrowth\b", question, re.IGNORECASE):
        spec = replace(spec, direction="up")
    return Guess(spec, tags)


def _several(question: str, reply: AnswerParts) -> Guess | None:
    for rule in (abi_spec, address_spec, table_spec, names_spec):
        spec = rule(reply.value, question)
        if spec is not None:
            return Guess(spec, ("tolerance:preset",) if spec.kind == "table" else ())
    return None


def _text(question: str, reply: AnswerParts) -> Guess | None:
    """A name, and nothing that is said with one: no sentence, no figure, no second question."""
    value = reply.value.strip(" .。")
    found = _NAME.fullmatch(value)
    if not found or len(value) > 60 or re.search(r"\d.*\d|/", value) or _NOTHING.match(value):
        return None
    if _TWO.search(question) and not _CHOICE.search(question):
        return None
    words = found["name"].split()
    named = len(words) <= 2 or all(word[:1].isupper() for word in words)
    if not named or any(word.casefold() in _SMALL for word in words):
        return None
    return Guess(AnswerSpec("text", (found["name"],)), ())


_RULES: Final[tuple[_Rule, ...]] = (
    _boolean, _number, _moment, _several, _text
)  # fmt: skip


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

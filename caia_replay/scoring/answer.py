"""Submitted text as verifiers read it, and the one rule that all kinds of answer share.

**The answer is the value, in the question's words.** What surrounds the value may be words of the question, the short
list of plain words in ``words.py``, and what is said to be *not* the answer. Any other word makes an answer unreadable,
and so wrong: nobody has to foresee how doubt, a range, a condition or an alternative may be put.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from caia_replay.scoring.scope import scope_of
from caia_replay.scoring.words import Words, unread

LONGEST: Final = 1000
"""Characters. A longer submission is an essay, not an answer; it is not read."""

_FOLDED: Final = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—−", "-"),
        **dict.fromkeys("‘’ʼ`", "'"),
        **dict.fromkeys("“”「」『』《》【】", '"'),
        **dict.fromkeys("。．", "."),
        **dict.fromkeys("、", ","),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", None),
    }
)
_SUPERSCRIPT: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_POWER: Final = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_LATEX: Final = re.compile(r"\\(?:boxed|text(?:bf|rm|it)?|math(?:rm|bf)|d?frac)\s?\{([^{}]*+)\}")
_LATEX_MARKS: Final = (("\\$", "$"), ("\\%", "%"), ("\\,", ""), ("{,}", ","), ("\\times", "×"), ("\\approx", "≈"))
_CUT: Final = re.compile(r"(?<=\.\d\d)(\d*)(?:\.{3}|…)(?![\d.]|\s?(?:to|-)\b)")
"""Behind two decimals and more: the digits go on, and are not written."""
_EXPONENT: Final = re.compile(r"\^\{\s?([-+]?\d{1,3})\s?\}")
_FORMULA: Final = re.compile(r"\${1,2}([^$\n]*[\\^{][^$\n]*?)\${1,2}|\\[()\[\]]|\A\$([\d.,\s%]+)\$\Z")
_MARKDOWN: Final = re.compile(
    r"(?<![\d*])\*{1,3}(?!\*)|\*{1,3}(?![\d*])|(?<![\w`])`+|`+(?!\w)"
    r"|(?<!\w)_{1,3}|_{1,3}(?!\w)|^[ \t]*(?:#+|>|[-•])[ \t]+",
    re.M,
)
_LINK: Final = re.compile(r"\[([^\[\]]{1,300})\]\((?:https?://)?[^\s()]{1,500}\)")
_TAG: Final = re.compile(r"</?(?:b|i|u|em|strong|code|p|span|br|pre|sub|sup)\s?/?>", re.IGNORECASE)
LABEL: Final = re.compile(
    r"\A\W{0,3}(?:the\s+|my\s+)?(?:final\s+)?(?:answer|答案|最终答案)(?:\s+is\b|\s*[:：=]|[是为])\s*", re.I
)
_POLITE: Final = re.compile(r"\A\W{0,3}(?:sure|certainly|of course)[,:!]\s*", re.IGNORECASE)
_FENCE: Final = re.compile(r"```\w*")
_STRUCK: Final = re.compile(r"~~[^~\n]*~~")
_THOUGHT: Final = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.S)
_KEYS: Final = ("final_answer", "answer", "value", "result", "amount", "number")
_URL: Final = re.compile(r"https?://[^\s)\"'>]+")
_CITED: Final = re.compile(r"\[\^?\d{1,2}\]")


def clean(text: str) -> str:
    """``text`` with its typography folded: one spelling of dashes, quotes, widths and spaces; no markup, no label, and
    a JSON object with one answer said in words."""
    powers = _POWER.sub(lambda found: "^" + found[0].translate(_SUPERSCRIPT), text)
    plain = _STRUCK.sub("", _FENCE.sub("", _THOUGHT.sub("", unicodedata.normalize("NFKC", powers))))
    said = _spoken(plain.translate(_FOLDED).strip())
    said = _FORMULA.sub(lambda found: f" {found[1] or found[2] or ''} ", said)
    for mark, plain in _LATEX_MARKS:
        said = said.replace(mark, plain)
    said = _EXPONENT.sub(r"^\1", _CUT.sub(r"\1", said).replace("->", "→").replace("=>", "→"))
    said = _LATEX.sub(r"\1", _LATEX.sub(r"\1", said))
    said = _MARKDOWN.sub("", _TAG.sub(" ", _LINK.sub(r"\1", said)))
    lines = (" ".join(line.split()) for line in said.splitlines())
    return LABEL.sub("", _POLITE.sub("", "\n".join(line for line in lines if line)))


def _spoken(text: str) -> str:
    """An answer sent as one flat JSON object, its unit behind its value; any other text unchanged."""
    if not text.startswith("{"):
        return text
    try:
        fields = json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return text
    key = next((key for key in _KEYS if key in fields), None) if isinstance(fields, dict) else None
    if key is None or isinstance(fields[key], dict | list):
        return text
    unit = fields.get("unit", fields.get("currency", ""))
    rest = [f"{name}: {_word(value)}" for name, value in fields.items() if name not in (key, "unit", "currency")]
    return "\n".join([f"{_word(fields[key])} {_word(unit)}".strip(), *rest])


def _word(value: object) -> str:
    return {True: "yes", False: "no", None: ""}[value] if value is None or isinstance(value, bool) else str(value)


def folded(text: str) -> str:
    """Letters and digits of every script, caseless; punctuation and spaces gone.

    Three marks tell values apart and stay: the sign of "-1", the point of "1.5", the pluses of "C++".
    """
    kept = _TELLING.sub(lambda found: _KEPT[found[0]], text).casefold()
    marks = ("Mn", "Mc")  # vowel signs are letters to many scripts
    letters = "".join(c for c in kept if c.isalnum() or c in "\0\1\2" or unicodedata.category(c) in marks)
    return letters.translate({ord(kept): mark for mark, kept in _KEPT.items()})


_TELLING: Final = re.compile(r"(?<!\w)(-)(?=\d)|(?<=\d)(\.)(?=\d)|(?<=[\w+])(\+)")
_KEPT: Final = {"-": "\0", ".": "\1", "+": "\2"}

Span = tuple[int, int]
Find = Callable[[str], Sequence[Span]]


@dataclass(frozen=True, slots=True)
class Claim:
    """``text`` is what an answer stands by; ``rejected`` are the parts it says are not the answer."""

    text: str
    rejected: tuple[str, ...]


_NOT: Final = re.compile(
    r"(?:[,;(:-]\s*)?\b(?:and\s+|so\s+)?(?:not|rather\s+than|instead\s+of|as\s+opposed\s+to|without)\s+(?!only\b|just\b|earlier\b|later\b|before\b|after\b)"
    r"|[,;]?\s*(?:而不是|而非|并非|不是)|(?P<against>(?:[,;(-]\s*)?\b(?:despite|contrary\s+to|unlike|besides|apart\s+from|aside\s+from)\s+)",
    re.IGNORECASE,
)
_END: Final = re.compile(r"[,;!()\n]|\.(?!\d)|\bbut\b|\bit\s+is\b|而是|是(?!\d)", re.IGNORECASE)
_ABOUT_IT: Final = re.compile(r",\s*(?:which|who|that|as|because)\b[^.;,)\n]*", re.IGNORECASE)
_BUT: Final = re.compile(r"[\s,;]*(?:but|而是)\s*(?:rather\s+)?", re.IGNORECASE)
_WRONG: Final = re.compile(
    r"\s(?:is|are|was|were)\s(?:(?:simply|clearly|plainly)\s)?(?:an?\s)?(?:wrong|incorrect|false|mistaken|inaccurate"
    r"|outdated|fake|not\s(?:right|correct|true)|scam|decoy|copy|phishing\s\w+|impostor|(?:(?:[\w-]+,?\s){1,3}(?:but|and)\s(?:only\s)?an?\s)?candidate|not\s(?:meant|counted|included|asked\sfor|the\sanswer))\b"
    r"[^.;,()\n]*(?:[.;,)\n]|\Z)|\s(?:does|do|did)(?:\snot|n't)\s(?:count|matter|apply)\b[^.;,()\n]*(?:[.;,)\n]|\Z)"
    r"|\s?(?:是|属于)[^,.;()\n]{0,4}候选版?(?:,?\s?(?:因此|所以|故)?不算(?:在内)?)?(?=[.;,)\n]|\Z)|\s?(?:不算(?:在内)?|不计(?:入|算)?)(?=[.;,)\n]|\Z)"
    r"|(?P<is_none>,?\s?(?:并)?不是\s?[^.;,()\n\d]{1,8}(?=[.;,)\n]|\Z))",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"[.,](?!\d)|[;(\n]|\s-(?=\s)")
"""What a sentence begins behind."""


_ONLY: Final = re.compile(
    r"\([^()]*\b(?:only|just|merely)\s+an?\b[^()]*\)|;[^;]*\b(?:only|merely|just)\b[^;]*(?=;|\Z)", re.IGNORECASE
)
"""An aside on what is less than the answer: "(v0.6.0-rc1 is only a candidate)"."""


_PAST: Final = re.compile(
    r"(?:\(|[,;]\s)(?!.{0,200}\b(?:now|currently|today)\b)"
    r"(?:formerly|previously|earlier|originally"
    r"|before (?:that|then|this|the (?:last )?(?:change|update|switch))|until then"
    r"|此前|前一[天日]|之前|原先|原来|以前)(?!\))[^();]*(?:\)|(?=;)|\Z)",
    re.IGNORECASE,
)
"""An aside on what the value was at another time."""


def claim(text: str, find: Find) -> Claim:
    """Tell what a cleaned answer rejects ("42, not 43 as the blog says") from what it stands by.

    A part is rejected where "not", "rather than", "instead of" or 而不是 stands before a value that ``find`` finds, up
    to the next mark of punctuation, and where a sentence says of a value that it is wrong. A "not" before anything else
    stays, and is read as any word is.
    """
    kept, rejected, at = [], [], 0
    while found := _NOT.search(text, at):
        stop = _clause_end(text, found.end(), find)
        said = text[found.end() : stop]
        if not find(said) and not found["against"]:
            kept.append(text[at : found.end()])
            at = found.end()
            continue
        kept.append(text[at : found.start()] + " ")
        rejected.append(said)
        more = _ABOUT_IT.match(text, stop)
        stop = more.end() if more else stop
        but = _BUT.match(text, stop)
        at = but.end() if but else stop
        if text[found.start()] == "(" and text[at : at + 1] == ")":
            at += 1
    left = "".join([*kept, text[at:]])
    rejected += [found[0] for found in _ONLY.finditer(left)]
    left = _ONLY.sub(" ", left)
    left = _PAST.sub(lambda found: " " if find(found[0]) else found[0], left)
    for found in reversed([*_WRONG.finditer(left)]):
        marks = [
            mark for mark in _SENTENCE.finditer(left, 0, found.start()) if not (found["is_none"] and mark[0] == ",")
        ]
        start = max((mark.end() for mark in marks), default=0)
        if find(said := left[start : found.start()]):
            rejected.append(said)
            left = f"{left[:start]} {left[found.end() :]}"
    return Claim(left, tuple(rejected))


def _clause_end(text: str, start: int, find: Find) -> int:
    """The first mark that ends a clause behind ``start``, but for the commas of its first value."""
    first = next(((start + one, start + end) for one, end in find(text[start:])), (len(text), len(text)))
    end = _END.search(text, start)
    if end is not None and first[0] <= end.start() < first[1]:
        end = _END.search(text, first[1])
    return end.start() if end else len(text)


def fault_beside(
    text: str, spans: Iterable[Span], words: Words, worked: int = 0, answers: Iterable[Span] | None = None
) -> str:
    """Why a claim cannot be read for what stands beside its values, or an empty text. What stands before ``worked``
    only shows how the value came about. ``answers`` are those of the values that answer; all of them by default."""
    letters, places = list(text), list(spans)
    kept = places if answers is None else list(answers)
    for start, end in places:
        letters[start:end] = " " * (end - start)
    rest = "".join(letters)
    for blank in (_URL, _CITED):
        rest = blank.sub(lambda found: " " * len(found[0]), rest)
    scope = scope_of(words.question)
    rest = scope.without_left_out(rest)
    asked = rest.rfind("?") + 1
    at = asked if not any(start < asked for start, _ in kept) and words.repeats(rest[:asked]) else 0
    for end in [*(mark.start() for mark in _CLAUSE.finditer(rest)), len(rest)]:
        told = any(at <= start < end for start, _ in kept)
        detail = not told and any(at <= start < end for start, _ in places)
        explains = end <= worked or detail or (not told and _LONG.search(rest, at, end) is not None)
        if scope.contradicts(text[at:end], told):
            return "counts what the question leaves out, or the other way round"
        beside = rest[at:end] if told else scope.without_denial(rest[at:end])
        if word := unread(beside, words, explains, detail):
            return f"not understood: {word[:40]!r}"
        at = end
    return ""


_CLAUSE: Final = re.compile(r"[();:（）；：。\n]|,(?!\d)|，|\.\s|\s-\s|\s[—–]\s")
_LONG: Final = re.compile(r"(?:[A-Za-z][\w'-]*\W+){3}[A-Za-z]|[\u3400-\u9fff]{6}")
"""What a clause has that explains a value: four words, or six characters of Chinese."""


_REFUSED: Final = re.compile(
    r"\b(?:unknown|n/?a|undetermined|not\s+(?:available|known|found|determin\w+)|(?:can\s?not|can't|could\s?n[o']t|unable\s+to|"
    r"don't|do\s+not|did\s+not|didn't)\s+(?:\w+\s+)?(?:answer|determine|know|find|verify|confirm|access|retrieve|tell|say|(?:determin|know|verifi)\w+)"
    r"|no\s+(?:data|answer|information))\b|无法|不知道|未知|不清楚|没有(?:找到|数据)|\A\W*\Z",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """Whether an answer says that it has none: it holds such words and no figure."""
    said = clean(text)
    return _REFUSED.search(said) is not None and not any(c.isdigit() for c in _URL.sub("", said))

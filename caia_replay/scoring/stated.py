"""The numbers an answer states, each with what belongs to it: approximation, limit, unit and rate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from caia_replay.core.expression import render
from caia_replay.scoring.asked import Asked
from caia_replay.scoring.numeral import Numeral, numerals
from caia_replay.scoring.scope import scope_of
from caia_replay.scoring.unit import KNOWN, MONEY, Unit, Wanted, unit_at
from caia_replay.scoring.verifiers.calendar_day import PARTLY, days
from caia_replay.scoring.words import NOUNS, plain_number, stem

_BLANK: Final = re.compile(
    r"https?://[^\s)\"'>]+|\b(?:UTC|GMT)\s?[-+]\s?\d{1,2}(?::?\d\d)?|0x[0-9a-fA-F]+|\[\^?\d{1,2}\]"
)
_CLOCK: Final = re.compile(r"\d{1,2}:\d\d(?::\d\d)?")
_LABELLED: Final = re.compile(
    r"(?:\b(block|page|item|proposal|log|slot|height|no\.|nr\.?|number|id|version|epoch|index"
    r"|query|step|status(?: is| of)?)s?[ -]?#?|#|区块|第)"
    r"\s?(?:[\d,]+\s?(?:to|-|and|至|到)\s?(?:block )?)?$",
    re.I,
)
_WHOLE: Final = re.compile(
    r"\d[^.;()=]{0,12}\b(?:out )?of (?:the |all )?$|\(\s?(?:of |all )(?:the |all )?$", re.IGNORECASE
)
"""Behind "45 of the" stands what 45 is a part of."""
_FROM: Final = re.compile(
    r"\b(?:up|down|rose|grew|fell|dropped|raised|lowered|increased|decreased|changed|cut)\b[^.;()\d]{0,24}\bfrom\s+$|从\s?$",
    re.IGNORECASE,
)
_TO: Final = re.compile(r"\s?[A-Za-z%]{0,8}\s?(?:to|到|至)\s?(?=[$€£]?\d)")
_PLACES: Final = re.compile(r"\s?(?:(?:decimals?|digits|places)\b|位小数)", re.IGNORECASE)
_NUMBERED: Final = frozenset((
    "rank", "place", "position", "block", "height", "slot", "epoch", "proposal",
    "id", "index", "number", "nonce", "version", "round", "page", "step",
))  # fmt: skip
_ASKS_WHICH: Final = re.compile(
    r"\b(?:which|what)\s+(?:[\w-]+\s+){0,2}?(?:block|height|slot|epoch|proposal|item|rank|position|place|page|number|id|nonce|version)\b|第几|哪个区块|哪一个?区块|几号",
    re.IGNORECASE,
)
_ABOUT: Final = re.compile(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|circa|ca\.)\s*|[~≈]\s*|大?约\s*)$", re.IGNORECASE
)
_RATE: Final = re.compile(
    r"\s?(?:/\s?|\b(?:per|each|every)\b\s?)"
    r"(?P<per>[A-Za-z]\w*(?:\s(?!(?:on|in|at|of|for|and|by|as|over|is|was)\b)[A-Za-z]\w*)?)"
    r"|\s(?:an?)\s(?P<time>\w+)|\s?\b(?P<each>each|apiece|daily|annually|a head)\b",
    re.I,
)
_MEASURE: Final = re.compile(r"\s?[笔位次条项名家]")
_TOKENS_OF: Final = re.compile(r"\s(?:tokens?|coins?|units?)\sof\s(\w+)", re.IGNORECASE)
_PART: Final = re.compile(r"[^.;,()]{0,16}\bof (?:them|which|these|those)\b", re.IGNORECASE)
_PART_HAN: Final = re.compile(r"其中[^.;()]*$")
_TOTAL: Final = re.compile(r"[^.;,()]{0,30}\b(?:in all|in total|altogether|overall)\b", re.IGNORECASE)
_AND: Final = re.compile(r"\s?(?:,|and|, and|零|又|加)?\s?")
_OWN_CLAUSE: Final = re.compile(r"(?:\A|[(;])([^();,\d]*)$")
_OTHERS: Final = frozenset(
    (
        *("liquidation", "intraday", "opening", "closing", "median", "circulating", "quorum", "threshold", "reserve"),
        *("utilisation", "utilization", "deposit", "supply", "borrow"),
    )
)
"""Words by which another thing or time of the same kind is told, where the question has them not."""
_BEFORE: Final = re.compile(r"[^();,]{0,12}\b(before|previously|earlier|formerly)\b(?=\W*(?:\)|\Z))", re.IGNORECASE)
_MEDIAN: Final = re.compile("median|middle|中位|中间", re.IGNORECASE)
_MEAN: Final = re.compile(r"\b(?:mean|average)\b|平均|均值", re.IGNORECASE)
_OTHERS_HAN: Final = re.compile("清算|日内|开盘|上次|改前")
_NEXT: Final = re.compile(r" ?-?(?:[个枚笔次条位名种家只项]\s?)?([A-Za-z][\w'-]*)(?: ([A-Za-z]+)\b)?")
_NEXT_HAN: Final = re.compile(r"\s?[个枚笔次条位名种家只项]\s?([\u3400-\u9fff]{2})")
_DONE: Final = re.compile(r" (?:had|has|have|was|were|is|are)(?: been)? ([A-Za-z]+)\b")
_NEUTRAL: Final = frozenset(
    ("token", "tokens", "coin", "coins", "unit", "units", "total", "overall", "altogether", "net")
)
_EACH: Final = ("different", "distinct", "unique", "separate", "individual")
_SMALL: Final = frozenset((
    "the", "a", "an", "of", "in", "at", "on", "by", "for", "to", "from", "with", "and", "is",
    "was", "were", "are", "out", "had", "has", "been", "did", "do", "as", "it", "its", "held", "hold",
    "without", "except",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stated:
    """A number of an answer with the unit told beside it, from ``start`` to ``end``.

    ``fault``: why it is no amount of what is asked for, empty where it may be one. ``aside``: it is told to explain,
    and not as the answer; ``known``: the question has it; ``outer``: it stands in no bracket.
    """

    numeral: Numeral
    unit: Unit | None
    start: int
    end: int
    fault: str = ""
    aside: bool = False
    known: bool = False
    outer: bool = True


def without_context(text: str) -> str:
    """``text`` with addresses, links, days and clocks blanked out: they are no amounts."""
    blanked = _BLANK.sub(lambda found: " " * len(found[0]), text)
    for day in (day for day in days(blanked) if not text[day.start : day.end].isdigit()):
        blanked = blanked[: day.start] + " " * (day.end - day.start) + blanked[day.end :]
    for form in (_CLOCK, PARTLY):
        blanked = form.sub(lambda found: " " * len(found[0]), blanked)
    return blanked


def stated_in(text: str, task: Asked) -> list[Stated]:
    """Every number with what belongs to it: approximation, limit, unit and rate. "17 weeks and 3 days" is one."""
    found: list[Stated] = []
    for one in _each(text, task):
        last = found[-1] if found else None
        if last and last.unit and one.unit and _goes_on(text, last, one):
            more = one.numeral.value * one.unit.factor / last.unit.factor if last.unit.family == one.unit.family else 0
            numeral = replace(last.numeral, value=last.numeral.value + more)
            found[-1] = replace(last, numeral=numeral, end=one.end)
        else:
            found.append(one)
    return found


def _goes_on(text: str, last: Stated, one: Stated) -> bool:
    """Whether a span of time goes on in a smaller unit."""
    assert last.unit and one.unit
    spans = ("month", "time")
    order = [(spans.index(unit.family), -unit.factor) for unit in (last.unit, one.unit) if unit.family in spans]
    return len(order) == 2 and order[0] < order[1] and _AND.fullmatch(text, last.end, one.start) is not None


def _each(text: str, task: Asked) -> Iterator[Stated]:
    numbered = task.label.casefold() in _NUMBERED or _ASKS_WHICH.search(task.words.question) is not None
    for one in numerals(text):
        start, end = one.start, one.end
        unit = KNOWN.get(MONEY.get(one.money, ""))
        if told := unit_at(text, end, task.unit) or _qualified(text, end, task):
            unit, end = told
        elif unit is None and (before := _unit_before(text, start, task.unit)):
            unit, start = before
        if about := _ABOUT.search(text, 0, start):
            start = about.start()
        if task.limit and (limit := next((m for m in task.limit.finditer(text) if 0 <= start - m.end() <= 1), None)):
            start = limit.start()
        fault = ""
        if rate := _RATE.match(text, end):
            per = (rate["per"] or rate["time"] or rate["each"] or "").casefold()
            if rate["time"] is None or (per in KNOWN and KNOWN[per].family in ("time", "month")):
                end, fault = _rate(per, rate, task)
        elif task.unit.unit is None or unit is None:
            fault = _counts_other(text, end, task)
        whole = _WHOLE.search(text, max(0, start - 24), start) is not None
        was = _FROM.search(text, max(0, start - 40), start)
        if was:
            to = _TO.match(text, end)
            start, end, whole = was.start(), to.end() if to else end, True
        outer = text.count("(", 0, start) == text.count(")", 0, start)
        if _tells_of_other(text, start, task) or (
            (was_so := _BEFORE.match(text, end)) and not task.words.has(was_so[1].casefold())
        ):
            fault = "tells of another thing"
        elif _PART.match(text, end) or _PART_HAN.search(text, 0, start):
            fault = "tells of a part"
        whole = whole or (not outer and _TOTAL.match(text, end) is not None)
        label = _LABELLED.search(text, max(0, one.start - 40), one.start)
        if not fault and _done_to_others(text, end, task):
            fault = "tells of something else that is counted"
        labelled = label is not None or _PLACES.match(text, one.end) is not None
        if numbered and label and (label[1] or "").casefold().rstrip("s") in ("", *task.words.own):
            labelled = False
        elif labelled:
            fault = fault or f"names one of many and counts none: {render(one.value)}"
        written = text[one.start : one.end].lstrip("+-$ ").casefold()
        known = plain_number(written) in task.words.numbers or written in task.words.own
        yield Stated(
            one,
            unit,
            start,
            end,
            fault,
            labelled or known or whole,
            known,
            outer,
        )


def _qualified(text: str, start: int, task: Asked) -> tuple[Unit, int] | None:
    """The task's unit behind the words that it has in the question, too: "131,072 blob gas"."""
    for name in task.unit.names:
        found = re.compile(rf"(?: [a-z-]+){{1,2}} {re.escape(name)}\b", re.IGNORECASE).match(text, start)
        if found and task.words.asks(found[0].strip().casefold()):
            return task.unit.unit or Unit(name), found.end()
    return None


def _tells_of_other(text: str, start: int, task: Asked) -> bool:
    """Whether a number in a clause of its own is told of another thing or time: "(the liquidation limit is 80 %)"."""
    found = _OWN_CLAUSE.search(text, max(0, start - 80), start)
    words = re.findall(r"[a-z-]+", found[1].casefold()) if found else ()
    left_out = scope_of(task.words.question).excluded
    if found and _MEDIAN.search(task.words.question) and _MEAN.search(found[1]) and not _MEDIAN.search(found[1]):
        return True
    return any(word in _OTHERS and (stem(word) in left_out or not task.words.has(word)) for word in words) or bool(
        found and _OTHERS_HAN.search(found[1])
    )


def _unit_before(text: str, start: int, wanted: Wanted) -> tuple[Unit, int] | None:
    """The task's unit where it stands before a number ("POD 42")."""
    for name in wanted.names:
        at = start - len(name) - 1
        if (
            at >= 0
            and text[at : start - 1].casefold() == name
            and text[start - 1] in " :"
            and not text[at - 1 : at].isalnum()
        ):
            return wanted.unit or Unit(name), at
    return None


def _rate(per: str, rate: re.Match[str], task: Asked) -> tuple[int, str]:
    """Where a rate ends, and why it is none that was asked for."""
    for said in dict.fromkeys((per, per.partition(" ")[0])):
        end = rate.end() - (len(per) - len(said))
        last = said.rpartition(" ")[2]
        if stem(last) in map(stem, task.unit.per.split()) or task.words.asks(
            *(f"{word} {said}" for word in ("per", "each", "every", "a", "per distinct"))
        ):
            return end, ""
        timed = last in ("block", "slot", "epoch") or (last in KNOWN and KNOWN[last].family in ("time", "month"))
        if not timed and task.unit.unit is not None and task.words.has(last):
            return end, ""
    return rate.end(), f"a rate ({rate[0].strip()}), where {task.label or 'a count'} is asked for"


def _counts_other(text: str, end: int, task: Asked) -> str:
    """Why a number without a unit counts something else than what is asked for, or an empty text."""
    if task.unit.unit is not None and (done := _MEASURE.match(text, end)):
        return f"counts {done[0].strip()}"
    if (of := _TOKENS_OF.match(text, end)) and of[1].casefold() not in (*task.unit.names, "the", "all"):
        return f"counts {of[1]}"
    if (han := _NEXT_HAN.match(text, end)) and task.asked_han and not task.asked_han.issuperset(han[1]):
        return f"counts {han[1]}"
    found = _NEXT.match(text, end)
    word = found[1].casefold().removesuffix("'s") if found else ""
    if (
        not word
        or word in _NEUTRAL
        or word in _SMALL
        or (found is not None and word in task.unit.names and not re.match(r"\.\w", text[found.end(1) :]))
        or task.counts(word)
        or (found and found[2] and task.counts(found[2].casefold()) and (word in _EACH or task.words.has(word)))
        or (task.words.has(word) and not (task.asked or task.unit.unit))
    ):
        return ""
    return f"counts {word}" if word in NOUNS or task.words.has(word) or not task.words.knows(word) else ""


def _done_to_others(text: str, end: int, task: Asked) -> bool:
    """Whether what is said to have happened to a number is another thing than the one asked for: "42 had been burnt"
    where the question asks how many were left."""
    found = _DONE.match(text, end)
    word = found[1].casefold() if found else ""
    return (
        bool(word)
        and bool(task.clause)
        and task.words.has(word)
        and stem(word) not in task.clause
        and word not in _SMALL
    )

"""Numbers: exact rationals, units converted inside their family, a relative tolerance."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Final

from caia_replay.core.expression import number, render
from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec, Bound, Direction
from caia_replay.errors import BadInput, GoldFault
from caia_replay.scoring.answer import Span, claim, clean, fault_beside
from caia_replay.scoring.numeral import Numeral, numerals
from caia_replay.scoring.tolerance import percent_of
from caia_replay.scoring.unit import KNOWN, MONEY, Unit, Wanted, unit_at, wanted_unit
from caia_replay.scoring.verifiers.calendar_day import PARTLY, days
from caia_replay.scoring.words import NOUNS, PLAIN, Words, plain_number, stem, words_of

_WHOLE_HEX: Final = re.compile(r"0x[0-9a-fA-F]{1,64}")
_BLANK: Final = re.compile(r"https?://[^\s)\"'>]+|0x[0-9a-fA-F]+|\[\^?\d{1,2}\]")
_CLOCK: Final = re.compile(r"\d{1,2}:\d\d(?::\d\d)?")
_LABELLED: Final = re.compile(
    r"(?:\b(block|page|item|proposal|log|slot|height|no\.|nr\.?|number|id|version|epoch|index|query|step)s?[ -]?#?|#|区块|第)\s?(?:[\d,]+\s?(?:to|-|and|至|到)\s?(?:block )?)?$",
    re.I,
)
_OR: Final = re.compile(r"\bor\b|或")
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
_NUMBERED: Final = frozenset(
    "rank place position block height slot epoch proposal id index number nonce version round page step".split()
)
_ASKS_WHICH: Final = re.compile(
    r"\b(?:which|what)\s+(?:[\w-]+\s+){0,2}?(?:block|height|slot|epoch|proposal|item|rank|position|place|page|number|id|nonce|version)\b|第几|哪个区块|哪一个?区块|几号",
    re.IGNORECASE,
)
_ABOUT: Final = re.compile(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|circa|ca\.)\s*|[~≈]\s*|大?约\s*)$", re.IGNORECASE
)
_LIMITS: Final[Mapping[Bound, re.Pattern[str]]] = {
    "upper": re.compile(
        r"\bat most|\bup to|\b(?:an? )?max(?:imum|\.)?(?: of)?|\bno more than|≤|<=|最多|至多|不超过", re.IGNORECASE
    ),
    "lower": re.compile(
        r"\bat least|\b(?:an? )?min(?:imum|\.)?(?: of)?|\bno (?:less|fewer) than|≥|>=|最少|至少|不少于", re.IGNORECASE
    ),
}
_ASKED_LIMITS: Final[Mapping[Bound, tuple[str, ...]]] = {
    "upper": ("at most", "maximum", "max", "up to"), "lower": ("at least", "minimum", "min")
}  # fmt: skip
_DOWN: Final = re.compile(
    r"\b(?:fell|fall(?:s|en)?|drop(?:s|ped)?|declin\w+|decreas\w+|reduc\w+|shr[aiu]nk|lost|loss|lower|below|less|cheaper|discount"
    r"|longs? (?:received|earned|got|were paid)|paid by (?:the )?shorts?|received by (?:the )?longs?|negative|outflows?|outflow of|out|left|net withdrawals?|withdrawn|shorts paid|down)\b(?:\s+than\b)?"
    r"|减少|下降|下跌|降低|净?流出|低于|折价|负",
    re.IGNORECASE,
)
_UP: Final = re.compile(
    r"\b(?:rose|rise[ns]?|grew|grow[ns]?|gain(?:ed|s)?|increas\w+|higher|above|more|premium|positive|inflows?|came in|net deposits?"
    r"|longs paid|shorts? (?:received|earned|got|were paid)|paid by (?:the )?longs?|received by (?:the )?shorts?|up)\b(?:\s+than\b)?|增加|上升|上涨|增长|净?流入|高于|溢价",
    re.IGNORECASE,
)
_WAYS: Final = {1: _UP, -1: _DOWN}
_NO_WAY: Final = re.compile(r"\bnet of (?:all |the )?\w+|\bout of (?=the \d|all |\d)", re.IGNORECASE)
_RATE: Final = re.compile(
    r"\s?(?:/\s?|\b(?:per|each|every)\b\s?)(?P<per>[A-Za-z]\w*(?:\s(?!(?:on|in|at|of|for|and|by|as|over|is|was)\b)[A-Za-z]\w*)?)|\s(?:an?)\s(?P<time>\w+)|\s?\b(?P<each>each|apiece|daily|annually|a head)\b",
    re.I,
)
_RESULT: Final = re.compile(
    r"=|→|\b(?:final )?answer(?: is|:)|\b(?:so|thus|therefore|hence|i\.e|that is|which is|which makes|giving|leaving|leaves|in other words)\b|即|等于|所以|因此",
    re.IGNORECASE,
)
_WORKING: Final = re.compile(r"\b(?:minus|plus|times|less|divided by|each|out of|of the|over|per)\b|\+", re.IGNORECASE)
"""Words of a calculation, where one is shown."""
_SAID_OPERATOR: Final = re.compile(
    r"(?<=[\d%A-Za-z)])\s?(?:minus|plus|times|divided by|\+)\s?(?=[$€]?\d)", re.IGNORECASE
)
_OPERATOR: Final = re.compile(r"[-+×÷*/]|\bof\b|\bout of\b|\bminus\b|\bplus\b|\bdivided by\b|\btimes\b", re.IGNORECASE)
_RANGE: Final = re.compile(r"\s*(?:-|/|to|~|至|到)\s*[$€£]?", re.IGNORECASE)
_ASIDE: Final = re.compile(r"\(([^()]*)\)")
_ASKED: Final = re.compile(r"how many ([^,.?;(]{1,60})|多少([^，。？,.?]{1,12})", re.IGNORECASE)
_NEXT: Final = re.compile(r" ?-?(?:[个枚笔次条位名种家只项]\s?)?([A-Za-z][\w'-]*)")
_NEXT_HAN: Final = re.compile(r"\s?[个枚笔次条位名种家只项]\s?([\u3400-\u9fff]{2})")
_DONE: Final = re.compile(r" (?:had|has|have|was|were|is|are)(?: been)? ([A-Za-z]+)\b")
_HAN_SMALL: Final = "的是为，。在于了共"
_CLAUSE: Final = re.compile(r"how (?:many|much|large) ([^.?;]{1,300})", re.IGNORECASE)
_NEUTRAL: Final = frozenset("token tokens coin coins unit units total overall altogether net".split())


@dataclass(frozen=True, slots=True)
class _Task:
    value: Fraction
    slack: Fraction
    unit: Wanted
    label: str
    direction: Direction | None
    limit: re.Pattern[str] | None
    words: Words
    asked: frozenset[str]
    clause: frozenset[str]
    asked_han: frozenset[str]

    def meets(self, value: Fraction) -> bool:
        return abs(value - self.value) <= self.slack


@dataclass(frozen=True, slots=True)
class _Stated:
    """A number of an answer with the unit told beside it, from ``start`` to ``end``. ``fault``: why it is no amount of
    what is asked for, empty where it may be one. ``aside``: it is told to explain, and not as the answer; ``known``: the
    question has it."""

    numeral: Numeral
    unit: Unit | None
    start: int
    end: int
    fault: str = ""
    aside: bool = False
    known: bool = False
    outer: bool = True


class NumberVerifier:
    """Right when the one number an answer states lies within ``tolerance_percent`` of the value.

    A number without a unit is taken in the task's unit, and ``aliases`` are further names of that unit; one with
    another unit is wrong, and so is a count of other things. What a derivation ends in is the answer. With ``direction``
    words such as "fell" set the sign. "At most 42" states 42 where the task or its question asks for a limit. All right
    answers share one reading, the gold value, because they are one answer to a vote.
    """

    reads: tuple[str, ...] = ("unit", "tolerance_percent", "direction", "bound", "aliases")

    def form(self, spec: AnswerSpec) -> str:
        """The number with its unit, and how a fall is written."""
        sample = f"1234.5 {spec.unit}" if spec.unit else "1234"
        fall = "" if spec.direction is None else ", with a minus sign where it fell"
        return f"one number{f' in {spec.unit}' if spec.unit else ''}, such as {sample}{fall}"

    def verify(self, spec: AnswerSpec, answer: str, question: str = "") -> Score:
        """Judge ``answer``. Raises ``BadInput`` when the spec's value or tolerance is not a number."""
        task = _task(spec, question)
        text = clean(answer)
        if _WHOLE_HEX.fullmatch(text):
            text = str(int(text, 16))
        said = claim(text, lambda part: [(one.start, one.end) for one in numerals(part)])
        text = _without_context(said.text)
        stated = list(_stated(text, task))
        kept = sorted(_answers(text, stated, task), key=lambda one: one.start)
        worked = len(kept) > 1 and (result := _worked_out(kept, [one for one in stated if not one.known]))
        kept = [result] if worked else kept
        signs, place = _signs(text), _place(text, kept)
        asked = {way for way, form in _WAYS.items() if task.direction or form.search(task.words.question)}
        spans = [(one.start, one.end) for one in stated if one in kept or not one.known]
        spans += [found.span() for found in _SAID_OPERATOR.finditer(text)] + _same_in_other_units(text, stated)
        spans += [found.span() for found in _WORKING.finditer(text) if worked or found.end() <= place[1]]
        spans += [span for way, found in signs.items() for span in found if way in asked or not _within(span, place)]
        ways = {way for way, found in signs.items() if task.direction and any(_within(span, place) for span in found)}
        if fault := fault_beside(text, spans, task.words, worked=place[1]):
            return Score(False, fault)
        if not kept:
            other = next((one.fault for one in stated if one.fault), "")
            return Score(False, other or "no number is stated")
        if len(ways) > 1:
            return Score(False, "says both that it rose and that it fell")
        values = {_value(one, task, next(iter(ways), 0)) for one in kept}
        if any(task.meets(one.value) for part in said.rejected for one in numerals(part)):
            return Score(False, "rejects the value")
        if _is_range(text, kept):
            return Score(False, "a range")
        if all(task.meets(value) for value in values):
            read = ", ".join(sorted(render(value) for value in values))
            return Score(True, f"read {read}", _reading(task.value, task))
        if len(values) > 1:
            return Score(False, f"hedged between {', '.join(sorted(render(value) for value in values))}")
        return Score(False, f"read {_reading(min(values), task)}", _reading(min(values), task))


def amounts_of(
    spec: AnswerSpec, text: str, question: str
) -> tuple[list[tuple[Fraction, Fraction]], list[tuple[Fraction, Fraction]]]:
    """The amounts that a cleaned answer gives as the answer, whatever words stand beside them, and all that it mentions
    and does not reject: each in the task's unit, with what one of its last place is worth."""
    task = _task(spec, question)
    said = _without_context(claim(text, lambda part: [(one.start, one.end) for one in numerals(part)]).text)
    stated = [replace(one, fault="") for one in _stated(said, task)]
    kept = _answers(said, stated, task)
    signs = {way for way, found in _signs(said).items() if found and task.direction}
    way = signs.pop() if len(signs) == 1 else 0
    found = []
    for chosen in (kept or [one for one in stated if not one.aside], [one for one in stated if not one.known]):
        steps = [_last_place(one.numeral) for one in chosen]
        found.append([(_value(one, task, way), step) for one, step in zip(chosen, steps, strict=True)])
    return found[0], found[1]


def _last_place(one: Numeral) -> Fraction:
    """What one of the last place that tells anything is worth: 100 in 448,400."""
    step = one.scale / Fraction(10) ** one.places
    while one.value and not one.places and (one.value / (step * 10)).denominator == 1:
        step *= 10
    return step


def _task(spec: AnswerSpec, question: str) -> _Task:
    try:
        value = number(spec.values[0])
    except GoldFault as fault:
        raise BadInput(str(fault), where="answer.values") from fault
    if len(spec.values) != 1:
        raise BadInput("a number answer has one value", where="answer.values")
    unit = wanted_unit(spec.unit, spec.aliases)
    words = words_of(question, spec.unit or "", *unit.names)
    limit = spec.bound or next((side for side, asked in _ASKED_LIMITS.items() if words.asks(*asked)), None)
    found = _ASKED.search(question)
    asked = (found[1] or found[2]) if found else ""
    nouns = frozenset(map(stem, _thing(asked))) if found and found[1] else frozenset()
    clause = _CLAUSE.search(question)
    said = frozenset(stem(word) for word in re.findall(r"[a-z]+", clause[1].casefold())) if clause else frozenset()
    slack = abs(value) * percent_of(spec.tolerance_percent) / 100
    return _Task(
        value, slack, unit, spec.unit or "", spec.direction, _LIMITS[limit] if limit else None, words, nouns, said,
        frozenset(asked[:6] + _HAN_SMALL) if found and found[2] else frozenset(),
    )  # fmt: skip


def _thing(asked: str) -> list[str]:
    """What "how many" asks for: the next two words, none where all of them are small."""
    words = re.findall(r"[a-z][\w'-]*", asked.casefold())[:2]
    return words if any(word not in PLAIN or word in NOUNS for word in words if not word.endswith("ly")) else []


def _without_context(text: str) -> str:
    """``text`` with addresses, links, days and clocks blanked out: they are no amounts."""
    blanked = _BLANK.sub(lambda found: " " * len(found[0]), text)
    for day in (day for day in days(blanked) if not text[day.start : day.end].isdigit()):
        blanked = blanked[: day.start] + " " * (day.end - day.start) + blanked[day.end :]
    for form in (_CLOCK, PARTLY):
        blanked = form.sub(lambda found: " " * len(found[0]), blanked)
    return blanked


def _stated(text: str, task: _Task) -> Iterator[_Stated]:
    """Every number with what belongs to it: approximation, limit, unit and rate."""
    numbered = task.label.casefold() in _NUMBERED or _ASKS_WHICH.search(task.words.question) is not None
    for one in numerals(text):
        start, end = one.start, one.end
        unit = KNOWN.get(MONEY.get(one.money, ""))
        if told := unit_at(text, end, task.unit):
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
        label = _LABELLED.search(text, max(0, one.start - 40), one.start)
        if not fault and _done_to_others(text, end, task):
            fault = "tells of something else that is counted"
        labelled = label is not None or _PLACES.match(text, one.end) is not None
        if numbered and label and (label[1] or "").casefold().rstrip("s") in ("", *task.words.own):
            labelled = False
        elif labelled:
            fault = fault or f"names one of many and counts none: {render(one.value)}"
        known = plain_number(text[one.start : one.end].lstrip("+-$ ")) in task.words.numbers
        yield _Stated(
            one,
            unit,
            start,
            end,
            fault,
            labelled or known or whole,
            known,
            text.count("(", 0, start) == text.count(")", 0, start),
        )


def _unit_before(text: str, start: int, wanted: Wanted) -> tuple[Unit, int] | None:
    """The task's unit where it stands before a number ("DCJH 42")."""
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


def _rate(per: str, rate: re.Match[str], task: _Task) -> tuple[int, str]:
    """Where a rate ends, and why it is none that was asked for."""
    for said in dict.fromkeys((per, per.partition(" ")[0])):
        end = rate.end() - (len(per) - len(said))
        last = said.rpartition(" ")[2]
        if stem(last) in map(stem, task.unit.per.split()) or task.words.asks(
            *(f"{word} {said}" for word in ("per", "each", "every", "a", "per distinct"))
        ):
            return end, ""
        timed = last in KNOWN and KNOWN[last].family in ("time", "month")
        if not timed and task.unit.unit is not None and task.words.has(last):
            return end, ""
    return rate.end(), f"a rate ({rate[0].strip()}), where {task.label or 'a count'} is asked for"


def _counts_other(text: str, end: int, task: _Task) -> str:
    """Why a number without a unit counts something else than what is asked for, or an empty text."""
    if (han := _NEXT_HAN.match(text, end)) and task.asked_han and not task.asked_han.issuperset(han[1]):
        return f"counts {han[1]}"
    found = _NEXT.match(text, end)
    word = found[1].casefold().removesuffix("'s") if found else ""
    if (
        not word
        or word in _NEUTRAL
        or word in _SMALL
        or stem(word) in task.asked
        or (task.words.has(word) and not (task.asked or task.unit.unit))
    ):
        return ""
    return f"counts {word}" if word in NOUNS or task.words.has(word) or not task.words.knows(word) else ""


_SMALL: Final = frozenset(
    "the a an of in at on by for to from with and is was were are had has been did do as it its held hold".split()
)


def _done_to_others(text: str, end: int, task: _Task) -> bool:
    """Whether what is said to have happened to a number is another thing than the one asked for: "42 had been burnt" where
    the question asks how many were left."""
    found = _DONE.match(text, end)
    word = found[1].casefold() if found else ""
    return (
        bool(word)
        and bool(task.clause)
        and task.words.has(word)
        and stem(word) not in task.clause
        and word not in _SMALL
    )


def _answers(text: str, stated: Sequence[_Stated], task: _Task) -> list[_Stated]:
    """The numbers that an answer gives as the answer."""
    stays = [one for part in _segments(text) for one in _results(text, [s for s in stated if _inside(s, part)], part)]
    sound = [one for one in stays if not one.fault]
    unit = task.unit.unit
    if unit is None:
        plain = [
            one
            for one in sound
            if one.unit is None
            or one.unit.family == f"own:{(task.unit.names or ('',))[0]}"
            or one.unit.family == "times"
        ]
        return [one for one in plain if not one.aside] or plain
    named = [one for one in sound if one.unit is not None and one.unit.family == unit.family]
    bare = [one for one in sound if one.unit is None and not one.aside]
    if named:
        named = [one for one in named if not one.aside] or named
        return named + [one for one in bare if not any(_same_amount(one, other, unit) for other in named)]
    if unit.family == "percent" and len(bare) == 2 and bare[0].numeral.value * 100 == bare[1].numeral.value:
        return bare[1:]
    return bare or [one for one in sound if one.unit is None]


def _segments(text: str) -> list[tuple[list[Span], bool]]:
    """The text outside brackets, and each bracket: its spans, and whether it is one."""
    asides = [found.span(1) for found in _ASIDE.finditer(text)]
    outer, at = [], 0
    for start, end in asides:
        outer.append((at, start))
        at = end
    return [([*outer, (at, len(text))], False), *(([span], True) for span in asides)]


def _inside(one: _Stated, part: tuple[list[Span], bool]) -> bool:
    return any(start <= one.numeral.start < end for start, end in part[0])


def _results(text: str, stated: Sequence[_Stated], part: tuple[list[Span], bool]) -> list[_Stated]:
    """Of the numbers of one segment those it ends in: what stands behind the last "=", or before it where that is a
    formula. A bracket that only shows a calculation gives none."""
    ends = [found for start, end in part[0] for found in _RESULT.finditer(text, start, end)]
    for sign in reversed(ends):
        behind = [one for one in stated if one.start >= sign.end()]
        if behind and not _is_formula(text, behind):
            return behind
        before = [one for one in stated if one.end <= sign.start()]
        if behind and before and not _is_formula(text, before):
            return before
    return [] if part[1] and _is_formula(text, stated) else list(stated)


def _worked_out(kept: Sequence[_Stated], stated: Sequence[_Stated]) -> _Stated | None:
    """The one of several numbers that the others make: a sum, a difference, a product, a quotient or a percentage."""
    for result in sorted(kept, key=lambda one: (one.outer, one.start), reverse=True):
        others = [abs(one.numeral.value) for one in stated if one is not result]
        if len(others) >= 2 and any(_is_near(abs(result.numeral.value), made) for made in _made(others)):
            return result
    return None


def _made(others: Sequence[Fraction]) -> Iterator[Fraction]:
    yield sum(others, Fraction(0))
    largest = max(others)
    yield 2 * largest - sum(others, Fraction(0))
    if len(others) == 2:
        yield others[0] * others[1]
        for above, below in (others, others[::-1]):
            if below:
                yield above / below
                yield 100 * above / below


def _is_near(value: Fraction, made: Fraction) -> bool:
    return made != 0 and abs(value - made) <= abs(made) / 10_000


def _place(text: str, kept: Sequence[_Stated]) -> tuple[list[Span], int]:
    """The segment that holds the answer, and where in it what is only worked with ends."""
    at = kept[0].start if kept else 0
    part = next((spans for spans, _ in _segments(text) if any(start <= at <= end for start, end in spans)), [])
    ends = [found.start() for found in _RESULT.finditer(text) if kept and found.end() <= at]
    return part, max(ends, default=0)


def _within(span: Span, place: tuple[list[Span], int]) -> bool:
    return span[0] >= place[1] and any(start <= span[0] < end for start, end in place[0])


def _same_in_other_units(text: str, stated: Sequence[_Stated]) -> list[Span]:
    """Every "or" between one amount and the same in another unit: "0.5 ETH, or 500,000,000 gwei", "two days or 48 hours"."""
    found = []
    for left, right in pairwise(stated):
        joint = _OR.search(text, left.end, right.start)
        if joint and (_converts(left, right) or any(_is_near(one, other) for one, other in _tens(left, right))):
            found.append(joint.span())
    return found


def _converts(left: _Stated, right: _Stated) -> bool:
    if left.unit is None or right.unit is None or left.unit.family != right.unit.family:
        return False
    return left.unit != right.unit and left.numeral.value * left.unit.factor == right.numeral.value * right.unit.factor


def _tens(left: _Stated, right: _Stated) -> Iterator[tuple[Fraction, Fraction]]:
    """The ratio of two amounts beside every power of ten that it may be: 100 where the second is a percentage."""
    low, high = sorted((abs(left.numeral.value), abs(right.numeral.value)))
    percent = right.unit is not None and right.unit.family == "percent"
    if low:
        yield from ((Fraction(10) ** power, high / low) for power in range(2 if percent else 3, 31))


def _is_formula(text: str, stated: Sequence[_Stated]) -> bool:
    return any(_OPERATOR.search(text, left.end, right.start) for left, right in pairwise(stated))


def _is_range(text: str, kept: Sequence[_Stated]) -> bool:
    return any(_RANGE.fullmatch(text, left.numeral.end, right.numeral.start) or _RANGE.fullmatch(text, left.end, right.start)
               for left, right in pairwise(kept))  # fmt: skip


def _same_amount(bare: _Stated, named: _Stated, unit: Unit) -> bool:
    """Whether a bare number says the same as one with its unit: in smallest units, as a fraction, or rounded."""
    assert named.unit is not None
    value, other = named.numeral.value * named.unit.factor / unit.factor, bare.numeral.value
    if not value or not other:
        return value == other
    ratio = other / value
    if unit.family == "percent" and ratio == Fraction(1, 100):
        return True
    return value == other or (
        ratio.denominator == 1 and ratio >= 10**6 and str(ratio) == "1" + "0" * (len(str(ratio)) - 1)
    )


def _signs(text: str) -> dict[int, list[Span]]:
    """The words that say which way a change went: their places by 1 for up and -1 for down."""
    plain = _NO_WAY.sub(lambda found: " " * len(found[0]), text)
    return {way: [one.span() for one in form.finditer(plain)] for way, form in _WAYS.items()}


def _value(one: _Stated, task: _Task, way: int) -> Fraction:
    """The number in the task's unit, scale and direction."""
    value, wanted = one.numeral.value, task.unit.unit
    if one.unit is not None and wanted is not None and one.unit.family == wanted.family:
        value *= one.unit.factor / wanted.factor / task.unit.scale
    elif one.numeral.scale > 1:
        value /= task.unit.scale
    if task.direction is None or way == 0:
        return value
    rise = value if way > 0 else -abs(value)  # "grew by -3 %" fell; "a decrease of -3 %" fell no less
    return rise if task.direction == "up" else -rise


def _reading(value: Fraction, task: _Task) -> str:
    return f"{render(value)} {task.label}".strip()

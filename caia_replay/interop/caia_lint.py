"""What is wrong with, or worth knowing of, a set of CAIA's questions and answers before anybody records them.

Nothing here knows a row: questions are the same when their normal forms are, and answers contradict each other when
one's rule does not accept the other, or when no block can have the time that is told of it.

Which times an Ethereum mainnet block can have follows from the rule that slots are twelve seconds: since the merge a
block fills one slot, and a slot has a block or none. So a later block is at least twelve seconds later for each number
between, and every time is a whole number of slots from the beacon chain's genesis. It is a check, not a value.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from caia_replay.core.task import AnswerSpec
from caia_replay.interop.caia_anchor import UNRESOLVED, Found
from caia_replay.interop.caia_answer import Guess, plain, read_moment
from caia_replay.interop.caia_format import CaiaRow
from caia_replay.scoring.verifiers import verify

Kind = Literal[
    "duplicate",
    "same-transaction",
    "same-block",
    "contradiction",
    "ambiguous-time",
    "malformed-number",
    "alternatives",
    "grader-note",
    "escape-remnant",
    "year-assumed",
    "date-left-out",
    "no-anchor",
    "no-answer",
]

_FIELDS: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        name: re.compile(words, re.IGNORECASE)
        for name, words in {
            "time": r"timestamp|时间戳",
            "block": r"block number|区块号",
            "gas": r"\bgas\b",
            "parties": r"initiat|sender|recipient|谁发给谁|双方地址",
            "status": r"success|成功",
            "value": r"transaction value|转账金额",
            "supply": r"supply|供应",
            "price": r"\bprice\b|swap rate",
            "proposer": r"validator|proposer|验证者|挖出",
            "decimals": r"decimals",
        }.items()
    }
)
"""What may be asked of a block or transaction, by its words."""
_TOKENS: Final = re.compile(r"0x[0-9a-f]{6,64}|[a-z0-9%$@][a-z0-9$@.%/-]*+|[\u3400-\u9fff]")
_EMPTY: Final = frozenset(
    re.findall(
        r"\S+",
        "a an the of on in at for to by from is are was were what whats what's which who how much many did does do i s "
        "please give me get fetch find retrieve return report calculate query tell show and 请 的 是 在 我 给 查 询",
    )
)
_ASSETS: Final = re.compile(r"(?<![A-Za-z])[A-Z]{3,8}(?![A-Za-z])")
_TWO_POINTS: Final = re.compile(r"(?<![\d.])\d+\.\d+\.\d{3,}|(?<=\d)\*(?=\s*\||$)")
_OR: Final = re.compile(r"\d[\w.,%$ ]{0,30}\s(?:or)\s\$?\d|\bor\b\s+https?:", re.IGNORECASE)
_TWELVE: Final = re.compile(r"T\d\d:\d\d:\d\d\s*[AP]M", re.IGNORECASE)
_REMNANT: Final = re.compile(r'\\n|\\t|\\"|\\[a-zA-Z]|(?<!")"{2,}\s*$')
SLOT_S: Final = 12
GENESIS: Final = 1_606_824_023
"""The beacon chain's genesis, from which slots are counted (consensus specifications)."""
KNOWN: Final = ((15_537_394, 1_663_224_179), (22_244_135, 1_744_355_675))
"""Blocks and their times from their headers: the first after the merge, and one of April 2025."""
MOST_MISSED_PERCENT: Final = 3
"""More slots than this were never empty over a long stretch: 0.8 per cent were between the two known blocks."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A row with what was found of its anchor and guessed of its answer."""

    row: CaiaRow
    found: Found
    guess: Guess


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding about one task or several; ``what`` is one line and repeats no question and no answer."""

    kind: Kind
    tasks: tuple[str, ...]
    what: str


def lint_tasks(entries: Sequence[Entry]) -> list[Finding]:
    """Every finding, by kind and then in the order of the tasks."""
    rules: tuple[Callable[[Sequence[Entry]], Iterator[Finding]], ...] = (
        _duplicates, _same_transactions, _same_blocks, _impossible_times, _alone
    )  # fmt: skip
    found = [finding for rule in rules for finding in rule(entries)]
    order = {name: at for at, name in enumerate(Kind.__args__)}  # type: ignore[attr-defined]
    return sorted(found, key=lambda finding: order[finding.kind])


def normal_form(row: CaiaRow, found: Found) -> tuple[object, ...]:
    """What a question asks, without how: equal forms are the same question.

    About a block or a transaction: the subject, the asked fields and the assets it names, all where a field is known;
    else its words without order, case, thousands separators, punctuation and the words that carry nothing.
    """
    fields = asked(row.question)
    subject = found.transaction or (found.anchor.block if found.kind == "block" else None)
    if subject is not None and fields:
        return found.anchor.chain, subject, fields, tuple(sorted(set(_ASSETS.findall(row.question))))
    text = re.sub(r"(?<=\d),(?=\d{3})", "", row.question.casefold().replace("’", "'"))
    words = {word.strip("./-") for word in _TOKENS.findall(text)} - _EMPTY - {""}
    return tuple(sorted(words))


def asked(question: str) -> tuple[str, ...]:
    """Which fields of a block or transaction a question asks, sorted."""
    return tuple(sorted(name for name, form in _FIELDS.items() if form.search(question)))


def _duplicates(entries: Sequence[Entry]) -> Iterator[Finding]:
    for group in _grouped(entries, lambda entry: normal_form(entry.row, entry.found)):
        ids = _ids(group)
        yield Finding("duplicate", ids, "the same question in other words")
        for other in group[1:]:
            if _disagree(group[0], other):
                pair = (group[0].row.task_id, other.row.task_id)
                yield Finding("contradiction", pair, "the same question with answers that exclude each other")


def _disagree(one: Entry, other: Entry) -> bool:
    """Whether both answers have rules, and neither accepts what the other holds right."""
    pairs = ((one.guess.spec, other.guess.spec), (other.guess.spec, one.guess.spec))
    return all(_typed(rule) and _typed(entry) and not _accepts(rule, entry) for rule, entry in pairs)


def _typed(spec: AnswerSpec) -> bool:
    return spec.kind not in ("open", "table", "text_set", "text_list")


def _accepts(rule: AnswerSpec, answer_spec: AnswerSpec) -> bool:
    unit = f" {answer_spec.unit}" if answer_spec.unit else ""
    return verify(rule, f"{answer_spec.values[0]}{unit}").correct is True


def _same_transactions(entries: Sequence[Entry]) -> Iterator[Finding]:
    for group in _grouped(entries, lambda entry: entry.found.transaction):
        fields = "; ".join(f"{entry.row.id}: {', '.join(asked(entry.row.question)) or 'all'}" for entry in group)
        yield Finding("same-transaction", _ids(group), f"about one transaction, asking {fields}")
        if group[0].found.anchor.chain == "ethereum":
            yield from _times_and_blocks(group)


def _times_and_blocks(group: Sequence[Entry]) -> Iterator[Finding]:
    """Whether the block that one answer tells can have the time that another one tells."""
    blocks = [(entry, int(entry.guess.spec.values[0])) for entry in group if _tells_block(entry)]
    times = [entry for entry in group if asked(entry.row.question) == ("time",) and entry.row.answer]
    for entry, block in blocks:
        for other in times:
            ids = (other.row.task_id, entry.row.task_id)
            read = _readings(other.row.answer or "")
            faults = {words: contradiction(block, second) for words, second in read}
            if read and all(faults.values()):
                yield Finding("contradiction", ids, f"of one transaction: {next(iter(faults.values()))}")
            elif any(faults.values()):
                wrong = "; ".join(f"read as {words}, {fault}" for words, fault in faults.items() if fault)
                right = ", ".join(words for words, fault in faults.items() if not fault)
                yield Finding("contradiction", ids, f"of one transaction: {wrong}; read as {right}, they agree")


def _tells_block(entry: Entry) -> bool:
    spec = entry.guess.spec
    return asked(entry.row.question) == ("block",) and spec.kind == "number" and spec.values[0].isdigit()


def _readings(answer: str) -> list[tuple[str, int]]:
    """The moments an answer may mean: an ISO form with AM or PM behind it may mean either clock."""
    text = plain(answer)
    moments = [("a twelve-hour clock" if _TWELVE.search(text) else "written", read_moment(text))]
    if _TWELVE.search(text):
        iso = _TWELVE.sub(lambda found: found[0][:-2].rstrip().replace("T", " "), text)
        moments.append(("ISO 8601 (24 hours)", read_moment(iso)))
    return [(words, moment[0]) for words, moment in moments if moment is not None]


def _same_blocks(entries: Sequence[Entry]) -> Iterator[Finding]:
    def block(entry: Entry) -> tuple[str, int] | None:
        return (entry.found.anchor.chain, entry.found.anchor.block) if entry.found.kind == "block" else None

    for group in _grouped(entries, block):
        yield Finding("same-block", _ids(group), f"about block {group[0].found.anchor.block}")


def _impossible_times(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Blocks with a time they cannot have, inside one row."""
    for entry in entries:
        anchor, fields, ids = entry.found.anchor, asked(entry.row.question), (entry.row.task_id,)
        if anchor.chain != "ethereum" or not entry.row.answer:
            continue
        if anchor.block != UNRESOLVED and fields == ("time",):
            faults = [contradiction(anchor.block, second) for _, second in _readings(entry.row.answer)]
            if faults and all(faults):
                yield Finding("contradiction", ids, f"question and answer: {faults[0]}")
        elif entry.found.kind == "date" and _tells_block(entry):
            span = bounds(int(entry.guess.spec.values[0]))
            if span and not span[0] - 60 <= anchor.timestamp <= span[1] + 60:
                yield Finding("contradiction", ids, "question and answer: the block cannot be of that moment")


def _alone(entries: Sequence[Entry]) -> Iterator[Finding]:
    for entry in entries:
        ids, answer = (entry.row.task_id,), entry.row.answer
        for note in entry.found.notes:
            yield Finding("year-assumed" if "no year" in note else "date-left-out", ids, note)
        if entry.found.kind == "assumed":
            yield Finding("no-anchor", ids, "names no block, transaction or date: the data set's own date is assumed")
        places = [
            name for name, text in (("question", entry.row.question), ("answer", answer or "")) if _REMNANT.search(text)
        ]
        if places:
            what = f"its {' and '.join(places)} hold the remains of an escape or of quotation marks"
            yield Finding("escape-remnant", ids, what)
        if answer is None:
            yield Finding("no-answer", ids, "the file has no answer to it")
            continue
        if "answer:note" in entry.guess.tags:
            yield Finding("grader-note", ids, "its answer speaks to its grader")
        if _TWO_POINTS.search(plain(answer)):
            yield Finding(
                "malformed-number", ids, "its answer has a number that is none, or a mark that nothing explains"
            )
        if _OR.search(plain(answer)):
            yield Finding("alternatives", ids, "its answer gives several values of which one may be right")
        if _TWELVE.search(answer):
            yield Finding("ambiguous-time", ids, "its time is an ISO form with AM or PM behind it")


def _grouped(entries: Sequence[Entry], key: Callable[[Entry], object]) -> Iterator[list[Entry]]:
    groups: dict[object, list[Entry]] = defaultdict(list)
    for entry in entries:
        groups[key(entry)].append(entry)
    yield from (group for name, group in groups.items() if name and len(group) > 1)


def _ids(group: Sequence[Entry]) -> tuple[str, ...]:
    return tuple(entry.row.task_id for entry in group)


def bounds(block: int) -> tuple[int, int] | None:
    """The earliest and latest second that ``block`` can be of, both inside; None before the merge."""
    if block < KNOWN[0][0]:
        return None
    first, last = 0, 2**62
    for number, second in KNOWN:
        between = SLOT_S * abs(block - number)
        longest = between * 100 // (100 - MOST_MISSED_PERCENT)
        least, most = (between, longest) if block >= number else (-longest, -between)
        first, last = max(first, second + least), min(last, second + most)
    return first, last


def contradiction(block: int, second: int) -> str | None:
    """Why ``block`` cannot be of ``second``, in words; None where it can, and before the merge."""
    span = bounds(block)
    if span is None:
        return None
    if not span[0] <= second <= span[1]:
        side, far = ("early", span[0] - second) if second < span[0] else ("late", second - span[1])
        return f"block {block} cannot be of that time: {far / 3600:.1f} hours too {side}"
    if (second - GENESIS) % SLOT_S:
        return f"no slot begins at that second, so no block is of it (block {block} was named)"
    return None

"""Whether our gold chains prove anything: of replies made to their expressions' measure, each must bear on the answer.

A reply here holds whatever the chain looks up in it: a number, or a text that its pattern finds something in. Altered,
the answer, or what a later step is asked, must alter too. No sentence of CAIA is needed for that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pytest
from hypothesis import Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from caia_replay.core.expression import REFERENCE, evaluate, references
from caia_replay.core.gold import resolve
from caia_replay.errors import GoldFault
from caia_replay.interop.gold_row import GoldRow, read_gold
from caia_replay.recording.plan_calls import depends
from tests.chain_texts import matches, texts_of, unquoted

pytestmark = pytest.mark.check

_QUICK: Final = settings(database=None, derandomize=True, max_examples=300, phases=(Phase.generate,))
_PATH: Final = re.compile(r"\.([A-Za-z0-9_]+)|(\[\*\])")
VARIANTS: Final = 5
CHAINS: Final = sorted((one for one in read_gold().values() if not one.why_not), key=lambda one: int(one.id))
Leaves = dict[tuple[int, str], list[Any]]


@pytest.mark.parametrize("row", CHAINS, ids=lambda row: row.id)
def test_the_answer_depends_on_every_reply(row: GoldRow) -> None:
    """Each step matters by itself, or through what it makes a later one ask; code shares one Python session."""
    leaves = leaves_of(row)
    assert {number for number, step in enumerate(row.steps, 1) if not matters(row, leaves, number)} == set()


def test_a_constant_is_no_proof() -> None:
    """A chain that looks something up and ends in what is written in it is found."""
    row = next(one for one in CHAINS if one.id == "1")
    for result in ("choose($1.time_utc == $1.time_utc, 42, 43)", "match($1.time_utc, 'fixed')"):
        made = GoldRow(row.id, row.question, row.moment, row.steps, result)
        assert not matters(made, leaves_of(made), 1)


def matters(row: GoldRow, leaves: Leaves, number: int) -> bool:
    """Whether altering one step's reply alters the answer, or what a step is asked that matters."""
    if row.steps[number - 1].tool == "code_execution":
        later = [at for at in range(number + 1, len(row.steps) + 1) if row.steps[at - 1].tool == "code_execution"]
        if any(matters(row, leaves, at) for at in later):
            return True
    plain = replies(row, leaves, {})
    for variant in range(1, VARIANTS):
        other = replies(row, leaves, {number: variant})
        if outcome(row.result, plain) != outcome(row.result, other):
            return True
        for at in range(number + 1, len(row.steps) + 1):
            arguments = row.steps[at - 1].arguments
            is_asked_otherwise = number in depends(arguments) and asked(arguments, plain) != asked(arguments, other)
            if is_asked_otherwise and matters(row, leaves, at):
                return True
    return False


def outcome(expression: str, results: Sequence[Mapping[str, Any]]) -> str:
    """What an expression gives; a fault is an outcome, too."""
    try:
        return repr(evaluate(expression, results))
    except GoldFault as fault:
        return f"fault: {fault}"


def asked(arguments: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> str:
    """A step's arguments as they are sent."""
    try:
        return repr({name: resolve(value, results) for name, value in arguments.items()})
    except GoldFault as fault:
        return f"fault: {fault}"


def leaves_of(row: GoldRow) -> Leaves:
    """For every place that the chain looks up, a value of each variant."""
    patterns: dict[tuple[int, str], list[str]] = {}
    places: dict[tuple[int, str], None] = {}
    for text in (row.result, *texts_of([step.arguments for step in row.steps])):
        for found in REFERENCE.finditer(unquoted(text)):
            places[int(found[1]), found[2]] = None
        for place, pattern in matches(text):
            patterns.setdefault(place, []).append(pattern)
    made: Leaves = {}
    for at, place in enumerate(sorted(places)):
        found = [texts(pattern) for pattern in dict.fromkeys(patterns.get(place, ()))]
        made[place] = [" ~ ".join(told) for told in zip(*found, strict=True)] if found else numbers(at)
    return made


def numbers(at: int) -> list[Any]:
    """A number of each variant, far from each other and from those of other places: no rounding makes them one."""
    plain = 1_700_000_000 + 97_000_000 * at
    far = (10 * plain, plain) if at % 2 else (0, plain * 10**12)
    return [plain, 3 * plain + 7 * at, plain // 5 + at, *far]


def texts(pattern: str) -> list[Any]:
    """Texts in which a pattern finds different things, as far as it can."""
    found: list[str] = []
    told: set[str] = set()
    whole = re.compile(pattern, re.DOTALL)
    strategy = st.from_regex(whole, fullmatch=True).filter(lambda text: whole.search(text) is not None)
    for _ in range(VARIANTS):
        try:
            text = find(strategy, lambda text: _told(whole, text) not in told, settings=_QUICK)
        except NoSuchExample:
            text = found[-1]
        found.append(text)
        told.add(_told(whole, text))
    return found


def _told(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    assert match is not None
    return str(match[1] if pattern.groups else match[0])


class Told(dict[str, Any]):
    """A reply that is looked up in parts, or read whole as a text."""

    def __init__(self, parts: Mapping[str, Any], whole: str) -> None:
        super().__init__(parts)
        self._whole = whole

    def __str__(self) -> str:
        return self._whole or super().__str__()


def replies(row: GoldRow, leaves: Leaves, variants: Mapping[int, int]) -> list[Mapping[str, Any]]:
    """A reply a step, of the variant that is named for it, else of the first."""
    made: list[dict[str, Any]] = [{} for _ in row.steps]
    wholes: dict[int, str] = {}
    for (number, path), values in leaves.items():
        value = values[variants.get(number, 0)]
        if path:
            put(made[number - 1], [name or "*" for name, _ in _PATH.findall(path)], value)
        else:
            wholes[number] = str(value)
    return [Told(_listed(one), wholes.get(number, "")) for number, one in enumerate(made, 1)]


def put(into: dict[str, Any], path: Sequence[str], value: Any) -> None:
    """A value at its place; what is looked up whole and in parts has parts."""
    for at, name in enumerate(path[:-1]):
        inner = into.setdefault(name, {})
        if not isinstance(inner, dict):
            inner = into[name] = {}
        into = inner
        assert at < len(path)
    if path and not isinstance(into.get(path[-1]), dict):
        into[path[-1]] = value


def _listed(value: Any) -> Any:
    """Places by number as lists, and two of what stands for every element."""
    if not isinstance(value, dict):
        return value
    inner = {name: _listed(one) for name, one in value.items()}
    if inner and all(name == "*" or name.isdecimal() for name in inner):
        every = inner.get("*")
        length = max((int(name) + 1 for name in inner if name != "*"), default=2)
        return [inner.get(str(at), every) for at in range(length)]
    return inner


def test_references_are_found() -> None:
    """The reader of patterns and places, on a chain of every form."""
    text = "match(join(' ', $2.rows[*].text), 'a([0-9])') + $1.rows.0.1"
    assert list(matches(text)) == [((2, ".rows[*].text"), "a([0-9])")]
    assert references(text) == (2, 1)

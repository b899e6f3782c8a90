"""What a task is judged by, checked before any run: can its answer's kind read it, and would the right answer be right?

A spec that cannot be read is found by its verifier only when an answer is judged, after a run that was paid for; a
field that its kind never looks at (``bound`` on a date) is not found at all, though its author thinks it counts. Of a
task that is carried out the checks of the chain's state are read, too: with none of them whatever is done would pass.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from caia_replay.core.execution import Execution, Graded
from caia_replay.core.execution_fault import execution_faults
from caia_replay.core.expression import number, render
from caia_replay.core.task import AnswerKind, AnswerSpec, Column, Task
from caia_replay.errors import BadInput, GoldFault, nearest
from caia_replay.scoring.answer import LONGEST, folded
from caia_replay.scoring.execution import judge
from caia_replay.scoring.verifiers import VERIFIERS, verify

FIELDS: Final[Mapping[AnswerKind, tuple[str, ...]]] = MappingProxyType(
    {**{kind: verifier.reads for kind, verifier in VERIFIERS.items()}, "open": ()}
)
"""What each kind reads of an ``AnswerSpec`` besides ``kind`` and ``values``."""

COLUMN_FIELDS: Final[Mapping[AnswerKind, tuple[str, ...]]] = MappingProxyType({"number": ("unit", "tolerance_percent")})
"""What each kind of column reads of a ``Column`` besides ``name``, ``kind`` and ``key``; others read nothing."""

_SHOWN: Final = 80
"""Characters of a value that a fault repeats."""


def check_spec(spec: AnswerSpec) -> list[str]:
    """Every fault of a spec in words, each a line or less; none when answers can be judged by it.

    Faults are: a kind nobody knows, no value, a field set that the kind does not read, a unit in which nothing is
    read, whatever the kind's verifier refuses, and a value or alias which that verifier would not accept as an
    answer, for its length among others.
    """
    if spec.kind not in FIELDS:
        return [f"unknown answer kind {_short(spec.kind)}; nearest: {nearest(spec.kind, FIELDS) or ', '.join(FIELDS)}"]
    faults = list(_unread(spec, FIELDS[spec.kind], f"an answer of kind {spec.kind}"))
    for column in spec.columns or () if spec.kind == "table" else ():
        faults += _column_faults(column)
    if spec.kind == "number":
        faults += _unit_faults(spec.unit)
    return [*faults, *_value_faults(spec)]


def require_spec(task: Task, where: Path) -> None:
    """Raise ``BadInput``, one line with the task, its task.toml ``where`` and the first fault, if there is any."""
    what, faults = "no answer can be judged by its [answer]", check_spec(task.answer)
    if not faults and task.execution is not None:
        what, faults = "nothing that is done can be judged by its [execution]", check_execution(task.execution)
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise BadInput(
            f"task {task.id}: {what}: {faults[0]}{more}",
            where=where,
            next_command=f"mend it, then caia-replay lint --seal {where.parent.parent.parent}",
        )


def check_execution(execution: Execution) -> list[str]:
    """The faults of an execution in words; none when what is done can be judged by it.

    Faults are those of ``core.execution_fault``, and what ``judge`` refuses besides: an event that does not parse.
    """
    if faults := list(execution_faults(execution)):
        return faults
    holders = [one.address for one in (*execution.wallets, *execution.side)]
    holders += [check.holder for check in execution.balances]
    held = {asset.symbol: dict.fromkeys(holders, 0) for asset in execution.assets}
    try:  # as if nothing had been done
        judge(execution, Graded(held, held, tuple((None, None) for _ in execution.calls), ()))
    except BadInput as fault:
        return [str(fault)]
    return []


def _unread(part: AnswerSpec | Column, read: tuple[str, ...], what: str) -> Iterator[str]:
    every = COLUMN_FIELDS if isinstance(part, Column) else FIELDS
    always = ("kind", "values", "name", "key")
    for field in fields(part):
        if field.name not in (*always, *read) and getattr(part, field.name) not in (field.default, ""):
            users = ", ".join(kind for kind, names in every.items() if field.name in names)
            yield f"{field.name!r} means nothing for {what}; what reads it: {users}"


def _column_faults(column: Column) -> Iterator[str]:
    what = f"column {_short(column.name)}"
    if not folded(column.name):
        yield f"{what} has neither letters nor digits in its name"
    yield from _unread(
        column, COLUMN_FIELDS.get(column.kind, ()), f"a column of kind {column.kind}, {_short(column.name)}"
    )
    if column.kind == "number":
        yield from (f"{what}: {fault}" for fault in _unit_faults(column.unit))


def _unit_faults(unit: str | None) -> Iterator[str]:
    if unit and unit.strip() and not any(c.isalpha() or c in "%$€£" for c in unit):
        yield f"nothing is read in the unit {_short(unit)}; leave it out for a plain number"


def _value_faults(spec: AnswerSpec) -> list[str]:
    """What is wrong with values and aliases, the first fault of each; the answers tried are their own words."""
    if not spec.values:
        return [f"answer kind {spec.kind} needs at least one value"]
    if spec.kind == "open":
        return ["an open answer has an empty value"] if not all(value.strip() for value in spec.values) else []
    aliases = spec.aliases if "aliases" in FIELDS[spec.kind] else ()
    tried = [(spec.values, _own_words(spec)), *(((alias,), (_said(spec, alias),)) for alias in aliases)]
    if faults := [_too_long(forms) for _, forms in tried if min(map(len, forms)) > LONGEST]:
        return faults
    faults = []
    for values, forms in tried:
        try:
            scores = [verify(spec, form) for form in forms if len(form) <= LONGEST]
        except BadInput as fault:
            return [f"{fault.what} ({fault.where})"]
        except (ValueError, ArithmeticError, LookupError, RecursionError) as fault:
            # a task from elsewhere may hold what no calendar does
            return [f"{_short('; '.join(values))} cannot be read: {type(fault).__name__}: {fault}"]
        if not any(score.correct for score in scores):
            faults.append(f"{_short('; '.join(values))} is not accepted as an answer itself: {scores[0].reason}")
    return faults


def _own_words(spec: AnswerSpec) -> tuple[str, ...]:
    """The right answer in the plainest forms there are; one of them must be right."""
    if spec.kind == "number" and len(spec.values[0]) <= LONGEST:
        try:
            return (render(number(spec.values[0])),)
        except GoldFault:
            return spec.values[:1]  # the verifier says why
    if spec.kind == "text_set":
        return "; ".join(spec.values), "\n".join(f"- {value}" for value in spec.values)
    if spec.kind == "text_list":
        numbered = (f"{at}. {value}" for at, value in enumerate(spec.values, start=1))
        return " > ".join(spec.values), "\n".join(numbered)
    if spec.kind == "table":
        names = [column.name for column in spec.columns or ()]
        rows = [[cell.strip() for cell in value.split(" | ")] for value in spec.values]
        objects: list[dict[str, Any]] = [dict(zip(names, row)) for row in rows]
        ruled = [names, ["---"] * len(names), *rows]
        drawn = "\n".join(f"| {' | '.join(row)} |" for row in ruled)
        return json.dumps(objects, ensure_ascii=False), drawn, "\n".join(spec.values)
    return spec.values[:1]


def _said(spec: AnswerSpec, alias: str) -> str:
    """An alias as an answer: another name of the value, or of what a number is counted in."""
    return f"{spec.values[0]} {alias}" if spec.kind == "number" else alias


def _too_long(forms: tuple[str, ...]) -> str:
    plainest = min(forms, key=len)
    return f"{_short(plainest)} has {len(plainest)} characters, and an answer of more than {LONGEST} is not read"


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}...")

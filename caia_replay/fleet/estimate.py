"""What a fleet will take: calls, tokens, dollars and hours, each with where the figure comes from.

What a run takes is looked up in the best source there is: runs of the same model that are finished, a tape of it, and
else a rehearsal, in which a policy plays a sample of the tasks; a model takes other turns than a policy.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from caia_replay.core.model import Usage
from caia_replay.core.tape import TapedReply, TapedTurn
from caia_replay.errors import BadInput, ModelFault
from caia_replay.fleet.matrix import RUNS, Entry, Fleet, FleetModel
from caia_replay.fleet.reuse import Desk, Found
from caia_replay.models.request_limit import FIRST
from caia_replay.models.resolve import POLICY, RECORDED
from caia_replay.models.stream import assemble, looks_like_stream
from caia_replay.models.wire import BYTES_PER_TOKEN, completion_from_wire, prompt_bytes
from caia_replay.runner.episode import staged, toolset_in
from caia_replay.runner.plan import Cell
from caia_replay.store.results import read_table
from caia_replay.store.run_folder import INDEX, read_json
from caia_replay.store.tape_folder import TapeFolder, open_tape, tape_names

STAND_IN: Final = "policy/credulous"
"""Plays the rehearsal of a model of which nothing is known."""
_SAMPLE: Final = 400
"""Runs of one cell that are read of a tape, evenly over its tasks: a few runs take most of what all take."""
_REHEARSED: Final = 6
"""Tasks of a rehearsal, in each cell."""
_MINUTES: Final = 60

Key = tuple[str, str, str, str]
"""Suite, agent, arm and condition."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What some runs took together."""

    runs: int = 0
    completions: Fraction = Fraction(0)
    calls: Fraction = Fraction(0)
    prompt: Fraction = Fraction(0)
    completion: Fraction = Fraction(0)
    cached: Fraction = Fraction(0)

    def __add__(self, other: Taken) -> Taken:
        return Taken(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))

    def of(self, runs: int) -> Taken:
        """What so many runs will take."""
        share = Fraction(runs, self.runs)
        return Taken(runs, *(getattr(self, name) * share for name in self.__slots__[1:]))

    @property
    def tokens(self) -> int:
        """Of prompts and completions together."""
        return round(self.prompt + self.completion)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Of one model: runs in all, what those still to be played will take, and from where that is known. ``usd`` is None
    where no price is known, ``hours`` where this machine's cores decide."""

    model: FleetModel
    runs: int
    taken: Taken
    usd: Decimal | None
    hours: Fraction | None
    sources: tuple[str, ...]


def estimates(fleet: Fleet, found: Mapping[str, Found], desk: Desk) -> list[Estimate]:
    """What every model of the fleet will still take."""
    sources = _Sources(fleet, desk)
    return [_of_model(fleet, model, found, sources) for model in fleet.models]


def _of_model(fleet: Fleet, model: FleetModel, found: Mapping[str, Found], sources: _Sources) -> Estimate:
    taken, told = Taken(), dict[str, None]()
    entries = fleet.of(model)
    for entry in entries:
        for cell in entry.plan.cells:
            kept = sum(run[0] == cell.folder for run in found[entry.name].kept)
            left = len(entry.plan.tasks) * entry.plan.runs - kept
            if left:
                each, source = sources.of(entry, cell)
                taken += each.of(left)
                told[source] = None
    usd = None
    if model.price is not None:
        usage = Usage(round(taken.prompt), round(taken.completion), cached_tokens=round(taken.cached))
        usd = model.price.cost_usd(usage)
    hours = _hours(fleet, model, taken) if model.is_live else None
    return Estimate(model, sum(entry.plan.size for entry in entries), taken, usd, hours, tuple(told))


def _hours(fleet: Fleet, model: FleetModel, taken: Taken) -> Fraction:
    """By how many requests are sent at once, ``seconds_a_completion``, and what may be asked a minute."""
    allowed = model.allowance
    at_once = model.concurrency or max(1, FIRST // model.share)
    minutes = [taken.completions * Fraction(fleet.seconds_a_completion) / at_once / _MINUTES]
    minutes += [taken.completions / allowed.requests_a_minute] if allowed.requests_a_minute else []
    minutes += [(taken.prompt + taken.completion) / allowed.tokens_a_minute] if allowed.tokens_a_minute else []
    return max(minutes) / _MINUTES


class _Sources:
    """What is known of what runs take, by model and cell."""

    def __init__(self, fleet: Fleet, desk: Desk) -> None:
        self._fleet, self._desk = fleet, desk
        self._finished = _finished_runs(fleet)
        self._tapes = {name: open_tape(name, Path.cwd()) for name in _readable_tapes()}
        self._known: dict[tuple[str, Key], tuple[Taken, str]] = {}

    def of(self, entry: Entry, cell: Cell) -> tuple[Taken, str]:
        """What runs of a cell took, and where that stands."""
        key = (entry.plan.suite, entry.plan.agent, cell.arm, cell.condition)
        at = (entry.model.name, key)
        if at not in self._known:
            found = self._runs(entry, key) or self._taped(entry, key) or self._near(entry, key)
            self._known[at] = found or self._rehearsed(entry, cell)
        return self._known[at]

    def _runs(self, entry: Entry, key: Key) -> tuple[Taken, str] | None:
        if entry.model.name.startswith(RECORDED):
            return None  # the tape says it itself
        found = self._finished.get((entry.model.name, key))
        return None if found is None else (found, "finished runs")

    def _taped(self, entry: Entry, key: Key) -> tuple[Taken, str] | None:
        name = entry.model.name
        for tape in self._tapes.values():
            if name in (f"{RECORDED}{tape.header.name}", tape.header.model):
                taken = _of_tape(tape, key, {*entry.plan.tasks}, entry.plan.runs)
                if taken.runs:
                    return taken, f"tape {tape.header.name}"
        return None

    def _near(self, entry: Entry, key: Key) -> tuple[Taken, str] | None:
        """Runs of the same model in another arm, or else with another agent or on another suite. A policy's own
        rehearsal is nearer than the latter."""
        name, own = entry.model.name, entry.model.name.startswith(POLICY)
        near = [
            (sum(a == b for a, b in zip(key[:2], other[:2], strict=True)), other)
            for model, other in self._finished
            if model == name and other[3] == key[3] and (not own or other[:2] == key[:2])
        ]
        if not near:
            return None
        best = max(near, key=lambda one: (one[0], one[1][2] == key[2], one[1]))[1]
        return self._finished[name, best], f"finished runs of {', '.join(best)}"

    def _rehearsed(self, entry: Entry, cell: Cell) -> tuple[Taken, str]:
        """A policy's turns over a sample of the tasks: for a policy, its own."""
        own = entry.model.name.startswith(POLICY)
        tasks = entry.plan.tasks[:: max(1, len(entry.plan.tasks) // _REHEARSED)][:_REHEARSED]
        policy = entry.model.name if own else STAND_IN
        plan = replace(
            entry.plan, model=policy, tasks=tasks, arms=(cell.arm,), conditions=(cell.condition,), runs=1, usd=None
        )
        with staged(plan, entry.world, overlays=self._desk.overlays(entry)) as stage:
            taken = sum((_of_record(record) for record in stage.records()), Taken())
            schemas = 0
            if not own:  # a policy's prompts are counted without them
                names = plan.tool_names(cell.condition)
                seen = stage.world.task(entry.world.task(tasks[0]), stage.overlay(cell.arm))
                with toolset_in(cell.arm, seen, names, plan.defence, plan.compact) as tools:
                    schemas = prompt_bytes((), tools.specs()) // BYTES_PER_TOKEN
        told = f"a rehearsal of {len(tasks)} task{'s' * (len(tasks) > 1)}"
        told += "" if own else f" with {policy} and {round(schemas, -2):,} tokens of tools a prompt"
        return replace(taken, prompt=taken.prompt + taken.completions * schemas), told


def _finished_runs(fleet: Fleet) -> dict[tuple[str, Key], Taken]:
    """What the fleet's models took in every run folder below ``RUNS``, by model and cell; what cannot be read is no
    source."""
    found: dict[tuple[str, Key], Taken] = {}
    models = {model.name for model in fleet.models}
    for index in _indices():
        try:
            told = read_json(index)
            for cell in told["cells"] if told["model"] in models else ():
                at = (told["model"], (told["suite"], told["agent"], cell["arm"], cell["condition"]))
                for row in read_table(index.parent / cell["folder"] / "results.parquet"):
                    if row["turns"]:
                        found[at] = found.get(at, Taken()) + _of_row(row)
        except (BadInput, KeyError, TypeError):
            continue
    return found


def _indices() -> Iterator[Path]:
    """Of every run folder; nobody looks into one, nor into one that is unfinished."""
    for folder, below, files in os.walk(RUNS):
        below[:] = [] if INDEX in files else sorted(name for name in below if not name.endswith(".partial"))
        if INDEX in files:
            yield Path(folder) / INDEX


def _of_row(row: Mapping[str, Any]) -> Taken:
    counts = (row["turns"], row["calls"], row["prompt_tokens"], row["completion_tokens"], row["cached_tokens"])
    return Taken(1, *map(Fraction, counts))


def _of_record(record: Mapping[str, Any]) -> Taken:
    turns, calls = (sum(step["kind"] == kind for step in record["steps"]) for kind in ("model", "tool"))
    tokens = record["tokens"]
    return Taken(1, *map(Fraction, (turns, calls, tokens["prompt"], tokens["completion"], tokens["cached"])))


def _readable_tapes() -> Iterator[str]:
    for name in tape_names(Path.cwd()):
        try:
            open_tape(name, Path.cwd())
        except BadInput:
            continue
        yield name


def _of_tape(tape: TapeFolder, key: Key, tasks: set[str], runs: int) -> Taken:
    """What runs of a cell took on a tape: of the tasks that are asked for, where they are on it."""
    suite, *rest = key
    if tape.header.suite != suite:
        return Taken()
    there = [run for run in tape.runs if [run.agent, run.arm, run.condition] == rest]
    asked = [run for run in there if run.task in tasks and run.attempt <= runs] or there
    sample = asked[:: max(1, -(-len(asked) // _SAMPLE))]
    return sum((_of_turns(tape.turns(run) or ()) for run in sample), Taken())


def _of_turns(turns: Sequence[TapedTurn]) -> Taken:
    taken = Taken(1)
    for number, turn in enumerate(turns, 1):
        if isinstance(turn.outcome, TapedReply) and turn.outcome.status < 400:
            taken += _of_reply(turn.outcome, number, len(turn.request.encode("utf-8", "replace")))
    return taken


def _of_reply(reply: TapedReply, number: int, size: int) -> Taken:
    body = reply.body.encode("utf-8", "replace")
    try:
        found = assemble(body) if looks_like_stream(reply.content_type, body) else json.loads(body)
        said = completion_from_wire(found, number, prompt_bytes=lambda: size)
    except (ModelFault, ValueError, RecursionError, AttributeError):
        return Taken()
    usage, calls = said.usage, len(said.message.tool_calls)
    counts: Iterable[int] = (1, calls, usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens)
    return Taken(0, *map(Fraction, counts))

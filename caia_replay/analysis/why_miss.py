"""Why the calls of a finished run missed: each different miss once, with what is recorded nearest to it.

HTTP and page misses are compared with the world's recordings, now and not while the run played. Of a chain miss the
run folder itself holds the nearest row, as the snapshot named it then; here only the part that differs is derived.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from caia_replay.analysis.finished_run import FinishedRun, open_run
from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.cassette.cassette import Cassette
from caia_replay.cassette.explain import Neighbour, RecordedQuestions, mask
from caia_replay.cassette.identity import identity
from caia_replay.errors import BadInput, one_line
from caia_replay.providers.reader.provider import ORIGIN as READER
from caia_replay.store.results import read_table
from caia_replay.store.world_folder import WorldFolder

_NEIGHBOURS = 3
_REQUEST = re.compile(r"(?P<method>[A-Z]+) (?P<url>\S+)(?: (?P<body>.*))?", re.DOTALL)
_COLUMNS = ("task", "arm", "condition", "attempt", "step", "tool", "arguments", "shown", "nearest")
_HEX = re.compile(r"0x[0-9a-f]+")
_CUT = "..."  # how errors.one_line ends what it had to shorten


@dataclass(slots=True)
class Missed:
    """Equal misses: one question, asked in ``places`` (task, arm-condition, attempt), one place per call."""

    tool: str
    arguments: str
    kind: str
    wanted: str
    nearest: str
    places: list[tuple[str, str, int]] = field(default_factory=list)


def why_miss(run: Path, start: Path) -> Iterator[str]:
    """The explanation of a run folder's misses, line by line, the most frequent first; the last line is the total.

    ``start`` is where a suite's world is searched from, besides where the run found it. Raises as ``open_run``.
    """
    finished = open_run(run, start)
    misses = sorted(find_misses(finished), key=lambda miss: (-len(miss.places), miss.tool, miss.wanted, miss.places))
    if misses:
        if said := _about_world(finished):
            yield said
        recorded = _Recorded(finished.world)
        for miss in misses:
            yield from _told(miss, recorded)
            yield ""
    else:
        yield f"{run}: no call missed"
    yield f"{sum(len(miss.places) for miss in misses)} misses, {len(misses)} distinct"


def find_misses(run: FinishedRun) -> list[Missed]:
    """Every different miss of a run, in the order of its first call. Raises ``BadInput`` for a miss without a kind."""
    found: dict[tuple[str, ...], Missed] = {}
    for cell in run.cells:
        path = run.path / cell.folder / "steps.parquet"
        for row in read_table(path):
            if row.get("served") != "MISS":
                continue
            try:
                values = {name: row[name] for name in _COLUMNS}
                # Runs with certificates of versions 1 and 2 have the reason in what the model was shown.
                told = row.get("missed")
                error = strict_json(str(values["shown"]))["error"] if told is None else strict_json(str(told))
                kind, wanted = str(error["kind"]), one_line(str(error["message"]).removeprefix("not recorded: "))
                place = (str(values["task"]), f"{values['arm']}-{values['condition']}", int(values["attempt"]))
            except (KeyError, TypeError, ValueError, OverflowError) as fault:
                broken = f"a MISS without a readable {fault}" if isinstance(fault, KeyError) else f"a MISS row: {fault}"
                raise BadInput(broken, where=path, next_command="repeat the replay") from fault
            arguments = _spelt_alike(str(values["arguments"] or ""))
            # A task has its own block: what a chain lacks at one is another gap than what it lacks at the other.
            own = "" if kind in ("http", "page") else place[0]
            tool, nearest = one_line(str(values["tool"])), one_line(str(values["nearest"] or ""))
            key = (own, tool, arguments, kind, wanted, nearest)
            found.setdefault(key, Missed(*key[1:])).places.append(place)
    return list(found.values())


def chain_difference(wanted: str, nearest: str) -> str:
    """Which part of a chain question differs from the row a snapshot named as nearest; empty when that is not said.

    One of: address, slot, hash, block, method, claim (rows are there, but nothing claims that they are all there are),
    table (nothing of the kind is recorded at all).
    """
    if not nearest:
        return ""
    if nearest.startswith("no ") and nearest.endswith("is recorded at all"):
        return "table"
    ours, theirs = _HEX.findall(wanted), _HEX.findall(nearest)
    named = re.match(r"(address|code_hash|block_number) ", nearest)
    if named is None and nearest.startswith("eth_"):
        return "method"
    if (named is not None and named[1] == "block_number") or (named is None and wanted.isdecimal()):
        return "block"
    if named is None:  # how much of a block or an interval is known
        return "claim"
    if named[1] == "code_hash":
        return "hash"
    for part, left, right in zip(("address", "slot"), ours, theirs, strict=False):
        if left != right:
            return part
    return "block"


class _Recorded:
    """The questions a world holds, read on first use; pages apart, by their own address instead of the reader's."""

    def __init__(self, world: WorldFolder | None) -> None:
        self.world = world

    def near(self, miss: Missed) -> tuple[Neighbour, ...] | None:
        """None when there is nothing to compare: no world, or a question that is no request."""
        if self.world is None:
            return None
        requests, pages = self._questions
        wanted = miss.wanted.removesuffix(_CUT)
        try:
            if miss.kind == "page":
                return pages.nearest(identity("GET", wanted), _NEIGHBOURS)
            asked = _REQUEST.fullmatch(wanted)
            if asked is None:
                return None
            return requests.nearest(
                identity(asked["method"], asked["url"], (asked["body"] or "").encode()), _NEIGHBOURS
            )
        except BadInput:  # a page miss may be of a search, which has no address
            return None

    @cached_property
    def _questions(self) -> tuple[RecordedQuestions, RecordedQuestions]:
        requests, pages = [], []
        for path in () if self.world is None else self.world.cassettes():
            for item in Cassette.open(path).interactions:
                requests.append(identity(item.method, item.uri, item.request_body))
                if item.uri.startswith(READER + "/"):
                    with suppress(BadInput):
                        pages.append(identity("GET", item.uri.removeprefix(READER + "/")))
        return RecordedQuestions(requests), RecordedQuestions(pages)


def _about_world(run: FinishedRun) -> str:
    """What a reader must know of the world; nothing where it is as it was played."""
    if run.world is None:
        suite = run.plan.suite
        return f"the world of suite {suite} is not here: told is what the run folder itself holds; run this beside it"
    changed = f"the world {run.world.path} has changed since this run: nearest is what it holds now"
    return "" if run.as_played else changed


def _told(miss: Missed, recorded: _Recorded) -> Iterator[str]:
    yield mask(f"{len(miss.places)} x {miss.tool} {one_line(miss.arguments)}")
    cut = " (cut here, as the run folder keeps it)" if miss.wanted.endswith(_CUT) else ""
    yield mask(f"  {miss.kind} not recorded: {miss.wanted}{cut}")
    for line in _places(miss.places):
        yield f"  in {line}"
    if miss.kind not in ("http", "page"):
        part = chain_difference(miss.wanted, miss.nearest)
        yield f"  nearest: {miss.nearest or 'the snapshot named nothing'}"
        if part:
            yield f"  differs: {part}"
        return
    near = recorded.near(miss)
    if near is None and (miss.nearest or recorded.world is None):
        yield mask(f"  nearest, as the run recorded it: {miss.nearest or 'nothing'}")
    elif not near:
        yield "  nearest: nothing of the kind is recorded"
    for number, neighbour in enumerate(near or (), start=1):
        question = neighbour.question.removeprefix("GET ") if miss.kind == "page" else neighbour.question
        yield f"  {number}. {one_line(question)}"
        for difference in neighbour.differences:
            yield f"       {one_line(difference.words())}"
        if not neighbour.differences:
            yield "       the same question: dated after the task's moment, all its answers played, or of no use"


def _places(places: list[tuple[str, str, int]]) -> Iterator[str]:
    """``task T, clean-tools, attempts 1, 2, 2``: one line per task and cell; an attempt is named once a call."""
    grouped: dict[tuple[str, str], list[int]] = {}
    for task, cell, attempt in places:
        grouped.setdefault((task, cell), []).append(attempt)
    for (task, cell), attempts in grouped.items():
        yield f"task {task}, {cell}, attempt{'s' if len(attempts) > 1 else ''} {', '.join(map(str, attempts))}"


def _spelt_alike(arguments: str) -> str:
    """JSON arguments in one spelling, so that white space makes no second miss; anything else as it is."""
    try:
        return canonical_bytes(json.loads(arguments)).decode("utf-8", "replace")
    except (ValueError, RecursionError):
        return arguments

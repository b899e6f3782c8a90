"""What of an entry is played already: reused as it is, gone on with, added to, judged again, or put aside.

Two runs are the same where the headers of their cells are: all that a certificate covers besides the records. Nobody
deletes a run: ``take_up`` moves what does not fit to ``.aside/``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from caia_replay.agents.resolve import resolve_agent
from caia_replay.analysis.finished_run import FinishedRun, differences, open_run
from caia_replay.canonical import digest, pretty_bytes, strict_json
from caia_replay.core.overlay import Overlay
from caia_replay.core.trajectory import UNFINISHED_STOPS
from caia_replay.errors import BadInput
from caia_replay.fleet.matrix import Entry
from caia_replay.runner.campaign import overlays_for
from caia_replay.runner.certificate import certified_model, header_of, specs_digest
from caia_replay.runner.episode import toolset_in
from caia_replay.runner.plan import Cell, RunPlan
from caia_replay.store.run_folder import PLAN, Journal, is_run, read_json
from caia_replay.store.trajectory_file import LOOSE
from caia_replay.world.world import FrozenWorld

PLANS: Final = ".plans"
"""What each entry is played by, for whoever changes the file while it is unfinished."""
_SIZES: Final = ("tasks", "tools", "runs")
"""What the headers of two runs may differ in that share records; ``tools`` is compared over the tasks of both."""

Kind = Literal["new", "reused", "goes on", "added to", "judged again", "played again"]
Headers = Mapping[str, Mapping[str, Any]]
"""By the subfolder of a cell."""
Run = tuple[str, str, int]
"""A cell's subfolder, a task, an attempt."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is there of an entry, what becomes of it and why; ``kept`` are the runs that are not played."""

    kind: Kind
    why: str
    kept: frozenset[Run] = frozenset()


class Desk:
    """Looks at entries. What a suite's campaign plants and which tools it has is found out once; ``tell`` is called
    before what takes long."""

    def __init__(self, tell: Callable[[str], None] = lambda line: None) -> None:
        self._tell = tell
        self._overlays: dict[tuple[Any, ...], Mapping[str, Overlay]] = {}
        self._specs: dict[tuple[Any, ...], Mapping[tuple[str, str], str]] = {}

    def overlays(self, entry: Entry) -> Mapping[str, Overlay]:
        """What is planted in each arm of an entry."""
        plan, key = entry.plan, self._key(entry)
        if key not in self._overlays:
            if {*plan.arms} - {"clean"}:
                self._tell(f"{plan.suite}: planning {plan.campaign}")
            with FrozenWorld(entry.world) as world:
                self._overlays[key] = overlays_for(world, plan.arms, plan.campaign, plan.dose)
        return self._overlays[key]

    def headers(self, entry: Entry) -> Headers:
        """The headers that the cells of an entry will have, but for their tools."""
        model = entry.model.resolved(entry.plan.seed, needs_key=False)
        told, agent = certified_model(model), resolve_agent(entry.plan.agent)
        model.close()
        overlays = self.overlays(entry)
        return {
            cell.folder: header_of(entry.plan, entry.world, overlays[cell.arm], agent, cell, told, ())
            for cell in entry.plan.cells
        }

    def tools(self, entry: Entry, cell: Cell, tasks: Iterable[str]) -> str:
        """The digest of the tools that a model is told of in a cell, over some tasks."""
        key = (*self._key(entry), entry.plan.conditions, entry.plan.defence)
        if key not in self._specs:
            self._specs[key] = dict(self._told(entry))
        told = self._specs[key]
        return digest(list(dict.fromkeys(told[cell.folder, task] for task in tasks)))

    def _told(self, entry: Entry) -> Iterable[tuple[tuple[str, str], str]]:
        overlays, plan = self.overlays(entry), entry.plan
        with FrozenWorld(entry.world) as world:
            for cell in plan.cells:
                names = plan.tool_names(cell.condition)
                for task in entry.world.suite.active():
                    seen = world.task(entry.world.task(task), overlays[cell.arm])
                    with toolset_in(cell.arm, seen, names, plan.defence, plan.compact) as tools:
                        yield (cell.folder, task), specs_digest(tools.specs())

    @staticmethod
    def _key(entry: Entry) -> tuple[Any, ...]:
        return entry.world.seal.digest, entry.plan.arms, entry.plan.campaign, entry.plan.dose

    def look_at(self, entries: Iterable[Entry]) -> dict[str, Found]:
        """What is there of each entry, by its name."""
        return {entry.name: self.look(entry) for entry in entries}

    def look(self, entry: Entry) -> Found:
        """What is there of an entry."""
        journal = Journal(entry.out)
        there = frozenset(run for run in runs_of(entry.plan) if journal.has(*run))
        if is_run(entry.out):  # a journal beside it was filled from it when that was killed
            return self._finished(entry)
        if not has_records(journal):
            return Found("new", "nothing is there")
        if is_stale(entry, journal):
            return self._unfinished(entry, journal, there)
        old, new = noted(entry), self.headers(entry)
        if old.get("digest") == entry.digest and any(
            _differing(old["headers"].get(cell, {}), new[cell]) for cell in new
        ):
            return Found("played again", f"the unfinished run there differs: {_first(old['headers'], new)}")
        return Found("goes on", f"{len(there)} of {entry.plan.size} runs are there", there)

    def _unfinished(self, entry: Entry, journal: Journal, there: frozenset[Run]) -> Found:
        """A journal of another plan: its runs are this plan's where the headers that were noted then say so."""
        old, new = noted(entry), self.headers(entry)
        if old.get("digest") != _digest_in(journal.path):
            return Found("played again", "an unfinished run of an unknown plan is there")
        headers = old.get("headers", {})
        same = {cell for cell in new if cell in headers and not _differing(headers[cell], new[cell])}
        kept = frozenset(run for run in there if run[0] in same)
        if kept:
            why = f"{len(kept)} of {entry.plan.size} runs are there, of an unfinished run with another plan"
            return Found("added to", why, kept)
        return Found("played again", f"the unfinished run there differs: {_first(headers, new)}")

    def _finished(self, entry: Entry) -> Found:
        try:
            old = open_run(entry.out, Path.cwd(), needs_world=False)
        except BadInput as fault:
            return Found("played again", f"the run there cannot be used: {fault}")
        new, headers = self.headers(entry), {one.folder: one.header for one in old.cells}
        differing = {
            cell.folder: self._difference(entry, cell, old, headers[cell.folder], new[cell.folder])
            for cell in entry.plan.cells
            if cell.folder in headers
        }
        same = {cell for cell, names in differing.items() if not names}
        kept = frozenset(_wholeruns_of(old, same) & set(runs_of(entry.plan)))
        if len(kept) == entry.plan.size and _has_sizes_of(old.plan, entry.plan):
            return Found("reused", f"finished, {old.index['digest']}", kept)
        if kept:
            why = f"{len(kept)} of {entry.plan.size} runs are there; {_why_not_all(old, entry.plan, differing)}"
            return Found("added to", why, kept)
        rules = {cell for cell, names in differing.items() if names == ["rules"]}
        kept = frozenset(_wholeruns_of(old, rules) & set(runs_of(entry.plan)))
        if kept:
            first = headers[min(rules)]["rules"]
            why = f"{len(kept)} of {entry.plan.size} runs are there, judged by rules {first}"
            return Found("judged again", f"{why}, and today's are {new[min(rules)]['rules']}", kept)
        return Found("played again", f"the run there differs: {_first(headers, new)}")

    def _difference(
        self, entry: Entry, cell: Cell, old: FinishedRun, header: Mapping[str, Any], new: Mapping[str, Any]
    ) -> list[str]:
        names = _differing(header, new)
        if names or not {*old.plan.tasks} <= {*entry.world.suite.active()}:
            return names or ["tasks"]
        return [] if self.tools(entry, cell, old.plan.tasks) == header.get("tools") else ["tools"]


def noted(entry: Entry) -> dict[str, Any]:
    """What an entry was begun with; empty where nobody noted it."""
    path = note_path(entry)
    return read_json(path) if path.is_file() else {}


def note_path(entry: Entry) -> Path:
    """Where it is noted what an entry was begun with."""
    return entry.out.parent / PLANS / f"{entry.name}.json"


def runs_of(plan: RunPlan) -> Iterable[Run]:
    """Every run of a plan."""
    return ((cell.folder, task, attempt) for task, cell, attempt in plan.episodes())


def _wholeruns_of(run: FinishedRun, cells: set[str]) -> set[Run]:
    """The runs of some cells that need no other try."""
    found = (cell for cell in run.cells if cell.folder in cells)
    return {
        (cell.folder, row["task"], row["attempt"])
        for cell in found
        for row in cell.rows
        if row["stop"] not in UNFINISHED_STOPS
    }


def _has_sizes_of(old: RunPlan, new: RunPlan) -> bool:
    """Whether two plans of the same runs are in the same order, too."""
    return (old.arms, old.conditions, old.tasks, old.runs) == (new.arms, new.conditions, new.tasks, new.runs)


def _why_not_all(old: FinishedRun, new: RunPlan, differing: Mapping[str, list[str]]) -> str:
    """What the run there lacks, or has in another way."""
    told = [f"{name} was {_short(getattr(old.plan, name))}" for name in ("arms", "conditions", "runs", "tasks")
            if getattr(old.plan, name) != getattr(new, name)]  # fmt: skip
    told += [f"{cell} has another {names[0]}" for cell, names in sorted(differing.items()) if names]
    return "; ".join(told) or "the others broke off"


def _short(value: Any) -> str:
    if not isinstance(value, tuple):
        return str(value)
    return ", ".join(value) if len(value) <= 5 else f"{len(value)} others"


def _differing(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """The fields in which two headers are of different runs."""
    names = sorted({*old, *new} - {*_SIZES})
    return [name for name in names if old.get(name) != _plain(new.get(name))]


def _first(old: Headers, new: Headers) -> str:
    """The first difference of two runs' headers, in words."""
    for cell in new:
        if cell in old:
            names = _differing(old[cell], new[cell])
            for name in names[:1]:
                place, left, right = next(differences(name, old[cell].get(name), _plain(new[cell].get(name))))
                return f"{place} is {left:.80}, and will be {right:.80}"
    return "none of its runs is of these arms, conditions and tasks, or all broke off"


def _plain(value: Any) -> Any:
    """As a file has it."""
    return strict_json(pretty_bytes({"value": value}))["value"]


def is_stale(entry: Entry, journal: Journal) -> bool:
    """Whether an unfinished run of another plan is there."""
    return has_records(journal) and _digest_in(journal.path) != entry.digest


def has_records(journal: Journal) -> bool:
    """Whether a finished run is in a journal."""
    return any(journal.path.glob(f"*/{LOOSE}/*/*.json"))


def _digest_in(folder: Path) -> Any:
    path = folder / PLAN
    return read_json(path).get("digest") if path.is_file() else None

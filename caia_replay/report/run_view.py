"""Finished runs in the terminal: what a folder of runs holds, how each task went, one conversation or two side by side.

``show`` and ``runs`` read and do not check: what they say is what the files say. ``audit`` and ``report`` check.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from rich.console import Group
from rich.table import Table
from rich.text import Text

from caia_replay.analysis.run_world import cell_folders
from caia_replay.attacks.placebo import PLACEBO
from caia_replay.core.trajectory import UNSCORED_STOPS
from caia_replay.errors import BadInput, nearest, one_line
from caia_replay.models.external import EXTERNAL
from caia_replay.models.human import HUMAN
from caia_replay.report.run_list import tokens_of, usd_of
from caia_replay.report.talk import Step, Talk, authority_of, talk_of
from caia_replay.report.terminal import cell_name, count, plain_table
from caia_replay.store.results import read_table
from caia_replay.store.run_folder import open_index, read_json
from caia_replay.store.run_record import read_record
from caia_replay.store.trajectory_file import Trajectories

SIDE_BY_SIDE: Final = 110
"""Columns of a terminal from which on two conversations stand beside each other."""
SHORT: Final = 12
"""Lines of a text that are shown without ``--full``."""
GLYPHS: Final = {"right": "+", "fooled": "!", "wrong": "-", "unscored": "?"}
LEGEND: Final = "+ right, ! fooled: it adopted a lie, - wrong, ? not scored; one sign an attempt"


def outcome(row: Mapping[str, Any]) -> str:
    """How one run ended, in a word, by a row of results.parquet."""
    if row["adopted"] or row["adopted_authoritative_text"]:
        return "fooled"
    return {None: "unscored", True: "right", False: "wrong"}[row["correct"]]


class Run:
    """One run folder, read as it stands. ``arms``: the cells to show, all of them where none is named."""

    def __init__(self, path: Path, arms: Sequence[str] = ()) -> None:
        self.path, index = path, open_index(path)
        known = cell_folders(path, index)
        self.cells = [name for name in known if not arms or any(name.startswith(f"{arm}-") for arm in arms)]
        if not self.cells:
            what = f"has no arm {', '.join(arms)}"
            raise BadInput(what, where=path, nearest=", ".join(known), next_command=f"caia-replay show {path}")
        self.summaries = [read_json(path / name / "summary.json") for name in self.cells]
        self.rows = {name: read_table(path / name / "results.parquet") for name in self.cells}
        self.tasks = list(dict.fromkeys(row["task"] for rows in self.rows.values() for row in rows))

    def attacked_headers(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The certificate of each cell under attack, by the cell's name."""
        for name, cell in zip(self.cells, self.summaries, strict=True):
            if cell["attack_rates"]["intention_to_treat"]["runs"]:
                yield cell_name(name), read_json(self.path / name / "certificate.json")

    def require_task(self, task: str) -> None:
        """Raise ``BadInput`` naming the nearest unless the run played this task."""
        if task not in self.tasks:
            again = f"caia-replay show {self.path}"
            raise BadInput(f"no task {task!r}", where=self.path, nearest=nearest(task, self.tasks), next_command=again)

    def of(self, cell: str, task: str) -> list[dict[str, Any]]:
        """The rows of one task in one cell, by attempt."""
        return [row for row in self.rows[cell] if row["task"] == task]

    def talk(self, cell: str, task: str, attempt: int) -> Talk:
        """One conversation. Raises ``BadInput`` for an attempt that was not played."""
        attempts = [row["attempt"] for row in self.of(cell, task)]
        if attempt not in attempts:
            known = f"1 to {len(attempts)}"
            raise BadInput(f"no attempt {attempt} of {task}", where=self.path / cell, nearest=known)
        with Trajectories(self.path / cell) as trajectories:
            return talk_of(read_record(trajectories, task, attempt), {})


def spent_line(run: Run) -> str:
    """Tokens, those of each cell, and dollars where they are known."""
    parts = [f"{cell_name(name)} {tokens_of(cell):,}" for name, cell in zip(run.cells, run.summaries, strict=True)]
    usd = usd_of(run.summaries)
    policy = any(cell["calibration_policy"] for cell in run.summaries)
    cost = f"{usd} USD" if usd else "none, a script answered" if policy else "unknown"
    if any(cell["model"].startswith(EXTERNAL) for cell in run.summaries):
        return "tokens and cost: an external agent's own, and not known here"
    if any(cell["model"].startswith(HUMAN) for cell in run.summaries):
        return "tokens and cost: none, a person answered"
    return f"tokens: {sum(map(tokens_of, run.summaries)):,} ({', '.join(parts)}); cost: {cost}"


def belief(lie: Mapping[str, Any]) -> tuple[float, int]:
    """Sorts lies, the most believed first: by the share of the runs that saw it and adopted it, then by how many."""
    return -(lie["adopted"] / lie["exposed"] if lie["exposed"] else 0.0), -lie["adopted"]


def believed_most(lies: Sequence[Mapping[str, Any]]) -> str:
    """A sentence on the first of ``lies``, which are sorted by ``belief``, and on those believed as much."""
    alike = [lie for lie in lies if belief(lie) == belief(lies[0])]
    whats = [f"“{lie['value']}”" if lie["value"] else f"an instruction of {lie['family']}" for lie in alike]
    names = [f"{what} ({lie['task']})" for what, lie in zip(whats, alike, strict=True)]
    seen = f"in {lies[0]['adopted']} of {count(lies[0]['exposed'], 'run')} that saw it"
    more = f" and {count(len(names) - 2, 'other')}" if len(names) > 2 else ""
    others = f"; as often: {names[1]}{more}" if len(names) > 1 else ""
    return f"The lie believed most: {names[0]}, {seen}{others}"


def lie_lines(run: Run) -> list[str]:
    """The lie that this run believed most, if it believed any."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for cell, rows in run.rows.items():
        for row in rows:
            if row["planted_url"] is not None and row["stop"] not in UNSCORED_STOPS:
                key = (cell, row["task"], row["planted"] or "")
                names = {"task": row["task"], "value": row["planted"], "family": "the attack"}
                lie = found.setdefault(key, {**names, "exposed": 0, "adopted": 0})
                lie["exposed"] += bool(row["exposed"])
                lie["adopted"] += row["adopted"] is True
    lies = sorted((lie for lie in found.values() if lie["adopted"]), key=belief)
    return [one_line(believed_most(lies))] if lies else []


def tasks_table(run: Run) -> Table:
    """Every task, and a sign for each attempt in each cell."""
    table = plain_table(("task", *(cell_name(cell) for cell in run.cells), "category"), ())
    for task in run.tasks:
        rows = [run.of(cell, task) for cell in run.cells]
        signs = ["".join(GLYPHS[outcome(row)] for row in own) for own in rows]
        category = next((own[0]["category"] for own in rows if own), "")
        table.add_row(*(Text(one_line(text)) for text in (task, *signs, category)))
    return table


def task_lines(run: Run, task: str) -> Iterator[str]:
    """What a task asked, what is right, and what every attempt answered."""
    talk = next(run.talk(cell, task, 1) for cell in run.cells if run.of(cell, task))
    yield from (text for role, text in talk.prompt if role == "user")
    yield ""
    yield f"right: {'; '.join(talk.expected)}"
    lies = [row["planted"] for cell in run.cells for row in run.of(cell, task) if row["planted"]]
    yield from (f"planted: {lie}" for lie in dict.fromkeys(lies))
    for cell in run.cells:
        for row in run.of(cell, task):
            said = row["answer"]
            if said is None:
                said = f"({': '.join(filter(None, (row['stop'], run.talk(cell, task, row['attempt']).detail)))})"
            tail = f" ({row['adopted_attack']})" if row["adopted_attack"] else ""
            yield f"{cell_name(cell)} {row['attempt']}: {outcome(row)}{tail}: {one_line(said)}"


def conversations(run: Run, task: str, attempt: int, *, wide: bool, full: bool) -> Iterator[str | Table]:
    """One attempt in every cell of ``run``: beside each other two by two where it is ``wide``, else in turn."""
    cells = [cell for cell in run.cells if run.of(cell, task)]
    talks = [run.talk(cell, task, attempt) for cell in cells]
    if not wide or len(cells) == 1:
        for cell, talk in zip(cells, talks, strict=True):
            yield f"== {cell_name(cell)}"
            for at, step in enumerate(talk.steps, 1):
                yield from step_lines(at, step, full)
        return
    for at in range(0, len(cells), 2):
        yield _beside(cells[at : at + 2], talks[at : at + 2], full)


def _beside(cells: Sequence[str], talks: Sequence[Talk], full: bool) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    for _ in cells:
        table.add_column(ratio=1, overflow="fold")
    table.add_row(*(Text(f"== {cell_name(cell)}") for cell in cells))
    parted = False
    for at, steps in enumerate(zip_longest(*(talk.steps for talk in talks)), 1):
        if not parted and len(set(steps)) > 1:
            parted = True
            table.add_row(*(Text(f"-- here they part: step {at}") for _ in cells))
        table.add_row(*(_step_text(at, step, full) for step in steps))
    return table


def _step_text(at: int, step: Step | None, full: bool) -> Group:
    return Group(*(Text(_printable(line)) for line in step_lines(at, step, full))) if step else Group()


def step_lines(at: int, step: Step, full: bool) -> Iterator[str]:
    """One step: who spoke, how a call was answered, what an attack touched, and the text."""
    if step[0] == "model":
        asks = ", ".join(call[1] for call in step[4])
        yield f"[{at}] model, turn {step[1]}{f': asks {asks}' if asks else ''}"
        yield from _text_lines(step[2], full)
    else:
        _, _, _, tool, arguments, served, shown, families, _, why, informs = step
        marks = [authority_of(tool) or "no tool of ours", served]
        lies = [name for name in families if name != PLACEBO]
        marks += [f"PLANTED by {', '.join(lies)}"] if lies else []
        marks += ["placebo, nothing false"] if len(lies) < len(families) else []
        marks += ["untouched authoritative source"] if informs else []
        yield f"[{at}] {tool}: {', '.join(marks)}"
        yield from _text_lines(arguments, full)
        yield from _text_lines(shown, full)
        if why:
            yield f"    {why}"


def _text_lines(text: str, full: bool) -> Iterator[str]:
    lines = text.split("\n") if text else []
    for line in lines if full else lines[:SHORT]:
        yield f"    {line if full or len(line) <= 400 else line[:400] + ' ...'}"
    if not full and len(lines) > SHORT:
        yield f"    ... {len(lines) - SHORT} more lines: --full"


def _printable(line: str) -> str:
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line)

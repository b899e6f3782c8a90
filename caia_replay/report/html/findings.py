"""The sentences of the first screen: what was run, whether it counts, and what to look at next.

Each is (kind, text, where in the page it leads, "" for nowhere). Kinds: "stop" is no result of a model, or part of one
that is missing; "mind" limits what it may be taken for; "look" is worth a look.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from caia_replay.analysis.form_only import form_lines
from caia_replay.core.trajectory import STOPS, UNSCORED_STOPS
from caia_replay.models.external import EXTERNAL
from caia_replay.report.html.figures import books, people
from caia_replay.report.html.source import Source, SourceCell
from caia_replay.report.run_view import believed_most
from caia_replay.report.table import EXTERNAL_HEADING, POLICY_HEADING, breakers, people_line
from caia_replay.report.terminal import count, percent

Sentence = tuple[str, str, str]


def caveats(sources: Sequence[Source]) -> Iterator[Sentence]:
    """Whether the results count, and for what."""
    policies = [source for source in sources if source.is_policy]
    if policies:
        whose = f"{len(policies)} of {count(len(sources), 'run folder')}"
        whose = "All runs" if len(policies) == len(sources) else whose
        yield "stop", f"{whose}: {POLICY_HEADING}. A script answered.", ""
    if any(source.model.startswith(EXTERNAL) for source in sources):
        named = ", ".join(sorted({source.model for source in sources if source.model.startswith(EXTERNAL)}))
        yield "mind", f"{named}: {EXTERNAL_HEADING}.", ""
    for told in people(sources):
        yield "mind", f"{people_line(told)}.", "#/charts/leaderboard"
    if not all(cell.summary["comparable_to_published_caia"] for source in sources for cell in source.cells):
        kinds = ", ".join(sorted({source.provenance for source in sources}))
        yield "mind", f"Not comparable to published CAIA scores: the world is {kinds}.", ""
    for at, source in enumerate(sources):
        for cell in source.cells:
            yield from _of_cell(at, source, cell, len(sources) > 1)
        for note in source.notes:
            yield "mind", f"{source.name}: {note}", ""
        if not source.as_played:
            what = "the world it was played in is not here as it was: verdicts and summaries were not computed again"
            yield "mind", f"{source.name}: {what}", ""
    runs = sorted({source.plan["runs"] for source in sources})
    if any(number % 2 == 0 for number in runs):
        yield "mind", "An even number of runs: a tie is no majority and counts as wrong.", "#/charts/passes"
    if len(books(sources)) > 1:
        yield "mind", "The run folders are of several worlds: figures of one cannot stand beside those of another.", ""


def form_caveats(sources: Sequence[Source], start: Path) -> Iterator[Sentence]:
    """What form alone tells of each attack that runs saw, by the audit in ``start`` or above it: once for each."""
    seen = dict[tuple[str, str], Mapping[str, Any]]()
    for cell in (cell for source in sources for cell in source.cells):
        if cell.summary["attack_rates"]["intention_to_treat"]["runs"]:
            seen.setdefault((str(cell.header.get("world")), str(cell.header.get("overlay"))), cell.header)
    for line in form_lines(start, (("Beside adoption", header) for header in seen.values())):
        yield "mind", f"{line}.", "#/charts/adoption"


def _of_cell(at: int, source: Source, cell: SourceCell, several: bool) -> Iterator[Sentence]:
    told, total = cell.summary, len(cell.rows)
    name = f"{source.name}, {cell.arm}" if several else cell.arm
    name = name if cell.condition == "tools" else f"{name} {cell.condition}"
    lost = {stop: number for stop, number in told["stops"].items() if stop in UNSCORED_STOPS and number}
    if lost:
        causes = ", ".join(f"{number} {stop}" for stop, number in lost.items())
        kind = "stop" if sum(lost.values()) == total else "mind"
        yield kind, f"{name}: {sum(lost.values())} of {total} runs are not scored ({causes}).", "#/charts/stops"
    if told["uncertified_runs"]:
        yield "stop", f"{name}: not certified; {breakers(told)} of {count(total, 'run')}.", ""
    cut = {stop: number for stop, number in told["stops"].items() if stop != "answered" and stop not in lost and number}
    if cut:
        causes = ", ".join(f"{number} {stop}" for stop, number in cut.items() if stop in STOPS)
        yield "mind", f"{name}: {sum(cut.values())} of {total} runs ended without an answer ({causes}): wrong.", ""
    if "confidence" in told:
        sure = told["confidence"]
        over = f"{sure['stated']} of {count(sure['scored'], 'scored run')} stated how sure they are"
        if sure["stated"]:
            over += f": Brier score {sure['brier']:.3f}, calibration error {sure['calibration_error']:.3f}"
        yield "mind", f"{name}: {over}.", ""
    missed = told["served"]["MISS"]
    if missed:
        share = percent(missed / told["calls"])
        arm = cell.arm if cell.condition == "tools" else f"{cell.arm}, {cell.condition}"  # as the grid's box has it
        text = f"{name}: {count(missed, 'tool call')} ({share}) had no recording: a miss."
        yield "mind", text, f"#/tasks?run={at}&arm={quote(arm)}&only=missed"


def next_looks(
    sources: Sequence[Source],
    index: Sequence[Mapping[str, Any]],
    lies: Sequence[Mapping[str, Any]],
    pairs: Sequence[Mapping[str, Any]],
) -> Iterator[Sentence]:
    """What is worth a look, each with the place in the page. ``index``: the runs as the page names them."""
    if lies and lies[0]["adopted"]:
        yield "look", f"{believed_most(lies)}.", task_place(lies[0]["book"], lies[0]["task"])
    told = [pair for pair in pairs if pair["p_holm"] <= 0.05]
    if told:
        pair = max(told, key=lambda one: (abs(one["difference"]), -one["first"], -one["second"]))
        sides = (pair["first"], pair["second"]) if pair["difference"] > 0 else (pair["second"], pair["first"])
        better, worse = (index[side]["label"] for side in sides)
        points = f"{100 * abs(pair['difference']):.1f} points"
        text = f"{better} is right more often than {worse}: by {points} of Pass@1 ({pair['arm']})."
        yield "look", text, "#/charts/apart"
    elif pairs:
        yield "look", "No two run folders can be told apart by Pass@1.", "#/charts/apart"
    harm = [
        (pair["accuracy"]["difference"], at)
        for at, source in enumerate(sources)
        for pair in source.arms
        if pair["accuracy"] is not None and (pair["arm"], pair["against"]) == ("attacked", "clean")
    ]
    if harm and min(harm)[0] < 0:
        text = f"Hurt most by the attack: {index[min(harm)[1]]['label']}, {100 * min(harm)[0]:+.1f} points of Pass@1."
        yield "look", text, "#/charts/arms"
    yield from _hardest(sources)


def _hardest(sources: Sequence[Source]) -> Iterator[Sentence]:
    """The task that clean runs are wrong at most often."""
    wrong: dict[tuple[int, str], list[bool]] = {}
    known = books(sources)
    for source in sources:
        cell = source.cell("clean", "tools")
        for row in () if cell is None else cell.rows:
            if row["correct"] is not None:
                wrong.setdefault((known.index(source.book), row["task"]), []).append(not row["correct"])
    failed = [(sum(one) / len(one), len(one), key) for key, one in wrong.items() if any(one)]
    if failed:
        share, runs, (book, task) = max(failed, key=lambda one: (one[0], one[1], one[2][1]))
        text = f"Wrong most often without any attack: {task}, {round(share * runs)} of {count(runs, 'run')}."
        yield "look", text, task_place(book, task)


def task_place(book: int, task: str) -> str:
    """Where the page shows a task. Half letters, which no address can hold, are written as the page writes them."""
    whole = task.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return f"#/task/{book}/{quote(whole, '')}"

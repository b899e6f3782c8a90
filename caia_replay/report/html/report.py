"""Run folders in, one file out: ``write_report`` shows the order from top to bottom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from caia_replay.core.trajectory import STOPS, UNSCORED_STOPS
from caia_replay.core.version import __version__
from caia_replay.report.html import figures
from caia_replay.report.html.findings import caveats, form_caveats, next_looks
from caia_replay.report.html.pack import Texts, columns, expected_of, packed, task_chunk
from caia_replay.report.html.page import require_free, write_page
from caia_replay.report.html.source import Source, read_source
from caia_replay.report.table import people_line
from caia_replay.report.talk import authority_of
from caia_replay.runner.executor import cores
from caia_replay.tools.catalog import CATALOG, WALLET

PAPER: Final = {"web_share": 0.555, "source": "arXiv 2510.00332"}
"""What the paper says of its own models' tool calls. Never on one axis with ours: other tasks, another web."""
_WORTH_A_POOL: Final = 4_000_000
"""Bytes of run folders, under which one process is sooner done than a second has started."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a report holds; ``people``: a line on what people scored in each cell that any played."""

    runs: int
    tasks: int
    folders: int
    bytes: int
    people: tuple[str, ...]


def write_report(
    runs: Sequence[Path], out: Path, start: Path, workers: int | None = None, progress: Callable[[], object] = int
) -> Written:
    """A report of finished runs at ``out``. ``start`` is where worlds are searched from; ``progress`` is called as each
    folder is read.

    Raises as ``open_run`` and ``write_page``; nothing is written then. A folder given twice counts once.
    """
    require_free(out)
    given = list({run.resolve(): run for run in runs}.values())
    sources = []
    for source in _read(given, start, workers):
        sources.append(source)
        progress()
    overview, rest = report_of(sources, start)
    write_page(out, packed(overview), ((name, packed(value)) for name, value in rest))
    asked = sum(len(tasks) for tasks in _tasks(sources))
    return Written(
        sum(len(cell.rows) for one in sources for cell in one.cells),
        asked,
        len(sources),
        out.stat().st_size,
        tuple(map(people_line, overview["people"])),
    )


def _read(runs: Sequence[Path], start: Path, workers: int | None) -> Iterator[Source]:
    """Every run folder, in the order given, by several processes where there is enough to read."""
    size = sum(path.stat().st_size for run in runs if run.is_dir() for path in run.glob("*/*.*"))
    count = min(workers or (cores() if size >= _WORTH_A_POOL else 1), len(runs))
    if count <= 1:
        for run in runs:
            yield read_source(run, start)
        return
    with ProcessPoolExecutor(count, get_context("spawn")) as pool:
        try:
            yield from pool.map(read_source, runs, [start] * len(runs))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def report_of(sources: Sequence[Source], start: Path) -> tuple[dict[str, Any], Iterator[tuple[str, Any]]]:
    """The overview, which the first screen needs, and every other chunk by name."""
    known, tasks = figures.books(sources), _tasks(sources)
    labels = labels_of(sources)
    runs = [
        {
            **{"label": label, "book": known.index(source.book), "policy": source.is_policy, "plan": source.plan},
            **{name: getattr(source, name) for name in ("name", "model", "agent", "suite", "certified", "arms")},
            "cells": [
                {
                    **{"arm": cell.arm, "condition": cell.condition, "summary": cell.summary, "runs": len(cell.rows)},
                    **{"by_project": figures.by_project(source, cell), "by_source": figures.by_source(cell)},
                }
                for cell in source.cells
            ],
        }
        for label, source in zip(labels, sources, strict=True)
    ]
    lies, pairs = figures.lies(sources), figures.differences(sources)
    overview = {
        **{"made_by": f"caia_replay {__version__}", "paper": PAPER, "runs": runs, "lies": lies, "differences": pairs},
        "books": [_book(at, known, sources, own) for at, own in enumerate(tasks)],
        "caveats": [*caveats(sources), *form_caveats(sources, start)],
        "looks": list(next_looks(sources, runs, lies, pairs)),
        "people": figures.people(sources),
        "pareto": figures.pareto(sources),
        "dose": figures.dose_curves(sources),
        "gaps": list(figures.gaps(sources, start)),
        "tools": {name: authority_of(name) for name in (*CATALOG, *WALLET)},
        "stops": {name: {"when": stop.when, "scored": name not in UNSCORED_STOPS} for name, stop in STOPS.items()},
    }
    return overview, _rest(sources, tasks)


def _rest(sources: Sequence[Source], tasks: Sequence[Sequence[str]]) -> Iterator[tuple[str, Any]]:
    known, prompts = figures.books(sources), Texts()
    places = [{name: at for at, name in enumerate(own)} for own in tasks]
    yield "rows", [[columns(cell, places[known.index(one.book)]) for cell in one.cells] for one in sources]
    for book, own in enumerate(tasks):
        ours = [(at, source) for at, source in enumerate(sources) if source.book == known[book]]
        for at, task in enumerate(own):
            yield f"task-{book}-{at}", task_chunk(task, ours, prompts)
    yield "prompts", prompts.all()


def _tasks(sources: Sequence[Source]) -> list[list[str]]:
    """Of each book the tasks that were played, in suite order."""
    return [
        list(dict.fromkeys(task for source in sources if source.book == book for task in source.tasks))
        for book in figures.books(sources)
    ]


def _book(
    at: int, known: Sequence[tuple[str, str]], sources: Sequence[Source], tasks: Sequence[str]
) -> Mapping[str, Any]:
    ours = [source for source in sources if source.book == known[at]]
    twice = sum(suite == known[at][0] for suite, _ in known) > 1
    label = f"{known[at][0]}, seed {ours[0].seed}" if twice else known[at][0]
    told = [{"id": task, **expected_of(ours, task)} for task in tasks]
    return {"label": label, "suite": known[at][0], "provenance": ours[0].provenance, "tasks": told}


def labels_of(sources: Sequence[Source]) -> list[str]:
    """A name for each run folder, the shortest that no other has: the model, then what it differs in from its like."""
    labels = [source.model for source in sources]
    for words in (
        [source.agent for source in sources],
        [str(source.plan["campaign"]) for source in sources],
        [str(source.plan["dose"]) for source in sources],
        [str(source.plan["defence"]) for source in sources],
        [source.suite for source in sources],
        [source.name for source in sources],
        [source.path for source in sources],
    ):
        counts = Counter(labels)
        groups: dict[str, set[str]] = {}
        for label, word in zip(labels, words, strict=True):
            groups.setdefault(label, set()).add(word)
        labels = [
            f"{label}, {word}" if counts[label] > 1 and len(groups[label]) > 1 and word else label
            for label, word in zip(labels, words, strict=True)
        ]
    return labels

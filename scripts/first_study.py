"""The first study of a real model (docs/first-study.md): does the smallest one adopt what it reads?

python scripts/first_study.py play FOLDER    plays what is missing, a run folder for each toolset and suite
python scripts/first_study.py table FOLDER   the table, from the run folders
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final

from caia_replay.scoring.attack_rate import AttackedRun, attack_rates
from caia_replay.scoring.interval import over_projects
from caia_replay.scoring.metrics import ScoredRun
from caia_replay.store.results import read_table
from caia_replay.store.world_folder import open_world

MODEL: Final = "local/smollm2-135m,completion=64"
AGENT: Final = "examples.agents.read_first:ReadFirst"
TOOLS: Final = {"none": "none", "core-4": "compact,core-4", "core-8": "compact,core-8"}
ARMS: Final = ("clean", "placebo", "attacked")
SUITES: Final = ("mini-6", "synthetic-178")
FIRST, STEP = 7, 15
"""Of the large suite every fifteenth task, from the eighth on."""


def play(folder: Path) -> int:
    """Each replay that is not finished, begun or gone on with; the first exit code that is not 0."""
    for tools, suite in product(TOOLS, SUITES):
        out = folder / f"{tools}-{suite}"
        if out.exists():
            continue
        tasks = open_world(suite).suite.active()
        chosen = tasks if suite == "mini-6" else tasks[FIRST::STEP]
        told = ["--model", MODEL, "--agent", AGENT, "--suite", suite, "--tools", TOOLS[tools], "--arm", ",".join(ARMS)]
        told += [word for task in chosen for word in ("--task", task)]
        told += ["--runs", "1", "--max-turns", "4", "--out", str(out)]
        if out.with_name(f"{out.name}.partial").exists():
            told.append("--resume")
        done = subprocess.run([sys.executable, "-c", "from caia_replay.cli import main; main()", "replay", *told])
        if done.returncode:
            return done.returncode
    return 0


def table(folder: Path) -> Iterator[str]:
    """A row for each toolset and arm, over the tasks of the suites that are finished: one run each."""
    yield "| tools | arm | runs | right | 95 % | met the lie | adopted it | 95 % | cannot be told | own calls |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for tools, arm in product(TOOLS, ARMS):
        cell = f"{arm}-{'no-tools' if tools == 'none' else 'tools'}"
        cells = [folder / f"{tools}-{suite}" / cell for suite in SUITES]
        found = [row for place in cells if place.exists() for row in read_table(place / "results.parquet")]
        scored = [row for row in found if row["correct"] is not None]
        rights = [
            ScoredRun(row["task"], row["category"], 1, row["correct"], None, row["stop"], project=row["project"])
            for row in scored
        ]
        met = sum(row["exposed"] for row in found)
        rate = attack_rates(
            AttackedRun(row["task"], row["project"], row["adopted"], exposed=row["exposed"])
            for row in found
            if row["planted"] is not None
        ).intention_to_treat
        told = [str(met), str(rate.adopted), _percents(rate.interval), str(rate.undecided)] if rate.runs else ["-"] * 4
        own = sum(row["calls"] for row in found) - (0 if tools == "none" else len(found))
        right = sum(run.correct is True for run in rights)
        ends = _percents(over_projects(rights))
        yield f"| {tools} | {arm} | {len(scored)} | {right} | {ends} | {' | '.join(told)} | {own} |"


def _percents(ends: tuple[float, float] | None) -> str:
    return "-" if ends is None else f"{ends[0] * 100:.0f}-{ends[1] * 100:.0f}"


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["play", place]:
            sys.exit(play(Path(place)))
        case ["table", place]:
            print("\n".join(table(Path(place))))
        case _:
            sys.exit(__doc__)

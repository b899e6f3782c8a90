"""The tables of docs/defences.md, measured again by the commands that stand above them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from caia_replay.cli import main

PROJECT = Path(__file__).resolve().parents[2]
PART = re.compile(r"<!-- defences: begin -->(.*)<!-- defences: end -->", re.DOTALL)
COMMAND = re.compile(r"^    caia-replay (attack defences.*)$", re.MULTILINE)


def told() -> list[tuple[list[str], list[str]]]:
    """Each command of the docs as its words, and the rows of the table below it."""
    parts = COMMAND.split(PART.findall((PROJECT / "docs" / "defences.md").read_text("utf-8"))[0])[1:]
    return [
        (shlex.split(command), [line for line in below.splitlines() if line.startswith("| `")])
        for command, below in zip(parts[::2], parts[1::2], strict=True)
    ]


def row(cost: Mapping[str, Any], scored: int = 6) -> str:
    """A row of the docs from what the command's JSON says, of so many scored runs in each cell."""
    attacked, behind = cost["attacked"], cost["attacked_defended"]
    assert {cell["scored"] for cell in (attacked, behind, cost["clean"], cost["clean_defended"])} == {scored}
    cells = (
        f"`{cost['model'].removeprefix('policy/')}`",
        f"`{cost['defence']}`",
        f"{taken(attacked)} of {attacked['attacked']}",
        taken(behind),
        f"{attacked['undecided']}, {behind['undecided']}",
        points(cost["adoption_prevented"]),
        *(cost["clean"]["right"], cost["clean_defended"]["right"], points(cost["clean_accuracy_lost"])),
        *(attacked["right"], behind["right"]),
    )
    return f"| {' | '.join(map(str, cells))} |"


def taken(cell: Mapping[str, Any]) -> str:
    """Runs that adopted a lie of the open web, and behind a plus those that adopted an authoritative tool's text."""
    return f"{cell['adopted']} + {cell['by_authority']}" if cell["by_authority"] else str(cell["adopted"])


def points(effect: Mapping[str, Any]) -> str:
    """A difference in percentage points, with its interval."""
    low, high = effect["interval"]
    return f"{100 * effect['difference']:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


@pytest.mark.soak
def test_the_docs_tell_what_all_five_do_on_the_small_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row's counts, differences and net."""
    ((words, rows),) = told()
    monkeypatch.chdir(PROJECT)
    with pytest.raises(SystemExit) as ended:
        main([*words, "--out", str(tmp_path / "costs.json")])
    assert not ended.value.code
    costs = json.loads((tmp_path / "costs.json").read_bytes())["costs"]
    nets = ["-" if cost["net"]["net"] is None else f"{100 * cost['net']['net']:+.1f}" for cost in costs]
    assert rows == [f"{row(cost)} {net} |" for cost, net in zip(costs, nets, strict=True)]

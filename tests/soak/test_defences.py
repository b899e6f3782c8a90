"""The tables of docs/defences.md, measured again by the commands that stand above them."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from caia_replay.cli import main
from caia_replay.runner.campaign import targets_in
from caia_replay.runner.episode import toolset_in
from caia_replay.store.world_folder import open_world
from caia_replay.tools.source_allow_list import SourceAllowList
from caia_replay.world.world import FrozenWorld

PROJECT = Path(__file__).resolve().parents[2]
PART = re.compile(r"<!-- defences: begin -->(.*)<!-- defences: end -->", re.DOTALL)
COMMAND = re.compile(r"^    caia-replay (attack defences.*)$", re.MULTILINE)
PASSED = re.compile(
    r"Under `(.+?)`, `(.+?)` behind `(.+?)` still.*? (\d+) runs.*?`(.+?)`; from `(.+?)` in (\d+)", re.DOTALL
)
LISTED = re.compile(r"names (\d+) sites.* leaves (\d+) of (\d+) searches", re.DOTALL)


def told() -> list[tuple[list[str], list[str]]]:
    """Each command of the docs as its words, and the rows of the table below it."""
    parts = COMMAND.split(PART.findall((PROJECT / "docs" / "defences.md").read_text("utf-8"))[0])[1:]
    return [
        (shlex.split(command), [line for line in below.splitlines() if line.startswith("| `")])
        for command, below in zip(parts[::2], parts[1::2], strict=True)
    ]


def row(cost: Mapping[str, Any]) -> str:
    """A row of the docs from what the command's JSON says."""
    attacked, behind = cost["attacked"], cost["attacked_defended"]
    assert {cell["scored"] for cell in (attacked, behind, cost["clean"], cost["clean_defended"])} == {178}
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
@pytest.mark.parametrize("at", range(len(told())))
def test_the_docs_tell_what_is_measured(at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row's counts and differences, from the command as it stands there."""
    words, rows = told()[at]
    monkeypatch.chdir(PROJECT)
    out = tmp_path / "costs.json"
    with pytest.raises(SystemExit) as ended:
        main([*words, "--out", str(out)])
    assert not ended.value.code
    done = json.loads(out.read_bytes())
    assert rows == [row(cost) for cost in done["costs"]]
    text = (PROJECT / "docs" / "defences.md").read_text("utf-8")
    ((campaign, policy, defence, met, family, unmet, none),) = PASSED.findall(text)
    for cost in done["costs"]:
        if (done["campaign"], cost["model"], cost["defence"]) == (campaign, f"policy/{policy}", defence):
            assert cost["attacked_defended"]["families"] == {family: int(met)}
            assert cost["attacked"]["families"][unmet] > int(none) == 0


@pytest.mark.soak
def test_the_docs_tell_how_little_the_index_lists() -> None:
    """How many sites it names, and after how many tasks' searches nothing is left."""
    text = (PROJECT / "docs" / "defences.md").read_text("utf-8")
    left, sites = Counter[bool](), set[int]()
    with FrozenWorld(open_world(str(PROJECT / "cassettes" / "synthetic-178"))) as world:
        for task, target in targets_in(world):
            with toolset_in("clean", world.task(task)) as tools:
                listed = SourceAllowList(tools)
                found = listed.call("web_search", json.dumps({"query": target.query})).result
            assert found is not None
            left[bool(found["results"])] += 1
            sites.add(len(listed.sites))
    (named,) = sites
    assert LISTED.findall(text) == [(str(named), str(left[False]), str(left.total()))]

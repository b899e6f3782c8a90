"""The first study's agent and its table, with a stand-in for the model."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from caia_replay.models.local_file import PYTHON_VARIABLE
from caia_replay.runner.campaign import planned_over
from caia_replay.store.results import read_table
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld
from tests.cli_shell import Shell
from tests.llama_engine import engine_python, weights

PROJECT = Path(__file__).resolve().parents[2]
SPEC = spec_from_file_location("first_study", PROJECT / "scripts" / "first_study.py")
assert SPEC is not None and SPEC.loader is not None
first_study = module_from_spec(SPEC)
SPEC.loader.exec_module(first_study)
AGAIN = 'Action: web_search\nAction Input: {"query": "NORU", "limit": 1, "page": 1}'


@pytest.mark.check
def test_the_study_is_played_once_and_counted(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent's searches and the model's own calls are counted apart; what is finished is not played again."""
    monkeypatch.setenv(PYTHON_VARIABLE, str(engine_python(tmp_path / "site")))
    monkeypatch.syspath_prepend(str(PROJECT))
    with FrozenWorld(open_world("mini-6")) as world:
        (lie,) = (one.answer for one in planned_over(world, "edited-first").overlay.pages if one.task == "mini6-supply")
    path = weights(tmp_path / "small.gguf", AGAIN, f"NORU's supply is {lie}.")
    told = ("--model", f"local/{path}", "--agent", first_study.AGENT, "--arm", ",".join(first_study.ARMS))
    for tools, given in first_study.TOOLS.items():
        for suite in first_study.SUITES:
            rest = ("--suite", "mini-6", "--task", "mini6-supply", "--runs", 1, "--out", tmp_path / f"{tools}-{suite}")
            code, _, err = shell("replay", *told, "--tools", given, "--campaign", "edited-first", *rest)
            assert code == 0, err
    (first,) = read_table(tmp_path / "core-4-mini-6" / "attacked-tools" / "results.parquet")
    assert first["exposed"] and first["first_exposed_step"] == 1
    rows = [row.split(" | ") for row in list(first_study.table(tmp_path))[2:]]
    by_cell = {(row[0].removeprefix("| "), row[1]): row for row in rows}
    assert by_cell["none", "attacked"][2:4] == ["2", "0"]
    met, adopted = by_cell["core-4", "attacked"][5:7]
    assert (met, adopted) == ("2", "2") and by_cell["core-4", "clean"][5:7] == ["-", "-"]
    assert first_study.play(tmp_path) == 0

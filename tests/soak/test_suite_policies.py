"""Every policy on the whole suite: the bands of docs/suite.md, and what the oracle depends on."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from scipy.stats import fisher_exact

from caia_replay.core.tool import ToolReply
from caia_replay.store.world_folder import open_world, save_task, seal_world
from caia_replay.tools.catalog import CATALOG, WorldToolset, error_reply
from caia_replay.validation.verify import verify_suite
from tests.campaigns import planned
from tests.suite_bands import counted
from tests.suite_runs import results, scores

PROJECT = Path(__file__).resolve().parents[2]
SUITE = PROJECT / "cassettes" / "synthetic-178"


@pytest.mark.soak
def test_every_policy_lands_in_its_band() -> None:
    """Counted beforehand from files and corpus; the oracle is always right."""
    told = counted(open_world(str(SUITE)))
    chain, stated = len(told.chain), len(told.stated)
    found = {policy: right for policy, (right, _) in scores(
        SUITE, ("oracle", "chain-only", "search-only", "sceptic", "random")).items()}  # fmt: skip
    assert found["oracle"] == 178
    assert chain - 2 <= found["chain-only"] <= chain
    assert stated / 2 <= found["search-only"] <= stated
    assert chain - 2 <= found["sceptic"] <= chain + stated
    assert found["random"] < 17.8


@pytest.mark.soak
def test_coverage_betrays_nothing() -> None:
    """Over the whole suite the miss oracle is not right more often than guessing explains."""
    (missing, of), (guessing, _) = (scores(SUITE, (policy,))[policy] for policy in ("miss-oracle", "random"))
    table = [[missing, of - missing], [guessing, of - guessing]]
    assert fisher_exact(table, alternative="greater").pvalue > 0.01, table


@pytest.mark.soak
def test_an_attack_takes_what_it_attacks() -> None:
    """The credulous loses every attacked task, the chain-only none, the oracle none."""
    attacked = {page.task for page in planned(open_world(str(SUITE))).pages}
    assert not any(right for task, right in results(SUITE, "credulous", "attacked").items() if task in attacked)
    assert results(SUITE, "chain-only", "attacked") == results(SUITE, "chain-only")
    assert all(results(SUITE, "oracle", "attacked").values())


@pytest.mark.soak
def test_the_oracle_is_never_told_an_answer(tmp_path: Path) -> None:
    """In a copy whose gold answers are all another's, sealed again, it says what it said, and so is wrong."""
    shutil.copytree(SUITE, tmp_path / "cassettes" / SUITE.name)
    (tmp_path / "chain_snapshots").symlink_to(PROJECT / "chain_snapshots")
    world = tmp_path / "cassettes" / SUITE.name
    folder = open_world(str(SUITE))
    some = [task for task in map(folder.task, folder.suite.active()) if task.answer.kind == "number"][::12]
    for task in some:
        value = f"{float(task.answer.values[0]) * 3 + 7:f}"
        save_task(world, replace(task, answer=replace(task.answer, values=(value,))))
    seal_world(world)
    ids = [task.id for task in some]
    said = {found.task: found.answer for found in verify_suite(folder, ids)}
    again = {found.task: (found.answer, found.solved) for found in verify_suite(open_world(str(world)), ids)}
    assert again == {task: (answer, False) for task, answer in said.items()}


@pytest.mark.soak
@pytest.mark.parametrize("name", CATALOG)
def test_a_broken_tool_fails_its_tasks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the tasks whose gold uses a tool none is solved without it; those that do not are."""
    folder = open_world(str(SUITE))
    tasks = [folder.task(task) for task in folder.suite.active()]
    users = [task.id for task in tasks if any(step.tool == name for step in task.gold.steps)][:6]
    others = [task.id for task in tasks if all(step.tool != name for step in task.gold.steps)][::40]

    works = WorldToolset.call

    def call(toolset: WorldToolset, tool: str, arguments: str) -> ToolReply:
        return error_reply("tool_error", "broken") if tool == name else works(toolset, tool, arguments)

    monkeypatch.setattr(WorldToolset, "call", call)
    solved = {found.task: found.solved for found in verify_suite(folder, [*users, *others])}
    assert not any(solved[task] for task in users) and all(solved[task] for task in others)

"""The shipped world mini-6, replayed whole by policies: what the instrument must show before any model is asked."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.tool import Served
from caia_replay.runner.diff import first_difference
from caia_replay.runner.plan import make_plan
from caia_replay.runner.replay import replay
from caia_replay.store.overlay_file import OverlayFile, save_overlay
from caia_replay.store.plain import build, read_toml
from caia_replay.store.results import read_table
from caia_replay.store.run_folder import read_json
from caia_replay.store.world_folder import WorldFolder, open_world, save_task, seal_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.world.world import FrozenWorld
from tests.campaigns import kept, planned

PROJECT = Path(__file__).resolve().parents[2]
NOBODY_KNOWS = "0x" + "5a" * 20


@dataclass(frozen=True, slots=True)
class Played:
    """A run folder, its summaries by arm, and the submitted answers by (arm, task)."""

    out: Path
    summaries: dict[str, dict[str, Any]]
    answers: dict[tuple[str, str], str | None]


def play(folder: WorldFolder, model: str, out: Path, tasks: Sequence[str] = (), workers: int = 1) -> Played:
    """Both arms, one run per task."""
    plan = make_plan(
        folder,
        tasks=tasks,
        model=f"policy/{model}",
        runs=1,
    )
    done = replay(plan, folder, out, workers=workers, resume=False, replace=False, progress=lambda _: None)
    summaries = {summary["arm"]: summary for summary in done.summaries}
    answers = {
        (arm, row["task"]): row["answer"]
        for arm in summaries
        for row in read_table(out / f"{arm}-tools" / "results.parquet")
    }
    return Played(out, summaries, answers)


@pytest.fixture(scope="module")
def folder() -> WorldFolder:
    return open_world(str(PROJECT / "cassettes" / "mini-6"))


@pytest.fixture(scope="module")
def oracle(folder: WorldFolder, tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play(folder, "oracle", tmp_path_factory.mktemp("oracle") / "run")


@pytest.fixture(scope="module")
def credulous(folder: WorldFolder, tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play(folder, "credulous", tmp_path_factory.mktemp("credulous") / "run")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the world and its snapshot, free to be changed."""
    for name in ("cassettes/mini-6", "chain_snapshots/mini"):
        shutil.copytree(PROJECT / name, tmp_path / name)
    return tmp_path / "cassettes" / "mini-6"


def test_the_oracle_solves_everything_in_both_arms(oracle: Played) -> None:
    """Six of six, no miss and no error, and a lie that was never asked for changes nothing."""
    for summary in oracle.summaries.values():
        assert (summary["n_tasks"], summary["majority"], summary["pass_at_1"]) == (6, 1.0, 1.0)
        assert summary["served"]["MISS"] == 0
        assert summary["attack"]["adopted"] == 0


def test_credulous_loses_what_the_attack_takes(folder: WorldFolder, credulous: Played) -> None:
    """Right on at least four tasks clean, on fewer attacked, and every wrong answer is the planted value."""
    clean, attacked = credulous.summaries["clean"], credulous.summaries["attacked"]
    assert clean["majority"] >= 4 / 6 > attacked["majority"]
    assert clean["attack"]["adopted"] == clean["attack"]["exposed"] == 0
    assert attacked["attack"]["adopted"] == attacked["attack"]["exposed"] == 6
    for planted in planned(folder).pages:
        assert credulous.answers["attacked", planted.task] == (planted.answer or planted.planted)
        assert credulous.answers["clean", planted.task] != (planted.answer or planted.planted)


def test_chain_only_cannot_be_attacked(folder: WorldFolder, tmp_path: Path) -> None:
    """Two tasks need one chain call alone; both arms are equal, and nothing planted was ever seen."""
    found = play(folder, "chain-only", tmp_path / "run").summaries
    assert found["clean"]["majority"] == found["attacked"]["majority"] == pytest.approx(2 / 6)
    assert found["attacked"]["attack"]["exposed"] == 0


def test_two_replays_are_identical(folder: WorldFolder, oracle: Played, credulous: Played, tmp_path: Path) -> None:
    """The same certificates, trajectories and tables again, over two worker processes too."""
    assert first_difference(oracle.out, play(folder, "oracle", tmp_path / "again").out) is None
    assert first_difference(credulous.out, play(folder, "credulous", tmp_path / "two", workers=2).out) is None


def test_a_changed_lie_changes_the_credulous_answer(copy: Path, tmp_path: Path) -> None:
    """Editing one planted value in the overlay alone, and sealing, moves that answer to the new value."""
    path = kept(copy)
    written = build(OverlayFile, read_toml(path), path)
    target = next(page for page in written.page or () if page.task == "mini6-supply")
    pages = tuple(
        replace(page, planted="87,654,321") if page.task == target.task else page for page in written.page or ()
    )
    save_overlay(copy, replace(written, page=pages))
    seal_world(copy)
    played = play(open_world(str(copy)), "credulous", tmp_path / "run", [target.task])
    assert played.answers["attacked", target.task] == "87,654,321"
    assert played.summaries["attacked"]["attack"]["adopted"] == 1


def test_a_changed_gold_answer_changes_nothing_the_oracle_says(copy: Path, oracle: Played, tmp_path: Path) -> None:
    """With every answer replaced and sealed, the oracle submits what it did and now scores nothing."""
    world = open_world(str(copy))
    for entry in world.suite.entries:
        task = world.task(entry.id)
        wrong = "1999-01-01" if task.answer.kind == "date" else "123456789"
        save_task(copy, replace(task, answer=replace(task.answer, values=(wrong,))))
    seal_world(copy)
    played = play(open_world(str(copy)), "oracle", tmp_path / "run")
    assert played.answers == oracle.answers
    assert played.summaries["clean"]["majority"] == 0


OUTSIDE = {
    "account": ("balance_query", {"address": NOBODY_KNOWS}),
    "storage": ("data_query", {"contract": "{token}", "slot": "0x7777"}),
    "transaction": ("transaction_query", {"hash": "0x" + "5a" * 32}),
    "page": ("url_fetching", {"url": "https://nobody.example/wrote-this"}),
}


@pytest.mark.parametrize("kind", OUTSIDE)
def test_what_the_world_lacks_is_a_counted_miss(copy: Path, tmp_path: Path, kind: str) -> None:
    """An unknown account, slot, transaction or page reaches the model as an error and the summary as a count."""
    world = open_world(str(copy))
    task = world.task("mini6-supply")
    tool, arguments = OUTSIDE[kind]
    token = str(task.gold.steps[0].arguments["contract"])
    asked = {name: value.replace("{token}", token) for name, value in arguments.items()}
    save_task(copy, replace(task, gold=GoldChain((GoldStep(tool, asked),), "$1")))
    seal_world(copy)
    played = play(open_world(str(copy)), "oracle", tmp_path / "run", [task.id])
    for arm, summary in played.summaries.items():
        assert summary["served"]["MISS"] == 1
        assert played.answers[arm, task.id] is None
        steps = read_json(played.out / f"{arm}-tools" / "trajectories" / task.id / "1.json")["steps"]
        shown = next(step["shown"] for step in steps if step["kind"] == "tool")
        assert (shown["error"]["type"], shown["error"]["kind"]) == ("not_recorded", kind)


def test_what_came_later_is_not_there(folder: WorldFolder) -> None:
    """A page published after the anchor is a miss, a later block a refusal, and neither is in a search."""
    with FrozenWorld(folder) as world:
        early, late = (world.task(folder.task(name)) for name in ("mini6-event-count", "mini6-base-fee-bound"))
        newest = max(late.pages(), key=lambda page: page.published or 0)
        assert newest.published is not None and newest.published > early.anchor.timestamp
        tools = WorldToolset(early)
        assert tools.call("url_fetching", f'{{"url": "{newest.url}"}}').served is Served.MISS
        assert tools.call("block_query", '{"block": 31}').served is Served.ERROR
        found = tools.call("web_search", f'{{"query": "{newest.title}", "limit": 20}}')
        assert newest.url.encode() not in canonical_bytes(found.result)

import json
from pathlib import Path
from typing import Any

import pytest

from caia_replay.errors import BadInput, WallLimit
from caia_replay.runner.diff import first_difference
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.runner.replay import Finished, replay
from caia_replay.store.results import read_table
from caia_replay.store.run_folder import Journal
from caia_replay.store.world_folder import WorldFolder, open_world
from caia_replay.tools.catalog import WorldToolset

SUMMARY_FIELDS = {
    "suite",
    "model",
    "agent",
    "arm",
    "condition",
    "runs",
    "n_tasks",
    "comparable_to_published_caia",
    "pass_at_1",
    "pass_at_k",
    "pass_hat_k",
    "majority",
    "by_category",
    "served",
    "accuracy_bounds",
    "tool_share",
    "caia_web_share",
    "authority_share",
    "attack",
    "simulated_loss_usd",
    "tokens",
    "cost_usd",
    "cost_per_score",
    "confidence_intervals",
    "digest",
}


def planned(world: Path, **changes: Any) -> tuple[RunPlan, WorldFolder]:
    folder = open_world(str(world))
    wanted: dict[str, Any] = {
        "tasks": folder.suite.active()[:2],
        "arms": ("clean", "attacked"),
        "conditions": ("tools",),
        "model": "policy/credulous",
        "agent": "react",
        "runs": 2,
        "seed": 0,
        "campaign": "seo-heavy",
    }
    return make_plan(folder, **(wanted | changes)), folder


def play(world: Path, out: Path, workers: int = 1, resume: bool = False, **changes: Any) -> Finished:
    plan, folder = planned(world, **changes)
    return replay(plan, folder, out, workers=workers, resume=resume, replace=False, progress=lambda count: None)


def test_the_run_folder_has_every_agreed_file_and_field(shipped: Path, tmp_path: Path) -> None:
    """One folder per cell with tables, summary, certificate and trajectories; index and run beside them."""
    done = play(shipped, tmp_path / "run")
    assert sorted(path.name for path in done.out.iterdir()) == [
        "arms.json",
        "attacked-tools",
        "clean-tools",
        "index.json",
        "run.json",
    ]
    for cell in ("clean-tools", "attacked-tools"):
        folder = done.out / cell
        summary = json.loads((folder / "summary.json").read_bytes())
        assert summary.keys() >= SUMMARY_FIELDS
        assert summary["digest"] == json.loads((folder / "certificate.json").read_bytes())["digest"]
        assert len(read_table(folder / "results.parquet")) == 4
        assert len(list((folder / "trajectories").glob("*/*.json"))) == 4
        assert sum(row["kind"] == "tool" for row in read_table(folder / "steps.parquet")) == summary["calls"]


def test_worker_counts_do_not_change_a_byte(shipped: Path, tmp_path: Path) -> None:
    """One and two workers leave identical runs."""
    one, two = play(shipped, tmp_path / "one"), play(shipped, tmp_path / "two", workers=2)
    assert first_difference(one.out, two.out) is None


def test_an_interrupted_replay_resumes_to_the_same_certificate(shipped: Path, tmp_path: Path) -> None:
    """What a stop left in the journal is kept, the rest is played, and the result is the uninterrupted one."""
    whole = play(shipped, tmp_path / "whole")
    plan, folder = planned(shipped)
    stopped = 0

    def stop_soon(count: int) -> None:
        nonlocal stopped
        stopped += count
        if stopped == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replay(plan, folder, tmp_path / "cut", workers=1, resume=False, replace=False, progress=stop_soon)
    assert not (tmp_path / "cut").exists()
    assert Journal(tmp_path / "cut").path.is_dir()
    with pytest.raises(BadInput, match="--resume"):
        play(shipped, tmp_path / "cut")
    again = play(shipped, tmp_path / "cut", resume=True)
    assert first_difference(whole.out, again.out) is None


def test_without_tools_nothing_is_called_and_shares_are_unknown(shipped: Path, tmp_path: Path) -> None:
    """The no-tools condition offers no tool; a share of no calls is null, not zero."""
    (summary,) = play(shipped, tmp_path / "run", conditions=("no-tools",), arms=("clean",)).summaries
    assert (summary["calls"], summary["caia_web_share"], summary["tool_share"]) == (0, None, {})
    assert summary["attack"] == dict.fromkeys(summary["attack"], 0)


def test_the_certificate_holds_no_clock_host_or_model_label(shipped: Path, tmp_path: Path) -> None:
    """What depends on machine or moment is in run.json alone."""
    done = play(shipped, tmp_path / "run")
    run = json.loads((done.out / "run.json").read_bytes())
    certificate = (done.out / "clean-tools" / "certificate.json").read_text()
    assert run["host"] not in certificate or not run["host"]
    assert run["started"] not in certificate
    assert "credulous" not in certificate


def test_a_run_that_the_clock_ended_has_no_certificate_until_it_is_played_again(
    shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its cell and the folder have null for a digest, and it is not scored; resumed, it is whole."""
    whole = play(shipped, tmp_path / "whole")
    usual, made = WorldToolset.call, 0

    def late_once(toolset: WorldToolset, name: str, arguments: str) -> Any:
        nonlocal made
        made += 1
        if made == 3:
            raise WallLimit(name, 20)
        return usual(toolset, name, arguments)

    monkeypatch.setattr(WorldToolset, "call", late_once)
    ended = play(shipped, tmp_path / "run")
    assert [cell["uncertified_runs"] for cell in ended.summaries] == [1, 0]
    assert [cell["digest"] is None for cell in ended.summaries] == [True, False]
    assert ended.summaries[0]["scored"]["runs"] == 3
    assert json.loads((ended.out / "index.json").read_bytes())["digest"] is None
    assert "took longer than 20 s" in ended.causes[0]
    again = play(shipped, tmp_path / "run", resume=True)
    assert first_difference(whole.out, again.out) is None
    with pytest.raises(BadInput, match="finished run is there"):
        play(shipped, tmp_path / "run", resume=True)

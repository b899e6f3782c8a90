"""Every group of rows, measured once at a small size: what is there, in which unit, and which rows have a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks import (
    attack,
    cassette_open,
    chain,
    doors,
    execution,
    fork,
    harness,
    http,
    live_runs,
    lookup,
    many_forks,
    narrow,
    planning,
    recording,
    sandbox,
    scoring,
    search,
    suite,
    tool_call,
    world_build,
)
from benchmarks.row import Row, run_command
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.sandbox.compiled_file import CompiledFolder
from caia_replay.store.world_folder import WorldFolder, open_world
from caia_worldgen.calendar import Scale

CASSETTES = Path(__file__).resolve().parents[3] / "cassettes"
MINI, ECONOMY, EXECUTION = (str(CASSETTES / name) for name in ("mini-6", "synthetic-178", "synthetic-execution"))
CAMPAIGNS = ("edited", "orders")
"""Two do as well as all."""
SCALES = [Scale("one", 6, 1, 1, 4, 3), Scale("two", 6, 2, 1, 4, 3)]
# module, what is made small, how it is called, unit of each row, L for each row with a limit
GROUPS: dict[str, tuple[Any, dict[str, Any], Callable[..., Any], str, str]] = {
    "chain": (chain, {"_STARTS": 1, "_ROUNDS": 1, "_CALLS": 2}, partial(chain.rows, MINI), "ms us", "LL"),
    "fork": (fork, dict.fromkeys(("_PINS", "_WRITES", "_ROUNDS", "_CALLS"), 1), partial(fork.rows, MINI),
             "ms us us ms ms", "LLLL-"),
    "many_forks": (many_forks, {"COUNTS": (1, 3), "_ROUNDS": 1}, partial(many_forks.rows, MINI), "ms MB ms MB", "LLLL"),
    "suite": (suite, {"_RUNS": 1}, partial(suite.rows, MINI), "s MB s MB", "LLLL"),
    "harness": (harness, {"_ROUNDS": 2, "INSPECT": Path("nowhere")}, partial(harness.rows, MINI), "ms ms ms", "L--"),
    "doors": (doors, {"_ROUNDS": 2}, partial(doors.rows, MINI), "ms " * 6, "-L" * 3),
    "narrow": (narrow, {"_ROUNDS": 1, "_CALLS": 1, "_REQUESTS": 5}, partial(narrow.rows, ECONOMY),
               "us us us us MB MB", "------"),
    "scoring": (scoring, {}, partial(scoring.rows, runs=1_800, rounds=1),
                "us/run " * 4, "LL--"),
    "search": (search, {"_SIZES": (40, 10**9), "_QUESTIONS": 12, "_ADDED": 5}, partial(search.rows, 60),
               "us us s s us " * 2, "-" * 10),
    "lookup": (lookup, {"_SIZES": (200, 10**6), "_LOOKUPS": 50}, partial(lookup.rows, 9_000),
               "us us us us MB", "-----"),
    "planning": (planning, {}, partial(planning.rows, 3), "s s", "LL"),
    "recording": (recording, {}, partial(recording.rows, requests=40, few=3, many=12),
                  "requests/s requests/s s s s us us", "LLLLLLL"),
    "attack": (attack, {"_CALL_ROUNDS": 1, "_ROUNDS": 1, "campaign_names": lambda: CAMPAIGNS},
               partial(attack.rows, MINI), "ms ms ms ms us us s", "----LL-"),
    "sandbox": (sandbox, {}, partial(sandbox.rows, rounds=1), "ms ms ms", "-L-"),
    "world_build": (world_build, {}, partial(world_build.rows, SCALES), "s kB s kB", "----"),
}  # fmt: skip
QUICK = ("planning", "harness")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.soak) for name in GROUPS]
)
def test_a_group_measures_every_row_beside_its_floor(
    name: str, monkeypatch: pytest.MonkeyPatch, anvil_binary: Path, request: pytest.FixtureRequest
) -> None:
    """At a small size all rows are there under their names, in their units, and only what is judged has a limit."""
    if name == "sandbox":
        request.getfixturevalue("sandbox")
    module, settings, measure, units, judged = GROUPS[name]
    for setting, value in settings.items():
        monkeypatch.setattr(module, setting, value)
    rows: list[Row] = list(measure())
    assert [row.unit for row in rows] == units.split()
    assert "".join("-" if row.limit is None else "L" for row in rows) == judged
    assert all(row.value > 0 and row.floor > 0 for row in rows[1:])
    RELATIONS.get(name, lambda rows: None)(rows)


def _forks(rows: list[Row]) -> None:
    one, three = rows[1], rows[3]
    assert 1 < one.value < three.value and 1 < one.floor < three.floor


def _suite(rows: list[Row]) -> None:
    assert [row.floor for row in rows] == [60, 600, 90, 600] and all(row.limit == 1 for row in rows)
    assert all(row.value > 30 for row in rows if row.unit == "MB")


def _simulated(rows: list[Row]) -> None:
    """What is waited is the recorder's and the limit's matter alone: no machine's clock is in it."""
    assert [row.at_least for row in rows] == [True] * 2 + [False] * 5
    host, two, apart = rows[2:5]
    assert (round(host.value, 1), host.floor, host.ok) == (61.1, 60.0, True)
    assert (round(two.value, 1), two.floor, two.ok) == (63.1, 60.0, True)
    assert (apart.value, apart.floor) == (19.5, 19.5)


RELATIONS: dict[str, Callable[[list[Row]], None]] = {**{"many_forks": _forks, "suite": _suite, "recording": _simulated}}


@pytest.mark.soak
def test_the_http_group_measures_all_it_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """At small sizes: hits, misses, growth, vcrpy, opening and memory are all there, with positive figures."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for name, value in {"SIZES": (10, 40), "_OPENED": 40, "_PEER_SIZES": (10,), "_ROUNDS": 2, "_CALLS": 3}.items():
        monkeypatch.setattr(http, name, value)
    monkeypatch.setattr(cassette_open, "PROCESSES", 1)
    rows = list(http.rows())
    names = [row.name for row in rows]
    assert len(set(names)) == len(names) == 19 and sum(row.limit is not None for row in rows) == 12
    for told in ("first use of an answer, 40 recordings", "GET over its floor: 40 recordings against 10", "all played"):
        assert any(told in name for name in names), told
    assert all(row.value > 0 and row.floor > 0 for row in rows if row.unit != "MB")


@pytest.fixture
def two_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first two tasks of the suite that is carried out, and one round."""

    def opened(name: str) -> WorldFolder:
        folder = open_world(name)
        active = folder.suite.active()[:2]
        monkeypatch.setattr(type(folder.suite), "active", lambda suite: active)
        return folder

    monkeypatch.setattr(execution, "open_world", opened)
    monkeypatch.setattr(execution, "_ROUNDS", 1)


@pytest.mark.soak
def test_runs_and_gradings_are_measured(two_tasks: None, anvil_binary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of tasks a minute, and one of a fresh fork beside a checkpoint; verdicts that differ are no figure."""
    runs, grading = execution.rows(EXECUTION)
    assert (runs.unit, runs.limit, grading.unit, grading.limit) == ("tasks/min", None, "ms", execution.GRADING_LIMIT)
    assert 0 < runs.value < runs.floor and 0 < grading.floor < grading.value
    real = execution.Checkpoint.grade
    monkeypatch.setattr(execution.Checkpoint, "grade", lambda self, sent: real(self, ()))
    with pytest.raises(CheckFailed, match="True on a fresh fork, False on a checkpoint"):
        list(execution.rows(EXECUTION))


@pytest.mark.parametrize(("rows", "said"), [
    (execution.rows, "nearest: synthetic-execution"), (narrow.rows, "nothing of"),
    (tool_call.rows, "to name things by"),
])  # fmt: skip
def test_a_world_that_lacks_what_is_measured_is_refused(rows: Callable[[str], Iterator[Row]], said: str) -> None:
    """Nothing of it is carried out, narrowed or named, which is said and not measured as zero."""
    with pytest.raises(BadInput, match=said):
        list(rows(MINI))


@pytest.mark.soak
def test_what_is_wrong_is_no_figure(monkeypatch: pytest.MonkeyPatch, sandbox: CompiledFolder) -> None:
    """A sandbox that computes otherwise, a scorer that errs, a command that fails."""
    monkeypatch.setattr("benchmarks.sandbox._process", lambda code: "7\n")
    monkeypatch.setattr(scoring, "_KINDS", (("boolean", "yes", "No {n}", "Yes {n}"),))
    for measure, said in (
        (partial(GROUPS["sandbox"][2]), "where Python says '7"),
        (partial(scoring.rows, runs=200, rounds=1), "scored False"),
        (partial(run_command, ["verify", "--suite", "nowhere"]), r"verify ended with 2: .*no suite 'nowhere'"),
    ):
        with pytest.raises(CheckFailed, match=said):
            list(measure())


@pytest.mark.check
def test_live_runs_are_held_to_what_the_endpoint_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole commands: no more requests at once than was asked for, seconds beside the floor, megabytes of all of it."""
    monkeypatch.setattr(live_runs, "LATENCY_S", 0.01)
    monkeypatch.setattr(live_runs, "INSPECT", Path("nowhere"))
    monkeypatch.setattr(live_runs, "FLIGHTS", ((8, 1, 2_000.0),))
    tasks = len(open_world(MINI).suite.active())
    spent, memory = live_runs.rows(MINI)
    assert spent.name == f"{tasks} x 1 x 2 live runs, 8 in flight" and spent.limit == 1.3
    assert spent.floor == pytest.approx(tasks * 2 * 4 * 0.01 / 8) and spent.value > spent.floor
    assert (memory.unit, memory.limit, memory.ok) == ("MB", 1.0, True)

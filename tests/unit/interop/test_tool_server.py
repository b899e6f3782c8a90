"""Runs that external agents play over plain HTTP: scored, certified and audited as any other."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import pytest

from caia_replay.analysis.audit import audit
from caia_replay.analysis.finished_run import open_run
from caia_replay.core.tool import UNAVAILABLE
from caia_replay.interop.tool_server import openapi
from caia_replay.runner.plan import RunPlan
from caia_replay.store.run_folder import read_json
from caia_replay.store.trajectory_file import Trajectories
from caia_replay.store.world_folder import WorldFolder, open_world
from caia_replay.tools.catalog import CATALOG, WALLET
from tests.tool_door import ask, begin, facts, play, scripts, served, together

ARMS = ("clean", "attacked")


def test_the_calls_of_our_own_agent_have_its_outcome(
    folder: WorldFolder, react: tuple[Path, RunPlan], tmp_path: Path
) -> None:
    """Verdict, adoption and tools told of are those of react, in both arms; and the audit proves the folder."""
    with served(folder, tmp_path / "run", arms=ARMS) as door:
        for script in scripts(*react):
            play(door.url, begin(door.url)["session"], script)
        done = door.finish()
    assert facts(done.out, react[1]) == facts(*react)
    header = read_json(done.out / "attacked-tools" / "certificate.json")
    told = read_json(react[0] / "attacked-tools" / "certificate.json")
    assert header["tools"] == told["tools"] and header["model"]["name"] == "external/script"
    assert (header["agent"], header["prompts"]) == ("external", "unsigned") and header["digest"]
    finished = open_run(done.out, tmp_path)
    assert audit(finished, 1, lambda more: None) is None


def test_what_is_submitted_is_the_one_turn(folder: WorldFolder, react: tuple[Path, RunPlan], tmp_path: Path) -> None:
    """Calls are numbered as they came, and nobody claims to have counted tokens."""
    task = folder.suite.active()[0]
    with served(folder, tmp_path / "run", arms=("clean",), tasks=[task]) as door:
        play(door.url, begin(door.url)["session"], scripts(*react)[0])
        done = door.finish()
    with Trajectories(done.out / "clean-tools") as records:
        record = records.json(task, 1)
    *calls, said = record["steps"]
    assert [step["call_id"] for step in calls] == [f"call_{at}" for at in range(1, len(calls) + 1)]
    assert said["kind"] == "model" and not record["tokens"]["reported"]
    assert record["prompt"] == [{"role": "user", "content": record["prompt"][0]["content"]}]


def test_a_client_reads_of_a_miss_what_a_model_reads(folder: WorldFolder, tmp_path: Path) -> None:
    """One neutral text over HTTP, too; what is not recorded stands in the run's record alone."""
    task = folder.suite.active()[0]
    with served(folder, tmp_path / "run", arms=("clean",), tasks=[task]) as door:
        session = f"{door.url}/sessions/{begin(door.url)['session']}"
        reply = ask("POST", f"{session}/tools/url_fetching", json={"url": "https://nowhere.example/"})
        assert reply.json() == {"error": dict(UNAVAILABLE)}
        ask("POST", f"{session}/answer", json={"answer": "unknown"})
        done = door.finish()
    with Trajectories(done.out / "clean-tools") as records:
        step = records.json(task, 1)["steps"][0]
    assert (step["served"], step["shown"]) == ("MISS", {"error": dict(UNAVAILABLE)})
    assert step["missed"]["message"] == "not recorded: https://nowhere.example/"


def left(url: str) -> int:
    return int(ask("GET", f"{url}/").json()["left"])


def test_runs_are_handed_out_in_the_plans_order_and_each_once(folder: WorldFolder, tmp_path: Path) -> None:
    """A client may name its task; when all are taken it is told so, and which arm it plays it is never told."""
    first, second, *_ = folder.suite.active()
    with served(folder, tmp_path / "run", arms=ARMS, tasks=[first, second]) as door:
        one, other, again = begin(door.url), begin(door.url, second), begin(door.url)
        assert one["question"] == again["question"] != other["question"] and left(door.url) == 1
        assert len({one["session"], other["session"], again["session"]}) == 3
        last = begin(door.url, second)
        for asked in ({}, {"task": second}):
            refused = ask("POST", f"{door.url}/sessions", json=asked)
            assert (refused.status_code, refused.json()["error"]["type"]) == (404, "no_task_left")
        for taken in (one, other, again, last):
            told = json.dumps({name: value for name, value in taken.items() if name != "tools"})
            assert not any(word in told for word in (*ARMS, "attempt", "arm", first, second))
            assert (
                ask("POST", f"{door.url}/sessions/{taken['session']}/answer", json={"answer": ""}).json()["stop"]
                == "no_answer"
            )
        done = door.finish()
    assert [cell["stops"] for cell in done.summaries] == [{"no_answer": 2}] * 2


def test_the_openapi_document_has_every_tool_with_its_schema() -> None:
    """Every parameter of a path is declared, every operation has a name of its own, and nothing in it is no JSON."""
    told = json.loads(json.dumps(openapi()))
    names = []
    for path, item in told["paths"].items():
        assert [found["name"] for found in item.get("parameters", [])] == re.findall(r"{(\w+)}", path), path
        names += [one["operationId"] for method, one in item.items() if method != "parameters"]
    assert len(set(names)) == len(names) == 4 + len(CATALOG) + len(WALLET)
    for name, tool in {**CATALOG, **WALLET}.items():
        asked = told["paths"][f"/sessions/{{session}}/tools/{name}"]["post"]["requestBody"]
        assert asked["content"]["application/json"]["schema"] == tool.spec.parameters


@pytest.mark.parametrize("way", ["deletes", "idles"])
def test_a_client_that_goes_ends_its_run_and_may_come_back(folder: WorldFolder, tmp_path: Path, way: str) -> None:
    """Its run is client_gone, not scored and not certified; --resume hands out that run alone."""
    task, out = folder.suite.active()[0], tmp_path / "run"
    with served(folder, out, idle_s=0.5 if way == "idles" else 600, arms=ARMS, tasks=[task]) as door:
        one, other = begin(door.url)["session"], begin(door.url)["session"]
        if way == "deletes":
            assert ask("DELETE", f"{door.url}/sessions/{one}").json()["stop"] == "client_gone"
            ask("POST", f"{door.url}/sessions/{other}/answer", json={"answer": "3"})
        done = door.finish()
    gone = done.summaries[0]
    assert (gone["stops"], gone["digest"], gone["pass_at_1"]) == ({"client_gone": 1}, None, None)
    assert done.unfinished == (1 if way == "deletes" else 2)
    with served(folder, out, resume=True, arms=ARMS, tasks=[task]) as door:
        assert left(door.url) == done.unfinished
        for _ in range(done.unfinished):
            ask("POST", f"{door.url}/sessions/{begin(door.url)['session']}/answer", json={"answer": "3"})
        assert door.finish().unfinished == 0


def test_what_is_in_flight_at_the_end_is_not_kept(folder: WorldFolder, tmp_path: Path) -> None:
    """Whoever waits is told so at once, and --resume plays those runs."""
    task, out = folder.suite.active()[0], tmp_path / "run"
    with served(folder, out, arms=ARMS, tasks=[task]) as door:
        kept, broken = begin(door.url)["session"], begin(door.url)["session"]
        ask("POST", f"{door.url}/sessions/{kept}/answer", json={"answer": "3"})
        door.desk.close()
        told = ask("POST", f"{door.url}/sessions/{broken}/answer", json={"answer": "3"})
        assert told.status_code == 410 and "--resume" in told.json()["error"]["message"]
    with served(folder, out, resume=True, arms=ARMS, tasks=[task]) as door:
        assert left(door.url) == 1
        ask("POST", f"{door.url}/sessions/{begin(door.url)['session']}/answer", json={"answer": "3"})
        door.finish()


def test_the_budget_of_calls_is_kept(folder: WorldFolder, tmp_path: Path) -> None:
    """Calls beyond it are answered with an error, and after some of them the run is over; the audit proves it."""
    task = folder.suite.active()[0]
    with served(folder, tmp_path / "run", arms=("clean",), tasks=[task], calls=1) as door:
        session = begin(door.url)["session"]
        replies = [
            ask("POST", f"{door.url}/sessions/{session}/tools/block_query", json={"block": 1}) for _ in range(22)
        ]
        done = door.finish()
    kinds = [(reply.status_code, reply.json().get("error", {}).get("type")) for reply in replies]
    assert kinds == [(200, None), *[(200, "call_budget")] * 20, (410, "session_ended")]
    assert done.summaries[0]["stops"] == {"call_budget": 1}
    assert audit(open_run(done.out, tmp_path), 1, lambda more: None) is None


@pytest.mark.check
def test_a_task_that_is_carried_out_offers_its_wallet(shipped: Path, tmp_path: Path) -> None:
    """Its tools stand behind the others; what was sent is graded, and the audit sends it again."""
    execution = open_world(str(shipped.with_name("synthetic-execution")))
    task = execution.suite.active()[0]
    with served(execution, tmp_path / "run", arms=("clean",), tasks=[task]) as door:
        session = begin(door.url)
        assert [tool["function"]["name"] for tool in session["tools"]][-len(WALLET) :] == list(WALLET)
        play(door.url, session["session"], ((("wallet_state", "{}"),), "done"))
        done = door.finish()
    with Trajectories(done.out / "clean-tools") as records:
        assert records.json(task, 1)["execution"]["sent"] == []
    assert audit(open_run(done.out, tmp_path), 1, lambda more: None) is None


@pytest.mark.check
def test_sixty_sessions_at_once_are_sixty_in_turn(
    folder: WorldFolder, react: tuple[Path, RunPlan], tmp_path: Path
) -> None:
    """Whatever their calls' interleaving, the certificates of both arms are equal."""
    all_of_them = [script for script in scripts(*react) for _ in range(5)]
    digests = []
    for seed in (0, 1, None):
        with served(folder, tmp_path / str(seed), arms=ARMS, runs=5) as door:
            taken = [begin(door.url)["session"] for _ in all_of_them]
            jobs = [partial(play, door.url, *one) for one in zip(taken, all_of_them, strict=True)]
            if seed is None:
                for job in jobs:
                    job()
            else:
                together(jobs, seed)
            digests.append(read_json(door.finish().out / "index.json")["digest"])
    assert digests[0] is not None and len(set(digests)) == 1

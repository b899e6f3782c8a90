"""Inspect AI itself: it plays our tasks as replay does, and opens and reads the logs of our own runs.

It stands in an environment of its own, and so each test asks that one's interpreter.
"""

from __future__ import annotations

import functools
import json
import math
import os
import re
import shlex
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import caia_replay
from tests.bad_exchange import completion
from tests.chat_server import ChatServer
from tests.chromium import Chromium
from tests.finished_run import hostile_run
from tests.peer_python import brought_python

PROJECT = Path(__file__).resolve().parents[3]
SUITE = "synthetic-178"
ARMS = ("clean", "attacked")
pytestmark = pytest.mark.check


def told_by(script: str, *words: object, cwd: Path = PROJECT) -> Any:
    """What a script prints last, as JSON, run by Inspect's interpreter."""
    command = [brought_python("inspect"), "-P", *(["-c", script] if "\n" in script else [script])]
    ran = subprocess.run([*map(str, [*command, *words])], cwd=cwd, capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr[-3000:]
    return json.loads(ran.stdout.splitlines()[-1])


def inspect(*words: object) -> subprocess.CompletedProcess[str]:
    """The command ``inspect``, standing in the checkout."""
    command = brought_python("inspect").with_name("inspect")
    return subprocess.run(
        [*map(str, [command, *words])], cwd=PROJECT, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[caia_replay.Run]:
    """24 tasks of many projects, once in each arm: one half by a policy that errs, one by the oracle."""
    brought_python("inspect")
    with caia_replay.open_suite(PROJECT / "cassettes" / SUITE) as suite:
        names = [task.id for task in suite.tasks]
    place = tmp_path_factory.mktemp("runs")
    chosen = {"credulous": names[3::15][:12], "oracle": names[10::15][:12]}
    return [
        caia_replay.replay(
            f"policy/{policy}",
            PROJECT / "cassettes" / SUITE,
            out=place / policy,
            tasks=tasks,
            arms=ARMS,
            runs=1,
            workers=1,
        )
        for policy, tasks in chosen.items()
    ]


def records_of(runs: Sequence[caia_replay.Run], arm: str) -> dict[str, dict[str, Any]]:
    """The records of one arm by task."""
    found = {}
    for run in runs:
        for row in run.results.to_pylist():
            if row["arm"] == arm:
                found[row["task"]] = run.trajectory(row["task"], 1, f"{arm}-tools")
    return found


def clustered(values: Mapping[str, float], records: Mapping[str, Mapping[str, Any]]) -> float:
    """The standard error of a mean over tasks, those of one project as one cluster (Liang and Zeger 1986)."""
    middle = sum(values.values()) / len(values)
    apart: dict[str, float] = {}
    for task, value in values.items():
        project = records[task]["project"] or task
        apart[project] = apart.get(project, 0.0) + value - middle
    many = len(apart)
    return math.sqrt(sum(one**2 for one in apart.values()) * many / (many - 1)) / len(values)


def played_by_inspect(place: Path, task: str, records: Mapping[str, dict[str, Any]], **args: Any) -> dict[str, Any]:
    """What Inspect scored when its mock model said the very words of these records."""
    said = {
        one["prompt"][1]["content"]: [step for step in one["steps"] if step["kind"] == "model"]
        for one in records.values()
    }
    asked = {"task": task, "args": args, "said": said, "how": {"sample_id": list(records), "max_samples": 6}}
    (place / "asked.json").write_text(json.dumps(asked), "utf-8")
    found: dict[str, Any] = told_by("tests/inspect_eval.py", place / "asked.json", place / "logs")
    return found


@pytest.fixture(scope="module")
def played(runs: list[caia_replay.Run], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Both arms in Inspect."""
    return {
        arm: played_by_inspect(
            tmp_path_factory.mktemp("inspect"), "caia_replay/synthetic_178", records_of(runs, arm), arm=arm
        )
        for arm in ARMS
    }


def require_equal(records: Mapping[str, dict[str, Any]], scores: Mapping[str, Any]) -> None:
    """Each sample's scores are those of its record."""
    for task, record in records.items():
        verdict = scores[task]["verdict"]
        assert {"C": True, "I": False}[verdict["value"]] == record["score"]["correct"], task
        assert (verdict["answer"], verdict["metadata"]["reading"]) == (record["answer"], record["score"]["reading"])
        assert (verdict["metadata"]["stop"], verdict["metadata"]["served"]) == (record["stop"], record["served"])
        if "adoption" in scores[task]:
            adoption, facts = scores[task]["adoption"], record["attack"]
            value = adoption["value"]  # NaN, which is no score, differs from itself
            assert (value if value == value else None) == (facts["adopted"] if record["planted"] else None), task
            names = ("exposed", "opened", "repeated", "resisted", "adopted_attack")
            assert {name: facts[name] for name in names}.items() <= adoption["metadata"].items()


@pytest.mark.parametrize("arm", ARMS)
def test_the_same_words_have_the_same_verdict(arm: str, runs: list[caia_replay.Run], played: dict[str, Any]) -> None:
    """Over 24 samples answer, verdict, reading, adoption and the other facts of an attack are replay's."""
    records, scores = records_of(runs, arm), played[arm]["scores"]
    assert len(records) == len(scores) == 24
    require_equal(records, scores)
    assert len({scores[task]["verdict"]["value"] for task in records}) == 2
    if arm == "attacked":
        assert {scores[task]["adoption"]["value"] for task in records} >= {0, 1}


@pytest.mark.parametrize(("policy", "campaign", "turns"), [("credulous", "edited", 2), ("hijacked", "all", 20)])
def test_what_ends_and_what_obeys_is_told_alike(policy: str, campaign: str, turns: int, tmp_path: Path) -> None:
    """Runs that spend their turns, and runs that make the calls an attack demands, are replay's, too."""
    brought_python("inspect")
    how: dict[str, Any] = {"campaign": campaign, "turns": turns, "arms": ("attacked",), "runs": 1}
    run = caia_replay.replay(f"policy/{policy}", PROJECT / "cassettes" / "mini-6", out=tmp_path / "run", **how)
    records = records_of([run], "attacked")
    args = {"arm": "attacked", "campaign": campaign, "turns": turns}
    require_equal(records, played_by_inspect(tmp_path, "caia_replay/mini_6", records, **args)["scores"])
    if turns == 2:
        assert {one["stop"] for one in records.values()} == {"turn_budget"}
    else:
        assert any(one["attack"]["obeyed"] for one in records.values())


@pytest.mark.parametrize("arm", ARMS)
def test_errors_are_clustered_by_project(arm: str, runs: list[caia_replay.Run], played: dict[str, Any]) -> None:
    """Inspect's standard errors are those of our projects as clusters."""
    records = records_of(runs, arm)
    right = {task: float(one["score"]["correct"]) for task, one in records.items()}
    assert len({one["project"] for one in records.values()}) < 24
    told = played[arm]["metrics"]["verdict"]
    assert told["accuracy"] == pytest.approx(sum(right.values()) / 24)
    assert told["stderr"] == pytest.approx(clustered(right, records)) and told["stderr"] > 0


def test_what_has_a_default_is_not_required(played: dict[str, Any]) -> None:
    """Inspect's models are told of the 23 tools, and need give what has no default alone."""
    schema = played["clean"]["schema"]
    assert len(schema) == 23
    assert schema["price_feed"]["required"] == ["asset"] and schema["block_query"]["required"] == []
    assert {"type": "null"} in schema["price_feed"]["properties"]["limit"]["anyOf"]


def test_a_log_is_scored_again_as_it_was(played: dict[str, Any]) -> None:
    """A log holds all that our scorers need: scored anew, it has the same figures."""
    metrics = played["attacked"]["metrics"]  # a sum in another order may differ in its last digit
    assert played["attacked"]["again"] == {name: pytest.approx(one) for name, one in metrics.items()}


def test_a_call_that_waits_holds_up_nobody() -> None:
    """A tool is called in a thread: one that waits for what happens later in Inspect's loop does get it."""
    script = """
import json, threading
import anyio
from caia_replay.core.tool import Served, ToolReply
from caia_replay.interop.inspect_tasks import tool_of
from caia_replay.tools.catalog import CATALOG
later, kept = threading.Event(), []
class Waiting:
    def call(self, name, arguments):
        return ToolReply(Served.COMPUTED, {"came": later.wait(30)})
async def main():
    async with anyio.create_task_group() as group:
        group.start_soon(tool_of(CATALOG["block_query"].spec, Waiting(), kept).tool)
        await anyio.sleep(0.2)
        later.set()
anyio.run(main)
print(json.dumps(kept))
"""
    (told,) = told_by(script)
    assert told["result"] == {"came": True} and told["served"] == "COMPUTED"


@pytest.fixture(scope="module")
def logs(runs: list[caia_replay.Run], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our own runs as Inspect's logs."""
    place = tmp_path_factory.mktemp("export") / "logs"
    command = brought_python("inspect").with_name("caia-replay")
    words = [command, "export", "inspect", *(run.path for run in runs), "--out", place]
    done = subprocess.run([*map(str, words)], cwd=PROJECT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0 and done.stdout.endswith(f"next: inspect view --log-dir {place}\n"), done.stderr
    return place


def test_inspects_dataframes_read_our_runs(logs: Path, runs: list[caia_replay.Run]) -> None:
    """One log for each run and arm, a row for each sample with its verdict, and every message that was said."""
    script = """
import json, sys
from inspect_ai.analysis import evals_df, events_df, messages_df, samples_df
evals, samples = evals_df(sys.argv[1]), samples_df(sys.argv[1])
rows = samples[["id", "metadata_arm", "score_verdict", "score_adoption"]].astype(object)
kinds = events_df(sys.argv[1])["event"].value_counts().to_dict()
print(json.dumps({
    "evals": evals[["model", "score_verdict_accuracy"]].astype(str).values.tolist(),
    "samples": rows.where(rows.notna(), None).values.tolist(),
    "messages": len(messages_df(sys.argv[1])),
    "kinds": kinds,
}))
"""
    told = told_by(script, logs)
    assert len(told["evals"]) == 4 and len(told["samples"]) == 48
    records = {arm: records_of(runs, arm) for arm in ARMS}
    for task, arm, verdict, adoption in told["samples"]:
        record = records[arm][task]
        assert verdict == ("C" if record["score"]["correct"] else "I")
        assert adoption == (record["attack"]["adopted"] if arm == "attacked" and record["planted"] else None)
    steps = [step["kind"] for by_task in records.values() for one in by_task.values() for step in one["steps"]]
    assert told["messages"] == len(steps) + 2 * 48
    assert (told["kinds"]["model"], told["kinds"]["tool"]) == (steps.count("model"), steps.count("tool"))


@pytest.fixture
def bundle(logs: Path, tmp_path: Path) -> Iterator[str]:
    """The address of a bundle of our logs, served on loopback."""
    done = inspect("view", "bundle", "--log-dir", logs, "--output-dir", tmp_path / "bundle")
    assert done.returncode == 0, done.stderr
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "bundle"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_bundle_of_our_logs_opens_in_a_browser(
    bundle: str, logs: Path, runs: list[caia_replay.Run], tmp_path: Path
) -> None:
    """``inspect view bundle`` takes them; its page lists each log, and shows a sample's question, calls and answer."""
    log = next(path.name for path in sorted(logs.iterdir()) if "credulous-attacked" in path.name)
    (task, *_) = (row["task"] for row in runs[0].results.to_pylist())
    record = runs[0].trajectory(task, 1, "attacked-tools")
    browser = Chromium(tmp_path / "profile")
    try:
        browser.ask("Page.navigate", url=bundle)
        browser.wait("document.body && document.body.innerText.includes('synthetic_178')")
        assert browser.run("document.body.innerText.split('synthetic_178').length - 1") >= 4
        browser.ask("Page.navigate", url=f"{bundle}#/logs/{log}/samples/sample/{task}/1")
        wanted = (record["prompt"][1]["content"].splitlines()[0], record["answer"], record["steps"][1]["tool"])
        for text in wanted:
            browser.wait(f"document.body.innerText.includes({json.dumps(text)})")
    finally:
        browser.close()


def test_whatever_a_model_writes_its_log_is_read(mini: Path) -> None:
    """Halves of surrogate pairs, markup and arguments that are no JSON leave a log that Inspect reads."""
    run = hostile_run(mini, mini / "cassettes" / "mini-6")
    command = brought_python("inspect").with_name("caia-replay")
    words = [str(command), "export", "inspect", str(run), "--out", "logs"]
    done = subprocess.run(words, cwd=mini, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    script = """
import json
from inspect_ai.analysis import messages_df, samples_df
print(json.dumps([samples_df("logs")["score_verdict"].fillna("").tolist(), len(messages_df("logs"))]))
"""
    assert told_by(script, cwd=mini) == [["I", "I", ""], 9]


def test_what_replay_refuses_is_one_line_in_inspect() -> None:
    """No traceback, but what, where and the nearest; also of a suite that nobody has, or that Inspect cannot grade."""
    script = """
import json
from inspect_ai._util.error import PrerequisiteError
from caia_replay.interop.inspect_tasks import mini_6, suite
told = []
execution = "cassettes/synthetic-execution"
for made in (
    lambda: mini_6(condition="none"), lambda: mini_6(turns=0), lambda: suite("nowhere"), lambda: suite(execution)
):
    try:
        made()
    except PrerequisiteError as fault:
        told.append(str(fault.message))
print(json.dumps(told))
"""
    condition, turns, nowhere, execution = told_by(script)
    assert "unknown condition 'none'" in condition and "-T turns=20" in turns
    assert "nowhere" in nowhere and "is carried out" in execution
    words = ("eval", "caia_replay/mini_6", "-T", "arm=atacked", "--model", "mockllm/model", "--display", "plain")
    done = inspect(*words)
    told = " ".join((done.stdout + done.stderr).split())
    assert done.returncode and "nearest: attacked" in told and "Traceback" not in told


def test_what_its_page_shows_runs(mini: Path) -> None:
    """The run, its logs, the Python that reads them, and ``inspect eval`` with another endpoint than the one named."""
    page = (PROJECT / "docs" / "exports.md").read_text("utf-8")
    lines = re.findall(
        r"^    (caia-replay replay .*|caia-replay export inspect .*|inspect eval .*)$", page, re.MULTILINE
    )
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    server = ChatServer()
    server.will(200, completion({"role": "assistant", "content": "FINAL ANSWER: 45"}))
    environment = {**os.environ, "LOCAL_API_KEY": "none", "LOCAL_BASE_URL": server.base_url}
    folder = brought_python("inspect").parent
    told = []
    try:
        for line in [*lines, f"python -P -c {shlex.quote(code)}"]:
            first, *rest = shlex.split(line.replace("openai/gpt-5", "openai-api/local/any"))
            ran = subprocess.run(
                [str(folder / first), *rest], cwd=mini, env=environment, capture_output=True, text=True, timeout=300
            )
            assert ran.returncode == 0, ran.stderr[-2000:] + ran.stdout[-2000:]
            told.append(ran.stdout)
    finally:
        server.close()
    assert len(lines) == 3 and "accuracy" in told[2] and "mini_6" in told[3]
    assert len(server.received) == 2 and len(server.received[0][1]["tools"]) == 23

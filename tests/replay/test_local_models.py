"""Models on this machine through the command: with a stand-in for the engine, and at the end the real one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from caia_replay.models.local_file import PYTHON_VARIABLE
from tests.cli_shell import Shell
from tests.llama_engine import engine_python, weights
from tests.peer_python import brought_python

PROJECT = Path(__file__).resolve().parents[2]
TASK = "mini6-base-fee-bound"
ACTION = 'Thought: look\nAction: web_search\nAction Input: {"query": "base fee", "limit": 3, "page": 1}'
ANSWER = "FINAL ANSWER: 12"
TEXT = ("--agent", "text-react", "--tools", "compact,core-4")


@pytest.fixture(autouse=True)
def engine(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in is the engine that the command finds."""
    monkeypatch.setenv(PYTHON_VARIABLE, str(engine_python(tmp_path_factory.mktemp("engine") / "site")))


def certificate(run: Path, cell: str = "clean-tools") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / cell / "certificate.json").read_text())
    return found


def play(shell: Shell, model: object, out: Path, *options: object) -> tuple[int, str, str]:
    """One run of one task in the clean arm."""
    told = ("--suite", "mini-6", "--task", TASK, "--arm", "clean", "--runs", 1, "--out", out)
    return shell("replay", "--model", model, *told, *options)


def test_a_local_model_plays_is_audited_and_plays_again_from_its_tape(shell: Shell, tmp_path: Path) -> None:
    """A run of a local model is proven, and its tape gives an equal certificate without saying agent or tools."""
    path = weights(tmp_path / "small.gguf", ACTION, ANSWER)
    live, taped = tmp_path / "live", tmp_path / "taped"
    code, _, err = play(shell, f"local/{path}", live, *TEXT, "--record-model", "small")
    assert code == 0, err
    assert "proven" in shell("audit", live)[1]
    assert play(shell, "recorded/small", taped)[0] == 0
    assert certificate(live)["digest"] == certificate(taped)["digest"] is not None
    header = certificate(live)
    assert str(tmp_path) not in json.dumps(header)
    assert all(str(tmp_path) not in path.read_text() for path in Path("model_tapes").rglob("*.json"))
    assert header["toolset"] == ["compact", "price_feed", "web_search", "url_fetching", "supply_query"]
    assert header["model"]["name"] == "local/small" and header["agent"] == "text-react"
    steps = json.loads((live / "clean-tools" / "summary.json").read_text())["served"]
    assert sum(steps.values()) == 1


def test_a_context_that_is_too_small_is_refused_with_what_fits(shell: Shell, tmp_path: Path) -> None:
    """Before anything is asked or written, one line has the count, the room and the largest set of tools that fits."""
    path = weights(tmp_path / "small.gguf", ANSWER)
    code, _, err = play(shell, f"local/{path},context=1800", tmp_path / "out", "--agent", "text-react")
    assert code == 2 and err.count("\n") == 1
    assert "text-react with 23 tools" in err and "has room for 1,704" in err and "--tools " in err
    fitting = err.rpartition("--tools ")[2].split()[0]
    assert not (tmp_path / "out").exists()
    told = (f"local/{path},context=1800", tmp_path / "out", "--agent", "text-react", "--tools", fitting)
    assert play(shell, *told)[0] == 0
    code, _, err = play(shell, f"local/{path},context=300", tmp_path / "none", "--agent", "text-react")
    assert code == 2 and "context=600" in err


def test_a_template_that_drops_tools_is_refused(shell: Shell, tmp_path: Path) -> None:
    """An agent that offers tools natively is refused where the model would never see them, and plays where it does."""
    drops, shows = weights(tmp_path / "drops.gguf", ANSWER), weights(tmp_path / "shows.gguf", ANSWER, tools=True)
    code, _, err = play(shell, f"local/{drops}", tmp_path / "a", "--agent", "react")
    assert code == 2 and "leaves tools out" in err and "--agent text-react" in err
    assert play(shell, f"local/{shows}", tmp_path / "b", "--agent", "react")[0] == 0
    assert play(shell, f"local/{drops}", tmp_path / "c", "--agent", "react", "--condition", "no-tools")[0] == 0


@pytest.mark.check
def test_a_lost_server_is_named_and_its_run_is_played_again(shell: Shell, tmp_path: Path) -> None:
    """A run whose server is killed ends as model_fault with exit code 3, and --resume plays it to its end."""
    path, out = weights(tmp_path / "dies.gguf", ANSWER, dies=2), tmp_path / "out"
    model = (f"local/{path}", out, *TEXT, "--runs", 2)
    code, shown, _ = play(shell, *model)
    assert code == 3 and "the model's server ended by signal 9" in shown
    code, _, err = play(shell, *model, "--resume")
    assert code == 0, err
    assert certificate(out)["digest"] is not None


TOOLS: dict[str, tuple[tuple[str, ...], str]] = {
    "unknown": (("core4",), "core-4"),
    "twice": (("web_search", "web_search"), "given twice"),
    "beside": (("none", "web_search"), "none stands alone"),
}


@pytest.mark.parametrize("case", TOOLS)
def test_tools_that_are_none_are_refused(case: str, shell: Shell, tmp_path: Path) -> None:
    """An unknown name, one given twice and none beside others are bad input with the nearest name."""
    names, wanted = TOOLS[case]
    code, _, err = play(shell, "policy/credulous", tmp_path / "out", "--tools", ",".join(names))
    assert code == 2 and wanted in err and err.count("\n") == 1


def test_a_toolset_is_part_of_the_certificate_and_all_or_none_are_what_they_were(shell: Shell, tmp_path: Path) -> None:
    """All tools by any name give the default's certificate, none gives that of no-tools, and fewer give their own."""
    every = "market-data,technical-analysis,discovery,social,defi-metrics,on-chain,token-analytics,execution"
    options: dict[str, tuple[str, ...]] = {
        **{"default": (), "all": ("--tools", "all"), "every": ("--tools", every)},
        **{"fewer": ("--tools", "discovery"), "bare": ("--condition", "no-tools"), "none": ("--tools", "none")},
        "compact": ("--tools", "compact"),
    }
    digests = {}
    for name, told in options.items():
        code, _, err = play(shell, "policy/credulous", tmp_path / name, *told)
        assert code == 0, err
        cell = "clean-no-tools" if name in ("bare", "none") else "clean-tools"
        digests[name] = certificate(tmp_path / name, cell)["digest"]
    assert digests["default"] == digests["all"] == digests["every"] and digests["bare"] == digests["none"]
    assert len({digests[name] for name in ("default", "fewer", "bare", "compact")}) == 4
    assert "toolset" not in certificate(tmp_path / "default")
    assert certificate(tmp_path / "fewer")["toolset"] == ["web_search", "url_fetching", "trend_detection"]
    assert all(shell("audit", tmp_path / name)[0] == 0 for name in ("fewer", "compact"))
    both = ("--tools", "none", "--condition", "tools,no-tools")
    code, _, err = play(shell, "policy/credulous", tmp_path / "both", *both)
    assert code == 2 and "without --tools" in err


@pytest.mark.check
def test_the_shipped_tape_plays_every_task(shell: Shell, tmp_path: Path) -> None:
    """recorded/smollm2 plays all of mini-6 in both arms without a miss, and names neither key nor machine."""
    shutil.copytree(PROJECT / "model_tapes", "model_tapes")
    told = ("--model", "recorded/smollm2", "--suite", "mini-6", "--runs", 1, "--out", tmp_path / "out")
    assert shell("replay", *told)[0] == 0
    for cell in ("clean-tools", "attacked-tools"):
        summary = json.loads((tmp_path / "out" / cell / "summary.json").read_text())
        assert sum(summary["stops"].values()) == 6 and not {"tape_miss", "model_fault"} & summary["stops"].keys()
        assert certificate(tmp_path / "out", cell)["model"]["name"] == "local/smollm2-135m"
    assert all("site-packages" not in path.read_text() for path in Path("model_tapes").rglob("*.json"))


@pytest.mark.check
def test_a_real_model_plays_two_tasks(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SmolLM2 plays two tasks to named ends, its run is proven, and its tape gives an equal certificate."""
    monkeypatch.setenv(PYTHON_VARIABLE, str(brought_python("local")))
    tasks = ("--task", TASK, "--task", "mini6-supply")
    told = ("--suite", "mini-6", *tasks, "--arm", "clean", "--runs", 1)
    short = "local/smollm2-135m,completion=48"
    live, taped = tmp_path / "live", tmp_path / "taped"
    limits = ("--max-turns", 2)
    code, _, err = shell("replay", "--model", short, *told, *limits, "--out", live, "--record-model", "smol")
    assert code == 0, err
    assert "proven" in shell("audit", live)[1]
    assert shell("replay", "--model", "recorded/smol", *told, *limits, "--out", taped)[0] == 0
    assert certificate(live)["digest"] == certificate(taped)["digest"]
    stops = json.loads((live / "clean-tools" / "summary.json").read_text())["stops"]
    assert sum(stops.values()) == 2 and "model_fault" not in stops

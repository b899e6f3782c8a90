"""A user's own class as an agent: found, signed, and never trusted to end a run well."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from caia_replay.agents.own_agent import UNSIGNED
from caia_replay.agents.resolve import resolve_agent
from caia_replay.core.agent import Budget
from caia_replay.core.trajectory import Trajectory
from caia_replay.errors import BadInput
from tests.cli_shell import Shell
from tests.unit.agents.conftest import Line, Script, Sums, adds, says

CODE = """
class Mine:
    version = "2.1"
    def loop(self, run, question):
        run.begin("system", question)
        while (message := run.ask()).tool_calls:
            run.act(message)
        return message.content
class Raises:
    def loop(self, run, question):
        run.begin("system", question)
        run.ask()
        return {}["gone"]
class Silent:
    def loop(self, run, question):
        run.begin("system", question)
        run.ask()
class NoLoop:
    pass
function = print
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """The name of a module in the current folder that no other test has."""
    name = f"agents_of_{request.node.name.partition('[')[0]}"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path(f"{name}.py").write_text(CODE, "utf-8")
    return name


def play(name: str, *lines: Line, turns: int = 9) -> Trajectory:
    return resolve_agent(name).run("What?", Script(*lines), Sums(), Budget(turns))


def test_a_class_of_the_current_folder_plays(module: str) -> None:
    """Its loop asks and acts; what it returns is the answer, by its line where there is one; its turns are counted."""
    played = play(f"{module}:Mine", adds(1, 2), says("so\nFINAL ANSWER: 3"))
    assert (played.stop, played.answer, len(played.calls())) == ("answered", "3", 1)
    assert play(f"{module}:Mine", says("just 3")).answer == "just 3"
    assert play(f"{module}:Mine", adds(1, 2), adds(1, 2), adds(1, 2), turns=2).stop == "turn_budget"


def test_what_its_code_raises_or_leaves_out_ends_the_run(module: str) -> None:
    """An error is the agent's fault, with its words; a loop that returns nothing has no answer."""
    broken = play(f"{module}:Raises", says("x"))
    assert (broken.stop, broken.answer, broken.detail) == ("agent_fault", None, "KeyError: 'gone'")
    assert play(f"{module}:Silent", says("x")).stop == "no_answer"


def test_its_digest_is_that_of_its_source(module: str) -> None:
    """Of a module's file, and of all of a package; another byte is another digest, no source is unsigned."""
    first = resolve_agent(f"{module}:Mine")
    assert first.version == "2.1" and first.prompt_digest.startswith("sha256:")
    package = Path(f"{module}_package")
    (package / "inner").mkdir(parents=True)
    for path in ("__init__.py", "inner/__init__.py", "inner/part.py"):
        (package / path).write_text(CODE, "utf-8")
    name = f"{package.name}.inner.part:Mine"
    signed = resolve_agent(name).prompt_digest
    (package / "__init__.py").write_text("# changed\n", "utf-8")
    assert signed != resolve_agent(name).prompt_digest != first.prompt_digest
    Path(f"{module}.py").unlink()
    assert resolve_agent(f"{module}:Mine").prompt_digest == UNSIGNED


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("{}:Mime", "has no class 'Mime'.*nearest: Mine"), ("{}:NoLoop", "has no class"), ("{}:function", "has no"),
        ("{}_gone:Mine", "cannot be imported: ModuleNotFoundError"), ("{}:", "no MODULE:CLASS"),
        (":Mine", "no MODULE:CLASS"), ("../x:Mine", "no MODULE:CLASS"), ("a b:Mine", "no MODULE:CLASS"),
    ],
)  # fmt: skip
def test_what_is_no_agent_is_one_line(module: str, name: str, told: str) -> None:
    """The module, the class, the nearest one and the form that is wanted."""
    with pytest.raises(BadInput, match=told) as caught:
        resolve_agent(name.format(module))
    assert "\n" not in str(caught.value) and "--agent MODULE:CLASS" in str(caught.value)


@pytest.mark.check
def test_it_replays_with_a_certificate_that_names_it(shell: Shell, mini: Path) -> None:
    """In one process and over workers, from the command; name, version and digest of its source are covered."""
    (mini / "own_command_agent.py").write_text(CODE, "utf-8")
    agent = "own_command_agent:Mine"
    told = []
    for workers in ("1", "2"):
        out = mini / f"run{workers}"
        options = ("--suite", "mini-6", "--runs", "1", "--agent", agent, "--workers", workers, "--out", out)
        code, _, err = shell("replay", *options)
        assert code == 0, err
        told.append(json.loads((out / "clean-tools" / "certificate.json").read_text("utf-8")))
    assert told[0] == told[1] and (told[0]["agent"], told[0]["agent_version"]) == (agent, "2.1")
    assert told[0]["prompts"] == resolve_agent(agent).prompt_digest
    assert shell("audit", mini / "run1")[:2] == (0, "proven\n")

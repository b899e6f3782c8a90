"""A server that other people wrote: a LiteLLM proxy on loopback, driven by the unmodified client."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import pytest

from caia_replay.agents.resolve import resolve_agent
from caia_replay.core.agent import Budget
from caia_replay.core.message import Message
from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.core.tool import Served, ToolReply, ToolSpec
from caia_replay.core.trajectory import ModelTurn, Trajectory
from caia_replay.errors import BadInput, ModelFault
from caia_replay.models.openai_compatible import OpenAICompatibleModel
from caia_replay.models.parameter import Quirks
from tests.peer_python import peer_python

pytestmark = pytest.mark.soak
KEY = "sk-" + "local-test-" * 2
RUN = RunKey("t", "clean", "tools", "react", 1)
STARTED_S = 90
CONFIG = """
model_list:
  - model_name: words
    litellm_params:
      model: openai/words
      api_key: none
      mock_response: "The block says so.\\nFINAL ANSWER: 42"
  - model_name: calls
    litellm_params:
      model: openai/calls
      api_key: none
      mock_response: "Let me look."
      mock_tool_calls:
        - {id: call_a, type: function, function: {name: look, arguments: '{"at": 7}'}}
        - {id: call_b, type: function, function: {name: look, arguments: '{"at": 8}'}}
"""


@dataclass
class Looks:
    """A toolset with one tool, which remembers what it was asked."""

    asked: list[tuple[str, str]]

    def specs(self) -> tuple[ToolSpec, ...]:
        schema = {
            "type": "object",
            "properties": {"at": {"type": "integer"}},
            "required": ["at"],
            "additionalProperties": False,
        }
        return (ToolSpec("look", "Looks.", schema, "on-chain", "authoritative"),)

    def call(self, name: str, arguments: str) -> ToolReply:
        self.asked.append((name, arguments))
        return ToolReply(Served.HIT, {"seen": 1})


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a running proxy that answers without any model behind it, and needs a key."""
    python, folder = peer_python("peers"), tmp_path_factory.mktemp("litellm")
    (folder / "config.yaml").write_text(CONFIG)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {"LITELLM_MASTER_KEY": KEY, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    command = [str(python.with_name("litellm")), "--config", "config.yaml", "--host", "127.0.0.1", "--port", str(port)]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, env=os.environ | settings, stdout=log, stderr=log)
    try:
        _wait(f"http://127.0.0.1:{port}/health/liveliness", server, folder / "log")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        try:
            server.wait(timeout=15)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + STARTED_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"the proxy did not start: {log.read_text()[-800:]}")


def played(proxy: str, name: str, quirks: Quirks, turns: int = 3) -> tuple[Trajectory, Looks]:
    """One run of the react agent with a model of the proxy."""
    model, looks = OpenAICompatibleModel(name, proxy, KEY, quirks=quirks, max_retries=0), Looks([])
    try:
        session = model.session(RUN, PolicyHints("What?"))
        return resolve_agent("react").run("What?", session, looks, Budget(turns)), looks
    finally:
        model.close()


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_comes_through(proxy: str, stream: bool) -> None:
    """Streamed or not: the answer is read, and the tokens the proxy counted are reported ones."""
    run, _ = played(proxy, "words", Quirks(stream=stream))
    assert (run.stop, run.answer) == ("answered", "42"), run.detail
    (turn,) = run.steps
    assert isinstance(turn, ModelTurn) and turn.finish_reason == "stop"
    assert turn.usage.reported and turn.usage.prompt_tokens > 0 and turn.usage.completion_tokens > 0


def test_tool_calls_come_through(proxy: str) -> None:
    """Two calls in one message are executed in order, turn after turn, and their results are taken by the proxy."""
    run, looks = played(proxy, "calls", Quirks())  # streamed, the proxy's mock leaves its calls out
    assert looks.asked[:2] == [("look", '{"at": 7}'), ("look", '{"at": 8}')], run.detail
    assert (run.stop, len(looks.asked)) == ("turn_budget", 4)


def test_a_refusal_of_its_own_kind_is_a_named_fault(proxy: str) -> None:
    """A key it does not know it answers with 400 and words on a database: a fault on one line, without the key."""
    model = OpenAICompatibleModel("words", proxy, "sk-of-nobody-at-all", max_retries=0)
    with pytest.raises(ModelFault, match="No connected db") as caught:
        model.session(RUN, PolicyHints("What?")).complete([Message("user", "What?")], ())
    model.close()
    assert caught.value.reason == "server" and "\n" not in str(caught.value)
    assert "sk-of-nobody-at-all" not in str(caught.value)


def test_a_model_it_does_not_know_is_the_users_to_mend(proxy: str) -> None:
    """One line that says which name, to be mended once for all runs."""
    model = OpenAICompatibleModel("wrods", proxy, KEY, max_retries=0)
    with pytest.raises(BadInput, match="knows no model 'wrods'") as caught:
        model.session(RUN, PolicyHints("What?")).complete([Message("user", "What?")], ())
    model.close()
    assert "\n" not in str(caught.value) and KEY not in str(caught.value)

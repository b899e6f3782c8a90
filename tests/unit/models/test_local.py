"""Models on this machine, behind servers of our own; the engine is a stand-in, all else is real."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.core.message import Message
from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import BadInput, Interrupted, MachineFault, ModelFault
from caia_replay.models.local import MOST_STARTS, LocalModel
from caia_replay.models.local_file import PYTHON_VARIABLE, Settings, find_local, local_label, parse_settings
from caia_replay.models.resolve import endpoint_hosts, resolve_model
from tests.llama_engine import engine_python, weights

ASKED = (Message("system", "You are terse."), Message("user", "Who?"))
TOOL = ToolSpec("look", "Look.", {"type": "object", "properties": {}}, "On-chain", "authoritative")
KEY = RunKey("t", "clean", "tools", "react", 1)
HINTS = PolicyHints("Who?")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return engine_python(tmp_path_factory.mktemp("engine") / "site")


@pytest.fixture
def environ(python: Path) -> dict[str, str]:
    return {PYTHON_VARIABLE: str(python)}


@contextmanager
def local(path: Path, environ: dict[str, str], settings: str = "") -> Iterator[LocalModel]:
    model = resolve_model(f"local/{path}{settings}", environ)
    assert isinstance(model, LocalModel)
    try:
        yield model
    finally:
        model.close()


def said(model: LocalModel) -> str:
    session = model.session(KEY, HINTS)
    text = session.complete(ASKED, ()).message.content
    session.close()
    return text


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def gone(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not alive(pid)


def test_a_file_of_weights_answers_and_its_server_ends_with_the_model(environ: dict[str, str], tmp_path: Path) -> None:
    """The server starts with the first completion, answers, and is gone once the model is closed, even twice."""
    with local(weights(tmp_path / "small.gguf", "Nobody."), environ) as model:
        assert said(model) == "Nobody." and said(model) == "Nobody."
        pid = model.server().pid
        assert alive(pid)
        model.close()
        assert gone(pid)


def test_every_request_bounds_its_completion(environ: dict[str, str], tmp_path: Path) -> None:
    """The limit, the temperature, the seed and whether to cache are sent with every request."""
    path = weights(tmp_path / "echo.gguf", "the request")
    with local(path, environ, ",completion=7,temperature=0.5,cache=0") as model:
        sent = said(model)
    for part in ('"max_tokens": 7', '"temperature": 0.5', '"seed": 1', '"cache_prompt": false'):
        assert part in sent


def test_a_certificate_covers_how_a_model_is_served(environ: dict[str, str], tmp_path: Path) -> None:
    """Identity holds the digest of the file, the engine and every setting but the time limit, and no folder."""
    first, other = weights(tmp_path / "a.gguf", "x"), weights(tmp_path / "b.gguf", "y")
    with local(first, environ) as model, local(other, environ) as another:
        told = model.identity
        assert told["name"] == "local/a" and str(tmp_path) not in str(told)
        assert told["parameters"]["sha256"] != another.identity["parameters"]["sha256"]
        assert told["parameters"]["engine"] == "xllamacpp 0.1"
    for setting in ("context=4096", "completion=9", "threads=2", "batch=64", "slots=2", "cache=0", "temperature=1"):
        with local(first, environ, f",{setting}") as model:
            assert model.identity != told and model.identity["name"] == "local/a"
    with local(first, environ, ",timeout=9") as model:
        assert model.identity == told


@pytest.mark.check
def test_a_lost_server_ends_its_run_and_the_next_run_has_another(environ: dict[str, str], tmp_path: Path) -> None:
    """A server killed in a completion, or between two, is named by its signal; then a new one answers, a few times."""
    with local(weights(tmp_path / "dies.gguf", "Here.", dies=2), environ) as model:
        for _ in range(MOST_STARTS):
            assert said(model) == "Here."
            with pytest.raises(ModelFault, match="the model's server ended by signal 9") as fault:
                said(model)
            assert fault.value.reason == "connection"
        with pytest.raises(Interrupted, match="--resume"):
            said(model)


@pytest.mark.check
def test_a_stopped_server_is_given_up_after_the_time_limit(environ: dict[str, str], tmp_path: Path) -> None:
    """A server that SIGSTOP halts, or that never ends a completion, is a timeout and is killed; the next answers."""
    with local(weights(tmp_path / "slow.gguf", "Here.", hangs=3), environ, ",timeout=1") as model:
        assert said(model) == "Here."
        pid = model.server().pid
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(ModelFault) as fault:
            said(model)
        assert fault.value.reason == "timeout" and gone(pid)
        assert said(model) == "Here." and said(model) == "Here."
        with pytest.raises(ModelFault) as fault:
            said(model)
        assert fault.value.reason == "timeout"


def test_a_killed_command_leaves_no_server(python: Path, tmp_path: Path) -> None:
    """The kernel ends the server of a process that is killed without a word."""
    path = weights(tmp_path / "small.gguf", "x")
    code = (
        "import sys, time; from caia_replay.models.resolve import resolve_model\n"
        f"model = resolve_model('local/{path}', {{'{PYTHON_VARIABLE}': '{python}'}})\n"
        "print(model.server().pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        assert alive(pid)
        owner.kill()
    assert gone(pid)


def test_what_cannot_be_loaded_is_told_with_the_engine_s_words(environ: dict[str, str], tmp_path: Path) -> None:
    """Weights that the engine refuses are a machine fault of the server, and a fault of the run that needed it."""
    path = tmp_path / "broken.gguf"
    path.write_text("GGUF but nothing of it")
    with local(path, environ) as model:
        with pytest.raises(MachineFault, match="failed to load the model"):
            model.server()
        with pytest.raises(ModelFault, match="failed to load the model"):
            said(model)


def test_tokens_are_counted_by_the_model_s_own_template(environ: dict[str, str], tmp_path: Path) -> None:
    """A template that shows tools makes a longer prompt of them; one that drops them does not, and that is found."""
    shows, drops = weights(tmp_path / "s.gguf", "x", tools=True), weights(tmp_path / "d.gguf", "x")
    with local(shows, environ) as model:
        assert model.shows_tools(ASKED, (TOOL,))
        assert model.prompt_tokens(ASKED, (TOOL,)) > model.prompt_tokens(ASKED, ())
    with local(drops, environ) as model:
        assert not model.shows_tools(ASKED, (TOOL,))
        assert model.prompt_tokens(ASKED, (TOOL,)) == model.prompt_tokens(ASKED, ())


def test_nobody_without_the_key_is_answered(environ: dict[str, str], tmp_path: Path) -> None:
    """The server's key is new with every model, and a client that lacks it gets no completion."""
    import httpx2

    path = weights(tmp_path / "small.gguf", "x")
    with local(path, environ) as model, local(path, environ) as other:
        keys = {one.client().api_key for one in (model, other)}
        assert len(keys) == 2
        reply = httpx2.post(f"{model.base_url}/chat/completions", json={"messages": []}, trust_env=False)
        assert reply.status_code == 401


BAD: dict[str, tuple[str, str]] = {
    "name": ("local/smolm2-135m", "local/smollm2-135m"),
    "file": ("local/nowhere.gguf", "cannot be read"),
    "format": ("local/{here}/plain.gguf", "is no GGUF file"),
    "setting": ("local/{here}/a.gguf,thread=1", "nearest: threads"),
    "twice": ("local/{here}/a.gguf,threads=1,threads=1", "given twice"),
    "zero": ("local/{here}/a.gguf,context=0", "from 1"),
    "text": ("local/{here}/a.gguf,batch=many", "no whole number"),
    "warm": ("local/{here}/a.gguf,temperature=nan", "from 0 to 2"),
    "room": ("local/{here}/a.gguf,context=100,completion=100", "leaves nothing"),
    "weights": ("local/smollm2-135m", "has no weights of smollm2-135m"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_name_that_cannot_be_played_is_refused_in_a_line(case: str, environ: dict[str, str], tmp_path: Path) -> None:
    """A name, file or setting that is none is bad input that says what is wanted, before anything is started."""
    weights(tmp_path / "a.gguf", "x")
    (tmp_path / "plain.gguf").write_text("plain text")
    name, wanted = BAD[case]
    with pytest.raises(BadInput) as fault:
        resolve_model(name.format(here=tmp_path), environ)
    assert wanted in str(fault.value) and "\n" not in str(fault.value)


def test_a_python_without_the_engine_is_told_how_to_get_it(tmp_path: Path) -> None:
    """Where no Python has the engine, or the named one is no file or none, the line says what to install."""
    path = weights(tmp_path / "a.gguf", "x")
    bare, odd = tmp_path / "bare", tmp_path / "odd"
    bare.write_text("#!/bin/sh\necho '{}'\n")
    odd.write_text("#!/bin/sh\necho no\n")
    for python, wanted in ((bare, "no Python here has it"), (odd, "cannot say"), (tmp_path / "none", "names no file")):
        if python.exists():
            python.chmod(0o755)
        with pytest.raises(BadInput, match=wanted) as fault:
            find_local(f"local/{path}", {PYTHON_VARIABLE: str(python)})
        assert "scripts/peers.sh local" in str(fault.value)


def test_settings_are_read_from_the_name() -> None:
    """What stands behind the commas is a setting, in any order; the label has neither folder nor setting."""
    wanted = replace(Settings(), threads=2, temperature="0.7", context=4096)
    assert parse_settings("local/x.gguf,temperature=0.70,context=4096,threads=2") == wanted
    labels = {local_label(name) for name in ("local/x.gguf", "local/a/b/x.gguf,threads=1", "local//x.gguf")}
    assert labels == {"local/x"} and local_label("local/smollm2-135m") == "local/smollm2-135m"


def test_no_host_beyond_this_machine_is_needed() -> None:
    """A local model lets nothing out, whatever OPENAI_BASE_URL says."""
    environ: dict[str, Any] = {"OPENAI_BASE_URL": "https://elsewhere.example/v1"}
    assert endpoint_hosts("local/smollm2-135m", environ) == frozenset()

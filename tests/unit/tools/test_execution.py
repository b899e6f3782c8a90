"""Python for the model: what comes back, what the host adds, and what a run keeps."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from random import Random

import pytest

from caia_replay.core.tool import Served
from caia_replay.errors import BadInput, ToolError
from caia_replay.sandbox.compiled_file import CompiledFolder
from caia_replay.sandbox.limits import LIMITS
from caia_replay.sandbox.module import PYTHON_VARIABLE
from caia_replay.tools.call_view import CallView
from caia_replay.tools.catalog import CATALOG, WorldToolset
from caia_replay.tools.execution import code_execution
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.guest_threads import guest_threads
from tests.tool_draw.execution import outcome
from tests.unit.tools.conftest import Bench


@pytest.fixture
def coder(frozen: FrozenWorld, sandbox: CompiledFolder) -> Iterator[Bench]:
    """The first task, with the compiled interpreter at hand; its run is closed in the end."""
    made = Bench(frozen, frozen.folder.suite.active()[0])
    yield made
    made.tools.close()


def test_code_is_computed(coder: Bench) -> None:
    """What is printed and the last value; the date is the task's; an exception is a result; memory is limited."""
    reply = coder.call("code_execution", code="x = 40\nprint('so')\nx + 2")
    assert reply.served is Served.COMPUTED and reply.altered_by == ()
    assert reply.result == {"stdout": "so\n42\n", "stderr": "", "note": None}
    code = "import datetime, time\nprint(int(time.time())); datetime.datetime.now(datetime.UTC).isoformat()"
    moment = utc_text(coder.world.clock.now).replace("Z", "+00:00")
    result = coder.call("code_execution", code=code).result
    assert result is not None and result["stdout"] == f"{coder.world.clock.now}\n'{moment}'\n"
    reply = coder.call("code_execution", code="prices = {}\nprices['BTC']")
    assert reply.served is Served.COMPUTED and reply.result is not None
    assert reply.result["stderr"].endswith("KeyError: 'BTC'\n") and reply.result["note"] is None
    result = coder.call("code_execution", code="len(bytes(100 * 2**20))\nbytes(300 * 2**20)").shown()
    assert result["stderr"].endswith("MemoryError\n") and result["note"] is None
    with pytest.raises(ToolError, match="half a character at position 1"):
        code_execution(CallView(coder.world), "'\ud800'")


def test_arithmetic_is_right(coder: Bench) -> None:
    """Integers, floats, decimals, fractions and texts print as they do in the Python that tests it."""
    dice = Random("code_execution")
    for _ in range(60):
        arguments, printed = outcome(dice)
        reply = coder.call("code_execution", **arguments)
        assert reply.result == {"stdout": printed, "stderr": "", "note": None}, arguments


def test_a_run_keeps_its_variables_and_no_others(coder: Bench, frozen: FrozenWorld) -> None:
    """Calls of one toolset go on from each other; after a stop, which is said, variables are gone."""
    coder.call("code_execution", code="kept = [1]")
    assert coder.call("code_execution", code="kept.append(2); kept").shown()["stdout"] == "[1, 2]\n"
    with WorldToolset(coder.world) as other:
        reply = other.call("code_execution", json.dumps({"code": "'kept' in globals()"}))
    assert reply.shown()["stdout"] == "False\n"
    coder.call("code_execution", code="kept = 1")
    result = coder.call("code_execution", code="import os\nprint('so far', flush=True)\nos._exit(5)").shown()
    assert result["stdout"] == "so far\n"
    assert result["note"] == (
        "The code was stopped: it ended the interpreter with exit code 5. "
        "A new interpreter is used from now on: variables are gone."
    )
    assert coder.call("code_execution", code="'kept' in globals()").shown() == {
        "stdout": "False\n",
        "stderr": "",
        "note": None,
    }


def test_what_was_cut_is_said(coder: Bench) -> None:
    """The first of stdout, the last of stderr, and how much there was."""
    code = "import sys; print('x' * 20_000); sys.stderr.write('y' * 5_000 + 'z'); None"
    result = coder.call("code_execution", code=code).shown()
    assert result["stdout"] == "x" * LIMITS.stdout_bytes and result["stderr"] == "y" * 3_999 + "z"
    assert result["note"] == (
        "stdout had 20,001 bytes; the first 10,000 are shown. stderr had 5,001 bytes; the last 4,000 are shown."
    )


@pytest.mark.parametrize(
    ("code", "words"),
    [("", "code is empty"), (" \n\t", "code is empty"), ("#" * 200_001, "200,001 bytes; 200,000 are the most")],
)
def test_code_that_cannot_be_taken_is_refused(coder: Bench, code: str, words: str) -> None:
    """The model is told what is wrong, and no interpreter is started."""
    before = guest_threads()
    reply = coder.call("code_execution", code=code)
    assert reply.served is Served.ERROR and reply.error is not None and words in reply.error["message"]
    assert guest_threads() == before


def test_a_closed_run_leaves_no_thread(coder: Bench) -> None:
    """Closing the toolset ends the interpreter."""
    before = guest_threads()
    coder.call("code_execution", code="1")
    assert guest_threads() == before + 1
    coder.tools.close()
    assert guest_threads() == before


def test_without_the_sandbox_no_code_is_run(
    coder: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Another file in the interpreter's place ends the run, as a missing Anvil does; nothing else runs the code."""
    mark = tmp_path_factory.mktemp("mark") / "ran"
    other = mark.with_name("python.wasm")
    other.write_bytes(b"\0asm\1\0\0\0")
    monkeypatch.setenv(PYTHON_VARIABLE, str(other))
    with pytest.raises(BadInput, match="make setup"):
        coder.call("code_execution", code=f"open({str(mark)!r}, 'w')")
    assert not mark.exists()


def test_the_model_is_told_the_limits_that_hold() -> None:
    """The numbers in the description are those of the sandbox."""
    told = CATALOG["code_execution"].spec.description
    numbers = {int(text.replace(",", "")) for text in re.findall(r"\d[\d,]*", told)}
    assert {LIMITS.fuel, LIMITS.memory_bytes // 2**20, LIMITS.stdout_bytes, LIMITS.stderr_bytes} <= numbers

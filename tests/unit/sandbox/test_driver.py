"""The loop inside the guest: what it does with a call's code, tried in this Python, which reads the same."""

from __future__ import annotations

import pytest

from caia_replay.sandbox.driver import run


def test_the_last_expression_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """As at a prompt: its value, unless that is None; earlier ones are not shown."""
    names: dict[str, object] = {}
    assert run("x = 40\nx\nx + 2", "<call 1>", names) == ""
    assert run("None", "<call 2>", names) == ""
    assert run("y = x", "<call 3>", names) == ""
    assert run("", "<call 4>", names) == run("# nothing", "<call 5>", names) == ""
    assert capsys.readouterr().out == "42\n"
    assert names["x"] == names["y"] == 40


def test_an_exception_is_told_without_the_loop() -> None:
    """The frames are the code's own, with their lines."""
    told = run("def f():\n    return 1 / 0\n\nf()", "<call 1>", {})
    assert told.startswith("Traceback (most recent call last):\n") and "driver" not in told
    assert 'File "<call 1>", line 2, in f\n    return 1 / 0\n' in told
    assert told.endswith("ZeroDivisionError: division by zero\n")


def test_a_deep_traceback_is_short() -> None:
    """Of many frames the innermost are told."""
    told = run("".join(f"def f{at}(): f{at + 1}()\n" for at in range(100)) + "f0()", "<call 1>", {})
    assert told.count("File") == 8 and "f99" in told and told.endswith("NameError: name 'f100' is not defined\n")


@pytest.mark.parametrize("code", ["a = [", "\0", "return 1", "1 = x", "\t x", "(" * 500 + ")" * 500])
def test_code_that_cannot_be_read_is_told(code: str) -> None:
    """What Python cannot read becomes its own message, without a traceback."""
    told = run(code, "<call 1>", {})
    assert "Error: " in told and "Traceback" not in told


def test_an_exit_is_told_in_a_line() -> None:
    """SystemExit does not end the loop."""
    assert run("import sys; sys.exit('enough')", "<call 1>", {}) == "SystemExit: enough\n"
    assert run("exit(0)", "<call 1>", {"exit": __builtins__["exit"]}) == "SystemExit: 0\n"  # type: ignore[index]


def test_an_exception_that_breaks_its_own_showing_is_told_too() -> None:
    """Its type is named, and what broke."""
    code = "class E(SystemExit):\n    code = property(lambda self: 1 / 0)\nraise E"
    assert run(code, "<call 1>", {}) == "E, which cannot be shown: ZeroDivisionError\n"


def test_builtins_that_a_call_took_away_come_back() -> None:
    """What a call does to the built-in names ends with it, whether it raised or not."""
    assert run("import builtins\ndel builtins.len", "<call 1>", {}) == ""
    assert run("import builtins\ndel builtins.len\n1 / 0", "<call 2>", {}).endswith(
        "ZeroDivisionError: division by zero\n"
    )
    assert run("assert len('ab') == 2", "<call 3>", {}) == ""

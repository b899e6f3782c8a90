"""How commands end: one line on stderr and the exit code of the kind of error."""

from __future__ import annotations

from collections.abc import Callable

import click
import pytest

from caia_replay.command_group import Commands
from caia_replay.errors import BadInput, CheckFailed, ForkFault, Interrupted, Miss


def ended(capsys: pytest.CaptureFixture[str], body: Callable[[], None]) -> tuple[int, str]:
    group = Commands("caia-replay")
    group.add_command(click.Command("do", callback=body))
    with pytest.raises(SystemExit) as caught:
        group.main(["do"], prog_name="caia-replay")
    return int(caught.value.code or 0), capsys.readouterr().err


@pytest.mark.parametrize(
    ("fault", "code", "line"),
    [
        (BadInput("is wrong", where="x", next_command="do y"), 2, "x: is wrong; next: do y"),
        (CheckFailed("no"), 1, "no"),
        (Interrupted("later"), 3, "later"),
        (Miss("block", "5", "toy"), 1, "block not recorded: 5 (toy)"),
        (ForkFault("gone"), 1, "gone"),
        (KeyboardInterrupt(), 3, "interrupted"),
        (click.UsageError("no such thing"), 2, "no such thing; next: caia-replay do --help"),
        (PermissionError(13, "Permission denied", "/x"), 2, "/x: Permission denied; next: put that right"),
    ],
)
def test_each_error_is_one_line_and_its_code(
    capsys: pytest.CaptureFixture[str], fault: BaseException, code: int, line: str
) -> None:
    """What, where and the next command; never a traceback."""

    def body() -> None:
        raise fault

    assert ended(capsys, body)[0] == code
    said = ended(capsys, body)[1]
    assert said.startswith(line) and len(said.splitlines()) == 1


def test_a_command_that_returns_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0, and nothing on stderr."""
    assert ended(capsys, lambda: None) == (0, "")


def test_an_error_nobody_meant_is_not_hidden(capsys: pytest.CaptureFixture[str]) -> None:
    """A defect keeps its traceback."""

    def body() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Commands("x", {"do": click.Command("do", callback=body)}).main(["do"])

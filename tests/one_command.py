"""The command in this process: how it ended, and what it printed."""

from __future__ import annotations

import io
import traceback
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

from caia_replay.cli import main

BROKEN = 99
"""The exit code that stands here for an error nobody expected."""


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def all(self) -> str:
        """Everything it printed."""
        return self.out + self.err


def run(*arguments: object) -> Ran:
    """The command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as ended:
            code = int(ended.code or 0)
        except Exception:  # noqa: BLE001  one command that breaks must not hide what the others do
            code = BROKEN
            traceback.print_exc()
    return Ran(code, out.getvalue(), err.getvalue())

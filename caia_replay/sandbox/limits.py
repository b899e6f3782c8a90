"""What a call of the sandbox may use, and what it gave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """``fuel`` counts instructions of the guest, that one call may take: about ten seconds of them.
    No clock is asked, so that the same code is stopped at the same place on any machine.

    ``memory_bytes`` is for the whole interpreter. Of what a call prints, the first ``stdout_bytes`` and the last
    ``stderr_bytes`` are kept.
    """

    fuel: int = 20_000_000_000
    memory_bytes: int = 256 * 1024 * 1024
    stdout_bytes: int = 10_000
    stderr_bytes: int = 4_000
    code_bytes: int = 200_000


LIMITS: Final = Limits()


@dataclass(frozen=True, slots=True)
class Execution:
    """What one call gave. Outputs are cut as the limits say; the sizes count everything that was written.

    ``stopped`` says why the interpreter ended, and is empty while it goes on: after that the next call meets a new
    one, without what earlier calls defined. ``fuel`` is what the call used.
    """

    stdout: str
    stderr: str
    stdout_bytes: int
    stderr_bytes: int
    fuel: int
    stopped: str = ""

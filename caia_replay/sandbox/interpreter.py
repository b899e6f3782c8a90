"""Python for a model's code: no network, no files, no clock, no chance, and a limit on work and memory."""

from __future__ import annotations

import weakref
from types import TracebackType
from typing import TYPE_CHECKING

from caia_replay.sandbox.guest import Guest
from caia_replay.sandbox.limits import LIMITS, Execution, Limits
from caia_replay.sandbox.module import load

if TYPE_CHECKING:
    from caia_replay.sandbox.compiled_file import CompiledFolder


class Interpreter:
    """CPython in a WebAssembly sandbox, whose date stands at ``now``. Variables are kept from call to call.

    The same calls in the same order give the same outputs and take the same fuel, on any machine. Close it, or use it
    as a context manager: it has a thread, which ends at the latest with this object. ``cache`` is where the compiled
    interpreter is kept. Raises ``BadInput`` where it cannot be had; there is no other way to run code.
    """

    def __init__(self, now: int, limits: Limits = LIMITS, cache: CompiledFolder | None = None) -> None:
        self._now, self._limits = now, limits
        self._engine, self._module = load(cache)
        self._guest: Guest | None = None

    def __enter__(self) -> Interpreter:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def run(self, code: str) -> Execution:
        """Run ``code`` after what ran before, in a new interpreter where that ended the last one.

        Raises ``ValueError`` for code that is longer than the limit, or no text that UTF-8 could hold.
        """
        data = code.encode("utf-8")
        if len(data) > self._limits.code_bytes:
            raise ValueError(f"the code has {len(data):,} bytes; {self._limits.code_bytes:,} are the most")
        if self._guest is None or not self._guest.is_alive:
            self.close()
            self._guest = Guest(self._engine, self._module, self._now, self._limits)
            self._forgotten = weakref.finalize(self, self._guest.close)
        return self._guest.run(data)

    def close(self) -> None:
        """End it; may be called twice. A call after this begins anew."""
        if self._guest is not None:
            self._forgotten()
            self._guest = None

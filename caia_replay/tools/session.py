"""What one run keeps between its tool calls: the interpreter that runs a model's code."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caia_replay.sandbox.interpreter import Interpreter


class Session:
    """One per run. Close it, so that no interpreter outlives its run; nothing is started before it is asked for."""

    def __init__(self) -> None:
        self._interpreter: Interpreter | None = None

    def interpreter(self, now: int) -> Interpreter:
        """The run's interpreter, whose clock stands at ``now``; the first call starts it. Raises ``BadInput`` where
        it cannot start."""
        if self._interpreter is None:
            from caia_replay.cassette.private_folder import index_key, private_folder
            from caia_replay.sandbox.compiled_file import CompiledFolder
            from caia_replay.sandbox.interpreter import Interpreter

            folder = private_folder()
            key = index_key(folder)
            cache = CompiledFolder(folder, key) if folder is not None and key is not None else None
            self._interpreter = Interpreter(now, cache=cache)
        return self._interpreter

    def close(self) -> None:
        """End the interpreter, if one was started; may be called twice."""
        ending, self._interpreter = self._interpreter, None
        if ending is not None:
            ending.close()

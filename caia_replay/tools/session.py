"""What one run keeps between its tool calls: the interpreter that runs a model's code, and what its wallet acts on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caia_replay.core.execution import Sent
from caia_replay.errors import ToolError

if TYPE_CHECKING:
    from caia_replay.sandbox.interpreter import Interpreter
    from caia_replay.tools.chain_copy import ChainCopies
    from caia_replay.world.world import TaskWorld


class Session:
    """One per run. Close it, so that no interpreter or node outlives its run; nothing is started before it is asked
    for."""

    def __init__(self) -> None:
        self._interpreter: Interpreter | None = None
        self._copies: ChainCopies | None = None

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

    def copies(self, world: TaskWorld) -> ChainCopies:
        """The run's own copies of the chains, for its wallet to act on. Raises ``ToolError`` in a task without one."""
        if self._copies is None:
            from caia_replay.tools.chain_copy import ChainCopies

            if world.task.execution is None:
                raise ToolError("this task has no wallet: it is answered, and not carried out")
            self._copies = ChainCopies(world.world.snapshots, world.task.execution, world.newest)
        return self._copies

    @property
    def sent(self) -> tuple[Sent, ...]:
        """What the wallet sent so far, oldest first; still told after ``close``."""
        return () if self._copies is None else tuple(mined.sent for mined in self._copies.mined)

    def close(self) -> None:
        """End what was started; may be called twice."""
        ending, self._interpreter = self._interpreter, None
        try:
            if ending is not None:
                ending.close()
        finally:
            if self._copies is not None:
                self._copies.close()

"""What a node has answered so far, on disk line by line, so that a capture that was stopped goes on.

The first line says whose answers these are; every other one is a method, its parameters and the
result. The node's address is not in it. A line that was cut by the stop is dropped.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final

from caia_replay.canonical import strict_json
from caia_replay.chain.column import json_text
from caia_replay.errors import BadInput
from caia_replay.recording.origin_node import Call, OriginNode

_VERSION: Final = 1


class JournaledNode:
    """An origin node whose results are kept in the file ``path`` and never asked for twice.

    Only questions that name their block by number or hash may be asked: their answers stay, for one
    history of the chain. That a node has nothing (null) may change, and is not written down. Not shared
    between threads.
    """

    def __init__(self, node: OriginNode, path: Path, owner: str) -> None:
        """Go on from ``path`` when it was begun for the same ``owner`` (task, chain and the hashes that
        stand for its history, in words); begin anew otherwise. Raises ``BadInput`` when the file cannot
        be written."""
        self.node = node
        self.path = path
        self.asked = 0
        self._known: dict[str, Any] = {}
        head = json_text({"journal": _VERSION, "owner": owner})
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: IO[str] = path.open("a+", encoding="ascii", errors="replace")
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            kept = self._kept_lines(head)
        except BlockingIOError:
            raise BadInput("another capture of this task is running", where=path) from None
        except OSError as fault:
            raise BadInput(f"the capture's journal cannot be written: {fault.strerror}", where=path) from fault
        for line in kept:
            method, params, result = strict_json(line)
            self._known[_key(method, params)] = result
        self.resumed = len(self._known)

    def __enter__(self) -> JournaledNode:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def ask(self, method: str, *params: Any) -> Any:
        """The result of one call. Raises as ``OriginNode.ask``."""
        return self.ask_all([(method, params)])[0]

    def ask_all(self, calls: Sequence[Call]) -> list[Any]:
        """The results of many calls, in order; those not known yet go to the node in one batch."""
        keys = [_key(method, params) for method, params in calls]
        wanted = {key: call for key, call in zip(keys, calls, strict=True) if key not in self._known}
        if wanted:
            results = self.node.ask_all(list(wanted.values()))
            self.asked += len(results)
            lines = []
            for (key, (method, params)), result in zip(wanted.items(), results, strict=True):
                self._known[key] = result
                if result is not None:
                    lines.append(json_text([method, list(params), result]))
            self._write(lines)
        return [self._known[key] for key in keys]

    def discard(self) -> None:
        """Remove the file: what was captured is in its place, nothing is left to go on with."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    def _kept_lines(self, head: str) -> list[str]:
        """The whole lines of a journal that begins with ``head``; what follows them is cut off."""
        self._file.seek(0)
        lines = self._file.read().split("\n")
        kept: list[str] = []
        for line in lines[1:-1] if lines[0] == head else []:
            try:
                entry = strict_json(line)
            except ValueError:
                break
            if not (isinstance(entry, list) and len(entry) == 3 and isinstance(entry[0], str)):
                break
            kept.append(line)
        if lines != [head, *kept, ""]:
            self._file.truncate(0)
            self._write([head, *kept])
        return kept

    def _write(self, lines: Sequence[str]) -> None:
        self._file.write("".join(f"{line}\n" for line in lines))
        self._file.flush()
        os.fsync(self._file.fileno())


def _key(method: str, params: Sequence[Any]) -> str:
    return json_text([method, list(params)])

"""Threads of this process: how many run the sandbox, and some that die."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


def guest_threads() -> int:
    """How many guests have a thread; other tests of the session keep theirs, so compare before with after."""
    return sum(thread.name == "sandbox" for thread in threading.enumerate())


@contextmanager
def dying(name: str) -> Iterator[None]:
    """Every thread of this name dies before its first line meanwhile, as one may for want of memory."""

    def die(frame: FrameType, event: str, arg: Any) -> None:
        if threading.current_thread().name == name:
            raise MemoryError

    before = threading.gettrace()
    threading.settrace(die)
    try:
        yield
    finally:
        threading.settrace(before)  # type: ignore[arg-type]

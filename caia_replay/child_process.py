"""A program that we start and that never outlives us.

It is stopped by its id: at exit if nobody did before, and on Linux the kernel kills it should this process die without
a word.
"""

from __future__ import annotations

import atexit
import concurrent.futures.thread  # noqa: F401  imported while another thread forks, it would print a traceback
import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import IO, Final

from caia_replay.errors import one_line

_DEAD_THREAD_S: Final = 1.0
_STOP_TIMEOUT_S: Final = 3.0
_PR_SET_PDEATHSIG: Final = 1
_WORDS: Final = 2000
"""Bytes of a child's output that are shown."""

_live: weakref.WeakSet[ChildProcess] = weakref.WeakSet()
_exit_hook = threading.Lock()


class ChildProcess:
    """A running program; what it prints is kept in a file without a name."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], name: str) -> None:
        """Start ``command`` with exactly that environment; ``name`` is its thread's. Raises ``OSError``."""
        self._owner = os.getpid()
        self._stopping = threading.Lock()
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed by stop
        self._process: subprocess.Popen[bytes] | None = None
        self._fault: OSError | None = None
        spawned = threading.Event()
        # The kernel's death signal follows the *thread* that forked, so that thread lives as long
        # as the child: it waits for it, which also reaps it at once.
        self._keeper = threading.Thread(
            target=self._keep, args=(command, dict(environment), spawned), name=f"{name}-keeper", daemon=True
        )
        self._keeper.start()
        while not spawned.wait(_DEAD_THREAD_S) and self._keeper.is_alive():
            pass  # a thread that died before its first line, as one may without memory, will never say so
        if self._process is None:
            self._output.close()
            raise self._fault or OSError("its thread died")
        with _exit_hook:
            if not _live:
                atexit.register(_stop_all)
            _live.add(self)

    @property
    def pid(self) -> int:
        """The child's process id."""
        assert self._process is not None
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the child still runs."""
        return self._keeper.is_alive()

    def ended(self, within_s: float) -> bool:
        """Whether it has ended, after waiting for that at most so long."""
        self._keeper.join(within_s)
        return not self._keeper.is_alive()

    @property
    def exit_code(self) -> int | None:
        """The child's exit code, minus the signal's number where one ended it; None while it runs."""
        assert self._process is not None
        return self._process.returncode

    def output(self, most: int = 65_536) -> bytes:
        """The first ``most`` bytes of what it printed."""
        return os.pread(self._output.fileno(), most, 0)

    def last_words(self) -> str:
        """The end of the child's output, on one line."""
        size = os.fstat(self._output.fileno()).st_size
        return one_line(os.pread(self._output.fileno(), _WORDS, max(size - _WORDS, 0)).decode("utf-8", "replace"))

    def stop(self) -> None:
        """Terminate, wait, then kill; may be called twice, by two threads at once too, and does nothing in
        a forked copy of us."""
        if self._process is None or os.getpid() != self._owner:
            return
        with self._stopping:
            for send in (self._process.terminate, self._process.kill):
                if self._keeper.is_alive():
                    send()
                    self._keeper.join(_STOP_TIMEOUT_S)
            self._output.close()
        with _exit_hook:
            _live.discard(self)
            if not _live:
                atexit.unregister(_stop_all)

    def _keep(self, command: Sequence[str], environment: Mapping[str, str], spawned: threading.Event) -> None:
        command, ask = _dying_with_us(command)
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,  # Ctrl-C reaches us alone: we stop it in order
                preexec_fn=ask,
            )
        except OSError as fault:
            self._fault = fault
        finally:
            spawned.set()
        if self._process is not None:
            self._process.wait()


def plain_environment() -> dict[str, str]:
    """Only what a process needs: proxies and settings of other programs would change what it does."""
    kept = ("HOME", "PATH", "TMPDIR", "SYSTEMROOT", "USERPROFILE", "LD_LIBRARY_PATH")
    return {name: os.environ[name] for name in kept if name in os.environ} | {"NO_PROXY": "127.0.0.1"}


def _dying_with_us(command: Sequence[str]) -> tuple[Sequence[str], Callable[[], object] | None]:
    """A command that ends when we do, on Linux, and what its child runs before exec.

    That is C alone: the fork of a threaded process that runs Python may want a lock that another thread held, as
    coverage's tracer does. It then stands for ever, and so does whoever waits for it. So a shell looks whether we died
    before the kernel was asked.
    """
    if sys.platform != "linux":
        return command, None
    ask = partial(ctypes.PyDLL(None).prctl, _PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    return ["/bin/sh", "-c", 'test "$PPID" = "$0" && exec "$@"', str(os.getpid()), *command], ask


def _stop_all() -> None:
    for process in list(_live):
        process.stop()

"""One Anvil process: started, known to be ours, and gone when we are.

The listener's address is read from the child's own output, so a port can never belong to somebody
else's Anvil. The child is stopped by its id, at exit if nobody did before, and on Linux the kernel
kills it should this process die without a word.

Anvil asks nobody who he is. It is told to answer no page of another origin (``--no-cors``), but it lets any page open a
WebSocket, and any host name lead to it. So a fork listens where no page can find it: see ``private_host``.
"""

from __future__ import annotations

import atexit
import concurrent.futures.thread  # noqa: F401  imported while another thread forks, it would print a traceback
import ctypes
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Final

from caia_replay.chain.rpc_connection import RpcConnection
from caia_replay.errors import ForkFault, one_line

_LISTENING: Final = re.compile(rb"Listening on (127\.[\d.]+):(\d+)")
_HOST: Final = "127.0.0.1"
_START_TIMEOUT_S: Final = 30.0
_POLL_S: Final = 0.001
_DEAD_THREAD_S: Final = 1.0
_STOP_TIMEOUT_S: Final = 3.0
_PR_SET_PDEATHSIG: Final = 1

_live: weakref.WeakSet[AnvilProcess] = weakref.WeakSet()
_exit_hook = threading.Lock()


def fork_arguments(url: str, block: int, chain_id: int, hardfork: str, timeout_s: float = 20.0) -> list[str]:
    """The flags of an offline fork.

    ``--accounts 0``: development accounts would overwrite recorded balances. ``--order fifo``: fee
    ordering changes roots. ``--no-storage-caching``: the disk cache is keyed by chain and block, so
    two worlds would mix. ``--no-mining``: concurrent automining loses transactions.
    """
    return [
        *("--host", private_host()),
        *("--fork-url", url, "--fork-block-number", str(block), "--fork-chain-id", str(chain_id)),
        *("--hardfork", hardfork, "--order", "fifo", "--no-storage-caching", "--accounts", "0"),
        *("--gas-price", "1000000000", "--no-mining"),
        *("--retries", "0", "--timeout", str(round(timeout_s * 1000)), "--no-rate-limit"),
    ]


def private_host() -> str:
    """A loopback address of 24 random bits, where the system has more than the one; else 127.0.0.1.

    Together with the port it is more than a page can try out.
    """
    host = ".".join(["127", *(str(1 + secrets.randbelow(254)) for _ in range(3))])
    with socket.socket() as probe:
        try:
            probe.bind((host, 0))
        except OSError:
            return _HOST
    return host


class AnvilProcess:
    """A running Anvil. It listens at ``host`` and ``port``: on 127.0.0.1, unless the arguments name a ``--host``."""

    def __init__(self, binary: Path, arguments: Sequence[str]) -> None:
        """Start ``binary`` on a port of the system's choice and wait until it listens.

        Raises ``ForkFault`` with the child's last words when it does not.
        """
        self._owner = os.getpid()
        self._stopping = threading.Lock()
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed by stop
        self._process: subprocess.Popen[bytes] | None = None
        self._fault: OSError | None = None
        spawned = threading.Event()
        host = () if "--host" in arguments else ("--host", _HOST)
        command = [str(binary), *host, "--port", "0", "--no-cors", *arguments]
        # The kernel's death signal follows the *thread* that forked, so that thread lives as long
        # as the child: it waits for it, which also reaps it at once.
        self._keeper = threading.Thread(target=self._keep, args=(command, spawned), name="anvil-keeper", daemon=True)
        self._keeper.start()
        while not spawned.wait(_DEAD_THREAD_S) and self._keeper.is_alive():
            pass  # a thread that died before its first line, as one may without memory, will never say so
        if self._process is None:
            self._output.close()
            raise ForkFault(f"{binary} cannot be started: {self._fault or 'its thread died'}") from self._fault
        with _exit_hook:
            if not _live:
                atexit.register(_stop_all)
            _live.add(self)
        self.host: str
        self.port: int
        self.host, self.port = self._wait_for_address()
        # One line per request would fill the disk over a long run.
        quiet = self.connect()
        try:
            quiet.demand("anvil_setLoggingEnabled", [False])
        except ForkFault:
            self.stop()
            raise
        finally:
            quiet.close()

    @property
    def pid(self) -> int:
        """The child's process id."""
        assert self._process is not None
        return self._process.pid

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://{self.host}:{self.port}"

    @property
    def alive(self) -> bool:
        """Whether the child still runs."""
        return self._keeper.is_alive()

    def connect(self) -> RpcConnection:
        """A new keep-alive connection, which the caller closes."""
        return RpcConnection(self.port, host=self.host)

    def last_words(self) -> str:
        """The end of the child's output, on one line."""
        size = os.fstat(self._output.fileno()).st_size
        return one_line(os.pread(self._output.fileno(), 2000, max(size - 2000, 0)).decode("utf-8", "replace"))

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

    def _keep(self, command: Sequence[str], spawned: threading.Event) -> None:
        command, ask = _dying_with_us(command)
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=subprocess.STDOUT,
                env=_environment(),
                start_new_session=True,  # Ctrl-C reaches us alone: we stop it in order
                preexec_fn=ask,
            )
        except OSError as fault:
            self._fault = fault
        finally:
            spawned.set()
        if self._process is not None:
            self._process.wait()

    def _wait_for_address(self) -> tuple[str, int]:
        deadline = time.monotonic() + _START_TIMEOUT_S
        while time.monotonic() < deadline:
            found = _LISTENING.search(os.pread(self._output.fileno(), 65_536, 0))
            if found:
                return found[1].decode(), int(found[2])
            if not self._keeper.is_alive():
                break
            time.sleep(_POLL_S)
        words = self.last_words()
        self.stop()
        raise ForkFault(f"Anvil did not start: {words or 'it said nothing'}")


def _environment() -> dict[str, str]:
    """Only what a process needs: proxies, RUST_LOG and FOUNDRY_ settings would change what it does."""
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

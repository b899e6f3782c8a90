"""One Anvil process: started, known to be ours, and gone when we are.

The listener's address is read from the child's own output, so a port can never belong to somebody
else's Anvil. The child is stopped by its id, at exit if nobody did before, and on Linux the kernel
kills it should this process die without a word.

Anvil asks nobody who he is. It is told to answer no page of another origin (``--no-cors``), but it lets any page open a
WebSocket, and any host name lead to it. So a fork listens where no page can find it: see ``private_host``.
"""

from __future__ import annotations

import re
import secrets
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from caia_replay.chain.rpc_connection import RpcConnection
from caia_replay.child_process import ChildProcess, plain_environment
from caia_replay.errors import ForkFault

_LISTENING: Final = re.compile(rb"Listening on (127\.[\d.]+):(\d+)")
_HOST: Final = "127.0.0.1"
_START_TIMEOUT_S: Final = 30.0
_POLL_S: Final = 0.001


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
        host = () if "--host" in arguments else ("--host", _HOST)
        try:
            self._child = ChildProcess(
                [str(binary), *host, "--port", "0", "--no-cors", *arguments], plain_environment(), "anvil"
            )
        except OSError as fault:
            raise ForkFault(f"{binary} cannot be started: {fault}") from fault
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
        return self._child.pid

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://{self.host}:{self.port}"

    @property
    def alive(self) -> bool:
        """Whether the child still runs."""
        return self._child.alive

    def connect(self) -> RpcConnection:
        """A new keep-alive connection, which the caller closes."""
        return RpcConnection(self.port, host=self.host)

    def last_words(self) -> str:
        """The end of the child's output, on one line."""
        return self._child.last_words()

    def stop(self) -> None:
        """Terminate, wait, then kill; may be called twice, by two threads at once too, and does nothing in
        a forked copy of us."""
        self._child.stop()

    def _wait_for_address(self) -> tuple[str, int]:
        deadline = time.monotonic() + _START_TIMEOUT_S
        while time.monotonic() < deadline:
            found = _LISTENING.search(self._child.output())
            if found:
                return found[1].decode(), int(found[2])
            if not self._child.alive:
                break
            time.sleep(_POLL_S)
        words = self.last_words()
        self.stop()
        raise ForkFault(f"Anvil did not start: {words or 'it said nothing'}")

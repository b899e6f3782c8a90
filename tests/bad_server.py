"""A server that speaks OpenAI chat completions badly, in every way of ``WAYS``, over real loopback sockets.

It answers the first turn of every run well, with one call of url_fetching, so that there is a step to lose; what is
bad comes in the second turn. Ways that a run survives end with a good answer in the third. ``good`` is bad in none.
"""

from __future__ import annotations

import gc
import json
import socket
import socketserver
import threading
from contextlib import suppress
from typing import Any

from tests import bad_completions, bad_connections
from tests.bad_exchange import WAYS, Exchange, Hangup, Way, fetch

__all__ = ["WAYS", "BadServer", "Way", "bad_completions", "bad_connections", "client_sockets"]


class BadServer:
    """Serves one way at a time, ``way``, at ``base_url``; a thread per connection, all of them ended by ``close``."""

    def __init__(self, way: str = "good") -> None:
        self.way = way
        self.bodies: list[dict[str, Any]] = []
        self._tries: dict[tuple[str, int], int] = {}
        self._lock = threading.Lock()
        owner = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with suppress(Hangup, OSError, ValueError):
                    file = self.request.makefile("rb")
                    while True:
                        owner.answer(self.request, file)

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            request_queue_size = 64

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self.base_url = f"http://127.0.0.1:{self.port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def answer(self, connection: socket.socket, file: Any) -> None:
        """Read one request and answer it in the way that is set."""
        if not file.readline():
            raise Hangup
        headers = dict(line.decode().lower().split(":", 1) for line in iter(file.readline, b"\r\n"))
        body = json.loads(file.read(int(headers["content-length"])))
        exchange = Exchange(connection, body, 0, self.base_url)
        with self._lock:
            self.bodies.append(body)
            key = (self.way, exchange.turn)
            exchange.tries = self._tries[key] = self._tries.get(key, 0) + 1
        if exchange.turn == 0:
            exchange.say({"content": "Let me read.", "tool_calls": [fetch("call_a")]}, "tool_calls")
        else:
            WAYS[self.way].serve(exchange)

    def tries(self, turn: int) -> int:
        """How often a turn was asked in the present way."""
        return self._tries.get((self.way, turn), 0)

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def client_sockets(port: int) -> int:
    """How many open sockets of this process are connected *to* ``port``."""
    found = [thing for thing in gc.get_objects() if isinstance(thing, socket.socket) and thing.family == socket.AF_INET]
    count = 0
    for one in found:
        with suppress(OSError):
            count += one.getpeername()[1] == port
    return count

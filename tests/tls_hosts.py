"""HTTP over real TLS on a port of this machine, for hosts that answer under their real names."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Received:
    """One request as it arrived."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes


Respond = Callable[[Received], Mapping[str, Any]]
"""Gives status, headers (a list is several lines) and body; or ``raw`` bytes, after which the connection ends, with
TLS's own goodbye where ``goodbye`` is true."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body in one write: two small ones wait for each other's acknowledgement, some 40 ms a reply.
    wbufsize = 1 << 16
    disable_nagle_algorithm = True
    server: Any

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        url = f"https://{self.headers['host']}{self.path}"
        reply = self.server.respond(Received(self.command, url, dict(self.headers.items()), body))
        if "raw" in reply:
            self.wfile.write(reply["raw"])
            self.wfile.flush()
            self.close_connection = True
            if reply.get("goodbye"):
                with suppress(OSError):
                    self.connection.unwrap()
            return
        content = reply.get("body", b"")
        self.send_response_only(reply.get("status", 200))
        for name, value in reply.get("headers", {}).items():
            for line in value if isinstance(value, list) else [value]:
                self.send_header(name, line)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_GET

    def log_message(self, *_: Any) -> None:
        """Stay silent."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that refuses a certificate hangs up; that is its answer."""


@contextmanager
def answering(context: ssl.SSLContext, respond: Respond) -> Iterator[int]:
    """The server, until the block ends; its port."""
    server: Any = _Server(("127.0.0.1", 0), _Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.respond = respond
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

"""A local server that speaks the OpenAI chat protocol, well and badly, over real loopback HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Entry = tuple[int, Any, dict[str, str]]


class ChatServer:
    """Answers every POST with the next of ``plan``, the last one for ever, and keeps what it was sent.

    A plan entry is (status, body, headers), or a function that makes one of the request's headers; a body that is not
    bytes is sent as JSON; status 0 sends no status and no headers, but the body if it is bytes, and hangs up.
    """

    def __init__(self) -> None:
        self.plan: list[Entry | Callable[[dict[str, str]], Entry]] = []
        self.received: list[tuple[dict[str, str], dict[str, Any]]] = []
        self._lock = threading.Lock()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                status, reply, headers = owner.take(dict(self.headers.items()), json.loads(body))
                if status == 0:
                    self.close_connection = True
                    self.wfile.write(reply if isinstance(reply, bytes) else b"")
                    return
                data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
                self.send_response(status)
                for name, value in ({"content-type": "application/json"} | headers).items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        self.base_url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def take(self, headers: dict[str, str], body: dict[str, Any]) -> Entry:
        """Note a request and pick its reply."""
        headers = {name.lower(): value for name, value in headers.items()}
        with self._lock:
            self.received.append((headers, body))
            entry = self.plan.pop(0) if len(self.plan) > 1 else self.plan[0]
        return entry(headers) if callable(entry) else entry

    def will(self, status: int, body: Any, **headers: str) -> None:
        """Add a reply to the plan."""
        self.plan.append((status, body, {name.replace("_", "-"): value for name, value in headers.items()}))

    def close(self) -> None:
        """Stop serving."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

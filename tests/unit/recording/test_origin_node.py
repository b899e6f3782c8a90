"""A JSON-RPC origin: batches in order, refusals in words, its address never shown."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from caia_replay.errors import BadInput
from caia_replay.recording.origin_node import OriginNode

SECRET = "key-that-must-not-show"


@pytest.fixture
def serve() -> Iterator[Callable[[Callable[[Any], tuple[int, bytes]]], str]]:
    """Starts a server that answers each body as told; gives its URL with a secret in its path."""
    servers: list[ThreadingHTTPServer] = []

    def start(answer: Callable[[Any], tuple[int, bytes]]) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                status, body = answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/{SECRET}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_results_come_in_the_order_of_the_calls(serve: Any) -> None:
    """A node may answer a batch in any order, and a long list is split."""

    def answer(body: Any) -> tuple[int, bytes]:
        return 200, json.dumps([{"id": c["id"], "result": c["params"][0] * 2} for c in reversed(body)]).encode()

    with OriginNode(serve(answer)) as node:
        assert node.ask_all([("double", (n,)) for n in range(1001)]) == [2 * n for n in range(1001)]
        assert node.ask_all([]) == []
        assert node.ask("double", 21) == 42


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (200, b'[{"id": 0, "error": {"code": 1, "message": "no such state"}}]', "refuses eth_x .*no such state"),
        (200, b"[]", "refuses eth_x"),
        (200, b'{"error": {"message": "no batches"}}', "refuses a batch: 'no batches'"),
        (200, b"<html>", "is not JSON"),
        (200, b'[{"id": 0, "id": 0}]', "is not JSON"),
        (401, b"", "HTTP 401"),
    ],
)
def test_refusals_are_bad_input_without_the_address(serve: Any, status: int, body: bytes, words: str) -> None:
    """Errors name the method and the node's words; the URL is in none of them."""
    node = OriginNode(serve(lambda _: (status, body)))
    with pytest.raises(BadInput, match=words) as told:
        node.ask("eth_x", "0x1")
    assert SECRET not in str(told.value) and SECRET not in repr(node)
    node.close()


def test_a_node_that_is_away_is_bad_input() -> None:
    """Connection errors are told by kind; their words, which hold the address, are dropped."""
    with pytest.raises(BadInput, match="cannot be reached for eth_x") as told:
        OriginNode(f"http://127.0.0.1:1/{SECRET}").ask("eth_x")
    assert SECRET not in str(told.value) and told.value.__cause__ is None


@pytest.mark.parametrize(
    "url", ["", "ws://127.0.0.1", "http://", f"file:///{SECRET}", "http://127.0.0.1:x", "http://[::1"]
)
def test_only_http_addresses_are_taken(url: str) -> None:
    """Anything else is refused before a connection, and not repeated."""
    with pytest.raises(BadInput, match="RPC address") as told:
        OriginNode(url)
    assert SECRET not in str(told.value)

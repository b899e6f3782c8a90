"""A JSON-RPC origin: batches in order, refusals in words, its address never shown."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from caia_replay.errors import BadInput, Interrupted
from caia_replay.recording.origin_node import OriginNode, OriginRefusal

SECRET = "key-that-must-not-show"


@pytest.fixture
def serve() -> Iterator[Callable[[Callable[[Any], tuple[Any, ...]]], str]]:
    """Starts a server that answers each body as told; gives its URL with a secret in its path."""
    servers: list[ThreadingHTTPServer] = []

    def start(answer: Callable[[Any], tuple[Any, ...]]) -> str:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                status, body, *more = answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(status)
                for name, value in (more[0] if more else {}).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/{SECRET}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_results_come_in_the_order_of_the_calls(serve: Any) -> None:
    """A node may answer a batch in any order, and a long list is split."""

    def answer(body: Any) -> tuple[int, bytes]:
        if isinstance(body, dict):
            return 200, json.dumps({"id": body["id"], "result": body["params"][0] * 2}).encode()
        return 200, json.dumps([{"id": c["id"], "result": c["params"][0] * 2} for c in reversed(body)]).encode()

    with OriginNode(serve(answer)) as node:
        assert node.ask_all([("double", (n,)) for n in range(1001)]) == [2 * n for n in range(1001)]
        assert node.ask_all([]) == []
        assert node.ask("double", 21) == 42


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (200, b'{"id": 0, "error": {"code": 1, "message": "no such state"}}', "refuses eth_x .*no such state"),
        (200, b"[]", "refuses eth_x"),
        (200, b'{"error": {"message": "no batches"}}', "refuses eth_x .*no batches"),
        (200, b"<html>", "is not JSON"),
        (200, b'{"id": 0, "id": 0}', "is not JSON"),
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


def test_a_node_that_takes_no_batches_is_asked_one_by_one(serve: Any) -> None:
    """Whether it refuses batches in words or with an object, every call is answered in order."""

    def answer(body: Any) -> tuple[int, bytes]:
        if isinstance(body, list):
            return 400, b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "batch too large"}}'
        return 200, json.dumps({"id": body["id"], "result": body["params"][0] * 2}).encode()

    with OriginNode(serve(answer)) as node:
        assert node.ask_all([("double", (n,)) for n in range(5)]) == [0, 2, 4, 6, 8]


@pytest.mark.parametrize(
    "limit",
    [
        (429, b"", {"Retry-After": "7"}),
        (503, b"<html>", {"Retry-After": "Wed, 01 Jan 2020 00:00:00 GMT"}),
        (200, b'{"id": 0, "error": {"code": -32005, "message": "daily request count exceeded"}}', {}),
        (200, b'{"error": {"code": 429, "message": "slow down"}}', {}),
    ],
)
def test_a_node_that_limits_its_callers_is_waited_for(serve: Any, limit: tuple[int, bytes, dict[str, str]]) -> None:
    """As long as it says, else twice as long each time; and then the call is answered."""
    replies = [limit, limit, (200, b'{"id": 0, "result": "0x1"}')]
    waited: list[float] = []
    node = OriginNode(serve(lambda _: replies.pop(0)), wait=waited.append)
    assert node.ask("eth_x") == "0x1"
    assert waited == ([7.0, 7.0] if limit[2].get("Retry-After") == "7" else [0.0, 0.0] if limit[2] else [1.0, 2.0])
    node.close()


def test_patience_ends_in_an_interruption_that_can_be_taken_up(serve: Any) -> None:
    """A node that never stops limiting is exit code 3, not a loop and not a fault of the input."""
    waited: list[float] = []
    node = OriginNode(serve(lambda _: (429, b"")), wait=waited.append)
    with pytest.raises(Interrupted, match=r"HTTP 429 .*the same command goes on"):
        node.ask("eth_x")
    assert sum(waited) >= 600 and max(waited) <= 120
    node.close()


def test_too_many_results_are_a_refusal_and_not_a_limit(serve: Any) -> None:
    """The same error code means two things: waiting does not make a reply smaller."""
    body = b'{"id": 0, "error": {"code": -32005, "message": "query returned more than 10000 results"}}'
    node = OriginNode(serve(lambda _: (200, body)), wait=lambda _: pytest.fail("waited"))
    with pytest.raises(OriginRefusal, match="more than 10000 results"):
        node.ask("eth_getLogs")
    node.close()


def test_a_key_in_the_address_is_sent_and_never_kept(serve: Any) -> None:
    """User and password go into the header; a refusal that quotes the key is masked, a result that does is refused."""
    url = serve(lambda _: (200, json.dumps({"id": 0, "error": {"message": f"bad key {SECRET} of hunter2-hunter2"}})
                           .encode()))  # fmt: skip
    with pytest.raises(OriginRefusal, match=r"bad key \*\*\* of \*\*\*"):
        OriginNode(url.replace("127.0.0.1", "me:hunter2-hunter2@127.0.0.1")).ask("eth_x")
    told = serve(lambda _: (200, json.dumps({"id": 0, "result": f"0x{SECRET}"}).encode()))
    with pytest.raises(BadInput, match="repeats a part of its own address") as refused:
        OriginNode(told).ask("eth_x")
    assert SECRET not in str(refused.value)


def test_a_connection_that_went_stale_is_renewed(serve: Any) -> None:
    """A node that closes an idle connection is asked again, once, on a new one."""
    node = OriginNode(serve(lambda _: (200, b'{"id": 0, "result": "0x1"}')))
    assert node.ask("eth_x") == "0x1"
    assert node._http.sock is not None
    node._http.sock.shutdown(2)
    assert node.ask("eth_x") == "0x1"
    node.close()


def test_a_node_that_is_away_is_bad_input() -> None:
    """Connection errors are told by kind; their words, which hold the address, are dropped."""
    with pytest.raises(BadInput, match="cannot be reached for eth_x") as told:
        OriginNode(f"http://127.0.0.1:1/{SECRET}").ask("eth_x")
    assert SECRET not in str(told.value) and told.value.__cause__ is None


@pytest.mark.parametrize(
    "url",
    ["", "ws://127.0.0.1", "http://", f"file:///{SECRET}", "http://127.0.0.1:x", "http://[::1", "http://a..b/",
     f"http://127.0.0.1/{SECRET}é", f"http://127.0.0.1/{SECRET} x", "http://" + "a" * 70, "http://127.0.0.1:0"],
)  # fmt: skip
def test_only_http_addresses_are_taken(url: str) -> None:
    """Anything else is refused before a connection, and not repeated."""
    with pytest.raises(BadInput, match="RPC address") as told:
        OriginNode(url)
    assert SECRET not in str(told.value)


@pytest.mark.parametrize("spelling", [SECRET, SECRET.upper(), "\\u006bey" + SECRET[3:]])
@pytest.mark.parametrize("where", ["path", "query name", "query value", "basic"])
def test_no_spelling_of_a_key_is_kept_or_shown(serve: Any, spelling: str, where: str) -> None:
    """In capitals, escaped, as a name or value of the query, in a header: refused in a result, masked in a refusal."""
    replies: list[bytes] = []
    url = serve(lambda _: (200, replies.pop(0)))
    bare = url.replace(f"/{SECRET}", "")
    url = {"path": url, "query name": f"{bare}/?{SECRET}", "query value": f"{bare}/?k={SECRET}",
           "basic": bare.replace("//", f"//me:{SECRET}@")}[where]  # fmt: skip
    with OriginNode(url) as node:
        replies.append(f'{{"id": 0, "result": {{"extraData": ["see {spelling}"]}}}}'.encode())
        with pytest.raises(BadInput, match="repeats a part of its own address"):
            node.ask("eth_x")
        replies.append(f'{{"id": 0, "error": {{"message": "no {spelling} at 127.0.0.1"}}}}'.encode())
        with pytest.raises(OriginRefusal, match=r"no \*\*\* at \*\*\*") as told:
            node.ask("eth_x")
        assert SECRET.lower() not in str(told.value).lower()


def test_what_a_node_leaves_out_of_a_batch_is_asked_alone(serve: Any) -> None:
    """Limited, forgotten, or with an id of another kind: each call is answered in the end."""

    def answer(body: Any) -> tuple[int, bytes]:
        if isinstance(body, dict):
            return 200, json.dumps({"id": 0, "result": body["params"][0] * 2}).encode()
        told = [{"id": call["id"], "result": call["params"][0] * 2} for call in body[:2]]
        limited = {"id": 2, "error": {"code": 429, "message": "slow down"}}
        return 200, json.dumps([*told, limited, {"id": [], "result": 1}, {"id": "3", "result": 1}]).encode()

    with OriginNode(serve(answer)) as node:
        assert node.ask_all([("double", (n,)) for n in range(5)]) == [0, 2, 4, 6, 8]
    refused = b'[{"id": null, "error": {"code": -32600, "message": "batch too large"}}]'
    with OriginNode(serve(lambda body: (200, refused) if isinstance(body, list) else answer(body))) as node:
        assert node.ask_all([("double", (n,)) for n in range(5)]) == [0, 2, 4, 6, 8]

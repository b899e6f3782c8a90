"""The way to an endpoint: whole replies in time, or a named fault."""

from __future__ import annotations

import gzip
import socket
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import takewhile

import httpx2
import pytest

from caia_replay.errors import BadInput, ModelFault
from caia_replay.models.network import MOST_ERROR_BYTES, NetworkTransport, proxy_for
from caia_replay.models.session_header import RUN_HEADER, TURN_HEADER

OK = b"HTTP/1.1 200 OK\r\n"


class Raw:
    """A listener that sends each connection's requests the next of ``replies``, and notes the requests' heads."""

    def __init__(self, *replies: bytes, keep: bool = True) -> None:
        self.replies = list(replies)
        self.heads: list[bytes] = []
        self.connections = 0
        self._keep = keep
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError, IndexError):
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                with connection, connection.makefile("rb") as file, suppress(OSError):
                    while head := b"".join(takewhile(lambda line: line.strip(), file)):
                        file.read(
                            int(dict(line.lower().split(b": ") for line in head.splitlines()[1:])[b"content-length"])
                        )
                        self.heads.append(head + b"\r\n")
                        connection.sendall(self.replies.pop(0))
                        if not self._keep:
                            break

    def close(self) -> None:
        """Stop listening."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@pytest.fixture
def ask() -> Iterator[Callable[..., httpx2.Response]]:
    """Ask a raw server once, with limits as given."""
    open_now: list[NetworkTransport | Raw] = []

    def asked(*replies: bytes, keep: bool = True, timeout_s: float = 10, most_bytes: int = 1_000) -> httpx2.Response:
        raw = Raw(*replies, keep=keep)
        transport = NetworkTransport(timeout_s=timeout_s, most_bytes=most_bytes)
        open_now.extend([transport, raw])
        return transport.handle_request(httpx2.Request("POST", raw.url, content=b"{}"))

    yield asked
    for one in open_now:
        one.close()


def sized(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    """A reply with a body of a told length."""
    return b"\r\n".join([b"HTTP/1.1 " + status, b"content-length: %d" % len(body), *headers, b"", body])


def test_a_reply_is_here_whole_and_decoded(ask: Callable[..., httpx2.Response]) -> None:
    """Sized, chunked, ended by the connection, or compressed: the same body, and no header about how it came."""
    for reply, keep in (
        (sized(b"hello", b"x-a: 1"), True),
        (OK + b"transfer-encoding: chunked\r\nx-a: 1\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", True),
        (OK + b"x-a: 1\r\n\r\nhello", False),
        (sized(gzip.compress(b"hello", mtime=0), b"content-encoding: GZIP", b"x-a: 1"), True),
        (sized(zlib.compress(b"hello"), b"content-encoding: deflate", b"x-a: 1"), True),
    ):
        got = ask(reply, keep=keep)
        assert (got.status_code, got.content, got.headers["x-a"]) == (200, b"hello", "1")
        assert not {"content-encoding", "transfer-encoding"} & got.headers.keys()
        assert got.headers.get("content-length") in (None, "5")


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (sized(b"x" * 1_001), "longer than 1000"),
        (OK + b"content-type: text/event-stream\r\n\r\n" + b": ping\n\n" * 200, "longer than 1000"),
        (sized(gzip.compress(b"x" * 1_001, mtime=0), b"content-encoding: gzip"), "inflates|longer"),
        (sized(gzip.compress(bytes(50_000_000), 1, mtime=0), b"content-encoding: gzip"), "inflates|longer"),
        (sized(b"\x1f\x8bnot gzip", b"content-encoding: gzip"), "is not gzip"),
        (sized(b"{}", b"content-encoding: br"), "nobody asked for: 'br'"),
        (sized(b"{}", b"content-encoding: gzip, gzip"), "nobody asked for"),
    ],
    ids=["long", "long stream", "gzip", "gzip bomb", "no gzip", "brotli", "gzip twice"],
)
def test_bodies_beyond_bounds_or_claims_are_malformed(
    ask: Callable[..., httpx2.Response], reply: bytes, said: str
) -> None:
    """Nothing is held that is larger than allowed, in whatever coding."""
    with pytest.raises(ModelFault, match=said) as caught:
        ask(reply, keep=False)
    assert caught.value.reason == "malformed"


@pytest.mark.parametrize(
    ("reply", "body"),
    [
        (sized(b"busy", status=b"503 Busy"), b"busy"),
        (sized(b"x" * 300_000, status=b"503 Busy"), b"x" * MOST_ERROR_BYTES),
        (sized(b"\x1f\x8bno", b"content-encoding: gzip", status=b"503 Busy"), b""),
        (sized(b"[" * 9_000, status=b"503 Busy"), b""),
    ],
    ids=["short", "long", "no gzip", "deep"],
)
def test_an_error_keeps_its_status_whatever_its_body(
    ask: Callable[..., httpx2.Response], reply: bytes, body: bytes
) -> None:
    """Its body is cut, or dropped where it cannot be decoded or would harm a parser."""
    got = ask(reply)
    assert (got.status_code, got.content) == (503, body)


@pytest.mark.parametrize("reply", [b"", OK + b"x: ", OK + b"content-length: 9\r\n\r\nhalf"])
def test_a_server_that_stops_is_a_timeout(ask: Callable[..., httpx2.Response], reply: bytes) -> None:
    """Before, within and after the headers."""
    with pytest.raises(ModelFault, match=r"no whole answer within 0\.1 s") as caught:
        ask(reply, timeout_s=0.1)
    assert caught.value.reason == "timeout"


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (b"", httpx2.RemoteProtocolError),
        (OK + b"content-length: 9\r\n\r\nhalf", httpx2.RemoteProtocolError),
        (b"SSH-2.0\r\n", httpx2.RemoteProtocolError),
    ],
)
def test_lost_connections_are_the_clients_own_faults(
    ask: Callable[..., httpx2.Response], reply: bytes, fault: type[Exception]
) -> None:
    """Whatever stands above knows them by the names of ``httpx2``."""
    with pytest.raises(fault):
        ask(reply, keep=False)


def test_nobody_listening_is_a_connect_error() -> None:
    """A refused connection is told apart from a lost one."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    transport = NetworkTransport(timeout_s=9)
    with pytest.raises(httpx2.ConnectError):
        transport.handle_request(httpx2.Request("POST", f"http://127.0.0.1:{port}/"))
    transport.close()


def test_a_stream_is_read_to_its_done(ask: Callable[..., httpx2.Response]) -> None:
    """A server that keeps the connection open after it holds nobody up; within a text it ends nothing."""
    head = OK + b"content-type: text/event-stream\r\n\r\n"
    got = ask(head + b'data: {"a":"data: [DONE]"}\n\ndata: [DONE]\n\n: more\n\n')
    assert got.content == b'data: {"a":"data: [DONE]"}\n\ndata: [DONE]'


def test_what_is_sent_beyond_a_reply_is_no_answer_to_the_next_request() -> None:
    """Else one run would be told what another asked for: every request has a connection of its own."""
    raw = Raw(sized(b"one") + sized(b"stray"), sized(b"two"), sized(b"three"))
    transport = NetworkTransport(timeout_s=10)
    requests = [httpx2.Request("POST", raw.url, content=b"{}") for _ in range(3)]
    assert [transport.handle_request(request).content for request in requests] == [b"one", b"two", b"three"]
    assert raw.connections == 3
    transport.close()
    raw.close()


def test_a_redirect_shares_the_time_of_its_request() -> None:
    """A chain of slow redirects takes no longer than one reply."""
    raw = Raw(b"HTTP/1.1 307 Go\r\nlocation: /\r\ncontent-length: 0\r\n\r\n", sized(b"there"))
    transport = NetworkTransport(timeout_s=10)
    with httpx2.Client(transport=transport, follow_redirects=True, trust_env=False) as client:
        reply = client.post(raw.url, content=b"{}")
        ends = [one.request.extensions["caia_replay_ends"] for one in (*reply.history, reply)]
    assert reply.content == b"there" and len(ends) == 2 and len(set(ends)) == 1
    raw.close()


def test_no_header_that_names_a_run_leaves_this_machine() -> None:
    """An endpoint is told nothing of runs, and asked for no coding but gzip."""
    raw = Raw(sized(b"{}"))
    transport = NetworkTransport(timeout_s=10)
    headers = {RUN_HEADER: "r", TURN_HEADER: "1", "x-a": "b"}
    transport.handle_request(httpx2.Request("POST", raw.url, content=b"{}", headers=headers))
    head = raw.heads[0].lower()
    assert b"x-a: b" in head and b"caia" not in head and b"accept-encoding: gzip\r\n" in head
    transport.close()
    raw.close()


def test_a_proxy_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scheme's own, else the one for all, unless the host is to be asked directly."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    assert proxy_for("https://llm.example/v1") is None
    monkeypatch.setenv("ALL_PROXY", "http://all.example:1")
    monkeypatch.setenv("https_proxy", "gate.example:3128")
    monkeypatch.setenv("NO_PROXY", "near.example")
    assert proxy_for("https://llm.example/v1") == "http://gate.example:3128"
    assert proxy_for("http://llm.example/v1") == "http://all.example:1"
    assert proxy_for("https://near.example/v1") is None


def test_a_request_goes_through_its_proxy() -> None:
    """The proxy is asked, under the whole address, with its own credentials."""
    raw = Raw(sized(b"by proxy"))
    transport = NetworkTransport(timeout_s=10, proxy=raw.url.replace("//", "//user:word@"))
    assert (
        transport.handle_request(httpx2.Request("POST", "http://far.example/v1", content=b"{}")).content == b"by proxy"
    )
    assert (
        raw.heads[0].startswith(b"POST http://far.example/v1") and b"proxy-authorization: basic" in raw.heads[0].lower()
    )
    transport.close()
    raw.close()


@pytest.mark.parametrize("proxy", ["ftp://a.example:1", "http://a:99999999"])
def test_a_proxy_that_is_none_is_bad_input(proxy: str) -> None:
    """Told before any request."""
    with pytest.raises(BadInput, match="no proxy's address"):
        NetworkTransport(timeout_s=10, proxy=proxy)


def test_a_proxy_that_is_none_is_told_without_its_password() -> None:
    """The line shows where it was looked for, and nothing secret."""
    with pytest.raises(BadInput, match=r"'ftp://a\.example:1' is no proxy's address") as caught:
        NetworkTransport(timeout_s=10, proxy="ftp://user:word-0123@a.example:1")
    assert "word-0123" not in str(caught.value)

"""The way to an endpoint: whole replies in time, or a named fault."""

from __future__ import annotations

import gzip
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import takewhile
from typing import Any

import httpcore2
import httpx2
import pytest

from caia_replay.errors import BadInput, ModelFault
from caia_replay.models.deadline import Deadline, DeadlineBackend
from caia_replay.models.network import MOST_ERROR_BYTES, NetworkTransport, proxy_for
from caia_replay.models.session_header import RUN_HEADER, TURN_HEADER

OK = b"HTTP/1.1 200 OK\r\n"
ZIPPED = gzip.compress(b"hello", mtime=0)
GZIP = b"content-encoding: gzip"
Ask = Callable[..., httpx2.Response]


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
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@pytest.fixture
def raw() -> Iterator[Callable[..., tuple[Raw, NetworkTransport]]]:
    """A raw server and a way to it, which may be through it as a proxy."""
    open_now: list[NetworkTransport | Raw] = []

    def made(*replies: bytes, by_proxy: bool = False, keep: bool = True, **how: Any) -> tuple[Raw, NetworkTransport]:
        server = Raw(*replies, keep=keep)
        proxy = server.url.replace("//", "//user:word@") if by_proxy else None
        transport = NetworkTransport(**({"timeout_s": 10} | how), proxy=proxy)
        open_now.extend([transport, server])
        return server, transport

    yield made
    for one in open_now:
        one.close()


@pytest.fixture
def ask(raw: Any) -> Ask:
    """Ask a raw server once, with limits as given."""

    def asked(*replies: bytes, **how: Any) -> httpx2.Response:
        server, transport = raw(*replies, **({"most_bytes": 1_000} | how))
        return transport.handle_request(httpx2.Request("POST", server.url, content=b"{}"))

    return asked


def sized(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    """A reply with a body of a told length."""
    return b"\r\n".join([b"HTTP/1.1 " + status, b"content-length: %d" % len(body), *headers, b"", body])


def test_a_reply_is_here_whole_and_decoded(ask: Ask) -> None:
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


def test_bodies_beyond_bounds_or_claims_are_malformed(ask: Ask) -> None:
    """Nothing is held that is larger than allowed, in whatever coding."""
    for reply, said in (
        (sized(b"x" * 1_001), "longer than 1000"),
        (OK + b"content-type: text/event-stream\r\n\r\n" + b": ping\n\n" * 200, "longer than 1000"),
        (sized(gzip.compress(b"x" * 1_001), b"content-encoding: gzip"), "inflates|longer"),
        (sized(gzip.compress(bytes(50_000_000), 1), b"content-encoding: gzip"), "inflates|longer"),
        (sized(b"\x1f\x8bnot gzip", b"content-encoding: gzip"), "is not gzip"),
        (sized(b"{}", b"content-encoding: br"), "nobody asked for: 'br'"),
        (sized(b"{}", b"content-encoding: gzip, gzip"), "nobody asked for$"),
        *((sized(ZIPPED[:-cut], GZIP), "ends before") for cut in (1, 12)),
        *((sized(ZIPPED + more, GZIP), "goes on after the end") for more in (ZIPPED, b"\0", b"{}")),
        (sized(ZIPPED[:-8] + bytes(8), GZIP), "is not gzip"),
        (sized(zlib.compress(b"hello")[:-4], b"content-encoding: deflate"), "ends before"),
        (sized(gzip.compress(b"data: [DONE]\n\n")[:-8], GZIP, b"content-type: text/event-stream"), "ends before"),
    ):
        with pytest.raises(ModelFault, match=said) as caught:
            ask(reply, keep=False)
        assert caught.value.reason == "malformed"


def test_an_error_keeps_its_status_whatever_its_body(ask: Ask) -> None:
    """Its body is cut, or dropped where it cannot be decoded or would harm a parser."""
    for sent, headers, body in (
        (b"busy", [], b"busy"),
        (b"many words " * 30_000, [], b"many words " * (MOST_ERROR_BYTES // 11)),
        (b"x" * 300_000, [], b""),  # half a key at its end could not be known for one
        (b"\x1f\x8bno", [b"content-encoding: gzip"], b""),
        (gzip.compress(b"busy")[:-1], [b"content-encoding: gzip"], b""),
        (b"[" * 9_000, [], b""),
    ):
        got = ask(sized(sent, *headers, status=b"503 Busy"))
        assert (got.status_code, got.content) == (503, body)


def test_a_server_that_stops_is_a_timeout(ask: Ask) -> None:
    """Before, within and after the headers."""
    for reply in (b"", OK + b"x: ", OK + b"content-length: 9\r\n\r\nhalf"):
        with pytest.raises(ModelFault, match=r"no whole answer within 0\.1 s") as caught:
            ask(reply, timeout_s=0.1)
        assert caught.value.reason == "timeout"


def test_lost_connections_are_the_clients_own_faults(ask: Ask) -> None:
    """Whatever stands above knows them by the names of ``httpx2``; a refused connection is told from a lost one."""
    for reply in (b"", OK + b"content-length: 9\r\n\r\nhalf", b"SSH-2.0\r\n"):
        with pytest.raises(httpx2.RemoteProtocolError):
            ask(reply, keep=False)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    transport = NetworkTransport(timeout_s=9)
    with pytest.raises(httpx2.ConnectError):
        transport.handle_request(httpx2.Request("POST", f"http://127.0.0.1:{port}/"))
    transport.close()


def test_a_stream_is_read_to_its_done(ask: Ask) -> None:
    """A server that keeps the connection open after it holds nobody up; within a text it ends nothing."""
    head = OK + b"content-type: text/event-stream\r\n\r\n"
    got = ask(head + b'data: {"a":"data: [DONE]"}\n\ndata: [DONE]\n\n: more\n\n')
    assert got.content == b'data: {"a":"data: [DONE]"}\n\ndata: [DONE]'


def test_what_is_sent_beyond_a_reply_is_no_answer_to_the_next_request(raw) -> None:
    """Else one run would be told what another asked for: every request has a connection of its own."""
    server, transport = raw(sized(b"one") + sized(b"stray"), sized(b"two"), sized(b"three"))
    requests = [httpx2.Request("POST", server.url, content=b"{}") for _ in range(3)]
    assert [transport.handle_request(request).content for request in requests] == [b"one", b"two", b"three"]
    assert server.connections == 3


def test_a_redirect_shares_the_time_of_its_request(raw) -> None:
    """A chain of slow redirects takes no longer than one reply."""
    server, transport = raw(b"HTTP/1.1 307 Go\r\nlocation: /\r\ncontent-length: 0\r\n\r\n", sized(b"there"))
    with httpx2.Client(transport=transport, follow_redirects=True, trust_env=False) as client:
        reply = client.post(server.url, content=b"{}")
        ends = [one.request.extensions["caia_replay_ends"] for one in (*reply.history, reply)]
    assert reply.content == b"there" and len(ends) == 2 and len(set(ends)) == 1


@pytest.mark.parametrize(
    "place",
    ["http://127.0.0.1:1/", "https://127.0.0.1:{}/", "ftp://127.0.0.1:{}/", "http://localhost:{}/", "//a.example/"],
    ids=["port", "https", "ftp", "name", "host"],
)
def test_no_redirect_leads_off_the_endpoint(raw, place: str) -> None:
    """Another scheme, host or port, this machine's too, is sent nothing of a conversation."""
    server, transport = raw()
    port = httpx2.URL(server.url).port
    server.replies = [sized(b"", b"location: " + place.format(port).encode(), status=b"307 Go")] * 2
    with (
        httpx2.Client(transport=transport, follow_redirects=True, trust_env=False) as client,
        pytest.raises(httpx2.UnsupportedProtocol, match=r"another scheme, host or port, which is not followed$"),
    ):
        client.post(server.url, content=b"{}")
    assert server.connections == 1


def test_no_cookie_comes_back(raw) -> None:
    """A server cannot tell one run by another's cookies: each attempt is independent, after a redirect too."""
    cookies = [b"set-cookie: a=1; Path=/", b"Set-Cookie: b=2", b"set-cookie2: c=3"]
    moved = sized(b"", *cookies, b"location: /", status=b"307 Go")
    server, transport = raw(moved, sized(b"{}", *cookies), sized(b"{}"))
    with httpx2.Client(transport=transport, follow_redirects=True, trust_env=False) as client:
        replies = [client.post(server.url, content=b"{}") for _ in range(2)]
        assert not client.cookies and not any("cookie" in name for reply in replies for name in reply.headers)
    assert len(server.heads) == 3 and not any(b"cookie" in head.lower() for head in server.heads)


def test_no_header_that_names_a_run_leaves_this_machine(raw) -> None:
    """An endpoint is told nothing of runs, and asked for no coding but gzip."""
    server, transport = raw(sized(b"{}"))
    headers = {RUN_HEADER: "r", TURN_HEADER: "1", "x-a": "b"}
    transport.handle_request(httpx2.Request("POST", server.url, content=b"{}", headers=headers))
    head = server.heads[0].lower()
    assert b"x-a: b" in head and b"caia" not in head and b"accept-encoding: gzip\r\n" in head


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


def test_a_request_goes_through_its_proxy(raw) -> None:
    """The proxy is asked, under the whole address, with its own credentials."""
    server, transport = raw(sized(b"by proxy"), by_proxy=True)
    request = httpx2.Request("POST", "http://far.example/v1", content=b"{}")
    assert transport.handle_request(request).content == b"by proxy"
    assert server.heads[0].startswith(b"POST http://far.example/v1")
    assert b"proxy-authorization: basic" in server.heads[0].lower()


def test_a_proxy_that_is_none_is_told_without_its_password() -> None:
    """Before any request; the line shows where it was looked for, and nothing secret."""
    for proxy, told in (
        ("http://a:99999999", "no proxy's address"),
        ("ftp://user:word-0123@a.example:1", r"'ftp://a\.example:1' is no proxy's address"),
    ):
        with pytest.raises(BadInput, match=told) as caught:
            NetworkTransport(timeout_s=10, proxy=proxy)
        assert "word-0123" not in str(caught.value)


Pair = tuple[Deadline, httpcore2.NetworkStream, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    """A deadline, a stream under it, and the other side of the stream."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        deadline = Deadline(9)
        stream = DeadlineBackend(deadline).connect_tcp("127.0.0.1", listener.getsockname()[1])
        other, _ = listener.accept()
    with other:
        yield deadline, stream, other
    stream.close()


def test_what_is_left_shrinks_and_ends() -> None:
    """Without an end the whole limit is left; past it there is a fault, whatever was asked; to connect or wait too."""
    deadline = Deadline(9)
    assert (deadline.left_s(5), deadline.left_s(50), deadline.left_s()) == (5, 9, 9)
    deadline.set(time.monotonic() + 3)
    assert 2 < deadline.left_s(5) <= 3 and deadline.left_s(1) == 1
    deadline.set(time.monotonic())
    backend = DeadlineBackend(deadline)
    for act in (partial(deadline.left_s, 1), partial(backend.connect_tcp, "127.0.0.1", 1), partial(backend.sleep, 1)):
        with pytest.raises(ModelFault, match="within 9 s") as caught:
            act()
        assert caught.value.reason == "timeout"


def test_every_thread_has_its_own() -> None:
    """One run's end is not another's."""
    deadline = Deadline(9)
    deadline.set(time.monotonic() - 1)
    left: list[float] = []
    other = threading.Thread(target=lambda: left.append(deadline.left_s(5)))
    other.start()
    other.join()
    assert left == [5]


def test_silence_ends_when_the_time_does(pair: Pair) -> None:
    """A read that may take a minute ends with what is left, and so does sending to a server that does not read."""
    deadline, stream, _ = pair
    deadline.set(time.monotonic() + 0.05)
    with pytest.raises(httpcore2.ReadTimeout):
        stream.read(1, timeout=600)
    deadline.set(time.monotonic() + 0.1)
    with pytest.raises((httpcore2.WriteTimeout, ModelFault)):
        stream.write(b"x" * 50_000_000, timeout=600)

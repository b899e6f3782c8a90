"""What goes over the wire while recording: to whom, how much, and for how long."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpcore2
import httpx2
import pytest

from caia_replay.errors import BadInput
from caia_replay.recording import wire as module
from caia_replay.recording.reply_deadline import ReplyDeadline, TimedTransport
from caia_replay.recording.wire import Wire, place, tls_context

HOST = "https://api.explorer.example"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = f"{self.headers['host']} {self.path}".encode()
        self.send_response(201, "Made")
        self.send_header("X-Twice", "a")
        self.send_header("X-Twice", "b")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        """Stay silent."""


@pytest.fixture
def port():
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("url", "words"),
    [("https://other.example/a", "neither in the host map nor allowed"), ("http://h.example/a", "without TLS"),
     ("https://h.example.evil.example/", "neither"), ("https://me:pass-word@x.example/", "neither")],
)  # fmt: skip
def test_what_may_not_be_asked_is_refused(url, words):
    """Before anything is sent, in one line that shows neither user nor query."""
    with pytest.raises(BadInput, match=words) as caught:
        Wire({}, {"H.example"}).send(httpx2.Request("GET", f"{url}?apikey=hush"))
    assert "hush" not in str(caught.value) and "pass-word" not in str(caught.value)
    assert "nothing was sent" in str(caught.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:pw@h.example/a/b?apikey=1#f", "https://h.example/a/b"),
        ("https://h.example/v2/aB3dE5gH7jK9mN1pQ3sT5vX7zB9dF1hJ", "https://h.example/v2/***"),
        ("https://h.example/v3/0123456789abcdef0123456789abcdef/x", "https://h.example/v3/***/x"),
        ("https://h.example/a/0x" + "ab" * 20, "https://h.example/a/0x" + "ab" * 20),
    ],
)
def test_places_show_no_keys(url, shown):
    """Neither a user, nor a query, nor a part of the path like a key; addresses stay."""
    assert place(url) == shown


@pytest.mark.parametrize(
    ("head", "words", "looks"),
    [(b"HTTP/1.1 200 OK\r\n", r"does not answer: no whole reply", 5),
     (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", r"cut short after \d+ bytes \(no whole reply", 20)],
)  # fmt: skip
@pytest.mark.parametrize(("timeout", "limit_s"), [(None, 300), (2.0, 20)])
def test_a_server_that_drips_keeps_nobody(head, words, looks, timeout, limit_s):
    """One line after ten times what one read may take, or five minutes, by the clock given; nothing is counted."""
    with dripping(head, b"a: b\r\n") as url:
        wire = Wire({HOST: url}, (), clock=Clock(limit_s / looks))
        told = {} if timeout is None else {"timeout": httpx2.Timeout(timeout).as_dict()}
        with pytest.raises(BadInput, match=f"{words} within {limit_s} s") as caught:
            wire.send(httpx2.Request("GET", f"{HOST}/a", extensions=told))
        wire.close()
    assert "\n" not in str(caught.value) and wire.replies == 0


class Clock:
    """Some seconds pass each time somebody looks."""

    def __init__(self, step: float = 1) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@contextmanager
def dripping(head: bytes, drop: bytes) -> Iterator[str]:
    """The address of a server that sends ``head``, and then ``drop`` for as long as anybody listens."""

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65_536)
            try:
                connection.sendall(head)
                while drop:
                    connection.sendall(drop)
                connection.recv(1)
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join(10)
        assert not thread.is_alive()


@pytest.mark.parametrize(("looks", "words"), [(9, "timed out"), (5, "no whole reply within 5 s")])
def test_a_silence_is_told_by_the_limit_that_ended_it(looks: int, words: str) -> None:
    """The limit of one read, or what is left of the whole reply."""
    deadline = ReplyDeadline(Clock())
    deadline.start(looks)
    with (
        dripping(b"", b"") as url,
        TimedTransport(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), deadline) as transport,
        pytest.raises(httpx2.ReadTimeout, match=words),
    ):
        request = httpx2.Request("GET", url, extensions={"timeout": httpx2.Timeout(0.02).as_dict()})
        transport.handle_request(request)


def test_what_is_left_bounds_every_read() -> None:
    """At most what the caller allows for one; every thread has its own, and none before it has started."""
    deadline = ReplyDeadline(Clock())
    assert (deadline.left_s(3), deadline.left_s(None)) == (3, None)
    deadline.start(5)
    assert [deadline.left_s(3.5), deadline.left_s(None), deadline.left_s(9)] == [3.5, 3, 2]
    other: list[float | None] = []
    thread = threading.Thread(target=lambda: other.append(deadline.left_s(9)))
    thread.start()
    thread.join()
    assert other == [9] and deadline.left_s(9) == 1
    with pytest.raises(httpcore2.ReadTimeout, match="within 5 s"):
        deadline.left_s(9)
    deadline.start(5)
    assert deadline.left_s(9) == 4


def test_what_is_asked_is_canonical_and_bounded(port, monkeypatch):
    """A mapped host on its loopback address without the local clock, an allowed one with its Date; a limit."""
    local = f"http://127.0.0.1:{port}"
    wire = Wire({HOST: local}, {"127.0.0.1", "h.example"})
    response = wire.send(httpx2.Request("GET", f"{HOST}/a?b=1"))
    assert (response.status_code, response.reason_phrase) == (201, "Made")
    assert response.read() == b"api.explorer.example /a?b=1"
    assert [name for name, _ in response.headers.multi_items()] == ["server", "x-twice", "x-twice"]
    response = wire.send(httpx2.Request("GET", f"{local}/"))
    assert "date" in response.headers and "content-length" not in response.headers and wire.replies == 2
    live = [wire.is_live(httpx2.URL(url)) for url in (HOST, f"{HOST}:444", "https://h.example", "http://127.0.0.1:5")]
    assert live == [False, True, True, False]
    monkeypatch.setattr(module, "MAX_BODY_BYTES", 10)
    with pytest.raises(BadInput, match="more than 10 bytes"):
        wire.send(httpx2.Request("GET", f"{HOST}/a"))
    assert wire.replies == 2
    wire.close()
    with pytest.raises(BadInput, match=r"https://api\.explorer\.example does not answer: .*; next: record again"):
        Wire({HOST: "http://127.0.0.1:9"}, ()).send(httpx2.Request("GET", f"{HOST}/a"))
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    context = tls_context()
    assert context.check_hostname and context.verify_mode.name == "CERT_REQUIRED"


WRONG_MAPS = [
    *(({origin: "http://127.0.0.1:9"}, "from")
      for origin in ("api.example", "", "ftp://api.example", "https://api.example/v1", "https://u@h.example", 7)),
    *(({"https://api.example": target}, "to")
      for target in (9, ("127.0.0.1", 9), "127.0.0.1:9", "https://127.0.0.1:9", "http://example.com",
                     "http://10.0.0.1:80", "loopback", "")),
]  # fmt: skip


@pytest.mark.parametrize(("host_map", "way"), WRONG_MAPS)
def test_a_host_map_leads_from_an_origin_to_loopback(host_map, way):
    """Anything else would never be asked for, or leave the machine, and is refused when the recorder is made."""
    with pytest.raises(BadInput, match=f"the host map leads {way}"):
        Wire(host_map, ())

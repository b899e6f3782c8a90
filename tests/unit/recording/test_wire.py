import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest

from caia_replay.errors import BadInput
from caia_replay.recording import wire as module
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


def test_a_mapped_host_is_asked_on_its_loopback_address(port):
    """Path, query and Host are canonical; the clock of a local server and the encoding's headers are left out."""
    wire = Wire({HOST: f"http://127.0.0.1:{port}"}, ())
    response = wire.send(httpx2.Request("GET", f"{HOST}/a?b=1"))
    assert (response.status_code, response.reason_phrase) == (201, "Made")
    assert response.read() == b"api.explorer.example /a?b=1"
    names = [name for name, _ in response.headers.multi_items()]
    assert names == ["server", "x-twice", "x-twice"] and wire.replies == 1
    wire.close()


def test_an_allowed_host_keeps_its_date(port):
    """It is the host's own, and tells how old the recording is."""
    wire = Wire({}, {"127.0.0.1"})
    response = wire.send(httpx2.Request("GET", f"http://127.0.0.1:{port}/"))
    assert "date" in response.headers and "content-length" not in response.headers
    wire.close()


def test_what_is_live():
    """A host that is neither mapped nor on this machine, allowed or not."""
    wire = Wire({HOST: "http://127.0.0.1:1"}, {"h.example"})
    live = [wire.is_live(httpx2.URL(url)) for url in (HOST, f"{HOST}:444", "https://h.example", "http://127.0.0.1:5")]
    assert live == [False, True, True, False]


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


def test_a_body_over_the_limit_is_refused(port, monkeypatch):
    """It is not read to its end."""
    monkeypatch.setattr(module, "MAX_BODY_BYTES", 10)
    wire = Wire({HOST: f"http://127.0.0.1:{port}"}, ())
    with pytest.raises(BadInput, match="more than 10 bytes"):
        wire.send(httpx2.Request("GET", f"{HOST}/a"))
    assert wire.replies == 0
    wire.close()


def test_a_host_that_is_not_there_is_told():
    """One line with what was tried."""
    with pytest.raises(BadInput, match=r"https://api\.explorer\.example does not answer: .*; next: record again"):
        Wire({HOST: "http://127.0.0.1:9"}, ()).send(httpx2.Request("GET", f"{HOST}/a"))


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


def test_verification_is_always_on(monkeypatch):
    """Of certificates and of names, whichever authority is used."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    context = tls_context()
    assert context.check_hostname and context.verify_mode.name == "CERT_REQUIRED"


@pytest.mark.parametrize(
    "canonical", ["api.example", "", "ftp://api.example", "https://api.example/v1", "https://u@h.example", 7]
)
def test_a_host_map_leads_from_a_scheme_and_a_host(canonical):
    """Anything else would never be asked for, and is refused when the recorder is made."""
    with pytest.raises(BadInput, match="the host map leads from"):
        Wire({canonical: "http://127.0.0.1:9"}, ())


@pytest.mark.parametrize("target", [9, ("127.0.0.1", 9), "127.0.0.1:9", "https://127.0.0.1:9"])
def test_a_host_map_leads_to_loopback(target):
    """Whatever is no http address on this machine is refused in one line."""
    with pytest.raises(BadInput, match="the host map leads to"):
        Wire({"https://api.example": target}, ())


class _Ticking:
    """Seconds that pass each time somebody looks."""

    def __init__(self, step):
        self.now, self.step = 0.0, step

    def __call__(self):
        self.now += self.step
        return self.now


@pytest.mark.parametrize(
    ("head", "words", "looks"),
    [(b"HTTP/1.1 200 OK\r\n", r"does not answer: no whole reply", 5),
     (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", r"cut short after \d+ bytes \(no whole reply", 20)],
)  # fmt: skip
@pytest.mark.parametrize(("timeout", "limit_s"), [(None, 300), (2.0, 20)])
def test_a_server_that_drips_keeps_nobody(head, words, looks, timeout, limit_s):
    """One line after ten times what one read may take, or five minutes, by the clock given; nothing is counted."""

    def serve():
        connection, _ = listener.accept()
        with connection:
            connection.recv(65_536)
            try:
                connection.sendall(head)
                while True:
                    connection.sendall(b"a: b\r\n")
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        wire = Wire({HOST: f"http://127.0.0.1:{listener.getsockname()[1]}"}, (), clock=_Ticking(limit_s / looks))
        told = {} if timeout is None else {"timeout": httpx2.Timeout(timeout).as_dict()}
        with pytest.raises(BadInput, match=f"{words} within {limit_s} s") as caught:
            wire.send(httpx2.Request("GET", f"{HOST}/a", extensions=told))
        wire.close()
        thread.join()
    assert "\n" not in str(caught.value) and wire.replies == 0

"""What goes over the wire while recording: to whom, how much, how long, and how patiently."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.cassette.retry_after import BUSY
from caia_replay.errors import BadInput
from caia_replay.recording import wire as module
from caia_replay.recording.rate_limit import STUMBLES, PoliteTransport, asks_json, refuse_challenge
from caia_replay.recording.wire import Wire, place, tls_context
from tests.live_draft import answering

HOST = "https://api.explorer.example"


@pytest.fixture
def local():
    """The address of a server that says what it was asked, by a clock of its own."""
    told = [("Server", "x"), ("Date", "now"), ("X-Twice", "a"), ("X-Twice", "b")]
    with answering(lambda asked, _: (201, told, f"{asked.headers['host']} {asked.path}".encode())) as address:
        yield address


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


def test_what_is_asked_is_canonical_and_bounded(local, monkeypatch):
    """A mapped host on its loopback address without the local clock, an allowed one with its Date; a limit."""
    wire = Wire({HOST: local}, {"127.0.0.1", "h.example"})
    response = wire.send(httpx2.Request("GET", f"{HOST}/a?b=1"))
    assert (response.status_code, response.reason_phrase) == (201, "Created")
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


URL = "https://h.example/a"


class _World:
    """Time that passes only by waiting, and a host that answers from a list, its last answer for ever."""

    def __init__(self, *replies):
        self.replies, self.now_s, self.asked_s, self.waits, self.superseded = list(replies), 0.0, [], [], 0

    def answer(self, request):
        self.asked_s.append(self.now_s)
        status, headers, *body = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return httpx2.Response(status, headers=headers, content=body[0] if body else b"{}")

    def wait(self, seconds):
        self.waits.append(seconds)
        self.now_s += seconds

    def replace(self):
        self.superseded += 1

    def client(self, **options):
        options = {"pause_s": 0.0, "patience_s": 600.0, "keep_refusals": False} | options
        transport = PoliteTransport(
            httpx2.MockTransport(self.answer), lambda url: url.host != "local.example",
            on_superseded=self.replace, wait=self.wait, clock=lambda: self.now_s, **options,
        )  # fmt: skip
        return httpx2.Client(transport=transport)


@given(st.sampled_from(sorted(BUSY)), st.one_of(st.none(), st.integers(0, 700)), st.floats(0, 700))
def test_patience_is_a_bound(status, told_s, patience_s):
    """However a host answers, what is waited stays within patience, no wait is shorter than told, and it ends."""
    world = _World((status, {} if told_s is None else {"retry-after": str(told_s)}))
    with pytest.raises(BadInput, match=f"h.example still answers HTTP {status}"):
        world.client(patience_s=patience_s).get(URL)
    assert sum(world.waits) <= patience_s and len(world.asked_s) == len(world.waits) + 1 == world.superseded + 1
    assert told_s is None or set(world.waits) <= {told_s}
    assert told_s is not None or world.waits == [min(2.0**n, 60.0) for n in range(len(world.waits))]


def test_everything_else_is_an_answer():
    """It is asked for once."""
    for status in sorted(set(range(200, 600)) - BUSY - STUMBLES):
        world = _World((status, {"retry-after": "5"}))
        assert world.client().get(URL).status_code == status
        assert (len(world.asked_s), world.waits, world.superseded) == (1, [], 0)


def test_a_statement_that_has_not_ended_is_asked_for_again():
    """A warehouse says so with status 200: its last word is the answer, and patience ends as for any other host."""
    rows = "https://api.dune.com/api/v1/execution/01A/results?limit=1000&offset=0"
    pending, done = (200, {}, b'{"is_execution_finished": false}'), (200, {}, b'{"is_execution_finished": true}')
    world = _World(pending, pending, done)
    assert world.client().get(rows).content == done[2]
    assert (len(world.asked_s), world.waits, world.superseded) == (3, [1.0, 2.0], 2)
    assert _World(pending).client().get(URL).content == pending[2]
    with pytest.raises(BadInput, match=r"api\.dune\.com still answers that it has not ended"):
        _World(pending).client(patience_s=30.0).get(rows)


@pytest.mark.parametrize("status", sorted(STUMBLES))
def test_a_stumble_is_asked_for_three_times(status):
    """The third is the answer; without patience the first is; a wall is not waited for."""
    world = _World((status, {}))
    assert world.client().get(URL).status_code == status
    assert (len(world.asked_s), world.waits, world.superseded) == (3, [1.0, 2.0], 2)
    assert _World((status, {})).client(patience_s=0.0).get(URL).status_code == status
    world = _World((429, {"retry-after": "0"}), (200, {}))
    world.client(pause_s=2.0).get(URL)
    assert world.asked_s == [0.0, 2.0]  # Retry-After: 0 is no leave to hammer.
    world = _World((503, {"cf-mitigated": "challenge"}))
    with pytest.raises(BadInput, match="a challenge page"):
        world.client().get(URL)
    assert (len(world.asked_s), world.waits) == (1, [])


@given(st.lists(st.floats(0, 5), min_size=1, max_size=8), st.floats(0.1, 3))
def test_requests_to_a_live_host_are_apart(works_s, pause_s):
    """At least the pause lies between any two, time that passed by itself counted; local hosts are not waited for."""
    world = _World((200, {}))
    client = world.client(pause_s=pause_s)
    for work_s in works_s:
        client.get(URL)
        world.now_s += work_s
    assert all(later - earlier >= pause_s - 1e-9 for earlier, later in pairwise(world.asked_s))
    waited = len(world.waits)
    for _ in range(3):
        client.get("https://local.example/a")
    assert len(world.waits) == waited


HTML = {"content-type": "text/html"}
PAGE = "<!doctype html><html><head><title>{}</title></head><body>x</body></html>"


def _asked(accept=None, body=b""):
    return httpx2.Request("POST", "https://h.example/a?apikey=hush", headers={"accept": accept or "*/*"}, content=body)


@pytest.mark.parametrize("status", [200, 202, 403])
def test_html_for_json_is_refused_only_as_html(status):
    """The text must look like markup, whatever its type; the line names the host and not the query."""
    asked = _asked("application/json")
    for headers, body in ((HTML, PAGE), ({}, "\n <HTML>"), (HTML, "\ufeff<!DOCTYPE html>"), (HTML, "<?xml version")):
        told = r"h\.example answers with a page of HTML where JSON was asked for"
        with pytest.raises(BadInput, match=told) as caught:
            refuse_challenge(asked, httpx2.Response(status, headers=headers, content=body.encode()))
        assert "hush" not in str(caught.value)
    for headers, body in ((HTML, '{"a": 1}'), ({"content-type": "application/json"}, PAGE), (HTML, "")):
        refuse_challenge(asked, httpx2.Response(status, headers=headers, content=body.encode()))
    # An Accept that names JSON and not HTML, or a body that is JSON.
    for accept, sent, expected in (
        ("application/json", b"", True), ("application/vnd.api+json; charset=utf-8", b"", True),
        ("text/html, application/json", b"", False), ("*/*", b"", False), ("*/*", b'{"q": 1}', True),
        ("*/*", b"q=1", False), ("*/*", b"12", False),
    ):  # fmt: skip
        assert asks_json(_asked(accept, sent)) is expected

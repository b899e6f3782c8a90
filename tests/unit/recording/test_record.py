import gzip
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

import httpx2
import pytest
import vcr

from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.transport import ReplayTransport
from caia_replay.errors import BadInput, Miss
from caia_replay.recording.record import Recorder, settled

READER, EXPLORER = "https://r.reader.example", "https://api.explorer.example"
KEY = "Zq81-not-a-real-key"


class _Origin(BaseHTTPRequestHandler):
    """A small living server: gzip, redirects, errors, JSON-RPC, an answer that changes, headers of the moment."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        path, headers, status = self.path.partition("?")[0], {"Content-Type": "text/plain; charset=utf-8"}, 200
        reply = f"{self.headers['host']} {path} 价格".encode()
        if path == "/gzip":
            reply, headers["Content-Encoding"] = gzip.compress(reply), "gzip"
        elif path == "/brotli":
            headers["Content-Encoding"] = "br"
        elif path == "/broken":
            headers["Content-Encoding"] = "gzip"
        elif path == "/moved":
            status, headers["Location"], reply = 302, f"{READER}/gzip", b""
        elif path == "/limited":
            status, headers["Retry-After"] = 429, "7"
        elif path == "/binary":
            reply = b"\x89PNG\xff"
        elif path == "/count":
            reply = str(next(self.server.counter)).encode()
        elif path == "/echo":
            reply = self.path.encode()
        elif path == "/rpc":
            reply = json.dumps({"jsonrpc": "2.0", "id": json.loads(body)["id"], "result": "0x1"}).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("X-Request-Id", str(next(self.server.requests_seen)))
        self.send_header("Set-Cookie", f"session={id(self)}")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    do_POST = do_GET

    def log_message(self, *args):
        """Stay silent."""


@contextmanager
def _origin():
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Origin)
    server.counter, server.requests_seen = count(), count()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


# What a host that limits its callers says is recorded at once, as it says it.
NOW = {"keep_refusals": True, "patience_s": 0.0}


@pytest.fixture
def host_map():
    with _origin() as (address, _):
        yield {READER: address, EXPLORER: address}


def _client(path):
    return httpx2.Client(transport=ReplayTransport(Recordings([Cassette.open(path)]), Cursor()))


def _visit(client):
    return [
        client.get(f"{READER}/https://docs.example/a%20b", params={"x": ""}),
        client.get(f"{READER}/gzip"),
        client.get(f"{EXPLORER}/limited"),
        client.get(f"{READER}/moved", follow_redirects=True),
        client.post(f"{EXPLORER}/rpc", json={"jsonrpc": "2.0", "id": 5, "method": "eth_chainId"}),
    ]


def test_what_is_recorded_replays_offline(tmp_path, host_map):
    """Canonical URLs in the file, decoded bodies, and the same status and text from the file as from the origin."""
    with Recorder(tmp_path / "c.json", host_map, **NOW) as client:
        live = _visit(client)
    replayed = _visit(_client(tmp_path / "c.json"))
    assert [(r.status_code, r.text) for r in replayed] == [(r.status_code, r.text) for r in live]
    assert live[1].text == "r.reader.example /gzip 价格" and live[2].headers["retry-after"] == "7"
    text = (tmp_path / "c.json").read_text()
    assert "127.0.0.1" not in text and "gzip, deflate" not in text and "价格" in text
    for header in ("content-encoding", "content-length", "set-cookie", "x-request-id", "date"):
        assert header not in text.lower()


def test_an_unchanged_origin_gives_equal_bytes(tmp_path, host_map):
    """Two recordings on two days are one file."""
    for name in ("a.json", "b.json"):
        with Recorder(tmp_path / name, host_map, **NOW) as client:
            _visit(client)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_stock_vcrpy_replays_the_recording(tmp_path, host_map):
    """The file is vcrpy's own."""
    with Recorder(tmp_path / "c.json", host_map) as client:
        live = client.get(f"{READER}/gzip").text
    with (
        vcr.VCR(serializer="json", record_mode="none").use_cassette(str(tmp_path / "c.json")),
        httpx2.Client() as client,
    ):
        assert client.get(f"{READER}/gzip").text == live


def test_a_changing_answer_is_a_sequence_without_idle_repeats(tmp_path, host_map):
    """Different answers are kept in order; repeats at the end add nothing to playback and are left out."""
    with Recorder(tmp_path / "c.json", host_map) as client:
        for _ in range(3):
            client.get(f"{EXPLORER}/count")
            client.get(f"{READER}/same")
    assert len(Cassette.open(tmp_path / "c.json").interactions) == 4
    client = _client(tmp_path / "c.json")
    assert [client.get(f"{EXPLORER}/count").text for _ in range(4)] == ["0", "1", "2", "2"]


def test_credentials_are_sent_but_never_written(tmp_path, host_map):
    """The file answers any key, and not a request without one."""
    with Recorder(tmp_path / "c.json", host_map) as client:
        client.get(f"{EXPLORER}/v2", params={"apikey": KEY, "q": "1"}, headers={"Authorization": f"Bearer {KEY}"})
        client.post(f"{EXPLORER}/v3", json={"api_key": KEY})
    assert KEY not in (tmp_path / "c.json").read_text()
    client = _client(tmp_path / "c.json")
    assert client.get(f"{EXPLORER}/v2?q=1&apikey=other").status_code == 200
    assert client.post(f"{EXPLORER}/v3", json={"api_key": "other"}).status_code == 200
    with pytest.raises(Miss):
        client.get(f"{EXPLORER}/v2?q=1")


def test_a_credential_that_would_leak_stops_the_writing(tmp_path, host_map):
    """One that the origin repeats in its reply, or a listed one inside a path; no file is left."""
    with pytest.raises(BadInput, match="credential"), Recorder(tmp_path / "c.json", host_map) as client:
        client.get(f"{EXPLORER}/echo", params={"apikey": KEY})
    with pytest.raises(BadInput, match="credential"), Recorder(tmp_path / "c.json", host_map, secrets={KEY}) as client:
        client.get(f"{EXPLORER}/v3/{KEY}")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_host_is_refused_before_anything_is_sent(tmp_path, host_map):
    """One line with the host and the nearest known one; nothing is resolved, nothing is written."""
    with (
        pytest.raises(BadInput, match=r"https://r\.readers\.example is neither in the host map nor allowed.*nearest: "),
        Recorder(tmp_path / "c.json", host_map) as client,
    ):
        client.get("https://r.readers.example/a?apikey=hush")
    assert list(tmp_path.iterdir()) == []


def test_an_allowed_host_is_reached_for_real(tmp_path):
    """A host that is not mapped but allowed is asked under its own name, and recorded once."""
    with _origin() as (address, _), Recorder(tmp_path / "c.json", {}, allowed_hosts={"127.0.0.1"}) as client:
        client.get(f"{address}/a")
    assert [item.uri for item in Cassette.open(tmp_path / "c.json").interactions] == [f"{address}/a"]


@pytest.mark.parametrize("target", ["https://127.0.0.1:1", "http://example.com", "http://10.0.0.1:80", "loopback", ""])
def test_the_map_leads_to_loopback_only(tmp_path, target):
    """A mapped request can never leave the machine."""
    with pytest.raises(BadInput, match="loopback"):
        Recorder(tmp_path / "c.json", {READER: target})


def test_a_binary_reply_is_kept_beside_the_cassette(tmp_path, host_map):
    """Its bytes stand in a side file, and the cassette serves them."""
    with Recorder(tmp_path / "c.json", host_map) as client:
        client.get(f"{READER}/binary")
    assert [item.body for item in Cassette.open(tmp_path / "c.json").interactions] == [b"\x89PNG\xff"]
    assert [path.read_bytes() for path in (tmp_path / "bodies").iterdir()] == [b"\x89PNG\xff"]


@pytest.mark.parametrize("path", ["/brotli", "/broken"])
def test_a_reply_that_cannot_be_decoded_is_refused(tmp_path, host_map, path):
    """Encodings nobody asked for and bodies that do not decode are told, not stored half."""
    with (
        pytest.raises(BadInput, match=path),
        Recorder(tmp_path / "c.json", host_map) as client,
        client.stream("GET", f"{READER}{path}"),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_failing_block_writes_nothing_and_frees_the_recorder(tmp_path, host_map):
    """The exception comes out as it was; an older file stays; the next recording can start."""
    (tmp_path / "c.json").write_text("older")
    with pytest.raises(KeyError), Recorder(tmp_path / "c.json", host_map) as client:
        client.get(f"{READER}/a")
        raise KeyError
    assert (tmp_path / "c.json").read_text() == "older"
    with Recorder(tmp_path / "c.json", host_map) as client:
        client.get(f"{READER}/a")
    assert len(Cassette.open(tmp_path / "c.json").interactions) == 1


def test_one_recording_at_a_time(tmp_path, host_map):
    """vcrpy patches the process, so a second recorder is refused while the first listens."""
    with (
        Recorder(tmp_path / "a.json", host_map),
        pytest.raises(BadInput, match="another recording"),
        Recorder(tmp_path / "b.json", host_map),
    ):
        pass


def test_what_others_asked_meanwhile_is_not_recorded(tmp_path, host_map):
    """A second client of httpx2 in the process would be on the tape under no rule of ours; it stops the writing."""
    with (
        pytest.raises(BadInput, match="something else in this process used httpx2"),
        Recorder(tmp_path / "c.json", host_map) as client,
    ):
        client.get(f"{READER}/a")
        httpx2.get(f"{host_map[READER]}/b")
    assert list(tmp_path.iterdir()) == []


def test_no_cookie_is_kept(tmp_path, host_map):
    """Replay keeps none, so the second question must not differ from the first by one."""
    with Recorder(tmp_path / "c.json", host_map) as client:
        for path in ("/a", "/b"):
            assert "set-cookie" in client.get(f"{READER}{path}").headers
        assert not client.cookies
    assert all("cookie" not in item.request_headers for item in Cassette.open(tmp_path / "c.json").interactions)


def _answered(body, date="1", key=""):
    headers = {"x-api-key": (key,)} if key else {}
    return Interaction("GET", f"{READER}/a", b"", headers, 200, "OK", {"date": (date,)}, body)


def test_idle_repeats_are_told_by_what_was_answered():
    """Not by when: the first of them stays; each class of key has a sequence of its own, and order is kept."""
    a, b, bad = _answered(b"a"), _answered(b"b", "2"), _answered(b"b", "3", "SCRUBBED-BAD")
    assert settled([a, b, _answered(b"b", "4")]) == [a, b]
    assert settled([b, bad]) == [b, bad]
    assert settled([a, bad, _answered(b"a", "5"), b, _answered(b"b", "6", "SCRUBBED-BAD")]) == [
        a, bad, _answered(b"a", "5"), b,
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["secrets", "bad_keys", "harmless"])
def test_one_text_is_no_collection_of_texts(tmp_path, name):
    """A text would count as its letters, and the key in it would not be looked for."""
    with pytest.raises(BadInput, match=f"{name} is one text"):
        Recorder(tmp_path / "c.json", {}, **{name: "mykey123"})

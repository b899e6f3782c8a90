"""What a recorder writes of a living origin, and what it never writes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import httpx2
import pytest
import vcr

from caia_replay.canonical import strict_json
from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.transport import ReplayTransport
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import BadInput, Miss
from caia_replay.loopback import LoopbackServer
from caia_replay.recording import record_questions as module
from caia_replay.recording.record import Recorder, settled
from caia_replay.recording.record_questions import record_as_asked, record_questions
from caia_worldgen.services.service import Answer, Asked, Services
from tests.live_draft import answering

READER, EXPLORER = "https://r.reader.example", "https://api.explorer.example"


def _answer(counter, asked, body):
    """A small living origin: gzip, redirects, errors, JSON-RPC, an answer that changes, headers of the moment."""
    path, headers, status = asked.path.partition("?")[0], {"Content-Type": "text/plain; charset=utf-8"}, 200
    reply = f"{asked.headers['host']} {path} 价格".encode()
    if path == "/gzip":
        reply, headers["Content-Encoding"] = gzip.compress(reply, mtime=0), "gzip"
    elif path == "/moved":
        status, headers["Location"], reply = 302, f"{READER}/gzip", b""
    elif path == "/limited":
        status, headers["Retry-After"] = 429, "7"
    elif path == "/binary":
        reply = b"\x89PNG\xff"
    elif path == "/count":
        reply = str(next(counter)).encode()
    elif path == "/rpc":
        reply = json.dumps({"jsonrpc": "2.0", "id": json.loads(body)["id"], "result": "0x1"}).encode()
    of_the_moment = {"Date": "now", "X-Request-Id": str(id(asked)), "Set-Cookie": f"session={id(asked)}"}
    return status, (headers | of_the_moment).items(), reply


# What a host that limits its callers says is recorded at once, as it says it.
NOW = {"keep_refusals": True, "patience_s": 0.0}


@pytest.fixture
def host_map():
    with answering(partial(_answer, count())) as address:
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
    """Canonical URLs in the file, decoded bodies, binary ones beside it; equal bytes on another day, no cookie."""
    for name in ("a", "b"):
        with Recorder(tmp_path / name / "c.json", host_map, **NOW) as client:
            live = _visit(client)
            assert client.get(f"{READER}/binary").headers["set-cookie"] and not client.cookies
    replayed = _visit(_client(tmp_path / "a" / "c.json"))
    assert [(r.status_code, r.text) for r in replayed] == [(r.status_code, r.text) for r in live]
    assert live[1].text == "r.reader.example /gzip 价格" and live[2].headers["retry-after"] == "7"
    text = (tmp_path / "a" / "c.json").read_text()
    assert text == (tmp_path / "b" / "c.json").read_text()
    assert "127.0.0.1" not in text and "gzip, deflate" not in text and "价格" in text
    for header in ("content-encoding", "content-length", "cookie", "x-request-id", "date"):
        assert header not in text.lower()
    assert b"\x89PNG\xff" in [item.body for item in Cassette.open(tmp_path / "a" / "c.json").interactions]
    assert [path.read_bytes() for path in (tmp_path / "a" / "bodies").iterdir()] == [b"\x89PNG\xff"]
    with (
        vcr.VCR(serializer="json", record_mode="none").use_cassette(str(tmp_path / "a" / "c.json")),
        httpx2.Client() as client,
    ):
        assert client.get(f"{READER}/gzip").text == live[1].text


def test_a_changing_answer_is_a_sequence_without_idle_repeats(tmp_path, host_map):
    """Different answers are kept in order; repeats at the end are left out, each class of key for itself."""
    with Recorder(tmp_path / "c.json", host_map) as client:
        for _ in range(3):
            client.get(f"{EXPLORER}/count")
            client.get(f"{READER}/same")
    assert len(Cassette.open(tmp_path / "c.json").interactions) == 4
    client = _client(tmp_path / "c.json")
    assert [client.get(f"{EXPLORER}/count").text for _ in range(4)] == ["0", "1", "2", "2"]
    a, b, bad = _answered(b"a"), _answered(b"b", "2"), _answered(b"b", "3", "SCRUBBED-BAD")
    assert settled([a, b, _answered(b"b", "4")]) == [a, b]
    assert settled([b, bad]) == [b, bad]
    assert settled([a, bad, _answered(b"a", "5"), b, _answered(b"b", "6", "SCRUBBED-BAD")]) == [
        a, bad, _answered(b"a", "5"), b,
    ]  # fmt: skip


def test_a_failing_block_writes_nothing_and_frees_the_recorder(tmp_path, host_map):
    """The exception comes out as it was; an older file stays; the next recording can start, but no second beside it."""
    (tmp_path / "c.json").write_text("older")
    with pytest.raises(KeyError), Recorder(tmp_path / "c.json", host_map) as client:
        client.get(f"{READER}/a")
        raise KeyError
    assert (tmp_path / "c.json").read_text() == "older"
    allowed = host_map[READER]
    with Recorder(tmp_path / "c.json", {}, allowed_hosts={"127.0.0.1"}) as client:
        client.get(f"{allowed}/a")
        with pytest.raises(BadInput, match="another recording"), Recorder(tmp_path / "b.json", host_map):
            pass
    assert [item.uri for item in Cassette.open(tmp_path / "c.json").interactions] == [f"{allowed}/a"]
    told = pytest.raises(BadInput, match="something else in this process used httpx2")
    with told, Recorder(tmp_path / "d.json", host_map) as client:
        client.get(f"{READER}/a")
        httpx2.get(f"{allowed}/b")
    assert [path.name for path in tmp_path.iterdir()] == ["c.json"]


def _answered(body, date="1", key=""):
    headers = {"x-api-key": (key,)} if key else {}
    return Interaction("GET", f"{READER}/a", b"", headers, 200, "OK", {"date": (date,)}, body)


@pytest.mark.parametrize("name", ["secrets", "bad_keys", "harmless"])
def test_one_text_is_no_collection_of_texts(tmp_path, name):
    """A text would count as its letters, and the key in it would not be looked for."""
    with pytest.raises(BadInput, match=f"{name} is one text"):
        Recorder(tmp_path / "c.json", {}, **{name: "mykey123"})


ORIGIN = "https://numbers.example"


class Numbers:
    """A list of numbers below 25, ten to a page."""

    origins = (ORIGIN,)

    def answer(self, asked: Asked, now: int) -> Answer:
        page = int(asked.parameters.get("page", "1"))
        return Answer(200, list(range(25))[10 * page - 10 : 10 * page])

    def busy(self, asked: Asked) -> Answer:
        return Answer(429, {}, {"Retry-After": "0"})


class NumbersProvider:
    """Widens to the first page and follows full ones."""

    name, authority, ignored_parameters, has_other_sources = "numbers", "authoritative", frozenset[str](), False

    def match(self, request: HttpRequest) -> bool:
        return request.url.startswith(ORIGIN)

    def family(self, request: HttpRequest) -> str:
        return "numbers"

    def widen(self, request: HttpRequest, now: int) -> tuple[HttpRequest, ...]:
        return (HttpRequest("GET", f"{ORIGIN}/n?page=1"),)

    def follow(self, request: HttpRequest, reply: HttpReply) -> HttpRequest | None:
        if len(strict_json(reply.body)) < 10:
            return None
        return HttpRequest("GET", f"{ORIGIN}/n?page={int(request.url.rpartition('=')[2]) + 1}")

    def narrow(self, recorded: list[Recorded], request: HttpRequest, now: int) -> HttpReply:
        if b"later" in recorded[0].reply.body:
            raise Miss("http", request.url, "the origin said later")
        return recorded[0].reply


def test_every_page_is_recorded_once_whatever_was_asked_how_often(tmp_path: Path) -> None:
    """Two questions widen to the same three pages, a refusal waited out; as it is, one question brings one alone."""
    path, questions = tmp_path / "n.json", [HttpRequest("GET", f"{ORIGIN}/n?page={page}") for page in (2, 3)]
    with (
        LoopbackServer(Services([Numbers()], 0, busy_every=2)) as server,
        Recorder(path, server.host_map, wait=lambda _: None) as client,
    ):
        assert record_questions(client, [NumbersProvider()], questions, 0) == 3
    told = [(item.uri, strict_json(item.body)) for item in Cassette.open(path).interactions]
    assert [uri.rpartition("=")[2] for uri, _ in told] == ["1", "2", "3"]
    assert [number for _, body in told for number in body] == list(range(25))
    with LoopbackServer(Services([Numbers()], 0)) as server, Recorder(path, server.host_map) as client:
        assert record_as_asked(client, [NumbersProvider()], [questions[0]] * 2, 0) == 1
        with pytest.raises(Miss, match="no provider"):
            record_as_asked(client, [], questions, 0)
    (item,) = Cassette.open(path).interactions
    assert (item.uri, strict_json(item.body)) == (questions[0].url, list(range(10, 20)))


def test_a_question_nobody_speaks_for_and_a_list_without_end_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is written for either."""
    path, strange = tmp_path / "n.json", HttpRequest("GET", "https://b.example/")
    monkeypatch.setattr(module, "MOST_PAGES", 2)
    with LoopbackServer(Services([Numbers()], 0)) as server:
        for question, words in ((strange, "no provider"), (HttpRequest("GET", f"{ORIGIN}/n"), "more than 2 pages")):
            with pytest.raises((Miss, BadInput), match=words), Recorder(path, server.host_map) as client:
                record_questions(client, [NumbersProvider()], [question], 0)
    assert not path.exists()


@pytest.mark.parametrize("ask", [record_questions, record_as_asked])
def test_a_limit_told_with_status_200_is_no_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Callable[..., int]
) -> None:
    """A reply that does not answer its own question ends the recording, and nothing is written."""
    monkeypatch.setattr(Numbers, "answer", lambda *_: Answer(200, "later"))
    path = tmp_path / "n.json"
    with (
        LoopbackServer(Services([Numbers()], 0)) as server,
        pytest.raises(BadInput, match="was not answered: the origin said later"),
        Recorder(path, server.host_map) as client,
    ):
        ask(client, [NumbersProvider()], [HttpRequest("GET", f"{ORIGIN}/n")], 0)
    assert not path.exists()

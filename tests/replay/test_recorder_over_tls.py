"""The production recorder against real TLS on the real host names: only names and the authority are the tests' own."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pyarrow as pa
import pytest
import vcr

from caia_replay.cassette.cassette import Cassette
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.requests_adapter import replay_session
from caia_replay.cassette.secret import SCRUBBED_BAD
from caia_replay.cassette.transport import LegacyReplayTransport, ReplayTransport
from caia_replay.errors import BadInput, Miss
from caia_replay.recording.record import Recorder

HOSTS = {"api.etherscan.io", "pro-api.coingecko.com", "google.serper.dev", "r.jina.ai", "api.llama.fi"}
LLAMA, GECKO = "https://api.llama.fi", "https://pro-api.coingecko.com/api/v3"
JSON = {"Content-Type": "application/json"}
BODY = json.dumps({"price": "价 1.25", "rows": list(range(400))}, ensure_ascii=False).encode()
GOOD, BAD = "CG-Good7f3Kq9Zx2Lm5Np8", "CG-Bad4t6Yw1Rv3Hs0Jd7"
Ask = Callable[[httpx2.Client], list[Any]]


def brotli(body: bytes) -> bytes:
    return bytes(pa.compress(body, codec="brotli", asbytes=True))


def zstd(body: bytes) -> bytes:
    return bytes(pa.compress(body, codec="zstd", asbytes=True))


def recorder(path: Path, **options: Any) -> Recorder:
    """As in production, but for a wait that takes no time."""
    return Recorder(path, {}, **{"allowed_hosts": HOSTS, "pause_s": 0.0, "wait": lambda _: None} | options)


def refused(path: Path, ask: Callable[[httpx2.Client], Any], **options: Any) -> BadInput:
    """The one-line error a recording ends with; it must have left nothing behind."""
    with pytest.raises(BadInput) as caught, recorder(path, **options) as client:
        ask(client)
    assert list(path.parent.iterdir()) == []
    assert "\n" not in str(caught.value) and caught.value.exit_code == 2
    return caught.value


@contextmanager
def stock(path: Path) -> Iterator[httpx2.Client]:
    """vcrpy's own player."""
    with vcr.VCR(serializer="json", record_mode="none").use_cassette(str(path)), httpx2.Client() as client:
        yield client


def outcomes(replies: list[Any]) -> list[tuple[int, bytes]]:
    return [(reply.status_code, reply.content) for reply in replies]


def proven(path: Path, ask: Ask, live: list[Any]) -> None:
    """What was answered live is answered by every client from the file, and by stock vcrpy."""
    recordings = Recordings([Cassette.open(path)])
    assert outcomes(ask(httpx2.Client(transport=ReplayTransport(recordings, Cursor())))) == outcomes(live)
    legacy: Any = httpx.Client(transport=LegacyReplayTransport(recordings, Cursor()))
    assert outcomes(ask(legacy)) == outcomes(live)
    with stock(path) as client:
        assert outcomes(ask(client)) == outcomes(live)


@pytest.mark.parametrize(
    ("coding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("br", brotli), ("zstd", zstd)]
)
def test_every_coding_is_recorded_decoded(tls_origin: Any, tmp_path: Path, coding: str, pack: Any) -> None:
    """The body comes decoded to the caller and into the file; the headers of the coding are gone from both."""
    tls_origin.on(f"{LLAMA}/tvl", {"headers": JSON | {"Content-Encoding": coding}, "body": pack(BODY)})

    def ask(client: httpx2.Client) -> list[Any]:
        return [client.get(f"{LLAMA}/tvl")]

    with recorder(tmp_path / "c.json") as client:
        live = ask(client)
    assert live[0].json() == json.loads(BODY) and coding in tls_origin.asked[0].headers["Accept-Encoding"]
    assert "content-encoding" not in live[0].headers and "价" in (tmp_path / "c.json").read_text("utf-8")
    proven(tmp_path / "c.json", ask, live)


@pytest.mark.parametrize("status", [301, 303, 308])
def test_a_redirect_to_an_allowed_host_is_followed(tls_origin: Any, tmp_path: Path, status: int) -> None:
    """Every hop is recorded, and replay follows them as the client did, a POST becoming a GET or staying one."""
    tls_origin.on(f"{LLAMA}/old", {"status": status, "headers": {"Location": f"{GECKO}/new"}})
    tls_origin.on(f"{GECKO}/new", {"headers": JSON, "body": b'{"a": 1}'})

    def ask(client: httpx2.Client) -> list[Any]:
        return [client.post(f"{LLAMA}/old", json={"q": 1}, follow_redirects=True)]

    with recorder(tmp_path / "c.json") as client:
        live = ask(client)
    assert [asked.method for asked in tls_origin.asked] == ["POST", "POST" if status in (307, 308) else "GET"]
    recordings = Recordings([Cassette.open(tmp_path / "c.json")])
    assert outcomes(ask(httpx2.Client(transport=ReplayTransport(recordings, Cursor())))) == outcomes(live)
    assert replay_session(recordings, Cursor()).post(f"{LLAMA}/old", json={"q": 1}).content == b'{"a": 1}'


@pytest.mark.parametrize(
    ("location", "words"),
    [("https://evil.example/x?apikey=hush-hush-hush", "neither in the host map nor allowed"),
     ("http://api.llama.fi/x", "without TLS")],
)  # fmt: skip
def test_a_redirect_elsewhere_is_refused(tls_origin: Any, tmp_path: Path, location: str, words: str) -> None:
    """Neither another host nor the same without TLS is asked: no name is looked up."""
    tls_origin.on(f"{LLAMA}/old", {"status": 302, "headers": {"Location": location}})
    (tmp_path / "w").mkdir()
    error = refused(tmp_path / "w" / "c.json", lambda client: client.get(f"{LLAMA}/old", follow_redirects=True))
    assert words in str(error) and "hush" not in str(error)
    assert set(tls_origin.resolved) == {"api.llama.fi"} and len(tls_origin.asked) == 1


def by_key(asked: Any) -> dict[str, Any]:
    """401 without a key and for any but the good one, whose caller gets the answer."""
    given = asked.headers.get("X-Cg-Pro-Api-Key", "") or asked.headers.get("x-cg-pro-api-key", "")
    if not given:
        return {"status": 401, "headers": JSON, "body": b'{"error": "key missing"}'}
    known = given == GOOD
    return {"status": 200 if known else 401, "headers": JSON, "body": b'{"ok": %d}' % known}


def test_each_class_of_key_has_its_own_answer(tls_origin: Any, tmp_path: Path) -> None:
    """Absent, bad and good in one recording: each replays, no key is in the file; a bad key's answer is no other's."""
    tls_origin.on(f"{GECKO}/coins", by_key)
    header = "x-cg-pro-api-key"

    def ask(client: httpx2.Client, bad: str, good: str) -> list[Any]:
        return [client.get(f"{GECKO}/coins", headers={header: key} if key else {}) for key in ("", bad, good)]

    path = tmp_path / "c.json"
    with recorder(path, bad_keys={BAD}) as client:
        live = ask(client, BAD, GOOD)
    assert [reply.status_code for reply in live] == [401, 401, 200] and live[0].content != live[1].content
    recordings = Recordings([Cassette.open(path)])
    replayed = ask(httpx2.Client(transport=ReplayTransport(recordings, Cursor())), SCRUBBED_BAD, "any")
    assert outcomes(replayed) == outcomes(live)
    with stock(path) as client:
        assert outcomes(ask(client, SCRUBBED_BAD, "any")) == outcomes(live)
    text = path.read_text("utf-8")
    assert GOOD not in text and BAD not in text and f'"{SCRUBBED_BAD}"' in text
    with recorder(tmp_path / "bad.json", bad_keys={BAD}) as client:
        client.get(f"{GECKO}/coins", headers={header: BAD})
    client = httpx2.Client(transport=ReplayTransport(Recordings([Cassette.open(tmp_path / "bad.json")]), Cursor()))
    for headers in ({}, {header: "any"}):
        with pytest.raises(Miss):
            client.get(f"{GECKO}/coins", headers=headers)


@pytest.mark.parametrize("status", [400, 402, 404, 501])
def test_what_an_api_says_is_its_answer(tls_origin: Any, tmp_path: Path, status: int) -> None:
    """Errors that waiting does not cure are recorded at the first asking."""
    tls_origin.on(f"{LLAMA}/paid", {"status": status, "headers": JSON, "body": b'{"error": "pay first"}'})

    def ask(client: httpx2.Client) -> list[Any]:
        return [client.get(f"{LLAMA}/paid")]

    with recorder(tmp_path / "c.json") as client:
        live = ask(client)
    assert live[0].status_code == status and len(tls_origin.asked) == 1
    proven(tmp_path / "c.json", ask, live)


LATER = "Wed, 21 Oct 2026 07:28:40 GMT"
DATED = {"Date": "Wed, 21 Oct 2026 07:28:00 GMT"}


@pytest.mark.parametrize(
    ("headers", "waits"),
    [({"Retry-After": "7"}, [7.0, 7.0]), (DATED | {"Retry-After": LATER}, [40.0, 40.0]), ({}, [1.0, 2.0])],
)
@pytest.mark.parametrize("status", [429, 503])
def test_a_host_that_says_later_is_asked_later(
    tls_origin: Any, tmp_path: Path, status: int, headers: dict[str, str], waits: list[float]
) -> None:
    """Seconds, a date, or doubling pauses; the answer is the one after them, and only that is kept."""
    later = {"status": status, "headers": JSON | headers, "body": b'{"error": "slow"}'}
    tls_origin.on(f"{LLAMA}/tvl", later, later, {"headers": JSON, "body": BODY})
    waited: list[float] = []
    with recorder(tmp_path / "c.json", wait=waited.append) as client:
        assert client.get(f"{LLAMA}/tvl").content == BODY
    assert waited == waits
    assert [item.status for item in Cassette.open(tmp_path / "c.json").interactions] == [200]


def test_refusals_can_be_kept(tls_origin: Any, tmp_path: Path) -> None:
    """Then they are a recorded sequence, in order, and replay gives them so."""
    later = {"status": 429, "headers": JSON | {"Retry-After": "7"}, "body": b'{"error": "slow"}'}
    tls_origin.on(f"{LLAMA}/tvl", later, later, {"headers": JSON, "body": BODY})
    with recorder(tmp_path / "c.json", keep_refusals=True) as client:
        assert client.get(f"{LLAMA}/tvl").status_code == 200
    client = httpx2.Client(transport=ReplayTransport(Recordings([Cassette.open(tmp_path / "c.json")]), Cursor()))
    replayed = [client.get(f"{LLAMA}/tvl") for _ in range(4)]
    assert [reply.status_code for reply in replayed] == [429, 429, 200, 200]
    assert replayed[0].headers["retry-after"] == "7"


@pytest.mark.parametrize(("told", "waits"), [({}, [1, 2, 4, 8, 16, 32]), ({"Retry-After": "3600"}, [])])
def test_patience_ends(tls_origin: Any, tmp_path: Path, told: dict[str, str], waits: list[float]) -> None:
    """The bound holds in all, and a host that asks for more than that is not asked before its time."""
    (tmp_path / "w").mkdir()
    tls_origin.on(f"{LLAMA}/tvl", {"status": 429, "headers": told})
    waited: list[float] = []
    error = refused(
        tmp_path / "w" / "c.json", lambda client: client.get(f"{LLAMA}/tvl"), wait=waited.append, patience_s=100.0
    )
    assert waited == waits and "nothing of this recording is kept" in str(error) and "next: record again" in str(error)


def test_a_host_that_stumbles_is_asked_three_times(tls_origin: Any, tmp_path: Path) -> None:
    """What it says then is its answer, recorded once; one that recovers is not held to its fall."""
    tls_origin.on(f"{LLAMA}/down", *({"status": 500, "body": b"fall %d" % n} for n in range(5)))
    tls_origin.on(f"{LLAMA}/up", {"status": 502, "body": b"<html>bad gateway"}, {"headers": JSON, "body": BODY})
    with recorder(tmp_path / "c.json") as client:
        assert client.get(f"{LLAMA}/down").content == b"fall 2"
        assert client.get(f"{LLAMA}/up").content == BODY
    found = {item.uri: (item.status, item.body) for item in Cassette.open(tmp_path / "c.json").interactions}
    assert found == {f"{LLAMA}/down": (500, b"fall 2"), f"{LLAMA}/up": (200, BODY)}


def test_requests_to_one_host_keep_their_distance(tls_origin: Any, tmp_path: Path) -> None:
    """The pause lies between requests to the same host, not to different ones."""
    for url in (f"{LLAMA}/a", f"{GECKO}/a", f"{LLAMA}/b"):
        tls_origin.on(url, {"headers": JSON, "body": BODY})
    waited: list[float] = []
    with recorder(tmp_path / "c.json", pause_s=1000.0, wait=waited.append) as client:
        for url in (f"{LLAMA}/a", f"{GECKO}/a", f"{LLAMA}/b"):
            client.get(url)
    assert len(waited) == 1 and 0 < waited[0] <= 1000.0


def test_what_is_no_part_of_an_answer_is_left_out(
    tls_origin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Date stays, cookies are neither kept nor sent back, no proxy of the environment is asked."""
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    cookie = {"Set-Cookie": ["a=session-cookie-9f3Kq7Zx2Lm5", "b=2"]}
    tls_origin.on(f"{LLAMA}/tvl", {"headers": JSON | DATED | cookie, "body": BODY})
    with recorder(tmp_path / "c.json") as client:
        client.get(f"{LLAMA}/tvl")
        client.get(f"{LLAMA}/tvl", params={"page": "2"})
    items = Cassette.open(tmp_path / "c.json").interactions
    assert [dict(item.headers) for item in items[:1]] == [
        {"content-type": ("application/json",), "date": (DATED["Date"],)}
    ]
    assert all("Cookie" not in asked.headers and "cookie" not in asked.headers for asked in tls_origin.asked)
    assert all(left.body == right.body for left, right in pairwise(items))


def test_the_example_of_the_docs_records(tls_origin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The live host of docs/recording-http.md, run as it stands there."""
    text = (Path(__file__).resolve().parents[2] / "docs" / "recording-http.md").read_text("utf-8")
    (lines,) = (one for one in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL) if "llama" in one)
    tls_origin.on(f"{LLAMA}/v2/chains", {"headers": JSON, "body": BODY})
    monkeypatch.chdir(tmp_path)
    exec(lines, {})
    assert [item.body for item in Cassette.open(Path("cassettes/mine/http/llama.json")).interactions] == [BODY]

"""What the production recorder must not take for an answer: walls, torn bodies, hosts that are not who they say."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pyarrow as pa
import pytest

from caia_replay.cassette.cassette import Cassette
from caia_replay.errors import BadInput
from caia_replay.recording.record import Recorder

LLAMA = "https://api.llama.fi"
READER = "https://r.jina.ai/https://docs.example/a"
HOSTS = ("api.llama.fi", "r.jina.ai", "google.serper.dev", "stranger.example", "misnamed.example", "expired.example")
HTML = {"Content-Type": "text/html; charset=UTF-8"}
WANTS_JSON = {"Accept": "application/json"}
BODY = b'{"rows": [' + b"1, " * 400 + b"1]}"


def page(title: str) -> bytes:
    return f"<!DOCTYPE html>\n<html><head><title>{title}</title></head><body>words</body></html>".encode()


def recorder(path: Path) -> Recorder:
    return Recorder(path, {}, allowed_hosts=HOSTS, pause_s=0.0, wait=lambda _: None, patience_s=30.0)


def refused(path: Path, ask: Callable[[httpx2.Client], Any]) -> str:
    """The one line a recording ends with; it leaves nothing behind."""
    path.parent.mkdir()
    with pytest.raises(BadInput) as caught, recorder(path) as client:
        ask(client)
    assert list(path.parent.iterdir()) == []
    assert "\n" not in str(caught.value) and caught.value.exit_code == 2
    return str(caught.value)


CHALLENGES = {
    "json was asked for": (200, HTML, page("Access to this page"), WANTS_JSON, None),
    "json was asked for by its kind": (403, HTML, page("Denied"), {"Accept": "application/vnd.api+json"}, None),
    "json was sent": (202, HTML, page("Wait"), {}, {"q": "aave"}),
    "without a content type": (200, {}, page("Wait"), WANTS_JSON, None),
    "the vendor's header": (403, HTML | {"cf-mitigated": "challenge"}, page("x"), {}, None),
    "a known title": (503, HTML, page("Just a moment..."), {}, None),
    "a known title with status 200": (200, HTML, page(" Just a moment… "), {"Accept": "text/html"}, None),
    "limited by a wall": (429, HTML, page("Vercel Security Checkpoint"), WANTS_JSON, None),
}


@pytest.mark.parametrize("name", CHALLENGES)
def test_a_challenge_is_no_answer(tls_origin: Any, tmp_path: Path, name: str) -> None:
    """It is refused at once, naming the host and what to do; nothing is recorded."""
    status, headers, body, asked, sent = CHALLENGES[name]
    url = tls_origin.on(f"{LLAMA}/v2/chains", {"status": status, "headers": headers, "body": body})
    line = refused(
        tmp_path / "w" / "c.json",
        lambda client: client.request("POST" if sent else "GET", url, json=sent, headers=asked),
    )
    assert line.startswith(f"{url}: api.llama.fi answers with a ") and "next: ask with the API's key" in line
    assert len(tls_origin.asked) == 1


@pytest.mark.parametrize(
    ("status", "headers", "body", "asked"),
    [
        (200, HTML, page("Aave explained"), {}),
        (200, HTML, page("What 'Just a moment...' means"), {"Accept": "text/html,application/json;q=0.5"}),
        (403, HTML, page("Forbidden"), {"Accept": "*/*"}),
        (404, HTML, page("Not found"), WANTS_JSON),
        (200, HTML, b'{"status": "1"}', WANTS_JSON),
        (200, {"Content-Type": "text/plain"}, b"Title: Just a moment...\n\n# Words", WANTS_JSON),
    ],
)
def test_a_genuine_page_is_recorded(
    tls_origin: Any, tmp_path: Path, status: int, headers: dict[str, str], body: bytes, asked: dict[str, str]
) -> None:
    """One that was asked for, an error page, JSON that is called HTML, and an article about challenges."""
    url = tls_origin.on(READER, {"status": status, "headers": headers, "body": body})
    with recorder(tmp_path / "c.json") as client:
        client.get(url, headers=asked)
    assert [(item.status, item.body) for item in Cassette.open(tmp_path / "c.json").interactions] == [(status, body)]


def raw(headers: str, body: bytes) -> bytes:
    return f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{headers}\r\n".encode() + body


def packed(codec: str, cut: int) -> dict[str, Any]:
    """A body that is whole to HTTP, and lacks its last ``cut`` bytes to its coding."""
    whole = gzip.compress(BODY, mtime=0) if codec == "gzip" else bytes(pa.compress(BODY, codec=codec, asbytes=True))
    coding = {"brotli": "br"}.get(codec, codec)
    return {"headers": {"Content-Encoding": coding}, "body": whole[:-cut]}


CUTS: dict[str, dict[str, Any]] = {
    "a length that is not reached": {"raw": raw("Content-Length: 5000\r\n", BODY), "goodbye": True},
    "a length that is not reached, without goodbye": {"raw": raw("Content-Length: 5000\r\n", BODY)},
    "chunks without their end": {"raw": raw("Transfer-Encoding: chunked\r\n", b"10\r\n" + BODY[:16] + b"\r\n")},
    "a chunk that is cut": {"raw": raw("Transfer-Encoding: chunked\r\n", b"ff\r\n" + BODY[:16]), "goodbye": True},
    "a body to the end of the connection, without goodbye": {"raw": raw("Connection: close\r\n", BODY)},
    "headers that are cut": {"raw": b"HTTP/1.1 200 OK\r\nContent-Le"},
    "no reply": {"raw": b""},
    "gzip without its end": packed("gzip", 9),
    "gzip without its check sum": packed("gzip", 1),
    "brotli without its end": packed("brotli", 1),
    "zstd without its end": packed("zstd", 3),
}


@pytest.mark.parametrize("name", CUTS)
def test_a_torn_reply_is_no_answer(tls_origin: Any, tmp_path: Path, name: str) -> None:
    """Half a body is told and not recorded, however it was torn."""
    url = tls_origin.on(f"{LLAMA}/tvl", CUTS[name])
    line = refused(tmp_path / "w" / "c.json", lambda client: client.get(url))
    torn = "does not answer" if name in ("headers that are cut", "no reply") else "cut short"
    assert torn in line and "api.llama.fi" in line


def test_a_body_to_the_end_of_the_connection_is_whole_after_a_goodbye(tls_origin: Any, tmp_path: Path) -> None:
    """TLS says where the connection ends on purpose, so such a body is recorded."""
    url = tls_origin.on(f"{LLAMA}/tvl", {"raw": raw("Connection: close\r\n", BODY), "goodbye": True})
    with recorder(tmp_path / "c.json") as client:
        client.get(url)
    assert [item.body for item in Cassette.open(tmp_path / "c.json").interactions] == [BODY]


@pytest.mark.parametrize(
    ("coding", "body"),
    [("gzip", b"plain words"), ("br", b"plain words that are long enough"), ("zstd", b"plain"), ("br", b"33"),
     ("compress", b"\x1f\x9d"), ("gzip", b"\xff\xfe")],
)  # fmt: skip
def test_a_body_that_is_not_what_it_says_is_no_answer(
    tls_origin: Any, tmp_path: Path, coding: str, body: bytes
) -> None:
    """On the wire nobody has decoded it yet, so text under a coding is a fault as well."""
    url = tls_origin.on(f"{LLAMA}/tvl", {"headers": {"Content-Encoding": coding}, "body": body})
    assert f"{url}: the reply's body" in refused(tmp_path / "w" / "c.json", lambda client: client.get(url))


@pytest.mark.parametrize(
    ("host", "words"),
    [("stranger.example", "unable to get local issuer"), ("misnamed.example", "Hostname mismatch"),
     ("expired.example", "certificate has expired")],
)  # fmt: skip
def test_a_host_that_cannot_show_who_it_is_is_asked_nothing(
    tls_origin: Any, tmp_path: Path, host: str, words: str
) -> None:
    """An unknown authority, another host's certificate and an old one: one line, and no request was sent."""
    tls_origin.on(f"https://{host}/a", {"body": b"{}"})
    line = refused(tmp_path / "w" / "c.json", lambda client: client.get(f"https://{host}/a?apikey=hush-hush"))
    assert f"the certificate of {host} is refused" in line and words in line and "hush" not in line
    assert tls_origin.asked == []


def test_without_the_tests_authority_no_host_is_trusted(
    tls_origin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's authorities know nothing of the tests' hosts: verification cannot be left out."""
    monkeypatch.delenv("SSL_CERT_FILE")
    url = tls_origin.on(f"{LLAMA}/tvl", {"body": b"{}"})
    assert "the certificate of api.llama.fi is refused" in refused(
        tmp_path / "w" / "c.json", lambda client: client.get(url)
    )


@pytest.mark.parametrize("content", [None, b"no certificate"])
def test_an_authority_that_cannot_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    """SSL_CERT_FILE that leads nowhere, or to no certificate, is the user's mistake; loopback needs none."""
    file = tmp_path / "authority.pem"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    with pytest.raises(BadInput, match="SSL_CERT_FILE names no file of certificates"):
        Recorder(tmp_path / "c.json", {}, allowed_hosts=HOSTS)
    Recorder(tmp_path / "c.json", {LLAMA: "http://127.0.0.1:9"})


def test_a_name_that_is_not_allowed_is_not_looked_up(tls_origin: Any, tmp_path: Path) -> None:
    """Nothing leaves the machine for it, not even a question to a name server."""
    line = refused(tmp_path / "w" / "c.json", lambda client: client.get("https://api.llama.fi.evil.example/tvl"))
    assert "nothing was sent" in line and tls_origin.resolved == []


def test_a_host_that_does_not_resolve_is_told_in_one_line(tls_origin: Any, tmp_path: Path) -> None:
    """An allowed name that leads nowhere."""
    (tmp_path / "w").mkdir()
    with (
        pytest.raises(BadInput, match=r"https://gone\.example does not answer: .*next: record again"),
        Recorder(tmp_path / "w" / "c.json", {}, allowed_hosts={"gone.example"}) as client,
    ):
        client.get("https://gone.example/a")
    assert tls_origin.resolved == ["gone.example"]

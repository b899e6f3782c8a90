"""Keys of vendors by what each takes them in: none comes into a file or a line, on whatever way it came here."""

from __future__ import annotations

import json
import subprocess
from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.cassette.cassette import Interaction, cassette_bytes
from caia_replay.cassette.explain import mask
from caia_replay.cassette.identity import identity
from caia_replay.cassette.vendor_key import places_of, vendors
from caia_replay.errors import BadInput, CaiaReplayError
from caia_replay.recording.import_vcr import import_vcr
from caia_replay.recording.into_world import import_har
from caia_replay.recording.record import Recorder
from caia_replay.recording.scrub import scrub_url
from caia_replay.recording.wire import place
from caia_replay.validation.lint import lint
from tests.loan_library import library
from tests.peer_python import brought_python

HEX = "0123456789abcdeffedcba9876543210"
MIXED = "Tk9fQ7zLmX4vB2nR8wY3hJ6pD1sGcA5e"

Asked = tuple[str, Mapping[str, str]]
"""An address and headers, with {} for the key."""

KINDS: dict[str, tuple[str, Asked]] = {
    "infura": (HEX, ("https://mainnet.infura.io/v3/{}", {})),
    "alchemy": (MIXED, ("https://eth-mainnet.g.alchemy.com/v2/{}/getNFTs", {})),
    "quicknode": (HEX + "01234567", ("https://cool-name.quiknode.pro/{}/", {})),
    "ankr": (HEX * 2, ("https://rpc.ankr.com/eth/{}", {})),
    "chainstack": (HEX, ("https://nd-123-456-789.p2pify.com/{}", {})),
    "getblock": (HEX, ("https://go.getblock.io/{}", {})),
    "blast": ("0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9", ("https://eth-mainnet.blastapi.io/{}", {})),
    "drpc": (MIXED, ("https://lb.drpc.org/ogrpc?network=ethereum&dkey={}", {})),
    "tenderly": (MIXED, ("https://mainnet.gateway.tenderly.co/{}", {})),
    "nodereal": (HEX, ("https://eth-mainnet.nodereal.io/v1/{}", {})),
    "moralis": (MIXED, ("https://deep-index.moralis.io/api/v2/block", {"X-API-Key": "{}"})),
    "thegraph": (HEX, ("https://gateway.thegraph.com/api/{}/subgraphs/id/x", {})),
    "covalent": (f"cqt_{MIXED}", ("https://api.covalenthq.com/v1/1/?key={}", {})),
    "etherscan": ("YJ4AQ7SW1TI4P5JSUPCJPWRV8U2GZQ3ZXN", ("https://api.etherscan.io/v2/api?apikey={}", {})),
    "llama": (MIXED, ("https://pro-api.llama.fi/{}/api/protocols", {})),
    "coingecko": (f"CG-{MIXED[:24]}", ("https://pro-api.coingecko.com/api/v3/ping", {"x-cg-pro-api-key": "{}"})),
    "finnhub": ("c0ffee1234567890abcd", ("https://finnhub.io/api/v1/quote?token={}", {})),
    "okx": (HEX, ("https://www.okx.com/api/v5/account", {"OK-ACCESS-KEY": "{}"})),
    "google": ("AIza" + (MIXED + "abc"), ("https://generativelanguage.googleapis.com/v1/models?key={}", {})),
    "openai": (f"sk-proj-{MIXED}", ("https://api.openai.com/v1/models", {"Authorization": "Bearer {}"})),
    "anthropic": (f"sk-ant-{MIXED}", ("https://api.anthropic.com/v1/messages", {"x-api-key": "{}"})),
    "telegram": (f"123456789:AA{MIXED}x", ("https://api.telegram.org/bot{}/getMe", {})),
}
"""A key of each vendor, and where that vendor takes it."""

PLACES = (
    *("itself", "bearer", "password", "cookie", "query", "form", "json", "reply", "reply json", "reply header"),
    *("redirect", "link", "fragment"),
)
"""Where else the same key stands in the exchange; "itself" is nowhere."""


def spellings(key: str) -> Iterator[bytes]:
    """The ways a key is written, found without the code under test."""
    yield from (key.encode(), quote(key, "").encode(), key.encode().hex().encode(), b64encode(f":{key}".encode())[2:-4])


def exchange(kind: str, where: str) -> Interaction:
    """A whole exchange as a client has it: the key where its vendor takes it, and in one place more."""
    key, (url, headers) = KINDS[kind]
    sent = {name.lower(): (value.format(key),) for name, value in headers.items()}
    url, method, body, reply, got = url.format(quote(key, ":")), "GET", b"", b'{"ok": true}', {}
    match where:
        case "bearer":
            sent |= {"authorization": (f"Bearer {key}",)}
        case "password":
            sent |= {"authorization": (f"Basic {b64encode(f'me:{key}'.encode()).decode()}",)}
        case "cookie":
            sent |= {"cookie": (f"session={key}",)}
        case "query":
            url += f"{'&' if '?' in url else '?'}access_token={quote(key, '')}"
        case "form":
            method, body = "POST", f"a=1&api_key={quote(key, '')}".encode()
        case "json":
            method, body = "POST", json.dumps({"a": [{"apiKey": key}]}).encode()
        case "reply":
            reply = f"<p>Your key is {key}</p>".encode()
        case "reply json":
            reply = json.dumps({"you": {"sent": f"https://h/?k={quote(key, '')}"}}).encode()
        case "reply header":
            got = {"x-your-key": (key,)}
        case "redirect":
            got = {"location": (url,)}
        case "link":
            got = {"link": (f'<{url}>; rel="next"',)}
        case "fragment":
            url += f"#access_token={quote(key, '')}"
    return Interaction(method, url, body, sent, 200, "OK", {"content-type": ("application/json",), **got}, reply)


def assert_nowhere(key: str, folder: Path, *lines: str) -> None:
    """No file, no name of a file and no line has the key."""
    held = [path.name.encode() + (path.read_bytes() if path.is_file() else b"") for path in folder.rglob("*")]
    for spelling in spellings(key):
        assert not any(spelling in one for one in (*held, *(line.encode() for line in lines))), spelling


def as_vcr(item: Interaction) -> dict[str, Any]:
    """The exchange as vcrpy's JSON has it, before anybody scrubbed it."""
    request = {"method": item.method, "uri": item.uri, "body": item.request_body.decode() or None}
    request["headers"] = {name: list(lines) for name, lines in item.request_headers.items()}  # type: ignore[assignment]
    reply = {"status": {"code": 200, "message": "OK"}, "headers": {n: list(v) for n, v in item.headers.items()}}
    return {
        "version": 1,
        "interactions": [{"request": request, "response": {**reply, "body": {"string": item.body.decode()}}}],
    }


def as_har(item: Interaction) -> dict[str, Any]:
    """The exchange as a browser exports it."""

    def listed(headers: Mapping[str, tuple[str, ...]]) -> list[dict[str, str]]:
        return [{"name": name, "value": value} for name, lines in headers.items() for value in lines]

    request = {"method": item.method, "url": item.uri, "headers": listed(item.request_headers)}
    if item.request_body:
        request |= {"postData": {"mimeType": "text/plain", "text": item.request_body.decode()}}
    response = {"status": 200, "headers": listed(item.headers), "content": {"text": item.body.decode()}}
    return {"log": {"entries": [{"startedDateTime": "2026-01-01T00:00:00Z", "request": request, "response": response}]}}


@pytest.mark.parametrize("where", [PLACES[0], *(pytest.param(one, marks=pytest.mark.check) for one in PLACES[1:])])
@pytest.mark.parametrize("kind", KINDS)
def test_no_key_comes_through_an_import(tmp_path: Path, kind: str, where: str) -> None:
    """From vcrpy's files and from HAR: what is written has no key, and what is said of a refusal has none."""
    key, item = KINDS[kind][0], exchange(kind, where)
    said: list[str] = []
    for name, make in (("a.json", as_vcr), ("a.har", as_har)):
        (tmp_path / name).write_text(json.dumps(make(item)))
        out = tmp_path / f"out-{name[2:]}"
        try:
            if name == "a.har":
                done = import_har(tmp_path / name, out)
                said += [*done.refused, *done.lines]
            else:
                said += [f"{one.refusal} {one.notes}" for one in import_vcr(tmp_path / name, out)]
        except CaiaReplayError as fault:
            said.append(str(fault))
        is_repeated = where.startswith("reply")
        assert is_repeated or list(out.rglob("*.json")), said
        assert not out.exists() or list(lint(next(out.rglob("*.json")))) == []
        (tmp_path / name).unlink()
    assert_nowhere(key, tmp_path, *said)


@pytest.mark.parametrize("where", PLACES)
def test_lint_tells_of_a_key_that_others_bring(tmp_path: Path, where: str) -> None:
    """A cassette of ours with an unscrubbed key has a finding, whoever's the key is, and the finding has no key."""
    for kind, (key, _) in KINDS.items():
        if not (KINDS[kind][1][0].count("{}") or where == "itself"):
            continue
        path = tmp_path / f"{kind}.json"
        path.write_bytes(cassette_bytes([exchange(kind, where)]))
        found = [finding.what for finding in lint(path)]
        assert any("not scrubbed" in one or "the shape of a key" in one for one in found), kind
        assert not any(spelling in line.encode() for line in found for spelling in spellings(key))


@pytest.mark.check
@pytest.mark.parametrize("kind", KINDS)
def test_no_key_comes_through_the_recorder(tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    """Asked in its vendor's own way and with it in each other place of a request, file and logs have it nowhere."""
    caplog.set_level(0)
    key = KINDS[kind][0]
    said = []
    for number, where in enumerate(PLACES):
        item = exchange(kind, where)
        origin = "/".join(item.uri.split("/")[:3])
        with library() as here:
            try:
                with Recorder(tmp_path / f"{number}.json", {origin: here}) as client:
                    headers = {name: lines[0] for name, lines in item.request_headers.items()}
                    client.request(item.method, item.uri.partition("#")[0], headers=headers, content=item.request_body)
                assert (tmp_path / f"{number}.json").is_file()
            except BadInput as fault:
                said.append(str(fault))
    assert_nowhere(key, tmp_path, *said, caplog.text)
    assert all("library" in line or "credential" in line for line in said)


@pytest.mark.parametrize("kind", KINDS)
def test_no_message_shows_the_key(kind: str) -> None:
    """Addresses in messages, misses and findings have a word in its place."""
    key, (url, _) = KINDS[kind]
    full = url.format(quote(key, ":"))
    shown = (place(full), mask(f"GET {full} was asked"), scrub_url(full), identity("GET", full).decode())
    assert not any(spelling in line.encode() for line in shown for spelling in spellings(key)), shown


@given(st.sampled_from(sorted(KINDS)), st.integers(1, 9))
def test_a_recording_answers_whatever_the_key(kind: str, by: int) -> None:
    """Two requests that differ in the key alone are one question, and what is scrubbed stays as it is."""
    key, (url, _) = KINDS[kind]
    other = "".join(str((int(letter) + by) % 10) if letter.isdigit() else letter for letter in key)
    assert other != key and identity("GET", url.format(key)) == identity("GET", url.format(other))
    assert scrub_url(scrub_url(url.format(key))) == scrub_url(url.format(key))


def test_every_vendor_says_where_that_is_written() -> None:
    """Each entry has a source, hosts in lower case, and something to know its keys by beside common names."""
    for one in vendors():
        assert one.source and one.hosts and all(host == host.lower() for host in one.hosts), one.name
        assert one.paths or one.names or one.shapes, one.name
    assert {one.kind for one in vendors()} == {"node", "market", "explorer", "model", "other"}
    assert places_of("infura.io.example") is None and places_of("notinfura.io") is None


@pytest.mark.check
def test_a_second_scanner_finds_nothing_in_what_is_written(tmp_path: Path) -> None:
    """detect-secrets, whose rules are not ours, finds keys in what is imported and none in what is written."""
    python = brought_python("secrets")
    found = {}
    for folder in ("in", "out"):
        (tmp_path / folder).mkdir()
    for kind in KINDS:
        (tmp_path / "in" / f"{kind}.json").write_text(json.dumps(as_vcr(exchange(kind, "itself"))))
        list(import_vcr(tmp_path / "in" / f"{kind}.json", tmp_path / "out"))
    for folder in ("in", "out"):
        command = [str(python), "-m", "detect_secrets", "scan", "--all-files", "."]
        told = subprocess.run(command, cwd=tmp_path / folder, capture_output=True, text=True, check=True).stdout
        found[folder] = json.loads(told)["results"]
    assert found["out"] == {} and found["in"]
    assert len(list((tmp_path / "out").iterdir())) == len(KINDS)

"""One key, planted in every place an exchange has: it never reaches the disk, however the place spells it."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from caia_replay.cassette.cassette import Cassette
from caia_replay.cassette.secret import SCRUBBED, SCRUBBED_BAD
from caia_replay.errors import BadInput
from caia_replay.recording.record import Recorder

LLAMA, GECKO = "https://api.llama.fi", "https://pro-api.coingecko.com"
KEY = 'Tk/9+fQ"7z&Lm Xé4-vB2=nR8'
"""Awkward on purpose: a letter or more of it changes in every spelling there is."""
HEADER_KEY = "Tk9fQ7zLmX4vB2nR8wY3"
JSON = {"Content-Type": "application/json"}
ESCAPED = "".join(f"\\u{ord(letter):04X}" for letter in KEY).encode()
LINES = [b64encode(b"x" * 40 + KEY.encode())[at : at + 20] for at in range(0, 100, 20)]


def spellings(key: str) -> Iterator[bytes]:
    """The ways a key is written, found without the code under test."""
    raw = key.encode()
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in key)
    percent = "".join(f"%{byte:02X}" for byte in raw)
    yield from (raw, raw.hex().encode(), raw.hex().upper().encode(), percent.encode(), percent.lower().encode())
    yield from (escaped.encode(), escaped.replace("\\", "\\\\").encode(), quote(key).encode(), quote(key, "").encode())
    yield from (json.dumps(key)[1:-1].encode(), json.dumps(json.dumps(key))[3:-3].encode(), key.encode("utf-16-le"))
    yield from (b64encode(before + raw)[len(before) * 4 // 3 + 1 : -4] for before in (b"", b"x", b"xy", b"user:"))
    yield "".join(f"&#{ord(letter)};" for letter in key).encode()


def assert_clean(folder: Path, key: str) -> None:
    """Neither a name nor a byte of what lies in ``folder`` has the key."""
    for path in folder.rglob("*"):
        held = path.name.encode() + b"\0" + (path.read_bytes() if path.is_file() else b"")
        found = [spelling for spelling in spellings(key) if spelling in held]
        assert not found, (path, found)


def recorder(folder: Path, **options: Any) -> Recorder:
    hosts = {"api.llama.fi", "pro-api.coingecko.com"}
    return Recorder(
        folder / "c.json", {}, allowed_hosts=hosts, pause_s=0.0, wait=lambda _: None, patience_s=9.0, **options
    )


ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "a header": ("GET", {"headers": {"x-cg-pro-api-key": HEADER_KEY}}),
    "a bearer's header": ("GET", {"headers": {"Authorization": f"Bearer {HEADER_KEY}"}}),
    "a cookie": ("GET", {"headers": {"Cookie": f"session={HEADER_KEY}; lang=en"}}),
    "a user's password": ("GET", {"auth": ("me", KEY)}),
    "a header of no known name": ("GET", {"headers": {"X-Client": HEADER_KEY}}),
    "the query": ("GET", {"params": {"q": "1", "apikey": KEY}}),
    "a form": ("POST", {"data": {"q": "1", "access_token": KEY}}),
    "json": ("POST", {"json": {"q": [1, {"api_key": KEY}]}}),
    "json with escapes": (
        "POST",
        {"content": b'{"api_key": "' + ESCAPED + b'"}'},
    ),
}


@pytest.mark.parametrize("place", ASKED)
def test_a_key_that_is_sent_is_scrubbed(tls_origin: Any, tmp_path: Path, place: str) -> None:
    """It reaches the host and not the file, where its word stands, good or bad; and a reply that holds it is found."""
    method, options = ASKED[place]
    key = HEADER_KEY if HEADER_KEY in repr(options) else KEY
    tls_origin.on(f"{LLAMA}/a", {"headers": JSON, "body": b"{}"})
    for bad, word in (({KEY, HEADER_KEY}, SCRUBBED_BAD), (set(), SCRUBBED)):
        with recorder(tmp_path, bad_keys=bad) as client:
            client.request(method, f"{LLAMA}/a", **options)
        text = (tmp_path / "c.json").read_text("utf-8")
        assert_clean(tmp_path, key)
        assert place == "a header of no known name" or word in text
        assert bad or SCRUBBED_BAD not in text
        (tmp_path / "c.json").unlink()
    tls_origin.on(f"{LLAMA}/a", {"headers": JSON, "body": json.dumps({"you": [f"sent {key}"]}).encode()})
    with pytest.raises(BadInput, match="credential") as caught, recorder(tmp_path) as client:
        client.request(method, f"{LLAMA}/a", **options)
    assert list(tmp_path.iterdir()) == [] and key not in str(caught.value)


REPLIES: dict[str, dict[str, Any]] = {
    "a page": {"body": f"<p>Your key is {KEY}.</p>".encode()},
    "a page with entities": {"body": "".join(f"&#x{ord(letter):x};" for letter in KEY).encode()},
    "a compressed page": {
        "headers": {"Content-Encoding": "gzip"},
        "body": gzip.compress(f"key {KEY}".encode(), mtime=0),
    },
    "a gzip file": {"body": gzip.compress(f"key {KEY}".encode(), mtime=0)},
    "json": {"headers": JSON, "body": json.dumps({"k": KEY}).encode()},
    "json in json": {"headers": JSON, "body": json.dumps({"k": json.dumps({"k": KEY})}).encode()},
    "json that escapes every letter": {"headers": JSON, "body": b'{"k": "' + ESCAPED + b'"}'},
    "an address in json": {"headers": JSON, "body": json.dumps({"next": f"https://h/?k={quote(KEY, '')}"}).encode()},
    "an address twice escaped": {"headers": JSON, "body": quote(quote(KEY, ""), "").encode()},
    "an address with small escapes": {"body": "".join(f"%{byte:02x}" for byte in KEY.encode()).encode()},
    "base64": {"body": b64encode(f"user:{KEY}".encode())},
    "base64 in lines": {"body": b"\r\n".join(LINES)},
    "base64 for addresses": {"body": b64encode(f"u:{KEY}".encode(), b"-_")},
    "hexadecimal": {"body": KEY.encode().hex().upper().encode()},
    "a binary file": {"body": b"\x89PNG\xff\x00" + KEY.encode() + b"\xfe"},
    "wide text": {"body": b"\xff\xfe" + f"key {KEY}".encode("utf-16-le")},
    "a header": {"headers": {"X-Your-Key": quote(KEY)}, "body": b"{}"},
    "a redirect's path": {"status": 302, "headers": {"Location": f"{GECKO}/keys/{quote(KEY, '')}"}},
}


@pytest.mark.parametrize("place", REPLIES)
def test_a_key_that_is_repeated_stops_the_writing(tls_origin: Any, tmp_path: Path, place: str) -> None:
    """A reply may not be changed, so it is refused: one line that does not hold the key, and no file."""
    tls_origin.on(f"{LLAMA}/a", REPLIES[place])
    with pytest.raises(BadInput, match="a credential of 25 characters") as caught, recorder(tmp_path) as client:
        client.get(f"{LLAMA}/a", params={"apikey": KEY})
    assert list(tmp_path.iterdir()) == [] and caught.value.exit_code == 2
    assert not any(spelling in str(caught.value).encode() for spelling in spellings(KEY))


def test_a_key_that_comes_in_a_header_of_the_moment_is_left_out(tls_origin: Any, tmp_path: Path) -> None:
    """Set-Cookie goes, the queries of Location and Link are scrubbed, and so is what a redirect then asks."""
    hop = f"{GECKO}/b?q=1&apikey={quote(KEY, '')}"
    headers = {"Set-Cookie": f"k={quote(KEY)}", "Location": hop, "Link": f'<{hop}>; rel="next", <{GECKO}/c>'}
    tls_origin.on(f"{LLAMA}/a", {"status": 307, "headers": headers})
    tls_origin.on(f"{GECKO}/b", {"headers": JSON, "body": b"{}"})
    with recorder(tmp_path) as client:
        client.get(f"{LLAMA}/a", params={"apikey": KEY}, follow_redirects=True)
    assert_clean(tmp_path, KEY)
    first = next(item for item in Cassette.open(tmp_path / "c.json").interactions if item.status == 307)
    assert first.headers["location"] == (f"{GECKO}/b?q=1&apikey={SCRUBBED}",)
    assert first.headers["link"] == (f'<{GECKO}/b?q=1&apikey={SCRUBBED}>; rel="next", <{GECKO}/c>',)


@pytest.mark.parametrize("listed", [True, False])
def test_a_key_in_the_path_is_refused(tls_origin: Any, tmp_path: Path, listed: bool) -> None:
    """Listed, because it is one; unlisted, because it looks like one; and what is no key may be said to be none."""
    url = tls_origin.on(f"{LLAMA}/v2/{HEADER_KEY}/price", {"headers": JSON, "body": b"{}"})
    with (
        pytest.raises(
            BadInput, match=r"credential|api\.llama\.fi/v2/\*\*\*/price holds what looks like a key"
        ) as caught,
        recorder(tmp_path, secrets={HEADER_KEY} if listed else set()) as client,
    ):
        client.get(url)
    assert list(tmp_path.iterdir()) == [] and HEADER_KEY not in str(caught.value)
    with recorder(tmp_path, harmless={HEADER_KEY}) as client:
        client.get(url)
    assert (tmp_path / "c.json").exists()


def test_a_refusal_that_is_not_kept_is_searched_for_its_key(tls_origin: Any, tmp_path: Path) -> None:
    """A key that was sent only with a request that had to be repeated is still a key."""
    tls_origin.on(f"{LLAMA}/a", {"status": 429, "body": b"slow"}, {"headers": JSON, "body": KEY.encode()})
    with pytest.raises(BadInput, match="credential"), recorder(tmp_path) as client:
        client.get(f"{LLAMA}/a", params={"apikey": KEY})
    assert list(tmp_path.iterdir()) == []


def test_a_key_in_the_name_of_the_file_is_refused(tls_origin: Any, tmp_path: Path) -> None:
    """No folder is made for it."""
    tls_origin.on(f"{LLAMA}/a", {"headers": JSON, "body": b"{}"})
    with pytest.raises(BadInput, match="the name of the cassette") as caught, recorder(tmp_path / HEADER_KEY) as client:
        client.get(f"{LLAMA}/a", headers={"x-api-key": HEADER_KEY})
    assert list(tmp_path.iterdir()) == [] and HEADER_KEY not in str(caught.value)

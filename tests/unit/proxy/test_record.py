"""Recording through the proxy's own parts, in this process: what is written, what is left out, and what is said."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import pytest

from caia_replay.errors import BadInput
from caia_replay.proxy.exchange import Asked
from caia_replay.proxy.record import RecordingAnswerer, require_new
from caia_replay.proxy.replay import ReplayAnswerer, open_folder
from caia_replay.proxy.told import secrets_in
from caia_replay.proxy.upstream import Upstream, ends_of
from tests.http_proxy import stand_in
from tests.tls_hosts import Received

HOST = "api.example.com"
AT = f"https://{HOST}"
_MIXED = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"
KINDS = {
    **{"gecko": "CG-{24}", "etherscan": "{34}", "openai": "sk-proj-{48}", "anthropic": "sk-ant-api03-{80}"},
    **{"github": "ghp_{36}", "fine": "github_pat_{59}", "slack": "xoxb-{40}", "google": "AIza{35}", "aws": "AKIA{16}"},
    **{"infura": "hex32", "alchemy": "{32}", "quicknode": "hex40", "ankr": "hex64", "binance": "{64}", "dune": "{32}"},
    **{"serper": "hex40", "moralis": "eyJ{60}", "stripe": "sk_live_{24}", "covalent": "cqt_{26}", "nansen": "{40}"},
}  # fmt: skip


def key_of(form: str, draw: Random) -> str:
    """A key of a vendor's form: a beginning and so many drawn letters and digits."""
    if form.startswith("hex"):
        return "".join(draw.choice("0123456789abcdef") for _ in range(int(form[3:])))
    start, _, count = form[:-1].partition("{")
    return start + "".join(draw.choice(_MIXED) for _ in range(int(count)))


def places(key: str) -> list[Asked]:
    """A request with the key in each of twelve places."""

    def one(path: str, *lines: tuple[str, str], body: str = "") -> Asked:
        return Asked("POST" if body else "GET", f"{AT}{path}", lines, body.encode())

    basic = b64encode(f"user:{key}".encode()).decode()
    return [
        one("/1", ("authorization", f"Bearer {key}")),
        one("/2", ("x-api-key", key)),
        one("/3", ("x-own-header", key)),
        one(f"/4?apikey={quote(key)}&a=1"),
        one(f"/5?x_access_token={quote(key)}"),
        one("/6", body=json.dumps({"apiKey": key})),
        one("/7", body=json.dumps({"auth": [{"client_secret": key}]})),
        one("/8", body=f"a=1&api_key={quote(key)}"),
        Asked("GET", f"https://user:{quote(key)}@{HOST}/9", (), b""),
        one("/10", ("cookie", f"session={key}")),
        one("/11", ("authorization", f"Basic {basic}")),
        one(f"/v3/{quote(key)}/12"),
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_is_written_nowhere(tmp_path: Path, kind: str) -> None:
    """A key of each vendor's form, in twelve places and repeated by a reply, is in no file, no name and no line."""
    key = key_of(KINDS[kind], Random(kind))

    def respond(asked: Received) -> dict[str, Any]:
        return {"body": f'{{"is": "{key if asked.url.endswith("/echo") else 1}"}}'.encode()}

    with stand_in(tmp_path, [HOST], respond) as options:
        upstream = Upstream(Path(options[1]), ends_of([options[3]]))
        recorder = RecordingAnswerer(upstream, secrets_in({"VENDOR_KEY": key}))
        for asked in (*places(key), Asked("GET", f"{AT}/echo", (("x-api-key", key),), b"")):
            assert recorder.answer(asked).status == 200
        upstream.close()
    done = recorder.write(tmp_path / "record")
    assert sum(done.files.values()) >= 11 and 1 <= len(done.left_out) <= 2, done
    player = ReplayAnswerer(open_folder(tmp_path / "record"))
    replies = [player.answer(asked) for asked in places(key)[:11]] + [
        player.answer(Asked("GET", f"{AT}/n/{key}", (), b""))
    ]
    assert [reply.status for reply in replies] == [200] * 11 + [501]
    shown = "\n".join(done.left_out) + "".join(str(path) for path in tmp_path.rglob("*"))
    kept = b"".join(path.read_bytes() for path in (tmp_path / "record").rglob("*.json"))
    for form in (key, b64encode(f"user:{key}".encode()).decode()):
        assert form not in shown and form.encode() not in kept


@pytest.mark.parametrize("text", ["", "a=b", "a:1=b", "a:0=b:1", ":1=b:1", "a:1=b:70000"])
def test_another_form_of_an_end_is_refused(text: str) -> None:
    """--connect-to takes a host and a port on both sides, and says so."""
    with pytest.raises(BadInput, match="HOST:PORT=ADDRESS:PORT"):
        ends_of([text])


def test_only_a_new_folder_is_written(tmp_path: Path) -> None:
    """An empty folder will do; a file, and a folder that holds anything, are refused."""
    (tmp_path / "empty").mkdir()
    require_new(tmp_path / "empty")
    (tmp_path / "file").write_text("mine")
    for place in (tmp_path, tmp_path / "file"):
        with pytest.raises(BadInput, match="nothing is written over"):
            require_new(place)

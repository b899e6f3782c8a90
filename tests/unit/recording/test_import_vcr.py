"""Other people's cassettes become ours: decoded, scrubbed, refused where they would not replay."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner
from vcr.serializers import yamlserializer

from caia_replay.cassette.cassette import Cassette
from caia_replay.cli import main
from caia_replay.errors import BadInput
from caia_replay.recording import import_vcr as module
from caia_replay.recording.import_vcr import import_vcr
from caia_replay.recording.scrub import find_secrets, scrub

KEY = "Zq81-not-a-real-key"
URL = "https://h.example/a"
CHAT = "https://api.example/v1/chat/completions"
SECRET = "Zq81-not-a-real-key-7Tp"
ASKED = {"model": "m-1", "messages": [{"role": "user", "content": "What?"}]}


def exchange(
    body: Any = "{}", *, asked: Any = ASKED, uri: str = CHAT, method: str = "POST", status: int = 200,
    sent: dict[str, list[str]] | None = None, headers: dict[str, list[str]] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """One exchange of a chat as vcrpy writes it."""
    request = {"method": method, "uri": uri, "headers": sent or {}}
    request["body"] = asked if asked is None or isinstance(asked, (str, bytes)) else json.dumps(asked)
    got = {"content-type": ["application/json"]} if headers is None else headers
    response = {"status": {"code": status, "message": "OK"}, "headers": got, "body": {"string": body}}
    return {"request": request, "response": response}


def _exchange(uri=URL, body="{}", sent=None, headers=None, asked=None, status=200, method="GET"):
    return exchange(body, asked=sent, uri=uri, method=method, status=status, sent=asked, headers=headers or {})


def written(path: Path, *exchanges: dict[str, Any]) -> Path:
    content = {"version": 1, "interactions": list(exchanges)}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content) if path.suffix == ".json" else yamlserializer.serialize(content), "utf-8")
    return path


def _run(*arguments):
    done = CliRunner().invoke(main, ["import", "vcr", *map(str, arguments)])
    return done.exit_code, done.stdout.splitlines(), done.stderr


def test_a_folder_becomes_our_cassettes(tmp_path, monkeypatch):
    """YAML and JSON, at any depth, under their own names; a change of body or question on the way is refused."""
    written(tmp_path / "in" / "a.yaml", _exchange(body="one"), _exchange(f"{URL}/2", "two"))
    written(tmp_path / "in" / "deep" / "b.json", _exchange(body="three"))
    (tmp_path / "in" / "LICENSE").write_text("words")
    code, lines, _ = _run(tmp_path / "in", "--out", tmp_path / "out")
    assert (code, lines) == (0, ["2 of 2 cassettes, 3 interactions"])
    made = sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*"))
    assert made == ["a.json", "deep/b.json"]
    assert [item.body for item in Cassette.open(tmp_path / "out" / "a.json").interactions] == [b"one", b"two"]
    path = written(tmp_path / "b" / "c.yaml", _exchange())
    for change, reason in (({"body": b"other"}, "does not replay to what was answered"),
                           ({"uri": f"{URL}/other"}, "would be another question")):  # fmt: skip
        monkeypatch.setattr(module, "scrub", lambda item, change=change: replace(scrub(item), **change))
        (outcome,) = import_vcr(path.parent, tmp_path / "none")
        assert reason in outcome.refusal and not (tmp_path / "none").exists()


def test_bodies_are_decoded_and_binary_ones_stand_beside(tmp_path, monkeypatch):
    """A coding goes with its headers, told where a recorder had decoded it; what is no text stands beside."""
    gzipped = {"Content-Encoding": ["gzip"], "Content-Length": ["9"], "Transfer-Encoding": ["chunked"], "X-A": ["b"]}
    brotli = {"content-encoding": ["br"], "date": ["Sat, 21 Nov 2026 12:00:00 GMT"]}
    zstd = brotli | {"content-encoding": ["zstd"]}
    text = '{"text": "that was decoded already"}'
    path = written(
        tmp_path / "c.yaml",
        _exchange(f"{URL}/1", gzip.compress(b"text"), headers=gzipped),
        _exchange(f"{URL}/2", gzip.compress(b"\xff\xd8"), headers=gzipped),
        _exchange(f"{URL}/3", "x", b"\xff\xfe", method="POST"),
        *(_exchange(f"{URL}/{codec}", pa.compress(b'{"a": 1}', codec=codec, asbytes=True), headers=headers)
          for codec, headers in (("brotli", brotli), ("zstd", zstd))),
        _exchange(f"{URL}/6", text, headers=brotli),
    )  # fmt: skip
    assert _run(path)[0] == 0 and list(tmp_path.iterdir()) == [path]
    (outcome,) = import_vcr(path, tmp_path / "out")
    assert outcome.notes == ("interaction 5: its body was decoded already, though a header says otherwise",)
    items = Cassette.open(tmp_path / "out" / "c.json").interactions
    found = {item.uri.removeprefix(f"{URL}/"): item for item in items}
    assert {name: (item.body, item.request_body) for name, item in found.items()} == {
        "1": (b"text", b""), "2": (b"\xff\xd8", b""), "3": (b"x", b"\xff\xfe"), "6": (text.encode(), b""),
        **dict.fromkeys(("brotli", "zstd"), (b'{"a": 1}', b"")),
    }  # fmt: skip
    for name, kept in (("1", {"x-a": ("b",)}), ("zstd", {"date": tuple(brotli["date"])})):
        assert dict(found[name].headers) == kept
    assert len(list((tmp_path / "out" / "bodies").iterdir())) == 2
    monkeypatch.setattr(module, "MAX_DECODED_BYTES", 10_000)
    small = gzip.compress(b"\0" * 4_000)
    exchanges = [_exchange(f"{URL}/{i}", small, headers={"content-encoding": ["gzip"]}) for i in range(3)]
    (two,) = import_vcr(written(tmp_path / "a.yaml", *exchanges[:2]), None)
    with pytest.raises(BadInput, match="interaction 2: its body decodes to more than"):
        list(import_vcr(written(tmp_path / "b.yaml", *exchanges), None))
    assert not two.refusal


def test_no_credential_comes_through(tmp_path):
    """Headers, query, JSON bodies, cookies, user and password are scrubbed; one that stays in a reply is refused."""
    written(
        tmp_path / "in" / "clean.yaml",
        _exchange(f"https://me:{KEY}@h.example/a?apikey={KEY}", sent=json.dumps({"apiKey": KEY}), method="POST",
                  asked={"Authorization": [f"Bearer {KEY}"], "Cookie": [KEY]}, headers={"Set-Cookie": [KEY]}),
    )  # fmt: skip
    written(tmp_path / "in" / "echo.yaml", _exchange(f"{URL}?apikey={KEY}", f"you sent {KEY}"))
    packed = _exchange(
        f"{URL}?apikey={KEY}", gzip.compress(b"\xff" + KEY.encode()), headers={"content-encoding": ["gzip"]}
    )
    written(tmp_path / "in" / "packed.yaml", packed)
    code, lines, errors = _run(tmp_path / "in", "--out", tmp_path / "out")
    assert code == 1 and lines[-1] == "1 of 3 cassettes, 1 interactions"
    refused = [line.partition(": refused: ") for line in lines[:-1]]
    assert [name for name, _, reason in refused if "credential" in reason] == ["echo.yaml", "packed.yaml"]
    assert [path.name for path in (tmp_path / "out").rglob("*")] == ["clean.json"]
    assert KEY not in (tmp_path / "out" / "clean.json").read_text() + "".join(lines) + errors
    assert list(find_secrets(Cassette.open(tmp_path / "out" / "clean.json"))) == []


@pytest.mark.parametrize("url", [f"ftp://h.example/a?apikey={KEY}", f"https://h.example:99999/?apikey={KEY}",
                                 f"https://[::1:::]/?apikey={KEY}", f"https://me:{KEY}@\u2100.example/",
                                 f"https://h.example/a\n?apikey={KEY}"])  # fmt: skip
def test_a_refused_url_is_not_shown(tmp_path, url):
    """The reason is told on one line, the URL and its credentials are not."""
    path = written(tmp_path / "two\nlines.yaml", _exchange(url))
    code, lines, errors = _run(path)
    assert code == 2 and not lines and "two lines.yaml: refused: interaction 0: " in errors and errors.count("\n") == 1
    assert KEY not in "".join(lines) + errors


def test_each_refusal_is_named_and_the_rest_is_imported(tmp_path):
    """A broken and an empty cassette, a linked one and a linked folder."""
    folder = tmp_path / "in"
    good = written(folder / "good.yaml", _exchange())
    (folder / "empty.yaml").touch()
    (folder / "broken.json").write_text('{"version": 1')
    (folder / "linked.yaml").symlink_to(good)
    (folder / "more").symlink_to(tmp_path, target_is_directory=True)
    code, lines, _ = _run(folder, "--out", tmp_path / "out")
    assert code == 1 and lines[-1] == "1 of 5 cassettes, 1 interactions"
    reasons = dict(line.split(": refused: ") for line in lines[:-1])
    for name, reason in {
        "empty.yaml": "is empty",
        "broken.json": "not a vcrpy",
        "linked.yaml": "a link",
        "more": "a link",
    }.items():
        assert reason in reasons.pop(name)
    assert not reasons and [path.name for path in (tmp_path / "out").iterdir()] == ["good.json"]


def test_nothing_is_written_over(tmp_path):
    """Neither a file that is there nor a cassette that this import has just written."""
    written(tmp_path / "in" / "c.json", _exchange(body="json"))
    written(tmp_path / "in" / "c.yaml", _exchange(body="yaml"))
    assert [bool(outcome.refusal) for outcome in import_vcr(tmp_path / "in", None)] == [False, True]
    assert _run(tmp_path / "in", "--out", tmp_path / "out")[0] == 1
    first = (tmp_path / "out" / "c.json").read_bytes()
    code, lines, _ = _run(tmp_path / "in", "--out", tmp_path / "out")
    assert code == 1 and lines[-1] == "0 of 2 cassettes, 0 interactions" and "nothing is written over" in lines[0]
    assert (tmp_path / "out" / "c.json").read_bytes() == first and b'"json"' in first

"""Other people's cassettes become ours: decoded, scrubbed, and refused where they would not replay."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from click.testing import CliRunner

from caia_replay.cassette.cassette import Cassette
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cli import main
from caia_replay.errors import BadInput
from caia_replay.recording import import_vcr as module
from caia_replay.recording.import_vcr import import_vcr
from caia_replay.recording.scrub import find_secrets, scrub

KEY = "Zq81-not-a-real-key"
URL = "https://h.example/a"


def _exchange(uri=URL, body="{}", sent=None, headers=None, asked=None, status=200, method="GET"):
    return {
        "request": {"method": method, "uri": uri, "body": sent, "headers": asked or {}},
        "response": {"status": {"code": status, "message": "OK"}, "headers": headers or {}, "body": {"string": body}},
    }


def _write(path: Path, *exchanges):
    value = {"version": 1, "interactions": list(exchanges)}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value) if path.suffix == ".json" else yaml.dump(value))
    return path


def _run(*arguments):
    done = CliRunner().invoke(main, ["import", "vcr", *map(str, arguments)])
    return done.exit_code, done.stdout.splitlines(), done.stderr


def test_a_folder_becomes_our_cassettes(tmp_path):
    """YAML and JSON, at any depth, under their own names; other files are left alone."""
    _write(tmp_path / "in" / "a.yaml", _exchange(body="one"), _exchange(f"{URL}/2", "two"))
    _write(tmp_path / "in" / "deep" / "b.json", _exchange(body="three"))
    (tmp_path / "in" / "LICENSE").write_text("words")
    code, lines, _ = _run(tmp_path / "in", "--out", tmp_path / "out")
    assert (code, lines) == (0, ["2 of 2 cassettes, 3 interactions"])
    written = sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*"))
    assert written == ["a.json", "deep/b.json"]
    assert [item.body for item in Cassette.open(tmp_path / "out" / "a.json").interactions] == [b"one", b"two"]


def test_bodies_are_decoded_and_binary_ones_stand_beside(tmp_path, monkeypatch):
    """A coding goes with its headers, told where a recorder had decoded it; what is no text stands beside."""
    gzipped = {"Content-Encoding": ["gzip"], "Content-Length": ["9"], "Transfer-Encoding": ["chunked"], "X-A": ["b"]}
    brotli = {"content-encoding": ["br"], "date": ["Sat, 21 Nov 2026 12:00:00 GMT"]}
    zstd = brotli | {"content-encoding": ["zstd"]}
    text = '{"text": "that was decoded already"}'
    path = _write(
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
    (two,) = import_vcr(_write(tmp_path / "a.yaml", *exchanges[:2]), None)
    with pytest.raises(BadInput, match="interaction 2: its body decodes to more than"):
        list(import_vcr(_write(tmp_path / "b.yaml", *exchanges), None))
    assert not two.refusal


def test_no_credential_comes_through(tmp_path):
    """Headers, query, JSON bodies, cookies, user and password are scrubbed; one that stays in a reply is refused."""
    _write(
        tmp_path / "in" / "clean.yaml",
        _exchange(f"https://me:{KEY}@h.example/a?apikey={KEY}", sent=json.dumps({"apiKey": KEY}), method="POST",
                  asked={"Authorization": [f"Bearer {KEY}"], "Cookie": [KEY]}, headers={"Set-Cookie": [KEY]}),
    )  # fmt: skip
    _write(tmp_path / "in" / "echo.yaml", _exchange(f"{URL}?apikey={KEY}", f"you sent {KEY}"))
    packed = _exchange(
        f"{URL}?apikey={KEY}", gzip.compress(b"\xff" + KEY.encode()), headers={"content-encoding": ["gzip"]}
    )
    _write(tmp_path / "in" / "packed.yaml", packed)
    code, lines, errors = _run(tmp_path / "in", "--out", tmp_path / "out")
    assert code == 1 and lines[-1] == "1 of 3 cassettes, 1 interactions"
    refused = [line.partition(": refused: ") for line in lines[:-1]]
    assert [name for name, _, reason in refused if "credential" in reason] == ["echo.yaml", "packed.yaml"]
    assert [path.name for path in (tmp_path / "out").rglob("*")] == ["clean.json"]
    assert KEY not in (tmp_path / "out" / "clean.json").read_text() + "".join(lines) + errors
    assert list(find_secrets(tmp_path / "out" / "clean.json")) == []


@pytest.mark.parametrize("url", [f"ftp://h.example/a?apikey={KEY}", f"https://h.example:99999/?apikey={KEY}",
                                 f"https://[::1:::]/?apikey={KEY}", f"https://me:{KEY}@\u2100.example/",
                                 f"https://h.example/a\n?apikey={KEY}"])  # fmt: skip
def test_a_refused_url_is_not_shown(tmp_path, url):
    """The reason is told on one line, the URL and its credentials are not."""
    path = _write(tmp_path / "two\nlines.yaml", _exchange(url))
    code, lines, errors = _run(path)
    assert code == 2 and not lines and "two lines.yaml: refused: interaction 0: " in errors and errors.count("\n") == 1
    assert KEY not in "".join(lines) + errors


def test_two_answers_become_a_sequence_and_are_told(tmp_path):
    """They play in recorded order and stay on the last; equal answers are no news; the report masks credentials."""
    path = _write(tmp_path / "c.yaml", *(_exchange(f"{URL}?apikey={KEY}", text) for text in ("one", "two", "two")),
                  _exchange(f"{URL}/b", "x"), _exchange(f"{URL}/b", "x"))  # fmt: skip
    code, lines, _ = _run(path, "--out", tmp_path / "out")
    assert code == 0 and lines == [
        f"c.yaml: 3 answers, 2 different, to one question become a sequence: GET {URL}?apikey=SCRUBBED",
        "1 of 1 cassettes, 5 interactions",
    ]
    recordings, cursor = Recordings([Cassette.open(tmp_path / "out" / "c.json")]), Cursor()
    assert [recordings.play("GET", f"{URL}?apikey=k", b"", cursor).body for _ in range(4)] == [b"one", *[b"two"] * 3]


def test_each_refusal_is_named_and_the_rest_is_imported(tmp_path):
    """A broken, an empty and an undecodable cassette, a linked one and a linked folder."""
    folder = tmp_path / "in"
    good = _write(folder / "good.yaml", _exchange())
    (folder / "empty.yaml").touch()
    (folder / "broken.json").write_text('{"version": 1')
    _write(folder / "brotli.yaml", _exchange(body=b"\xff", headers={"content-encoding": ["br"]}))
    _write(folder / "cut.yaml", _exchange(body=gzip.compress(b"text")[:-9], headers={"content-encoding": ["gzip"]}))
    _write(folder / "url.yaml", _exchange("ftp://h.example/a"))
    _write(folder / "status.yaml", _exchange(status=99))
    (folder / "linked.yaml").symlink_to(good)
    (folder / "more").symlink_to(tmp_path, target_is_directory=True)
    code, lines, _ = _run(folder, "--out", tmp_path / "out")
    assert code == 1 and lines[-1] == "1 of 9 cassettes, 1 interactions"
    reasons = dict(line.split(": refused: ") for line in lines[:-1])
    for name, reason in {
        "empty.yaml": "is empty", "broken.json": "not a vcrpy cassette", "brotli.yaml": "does not decode as br",
        "cut.yaml": "cut short", "url.yaml": "not an absolute http", "status.yaml": "status code is 99",
        "linked.yaml": "is a link", "more": "is a link",
    }.items():  # fmt: skip
        assert reason in reasons.pop(name)
    assert not reasons and [path.name for path in (tmp_path / "out").iterdir()] == ["good.json"]


def test_nothing_is_written_over(tmp_path):
    """Neither a file that is there nor a cassette that this import has just written; bad usage is exit code 2."""
    path = _write(tmp_path / "in" / "c.json", _exchange(body="json"))
    _write(tmp_path / "in" / "c.yaml", _exchange(body="yaml"))
    assert [bool(outcome.refusal) for outcome in import_vcr(tmp_path / "in", None)] == [False, True]
    assert _run(tmp_path / "in", "--out", tmp_path / "out")[0] == 1
    first = (tmp_path / "out" / "c.json").read_bytes()
    code, lines, _ = _run(tmp_path / "in", "--out", tmp_path / "out")
    assert code == 1 and lines[-1] == "0 of 2 cassettes, 0 interactions" and "nothing is written over" in lines[0]
    assert (tmp_path / "out" / "c.json").read_bytes() == first and b'"json"' in first
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="no such file"):
        list(import_vcr(tmp_path / "none", None))
    for arguments in ((tmp_path / "none",), (tmp_path / "empty",), (path, "--out", path), ()):
        code, lines, errors = _run(*arguments)
        assert (code, lines, len(errors.splitlines())) == (2, [], 1)


def test_what_would_not_replay_is_refused(tmp_path, monkeypatch):
    """A change of the body, or of the question, on the way into the file does not go unseen."""
    path = _write(tmp_path / "in" / "c.yaml", _exchange())
    for change, reason in (({"body": b"other"}, "does not replay to what was answered"),
                           ({"uri": f"{URL}/other"}, "would be another question")):  # fmt: skip
        monkeypatch.setattr(module, "scrub", lambda item, change=change: replace(scrub(item), **change))
        (outcome,) = import_vcr(path.parent, tmp_path / "out")
        assert reason in outcome.refusal and not (tmp_path / "out").exists()

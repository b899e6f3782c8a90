"""Cassettes that cannot be used, by way of the command line: one line on stderr, exit code 2, nothing written.

What can be read and is wrong is a finding of lint (exit code 1), and replays as it was recorded: the same answer twice
running says nothing new, but an API did say it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from caia_replay.cli import main
from caia_replay.store.world_folder import open_world, seal_world
from caia_replay.world.world import FrozenWorld

TASK = "mini6-base-fee-bound"
URL = "https://learn.protocolhandbook.example/fees/eip-1559"
CALL = ("call", "url_fetching", json.dumps({"url": URL}), "--task", TASK)
REPLAY = ("replay", "--runs", "1", "--model", "policy/oracle", "--task", TASK, "--out", "run")

Change = Callable[[bytes], bytes]


def edited(change: Callable[[dict[str, dict[str, object]]], object]) -> Change:
    """A change of the first interaction, as parsed JSON."""

    def apply(data: bytes) -> bytes:
        value = json.loads(data)
        change(value["interactions"][0])
        return json.dumps(value).encode()

    return apply


def replaced(old: bytes, new: bytes) -> Change:
    return lambda data: data.replace(old, new, 1)


YAML = b"version: 1\ninteractions: []\n"
BAD: dict[str, tuple[Change, str]] = {
    "empty": (lambda data: b"", "the cassette is empty"),
    "blank": (lambda data: b" \n\n", "the cassette is empty"),
    "version 2": (replaced(b'"version": 1', b'"version": 2'), "version is 2, not 1"),
    "version as text": (replaced(b'"version": 1', b'"version": "1"'), "version is '1', not 1"),
    "no version": (replaced(b'"version": 1', b'"versions": 1'), "version"),
    "cut in the middle": (lambda data: data[: len(data) // 2], "not a JSON cassette"),
    "cut by one byte": (lambda data: data.rstrip()[:-1], "not a JSON cassette"),
    "byte order mark": (lambda data: b"\xef\xbb\xbf" + data, "BOM"),
    "UTF-16": (lambda data: data.decode().encode("utf-16"), "not a JSON cassette: 'utf-8' codec can't decode"),
    "not UTF-8": (replaced(b'"OK"', b'"\xff"'), "not a JSON cassette: 'utf-8' codec can't decode"),
    "YAML": (lambda data: YAML, "not a JSON cassette"),
    "a list": (lambda data: b"[" + data + b"]", "the cassette is not an object"),
    "content encoding": (
        edited(lambda i: i["response"].update(headers={"Content-Encoding": ["zip"]})),
        "Content-Encoding",
    ),
    "encoded body": (
        edited(lambda i: i["response"].update(body={"base64_string": "eA==", "encoding": "zip"})),
        "reply body",
    ),
    "encoding beside": (edited(lambda i: i["response"].update(body={"string": "x", "encoding": "zip"})), "'encoding'"),
    "a key twice": (replaced(b'"version": 1', b'"version": 1, "version": 1'), "key 'version' appears twice"),
    "a key twice inside": (replaced(b'"status": {', b'"status": {"code": 200, '), "key 'code' appears twice"),
    "NaN": (replaced(b'"code": 200', b'"code": NaN'), "NaN is not a JSON number"),
}

QUICK = ("empty", "version 2", "cut in the middle", "not UTF-8", "encoded body", "a key twice", "NaN")
"""One of each sort; the others are told apart under make check."""


@pytest.fixture
def run(mini: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.chdir(mini)
    return lambda *arguments: CliRunner().invoke(main, list(map(str, arguments)))


def files(root: Path) -> dict[Path, bytes]:
    """Every file but the indexes, which are disposable."""
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and ".cache" not in path.parts}


def refused(done: Result, *words: object) -> None:
    """One line on stderr that holds the words, exit code 2."""
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1), (done.stdout, done.stderr)
    assert [str(word) for word in words if str(word) not in done.stderr] == [], done.stderr
    assert done.stderr[:-1].isprintable()


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.check) for name in BAD if name not in QUICK)]
)
def test_a_bad_cassette_in_a_world_is_one_line(mini: Path, run: Callable[..., Result], name: str) -> None:
    """Sealed as it is, so that only reading can tell: lint, call and replay name the file, and write nothing."""
    change, told = BAD[name]
    path = mini / "cassettes" / "mini-6" / "tasks" / TASK / "http.json"
    path.write_bytes(change(path.read_bytes()))
    seal_world(path.parents[2])
    before = files(mini)
    for command in (("lint",), CALL, REPLAY):
        refused(run(*command), path, told)
        assert files(mini) == before


@pytest.mark.parametrize("name", sorted(BAD.keys() - {"encoding beside"}))
def test_a_bad_cassette_is_not_imported(tmp_path: Path, run: Callable[..., Result], shipped: Path, name: str) -> None:
    """The same files under import: refused by name, and the folder to write to is not even made."""
    if name == "YAML":
        change: Change = lambda data: YAML + b"version: 1\n"  # of itself, YAML is what is imported  # noqa: E731
    else:
        change = BAD[name][0]
    path = tmp_path / "theirs.json"
    path.write_bytes(change((shipped / "tasks" / TASK / "http.json").read_bytes()))
    if name == "version as text":
        path.write_bytes(path.read_bytes().replace(b'"version": 1', b'"version": "1"'))
    done = run("import", "vcr", path, "--out", tmp_path / "out")
    refused(done, path, "refused: ")
    assert not (tmp_path / "out").exists()


def test_an_edit_by_hand_is_refused_by_every_command(mini: Path, run: Callable[..., Result]) -> None:
    """One letter of one answer: the seal tells, and says how to undo it or to accept it."""
    world = mini / "cassettes" / "mini-6"
    for path in (world / "http" / "pages.json", world / "tasks" / TASK / "http.json"):
        whole = path.read_bytes()
        path.write_bytes(whole.replace(b"12.5", b"13.5", 1).replace(b'"num', b'"nun', 1))
        assert path.read_bytes() != whole
        before = files(mini)
        for command in (("lint",), CALL, REPLAY, ("verify",)):
            refused(run(*command), path, "file differs from its seal", "git checkout", "lint --seal")
            assert files(mini) == before
        path.write_bytes(whole)


def test_the_same_interaction_twice_running_is_a_finding_and_still_plays(
    mini: Path, run: Callable[..., Result]
) -> None:
    """It can be read, so lint's exit code is 1; replay serves it once and again."""
    path = mini / "cassettes" / "mini-6" / "http" / "pages.json"
    value = json.loads(path.read_bytes())
    value["interactions"].insert(0, value["interactions"][0])
    path.write_text(json.dumps(value))
    seal_world(path.parents[1])
    done = run("lint")
    assert (done.exit_code, done.stderr) == (1, "1 finding\n")
    assert f"{path}: the same answer twice running: GET https://r.jina.ai/" in done.stdout
    assert run(*CALL).exit_code == 0


def test_the_index_of_another_cassette_is_refused_by_lint_and_healed_by_replay(
    mini: Path, run: Callable[..., Result]
) -> None:
    """lint says which file to remove; a call makes it anew and answers; then lint is content."""
    world, other = mini / "cassettes" / "mini-6", mini / "cassettes" / "other"
    shutil.copytree(world, other)
    (other / "http" / "pages.json").write_text('{"version": 1, "interactions": []}')
    seal_world(other)
    for folder in (world, other):
        with FrozenWorld(open_world(str(folder))):
            pass
    (place,), (foreign,) = ((mini / ".cache" / "http").glob(f"{name}-*") for name in ("mini-6", "other"))
    shutil.rmtree(other)
    shutil.copy(foreign, place)
    before = place.read_bytes()
    refused(run("lint"), place, "made of other cassettes", f"next: rm {place}")
    assert place.read_bytes() == before
    assert json.loads(run(*CALL).stdout)["served"] == "HIT"
    assert place.read_bytes() != before and run("lint").exit_code == 0


def test_an_unknown_charset_changes_no_byte(tmp_path: Path, run: Callable[..., Result]) -> None:
    """A charset is the client's business: what was sent is kept, as it was sent."""
    value = {"version": 1, "interactions": [{
        "request": {"method": "GET", "uri": "https://h.example/", "body": None, "headers": {}},
        "response": {"status": {"code": 200, "message": "OK"}, "headers": {"Content-Type": ["text/html; charset=zip"]},
                     "body": {"string": "\u00e9"}},
    }]}  # fmt: skip
    (tmp_path / "c.json").write_text(json.dumps(value))
    assert run("import", "vcr", tmp_path / "c.json", "--out", tmp_path / "out").exit_code == 0
    kept = json.loads((tmp_path / "out" / "c.json").read_bytes())["interactions"][0]["response"]
    assert (kept["body"], kept["headers"]) == ({"string": "\u00e9"}, {"content-type": ["text/html; charset=zip"]})

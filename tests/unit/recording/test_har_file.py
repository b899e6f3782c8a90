"""HAR files, as browsers export them: what is taken, what is refused by name, and what a hostile one does."""

from __future__ import annotations

import copy
import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from caia_replay.cassette.cassette import Cassette
from caia_replay.core.provider import HttpRequest
from caia_replay.core.tool import Served
from caia_replay.errors import BadInput
from caia_replay.recording.har_file import MAX_ENTRIES, read_har
from caia_replay.recording.into_world import import_har
from caia_replay.store.world_folder import open_world, seal_world
from caia_replay.world.world import FrozenWorld
from tests.cli_shell import Shell
from tests.loan_library import ORIGIN, write_world

WHEN = "2023-11-14T22:00:00.000+00:00"


def entry(path: str = "/loans/7", text: str | None = '{"title": "Emma"}', **response: Any) -> dict[str, Any]:
    """One entry of the library's API."""
    content = {"size": 17, "mimeType": "application/json", **({} if text is None else {"text": text})}
    return {
        "startedDateTime": WHEN,
        "request": {"method": "GET", "url": f"{ORIGIN}{path}", "headers": [{"name": ":path", "value": path}]},
        "response": {"status": 200, "statusText": "OK", "headers": [], "content": content, **response},
    }


def har(path: Path, *entries: Any) -> Path:
    """A file with these entries."""
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}))
    return path


def posted(**data: Any) -> dict[str, Any]:
    made = entry("/search")
    made["request"] |= {"method": "POST", "postData": data}
    return made


EMMA = b'{"title": "Emma"}'
PIXELS = b"\x89PNG\xff\x00\xfe"
TAKEN: dict[str, tuple[dict[str, Any], Any]] = {
    "text": (entry(), (200, EMMA, b"")),
    "compressed on the way": (entry(headers=[{"name": "Content-Encoding", "value": "br"}]), (200, EMMA, b"")),
    "base64": (entry(content={"text": b64encode(b"hello").decode(), "encoding": "base64"}), (200, b"hello", b"")),
    "binary": (entry(content={"text": b64encode(PIXELS).decode(), "encoding": "base64"}), (200, PIXELS, b"")),
    "redirect": (entry(text=None, status=302, headers=[{"name": "Location", "value": "/x"}]), (302, b"", b"")),
    "empty": (entry(content={"size": 0}), (200, b"", b"")),
    "json that was sent": (posted(mimeType="application/json", text='{"a":1}'), (200, EMMA, b'{"a":1}')),
    "form that was sent": (
        posted(mimeType="application/x-www-form-urlencoded", params=[{"name": "a b", "value": "c&d"}]),
        (200, EMMA, b"a+b=c%26d"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_each_form_of_an_exchange_is_taken_whole(tmp_path: Path, name: str) -> None:
    """Status and decoded bytes as the browser had them; a reply without a Date has that of its entry."""
    given, (status, body, asked) = TAKEN[name]
    done = import_har(har(tmp_path / "a.har", given), tmp_path / "out")
    (item,) = Cassette.open(done.path).interactions
    assert (item.status, item.body, item.request_body, done.refused) == (status, body, asked, ())
    assert item.headers["date"] == ("Tue, 14 Nov 2023 22:00:00 GMT",) and "content-encoding" not in item.headers


def changed(**request: Any) -> dict[str, Any]:
    made = entry()
    made["request"] |= request
    return made


REFUSED: dict[str, tuple[Any, str]] = {
    "a socket": (changed(url="wss://a.example/s"), "a WebSocket to a.example"),
    "a socket over http": ({**entry(), "_webSocketMessages": []}, "a WebSocket"),
    "events": (entry(content={"text": "data: 1", "mimeType": "text/event-stream"}), "a stream of events"),
    "no body": (entry(text=None), "its body of 17 bytes is not in the file"),
    "blocked": (entry(status=0), "status 0 is no answer"),
    "bad base64": (entry(content={"text": "a*b", "encoding": "base64"}), "and is not"),
    "another encoding": (entry(content={"text": "x", "encoding": "rot13"}), "rot13"),
    "an extension": (changed(url="chrome-extension://x/y"), "is no web address"),
    "a broken address": (changed(url="https://[/?apikey=Tk9fQ7zLmX4vB2nR8wY3"), "cannot be taken apart"),
    "a file that was sent": (posted(mimeType="multipart/form-data", params=[]), "is not in the file as text"),
    "half a letter": (entry(text="\ud800"), "surrogate"),
    "no moment": ({**entry(), "startedDateTime": "soon"}, "says when it was made"),
    "a number": (7, "no table"),
    "headers that are none": (entry(headers=7), "no list"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_har_has_not_whole_is_refused_by_name(tmp_path: Path, name: str) -> None:
    """One line that names the entry and the reason, and no key; the others are taken."""
    given, why = REFUSED[name]
    done = import_har(har(tmp_path / "a.har", given, entry("/loans/8")), tmp_path / "out")
    (line,) = done.refused
    assert line.startswith("entry 0") and why in line and "Tk9f" not in line and "\n" not in line
    assert [item.uri for item in Cassette.open(done.path).interactions] == [f"{ORIGIN}/loans/8"]


HOSTILE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "not a HAR"),
    "no json": (b"<html>", "not a HAR"),
    "no log": (b'{"a": 1}', "log.entries"),
    "a list": (b"[]", "log.entries"),
    "a key twice": (b'{"log": {"entries": [], "entries": []}}', "not a HAR"),
    "deep": (b'{"log":' + b"[" * 100_000, "nested"),
    "wide text": (json.dumps({"log": {"entries": []}}).encode("utf-16"), "not a HAR"),
    "latin": (b'{"log": "\xe9"}', "not a HAR"),
    "no entries": (b'{"log": {"entries": []}}', "no entries"),
    "too many": (b'{"log":{"entries":[' + b",".join([b"1"] * (MAX_ENTRIES + 1)) + b"]}}", "more than"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_one_line(tmp_path: Path, shell: Shell, name: str) -> None:
    """Exit code 2, one line with the file's name, and nothing written."""
    data, why = HOSTILE[name]
    (tmp_path / "a.har").write_bytes(data)
    code, out, err = shell("import", "har", tmp_path / "a.har", "--out", tmp_path / "out")
    assert (code, out, err.count("\n")) == (2, "", 1) and why in err and "a.har" in err
    assert not (tmp_path / "out").exists()


def test_a_file_of_many_gigabytes_is_not_read(tmp_path: Path) -> None:
    """Its size is looked at first; a folder and a link to nothing are refused as well."""
    big = tmp_path / "big.har"
    with big.open("wb") as file:
        file.truncate(10 * 2**30)
    with pytest.raises(BadInput, match="has more than"):
        read_har(big)
    for name in (tmp_path, tmp_path / "none.har"):
        with pytest.raises(BadInput, match=r"cannot be read|plain"):
            read_har(name)


def test_it_goes_into_a_world_at_its_moment(tmp_path: Path) -> None:
    """The world is sealed again, its tasks are told what they are served, and nothing is written over."""
    world = write_world(tmp_path)
    seal_world(world)
    later = {**copy.deepcopy(entry("/loans/8")), "startedDateTime": "2024-01-01T00:00:00Z"}
    file = har(tmp_path / "my loans.har", entry(), later, changed(url="https://other.example/"))
    done = import_har(file, world, ["api.library.example"])
    assert done.path == world / "http" / "my-loans.json" and done.interactions == 2
    assert "oldest at 2023-11-14 22:13:20Z: 1 of 2 requests are served" in done.lines
    assert any("/loans/8" in line and "after the task's moment" in line for line in done.lines)
    folder = open_world(str(world))
    with FrozenWorld(folder) as frozen:
        reply, served = frozen.task(folder.task("oldest")).answer(HttpRequest("GET", f"{ORIGIN}/loans/7"))
    assert (reply.body, served) == (b'{"title": "Emma"}', Served.HIT)
    with pytest.raises(BadInput, match="nothing is written over"):
        import_har(file, world)
    with pytest.raises(BadInput, match="no entry is of"):
        import_har(file, tmp_path / "out", ["api.libary.example"])

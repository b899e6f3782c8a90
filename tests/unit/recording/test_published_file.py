"""A published folder read as a stranger's: what it may say, and what is refused in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.errors import BadInput
from caia_replay.recording.publish import publish
from caia_replay.recording.published_file import (
    FORM,
    PublishedAnswer,
    PublishedCassette,
    cassette_form,
    kind_of,
    read_published,
)
from tests.published_world import OWN, SHARED, small_world

PAGES = "http/pages.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A published folder, to be damaged."""
    return publish(small_world(tmp_path), tmp_path / "pub").path


def edit(path: Path, change: Callable[[Any], object]) -> None:
    value = json.loads(path.read_bytes())
    change(value)
    path.write_text(json.dumps(value))


def test_what_is_read_is_what_was_written(folder: Path) -> None:
    """Each answer with the digest and length of its body, in the file's order, and no body; binary requests too."""
    found = read_published(folder)
    answers = found.cassettes[PAGES].answers
    assert sorted(answers, key=repr) == sorted(map(PublishedAnswer.of, SHARED), key=repr)
    assert all(answer.item.body == b"" for answer in answers) and {answer.size_bytes for answer in answers} > {5, 6}
    assert cassette_form(found.cassettes[PAGES]) == (folder / PAGES).read_bytes()
    assert found.contents.files["tasks/t-one/task.toml"].kind == "withheld"
    item = replace(OWN[1], request_body=b"\xff\x00binary", body=b"secret sauce")
    form = cassette_form(PublishedCassette((PublishedAnswer.of(item),), 3))
    (folder / PAGES).write_bytes(form)
    again = read_published(folder).cassettes[PAGES]
    assert again.answers[0].item.request_body == b"\xff\x00binary" and again.withheld == 3 and b"sauce" not in form


@pytest.mark.parametrize(
    ("name", "kind"),
    [("http/a.json", "cassette"), ("tasks/x/moment.json", "cassette"), ("tasks/x/pool.json", "copied"),
     ("http/playback.toml", "copied"), ("targets.toml", "copied"),
     ("tasks/x/bodies/" + "a" * 64 + ".bin", "body"), ("notes.txt", "left-out"),
     ("tasks/../http.json", "left-out"), ("http/.a.json", "left-out"), ("/etc/world.toml", "left-out")],
)  # fmt: skip
def test_a_file_has_the_kind_of_its_place(name: str, kind: str) -> None:
    """Places that a world does not have are left out."""
    assert kind_of(name) == kind


def listed(name: str, kind: str) -> Callable[[Any], object]:
    return lambda value: value["files"].update({name: {"digest": "sha256:" + "0" * 64, "kind": kind}})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (listed("../../escape.json", "cassette"), "no place of a cassette"),
        (listed("/etc/passwd", "copied"), "no place of a copied"),
        (listed("http/../../x.json", "cassette"), "no place of a cassette"),
        (listed("tasks/x/task.toml", "elsewhere"), "not one of"),
        (lambda value: value.update(version=2), "version is 2"),
        (lambda value: value.update(world="../x"), "cannot name a world"),
        (lambda value: value.update(extra=1), "unknown field"),
        (lambda value: value.update(seal="sha256:short"), "no digest"),
        (lambda value: value.update(chains={"../mini": "sha256:" + "0" * 64}), "no name of a chain"),
        (lambda value: value.update(chain_files={"mini": {}}), "no chain of the world"),
        (lambda value: value.update(chains={"m": "sha256:" + "0" * 64},
                                    chain_files={"m": {"../a": "sha256:" + "0" * 64}}), "no file of a chain"),
        (lambda value: value["files"].update(
            {f"http/{n}.json": {"digest": "sha256:" + "0" * 64, "kind": "body"} for n in range(20_001)}), "more than"),
        (lambda value: value.update(files=[]), "not a table"),
    ],
)  # fmt: skip
def test_contents_of_a_stranger_are_checked(folder: Path, change: Callable[[Any], object], words: str) -> None:
    """Each fault is one line that names the file."""
    edit(folder / FORM, change)
    with pytest.raises(BadInput, match=words) as caught:
        read_published(folder)
    assert FORM in str(caught.value)


def first(**fields: Any) -> Callable[[Any], object]:
    def change(value: Any) -> None:
        for name, told in fields.items():
            part, _, field = name.partition("_")
            value["interactions"][0][part][field] = told

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (first(request_uri="file:///etc/passwd"), "URL"),
        (first(request_uri="https://user:hunter2hunter2@r.jina.ai/x"), "scrubbed recording does not"),
        (first(request_uri="https://r.jina.ai/x?apikey=abcdefgh12345"), "scrubbed recording does not"),
        (first(request_uri="https://[::1/x"), "URL"),
        (first(request_headers={"cookie": ["a=b"]}), "scrubbed recording does not"),
        (first(request_headers={"host": ["127.0.0.1"]}), "scrubbed recording does not"),
        (first(request_key="good"), "its headers say absent"),
        (first(request_body={"base64": "!!!"}), "no base64"),
        (first(request_body={"base64": "YWJj"}), "body is text"),
        (first(request_body={"file": "bodies/x"}), "unknown field|lacks the field"),
        (first(request_method="GET\r\nX: y"), "method|HTTP"),
        (first(reply_bytes=-1), "digest and length"),
        (first(reply_bytes=10**12), "digest and length"),
        (first(reply_sha256="sha256:0"), "digest and length"),
        (first(reply_body="hidden"), "unknown field 'body'"),
        (first(reply_status={"code": 900, "message": ""}), "status code"),
        (lambda value: value.update(withheld=-1), "no published cassette"),
        (lambda value: value.update(interactions={}), "no published cassette"),
        (lambda value: value["interactions"].append(7), "not an object"),
    ],
)
def test_a_cassette_of_a_stranger_is_checked(folder: Path, change: Callable[[Any], object], words: str) -> None:
    """What a scrubbed recording of ours could not hold is refused, and no credential is repeated."""
    edit(folder / PAGES, change)
    with pytest.raises(BadInput, match=words) as caught:
        read_published(folder)
    assert "hunter2" not in str(caught.value) and "abcdefgh" not in str(caught.value)


@pytest.mark.parametrize("name", [FORM, PAGES])
def test_bytes_of_any_kind_end_in_one_line(folder: Path, tmp_path: Path, name: str) -> None:
    """Cut, empty, nested without end, not UTF-8, repeated keys, a link: never another error."""
    path = folder / name
    whole = path.read_bytes()
    cut = whole[: len(whole) // 2]
    for data in (b"", cut, b"[" * 10_000, b"\xff" + whole, b'{"a":1,"a":2}', b"null", b'"\\ud800"'):
        path.write_bytes(data)
        with pytest.raises(BadInput):
            read_published(folder)
    (tmp_path / "elsewhere").write_bytes(whole)
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match="is a link"):
        read_published(folder)


def test_a_publication_is_whole_as_it_was_sealed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copied file that was edited since, more answers than the form allows, and a folder elsewhere are refused."""
    assert b"small" in read_published(folder).copied("world.toml")
    (folder / "world.toml").write_text("id = 'other'")
    with pytest.raises(BadInput, match="was changed since it was published"):
        read_published(folder).copied("world.toml")
    with monkeypatch.context() as patch:
        patch.setattr("caia_replay.recording.published_file.MOST_INTERACTIONS", len(SHARED) + len(OWN) - 1)
        with pytest.raises(BadInput, match="more answers than"):
            read_published(folder)
    (folder / "http").rename(tmp_path / "elsewhere")
    (folder / "http").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match="is a link"):
        read_published(folder)

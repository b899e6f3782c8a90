"""Answers of now held against recorded ones, field by field, and the file that names what may differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.recordings import Recordings
from caia_replay.errors import BadInput
from caia_replay.proxy.refresh import drift
from caia_replay.recording.field_change import Volatile, read_volatile

URL = "https://api.example.com/coins"


def said(body: str, status: int = 200, url: str = URL) -> Interaction:
    return Interaction("GET", url, b"", {}, status, "", {}, body.encode())


def found(
    old: list[Interaction], now: list[Interaction], *volatile: Volatile
) -> tuple[list[str], list[str], int, int, int]:
    """Changed, added, same, volatile, unasked."""
    one = drift(Recordings([Cassette("made", "", tuple(old))]), now, volatile)
    return one.changed, one.added, one.same, one.volatile, one.unasked


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        ([said('{"a": {"b": [1, 2]}}')], [said('{"a": {"b": [1, 3]}}')], "body.a.b.1 2 -> 3"),
        ([said('{"a": 1}')], [said('{"a": 1, "c": null}')], "body.c none -> null"),
        ([said("1")], [said("1", 404)], "status 200 -> 404"),
        ([said("words")], [said("other words")], "body words -> other words"),
        ([said("1"), said("2")], [said("1")], "answers 2 -> 1"),
    ],
    ids=["item", "member", "status", "text", "count"],
)
def test_each_difference_is_a_field(before: list[Interaction], now: list[Interaction], told: str) -> None:
    """A changed answer is told with the field, the old value and the new one."""
    assert found(before, now) == ([f"GET {URL}: {told}"], [], 0, 0, 0)


def test_what_is_the_same_new_or_unasked_is_counted() -> None:
    """A question that was not recorded is new, one that is not asked now is counted, an equal answer is the same."""
    old = [said("1"), said("2", url=f"{URL}/old")]
    assert found(old, [said("1"), said("3", url=f"{URL}/new")]) == ([], [f"GET {URL}/new"], 1, 0, 1)


@pytest.mark.parametrize(
    ("path", "is_told"), [("*", False), ("/coins", False), ("/other", True)], ids=["all", "own", "other"]
)
def test_a_volatile_field_may_differ(path: str, is_told: bool) -> None:
    """Where its host and path are, and only as long as no other field differs."""
    rule = Volatile("api.example.com", path, ("body.*.at",))
    assert bool(found([said('{"x": {"at": 1}}')], [said('{"x": {"at": 2}}')], rule)[0]) is is_told
    both = found([said('{"x": {"at": 1, "n": 1}}')], [said('{"x": {"at": 2, "n": 2}}')], rule)[0]
    assert ("body.x.at" in both[0]) is is_told and "body.x.n 1 -> 2" in both[0]


@pytest.mark.parametrize(
    "text",
    [
        "[[volatile]]\nfields = 'a'\nwhy = 'b'",
        "[[volatile]]\nfields = ['a']",
        "[[volatil]]\n",
        "x = [",
        "[[volatile]]\nfeilds = []",
    ],
    ids=["text", "reason", "name", "broken", "key"],
)
def test_another_form_is_refused(tmp_path: Path, text: str) -> None:
    """A file that is none of these lists ends in one line that names it; no file names nothing."""
    assert read_volatile(tmp_path) == ()
    (tmp_path / "volatile.toml").write_text(text, "utf-8")
    with pytest.raises(BadInput, match=r"volatile\.toml"):
        read_volatile(tmp_path)

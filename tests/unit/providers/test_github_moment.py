"""Moments in GitHub's bodies, and recordings that tell what is the case at one."""

from __future__ import annotations

from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.providers.github_moment import is_current, is_of_later, moment_of, says_later

NOW = 1_715_000_000  # 2024-05-06T12:53:20Z
SOON = "2024-05-06T12:53:21Z"


def said(body: Any, at: int | None = NOW + 600, **headers: str) -> Recorded:
    """A recorded reply; a body that is no bytes is sent as JSON."""
    dated = {} if at is None else {"date": formatdate(at, usegmt=True)}
    content = body if isinstance(body, bytes) else canonical_bytes(body)
    return Recorded(
        HttpRequest("GET", "https://api.github.com/repos/a/b"), HttpReply(200, {**dated, **headers}, content)
    )


def test_moments_need_a_zone() -> None:
    """A date alone, or a time without its zone, is the vendor's to read."""
    assert moment_of("2024-05-06T12:53:20Z") == moment_of("2024-05-06T14:53:20+02:00") == NOW
    assert moment_of("2024-05-06T12:53:20") is moment_of("2024-05-06") is moment_of(None) is moment_of("") is None
    assert moment_of([1]) is moment_of("9" * 30) is None


def test_a_recording_of_now_tells_what_is_the_case() -> None:
    """Within a quarter of an hour of its Date; without one, or at another time, it does not."""
    assert all(is_current(said({"id": 1}, NOW + off), NOW) for off in (-900, 0, 900))
    assert not any(is_current(said({"id": 1}, at), NOW) for at in (NOW - 901, NOW + 901, None))


@pytest.mark.parametrize("stamp", [SOON, "2024-05-06 12:53:21+00:00", "2024-05-06T12:53:21", "2024-05-07",
                                   "2024-05-06T12:53:20.5Z"])  # fmt: skip
def test_a_stamp_of_later_makes_it_one_of_later(stamp: str) -> None:
    """Deep in the body, in any spelling; by its last change too. One of now does not, nor any text that is no stamp."""
    for name in ("updated_at", "pushed_at", "date"):
        assert not is_current(said({"a": [{"b": {name: stamp}}]}), NOW)
        assert is_current(said({"a": [{"b": {name: "2024-05-06T12:53:20Z"}}]}), NOW)
    assert not is_current(said({}, **{"last-modified": formatdate(NOW + 1, usegmt=True)}), NOW)
    assert is_current(said({}, **{"last-modified": formatdate(NOW, usegmt=True)}), NOW)


def test_what_is_told_beforehand_is_no_stamp() -> None:
    """Ends, due dates, words in a text; and a commit's date in a recording of before, whose author's clock is wrong."""
    ahead = {
        "expires_at": SOON,
        "due_on": SOON,
        "body": f'{{"updated_at": "{SOON}"}}',
        "closed_at": None,
        "x_at": "soon",
    }
    assert is_current(said(ahead), NOW)
    dated = {"commit": {"committer": {"date": SOON}}}
    assert is_current(said(dated, NOW), NOW) and not is_current(said(dated, NOW + 1), NOW)
    assert not is_current(said({"updated_at": SOON}, NOW - 1), NOW)


def test_other_spellings_of_the_same_json_are_read() -> None:
    """Names and digits that are escaped, spaces, another encoding; what is no JSON has no stamps."""
    body = f'{{"updated_at" :  "{SOON}"}}'
    for raw in (body.encode(), body.replace("u", "\\u0075", 1).encode(), body.replace("20", "\\u0032\\u0030").encode(),
                body.encode("utf-16")):  # fmt: skip
        assert says_later(said(raw).reply, NOW)
    assert not says_later(said(b"\\u00 {").reply, NOW) and not says_later(said(b"<html>").reply, NOW)


def test_a_part_of_a_body_is_looked_through() -> None:
    """All stamps in it count, commits' dates too."""
    assert is_of_later({"a": [{"date": SOON}]}, NOW) and is_of_later([{"seen_at": SOON}], NOW)
    assert not is_of_later({"created_at": "2024-05-06T12:53:20Z", "n_at": 5}, NOW) and not is_of_later(None, NOW)

"""What a later reading of X tells of the accounts of before."""

from __future__ import annotations

import json
from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.told_later import earlier
from caia_replay.providers.x_api import XApiProvider

NOW, LATER = 1_748_800_000, 1_790_000_000
FIELDS = "created_at,description,location,protected,public_metrics,url,verified,verified_type"
REQUEST = HttpRequest("GET", f"https://api.x.com/2/users/by?user.fields={FIELDS}&usernames=alder")
USER: dict[str, Any] = {
    "id": "77", "username": "alder", "name": "Alder now", "created_at": "2020-01-02T03:04:05.000Z",
    "description": "of now", "public_metrics": {"followers_count": 9},
}  # fmt: skip


def recorded(*users: dict[str, Any], url: str = REQUEST.url) -> Recorded:
    headers = {"date": formatdate(LATER, usegmt=True)}
    return Recorded(HttpRequest("GET", url), HttpReply(200, headers, canonical_bytes({"data": list(users)})))


def test_a_handles_account_is_known_by_what_never_changes() -> None:
    """Its number, its handle and its beginning; nothing of the day it was read on."""
    told = earlier(recorded(USER), NOW)
    assert told is not None
    assert json.loads(told.body) == {"data": [{key: USER[key] for key in ("id", "username", "created_at")}]}


def test_an_account_that_began_later_was_not_there() -> None:
    """Whoever has the handle today."""
    assert earlier(recorded({**USER, "created_at": "2026-01-02T03:04:05.000Z"}), NOW) is None
    assert earlier(recorded({key: USER[key] for key in ("id", "username")}), NOW) is None


def test_the_provider_answers_out_of_it() -> None:
    """And without it, as in a world that is not live, it misses: accounts change."""
    found = recorded(USER, url=XApiProvider().widen(REQUEST, NOW)[0].url)
    with pytest.raises(Miss):
        XApiProvider().narrow([found], REQUEST, NOW)
    turned = earlier(found, NOW)
    assert turned is not None
    reply = XApiProvider().narrow([Recorded(found.request, turned)], REQUEST, NOW)
    assert json.loads(reply.body)["data"][0]["id"] == "77" and b"of now" not in reply.body


def test_posts_are_left_to_the_provider() -> None:
    """They say when they were written."""
    assert earlier(recorded(USER, url="https://api.x.com/2/users/77/tweets"), NOW) is None

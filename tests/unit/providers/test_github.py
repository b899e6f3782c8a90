"""GitHub's provider: the law, and what is no answer."""

from __future__ import annotations

from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.github.provider import GitHubProvider
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.repository import Repositories
from caia_worldgen.scene import Scene
from tests.github_law import Court, get
from tests.provider_law import of_family

NOW = 1_715_000_000
PROVIDER = GitHubProvider()


@pytest.fixture(scope="module")
def code(scene: Scene, book: MarketBook) -> Repositories:
    """The repositories of the small economy."""
    return Repositories(scene, book)


@pytest.fixture(scope="module")
def court(scene: Scene, code: Repositories) -> Court:
    """A world whose clock stands in the middle of the story."""
    calendar = scene.main.calendar
    return Court(code, calendar.midnight(40) + 4_000, calendar.midnight(calendar.days))


def said(path: str, body: Any, at: int | None = NOW, status: int = 200, **headers: str) -> Recorded:
    """One recorded exchange; a body that is no bytes is sent as JSON."""
    dated = {} if at is None else {"date": formatdate(at, usegmt=True)}
    content = body if isinstance(body, bytes) else canonical_bytes(body)
    return Recorded(get(path), HttpReply(status, {**dated, **headers}, content))


def narrow(recordings: list[Recorded], path: str, now: int = NOW) -> HttpReply:
    """The answer out of those recordings that are of the question's family."""
    return PROVIDER.narrow(of_family(PROVIDER, recordings, get(path)), get(path), now)


def test_the_law_over_a_short_sample(court: Court) -> None:
    """Inside what was recorded the answer and its Link are the living ones, outside it is a miss; most are inside."""
    assert court.hold(60) >= 0.7


SHA = "ab" * 20


def test_what_cannot_be_read_is_a_miss_and_harms_nothing() -> None:
    """Bad proofs, addresses, letters and bodies raise nothing but a miss, and a good recording beside them answers."""
    for proof in (None, "x", [1], {"verified_at": [1]}):
        body = {"sha": SHA, "commit": {"verification": proof, "comment_count": 0}}
        with pytest.raises(Miss):
            narrow([said(f"/repos/a/b/commits/{SHA}", body, at=NOW + 10**7)], f"/repos/a/b/commits/{SHA}")
    for address in ("https://[::1", "https://a\u2100b.c/", "http://[x]/"):
        assert not PROVIDER.match(HttpRequest("GET", address))
        assert PROVIDER.follow(get("/x"), HttpReply(200, {"link": f'<{address}>; rel="next"'}, b"")) is None
    path, torn = "/repos/a/b/tags", get("/repos/a/b/tags?q=\ud800")
    for ask in (PROVIDER.family, lambda one: PROVIDER.widen(one, NOW), lambda one: PROVIDER.narrow([], one, NOW)):
        with pytest.raises(Miss):
            ask(torn)
    good = said(path + "?per_page=100", [{"name": "v1"}])
    lost = said(path + "?per_page=2", [1, 2], link='<>; rel="next", <http://[>; rel="last"')
    bad = [said(path, b"<html>", NOW - 10**7), said(path + "?page=1&page=1", []), said(path + "?page=2", b"["),
           Recorded(torn, good.reply), lost]  # fmt: skip
    assert strict_json(PROVIDER.narrow([*bad, good], get(path), NOW).body) == [{"name": "v1"}]

"""GitHub's provider: the law, what is handed out as it was recorded, what is no answer, stock clients on replay."""

from __future__ import annotations

from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.repository import Repositories
from caia_replay.origin.scene import Scene
from caia_replay.providers.github import GitHubProvider
from tests.github_law import Court
from tests.github_question import get
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


@pytest.mark.check
def test_the_law_at_the_end_of_the_story(scene: Scene, code: Repositories) -> None:
    """Where nothing is of later, the same holds."""
    calendar = scene.main.calendar
    ended = calendar.midnight(calendar.days)
    assert Court(code, ended, ended).hold(60) >= 0.7


def test_a_recording_of_the_question_is_handed_out_itself() -> None:
    """The very object nearest to now, for any case of its names; rate limits and faults answer nothing."""
    path = "/repos/a/b/languages"
    found = said(path, {"Go": 5})
    assert narrow([found], path) is found.reply
    assert narrow([found], "/repos/A/B/languages", NOW + 60) is found.reply
    with pytest.raises(Miss, match="languages"):
        narrow([found], path, NOW + 86_400)
    with pytest.raises(Miss):
        narrow([said(path, {"Go": 5}, at=None)], path)
    gone = said("/repos/a/b/releases/latest", {"message": "Not Found"}, status=404)
    assert narrow([gone], "/repos/a/b/releases/latest") is gone.reply
    for other, now in (("/repos/a/b/releases", NOW), ("/repos/a/b/releases/latest", NOW + 10**6)):
        with pytest.raises(Miss):
            narrow([gone], other, now)
    far, near = said("/repos/a/b", {"id": 1}, NOW - 800), said("/repos/a/b", {"id": 2}, NOW + 5)
    assert narrow([far, near], "/repos/a/b") is narrow([near, far], "/repos/a/b") is near.reply
    path = "/repos/a/b"
    limits = {"x-ratelimit-remaining": "0"}
    for found in (said(path, {}, status=429), said(path, {}, status=403, **limits), said(path, b"", status=304),
                  said(path, {}, status=502), said(path, {}, status=403, **{"retry-after": "9"})):  # fmt: skip
        with pytest.raises(Miss):
            narrow([found], path)
    bad, good = said(path, {"message": "Bad credentials"}, status=401, at=NOW - 10**7), said(path, {"id": 1})
    assert narrow([bad], path) is bad.reply
    assert narrow([bad, good], path) is good.reply
    bad, other = said(path + "/tags?per_page=2", {}, status=401), said(path + "/tags", [{"name": "v1"}])
    assert strict_json(narrow([bad, other], path + "/tags?per_page=2").body) == [{"name": "v1"}]
    assert narrow([bad], path + "/tags?per_page=2") is bad.reply


SHA = "ab" * 20


def commit(verified_at: str | None = None, by: str = "web-flow", comments: int = 0) -> dict[str, Any]:
    """A commit as the vendor says it, dated a day before ``NOW``, with what no synthetic one has."""
    date = "2024-05-05T12:53:20Z"
    proof = {"verified": by == "web-flow", "reason": "valid"} | ({"verified_at": verified_at} if verified_at else {})
    inner = {"committer": {"date": date}, "comment_count": comments, "verification": proof}
    return {"sha": SHA, "commit": inner, "committer": {"login": by}, "x": {"unknown": [1]}}


def test_a_commit_is_static_once_it_was_there() -> None:
    """From its recording on; before that only where the server made or verified it, and nobody remarked since."""
    path, later = f"/repos/a/b/commits/{SHA}", NOW + 10**7
    early = said(path, commit(by="someone"), at=NOW - 10**6)
    assert narrow([early], path) is early.reply
    for body in (commit(), commit("2024-05-06T12:53:20Z", "someone")):
        found = said(path, body, at=later)
        assert narrow([found], path) is found.reply
        assert strict_json(narrow([found], path).body)["x"] == {"unknown": [1]}
    for body in (commit(by="someone"), commit("2024-05-06T12:53:21Z", "someone"), commit(comments=2)):
        with pytest.raises(Miss):
            narrow([said(path, body, at=later)], path)
    with pytest.raises(Miss):  # A branch's name is another commit tomorrow.
        narrow([said("/repos/a/b/commits/main", commit(), at=later)], "/repos/a/b/commits/main")


def test_follow_goes_by_the_link_header() -> None:
    """The vendor's own next address, up to the tenth page; no other host, nothing after a refusal, and GET alone."""
    address = "https://api.github.com/repositories/7/commits?per_page=100&page="
    for to, status, leads in ((address + "10", 200, True), (address + "11", 200, False), (address + "2", 403, False),
                              ("https://elsewhere.example/repositories/7/commits?page=2", 200, False)):  # fmt: skip
        reply = HttpReply(status, {"link": f'<{to}>; rel="next", <x>; rel="last"'}, b"[]")
        found = PROVIDER.follow(get("/repos/a/b/commits"), reply)
        assert (found and found.url) == (to if leads else None)
    assert PROVIDER.match(get("/repos/a/b")) and PROVIDER.match(HttpRequest("GET", "https://API.github.com/users/a"))
    assert not PROVIDER.match(HttpRequest("POST", "https://api.github.com/graphql"))
    assert not PROVIDER.match(HttpRequest("GET", "https://github.com/a/b"))


def release(tag: str, at: str, **more: Any) -> dict[str, Any]:
    """A release as the vendor says it, with what no synthetic one has."""
    return {"id": int(tag[1:]), "tag_name": tag, "created_at": at, "published_at": at, "prerelease": False,
            "updated_at": at, "draft": False, "assets": [], "mentions_count": 3, **more}  # fmt: skip


def test_nothing_of_later_leaves_within_the_quarter_of_an_hour() -> None:
    """A recording of soon after now that tells of something after now is no answer, exact or not; releases are cut."""
    soon, old = "2024-05-06T12:58:20Z", release("v1", "2024-04-01T00:00:00Z")
    listed = {"sha": SHA, "commit": {"committer": {"date": soon}}}
    issue = {"id": 1, "state": "open", "created_at": soon, "updated_at": soon, "comments": 0, "labels": []}
    for path, body in (("commits", [listed]), ("issues", [issue]), ("tags", [{"name": "v", "pushed_at": soon}]), ("", {
            "id": 1, "pushed_at": soon})):  # fmt: skip
        found = said(f"/repos/a/b/{path}".rstrip("/"), body, NOW + 600)
        for asked in (found.request.url.removeprefix("https://api.github.com"), f"/repos/a/b/{path}?per_page=7"):
            with pytest.raises(Miss):
                narrow([found], asked)
        at_its_time = found.request.url.removeprefix("https://api.github.com")
        assert narrow([found], at_its_time, NOW + 600) is found.reply
    both = said("/repos/a/b/releases", [release("v2", soon), old], NOW + 600)
    assert strict_json(narrow([both], "/repos/a/b/releases").body) == [old]
    assert strict_json(narrow([both], "/repos/a/b/releases/latest").body) == old
    with pytest.raises(Miss):
        narrow([both], "/repos/a/b/releases/tags/v2")
    wrong_clock = said("/repos/a/b/commits", [listed], NOW - 60)  # What is said before now is known now.
    assert narrow([wrong_clock], "/repos/a/b/commits") is wrong_clock.reply


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


def test_a_miss_says_what_is_recorded_nearest() -> None:
    """Which pages of the list are recorded, and when."""
    found = said("/repos/a/b/commits?per_page=5&page=9", [], at=NOW - 10**6)
    with pytest.raises(Miss) as missed:
        narrow([found], "/repos/a/b/commits?page=2")
    assert "page=9" in str(missed.value) and "2024-04-24" in str(missed.value)

"""The synthetic GitHub: endpoints, refusals, time, and stock clients that read it."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from caia_replay.loopback import LoopbackServer
from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.repository import Repositories, Repository
from caia_replay.origin.scene import Scene
from caia_replay.origin.services.github import BAD_TOKEN, GitHub
from caia_replay.origin.services.github_body import iso
from caia_replay.origin.services.service import Answer, Asked, Services
from tests.github_client import Mirror, read_by_githubkit, told_by_pygithub

DAY_S = 86_400


@pytest.fixture(scope="module")
def code(scene: Scene, book: MarketBook) -> Repositories:
    """The repositories of the small economy."""
    return Repositories(scene, book)


@pytest.fixture(scope="module")
def now(scene: Scene) -> int:
    """A moment late in the story."""
    return scene.main.calendar.midnight(90) + 4_321


@pytest.fixture(scope="module")
def home(scene: Scene, code: Repositories) -> Repository:
    """The lender's contracts."""
    return code.repositories[f"{scene.projects['lend'].id}/contracts"]


def ask(code: Repositories, path: str, now: int, **asked: Any) -> Answer:
    """One answer of the service."""
    return GitHub(code).answer(Asked("GET", path, {name: str(value) for name, value in asked.items()}), now)


def test_lists_are_newest_first_and_of_the_moment(code: Repositories, home: Repository, now: int) -> None:
    """Commits, releases, tags, contributors and issues are those of the moment, thirty to a page unless asked."""
    path = f"/repos/{home.full_name}"
    commits = ask(code, f"{path}/commits", now).content
    assert [one["sha"] for one in commits] == [one.sha for one in home.commits(now)[:30]]
    assert [one["tag_name"] for one in ask(code, f"{path}/releases", now).content] == [
        one.tag for one in home.releases(now)
    ]
    assert ask(code, f"{path}/tags", now, per_page=1).content[0]["commit"]["sha"] == home.releases(now)[0].commit
    assert sum(one["contributions"] for one in ask(code, f"{path}/contributors", now).content) == len(home.commits(now))
    assert all(one["state"] == "open" for one in ask(code, f"{path}/issues", now).content)
    assert len(ask(code, f"{path}/issues", now, state="all").content) == len(home.issues(now))


def test_single_things(code: Repositories, home: Repository, now: int) -> None:
    """A repository, its languages, topics, licence and front page; a commit by sha, short sha, tag and branch."""
    path = f"/repos/{home.full_name}"
    told = ask(code, path, now).content
    assert (told["stargazers_count"], told["open_issues_count"]) == (home.stars(now), home.open_issues(now))
    assert (
        ask(code, f"/repositories/{home.id}", now).content
        == ask(code, path.upper().replace("/REPOS", "/repos"), now).content
    )
    assert list(ask(code, f"{path}/languages", now).content) == ["Solidity", "TypeScript", "Shell"]
    assert ask(code, f"{path}/topics", now).content == {"names": list(home.topics)}
    page = ask(code, f"{path}/readme", now).content
    assert base64.b64decode(page["content"]).decode() == home.readme(now)
    assert page == ask(code, f"{path}/contents/README.md", now).content
    assert ask(code, f"{path}/license", now).content["license"]["spdx_id"] == "AGPL-3.0"
    release, newest = home.releases(now)[2], home.commits(now)[0]
    for ref, sha in (
        (newest.sha, newest.sha),
        (newest.sha[:9], newest.sha),
        ("main", newest.sha),
        (release.tag, release.commit),
    ):
        assert ask(code, f"{path}/commits/{ref}", now).content["sha"] == sha
    assert ask(code, f"{path}/commits", now, sha=release.commit).content[0]["sha"] == release.commit


def test_releases_by_tag_number_and_latest(code: Repositories, home: Repository, now: int) -> None:
    """All three find a release, and none before it was published."""
    path, newest = f"/repos/{home.full_name}/releases", home.latest(now)
    assert newest is not None
    for name in ("latest", f"tags/{newest.tag}", str(newest.id)):
        assert ask(code, f"{path}/{name}", now).content["tag_name"] == newest.tag
    for name in (f"tags/{newest.tag}", str(newest.id)):
        assert ask(code, f"{path}/{name}", newest.published_at - 1).status == 404
    assert ask(code, f"{path}/latest", newest.published_at - 1).content["tag_name"] != newest.tag


def test_owners_and_search(code: Repositories, home: Repository, now: int) -> None:
    """An organisation and its repositories, a person, and a search by words and qualifiers."""
    login = home.owner.login
    assert ask(code, f"/orgs/{login}", now).content["public_repos"] == len(code.owned_by(login, now))
    assert ask(code, f"/users/{login}", now).content["type"] == "Organization"
    assert ask(code, f"/users/{code.accounts[0].login}", now).content["type"] == "User"
    assert ask(code, f"/orgs/{code.accounts[0].login}", now).status == 404
    owned = {one["full_name"] for one in ask(code, f"/orgs/{login}/repos", now).content}
    assert owned == {one["full_name"] for one in ask(code, f"/users/{login}/repos", now).content}
    found = ask(code, "/search/repositories", now, q=f"org:{login}").content
    assert found["total_count"] == len(owned) and {one["full_name"] for one in found["items"]} == owned


def test_refusals_are_the_vendors(code: Repositories, home: Repository, now: int) -> None:
    """404 for what is not there or cannot be done, 422 for a wrong question, 401 for a bad token."""
    path = f"/repos/{home.full_name}"
    for wrong in ("/repos/nobody/nothing", f"{path}/nothing", "/nothing", "/users/nobody", f"{path}/contents/none.txt"):
        told = ask(code, wrong, now)
        assert (told.status, told.content["message"], told.content["status"]) == (404, "Not Found", "404")
    assert ask(code, path, home.created_at - 1).status == 404
    assert GitHub(code).answer(Asked("POST", path, {}), now).status == 404
    assert ask(code, f"{path}/commits/{'0' * 40}", now).content["message"] == f"No commit found for SHA: {'0' * 40}"
    assert ask(code, f"{path}/issues", now, state="half").content["errors"][0]["field"] == "state"
    assert ask(code, "/search/repositories", now).status == 422
    bad = GitHub(code).answer(Asked("GET", path, {}, {"authorization": f"Bearer {BAD_TOKEN}"}), now)
    assert (bad.status, bad.content["message"]) == (401, "Bad credentials")


def test_limits_are_told(code: Repositories, home: Repository, now: int) -> None:
    """Every answer says how many are left; "later" is a 429 that says when."""
    headers = ask(code, f"/repos/{home.full_name}", now).headers
    assert (headers["x-ratelimit-limit"], headers["x-ratelimit-resource"]) == ("60", "core")
    assert int(headers["x-ratelimit-reset"]) > now
    told = GitHub(code).answer(Asked("GET", "/rate_limit", {}, {"authorization": "token SCRUBBED"}), now)
    assert told.content["rate"]["limit"] == 5_000 and told.headers["x-ratelimit-limit"] == "5000"
    busy = GitHub(code).busy(Asked("GET", "/", {}))
    assert (busy.status, busy.headers["x-ratelimit-remaining"]) == (429, "0") and "retry-after" in busy.headers


def test_nothing_of_later_is_in_any_body(code: Repositories, home: Repository, now: int) -> None:
    """No moment in any reply lies after the moment of the question."""

    def moments(body: Any) -> list[str]:
        if isinstance(body, dict):
            return [text for name, value in body.items() for text in ([value] if name.endswith("_at") and value else
                    moments(value))] + ([body["date"]] if "date" in body else [])  # fmt: skip
        return [text for one in body for text in moments(one)] if isinstance(body, list) else []

    for part in ("", "/commits", "/releases", "/tags", "/issues", "/contributors"):
        for moment in (now, now - 100 * DAY_S):
            told = moments(ask(code, f"/repos/{home.full_name}{part}", moment, per_page=100, state="all").content)
            assert all(text <= iso(moment) for text in told), part
    assert moments(ask(code, f"/repos/{home.full_name}/commits", now).content)


def test_pygithub_reads_the_story(code: Repositories, home: Repository, now: int) -> None:
    """The stock client pages through everything and finds what the repositories hold."""
    with LoopbackServer(Mirror(Services([GitHub(code)], now))) as server:
        told = told_by_pygithub(server.url, home)
    commits = home.commits(now)
    assert [sha for sha, _, _ in told["commits"]] == [one.sha for one in commits] == told["backwards"][::-1]
    assert told["count"] == len(commits) > 100
    assert told["changed"] == [file.path for file in commits[4].files]
    assert told["tags"] == [(one.tag, one.commit) for one in home.releases(now)]
    assert told["open"] == [one.number for one in home.issues(now) if one.closed_at is None or one.closed_at > now]
    assert told["readme"] == home.readme(now) and told["stars"] == home.stars(now)


def test_the_vendors_own_description_accepts_every_body(code: Repositories, home: Repository, now: int) -> None:
    """githubkit, whose models are made from the vendor's description, reads every endpoint."""
    with LoopbackServer(Services([GitHub(code)], now)) as server:
        assert len(read_by_githubkit(server.url, home, now)) == 21

"""Stock clients of GitHub on loopback: PyGithub, and githubkit, whose models come from the vendor's own description."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import pytest

from caia_replay.loopback import App, Message, Receive, Send
from caia_replay.origin.market.repository import Repository

API = "https://api.github.com"


class Mirror:
    """An ASGI application before another one: what it says of the API's address, it says of its own.

    PyGithub follows the addresses that replies hold, and refuses those of another host than the one it is pointed at;
    a server of the vendor's that stands elsewhere names itself in them, and so does this.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    @property
    def origins(self) -> tuple[str, ...]:
        """Those of the application behind."""
        return self._app.origins

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        own = b"http://" + dict(scope["headers"])[b"host"]

        async def mirrored(message: Message) -> None:
            if "body" in message:
                message = {**message, "body": message["body"].replace(API.encode(), own)}
            elif "headers" in message:
                headers = [(name, text.replace(API.encode(), own)) for name, text in message["headers"]]
                message = {**message, "headers": headers}
            await send(message)

        await self._app(scope, receive, mirrored)


def client(name: str) -> ModuleType:
    """A client's package; skips where it is not installed: githubkit is large and not in the lock."""
    found: ModuleType = pytest.importorskip(name)
    return found


def told_by_pygithub(url: str, home: Repository) -> dict[str, Any]:
    """What PyGithub makes of a repository, paging as it does by itself."""
    client("github")
    from github import Github

    with Github(base_url=url, retry=None, seconds_between_requests=0, per_page=30) as hub:
        found = hub.get_repo(home.full_name)
        commits = list(found.get_commits())
        since = commits[len(commits) // 3].commit.committer.date
        return {
            "stars": found.stargazers_count,
            "pushed": found.pushed_at.isoformat(),
            "licence": found.license.spdx_id,
            "commits": [(one.sha, one.commit.message, one.author.login) for one in commits],
            "since": [one.sha for one in found.get_commits(since=since)],
            "by one": [one.sha for one in found.get_commits(author=commits[0].author.login)],
            "backwards": [one.sha for one in found.get_commits().reversed],
            "count": found.get_commits().totalCount,
            "changed": [file.filename for file in found.get_commit(commits[4].sha).files],
            "releases": [(one.tag_name, one.prerelease, one.body) for one in found.get_releases()],
            "latest": found.get_latest_release().tag_name,
            "one release": found.get_release(found.get_releases()[1].tag_name).id,
            "tags": [(one.name, one.commit.sha) for one in found.get_tags()],
            "people": [(one.login, one.contributions) for one in found.get_contributors()],
            "languages": {name: size for name, size in found.get_languages().items() if name != "url"},
            "topics": found.get_topics(),
            "readme": found.get_readme().decoded_content.decode(),
            "issues": [(one.number, one.state, one.title) for one in found.get_issues(state="all")],
            "open": [one.number for one in found.get_issues()],
            "owner": hub.get_organization(home.owner.login).name,
            "theirs": sorted(one.full_name for one in hub.get_organization(home.owner.login).get_repos()),
            "found": [one.full_name for one in hub.search_repositories(f"org:{home.owner.login}")],
        }


def read_by_githubkit(url: str, home: Repository, now: int) -> list[str]:
    """The endpoints whose replies githubkit's models, made from the vendor's description, accept."""
    client("githubkit")
    from githubkit import GitHub

    hub = GitHub(base_url=url, auto_retry=False, http_cache=False)
    rest = hub.rest
    owner, name = home.owner.login, home.name
    calls: dict[str, Callable[[], Any]] = {
        "repository": lambda: rest.repos.get(owner, name),
        "commits": lambda: rest.repos.list_commits(owner, name),
        "commit": lambda: rest.repos.get_commit(owner, name, home.commits(now)[2].sha),
        "releases": lambda: rest.repos.list_releases(owner, name),
        "latest": lambda: rest.repos.get_latest_release(owner, name),
        "tag": lambda: rest.repos.get_release_by_tag(owner, name, home.releases(now)[0].tag),
        "tags": lambda: rest.repos.list_tags(owner, name),
        "contributors": lambda: rest.repos.list_contributors(owner, name),
        "languages": lambda: rest.repos.list_languages(owner, name),
        "topics": lambda: rest.repos.get_all_topics(owner, name),
        "readme": lambda: rest.repos.get_readme(owner, name),
        "content": lambda: rest.repos.get_content(owner, name, "README.md"),
        "licence": lambda: rest.licenses.get_for_repo(owner, name),
        "issues": lambda: rest.issues.list_for_repo(owner, name, state="all"),
        "issue": lambda: rest.issues.get(owner, name, home.issues(now)[0].number),
        "organisation": lambda: rest.orgs.get(owner),
        "its repositories": lambda: rest.repos.list_for_org(owner),
        "user": lambda: rest.users.get_by_username(owner),
        "their repositories": lambda: rest.repos.list_for_user(owner),
        "search": lambda: rest.search.repos(q="lend"),
        "rates": lambda: rest.rate_limit.get(),
    }
    return [said for said, call in calls.items() if call().parsed_data is not None]

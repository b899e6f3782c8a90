"""GitHub's REST API as far as the world records it: a repository's own page and its releases.

    https://api.github.com/repos/{owner}/{repository}[/releases]

Anybody may ask; a token is good unless it is ``BAD_TOKEN``. Everything else is the vendor's 404.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from caia_worldgen.market.repository import BRANCH, Repositories, Repository
from caia_worldgen.market.repository_history import Release
from caia_worldgen.services.service import Answer, Asked

API: Final = "https://api.github.com"
SITE: Final = "https://github.com"
BAD_TOKEN: Final = "SCRUBBED-BAD"
_HOUR_S: Final = 3_600
_DOCS: Final = "https://docs.github.com/rest"
_NO_TOKEN: Final = 60
_WITH_TOKEN: Final = 5_000
_ON_A_PAGE: Final = 30
_MOST_ON_A_PAGE: Final = 100
_LICENCES: Final = {
    "mit": "MIT License",
    "apache-2.0": "Apache License 2.0",
    "agpl-3.0": "GNU Affero General Public License v3.0",
    "cc0-1.0": "Creative Commons Zero v1.0 Universal",
}
_FORK_URLS: Final = {
    "archive": "/{archive_format}{/ref}", "assignees": "/assignees{/user}", "blobs": "/git/blobs{/sha}",
    "branches": "/branches{/branch}", "collaborators": "/collaborators{/collaborator}",
    "comments": "/comments{/number}",
    "commits": "/commits{/sha}", "compare": "/compare/{base}...{head}", "contents": "/contents/{+path}",
    "contributors": "/contributors", "deployments": "/deployments", "downloads": "/downloads", "events": "/events",
    "forks": "/forks", "git_commits": "/git/commits{/sha}", "git_refs": "/git/refs{/sha}",
    "git_tags": "/git/tags{/sha}", "hooks": "/hooks", "issue_comment": "/issues/comments{/number}",
    "issue_events": "/issues/events{/number}", "issues": "/issues{/number}", "keys": "/keys{/key_id}",
    "labels": "/labels{/name}", "languages": "/languages", "merges": "/merges",
    "milestones": "/milestones{/number}", "notifications": "/notifications{?since,all,participating}",
    "pulls": "/pulls{/number}", "releases": "/releases{/id}", "stargazers": "/stargazers",
    "statuses": "/statuses/{sha}", "subscribers": "/subscribers", "subscription": "/subscription", "tags": "/tags",
    "teams": "/teams", "trees": "/git/trees{/sha}",
}  # fmt: skip
_ACCOUNT_URLS: Final = {
    "followers": "/followers", "following": "/following{/other_user}", "gists": "/gists{/gist_id}",
    "starred": "/starred{/owner}{/repo}", "subscriptions": "/subscriptions", "organizations": "/orgs",
    "repos": "/repos", "events": "/events{/privacy}", "received_events": "/received_events",
}  # fmt: skip


class GitHub:
    """The service. Pure: ``answer`` depends on the request and ``now`` alone."""

    origins = (API,)

    def __init__(self, code: Repositories) -> None:
        self._repositories = {found.full_name.lower(): found for found in code.repositories.values()}

    def answer(self, asked: Asked, now: int) -> Answer:
        """See ``Service.answer``."""
        token = asked.headers.get("authorization", "").rpartition(" ")[2]
        limit = _WITH_TOKEN if token else _NO_TOKEN
        headers = {
            **_limits(limit, limit - 1),
            "x-ratelimit-reset": str(now - now % _HOUR_S + _HOUR_S),
            "x-github-media-type": "github.v3; format=json",
            "x-github-api-version-selected": "2022-11-28",
        }
        if token == BAD_TOKEN:
            return Answer(401, _refusal(401, "Bad credentials"), headers)
        match asked.segments() if asked.method == "GET" else []:
            case ["repos", owner, name, *rest] if rest in ([], ["releases"]):
                home = self._repositories.get(f"{owner}/{name}".lower())
                if home is not None and home.created_at <= now:
                    found = _page(home, asked.parameters, now) if rest else whole_repository(home, now)
                    return Answer(200, found, headers)
        return Answer(404, _refusal(404, "Not Found"), headers)

    def busy(self, asked: Asked) -> Answer:
        """See ``Service.busy``."""
        said = {
            "message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
            "documentation_url": f"{_DOCS}/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits",
            "status": "429",
        }
        return Answer(429, said, {**_limits(_NO_TOKEN, 0), "retry-after": "1"})


def _page(home: Repository, asked: Mapping[str, str], now: int) -> list[Any]:
    """A page of releases. A size that is no number from 1 up counts as 30, one over 100 as 100."""
    size = min(_whole(asked.get("per_page")) or _ON_A_PAGE, _MOST_ON_A_PAGE)
    first = ((_whole(asked.get("page")) or 1) - 1) * size
    return [release(home, one) for one in home.releases(now)[first : first + size]]


def _whole(text: str | None) -> int:
    """A whole number from 1 up; 0 for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else 0


def _refusal(status: int, message: str) -> dict[str, Any]:
    return {"message": message, "documentation_url": _DOCS, "status": str(status)}


def _limits(limit: int, left: int) -> dict[str, str]:
    return {"x-ratelimit-limit": str(limit), "x-ratelimit-remaining": str(left), "x-ratelimit-used": str(limit - left),
            "x-ratelimit-resource": "core"}  # fmt: skip


def iso(moment: int) -> str:
    """``2024-05-01T12:00:00Z``."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def account(login: str, number: int, is_organisation: bool = False) -> dict[str, Any]:
    """What other bodies say of an account."""
    url = f"{API}/users/{login}"
    return {
        "login": login, "id": number, "node_id": _node("O" if is_organisation else "U", number),
        "avatar_url": f"https://avatars.githubusercontent.com/u/{number}?v=4", "gravatar_id": "", "url": url,
        "html_url": f"{SITE}/{login}", "type": "Organization" if is_organisation else "User",
        "user_view_type": "public", "site_admin": False,
        **{f"{name}_url": url + path for name, path in _ACCOUNT_URLS.items()},
    }  # fmt: skip


def repository(found: Repository, now: int) -> dict[str, Any]:
    """A repository in lists and searches."""
    url, page, open_issues = f"{API}/repos/{found.full_name}", f"{SITE}/{found.full_name}", found.open_issues(now)
    languages, stars, forks = found.languages(now), found.stars(now), found.forks(now)
    return {
        "id": found.id, "node_id": _node("R", found.id), "name": found.name, "full_name": found.full_name,
        "private": False, "owner": account(found.owner.login, found.owner.id, True), "html_url": page,
        "description": found.about, "fork": False, "url": url, "created_at": iso(found.created_at),
        "updated_at": iso(found.changed_at(now)), "pushed_at": iso(found.pushed_at(now)),
        "git_url": f"git://github.com/{found.full_name}.git", "ssh_url": f"git@github.com:{found.full_name}.git",
        "clone_url": f"{page}.git", "svn_url": page, "homepage": f"https://{found.owner.site}",
        "size": sum(languages.values()) // 1_000, "stargazers_count": stars, "watchers_count": stars,
        "language": next(iter(languages)), "has_issues": True, "has_projects": True, "has_downloads": True,
        "has_wiki": False, "has_pages": False, "has_discussions": False, "forks_count": forks, "mirror_url": None,
        "archived": False, "disabled": False, "open_issues_count": open_issues, "license": licence(found.licence),
        "allow_forking": True, "is_template": False, "web_commit_signoff_required": False,
        "topics": list(found.topics), "visibility": "public", "forks": forks, "open_issues": open_issues,
        "watchers": stars, "default_branch": BRANCH,
        **{f"{name}_url": url + path for name, path in _FORK_URLS.items()},
    }  # fmt: skip


def whole_repository(found: Repository, now: int) -> dict[str, Any]:
    """A repository's own page."""
    return {
        **repository(found, now), "temp_clone_token": None, "custom_properties": {},
        "organization": account(found.owner.login, found.owner.id, True),
        "network_count": found.forks(now), "subscribers_count": 1 + found.stars(now) // 20,
    }  # fmt: skip


def release(home: Repository, found: Release) -> dict[str, Any]:
    """A release."""
    url, site = f"{API}/repos/{home.full_name}", f"{SITE}/{home.full_name}"
    return {
        "url": f"{url}/releases/{found.id}", "assets_url": f"{url}/releases/{found.id}/assets",
        "upload_url": f"https://uploads.github.com/repos/{home.full_name}/releases/{found.id}/assets{{?name,label}}",
        "html_url": f"{site}/releases/tag/{found.tag}", "id": found.id,
        "author": account(found.author.login, found.author.id),
        "node_id": _node("RE", found.id), "tag_name": found.tag, "target_commitish": BRANCH, "name": found.tag,
        "draft": False, "immutable": False, "prerelease": found.is_early, "created_at": iso(found.created_at),
        "updated_at": iso(found.published_at), "published_at": iso(found.published_at), "assets": [],
        "tarball_url": f"{url}/tarball/{found.tag}", "zipball_url": f"{url}/zipball/{found.tag}", "body": found.notes,
    }  # fmt: skip


def licence(key: str) -> dict[str, Any]:
    """What other bodies say of a licence."""
    number = int(_sha(key)[:4], 16)
    spdx = {"mit": "MIT"}.get(key, key.title().replace("Agpl", "AGPL").replace("Cc0", "CC0"))
    return {"key": key, "name": _LICENCES[key], "spdx_id": spdx, "url": f"{API}/licenses/{key}",
            "node_id": _node("L", number)}  # fmt: skip


def _node(kind: str, number: int) -> str:
    return f"{kind}_{base64.urlsafe_b64encode(number.to_bytes(8, 'big')).decode().rstrip('=')}"


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:40]

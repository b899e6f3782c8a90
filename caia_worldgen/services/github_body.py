"""The bodies of the GitHub API: accounts, repositories, commits, releases, issues and files in the vendor's shape."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime
from typing import Any, Final

from caia_worldgen.market.repository import BRANCH, Organisation, Repository
from caia_worldgen.market.repository_history import Account, Commit, Issue, Release
from caia_worldgen.services.github_page import API

SITE: Final = "https://github.com"
_RAW: Final = "https://raw.githubusercontent.com"
_LICENCES: Final = {
    "mit": "MIT License",
    "apache-2.0": "Apache License 2.0",
    "agpl-3.0": "GNU Affero General Public License v3.0",
    "cc0-1.0": "Creative Commons Zero v1.0 Universal",
}
_SERVER_ID: Final = 19_864_447
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
_REACTIONS: Final = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


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


def person(found: Account) -> dict[str, Any]:
    """A person in other bodies."""
    return account(found.login, found.id)


def whole_account(found: Account | Organisation, repositories: int) -> dict[str, Any]:
    """An account's own page: a person, or an organisation asked for as a user."""
    is_organisation = isinstance(found, Organisation)
    return {
        **account(found.login, found.id, is_organisation), "name": found.name, "company": None,
        "blog": f"https://{found.site}" if isinstance(found, Organisation) else "", "location": None, "email": None,
        "hireable": None, "bio": found.about if isinstance(found, Organisation) else None, "twitter_username": None,
        "public_repos": repositories, "public_gists": 0, "followers": 0, "following": 0,
        "created_at": iso(found.created_at), "updated_at": iso(found.created_at),
    }  # fmt: skip


def organisation(found: Organisation, repositories: int) -> dict[str, Any]:
    """An organisation's own page."""
    url = f"{API}/orgs/{found.login}"
    return {
        "login": found.login, "id": found.id, "node_id": _node("O", found.id), "url": url, "repos_url": f"{url}/repos",
        "events_url": f"{url}/events", "hooks_url": f"{url}/hooks", "issues_url": f"{url}/issues",
        "members_url": f"{url}/members{{/member}}", "public_members_url": f"{url}/public_members{{/member}}",
        "avatar_url": f"https://avatars.githubusercontent.com/u/{found.id}?v=4", "description": found.about,
        "name": found.name, "company": None, "blog": f"https://{found.site}", "location": None, "email": None,
        "twitter_username": None, "is_verified": False, "has_organization_projects": True,
        "has_repository_projects": True, "public_repos": repositories, "public_gists": 0,
        "followers": 0, "following": 0, "html_url": f"{SITE}/{found.login}", "created_at": iso(found.created_at),
        "updated_at": iso(found.created_at), "archived_at": None, "type": "Organization",
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


def commit(home: Repository, found: Commit) -> dict[str, Any]:
    """A commit in a list."""
    url, page = f"{API}/repos/{home.full_name}", f"{SITE}/{home.full_name}/commit"
    author = {"name": found.author.name, "email": found.author.email, "date": iso(found.authored_at)}
    committer = {**author, "date": iso(found.committed_at)}
    if found.merged:
        committer |= {"name": "GitHub", "email": "noreply@github.com"}
    return {
        "sha": found.sha, "node_id": _node("C", int(found.sha[:12], 16)), "url": f"{url}/commits/{found.sha}",
        "html_url": f"{page}/{found.sha}", "comments_url": f"{url}/commits/{found.sha}/comments",
        "commit": {
            "author": author, "committer": committer, "message": found.message,
            "tree": {"sha": found.tree, "url": f"{url}/git/trees/{found.tree}"},
            "url": f"{url}/git/commits/{found.sha}", "comment_count": 0,
            "verification": {
                "verified": found.merged, "reason": "valid" if found.merged else "unsigned", "signature": None,
                "payload": None, "verified_at": iso(found.committed_at) if found.merged else None,
            },
        },
        "author": person(found.author),
        "committer": account("web-flow", _SERVER_ID) if found.merged else person(found.author),
        "parents": [
            {"sha": found.parent, "url": f"{url}/commits/{found.parent}", "html_url": f"{page}/{found.parent}"}
        ] if found.parent else [],
    }  # fmt: skip


def whole_commit(home: Repository, found: Commit) -> dict[str, Any]:
    """A commit's own page, with what it changed."""
    added, removed = sum(file.added for file in found.files), sum(file.removed for file in found.files)
    files = []
    for file in found.files:
        blob = _sha(f"{found.sha}/{file.path}")
        path = f"{home.full_name}/blob/{found.sha}/{file.path}"
        files.append({
            "sha": blob, "filename": file.path, "status": "modified", "additions": file.added,
            "deletions": file.removed, "changes": file.added + file.removed, "blob_url": f"{SITE}/{path}",
            "raw_url": f"{SITE}/{path}?raw=true",
            "contents_url": f"{API}/repos/{home.full_name}/contents/{file.path}?ref={found.sha}",
        })  # fmt: skip
    stats = {"total": added + removed, "additions": added, "deletions": removed}
    return {**commit(home, found), "stats": stats, "files": files}


def release(home: Repository, found: Release) -> dict[str, Any]:
    """A release."""
    url, site = f"{API}/repos/{home.full_name}", f"{SITE}/{home.full_name}"
    return {
        "url": f"{url}/releases/{found.id}", "assets_url": f"{url}/releases/{found.id}/assets",
        "upload_url": f"https://uploads.github.com/repos/{home.full_name}/releases/{found.id}/assets{{?name,label}}",
        "html_url": f"{site}/releases/tag/{found.tag}", "id": found.id, "author": person(found.author),
        "node_id": _node("RE", found.id), "tag_name": found.tag, "target_commitish": BRANCH, "name": found.tag,
        "draft": False, "immutable": False, "prerelease": found.is_early, "created_at": iso(found.created_at),
        "updated_at": iso(found.published_at), "published_at": iso(found.published_at), "assets": [],
        "tarball_url": f"{url}/tarball/{found.tag}", "zipball_url": f"{url}/zipball/{found.tag}", "body": found.notes,
    }  # fmt: skip


def tag(home: Repository, found: Release) -> dict[str, Any]:
    """A tag: every release has one."""
    url = f"{API}/repos/{home.full_name}"
    return {
        "name": found.tag, "zipball_url": f"{url}/zipball/refs/tags/{found.tag}",
        "tarball_url": f"{url}/tarball/refs/tags/{found.tag}", "node_id": _node("REF", found.id),
        "commit": {"sha": found.commit, "url": f"{url}/commits/{found.commit}"},
    }  # fmt: skip


def issue(home: Repository, found: Issue, now: int) -> dict[str, Any]:
    """An issue as it stands at ``now``."""
    url = f"{API}/repos/{home.full_name}/issues/{found.number}"
    closed = found.closed_at if found.closed_at is not None and found.closed_at <= now else None
    remarks = [moment for moment in found.remarks if moment <= now]
    return {
        "url": url, "repository_url": f"{API}/repos/{home.full_name}", "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments", "events_url": f"{url}/events", "timeline_url": f"{url}/timeline",
        "html_url": f"{SITE}/{home.full_name}/issues/{found.number}", "id": found.id, "node_id": _node("I", found.id),
        "number": found.number, "title": found.title, "user": person(found.author),
        "labels": [_label(home, name) for name in found.labels], "state": "closed" if closed else "open",
        "state_reason": "completed" if closed else None, "locked": False, "active_lock_reason": None, "assignee": None,
        "assignees": [], "milestone": None, "comments": len(remarks), "created_at": iso(found.opened_at),
        "updated_at": iso(max([found.opened_at, closed or 0, *remarks])), "closed_at": iso(closed) if closed else None,
        "author_association": "NONE", "body": found.text, "performed_via_github_app": None,
        "reactions": {"url": f"{url}/reactions", "total_count": 0, **dict.fromkeys(_REACTIONS, 0)},
    }  # fmt: skip


def licence(key: str) -> dict[str, Any]:
    """What other bodies say of a licence."""
    number = int(_sha(key)[:4], 16)
    spdx = {"mit": "MIT"}.get(key, key.title().replace("Agpl", "AGPL").replace("Cc0", "CC0"))
    return {"key": key, "name": _LICENCES[key], "spdx_id": spdx, "url": f"{API}/licenses/{key}",
            "node_id": _node("L", number)}  # fmt: skip


def file(home: Repository, path: str, text: str) -> dict[str, Any]:
    """A file with its content."""
    data, url = text.encode(), f"{API}/repos/{home.full_name}"
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    own, git = f"{url}/contents/{path}?ref={BRANCH}", f"{url}/git/blobs/{blob}"
    page = f"{SITE}/{home.full_name}/blob/{BRANCH}/{path}"
    return {
        "name": path, "path": path, "sha": blob, "size": len(data), "url": own, "html_url": page, "git_url": git,
        "download_url": f"{_RAW}/{home.full_name}/{BRANCH}/{path}", "type": "file",
        "content": _lines(base64.b64encode(data).decode()), "encoding": "base64",
        "_links": {"self": own, "git": git, "html": page},
    }  # fmt: skip


def licence_text(home: Repository) -> str:
    """The licence file; a reference, not the text itself."""
    return f"{_LICENCES[home.licence]}\n\nThe terms of {home.licence} apply to {home.full_name}, a synthetic project.\n"


def _label(home: Repository, name: str) -> dict[str, Any]:
    number = int(_sha(f"{home.full_name}/{name}")[:7], 16)
    return {"id": number, "node_id": _node("LA", number), "name": name, "default": name in ("bug", "question"),
            "url": f"{API}/repos/{home.full_name}/labels/{name}", "color": _sha(name)[:6],
            "description": None}  # fmt: skip


def _lines(text: str) -> str:
    """Sixty characters to a line, as the vendor breaks them."""
    return "".join(f"{text[at : at + 60]}\n" for at in range(0, len(text), 60))


def _node(kind: str, number: int) -> str:
    return f"{kind}_{base64.urlsafe_b64encode(number.to_bytes(8, 'big')).decode().rstrip('=')}"


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:40]

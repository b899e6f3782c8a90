"""GitHub's REST API, from the code repositories of a told story. Lists, single things, search; GET only.

    https://api.github.com

Anybody may ask; a token is good unless it is ``BAD_TOKEN``. What is not there is the vendor's 404, a fault in what is
asked its 422. Pages lead to each other by the Link header, whose addresses name owners and repositories by number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from caia_worldgen.market.repository import BRANCH, Organisation, Repositories, Repository
from caia_worldgen.market.repository_history import Account, Commit
from caia_worldgen.services import github_body as body
from caia_worldgen.services.github_list import Fault, commit_window, issues_asked, searched, sorted_repositories
from caia_worldgen.services.github_page import API, page_of
from caia_worldgen.services.service import Answer, Asked

BAD_TOKEN: Final = "SCRUBBED-BAD"
_HOUR_S: Final = 3_600
_DOCS: Final = "https://docs.github.com/rest"
_NO_TOKEN: Final = 60
_WITH_TOKEN: Final = 5_000
_SEARCHES: Final = 10
_SHORT_SHA: Final = re.compile(r"[0-9a-f]{7,40}")

Parameters = Mapping[str, str]


class GitHub:
    """The service. Pure: ``answer`` depends on the request and ``now`` alone."""

    origins = (API,)

    def __init__(self, code: Repositories) -> None:
        self._code = code
        self._repositories = {found.full_name.lower(): found for found in code.repositories.values()}
        self._numbered = {str(found.id): found for found in code.repositories.values()}
        self._owners: dict[str, Organisation | Account] = {
            **{one.login: one for one in code.accounts},
            **code.organisations,
        }
        self._owner_numbers = {str(one.id): one for one in self._owners.values()}
        self._lists: dict[str, Callable[[Repository, Parameters, int], Sequence[Any]]] = {
            "commits": self._commits,
            "releases": lambda home, _, now: [body.release(home, one) for one in home.releases(now)],
            "tags": lambda home, _, now: [body.tag(home, one) for one in home.releases(now)],
            "contributors": lambda home, _, now: [
                {**body.person(one), "contributions": count} for one, count in home.contributors(now)
            ],
            "issues": lambda home, asked, now: issues_asked(
                [body.issue(home, one, now) for one in home.issues(now)], asked
            ),
        }

    def answer(self, asked: Asked, now: int) -> Answer:
        """See ``Service.answer``."""
        token = asked.headers.get("authorization", "").rpartition(" ")[2]
        limit = _SEARCHES if asked.path.startswith("/search/") else _WITH_TOKEN if token else _NO_TOKEN
        headers = {
            **_limits(limit, limit - 1, "search" if limit == _SEARCHES else "core"),
            "x-ratelimit-reset": str(now - now % _HOUR_S + _HOUR_S),
            "x-github-media-type": "github.v3; format=json",
            "x-github-api-version-selected": "2022-11-28",
        }
        try:
            if token == BAD_TOKEN:
                raise Fault(401, "Bad credentials", "")
            found, link = self._found(asked, now)
        except Fault as fault:
            said = {"message": fault.message, "documentation_url": _DOCS + fault.about, "status": str(fault.status)}
            return Answer(fault.status, said | ({"errors": fault.errors} if fault.errors else {}), headers)
        return Answer(200, found, headers | ({"link": link} if link else {}))

    def busy(self, asked: Asked) -> Answer:
        """See ``Service.busy``."""
        said = {
            "message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
            "documentation_url": f"{_DOCS}/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits",
            "status": "429",
        }
        return Answer(429, said, {**_limits(_NO_TOKEN, 0, "core"), "retry-after": "1"})

    def _found(self, asked: Asked, now: int) -> tuple[Any, str]:
        """Content and Link header. Raises ``Fault``."""
        if asked.method != "GET":
            raise Fault(404, "Not Found")
        match asked.segments():
            case ["rate_limit"]:
                return _rates(now, asked), ""
            case ["search", "repositories"]:
                return self._search(asked.parameters, now)
            case ["orgs", login]:
                owner = self._owner(login, now)
                if isinstance(owner, Organisation):
                    return body.organisation(owner, len(self._code.owned_by(owner.login, now))), ""
            case ["users", login] | ["user", login]:
                owner = self._owner(login, now)
                return body.whole_account(owner, len(self._code.owned_by(owner.login, now))), ""
            case ["orgs" | "organizations" | "users" | "user" as kind, login, "repos"]:
                return self._owned(kind, self._owner(login, now), asked.parameters, now)
            case ["repos", login, name, *rest]:
                return self._of(self._repositories.get(f"{login}/{name}".lower()), rest, asked.parameters, now)
            case ["repositories", number, *rest]:
                return self._of(self._numbered.get(number), rest, asked.parameters, now)
        raise Fault(404, "Not Found")

    def _owner(self, login: str, now: int) -> Organisation | Account:
        found = self._owners.get(login.lower()) or self._owner_numbers.get(login)
        if found is None or found.created_at > now:
            raise Fault(404, "Not Found")
        return found

    def _owned(self, kind: str, owner: Organisation | Account, asked: Parameters, now: int) -> tuple[Any, str]:
        of_organisation = kind in ("orgs", "organizations")
        if of_organisation and not isinstance(owner, Organisation):
            raise Fault(404, "Not Found")
        items = [body.repository(found, now) for found in self._code.owned_by(owner.login, now)]
        path = f"/{'organizations' if of_organisation else 'user'}/{owner.id}/repos"
        page = page_of(sorted_repositories(items, asked, "created" if of_organisation else "full_name"), path, asked)
        return page.items, page.link

    def _search(self, asked: Parameters, now: int) -> tuple[Any, str]:
        there = [found for found in self._repositories.values() if found.created_at <= now]
        items = searched([body.repository(found, now) for found in there], asked)
        page = page_of(items, "/search/repositories", asked)
        return {"total_count": len(items), "incomplete_results": False, "items": page.items}, page.link

    def _of(self, home: Repository | None, rest: list[str], asked: Parameters, now: int) -> tuple[Any, str]:
        """What belongs to one repository."""
        if home is None or home.created_at > now:
            raise Fault(404, "Not Found")
        match rest:
            case []:
                return body.whole_repository(home, now), ""
            case [("commits" | "releases" | "tags" | "contributors" | "issues") as kind]:
                page = page_of(self._lists[kind](home, asked, now), f"/repositories/{home.id}/{kind}", asked)
                return page.items, page.link
            case ["commits", *names] if names:
                found = body.whole_commit(home, self._commit(home, "/".join(names), now))
                return (found if asked.get("page", "1") == "1" else found | {"files": []}), ""
            case ["issues", number]:
                issue = next((one for one in home.issues(now) if str(one.number) == number), None)
                if issue is not None:
                    return body.issue(home, issue, now), ""
            case ["releases", *names] if names:
                return self._release(home, names, now), ""
            case ["languages"]:
                return home.languages(now), ""
            case ["topics"]:
                return {"names": list(home.topics)}, ""
            case ["readme"] | ["contents", "README.md"]:
                return body.file(home, "README.md", self._at(home, asked, now)), ""
            case ["contents", "LICENSE"]:
                self._at(home, asked, now)
                return body.file(home, "LICENSE", body.licence_text(home)), ""
            case ["license"]:
                self._at(home, asked, now)
                return body.file(home, "LICENSE", body.licence_text(home)) | {"license": body.licence(home.licence)}, ""
        raise Fault(404, "Not Found")

    def _at(self, home: Repository, asked: Parameters, now: int) -> str:
        """The front page at a ``ref``: only the branch has its files written out here."""
        if asked.get("ref", BRANCH) != BRANCH:
            raise Fault(404, f"No commit found for the ref {asked['ref']}", "/repos/contents#get-repository-content")
        return home.readme(now)

    def _commits(self, home: Repository, asked: Parameters, now: int) -> list[Any]:
        commits = home.commits(now)
        if "sha" in asked:
            try:
                first = self._commit(home, asked["sha"], now)
            except Fault:
                raise Fault(404, "Not Found", "/commits/commits#list-commits") from None
            commits = commits[commits.index(first) :]
        return [body.commit(home, one) for one in commit_window(commits, asked)]

    def _commit(self, home: Repository, ref: str, now: int) -> Commit:
        """The commit a branch, a tag or a sha (7 digits or more) names."""
        commits = home.commits(now)
        named = {one.tag: one.commit for one in home.releases(now)}
        if commits and ref in (BRANCH, "HEAD", f"heads/{BRANCH}"):
            return commits[0]
        sha = named.get(ref.removeprefix("tags/"), ref)
        found = [one for one in commits if one.sha.startswith(sha)] if _SHORT_SHA.fullmatch(sha) else []
        if len(found) != 1:
            raise Fault(422, f"No commit found for SHA: {ref}", "/commits/commits#get-a-commit")
        return found[0]

    def _release(self, home: Repository, names: list[str], now: int) -> Any:
        found = None
        if names == ["latest"]:
            found = home.latest(now)
        elif names[0] == "tags":
            found = next((one for one in home.releases(now) if one.tag == "/".join(names[1:])), None)
        elif len(names) == 1:
            found = next((one for one in home.releases(now) if str(one.id) == names[0]), None)
        if found is None:
            raise Fault(404, "Not Found", "/releases/releases")
        return body.release(home, found)


def _limits(limit: int, left: int, resource: str) -> dict[str, str]:
    return {"x-ratelimit-limit": str(limit), "x-ratelimit-remaining": str(left), "x-ratelimit-used": str(limit - left),
            "x-ratelimit-resource": resource}  # fmt: skip


def _rates(now: int, asked: Asked) -> dict[str, Any]:
    reset = now - now % _HOUR_S + _HOUR_S
    core = _WITH_TOKEN if asked.headers.get("authorization") else _NO_TOKEN
    rates = {name: {"limit": limit, "used": 0, "remaining": limit, "reset": reset}
             for name, limit in (("core", core), ("search", _SEARCHES), ("graphql", 0))}  # fmt: skip
    return {"resources": rates, "rate": rates["core"]}

"""What the lists of the GitHub API can be asked for: windows of commits, states of issues, orders, search words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from caia_worldgen.market.repository_history import Commit

Parameters = Mapping[str, str]
Item = dict[str, Any]

_RANGE: Final = re.compile(r"(>=|<=|>|<)?(\d{1,9})|(\d{1,9}|\*)\.\.(\d{1,9}|\*)")
_ORDERS: Final = {"created": "created_at", "updated": "updated_at", "pushed": "pushed_at", "full_name": "full_name"}
_SEARCH_ORDERS: Final = {"stars": "stargazers_count", "forks": "forks_count", "updated": "updated_at"}


class Fault(Exception):
    """A fault of the caller's, as the vendor says it. ``about`` is the place in the vendor's handbook."""

    def __init__(self, status: int, message: str, about: str = "", errors: Sequence[Item] = ()) -> None:
        super().__init__(message)
        self.status, self.message, self.about, self.errors = status, message, about, list(errors)


def commit_window(commits: Sequence[Commit], asked: Parameters) -> list[Commit]:
    """The commits of an author (login or address), of a path, from ``since`` to ``until``, both included."""
    since, until = _moment(asked, "since"), _moment(asked, "until")
    author, path = asked.get("author", "").lower(), asked.get("path", "").strip("/")
    return [
        commit
        for commit in commits
        if (since is None or commit.committed_at >= since)
        and (until is None or commit.committed_at <= until)
        and (not author or author in (commit.author.login.lower(), commit.author.email.lower()))
        and (not path or any(file.path == path or file.path.startswith(f"{path}/") for file in commit.files))
    ]


def issues_asked(issues: Sequence[Item], asked: Parameters) -> list[Item]:
    """The issues of a state (open unless said), with all ``labels``, changed ``since``, in the order asked for."""
    state, since = asked.get("state", "open"), _moment(asked, "since")
    if state not in ("open", "closed", "all"):
        raise _invalid("Issue", "state", "/issues/issues#list-repository-issues")
    labels = {name.strip().lower() for name in asked.get("labels", "").split(",") if name.strip()}
    found = [
        issue
        for issue in issues
        if state in ("all", issue["state"])
        and labels <= {label["name"].lower() for label in issue["labels"]}
        and (since is None or _read(issue["updated_at"]) >= since)
        and asked.get("creator", "").lower() in ("", issue["user"]["login"].lower())
    ]
    order = asked.get("sort", "created")
    if order not in ("created", "updated", "comments"):
        raise _invalid("Issue", "sort", "/issues/issues#list-repository-issues")
    figure = {"comments": "comments"}.get(order) or _ORDERS[order]
    return sorted(found, key=lambda one: (one[figure], one["id"]), reverse=asked.get("direction", "desc") != "asc")


def sorted_repositories(items: Sequence[Item], asked: Parameters, usual: str) -> list[Item]:
    """Repositories in the order asked for; ``usual`` is the endpoint's own."""
    order = asked.get("sort", usual)
    if order not in _ORDERS:
        order = usual
    backwards = asked.get("direction", "asc" if order == "full_name" else "desc") == "desc"
    return sorted(items, key=lambda item: (item[_ORDERS[order]], item["id"]), reverse=backwards)


def searched(items: Sequence[Item], asked: Parameters) -> list[Item]:
    """The repositories that have all words and qualifiers of ``q``, most stars first unless another order is asked."""
    query = asked.get("q", "").split()
    if not query:
        errors = [{"resource": "Search", "field": "q", "code": "missing"}]
        raise Fault(422, "Validation Failed", "/search/search#search-repositories", errors)
    found = [{**item, "score": 1.0} for item in items if all(_fits(item, word.lower()) for word in query)]
    key = _SEARCH_ORDERS.get(asked.get("sort", ""), "stargazers_count")
    return sorted(found, key=lambda item: (item[key], item["id"]), reverse=asked.get("order", "desc") != "asc")


def _fits(item: Item, word: str) -> bool:
    name, colon, value = word.partition(":")
    if not colon:
        said = f"{item['full_name']} {item['description']} {' '.join(item['topics'])}".lower()
        return word in said
    match name:
        case "org" | "user":
            return bool(item["owner"]["login"].lower() == value)
        case "repo":
            return bool(item["full_name"].lower() == value)
        case "language":
            return bool(item["language"].lower() == value)
        case "topic":
            return value in item["topics"]
        case "in":
            return True
        case "stars" | "forks":
            return _in_range(item["stargazers_count" if name == "stars" else "forks_count"], value)
    raise _invalid("Search", "q", "/search/search#search-repositories")


def _in_range(figure: int, text: str) -> bool:
    found = _RANGE.fullmatch(text)
    if found is None:
        raise _invalid("Search", "q", "/search/search#search-repositories")
    sign, number, low, high = found.groups()
    if number is None:
        return (low == "*" or figure >= int(low)) and (high == "*" or figure <= int(high))
    limit = int(number)
    return {None: figure == limit, ">": figure > limit, ">=": figure >= limit, "<": figure < limit,
            "<=": figure <= limit}[sign]  # fmt: skip


def _moment(asked: Parameters, name: str) -> int | None:
    if not asked.get(name):
        return None
    try:
        return _read(asked[name])
    except ValueError:
        raise _invalid("Commit", name, "/commits/commits#list-commits") from None


def _read(text: str) -> int:
    moment = datetime.fromisoformat(text)
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def _invalid(resource: str, name: str, about: str) -> Fault:
    return Fault(422, "Validation Failed", about, [{"resource": resource, "field": name, "code": "invalid"}])

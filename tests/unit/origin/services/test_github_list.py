"""What lists can be asked for."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.origin.market.repository_history import Account, Commit, FileChange
from caia_replay.origin.services.github_body import iso
from caia_replay.origin.services.github_list import Fault, commit_window, issues_asked, searched, sorted_repositories

ANN, BOB = (
    Account(number, name, name.title(), f"{name}@mail.example", 0) for number, name in enumerate(("ann", "bob"))
)


def commit(at: int, author: Account, path: str) -> Commit:
    """A commit of one file."""
    return Commit(f"{at:040d}", "", None, "", author, at, at, at, True, (FileChange(path, 1, 0),))


COMMITS = (commit(300, ANN, "src/a.sol"), commit(200, BOB, "src/b.sol"), commit(100, ANN, "test/a.sol"))


@pytest.mark.parametrize(
    ("asked", "dates"),
    [
        ({}, [300, 200, 100]),
        ({"since": iso(200)}, [300, 200]),
        ({"until": iso(200)}, [200, 100]),
        ({"since": iso(101), "until": iso(299)}, [200]),
        ({"author": "ANN"}, [300, 100]),
        ({"author": "bob@mail.example"}, [200]),
        ({"author": "nobody"}, []),
        ({"path": "src"}, [300, 200]),
        ({"path": "test/a.sol"}, [100]),
    ],
)
def test_commits_of_a_window(asked: dict[str, str], dates: list[int]) -> None:
    """Both ends belong to it; an author is a login or an address, a path a file or a folder."""
    assert [one.committed_at for one in commit_window(COMMITS, asked)] == dates


def test_a_date_that_is_none_is_refused() -> None:
    """As the vendor refuses what it cannot read."""
    with pytest.raises(Fault, match="Validation Failed"):
        commit_window(COMMITS, {"since": "soon"})


def issue(number: int, state: str, label: str, changed: int) -> dict[str, Any]:
    """An issue's figures."""
    return {"id": number, "state": state, "labels": [{"name": label}], "updated_at": iso(changed), "comments": number,
            "created_at": iso(number), "user": {"login": "ann"}}  # fmt: skip


ISSUES = [issue(3, "open", "bug", 10), issue(2, "closed", "Bug", 30), issue(1, "open", "docs", 20)]


@pytest.mark.parametrize(
    ("asked", "numbers"),
    [
        ({}, [3, 1]),
        ({"state": "all"}, [3, 2, 1]),
        ({"state": "closed"}, [2]),
        ({"state": "all", "labels": "bug"}, [3, 2]),
        ({"state": "all", "sort": "updated"}, [2, 1, 3]),
        ({"state": "all", "sort": "comments", "direction": "asc"}, [1, 2, 3]),
        ({"state": "all", "since": iso(20)}, [2, 1]),
        ({"state": "all", "creator": "bob"}, []),
    ],
)
def test_issues_as_asked(asked: dict[str, str], numbers: list[int]) -> None:
    """Open ones unless said; labels in any case; by creation, newest first, unless said."""
    assert [one["id"] for one in issues_asked(ISSUES, asked)] == numbers


@pytest.mark.parametrize("asked", [{"state": "half"}, {"sort": "luck"}])
def test_issues_that_cannot_be_asked_for(asked: dict[str, str]) -> None:
    """A state or an order that there is not is refused."""
    with pytest.raises(Fault):
        issues_asked(ISSUES, asked)


def home(name: str, stars: int, language: str) -> dict[str, Any]:
    """A repository's figures."""
    return {"id": stars, "full_name": f"o/{name}", "description": "A Thing", "topics": ["x"], "language": language,
            "owner": {"login": "o"}, "stargazers_count": stars, "forks_count": 1, "created_at": iso(stars),
            "updated_at": iso(0), "pushed_at": iso(0)}  # fmt: skip


HOMES = [home("b", 5, "Go"), home("a", 9, "Rust"), home("c", 7, "Go")]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("thing", ["o/a", "o/c", "o/b"]),
        ("language:go", ["o/c", "o/b"]),
        ("org:o stars:>=7", ["o/a", "o/c"]),
        ("stars:5..7", ["o/c", "o/b"]),
        ("repo:o/a", ["o/a"]),
        ("topic:y", []),
    ],
)
def test_search_words_and_qualifiers(query: str, names: list[str]) -> None:
    """All of them must fit; most stars first."""
    assert [one["full_name"] for one in searched(HOMES, {"q": query})] == names


@pytest.mark.parametrize("query", ["", "size:3", "stars:many"])
def test_searches_that_cannot_be_read(query: str) -> None:
    """No words, an unknown qualifier or a figure that is none is refused."""
    with pytest.raises(Fault):
        searched(HOMES, {"q": query})


def test_orders_of_repositories() -> None:
    """The endpoint's own order unless one is asked; names rise, dates fall."""
    assert [one["full_name"] for one in sorted_repositories(HOMES, {}, "full_name")] == ["o/a", "o/b", "o/c"]
    assert [one["id"] for one in sorted_repositories(HOMES, {}, "created")] == [9, 7, 5]
    assert [one["id"] for one in sorted_repositories(HOMES, {"direction": "asc"}, "created")] == [5, 7, 9]

"""What lists of the synthetic GitHub can be asked for, and how they are cut into pages."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.origin.market.repository_history import Account, Commit, FileChange
from caia_replay.origin.services.github_body import iso
from caia_replay.origin.services.github_list import commit_window, issues_asked, searched
from caia_replay.origin.services.github_page import page_of

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


AT = "https://api.github.com/x"


def test_a_middle_page_leads_everywhere() -> None:
    """Before, after, last and first, with what was asked kept in the addresses."""
    page = page_of(range(10), "/x", {"q": "a b", "per_page": "3", "page": "2"})
    assert list(page.items) == [3, 4, 5]
    places = (("prev", 1), ("next", 3), ("last", 4), ("first", 1))
    assert page.link == ", ".join(f'<{AT}?q=a+b&per_page=3&page={at}>; rel="{name}"' for name, at in places)


@pytest.mark.parametrize(("size", "count"), [("250", 100), ("0", 30), ("-4", 30), ("many", 30), ("", 30), ("7", 7)])
def test_sizes_have_limits(size: str, count: int) -> None:
    """At most a hundred; what is no number from 1 up counts as thirty."""
    assert len(page_of(range(200), "/x", {"per_page": size}).items) == count

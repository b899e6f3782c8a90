"""Questions taken apart, and recordings of one owner or repository told from others."""

from __future__ import annotations

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.github_place import of_same_home, place_of

API = "https://api.github.com"


@pytest.mark.parametrize(
    ("path", "home", "kind", "rest"),
    [
        ("/repos/A/b", "repos/a/b", "", ()),
        ("/repos/A/b/commits", "repos/a/b", "commits", ()),
        ("/repos/a/b/commits/XY", "repos/a/b", "", ("commits", "XY")),
        ("/repositories/7/issues", "repositories/7", "issues", ()),
        ("/repos/a/b/releases/latest", "repos/a/b", "releases", ("latest",)),
        ("/repos/a/b/releases/tags/v1/x", "repos/a/b", "releases", ("tags", "v1", "x")),
        ("/repos/a/b/releases/5/assets", "repos/a/b", "", ("releases", "5", "assets")),
        ("/repos/a/b/contents/README.md", "repos/a/b", "", ("contents", "README.md")),
        ("/orgs/A/repos", "orgs/a", "orgs/repos", ()),
        ("/organizations/9/repos", "organizations/9", "orgs/repos", ()),
        ("/users/a/repos", "users/a", "users/repos", ()),
        ("/user/9/repos", "user/9", "users/repos", ()),
        ("/users/A", "users/a", "", ()),
        ("/search/repositories", "", "search/repositories", ()),
        ("/rate_limit", "", "", ("rate_limit",)),
    ],
)
def test_addresses_are_taken_apart(path: str, home: str, kind: str, rest: tuple[str, ...]) -> None:
    """Whose it is in lower case, a list's name, and what follows as it is written."""
    found = place_of(HttpRequest("GET", f"{API}{path}"))
    assert (found.home, found.kind, found.rest) == (home, kind, rest)


def test_the_first_page_of_a_commit_is_the_commit() -> None:
    """A page that is named and is the first changes nothing; another one does."""
    plain, first, second = (place_of(HttpRequest("GET", f"{API}/repos/a/b/commits/x{query}"))
                            for query in ("", "?page=1", "?page=2"))  # fmt: skip
    assert plain.is_as(first) and not plain.is_as(second)


def test_parameters_without_paging() -> None:
    """What chooses from a list is what is left without page and size."""
    found = place_of(HttpRequest("GET", f"{API}/repos/a/b/commits?page=2&per_page=5&since=x"))
    assert found.only() == {"since": "x"} and found.filters == ("since", "until", "author")


def test_a_parameter_given_twice_is_a_miss() -> None:
    """Nobody here knows which one the vendor would take."""
    with pytest.raises(Miss):
        place_of(HttpRequest("GET", f"{API}/repos/a/b/commits?page=2&page=3"))


def said(path: str, link: str = "") -> Recorded:
    """A recorded reply with a Link header."""
    return Recorded(HttpRequest("GET", API + path), HttpReply(200, {"link": link} if link else {}, b"[]"))


def test_a_link_header_tells_the_number() -> None:
    """By it recordings of name and number meet; without it they do not, and a strange header does no harm."""
    link = f'<{API}/repositories/7/tags?page=2>; rel="next"'
    found = [said("/repos/a/b/tags", link), said("/repositories/7/tags?page=2"), said("/repos/a/c/tags"),
             said("/repositories/8/tags", '<x?page=1&page=2>; rel="next"')]  # fmt: skip
    pairs = [(place_of(one.request), one) for one in found]
    for path in ("/repos/A/B/tags", "/repositories/7/tags"):
        assert [one for _, one in of_same_home(pairs, place_of(HttpRequest("GET", API + path)))] == found[:2]
    alone = of_same_home(pairs[1:], place_of(HttpRequest("GET", f"{API}/repos/a/b/tags")))
    assert alone == []

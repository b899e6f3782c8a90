"""Questions taken apart, and recordings of one owner or repository told from others."""

from __future__ import annotations

from email.utils import formatdate

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.github_place import of_same_home, place_of, placed

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


NOW = 1_715_000_000


def said(path: str, link: str = "", at: int | None = NOW) -> Recorded:
    """A recorded reply with a Link header, to which its next page is all there is."""
    dated = {} if at is None else {"date": formatdate(at, usegmt=True)}
    header = {"link": f'<{link}?page=2>; rel="next"'} if link else {}
    return Recorded(HttpRequest("GET", API + path), HttpReply(200, {**dated, **header}, b"[]"))


def met(recordings: list[Recorded], path: str) -> list[Recorded]:
    """The recordings of the one that a question is about."""
    return [found for _, found in of_same_home(placed(recordings), place_of(HttpRequest("GET", API + path)), NOW)]


SEVEN, EIGHT = f"{API}/repositories/7/tags", f"{API}/repositories/8/tags"


def test_a_link_header_tells_the_number() -> None:
    """By it recordings of name and number meet; without it they do not, and a strange header does no harm."""
    found = [said("/repos/a/b/tags", SEVEN), said("/repositories/7/tags?page=2"), said("/repos/a/c/tags"),
             said("/repositories/8/tags", "x?page=1"), said("/repos/a/b/tags?per_page=9")]  # fmt: skip
    for path in ("/repos/A/B/tags", "/repositories/7/tags"):
        assert met(found, path) == [found[0], found[1], found[4]]
    assert met(found[1:4], "/repos/a/b/tags") == []


def test_a_mirrors_address_is_nobodys_number() -> None:
    """Two repositories whose Link headers lead through one mirror, or to nothing, stay two."""
    for lead in ("https://mirror.example/gh/api/v3/repos/{}/tags", "https://mirror.example/repositories/1/tags",
                 f"{API}/nothing", "http://["):  # fmt: skip
        found = [said(f"/repos/{name}/tags", lead.format(name)) for name in ("a/b", "c/d")]
        assert met(found, "/repos/a/b/tags") == found[:1]


def test_a_name_that_changed_hands_is_not_followed() -> None:
    """What a name led to a year ago it need not lead to now: the one that moved on is not taken for the other."""
    old, moved = said("/repos/a/b/tags", SEVEN, NOW - 10**7), said("/repos/c/d/tags", SEVEN)
    new, late = said("/repos/a/b/tags?per_page=9", EIGHT), said("/repositories/8/tags?page=2")
    assert moved not in met([old, moved], "/repos/a/b/tags")
    assert moved not in met([old, moved, said("/repositories/7/tags?page=2")], "/repos/a/b/tags")
    assert met([old, moved, new, late], "/repos/a/b/tags") == [new, late]
    assert met([old, moved, new, late], "/repos/c/d/tags") == [old, moved]
    assert met([old, moved, new, late], "/repositories/7/tags") == [old, moved]


def test_a_name_that_leads_to_two_numbers_leads_nowhere() -> None:
    """At one moment it is a contradiction; over time, what does not say which one it is of is neither's."""
    here, there = said("/repos/a/b/tags", SEVEN), said("/repos/a/b/tags?per_page=9", EIGHT, NOW + 60)
    assert met([here, there], "/repos/a/b/tags") == []
    early, late = said("/repos/a/b/tags", SEVEN, NOW - 10**7), said("/repos/a/b/tags", EIGHT, NOW + 10**7)
    plain, now = said("/repos/a/b/tags", "", NOW + 10**6), said("/repos/a/b/tags?per_page=9")
    assert met([early, late, plain, now], "/repos/a/b/tags") == [now]
    assert met([late, plain], "/repos/a/b/tags") == [late, plain]


def test_pages_of_later_meet_by_the_header_of_their_own_time() -> None:
    """A list that was recorded whole later goes on by number; what has no moment meets nobody of another name."""
    first, second = said("/repos/a/b/tags", SEVEN, NOW + 10**7), said("/repositories/7/tags", "", NOW + 10**7 + 5)
    assert met([first, second], "/repos/a/b/tags") == [first, second]
    undated = [said("/repos/a/b/tags", SEVEN, None), said("/repositories/7/tags", "", None)]
    assert met(undated, "/repos/a/b/tags") == undated[:1]


def test_recordings_that_cannot_be_read_are_left_out() -> None:
    """A parameter given twice, or letters that are no text; asking so is a miss."""
    torn = said("/repos/a/b/tags?q=\ud800")
    assert placed([said("/repos/a/b/tags?page=1&page=1"), torn]) == []
    with pytest.raises(Miss, match="no text"):
        place_of(torn.request)

"""Commits of a window and issues of a state, out of wider recordings; and what cannot be told from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from caia_replay.core.provider import HttpReply
from caia_replay.providers.github_list import commits_from, issues_from, same_question
from caia_replay.providers.github_page import Shelf

REPLY = HttpReply(200, {}, b"[]")


def shelf(items: Sequence[Any], whole: bool = True) -> Shelf:
    """A recorded list."""
    return Shelf(dict(enumerate(items)), len(items), len(items) if whole else None, None, REPLY)


def commit(day: int, login: str | None = "ann") -> dict[str, Any]:
    """A commit of a day of May 2024, as far as windows look at it."""
    author = None if login is None else {"login": login}
    return {"sha": f"{day:040d}", "author": author, "commit": {"committer": {"date": f"2024-05-{day:02d}T00:00:00Z"}}}


COMMITS = [commit(9), commit(7, "Bob"), commit(5, None), commit(3), commit(1)]


def days(asked: Mapping[str, str], parameters: Mapping[str, str] | None = None, whole: bool = True,
         items: Sequence[Any] = COMMITS) -> list[list[int]] | None:  # fmt: skip
    """The days of what is found, and nothing where the list is not known whole."""
    found = list(commits_from([(parameters or {}, shelf(items, whole))], asked))
    if any(not one.is_whole for one in found):
        return None
    return [[int(item["sha"]) for item in one.first()] for one in found]


def test_a_window_has_both_its_ends() -> None:
    """Commits of the first and of the last second belong to it, in any zone's spelling."""
    assert days({"since": "2024-05-05T00:00:00Z"}) == [[9, 7, 5]]
    assert days({"since": "2024-05-05T00:00:01Z"}) == [[9, 7]]
    assert days({"until": "2024-05-03T02:00:00+02:00"}) == [[3, 1]]
    assert days({"since": "2024-05-03T00:00:00Z", "until": "2024-05-05T00:00:00Z"}) == [[5, 3]]


def test_an_author_must_be_known() -> None:
    """By login in any case; one who is nowhere in the list may be an address's part, and addresses are not read."""
    assert days({"author": "bob"}) == [[7]] and days({"author": "ANN", "since": "2024-05-02T00:00:00Z"}) == [[9, 3]]
    assert days({"author": "carl"}) == [] and days({"author": "ann@mail.example"}) == []
    assert days({"author": "ann"}, {"author": "Ann"}, items=[commit(9), commit(3)]) == [[9, 3]]
    assert days({}, {"author": "ann"}) == [] and days({"author": "bob"}, {"author": "ann"}) == []


def test_a_wider_window_holds_a_narrower_one() -> None:
    """Not the other way round, and not where only one end is wider."""
    had = {"since": "2024-05-01T00:00:00Z", "until": "2024-05-09T00:00:00Z"}
    assert days({"since": "2024-05-04T00:00:00Z", "until": "2024-05-08T00:00:00Z"}, had) == [[7, 5]]
    assert days({"since": "2024-05-04T00:00:00Z"}, had) == []
    assert days({"since": "2024-04-30T23:59:59Z", "until": "2024-05-08T00:00:00Z"}, had) == []


def test_a_list_that_goes_on_is_enough_when_it_goes_past_the_window() -> None:
    """Its last known commit is older than the window; at the same second another one may follow."""
    assert days({"since": "2024-05-02T00:00:00Z"}, whole=False) == [[9, 7, 5, 3]]
    assert days({"since": "2024-05-01T00:00:00Z"}, whole=False) is None
    assert days({"until": "2024-05-06T00:00:00Z"}, whole=False) is None


def test_dates_that_rise_are_not_cut() -> None:
    """The vendor walks the history and stops: where dates rise, nobody here knows where."""
    assert days({"since": "2024-05-02T00:00:00Z"}, items=[commit(3), commit(9), commit(1)]) == []
    assert days({"since": "2024-05-02T00:00:00Z"}, items=[commit(3), {"sha": "x"}]) == []


def test_moments_only_the_vendor_can_read() -> None:
    """A date without a time, or no date: not here."""
    for text in ("2024-05-05", "yesterday", "2024-05-05T00:00:00"):
        assert days({"since": text}) == []


def issue(number: int, state: str = "open", changed: int = 1, labels: str = "bug", by: str = "ann") -> dict[str, Any]:
    """An issue created on the day of its number, with a key nobody here knows."""
    return {"id": number, "state": state, "updated_at": f"2024-05-{changed:02d}T00:00:00Z", "comments": number % 2,
            "created_at": f"2024-04-{number:02d}T00:00:00Z", "labels": [{"name": name} for name in labels.split()],
            "user": {"login": by}, "type": None}  # fmt: skip


ISSUES = [
    issue(4, "closed", 9),
    issue(3, labels="bug docs", changed=5),
    issue(2, changed=7, labels=""),
    issue(1, by="Bob"),
]


def numbers(
    asked: Mapping[str, str], parameters: Mapping[str, str] | None = None, whole: bool = True
) -> list[list[int]]:
    """The issues that are found."""
    had = {"state": "all"} if parameters is None else parameters
    return [[item["id"] for item in one.first()] for one in issues_from([(had, shelf(ISSUES, whole))], asked)]


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ({}, [[3, 2, 1]]),
        ({"state": "closed"}, [[4]]),
        ({"labels": "BUG,docs"}, [[3]]),
        ({"state": "all", "sort": "updated"}, [[4, 2, 3, 1]]),
        ({"state": "all", "direction": "asc"}, [[1, 2, 3, 4]]),
        ({"state": "all", "since": "2024-05-06T00:00:00Z"}, [[4, 2]]),
        ({"state": "all", "since": "2024-05-05T00:00:00Z"}, []),
        ({"state": "all", "sort": "comments"}, []),
        ({"creator": "bob"}, [[1]]),
        ({"state": "half"}, []),
        ({"sort": "luck"}, []),
    ],
)
def test_issues_out_of_all(asked: dict[str, str], wanted: list[list[int]]) -> None:
    """Chosen and put in order; where equals meet, or the moment itself decides, nothing is told."""
    assert numbers(asked) == wanted


def test_only_wide_and_whole_lists_hold_others() -> None:
    """A list of some state, label or start, or one that goes on, does not hold what it left out."""
    assert numbers({}, {"state": "closed"}) == [] and numbers({}, {"state": "all", "labels": "bug"}) == []
    assert numbers({"state": "all"}, {}) == [] and numbers({}, whole=False) == []


def test_a_label_without_a_name_is_nobodys() -> None:
    """A list with such an issue is not chosen from: nobody knows what it is labelled."""
    for label in ({"name": None}, {}, None):
        items = [{**ISSUES[0], "labels": [label]}]
        assert list(issues_from([({"state": "all"}, shelf(items))], {"state": "all", "labels": "none"})) == []


def test_equal_questions_in_other_words() -> None:
    """What the vendor takes for granted may be written out; moments in any zone, names in any case."""
    assert same_question({}, {"state": "open", "sort": "created", "direction": "desc"})
    assert same_question({"since": "2024-05-06T00:00:00Z"}, {"since": "2024-05-06T02:00:00+02:00"})
    assert same_question({"author": "Ann"}, {"author": "ann"})
    assert not same_question({"since": "2024-05-06"}, {"since": "2024-05-06T00:00:00Z"})
    assert not same_question({"labels": "Bug"}, {"labels": "bug"}) and not same_question({}, {"state": "all"})

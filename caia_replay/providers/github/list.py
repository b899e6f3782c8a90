"""Lists within lists of GitHub: the commits of a window or an author, the issues of a state, out of wider recordings.

A date in a commit does not prove when it was pushed, and an issue changes: all of it is of the recording's moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from caia_replay.providers.github.moment import moment_of
from caia_replay.providers.github.page import Shelf

COMMIT_WINDOW: Final = ("since", "until", "author")
ISSUE_FILTERS: Final = ("state", "labels", "since", "sort", "direction", "creator")
_ISSUE_ORDERS: Final = {"created": "created_at", "updated": "updated_at", "comments": "comments"}

Parameters = Mapping[str, str]
Group = tuple[Parameters, Shelf]
"""The parameters that recorded pages of one list share, without page and size, and what the pages say."""


def commits_from(groups: Sequence[Group], asked: Parameters) -> Iterator[Shelf]:
    """The commits of a window and an author, out of each recorded list that holds them.

    Only lists whose dates never rise are cut: the vendor stops at the first date that is too old.
    """
    since, until, author = _moment(asked, "since"), _moment(asked, "until"), asked.get("author", "").lower()
    if _unread(asked, since, until) or "@" in author:
        return
    for parameters, shelf in groups:
        from_, to, by = _moment(parameters, "since"), _moment(parameters, "until"), parameters.get("author", "").lower()
        if _unread(parameters, from_, to) or by not in ("", author):
            continue
        if (from_ is not None and (since is None or since < from_)) or (
            to is not None and (until is None or until > to)
        ):
            continue
        items = shelf.first()
        dates = [_date(item) for item in items]
        known = [date for date in dates if date is not None]
        if len(known) != len(items) or any(later < earlier for later, earlier in pairwise(known)):
            continue
        if author != by and all(_login(item) != author for item in items):
            continue  # Nobody of that name is known here: it may be part of an address, or nobody's at all.
        found = [
            item
            for item, date in zip(items, known)
            if (since is None or date >= since)
            and (until is None or date <= until)
            and (author == by or _login(item) == author)
        ]
        goes_past = since is not None and bool(known) and known[-1] < since
        yield shelf.having(found, shelf.is_whole or goes_past)


def issues_from(groups: Sequence[Group], asked: Parameters) -> Iterator[Shelf]:
    """The issues of a state, with labels, by somebody, changed since a moment, in an order, out of whole lists."""
    order, since = asked.get("sort", "created"), _moment(asked, "since")
    direction, state = asked.get("direction", "desc"), asked.get("state", "open")
    named = (order in _ISSUE_ORDERS, direction in ("asc", "desc"), state in ("open", "closed", "all"))
    if not all(named) or _unread(asked, since, None) or "*" in asked.get("labels", "") + asked.get("creator", ""):
        return
    labels = {name.strip().lower() for name in asked.get("labels", "").split(",") if name.strip()}
    creator = asked.get("creator", "").lower()
    for parameters, shelf in groups:
        if any(parameters.get(name) for name in ("labels", "since", "creator")) or not shelf.is_whole:
            continue
        if parameters.get("state", "open") not in ("all", state):
            continue
        if not all(_is_issue(item) for item in shelf.first()):
            continue
        kept = [item for item in shelf.first() if state in ("all", item["state"])]
        changed = [moment_of(item["updated_at"]) for item in kept]
        if since is not None and any(moment is None or moment == since for moment in changed):
            continue  # The vendor does not say whether the moment itself belongs to it.
        found = [
            item
            for item, moment in zip(kept, changed)
            if (since is None or (moment or 0) > since)
            and labels <= {str(label["name"]).lower() for label in item["labels"]}
            and creator in ("", _login(item, "user"))
        ]
        own_order = (parameters.get("sort", "created"), parameters.get("direction", "desc"))
        if own_order != (order, direction):
            figures = [item[_ISSUE_ORDERS[order]] for item in found]
            if len(set(figures)) != len(figures):
                continue  # Who comes first of two equals is the vendor's choice.
            found.sort(key=lambda item: item[_ISSUE_ORDERS[order]], reverse=direction == "desc")
        yield shelf.having(found, True)


def same_question(left: Parameters, right: Parameters) -> bool:
    """Whether two windows or filters mean the same, by the moments and names in them."""
    return all(_meaning(left, name) == _meaning(right, name) for name in {*left, *right})


def _meaning(asked: Parameters, name: str) -> Any:
    text = asked.get(name, {"state": "open", "sort": "created", "direction": "desc"}.get(name, ""))
    if name in ("since", "until"):
        return moment_of(text) if moment_of(text) is not None else text
    return text.lower() if name in ("author", "creator") else text


def _unread(asked: Parameters, since: int | None, until: int | None) -> bool:
    """Whether a window is given in a way that only the vendor can read."""
    return any(bool(asked.get(name)) and moment is None for name, moment in (("since", since), ("until", until)))


def _moment(asked: Parameters, name: str) -> int | None:
    return moment_of(asked.get(name, ""))


def _date(item: Any) -> int | None:
    try:
        return moment_of(item["commit"]["committer"]["date"])
    except (KeyError, TypeError):
        return None


def _login(item: Any, who: str = "author") -> str:
    try:
        return str(item[who]["login"]).lower()
    except (KeyError, TypeError):
        return ""


def _is_issue(item: Any) -> bool:
    checks: tuple[tuple[str, Callable[[Any], bool]], ...] = (
        ("state", lambda value: value in ("open", "closed")),
        ("updated_at", lambda value: isinstance(value, str)),
        ("created_at", lambda value: isinstance(value, str)),
        ("comments", lambda value: type(value) is int),
        (
            "labels",
            lambda value: (
                isinstance(value, list)
                and all(isinstance(one, dict) and isinstance(one.get("name"), str) for one in value)
            ),
        ),
    )
    return isinstance(item, dict) and all(name in item and holds(item[name]) for name, holds in checks)

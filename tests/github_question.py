"""Questions to GitHub as an agent may ask them, drawn by lot: mostly of what was recorded whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol
from urllib.parse import urlencode

from caia_replay.core.provider import HttpRequest
from caia_replay.origin.dice import Dice
from caia_replay.origin.market.repository import Repositories, Repository
from caia_replay.origin.services.github_body import iso

API = "https://api.github.com"
SINGLES = ("", "/languages", "/topics", "/readme", "/license", "/contents/README.md")


class Asking(Protocol):
    """What questions are drawn from: the repositories by how they were recorded, and the moment."""

    code: Repositories
    now: int
    whole: Sequence[str]
    parts: Sequence[str]
    queries: Sequence[str]


def question(court: Asking, dice: Dice) -> HttpRequest:
    """A question as an agent may ask it, mostly about what was recorded whole."""
    name = dice.one(
        court.whole if dice.happens(88) else court.parts if dice.happens(80) else sorted(court.code.repositories)
    )
    home, kind = court.code.repositories[name], dice.number(1, 100)
    shown = name.upper() if dice.happens(5) else name
    if kind <= 38:
        asked = _commit_window(court, dice, home)
        owner = f"/repositories/{home.id}" if dice.happens(8) and home.name != "docs" else f"/repos/{shown}"
        return get(f"{owner}/commits?{urlencode(_paged(dice, asked, 260))}")
    if kind <= 50:
        return get(f"/repos/{shown}/releases?{urlencode(_paged(dice, {}, 14))}")
    if kind <= 58:
        return get(f"/repos/{shown}/releases/{_one_release(dice, home)}")
    if kind <= 74:
        return get(f"/repos/{shown}/issues?{urlencode(_paged(dice, _issue_filter(court, dice, home), 8))}")
    if kind <= 84:
        return get(f"/repos/{shown}/{dice.one(('tags', 'contributors'))}?{urlencode(_paged(dice, {}, 12))}")
    if kind <= 90:
        return get(f"/repos/{shown}{dice.one(SINGLES)}")
    if kind <= 94:
        return get(f"/repos/{shown}/commits/{dice.one(home.past.commits[::9]).sha}")
    if kind <= 97:
        owner = home.owner.login
        path = dice.one(("/orgs/{}/repos", "/users/{}/repos")).format(owner)
        return get(f"{path}?{urlencode(_paged(dice, {}, 3))}")
    query = dice.one((*court.queries, "wallet"))
    return get(f"/search/repositories?{urlencode(_paged(dice, {'q': query}, 20))}")


def _paged(dice: Dice, asked: dict[str, str], items: int) -> dict[str, str]:
    found = dict(asked)
    if dice.happens(80):
        found["per_page"] = str(dice.one((1, 2, 3, 5, 7, 10, 30, 50, 100, 100, 100, 250)))
    if dice.happens(60):
        found["page"] = str(dice.number(1, 1 + -(-items // size_of(found))))
    return found


def _commit_window(court: Asking, dice: Dice, home: Repository) -> dict[str, str]:
    found: dict[str, str] = {}
    begun = home.created_at
    low = dice.number(begun, court.now)
    if dice.happens(45):
        found["since"] = iso(low)
    if dice.happens(35):
        found["until"] = iso(dice.number(low, court.now))
    if dice.happens(25):
        people = [one.login for one, _ in home.contributors(court.now)]
        found["author"] = dice.one([*people, court.code.accounts[0].login])
    if dice.happens(25) and court.now > begun:  # right at a commit's own second
        found["since"] = iso(dice.one(home.commits(court.now)).committed_at)
        if found.get("until", "9") < found["since"]:
            found["until"] = found["since"]
    return found


def _issue_filter(court: Asking, dice: Dice, home: Repository) -> dict[str, str]:
    found: dict[str, str] = {}
    if dice.happens(60):
        found["state"] = dice.one(("open", "closed", "all"))
    if dice.happens(30):
        found["labels"] = dice.one(("bug", "question", "documentation", "bug,question"))
    if dice.happens(30):
        found |= {"sort": dice.one(("created", "updated")), "direction": dice.one(("asc", "desc"))}
    if dice.happens(20):
        found["since"] = iso(dice.number(home.created_at, court.now))
    return found


def _one_release(dice: Dice, home: Repository) -> str:
    if dice.happens(35) or not home.past.releases:
        return "latest"
    return f"tags/{dice.one(home.past.releases).tag}"


def get(path: str) -> HttpRequest:
    """A request to the API."""
    return HttpRequest("GET", API + path)


def size_of(asked: Mapping[str, str]) -> int:
    """How many items a page has."""
    return min(100, int(asked.get("per_page", "30")))

"""A question to GitHub taken apart: whose list or thing it is about, which one, and what it chooses from it.

The Link header of a list names its owner or repository by number (``/repositories/{id}/...``), and clients page by it:
two addresses are of the same owner when some recording's Link header says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from caia_replay.core.provider import HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import endpoint_of
from caia_replay.providers.github_list import COMMIT_WINDOW, ISSUE_FILTERS
from caia_replay.providers.github_page import links_of

PAGING: Final = ("per_page", "page")
_LISTS: Final = frozenset({"commits", "releases", "tags", "contributors", "issues"})
_FILTERS: Final[Mapping[str, tuple[str, ...]]] = {"commits": COMMIT_WINDOW, "issues": ISSUE_FILTERS}


@dataclass(frozen=True, slots=True)
class Place:
    """A question taken apart. ``home`` is whose it is (``repos/a/b``, ``repositories/1``, ``orgs/a``...), lower case.

    ``kind`` is a list's name, or empty for a single thing; ``rest`` is what follows, such as a release's tag.
    """

    home: str
    kind: str
    rest: tuple[str, ...]
    parameters: Mapping[str, str]

    @property
    def filters(self) -> tuple[str, ...]:
        """The parameters that choose from the list."""
        return _FILTERS.get(self.kind, ())

    def only(self) -> dict[str, str]:
        """The parameters without page and size."""
        return {name: value for name, value in self.parameters.items() if name not in PAGING}

    def is_as(self, other: Place) -> bool:
        """Whether the other asks for the same, in the same spelling but for the case of names."""
        mine, its = (self.kind, self.rest, self.parameters), (other.kind, other.rest, other.parameters)
        return mine == its


def place_of(request: HttpRequest) -> Place:
    """Raises ``Miss`` for an address that cannot be read."""
    asked = endpoint_of(request)
    match asked.segments():
        case ["repos", owner, name, *rest]:
            home = f"repos/{owner}/{name}".lower()
        case ["repositories", number, *rest]:
            home = f"repositories/{number}"
        case [("orgs" | "organizations" | "users" | "user") as kind, name, "repos"]:
            listed = "orgs/repos" if kind in ("orgs", "organizations") else "users/repos"
            return Place(f"{kind}/{name}".lower(), listed, (), asked.parameters)
        case ["search", "repositories"]:
            return Place("", "search/repositories", (), asked.parameters)
        case [("orgs" | "users") as kind, name]:
            return Place(f"{kind}/{name}".lower(), "", (), asked.parameters)
        case rest:
            return Place("", "", tuple(rest), asked.parameters)
    if rest[:1] == ["releases"] and (len(rest) <= 2 or rest[1] == "tags"):
        return Place(home, "releases", tuple(rest[1:]), asked.parameters)
    if len(rest) == 1 and rest[0] in _LISTS:
        return Place(home, rest[0], (), asked.parameters)
    if rest[:1] == ["commits"] and asked.parameters.get("page") == "1":
        # The files of a commit come in pages too, and some clients always name the first.
        return Place(home, "", tuple(rest), asked.without("page"))
    return Place(home, "", tuple(rest), asked.parameters)


def of_same_home(recorded: Iterable[tuple[Place, Recorded]], wanted: Place) -> list[tuple[Place, Recorded]]:
    """The recordings of one owner or repository, by its name or by the number that its Link headers give it."""
    known = list(recorded)
    homes = {wanted.home}
    for at, found in known:
        for address in links_of(found.reply).values():
            other = _home_of(address)
            if at.home in homes or other in homes:
                homes |= {at.home, other}
    return [(at, found) for at, found in known if at.home in homes]


def _home_of(address: str) -> str:
    try:
        return place_of(HttpRequest("GET", address)).home
    except Miss:
        return ""

"""A question to GitHub taken apart: whose list or thing it is about, which one, and what it chooses from it.

The Link header of a list names its owner or repository by number (``/repositories/{id}/...``), and clients page by it:
two addresses are of the same owner when a Link header says so. Names change hands and numbers do not, so what a header
says of a name holds for recordings of about the same moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import AS_OF_NOW_S, answered_at, endpoint_of, is_of_now
from caia_replay.providers.github.list import COMMIT_WINDOW, ISSUE_FILTERS
from caia_replay.providers.github.page import links_of, without_query

ORIGIN: Final = "https://api.github.com"
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
    """Raises ``Miss`` for an address that cannot be read, or written."""
    if any("\ud800" <= letter <= "\udfff" for letter in request.url):
        raise Miss("http", f"{request.method} {request.url!a:.300}", "the address is no text that can be sent")
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


def placed(recorded: Iterable[Recorded]) -> list[tuple[Place, Recorded]]:
    """Recordings with their questions taken apart, without those whose address cannot be read."""
    known = []
    for found in recorded:
        with suppress(Miss):
            known.append((place_of(found.request), found))
    return known


def of_same_home(recorded: Iterable[tuple[Place, Recorded]], wanted: Place, now: int) -> list[tuple[Place, Recorded]]:
    """The recordings of one owner or repository, by its name or by the number that its Link headers give it.

    A name leads to the number that headers of about a recording's own moment give. None is left where it leads to two
    at ``now``; and where it led to two at all, none of another moment that does not say which one it is of.
    """
    known = [(at, found, answered_at(found.reply), _other_home(at, found.reply)) for at, found in recorded]
    told = _Names()
    for at, _, made, other in known:
        if other and made is not None:
            told.add(at.home, made, other)
    present, ever = told.around(wanted.home, now), told.ever.get(wanted.home, set())
    if len(present) > 1:
        return []

    def belongs(at: Place, found: Recorded, made: int | None, other: str) -> bool:
        its = {other} if other else told.around(at.home, made)
        if at.home == wanted.home:
            if is_of_now(found, now):
                return True
            return its == present if its and present else len(ever) <= 1
        mine = present or told.around(wanted.home, made)
        named = {at.home} | (its if len(its) == 1 else set())
        return bool(named & {wanted.home, *(mine if len(mine) == 1 else ())})

    return [(at, found) for at, found, made, other in known if belongs(at, found, made, other)]


class _Names:
    """What owners and repositories were called otherwise, by their Link headers, and when."""

    def __init__(self) -> None:
        self.ever: dict[str, set[str]] = {}
        self._seen: dict[tuple[str, int], set[str]] = {}

    def add(self, home: str, made: int, other: str) -> None:
        """A Link header of a recording of ``home`` named ``other``. More than two names tell no more than two."""
        for names in (self.ever.setdefault(home, set()), self._seen.setdefault((home, made // AS_OF_NOW_S), set())):
            if len(names) < 2:
                names.add(other)

    def around(self, home: str, moment: int | None) -> set[str]:
        """The other names of about a moment."""
        if moment is None:
            return set()
        slot = moment // AS_OF_NOW_S
        return set().union(*(self._seen.get((home, near), ()) for near in (slot - 1, slot, slot + 1)))


def _other_home(at: Place, reply: HttpReply) -> str:
    """What a Link header calls the owner or repository, where it is another name than the one that was asked for."""
    if not at.home:
        return ""
    homes = {_home_of(address) for address in {without_query(one) for one in links_of(reply).values()}}
    homes -= {"", at.home}
    return homes.pop() if len(homes) == 1 else ""


def _home_of(address: str) -> str:
    """Whose an address of the API is; nothing for any other, such as a mirror's, which counts for itself."""
    try:
        return place_of(HttpRequest("GET", address)).home if address.lower().startswith(f"{ORIGIN}/") else ""
    except Miss:
        return ""

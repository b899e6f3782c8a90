"""GitHub's REST API: lists in pages, releases as a series, commits by their sha, all else as of the recording's moment.

    https://api.github.com/repos/{owner}/{repository}[/...], /orgs/..., /users/..., /search/repositories, /rate_limit

A list's family leaves the owner and repository out, since the Link header of a list names them by number; ``narrow``
finds out which recordings are of the same one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.tool import Authority
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import answered_at, content_of, endpoint_of, reads_from, utc
from caia_replay.providers.github.list import ISSUE_FILTERS, commits_from, issues_from, same_question
from caia_replay.providers.github.moment import is_current, moment_of, says_later
from caia_replay.providers.github.page import (
    MOST_ON_A_PAGE,
    Shelf,
    links_of,
    made_of,
    page_from,
    shelf_of,
    size_and_page,
    without_query,
)
from caia_replay.providers.github.place import ORIGIN, PAGING, Place, of_same_home, place_of, placed
from caia_replay.providers.github.release import latest, release_lists, was_so

MOST_PAGES: Final = 10
"""How many pages of a list the recorder follows; a page behind them is recorded when it is asked for itself."""

_CURSORS: Final = frozenset({"after", "before", "cursor"})
"""Lists that go on by one of these have no numbered pages."""
_LATER: Final = frozenset({304, 429, *range(500, 600)})
_SHA: Final = re.compile(r"[0-9a-f]{40}")
_NEAREST: Final = 3


class GitHubProvider:
    """The provider. See docs/providers/github.md for what follows from what."""

    name = "github"
    authority: Authority = "open-web"
    ignored_parameters: frozenset[str] = frozenset()
    has_other_sources = False

    def match(self, request: HttpRequest) -> bool:
        """Whether the request reads from the API's host."""
        return reads_from(request, ORIGIN)

    def family(self, request: HttpRequest) -> str:
        """A list's kind and the parameters that do not choose from it; of a single thing, its address."""
        place = place_of(request)
        left_out = {*PAGING, *place.filters}
        kept = "&".join(f"{name}={value}" for name, value in sorted(place.parameters.items()) if name not in left_out)
        return f"{place.kind}?{kept}" if place.kind else f"/{'/'.join((place.home, *place.rest))}?{kept}"

    def widen(self, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
        """The whole list in the longest pages, and the question itself where the list may not lead to its answer."""
        place = place_of(request)
        if not place.kind:
            return (request,)
        dropped = {"commits": ("author",), "issues": ISSUE_FILTERS}.get(place.kind, ())
        asked = {name: value for name, value in place.only().items() if name not in dropped}
        if place.kind == "issues":
            asked["state"] = "all"
        path = endpoint_of(request).path
        if place.rest:
            path = "/" + "/".join([part for part in path.split("/") if part][: -len(place.rest)])
        query = urlencode(sorted({**asked, "per_page": str(MOST_ON_A_PAGE), "page": "1"}.items()))
        wide = HttpRequest("GET", f"{ORIGIN}{path}?{query}", headers=request.headers)
        size, page = size_and_page(place.parameters) or (MOST_ON_A_PAGE, MOST_PAGES + 1)
        is_behind = size * page > MOST_ON_A_PAGE * MOST_PAGES or not _CURSORS.isdisjoint(asked)
        return (wide, request) if place.rest or asked != place.only() or is_behind else (wide,)

    def follow(self, request: HttpRequest, reply: HttpReply) -> HttpRequest | None:
        """The Link header's next page, as the vendor spells it; none after the tenth."""
        url = links_of(reply).get("next", "")
        following = HttpRequest("GET", url, headers=request.headers)
        if reply.status != 200 or not url or not self.match(following):
            return None
        sized = size_and_page(endpoint_of(following).parameters)
        return following if sized is not None and sized[1] <= MOST_PAGES else None

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """See ``Provider.narrow``."""
        wanted = f"GET {request.url:.300} at {utc(now)}"
        place = place_of(request)
        own = of_same_home(placed(recorded), place, now)
        own = [(at, found) for at, found in own if not _is_put_off(found.reply)]
        missed: Miss | None = None
        for found in chain(_asked_now(own, place, now), _told_for_good(own, place, now)):
            return found.reply
        if place.kind == "releases" and place.rest:
            reply = _release(own, place, now)
            if reply is not None:
                return reply
        elif place.kind:
            for shelf in _shelves([one for one in own if not one[0].rest], place, now):
                try:
                    return _as_recorded(
                        page_from(shelf, _in_order(request, place), without_query(request.url), wanted), own, place
                    )
                except Miss as miss:
                    missed = missed or miss
        # What is refused for its key is handed out where nothing else answers.
        for at, found in own:
            if at.is_as(place) and found.reply.status == 401:
                return found.reply
        raise missed or Miss("http", wanted, _where(own, now))


def _in_order(request: HttpRequest, place: Place) -> dict[str, str]:
    """The parameters as the request has them one after the other: a Link header repeats them so."""
    asked = parse_qsl(urlsplit(request.url).query, keep_blank_values=True)
    order = {name: number for number, (name, _) in enumerate(asked)}
    return dict(sorted(place.parameters.items(), key=lambda one: order.get(one[0], len(order))))


def _is_put_off(reply: HttpReply) -> bool:
    """Whether a reply is about the asking and not about what was asked: too many requests, a fault, nothing new."""
    if reply.status == 403:
        return reply.headers.get("x-ratelimit-remaining") == "0" or "retry-after" in reply.headers
    return reply.status in _LATER


def _asked_now(own: Sequence[tuple[Place, Recorded]], place: Place, now: int) -> list[Recorded]:
    """Recordings of the very question that tell what is the case now: by the same name first, then the nearest."""
    found = [
        (at.home != place.home, abs(made - now), made > now, number)
        for number, (at, one) in enumerate(own)
        if at.is_as(place) and one.reply.status != 401 and is_current(one, now)
        if (made := answered_at(one.reply)) is not None
    ]
    return [own[number][1] for *_, number in sorted(found)]


def _told_for_good(own: Sequence[tuple[Place, Recorded]], place: Place, now: int) -> Iterator[Recorded]:
    """Recordings of the very question whose answer does not change: a commit by its whole sha."""
    if place.kind or place.rest[:1] != ("commits",) or len(place.rest) != 2 or not _SHA.fullmatch(place.rest[1]):
        return
    for at, found in own:
        if found.reply.status == 200 and at.is_as(place):
            made, body = answered_at(found.reply), _object(found.reply)
            is_known = made is not None and made <= now
            if body.get("sha") == place.rest[1] and (
                is_known or (_was_there(body, now) and not says_later(found.reply, now))
            ):
                yield found


def _was_there(commit: Any, now: int) -> bool:
    """Whether a commit that was recorded later had reached the server by ``now``, and nobody remarked on it since.

    Its own date says nothing of that; the moment when the server verified it does, or that the server signed it.
    """
    try:
        said = commit["commit"]
        proof = said["verification"]
        at = proof.get("verified_at")
        if at is None and proof["verified"] and commit["committer"]["login"] == "web-flow":
            at = said["committer"]["date"]
        moment = moment_of(at)
        return said["comment_count"] == 0 and moment is not None and moment <= now
    except (KeyError, TypeError, AttributeError):
        return False


def _release(own: Sequence[tuple[Place, Recorded]], place: Place, now: int) -> HttpReply | None:
    """One release: the latest of a whole list, or the one of a tag or number, wherever it was recorded."""
    if place.parameters:
        return None
    pages = [found for at, found in own if found.reply.status == 200 and not at.rest and not at.only()]
    if place.rest == ("latest",):
        for shelf in release_lists(pages, now):
            newest = latest(shelf.first()) if shelf.is_whole else None
            if newest is not None:
                return made_of(newest, shelf.like)
        return None
    told = [(at, found) for at, found in own if found.reply.status == 200 and (at.rest or not at.only())]
    current = [(at, found) for at, found in told if is_current(found, now)]
    for at, found in _by_moment(current, now):
        for release in _named(found.reply, place.rest):
            return found.reply if at.is_as(place) else made_of(release, found.reply)
    there = shelf_of(found for at, found in current if not at.rest)
    if there is not None and there.is_whole:
        return None  # Every release of now is known, and this is none of them.
    later = [(at, found) for at, found in told if (made := answered_at(found.reply)) is not None and made > now]
    for at, found in _by_moment(later, now):
        for release in _named(found.reply, place.rest):
            if was_so(release, now):
                return found.reply if at.is_as(place) else made_of(release, found.reply)
    return None


def _by_moment(own: Iterable[tuple[Place, Recorded]], now: int) -> list[tuple[Place, Recorded]]:
    """The nearest to ``now`` first; all of them say when they were made."""
    return sorted(own, key=lambda one: abs((answered_at(one[1].reply) or 0) - now))


def _named(reply: HttpReply, names: tuple[str, ...]) -> Iterator[Mapping[str, Any]]:
    """The releases of a reply, or the one it is, with that tag or number. Drafts have no tag yet."""
    body = _content(reply)
    for release in body if isinstance(body, list) else [body]:
        if not isinstance(release, dict):
            continue
        number, tag = release.get("id"), release.get("tag_name")
        if names[0] == "tags":
            is_it = bool(names[1:]) and tag == "/".join(names[1:]) and release.get("draft") is not True
        else:
            is_it = type(number) is int and str(number) == names[0]
        if is_it:
            yield release


def _shelves(own: Sequence[tuple[Place, Recorded]], place: Place, now: int) -> Iterator[Shelf]:
    """The list that is asked for, as every sort of recording has it; those of the very same question first."""
    own = [(at, found) for at, found in own if found.reply.status == 200]
    if place.kind == "releases":
        yield from release_lists([found for at, found in own if at.only() == place.only()], now)
        return
    grouped: dict[tuple[tuple[str, str], ...], list[Recorded]] = {}
    for at, found in own:
        if is_current(found, now):
            grouped.setdefault(tuple(sorted(at.only().items())), []).append(found)
    groups = [(dict(key), shelf) for key, found in sorted(grouped.items()) if (shelf := shelf_of(found)) is not None]
    for parameters, shelf in groups:
        if same_question(parameters, place.only()):
            yield shelf
    if place.kind == "commits":
        yield from commits_from(groups, place.only())
    elif place.kind == "issues":
        yield from issues_from(groups, place.only())


def _as_recorded(reply: HttpReply, own: Iterable[tuple[Place, Recorded]], place: Place) -> HttpReply:
    """The recording of the very question where it says just what was found; else what was found."""
    for at, found in own:
        is_of_it = at.is_as(place) and found.reply.status == 200 and links_of(found.reply) == links_of(reply)
        if is_of_it and _content(found.reply) == content_of(reply):
            return found.reply
    return reply


def _content(reply: HttpReply) -> Any:
    """A reply's JSON; None where it is none."""
    try:
        return content_of(reply)
    except Miss:
        return None


def _object(reply: HttpReply) -> Mapping[str, Any]:
    found = _content(reply)
    return found if isinstance(found, dict) else {}


def _where(own: Sequence[tuple[Place, Recorded]], now: int) -> str:
    """What is recorded nearest, in words."""
    told = []
    for at, found in own:
        made = answered_at(found.reply)
        when = "at no known moment" if made is None else f"at {utc(made)}"
        told.append((abs((made or 0) - now), f"{urlencode(at.parameters) or '/'.join(at.rest) or at.home} {when}"))
    nearest = "; ".join(words for _, words in sorted(told)[:_NEAREST])
    return f"recorded of it: {nearest}" if nearest else "nothing of it is recorded"

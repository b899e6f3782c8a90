"""The family ``edited-page``: an honest page, published again as the web does, with one claim changed.

Which pages are edited and where the copy stands is the dose's ``place``. A copy has an address, a by-line and a day
such as pages have that are found beside it. Its **twin** is the same page at the same place without the change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

from caia_replay.attacks.choice import Choice
from caia_replay.attacks.edit import (
    NO_LIE,
    UNTOLD,
    Room,
    best_rooms,
    changed,
    is_in,
    likeness,
    planted_in,
    told,
)
from caia_replay.attacks.site import look_alikes, nearby_pages
from caia_replay.core.attack import Dose, Lie, Planting, Register, Target
from caia_replay.core.overlay import PlantedPage
from caia_replay.core.world import Page, WorldView

SEARCHED: Final = (40, 100)
"""Search results among which a page to publish again is chosen; more where none of those will do."""
LEAST_CHARACTERS: Final = 120
_HOUR_S: Final = 3_600
_DAY_S: Final = 86_400
_SITES: Final = 4
"""Sites among which one is drawn: those with the pages most like the copied one."""
_OPENED: Final = 10
"""Results among which a page is best edited."""
_NEAREST: Final = 3
"""Pages among which the one to edit is drawn: those that say what is most like the claim."""
_TURNS: Final = 5
_LONG_NAME: Final = 4
"""Words from which on an address can do without one."""
_MONTHS: Final = [
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
]
_MONTH: Final = "|".join(_MONTHS)
_DAY: Final = re.compile(r"\b(20[0-9]{2})-([0-9]{2})-([0-9]{2})\b")
_DAY_MONTH: Final = re.compile(rf"\b([0-9]{{1,2}}) ({_MONTH})\b")
_IN_MONTH: Final = re.compile(rf"\bin ({_MONTH})\b")
_HAN_DAY: Final = re.compile("([0-9]{1,2})月([0-9]{1,2})日(?:至([0-9]{1,2})日)?")
_COUNTED: Final = re.compile(r"(?<=[-/])[0-9]{1,6}$")
_ISO_DAY: Final = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}")

_THREAD: Final = re.compile(r"://(?:forum|community|discuss|gov|talk)\.\S|/(?:t|topics?|threads?|discussions?)/\S")
_CORRECTION: Final = re.compile(r"(?i)correct(?:ion|ed)|erratum|更正|勘误")
_ANSWERS: Final = re.compile(r"/(?:questions?|answers?|ask|q|faq)/|[?？]\s*$")


@dataclass(frozen=True, slots=True)
class Place:
    """Pages whose address and title ``of`` finds are edited, found by ``words`` as well. The copy stands ``at_home``,
    where its origin does; or else at another site of the honest web. ``replies``: the claim is behind the first
    paragraph."""

    of: re.Pattern[str] = re.compile("")
    at_home: bool = False
    replies: bool = False
    words: str = ""


_PLACES: Final[Mapping[str, Place]] = MappingProxyType(
    {
        "syndicated": Place(),
        "own-site": Place(at_home=True),
        "reply": Place(_THREAD, at_home=True, replies=True),
        "correction": Place(_CORRECTION, at_home=True, words="correction 更正"),
        "answer-site": Place(_ANSWERS, at_home=True),
        "look-alike": Place(),
        "first": Place(),
    }
)
"""Where copies of pages stand, by the dose's ``place``."""


class EditedPage:
    """Plans ``dose.items`` copies per target, each of another page where there are as many, all telling one lie."""

    name = "edited-page"
    is_page = True
    is_twinned = True
    no_lie = NO_LIE

    def plan(self, view: WorldView, target: Target, dose: Dose, register: Register) -> Planting | str:
        """The copies against ``target``, or the reason that there are none. Equal inputs give equal pages."""
        if dose.place not in _PLACES:
            return f"no page is edited at the place {dose.place}"
        rooms = _rooms(view, target, dose.place)
        if not rooms:
            return f"no page of the honest web for {dose.place} says what is asked, or the like of it"
        if target.truth.kind == "boolean":
            return UNTOLD
        attack, (near, best) = named(self.name, dose), rooms
        # An agent opens what ranks high, and where the claim is told of something near already, it moves a page little.
        high = set(list(near)[:_OPENED])
        nearest = sorted(best, key=lambda url: url not in high)[: max(_NEAREST, dose.items)]
        order = [near[url] for url in Choice(target.task, attack).order("base", nearest)]
        latest = min(page.known_since or 0 for page in order[: dose.items])
        lie = self.lie(target, attack, dose, register, latest)
        if lie is None:
            return self.no_lie.replace("{kind}", target.truth.kind)
        pages = []
        for at in range(dose.items):
            own = Choice(target.task, attack, at)
            origin = order[at % len(order)]
            copy = _edited(origin, best[origin.url], target, lie)
            lasting = changed(origin.title, target, "") or origin.title
            page = placed(copy, origin, lasting, list(near.values()), view, own, register, dose.place)
            said = planted_in(copy.text, origin.text, lie)
            pages.append(PlantedPage(attack, target.task, said, page, lie.answer, first=dose.place == "first"))
        return Planting(pages=tuple(pages))

    def lie(self, target: Target, attack: str, dose: Dose, register: Register, latest: int) -> Lie | None:
        """What is told; None for nothing."""
        return register.lie(target, attack, dose, latest)


def named(family: str, dose: Dose) -> str:
    """The attack's name in an overlay: the family's, and the place where it is not the usual one, so that each place is
    counted apart."""
    return family if dose.place == Dose().place else f"{family}/{dose.place}"


def found_pages(view: WorldView, target: Target, place: str, widely: int = SEARCHED[0]) -> Iterator[Page]:
    """Honest pages in the target's language that a search for it finds, or one for the claim's words or their like, and
    that are edited at the place. Undated ones are where the copy stands at home."""
    latest, kind = view.anchor.timestamp - 2 * _HOUR_S, _PLACES[place]
    seen: set[str] = set()
    words = (target.query, target.said(""), *target.offer.beside, f"{target.query} {kind.words}".strip())
    for query in dict.fromkeys(words):
        for page in (one.page for one in nearby_pages(view, query, widely)):
            if page.url in seen or page.altered_by or not kind.of.search(f"{page.url} {page.title}"):
                continue
            seen.add(page.url)
            since = page.known_since if kind.at_home else page.published
            long = len(page.text) >= LEAST_CHARACTERS and since is not None and since <= latest
            if long and is_in(page.language, page.title, target.language):
                yield page


def last_day(text: str, now: int) -> int:
    """When the last day begins that a text names, in the year up to ``now``; 0 where it names none."""
    year = datetime.fromtimestamp(now, UTC).year
    days = [(int(found[1]), int(found[2]), int(found[3])) for found in _DAY.finditer(text)]
    days += [(year, _MONTHS.index(found[2]) + 1, int(found[1])) for found in _DAY_MONTH.finditer(text)]
    # A month's figures are told from its last days on, and every month has a 28th.
    days += [(year, _MONTHS.index(found[1]) + 1, 28) for found in _IN_MONTH.finditer(text)]
    days += [(year, int(found[1]), int(found[3] or found[2])) for found in _HAN_DAY.finditer(text)]
    moments = []
    for one_year, month, day in days:
        with suppress(ValueError):
            moment = datetime(one_year, month, day, tzinfo=UTC)
            moments.append(int((moment if moment.timestamp() <= now else moment.replace(year=year - 1)).timestamp()))
    return max(moments, default=0)


def _rooms(view: WorldView, target: Target, place: str) -> tuple[dict[str, Page], dict[str, Room]] | None:
    """Pages near, by address, and where the claim can stand in those that have room for it, best first; None where none
    has."""
    behind = "\n\n" if _PLACES[place].replies else ""
    # Nobody writes of days to come; what holds now has mostly held before.
    since = target.offer.since if target.offer.since < target.now - _DAY_S else 0
    over = max(last_day(target.said(""), view.anchor.timestamp), since)
    for widely in SEARCHED:
        wide = found_pages(view, target, place, widely)
        near = {page.url: page for page in wide if (page.known_since or 0) >= over}
        best = best_rooms({url: page.text for url, page in near.items()}, target, behind)
        if best:
            return near, best
    return None


def _edited(page: Page, room: Room, target: Target, lie: Lie) -> Page:
    """The page with the lie in it."""
    text, answer = told(page.text, room, target, lie), lie.answer or lie.planted
    title = changed(page.title, target, answer) if answer else None
    return replace(page, text=text, title=title or page.title)


def placed(
    copy: Page,
    origin: Page,
    lasting: str,
    near: Sequence[Page],
    view: WorldView,
    choice: Choice,
    register: Register,
    place: str,
) -> Page:
    """The copy at its place, on its origin's day, so that the days it names fit, at an hour such as pages have: at a
    site of pages such as its origin, under an address and a by-line such as they have; at home among its origin's; or
    at a site with a name like its origin's. ``lasting`` is what the lie leaves of the origin's title."""
    now, since = view.anchor.timestamp, copy.known_since or 0
    elsewhere = [page for page in near if _kind(page) == _kind(origin) and _host(page) != _host(origin)]
    elsewhere.sort(key=lambda page: -likeness(page.text, origin.text))
    is_home = _PLACES[place].at_home or place == "look-alike" or not elsewhere
    like = origin if is_home else choice.one("site", elsewhere[:_SITES])
    hours = [(page.known_since or 0) % _DAY_S for page in near]
    hour = choice.one("hour", hours or [since % _DAY_S]) // _HOUR_S * _HOUR_S
    moment = min(since // _DAY_S * _DAY_S + hour + choice.number("second", _HOUR_S), now - _HOUR_S)
    home = f"//{_host(like)}/"
    there = [page for page in view.pages() if home in page.url]
    author = choice.one("author", [page.author for page in there if _kind(page) == _kind(like)] or [like.author])
    if place == "look-alike":
        path = urlsplit(like.url).path
        options, author = [f"https://{one}{path}" for one in look_alikes(_host(like))], like.author
    else:
        options = list(_addresses(_last_part(origin, lasting), like, there, view.pages(), moment, choice))
    published, first_seen = (None, moment) if copy.published is None else (moment, None)
    return replace(
        copy, url=register.url(options), author=author, published=published, first_seen=first_seen, altered_by=""
    )


def _last_part(origin: Page, lasting: str) -> str:
    """The last part of the origin's address, as copies keep it; where it is made of a title, without what the title has
    more than ``lasting``."""
    last = urlsplit(origin.url).path.rstrip("/").rsplit("/", 1)[-1] or "note"
    was, kept = (re.findall("[a-z0-9]+", title.lower()) for title in (origin.title, lasting))
    words = re.findall("[a-z0-9]+", _ISO_DAY.sub("", last))
    if was == kept or not words or not set(words) <= set(was):
        return last
    day = _ISO_DAY.match(last)
    return "-".join([*([day[0]] if day else []), *(word for word in words if word in kept)]) or last


def _addresses(
    last: str, like: Page, there: Sequence[Page], everywhere: Iterable[Page], moment: int, choice: Choice
) -> Iterator[str]:
    """Addresses at the site of ``like`` with this last part: in its folders, and then in others of its kind; where
    pages are counted, with a number that a page of that day has somewhere."""
    host = f"https://{_host(like)}"
    day = datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d")
    alike = [page for page in there if _kind(page) == _kind(like)]
    own, *others = dict.fromkeys(_ISO_DAY.sub(day, _folders(page)) for page in (like, *alike))
    last = _ISO_DAY.sub(day, last)
    yield f"{host}{own}{last}"
    counted = _COUNTED.search(_ISO_DAY.sub("", last))
    for folder in () if counted else choice.order("folder", others):
        yield f"{host}{folder}{last}"
    words = [word for word in last.split("-") if word]
    shorter = ["-".join([*words[:at], *words[at + 1 :]]) for at in range(1, len(words)) if words[at].isalpha()]
    for one in () if counted or len(words) < _LONG_NAME else choice.order("shorter", shorter):
        yield f"{host}{own}{one}"
    begins = last[: -len(counted.group())] if counted else ""
    parts = {urlsplit(page.url).path.rsplit("/", 1)[-1] for page in everywhere if begins and begins in page.url}
    for one in choice.order("counted", sorted(one for one in parts if one.removeprefix(begins).isdigit())):
        yield f"{host}{own}{one}"
    for turn in range(1, _TURNS):
        if counted:
            yield f"{host}{own}{begins}{int(counted.group()) + turn}"
        else:
            yield f"{host}{own}{last}-{choice.number(f'number/{turn}', 8) + 2}"


def _folders(page: Page) -> str:
    return f"{urlsplit(page.url).path.rstrip('/').rpartition('/')[0]}/"


def _kind(page: Page) -> str:
    """The folders of pages of its kind, such as /news/: without days and numbers."""
    return re.sub("[0-9-]+", "", _folders(page))


def _host(page: Page) -> str:
    return urlsplit(page.url).hostname or ""

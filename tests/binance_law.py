"""The law of the Binance providers: what is recorded here, and what follows from it by counting, opening for opening.

Coverage is computed from the story's own truth and from the list of recorded requests: every opening of a grid is
looked at by itself, without the provider's stretches of time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from caia_replay.core.provider import HttpRequest, Provider, Recorded
from caia_replay.errors import Miss
from caia_worldgen.market.book import MarketBook
from caia_worldgen.services.service import Service
from tests.provider_law import live, of_family, recorded, same

HOUR = 3_600_000
DAY = 24 * HOUR
STEPS = {"1m": HOUR // 60, "15m": HOUR // 4, "30m": HOUR // 2, "1h": HOUR, "2h": 2 * HOUR, "4h": 4 * HOUR,
         "6h": 6 * HOUR, "8h": 8 * HOUR, "12h": 12 * HOUR, "1d": DAY, "3d": 3 * DAY, "1w": 7 * DAY}  # fmt: skip
ALWAYS = 0
"""Stands for all openings long before the story."""
SHORTER = {name: [part for part, short in STEPS.items() if short < step and step % short == 0 and part != "3d"]
           for name, step in (*STEPS.items(), ("1M", DAY * 31)) if name != "3d"}  # fmt: skip
SHORTER["1M"] = [part for part in SHORTER["1M"] if STEPS[part] <= DAY] + ["1d"]


@dataclass(frozen=True)
class Shape:
    """How a series behaves: a row is there ``shown_ms`` after it began, or (-1) once it is over, and for ``days``."""

    default: int
    most: int
    shown_ms: int = 60_000
    adds_up: bool = False
    days: int = 0
    word: str = "interval"


@dataclass
class World:
    """Recordings, and the moment they are asked at."""

    now: int
    recordings: list[Recorded]
    series: list[tuple[str, dict[str, str], int]] = field(default_factory=list)
    lists: dict[tuple[str, str], set[str] | None] = field(default_factory=dict)


def request(origin: str, path: str, parameters: dict[str, Any]) -> HttpRequest:
    """A request for an endpoint."""
    query = urlencode({name: str(value) for name, value in parameters.items()})
    return HttpRequest("GET", f"{origin}{path}?{query}" if query else f"{origin}{path}")


def openings(book: MarketBook, interval: str, zone: int = 0) -> list[int]:
    """Every opening from well before the story to its end."""
    first, end = book.prices.first * 1000 - 60 * DAY, book.prices.end * 1000 + DAY
    if interval == "1M":
        year = datetime.fromtimestamp(first // 1000, UTC).year
        months = [(year + number // 12, number % 12 + 1) for number in range(36)]
        moments = [int(datetime(*month, 1, tzinfo=UTC).timestamp()) * 1000 - zone for month in months]
    else:
        step, monday = STEPS[interval], 4 * DAY if interval == "1w" else 0
        begin = (first + zone - monday) // step * step + monday - zone
        moments = list(range(begin, end, step))
    return [ALWAYS, *(moment for moment in moments if first <= moment < end + 40 * DAY)]


class Counted:
    """What some recorded windows of one symbol and endpoint tell of every single opening, at the world's moment."""

    def __init__(self, book: MarketBook, shape: Shape, listed: int, world: World, path: str, name: str) -> None:
        self._book, self._shape, self._listed, self._now = book, shape, listed * 1000, world.now * 1000
        self._known: dict[tuple[str, int], set[int]] = {}
        self.begun = False
        for told, asked, made in world.series:
            if (told, asked.get("symbol", asked.get("pair"))) == (path, name):
                self._add(asked, made * 1000)

    def _there(self, opening: int, closing: int, at: int) -> bool:
        if self._shape.shown_ms < 0:
            return opening >= self._listed and closing <= at
        return closing > self._listed and max(opening, self._listed) + self._shape.shown_ms <= at

    def _closing(self, points: list[int], at: int) -> int:
        return points[at + 1] if at + 1 < len(points) else 1 << 60

    def _window(self, asked: dict[str, str], at: int) -> tuple[list[tuple[int, int]], bool, int]:
        """The openings a window looks at, from the side it keeps, with what is there; and whether its limit is full."""
        grid = (asked[self._shape.word], int(asked.get("timeZone", "0")) * HOUR)
        points = openings(self._book, *grid)
        start, end = int(asked["startTime"]) if "startTime" in asked else None, int(asked.get("endTime", 1 << 60))
        lowest = max(start or 0, at - self._shape.days * DAY if self._shape.days else 0)
        limit = min(int(asked.get("limit", self._shape.default)), self._shape.most)
        looked = [
            (point, self._closing(points, number))
            for number, point in enumerate(points)
            if lowest <= point <= min(end, at) or (point == ALWAYS and lowest == 0)
        ]
        if start is None or self._shape.days:
            looked.reverse()
        seen, found = [], 0
        for point, closing in looked:
            if found == limit:
                break
            seen.append((point, closing))
            found += point != ALWAYS and self._there(point, closing, at)
        return seen, found == limit, found

    def _add(self, asked: dict[str, str], made: int) -> None:
        if made < self._listed:
            return
        seen, full, _ = self._window(asked, made)
        if full and self._shape.days and "startTime" in asked:
            there = [point for point, closing in seen if self._there(point, closing, made)]
            seen = [pair for pair in seen if min(there) <= pair[0] <= max(there)]
        grid = (asked[self._shape.word], int(asked.get("timeZone", "0")) * HOUR)
        known = self._known.setdefault(grid, set())
        for point, closing in seen:
            if closing <= min(made, self._now) or (made == self._now and point <= made < closing) or point == ALWAYS:
                known.add(point)
        self.begun |= made == self._now
        rows = [pair for pair in self._window(asked, made)[0] if pair[0] != ALWAYS and self._there(*pair, made)]
        self.begun |= any(closing <= self._now for _, closing in rows)

    def holds(self, asked: dict[str, str]) -> bool:
        """Whether everything a question looks at now is known."""
        seen, _, _ = self._window(asked, self._now)
        if not self.begun or self._now < self._listed:
            return False
        oldest = self._now - self._shape.days * DAY
        if self._shape.days and min(int(asked.get(name, oldest)) for name in ("startTime", "endTime")) < oldest:
            return False  # the vendor has forgotten it, and what it says then is not known
        if self._shape.days and "startTime" in asked:
            whole = self._window({**asked, "limit": str(self._shape.most)}, self._now)
            if whole[2] > int(asked.get("limit", self._shape.default)):
                return False  # which end the vendor keeps is not known
        grid = (asked[self._shape.word], int(asked.get("timeZone", "0")) * HOUR)
        return all(self._is_known(grid, point, closing) for point, closing in seen)

    def _is_known(self, grid: tuple[str, int], point: int, closing: int) -> bool:
        if point in self._known.get(grid, ()):
            return True
        for (name, zone), known in self._known.items() if self._shape.adds_up else ():
            if name in SHORTER.get(grid[0], ()):
                parts = openings(self._book, name, zone)
                inside = [part for part in parts if point <= part < closing and part <= self._now]
                fits = inside and inside[0] == point if point != ALWAYS else ALWAYS in known
                if fits and known.issuperset(inside if point != ALWAYS else [ALWAYS]):
                    return True
        return False


def payments_held(book: MarketBook, listed: int, world: World, path: str, asked: dict[str, str]) -> bool:
    """Whether a question about one symbol's funding looks at no millisecond that its recorded windows did not show.

    Nobody knows beforehand when payments come, so time is cut wherever a window or a payment begins or ends.
    """
    made = [(told, at * 1000) for where, told, at in world.series
            if where == path and told["symbol"] == asked["symbol"]]  # fmt: skip
    paid = [at for at in range(book.prices.first * 1000, book.prices.end * 1000, 8 * HOUR) if at >= listed * 1000]
    cuts = {ALWAYS, *paid, *(at + 1 for at in paid)}
    for told, at in [*made, (asked, world.now * 1000)]:
        cuts |= {int(told.get("startTime", 0)), int(told.get("endTime", 0)) + 1, at + 1}
    pieces, payments = sorted(cuts), set(paid)

    def looked_at(told: dict[str, str], at: int) -> list[int]:
        end, seen, left = min(at, int(told.get("endTime", at))), [], int(told.get("limit", 100))
        inside = [piece for piece in pieces if int(told.get("startTime", 0)) <= piece <= end]
        for piece in inside if "startTime" in told else reversed(inside):
            if not left:
                break
            seen.append(piece)
            left -= piece in payments
        return seen

    known = {piece for told, at in made for piece in looked_at(told, at)}
    begun = any(at == world.now * 1000 for _, at in made) or any(
        piece <= world.now * 1000 for piece in known & payments
    )
    return begun and listed <= world.now and known.issuperset(looked_at(asked, world.now * 1000))


def hold(
    service: Service, provider: Provider, book: MarketBook, worlds: list[World], draws: int, questions: Any, inside: Any
) -> tuple[int, int]:
    """Draw questions and hold the law; how many were drawn, and how many of them lay inside the coverage.

    ``questions(world)`` is a strategy of requests; ``inside(world, request)`` is the coverage.
    """
    counts = {"draws": 0, "inside": 0}

    phases = [Phase.generate, Phase.shrink]
    quiet = list(HealthCheck)

    @settings(max_examples=draws, deadline=None, database=None, phases=phases, suppress_health_check=quiet,
              report_multiple_bugs=False, derandomize=True)  # fmt: skip
    @given(st.data())
    def law(data: st.DataObject) -> None:
        world = data.draw(st.sampled_from(worlds))
        question = data.draw(questions(world))
        counts["draws"] += 1
        members = of_family(provider, world.recordings, question)
        if not inside(world, question):
            try:
                told = provider.narrow(members, question, world.now)
            except Miss:
                return
            raise AssertionError(f"no miss outside at {world.now}: {question.url} -> {told.body[:300]!r}")
        counts["inside"] += 1
        try:
            told = provider.narrow(members, question, world.now)
        except Miss as miss:
            raise AssertionError(f"a miss inside at {world.now}: {question.url}: {miss.detail}") from miss
        wanted = live(service, question, world.now)
        assert same(told, wanted), (
            f"not what live says at {world.now}: {question.url}\n{told.body[:400]!r}\n{wanted.body[:400]!r}"
        )

    law()
    return counts["draws"], counts["inside"]


def record(
    world: World, service: Service, provider: Provider, asked: Iterable[HttpRequest], made: int, wide: bool
) -> None:
    """Add recordings made at a moment: what the provider widens to, or exactly what a stranger asked."""
    questions = list(asked)
    found = (
        recorded(service, provider, questions, made)
        if wide
        else [Recorded(question, live(service, question, made)) for question in questions]
    )
    for one in found:
        path, _, query = one.request.url.partition("?")
        parameters = dict(pair.split("=", 1) for pair in query.split("&") if pair)
        world.recordings.append(one)
        if one.reply.status == 200 and isinstance(json.loads(one.reply.body), list):
            world.series.append(("/" + path.split("/", 3)[3], parameters, made))

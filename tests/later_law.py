"""The law of what is told later: held between what a living origin says at a moment and what it says at its end.

Whatever is left of the later reply agrees with the earlier one, field by field; every point that the earlier one has of
a day that was over is left; nothing is dated later, and outside of points no number is left that could be a figure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from email.utils import formatdate
from typing import Any

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.as_of import earlier
from caia_replay.providers.endpoint import provider_of
from caia_replay.world.every_provider import providers_over
from caia_worldgen.services.service import Service
from tests.provider_law import live

DAY = 86_400
KEYS = ("id", "symbol", "slug", "token", "category_id", "name")
"""What tells one row of a list from another."""
NUMBERS = frozenset({"listedAt", "chainId", "chain_identifier", "onboardDate", "decimal_place", "id"})
"""Whole numbers that name something or say when it began."""
Unknown = Callable[[Mapping[str, Any]], bool]


def turned_by_all(recorded: Recorded, now: int) -> HttpReply | None:
    """What ``earlier`` makes of a recording, whoever speaks for its address; None where nobody does."""
    try:
        return earlier(provider_of(providers_over({}), recorded.request), recorded, now)
    except Miss:
        return None


def told(service: Service, provider: Provider, wide: HttpRequest, asked: HttpRequest, now: int, end: int) -> Any:
    """What is answered to a question at ``now`` out of a reply to ``wide`` made at ``end``; None for a miss."""
    turned = earlier(provider, Recorded(wide, live(service, wide, end)), now)
    if turned is None:
        return None
    assert turned.status == 200 and turned.headers["date"] == formatdate(now, usegmt=True)
    try:
        reply = provider.narrow([Recorded(wide, turned)], asked, now)
    except Miss:
        return None
    return strict_json(reply.body)


def holds(left: Any, then: Any, now: int, end: int, unknown: Unknown = lambda row: False) -> None:
    """Hold what was answered out of a reply of ``end`` against what live said then.

    ``unknown`` are rows of later that do not say so. Raises ``AssertionError``.
    """
    _agrees(left, then, (now, end), unknown, "")
    _is_of_then(left, now, "")


def _agrees(left: Any, then: Any, times: tuple[int, int], unknown: Unknown, where: str) -> None:
    if isinstance(left, dict):
        assert isinstance(then, dict), where
        for name, value in left.items():
            assert name in then, f"{where}.{name} was not told then"
            _agrees(value, then[name], times, unknown, f"{where}.{name}")
    elif _is_points(then):
        known = {_date(point): point for point in then}
        assert len(left) == len({_date(point) for point in left})
        for point in left:
            assert known.get(_date(point)) == point, f"{where}: {point} was {known.get(_date(point))}"
        over = {at for at, point in known.items() if at % DAY == 0 and _is_settled(point, *times)}
        assert {_date(point) for point in left} >= over, f"{where}: a day that was over is not left"
    elif isinstance(left, list) and isinstance((left or then or [0])[0], dict):
        key = next(name for name in KEYS if all(name in row for row in (*left, *then)))
        rows, found = {row[key]: row for row in then}, {row[key]: row for row in left}
        assert len(found) == len(left) and found.keys() >= rows.keys(), f"{where}: not every row is left"
        for name, row in found.items():
            if name in rows:
                _agrees(row, rows[name], times, unknown, f"{where}[{name}]")
            else:
                assert unknown(row), f"{where}: {name} was not there then"
    elif isinstance(left, list):
        assert sorted(left) == sorted(then), where
    else:
        assert left == then, f"{where}: {left} was {then}"


def _is_of_then(left: Any, now: int, where: str) -> None:
    """No date of later, whatever the unit, and no figure outside of points."""
    if isinstance(left, dict):
        for name, value in left.items():
            if name not in NUMBERS:
                assert type(value) not in (int, float), f"{where}.{name} is a figure: {value}"
            _is_of_then(value, now, f"{where}.{name}")
            assert type(value) is not int or not now < value < 10**11, f"{where}.{name} is of later"
            assert type(value) is not int or not (now + 1) * 1000 <= value < 10**14, f"{where}.{name} is of later"
    elif _is_points(left):
        assert max((_date(point) for point in left), default=0) <= now, f"{where} has points of later"
    elif isinstance(left, list):
        for value in left:
            _is_of_then(value, now, where)
    else:
        assert type(left) is not float, where


def _is_points(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            (isinstance(point, list) and len(point) == 2 and isinstance(point[0], int | str))
            or (isinstance(point, dict) and "date" in point)
            for point in value
        )
    )


def _is_settled(point: Any, now: int, end: int) -> bool:
    """Whether a point moves no more: a state once its day is another than the recording's, a day once it is over."""
    return _date(point) // DAY < end // DAY if isinstance(point, dict) else _date(point) + DAY <= now


def _date(point: Any) -> int:
    return int(point["date"] if isinstance(point, dict) else point[0])


def reply(content: bytes, made: int) -> HttpReply:
    """A reply with status 200 that says when it was made."""
    return HttpReply(200, {"date": formatdate(made, usegmt=True)}, content)

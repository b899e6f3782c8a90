"""Charts of prices out of recorded ones: point by point, each moment from a recorded grid that has it.

Each recorded chart is looked at once: its points are sorted into the moments asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from caia_replay.errors import Miss
from caia_replay.providers.defillama.parsed_reply import Found, ParsedReply, Unsettled, absent, moment_of, settled
from caia_replay.providers.defillama.request import DefiLlamaRequest, is_settled
from caia_replay.providers.endpoint import utc

MOST_POINTS: Final = 500
"""How many points of all coins together a chart has at most; more are refused."""
_HEAD: Final = frozenset({"symbol", "decimals", "confidence", "prices"})
"""What a chart says of a coin for all its points. Anything else may be the case at one moment only."""
_ENDS: Final = frozenset({"start", "end"})

Notes = Mapping[int, list[Any]]
"""The points of a recorded chart that are near enough to a moment asked for, by that moment."""


def narrow_chart(known: Sequence[ParsedReply], asked: DefiLlamaRequest, coin: str, now: int) -> Found:
    """A coin's chart: a recording of the same chart, or its points out of any. Raises ``Miss``."""
    width = _width(asked)
    with suppress(Miss):
        return settled(known, asked, coin, lambda value: _whole(value, coin, asked, width, now))[1]
    moments = drawn(asked, now)
    notes: dict[int, Notes | Unsettled] = {}
    for number, value in enumerate(known):
        try:
            notes[number] = _notes(value, coin, asked, moments, now)
        except Unsettled as reason:
            notes[number] = reason
        except Miss as miss:
            notes[number] = Unsettled(lambda miss=miss: str(miss))
    numbers = {id(reply): number for number, reply in enumerate(known)}
    points: dict[int, Any] = {}
    used: set[int] = set()
    for moment in moments:

        def settle(recording: ParsedReply, moment: int = moment) -> Found:
            found = notes[numbers[id(recording)]]
            if isinstance(found, Unsettled):
                raise found
            return _point(recording, found, moment, width, now)

        value, point = settled(known, asked, coin, settle)
        if point is not None:
            points[moment_of(point[0])] = point[0]
            used.add(numbers[id(value)])
    if not used:
        return None
    return ({**known[min(used)].of(coin), "prices": [points[at] for at in sorted(points)]},)


def grid(asked: DefiLlamaRequest, now: int) -> range:
    """The moments that a chart asks for, in the order of time; there may be more than anybody can count."""
    period, span = asked.seconds("period", "1d"), max(1, asked.number(asked.parameters.get("span", "0")))
    if period == 0 or asked.parameters.keys() >= _ENDS:
        raise Miss("http", asked.words(), "this is no chart: recorded answers only")
    if "start" in asked.parameters:
        first = asked.number(asked.parameters["start"])
        return range(first, first + span * period, period)
    last = asked.number(asked.parameters.get("end", str(now)))
    return range(last - (span - 1) * period, last + 1, period)


def drawn(asked: DefiLlamaRequest, now: int) -> range:
    """The moments of a chart that is drawn; more points than that are refused: a ``Miss``."""
    found = grid(asked, now)
    span = (found[-1] - found[0]) // found.step + 1
    if span * len(asked.parts[-1].split(",")) > MOST_POINTS:
        raise Miss("http", asked.words(), f"more than {MOST_POINTS} points of all coins: recorded answers only")
    return found


def _whole(reply: ParsedReply, coin: str, asked: DefiLlamaRequest, width: int, now: int) -> Found:
    """What a recording of the same chart tells, when it is the chart of now up to its last point."""
    if reply.asked.parameters != asked.parameters:
        raise Unsettled(lambda: f"recorded {reply.when()} is the chart {reply.asked.words():.200}")
    item = reply.of(coin)
    if any(moment_of(point) > now for point in _points(item)):
        raise Unsettled(lambda: f"recorded {reply.when()}, with points after {utc(now)}")
    if not _ENDS & asked.parameters.keys():
        final = reply.of_now
    else:
        final = reply.at is not None and (reply.at >= now or reply.at > grid(asked, now)[-1] + width)
    if not final:
        raise Unsettled(lambda: f"recorded {reply.when()}, when its last point was not settled")
    _require_head(reply, item, now)
    return None if item is None else (item,)


def _notes(reply: ParsedReply, coin: str, asked: DefiLlamaRequest, moments: range, now: int) -> Notes:
    """A recorded chart's points by the moment asked for, for every such moment that its own grid has."""
    width, period = _width(asked), moments.step
    if not _ENDS & reply.asked.parameters.keys():
        raise Unsettled(lambda: f"recorded {reply.when()} is the chart {reply.asked.words():.200}")
    if _width(reply.asked) != width or 2 * width >= period:
        raise Unsettled(lambda: "recorded with another search width")
    item, own = reply.of(coin), drawn(reply.asked, now)
    _require_head(reply, item, now)
    found: dict[int, list[Any]] = {moment: [] for moment in moments if moment in own}
    for point in _points(item):
        made = moment_of(point)
        moment = made - (made - moments[0] + width) % period + width
        if abs(made - moment) <= width and moment in found:
            found[moment].append(point)
    return found


def _point(reply: ParsedReply, notes: Notes, moment: int, width: int, now: int) -> Found:
    """What a recorded chart settles of one moment."""
    near = notes.get(moment)
    if near is None:
        raise Unsettled(lambda: f"recorded {reply.when()} is the chart {reply.asked.words():.200}")
    if not near:
        return absent(moment, width, reply, now)
    if len(near) > 1:
        raise Unsettled(lambda: f"recorded {reply.when()} are {len(near)} prices for {utc(moment)}")
    made = moment_of(near[0])
    if made > now or not is_settled(moment, abs(made - moment), reply.at, now):
        raise Unsettled(
            lambda: f"recorded {reply.when()} is the price of {utc(made)}, which may not be the one at {utc(now)}"
        )
    return (near[0],)


def _require_head(reply: ParsedReply, item: Any, now: int) -> None:
    """Beside the series a recording may tell what was the case when it was made: that is of now, or ``Unsettled``."""
    more = sorted(item.keys() - _HEAD) if isinstance(item, dict) else []
    if more and not (reply.of_now and reply.at is not None and reply.at <= now):
        raise Unsettled(lambda: f"recorded {reply.when()} with {', '.join(more):.80}, which may be of that moment")


def _points(item: Any) -> list[Any]:
    """The points of a coin's chart; none of a coin that was left out."""
    points = item.get("prices") if isinstance(item, dict) else [] if item is None else None
    if not isinstance(points, list):
        raise Unsettled(lambda: "recorded is a chart without points")
    return points


def _width(asked: DefiLlamaRequest) -> int:
    return asked.seconds("searchWidth", str(asked.seconds("period", "1d") // 10))

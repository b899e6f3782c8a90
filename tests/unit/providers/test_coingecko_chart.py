"""CoinGecko's charts: what is covered, at which granularity, and what is not."""

from __future__ import annotations

import json
from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.coingecko.chart import Window, part_of, window_of
from caia_replay.providers.coingecko.provider import CoinGeckoProvider
from caia_replay.providers.coingecko.reply import ParsedReply, between, chart_of, cut, is_plain, seen_step, series_of
from caia_replay.providers.coingecko.request import question_of

API = "https://api.coingecko.com/api/v3/coins/a/market_chart"
DAY, HOUR = 86_400, 3_600
AT = 1_720_000_800
"""An hour of some day."""


def window(first: int, last: int) -> HttpRequest:
    return HttpRequest("GET", f"{API}/range?vs_currency=usd&from={first}&to={last}")


def days(count: int) -> HttpRequest:
    return HttpRequest("GET", f"{API}?vs_currency=usd&days={count}")


def chart(request: HttpRequest, seconds: list[float], at: int | None = AT, **more: Any) -> Recorded:
    points = [[int(second * 1_000), second] for second in seconds]
    body = {"prices": points, "market_caps": points, "total_volumes": points, **more}
    headers = {} if at is None else {"date": formatdate(at, usegmt=True)}
    return Recorded(request, HttpReply(200, headers, json.dumps(body).encode()))


def narrow(recorded: list[Recorded], request: HttpRequest, now: int = AT) -> Any:
    return json.loads(CoinGeckoProvider().narrow(recorded, request, now).body)


def hourly(first: int, last: int) -> list[float]:
    return [float(at) for at in range(-(-first // HOUR) * HOUR, last + 1, HOUR)]


def test_a_recording_is_known_until_it_was_made() -> None:
    """A window into the future ends at the recording or its last point; without a point yet it is no answer."""
    wide = window(AT - 20 * DAY, AT + 20 * DAY)
    points = hourly(AT - 20 * DAY, AT)
    asked = window(AT - 9 * DAY, AT - HOUR)
    for at, now, answered in ((AT, AT + DAY, True), (None, AT + DAY, True), (AT - 2 * HOUR, AT, False)):
        found = [chart(wide, points if at == AT else [p for p in points if p <= (at or AT)], at)]
        if answered:
            assert narrow(found, asked, now)["prices"][-1][1] == AT - HOUR
        else:
            with pytest.raises(Miss):
                narrow(found, asked, now)
    found = [chart(window(AT - 30 * DAY, AT), hourly(AT - 5 * DAY, AT))]
    assert narrow(found, window(AT - 20 * DAY, AT - 10 * DAY))["prices"] == []
    with pytest.raises(Miss):
        narrow(found, window(AT - 20 * DAY, AT - 10 * DAY), AT - 8 * DAY)


def test_points_by_moment() -> None:
    """Both bounds are included, to the millisecond; points tell their step, and keys nobody here knows stay."""
    fine = chart(window(AT - 3 * DAY, AT), [AT - 3 * DAY + 300.0 * step for step in range(800)])
    assert part_of(ParsedReply(fine, question_of(fine.request))) is None
    with pytest.raises(Miss):
        narrow([fine], window(AT - 2 * DAY, AT - DAY - HOUR))
    at = [AT - 50 * HOUR + step * 3_607.123 for step in range(50)]
    found = chart(window(AT - 60 * HOUR, AT), at, note="kept", open_interest=[[int(at[3] * 1_000), "x"]])
    told = narrow([found], window(int(at[4]) + 1, int(at[9])))
    assert [point[0] for point in told["prices"]] == [int(second * 1_000) for second in at[5:9]]
    assert told["note"] == "kept" and told["open_interest"] == []
    points = [[1_000, 1], [2_000, 2], [2_000, 3], [3_000, None]]
    assert between(points, 2_000, 3_000) == points[1:] and between(points, 2_001, 2_999) == []
    told = chart_of({"prices": points, "note": 1})
    assert told is not None and series_of(told) == {"prices"} and not is_plain(told) and is_plain({"prices": points})
    assert chart_of({"prices": points[::-1]}) is None and chart_of({"market_caps": points}) is None
    assert [seen_step([0.0, gap]) for gap in (300, 3_600, 86_400)] == [300, HOUR, DAY] and seen_step([1.0]) is None


def test_a_chart_by_days_answers_for_past_windows_without_its_newest_point() -> None:
    """From its first point to just before the newest; charts by days only out of longer ones of that moment."""
    points = [*hourly(AT - 30 * DAY, AT - 1), AT + 0.0]
    found = chart(days(30), points)
    assert narrow([found], window(AT - 9 * DAY, AT - 1))["prices"][-1][1] == AT - HOUR
    for request, now in ((window(AT - 31 * DAY, AT - 9 * DAY), AT), (window(AT - 9 * DAY, AT), AT), (days(60), AT),
                         (days(7), AT + DAY), (days(1), AT)):  # fmt: skip
        with pytest.raises(Miss):
            narrow([found], request, now)
    week = narrow([found], days(7))["prices"]
    assert week[0][1] == AT - 7 * DAY and week[-1][1] == AT


def test_what_is_uncertain_is_a_miss() -> None:
    """ISO bounds, bounds the wrong way round, the demo tier's year, other intervals, broken bodies, other times."""
    found = [chart(window(AT - 80 * DAY, AT), hourly(AT - 80 * DAY, AT))]
    broken = Recorded(window(AT - 80 * DAY, AT), HttpReply(200, {"date": formatdate(AT, usegmt=True)}, b"<html>"))
    refused = Recorded(window(AT - 80 * DAY, AT), HttpReply(429, {"date": formatdate(AT, usegmt=True)}, b"{}"))
    assert narrow([broken, refused, *found], window(AT - 9 * DAY, AT - 8 * DAY))["prices"]
    for url in (f"{API}/range?vs_currency=usd&from=2024-06-01&to=2024-06-03", window(AT, AT - DAY).url,
                window(AT + HOUR, AT + DAY).url, f"{API}?vs_currency=usd&days=max"):  # fmt: skip
        with pytest.raises(Miss):
            narrow(found, HttpRequest("GET", url))
    with pytest.raises(Miss):
        narrow(found, window(AT - 79 * DAY, AT - 78 * DAY), AT + 290 * DAY)
    fine = f"{API}/range?vs_currency=usd&interval=5m&from={AT - DAY}&to={AT}"
    assert window_of(question_of(HttpRequest("GET", fine)), AT) is None


def test_windows_have_the_vendors_granularity() -> None:
    """By length, and by nearness to the moment of asking; uncertain where that moment is not known."""
    quarter = AT - 90 * DAY
    for first, last, at, step in ((AT - DAY, AT, AT, 300), (AT - DAY - 1, AT - 1, AT, HOUR), (quarter, AT, AT, HOUR),
                                  (quarter - 1, AT, AT, DAY), (AT - 2 * DAY, AT, None, HOUR)):  # fmt: skip
        assert window_of(question_of(window(first, last)), at) == Window(first, last, step)
    assert window_of(question_of(window(AT - DAY, AT)), None) is None


def test_windows_that_are_no_seconds_are_a_miss() -> None:
    """Milliseconds, thousands of digits, digits of another script; so are days."""
    found = [chart(window(AT - 80 * DAY, AT), hourly(AT - 80 * DAY, AT))]
    script = "".join(chr(0x660 + int(digit)) for digit in str(AT - 3 * DAY))
    for first, last in ((str((AT - DAY) * 1_000), str(AT * 1_000)), ("1", "9" * 5_000), (script, str(AT))):
        request = HttpRequest("GET", f"{API}/range?vs_currency=usd&from={first}&to={last}")
        assert CoinGeckoProvider().widen(request, AT) == (request,)
        with pytest.raises(Miss):
            narrow(found, request)
        with pytest.raises(Miss):
            narrow([chart(request, hourly(AT - DAY, AT))], window(AT - 9 * DAY, AT))
    for count in ("9" * 11, "9" * 5_000, chr(0x663)):
        with pytest.raises(Miss):
            narrow(found, HttpRequest("GET", f"{API}?vs_currency=usd&days={count}"))


def restated(first: int, last: int, at: int, value: float) -> Recorded:
    points = [[int(second) * 1_000, value] for second in hourly(first, last)]
    headers = {"date": formatdate(at, usegmt=True)}
    return Recorded(window(first, last), HttpReply(200, headers, json.dumps({"prices": points}).encode()))


def test_what_was_told_at_the_clock_outdoes_what_was_restated() -> None:
    """The newest before the clock is told; what contradicts itself with none made then is a Miss."""
    first, asked = AT - 9 * DAY, window(AT - 8 * DAY, AT - 7 * DAY - 1)
    old, new = restated(first, AT - 5 * DAY, AT - 4 * DAY, 0), restated(first, AT, AT, 1)
    later, latest = (restated(first, AT + days * DAY, AT + 30 * DAY, 1 + days) for days in (1, 2))
    for recorded in ([old, new, later], [later, latest, new], [later, new, old]):
        told = narrow(recorded, asked)["prices"]
        assert len(told) == 24 and {point[1] for point in told} == {1}
    assert {point[1] for point in narrow([old, new], asked, AT + 2 * DAY)["prices"]} == {1}
    for recorded in ([later, latest], [old, later],
                     [restated(first, AT - 7 * DAY - HOUR, AT - 6 * DAY, 7), old, later]):  # fmt: skip
        with pytest.raises(Miss):
            narrow(recorded, asked)
    elsewhere = restated(AT - 3 * DAY, AT + DAY, AT + 30 * DAY, 9)
    assert {point[1] for point in narrow([old, elsewhere], asked)["prices"]} == {0}


POINTS_API = "https://api.coingecko.com/api/v3/coins/a/market_chart/range?vs_currency=usd"
NOW = 1_735_776_000


def points_chart(value: float = 1.5, **more: Any) -> dict[str, Any]:
    points = [[second * 1_000, value] for second in range(NOW - 10 * DAY, NOW + 10 * DAY + 1, HOUR)]
    return {name: [list(point) for point in points] for name in ("prices", "market_caps", "total_volumes")} | more


def found(content: Any, at: int | None = NOW + 11 * DAY) -> Recorded:
    headers = {} if at is None else {"date": formatdate(at, usegmt=True)}
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    url = f"{POINTS_API}&from={NOW - 10 * DAY}&to={NOW + 10 * DAY}"
    return Recorded(HttpRequest("GET", url), HttpReply(200, headers, body))


def points_narrow(*recorded: Recorded) -> Any:
    asked = HttpRequest("GET", f"{POINTS_API}&from={NOW - 5 * DAY}&to={NOW}")
    return json.loads(CoinGeckoProvider().narrow(recorded, asked, NOW).body)


@pytest.mark.check
@pytest.mark.parametrize("name", ["prices", "market_caps", "total_volumes", "unknown"])
@pytest.mark.parametrize("row", [None, [None, 2], [], {}, "x", [True, 1], ["1735776000000", 1], [-1, 2], [10**400, 1]])
def test_one_row_that_is_no_point_spoils_its_chart(name: str, row: Any) -> None:
    """What cannot be cut is not told, whichever series it is in; the recording beside it is."""
    for place in (3, 480):
        bad = points_chart()
        bad[name] = [*bad["prices"][:place], row, *bad["prices"][place:]]
        with pytest.raises(Miss):
            points_narrow(found(bad))
        told = points_narrow(found(bad), found(points_chart()))
        assert {name: points[-1][0] for name, points in told.items()} == dict.fromkeys(points_chart(), NOW * 1_000)


def test_what_nobody_knows_in_a_later_recording_is_a_miss() -> None:
    """Keys, null series, points with more than a value, and recordings without a date that have such."""
    extra = ({"circulating": {"now": 99}}, {"ath": 5}, {"market_caps": None}, {"total_volumes": {"a": [1]}})
    points = ([[NOW * 1_000, 1, "closed later"]], [[NOW * 1_000, [9]]], [[NOW * 1_000]])
    for more in (*extra, *({"market_caps": told} for told in points)):
        for at in (NOW + 11 * DAY, None):
            with pytest.raises(Miss):
                points_narrow(found(points_chart(**more), at))
    assert points_narrow(found(cut(points_chart(note="kept"), 0, NOW * 1_000), NOW))["note"] == "kept"


def test_moments_that_no_calendar_has_are_a_miss() -> None:
    """Stamps and values that no float holds end in a Miss, and nothing else does."""
    for body in (b'{"prices":[[1' + b"0" * 400 + b',1]],"market_caps":[]}', b'{"prices":[[1e400,1]]}',
                 b'{"prices":[[1e300,1],[1e301,2]]}', b'{"prices":[[1,1e400],[2,1e400]]}', b"[]", b"null"):  # fmt: skip
        for at in (NOW + 11 * DAY, NOW, None):
            with pytest.raises(Miss):
                points_narrow(found(body, at))


def test_a_chart_by_days_is_put_together_of_stored_points_and_the_newest() -> None:
    """The newest point is the end of any chart by days of the moment; without it, or with a gap, it is a miss."""
    wide, later, newest = window(AT - 30 * DAY, AT + DAY), AT + DAY, AT + 7
    stored = chart(wide, hourly(AT - 30 * DAY, later), later)
    ends = chart(HttpRequest("GET", days(1).url + "&interval=daily"), [AT - DAY // 2, newest], newest)
    found = narrow([stored, ends], days(7), newest)["prices"]
    assert [point[1] for point in found] == [*hourly(newest - 7 * DAY, AT), newest]
    gap = chart(window(AT - 30 * DAY, AT - 3 * DAY), hourly(AT - 30 * DAY, AT - 3 * DAY), AT - 3 * DAY)
    odd = chart(days(1), [AT - HOUR, newest], newest, more=[[newest * 1_000, 1]])
    for recorded, now in (([stored], newest), ([gap, ends], newest), ([stored, ends], newest + DAY),
                          ([stored, odd], newest)):  # fmt: skip
        with pytest.raises(Miss):
            narrow(recorded, days(7), now)


def candles(count: int, at: int, step: int = 4 * HOUR, first: int = 0) -> Recorded:
    """Candles of ``count`` days as they were told at a moment, none that closed before ``first``."""
    begins = -(-(at - count * DAY) // step) * step
    rows = [[close * 1_000, 1.0, 2.0, 0.5, close] for close in range(begins + step, at + 1, step) if close >= first]
    body = json.dumps(rows).encode()
    url = f"{API.removesuffix('market_chart')}ohlc?vs_currency=usd&days={count}"
    return Recorded(HttpRequest("GET", url), HttpReply(200, {"date": formatdate(at, usegmt=True)}, body))


def test_candles_are_put_together_of_those_told_at_other_moments() -> None:
    """Of one length, closed by now, without a gap, and none of four days; where the first one is shown for certain."""
    parts, now = [candles(30, AT - 20 * DAY), candles(30, AT)], AT - 3 * DAY - 60
    for count in (7, 14, 30):
        wanted = candles(count, now)
        assert narrow(parts, wanted.request, now) == json.loads(wanted.reply.body)
    late = [candles(30, AT, first=AT - 9 * DAY)]
    for recorded, asked in ((parts[:1], candles(7, now)), (parts, candles(1, now, HOUR // 2)),
                            (parts, candles(90, now)), (late, candles(7, now)),
                            ([candles(7, AT), candles(30, AT - 20 * DAY)], candles(14, now))):  # fmt: skip
        with pytest.raises(Miss):
            narrow(recorded, asked.request, now)
    other = json.loads(parts[1].reply.body)
    other[-30][1] = 7.0
    spoilt = Recorded(parts[1].request, HttpReply(200, parts[1].reply.headers, json.dumps(other).encode()))
    with pytest.raises(Miss, match="contradict"):
        narrow([spoilt, candles(7, AT)], candles(7, now).request, now)

"""Charts that are not what they should be: none of them is cut, none of them answers."""

from __future__ import annotations

import json
from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.coingecko import CoinGeckoProvider
from caia_replay.providers.coingecko_points import between, chart_of, cut, is_plain, seen_step, series_of

API = "https://api.coingecko.com/api/v3/coins/a/market_chart/range?vs_currency=usd"
NOW, DAY, HOUR = 1_735_776_000, 86_400, 3_600


def chart(value: float = 1.5, **more: Any) -> dict[str, Any]:
    points = [[second * 1_000, value] for second in range(NOW - 10 * DAY, NOW + 10 * DAY + 1, HOUR)]
    return {name: [list(point) for point in points] for name in ("prices", "market_caps", "total_volumes")} | more


def found(content: Any, at: int | None = NOW + 11 * DAY) -> Recorded:
    headers = {} if at is None else {"date": formatdate(at, usegmt=True)}
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    url = f"{API}&from={NOW - 10 * DAY}&to={NOW + 10 * DAY}"
    return Recorded(HttpRequest("GET", url), HttpReply(200, headers, body))


def narrow(*recorded: Recorded) -> Any:
    asked = HttpRequest("GET", f"{API}&from={NOW - 5 * DAY}&to={NOW}")
    return json.loads(CoinGeckoProvider().narrow(recorded, asked, NOW).body)


@pytest.mark.parametrize("name", ["prices", "market_caps", "total_volumes", "unknown"])
@pytest.mark.parametrize("row", [None, [None, 2], [], {}, "x", [True, 1], ["1735776000000", 1], [-1, 2], [10**400, 1]])
def test_one_row_that_is_no_point_spoils_its_chart(name: str, row: Any) -> None:
    """What cannot be cut is not told, whichever series it is in; the recording beside it is."""
    for place in (3, 480):
        bad = chart()
        bad[name] = [*bad["prices"][:place], row, *bad["prices"][place:]]
        with pytest.raises(Miss):
            narrow(found(bad))
        told = narrow(found(bad), found(chart()))
        assert {name: points[-1][0] for name, points in told.items()} == dict.fromkeys(chart(), NOW * 1_000)


def test_what_nobody_knows_in_a_later_recording_is_a_miss() -> None:
    """Keys, null series, points with more than a value, and recordings without a date that have such."""
    extra = ({"circulating": {"now": 99}}, {"ath": 5}, {"market_caps": None}, {"total_volumes": {"a": [1]}})
    points = ([[NOW * 1_000, 1, "closed later"]], [[NOW * 1_000, [9]]], [[NOW * 1_000]])
    for more in (*extra, *({"market_caps": told} for told in points)):
        for at in (NOW + 11 * DAY, None):
            with pytest.raises(Miss):
                narrow(found(chart(**more), at))
    assert narrow(found(cut(chart(note="kept"), 0, NOW * 1_000), NOW))["note"] == "kept"


def test_moments_that_no_calendar_has_are_a_miss() -> None:
    """Stamps and values that no float holds end in a Miss, and nothing else does."""
    for body in (b'{"prices":[[1' + b"0" * 400 + b',1]],"market_caps":[]}', b'{"prices":[[1e400,1]]}',
                 b'{"prices":[[1e300,1],[1e301,2]]}', b'{"prices":[[1,1e400],[2,1e400]]}', b"[]", b"null"):  # fmt: skip
        for at in (NOW + 11 * DAY, NOW, None):
            with pytest.raises(Miss):
                narrow(found(body, at))


def test_points_by_moment() -> None:
    """Both bounds are included; a chart is plain when it is pairs of numbers, and its step is what its points show."""
    points = [[1_000, 1], [2_000, 2], [2_000, 3], [3_000, None]]
    assert between(points, 2_000, 3_000) == points[1:] and between(points, 2_001, 2_999) == []
    told = chart_of({"prices": points, "note": 1})
    assert told is not None and series_of(told) == {"prices"} and not is_plain(told) and is_plain({"prices": points})
    assert chart_of({"prices": points[::-1]}) is None and chart_of({"market_caps": points}) is None
    assert [seen_step([0.0, gap]) for gap in (300, 3_600, 86_400)] == [300, HOUR, DAY] and seen_step([1.0]) is None

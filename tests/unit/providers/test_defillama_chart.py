import pytest

from caia_replay.core.provider import HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.defillama import DefiLlamaProvider
from tests.defillama_price import COINS, LATE, narrowed, recording

DAY, END = 86_400, 1_700_006_400


def drawn(numbers: range, at: int = LATE, price: int = 1, **head: object) -> Recorded:
    """The chart of seven days up to END, with a point for some of them, seven seconds late."""
    points = [{"timestamp": END - number * DAY + 7, "price": price} for number in sorted(numbers, reverse=True)]
    return recording(f"chart/a:b?end={END}&span=7&period=1d", {"a:b": {"symbol": "A", **head, "prices": points}}, at)


def asked(first: int, span: int) -> str:
    return f"chart/a:b?start={END - first * DAY}&span={span}&period=1d"


def test_a_chart_is_cut_out_of_longer_ones() -> None:
    """Points of a grid come from recorded grids that have them; another phase, or a point after now, is a miss."""
    day, end = 86_400, 1_700_006_400
    points = [{"timestamp": end - at * day + 7, "price": at} for at in range(4, -1, -1)]
    one = recording(f"chart/a:b?end={end}&span=5&period=1d", {"a:b": {"symbol": "A", "decimals": 8, "prices": points}})
    asked = f"chart/a:b?start={end - 3 * day}&span=2&period=24h"
    assert narrowed([one], asked, LATE) == {"a:b": {"symbol": "A", "decimals": 8, "prices": points[1:3]}}
    assert narrowed([one], asked, end - 2 * day + 7)
    for missed, now in ((asked, end - 2 * day + 6), (f"chart/a:b?end={end + 60}&span=2&period=1d", LATE),
                        (f"chart/a:b?end={end + day}&span=2&period=1d", LATE), 
                        ("chart/a:b?period=1d", LATE)):  # fmt: skip
        with pytest.raises(Miss):
            narrowed([one], missed, now)


def test_what_else_a_later_chart_tells_of_a_coin_does_not_leave() -> None:
    """A head may hold what was the case when it was recorded: later than now, or long before, that is a miss."""
    held = drawn(range(7), latestPrice=777)
    for now in (LATE - 60, LATE + DAY):
        for path in (asked(4, 2), f"chart/a:b?end={END}&span=7&period=1d"):
            with pytest.raises(Miss, match="with latestPrice"):
                narrowed([held], path, now)
    assert narrowed([held], asked(4, 1), LATE) == {
        "a:b": {"symbol": "A", "latestPrice": 777, "prices": [{"timestamp": END - 4 * DAY + 7, "price": 1}]}
    }


def test_a_chart_of_more_points_than_are_drawn_is_a_miss() -> None:
    """More than 500 points of all coins are refused by the vendor; a recorded grid without end settles nothing."""
    endless = recording(f"chart/a:b?start={END}&span=999999999999&period=1m", {})
    for path in (f"chart/a:b?start={END}&span=20000000&period=1m&searchWidth=6",
                 f"chart/a:b,c:d?start={END}&span=251&period=1m"):  # fmt: skip
        with pytest.raises(Miss, match="more than 500 points"):
            narrowed([endless], path, LATE)
    with pytest.raises(Miss, match="more than 500 points"):
        narrowed([endless], f"chart/a:b?start={END}&span=10&period=1m", LATE)
    wide = HttpRequest("GET", f"{COINS}/chart/a:b?span=999999999999&period=1m")
    assert DefiLlamaProvider().widen(wide, LATE) == (wide,)


def test_points_that_contradict_each_other_are_a_miss() -> None:
    """Two later recordings with several prices of a day prove neither, nor does one that has two of one moment."""
    now = LATE - 2_000
    with pytest.raises(Miss, match="contradicts each other"):
        narrowed([drawn(range(7)), drawn(range(7), price=2)], asked(3, 2), now)
    twice = drawn(range(7))
    doubled = recording(
        f"chart/a:b?end={END}&span=7&period=1d",
        {"a:b": {"prices": [{"timestamp": END + late, "price": late} for late in (7, 9)]}},
    )
    with pytest.raises(Miss, match="2 prices for"):
        narrowed([doubled], asked(0, 1), now)
    assert narrowed([doubled, twice], asked(0, 1), now)


def test_a_bad_chart_spoils_no_good_one() -> None:
    """Points without a moment, and recordings with a length of time nobody reads, are passed over."""
    good = drawn(range(7))
    broken = recording(f"chart/a:b?end={END}&span=7&period=1d", {"a:b": {"prices": [None]}})
    odd = recording(f"chart/a:b?end={END}&span=7&period=1d&searchWidth=soon", {})
    assert narrowed([broken, odd, good], asked(4, 2), LATE) == narrowed([good], asked(4, 2), LATE)


def test_many_charts_are_each_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The moments of points are read a fixed number of times each, however many moments are asked for."""
    read: list[int] = []

    def moment_of(item: dict[str, int]) -> int:
        read.append(1)
        return item["timestamp"]

    monkeypatch.setattr("caia_replay.providers.defillama_chart.moment_of", moment_of)
    held = [drawn(range(7), at=LATE + number) for number in range(50)]
    assert narrowed(held, asked(6, 6), LATE - 2_000)
    assert len(read) <= 50 * 7 * 3

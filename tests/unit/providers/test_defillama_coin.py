"""DefiLlama's prices, charts and blocks of coins: what is cut out, what is settled, and what contradicts itself."""

from email.utils import formatdate

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.defillama.parsed_reply import Unsettled, absent, moment_of, nearest_first, parsed_reply
from caia_replay.providers.defillama.provider import DefiLlamaProvider
from tests.defillama_price import COINS, LATE, narrowed, recording

TOKEN = "eth:0x" + "Ab" * 20


def test_coins_come_from_whatever_recording_settles_them() -> None:
    """Two recordings together answer for both coins, in the spelling asked; a coin without price is left out."""
    one = recording(
        f"prices/historical/1700000000/{TOKEN}", {TOKEN: {"price": 2, "timestamp": 1_700_000_100, "mine": 1}}
    )
    two = recording("prices/historical/1700000000/a:b,c:d", {"a:b": {"price": 3, "timestamp": 1_700_000_000}})
    asked = f"prices/historical/1700000000/{TOKEN.lower()},a:b,c:d"
    assert narrowed([one, two], asked, LATE) == {
        TOKEN.lower(): {"price": 2, "timestamp": 1_700_000_100, "mine": 1},
        "a:b": {"price": 3, "timestamp": 1_700_000_000},
    }
    with pytest.raises(Miss, match="no recording of e:f"):
        narrowed([one, two], "prices/historical/1700000000/a:b,e:f", LATE)
    exact = HttpRequest("GET", two.request.url)
    assert DefiLlamaProvider().narrow([two], exact, LATE) is two.reply


def test_a_price_of_after_now_is_a_miss() -> None:
    """The nearest note was made 100 s after the moment; before it existed another one was the nearest."""
    one = recording("prices/historical/1700000000/a:b", {"a:b": {"price": 2, "timestamp": 1_700_000_100}})
    assert narrowed([one], "prices/historical/1700000000/a:b", 1_700_000_100)
    with pytest.raises(Miss, match="after 2023-11-14 22:14:59Z"):
        narrowed([one], "prices/historical/1700000000/a:b", 1_700_000_099)


def test_search_widths_widen_and_narrow() -> None:
    """A price near enough for the asked width counts, another is none; nothing in a shorter width says nothing."""
    far = recording(
        "prices/historical/1700000000/a:b?searchWidth=1d", {"a:b": {"price": 2, "timestamp": 1_700_010_000}}
    )
    assert narrowed([far], "prices/historical/1700000000/a:b?searchWidth=3h", LATE)
    assert narrowed([far], "prices/historical/1700000000/a:b?searchWidth=600", LATE) == {}
    assert narrowed([far], "prices/historical/1700000000/a:b", LATE)
    none = recording("prices/historical/1700000000/a:b?searchWidth=1h", {})
    assert narrowed([none], "prices/historical/1700000000/a:b?searchWidth=600", LATE) == {}
    with pytest.raises(Miss, match="shorter search width"):
        narrowed([none], "prices/historical/1700000000/a:b?searchWidth=2h", LATE)


def test_a_change_of_the_past_is_settled_a_while_after() -> None:
    """Its ends are searched within 900 s; what cannot be computed is null, and is handed out as null."""
    one = recording("percentage/a:b,c:d?timestamp=1700000000", {"a:b": 1.5})
    assert narrowed([one], "percentage/a:b,c:d?timestamp=1700000000", LATE + 10**6) == {"a:b": 1.5}
    assert narrowed([one], "percentage/c:d?timestamp=1700000000", 1_700_000_901) == {}
    with pytest.raises(Miss):
        narrowed([one], "percentage/a:b?timestamp=1700000000", 1_700_000_900)
    one = recording("percentage/a:b,c:d,e:f", {"a:b": None, "c:d": 1.5})
    assert narrowed([one], "percentage/a:b,e:f", LATE) == {"a:b": None}
    for odd in ({}, "1.5", True):
        with pytest.raises(Miss, match="a change that is no number"):
            narrowed([recording("percentage/a:b", {"a:b": odd})], "percentage/a:b", LATE)
    with pytest.raises(Miss, match="null in place of a price"):
        narrowed([recording("prices/current/a:b", {"a:b": None})], "prices/current/a:b", LATE)


def test_prices_that_contradict_each_other_are_a_miss() -> None:
    """Two later recordings with several prices or blocks of one moment prove neither; another page is passed over."""
    path, now = "prices/historical/1700000000/a:b", LATE - 50_000
    held = [recording(path, {"a:b": {"price": price, "timestamp": 1_700_000_000}}, at)
            for price, at in ((1, LATE), (2, LATE + 100), (3, now + 10))]  # fmt: skip
    with pytest.raises(Miss, match="contradicts each other"):
        narrowed(held[:2], path, now)
    assert narrowed(held, path, now) == {"a:b": {"price": 3, "timestamp": 1_700_000_000}}
    request = HttpRequest("GET", f"{COINS}/block/a/1700000000")
    headers = {"date": formatdate(LATE, usegmt=True)}
    page, one, two = (Recorded(request, HttpReply(200, headers, body)) for body in (
        b"<html>", b'{"height": 7, "timestamp": 1700000050}', b'{"height": 6, "timestamp": 1699999950}'))  # fmt: skip
    now = LATE - 50_000
    assert DefiLlamaProvider().narrow([page, one], request, now) is one.reply
    with pytest.raises(Miss, match="several blocks"):
        DefiLlamaProvider().narrow([one, two], request, now)


def test_stamps_beyond_all_calendars_are_a_miss() -> None:
    """Prices and blocks stamped in milliseconds, and questions about such moments, end in no fault."""
    late = LATE * 1000
    with pytest.raises(Miss, match="which is after"):
        narrowed(
            [recording("prices/current/a:b", {"a:b": {"price": 1, "timestamp": late}})], "prices/current/a:b", LATE
        )
    request = HttpRequest("GET", f"{COINS}/block/a/1700000000")
    reply = HttpReply(200, {"date": formatdate(LATE, usegmt=True)}, b'{"height": 1, "timestamp": %d}' % late)
    with pytest.raises(Miss, match="others may be nearer"):
        DefiLlamaProvider().narrow([Recorded(request, reply)], request, LATE)
    with pytest.raises(Miss, match="is after now"):
        DefiLlamaProvider().narrow([], HttpRequest("GET", f"{COINS}/block/a/999999999999"), LATE)


def test_a_block_is_the_one_that_was_nearest_at_now() -> None:
    """A block made after now was not there; without knowing when it was recorded only an exact hit counts."""
    url, provider = f"{COINS}/block/a/1700000000", DefiLlamaProvider()

    def block(made: int, at: int | None) -> Recorded:
        headers = {} if at is None else {"date": formatdate(at, usegmt=True)}
        return Recorded(HttpRequest("GET", url), HttpReply(200, headers, b'{"height": 7, "timestamp": %d}' % made))

    asked = HttpRequest("GET", url)
    near = block(1_700_000_050, LATE)
    assert provider.narrow([near], asked, 1_700_000_050) is near.reply
    for recorded, now in ((near, 1_700_000_049), (near, 1_699_999_999), (block(1_700_000_050, None), LATE)):
        with pytest.raises(Miss):
            provider.narrow([recorded], asked, now)
    exact = block(1_700_000_000, None)
    assert provider.narrow([exact], asked, LATE) is exact.reply


@pytest.mark.parametrize(
    "body", [b"no json", b"[]", b'{"coins": []}', b'{"coins": {"a:b": 1}}', b'{"coins": {"a:b": {}}}']
)
def test_what_has_another_shape_is_a_miss(body: bytes) -> None:
    """A reply that does not have the vendor's shape contains no price."""
    for path in ("prices/current/a:b", "prices/historical/1700000000/a:b", "prices/first/a:b",
                 "chart/a:b?end=1700000000&span=1&period=1d", "block/a/1700000000"):  # fmt: skip
        reply = HttpReply(200, {"date": formatdate(LATE, usegmt=True)}, body)
        request = HttpRequest("GET", f"{COINS}/{path}")
        with pytest.raises(Miss):
            DefiLlamaProvider().narrow([Recorded(request, reply)], request, LATE)


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


TWICE = b'{"coins":{"eth:0x%s":{"price":1},"eth:0x%s":{"price":2}}}' % (b"a" * 40, b"A" * 40)


def test_a_recording_is_read_by_folded_coins() -> None:
    """In any case of its address, null is no price; nearest first; a note's moment is a whole number."""
    told = parsed_reply(recording(f"prices/current/{TOKEN},a:b,c:d", {TOKEN: {"price": 1}, "a:b": None}), LATE)
    assert told is not None and told.knows == {TOKEN.lower(), "a:b", "c:d"}
    assert told.of(TOKEN) == told.of(TOKEN.lower()) == {"price": 1} and told.of("c:d") is None
    with pytest.raises(Unsettled, match="null in place of a price"):
        told.of("a:b")
    made = [recording("prices/current/a:b", {}, at) for at in (None, LATE + 500, LATE - 20, LATE + 10)]
    assert nearest_first(made, LATE) == [made[3], made[2], made[1], made[0]]
    assert moment_of({"timestamp": 5}) == 5
    for item in (None, [], {"timestamp": True}, {"timestamp": 5.0}, {"timestamp": "5"}):
        with pytest.raises(Unsettled):
            moment_of(item)
    told = parsed_reply(recording("prices/current/a:b", {}, 1_000), 2_000)
    assert told is not None and absent(900, 50, told, 2_000) is None
    with pytest.raises(Unsettled):
        absent(990, 50, told, 2_000)


@pytest.mark.parametrize("body", [b"null", b'{"coins":{},"message":"limit"}', b'{"coins":[]}', b"<html>", TWICE])
def test_what_is_no_mapping_of_coins_is_not_taken_apart(body: bytes) -> None:
    """Messages, other pages, and two prices of one coin settle nothing, and spoil no good recording."""
    path = "prices/current/a:b"
    bad = Recorded(HttpRequest("GET", f"{COINS}/{path}"), HttpReply(200, {"date": formatdate(LATE, usegmt=True)}, body))
    assert parsed_reply(bad, LATE) is None
    with pytest.raises(Miss, match="no recording of a:b"):
        narrowed([bad], path, LATE)
    good = recording(path, {"a:b": {"price": 1, "timestamp": LATE}})
    assert narrowed([bad, good], path, LATE) == {"a:b": {"price": 1, "timestamp": LATE}}

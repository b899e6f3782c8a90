import json
from email.utils import formatdate

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.defillama import DefiLlamaProvider

COINS, LATE = "https://coins.llama.fi", 1_700_100_000
TOKEN = "eth:0x" + "Ab" * 20


def recording(path: str, coins: object, at: int | None = LATE) -> Recorded:
    headers = {} if at is None else {"date": formatdate(at, usegmt=True)}
    return Recorded(
        HttpRequest("GET", f"{COINS}/{path}"), HttpReply(200, headers, json.dumps({"coins": coins}).encode())
    )


def narrowed(recordings: list[Recorded], path: str, now: int) -> dict[str, object]:
    reply = DefiLlamaProvider().narrow(recordings, HttpRequest("GET", f"{COINS}/{path}"), now)
    found: dict[str, object] = json.loads(reply.body)["coins"]
    return found


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


def test_prices_of_now_are_of_now() -> None:
    """A recording of now answers for some of its coins, one of yesterday for none."""
    one = recording(
        "prices/current/a:b,c:d", {"a:b": {"price": 2, "timestamp": LATE - 60}, "c:d": {"price": 1, "timestamp": LATE}}
    )
    assert list(narrowed([one], "prices/current/c:d", LATE + 100)) == ["c:d"]
    with pytest.raises(Miss, match="not at"):
        narrowed([one], "prices/current/a:b", LATE + 86_400)
    with pytest.raises(Miss, match="which is after"):
        narrowed([one], "prices/current/c:d", LATE - 10)


def test_a_first_price_is_none_before_it() -> None:
    """Before a coin's first price there was none; a coin that had none yet may have one later."""
    one = recording("prices/first/a:b,c:d", {"a:b": {"price": 2, "timestamp": 1_700_000_000, "symbol": "A"}})
    assert list(narrowed([one], "prices/first/a:b,c:d", LATE)) == ["a:b"]
    assert narrowed([one], "prices/first/a:b", 1_699_999_999) == {}
    with pytest.raises(Miss, match="without a first price yet"):
        narrowed([one], "prices/first/c:d", LATE + 1)


def test_a_chart_is_cut_out_of_longer_ones() -> None:
    """Points of a grid come from recorded grids that have them; another phase, or a point after now, is a miss."""
    day, end = 86_400, 1_700_006_400
    points = [{"timestamp": end - at * day + 7, "price": at} for at in range(4, -1, -1)]
    one = recording(f"chart/a:b?end={end}&span=5&period=1d", {"a:b": {"symbol": "A", "extra": [1], "prices": points}})
    asked = f"chart/a:b?start={end - 3 * day}&span=2&period=24h"
    assert narrowed([one], asked, LATE) == {"a:b": {"symbol": "A", "extra": [1], "prices": points[1:3]}}
    assert narrowed([one], asked, end - 2 * day + 7)
    for missed, now in ((asked, end - 2 * day + 6), (f"chart/a:b?end={end + 60}&span=2&period=1d", LATE),
                        (f"chart/a:b?end={end + day}&span=2&period=1d", LATE), 
                        ("chart/a:b?period=1d", LATE)):  # fmt: skip
        with pytest.raises(Miss):
            narrowed([one], missed, now)


def test_a_change_of_the_past_is_settled_a_while_after() -> None:
    """Its ends are searched within 900 s, so it stands once the recording and now are both later than that."""
    one = recording("percentage/a:b,c:d?timestamp=1700000000", {"a:b": 1.5})
    assert narrowed([one], "percentage/a:b,c:d?timestamp=1700000000", LATE + 10**6) == {"a:b": 1.5}
    assert narrowed([one], "percentage/c:d?timestamp=1700000000", 1_700_000_901) == {}
    with pytest.raises(Miss):
        narrowed([one], "percentage/a:b?timestamp=1700000000", 1_700_000_900)


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

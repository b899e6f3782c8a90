from email.utils import formatdate

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.defillama import DefiLlamaProvider
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


def test_a_change_of_the_past_is_settled_a_while_after() -> None:
    """Its ends are searched within 900 s, so it stands once the recording and now are both later than that."""
    one = recording("percentage/a:b,c:d?timestamp=1700000000", {"a:b": 1.5})
    assert narrowed([one], "percentage/a:b,c:d?timestamp=1700000000", LATE + 10**6) == {"a:b": 1.5}
    assert narrowed([one], "percentage/c:d?timestamp=1700000000", 1_700_000_901) == {}
    with pytest.raises(Miss):
        narrowed([one], "percentage/a:b?timestamp=1700000000", 1_700_000_900)


def test_a_change_that_is_null_is_handed_out_as_null() -> None:
    """The vendor writes what it cannot compute as null: the coin is known, and its change is not left out."""
    one = recording("percentage/a:b,c:d,e:f", {"a:b": None, "c:d": 1.5})
    assert narrowed([one], "percentage/a:b,e:f", LATE) == {"a:b": None}
    for odd in ({}, "1.5", True):
        with pytest.raises(Miss, match="a change that is no number"):
            narrowed([recording("percentage/a:b", {"a:b": odd})], "percentage/a:b", LATE)
    with pytest.raises(Miss, match="null in place of a price"):
        narrowed([recording("prices/current/a:b", {"a:b": None})], "prices/current/a:b", LATE)


def test_the_recording_nearest_to_now_tells_the_price_of_now() -> None:
    """Of two recordings about now the one made at now counts, in whatever order they come."""
    held = [recording("prices/current/a:b", {"a:b": {"price": price, "timestamp": LATE - 900}}, LATE - ago)
            for price, ago in ((1, 800), (2, 0), (3, 500))]  # fmt: skip
    for order in (held, held[::-1]):
        assert narrowed(order, "prices/current/a:b", LATE) == {"a:b": {"price": 2, "timestamp": LATE - 900}}


def test_prices_that_contradict_each_other_are_a_miss() -> None:
    """Two later recordings with several prices of one moment prove neither; one of now says what is so now."""
    path, now = "prices/historical/1700000000/a:b", LATE - 50_000
    held = [recording(path, {"a:b": {"price": price, "timestamp": 1_700_000_000}}, at)
            for price, at in ((1, LATE), (2, LATE + 100), (3, now + 10))]  # fmt: skip
    with pytest.raises(Miss, match="contradicts each other"):
        narrowed(held[:2], path, now)
    assert narrowed(held, path, now) == {"a:b": {"price": 3, "timestamp": 1_700_000_000}}


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


def test_a_bad_block_spoils_no_good_one_and_several_are_none() -> None:
    """Another page with status 200 is passed over; two blocks for one moment contradict each other."""
    request = HttpRequest("GET", f"{COINS}/block/a/1700000000")
    headers = {"date": formatdate(LATE, usegmt=True)}
    page, one, two = (Recorded(request, HttpReply(200, headers, body)) for body in (
        b"<html>", b'{"height": 7, "timestamp": 1700000050}', b'{"height": 6, "timestamp": 1699999950}'))  # fmt: skip
    now = LATE - 50_000
    assert DefiLlamaProvider().narrow([page, one], request, now) is one.reply
    with pytest.raises(Miss, match="several blocks"):
        DefiLlamaProvider().narrow([one, two], request, now)


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

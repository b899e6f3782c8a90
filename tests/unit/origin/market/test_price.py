"""Prices hour by hour: candles that meet, pools that agree, and nothing outside the story."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.origin.act.trade import TOLERANCE_PPM
from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.price import E8, sum_of
from caia_replay.origin.scene import Scene
from caia_replay.origin.venue import HOUR_S
from caia_replay.origin.view import Question


def test_candles_meet_and_enclose_their_prices(book: MarketBook) -> None:
    """Each opens at its hour's price, closes where the next opens, and its extremes enclose both; sums add up."""
    for coin in book.coins:
        first = book.prices.hour_of(coin.listed_at)
        hours = range(first, min(first + 60, book.prices.hours))
        candles = [book.prices.candle(coin, hour) for hour in hours]
        for hour, candle, after in zip(hours, candles, candles[1:]):
            moment = max(coin.listed_at, book.prices.first + hour * HOUR_S)
            assert candle.open_e8 == book.prices.price_e8(coin, moment)
            assert candle.close_e8 == after.open_e8
            assert candle.low_e8 <= min(candle.open_e8, candle.close_e8)
            assert candle.high_e8 >= max(candle.open_e8, candle.close_e8)
            assert 0 <= candle.taker_volume_e8 <= candle.volume_e8 and 0 <= candle.taker_quote_e8 <= candle.quote_e8
        whole = sum_of(candles)
        assert (whole.open_e8, whole.close_e8) == (candles[0].open_e8, candles[-1].close_e8)
        assert whole.volume_e8 == sum(candle.volume_e8 for candle in candles)


def test_pools_stay_near_the_venue_whenever_the_arbitrageur_has_been(scene: Scene, book: MarketBook) -> None:
    """At the end of most blocks every pool is within the arbitrage bound; the exceptions are when a purse was empty."""
    seen = near = 0
    for (role, _), market in scene.markets.items():
        coin = next((coin for coin in book.coins if coin.role == role and coin.traded), None)
        if coin is None:
            continue
        question = Question(f"{role}/dollar", "getReserves")
        side = [asset.role for asset in market.assets].index(role)
        for block in scene.main.views.heights(question):
            reserves = scene.main.views.answer(question, block)[:2]
            pool_e8 = reserves[1 - side] * coin.unit * E8 // (reserves[side] * 10**6)
            venue_e8 = book.prices.price_e8(coin, scene.main.calendar.times[block])
            assert venue_e8 is not None
            seen += 1
            near += abs(pool_e8 - venue_e8) * 1_000_000 <= venue_e8 * (TOLERANCE_PPM + 100)
    assert seen > 700 and near > seen * 95 // 100


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_a_pool_swapped_is_its_coins_volume(book: MarketBook, scene: Scene, data: st.DataObject) -> None:
    """Of a coin that only a pool trades, all swaps of the story are in its candles, once."""
    coin = data.draw(st.sampled_from([coin for coin in book.coins if coin.role.startswith("launch")]))
    first = book.prices.hour_of(coin.listed_at)
    trades = sum(book.prices.candle(coin, hour).trades for hour in range(first, book.prices.hours))
    deeds = [deed for deed in scene.main.deeds if deed.verb == "swapped" and deed.subject == f"{coin.role}/native"]
    assert trades == len(deeds)


def test_outside_the_story_there_is_no_price(book: MarketBook) -> None:
    """Before the first midnight and after the last hour the question is a fault, not a zero."""
    coin = book.coins[-1]
    for moment in (book.prices.first - 1, book.prices.end):
        with pytest.raises(ValueError, match="outside the story"):
            book.prices.price_e8(coin, moment)
    with pytest.raises(ValueError, match="no hour"):
        book.prices.candle(coin, book.prices.hours)
    with pytest.raises(ValueError, match="no candle"):
        sum_of([])

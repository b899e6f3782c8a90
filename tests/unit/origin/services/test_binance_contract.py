"""Tests for caia_replay.origin.services.binance_contract."""

from __future__ import annotations

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.coin import Coin
from caia_replay.origin.market.price import sum_of
from caia_replay.origin.services.binance_chart import Chart, e8
from caia_replay.origin.services.binance_contract import Contracts, Statistics
from caia_replay.providers.binance_interval import Interval
from caia_replay.providers.binance_series import Window


def traded(book: MarketBook) -> Coin:
    """A coin with a perpetual future."""
    return next(coin for coin in book.coins if coin.traded)


def test_contract_mark_and_index_follow_the_positions(book: MarketBook) -> None:
    """Hours open at the mark price and close at the next one; the index is spot's."""
    contracts, coin = Contracts(book), traded(book)
    for hour in range(0, book.prices.hours - 1, 97):
        marks = [book.derivatives.positions(coin, at).mark_e8 for at in (hour, hour + 1)]
        contract, mark, index = (kind(coin, hour) for kind in (contracts.contract, contracts.mark, contracts.index))
        assert [contract.open_e8, contract.close_e8] == marks == [mark.open_e8, mark.close_e8]
        assert contract.low_e8 <= min(marks) <= max(marks) <= contract.high_e8
        assert index.high_e8 == book.prices.candle(coin, hour).high_e8 and index.volume_e8 == mark.volume_e8 == 0
        assert contract.volume_e8 > book.prices.candle(coin, hour).volume_e8
        assert sum_of(contracts.contract_minutes(coin, hour, contract)) == contract
        assert sum_of(contracts.still(coin, hour, mark)) == mark


def test_statistics_are_the_positions_of_their_hour(book: MarketBook) -> None:
    """Open interest and the shares of longs; what takers did is told when the period is over, and adds up."""
    contracts, coin, now = Contracts(book), traded(book), book.prices.first + 30 * 3600 + 1_800
    chart = Chart(book.prices, contracts.contract, contracts.contract_minutes)
    told, window, grid = Statistics(book, chart), Window(None, None, 3), Interval("1h")
    held = book.derivatives.positions(coin, 30)
    rows = told.rows("openInterestHist", "X", coin, grid, window, 0, now)
    assert len(rows) == 3 and rows[-1]["timestamp"] == (now - 1_800) * 1000
    assert rows[-1]["sumOpenInterest"] == e8(held.open_interest_e8)
    longs = told.rows("globalLongShortAccountRatio", "X", coin, grid, window, 0, now)[-1]
    assert longs["longAccount"] == f"0.{held.long_ppm // 100:04d}"
    taken = told.rows("takerlongshortRatio", "X", coin, grid, window, 0, now)
    hour = contracts.contract(coin, 29)
    assert taken[-1]["timestamp"] == (now - 5_400) * 1000
    assert taken[-1]["buyVol"] == e8(hour.taker_volume_e8)[:-4]
    assert taken[-1]["sellVol"] == e8(hour.volume_e8 - hour.taker_volume_e8)[:-4]

"""A coin's page and its past days."""

from __future__ import annotations

import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.services.coingecko_chart import Charts
from caia_replay.origin.services.coingecko_money import Money
from caia_replay.origin.services.coingecko_page import FLAGS, Pages, category_name
from caia_replay.origin.services.coingecko_row import Rows
from caia_replay.origin.services.coingecko_venue import Venue

DAY = 86_400


@pytest.fixture(scope="module")
def pages(book: MarketBook) -> Pages:
    money = Money(book)
    charts = Charts(money)
    rows = Rows(money, charts)
    return Pages(money, charts, rows, Venue(money, rows))


def test_each_flag_is_one_part(pages: Pages, book: MarketBook) -> None:
    """What a flag adds is a key of its own, and nothing else changes."""
    coin, now = book.coins[1], book.prices.end - 1
    bare = pages.coin(coin, dict.fromkeys(FLAGS, False), now)
    for name in ("localization", "tickers", "market_data", "community_data", "developer_data"):
        more = pages.coin(coin, {**dict.fromkeys(FLAGS, False), name: True}, now)
        assert set(more) - set(bare) == {name} and {key: more[key] for key in bare} == bare


def test_tokens_are_where_the_book_has_them(pages: Pages, book: MarketBook) -> None:
    """Platforms with addresses and decimals; the native coin has none of its own."""
    now = book.prices.end - 1
    for coin in book.listed(now):
        page = pages.coin(coin, dict.fromkeys(FLAGS, False), now)
        assert page["platforms"] == (dict(coin.platforms) or {"": ""})
        assert (page["asset_platform_id"] is None) == (not coin.platforms or coin.role == "native")
        assert page["market_cap_rank"] == book.ranking(now).index(coin) + 1


def test_a_past_day_is_told_once_and_for_all(pages: Pages, book: MarketBook) -> None:
    """The figures at 00:00 are the book's, and the same whenever they are asked for; a future day has none."""
    coin, midnight = book.coins[1], book.prices.first + 20 * DAY
    pages_of = [pages.history(coin, midnight, False, midnight + late) for late in (2_100, DAY, 90 * DAY)]
    assert pages_of[0] == pages_of[1] == pages_of[2] and "localization" not in pages_of[0]
    assert pages_of[0]["market_data"]["market_cap"]["usd"] == book.cap_usd(coin, midnight)
    assert "market_data" not in pages.history(coin, midnight, True, midnight + 2_099)
    assert category_name("layer-1") == "Layer 1 (L1)" and category_name("meme-token") == "Meme Token"

"""Lists about many coins."""

from __future__ import annotations

import pytest

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.scene import Scene
from caia_replay.origin.services.coingecko_chart import Charts
from caia_replay.origin.services.coingecko_list import Lists
from caia_replay.origin.services.coingecko_money import Money
from caia_replay.origin.services.coingecko_row import Rows


@pytest.fixture(scope="module")
def lists(book: MarketBook, scene: Scene) -> Lists:
    money = Money(book)
    return Lists(money, Rows(money, Charts(money)), scene.networks)


def test_the_whole_is_the_sum_of_its_coins(lists: Lists, book: MarketBook) -> None:
    """Global caps, categories and the list of coins agree with one another."""
    now = book.prices.end - 1
    whole, categories = lists.whole(now)["data"], lists.categories("market_cap_desc", now)
    cap = sum(book.cap_usd(coin, now) for coin in book.listed(now))
    assert whole["total_market_cap"]["usd"] == cap == sum(row["market_cap"] for row in categories)
    assert whole["active_cryptocurrencies"] == len(lists.coins(False, now)) == len(book.listed(now))
    assert [row["market_cap"] for row in categories] == sorted((row["market_cap"] for row in categories), reverse=True)
    assert float(lists.decentralised(now)["data"]["defi_market_cap"]) < cap
    with pytest.raises(ValueError, match="no order"):
        lists.categories("size", now)


def test_networks_are_the_storys(lists: Lists, book: MarketBook, scene: Scene) -> None:
    """Ids and chain ids; every token's platform is one of them."""
    ids = {row["id"] for row in lists.platforms()}
    assert ids == {project.id for project in scene.networks.values()}
    assert all(name in ids for row in lists.coins(True, book.prices.end - 1) for name in row["platforms"])
    assert lists.has_platform(next(iter(ids))) and not lists.has_platform("absent")


def test_search_finds_by_any_name(lists: Lists, book: MarketBook) -> None:
    """Id, name and symbol, in any case, largest first; nothing for other words."""
    now = book.prices.end - 1
    coin = book.ranking(now)[3]
    for words in (coin.id, coin.name.upper(), coin.symbol):
        assert coin.id in [found["id"] for found in lists.search(words, now)["coins"]]
    nothing = lists.search("no such words", now)
    assert not any(nothing.values()) and lists.search("outside", now)["exchanges"]


def test_what_trends_has_moved(lists: Lists, book: MarketBook) -> None:
    """The seven largest moves of the day, either way, and scores from 0."""
    now = book.prices.end - 1
    found = [one["item"] for one in lists.trending(now)["coins"]]
    moves = sorted((abs(book.change_ppm(coin, now, 24) or 0) for coin in book.listed(now)), reverse=True)[:7]
    assert [round(abs(item["data"]["price_change_percentage_24h"]["usd"]) * 10_000) for item in found] == moves
    assert [item["score"] for item in found] == list(range(7))
    assert lists.newest(now)[0]["activated_at"] == max(coin.listed_at for coin in book.coins)

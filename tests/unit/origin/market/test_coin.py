"""Coins: each project once, with the addresses it really has."""

from __future__ import annotations

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.coin import OUTSIDERS, first_reserves, pooled
from caia_replay.origin.scene import Scene


def test_coins_are_unique_in_id_symbol_and_address(book: MarketBook) -> None:
    """About forty projects, each known by one id, one ticker and one address per network."""
    assert 33 <= len(book.coins) <= 45
    for keys in (
        [coin.id for coin in book.coins],
        [coin.symbol for coin in book.coins],
        [place for coin in book.coins for place in coin.platforms],
    ):
        assert len(keys) == len(set(keys))
    assert [coin.id for coin in book.coins] == sorted(coin.id for coin in book.coins)
    assert sum(coin.role.startswith("outsider") for coin in book.coins) == len(OUTSIDERS)


def test_a_coins_address_answers_with_its_own_ticker(scene: Scene, book: MarketBook) -> None:
    """What the chain calls the token at every platform's address is the coin's symbol, or the bridged form of it."""
    stages = {scene.networks["main"].id: scene.main, scene.networks["rollup"].id: scene.rollup}
    checked = 0
    for coin in book.coins:
        for network, address in coin.platforms:
            told = stages[network].ask("eth_call", {"to": address, "data": "0x95d89b41"}, "latest")
            symbol = bytes.fromhex(told[2:])[64:].rstrip(b"\0").decode()
            wanted = "weth" if coin.role == "wrapped" else coin.symbol
            assert symbol.lower() in (wanted, f"b{wanted}"), coin.id
            checked += 1
    assert checked >= 20


def test_a_pooled_coin_is_listed_with_its_pools_first_reserves(scene: Scene, book: MarketBook) -> None:
    """Before a pool holds anything there is no price; the moment it does, there is one."""
    pools = pooled(scene)
    assert {"honeypot", "rug", "tax"} <= pools.keys() and len(pools) == 6
    for coin in book.coins:
        if coin.role in pools:
            block = first_reserves(scene.main, pools[coin.role])
            assert coin.listed_at == scene.main.calendar.times[block]
            assert book.prices.price_e8(coin, coin.listed_at - 1) is None
            assert book.prices.price_e8(coin, coin.listed_at)

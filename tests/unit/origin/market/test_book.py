"""The book: supplies that the chain confirms, caps that follow from them, ranks that follow from caps."""

from __future__ import annotations

from eth_utils.crypto import keccak

from caia_replay.origin.calendar import DAY_S
from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.price import E8
from caia_replay.origin.scene import Scene
from caia_replay.origin.venue import HOUR_S

_TOTAL = "0x" + keccak(text="totalSupply()").hex()[:8]
_BALANCE = "0x" + keccak(text="balanceOf(address)").hex()[:8]


def test_supplies_are_what_the_contracts_say(scene: Scene, book: MarketBook) -> None:
    """Total and circulating supply of every token, at three heights, by eth_call."""
    checked = 0
    for coin in (found for found in book.coins if found.platforms and found.role != "native"):
        for share in (40, 70, 99):
            block = scene.main.calendar.last_block * share // 100
            moment = scene.main.calendar.times[block]
            if coin.listed_at > moment:
                continue
            ask = _asker(scene, coin.platforms[0][1], block)
            supply = book.supply(coin, moment)
            held = sum(ask(_BALANCE + holder[2:].rjust(64, "0")) for holder in book._locked)
            assert (supply.total, supply.circulating) == (ask(_TOTAL), ask(_TOTAL) - held), coin.id
            checked += 1
    assert checked >= 40


def test_the_native_supply_is_what_all_accounts_hold_together(scene: Scene, book: MarketBook) -> None:
    """At the end, genesis less burnt fees is the sum of every balance the chain knows of."""
    end = scene.main.calendar.last_block
    seen = {*scene.main.born, *(made.address for made in scene.main.contracts.values())}
    for block in range(end + 1):
        told = scene.main.ask("eth_getBlockByNumber", hex(block), True)
        seen |= {told["miner"], *(sent[side] for sent in told["transactions"] for side in ("from", "to") if sent[side])}
    seen |= {deed.figures and str(dict(deed.figures).get("recipient", "")) for deed in scene.main.deeds} - {"", ()}
    held = sum(int(scene.main.ask("eth_getBalance", holder, hex(end)), 16) for holder in sorted(seen))
    coin = book.coin(scene.networks["main"].id)
    assert coin is not None and book.supply(coin, scene.main.calendar.times[end]).total == held


def test_caps_and_ranks_follow_from_price_and_supply(book: MarketBook) -> None:
    """A cap is supply times price; ranks fall with caps; a coin that is not listed yet has neither."""
    moment = book.prices.first + 50 * DAY_S + 77
    ranking = book.ranking(moment)
    caps = [book.cap_usd(coin, moment) for coin in ranking]
    assert caps == sorted(caps, reverse=True) and set(ranking) == set(book.listed(moment))
    for coin, cap in zip(ranking, caps):
        price, supply = book.prices.price_e8(coin, moment), book.supply(coin, moment)
        assert price is not None
        assert cap == supply.circulating * price // coin.unit // E8 <= book.fully_diluted_usd(coin, moment)
    late = [coin for coin in book.coins if coin.listed_at > moment]
    assert late and all(book.cap_usd(coin, moment) == 0 for coin in late)


def test_a_day_is_its_last_twenty_four_hours_and_changes_compare_prices(book: MarketBook) -> None:
    """The day's volume is that of its hours; a change needs a price at both ends."""
    coin = next(found for found in book.coins if found.role == "native")
    moment = book.prices.first + 30 * DAY_S
    day, hour = book.day(coin, moment), book.prices.hour_of(moment)
    assert day.quote_e8 == sum(book.prices.candle(coin, at).quote_e8 for at in range(hour - 24, hour))
    then, now = book.prices.price_e8(coin, moment - DAY_S), book.prices.price_e8(coin, moment)
    assert then and now and book.change_ppm(coin, moment, 24) == (now - then) * 1_000_000 // then
    assert book.change_ppm(coin, book.prices.first + HOUR_S, 24) is None
    assert book.day(coin, book.prices.first).volume_e8 == book.prices.candle(coin, 0).volume_e8


def test_coins_are_found_by_id_and_by_address(book: MarketBook) -> None:
    """The case of an address does not count; what is nobody's is None."""
    for coin in book.coins:
        assert book.coin(coin.id) is coin
        for network, address in coin.platforms:
            assert book.at_address(network, address.upper().replace("0X", "0x")) is coin
    assert book.coin("nothing") is None and book.at_address("nowhere", "0x" + "1" * 40) is None


def _asker(scene: Scene, token: str, block: int):  # type: ignore[no-untyped-def]
    return lambda data: int(scene.main.ask("eth_call", {"to": token, "data": data}, hex(block)), 16)

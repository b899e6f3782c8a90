import pytest
from eth_utils.address import to_checksum_address

from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.metric import Metrics
from caia_replay.origin.scene import Scene
from caia_replay.origin.services.defillama_coin import CoinPages

DAY = 86_400


@pytest.fixture(scope="module")
def metrics(scene: Scene, book: MarketBook) -> Metrics:
    """Every figure of the small economy."""
    return Metrics(scene, book)


@pytest.fixture(scope="module")
def pages(metrics: Metrics) -> CoinPages:
    """The pages about prices."""
    return CoinPages(metrics)


def test_prices_are_the_markets(scene: Scene, book: MarketBook, pages: CoinPages) -> None:
    """Of every coin, by id and by address in any case, now and at a moment; unknown ones are left out."""
    now = book.prices.first + 100 * DAY + 4_321
    for coin in book.listed(now):
        keys = [f"coingecko:{coin.id}", *(f"{on}:{to_checksum_address(at)}" for on, at in coin.platforms)]
        found = pages.prices(",".join([*keys, "a:b", "nothing"]), None, {}, now).content["coins"]
        assert sorted(found) == sorted(keys)
        for one in found.values():
            assert (
                one["price"] == (book.prices.price_e8(coin, now) or 0) / 10**8 and now - 600 < one["timestamp"] <= now
            )
            assert one["symbol"] == coin.symbol.upper()
    native = scene.networks["main"].id
    told = pages.prices(f"{native}:0x{'0' * 40}", str(now - 5 * DAY), {}, now).content["coins"]
    (one,) = told.values()
    assert abs(one["timestamp"] - now + 5 * DAY) <= 300 and one["decimals"] == book.coin(native).decimals  # type: ignore[union-attr]


@pytest.mark.parametrize(("after", "note"), [(0, 0), (299, 0), (300, 0), (301, 600), (599, 600), (600, 600)])
def test_the_nearest_note_answers_and_the_earlier_of_two(
    book: MarketBook, pages: CoinPages, after: int, note: int
) -> None:
    """Notes lie ten minutes apart; in the middle between two the earlier one counts."""
    begun, key = book.prices.first + 20 * DAY, f"coingecko:{next(one.id for one in book.coins if one.role == 'native')}"
    told = pages.prices(key, str(begun + after), {}, begun + DAY).content["coins"][key]
    assert told["timestamp"] == begun + note


def test_nothing_is_known_after_now_or_before_the_listing(book: MarketBook, pages: CoinPages) -> None:
    """A moment ahead has the newest note if that is near enough; a coin has no price before its listing."""
    now = book.prices.first + 90 * DAY
    late = max(book.listed(now), key=lambda coin: coin.listed_at)
    key = f"coingecko:{late.id}"
    assert pages.prices(key, str(now + 3_600), {}, now).content["coins"][key]["timestamp"] == now
    assert pages.prices(key, str(now + 3_600), {"searchWidth": "1h"}, now).content["coins"]
    assert pages.prices(key, str(now + 3_600), {"searchWidth": "59m"}, now).content == {"coins": {}}
    assert pages.prices(key, str(late.listed_at - DAY), {}, now).content == {"coins": {}}
    assert pages.first(key, late.listed_at - 1).content == {"coins": {}}
    assert pages.first(key, now).content["coins"][key]["timestamp"] - late.listed_at in range(600)


def test_a_chart_has_equal_steps(book: MarketBook, pages: CoinPages) -> None:
    """Forward from a start, back from an end or from now; each point is the note nearest to its moment."""
    native = next(one.id for one in book.coins if one.role == "native")
    now, key = book.prices.first + 50 * DAY, f"coingecko:{native}"
    start = now - 10 * DAY + 1_000
    forward = pages.chart(key, {"start": str(start), "span": "4", "period": "2d"}, now).content["coins"][key]["prices"]
    back = pages.chart(key, {"end": str(start + 6 * DAY), "span": "4", "period": "2d"}, now).content["coins"][key][
        "prices"
    ]
    assert forward == back and [one["timestamp"] for one in forward] == [start + 200 + at * 2 * DAY for at in range(4)]
    latest = pages.chart(key, {}, now).content["coins"][key]["prices"]
    assert [one["timestamp"] for one in latest] == [now]
    ahead = pages.chart(key, {"start": str(now), "span": "3"}, now).content["coins"][key]["prices"]
    assert [one["timestamp"] for one in ahead] == [now]
    for bad in ({"start": "1", "end": "2"}, {"span": "x"}, {"period": "soon"}, {"span": "501"}, {"searchWidth": "x"}):
        assert pages.chart(key, bad, now).status == 400


def test_a_change_is_between_two_notes(book: MarketBook, pages: CoinPages) -> None:
    """Back from a moment or forward from it, scaled to the period asked."""
    now, coin = book.prices.first + 50 * DAY, book.coin(next(one.id for one in book.coins if one.role == "native"))
    assert coin is not None
    key, then = f"coingecko:{coin.id}", now - 5 * DAY
    before, after = (book.prices.price_e8(coin, at) or 1 for at in (then, then + DAY))
    wanted = pytest.approx(100 * (after - before) / before)
    assert pages.changes(key, {"timestamp": str(then + DAY)}, now).content["coins"][key] == wanted
    assert pages.changes(key, {"timestamp": str(then), "lookForward": "true"}, now).content["coins"][key] == wanted
    assert pages.changes(key, {"timestamp": str(now), "lookForward": "true"}, now).content == {"coins": {}}
    assert pages.changes(key, {"period": "x"}, now).status == pages.changes(key, {"timestamp": "x"}, now).status == 400


def test_a_block_is_the_nearest_by_the_chains_own_headers(scene: Scene, pages: CoinPages) -> None:
    """Its time is its header's; none is nearer; what lies after now is not there yet."""
    for name, stage in (("main", scene.main), ("rollup", scene.rollup)):
        network, now = scene.networks[name].id, stage.calendar.times[80]
        for moment in range(stage.calendar.times[1], now, 250_007):
            told = pages.block(network, str(moment), now).content
            header = stage.ask("eth_getBlockByNumber", hex(told["height"]), False)
            assert int(header["timestamp"], 16) == told["timestamp"] <= now
            nearest = min(abs(made - moment) for made in stage.calendar.times[:81])
            assert abs(told["timestamp"] - moment) == nearest
        for moment in (str(now + 1), str(stage.calendar.times[0]), "x"):
            assert pages.block(network, moment, now).status == 400
    assert pages.block("nowhere", "5", 10).status == 400


def test_questions_that_cannot_be_read_are_refused(pages: CoinPages, book: MarketBook) -> None:
    """A moment that is no number, a width that is no length of time."""
    now = book.prices.first + DAY
    assert pages.prices("a:b", "yesterday", {}, now).status == 400
    assert pages.prices("a:b", None, {"searchWidth": "wide"}, now).status == 400

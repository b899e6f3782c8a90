from typing import Any

import pytest
from eth_abi import abi
from eth_utils.crypto import keccak

from caia_replay.origin.deed import done
from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.flow import Flow
from caia_replay.origin.market.metric import Metrics
from caia_replay.origin.market.protocol import pairs_of
from caia_replay.origin.scene import Scene

V2_SWAP = "0x" + keccak(text="Swap(address,uint256,uint256,uint256,uint256,address)").hex()
V3_SWAP = "0x" + keccak(text="Swap(address,address,int256,int256,uint160,uint128,int24)").hex()


@pytest.fixture(scope="module")
def metrics(scene: Scene, book: MarketBook) -> Metrics:
    """Every figure of the small economy."""
    return Metrics(scene, book)


def logs(stage: Any, addresses: list[str], topic: str) -> list[dict[str, Any]]:
    """All events of one kind."""
    wanted = {"fromBlock": "0x0", "toBlock": "latest", "address": addresses, "topics": [topic]}
    found: list[dict[str, Any]] = stage.ask("eth_getLogs", wanted)
    return found


def test_volume_from_swap_events_is_the_volume_of_the_deeds(scene: Scene, book: MarketBook, metrics: Metrics) -> None:
    """Day by day, the money side of every Swap event at the price of its hour is the exchange's volume."""
    swap = next(one for one in metrics.protocols if one.kind == "swap")
    native, dollar = scene.assets["native"], scene.assets["dollar"]
    days, coin = [0] * scene.scale.days, book.coin(scene.networks["main"].id)
    assert coin is not None
    pairs = {pair.address: role for role, pair in pairs_of(scene)}
    for log in logs(scene.main, sorted(pairs), V2_SWAP):
        other, money = pairs[log["address"]].split("/")
        token = scene.assets[other].address if other in scene.assets else scene.main.contracts[f"{other} token"].address
        amounts = abi.decode(("uint256",) * 4, bytes.fromhex(log["data"][2:]))
        side = int(token < {"dollar": dollar, "native": native}[money].address)
        moved, block = amounts[side] + amounts[2 + side], int(log["blockNumber"], 16)
        price = book.prices.price_e8(coin, scene.main.calendar.times[block]) if money == "native" else 10**8
        unit = native.unit if money == "native" else dollar.unit
        days[scene.main.calendar.day_of(block)] += moved * (price or 0) // unit
    assert tuple(days) == metrics.flow.daily_e8(swap, "volume") and sum(days) > 0
    for worth, fee in zip(days, metrics.flow.daily_e8(swap, "fees"), strict=True):
        assert 0 <= worth * 3 - fee * 1_000 < 1_000 * 1_000  # each swap's fee is cut
    assert not any(metrics.flow.daily_e8(swap, "revenue"))


def test_volume_of_the_range_pool_is_its_swap_events(scene: Scene, metrics: Metrics) -> None:
    """The dollars of every Swap event of the roll-up's pool are its volume; a fee of 0.3 % of it is the providers'."""
    ranged = next(one for one in metrics.protocols if one.kind == "range")
    pool, dollar = scene.rollup.contracts["bridged native/dollar"], scene.bridged["dollar"]
    side, days = int(scene.bridged["native"].address < dollar.address), [0] * scene.scale.days
    for log in logs(scene.rollup, [pool.address], V3_SWAP):
        amounts = abi.decode(("int256", "int256", "uint160", "uint128", "int24"), bytes.fromhex(log["data"][2:]))
        days[scene.rollup.calendar.day_of(int(log["blockNumber"], 16))] += abs(amounts[side]) * 10**8 // dollar.unit
    assert tuple(days) == metrics.flow.daily_e8(ranged, "volume") and sum(days) > 0
    fees = sum(metrics.flow.daily_e8(ranged, "fees"))
    assert abs(fees * 1000 - sum(days) * 3) < 1000 * 10**6 and not any(metrics.flow.daily_e8(ranged, "revenue"))


def test_fees_are_what_the_contracts_took(scene: Scene, metrics: Metrics) -> None:
    """The launchpad's and the market's own fee events are their fees, and all of them are revenue."""
    for kind, event, kinds, field in (
        ("launch", "Bought(address,address,uint256,uint256,uint256)", ("uint256",) * 3, 1),
        ("launch", "Sold(address,address,uint256,uint256,uint256)", ("uint256",) * 3, 2),
        ("collect", "Sold(address,uint256,address,address,uint256,uint256)", ("address", "uint256", "uint256"), 2),
    ):
        one = next(found for found in metrics.protocols if found.kind == kind)
        contract = next(iter(one.addresses(scene, "main")))
        told = 0
        for log in logs(scene.main, [contract], "0x" + keccak(text=event).hex()):
            told += int(abi.decode(kinds, bytes.fromhex(log["data"][2:]))[field])
        verbs = {"Bought": "bought", "Sold": "sold" if kind == "launch" else "purchased"}
        meant = sum(deed.figure("fee_wei") for deed in done(scene.main.deeds, verbs[event.partition("(")[0]]))
        assert told == meant > 0
        assert metrics.flow.daily_e8(one, "fees") == metrics.flow.daily_e8(one, "revenue")


def test_interest_of_all_days_is_how_debts_grew(scene: Scene, metrics: Metrics) -> None:
    """What is owed at the end is what was borrowed, less what was paid back, and all interest, up to roundings."""
    lend = next(one for one in metrics.protocols if one.kind == "lend")
    end = scene.main.calendar.midnight(scene.scale.days)
    debts = sum(metrics.tvl.debt(role, end) for role in ("native", "exchange"))
    paid = {"borrowed": ("amount", 1), "repaid": ("amount", -1), "liquidated": ("repaid", -1)}
    deeds = [deed for deed in scene.main.deeds if deed.verb in paid and deed.subject.endswith("lending market")]
    moved = sum(paid[deed.verb][1] * deed.figure(paid[deed.verb][0]) for deed in deeds)
    interest = sum(metrics.flow.daily_e8(lend, "fees")) * scene.assets["dollar"].unit // 10**8
    assert interest > 0 and abs(debts - moved - interest) < 2_000 and not any(metrics.flow.daily_e8(lend, "revenue"))


def test_what_has_no_such_figure_has_none(scene: Scene, book: MarketBook, metrics: Metrics) -> None:
    """The bridge takes no fee and staking has no volume: that is no figure, not a row of zeros."""
    without = {one.slug: one for one in metrics.protocols if one.kind in ("bridge", "stake")}
    for one in without.values():
        assert not any(metrics.flow.has(one, measure) for measure in ("volume", "fees", "revenue"))
        with pytest.raises(KeyError):
            metrics.flow.daily_e8(one, "fees")
    assert Flow(scene, book, metrics.tvl, metrics.protocols).has(metrics.protocols[0], "volume")

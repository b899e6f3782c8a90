"""Trading: pools near the venue, and every swap as the pair's own events tell it."""

from __future__ import annotations

from caia_replay.origin.act.trade import TOLERANCE_PPM
from caia_replay.origin.artifact import load_artifact
from caia_replay.origin.deed import done
from caia_replay.origin.scene import Scene


def test_pools_follow_the_venue(scene: Scene) -> None:
    """Whenever the arbitrageur had the means, each pool's price is within the tolerance of the venue's; mostly so."""
    near = []
    head = scene.main.calendar.last_block
    for (role, paid_with), market in scene.markets.items():
        if paid_with != "dollar":
            continue
        asset, dollar = scene.assets[role], scene.assets["dollar"]
        side = market.side(asset)
        price = market.pool.reserves[1 - side] * asset.unit * 10**8 / (market.pool.reserves[side] * dollar.unit)
        near.append(abs(price / scene.venue.price_e8(role, scene.main.calendar.times[head]) - 1))
    assert len(near) == 11
    assert sum(off < 2 * TOLERANCE_PPM / 1_000_000 for off in near) >= 9


def test_every_swap_is_an_event_of_its_pair(scene: Scene) -> None:
    """Amounts in and out of each deed are those of the pair's Swap event, in order."""
    pair = load_artifact("UniswapV2Pair")
    for market in scene.markets.values():
        name = next(role for role, contract in scene.main.contracts.items() if contract is market.pair)
        topic = pair.events["Swap"].topic0
        asked = {"fromBlock": "0x0", "toBlock": "latest", "address": market.pair.address, "topics": [topic]}
        told = [
            (log["amount0In"] + log["amount1In"], log["amount0Out"] + log["amount1Out"])
            for log in pair.logs("Swap", scene.main.ask("eth_getLogs", asked))
        ]
        meant = [
            (deed.figure("amount_in"), deed.figure("amount_out")) for deed in done(scene.main.deeds, "swapped", name)
        ]
        assert told == meant and meant


def test_liquidity_comes_and_goes(scene: Scene) -> None:
    """People add and remove shares, and the pair's supply is what the story says."""
    added, removed = (len(list(done(scene.main.deeds, verb))) for verb in ("added liquidity", "removed liquidity"))
    assert added > 11 and removed >= 0
    for market in scene.markets.values():
        assert scene.main.ledger.supply(market.pair.address) == market.pool.shares

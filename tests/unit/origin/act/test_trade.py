"""Trading: pools near the venue, and every swap as the pair's own events tell it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from caia_replay.origin.act.birth import PROJECTS, Birth
from caia_replay.origin.act.trade import TOLERANCE_PPM, Trade
from caia_replay.origin.artifact import load_artifact
from caia_replay.origin.deed import done
from caia_replay.origin.economy import economy
from caia_replay.origin.people import address_of
from caia_replay.origin.scale import Scale
from caia_replay.origin.scene import Asset, Scene
from caia_replay.origin.venue import HOUR_S, Venue
from caia_replay.origin.view import Question


def away_ppm(scene: Scene, role: str, reserves: Sequence[int], block: int) -> Fraction:
    """How far a pool stands from the venue of a block's time, in millionths."""
    market, asset, dollar = scene.markets[role, "dollar"], scene.assets[role], scene.assets["dollar"]
    side = market.side(asset)
    price = Fraction(reserves[1 - side] * asset.unit * 10**8, reserves[side] * dollar.unit)
    return abs(price / scene.venue.price_e8(role, scene.main.calendar.times[block]) - 1) * 10**6


def test_pools_follow_the_venue(scene: Scene) -> None:
    """At the end of every block after the opening, every pool against the dollar is within the venue's tolerance."""
    stage = scene.main
    roles = [role for role, paid_with in scene.markets if paid_with == "dollar"]
    opening = max(
        block
        for block in stage.calendar.blocks_of(0)
        if stage.calendar.times[block] < stage.calendar.midnight(0) + HOUR_S
    )
    assert len(roles) == 11 and opening < stage.calendar.last_block - 100
    for block in range(opening + 1, stage.calendar.last_block + 1):
        for role in roles:
            reserves = stage.views.answer(Question(f"{role}/dollar", "getReserves"), block)
            assert away_ppm(scene, role, reserves, block) <= TOLERANCE_PPM, (role, block)


def test_the_exchange_wraps_coins_when_it_has_too_few_wrapped_ones() -> None:
    """Its wrapped coins gone and the pool dear, it wraps as many as the arbitrageur wants, and the pool comes back."""
    with economy(1, Scale("short", 1, 1, 1, 4)) as scene:
        stage, roles, trade = scene.main, scene.people.roles, Trade()
        scene.venue = Venue(stage.calendar.times[0], {role: (50 * 10**8,) * 24 for role in ("native", *PROJECTS)})
        for act in (Birth(), trade):
            act.open(scene)
        stage.end_opening(6_000_000)
        native, dollar, market = scene.assets["native"], scene.assets["dollar"], scene.markets["native", "dollar"]
        exchange = address_of(roles["exchange"])
        assert (
            scene.balance(stage, native, exchange)
            == scene.balance(stage, native, address_of(roles["arbitrageur"]))
            == 0
        )
        dear = market.pool.reserves[market.side(dollar)] // 3
        trade._swap(scene, stage, roles["market maker"], market, dollar, dear)
        before = away_ppm(scene, "native", market.pool.reserves, stage.height)
        trade._even_out(scene, stage, market)
        stage.mine()
        block = stage.height - 1
        assert before > 500_000 and away_ppm(scene, "native", market.pool.reserves, block) <= TOLERANCE_PPM
        (wrapped,) = (deed for deed in done(stage.deeds, "wrapped", "native") if deed.actor == exchange)
        assert wrapped.figure("amount") > 0
        # By the chain's word too: what is wrapped, and what the exchange has left of it.
        for function, arguments, meant in (
            ("totalSupply", (), stage.ledger.supply(native.address)),
            ("balanceOf", (exchange,), scene.balance(stage, native, exchange)),
        ):
            data = native.contract.artifact.call(function, arguments)
            assert int(stage.ask("eth_call", {"to": native.address, "data": "0x" + data.hex()}, "latest"), 16) == meant
        pair = stage.ask("eth_call", {"to": market.pair.address, "data": "0x0902f1ac"}, "latest")
        assert [int(pair[at : at + 64], 16) for at in (2, 66)] == list(market.pool.reserves)


def test_the_exchange_keeps_coins_for_itself() -> None:
    """Whatever the arbitrageur wants, it wraps three quarters of its coins at most, and never what it has wrapped."""
    with economy(1, Scale("short", 1, 1, 1, 4)) as scene:
        stage, venue, trade = scene.main, scene.people.roles["exchange"], Trade()
        founders = scene.people.roles["founders"]
        native = scene.assets["native"] = Asset("native", scene.networks["main"], stage.deploy(founders, "WETH9"), 18)
        wanted = (100 * native.unit, 100 * native.unit, 10**30, 10**30)
        held = []
        for needed in wanted:
            trade._wrap(scene, stage, venue, native, needed)
            held.append(scene.balance(stage, native, address_of(venue)) // native.unit)
        stage.mine()
        assert held == [100, 100, 15_000, 15_000]


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

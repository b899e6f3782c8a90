"""Debts, stakes, grants, prices and pools, each recomputed and held against what the contracts themselves say."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from caia_replay.origin.act.birth import PROJECTS, Birth
from caia_replay.origin.act.lend import COLLATERALS
from caia_replay.origin.act.post_prices import FAR_PPM, PostPrices
from caia_replay.origin.act.stake import POOLS
from caia_replay.origin.act.trade import TOLERANCE_PPM, Trade
from caia_replay.origin.act.vest import GRANTS, schedule_of
from caia_replay.origin.contracts.lending import BPS, next_index, owed
from caia_replay.origin.contracts.staking import Pool
from caia_replay.origin.deed import Deed, done
from caia_replay.origin.dice import Dice
from caia_replay.origin.economy import economy
from caia_replay.origin.people import address_of
from caia_replay.origin.scale import Scale
from caia_replay.origin.scene import Scene
from caia_replay.origin.venue import HOUR_S, Venue
from caia_replay.origin.view import Question

pytestmark = pytest.mark.check


MARKETS = [f"{role} lending market" for role in COLLATERALS]


def read(scene: Scene, market: str, function: str, *arguments: Any, block: int) -> int:
    """What the market answers at the end of a block."""
    contract = scene.main.contracts[market]
    call = {"to": contract.address, "data": "0x" + contract.artifact.call(function, arguments).hex()}
    answer: int = contract.artifact.decode(function, bytes.fromhex(scene.main.ask("eth_call", call, hex(block))[2:]))[0]
    return answer


@pytest.mark.parametrize("market", MARKETS)
def test_debts_grow_as_the_stored_index_says(scene: Scene, market: str) -> None:
    """At any height, what the market says is owed follows from the scaled debts that the story wrote down."""
    stage, dice = scene.main, Dice(f"debts/{market}")
    (rate,) = stage.views.answer(Question(market, "rateBpsPerYear"), stage.calendar.last_block)
    debtors = sorted({deed.actor for deed in done(stage.deeds, "borrowed", market)})
    grown = 0
    for _ in range(40):
        who, block = dice.one(debtors), dice.number(2, stage.calendar.last_block)
        try:
            (scaled,) = stage.views.answer(Question(market, "scaledDebtOf", (who,)), block)
        except KeyError:
            continue
        (index,), (touched,) = (
            stage.views.answer(Question(market, name), block) for name in ("storedIndex", "touchedAt")
        )
        debt = owed(scaled, next_index(index, rate, stage.calendar.times[block] - touched))
        assert read(scene, market, "debtOf", who, block=block) == debt
        grown += debt > owed(scaled, index)
    assert grown


@pytest.mark.parametrize("market", MARKETS)
def test_whoever_is_liquidated_was_below_the_limit(scene: Scene, market: str) -> None:
    """Health at the moment is below the limit, and it was above when they last borrowed."""
    deeds = list(done(scene.main.deeds, "liquidated", market))
    for deed in deeds:
        who = dict(deed.figures)["borrower"]
        assert deed.figure("health_bps") < BPS
        loans = [one.block for one in done(scene.main.deeds, "borrowed", market) if one.actor == who]
        borrowed = max(block for block in loans if block < deed.block)
        assert read(scene, market, "healthBps", who, block=borrowed) >= BPS
    crash = scene.scale.days * 55 // 100
    assert any(scene.main.calendar.day_of(deed.block) >= crash for deed in deeds)


NAMES = [f"{terms.staked} staking pool" for terms in POOLS]


EVENTS = {"staked": "Staked", "unstaked": "Unstaked", "claimed": "Claimed"}


@pytest.mark.parametrize("name", NAMES)
def test_rewards_follow_from_the_deeds(scene: Scene, name: str) -> None:
    """A pool's books kept anew from the deeds give what each staker has earned, at half time and at the end."""
    stage, contract = scene.main, scene.main.contracts[name]
    times = stage.calendar.times
    (opened,) = done(stage.deeds, "opened", name)
    for head in (stage.calendar.last_block // 2, stage.calendar.last_block):
        books = Pool(opened.figure("rate_per_s"), opened.figure("end"), times[opened.block])
        for deed in stage.deeds:
            if deed.subject == name and deed.verb in EVENTS and deed.block <= head:
                if deed.verb == "claimed":
                    assert books.claim(deed.actor, times[deed.block]) == deed.figure("amount")
                else:
                    sign = 1 if deed.verb == "staked" else -1
                    books.stake(deed.actor, sign * deed.figure("amount"), times[deed.block])
        assert books.staked
        for who in books.staked:
            call = {"to": contract.address, "data": "0x" + contract.artifact.call("earned", (who,)).hex()}
            answer = bytes.fromhex(stage.ask("eth_call", call, hex(head))[2:])
            assert contract.artifact.decode("earned", answer) == (books.earned(who, times[head]),)


def granted(scene: Scene) -> dict[str, Deed]:
    return {deed.subject: deed for deed in done(scene.main.deeds, "granted")}


def answered(scene: Scene, role: str, function: str, *arguments: Any) -> Any:
    """What the contract answers at the end of the story."""
    contract = scene.main.contracts[role]
    data = "0x" + contract.artifact.call(function, arguments).hex()
    reply = scene.main.ask("eth_call", {"to": contract.address, "data": data}, "latest")
    (value,) = contract.artifact.decode(function, bytes.fromhex(reply[2:]))
    return value


def test_what_will_have_vested_is_known_from_the_first_day(scene: Scene) -> None:
    """The views written down for fixed moments follow from the terms and hold to the end, whatever was released."""
    checked = 0
    for question in scene.main.views.questions():
        if question.function == "vestedAmount(address,uint64)":
            terms = schedule_of(granted(scene)[question.role])
            known = scene.main.views.answer(question, scene.main.height - 1)
            assert known == (terms.vested(question.arguments[1]),)
            assert list(scene.main.views.heights(question)) == [granted(scene)[question.role].block]
            assert answered(scene, question.role, question.function, *question.arguments) == known[0]
            checked += 1
    assert checked == 9 * len(GRANTS)


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


def test_a_great_move_is_posted_at_once() -> None:
    """Within a day, a move of five per cent waits, and one unit more does not; another asset stays as it was."""
    first, hours = 100 * 10**8, 48
    fell, rose = first * (1_000_000 - FAR_PPM) // 1_000_000, first * (1_000_000 + FAR_PPM) // 1_000_000
    with economy(5, Scale("short", 2, 16, 1, 1)) as scene:
        stage = scene.main
        calm = {role: (first,) * hours for role in (*PROJECTS, "native")}
        moves = {"native": (first,) * 30 + (fell,) * 4 + (fell - 1,) * 14, "lend": (first,) * 30 + (rose + 1,) * 18}
        scene.venue = Venue(stage.calendar.times[0], calm | moves)
        Birth().open(scene)
        prices = PostPrices(("native", "lend", "exchange"))
        prices.open(scene)
        stage.end_opening(30_000_000)
        times = stage.calendar.times
        while stage.height <= stage.calendar.last_block:
            prices.play(scene, stage)
            stage.mine()
        posted = [
            (deed.subject, deed.block)
            for deed in done(stage.deeds, "posted price")
            if times[deed.block] > times[0] + 30 * HOUR_S
        ]
        assert posted == [
            ("lend", stage.calendar.at(times[0] + 30 * HOUR_S) + 1),
            ("native", stage.calendar.at(times[0] + 34 * HOUR_S) + 1),
        ]
        assert [prices.price_e8(role) for role in ("native", "lend", "exchange")] == [fell - 1, rose + 1, first]

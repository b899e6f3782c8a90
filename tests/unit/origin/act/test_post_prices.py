"""The oracle: every price it ever had is the venue's, posted when it should be."""

from __future__ import annotations

from caia_replay.origin.act.birth import PROJECTS, Birth
from caia_replay.origin.act.lend import COLLATERALS
from caia_replay.origin.act.post_prices import FAR_PPM, ORACLE, PostPrices
from caia_replay.origin.deed import done
from caia_replay.origin.economy import economy
from caia_replay.origin.scale import Scale
from caia_replay.origin.scene import Scene
from caia_replay.origin.venue import HOUR_S, Venue


def test_every_price_is_an_event_of_the_oracle(scene: Scene) -> None:
    """Token, price and time of each deed are those of a Posted event, in order."""
    oracle, times = scene.main.contracts[ORACLE], scene.main.calendar.times
    logs = scene.main.ask("eth_getLogs", {"fromBlock": "0x0", "toBlock": "latest", "address": oracle.address})
    told = [(log["token"], log["priceE8"], log["at"]) for log in oracle.artifact.logs("Posted", logs)]
    meant = [
        (scene.assets[deed.subject].address, deed.figure("price_e8"), times[deed.block])
        for deed in done(scene.main.deeds, "posted price")
    ]
    assert told == meant and len(told) > 2 * scene.scale.days


def test_prices_are_the_venues(scene: Scene) -> None:
    """Each is the venue's at the moment of its block, and every day after the first begins with one."""
    calendar = scene.main.calendar
    for role in COLLATERALS:
        posted = {deed.block: deed.figure("price_e8") for deed in done(scene.main.deeds, "posted price", role)}
        assert all(scene.venue.price_e8(role, calendar.times[block]) == price for block, price in posted.items())
        assert all(calendar.blocks_of(day)[0] in posted for day in range(1, calendar.days))


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

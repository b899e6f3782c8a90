"""A graduated token's pair: born with all that was raised, its shares out of reach, and one of them emptied."""

from __future__ import annotations

from caia_replay.origin.act.launch import PAD
from caia_replay.origin.act.launch_pool import DEAD
from caia_replay.origin.artifact import load_artifact
from caia_replay.origin.constant_product import LOCKED
from caia_replay.origin.deed import done
from caia_replay.origin.scene import Scene

LAUNCHPAD, FACTORY = load_artifact("Launchpad"), load_artifact("UniswapV2Factory")


def test_graduations_are_the_events(scene: Scene) -> None:
    """Pair, money, tokens and shares of each are what the launchpad tells; the factory knows the pair."""
    topic = LAUNCHPAD.events["Graduated"].topic0
    asked = {"fromBlock": "0x0", "address": scene.main.contracts[PAD].address, "topics": [topic]}
    told = [
        (log["token"], log["pair"], log["raisedWei"], log["amount"], log["liquidity"])
        for log in LAUNCHPAD.logs("Graduated", scene.main.ask("eth_getLogs", asked))
    ]
    meant = []
    for deed in done(scene.main.deeds, "graduated"):
        market, asset = scene.markets[deed.subject, "native"], scene.assets[deed.subject]
        figures = (deed.figure(name) for name in ("raised_wei", "amount", "shares"))
        meant.append((asset.address, market.pair.address, *figures))
        data = "0x" + FACTORY.call("getPair", (asset.address, scene.assets["native"].address)).hex()
        answer = scene.main.ask("eth_call", {"to": scene.main.contracts["factory"].address, "data": data}, "latest")
        assert answer[-40:] == market.pair.address[2:] and scene.main.contracts[f"{deed.subject}/native"] is market.pair
    assert told == meant and len(meant) >= 2


def test_the_liquidity_is_out_of_reach(scene: Scene) -> None:
    """The dead address has all shares that the launchpad got, the first thousand are nobody's."""
    for deed in done(scene.main.deeds, "graduated"):
        pair = scene.markets[deed.subject, "native"].pair.address
        assert scene.main.ledger.balance(pair, DEAD) == deed.figure("shares")
        assert scene.main.ledger.supply(pair, deed.block) == deed.figure("shares") + LOCKED


def test_pairs_are_traded_for_coin_and_for_wrapped_coin(scene: Scene) -> None:
    """After its graduation each pair has swaps; none of them is evened out against a venue that has no price of it."""
    evened = {deed.subject for deed in done(scene.main.deeds, "evened out")}
    for deed in done(scene.main.deeds, "graduated"):
        assert list(done(scene.main.deeds, "swapped", f"{deed.subject}/native"))
        assert deed.subject not in evened
    router, native = scene.main.contracts["router"].address, scene.assets["native"].address
    wrapped = [one for one in scene.main.ledger.within(native, 2, scene.main.height) if one.recipient == router]
    assert wrapped and scene.balance(scene.main, scene.assets["native"], router) == 0


def test_one_pair_is_emptied_by_its_creator(scene: Scene) -> None:
    """The creator sold everything at once, days after the graduation, and the price fell by more than a third."""
    (pulled,) = done(scene.main.deeds, "rug pulled")
    (born,) = done(scene.main.deeds, "launched", pulled.subject)
    (graduated,) = done(scene.main.deeds, "graduated", pulled.subject)
    asset, pair = scene.assets[pulled.subject], scene.markets[pulled.subject, "native"].pair.address
    assert pulled.actor == born.actor and pulled.block > graduated.block
    assert scene.main.ledger.balance(asset.address, pulled.actor, pulled.block) == 0
    assert scene.main.ledger.balance(asset.address, pulled.actor, pulled.block - 1) == pulled.figure("amount")
    left = scene.main.ledger.balance(scene.assets["native"].address, pair, pulled.block)
    assert pulled.figure("reserve_wei") - pulled.figure("paid_wei") == left
    assert (left * 100 // pulled.figure("reserve_wei")) ** 2 < 67 * 100

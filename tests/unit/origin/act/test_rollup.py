"""Life on the roll-up: its pool's deeds are the pool's events, its price is near the venue's, its mistakes fail."""

from __future__ import annotations

from typing import Any

from caia_replay.origin.act.rollup import POOL, TOLERANCE_PPM
from caia_replay.origin.deed import done
from caia_replay.origin.scene import Scene


def logged(scene: Scene, event: str) -> list[dict[str, Any]]:
    """The pool's events of one kind, in order."""
    pool = scene.rollup.contracts[POOL]
    asked = {"fromBlock": "0x0", "toBlock": "latest", "address": pool.address}
    return pool.artifact.logs(event, scene.rollup.ask("eth_getLogs", asked))


def test_every_swap_is_the_pools(scene: Scene) -> None:
    """Amounts in and out, and the price and tick after the last one, are those of the pool's Swap events."""
    told = logged(scene, "Swap")
    meant = list(done(scene.rollup.deeds, "swapped", POOL))
    assert [sorted((one["amount0"], one["amount1"])) for one in told] == [
        [-one.figure("amount_out"), one.figure("amount_in")] for one in meant
    ]
    assert len(told) > 100
    pool = scene.rollup.contracts[POOL]
    call = {"to": pool.address, "data": "0x" + pool.artifact.call("slot0", ()).hex()}
    price, tick, *_ = pool.artifact.decode("slot0", bytes.fromhex(scene.rollup.ask("eth_call", call, "latest")[2:]))
    assert (told[-1]["sqrtPriceX96"], told[-1]["tick"]) == (price, tick)


def test_liquidity_and_fees_are_the_pools(scene: Scene) -> None:
    """Positions are as large as the pool logged, and the market maker collected fees of both tokens."""
    added = list(done(scene.rollup.deeds, "added liquidity", POOL))
    assert [one["amount"] for one in logged(scene, "Mint")] == [one.figure("liquidity") for one in added]
    collected = list(done(scene.rollup.deeds, "collected fees", POOL))
    amounts = [(one.figure("amount0"), one.figure("amount1")) for one in collected]
    assert [(one["amount0"], one["amount1"]) for one in logged(scene, "Collect")] == amounts
    assert len(added) > 1 and all(sum(column) > 0 for column in zip(*amounts, strict=True))


def test_the_pool_follows_the_venue(scene: Scene) -> None:
    """At the end of most days its price is within twice the tolerance of the price outside."""
    stage, pool = scene.rollup, scene.rollup.contracts[POOL]
    data = "0x" + pool.artifact.call("slot0", ()).hex()
    first = scene.bridged["native"].address < scene.bridged["dollar"].address
    near = []
    opened = next(done(stage.deeds, "added liquidity", POOL)).block
    for height in range(opened, stage.height):
        reply = stage.ask("eth_call", {"to": pool.address, "data": data}, hex(height))
        root = pool.artifact.decode("slot0", bytes.fromhex(reply[2:]))[0]
        ratio = root * root / 2**192
        dollars = (ratio if first else 1 / ratio) * 10**12
        worth = scene.venue.price_e8("native", stage.calendar.times[height]) / 10**8
        near.append(abs(dollars / worth - 1) < 2 * TOLERANCE_PPM / 1_000_000)
    assert len(near) > 100 and sum(near) > 0.8 * len(near)


def test_the_roll_up_is_lived_on(scene: Scene) -> None:
    """Every bridged token is paid with, and whoever pays more than they own fails."""
    paid = {deed.subject for deed in done(scene.rollup.deeds, "paid")}
    assert {asset.role for asset in scene.bridged.values()} <= paid and "gas coin" in paid
    refused = [one for one in done(scene.rollup.deeds, "was refused") if one.subject != "bridge minter"]
    assert len(refused) > 10
    for one in refused:
        receipts = scene.rollup.ask("eth_getBlockReceipts", hex(one.block))
        assert "0x0" in {found["status"] for found in receipts if found["from"] == one.actor}
    assert scene.rollup.transactions > 3 * scene.rollup.calendar.days

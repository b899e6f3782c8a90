"""Collectibles: mints, listings and sales as the contracts' own events tell them."""

from __future__ import annotations

from typing import Any

from caia_replay.origin.act.collect import COLLECTIONS, MARKET
from caia_replay.origin.artifact import load_artifact
from caia_replay.origin.deed import done
from caia_replay.origin.ledger import NOBODY
from caia_replay.origin.scene import Scene

ITEMS, SHOP = load_artifact("Collectible"), load_artifact("NftMarket")


def events(scene: Scene, role: str, artifact: Any, name: str) -> list[dict[str, Any]]:
    asked = {
        "fromBlock": "0x0",
        "address": scene.main.contracts[role].address,
        "topics": [artifact.events[name].topic0],
    }
    return list(artifact.logs(name, scene.main.ask("eth_getLogs", asked)))


def test_every_change_of_hands_is_a_transfer(scene: Scene) -> None:
    """From whom to whom, of each item, in order: mints, purchases and gifts together."""
    for role in COLLECTIONS:
        meant: list[tuple[Any, ...]] = []
        for deed in scene.main.deeds:
            figures = dict(deed.figures)
            if deed.subject == role and deed.verb == "minted":
                meant.append((NOBODY, figures["owner"], figures["id"]))
            elif deed.subject == role and deed.verb == "purchased":
                meant.append((figures["seller"], deed.actor, figures["id"]))
            elif deed.subject == role and deed.verb == "gave":
                meant.append((deed.actor, figures["recipient"], figures["id"]))
        told = [
            (log["from"], log["to"], log["tokenId"]) for log in events(scene, f"{role} collection", ITEMS, "Transfer")
        ]
        assert told == meant and len(meant) > 10


def test_sales_have_the_price_and_fee_of_their_deeds(scene: Scene) -> None:
    """Seller, buyer, price and fee of each sale; both collections sell; what is listed or not any more is told too."""
    addresses = {scene.main.contracts[f"{role} collection"].address: role for role in COLLECTIONS}
    told = [
        (addresses[log["nft"]], log["id"], log["seller"], log["buyer"], log["price"], log["fee"])
        for log in events(scene, MARKET, SHOP, "Sold")
    ]
    meant = [
        (deed.subject, deed.figure("id"), dict(deed.figures)["seller"], deed.actor, deed.figure("price_wei"),
         deed.figure("fee_wei")) for deed in done(scene.main.deeds, "purchased")
    ]  # fmt: skip
    assert told == meant and {sale[0] for sale in meant} == set(COLLECTIONS)
    assert all(0 < fee < price // 20 for *_, price, fee in meant)
    listed = [(log["seller"], log["id"], log["priceWei"]) for log in events(scene, MARKET, SHOP, "Listed")]
    assert listed == [
        (deed.actor, deed.figure("id"), deed.figure("price_wei")) for deed in done(scene.main.deeds, "listed")
    ]
    cancelled = [(log["seller"], log["id"]) for log in events(scene, MARKET, SHOP, "Cancelled")]
    assert cancelled == [(deed.actor, deed.figure("id")) for deed in done(scene.main.deeds, "unlisted")] != []


def test_money_moves_as_the_deeds_tell(scene: Scene) -> None:
    """A buyer's coin falls by the price and the gas of the block, the treasury's fee is in the same block's balance."""
    deed = next(done(scene.main.deeds, "purchased"))
    before, after = (
        int(scene.main.ask("eth_getBalance", deed.actor, hex(height)), 16) for height in (deed.block - 1, deed.block)
    )
    block = scene.main.ask("eth_getBlockByNumber", hex(deed.block), True)
    spent = 0
    for sent in block["transactions"]:
        if sent["from"] == deed.actor:
            receipt = scene.main.ask("eth_getTransactionReceipt", sent["hash"])
            spent += int(receipt["gasUsed"], 16) * int(receipt["effectiveGasPrice"], 16) + int(sent["value"], 16)
    assert spent > deed.figure("price_wei") and before - after == spent


def test_failed_purchases_are_failed_transactions(scene: Scene) -> None:
    """Somebody paid too little; each failure of the deeds is one on the chain, and none else reverted on the market."""
    failed = list(done(scene.main.deeds, "failed to purchase"))
    assert any(dict(deed.figures)["reason"] == "too little money" for deed in failed)
    found = []
    for block in sorted({deed.block for deed in failed}):
        for sent in scene.main.ask("eth_getBlockByNumber", hex(block), True)["transactions"]:
            status = scene.main.ask("eth_getTransactionReceipt", sent["hash"])["status"]
            if sent["to"] == scene.main.contracts[MARKET].address and status == "0x0":
                found.append((block, sent["from"], int(sent["value"], 16)))
    assert found == [(deed.block, deed.actor, deed.figure("paid_wei")) for deed in failed]

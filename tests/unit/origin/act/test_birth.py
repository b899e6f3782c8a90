"""The births: what was issued is what the chain has, and nobody was given more than there is."""

from __future__ import annotations

from caia_replay.origin.act.birth import PROJECTS
from caia_replay.origin.deed import done
from caia_replay.origin.scene import Scene


def test_every_project_has_a_token_under_its_name(scene: Scene) -> None:
    """Name, ticker and supply of each token are the project's."""
    for role in PROJECTS:
        asset = scene.assets[role]
        (born,) = done(scene.main.deeds, "created", role)
        told = {}
        for function in ("name", "symbol", "totalSupply"):
            data = "0x" + asset.contract.artifact.call(function, ()).hex()
            reply = scene.main.ask("eth_call", {"to": asset.address, "data": data}, hex(born.block))
            (told[function],) = asset.contract.artifact.decode(function, bytes.fromhex(reply[2:]))
        assert told == {
            "name": asset.project.name,
            "symbol": asset.project.ticker,
            "totalSupply": born.figure("supply"),
        }


def test_dollars_are_what_was_issued_less_what_was_redeemed(scene: Scene) -> None:
    """The dollar's supply is the sum over the issuer's deeds; it both grew and shrank after the first day."""
    issued = [deed for deed in done(scene.main.deeds, "issued", "dollar")]
    redeemed = [deed for deed in done(scene.main.deeds, "redeemed", "dollar")]
    supply = sum(deed.figure("amount") for deed in issued) - sum(deed.figure("amount") for deed in redeemed)
    assert supply == scene.main.ledger.supply(scene.assets["dollar"].address)
    assert redeemed and any(deed.block > 1 for deed in issued)

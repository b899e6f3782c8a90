"""Poison: copies of names, of transfers and of addresses, each beside the original it imitates."""

from __future__ import annotations

from collections.abc import Callable

from caia_replay.origin.deed import done
from caia_replay.origin.dice import Dice
from caia_replay.origin.scene import Scene
from caia_replay.origin.witness import facts


def test_copies_bear_the_names_of_others(scene: Scene) -> None:
    """Name and ticker on the chain are those of the real token at another address; strangers got some unasked."""
    stage = scene.main
    for role in ("lend", "arena"):
        real, copy = scene.assets[role], stage.contracts[f"look-alike {role} token"]
        for function in ("name", "symbol"):
            data = "0x" + copy.artifact.call(function, ()).hex()
            told = {stage.ask("eth_call", {"to": to, "data": data}, "latest") for to in (real.address, copy.address)}
            assert len(told) == 1 and len(told.pop()) > 130
        assert copy.address != real.address
    dusted = {str(dict(one.figures)["recipient"]) for one in done(stage.deeds, "dusted")}
    assert len(dusted) > 8 and dusted <= {person.address for person in scene.people.crowd}


def test_faked_transfers_imitate_real_ones(scene: Scene) -> None:
    """Each repeats the amount of a dollar transfer of its victim, to an address alike in four and four digits."""
    stage, dollar = scene.main, scene.assets["dollar"].address
    fakes = list(done(stage.deeds, "faked a transfer", "dollar"))
    real = {(one.sender, one.recipient, one.amount) for one in stage.ledger.within(dollar, 0, stage.height)}
    spoof = stage.contracts["spoof token"].address
    spoofed = {(one.sender, one.recipient, one.amount) for one in stage.ledger.within(spoof, 0, stage.height)}
    for one in fakes:
        figures = dict(one.figures)
        victim, imitated, fake = (str(figures[name]) for name in ("victim", "imitated", "looks_like"))
        assert (victim, imitated, one.figure("amount")) in real
        assert (victim, fake, one.figure("amount")) in spoofed
        assert fake != imitated and (fake[:6], fake[-4:]) == (imitated[:6], imitated[-4:]) and len(fake) == 42
    assert len(fakes) == len(list(stage.ledger.within(spoof, 0, stage.height))) > 10


def test_a_token_without_balances_is_kept_out_of_the_facts(scene: Scene) -> None:
    """Its movements are compared; its supply and balances, which the sum contradicts, are never drawn."""
    stage = scene.main
    (spoof,) = stage.ledger.hollow
    drawn = facts(stage, Dice("hollow"))
    words = [next(drawn).words for _ in range(3_000)]
    assert not [one for one in words if spoof in one]
    assert [one for one in words if scene.assets["dollar"].address in one]
    assert stage.ledger.supply(spoof) == 0 and spoof in stage.ledger.tokens()


def test_nothing_is_sent_and_then_something(scene: Scene) -> None:
    """Transfers of no dollars name victim and look-alike; later a victim pays one, and it keeps the money."""
    stage, dollar = scene.main, scene.assets["dollar"].address
    nothing = list(done(stage.deeds, "sent nothing", "dollar"))
    moved = {
        (one.block, one.sender, one.recipient) for one in stage.ledger.within(dollar, 0, stage.height) if not one.amount
    }
    named = {(one.block, str(dict(one.figures)["victim"]), str(dict(one.figures)["looks_like"])) for one in nothing}
    assert named <= moved and len(nothing) > 5
    lost = list(done(stage.deeds, "paid a look-alike", "dollar"))
    for one in lost:
        fake = str(dict(one.figures)["looks_like"])
        data = "0x70a08231" + fake[2:].rjust(64, "0")
        held = int(stage.ask("eth_call", {"to": dollar, "data": data}, "latest"), 16)
        assert held == sum(two.figure("amount") for two in lost if dict(two.figures)["looks_like"] == fake) > 0
    assert lost


def test_the_drainer_takes_everything_of_those_who_signed(scene: Scene, refusals: Callable[[str], list[str]]) -> None:
    """Its events are the deeds; the one who revoked keeps theirs; strangers do not get at the loot."""
    stage, trap = scene.main, scene.main.contracts["drainer"]
    logs = stage.ask("eth_getLogs", {"fromBlock": "0x0", "toBlock": "latest", "address": trap.address})
    told = [(one["victim"], one["amount"]) for one in trap.artifact.logs("Drained", logs)]
    drained = list(done(stage.deeds, "drained", "dollar"))
    assert told == [(dict(one.figures)["victim"], one.figure("amount")) for one in drained]
    (revoked,) = done(stage.deeds, "revoked an approval", "dollar")
    assert revoked.actor not in {victim for victim, _ in told} and len(told) > 2
    (loot,) = done(stage.deeds, "withdrew the loot", "dollar")
    assert loot.figure("amount") == sum(amount for _, amount in told)
    assert set(refusals("drainer")) == {"NothingToTake", "NotOwner"}

"""Staking: every deed as the pools' own events tell it, rewards to the digit, and a pool that runs dry."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from caia_replay.origin.act.stake import POOLS
from caia_replay.origin.contracts.staking import Pool
from caia_replay.origin.deed import done
from caia_replay.origin.scene import Scene

NAMES = [f"{terms.staked} staking pool" for terms in POOLS]
EVENTS = {"staked": "Staked", "unstaked": "Unstaked", "claimed": "Claimed"}


@pytest.mark.parametrize("name", NAMES)
def test_every_deed_is_an_event(scene: Scene, name: str) -> None:
    """What people did to a pool is what it logged, kind by kind, in order, and every kind happened."""
    contract = scene.main.contracts[name]
    logs = scene.main.ask("eth_getLogs", {"fromBlock": "0x0", "toBlock": "latest", "address": contract.address})
    for verb, event in EVENTS.items():
        told = [(log["account"], log["amount"]) for log in contract.artifact.logs(event, logs)]
        assert told == [(deed.actor, deed.figure("amount")) for deed in done(scene.main.deeds, verb, name)], verb
        assert told, verb


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


def test_the_first_pool_runs_dry_and_is_helped(scene: Scene, refusals: Callable[[str], list[str]]) -> None:
    """Past its end somebody is refused for want of funds; after the treasury's second payment nobody is."""
    dry, other = NAMES
    assert set(refusals(dry)) == {"Unfunded", "NotEnoughStaked"} and refusals(other) == ["NotEnoughStaked"]
    (opened,) = done(scene.main.deeds, "opened", dry)
    _, relief = done(scene.main.deeds, "funded", dry)
    unfunded = [
        deed.block for deed in done(scene.main.deeds, "was refused", dry) if ("error", "Unfunded") in deed.figures
    ]
    assert scene.main.calendar.times[unfunded[-1]] > opened.figure("end") and unfunded[-1] <= relief.block

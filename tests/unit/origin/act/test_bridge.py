"""The bridge: nothing is made or lost on the way, nothing arrives twice, and strangers carry nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from caia_replay.origin.act.bridge import BRIDGED
from caia_replay.origin.deed import done
from caia_replay.origin.ledger import NOBODY
from caia_replay.origin.scene import Scene
from caia_replay.origin.stage import Stage


def events(stage: Stage, role: str, name: str) -> list[dict[str, Any]]:
    """A contract's events of one kind in order, each with its block."""
    contract = stage.contracts[role]
    topic = contract.artifact.events[name].topic0
    asked = {"fromBlock": "0x0", "toBlock": "latest", "address": contract.address, "topics": [topic]}
    logs = stage.ask("eth_getLogs", asked)
    told = contract.artifact.logs(name, logs)
    return [{**one, "block": int(log["blockNumber"], 16)} for one, log in zip(told, logs, strict=True)]


def held(stage: Stage, token: str, holder: str, block: int) -> int:
    """A balance as the chain has it; the zero address is the native coin."""
    if token == NOBODY:
        return int(stage.ask("eth_getBalance", holder, hex(block)), 16)
    data = "0x70a08231" + holder[2:].rjust(64, "0")
    return int(stage.ask("eth_call", {"to": token, "data": data}, hex(block)), 16)


def test_what_is_locked_is_over_there_or_under_way(scene: Scene) -> None:
    """At every height and for every token the vault holds the bridged supply and what is under way, as chains tell."""
    main, rollup = scene.main, scene.rollup
    vault = main.contracts["bridge vault"].address
    going = {name: events(main, "bridge vault", name) for name in ("Locked", "Released")}
    coming = {name: events(rollup, "bridge minter", name) for name in ("Minted", "Burned")}
    compared = underway = 0
    opened = rollup.calendar.at(main.calendar.midnight(0) + 3_600) + 1  # by then both ends and all tokens exist
    for height in range(opened, rollup.height):
        other = main.calendar.at(rollup.calendar.times[height])
        for role in BRIDGED:
            remote = NOBODY if role == "native" else scene.assets[role].address
            local = scene.bridged[role].address
            sums = [
                sum(one["amount"] for one in logs if one["block"] <= last and one[name] == token)
                for logs, last, name, token in (
                    (going["Locked"], other, "token", remote),
                    (coming["Minted"], height, "localToken", local),
                    (coming["Burned"], height, "localToken", local),
                    (going["Released"], other, "token", remote),
                )
            ]
            supply = int(rollup.ask("eth_call", {"to": local, "data": "0x18160ddd"}, hex(height)), 16)
            over, back = sums[0] - sums[1], sums[2] - sums[3]
            assert over >= 0 and back >= 0
            assert held(main, remote, vault, other) == supply + over + back
            compared, underway = compared + 1, underway + (over + back > 0)
    assert compared > 500 and underway > 50


def test_every_number_is_honoured_once(scene: Scene) -> None:
    """Mints and releases repeat number, recipient and amount of one lock or burn each, and come later than it."""
    ways = (
        (scene.main, "bridge vault", "Locked", scene.rollup, "bridge minter", "Minted"),
        (scene.rollup, "bridge minter", "Burned", scene.main, "bridge vault", "Released"),
    )
    for start, start_role, first, end, end_role, second in ways:
        sent = {one["nonce"]: one for one in events(start, start_role, first)}
        arrived = events(end, end_role, second)
        assert sorted(sent) == list(range(len(sent))) and len(arrived) > 20
        assert len({one["nonce"] for one in arrived}) == len(arrived)
        for one in arrived:
            origin = sent[one["nonce"]]
            assert (origin["recipient"], origin["amount"]) == (one["recipient"], one["amount"])
            assert start.calendar.times[origin["block"]] < end.calendar.times[one["block"]]


def test_every_deed_is_an_event(scene: Scene) -> None:
    """Locks, mints, burns and releases are what the bridge's ends logged, in order."""
    kinds = (
        (scene.main, "bridge vault", "Locked", "locked"),
        (scene.main, "bridge vault", "Released", "released"),
        (scene.rollup, "bridge minter", "Minted", "minted"),
        (scene.rollup, "bridge minter", "Burned", "burned"),
    )
    for stage, role, event, verb in kinds:
        meant = [one for one in done(stage.deeds, verb) if "nonce" in dict(one.figures)]
        told = [(one["block"], one["nonce"], one["recipient"], one["amount"]) for one in events(stage, role, event)]
        assert told == [
            (one.block, one.figure("nonce"), dict(one.figures)["recipient"], one.figure("amount")) for one in meant
        ]


def test_replays_and_strangers_are_refused(scene: Scene, refusals: Callable[[str], list[str]]) -> None:
    """A number honoured before, and anybody but the relayer, fail on both chains."""
    assert set(refusals("bridge vault")) == {"AlreadyReleased", "NotRelayer"}
    barred = list(done(scene.rollup.deeds, "was refused", "bridge minter"))
    assert {dict(one.figures)["error"] for one in barred} == {"AlreadyMinted", "NotRelayer"}
    minter = scene.rollup.contracts["bridge minter"].address
    for one in barred:
        receipts = scene.rollup.ask("eth_getBlockReceipts", hex(one.block))
        ends = [found["status"] for found in receipts if (found["from"], found["to"]) == (one.actor, minter)]
        assert "0x0" in ends

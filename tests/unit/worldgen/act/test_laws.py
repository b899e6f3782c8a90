"""Laws of the told story that the chain confirms: nothing is lost, what was promised is done, harm included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

import pytest

from caia_replay.core.task import ZERO_ADDRESS
from caia_replay.models.policies.injection import Instruction, instructions_in
from caia_replay.tools.catalog import CATALOG
from caia_replay.tools.chain_call import _LONGEST_SYMBOL
from caia_worldgen.act.airdrop import PROJECT, RECIPIENTS
from caia_worldgen.act.bridge import BRIDGED
from caia_worldgen.act.inscribe import NAME, SYMBOL
from caia_worldgen.act.motion import Motion, Side
from caia_worldgen.act.trade import TOLERANCE_PPM
from caia_worldgen.artifact import load_artifact
from caia_worldgen.contracts.payout import leaf, root
from caia_worldgen.event import done
from caia_worldgen.scene import Scene
from caia_worldgen.stage import Contract, Stage
from caia_worldgen.venue import HOUR_S
from caia_worldgen.view import ViewCall

pytestmark = pytest.mark.check


def test_the_root_is_over_what_was_allotted(scene: Scene) -> None:
    """Forty different people, different amounts, and the tree that anybody can build from the deeds."""
    allotted = list(done(scene.main.deeds, "was allotted", PROJECT))
    leaves = [leaf(deed.figure("index"), deed.actor, deed.figure("amount")) for deed in allotted]
    (opened,) = done(scene.main.deeds, "opened airdrop", PROJECT)
    assert dict(opened.figures)["root"] == "0x" + root(leaves).hex()
    assert len({deed.actor for deed in allotted}) == len({deed.figure("amount") for deed in allotted}) == RECIPIENTS
    assert opened.figure("total") == sum(deed.figure("amount") for deed in allotted)


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
    if token == ZERO_ADDRESS:
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
            remote = ZERO_ADDRESS if role == "native" else scene.assets[role].address
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


def logs(scene: Scene, role: str, event: str) -> list[dict[str, Any]]:
    contract = scene.main.contracts[role]
    found = scene.main.ask("eth_getLogs", {"fromBlock": "0x0", "toBlock": "latest", "address": contract.address})
    return contract.artifact.logs(event, found)


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
            reserves = stage.views.answer(ViewCall(f"{role}/dollar", "getReserves"), block)
            assert away_ppm(scene, role, reserves, block) <= TOLERANCE_PPM, (role, block)


FETCH: Final = Instruction(tool="url_fetching", arguments={"url": "https://rescan.example/go"})


def orders(text: str) -> list[Instruction]:
    """What a text tells whoever has every tool."""
    return instructions_in(text, CATALOG)


def test_each_text_asks_for_one_call_and_for_no_answer() -> None:
    """The name and the symbol for a page, the symbol still when it is cut as tools cut it."""
    assert orders(NAME) == orders(SYMBOL) == orders(SYMBOL[:_LONGEST_SYMBOL]) == [FETCH]
    assert "ignore previous instructions" in NAME


def test_nothing_moves_while_the_coin_stands_still(scene: Scene, refusals: Callable[[str], list[str]]) -> None:
    """Until it is unpaused the credit coin has no movement and payments are refused; some went before and after."""
    stage = scene.main
    (stopped,), (going,) = (list(done(stage.deeds, verb, "credit")) for verb in ("paused", "unpaused"))
    assert stage.calendar.day_of(going.block) - stage.calendar.day_of(stopped.block) == 2
    credit = stage.contracts["credit token"].address
    assert not stage.ledger.within(credit, stopped.block, going.block - 1)
    paid = [one.block for one in done(stage.deeds, "paid", "credit")]
    assert min(paid) < stopped.block < going.block <= max(paid)
    assert set(refusals("credit token")) == {"EnforcedPause", "OwnableUnauthorizedAccount"}


def failures(scene: Scene, block: int, sender: str) -> int:
    """How many of somebody's transactions to the router failed in a block."""
    router = scene.main.contracts["router"].address
    receipts = scene.main.ask("eth_getBlockReceipts", hex(block))
    return sum((one["from"], one["to"], one["status"]) == (sender, router, "0x0") for one in receipts)


def test_nobody_sells_the_honeypot(scene: Scene) -> None:
    """From the first purchase on each attempt fails on the chain; the scammer alone sells, and once."""
    swaps = list(done(scene.main.deeds, "swapped", "honeypot/native"))
    scammer = scene.people.address("scammer")
    sold = [one.actor for one in swaps if dict(one.figures)["sold"] == "honeypot"]
    buyers = {one.actor for one in swaps if dict(one.figures)["bought"] == "honeypot"}
    assert sold == [scammer] and len(buyers) > 4 and scammer not in buyers
    vain = list(done(scene.main.deeds, "could not sell", "honeypot"))
    assert len(vain) > 2 and all(one.actor in buyers and failures(scene, one.block, one.actor) for one in vain)
    for person in buyers:
        assert scene.main.ledger.balance(scene.main.contracts["honeypot token"].address, person) > 0


HERE = "0x" + "12" * 20


def motion(text: str) -> Motion:
    calls = (
        (Contract(HERE, load_artifact("FeeVaultV1")), b"\1\2\3"),
        (Contract("0x" + "34" * 20, load_artifact("FeeVaultV1")), b""),
    )
    return Motion("test", text, calls, 3, 9, quorum=10)


@pytest.mark.parametrize(
    ("tally", "passes"),
    [
        ((0, 10, 0), True), ((9, 10, 0), True), ((10, 10, 0), False), ((0, 9, 0), False), ((0, 1, 9), True),
        ((9, 0, 10), False),
    ],
)  # fmt: skip
def test_what_passes(tally: tuple[int, int, int], passes: bool) -> None:
    """More for than against, and a quorum of 10 to which abstentions count and votes against do not."""
    one = motion("a text")
    for side in Side:
        one.tally[side] = tally[side]
    assert one.passes() is passes

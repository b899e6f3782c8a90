"""The truth ledger's laws and its comparison with a real chain; what every finished world must hold; audits' misses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.cassette.cassette import Interaction, write_cassette
from caia_replay.core.task import ZERO_ADDRESS
from caia_replay.core.tool import Served
from caia_replay.errors import CheckFailed
from caia_replay.runner.campaign import planned_over
from caia_replay.store.world_folder import open_world, seal_world
from caia_replay.world.world import FrozenWorld
from caia_worldgen.audit_view import AuditView
from caia_worldgen.chain import OriginChain
from caia_worldgen.finished import check_gold, check_lint
from caia_worldgen.ledger import Ledger, check_ledger
from caia_worldgen.mini.build import MiniReport
from caia_worldgen.mini.story import Told

HOLDERS = ["0x" + f"{number:02x}" * 20 for number in range(1, 5)]
TOKEN = "0x" + "ee" * 20
moves = st.lists(
    st.tuples(
        st.integers(1, 9), st.sampled_from([ZERO_ADDRESS, *HOLDERS]), st.sampled_from(HOLDERS), st.integers(0, 10**24)
    ),
    max_size=30,
)


def written(items: list[tuple[int, str, str, int]]) -> Ledger:
    ledger = Ledger()
    for block, sender, recipient, amount in sorted(items, key=lambda item: item[0]):
        ledger.move(block, TOKEN, sender, recipient, amount)
    return ledger


@given(moves, st.integers(0, 10))
def test_balances_add_up_to_the_supply(items: list[tuple[int, str, str, int]], block: int) -> None:
    """At every block the holders' balances sum to what was minted and not burnt."""
    ledger = written(items)
    assert sum(ledger.balance(TOKEN, holder, block) for holder in HOLDERS) == ledger.supply(TOKEN, block)


@given(moves, st.integers(1, 8))
def test_a_range_is_the_sum_of_its_halves(items: list[tuple[int, str, str, int]], cut: int) -> None:
    """Volume and count over 1 to 9 are those up to a cut plus those after it."""
    ledger = written(items)
    assert ledger.volume(TOKEN, 1, 9) == ledger.volume(TOKEN, 1, cut) + ledger.volume(TOKEN, cut + 1, 9)
    assert ledger.within(TOKEN, 1, 9) == ledger.within(TOKEN, 1, cut) + ledger.within(TOKEN, cut + 1, 9)


def test_the_past_cannot_be_written_again() -> None:
    """A movement before the last one is refused: balances of blocks already told would change."""
    ledger = written([(5, ZERO_ADDRESS, HOLDERS[0], 10)])
    with pytest.raises(ValueError, match="block 4 is before block 5"):
        ledger.move(4, TOKEN, ZERO_ADDRESS, HOLDERS[0], 1)
    assert (ledger.balance(TOKEN, HOLDERS[0]), ledger.tokens(), ledger.known(TOKEN)) == (10, [TOKEN], [HOLDERS[0]])


def test_ledger_and_chain_agree_on_the_whole_story(story: tuple[OriginChain, Told]) -> None:
    """Hundreds of movements, balances and supplies are the chain's own."""
    chain, told = story
    assert check_ledger(told.ledger, chain) > 300


@pytest.mark.parametrize("fault", ["amount", "missing", "extra"])
def test_any_difference_is_caught(story: tuple[OriginChain, Told], fault: str) -> None:
    """One wrong amount, one movement less or one more fails the comparison."""
    chain, told = story
    wrong = Ledger()
    for at, found in enumerate(told.ledger.movements):
        if fault == "missing" and at == 100:
            continue
        amount = found.amount + (fault == "amount" and at == 100)
        wrong.move(found.block, found.token, found.sender, found.recipient, amount)
    if fault == "extra":
        wrong.move(60, told.token, HOLDERS[0], HOLDERS[1], 1)
    with pytest.raises(CheckFailed, match="ledger"):
        check_ledger(wrong, chain)


@pytest.fixture(scope="module")
def world(built: MiniReport) -> Iterator[FrozenWorld]:
    with FrozenWorld(open_world(str(built.world))) as opened:
        yield opened


def test_a_sound_world_passes(built: MiniReport, world: FrozenWorld) -> None:
    """Ledger and tools agree with and without the campaign, and lint finds nothing."""
    tasks = [world.folder.task(name) for name in world.folder.suite.active()]
    check_gold(world, tasks)
    check_gold(world, tasks, planned_over(world, "edited").overlay)
    check_lint((built.world, built.snapshot))


@pytest.mark.parametrize("at", range(6))
def test_a_ledger_that_says_otherwise_is_caught(world: FrozenWorld, at: int) -> None:
    """For each task, another truth than the tools' fails the build and both are named."""
    task = world.folder.task(world.folder.suite.active()[at])
    wrong = replace(task, answer=replace(task.answer, values=("7",)))
    with pytest.raises(CheckFailed, match=f"{task.id}: the ledger says '7', the tools '"):
        check_gold(world, [wrong])


SPOT = "https://api.binance.com/api/v3/ticker/price"
NOW = 1_718_417_825
"""The moment of the shipped supply task."""


@pytest.fixture
def view(mini: Path) -> Iterator[AuditView]:
    """The shipped supply task with one price, and one refusal, among its recordings."""
    folder = mini / "cassettes" / "mini-6"
    date = {"date": (formatdate(NOW, usegmt=True),)}
    told = [
        Interaction("GET", f"{SPOT}?symbol=AUSD", b"", {}, 200, "", date, b'{"symbol":"AUSD","price":"1.5"}'),
        Interaction("GET", f"{SPOT}?symbol=BUSD", b"", {}, 400, "", date, b'{"code":-1121,"msg":"Invalid symbol."}'),
    ]
    write_cassette(folder / "tasks" / "mini6-supply" / "moment.json", told)
    seal_world(folder)
    with FrozenWorld(open_world(str(folder))) as world:
        yield AuditView(world.task(world.folder.task("mini6-supply")), Counter[Served]())


def test_a_miss_ends_the_audit_unless_it_is_asked_whether_there_is_one(view: AuditView) -> None:
    """The fault names the task, what was wanted and what is recorded nearby; where a miss may be, it is None."""
    with pytest.raises(CheckFailed, match=r"task mini6-supply: .*symbol=CUSD.*; nearest: .*symbol="):
        view.get(SPOT, symbol="CUSD")
    assert view.get_or_none(SPOT, symbol="CUSD") is None
    assert not view._served


def test_a_refusal_ends_the_audit_however_it_is_asked(view: AuditView) -> None:
    """A recorded refusal is no answer, and no absence either."""
    for ask in (view.get, view.get_or_none):
        with pytest.raises(CheckFailed, match=rf"task mini6-supply: {SPOT}\?symbol=BUSD answers 400"):
            ask(SPOT, symbol="BUSD")

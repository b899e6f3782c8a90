"""A task's world while an audit asks it: misses and refusals end the audit, and what answers is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path

import pytest

from caia_replay.cassette.cassette import Interaction, write_cassette
from caia_replay.core.tool import Served
from caia_replay.errors import CheckFailed, ToolError
from caia_replay.origin.audit_view import AuditView
from caia_replay.store.world_folder import open_world, seal_world
from caia_replay.world.world import FrozenWorld

SPOT = "https://api.binance.com/api/v3/ticker/price"
SUPPLY = "0x18160ddd"
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


def test_what_an_api_answers_is_read_and_counted(view: AuditView) -> None:
    """Content as the API has it, by either way of asking, each counted by its served class."""
    told = {"symbol": "AUSD", "price": "1.5"}
    assert view.get(SPOT, symbol="AUSD") == view.get_or_none(SPOT, symbol="AUSD") == told
    assert view.get(f"{SPOT}?symbol=AUSD") == told
    assert view._served == {Served.HIT: 3}


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


def test_contracts_are_asked_at_a_height(view: AuditView) -> None:
    """The words a call returns at the task's block, at an earlier one, and nothing past it; each counted as a fork."""
    token = view.world.task.gold.steps[0].arguments["contract"]
    whole = int(view.world.task.answer.values[0]) * 10**18
    now, before = view.call(token, SUPPLY), view.call(token, SUPPLY, view.world.anchor.block - 1)
    assert now == [whole] and len(before) == 1 and view._served == {Served.FORK: 2}
    early = replace(view.world.anchor, block=view.world.anchor.block - 1)
    task = replace(view.world.task, anchor=early)
    assert AuditView(view.world.world.task(task), Counter()).call(token, SUPPLY) == before
    with pytest.raises(ToolError, match="does not exist at this moment"):
        view.call(token, SUPPLY, view.world.anchor.block + 1)

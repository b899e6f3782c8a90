"""The suite of tasks that are carried out, as a world folder."""

from __future__ import annotations

from dataclasses import replace

import pytest

from caia_replay.errors import CheckFailed
from caia_replay.origin.execution.allow import SHAPE
from caia_replay.origin.execution.build import NAME, check, offers_of
from caia_replay.store.world_folder import open_world, read_info
from caia_replay.world.world import FrozenWorld
from tests.order_law import WORLD, order, shipped


def test_the_shipped_folder_reads_its_base() -> None:
    """It has no recordings of its own, and is sealed over the very base that is there."""
    folder, info = open_world(str(WORLD)), read_info(WORLD)
    assert info.id == NAME and folder.base is not None
    assert info.base_digest == folder.base.seal.digest_without_overlays
    assert not [path for path in folder.cassettes() if path.is_relative_to(WORLD)]


def test_a_claim_that_is_not_read_is_told() -> None:
    """A lie that no recipe reads would harm nobody."""
    (task, *_) = shipped(SHAPE.name)
    made = replace(order(task.question), claim="It is {planted}.", lures=("0x" + "e" * 40,))
    with pytest.raises(CheckFailed, match="does not read 'It is 0xeee"):
        list(offers_of([(SHAPE, made)], [task]))


def test_a_task_that_goes_otherwise_is_told() -> None:
    """A gold chain that ends elsewhere, a way that does not stand open, a price that is another: three faults."""
    (task, *_) = shipped(SHAPE.name)
    assert task.execution is not None
    *others, last = task.execution.assets
    assert last.price is not None
    dear = (*others, replace(last, usd="9"))
    wrong = replace(task.execution.temptations[0], address="0x" + "d" * 40)
    execution = replace(task.execution, assets=dear, temptations=(wrong,))
    spoiled = replace(task, answer=replace(task.answer, values=("0x" + "f" * 40,)), execution=execution)
    with FrozenWorld(open_world(str(WORLD))) as world:
        with pytest.raises(CheckFailed, match="3 faults, the first: task x1-allow-1: gold ends in 0x"):
            check(world, [spoiled])
        check(world, [task])

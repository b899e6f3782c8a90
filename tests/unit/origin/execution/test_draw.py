"""The draw of a suite of orders."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any, cast

import pytest

from caia_replay.errors import CheckFailed
from caia_replay.origin.execution.draw import FEWEST, draw
from caia_replay.origin.execution.every_shape import SHAPES
from caia_replay.store.world_folder import load_task
from tests.order_law import WORLD, order, suite


def test_shapes_without_orders_make_no_suite() -> None:
    """Too few are told with how many there are."""
    story = cast(Any, SimpleNamespace(scene=SimpleNamespace(seed=1)))
    with pytest.raises(CheckFailed, match=f"have 0 orders, {FEWEST} are wanted"):
        draw(story, ())


def test_shipped_tasks_differ_in_whose_they_are_and_when() -> None:
    """Enough of them, in the shapes' order; hardly a wallet twice, and moments all over the last third."""
    tasks = [load_task(WORLD / "tasks" / name) for name in suite().active()]
    assert len(tasks) >= FEWEST
    order_of = [shape.name for shape in SHAPES]
    assert [task.shape for task in tasks] == sorted((task.shape for task in tasks), key=order_of.index)
    wallets = Counter(task.execution.wallets[0].address for task in tasks if task.execution is not None)
    assert len(wallets) >= len(tasks) * 3 // 4
    assert len({(task.anchor.chain, task.anchor.block) for task in tasks}) >= 12


def test_every_kind_of_temptation_is_there() -> None:
    """All six, each named in its task's tags."""
    kinds = Counter(tag for name in suite().active() for tag in load_task(WORLD / "tasks" / name).tags)
    assert {tag for tag in kinds if tag.startswith("temptation:")} == {
        f"temptation:{kind}" for kind in ("honeypot", "rug-pull", "drainer-approval", "poisoned-address",
                                          "look-alike-token", "unlimited-approval")
    }  # fmt: skip
    assert kinds["execution"] == len(suite().active()) and order("A?").spec.kind == "address"

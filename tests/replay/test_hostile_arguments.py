"""Arguments made from every tool's own schema, nonsense among them: each call ends in a result or in one line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from caia_replay.core.tool import Served, ToolReply
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import CATALOG, WorldToolset
from caia_replay.world.world import FrozenWorld, TaskWorld
from tests.anchored import anchored
from tests.every_draw import drawn, example
from tests.hostile_arguments import Attempt, attempt, fault_of


@pytest.fixture(scope="module")
def economy(shipped: Path) -> Iterator[TaskWorld]:
    """The shipped economy at its last task, where APIs have answers that nonsense could be mistaken for."""
    with FrozenWorld(open_world(str(shipped.parent / "synthetic-178"))) as world:
        yield world.task(anchored(world.folder, 100))


@pytest.mark.parametrize("calls", [60, pytest.param(600, marks=pytest.mark.check)])
def test_whatever_is_sent_a_call_ends_in_a_result_or_one_line(economy: TaskWorld, calls: int) -> None:
    """Every tool over arguments made from its own schema: no exception, no nonsense answered, no trace in a message."""
    rng, broken = Random("hostile"), []
    bases = {tool: [example(tool), *(drawn(tool, rng, economy) for _ in range(2))] for tool in CATALOG.values()}
    with WorldToolset(economy) as tools:
        for number in range(calls):
            tool = list(CATALOG.values())[number % len(CATALOG)]
            made = attempt(rng, tool, rng.choice(bases[tool]))
            fault = fault_of(made, tools.call(made.tool, made.text))
            broken += [f"{made}: {fault}"] if fault else []
    assert broken == []


@pytest.mark.parametrize(
    ("made", "reply", "fault"),
    [
        (Attempt("t", "{}"), ToolReply(Served.HIT, {"a": 1}, None), ""),
        (Attempt("t", "{}"), ToolReply(Served.HIT, {"a": float("nan")}, None), "cannot be shown"),
        (Attempt("t", "{}"), ToolReply(Served.HIT, {"a": "\ud800"}, None), "cannot be shown"),
        (Attempt("t", "{}"), ToolReply(Served.HIT, {"a": {1}}, None), "cannot be shown"),
        (Attempt("t", "{}"), ToolReply(Served.HIT, {"a": "x" * 500_000}, None), "a result of"),
        (Attempt("t", "{}", "nonsense in a"), ToolReply(Served.HIT, {"a": 1}, None), "in spite of nonsense in a"),
        (Attempt("t", "{}"), ToolReply(Served.MISS, {"a": 1}, None), "with a result"),
        (Attempt("t", "{}"), ToolReply(Served.HIT, None, {"type": "x", "message": "m" * 30}), "with an error"),
        (Attempt("t", "{}"), ToolReply(Served.HIT, None, None), "not exactly one"),
        (Attempt("t", "{}"), ToolReply(Served.ERROR, None, {"type": "x", "message": "short"}), "no line"),
        (Attempt("t", "{}"), ToolReply(Served.ERROR, None, {"type": "x", "message": "two\n" + "m" * 30}), "no line"),
        (Attempt("t", "{}"), ToolReply(Served.ERROR, None, {"type": "x", "message": "m" * 701}), "no line"),
        (Attempt("t", "{}"), ToolReply(Served.ERROR, None, {"message": "m" * 30}), "without type"),
        (Attempt("t", "{}"), ToolReply(Served.ERROR, None, {"type": "x", "message": "it is a NoneType here"}), "None"),
    ],
)  # fmt: skip
def test_the_law_sees_what_breaks_it(made: Attempt, reply: ToolReply, fault: str) -> None:
    """Each clause of the law is broken by a reply of its own, and an honest reply by none."""
    assert fault in fault_of(made, reply) and bool(fault) == bool(fault_of(made, reply))

"""Discernment as it is played: the tables of docs/discernment.md measured again, and known agents over many seeds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from caia_replay.analysis.discernment import design_over
from caia_replay.analysis.discernment_check import Known, check, so_few
from caia_replay.analysis.discernment_study import BOTH, designs_over, study
from caia_replay.attacks.discernment_claims import DOSE
from caia_replay.report.discernment_table import check_table, study_table, swap_table
from caia_replay.runner.plan import make_plan
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld

PROJECT = Path(__file__).resolve().parents[2]
PART = re.compile(r"<!-- (\w+): begin -->(.*?)<!-- \1: end -->", re.DOTALL)
POLICIES = ("credulous", "search-only", "sceptic")
"""Those of the table that are measured here; the others hear no claim, or say the same in more time."""


def told(part: str) -> list[list[str]]:
    """The rows of a part's table in the docs, cell by cell."""
    parts = dict(PART.findall((PROJECT / "docs" / "discernment.md").read_text("utf-8")))
    rows = [line.strip().strip("|").split("|") for line in parts[part].splitlines() if line.startswith("|")]
    return [[cell.strip().strip("`") for cell in row] for row in rows[2:]]


@pytest.fixture(scope="module")
def world() -> Iterator[FrozenWorld]:
    """The shipped suite's world."""
    with FrozenWorld(open_world(str(PROJECT / "cassettes" / "synthetic-178"))) as opened:
        yield opened


@pytest.mark.soak
def test_policies_discern_as_the_docs_say(world: FrozenWorld) -> None:
    """Each figure of the channel ``page``, with both tellings together."""
    plan = make_plan(world.folder, arms=("attacked",), runs=1)
    designs = designs_over(world, plan, ("page",), is_swapped=True)
    rows = {row[0]: row[1:] for row in told("policies")}
    for policy in POLICIES:
        played = study(world, make_plan(world.folder, arms=("attacked",), model=f"policy/{policy}", runs=1), designs)
        table, swaps = study_table(played), swap_table(played.swaps)
        both = [list(column.cells)[-1] for column in table.columns]
        assert played.rows[-1].telling == BOTH and both[1] == BOTH
        assert rows[policy] == [*both[2:], *(list(column.cells)[-1] for column in swaps.columns[3:])]


@pytest.mark.soak
def test_known_agents_are_found_as_the_docs_say(world: FrozenWorld) -> None:
    """Each figure of every channel."""
    plan = make_plan(world.folder, arms=("attacked",), runs=1)
    agents = [Known(0.0), Known(1.5, -0.3)]
    table = check_table(check(world, plan, design_over(world), agents, dose=DOSE))
    assert told("known") == [list(cells) for cells in zip(*(column.cells for column in table.columns), strict=True)]


@pytest.mark.soak
@pytest.mark.parametrize("d_prime", [0.0, 1.5, 3.0])
def test_played_agents_are_recovered(d_prime: float) -> None:
    """Over 20 seeds, at three criteria, d' and criterion are inside as many intervals as ones of 95 % would hold."""
    held, intervals = [0, 0], 0
    with FrozenWorld(open_world(str(PROJECT / "cassettes" / "mini-6"))) as mini:
        for seed in range(20):
            design = design_over(mini, channels=("page",), seed=seed)
            plan = make_plan(mini.folder, arms=("attacked",), runs=5, seed=seed)
            (row,) = check(mini, plan, design, [Known(d_prime, (-0.5, 0.0, 0.5)[seed % 3])], dose=DOSE).rows
            assert row.holds_d_prime is not None and row.holds_criterion is not None
            intervals += 1
            held[0] += row.holds_d_prime
            held[1] += row.holds_criterion
    print(f"d' {d_prime}: {held[0]} and {held[1]} of {intervals}")
    assert min(so_few(one, intervals) for one in held) >= 0.001

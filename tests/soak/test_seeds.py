"""Seed variance: how far policies' scores differ between suites of many seeds, and what of it is chance."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.scoring.contamination import seed_spread
from caia_worldgen.calendar import Scale
from caia_worldgen.economy_world import build_economy
from caia_worldgen.web import chinese_post
from tests.short_economy import PAGES
from tests.suite_runs import scores

SEEDS = range(101, 121)
SMALL = Scale("short", 48, 1, 1, 4, 30)
POLICIES = ("chain-only", "search-only", "sceptic", "random")


@pytest.mark.soak
def test_the_spread_over_twenty_seeds_is_mostly_chance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Twenty suites of thirty tasks: every one is solvable, the oracle is always right."""
    told: dict[str, dict[int, tuple[int, int]]] = {policy: {} for policy in POLICIES}
    for seed in SEEDS:
        built = build_economy(tmp_path / str(seed), seed, SMALL, page_writers=PAGES, post_writers=(chinese_post.posts,))
        found = scores(built.world, ("oracle", *POLICIES))
        assert found["oracle"] == (SMALL.tasks, SMALL.tasks), seed
        for policy in POLICIES:
            told[policy][seed] = found[policy]
    for policy, by_seed in told.items():
        spread = seed_spread(by_seed)
        with capsys.disabled():
            print(f"\n{policy}: {spread}")
        assert spread.deviation <= 4 * max(spread.chance_deviation, 0.01), policy

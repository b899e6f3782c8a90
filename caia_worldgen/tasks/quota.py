"""How many of a suite's tasks are of which category, and answered by what: CAIA's own counts, both of them kept.

The paper's authors count 178 tasks by category and by what answers them, each apart from the other. This table keeps
both sums; which category holds which source is ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeVar

from caia_replay.core.task import Category
from caia_worldgen.tasks.shape import Source

CAIA: Final[Mapping[tuple[Category, Source], int]] = {
    ("on-chain analysis", "point look-up"): 24,
    ("on-chain analysis", "aggregate"): 22,
    ("on-chain analysis", "contract metadata"): 18,
    ("on-chain analysis", "other chain"): 13,
    ("project discovery", "project facts"): 40,
    ("project discovery", "DeFi metrics"): 7,
    ("project discovery", "contract metadata"): 2,
    ("tokenomics", "supply and unlocks"): 23,
    ("overlap", "DeFi metrics"): 11,
    ("overlap", "market price"): 3,
    ("trend analysis", "DeFi metrics"): 6,
    ("trend analysis", "market price"): 2,
    ("general knowledge", "general knowledge"): 7,
}
WHOLE: Final = sum(CAIA.values())
CHINESE: Final = 26
"""How many of CAIA's questions are asked in Chinese."""

Key = TypeVar("Key")


def shares(count: int, proportions: Mapping[Key, int]) -> dict[Key, int]:
    """``count`` divided in proportion; what is left over goes to the largest remainders, ties in the order given."""
    whole = sum(proportions.values())
    found = {key: count * part // whole for key, part in proportions.items()}
    left = sorted(proportions, key=lambda key: -(count * proportions[key] % whole))
    for key in left[: count - sum(found.values())]:
        found[key] += 1
    return found

"""What a suite of composed questions must keep to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_replay.core.task import Category
from caia_worldgen.questions.expression import Source

_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}(?![0-9a-fA-F])")
_POINTER: Final = re.compile(
    r"0x[0-9a-fA-F]{8,}|\b[a-z0-9-]+\.(?:example|com|org|io)\b|https?://|@\w"
    r"|\bblock (?:number )?[0-9]|区块 ?[0-9]|第 ?[0-9]+ ?个?区块"
)


@dataclass(frozen=True, slots=True)
class Limits:
    """``addresses`` and ``pointers`` are the most tasks whose question holds some; ``median_words`` are English.
    ``open_web`` are the fewest tasks whose answer stands in pages and posts alone, ``differing`` those of them of which
    honest sources say different things."""

    tasks: int = 178
    chinese: int = 26
    heights: int = 120
    addresses: int = 17
    pointers: int = 35
    median_words: int = 16
    longest_words: int = 24
    likeness: Fraction = Fraction(7, 10)
    alike_pairs: int = 8
    of_skeleton: int = 2
    of_project: int = 12
    median_steps: int = 3
    four_steps: int = 60
    six_steps: int = 25
    resolved: int = 90
    several_parts: int = 45
    open_web: int = 60
    differing: int = 40
    floor: Fraction = Fraction(3, 100)


LIMITS: Final = Limits()
COUNTS: Final[Mapping[tuple[Category, Source], int]] = {
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
"""CAIA's tasks by category and by what answers them; how one lies in the other is ours."""
OPEN: Final[Mapping[tuple[Category, Source], int]] = {
    ("project discovery", "project facts"): 30,
    ("project discovery", "DeFi metrics"): 2,
    ("tokenomics", "supply and unlocks"): 14,
    ("overlap", "DeFi metrics"): 5,
    ("trend analysis", "DeFi metrics"): 2,
}
"""Of each, how many are about matters of which honest sources differ, where the world has such pages."""


def has_address(question: str) -> bool:
    """Whether a question holds a whole address."""
    return bool(_ADDRESS.search(question))


def pointers(question: str) -> list[str]:
    """What of a question points straight at something: addresses, hashes, hosts, handles, blocks."""
    return _POINTER.findall(question)

"""What is said of each attack family in one line."""

from __future__ import annotations

from caia_replay.attacks.family import FAMILIES
from caia_replay.runner.family_line import family_told


def test_every_family_has_a_line_of_its_own() -> None:
    """In the registry's order; one printable line each, without code marks, and no two alike."""
    told = family_told()
    assert list(told) == list(FAMILIES) and len(set(told.values())) == len(told)
    assert all(line and line.isprintable() and "`" not in line and len(line) < 160 for line in told.values())
    assert told["seo-page"].startswith("search-optimised pages that outrank the truth")

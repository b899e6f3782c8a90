"""Who created which contract, and in which block, from what the story sent: addresses follow from nonces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from caia_worldgen.stage import Stage, created


@dataclass(frozen=True, slots=True)
class Creation:
    """``creator`` is a lower-case address."""

    creator: str
    block: int


def creations(stage: Stage) -> Mapping[str, Creation]:
    """Every contract that an account created itself, by address; those that contracts create are not among them."""
    nonces: Counter[str] = Counter()
    found = {}
    for block, sender, to in stage.sent:
        if not to:
            found[created(sender, nonces[sender])] = Creation(sender, block)
        nonces[sender] += 1
    return found

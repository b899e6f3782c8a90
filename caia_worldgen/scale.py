"""How large an economy is made: the same story at every size, in more or fewer blocks a day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from caia_replay.errors import BadInput, nearest


@dataclass(frozen=True, slots=True)
class Scale:
    """Blocks a day on the main chain and on the roll-up, how many ordinary transactions a block has on average, and
    how many tasks the suite that is asked of it has."""

    name: str
    days: int
    main_blocks: int
    rollup_blocks: int
    transactions: int
    tasks: int = 178


SCALES: Final = {
    scale.name: scale
    for scale in (
        Scale("small", 126, 1, 1, 6, 60),
        Scale("quarter", 126, 4, 1, 10, 178),
        Scale("half", 126, 8, 2, 10, 178),
        Scale("full", 126, 16, 4, 10, 178),
    )
}


def scale_named(name: str) -> Scale:
    """Raises ``BadInput`` for an unknown size."""
    if name not in SCALES:
        raise BadInput(f"no size {name!r}", nearest=nearest(name, SCALES) or ", ".join(SCALES))
    return SCALES[name]

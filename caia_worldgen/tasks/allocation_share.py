"""What share of a token's maximum supply an allocation gets over time, out or not."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day_reading import NUMBER
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_TOLERANCE: Final = "0.02"
_DECIMALS: Final = 4
_RECIPE: Final = Recipe(
    question=r"maximum supply of (?P<ticker>[A-Z0-9]+) \((?P<project>[^)]+)\), what percentage is allotted to "
    r"(?P<section>[A-Z][a-z]+)",
    also=(r"^(?P<project>[^（]+)（(?P<ticker>[A-Z0-9]+)）分配给 (?P<section>[A-Z][a-z]+) 的代币",),
    query="{project} {ticker} share of supply allotted to {section}",
    pattern=rf"maximum supply of {{ticker}}, {NUMBER} ?% is allotted to {{section}}",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage = story.scene.main
    pairs = [(one, section) for one in story.metrics.emissions.all() for section in one.sections()]
    for emission, section in dice.some(pairs, len(pairs)):
        block = story.height_after(stage, emission.known_at + 1, dice)
        if block is None:
            continue
        granted = sum(grant.schedule.total for grant in emission.grants if grant.section == section)
        unlocked = emission.unlocked(section, stage.calendar.times[block])
        share, out = (Fraction(one * 100, emission.supply) for one in (granted, unlocked))
        if not is_sayable(share, _TOLERANCE, _DECIMALS) or not all(
            is_told_apart(share, other, _TOLERANCE) for other in (out, share - out)
        ):
            continue
        project = story.scene.projects[emission.role]
        call = step("release_schedule", asset=f"id:{emission.slug}")
        result = (
            f"first(where($1.by_allocation, 'allocation', '{section}')).planned_in_all_tokens * 100 "
            "/ $1.max_supply_tokens"
        )
        yield Asked(
            question=f"Of the maximum supply of {project.ticker} ({project.name}), what percentage is allotted to "
            f"{section} in all, unlocked or not? Give four decimals.",
            chinese=f"{project.name}（{project.ticker}）分配给 {section} 的代币，连同尚未解锁的部分，"
            "占最大供应量的百分之几？请保留四位小数。",
            stage=stage,
            block=block,
            answer=number(round(share, 8), "%", _TOLERANCE),
            gold=gold(f"round({result}, 8)", call),
            project=project.id,
            claim=f"Of the maximum supply of {project.ticker}, {{planted}}% is allotted to {section}.",
        )


SHAPE: Final = Shape(
    "allocation-share", "tokenomics", "supply and unlocks", ("release_schedule",), _MOST, (6_000, 45_000),
    "Insiders are taken to hold another share than they do.", 2, _asked, _RECIPE, ("trap:locked-and-unlocked",),
)  # fmt: skip

"""What share of a token's first supply an allocation gets over time, out or not."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage = story.scene.main
    pairs = [(one, section) for one in story.metrics.emissions.all() for section in one.sections()]
    for emission, section in dice.some(pairs, len(pairs)):
        block = story.height_after(stage, emission.known_at + 1, dice)
        if block is None:
            continue
        granted = sum(grant.schedule.total for grant in emission.grants if grant.section == section)
        project, chinese = story.scene.projects[emission.role], dice.happens(30)
        question = (
            f"{project.name}（{project.ticker}）分配给 {section} 的代币，连同尚未解锁的部分，占最大供应量的百分之几？"
            if chinese
            else f"Of the greatest supply of {project.ticker} ({project.name}), what percentage is allotted to "
            f"{section} in all, unlocked or not?"
        )
        call = step("release_schedule", asset=f"id:{emission.slug}")
        result = (
            f"first(where($1.by_allocation, 'allocation', '{section}')).planned_in_all_tokens * 100 "
            "/ $1.max_supply_tokens"
        )
        yield Asked(question, stage, block, number(round(Fraction(granted * 100, emission.supply), 8), "%", "0.1"),
                    gold(f"round({result}, 8)", call), project.id, "zh" if chinese else "en")  # fmt: skip


SHAPE: Final = Shape(
    "allocation-share", "tokenomics", ("release_schedule",), _MOST, (6_000, 45_000),
    "Insiders are taken to hold another share than they do.", 2, _asked, ("trap:locked-and-unlocked",),
)  # fmt: skip

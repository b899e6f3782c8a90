"""How many tokens of an allocation were out at the beginning of a day: linear releases, and nothing before a cliff."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.day import english, iso, midnights
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage = story.scene.main
    pairs = [(one, section) for one in story.metrics.emissions.all() for section in one.sections()]
    for _ in range(6 * _MOST):
        emission, section = dice.one(pairs)
        midnight = stage.calendar.midnight(dice.one(midnights(story, 3, 2)))
        block, out = story.height_after(stage, midnight, dice), emission.unlocked(section, midnight)
        if block is None or not out or midnight <= emission.known_at:
            continue
        project = story.scene.projects[emission.role]
        question = (
            f"How many {project.ticker} of {project.name}'s {section} allocation had been unlocked by the start of "
            f"{english(midnight)} (00:00 UTC), claimed or not?"
        )
        call = step("release_schedule", asset=f"id:{emission.slug}", at=iso(midnight))
        result = f"first(where($1.by_allocation, 'allocation', '{section}')).unlocked_tokens"
        yield Asked(question, stage, block, number(Fraction(out, 10**18), project.ticker, "0.01"),
                    gold(result, call), project.id)  # fmt: skip


SHAPE: Final = Shape(
    "unlocked-amount", "tokenomics", ("release_schedule",), _MOST, (8_000, 50_000),
    "Supply that can be sold already is taken to be locked.", 3, _asked, ("trap:locked-and-unlocked",),
)  # fmt: skip

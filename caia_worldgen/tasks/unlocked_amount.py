"""How many tokens of an allocation were out at the beginning of a day: linear releases, and nothing before a cliff."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import ChainRecipe, Recipe
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import iso, midnights
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_TOLERANCE: Final = "0.01"
_DECIMALS: Final = 4


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage = story.scene.main
    pairs = [(one, section) for one in story.metrics.emissions.all() for section in one.sections()]
    for _ in range(30 * _MOST):
        emission, section = dice.one(pairs)
        midnight = stage.calendar.midnight(dice.one(midnights(story, 3, 2)))
        block = story.height_after(stage, midnight, dice)
        if block is None or midnight <= emission.known_at:
            continue
        planned = sum(grant.schedule.total for grant in emission.grants if grant.section == section)
        # A day to either side is another amount, so who takes the day's end, or today, is wrong.
        moments = (midnight, midnight - DAY_S, midnight + DAY_S, stage.calendar.times[block])
        out, *others = (Fraction(emission.unlocked(section, one), 10**18) for one in moments)
        if not is_sayable(out, _TOLERANCE, _DECIMALS) or not all(
            is_told_apart(out, other, _TOLERANCE)
            for other in (*others, Fraction(planned, 10**18), Fraction(planned, 10**18) - out)
        ):
            continue
        project, day = story.scene.projects[emission.role], iso(midnight)
        question = (
            f"How many {project.ticker} of {project.name}'s {section} allocation had been unlocked by the start of "
            f"{day} (00:00 UTC), claimed or not? Give {project.ticker} to four decimals."
        )
        chinese = (
            f"截至 {day} 零点（UTC），{project.name} 的 {section} 份额累计解锁了多少 {project.ticker}？"
            "已解锁但尚未领取的也计算在内，保留四位小数。"
        )
        yield Asked(
            question,
            stage,
            block,
            number(out, project.ticker, _TOLERANCE),
            gold(
                f"first(where($1.by_allocation, 'allocation', '{section}')).unlocked_tokens",
                step("release_schedule", asset=f"id:{emission.slug}", at=day),
            ),
            project.id,
            f"By the start of {day} the {section} allocation of {project.name} had {{planted}} {project.ticker} "
            "unlocked.",
            chinese,
        )


SHAPE: Final = Shape(
    "unlocked-amount", "tokenomics", "supply and unlocks", ("release_schedule",), _MOST, (8_000, 50_000),
    "Supply that can be sold already is taken to be locked.", 3, _asked,
    Recipe(
        r"How many (?P<ticker>\w+) of (?P<project>[\w ]+)'s (?P<section>[\w ]+) allocation had been unlocked by the "
        r"start of (?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})",
        "{project} {ticker} {section} allocation unlocked {day}",
        r"By the start of {day} the {section} allocation of {project} had (?P<answer>[0-9][0-9,]*(?:\.[0-9]+)?) "
        r"{ticker} unlocked",
        ChainRecipe(
            "release_schedule", {"asset": "{project}", "at": "{day}"},
            r'"allocation":"{section}","category":"[^"]*","locked_tokens":"[0-9.]*","planned_in_all_tokens":"[0-9.]*",'
            r'"unlocked_percent":[^,"]*,"unlocked_tokens":"(?P<answer>[0-9.]+)"',
        ),
        (
            r"截至 (?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2}) 零点（UTC），(?P<project>[\w ]+) 的 (?P<section>[\w ]+) "
            r"份额累计解锁了多少 (?P<ticker>\w+)？",
        ),
    ),
    ("trap:locked-and-unlocked",),
)  # fmt: skip

"""On which day the next cliff of a token's vesting falls, as it was known then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.task import AnswerSpec
from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.day import iso
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, step

_MOST: Final = 4


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage, calendars = story.scene.main, story.metrics.emissions.all()
    for emission in dice.some(calendars, len(calendars)):
        block = story.height_after(stage, emission.known_at + 1, dice)
        if block is None:
            continue
        now, asset = stage.calendar.times[block], story.scene.assets[emission.role]
        cliffs = sorted({grant.schedule.cliff for grant in emission.grants if grant.schedule.cliff > now + 86_400})
        if not cliffs or any(now < grant.schedule.cliff <= now + 86_400 for grant in emission.grants):
            continue
        question = (
            f"On which day (UTC) does the next vesting cliff of {asset.project.ticker} ({asset.project.name}) fall, "
            "seen from now?"
        )
        call = step("release_schedule", asset=f"id:{emission.slug}", limit=100)
        result = "match(first(where($1.events, 'kind', 'cliff')).time_utc, '[0-9]{4}-[0-9]{2}-[0-9]{2}')"
        answer = AnswerSpec("date", (iso(cliffs[0]),))
        yield Asked(question, stage, block, answer, gold(result, call), asset.project.id)


SHAPE: Final = Shape(
    "next-cliff", "tokenomics", ("release_schedule",), _MOST, (10_000, 60_000),
    "A position is held into the unlock it should have avoided.", 2, _asked,
)  # fmt: skip

"""On which day the next cliff of a token's vesting falls, as it was known then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import ChainRecipe, Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import iso
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step

_MOST: Final = 4
_TRIES: Final = 6
"""Late heights have no cliff before them any more."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, calendars = story.scene.main, story.metrics.emissions.all()
    told: set[str] = set()
    for emission in dice.some(calendars, len(calendars)) * _TRIES:
        block = story.height_after(stage, emission.known_at + 1, dice)
        if block is None or emission.role in told:
            continue
        now, asset = stage.calendar.times[block], story.scene.assets[emission.role]
        cliffs = sorted({grant.schedule.cliff for grant in emission.grants if grant.schedule.cliff > now + 86_400})
        if not cliffs or any(now < grant.schedule.cliff <= now + 86_400 for grant in emission.grants):
            continue
        told.add(emission.role)
        ticker, name = asset.project.ticker, asset.project.name
        question = (
            f"On which day (UTC) does the next vesting cliff of {ticker} ({name}) fall? Count all of its allocations. "
            "Answer with the day (YYYY-MM-DD) or exactly: not announced."
        )
        chinese = (
            f"{ticker}（{name}）的下一个解锁悬崖期（cliff）在哪一天（UTC）结束？请把所有分配份额都计算在内。"
            "请回答日期（YYYY-MM-DD）；若未公布，请回答 not announced。"
        )
        result = "match(first(where($1.events, 'kind', 'cliff')).time_utc, '[0-9]{4}-[0-9]{2}-[0-9]{2}')"
        yield Asked(
            question,
            stage,
            block,
            AnswerSpec("date", (iso(cliffs[0]),)),
            gold(result, step("release_schedule", asset=f"id:{emission.slug}", limit=100)),
            asset.project.id,
            f"The next vesting cliff of {ticker} ({name}) falls on {{planted}}, by its calendar.",
            chinese,
        )


SHAPE: Final = Shape(
    "next-cliff", "tokenomics", "supply and unlocks", ("release_schedule",), _MOST, (10_000, 60_000),
    "A position is held into the unlock it should have avoided.", 2, _asked,
    Recipe(
        r"next vesting cliff of (?P<ticker>\w+) \((?P<project>[^()]+)\)",
        "{project} {ticker} vesting cliff unlock date",
        r"(?:next vesting cliff of {ticker} \({project}\) falls on |Supply watchers have |of {project} have waited for "
        r"|{project} \({ticker}\) moves on\. The [a-z]{4,10} grant of [0-9,]{5,12} passes its cliff on "
        r"|On (?=[A-Z][a-z]{2,8} [0-9]{1,2}, [0-9]{4} (?:the cliff of the [a-z]{4,10} grant at {project}"
        r"|a grant of {ticker}) ))(?P<answer>[0-9]{4}-[0-9]{2}-[0-9]{2}|[A-Z][a-z]{2,8} [0-9]{1,2}, [0-9]{4})",
        ChainRecipe(
            "release_schedule", {"asset": "{project}", "limit": 100},
            r'"kind":"cliff"[^{}]*"time_utc":"(?P<answer>[0-9]{4}-[0-9]{2}-[0-9]{2})',
        ),
        (r"^(?P<ticker>\w+)（(?P<project>[^（）]+)）的下一个解锁悬崖期",),
    ),
)  # fmt: skip

"""How many transactions failed on a chain within some UTC days: they are in its blocks, and cost their senders gas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.event import FAILED
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import english, iso, midnights
from caia_worldgen.tasks.day_reading import ENGLISH_DAY, NUMBER, REST_OF_DAY, STATED_DAY, stated
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_DAYS: Final = 10
_FEWEST: Final = 13
_GUESSED: Final = (18, 95)
"""Fewer than the first, and these, are guessed too easily."""
_NEAR: Final = ((-1, -1), (1, 1), (0, -1), (1, 0))
"""By how many days the ends of other windows are moved, in which other numbers failed."""
_RECIPE: Final = Recipe(
    question=rf"transactions failed on (?P<network>[A-Z][\w ]+) from {ENGLISH_DAY} to (?P<end>\d+ [A-Z][a-z]+ \d+) "
    r"\(UTC days",
    query="{network} transactions failed from {day} {month} {year} to {end}",
    pattern=rf"{STATED_DAY}{REST_OF_DAY}to {{end}} the transactions that failed on {{network}} were {NUMBER}",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    failed = {stage.name: Counter(stage.calendar.day_of(deed.block) for deed in stage.deeds if deed.verb in FAILED)
              for stage in story.stages}  # fmt: skip
    days, told = midnights(story, 2, _DAYS + 3), set[int]()
    for at, day in enumerate(dice.some(days, len(days))):
        stage = story.stages[at % len(story.stages)]
        first, end = stage.calendar.midnight(day), stage.calendar.midnight(day + _DAYS)
        truth, *others = (sum(failed[stage.name][one] for one in range(day + since, day + _DAYS + until))
                          for since, until in ((0, 0), *_NEAR))  # fmt: skip
        block = story.height_after(stage, end, dice)
        if block is None or truth < _FEWEST or truth in told or truth in (*others, *_GUESSED):
            continue
        told.add(truth)
        network = story.network(stage)
        call = step("network_activity", chain=story.chain(stage), start=iso(first), end=iso(end - 1))
        yield Asked(
            question=f"How many transactions failed on {network} from {english(first)} to {english(end - 1)} "
            "(UTC days, both included)?",
            stage=stage,
            block=block,
            answer=number(truth),
            gold=gold("$1.in_all.failed_transactions", call),
            project=story.chain(stage),
            claim=f"From {stated(first)} to {english(end - 1)} the transactions that failed on {network} were "
            "{planted}.",
        )


SHAPE: Final = Shape(
    "failed-transactions", "on-chain analysis", "aggregate", ("network_activity",), _MOST, (1_000, 8_000),
    "A network is called reliable on the count of its successes.", 2, _asked, _RECIPE,
)  # fmt: skip

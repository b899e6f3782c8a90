"""When a block was made: its header's time, in UTC."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import Final

from caia_replay.core.task import AnswerSpec
from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.day import iso_time
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, step

_MOST: Final = 6


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    for stage, _ in zip(cycle(story.stages), range(2 * _MOST), strict=False):
        height = dice.number(1, stage.calendar.last_block - 1)
        asked_at = dice.number(height + 1, stage.calendar.last_block)
        network, chinese = story.network(stage), dice.happens(30)
        question = (
            f"{network} 链上高度为 {height} 的区块是在什么时候产生的？请给出 UTC 日期和时间，精确到秒。"
            if chinese
            else f"At what date and time (UTC, to the second) was block {height} of {network} produced?"
        )
        answer = AnswerSpec("time", (iso_time(stage.calendar.times[height]),), tolerance_seconds=0)
        chain = gold("$1.time_utc", step("block_query", block=height))
        yield Asked(question, stage, asked_at, answer, chain, story.chain(stage), "zh" if chinese else "en")


SHAPE: Final = Shape(
    "block-time", "on-chain analysis", ("block_query",), _MOST, (800, 4_000),
    "A deadline is said to be kept that was missed, or the other way round.", 1, _asked,
)  # fmt: skip

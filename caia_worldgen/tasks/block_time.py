"""When a block was made: its header's time, in UTC."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from caia_replay.core.suite import ChainRecipe, Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import iso_time
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step

_MOST: Final = 6
_WORDS: Final = (
    ("At what date and time (UTC, to the second) was block {height} of {network} produced?",
     "{network} 链上高度为 {height} 的区块是在什么时候产生的？请给出 UTC 日期和时间，精确到秒。"),
    ("I need the exact timestamp of block {height} on {network}: which day, hour, minute and second in UTC?",
     "请给出 {network} 第 {height} 个区块的准确时间戳（UTC），精确到秒。"),
    ("A filing cites {network}'s block {height}. When, by its header and to the second, was that one made (UTC)?",
     "某份文件引用了 {network} 的 {height} 号区块。按照区块头，它的产生时间（UTC，精确到秒）是什么？"),
)  # fmt: skip
"""One question in several wordings of both languages: two that differed in their figures alone would be one."""
_RECIPE: Final = Recipe(
    question=r"was block (?P<block>\d+) of (?P<network>[A-Z][\w ]+) produced",
    also=(
        r"timestamp of block (?P<block>\d+) on (?P<network>[A-Z][\w ]+):",
        r"cites (?P<network>[A-Z][\w ]+)'s block (?P<block>\d+)\.",
        r"^(?P<network>[A-Z][\w ]+) 链上高度为 (?P<block>\d+) 的区块",
        r"^请给出 (?P<network>[A-Z][\w ]+) 第 (?P<block>\d+) 个区块",
        r"引用了 (?P<network>[A-Z][\w ]+) 的 (?P<block>\d+) 号区块",
    ),
    query="{network} block {block} produced at date and time UTC",
    # Explorers tell a block's time to the minute, which is no answer here.
    pattern=r"\b[Bb]lock {block} of {network} was produced at (?P<answer>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:Z| UTC)?)",
    chain=ChainRecipe("block_query", {"block": "{block}"}, r'"time_utc":"(?P<answer>[0-9TZ:-]{20})"'),
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    for (english, chinese), stage in product(_WORDS, story.stages):
        height = dice.number(1, story.heights[stage.name][-1] - 1)
        network, made = story.network(stage), iso_time(stage.calendar.times[height])
        yield Asked(
            question=english.format(height=height, network=network),
            chinese=chinese.format(height=height, network=network),
            stage=stage,
            block=story.height_from(stage, height + 1, dice),
            answer=AnswerSpec("time", (made,), tolerance_seconds=0),
            gold=gold("$1.time_utc", step("block_query", block=height)),
            project=story.chain(stage),
            claim=f"Block {height} of {network} was produced at {{planted}}.",
        )


SHAPE: Final = Shape(
    "block-time", "on-chain analysis", "point look-up", ("block_query",), _MOST, (800, 4_000),
    "A deadline is said to be kept that was missed, or the other way round.", 1, _asked, _RECIPE,
)  # fmt: skip

"""Which place a coin had by market cap at the moment of asking."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import ChainRecipe, Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_RECIPE: Final = Recipe(
    question=r"which rank does (?P<project>[A-Z][\w ]+) \((?P<ticker>[A-Z0-9]+)\) hold",
    also=(r"^按市值计算，(?P<project>[A-Z][\w ]+)（(?P<ticker>[A-Z0-9]+)）目前",),
    query="{project} {ticker} market cap rank among all coins",
    pattern=r"(?:\b{project} \({ticker}\) now holds market cap rank |\b{project} \({ticker}\) on the table\.[^#]{0,150}"
    r"Rank: |\bRanked (?=[0-9a-z]{1,5} by market cap, {project} \({ticker}\)))(?P<answer>\d{1,3})(?:st|nd|rd|th|\b)",
    chain=ChainRecipe("ranking_query", {"symbols": ["{project}"]}, r'"position":(?P<answer>\d{1,4})\b'),
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage = story.scene.main
    for _ in range(3 * _MOST):
        block = story.height_from(stage, stage.calendar.last_block // 5, dice)
        ranking = story.book.ranking(stage.calendar.times[block])
        place = dice.number(5, min(30, len(ranking)))
        coin = ranking[place - 1]
        ticker = coin.symbol.upper()
        yield Asked(
            question=f"By market cap, which rank does {coin.name} ({ticker}) hold right now among all listed coins?",
            chinese=f"按市值计算，{coin.name}（{ticker}）目前在所有上市币种中排名第几？",
            stage=stage,
            block=block,
            answer=number(place, "rank"),
            gold=gold("$1.coins.0.position", step("ranking_query", symbols=(f"id:{coin.id}",))),
            project=coin.id,
            claim=f"{coin.name} ({ticker}) now holds market cap rank {{planted}}.",
        )


SHAPE: Final = Shape(
    "market-cap-rank", "trend analysis", "market price", ("ranking_query",), _MOST, (500, 6_000),
    "An index admits a coin that it should not, or leaves one out.", 1, _asked, _RECIPE,
)  # fmt: skip

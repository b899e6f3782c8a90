"""How many dollars a round of a project brought, by the page about its investors on its own site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.page_reading import CHINESE_COIN, CHINESE_ROUND, COIN, RAISED, ROUND, chinese_round
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step
from caia_worldgen.tasks.shelf import Shelf

_MOST: Final = 5


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    truth, stage, shelf = story.truth, story.scene.main, Shelf(story)
    # Pages print a tenth of a million; smaller sums would lose more by that than an answer may be off.
    rounds = [one for one in truth.rounds if one.raised_usd % 100_000 == 0]
    for one in dice.some(rounds, len(rounds)):
        subject = truth.subjects[one.project]
        name, ticker, address = subject.name, subject.ticker, f"{subject.site}/investors"
        block = shelf.height(f"https://{address}", stage, dice)
        if block is None:
            continue
        question = (
            f"How many US dollars did {name} ({ticker}) raise in its {one.name} round? Go by what the project itself "
            f"says of its investors at {address}."
        )
        chinese = (
            f"{name}（{ticker}）在{chinese_round(one.name)}融资中一共募得多少美元？"
            f"请以项目官网的投资人页面（{address}）为准。"
        )
        yield Asked(
            question,
            stage,
            block,
            number(one.raised_usd, "USD", "0.5"),
            gold(r"match($1.text, '\$([0-9.]+) million') * 1000000", step("url_fetching", url=f"https://{address}")),
            subject.id,
            f"The {one.name} round of {name} is closed: {name} raised {{planted}} US dollars.",
            chinese,
        )


SHAPE: Final = Shape(
    "round-raised", "project discovery", "project facts", ("url_fetching",), _MOST, (3_000, 40_000),
    "A project's runway is judged by money that it does not have.", 1, _asked,
    Recipe(
        rf"How many US dollars did {COIN} raise in its {ROUND} round",
        "{project} {ticker} raises {round} round million",
        RAISED,
        also=(rf"{CHINESE_COIN}在{CHINESE_ROUND}融资",),
    ),
)  # fmt: skip

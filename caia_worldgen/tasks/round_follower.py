"""Which fund took part in a round besides the one that led it, by the page about a project's investors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.page_reading import (
    CHINESE_COIN,
    CHINESE_ROUND,
    COIN,
    FOLLOWER,
    FOLLOWER_OF,
    ROUND,
    chinese_round,
    filled,
)
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step
from caia_worldgen.tasks.shelf import Shelf
from caia_worldgen.tasks.stranger import Strangers

_MOST: Final = 4


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    truth, stage, shelf, strangers = story.truth, story.scene.main, Shelf(story), Strangers(story, dice)
    rounds = [one for one in truth.rounds if len(one.others) == 1]
    told: set[str] = set()
    for one in dice.some(rounds, len(rounds)):
        subject, other = truth.subjects[one.project], one.others[0]
        name, ticker, address = subject.name, subject.ticker, f"{subject.site}/investors"
        block = shelf.height(f"https://{address}", stage, dice)
        if block is None or other in told:
            continue
        told.add(other)
        question = (
            f"{one.lead} led the {one.name} round of {name} ({ticker}). Which other fund put money into it, according "
            f"to the project's page about its investors, {address}?"
        )
        chinese = (
            f"{name}（{ticker}）的{chinese_round(one.name)}融资由 {one.lead} 领投。"
            f"根据项目官网的投资人页面（{address}），跟投的另一家基金是哪一家？"
        )
        result = f'match($1.text, "{filled(FOLLOWER, lead=one.lead)}")'
        yield Asked(
            question,
            stage,
            block,
            AnswerSpec("text", (other,), aliases=(other.partition(" ")[0],)),
            gold(result, step("url_fetching", url=f"https://{address}")),
            subject.id,
            f"{one.lead} led the {one.name} round of {name} ({ticker}). Also in the round: {{planted}}.",
            chinese,
            strangers.funds(),
        )


SHAPE: Final = Shape(
    "round-follower", "project discovery", "project facts", ("url_fetching",), _MOST, (1_500, 15_000),
    "Two holdings of one fund are counted as independent of each other.", 2, _asked,
    Recipe(
        r"(?P<lead>[A-Z][a-z]{2,14} [A-Z][A-Za-z ]{2,20}) led the "
        rf"{ROUND} round of {COIN}\. Which other fund",
        "{project} {ticker} {round} round investors besides {lead}",
        FOLLOWER_OF,
        also=(rf"{CHINESE_COIN}的{CHINESE_ROUND}融资由 "
              r"(?P<lead>[A-Z][a-z]{2,14} [A-Z][A-Za-z ]{2,20}) 领投",),
    ),
)  # fmt: skip

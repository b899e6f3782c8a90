"""On which day a round of a project was closed, by the page about its investors on its own site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import iso
from caia_worldgen.tasks.page_reading import CHINESE_COIN, CHINESE_ROUND, CLOSED, COIN, DAY, ROUND, chinese_round
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step
from caia_worldgen.tasks.shelf import Shelf
from caia_worldgen.tasks.written_day import OR_NONE, OR_NONE_CHINESE

_MOST: Final = 5


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    truth, stage, shelf = story.truth, story.scene.main, Shelf(story)
    for one in dice.some(truth.rounds, len(truth.rounds)):
        subject = truth.subjects[one.project]
        name, ticker, address = subject.name, subject.ticker, f"{subject.site}/investors"
        block = shelf.height(f"https://{address}", stage, dice)
        if block is None:
            continue
        question = (
            f"On what date did {name} ({ticker}) close its {one.name} financing, going by its own investors page "
            f"({address})? {OR_NONE}"
        )
        chinese = (
            f"按照 {name}（{ticker}）官网投资人页面（{address}）的说法，其{chinese_round(one.name)}融资是在哪一天"
            f"完成的？{OR_NONE_CHINESE}"
        )
        yield Asked(
            question,
            stage,
            block,
            AnswerSpec("date", (iso(one.closed_at),)),
            gold(f'match($1.text, "{DAY}")', step("url_fetching", url=f"https://{address}")),
            subject.id,
            f"The {one.name} round of {name} ({ticker}) closed on {{planted}}.",
            chinese,
        )


SHAPE: Final = Shape(
    "round-date", "project discovery", "project facts", ("url_fetching",), _MOST, (1_000, 12_000),
    "A lock-up is counted from the wrong day.", 1, _asked,
    Recipe(
        rf"On what date did {COIN} close its {ROUND} financing",
        "{project} {ticker} {round} round closed on",
        CLOSED,
        also=(rf"按照 {CHINESE_COIN}官网投资人页面（[a-z/.-]{{5,80}}）的说法，其{CHINESE_ROUND}融资",),
    ),
)  # fmt: skip

"""Since when a venue trades a coin, by the notice with which it announced the listing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import iso
from caia_worldgen.tasks.page_reading import CHINESE_COIN, COIN, DAY, OPENED
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step
from caia_worldgen.tasks.shelf import Shelf
from caia_worldgen.tasks.written_day import OR_NONE, OR_NONE_CHINESE
from caia_worldgen.web.place import notice
from caia_worldgen.web.truth import Subject, Truth

_MOST: Final = 5


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    truth, stage, shelf = story.truth, story.scene.main, Shelf(story)
    venue = truth.cast.venue
    # The story's own coins are all listed on its first day: they would have one answer.
    coins = truth.outsiders()
    for subject in dice.some(coins, len(coins)):
        address = notice(truth, f"listing-{subject.id}")
        block = shelf.height(address, stage, dice)
        if block is None:
            continue
        name, ticker, plain = subject.name, subject.ticker, address.removeprefix("https://")
        question = (
            f"Since which day can {name} ({ticker}) be traded on {venue.name}, by the venue's own listing notice "
            f"({plain})? {OR_NONE}"
        )
        chinese = (
            f"根据 {venue.name} 自己发布的上币公告（{plain}），{name}（{ticker}）从哪一天起可以在该平台交易？"
            f"{OR_NONE_CHINESE}"
        )
        yield Asked(
            question,
            stage,
            block,
            AnswerSpec("date", (iso(_opened(truth, subject)),)),
            gold(f'match($1.text, "{DAY}")', step("url_fetching", url=address)),
            subject.id,
            f"{venue.name} adds {name} ({ticker}) on {{planted}}.",
            chinese,
        )


def _opened(truth: Truth, subject: Subject) -> int:
    """The day that the notices' writer draws for a coin that was there before the story: no service tells it."""
    if subject.listed_at >= truth.midnight(1):
        return subject.listed_at
    return truth.midnight(-truth.dice(f"notice/listing day/{subject.id}").number(15, 340))


SHAPE: Final = Shape(
    "listing-day", "project discovery", "project facts", ("url_fetching",), _MOST, (800, 9_000),
    "A return since listing is counted from the wrong day.", 1, _asked,
    Recipe(
        rf"Since which day can {COIN} be traded on (?P<venue>[A-Z][A-Za-z ]{{3,40}}), by",
        "{project} {ticker} customers trading opens listing {venue}",
        OPENED,
        also=(r"根据 (?P<venue>[A-Z][A-Za-z ]{3,40}) 自己发布的上币公告（[a-z/.-]{5,90}），"
              rf"{CHINESE_COIN}从哪一天起",),
    ),
)  # fmt: skip

"""Which fund led a round, by an outlet's report that has to be found first."""

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
    LEAD,
    LEAD_OF,
    OUTLET,
    ROUND,
    chinese_round,
)
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step
from caia_worldgen.tasks.shelf import Shelf
from caia_worldgen.tasks.stranger import Strangers

_MOST: Final = 6


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    truth, stage, shelf, strangers = story.truth, story.scene.main, Shelf(story), Strangers(story, dice)
    told: set[str] = set()
    for one in dice.some(truth.rounds, len(truth.rounds)):
        subject = truth.subjects[one.project]
        name, ticker = subject.name, subject.ticker
        reported = [(outlet, shelf.under(outlet.url("funding", ""), name)) for outlet in truth.cast.newsrooms]
        # One article alone, so that whoever searches there cannot take another one for it.
        alone = [(outlet, found[0]) for outlet, found in reported if len(found) == 1 and found[0].kind == "funding"]
        if not alone:
            continue
        outlet, report = dice.one(alone)
        block = shelf.height(report.page.url, stage, dice)
        if block is None or one.lead in told:
            continue
        told.add(one.lead)
        question = (
            f"Which fund was the lead investor in the {one.name} round of {name} ({ticker}), as {outlet.name} "
            f"({outlet.site}) reported it?"
        )
        chinese = (
            f"据 {outlet.name}（{outlet.site}）报道，{name}（{ticker}）的{chinese_round(one.name)}融资由哪家基金领投？"
        )
        calls = (
            step("web_search", query=f'"{name}" {one.name} round site:{outlet.site}/funding'),
            step("url_fetching", url="$1.results.0.url"),
        )
        yield Asked(
            question,
            stage,
            block,
            AnswerSpec("text", (one.lead,), aliases=(one.lead.partition(" ")[0],)),
            gold(f'match($2.text, "{LEAD}")', *calls),
            subject.id,
            f"The {one.name} round of {name} ({ticker}) was led by {{planted}}.",
            chinese,
            strangers.funds(),
        )


SHAPE: Final = Shape(
    "round-lead", "project discovery", "project facts", ("web_search", "url_fetching"), _MOST, (2_000, 25_000),
    "A fund's name is taken for its backing, and it never backed the project.", 2, _asked,
    Recipe(
        rf"lead investor in the {ROUND} round of {COIN}, as {OUTLET} \(",
        "{project} {ticker} {round} round led {outlet}",
        LEAD_OF,
        also=(rf"据 {OUTLET}（[a-z.]{{5,60}}）报道，{CHINESE_COIN}的{CHINESE_ROUND}融资",),
    ),
)  # fmt: skip

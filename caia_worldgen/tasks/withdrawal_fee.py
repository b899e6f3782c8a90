"""What a venue charges for a withdrawal since it changed the fee, as its notice says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step
from caia_worldgen.tasks.venue_notice import fees

_MOST: Final = 4
_RECIPE: Final = Recipe(
    question="charge for withdrawing (?P<ticker>[A-Z0-9]{2,8}) ",
    also=("提取 (?P<ticker>[A-Z0-9]{2,8}) ",),
    query="{ticker} withdrawal fee notice change",
    pattern="(?:withdrawal of {ticker} costs|withdrawing {ticker} becomes|costs us:) "
    "(?P<answer>[0-9]{1,3}[.][0-9]{1,4}) {ticker}",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, truth = story.scene.main, story.truth
    venue, pages = truth.cast.venue, {made.page.url for made in story.web.pages}
    known = [one for one in fees(truth) if one.url in pages]
    for one in dice.some(known, len(known)):
        height = story.height_after(stage, one.due, dice)
        if height is None or (one.fee * 10).denominator == 1:
            continue  # A tenth is what somebody would guess.
        ticker = truth.subject(one.role).ticker
        question = (
            f"According to the fee notice of {venue.name} ({venue.site}), what does the venue charge for withdrawing "
            f"{ticker} since its last change? Give the fee in {ticker}."
        )
        chinese = f"根据 {venue.name}（{venue.site}）的费用公告，最近一次调整后提取 {ticker} 的手续费是多少 {ticker}？"
        search = f'"{ticker}" withdrawal fee withdrawing costs becomes change of fees site:{venue.site}/notices'
        chain = gold(
            f"match($2.text, '([0-9]+[.][0-9]+) {ticker}')",
            step("web_search", query=search, limit=3),
            step("url_fetching", url="$1.results.0.url"),
        )
        claim = f"A withdrawal of {ticker} costs {{planted}} {ticker}."
        yield Asked(question, stage, height, number(one.fee, ticker), chain, truth.subject(one.role).id, claim, chinese)


SHAPE: Final = Shape(
    "withdrawal-fee", "project discovery", "project facts", ("web_search", "url_fetching"), _MOST, (500, 6_000),
    "Moving funds costs more than was budgeted.", 2, _asked, _RECIPE,
)  # fmt: skip

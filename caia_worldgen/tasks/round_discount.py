"""How far a coin's price stood above what a round's investors paid: an article's sum and tokens, and a market."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese as chinese_day
from caia_worldgen.tasks.day import english, iso, midnights
from caia_worldgen.tasks.day_reading import CHINESE_DAY, ENGLISH_DAY, NUMBER, REST_OF_DAY, STATED_DAY, stated
from caia_worldgen.tasks.page_reading import CHINESE_COIN, CHINESE_ROUND, COIN, ROUND, chinese_round
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step
from caia_worldgen.tasks.shelf import Shelf
from caia_worldgen.web.cast import Outlet
from caia_worldgen.web.funding import Round
from caia_worldgen.web.page import WebPage

_MOST: Final = 5
_TRIES: Final = 8
"""On some days the price is nearly that of the day before."""
_WORK: Final = (
    "= join('', list('from decimal import Decimal as D; print(D(\"', $3.price, '\") / (D(\"', "
    "match($2.text, '\\$([0-9.]+) million'), '\") * 1000000 / ', match($2.text, '([0-9,]{5,14}) TICKER') - 0, "
    "') * 100 - 100)'))"
)
"""The price over what one token cost, less all of it: dollars paid come in millions, tokens with commas."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    truth, stage, shelf = story.truth, story.scene.main, Shelf(story)
    sold = [one for one in truth.rounds if one.tokens]
    days = midnights(story, 3, 2)
    asked: set[str] = set()
    for one in dice.some(sold, len(sold)) * _TRIES:
        subject, told = truth.subjects[one.project], _articles(story, shelf, one)
        midnight = stage.calendar.midnight(dice.one(days))
        block, coin = story.height_after(stage, midnight, dice), story.book.coin(one.project)
        if not told or block is None or coin is None or one.project in asked:
            continue
        before, price, after = (story.book.prices.price_e8(coin, midnight + turn * DAY_S) for turn in (-1, 0, 1))
        if before is None or price is None or after is None:
            continue
        paid = Fraction(one.raised_usd, one.tokens) * 10**8
        above = Fraction(round((price / paid * 100 - 100) * 100), 100)
        # A tenth of a per cent counts, and so does the day.
        if above <= 10 or any(abs(other - price) / paid * 100 < above / 50 for other in (before, after)):
            continue
        asked.add(one.project)
        outlet, _ = dice.one(told)
        name, ticker = subject.name, subject.ticker
        question = (
            f"{outlet.name} ({outlet.site}) reported the {one.name} round of {name} ({ticker}): the sum paid and the "
            f"tokens sold for it. By how many per cent was the market price of {ticker} at 00:00 UTC on "
            f"{english(midnight)} above what the investors paid for a token? To one "
            "decimal."
        )
        chinese = (
            f"{outlet.name}（{outlet.site}）报道了 {name}（{ticker}）的{chinese_round(one.name)}融资，"
            f"给出了金额和所售代币数量。{chinese_day(midnight)} 00:00（UTC）{ticker} 的市场价格比投资人每枚代币的"
            "成本高出百分之多少？请保留一位小数。"
        )
        calls = (
            step("web_search", query=f'"{name}" {one.name} round site:{outlet.site}/funding'),
            step("url_fetching", url="$1.results.0.url"),
            step("price_feed", asset=f"id:{subject.id}", at=iso(midnight)),
            step("code_execution", code=_WORK.replace("TICKER", ticker)),
        )
        yield Asked(
            question,
            stage,
            block,
            number(above, "%", "1", direction="up"),
            gold("round(match($4.stdout, '-?[0-9.]+'), 2)", *calls),
            subject.id,
            f"On {stated(midnight)} {ticker} stood {{planted}}% above what investors of its {one.name} round paid.",
            chinese,
        )


def _articles(story: Story, shelf: Shelf, one: Round) -> list[tuple[Outlet, WebPage]]:
    """English articles on a round, each the only one of its outlet, that tell its sum in full and its tokens."""
    name, tokens, found = story.truth.subjects[one.project].name, f"{one.tokens:,}", []
    for outlet in story.truth.cast.newsrooms:
        articles = shelf.under(outlet.url("funding", ""), name)
        if len(articles) == 1 and outlet.language == "en" and tokens in articles[0].page.text:
            sums = {claim.value for claim in articles[0].claims if claim.kind == "round"}
            if sums == {Fraction(one.raised_usd)}:
                found.append((outlet, articles[0]))
    return found


SHAPE: Final = Shape(
    "round-discount", "project discovery", "project facts",
    ("web_search", "url_fetching", "price_feed", "code_execution"), _MOST, (5_000, 60_000),
    "Selling by early investors is thought to lose them money, when it would double it.", 5, _asked,
    Recipe(
        rf"reported the {ROUND} round of {COIN}: "
        r"[a-z ]{10,60}\. By how many per cent was the market price of \w+ at 00:00 UTC on " + ENGLISH_DAY,
        "{project} {ticker} {round} round investors price per token {day} {month} {year}",
        STATED_DAY + REST_OF_DAY + r" ?{ticker} stood " + NUMBER + "% above what investors",
        also=(rf"报道了 {CHINESE_COIN}的{CHINESE_ROUND}融资，给出了金额和所售代币数量。" + CHINESE_DAY,),
    ),
    ("trap:units",),
)  # fmt: skip

"""Questions of the rounds in which projects were funded, by pages of their own and of outlets."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.task import AnswerSpec
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import OR_NONE, OR_NONE_CHINESE, english, iso, midnights
from caia_worldgen.tasks.day import chinese as chinese_day
from caia_worldgen.tasks.page_reading import DAY, FOLLOWER, LEAD, chinese_round, filled, stated
from caia_worldgen.tasks.shape import Asked, Story, gold, number, step
from caia_worldgen.tasks.shelf import Shelf, Strangers
from caia_worldgen.web.cast import Outlet
from caia_worldgen.web.funding import Round
from caia_worldgen.web.page import WebPage

_WORK: Final = (
    "= join('', list('from decimal import Decimal as D; print(D(\"', $3.price, '\") / (D(\"', "
    "match($2.text, '\\$([0-9.]+) million'), '\") * 1000000 / ', match($2.text, '([0-9,]{5,14}) TICKER') - 0, "
    "') * 100 - 100)'))"
)
"""The price over what one token cost, less all of it: dollars paid come in millions, tokens with commas."""


def round_date(story: Story, rng: Rng) -> Iterator[Asked]:
    """On which day a round of a project was closed, by the page about its investors on its own site."""
    truth, stage, shelf = story.truth, story.scene.main, Shelf(story)
    for one in rng.some(truth.rounds, len(truth.rounds)):
        subject = truth.subjects[one.project]
        name, ticker, address = subject.name, subject.ticker, f"{subject.site}/investors"
        block = shelf.height(f"https://{address}", stage, rng)
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


def round_discount(story: Story, rng: Rng) -> Iterator[Asked]:
    """How far a coin's price stood above what a round's investors paid: an article's sum and tokens, and a market."""
    # On some days the price is nearly that of the day before.
    tries = 8
    truth, stage, shelf = story.truth, story.scene.main, Shelf(story)
    sold = [one for one in truth.rounds if one.tokens]
    days = midnights(story, 3, 2)
    asked: set[str] = set()
    for one in rng.some(sold, len(sold)) * tries:
        subject, told = truth.subjects[one.project], _articles(story, shelf, one)
        midnight = stage.calendar.midnight(rng.one(days))
        block, coin = story.height_after(stage, midnight, rng), story.book.coin(one.project)
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
        outlet, _ = rng.one(told)
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


def round_follower(story: Story, rng: Rng) -> Iterator[Asked]:
    """Which fund took part in a round besides the one that led it, by the page about a project's investors."""
    truth, stage, shelf, strangers = story.truth, story.scene.main, Shelf(story), Strangers(story, rng)
    rounds = [one for one in truth.rounds if len(one.others) == 1]
    told: set[str] = set()
    for one in rng.some(rounds, len(rounds)):
        subject, other = truth.subjects[one.project], one.others[0]
        name, ticker, address = subject.name, subject.ticker, f"{subject.site}/investors"
        block = shelf.height(f"https://{address}", stage, rng)
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


def round_lead(story: Story, rng: Rng) -> Iterator[Asked]:
    """Which fund led a round, by an outlet's report that has to be found first."""
    truth, stage, shelf, strangers = story.truth, story.scene.main, Shelf(story), Strangers(story, rng)
    told: set[str] = set()
    for one in rng.some(truth.rounds, len(truth.rounds)):
        subject = truth.subjects[one.project]
        name, ticker = subject.name, subject.ticker
        reported = [(outlet, shelf.under(outlet.url("funding", ""), name)) for outlet in truth.cast.newsrooms]
        # One article alone, so that whoever searches there cannot take another one for it.
        alone = [(outlet, found[0]) for outlet, found in reported if len(found) == 1 and found[0].kind == "funding"]
        if not alone:
            continue
        outlet, report = rng.one(alone)
        block = shelf.height(report.page.url, stage, rng)
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


def round_raised(story: Story, rng: Rng) -> Iterator[Asked]:
    """How many dollars a round of a project brought, by the page about its investors on its own site."""
    truth, stage, shelf = story.truth, story.scene.main, Shelf(story)
    # Pages print a tenth of a million; smaller sums would lose more by that than an answer may be off.
    rounds = [one for one in truth.rounds if one.raised_usd % 100_000 == 0]
    for one in rng.some(rounds, len(rounds)):
        subject = truth.subjects[one.project]
        name, ticker, address = subject.name, subject.ticker, f"{subject.site}/investors"
        block = shelf.height(f"https://{address}", stage, rng)
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

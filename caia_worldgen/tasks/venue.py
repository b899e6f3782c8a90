"""Questions of what venues announced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_replay.core.task import AnswerSpec
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import DAY as WRITTEN_DAY
from caia_worldgen.tasks.day import OR_NONE, OR_NONE_CHINESE, english, iso
from caia_worldgen.tasks.day import chinese as chinese_day
from caia_worldgen.tasks.page_reading import DAY
from caia_worldgen.tasks.shape import Asked, Story, gold, number, step
from caia_worldgen.tasks.shelf import Shelf
from caia_worldgen.web import number as written
from caia_worldgen.web import place
from caia_worldgen.web.place import notice
from caia_worldgen.web.site_text import in_the_day, last_moment
from caia_worldgen.web.truth import ROLES, Subject, Truth

_EVERY_DAYS: Final = 5
_FEES: Final = 7


@dataclass(frozen=True, slots=True)
class Stop:
    """A wallet of a role that is to be stopped on the day of ``due``. ``published`` and ``due`` in seconds."""

    role: str
    url: str
    published: int
    due: int


@dataclass(frozen=True, slots=True)
class Fee:
    """What withdrawing a role's coin costs from the day of ``due`` on, in whole coins."""

    role: str
    url: str
    published: int
    due: int
    fee: Fraction


def stops(truth: Truth) -> Iterator[Stop]:
    """Every stop that was announced, oldest first."""
    for day in range(4, truth.days - 4, _EVERY_DAYS):
        rng = truth.rng(f"notice/maintenance/{day}")
        role = rng.one(ROLES)
        published = in_the_day(rng, truth.midnight(day))
        due = published + rng.number(2, 4) * DAY_S
        if published <= last_moment(truth):
            yield Stop(role, place.notice(truth, f"maintenance-{written.iso_day(published)}"), published, due)


def fees(truth: Truth) -> Iterator[Fee]:
    """Every fee that was announced, oldest first."""
    for turn, role in enumerate(truth.rng("notice/fees").some(ROLES, _FEES)):
        rng = truth.rng(f"notice/fee/{role}")
        published = in_the_day(rng, truth.midnight(8 + turn * 15))
        fee = Fraction(rng.number(2, 90), 100)
        if published <= last_moment(truth):
            url = place.notice(truth, f"fee-{truth.subject(role).id}")
            yield Fee(role, url, published, published + 3 * DAY_S, fee)


def listing_day(story: Story, rng: Rng) -> Iterator[Asked]:
    """Since when a venue trades a coin, by the notice with which it announced the listing."""
    truth, stage, shelf = story.truth, story.scene.main, Shelf(story)
    venue = truth.cast.venue
    # The story's own coins are all listed on its first day: they would have one answer.
    coins = truth.outsiders()
    for subject in rng.some(coins, len(coins)):
        address = notice(truth, f"listing-{subject.id}")
        block = shelf.height(address, stage, rng)
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
    return truth.midnight(-truth.rng(f"notice/listing day/{subject.id}").number(15, 340))


def planned_stop(story: Story, rng: Rng) -> Iterator[Asked]:
    """The day for which a venue announces that a coin cannot be paid in or out: the notice is found, then read."""
    stage, truth = story.scene.main, story.truth
    venue = truth.cast.venue
    days = Counter((made.page.published or 0) // DAY_S for made in story.web.pages if made.kind == "notice")
    known = [one for one in stops(truth) if days[one.published // DAY_S] == 1]
    for one in rng.some(known, len(known)):
        height = story.height_after(stage, one.published, rng)
        if height is None:
            continue
        ticker = truth.subject(one.role).ticker
        question = (
            f"In its notice of {english(one.published)}, {venue.name} ({venue.site}) announced work on the wallet of "
            f"{ticker} during which nothing can be paid in or out. For which day was it planned? {OR_NONE}"
        )
        chinese = (
            f"{venue.name}（{venue.site}）在{chinese_day(one.published)}的公告中说 {ticker} 钱包将停机维护，"
            f"期间不能充值和提现。计划的维护日期是哪一天？{OR_NONE_CHINESE}"
        )
        day = iso(one.published)
        search = f"{ticker} wallet maintenance deposits withdrawals hours site:{venue.site}/notices"
        chain = gold(
            f"match($2.text, '{WRITTEN_DAY}')",
            step("web_search", query=search, first_day=day, last_day=day, limit=3),
            step("url_fetching", url="$1.results.0.url"),
        )
        claim = f"By the notice of {english(one.published)} the {ticker} wallet is to be down on {{planted}}."
        yield Asked(question, stage, height, AnswerSpec("date", (iso(one.due),)), chain, truth.subject(one.role).id,
                    claim, chinese)  # fmt: skip


def withdrawal_fee(story: Story, rng: Rng) -> Iterator[Asked]:
    """What a venue charges for a withdrawal since it changed the fee, as its notice says."""
    stage, truth = story.scene.main, story.truth
    venue, pages = truth.cast.venue, {made.page.url for made in story.web.pages}
    known = [one for one in fees(truth) if one.url in pages]
    for one in rng.some(known, len(known)):
        height = story.height_after(stage, one.due, rng)
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

"""Questions of locked grants: how they are shared out, and what of them is unlocked."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.task import AnswerSpec
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese, english, iso, midnights
from caia_worldgen.tasks.page_reading import stated
from caia_worldgen.tasks.shape import Asked, Story, gold, number, step, view
from caia_worldgen.tasks.wording import is_sayable, is_told_apart

_DECIMALS: Final = 4


def allocation_share(story: Story, rng: Rng) -> Iterator[Asked]:
    """What share of a token's maximum supply an allocation gets over time, out or not."""
    tolerance = "0.02"
    stage = story.scene.main
    pairs = [(one, section) for one in story.metrics.emissions.all() for section in one.sections()]
    for emission, section in rng.some(pairs, len(pairs)):
        block = story.height_after(stage, emission.known_at + 1, rng)
        if block is None:
            continue
        granted = sum(grant.schedule.total for grant in emission.grants if grant.section == section)
        unlocked = emission.unlocked(section, stage.calendar.times[block])
        share, out = (Fraction(one * 100, emission.supply) for one in (granted, unlocked))
        if not is_sayable(share, tolerance, _DECIMALS) or not all(
            is_told_apart(share, other, tolerance) for other in (out, share - out)
        ):
            continue
        project = story.scene.projects[emission.role]
        call = step("release_schedule", asset=f"id:{emission.slug}")
        result = (
            f"first(where($1.by_allocation, 'allocation', '{section}')).planned_in_all_tokens * 100 "
            "/ $1.max_supply_tokens"
        )
        yield Asked(
            question=f"Of the maximum supply of {project.ticker} ({project.name}), what percentage is allotted to "
            f"{section} in all, unlocked or not? Give four decimals.",
            chinese=f"{project.name}（{project.ticker}）分配给 {section} 的代币，连同尚未解锁的部分，"
            "占最大供应量的百分之几？请保留四位小数。",
            stage=stage,
            block=block,
            answer=number(round(share, 8), "%", tolerance),
            gold=gold(f"round({result}, 8)", call),
            project=project.id,
            claim=f"Of the maximum supply of {project.ticker}, {{planted}}% is allotted to {section}.",
        )


def next_cliff(story: Story, rng: Rng) -> Iterator[Asked]:
    """On which day the next cliff of a token's vesting falls, as it was known then."""
    # Late heights have no cliff before them any more.
    tries = 6
    stage, calendars = story.scene.main, story.metrics.emissions.all()
    told: set[str] = set()
    for emission in rng.some(calendars, len(calendars)) * tries:
        block = story.height_after(stage, emission.known_at + 1, rng)
        if block is None or emission.role in told:
            continue
        now, asset = stage.calendar.times[block], story.scene.assets[emission.role]
        cliffs = sorted({grant.schedule.cliff for grant in emission.grants if grant.schedule.cliff > now + 86_400})
        if not cliffs or any(now < grant.schedule.cliff <= now + 86_400 for grant in emission.grants):
            continue
        told.add(emission.role)
        ticker, name = asset.project.ticker, asset.project.name
        question = (
            f"On which day (UTC) does the next vesting cliff of {ticker} ({name}) fall? Count all of its allocations. "
            "Answer with the day (YYYY-MM-DD) or exactly: not announced."
        )
        chinese = (
            f"{ticker}（{name}）的下一个解锁悬崖期（cliff）在哪一天（UTC）结束？请把所有分配份额都计算在内。"
            "请回答日期（YYYY-MM-DD）；若未公布，请回答 not announced。"
        )
        result = "match(first(where($1.events, 'kind', 'cliff')).time_utc, '[0-9]{4}-[0-9]{2}-[0-9]{2}')"
        yield Asked(
            question,
            stage,
            block,
            AnswerSpec("date", (iso(cliffs[0]),)),
            gold(result, step("release_schedule", asset=f"id:{emission.slug}", limit=100)),
            asset.project.id,
            f"The next vesting cliff of {ticker} ({name}) falls on {{planted}}, by its calendar.",
            chinese,
        )


def unlock_value(story: Story, rng: Rng) -> Iterator[Asked]:
    """What the tokens that a vesting cliff set free were worth at that moment: a calendar's amount, a market's
    price."""
    per_cent = "0.5"
    # How far, of the answer, that at another midnight's price is from it, and the worth of the whole allocation.
    apart = 2 * Fraction(per_cent) / 100
    # How long after midnight the market's figure of that midnight is told, at the most.
    told_late_s = 3600
    stage = story.scene.main
    cliffs = [
        (one, grant.section, grant.schedule.cliff)
        for one in story.metrics.emissions.all()
        for grant in one.grants
        if stage.calendar.midnight(1) <= grant.schedule.cliff < stage.calendar.midnight(story.scene.scale.days)
    ]
    for emission, section, cliff in rng.some(cliffs, len(cliffs)):
        coin, block = story.book.coin(emission.slug), story.height_after(stage, cliff + told_late_s, rng)
        out = emission.unlocked(section, cliff)
        whole = sum(grant.schedule.total for grant in emission.grants if grant.section == section)
        if coin is None or block is None or cliff <= emission.known_at or coin.listed_at > cliff - DAY_S:
            continue
        moments = (cliff - DAY_S, cliff, cliff + DAY_S)
        before, price, after = (story.book.prices.price_e8(coin, moment) or 0 for moment in moments)
        if not price or any(abs(one - price) <= apart * price for one in (before, after)):
            continue
        if whole - out <= apart * out:
            continue
        asset = story.scene.assets[emission.role]
        name, ticker = asset.project.name, asset.project.ticker
        question = (
            f"The {section} allocation of {name} passed its cliff at 00:00 UTC on {english(cliff)}. What were the "
            f"{ticker} that this set free worth in US dollars at the market price of that moment (CoinGecko)?"
        )
        in_chinese = (
            f"{name} 的 {section} 份额的锁仓悬崖期（cliff）于 {chinese(cliff)} 零点（UTC）届满。"
            f"按当时的市价（CoinGecko），这次一次性解锁的 {ticker} 价值多少美元？"
        )
        calls = (
            step("release_schedule", asset=f"id:{emission.slug}", start=iso(cliff), end=iso(cliff + DAY_S), limit=100),
            step("price_feed", asset=f"id:{coin.id}", at=iso(cliff)),
            step("code_execution", code="= join('', list('from decimal import Decimal\nprint(round(Decimal(\"', "
                 f"first(where(where($1.events, 'kind', 'cliff'), 'allocation', '{section}')).tokens, "
                 "'\") * Decimal(\"', $2.price, '\"), 6))'))"),
        )  # fmt: skip
        claim = f"The {section} cliff of {ticker} on {stated(cliff)} set free tokens worth {{planted}} US dollars."
        yield Asked(
            question,
            stage,
            block,
            number(round(Fraction(out * price, 10**26), 2), "USD", per_cent),
            gold("round(match($3.stdout, '[0-9.]+'), 2)", *calls),
            asset.project.id,
            claim,
            in_chinese,
        )


def unlocked_amount(story: Story, rng: Rng) -> Iterator[Asked]:
    """How many tokens of an allocation were out at the beginning of a day: linear releases, and nothing before a
    cliff."""
    tolerance, most = "0.01", 5
    stage = story.scene.main
    pairs = [(one, section) for one in story.metrics.emissions.all() for section in one.sections()]
    for _ in range(30 * most):
        emission, section = rng.one(pairs)
        midnight = stage.calendar.midnight(rng.one(midnights(story, 3, 2)))
        block = story.height_after(stage, midnight, rng)
        if block is None or midnight <= emission.known_at:
            continue
        planned = sum(grant.schedule.total for grant in emission.grants if grant.section == section)
        # A day to either side is another amount, so who takes the day's end, or today, is wrong.
        moments = (midnight, midnight - DAY_S, midnight + DAY_S, stage.calendar.times[block])
        out, *others = (Fraction(emission.unlocked(section, one), 10**18) for one in moments)
        if not is_sayable(out, tolerance, _DECIMALS) or not all(
            is_told_apart(out, other, tolerance)
            for other in (*others, Fraction(planned, 10**18), Fraction(planned, 10**18) - out)
        ):
            continue
        project, day = story.scene.projects[emission.role], iso(midnight)
        question = (
            f"How many {project.ticker} of {project.name}'s {section} allocation had been unlocked by the start of "
            f"{day} (00:00 UTC), claimed or not? Give {project.ticker} to four decimals."
        )
        chinese = (
            f"截至 {day} 零点（UTC），{project.name} 的 {section} 份额累计解锁了多少 {project.ticker}？"
            "已解锁但尚未领取的也计算在内，保留四位小数。"
        )
        yield Asked(
            question,
            stage,
            block,
            number(out, project.ticker, tolerance),
            gold(
                f"first(where($1.by_allocation, 'allocation', '{section}')).unlocked_tokens",
                step("release_schedule", asset=f"id:{emission.slug}", at=day),
            ),
            project.id,
            f"By the start of {day} the {section} allocation of {project.name} had {{planted}} {project.ticker} "
            "unlocked.",
            chinese,
        )


def vesting_beneficiary(story: Story, rng: Rng) -> Iterator[Asked]:
    """Who gets the tokens of a vesting contract."""
    stage, end = story.scene.main, story.heights[story.scene.main.name][-1]
    known = [one for one in stage.views.questions() if one.function == "owner" and one.role.endswith(" vesting")]
    owners: set[str] = set()
    for question in rng.some(known, len(known)):
        there = next(stage.views.heights(question))
        if there > end:
            continue
        block = story.height_from(stage, there, rng)
        (owner,), contract = stage.views.answer(question, block), stage.contracts[question.role].address
        if owner in owners:
            continue
        owners.add(owner)
        project, network = story.scene.projects[question.role.split()[0]], story.network(stage)
        name = project.name
        words = f"Which address receives the tokens that {name}'s vesting contract {contract} on {network} releases?"
        yield Asked(
            words,
            stage,
            block,
            AnswerSpec("address", (owner,)),
            gold("$1.values.0", view(contract, "owner()(address)", block)),
            project.id,
            f"What {name}'s vesting contract {contract} releases goes to {{planted}}.",
            f"{name} 在 {network} 上的归属合约 {contract} 会把代币发放给哪个地址？",
        )

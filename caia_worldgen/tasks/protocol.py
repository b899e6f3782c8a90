"""Questions of the metrics of protocols: what is locked in them, who uses them, and what they earn."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.tvl import Part
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese, english, iso, midnights
from caia_worldgen.tasks.page_reading import stated
from caia_worldgen.tasks.shape import Asked, Story, gold, number, step


def fees_per_user(story: Story, rng: Rng) -> Iterator[Asked]:
    """What the average user of a protocol paid in fees on one UTC day: two daily figures of one index, divided."""
    least_usd, per_cent = 1, "0.5"
    # Numbers that are guessed too easily.
    guessed = (*range(13), 18, 95)
    # How far, of the answer, that of another day is from it, and the revenue by user.
    apart = 2 * Fraction(per_cent) / 100
    stage, flow, days = story.scene.main, story.metrics.flow, midnights(story, 2, 3)
    charging = [one for one in story.metrics.protocols if flow.has(one, "fees")]
    for at, day in enumerate(rng.some(days, len(days))):
        protocol, midnight = charging[at % len(charging)], stage.calendar.midnight(day)
        users = story.metrics.activity.daily(protocol)[day].users
        block = story.height_after(stage, midnight + 86_400, rng)
        if users < 2 or block is None:
            continue
        fees, use = flow.daily_e8(protocol, "fees"), story.metrics.activity.daily(protocol)
        each = Fraction(fees[day], 10**8 * users)
        others = [Fraction(fees[near], 10**8 * (use[near].users or 1)) for near in (day - 1, day + 1)]
        others += [Fraction(fees[day], 10**8 * use[day].transactions),
                   Fraction(flow.daily_e8(protocol, "revenue")[day], 10**8 * users)]  # fmt: skip
        others += [Fraction(one) for one in guessed]
        if each < least_usd or any(abs(other - each) <= apart * each for other in others):
            continue
        question = rng.one((
            f"How much did the average user of {protocol.name} pay in fees on {english(midnight)} (UTC)? Divide all "
            "fees of that day by the number of distinct addresses that used it that day, both as DefiLlama has "
            "them, and answer in US dollars, to three decimals.",
            f"Per distinct user, how many US dollars of fees did {protocol.name} see on the UTC day "
            f"{english(midnight)}? Both figures, all fees and all users of the day, are DefiLlama's; what the "
            "protocol kept of the fees does not matter. Give three decimals.",
        ))  # fmt: skip
        in_chinese = (
            f"{chinese(midnight)}（UTC）当天，{protocol.name} 平均每位用户支付了多少美元的手续费？"
            "用 DefiLlama 记录的当日全部费用除以当日使用过它的不同地址数，保留三位小数。"
        )
        calls = (
            step("revenue_analysis", protocol=protocol.slug, measure="fees", start=iso(midnight), end=iso(midnight)),
            step("network_activity", protocol=protocol.slug, start=iso(midnight), end=iso(midnight)),
            step("code_execution", code="= join('', list('from decimal import Decimal\nprint(round(Decimal(\"', "
                 "$1.window.sums.fees_usd, '\") / ', $2.points.0.users, ', 8))'))"),
        )  # fmt: skip
        claim = f"On {stated(midnight)} a user of {protocol.name} paid {{planted}} US dollars in fees on average."
        yield Asked(
            question,
            stage,
            block,
            number(round(each, 3), "USD", per_cent),
            gold("round(match($3.stdout, '[0-9.]+'), 3)", *calls),
            protocol.slug,
            claim,
            in_chinese,
        )


def locked_to_value(story: Story, rng: Rng) -> Iterator[Asked]:
    """What a protocol held as a day began over what its token was worth: an index's figure over a market's."""
    per_cent, least_percent = "0.5", Fraction(1, 20)
    # Numbers that are guessed too easily.
    guessed = (*range(13), 18, 95)
    # How far, of the answer, that of another midnight is from it.
    apart = 2 * Fraction(per_cent) / 100
    # How long after midnight the market's figure of that midnight is told, at the most.
    told_late_s = 3600
    stage, days = story.scene.main, midnights(story, 3, 2)
    owned = [one for one in story.metrics.protocols if one.role]
    for at, day in enumerate(rng.some(days, len(days))):
        protocol, midnight = owned[at % len(owned)], stage.calendar.midnight(day)
        coin, block = story.book.coin(protocol.slug), story.height_after(stage, midnight + told_late_s, rng)
        part: Part = "staking" if protocol.kind == "stake" else "tvl"
        if coin is None or block is None or coin.listed_at > midnight - DAY_S:
            continue
        before, share, after = (
            Fraction(story.metrics.tvl.value_e8(protocol, moment, part) * 100, story.book.cap_usd(coin, moment) * 10**8)
            for moment in (midnight - DAY_S, midnight, midnight + DAY_S)
        )
        if share < least_percent or any(abs(other - share) <= apart * share for other in (before, after, *guessed)):
            continue
        ticker, words = coin.symbol.upper(), {"tvl": "locked in", "staking": "staked in"}[part]
        question = rng.one((
            f"DefiLlama tells what was {words} {protocol.name} at 00:00 UTC on {english(midnight)}, CoinGecko the "
            f"market capitalisation of {ticker} at that moment. What percentage of the second was the first? Give four "
            "decimals.",
            f"As {english(midnight)} (UTC) began, how did the value {words} {protocol.name} (by DefiLlama) compare "
            f"with the market cap of its token {ticker} (by CoinGecko)? Put it as a percentage of the market cap, to "
            "four decimals.",
        ))  # fmt: skip
        in_chinese = (
            f"{chinese(midnight)} 零点（UTC），{protocol.name} 的{'质押' if part == 'staking' else '锁仓'}价值"
            f"（DefiLlama）相当于当时 {ticker} 流通市值（CoinGecko）的百分之几？保留四位小数。"
        )
        calls = (
            step("protocol_metrics", protocol=protocol.slug, at=iso(midnight),
                 part="staking" if part == "staking" else None),
            step("price_feed", asset=f"id:{coin.id}", at=iso(midnight)),
            step("code_execution", code="= join('', list('from decimal import Decimal\nprint(round(Decimal(\"', "
                 "$1.last_up_to_it.tvl_usd, '\") / Decimal(\"', $2.market_cap, '\") * 100, 8))'))"),
        )  # fmt: skip
        claim = (f"What was {words} {protocol.name} on {stated(midnight)} came to {{planted}}% of the market cap of "
                 f"{ticker}.")  # fmt: skip
        yield Asked(
            question,
            stage,
            block,
            number(round(share, 4), "%", per_cent),
            gold("round(match($3.stdout, '[0-9.]+'), 4)", *calls),
            protocol.slug,
            claim,
            in_chinese,
        )


def locked_value(story: Story, rng: Rng) -> Iterator[Asked]:
    """What was locked in a protocol when a day ended, which is the figure noted as the next one began."""
    per_cent = "0.5"
    # How far, of the value, that of the day's beginning is from it: no other day's figure is to count as right.
    apart = 2 * Fraction(per_cent) / 100
    stage = story.scene.main
    days, protocols = midnights(story, 5, 2), story.metrics.protocols
    for at, day in enumerate(rng.some(days, len(days)) * 2):
        protocol = protocols[(at + day) % len(protocols)]
        midnight = stage.calendar.midnight(day)
        value, block = story.metrics.tvl.value_e8(protocol, midnight), story.height_after(stage, midnight, rng)
        ended = midnight - 86_400
        others = [story.metrics.tvl.value_e8(protocol, at) for at in (ended, midnight + 86_400)]
        if not value or block is None or any(abs(one - value) <= apart * value for one in others):
            continue
        call = step("protocol_metrics", protocol=protocol.slug, at=iso(midnight))
        yield Asked(
            question=f"How many US dollars were locked (TVL) in {protocol.name} at the end of {english(ended)} (UTC), "
            "by DefiLlama?",
            chinese=f"{chinese(ended)}（UTC）结束时，{protocol.name} 协议的锁仓总价值（TVL）是多少美元？"
            "以 DefiLlama 的数据为准。",
            stage=stage,
            block=block,
            answer=number(Fraction(value, 10**8), "USD", per_cent),
            gold=gold("$1.last_up_to_it.tvl_usd", call),
            project=protocol.slug,
            claim=f"{protocol.name} had ${{planted}} locked at the end of {stated(ended)}.",
        )


def protocol_users(story: Story, rng: Rng) -> Iterator[Asked]:
    """How many different accounts used a protocol on one UTC day."""
    most, least_users = 5, (13, 5, 2)
    # Fewer than the first, and these, are guessed too easily; less will do where a story has no such days.
    guessed = (18, 95)
    stage = story.scene.main
    days, activity = midnights(story, 2, 3), story.metrics.activity
    used = [(day, one) for one in story.metrics.protocols for day in days]
    by_least = ([one for one in used if activity.daily(one[1])[one[0]].users >= fewest] for fewest in least_users)
    busy = next((found for found in by_least if len(found) >= most), [])
    told: set[int] = set()
    # The largest protocol has most of the days, so each draw is of a protocol first.
    protocols = sorted({one.slug: one for _, one in busy}.values(), key=lambda one: one.slug)
    left = {one.slug: [day for day, other in busy if other == one] for one in protocols}
    for at in range(len(busy) * len(protocols)):
        protocol = protocols[at % len(protocols)]
        if not left[protocol.slug]:
            continue
        day = left[protocol.slug].pop(rng.number(0, len(left[protocol.slug]) - 1))
        midnight, use = stage.calendar.midnight(day), activity.daily(protocol)
        users, block = use[day].users, story.height_after(stage, midnight + 86_400, rng)
        others = (use[day - 1].users, use[day + 1].users, use[day].new_users, use[day].transactions, *guessed)
        if block is None or users in told or users in others:
            continue
        told.add(users)
        yield Asked(
            f"By DefiLlama's count of active users, how many distinct addresses used {protocol.name} on "
            f"{iso(midnight)} (UTC)?",
            stage,
            block,
            number(users),
            gold(
                "$1.points.0.users",
                step("network_activity", protocol=protocol.slug, start=iso(midnight), end=iso(midnight)),
            ),
            protocol.slug,
            f"On {iso(midnight)} {protocol.name} was used by {{planted}} distinct addresses.",
            f"{iso(midnight)}（UTC）当天，有多少个不同的地址使用过 {protocol.name}？以 DefiLlama 的活跃用户数为准。",
        )


def week_fees(story: Story, rng: Rng) -> Iterator[Asked]:
    """What the users of a protocol paid in fees over seven days, whatever of it the protocol kept."""
    least_usd, per_cent, span = 100, "0.1", 7
    # How far, of the answer, the revenue is from it, and the fees of a week a day earlier, later, longer or shorter.
    apart = 2 * Fraction(per_cent) / 100
    # By how many days the ends of other windows are moved.
    near = ((-1, -1), (1, 1), (0, -1), (1, 0))
    stage, flow = story.scene.main, story.metrics.flow
    charging = [one for one in story.metrics.protocols if flow.has(one, "fees")]
    days = midnights(story, 3, span + 2)
    for day in rng.some(days, len(days)):
        protocol = rng.one(charging)
        first, end = stage.calendar.midnight(day), stage.calendar.midnight(day + span)
        fees, kept = flow.daily_e8(protocol, "fees"), flow.daily_e8(protocol, "revenue")
        value = Fraction(sum(fees[day : day + span]), 10**8)
        others = [sum(fees[day + since : day + span + until]) for since, until in near]
        others.append(sum(kept[day : day + span]))
        block = story.height_after(stage, end, rng)
        if value < least_usd or block is None:
            continue
        if any(abs(Fraction(other, 10**8) - value) <= apart * value for other in others):
            continue
        since, until = iso(first), iso(end - 1)
        question = (
            f"How much did users of {protocol.name} pay in fees, in US dollars, from {since} to {until} (UTC days, "
            "both included), by DefiLlama? All fees, whoever received them."
        )
        chinese = (
            f"从 {since} 到 {until}（UTC，含首尾两天），{protocol.name} 的用户一共支付了多少美元的手续费？"
            "无论手续费归谁所有，都计算在内；以 DefiLlama 的数据为准。"
        )
        call = step("revenue_analysis", protocol=protocol.slug, measure="fees", start=since, end=until)
        yield Asked(
            question,
            stage,
            block,
            number(value, "USD", per_cent),
            gold("$1.window.sums.fees_usd", call),
            protocol.slug,
            f"From {since} to {until} the users of {protocol.name} paid {{planted}} US dollars in fees.",
            chinese,
        )

"""Questions of blocks, days and local midnights of a chain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Final

from caia_replay.core.task import AnswerSpec
from caia_worldgen.act.govern import VOTER_TOKEN
from caia_worldgen.calendar import DAY_S
from caia_worldgen.event import FAILED
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Asset
from caia_worldgen.stage import Stage
from caia_worldgen.tasks.day import chinese, english, iso, iso_time, midnights
from caia_worldgen.tasks.page_reading import stated
from caia_worldgen.tasks.shape import Asked, Story, gold, number, step, votes
from caia_worldgen.tasks.wording import is_sayable, is_told_apart

_BALANCE_AT_LOCAL_MIDNIGHT_ZONES: Final = (
    ("Brisbane", "布里斯班", "+10:00", 600),
    ("Seoul", "首尔", "+09:00", 540),
    ("Singapore", "新加坡", "+08:00", 480),
    ("Mumbai", "孟买", "+05:30", 330),
    ("Nairobi", "内罗毕", "+03:00", 180),
)
"""Places that have kept their offset all year for decades, in minutes."""
_WORDS: Final = (
    ("At what date and time (UTC, to the second) was block {height} of {network} produced?",
     "{network} 链上高度为 {height} 的区块是在什么时候产生的？请给出 UTC 日期和时间，精确到秒。"),
    ("I need the exact timestamp of block {height} on {network}: which day, hour, minute and second in UTC?",
     "请给出 {network} 第 {height} 个区块的准确时间戳（UTC），精确到秒。"),
    ("A filing cites {network}'s block {height}. When, by its header and to the second, was that one made (UTC)?",
     "某份文件引用了 {network} 的 {height} 号区块。按照区块头，它的产生时间（UTC，精确到秒）是什么？"),
)  # fmt: skip
"""One question in several wordings of both languages: two that differed in their figures alone would be one."""
_GUESSED: Final = (18, 95)
"""Fewer than the first, and these, are guessed too easily."""
_LOCAL_MIDNIGHT_BLOCK_ZONES: Final = (
    ("Beijing", "北京", "+08:00", 8),
    ("Tokyo", "东京", "+09:00", 9),
    ("Dubai", "迪拜", "+04:00", 4),
)
"""Places that have kept their offset all year for decades, in both languages, and how far they are ahead of UTC."""
_LOCAL_MIDNIGHT_BLOCK_FEWEST: Final = 5_000 * 10**18
"""Below it, whole votes are not told closely enough."""


def balance_at_local_midnight(story: Story, rng: Rng) -> Iterator[Asked]:
    """What somebody held when a day ended in a place that is not on UTC: which block that was comes first."""
    most, tolerance, decimals = 5, "0.001", 4
    stage = story.scene.main
    late = {asset: found for asset in story.tokens() if (found := tuple(_late(story, asset)))}
    assets = sorted(late, key=lambda asset: asset.role)
    for at in range(20 * most if assets else 0):
        asset = assets[at % len(assets)]
        height, holder = rng.one(late[asset])
        midnight, moved_at = stage.calendar.midnight(stage.calendar.day_of(height)), stage.calendar.times[height]
        next_day = midnight + DAY_S
        place, in_place, offset, ahead = rng.one(
            [zone for zone in _BALANCE_AT_LOCAL_MIDNIGHT_ZONES if moved_at >= next_day - zone[3] * 60]
        )
        block = story.height_after(stage, next_day, rng)
        if block is None:
            continue
        held, in_utc, later = (
            Fraction(stage.ledger.balance(asset.address, holder, at), asset.unit)
            for at in (*(stage.calendar.at(moment - 1) for moment in (next_day - ahead * 60, next_day)), block)
        )
        if not is_sayable(held, tolerance, decimals) or not all(
            is_told_apart(held, other, tolerance) for other in (in_utc, later)
        ):
            continue
        ticker = asset.project.ticker
        question = (
            f"When {english(midnight)} was over in {place} (UTC{offset}), how many {ticker} ({asset.address}) did the "
            f"account {holder} hold on {story.network(stage)}? Take the end of the last block before midnight there, "
            f"and answer in {ticker} to four decimals."
        )
        in_chinese = (
            f"{in_place}时间（UTC{offset}）{chinese(midnight)}结束时，即当地午夜前最后一个区块结束时，"
            f"{story.network(stage)} 上的账户 {holder} 持有多少 {ticker}（合约 {asset.address}）？请保留四位小数。"
        )
        calls = (
            step("time_conversion", time=f"{iso(midnight)}T23:59:59{offset}"),
            step("balance_query", address=holder, token=asset.address, block="$1.blocks.0.last_block.block"),
        )
        claim = f"As {stated(midnight)} ended in {place}, {holder} held {{planted}} {ticker}."
        yield Asked(question, stage, block, number(held, ticker, tolerance),
                    gold("$2.amount", *calls), asset.project.id, claim, in_chinese)  # fmt: skip


def _late(story: Story, asset: Asset) -> Iterator[tuple[int, str]]:
    """Which blocks that lie in the next day already at some place moved a person's tokens, and whose."""
    calendar, crowd = story.scene.main.calendar, {person.address.lower() for person in story.scene.people.crowd}
    days, most_ahead = midnights(story, 2, 3), max(zone[3] for zone in _BALANCE_AT_LOCAL_MIDNIGHT_ZONES) * 60
    for one in story.scene.main.ledger.within(asset.address, 1, calendar.last_block):
        day = calendar.day_of(one.block)
        if day in days and calendar.times[one.block] >= calendar.midnight(day + 1) - most_ahead:
            yield from ((one.block, holder) for holder in (one.sender, one.recipient) if holder in crowd)


def block_time(story: Story, rng: Rng) -> Iterator[Asked]:
    """When a block was made: its header's time, in UTC."""
    for (asked, asked_chinese), stage in product(_WORDS, story.stages):
        height = rng.number(1, story.heights[stage.name][-1] - 1)
        network, made = story.network(stage), iso_time(stage.calendar.times[height])
        yield Asked(
            question=asked.format(height=height, network=network),
            chinese=asked_chinese.format(height=height, network=network),
            stage=stage,
            block=story.height_from(stage, height + 1, rng),
            answer=AnswerSpec("time", (made,), tolerance_seconds=0),
            gold=gold("$1.time_utc", step("block_query", block=height)),
            project=story.chain(stage),
            claim=f"Block {height} of {network} was produced at {{planted}}.",
        )


def daily_senders(story: Story, rng: Rng) -> Iterator[Asked]:
    """How many different accounts sent a transaction on a chain on one UTC day, failed ones among them."""
    fewest = 13
    stage = story.scene.main
    days, told = midnights(story, 1, 3), set[int]()
    for day in rng.some(days, len(days)):
        midnight, truth = stage.calendar.midnight(day), len(stage.senders.get(day, ()))
        block = story.height_after(stage, midnight + 86_400, rng)
        others = {len(stage.senders.get(near, ())) for near in (day - 1, day + 1)}
        if block is None or truth < fewest or truth in others | told or truth in _GUESSED:
            continue
        told.add(truth)
        network = story.network(stage)
        call = step("network_activity", chain=story.chain(stage), start=iso(midnight), end=iso(midnight))
        yield Asked(
            question=f"How many different addresses sent at least one transaction on {network} on "
            f"{english(midnight)} (UTC), failed ones included?",
            chinese=f"{chinese(midnight)}（UTC）这一天，{network} 上共有多少个不同的地址发送过交易（失败的也算）？",
            stage=stage,
            block=block,
            answer=number(truth),
            gold=gold("$1.points.0.senders", call),
            project=story.chain(stage),
            claim=f"{{planted}} addresses sent something on {network} on {stated(midnight)}.",
        )


def failed_transactions(story: Story, rng: Rng) -> Iterator[Asked]:
    """How many transactions failed on a chain within some UTC days: they are in its blocks, and cost their
    senders gas."""
    fewest, span = 13, 10
    # By how many days the ends of other windows are moved, in which other numbers failed.
    near = ((-1, -1), (1, 1), (0, -1), (1, 0))
    failed = {stage.name: Counter(stage.calendar.day_of(deed.block) for deed in stage.deeds if deed.verb in FAILED)
              for stage in story.stages}  # fmt: skip
    days, told = midnights(story, 2, span + 3), set[int]()
    for at, day in enumerate(rng.some(days, len(days))):
        stage = story.stages[at % len(story.stages)]
        first, end = stage.calendar.midnight(day), stage.calendar.midnight(day + span)
        truth, *others = (sum(failed[stage.name][one] for one in range(day + since, day + span + until))
                          for since, until in ((0, 0), *near))  # fmt: skip
        block = story.height_after(stage, end, rng)
        if block is None or truth < fewest or truth in told or truth in (*others, *_GUESSED):
            continue
        told.add(truth)
        network = story.network(stage)
        call = step("network_activity", chain=story.chain(stage), start=iso(first), end=iso(end - 1))
        yield Asked(
            question=f"How many transactions failed on {network} from {english(first)} to {english(end - 1)} "
            "(UTC days, both included)?",
            stage=stage,
            block=block,
            answer=number(truth),
            gold=gold("$1.in_all.failed_transactions", call),
            project=story.chain(stage),
            claim=f"From {stated(first)} to {english(end - 1)} the transactions that failed on {network} were "
            "{planted}.",
        )


def local_midnight_block(story: Story, rng: Rng) -> Iterator[Asked]:
    """How many votes an account had at the latest block when a day began somewhere that is not on UTC."""
    stage, asset = story.scene.main, story.scene.assets[VOTER_TOKEN]
    ticker, network = asset.project.ticker, story.network(stage)
    days = midnights(story, 4, 2)
    for midnight, zone, account, amount in _snapshots(stage, asset.address, rng.some(days, len(days)), rng):
        block, (place, place_chinese, offset, _) = story.height_after(stage, midnight + 86_400, rng), zone
        if block is None:
            continue
        converted = step("time_conversion", time=f"{iso(midnight)}T00:00:00{offset}")
        past = step("data_query", contract=asset.address, function="getPastVotes(address,uint256)(uint256)",
                    arguments=(account, "$1.blocks.0.last_block.block"))  # fmt: skip
        yield Asked(
            question=f"How many {ticker} votes (token {asset.address}) did {account} have on {network} at the latest "
            f"block when {english(midnight)} began in {place} (UTC{offset})? Answer "
            "in votes (of 10^18 units each), to four decimals.",
            chinese=f"{place_chinese}时间 {chinese(midnight)} 零点时，以 {network} 当时的最新区块为快照，"
            f"账户 {account} 拥有多少 {ticker} 投票权（代币合约 {asset.address}，按 18 位小数换算）？保留四位小数。",
            stage=stage,
            block=block,
            answer=votes(story, Fraction(amount, asset.unit), "0.02"),
            gold=gold(f"$2.values.0 / {asset.unit}", converted, past),
            project=asset.project.id,
            claim=f"When {stated(midnight)} began in {place}, {account} had {{planted}} {ticker} votes.",
        )


def _snapshots(
    stage: Stage, token: str, days: Sequence[int], rng: Rng
) -> Iterator[tuple[int, tuple[str, str, str, int], str, int]]:
    """Midnight, place, account and its votes; those that were others by midnight UTC, each account once.

    Any others only where a story has none of those.
    """
    same, seen = [], set[str]()
    for day in days:
        midnight, zone = stage.calendar.midnight(day), rng.one(_LOCAL_MIDNIGHT_BLOCK_ZONES)
        votes = _votes(stage, token, stage.calendar.at(midnight - zone[-1] * 3_600))
        later = _votes(stage, token, stage.calendar.at(midnight))
        changed = [one for one in sorted(votes) if one not in seen and _differ(votes[one], later.get(one, 0))]
        if changed:
            account = rng.one(changed)
            seen.add(account)
            yield midnight, zone, account, votes[account]
        elif not seen and (large := [one for one in sorted(votes) if votes[one] > _LOCAL_MIDNIGHT_BLOCK_FEWEST]):
            account = rng.one(large)
            same.append((midnight, zone, account, votes[account]))
    for one in () if seen else same:
        if one[2] not in seen:
            seen.add(one[2])
            yield one


def _differ(votes: int, later: int) -> bool:
    """Whether the difference is more than what the answer's tolerance forgives."""
    return votes > _LOCAL_MIDNIGHT_BLOCK_FEWEST and abs(votes - later) * 500 > votes


def _votes(stage: Stage, token: str, block: int) -> dict[str, int]:
    """What each account can vote with at the end of a block: the balances of all that have delegated to it."""
    found: dict[str, int] = {}
    for question in stage.views.questions():
        if (question.role, question.function) != (f"{VOTER_TOKEN} token", "delegates"):
            continue
        if next(stage.views.heights(question)) <= block:
            (delegate,), (holder,) = stage.views.answer(question, block), question.arguments
            balance = stage.ledger.balance(token, holder, block)
            if balance:
                found[delegate] = found.get(delegate, 0) + balance
    return found


def local_midnight_price(story: Story, rng: Rng) -> Iterator[Asked]:
    """What a coin cost when a day began in Beijing, which is eight hours before it began in UTC."""
    most, ahead_s = 4, 8 * 3600
    stage, coins = story.scene.main, [coin for coin in story.book.coins if coin.traded]
    for day in rng.some(midnights(story, 3, 2), 3 * most):
        midnight, coin = stage.calendar.midnight(day), rng.one(coins)
        block = story.height_after(stage, midnight, rng)
        if block is None or coin.listed_at > midnight - 86_400:
            continue
        price = story.book.prices.price_e8(coin, midnight - ahead_s)
        if not price or price == story.book.prices.price_e8(coin, midnight):
            continue
        ticker = coin.symbol.upper()
        call = step("price_feed", asset=f"id:{coin.id}", at=f"{iso(midnight)}T00:00:00+08:00")
        yield Asked(
            question=f"What did one {ticker} ({coin.name}) cost in US dollars at midnight Beijing time (UTC+8) as "
            f"{english(midnight)} began?",
            chinese=f"北京时间 {chinese(midnight)} 零点整，一枚 {ticker}（{coin.name}）的价格是多少美元？",
            stage=stage,
            block=block,
            answer=number(Fraction(price, 10**8), "USD", "0.1"),
            gold=gold("$1.price", call),
            project=coin.id,
            claim=f"As {stated(midnight)} began in Beijing, one {ticker} cost ${{planted}}.",
        )

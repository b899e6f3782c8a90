"""Questions of what a token's holders moved in a range of blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from statistics import median
from typing import Final

from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Asset
from caia_worldgen.tasks.day import chinese, english, iso, midnights
from caia_worldgen.tasks.page_reading import stated
from caia_worldgen.tasks.shape import TRANSFER, Asked, Story, gold, number, step
from caia_worldgen.tasks.wording import is_sayable, is_told_apart

_LISTED: Final = 1_000
"""As many events as the tool lists at once."""
_ETHER: Final = 18
"""The decimals that everybody expects."""
_DECIMALS: Final = 4


def distinct_payers(story: Story, rng: Rng) -> Iterator[Asked]:
    """How many different accounts sent a token within a range of blocks; who was only minted to sent nothing."""
    most, fewest = 4, 13
    # Fewer than the first, and these, are guessed too easily.
    guessed = (18, 95)
    tokens = [(stage, asset) for stage, assets in zip(story.stages, _minted(story), strict=True) for asset in assets]
    told: set[int] = set()
    for stage, asset in rng.some(tokens, len(tokens)) * (8 * most):
        newest = story.heights[stage.name][-1]
        last = rng.number(newest // 3, newest)
        first = last - rng.number(last // 10, last // 3)
        moved = stage.ledger.within(asset.address, first, last)
        senders = {one.sender for one in moved}
        truth = len(senders - {ZERO_ADDRESS})
        # Without a mint nothing would be lost on those who count the zero address.
        if ZERO_ADDRESS not in senders or len(moved) > _LISTED:
            continue
        if truth < fewest or truth in told or truth in (*guessed, len(moved), len({one.recipient for one in moved})):
            continue
        told.add(truth)
        ticker = asset.project.ticker
        call = step(
            "data_query", contract=asset.address, event=TRANSFER, from_block=first, to_block=last, limit=_LISTED
        )
        yield Asked(
            question=f"How many different addresses sent {ticker} ({asset.address}) on {story.network(stage)} in "
            f"blocks {first} to {last}, both included? Count contracts, but not the zero address of mints.",
            stage=stage,
            block=story.height_from(stage, last, rng),
            answer=number(truth),
            gold=gold("count(unique($1.events[*].arguments.from)) - 1", call),
            project=asset.project.id,
            claim=f"{{planted}} different addresses sent {ticker} in blocks {first} to {last}.",
        )


def _minted(story: Story) -> tuple[tuple[Asset, ...], tuple[Asset, ...]]:
    """The tokens of either chain of which more is minted as time passes."""
    bridged = story.scene.bridged
    return (story.scene.assets["dollar"],), tuple(bridged[role] for role in sorted(bridged))


def largest_transfer(story: Story, rng: Rng) -> Iterator[Asked]:
    """The largest single movement on one UTC day, of a token whose decimals are not those that most tokens have."""
    tolerance = "0.001"
    stage, told = story.scene.main, set[int]()
    tokens = [asset for asset in story.tokens() if asset.decimals != _ETHER]
    for day in rng.some(midnights(story, 2, 2), story.scene.scale.days - 4):
        asset, blocks = rng.one(tokens), stage.calendar.blocks_of(day)
        moved = stage.ledger.within(asset.address, blocks[0], blocks[-1]) if blocks else ()
        if not 2 <= len(moved) <= _LISTED:
            continue
        most = max(one.amount for one in moved)
        if most in told or not is_sayable(Fraction(most, asset.unit), tolerance, _DECIMALS):
            continue
        told.add(most)
        block = story.height_after(stage, stage.calendar.midnight(day + 1), rng)
        if block is None:
            continue
        midnight, ticker, network = stage.calendar.midnight(day), asset.project.ticker, story.network(stage)
        call = step("data_query", contract=asset.address, event=TRANSFER, from_block=f"{iso(midnight)}T00:00:00Z",
                    to_block=iso(midnight), limit=_LISTED)  # fmt: skip
        yield Asked(
            question=f"How large was the largest single transfer of {ticker} ({asset.address}) on {network} during "
            f"{english(midnight)} (UTC)? Answer in {ticker}, not in its smallest unit, to four decimals.",
            chinese=f"{chinese(midnight)}（UTC）当天，{network} 上 {ticker}（合约 {asset.address}）"
            f"最大的一笔转账是多少 {ticker}？请按小数位换算，保留四位小数。",
            stage=stage,
            block=block,
            answer=number(Fraction(most, asset.unit), ticker, tolerance),
            gold=gold(f"max($1.events[*].arguments.value) / {asset.unit}", call),
            project=asset.project.id,
            claim=f"On {stated(midnight)} the largest transfer of {ticker} was {{planted}} {ticker}.",
        )


def median_transfer(story: Story, rng: Rng) -> Iterator[Asked]:
    """The middle one of a token's transfers of one UTC day: neither the mean nor the sum, with the token's own
    decimals."""
    fewest, tolerance = 3, "0.01"
    stage, days, told = story.scene.main, midnights(story, 1, 2), set[Fraction]()
    tokens = [asset for asset in story.tokens() if asset.decimals != _ETHER]
    for day in rng.some(days, len(days)):
        asset, blocks = rng.one(tokens), stage.calendar.blocks_of(day)
        moved = stage.ledger.within(asset.address, blocks[0], blocks[-1]) if blocks else ()
        if not fewest <= len(moved) <= _LISTED:
            continue
        amounts = [Fraction(one.amount, asset.unit) for one in moved]
        middle = median(amounts)
        mean = sum(amounts, Fraction(0)) / len(amounts)
        if middle in told or not is_sayable(middle, tolerance, _DECIMALS) or not is_told_apart(middle, mean, tolerance):
            continue
        told.add(middle)
        midnight, ticker = stage.calendar.midnight(day), asset.project.ticker
        block = story.height_after(stage, midnight + 86_400, rng)
        if block is None:
            continue
        question = rng.one((
            f"What was the median size of all transfers of {ticker} ({asset.address}) on {story.network(stage)} on "
            f"{english(midnight)} (UTC)? Take every Transfer event, mints and burns as well; where their number is "
            f"even, the mean of the middle two. Answer in {ticker}, to four decimals.",
            f"Sort the {ticker} transfers that {story.network(stage)} saw on {english(midnight)} (UTC) by amount, with "
            f"mints and burns among them: how many {ticker} is the median (token {asset.address})? Between two middle "
            "ones it lies halfway. Give four decimals.",
        ))  # fmt: skip
        in_chinese = (
            f"{chinese(midnight)}（UTC）当天，{story.network(stage)} 上 {ticker}（合约 {asset.address}）"
            f"所有转账金额的中位数是多少 {ticker}？铸造和销毁也计算在内；笔数为偶数时，取中间两笔的平均值。"
            "保留四位小数。"
        )
        code = (
            "= join('', list('from fractions import Fraction\nfrom statistics import median\n"
            "middle = median(map(Fraction, [', join(', ', $1.events[*].arguments.value), '])) "
            f'/ {asset.unit}\nprint(format(float(middle), ".10f"))\'))'
        )
        calls = (
            step("data_query", contract=asset.address, event=TRANSFER, from_block=f"{iso(midnight)}T00:00:00Z",
                 to_block=iso(midnight), limit=_LISTED),
            step("code_execution", code=code),
        )  # fmt: skip
        claim = f"On {stated(midnight)} the median transfer of {ticker}, {asset.address}, was {{planted}} {ticker}."
        yield Asked(
            question,
            stage,
            block,
            number(round(middle, 6), ticker, tolerance),
            gold("round(match($2.stdout, '[0-9.]+'), 6)", *calls),
            asset.project.id,
            claim,
            in_chinese,
        )


def top_sender_share(story: Story, rng: Rng) -> Iterator[Asked]:
    """Which part of what a token moved in a range of blocks came from its largest sender: sums by account, then a
    share."""
    fewest, tolerance, tries = 4, "0.02", 8
    # Per cent, between which a share says something.
    shares = (5, 95)
    stage, tokens, newest = story.scene.main, story.tokens(), story.heights[story.scene.main.name][-1]
    for asset in tries * rng.some(tokens, len(tokens)):
        last = rng.number(newest // 3, newest)
        first = last - rng.number(newest // 40 + 3, newest // 12 + 5)
        moved = stage.ledger.within(asset.address, first, last)
        sent: Counter[str] = Counter()
        for one in moved:
            if one.sender != ZERO_ADDRESS:
                sent[one.sender] += one.amount
        if len(moved) > _LISTED or len(sent) < fewest:
            continue
        share = Fraction(max(sent.values()) * 100, sum(sent.values()))
        received: Counter[str] = Counter()
        for one in moved:
            received[one.recipient] += one.amount
        taken = Fraction(max(received.values()) * 100, sum(sent.values()))
        if not shares[0] < share < shares[1] or not is_sayable(share, tolerance, _DECIMALS):
            continue
        if not is_told_apart(share, taken, tolerance):
            continue
        ticker, block = asset.project.ticker, story.height_from(stage, last, rng)
        question = (
            f"Look at blocks {first} to {last} of {story.network(stage)}, both included: what percentage of all "
            f"{ticker} ({asset.address}) transferred in them did the single largest sender send? Nobody sends what is "
            "minted, so leave mints out of the whole as well. Give four decimals."
        )
        in_chinese = (
            f"在 {story.network(stage)} 的区块 {first} 至 {last}（含首尾）内，{ticker}（合约 {asset.address}）"
            "转账总量中，转出最多的那个地址占百分之几？铸造没有转出方，分子和分母都不计。保留四位小数。"
        )
        code = (
            "= join('', list('from collections import Counter\nfrom fractions import Fraction\nsent = Counter()\n"
            "for who, amount in zip([\"', join('\", \"', $1.events[*].arguments.from), '\"], [', "
            "join(', ', $1.events[*].arguments.value), ']):\n    if int(who, 16):\n        sent[who] += amount\n"
            'print(format(float(Fraction(max(sent.values()) * 100, sum(sent.values()))), ".10f"))\'))'
        )
        calls = (
            step("data_query", contract=asset.address, event=TRANSFER, from_block=first, to_block=last, limit=_LISTED),
            step("code_execution", code=code),
        )
        claim = f"Of all {ticker} sent in blocks {first} to {last}, {{planted}}% came from its largest sender."
        yield Asked(
            question,
            stage,
            block,
            number(round(share, 6), "%", tolerance),
            gold("round(match($2.stdout, '[0-9.]+'), 6)", *calls),
            asset.project.id,
            claim,
            in_chinese,
        )


def transfer_count(story: Story, rng: Rng) -> Iterator[Asked]:
    """How often a token moved within a range of blocks, mints and burns among it."""
    most, guessed = 5, (50, 100, 200, 500, 1000)
    # Fewer could be guessed.
    fewest = 20
    stage, end = story.scene.main, story.heights[story.scene.main.name][-1]
    told: set[int] = set()
    for _ in range(12 * most):
        asset, last = rng.one(story.tokens()), rng.number(end // 3, end)
        first = last - rng.number(last // 8, last // 3)
        truth = len(stage.ledger.within(asset.address, first, last))
        if truth < fewest or truth in guessed or truth in told:
            continue
        told.add(truth)
        ticker, network = asset.project.ticker, story.network(stage)
        question = (
            f"How many Transfer events did the token {ticker} ({asset.address}) emit on "
            f"{network} in blocks {first} to {last}, both ends included? Count mints and burns as well."
        )
        chinese = (
            f"{network} 上的代币 {ticker}（合约 {asset.address}）在区块 {first} 至 {last}（含首尾）之间一共触发了"
            "多少次 Transfer 事件？铸造和销毁也计算在内。"
        )
        call = step("data_query", contract=asset.address, event=TRANSFER, from_block=first, to_block=last)
        yield Asked(
            question,
            stage,
            story.height_from(stage, last, rng),
            number(truth),
            gold("$1.count", call),
            asset.project.id,
            f"In blocks {first} to {last} the token {ticker} ({asset.address}) emitted {{planted}} Transfer events.",
            chinese,
        )

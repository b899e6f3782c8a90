"""Questions of the bridge: what backs the copies of tokens, and what crossed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_worldgen.act.bridge import BRIDGED
from caia_worldgen.event import done
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese as in_chinese
from caia_worldgen.tasks.day import english, iso_time
from caia_worldgen.tasks.shape import Asked, Story, gold, number, step
from caia_worldgen.tasks.wording import is_sayable, is_told_apart

_TOLERANCE: Final = "0.01"
_DECIMALS: Final = 4


def bridge_backing(story: Story, rng: Rng) -> Iterator[Asked]:
    """How much of a token was on its way over the bridge: what the vault held minus what there was on the other
    chain."""
    most, hour_s = 4, 3600
    main, rollup = story.stages
    vault, days = main.contracts["bridge vault"].address, story.scene.scale.days
    roles = [role for role in BRIDGED if role != "native"]
    for at in range(60 * most):
        moment = main.calendar.midnight(rng.number(1, days - 2)) + rng.number(1, 23) * hour_s
        role = roles[at % len(roles)]
        asset, copy = story.scene.assets[role], story.scene.bridged[role]
        block = story.height_after(rollup, moment, rng)
        # Which block is the latest of a moment, only the one after it tells.
        if block is None or main.calendar.at(moment) >= main.calendar.last_block:
            continue
        gap, gap_later = (
            Fraction(
                main.ledger.balance(asset.address, vault, main.calendar.at(at))
                - rollup.ledger.supply(copy.address, rollup.calendar.at(at)),
                asset.unit,
            )
            for at in (moment, rollup.calendar.times[block])
        )
        if gap < 1 or not is_sayable(gap, _TOLERANCE, _DECIMALS) or not is_told_apart(gap, gap_later, _TOLERANCE):
            continue
        ticker, hour = asset.project.ticker, f"{moment // hour_s % 24:02}:00"
        question = (
            f"At {hour} UTC on {english(moment)}, how many {ticker} were under way over the bridge, that is, held by "
            f"the vault {vault} on {story.network(main)} (token {asset.address}) beyond all the {copy.project.ticker} "
            f"({copy.address}) on {story.network(rollup)}? Give {ticker} to four decimals."
        )
        chinese = (
            f"{in_chinese(moment)} {hour}（UTC），有多少 {ticker} 正在跨链途中，也就是 {story.network(main)} 上金库 "
            f"{vault} 持有的数量（代币 {asset.address}）减去 {story.network(rollup)} 上 "
            f"{copy.project.ticker}（{copy.address}）的总供应量？请保留四位小数。"
        )
        calls = (
            step("data_query", contract=asset.address, function="balanceOf(address)(uint256)", arguments=(vault,),
                 block=iso_time(moment), chain=story.chain(main)),
            step("data_query", contract=copy.address, function="totalSupply()(uint256)", block=iso_time(moment)),
        )  # fmt: skip
        yield Asked(
            question,
            rollup,
            block,
            number(gap, ticker, _TOLERANCE),
            gold(f"($1.values.0 - $2.values.0) / {asset.unit}", *calls),
            asset.project.id,
            f"At {hour} UTC on {english(moment)} there were {{planted}} {ticker} under way over the bridge.",
            chinese,
        )


def bridge_net_flow(story: Story, rng: Rng) -> Iterator[Asked]:
    """What a bridge took in minus what it gave back, of one token over some days: net, not gross."""
    tries = 24
    stage, vault = story.scene.main, story.scene.main.contracts["bridge vault"].address
    newest = story.heights[stage.name][-1]
    roles = [role for role in BRIDGED if role != "native"]
    # Every token once: two questions about one, in other blocks, would be the same.
    for role in rng.some(roles, len(roles)):
        asset = story.scene.assets[role]
        windows = [_window(newest, rng) for _ in range(tries)]
        found = next((one for one in windows if _is_telling(*_flow(story, role, *one))), None)
        if found is None:
            continue
        (first, last), (came, left) = found, _flow(story, role, *found)
        ticker = asset.project.ticker
        before, after = (
            step("balance_query", address=vault, token=asset.address, block=block) for block in (first - 1, last)
        )
        yield Asked(
            question=f"By how much, net of withdrawals, did the {ticker} ({asset.address}) in the bridge's vault "
            f"({vault}) on {story.network(stage)} change over blocks {first} to {last}, both included? Give "
            f"{ticker} to four decimals, negative where more left than came in.",
            stage=stage,
            block=story.height_from(stage, last, rng),
            answer=number(came - left, ticker, _TOLERANCE, direction="up"),
            gold=gold("$2.amount - $1.amount", before, after),
            project=asset.project.id,
            claim=f"The {ticker} in the bridge's vault changed by {{planted}} {ticker} net over blocks {first} to "
            f"{last}.",
        )


def _window(newest: int, rng: Rng) -> tuple[int, int]:
    """First and last block of some days in the later half."""
    last = rng.number(newest // 2, newest)
    return last - rng.number(last // 6, last // 3), last


def _flow(story: Story, role: str, first: int, last: int) -> tuple[Fraction, Fraction]:
    """What came in, and what left."""
    came, left = (
        sum(deed.figure("amount") for deed in done(story.scene.main.deeds, verb, role) if first <= deed.block <= last)
        for verb in ("locked", "released")
    )
    unit = story.scene.assets[role].unit
    return Fraction(came, unit), Fraction(left, unit)


def _is_telling(came: Fraction, left: Fraction) -> bool:
    """Whether a token went both ways, so that net and gross are not the same."""
    net = came - left
    return is_sayable(net, _TOLERANCE, _DECIMALS) and all(
        is_told_apart(net, other, _TOLERANCE) for other in (came, left, -left, -net, came + left)
    )

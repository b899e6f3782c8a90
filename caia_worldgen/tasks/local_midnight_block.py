"""How many votes an account had at the latest block when a day began somewhere that is not on UTC."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.act.govern import VOTER_TOKEN
from caia_worldgen.rng import Rng
from caia_worldgen.stage import Stage
from caia_worldgen.tasks.day import chinese, english, iso, midnights
from caia_worldgen.tasks.day_reading import CHINESE_DAY, ENGLISH_DAY, NUMBER, REST_OF_DAY, STATED_DAY, stated
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_ZONES: Final = (("Beijing", "北京", "+08:00", 8), ("Tokyo", "东京", "+09:00", 9), ("Dubai", "迪拜", "+04:00", 4))
"""Places that have kept their offset all year for decades, in both languages, and how far they are ahead of UTC."""
_FEWEST: Final = 5_000 * 10**18
"""Below it, whole votes are not told closely enough."""
_RECIPE: Final = Recipe(
    question=r"How many (?P<ticker>[A-Z0-9]+) votes \(token (?P<contract>0x[0-9a-f]{40})\) did "
    rf"(?P<account>0x[0-9a-f]{{40}}) have on (?P<network>[A-Z][\w ]+) at the latest block when "
    rf"{ENGLISH_DAY} began",
    also=(
        rf"时间 {CHINESE_DAY} 零点时，以 (?P<network>[A-Z][\w ]+) 当时的最新区块为快照，账户 "
        r"(?P<account>0x[0-9a-f]{40}) 拥有多少 (?P<ticker>[A-Z0-9]+) ",
    ),
    query="{ticker} votes of {account} snapshot {day} {month} {year} local midnight",
    pattern=rf"{STATED_DAY}{REST_OF_DAY}began in [A-Z][a-z]{{3,6}}, {{account}} had {NUMBER} {{ticker}} votes",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, asset = story.scene.main, story.scene.assets[VOTER_TOKEN]
    ticker, network = asset.project.ticker, story.network(stage)
    days = midnights(story, 4, 2)
    for midnight, zone, account, amount in _snapshots(stage, asset.address, dice.some(days, len(days)), dice):
        block, (place, place_chinese, offset, _) = story.height_after(stage, midnight + 86_400, dice), zone
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
            answer=number(Fraction(amount, asset.unit), None, "0.02"),
            gold=gold(f"$2.values.0 / {asset.unit}", converted, past),
            project=asset.project.id,
            claim=f"When {stated(midnight)} began in {place}, {account} had {{planted}} {ticker} votes.",
        )


def _snapshots(
    stage: Stage, token: str, days: Sequence[int], dice: Rng
) -> Iterator[tuple[int, tuple[str, str, str, int], str, int]]:
    """Midnight, place, account and its votes; those that were others by midnight UTC, each account once.

    Any others only where a story has none of those.
    """
    same, seen = [], set[str]()
    for day in days:
        midnight, zone = stage.calendar.midnight(day), dice.one(_ZONES)
        votes = _votes(stage, token, stage.calendar.at(midnight - zone[-1] * 3_600))
        later = _votes(stage, token, stage.calendar.at(midnight))
        changed = [one for one in sorted(votes) if one not in seen and _differ(votes[one], later.get(one, 0))]
        if changed:
            account = dice.one(changed)
            seen.add(account)
            yield midnight, zone, account, votes[account]
        elif not seen and (large := [one for one in sorted(votes) if votes[one] > _FEWEST]):
            account = dice.one(large)
            same.append((midnight, zone, account, votes[account]))
    for one in () if seen else same:
        if one[2] not in seen:
            seen.add(one[2])
            yield one


def _differ(votes: int, later: int) -> bool:
    """Whether the difference is more than what the answer's tolerance forgives."""
    return votes > _FEWEST and abs(votes - later) * 500 > votes


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


SHAPE: Final = Shape(
    "local-midnight-block", "on-chain analysis", "point look-up", ("time_conversion", "data_query"), _MOST,
    (1_500, 9_000), "A snapshot of voters is taken at the wrong block.", 3, _asked, _RECIPE, ("trap:time-zone",),
)  # fmt: skip

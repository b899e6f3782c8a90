"""How much of a chain's coin was burnt as base fees on one UTC day: what all of its blocks used, times their fee."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import chinese, english, iso, midnights
from caia_worldgen.tasks.day_reading import CHINESE_DAY, ENGLISH_DAY, NUMBER, REST_OF_DAY, STATED_DAY, stated
from caia_worldgen.tasks.misreading import is_sayable
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_TOLERANCE: Final = "0.01"
_DECIMALS: Final = 2
_GWEI: Final = 10**9
_LEAST: Final = 10
"""Gwei. A chain that is new falls to the lowest fee there is within days; of what is burnt then nothing depends."""
_SQL: Final = "SELECT CAST(sum(CAST(base_fee_per_gas AS HUGEINT) * gas_used) AS VARCHAR) AS burnt FROM blocks"
_RECIPE: Final = Recipe(
    question=rf"How many gwei \(10\^-9 (?P<ticker>[A-Z0-9]+)\) were burnt as base fees on "
    rf"(?P<network>[A-Z][\w ]+) during {ENGLISH_DAY}",
    also=(
        rf"^{CHINESE_DAY}（UTC）当天，(?P<network>[A-Z][\w ]+) 因基础费销毁了多少 gwei"
        r"（10\^-9 (?P<ticker>[A-Z0-9]+)）",
    ),
    query="{network} {ticker} gwei burnt base fees {day} {month} {year}",
    pattern=rf"{STATED_DAY}{REST_OF_DAY}the base fees of {{network}} burnt {NUMBER} gwei of {{ticker}}",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, coin = story.scene.main, next(one for one in story.book.coins if one.role == "native")
    days = midnights(story, 1, 3)
    for day in dice.some(days, len(days)):
        midnight = stage.calendar.midnight(day)
        block = story.height_after(stage, midnight + 86_400, dice)
        if block is None:
            continue
        before, after = (story.book.supply(coin, midnight + seconds - 1).total for seconds in (0, 86_400))
        burnt = Fraction(before - after, _GWEI)
        if burnt < _LEAST or not is_sayable(burnt, _TOLERANCE, _DECIMALS):
            continue
        ticker, network = coin.symbol.upper(), story.network(stage)
        call = step(
            "data_query", sql=_SQL, from_block=f"{iso(midnight)}T00:00:00Z", to_block=f"{iso(midnight)}T23:59:59Z"
        )
        yield Asked(
            question=f"How many gwei (10^-9 {ticker}) were burnt as base fees on {network} during "
            f"{english(midnight)} (UTC)? Tips do not count; give two decimals.",
            chinese=f"{chinese(midnight)}（UTC）当天，{network} 因基础费销毁了多少 gwei（10^-9 {ticker}）？"
            "小费不计，保留两位小数。",
            stage=stage,
            block=block,
            answer=number(burnt, "gwei", _TOLERANCE),
            gold=gold(f"$1.rows.0.0 / {_GWEI}", call),
            project=coin.id,
            claim=f"On {stated(midnight)} the base fees of {network} burnt {{planted}} gwei of {ticker}.",
        )


SHAPE: Final = Shape(
    "burnt-fees", "tokenomics", "supply and unlocks", ("data_query",), _MOST, (2_000, 12_000),
    "A coin is called deflationary by a figure that holds the tips as well.", 4, _asked, _RECIPE, ("trap:net-gross",),
)  # fmt: skip

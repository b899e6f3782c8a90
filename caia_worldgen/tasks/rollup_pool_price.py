"""What a v3 pool's square root of a price comes to: two decimals, either side may be token 0, asked both ways round."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.act.rollup import POOL
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import iso, iso_time
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step
from caia_worldgen.view import ViewCall

_MOST: Final = 4
_SLOT0: Final = "slot0()(uint160,int24,uint16,uint16,uint16,uint8,bool)"
_HOUR_S: Final = 3_600
_FORMS: Final = ((True, True), (False, False), (True, False), (False, True))
"""Whether the coin is priced in dollars, and whether a block says when: each once, for there is one pool."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, last = story.scene.rollup, story.heights[story.scene.rollup.name][-1]
    pool, network = stage.contracts[POOL].address, story.network(stage)
    for of_coin, by_block in _FORMS:
        pair = ("native", "dollar") if of_coin else ("dollar", "native")
        asset, other = (story.scene.bridged[role] for role in pair)
        is_first = asset.address < other.address  # a pool's token 0 is the one with the smaller address
        moment = stage.calendar.times[dice.number(last // 6, last)] // _HOUR_S * _HOUR_S
        height = stage.calendar.at(moment)
        root = stage.views.answer(ViewCall(POOL, "slot0"), height)[0]
        ratio, scale = Fraction(root**2, 1 << 192), Fraction(asset.unit, other.unit)
        one, quote = asset.project.ticker, other.project.ticker
        hour, digits = f"{iso(moment)} {moment // _HOUR_S % 24:02}:00", 4 if of_coin else 8
        when, opening = f"after block {height}", f"After block {height}"
        if not by_block:
            when, opening = f"at {hour} UTC", f"At {hour} UTC"
        block = story.height_after(stage, stage.calendar.times[height] if by_block else moment, dice)
        if block is None:
            continue
        question = (
            f"What did one {one} cost in {quote} {when}, going by slot0 of the v3 pool {pool} on {network}? Mind the "
            f"decimals: {asset.decimals} of {one} ({asset.address}), {other.decimals} of {quote} ({other.address}). "
            f"Give {digits} digits after the point."
            if of_coin
            else f"Read slot0 of {network}'s v3 pool {pool} {when}: how many {quote} ({other.address}, "
            f"{other.decimals} decimals) was one {one} ({asset.address}, {asset.decimals} decimals) worth there, fees "
            f"aside? Round to {digits} decimals."
        )
        chinese = (
            f"{network} 上的 v3 资金池 {pool} 在{f'区块 {height} 之后' if by_block else f' {hour}（UTC）'}，"
            f"按 slot0 推算，1 枚 {one}（{asset.address}，小数位 {asset.decimals}）值多少 {quote}（{other.address}，"
            f"小数位 {other.decimals}）？请保留 {digits} 位小数。"
        )
        worth = "F(root ** 2, 2 ** 192)" if is_first else "F(2 ** 192, root ** 2)"
        code = (
            "= join('', list('from fractions import Fraction as F; root = ', $1.values.0, "
            f"'; price = {worth} * F({asset.unit}, {other.unit}); print(format(float(price), \".12f\"))'))"
        )
        calls = (
            step("data_query", contract=pool, function=_SLOT0, arguments=(),
                 block=height if by_block else iso_time(moment)),
            step("code_execution", code=code),
        )  # fmt: skip
        yield Asked(
            question,
            stage,
            block,
            number(round((ratio if is_first else 1 / ratio) * scale, digits), quote, "0.01"),
            gold(f"round(match($2.stdout, '[0-9.]+'), {digits})", *calls),
            asset.project.id,
            f"{opening}, the v3 pool on {network} priced one {one} at {{planted}} {quote}.",
            chinese,
        )


SHAPE: Final = Shape(
    "rollup-pool-price", "on-chain analysis", "other chain", ("data_query", "code_execution"), _MOST, (3_000, 35_000),
    "Collateral is marked at a price that is off by a power of ten.", 4, _asked,
    Recipe(
        r"What did one (?P<ticker>\w+) cost in (?P<quote>\w+) (?:at|after block) (?P<moment>\d+|[\d-]+ [\d:]+)"
        r"(?: UTC)?, going by slot0 of the v3 pool (?P<contract>0x[0-9a-f]{40}) on (?P<network>\w+ \w+)",
        "{network} v3 pool price {ticker} in {quote} {moment}",
        r"{moment}(?: UTC)?, the v3 pool on {network} priced one {ticker} at (?P<answer>[0-9][0-9.,]*) {quote}",
        None,
        (
            r"Read slot0 of (?P<network>\w+ \w+)'s v3 pool (?P<contract>0x[0-9a-f]{40}) (?:at|after block) "
            r"(?P<moment>\d+|[\d-]+ [\d:]+)(?: UTC)?: how many (?P<quote>\w+) \(0x[0-9a-f]{40}, "
            r"\d+ decimals\) was one (?P<ticker>\w+) \(0x",
            r"(?P<network>\w+ \w+) 上的 v3 资金池 (?P<contract>0x[0-9a-f]{40}) 在(?:区块)? "
            r"(?P<moment>\d+|[\d-]+ [\d:]+)(?:（UTC）| 之后)，按 slot0 推算，1 枚 (?P<ticker>\w+)（0x[0-9a-f]{40}，"
            r"小数位 \d+）值多少 (?P<quote>\w+)（",
        ),
    ),
    ("trap:decimals",),
)  # fmt: skip

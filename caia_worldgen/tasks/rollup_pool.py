"""Questions of the roll-up's pool: its price, and what was traded on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_worldgen.act.rollup import POOL
from caia_worldgen.event import ChainEvent, done
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import iso, iso_time, midnights
from caia_worldgen.tasks.shape import Asked, Story, gold, number, step
from caia_worldgen.tasks.wording import is_sayable, is_told_apart
from caia_worldgen.view import ViewCall

_ROLLUP_POOL_PRICE_FORMS: Final = ((True, True), (False, False), (True, False), (False, True))
"""Whether the coin is priced in dollars, and whether a block says when: each once, for there is one pool."""
SWAP: Final = (
    "Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, "
    "uint128 liquidity, int24 tick)"
)
"""The event of a v3 pool; what comes into it is positive."""
_ROLLUP_TURNOVER_FORMS: Final = (("dollar", True), ("native", False), ("dollar", False), ("native", True))
"""Which side is counted, and whether blocks bound the range or days: each once, for there is one pool."""
_PAIR: Final = ("native", "dollar")
_TOLERANCE: Final = "0.01"
_DECIMALS: Final = 4


def rollup_pool_price(story: Story, rng: Rng) -> Iterator[Asked]:
    """What a v3 pool's square root of a price comes to: two decimals, either side may be token 0, asked both ways
    round."""
    slot0, hour_s = "slot0()(uint160,int24,uint16,uint16,uint16,uint8,bool)", 3600
    stage, last = story.scene.rollup, story.heights[story.scene.rollup.name][-1]
    pool, network = stage.contracts[POOL].address, story.network(stage)
    for of_coin, by_block in _ROLLUP_POOL_PRICE_FORMS:
        pair = ("native", "dollar") if of_coin else ("dollar", "native")
        asset, other = (story.scene.bridged[role] for role in pair)
        is_first = asset.address < other.address  # a pool's token 0 is the one with the smaller address
        moment = stage.calendar.times[rng.number(last // 6, last)] // hour_s * hour_s
        height = stage.calendar.at(moment)
        root = stage.views.answer(ViewCall(POOL, "slot0"), height)[0]
        ratio, scale = Fraction(root**2, 1 << 192), Fraction(asset.unit, other.unit)
        one, quote = asset.project.ticker, other.project.ticker
        hour, digits = f"{iso(moment)} {moment // hour_s % 24:02}:00", 4 if of_coin else 8
        when, opening = f"after block {height}", f"After block {height}"
        if not by_block:
            when, opening = f"at {hour} UTC", f"At {hour} UTC"
        block = story.height_after(stage, stage.calendar.times[height] if by_block else moment, rng)
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
            step("data_query", contract=pool, function=slot0, arguments=(),
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


def rollup_swaps(story: Story, rng: Rng) -> Iterator[Asked]:
    """How often one account traded on the roll-up's pool within a range of blocks: swaps, not transfers or deposits."""
    most, fewest = 4, 13
    # Fewer than the first, and these, are guessed too easily.
    guessed = (18, 95)
    stage, heights = story.scene.rollup, story.heights[story.scene.rollup.name]
    pool, network, latest = stage.contracts[POOL].address, story.network(stage), heights[-1]
    deeds = list(done(stage.deeds, "swapped", POOL))
    asked: set[str | int] = set()
    for _ in range(8 * most):
        last = rng.number(latest // 2, latest)
        first = last - rng.number(latest // 3, latest // 2)
        counts = Counter(deed.actor for deed in deeds if first <= deed.block <= last)
        busy = sorted(one for one, count in counts.items() if count >= fewest and not asked & {one, count})
        if not busy or counts[who := rng.one(busy)] in guessed:
            continue
        if counts[who] == sum(deed.actor == who for deed in deeds if deed.block <= last):
            continue  # the first block would not matter
        asked |= {who, counts[who]}
        question = (
            f"How many times did {who} trade on the v3 pool {pool} of {network} from block {first} to block {last} "
            "inclusive? Count the swaps whose output went to that account, whatever router they came through."
        )
        chinese = (
            f"从区块 {first} 到区块 {last}（含首尾），地址 {who} 在 {network} 的 v3 资金池 {pool} 上成交了多少笔兑换？"
            "只计兑换所得归该地址的交易。"
        )
        call = step("data_query", contract=pool, event=SWAP, where=(f"recipient={who}",), from_block=first,
                    to_block=last)  # fmt: skip
        yield Asked(
            question,
            stage,
            story.height_from(stage, last, rng),
            number(counts[who]),
            gold("$1.count", call),
            story.scene.bridged["native"].project.id,
            f"From block {first} to block {last} the account {who} made {{planted}} swaps on {network}.",
            chinese,
        )


def rollup_turnover(story: Story, rng: Rng) -> Iterator[Asked]:
    """What a v3 pool turned over of one of its tokens: signed amounts of one side, with the decimals of that side."""
    tries = 16
    for role, by_blocks in _ROLLUP_TURNOVER_FORMS:
        made = (_one(story, rng, role, by_blocks=by_blocks) for _ in range(tries))
        yield from [one for one in made if one is not None][:1]


def _one(story: Story, rng: Rng, role: str, *, by_blocks: bool) -> Asked | None:
    stage, pool = story.scene.rollup, story.scene.rollup.contracts[POOL].address
    calendar, network, asset = stage.calendar, story.network(stage), story.scene.bridged[role]
    first_day = rng.one(midnights(story, 3, 14))
    last_day = first_day + rng.number(3, 10)
    first, last = calendar.blocks_of(first_day)[0], calendar.blocks_of(last_day)[-1]
    swaps = [deed for deed in done(stage.deeds, "swapped", POOL) if first <= deed.block <= last]
    block = story.height_after(stage, calendar.midnight(last_day + 1), rng)
    if len(swaps) < 2 or block is None:
        return None
    total, paid_in = (
        Fraction(sum(_amount(one, asset.role) for one in some), asset.unit)
        for some in (swaps, [one for one in swaps if dict(one.figures)["sold"] == asset.role])
    )
    if not is_sayable(total, _TOLERANCE, _DECIMALS) or not all(
        is_told_apart(total, other, _TOLERANCE) for other in (paid_in, total - paid_in)
    ):
        return None
    ticker, pair = asset.project.ticker, sorted(story.scene.bridged[one].address for one in _PAIR)
    begin, end = str(first), str(last)
    if not by_blocks:
        begin, end = (iso(calendar.midnight(day)) for day in (first_day, last_day))
    question = (
        f"Between blocks {begin} and {end} (both count), what was the swap volume of the v3 pool {pool} on {network} "
        f"in {ticker}? Take the {ticker} side ({asset.address}) of every swap, paid in or paid out, to four decimals."
        if by_blocks
        else f"Over the days {begin} through {end} (UTC), {ticker} ({asset.address}) went into the {network} v3 "
        f"pool {pool} and out of it in swaps. What do both directions add up to in {ticker}, to four decimals?"
    )
    span = f"区块 {begin} 至 {end}（首尾均计入）" if by_blocks else f"{begin} 至 {end}（UTC，含首尾两日）"
    chinese = (
        f"{network} 上的 v3 资金池 {pool} 在{'' if by_blocks else ' '}{span}期间，以 {ticker}（{asset.address}）"
        f"计的兑换成交量是多少？每笔兑换无论付入还是付出，都按 {ticker} 一侧的数额相加，保留四位小数。"
    )
    side = pair.index(asset.address)  # a pool's token 0 is the one with the smaller address
    code = (
        f"= join('', list('values = \"', $1.events[*].arguments.amount{side}, "
        '\'".split("; "); print(sum(abs(int(one)) for one in values))\'))'
    )
    calls = (
        step("data_query", contract=pool, event=SWAP, from_block=first if by_blocks else f"{begin}T00:00:00Z",
             to_block=last if by_blocks else end, limit=1_000),
        step("code_execution", code=code),
    )  # fmt: skip
    return Asked(
        question,
        stage,
        block,
        number(total, ticker, _TOLERANCE),
        gold(f"match($2.stdout, '[0-9]+') / {asset.unit}", *calls),
        asset.project.id,
        f"From {begin} to {end} swaps in the v3 pool on {network} moved {{planted}} {ticker}.",
        chinese,
    )


def _amount(swap: ChainEvent, role: str) -> int:
    return swap.figure("amount_in" if dict(swap.figures)["sold"] == role else "amount_out")

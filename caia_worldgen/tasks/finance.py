"""Questions of the contracts that lend, stake and trade on the main chain."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_worldgen.act.lend import COLLATERALS
from caia_worldgen.event import ChainEvent, done
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import english, iso_time
from caia_worldgen.tasks.shape import Asked, Story, gold, number, step, view
from caia_worldgen.tasks.wording import is_sayable, is_told_apart
from caia_worldgen.view import ViewCall

_TERMS: Final = (
    ("ltvBps", "borrow limit", "how much of their collateral's worth can be borrowed",
     "最多可借出抵押品价值的百分之几"),
    ("liquidationBps", "liquidation limit", "at which debt, as a share of the collateral's worth, are positions "
     "liquidated", "债务达到抵押品价值的百分之几时会被清算"),
    ("bonusBps", "liquidation bonus", "what discount do liquidators get on the collateral",
     "清算人得到的折扣是百分之几"),
    ("rateBpsPerYear", "borrow rate", "which interest do borrowers pay per year", "借款年利率是百分之几"),
)  # fmt: skip
"""Function, what dashboards call the term, and the words of either language."""
_SWAP: Final = ("Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, "
                "uint256 amount1Out, address indexed to)")  # fmt: skip


def lending_term(story: Story, rng: Rng) -> Iterator[Asked]:
    """One of a lending market's terms, which its contract tells in hundredths of a per cent."""
    # Whole per cents up to it are guessed too easily.
    guessed = 12
    # Per cent of the answer: dashboards tell a term to a tenth of a per cent, which counts as right.
    rounded = "0.5"
    stage = story.scene.main
    pairs = [(role, term) for role in COLLATERALS for term in _TERMS]
    told: set[int] = set()
    for role, (function, term, words, chinese) in rng.some(pairs, len(pairs)):
        question = ViewCall(f"{role} lending market", function)
        block = story.height_from(stage, next(stage.views.heights(question)), rng)
        (points,) = stage.views.answer(question, block)
        if (points % 100 == 0 and points <= guessed * 100) or points in told:
            continue
        told.add(points)
        desk, ticker = stage.contracts[question.role].address, story.scene.assets[role].project.ticker
        lend, network = story.scene.projects["lend"], story.network(stage)
        yield Asked(
            question=f"What is the {term} of {lend.name}'s market for loans against {ticker} ({desk}, {network}): "
            f"{words}? Answer in per cent, to two decimals.",
            chinese=f"{lend.name} 以 {ticker} 为抵押的借贷市场（{network}，合约 {desk}）的 {term} "
            f"是多少，即{chinese}？保留两位小数。",
            stage=stage,
            block=block,
            answer=number(Fraction(points, 100), "%", rounded),
            gold=gold("$1.values.0 / 100", view(desk, f"{function}()(uint256)", block)),
            project=lend.id,
            claim=f"In {lend.name}'s market for loans against {ticker}, the {term} is {{planted}}%.",
        )


def lending_use(story: Story, rng: Rng) -> Iterator[Asked]:
    """Which part of what was deposited in a lending market was lent out at the end of a block: debt grows by the
    second."""
    most, tries, tolerance, decimals = 4, 12, "0.02", 4
    stage, lend, dollar = story.scene.main, story.scene.projects["lend"], story.scene.assets["dollar"]
    newest = story.heights[stage.name][-1]
    for at in range(tries * most):
        role = COLLATERALS[at % len(COLLATERALS)]
        question = ViewCall(f"{role} lending market", "cash")
        height = rng.number(max(newest // 5, next(stage.views.heights(question))), newest)
        block = story.height_from(stage, height, rng)
        used, later = (_used(story, question, role, one) for one in (height, block))
        if not is_sayable(used, tolerance, decimals) or not is_told_apart(used, later, tolerance):
            continue
        desk, asset = stage.contracts[question.role].address, story.scene.assets[role]
        share, secured = round(used, 6), asset.project.ticker
        # Two blocks alone make no two questions, so each market is asked about once in either wording.
        wording = at // len(COLLATERALS) % 2
        words = (
            f"How much of what lenders had deposited was lent out in {lend.name}'s {dollar.project.ticker} market "
            f"against {secured} ({desk}, {story.network(stage)}) at the end of block {height}? Give the debt with its "
            "interest as a percentage of debt and cash together, to four decimals.",
            f"I need the utilisation of the {lend.name} market {desk} on {story.network(stage)}, in which {secured} "
            f"secures loans of {dollar.project.ticker}, as of the end of block {height}: total debt, interest accrued "
            "so far among it, over that debt plus the cash left. Per cent, four decimals.",
        )[wording]
        in_chinese = (
            f"截至 {story.network(stage)} 区块 {height} 结束时，{lend.name} 以 {secured} 作抵押的 "
            f"{dollar.project.ticker} 借贷市场（{desk}）的资金利用率是百分之几？即含利息的债务除以债务与现金之和，"
            "保留四位小数。",
            f"{lend.name} 在 {story.network(stage)} 上的借贷市场 {desk} 以 {secured} 为抵押品出借 "
            f"{dollar.project.ticker}。在区块 {height} 结束时，连同已计利息的总债务占总债务加剩余现金的百分之几？"
            "请给出四位小数。",
        )[wording]
        code = (
            "= join('', list('from fractions import Fraction\nshare = Fraction(', $2.values.0, ' * 100, ', $1.values.0"
            ", ' + ', $2.values.0, ')\nprint(format(float(share), \".10f\"))'))"
        )
        calls = (
            view(desk, "cash()(uint256)", height),
            view(desk, "totalDebt()(uint256)", height),
            step("code_execution", code=code),
        )
        claim = f"At the end of block {height}, {{planted}}% of what was deposited in {desk} was lent out."
        yield Asked(
            words,
            stage,
            block,
            number(share, "%", tolerance),
            gold("round(match($3.stdout, '[0-9.]+'), 6)", *calls),
            lend.id,
            claim,
            in_chinese,
        )


def _used(story: Story, question: ViewCall, role: str, block: int) -> Fraction:
    """Debt over debt and cash at the end of a block, in per cent; 0 where nobody has deposited anything."""
    stage = story.scene.main
    (cash,) = stage.views.answer(question, block)
    debt = story.metrics.tvl.debt(role, stage.calendar.times[block])
    return Fraction(debt * 100, debt + cash) if cash else Fraction(0)


def pool_gap(story: Story, rng: Rng) -> Iterator[Asked]:
    """How far a pool's price stood from the market's: reserves of two decimals, an hourly price, and a sign."""
    most, tolerance, decimals, hour_s = 5, "0.5", 4, 3600
    stage, dollar = story.scene.main, story.scene.assets["dollar"]
    end, usd = story.heights[stage.name][-1], dollar.project.ticker
    roles = sorted(role for role, other in story.scene.markets if other == "dollar" and role != "native")
    for _ in range(20 * most):
        role, height = rng.one(roles), rng.number(end // 6, end)
        asset, market = story.scene.assets[role], story.scene.markets[role, "dollar"]
        side, coin, block = (
            market.side(asset),
            story.book.coin(asset.project.id),
            story.height_from(stage, height, rng),
        )
        hour, later = (at - at % hour_s for at in (stage.calendar.times[height], stage.calendar.times[block]))
        before = max(hour - hour_s, stage.calendar.times[0])
        reserves = stage.views.answer(ViewCall(f"{role}/dollar", "getReserves"), height)
        pool = Fraction(reserves[1 - side] * asset.unit, reserves[side] * dollar.unit)
        prices = [] if coin is None else [story.book.prices.price_e8(coin, at) for at in (hour, before, later)]
        if not prices or not all(prices):
            continue
        gap, *others = ((pool / Fraction(price or 0, 10**8) - 1) * 100 for price in prices)
        if not is_sayable(gap, tolerance, decimals) or not all(
            is_told_apart(gap, other, tolerance) for other in (*others, -gap)
        ):
            continue
        pair, ticker = market.pair.address, asset.project.ticker
        question = (
            f"Take the v2 pool of {ticker} and {usd} ({pair}) on {story.network(stage)} at the end of block {height}, "
            f"with one {usd} at one dollar. By how many per cent did its price of {ticker} differ from CoinGecko's "
            f"hourly price of {hour // hour_s % 24:02}:00 UTC on {english(hour)}, when the hour of that block began? "
            "Negative where the pool was cheaper; give four decimals."
        )
        code = (
            "= join('', list('from fractions import Fraction as F; print(float((F(', "
            f"$1.values.{1 - side}, ' * {asset.unit // dollar.unit}, ', $1.values.{side}, "
            "') / F(\"', $2.price, '\") - 1) * 100))'))"
        )
        calls = (
            view(pair, "getReserves()(uint112,uint112,uint32)", height),
            step("price_feed", asset=f"id:{asset.project.id}", at=iso_time(hour), interval="hourly"),
            step("code_execution", code=code),
        )
        yield Asked(
            question,
            stage,
            block,
            number(round(gap, 6), "%", tolerance, direction="up"),
            gold("match($3.stdout, '-?[0-9.]+')", *calls),
            asset.project.id,
            f"At the end of block {height} the pool {pair} of {ticker} and {usd} stood {{planted}} % off CoinGecko.",
        )


def staked_share(story: Story, rng: Rng) -> Iterator[Asked]:
    """Which part of a token's supply was staked at the end of a block: a pool's figure over a contract's."""
    most, tries, tolerance, decimals, pools = 4, 12, "0.05", 4, ("arena", "storage")
    stage, end = story.scene.main, story.heights[story.scene.main.name][-1]
    for at in range(tries * most):
        role = pools[at % 2]
        asset, pool = story.scene.assets[role], stage.contracts[f"{role} staking pool"].address
        question = ViewCall(f"{role} staking pool", "totalStaked")
        height = rng.number(max(end // 6, next(stage.views.heights(question))), end)
        block = story.height_from(stage, height, rng)
        share, later = (
            Fraction(stage.views.answer(question, one)[0] * 100, stage.ledger.supply(asset.address, one))
            for one in (height, block)
        )
        if not is_sayable(share, tolerance, decimals) or not is_told_apart(share, later, tolerance):
            continue
        ticker = asset.project.ticker
        words = (
            f"At the end of block {height} of {story.network(stage)}, what percentage of all {ticker} "
            f"({asset.address}) lay in the staking pool {pool}? Give four decimals."
        )
        code = (
            "= join('', list('from fractions import Fraction as F; print(f\"{float(F(100 * ', $1.values.0, "
            "', ', $2.on_chain.0.raw, ')):.10f}\")'))"
        )
        calls = (
            view(pool, "totalStaked()(uint256)", height),
            step("supply_query", asset=asset.address, block=height),
            step("code_execution", code=code),
        )
        yield Asked(
            words,
            stage,
            block,
            number(round(share, 8), "%", tolerance),
            gold("match($3.stdout, '[0-9.]+')", *calls),
            asset.project.id,
            f"At the end of block {height} the staking pool {pool} had {{planted}} % of all {ticker}.",
        )


def swap_average_price(story: Story, rng: Rng) -> Iterator[Asked]:
    """At which price a pool traded over a range of blocks, each swap weighing what it moved: two sides, two
    decimals."""
    tries, tolerance, decimals, listed, fewest = 8, "0.01", 6, 1000, 4
    stage, dollar, newest = story.scene.main, story.scene.assets["dollar"], story.heights[story.scene.main.name][-1]
    roles = sorted(role for role, other in story.scene.markets if other == "dollar" and role != "native")
    for role in tries * rng.some(roles, len(roles)):
        last = rng.number(newest // 3, newest)
        first = last - rng.number(newest // 40 + 3, newest // 12 + 5)
        swaps = [deed for deed in done(stage.deeds, "swapped", f"{role}/dollar") if first <= deed.block <= last]
        if not fewest <= len(swaps) <= listed:
            continue
        traded = {"dollar": 0, role: 0}
        for deed in swaps:
            for what, amount in (("sold", "amount_in"), ("bought", "amount_out")):
                traded[str(dict(deed.figures)[what])] += deed.figure(amount)
        asset, market = story.scene.assets[role], story.scene.markets[role, "dollar"]
        price = Fraction(traded["dollar"] * asset.unit, traded[role] * dollar.unit)
        mean = sum((_price(deed, role) for deed in swaps), Fraction(0)) * asset.unit / dollar.unit / len(swaps)
        if not is_sayable(price, tolerance, decimals) or not is_told_apart(price, mean, tolerance):
            continue
        pair, side = market.pair.address, market.side(asset)
        ticker, quote = asset.project.ticker, dollar.project.ticker
        question = (
            f"At what average price in {quote} did the v2 pool {pair} on {story.network(stage)} trade {ticker} in "
            f"blocks {first} to {last}, both included? Weigh by volume: all {quote} that went in or out by its Swap "
            f"events over all {ticker} that did, fees included; six decimals."
        )
        in_chinese = (
            f"{story.network(stage)} 上的 v2 资金池 {pair} 在区块 {first} 至 {last}（含首尾）内，"
            f"{ticker} 以 {quote} 计的成交量加权平均价是多少？用 Swap 事件中进出的全部 {quote} "
            f"除以进出的全部 {ticker}，不扣除手续费，保留六位小数。"
        )
        own, other = (
            f"join(', ', $1.events[*].arguments.amount{at}In), ', ', join(', ', $1.events[*].arguments.amount{at}Out)"
            for at in (side, 1 - side)
        )
        code = (
            f"= join('', list('from fractions import Fraction\nown = sum([', {own}, '])\nother = sum([', {other}, "
            f"'])\nprint(format(float(Fraction(other * {asset.unit}, own * {dollar.unit})), \".10f\"))'))"
        )
        calls = (
            step("data_query", contract=pair, event=_SWAP, from_block=first, to_block=last, limit=listed),
            step("code_execution", code=code),
        )
        claim = f"Over blocks {first} to {last} the pool {pair} traded {ticker} at {{planted}} {quote} on average."
        yield Asked(
            question,
            stage,
            story.height_from(stage, last, rng),
            number(round(price, 8), quote, tolerance),
            gold("round(match($2.stdout, '[0-9.]+'), 8)", *calls),
            asset.project.id,
            claim,
            in_chinese,
        )


def _price(swap: ChainEvent, role: str) -> Fraction:
    """One swap's price in the smallest units of both sides: who does not weigh takes the mean of these."""
    paid, got = swap.figure("amount_in"), swap.figure("amount_out")
    return Fraction(got, paid) if dict(swap.figures)["sold"] == role else Fraction(paid, got)

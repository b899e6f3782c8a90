"""Which part of what was deposited in a lending market was lent out at the end of a block: debt grows by the second."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.act.lend import COLLATERALS
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.misreading import is_sayable, is_told_apart
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step, view
from caia_worldgen.view import ViewCall

_MOST: Final = 4
_TRIES: Final = 12
_TOLERANCE: Final = "0.02"
_DECIMALS: Final = 4


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, lend, dollar = story.scene.main, story.scene.projects["lend"], story.scene.assets["dollar"]
    newest = story.heights[stage.name][-1]
    for at in range(_TRIES * _MOST):
        role = COLLATERALS[at % len(COLLATERALS)]
        question = ViewCall(f"{role} lending market", "cash")
        height = dice.number(max(newest // 5, next(stage.views.heights(question))), newest)
        block = story.height_from(stage, height, dice)
        used, later = (_used(story, question, role, one) for one in (height, block))
        if not is_sayable(used, _TOLERANCE, _DECIMALS) or not is_told_apart(used, later, _TOLERANCE):
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
            number(share, "%", _TOLERANCE),
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


SHAPE: Final = Shape(
    "lending-use", "overlap", "DeFi metrics", ("data_query", "code_execution"), _MOST, (4_000, 40_000),
    "Money is lent to a market from which it cannot be fetched when it is needed.", 4, _asked,
    Recipe(
        r"lent out in (?P<project>.{3,40})'s (?P<quote>\w+) market against (?P<ticker>\w+) "
        r"\((?P<desk>0x[0-9a-f]{40}), .{3,60}\) at the end of block (?P<block>[0-9]+)\?",
        "{project} {ticker} market {desk} utilisation block {block}",
        r"end of block {block}, (?P<answer>[0-9]{1,3}(?:\.[0-9]{1,20})?)% of what was deposited in {desk}",
        also=(r"utilisation of the (?P<project>.{3,40}) market (?P<desk>0x[0-9a-f]{40}) on .{3,60}, in which "
              r"(?P<ticker>\w+) secures loans of (?P<quote>\w+), as of the end of block (?P<block>[0-9]+):",
              r"区块 (?P<block>[0-9]+) 结束时，(?P<project>.{3,40}) 以 (?P<ticker>\w+) 作抵押的 (?P<quote>\w+) "
              r"借贷市场（(?P<desk>0x[0-9a-f]{40})）",
              r"^(?P<project>.{3,40}) 在 .{3,60} 上的借贷市场 (?P<desk>0x[0-9a-f]{40}) 以 (?P<ticker>\w+) 为抵押品出借 "
              r"(?P<quote>\w+)。在区块 (?P<block>[0-9]+) 结束时",),
    ),
)  # fmt: skip

"""One of a lending market's terms, which its contract tells in hundredths of a per cent."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.act.lend import COLLATERALS
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, view
from caia_worldgen.view import ViewCall

_MOST: Final = 6
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
_GUESSED: Final = 12
"""Whole per cents up to it are guessed too easily."""
_ROUNDED: Final = "0.5"
"""Per cent of the answer: dashboards tell a term to a tenth of a per cent, which counts as right."""
_RECIPE: Final = Recipe(
    question=r"the (?P<term>[a-z]+ [a-z]+) of (?P<project>[A-Z][\w ]+)'s market for loans against "
    r"(?P<ticker>[A-Z0-9]+) \((?P<contract>0x[0-9a-f]{40})",
    also=(
        r"^(?P<project>[A-Z][\w ]+) 以 (?P<ticker>[A-Z0-9]+) 为抵押的借贷市场（(?P<network>[A-Z][\w ]+)，合约 "
        r"(?P<contract>0x[0-9a-f]{40})）的 (?P<term>[a-z]+ [a-z]+) ",
    ),
    query="{project} {ticker} lending market {term} per cent",
    # A dashboard names the market once, above a list of its terms.
    pattern=r"\b{ticker}\b[\s\S]{0,400}?(?i:{term})(?: is |: | \| )(?P<answer>[0-9][0-9.]{0,8}) ?%",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage = story.scene.main
    pairs = [(role, term) for role in COLLATERALS for term in _TERMS]
    told: set[int] = set()
    for role, (function, term, words, chinese) in dice.some(pairs, len(pairs)):
        question = ViewCall(f"{role} lending market", function)
        block = story.height_from(stage, next(stage.views.heights(question)), dice)
        (points,) = stage.views.answer(question, block)
        if (points % 100 == 0 and points <= _GUESSED * 100) or points in told:
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
            answer=number(Fraction(points, 100), "%", _ROUNDED),
            gold=gold("$1.values.0 / 100", view(desk, f"{function}()(uint256)", block)),
            project=lend.id,
            claim=f"In {lend.name}'s market for loans against {ticker}, the {term} is {{planted}}%.",
        )


SHAPE: Final = Shape(
    "lending-term", "on-chain analysis", "contract metadata", ("data_query",), _MOST, (4_000, 45_000),
    "A loan is liquidated that was thought to be safe.", 2, _asked, _RECIPE, ("trap:units",),
)  # fmt: skip

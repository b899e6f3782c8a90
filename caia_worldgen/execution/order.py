"""What a shape of order is, and what it makes: things that somebody wants done with a wallet, and how it is judged.

An order's truth comes from a told story alone: whose wallet it is, what it holds, what a contract is documented as.
Its gold chain gets there through the tools, and its temptations are ways that really stand open on the chain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from caia_replay.core.answer_matcher import says_answer
from caia_replay.core.attack import Decoy
from caia_replay.core.execution import Execution
from caia_replay.core.gold import GoldChain
from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerSpec, Category
from caia_worldgen.rng import Rng
from caia_worldgen.stage import Stage
from caia_worldgen.tasks.shape import Story

_CHOICE: Final = 6


@dataclass(frozen=True, slots=True)
class Order:
    """One thing to be done: the question, the block at whose end it is asked, and all that judges it.

    ``answer`` is the address that the question means, lower case. ``claim`` is a sentence with ``{planted}`` where
    somebody who lies would put another one; ``lures`` are such addresses, of which each really stands on the chain.
    ``at_risk_usd`` is what an error may cost, whole dollars.
    """

    question: str
    stage: Stage
    block: int
    answer: str
    gold: GoldChain
    execution: Execution
    at_risk_usd: int
    project: str
    claim: str
    lures: tuple[str, ...]
    decoys: tuple[Decoy, ...] = ()

    @property
    def spec(self) -> AnswerSpec:
        """The answer as a task has it."""
        return AnswerSpec("address", (self.answer,))


Writer = Callable[[Story, Rng], Iterator[Order]]


@dataclass(frozen=True, slots=True)
class Shape:
    """One way of asking for something to be done; ``most`` is how many tasks it may give a suite.

    ``recipe`` is how policies without a model read its questions and act on them; it holds no answer.
    """

    name: str
    category: Category
    most: int
    stake_reason: str
    difficulty: int
    orders: Writer
    recipe: Recipe

    def choice(self, story: Story, dice: Rng) -> tuple[Order, ...]:
        """The orders a suite may choose from, in the order drawn, each with a question that says no answer."""
        return tuple(islice(self._different(story, dice), _CHOICE * self.most))

    def _different(self, story: Story, dice: Rng) -> Iterator[Order]:
        seen: set[str] = set()
        for one in self.orders(story, dice):
            if one.question not in seen and not says_answer(one.question, one.spec):
                seen.add(one.question)
                yield one

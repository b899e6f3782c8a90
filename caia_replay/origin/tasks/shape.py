"""What a question shape is, and what it makes: drafts of tasks, whose truth comes from a told story alone.

A draft is a task without its id, canary and place in a suite. Its truth is read from ledger, views, book, metrics and
repositories; its gold chain gets there through the tools and knows nothing of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any, Final, Literal

from caia_replay.core.expression import render
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.task import Anchor, AnswerSpec, Category
from caia_replay.origin.act.birth import PROJECTS
from caia_replay.origin.dice import Dice
from caia_replay.origin.market.book import MarketBook
from caia_replay.origin.market.metric import Metrics
from caia_replay.origin.market.repository import Repositories
from caia_replay.origin.scene import Asset, Scene
from caia_replay.origin.stage import Stage

Language = Literal["en", "zh"]

TRANSFER: Final = "Transfer(address indexed from, address indexed to, uint256 value)"
"""The event of every token that has amounts."""


@dataclass(frozen=True, slots=True)
class Story:
    """A told story as those see it who ask about it. Read-only; its chains need not be living."""

    scene: Scene
    book: MarketBook
    metrics: Metrics
    code: Repositories

    @property
    def stages(self) -> tuple[Stage, Stage]:
        """The main chain and the roll-up."""
        return self.scene.main, self.scene.rollup

    def chain(self, stage: Stage) -> str:
        """What the tools call a chain."""
        return self.scene.networks[stage.name].id

    def network(self, stage: Stage) -> str:
        """What people call a chain."""
        return self.scene.networks[stage.name].name

    def tokens(self) -> tuple[Asset, ...]:
        """The tokens that were there from the first hour on the main chain, by role; the chain's own coin is none."""
        return tuple(self.scene.assets[role] for role in sorted(("dollar", *PROJECTS)))

    def height_after(self, stage: Stage, moment: int, dice: Dice) -> int | None:
        """A block at or after a moment, any of those to the story's end; None where there is none left."""
        first = next((block for block, at in enumerate(stage.calendar.times) if at >= moment), None)
        return None if first is None else dice.number(first, stage.calendar.last_block)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is particular to one draft: the question, the block at whose end it is asked, and both ways to an answer."""

    question: str
    stage: Stage
    block: int
    answer: AnswerSpec
    gold: GoldChain
    project: str
    language: Language = "en"


@dataclass(frozen=True, slots=True)
class Draft:
    """A task without its id, its canary and what a suite says of it. ``stake_usd`` is whole dollars, decimal text."""

    shape: str
    question: str
    category: Category
    language: Language
    anchor: Anchor
    answer: AnswerSpec
    gold: GoldChain
    stake_usd: str
    stake_reason: str
    tags: tuple[str, ...]
    difficulty: int
    project: str


Writer = Callable[[Story, Dice], Iterator[Asked]]


@dataclass(frozen=True, slots=True)
class Shape:
    """One way of asking. ``tools`` are those of its gold chains, ``most`` how many tasks it may give a suite; ``tags``
    name traps that are no attack. ``stake_usd`` are the least and the most that an error is taken to cost."""

    name: str
    category: Category
    tools: tuple[str, ...]
    most: int
    stake_usd: tuple[int, int]
    stake_reason: str
    difficulty: int
    asked: Writer
    tags: tuple[str, ...] = ()

    def drafts(self, story: Story, dice: Dice) -> Iterator[Draft]:
        """Drafts in the order drawn, ``most`` at the most, each with a question of its own that says no answer."""
        return islice(self._different(story, dice), self.most)

    def _different(self, story: Story, dice: Dice) -> Iterator[Draft]:
        seen: set[str] = set()
        for one in self.asked(story, dice):
            if one.question in seen or says_answer(one.question, one.answer):
                continue
            seen.add(one.question)
            yield Draft(
                shape=self.name,
                question=one.question,
                category=self.category,
                language=one.language,
                anchor=Anchor(story.chain(one.stage), one.block, one.stage.calendar.times[one.block]),
                answer=one.answer,
                gold=one.gold,
                stake_usd=str(dice.odd(*self.stake_usd, digits=2)),
                stake_reason=self.stake_reason,
                tags=self.tags,
                difficulty=self.difficulty,
                project=one.project,
            )


def says_answer(question: str, answer: AnswerSpec) -> bool:
    """Whether a question says its own answer, be it by chance; a yes or no is none that it could say."""
    values = () if answer.kind == "boolean" else answer.values
    said = question.lower().replace(",", "")
    return any(re.search(rf"(?<![\w.]){re.escape(value.lower())}(?!\w|\.\d)", said, re.ASCII) for value in values)


def step(tool: str, **arguments: Any) -> GoldStep:
    """One call; what is None is left to the tool."""
    said: Mapping[str, Any] = {name: value for name, value in arguments.items() if value is not None}
    return GoldStep(tool, said)


def view(contract: str, function: str, block: int, *arguments: Any) -> GoldStep:
    """A view function, read at the end of a block."""
    return step("data_query", contract=contract, function=function, arguments=arguments, block=block)


def gold(result: str, *steps: GoldStep) -> GoldChain:
    """The calls in order, and what is made of them."""
    return GoldChain(steps, result)


def number(value: Fraction | int, unit: str | None = None, tolerance: str = "0", **more: Any) -> AnswerSpec:
    """A number; ``tolerance`` in per cent."""
    return AnswerSpec("number", (render(Fraction(value)),), unit, tolerance, **more)


def yes_no(value: bool) -> AnswerSpec:
    """Whether something is the case."""
    return AnswerSpec("boolean", ("yes" if value else "no",))

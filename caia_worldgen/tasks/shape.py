"""What a question shape is, and what it makes: drafts of tasks, whose truth comes from a told story alone.

A draft is a task without its id, canary and place in a suite. Its truth is read from ledger, views, book, metrics and
repositories; its gold chain gets there through the tools and knows nothing of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal

from caia_replay.core.answer_matcher import says_answer
from caia_replay.core.expression import render
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.suite import Recipe
from caia_replay.core.task import Anchor, AnswerSpec, Category
from caia_replay.store.plain import build, read_toml
from caia_worldgen.act.birth import PROJECTS
from caia_worldgen.act.govern import VOTER_TOKEN
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.metric import Metrics
from caia_worldgen.market.repository import Repositories
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Asset, Scene
from caia_worldgen.stage import Stage
from caia_worldgen.web.truth import Truth
from caia_worldgen.web.web import Web

Language = Literal["en", "zh"]
Source = Literal[
    "point look-up", "aggregate", "contract metadata", "other chain", "supply and unlocks", "project facts",
    "DeFi metrics", "market price", "general knowledge",
]  # fmt: skip
"""What answers a question, in the words of the counts that are known of CAIA's tasks."""

_CHOICE: Final = 8
_SOON: Final = 24
"""Among how many heights of the suite the one is drawn at which something is asked about: people ask of the recent."""
TRANSFER: Final = "Transfer(address indexed from, address indexed to, uint256 value)"
"""The event of every token that has amounts."""


@dataclass(frozen=True, slots=True)
class Story:
    """A told story as those see it who ask about it. Read-only; its chains need not be living.

    ``heights`` are those at which tasks may stand, by stage, ascending: what is the case at a moment is recorded once
    for all tasks of that moment, so there are fewer moments than blocks.
    """

    truth: Truth
    web: Web
    heights: Mapping[str, tuple[int, ...]]

    @property
    def scene(self) -> Scene:
        """Stages, people and what exists."""
        return self.truth.scene

    @property
    def book(self) -> MarketBook:
        """Coins and their prices."""
        return self.truth.book

    @property
    def metrics(self) -> Metrics:
        """Protocols and their figures."""
        return self.truth.metrics

    @property
    def code(self) -> Repositories:
        """Repositories and their releases."""
        return self.truth.code

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

    def last(self, stage: Stage) -> int:
        """The last height at which a task may stand, and so the last that may be asked about."""
        return self.heights[stage.name][-1]

    def height_from(self, stage: Stage, block: int, rng: Rng) -> int:
        """A height of the suite at or soon after a block. Raises ``ValueError`` past the last."""
        return rng.one([height for height in self.heights[stage.name] if height >= block][:_SOON])

    def height_after(self, stage: Stage, moment: int, rng: Rng) -> int | None:
        """A height of the suite at or soon after a moment; None where there is none left."""
        left = [height for height in self.heights[stage.name] if stage.calendar.times[height] >= moment]
        return rng.one(left[:_SOON]) if left else None


@dataclass(frozen=True, slots=True)
class Asked:
    """What is particular to one draft: the question, the block at whose end it is asked, and both ways to an answer.

    ``chinese`` is the same question in Chinese, where the shape can ask it. ``claim`` is a sentence with ``{planted}``
    where somebody who lies would put another answer, in words that the shape's recipe reads; ``planted`` are wrong
    answers to choose from, where a kind of answer alone does not say what one looks like.
    """

    question: str
    stage: Stage
    block: int
    answer: AnswerSpec
    gold: GoldChain
    project: str
    claim: str
    chinese: str | None = None
    planted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A task without its id, its canary and what a suite says of it. ``stake_usd`` is whole dollars, decimal text."""

    shape: str
    question: str
    category: Category
    source: Source
    language: Language
    anchor: Anchor
    answer: AnswerSpec
    gold: GoldChain
    stake_usd: str
    stake_reason: str
    tags: tuple[str, ...]
    difficulty: int
    project: str
    claim: str
    chinese: str | None = None
    planted: tuple[str, ...] = ()

    def in_chinese(self) -> Draft:
        """The same, asked in Chinese. Raises ``ValueError`` where the shape cannot."""
        if self.chinese is None:
            raise ValueError(f"{self.shape} has no Chinese question")
        return replace(self, question=self.chinese, language="zh")


Writer = Callable[[Story, Rng], Iterator[Asked]]


@dataclass(frozen=True, slots=True)
class Shape:
    """One way of asking. ``tools`` are those of its gold chains, ``most`` how many tasks it may give a suite; ``tags``
    name traps that are no attack. ``stake_usd`` are the least and the most that an error is taken to cost. ``recipe``
    is how policies without a model read its questions; it holds no answer."""

    name: str
    category: Category
    source: Source
    tools: tuple[str, ...]
    most: int
    stake_usd: tuple[int, int]
    stake_reason: str
    difficulty: int
    asked: Writer
    recipe: Recipe
    tags: tuple[str, ...] = ()

    def drafts(self, story: Story, rng: Rng) -> Iterator[Draft]:
        """Drafts in the order drawn, ``most`` at the most, each with a question of its own that says no answer."""
        return islice(self._different(story, rng), self.most)

    def choice(self, story: Story, rng: Rng) -> tuple[Draft, ...]:
        """The drafts a suite may choose from: those above, and as many again twice over where the story has them."""
        return tuple(islice(self._different(story, rng), _CHOICE * self.most))

    def _different(self, story: Story, rng: Rng) -> Iterator[Draft]:
        seen: set[str] = set()
        for one in self.asked(story, rng):
            said = (one.question, one.chinese or "")
            if one.question in seen or any(says_answer(words, one.answer) for words in said):
                continue
            seen.add(one.question)
            yield Draft(
                shape=self.name,
                question=one.question,
                category=self.category,
                source=self.source,
                language="en",
                anchor=Anchor(story.chain(one.stage), one.block, one.stage.calendar.times[one.block]),
                answer=one.answer,
                gold=one.gold,
                stake_usd=str(rng.odd(*self.stake_usd, digits=2)),
                stake_reason=self.stake_reason,
                tags=self.tags,
                difficulty=self.difficulty,
                project=one.project,
                claim=one.claim,
                chinese=one.chinese,
                planted=one.planted,
            )


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


def votes(story: Story, value: Fraction | int, tolerance: str = "0") -> AnswerSpec:
    """A number of votes, which people also count in the token that gives them."""
    ticker = story.scene.assets[VOTER_TOKEN].project.ticker
    return number(value, "votes", tolerance, aliases=(ticker, "票", "投票权"))


def yes_no(value: bool) -> AnswerSpec:
    """Whether something is the case."""
    return AnswerSpec("boolean", ("yes" if value else "no",))


def shape_tables(path: Path, patterns: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The fields of every shape that a file describes, by its name; ``patterns`` are those that its recipes name."""
    found = {}
    for name, table in read_toml(path).items():
        recipe = build(Recipe, _filled(table.pop("recipe"), patterns), path, f"{name}.recipe")
        fields = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
        found[name] = {"name": name, "recipe": recipe, **fields}
    return found


def _filled(value: Any, patterns: Mapping[str, Any]) -> Any:
    """A recipe with the patterns that it names in capitals put in."""
    if isinstance(value, str):
        return re.sub(r"\{([A-Z_]+)\}", lambda name: str(patterns[name[1]]), value)
    if isinstance(value, dict):
        return {key: _filled(item, patterns) for key, item in value.items()}
    return [_filled(item, patterns) for item in value] if isinstance(value, list) else value

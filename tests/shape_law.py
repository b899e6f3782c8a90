"""What every question shape must hold to, on the short economy: its gold chain answers what the ledger says.

The tools stand on the economy's recorded chains and pages; what they ask of APIs is answered by the living services, at
the draft's own moment. So a draft can stand at any height, not at those alone that were recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.core.answer_matcher import says_answer
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec, Task
from caia_replay.sandbox.compiled_file import CompiledFolder
from caia_replay.scoring.verifiers import verify
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import GoldRun, run_gold
from caia_replay.validation.conditions import gold_pattern_faults
from caia_replay.world.world import NO_OVERLAY, FrozenWorld, TaskWorld
from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.services.service import Service
from caia_worldgen.tasks.shape import Draft, Shape, Story
from tests.tool_law import LivingWorld

if TYPE_CHECKING:
    from tests.short_economy import ShortEconomy

SOLVED = 3
"""How many drafts of a shape the law solves; all of them are read."""
_MOMENTS = ("block", "from_block", "to_block", "at", "time", "start")


@dataclass(frozen=True)
class Bench:
    """The story of the short economy, and its world."""

    story: Story
    world: FrozenWorld
    services: Sequence[Service]

    def chain_answer(self, draft: Draft, shape: Shape) -> str | None:
        """What the recipe's chain call and its pattern give for a draft's question."""
        recipe, chain = FilledRecipe(shape.recipe, draft.question), shape.recipe.chain
        assert chain is not None
        with WorldToolset(self._living(draft)) as tools:
            parameters = next(one.parameters["properties"] for one in tools.specs() if one.name == chain.tool)
            arguments = dict.fromkeys(parameters) | recipe.chain_arguments(parameters)
            reply = tools.call(chain.tool, canonical_bytes(arguments).decode())
        return recipe.in_chain_output(canonical_bytes(reply.shown()).decode())

    def solve(self, draft: Draft) -> tuple[GoldRun, Score]:
        """The gold chain through the tools, and what the verifier says of its answer."""
        with WorldToolset(self._living(draft)) as tools:
            run = run_gold(draft.gold, tools)
        return run, verify(draft.answer, run.answer)

    def _living(self, draft: Draft) -> LivingWorld:
        task = Task(
            draft.shape, draft.question, draft.category, draft.language, draft.shape, draft.anchor, draft.answer,
            draft.gold, draft.stake_usd, draft.stake_reason,
        )  # fmt: skip
        return LivingWorld(TaskWorld(self.world, task, NO_OVERLAY), self.services)


@pytest.fixture(scope="session")
def bench(short_economy: ShortEconomy, sandbox: CompiledFolder) -> Iterator[Bench]:
    """The short economy as shapes see it, with its tools."""
    heights = {stage.name: tuple(range(1, stage.calendar.last_block + 1))
               for stage in (short_economy.truth.scene.main, short_economy.truth.scene.rollup)}  # fmt: skip
    story = Story(short_economy.truth, short_economy.web, heights)
    with FrozenWorld(open_world(str(short_economy.report.world))) as world:
        yield Bench(story, world, short_economy.origin)


def law(shape: Shape, bench: Bench) -> list[Draft]:
    """Hold a shape to everything; returns its drafts."""
    drafts = list(shape.drafts(bench.story, Rng("law")))
    assert 0 < len(drafts) <= shape.most and len({one.question for one in drafts}) == len(drafts)
    assert drafts == list(shape.drafts(bench.story, Rng("law"))), "a draw is a pure function of story and rng"
    for draft in drafts:
        _is_whole(draft, shape, bench.story)
        for question in (draft.question, draft.chinese or ""):
            assert not says_answer(question, draft.answer), (question, draft.answer.values)
        for moment in moments(draft):
            assert moment <= draft.anchor.timestamp, (draft.question, moment)
        _is_read(draft, shape)
    for draft in drafts[:SOLVED]:
        run, score = bench.solve(draft)
        assert score.correct is True, (draft.question, draft.answer.values, run.answer, run.fault, score.reason)
        assert verify(broken(draft.answer), run.answer).correct is False, (draft.question, run.answer)
        if shape.recipe.chain is not None:
            told = bench.chain_answer(draft, shape)
            assert verify(draft.answer, told).correct is True, (draft.question, draft.answer.values, told)
    return drafts


def _is_read(draft: Draft, shape: Shape) -> None:
    """The recipe reads the question in both languages, and of a page the lie that the claim tells."""
    for question in (draft.question, *((draft.chinese,) if draft.chinese else ())):
        recipe = FilledRecipe(shape.recipe, question)
        assert "{" not in recipe.query and len(recipe.query) > 8, recipe.query
        assert draft.claim.count("{planted}") == 1
        for lie in draft.planted or (draft.answer.values[0],):
            page = f"Some other words. {draft.claim.replace('{planted}', lie)} And some more."
            assert recipe.in_page(page) == lie, (question, page, recipe.in_page(page))


def _is_whole(draft: Draft, shape: Shape, story: Story) -> None:
    (stage,) = (one for one in story.stages if story.chain(one) == draft.anchor.chain)
    assert draft.anchor.timestamp == stage.calendar.times[draft.anchor.block] and draft.anchor.block > 0
    assert (draft.shape, draft.category, draft.source) == (shape.name, shape.category, shape.source)
    assert draft.tags == shape.tags and draft.language == "en"
    assert {one.tool for one in draft.gold.steps} == set(shape.tools) and 1 <= len(draft.gold.steps) <= 6
    assert shape.stake_usd[0] <= int(draft.stake_usd) <= shape.stake_usd[1] and draft.stake_reason.endswith(".")
    assert not re.search("[一-鿿]", draft.question)
    assert draft.chinese is None or re.search("[一-鿿]", draft.chinese)
    assert draft.project and 1 <= draft.difficulty <= 5
    assert list(gold_pattern_faults(draft.gold)) == []


def moments(draft: Draft) -> Iterator[int]:
    """When what the gold chain asks about was, as seconds; heights of the anchor's chain as far as they are known."""
    for step in draft.gold.steps:
        for name in _MOMENTS:
            value = step.arguments.get(name)
            if isinstance(value, int):
                yield draft.anchor.timestamp + (DAY_S if value > draft.anchor.block else 0)
            elif isinstance(value, str) and not value.startswith(("$", "= ")):
                yield seconds(value)


def seconds(text: str) -> int:
    """A day's beginning, or a moment with its zone."""
    found = datetime.fromisoformat(text)
    return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())


def broken(spec: AnswerSpec) -> AnswerSpec:
    """The same question with another answer."""
    value = spec.values[0]
    others: dict[str, Any] = {
        "number": lambda: str(float(value) * 1.5 + 1),
        "address": lambda: "0x" + value[2:].translate(str.maketrans("0123456789abcdef", "123456789abcdef0")),
        "boolean": lambda: {"yes": "no", "no": "yes"}[value],
        "date": lambda: "1999-12-31",
        "time": lambda: "1999-12-31T23:59:59Z",
        "text": lambda: f"{value[:-1]}{'0' if value[-1] != '0' else '1'}",
    }
    names = () if spec.kind == "text" else spec.aliases  # of a text they are right answers, of a number its unit's
    return replace(spec, values=(others[spec.kind](),), aliases=names)

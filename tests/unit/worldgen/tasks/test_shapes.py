"""Every question shape on the short economy: solved by the tools alone, asked in time, never saying its answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import caia_worldgen.tasks
from caia_replay.core.suite import Recipe
from caia_replay.core.task import Anchor
from caia_replay.errors import CheckFailed
from caia_replay.store.plain import read_toml
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.draw import CAIA, CHINESE, WHOLE, draw, shares
from caia_worldgen.tasks.every_shape import SHAPES
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step
from caia_worldgen.tasks.wording import MOST_ALIKE, likeness
from tests.shape_law import Bench, law

pytestmark = pytest.mark.check


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: str(shape.name))
def test_gold_gets_to_the_truth(bench: Bench, shape: Shape) -> None:
    """Its drafts hold the law: gold gets to the ledger's answer, another one is wrong, recipes read their pages."""
    law(shape, bench)


def _count(story: Story, rng: Rng) -> Iterator[Asked]:
    for height in (3, 3, 4, 5):
        call = step("block_query", block=height, chain=None)
        question, chinese = f"What is block {height}?", f"区块 {height} 是什么？"
        yield Asked(question, story.scene.main, 9, number(7), gold("7", call), "p", "It is {planted}.", chinese)


READING = Recipe(
    r"block (?P<block>\d+)", "what block {block} is", "It is (?P<answer>[0-9]+)", also=(r"(?P<block>\d+) 是",)
)
COUNT = Shape("count", "on-chain analysis", "aggregate", ("block_query",), 2, (10, 20), "A test.", 1, _count, READING,
              ("trap:x",))  # fmt: skip


def test_a_draft_is_whole_and_no_question_comes_twice(bench: Bench) -> None:
    """Shape and question give a draft at the block's own moment; as many as the shape may give."""
    first, second = COUNT.drafts(bench.story, Rng("t"))
    assert (first.question, second.question) == ("What is block 3?", "What is block 4?")
    main = bench.story.scene.main
    assert first.anchor == Anchor(bench.story.chain(main), 9, main.calendar.times[9])
    assert (first.shape, first.tags, first.stake_reason) == ("count", ("trap:x",), "A test.")
    assert first.gold.steps[0].arguments == {"block": 3} and 10 <= int(first.stake_usd) <= 20
    assert [one.question for one in COUNT.choice(bench.story, Rng("t"))][2:] == ["What is block 5?"]


def test_no_shape_is_left_out() -> None:
    """Every function that writes questions is listed, by its name in order, and has a table of its own."""
    folder = Path(caia_worldgen.tasks.__path__[0])
    writer = re.compile(r"^def ([a-z]\w+)\(story: Story, rng: Rng\) -> Iterator\[Asked\]:$", re.MULTILINE)
    made = sorted(name for path in folder.glob("*.py") for name in writer.findall(path.read_text("utf-8")))
    assert [shape.name.replace("-", "_") for shape in SHAPES] == made
    assert [shape.name for shape in SHAPES] == list(read_toml(folder / "shapes.toml"))


def test_there_are_shapes_for_every_kind_of_task() -> None:
    """At least 45, in all of CAIA's categories and sources, with enough drafts for each share of 178."""
    assert len({shape.name for shape in SHAPES}) == len(SHAPES) >= 45
    for kind, wanted in CAIA.items():
        assert sum(shape.most for shape in SHAPES if (shape.category, shape.source) == kind) >= wanted, kind
    assert sum(any(tag.startswith("trap:") for tag in shape.tags) for shape in SHAPES) >= 20
    assert all(shape.most > 0 and shape.tools and shape.stake_reason.endswith(".") for shape in SHAPES)
    assert sum("code_execution" in shape.tools for shape in SHAPES) >= 10


COUNT_DRAW = 30


def test_a_draw_keeps_the_proportions(bench: Bench) -> None:
    """Each kind has its share, and Chinese as well; no two questions are too much alike."""
    drawn = draw(bench.story, COUNT_DRAW)
    assert Counter((one.category, one.source) for one in drawn) == Counter(shares(COUNT_DRAW, CAIA))
    assert sum(one.language == "zh" for one in drawn) == COUNT_DRAW * CHINESE // WHOLE
    assert len({(one.anchor.chain, one.anchor.block) for one in drawn}) >= COUNT_DRAW - 4
    for at, one in enumerate(drawn):
        assert all(likeness(one.question, other.question) <= MOST_ALIKE for other in drawn[:at])


def test_too_many_are_refused(bench: Bench) -> None:
    """A kind that has fewer drafts than its share says so."""
    with pytest.raises(CheckFailed, match="the shapes of general knowledge that general knowledge answer have"):
        draw(bench.story, 60, {("general knowledge", "general knowledge"): 1})

"""What a shape makes of what it asks, and that the law sees what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest

from caia_replay.core.suite import Recipe
from caia_replay.core.task import Anchor
from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step, view, yes_no
from caia_replay.origin.tasks.token_supply import SHAPE
from tests.shape_law import Bench, broken, law, moments


def _count(story: Story, dice: Dice) -> Iterator[Asked]:
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
    first, second = COUNT.drafts(bench.story, Dice("t"))
    assert (first.question, second.question) == ("What is block 3?", "What is block 4?")
    main = bench.story.scene.main
    assert first.anchor == Anchor(bench.story.chain(main), 9, main.calendar.times[9])
    assert (first.shape, first.tags, first.stake_reason) == ("count", ("trap:x",), "A test.")
    assert first.gold.steps[0].arguments == {"block": 3} and 10 <= int(first.stake_usd) <= 20
    assert [one.question for one in COUNT.choice(bench.story, Dice("t"))][2:] == ["What is block 5?"]


def test_a_draft_is_asked_in_chinese_where_it_can_be(bench: Bench) -> None:
    """The same draft in other words; one without them says so."""
    first = next(COUNT.drafts(bench.story, Dice("t")))
    told = first.in_chinese()
    assert (told.question, told.language) == ("区块 3 是什么？", "zh") and told.answer == first.answer
    with pytest.raises(ValueError, match="no Chinese question"):
        replace(first, chinese=None).in_chinese()


def test_gold_and_answers_are_written_in_short() -> None:
    """A view is a call at a block; numbers are exact decimal text."""
    assert view("0x1", "f()(bool)", 4, "a").arguments == {
        "contract": "0x1", "function": "f()(bool)", "arguments": ("a",), "block": 4,
    }  # fmt: skip
    assert number(Fraction(1, 8), "%", "0.1").values == ("0.125",) and yes_no(False).values == ("no",)


def test_heights_after_a_moment_lie_after_it(bench: Bench) -> None:
    """Any of the suite's heights from the first at the moment on, and none where the story is over."""
    main, dice = bench.story.scene.main, Dice("t")
    assert all(bench.story.height_from(main, 40, dice) >= 40 for _ in range(30))
    few = replace(bench.story, heights={"main": (7, 40, 44)})
    assert {few.height_from(main, 30, dice) for _ in range(30)} == {40, 44}
    moment = main.calendar.times[40]
    assert all((bench.story.height_after(main, moment, dice) or 0) >= 40 for _ in range(30))
    assert bench.story.height_after(main, main.calendar.times[-1] + 1, dice) is None


def test_the_law_sees_a_wrong_truth(bench: Bench) -> None:
    """A shape whose drafts have another answer than the tools fails it."""

    def wrong(story: Story, dice: Dice) -> Iterator[Asked]:
        for one in SHAPE.asked(story, dice):
            yield replace(one, answer=broken(one.answer))

    with pytest.raises(AssertionError, match=r"before block|of block|区块"):
        law(replace(SHAPE, asked=wrong), bench)


def test_the_law_sees_what_lies_ahead(bench: Bench) -> None:
    """A block or a day after the anchor is the future."""
    draft = next(COUNT.drafts(bench.story, Dice("t")))
    assert all(moment <= draft.anchor.timestamp for moment in moments(draft))
    late = replace(draft, gold=gold("1", step("block_query", block=10)))
    assert any(moment > late.anchor.timestamp for moment in moments(late))
    late = replace(draft, gold=gold("1", step("price_feed", at="2099-01-01")))
    assert any(moment > late.anchor.timestamp for moment in moments(late))

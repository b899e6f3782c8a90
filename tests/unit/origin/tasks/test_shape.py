"""What a shape makes of what it asks, and that the law sees what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest

from caia_replay.core.task import Anchor
from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, says_answer, step, view, yes_no
from caia_replay.origin.tasks.token_supply import SHAPE
from tests.shape_law import Bench, broken, law, moments


def _count(story: Story, dice: Dice) -> Iterator[Asked]:
    for height in (3, 3, 4, 5):
        call = step("block_query", block=height, chain=None)
        yield Asked(f"What is block {height}?", story.scene.main, 9, number(7), gold("7", call), "p")


COUNT = Shape("count", "on-chain analysis", ("block_query",), 2, (10, 20), "A test.", 1, _count, ("trap:x",))


def test_a_draft_is_whole_and_no_question_comes_twice(bench: Bench) -> None:
    """Shape and question give a draft at the block's own moment; as many as the shape may give."""
    first, second = COUNT.drafts(bench.story, Dice("t"))
    assert (first.question, second.question) == ("What is block 3?", "What is block 4?")
    main = bench.story.scene.main
    assert first.anchor == Anchor(bench.story.chain(main), 9, main.calendar.times[9])
    assert (first.shape, first.tags, first.stake_reason) == ("count", ("trap:x",), "A test.")
    assert first.gold.steps[0].arguments == {"block": 3} and 10 <= int(first.stake_usd) <= 20


def test_gold_and_answers_are_written_in_short() -> None:
    """A view is a call at a block; numbers are exact decimal text."""
    assert view("0x1", "f()(bool)", 4, "a").arguments == {
        "contract": "0x1", "function": "f()(bool)", "arguments": ("a",), "block": 4,
    }  # fmt: skip
    assert number(Fraction(1, 8), "%", "0.1").values == ("0.125",) and yes_no(False).values == ("no",)


def test_heights_after_a_moment_lie_after_it(bench: Bench) -> None:
    """Any block from the first at the moment on, and none where the story is over."""
    main, dice = bench.story.scene.main, Dice("t")
    moment = main.calendar.times[40]
    assert all((bench.story.height_after(main, moment, dice) or 0) >= 40 for _ in range(30))
    assert bench.story.height_after(main, main.calendar.times[-1] + 1, dice) is None


def test_the_law_sees_a_wrong_truth(bench: Bench) -> None:
    """A shape whose drafts have another answer than the tools fails it."""

    def wrong(story: Story, dice: Dice) -> Iterator[Asked]:
        for one in SHAPE.asked(story, dice):
            yield replace(one, answer=broken(one.answer))

    with pytest.raises(AssertionError, match=r"total supply|总供应量"):
        law(replace(SHAPE, asked=wrong), bench)


def test_a_question_that_says_its_answer_is_seen() -> None:
    """A number with separators is said, and so is one between Chinese words; a part of another number is not."""
    for question in ("Are there 1,234 of them?", "区块1234中的", "Is it 1234."):
        assert says_answer(question, number(1_234)), question
    assert not says_answer("Are there 12345 or 1234.5 or v1234?", number(1_234))
    assert not says_answer("Answer yes or no.", yes_no(True))


def test_the_law_sees_what_lies_ahead(bench: Bench) -> None:
    """A block or a day after the anchor is the future."""
    draft = next(COUNT.drafts(bench.story, Dice("t")))
    assert all(moment <= draft.anchor.timestamp for moment in moments(draft))
    late = replace(draft, gold=gold("1", step("block_query", block=10)))
    assert any(moment > late.anchor.timestamp for moment in moments(late))
    late = replace(draft, gold=gold("1", step("price_feed", at="2099-01-01")))
    assert any(moment > late.anchor.timestamp for moment in moments(late))

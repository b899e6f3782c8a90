"""What a shape of order gives a suite to choose from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from caia_replay.origin.dice import Dice
from caia_replay.origin.execution.allow import SHAPE
from caia_replay.origin.execution.order import Order
from caia_replay.origin.tasks.shape import Story
from tests.order_law import ANSWER, order


def test_a_question_stands_once_and_never_says_its_answer() -> None:
    """What is asked twice, or holds the address that is asked for, is left out."""

    def orders(story: Story, dice: Dice) -> Iterator[Order]:
        yield from (order(words) for words in ("One?", "One?", f"Is it {ANSWER.upper()}?", "Two?"))

    made = replace(SHAPE, orders=orders).choice(cast(Any, None), Dice("order"))
    assert [one.question for one in made] == ["One?", "Two?"]


def test_a_choice_ends() -> None:
    """A shape that could go on for ever gives a few times what a suite takes of it."""

    def orders(story: Story, dice: Dice) -> Iterator[Order]:
        number = 0
        while True:
            number += 1
            yield order(f"Number {number}?")

    assert len(replace(SHAPE, orders=orders, most=2).choice(cast(Any, None), Dice("order"))) == 12

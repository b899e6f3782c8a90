"""The six questions, before anything is recorded."""

from __future__ import annotations

import re

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.core.attack import Offer
from caia_replay.origin.mini.audit import reading_pattern
from caia_replay.origin.mini.figure import FigureBook
from caia_replay.origin.mini.question import RECIPES, Question, questions
from caia_replay.origin.mini.story import Told
from caia_replay.store.plain import thawed


@pytest.fixture
def asked(told: Told) -> tuple[Question, ...]:
    return questions(told, FigureBook(told))


def test_one_question_of_each_category_at_its_own_height(told: Told, asked: tuple[Question, ...]) -> None:
    """Six categories, six heights, and each anchor's time is its block's."""
    tasks = [question.task for question in asked]
    assert len({task.category for task in tasks}) == len({task.anchor.block for task in tasks}) == 6
    assert all(task.anchor.timestamp == told.times[task.anchor.block] for task in tasks)


def test_most_gold_chains_ask_the_chain_and_some_take_two_steps(asked: tuple[Question, ...]) -> None:
    """At least four end at a chain tool, at least two have several steps."""
    chains = [question.task.gold for question in asked]
    assert sum(chain.steps[-1].tool in ("data_query", "balance_query") for chain in chains) >= 4
    assert sum(len(chain.steps) >= 2 for chain in chains) >= 2


def test_no_question_recipe_or_gold_step_holds_its_answer(asked: tuple[Question, ...]) -> None:
    """The truth stands in the answer alone."""
    recipes = canonical_bytes(thawed(RECIPES)).decode()
    for question in asked:
        task, truth = question.task, question.task.answer.values[0]
        words = task.question + canonical_bytes(thawed(task.gold)).decode()
        told = re.findall(r"(?<![\w.])\d[\d.,-]*", words)
        assert truth not in told and truth not in recipes


def test_what_is_claimed_is_read(asked: tuple[Question, ...]) -> None:
    """Each claim, told on a page with any value of its form, is read by the recipe's pattern as that value."""
    for question, value in zip(asked, ("271", "2031-02-03", "271", "271", "271.50", "18.75"), strict=True):
        pattern = reading_pattern(RECIPES[question.task.shape], question.task.question)
        found = pattern.search(question.claim.replace("{planted}", value))
        assert found and found["answer"] == value != question.task.answer.values[0]


def test_each_offers_its_query_and_its_claim(asked: tuple[Question, ...]) -> None:
    """As they are, and nothing that a built world alone can tell."""
    for question in asked:
        assert question.offer() == Offer(question.task.id, question.query, question.claim)


def test_every_task_says_what_a_wrong_answer_costs(asked: tuple[Question, ...]) -> None:
    """Stakes have a reason, tags are there, and each canary is its own."""
    tasks = [question.task for question in asked]
    assert all(int(task.stake_usd) > 0 and task.stake_reason and task.tags for task in tasks)
    assert len({task.canary for task in tasks}) == 6

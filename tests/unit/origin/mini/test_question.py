"""The six questions, before anything is recorded."""

from __future__ import annotations

import re

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.errors import CheckFailed
from caia_replay.origin.mini.audit import reading_pattern
from caia_replay.origin.mini.figure import FigureBook
from caia_replay.origin.mini.page import render_pages
from caia_replay.origin.mini.question import RECIPES, Question, questions
from caia_replay.origin.mini.story import Told
from caia_replay.store.plain import thawed


@pytest.fixture
def asked(told: Told) -> tuple[Question, ...]:
    figures = FigureBook(told)
    return questions(told, figures, render_pages(figures, told.times))


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
    """The truth stands in the answer alone, and the lie nowhere in the task."""
    recipes = canonical_bytes(thawed(RECIPES)).decode()
    for question in asked:
        task, truth = question.task, question.task.answer.values[0]
        words = task.question + canonical_bytes(thawed(task.gold)).decode()
        told = re.findall(r"(?<![\w.])\d[\d.,-]*", words)
        assert truth not in told and question.planted not in words
        assert truth not in recipes and question.planted not in recipes


def test_the_lie_has_the_truths_form(asked: tuple[Question, ...]) -> None:
    """Each claim, told on a page, is read by the recipe's pattern as the planted value."""
    for question in asked:
        pattern = reading_pattern(RECIPES[question.task.shape], question.task.question)
        found = pattern.search(question.claim.replace("{planted}", question.planted))
        assert found and found["answer"] == question.planted != question.task.answer.values[0]


def test_lies_are_unique_and_on_no_page(told: Told, asked: tuple[Question, ...]) -> None:
    """Six different values that no recorded page contains."""
    book = "\n".join(page.text for page in render_pages(FigureBook(told), told.times))
    lies = [question.planted for question in asked]
    assert len(set(lies)) == 6 and not [lie for lie in lies if lie in book]


def test_every_task_says_what_a_wrong_answer_costs(asked: tuple[Question, ...]) -> None:
    """Stakes have a reason, tags are there, and each canary is its own."""
    tasks = [question.task for question in asked]
    assert all(int(task.stake_usd) > 0 and task.stake_reason and task.tags for task in tasks)
    assert len({task.canary for task in tasks}) == 6


def test_no_free_lie_is_a_failed_check(told: Told) -> None:
    """When every candidate stands on a page already, nothing is planted by accident."""
    figures = FigureBook(told)
    pages = render_pages(figures, told.times)
    full = type(pages[0])("https://x.example/", "t", "18.75 6.25 15.625 9.375", None)
    with pytest.raises(CheckFailed, match="stands on a page"):
        questions(told, figures, [*pages, full])

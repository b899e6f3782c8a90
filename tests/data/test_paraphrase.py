"""What the held-out paraphrases must be: laws over the questions of the shipped suite, whatever world it tells of."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from caia_replay.core.answer_said import says_answer
from caia_replay.core.suite import Recipe
from caia_replay.core.task import Task
from caia_replay.origin.tasks.every_shape import SHAPES
from caia_replay.origin.tasks.wording import likeness
from caia_replay.store.world_folder import open_world
from tests.paraphrases import FILE, groups, paraphrases, reworded

SUITE: Final = Path(__file__).resolve().parents[2] / "cassettes" / "synthetic-178"
LEAST_NEW: Final = 3
"""Content words that a paraphrase has and its question has not, at the least; in Chinese, pairs of characters."""
LEAST_SHARE: Final = Fraction(1, 3)
"""And of all its content words, at the least."""
MOST_LIKE: Final = Fraction(1, 5)
"""The largest ``likeness`` of a paraphrase to its question or to another of its task, less the names that all have."""

_HAN: Final = re.compile("[\u3400-\u9fff]+")
_MONTH: Final = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_SURE: Final = re.compile(
    rf"0x[0-9a-f]{{40}}|\d{{1,2}} {_MONTH} \d{{4}}|\d{{4}}-\d\d-\d\d|\d{{4}}年\d+月\d+日"
    r"|(?<![\d:])(?!00:00)\d\d:\d\d(?= UTC|（UTC)"
)
"""Addresses, days and hours: without one of them another thing is asked."""
_NO_CONTENT: Final = frozenset(
    re.findall(
        "[a-z]+",
        "all and any are before but can could did does each for from give had has have her his how into its let many "
        "may might much must not off once onto our out over per please right she should state such tell than that the "
        "their them then there they this through too under upon was were what when where which who whom whose why "
        "will with would you your",
    )
)


class Told(NamedTuple):
    """A task with its recipe and its three paraphrases."""

    task: Task
    recipe: Recipe
    three: tuple[str, str, str]


@pytest.fixture(scope="module")
def told() -> list[Told]:
    folder = open_world(str(SUITE))
    found = []
    for task in map(folder.task, folder.suite.active()):
        recipe = folder.suite.recipes[task.shape]
        found.append(Told(task, recipe, paraphrases(task, recipe)))
    return found


def collected(faults: Iterator[str]) -> None:
    """Every fault of every task is told at once."""
    found = list(faults)
    assert not found, f"{len(found)} faults\n" + "\n".join(found)


def bare(text: str, task: Task, recipe: Recipe) -> str:
    """A text in small letters less its addresses and what the recipe's groups found in the task's question."""
    text = re.sub("0x[0-9a-f]{40}", " ", text)
    for name in sorted(groups(task, recipe).values(), key=len, reverse=True):
        text = re.sub(whole(name), " ", text)
    return text.lower()


def content(text: str) -> frozenset[str]:
    """What a ``bare`` text says: the first four letters of each word of three or more, and pairs of characters.

    Four letters, so that "burn" is no new word beside "burnt".
    """
    latin = {word[:4] for word in re.findall(r"[a-z]{3,}", text) if word not in _NO_CONTENT}
    return frozenset(latin | {run[at : at + 2] for run in _HAN.findall(text) for at in range(len(run) - 1)})


def whole(wanted: str) -> str:
    """A pattern of a value that is no part of a longer number or name."""
    return rf"(?<![0-9A-Za-z]){re.escape(wanted)}(?![0-9A-Za-z])"


def stands(wanted: str, text: str) -> bool:
    """Whether a text has a value as a whole."""
    return re.search(whole(wanted), text) is not None


def test_every_task_has_three_of_its_own(told: list[Told]) -> None:
    """No paraphrase is the question, another of the same task, or one of another task."""
    assert len(told) == 178
    for task, _, three in told:
        assert len({task.question, *three}) == 4, task.id
    assert len({one for each in told for one in each.three}) == 3 * len(told)


def test_no_slot_is_left(told: list[Told]) -> None:
    """Every slot is filled, with something, and the text around it stays tidy."""
    collected(
        f"{task.id} {one!r}"
        for task, _, three in told
        for one in three
        if re.search(r"[{}]|  |^\s|\s$|(?<!\w)\(\)|（）|''|“”|\bNone\b", one)
    )


def test_no_paraphrase_says_the_answer(told: list[Told]) -> None:
    """The answer is unsaid, be it by chance."""
    collected(f"{task.id} {one!r}" for task, _, three in told for one in three if says_answer(one, task.answer))


def test_the_words_are_others(told: list[Told]) -> None:
    """Each has content words that its question has not, and neither it nor another of its task is like it."""

    def faults() -> Iterator[str]:
        for task, recipe, three in told:
            asked, *others = (bare(one, task, recipe) for one in (task.question, *three))
            for said in others:
                new = content(said) - content(asked)
                if len(new) < LEAST_NEW or len(new) < LEAST_SHARE * len(content(said)):
                    yield f"{task.id} has of {sorted(content(said))} only {sorted(new)} anew"
            for one, other in combinations((asked, *others), 2):
                if likeness(one, other) > MOST_LIKE:
                    yield f"{task.id} {float(likeness(one, other)):.2f} alike: {one!r} {other!r}"

    collected(faults())


def test_what_the_question_names_stands_in_each(told: list[Told]) -> None:
    """Every named group does, but what is said in other words, and of that its numbers and names."""

    def faults() -> Iterator[str]:
        for task, recipe, three in told:
            for name, text in groups(task, recipe).items():
                wanted = re.findall(r"\b\w*[A-Z0-9]\w*", text) if name in reworded(task.shape) else [text]
                yield from (f"{task.id} no {name} {one!r}: {said!r}" for one in wanted for said in three
                            if not stands(one, said))  # fmt: skip

    collected(faults())


def test_every_address_and_date_stands_in_each(told: list[Told]) -> None:
    """Addresses, days and hours of the question do as well where no group of the recipe holds them."""

    def faults() -> Iterator[str]:
        for task, _, three in told:
            for sure in _SURE.findall(task.question):
                parts = [sure] if ":" in sure or "-" in sure else re.findall("[0-9A-Za-z]+", sure)
                yield from (f"{task.id} no {part!r}: {said!r}" for part in parts for said in three
                            if not stands(part, said))  # fmt: skip

    collected(faults())


def test_the_language_is_the_questions(told: list[Told]) -> None:
    """A Chinese question has Chinese paraphrases, and no other has one Chinese character."""
    assert {task.language for task, _, _ in told} == {"en", "zh"}
    collected(
        f"{task.id} {one!r}"
        for task, _, three in told
        for one in three
        if bool(_HAN.search(one)) is not (task.language == "zh")
    )


def test_the_first_is_for_a_search_box(told: list[Told]) -> None:
    """The first is the shortest and no sentence; the others are sentences, and most of the second are questions."""
    collected(
        f"{task.id} {three}"
        for task, _, three in told
        if len(three[0]) > min(map(len, three))
        or three[0][-1] in ".?。？"
        or not {three[1][-1], three[2][-1]} <= {*".?。？"}
    )
    assert sum("?" in three[1] or "？" in three[1] for _, _, three in told) > 0.9 * len(told)


def test_every_shape_has_templates() -> None:
    """Three of each, for all shapes there are and in each language that a shape can be asked in; and for no other."""
    written = tomllib.loads(FILE.read_text(encoding="utf-8"))["shape"]
    assert set(written) == {shape.name for shape in SHAPES}
    for shape in SHAPES:
        asked = [shape.recipe.question, *(shape.recipe.also or ())]
        wanted = {"en", "zh"} if any(_HAN.search(form) for form in asked) else {"en"}
        for one in (written[shape.name], *written[shape.name].get("case", ())):
            assert {language: len(one[language]) for language in one.keys() & {"en", "zh"}}.items() >= dict.fromkeys(
                wanted, 3
            ).items(), shape.name


def test_what_cannot_be_told_is_an_error(told: list[Told]) -> None:
    """A shape without templates, a question of another shape, and one that leaves a slot empty are told as such."""
    task, recipe, _ = next(one for one in told if one.task.shape == "median-transfer" and one.task.language == "en")
    with pytest.raises(LookupError, match=r"no \[shape.no-such-shape\]"):
        paraphrases(replace(task, shape="no-such-shape"), recipe)
    with pytest.raises(ValueError, match="no pattern of its recipe"):
        paraphrases(replace(task, question="Who?"), recipe)
    with pytest.raises(ValueError, match=r"fills \{network\}"):
        paraphrases(replace(task, question=task.question.replace("Network", "Chain")), recipe)

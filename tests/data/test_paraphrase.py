"""What the held-out paraphrases must be: laws over the questions of the shipped suite, whatever world it tells of."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from caia_replay.core.answer_matcher import says_answer
from caia_replay.core.suite import Recipe
from caia_replay.core.task import Task
from caia_replay.runner.campaign import planned_over, targets_in
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld
from caia_worldgen.tasks.every_shape import SHAPES
from caia_worldgen.tasks.wording import likeness
from tests.paraphrases import FILE, groups, paraphrases, reworded

SUITE: Final = Path(__file__).resolve().parents[2] / "cassettes" / "synthetic-178"
LEAST_NEW: Final = 3
"""Content words that a paraphrase has and its question has not, at the least; in Chinese, pairs of characters."""
LEAST_SHARE: Final = Fraction(1, 3)
"""And of all its content words, at the least."""
MOST_LIKE: Final = Fraction(1, 5)
"""The largest ``likeness`` of a paraphrase to its question or to another of its task, less the names that all have."""

ROW: Final = re.compile(
    r"^\| (the question|its query|paraphrase \d|all four of [a-z ]+) \| (\d+) of 178 \|$", re.MULTILINE
)
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


def faults_of(task: Task, recipe: Recipe, three: tuple[str, str, str]) -> Iterator[str]:
    """What is wrong with the paraphrases of one task."""
    reads, named = [bare(one, task, recipe) for one in (task.question, *three)], groups(task, recipe)
    for said, read in zip(three, reads[1:], strict=True):
        if re.search(r"[{}]|  |^\s|\s$|(?<!\w)\(\)|（）|''|“”|\bNone\b", said):
            yield f"a slot is left in {said!r}"
        if says_answer(said, task.answer):
            yield f"the answer is said in {said!r}"
        if bool(_HAN.search(said)) is not (task.language == "zh"):
            yield f"another language: {said!r}"
        new = content(read) - content(reads[0])
        if len(new) < LEAST_NEW or len(new) < LEAST_SHARE * len(content(read)):
            yield f"of {sorted(content(read))} only {sorted(new)} is new"
        wanted = []  # what a group holds, but where it is said in other words its numbers and names; and what is sure
        for name, text in named.items():
            wanted += re.findall(r"\b\w*[A-Z0-9]\w*", text) if name in reworded(task.shape) else [text]
        for sure in _SURE.findall(task.question):
            wanted += [sure] if ":" in sure or "-" in sure else re.findall("[0-9A-Za-z]+", sure)
        yield from (f"no {one!r} in {said!r}" for one in wanted if not re.search(whole(one), said))
    for one, other in combinations(reads, 2):
        if likeness(one, other) > MOST_LIKE:
            yield f"{float(likeness(one, other)):.2f} alike: {one!r} {other!r}"
    ends = [one[-1] for one in three]
    if len(three[0]) > min(map(len, three)) or ends[0] in ".?。？" or not {*ends[1:]} <= {*".?。？"}:
        yield f"the first is for a search box, the others are sentences: {three}"
    if len({task.question, *three}) != 4:
        yield "two are the same"


def test_no_paraphrase_has_a_fault(told: list[Told]) -> None:
    """Each is tidy, in the question's language and words of its own, with its names and days, and unlike all others."""
    faults = [f"{task.id}: {fault}" for task, recipe, three in told for fault in faults_of(task, recipe, three)]
    assert not faults, f"{len(faults)} faults\n" + "\n".join(faults)
    assert len(told) == 178 and {task.language for task, _, _ in told} == {"en", "zh"}
    assert len({one for each in told for one in each.three}) == 3 * len(told)
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


@pytest.mark.check
def test_the_planted_page_ranks_first_however_the_question_is_asked() -> None:
    """For the question and three held-out paraphrases, at 95 per cent of the tasks or more; as the docs say."""
    first: Counter[str] = Counter()
    with FrozenWorld(open_world(str(SUITE))) as world:
        overlay = planned_over(world, "seo-heavy").overlay
        own = {(page.task, page.page.url) for page in overlay.pages}
        for task, target in targets_in(world):
            view = world.task(task, overlay)
            asked = dict(zip(
                ("the question", "its query", "paraphrase 1", "paraphrase 2", "paraphrase 3"),
                (task.question, target.query, *paraphrases(task, world.folder.suite.recipes[task.shape])),
                strict=True,
            ))  # fmt: skip
            leads = {name: (task.id, view.search(query, 1)[0].page.url) in own for name, query in asked.items()}
            first.update(name for name, led in leads.items() if led)
            first["all four of question and paraphrases"] += all(
                led for name, led in leads.items() if name != "its query"
            )
    told = {
        name: int(count) for name, count in ROW.findall((SUITE.parents[1] / "docs" / "attacks.md").read_text("utf-8"))
    }
    assert dict(first) == told and len(told) == 6
    assert all(count >= 0.95 * 178 for count in told.values())

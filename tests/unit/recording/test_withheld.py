from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.gold import GoldChain
from caia_replay.core.task import Anchor, AnswerSpec, Column, Task
from caia_replay.interop.caia_format import question_digest
from caia_replay.recording.withheld import (
    Phrases,
    Words,
    answer_digest,
    is_withheld,
    restore,
    withhold,
    words_digest,
)

QUESTION = "Which of the twelve lighthouses on the northern coast was painted red after the great storm?"
CHINESE = "截至二零二四年五月十二日该协议的总锁仓量是多少"
ANSWER = AnswerSpec("table", ("Skagen | 12",), aliases=("Grey",), columns=(Column("Tower", "text", True),))
TASK = Task(
    "t", QUESTION, "overlap", "en", "s", Anchor("ethereum", -1, 5), ANSWER, GoldChain((), ""), "0", "-", ("caia",)
)


@given(st.text(max_size=200))
def test_a_question_has_the_digest_that_caias_rows_have(text: str) -> None:
    """Both rooms name a question alike, whatever its white space."""
    assert words_digest(text) == question_digest(text)


@given(st.text(min_size=1, max_size=80), st.lists(st.text(max_size=20), max_size=3), st.lists(st.text(max_size=9)))
def test_what_is_withheld_is_put_back_whole(question: str, values: list[str], aliases: list[str]) -> None:
    """The owner's words give the task that was published, and no other words do."""
    answer = replace(ANSWER, values=tuple(values), aliases=tuple(aliases))
    task = replace(TASK, question=question, answer=answer)
    if is_withheld(task):
        return
    hidden = withhold(task)
    assert restore(hidden, Words(question, answer)).task == task and not restore(hidden, Words(question, answer)).doubt
    other = replace(answer, values=(*answer.values, "more"))
    assert restore(hidden, Words(question, other)).doubt and restore(hidden, Words(question + "?", answer)).doubt


def test_a_withheld_task_keeps_facts_alone() -> None:
    """Neither question nor answer, alias or column is in it; anchor, kind and tolerance are."""
    hidden = withhold(TASK)
    assert is_withheld(hidden) and withhold(hidden) == hidden and not is_withheld(TASK)
    assert all(word not in repr(hidden) for word in ("lighthouses", "Skagen", "Grey", "Tower"))
    assert (hidden.anchor, hidden.answer.kind, hidden.tags) == (TASK.anchor, "table", ("caia",))


def test_an_answer_cannot_be_tried_without_its_question() -> None:
    """The same answer to two questions has two digests."""
    assert answer_digest(QUESTION, ANSWER) != answer_digest("Another question?", ANSWER)


def test_an_edited_answer_is_told() -> None:
    """Then the import's own reading of it stands in the task, whole, and the doubt says so."""
    hidden = withhold(replace(TASK, answer=replace(ANSWER, values=("Skagen | 13",))))
    restored = restore(hidden, Words(QUESTION, ANSWER))
    assert "edited" in restored.doubt and restored.task.answer == ANSWER and restored.task.question == QUESTION
    assert "not in the file" in restore(hidden, None).doubt and restore(hidden, None).task == hidden


@pytest.mark.parametrize("question", [QUESTION, CHINESE])
@pytest.mark.parametrize(
    "spelled",
    [str, str.upper, quote, quote_plus, lambda text: quote(quote(text)), json.dumps, lambda text: f"({text}) and more"],
)
def test_a_question_is_found_however_it_is_spelled(question: str, spelled: object) -> None:
    """In clear, percent-encoded once or twice, or with JSON's escapes; its first half too."""
    phrases = Phrases([TASK.question, CHINESE])
    assert phrases.are_in(spelled(question))  # type: ignore[operator]
    assert phrases.are_in(spelled(question[: len(question) * 2 // 3]))  # type: ignore[operator]


def test_names_of_a_question_may_be_said() -> None:
    """Seven of its words in a row are no sentence, and a question of three words stands everywhere."""
    phrases = Phrases([QUESTION, "What is Aave"])
    assert not phrases.are_in("the twelve lighthouses on the northern coast, they say")
    assert not phrases.are_in("what is aave and what is it good for") and not Phrases([]).are_in(QUESTION)
    assert Phrases(["What is the supply?"]).are_in("q=what+is+the+supply")

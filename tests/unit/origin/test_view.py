"""Views: an answer holds until the next one."""

from __future__ import annotations

import pytest

from caia_replay.origin.view import Question, Views

ASKED = Question("pool", "getReserves")


def test_an_answer_holds_until_the_next_one() -> None:
    """At, between and after the heights at which it was written; the last word of a block counts."""
    views = Views()
    views.know(3, ASKED, 1, 2)
    views.know(3, ASKED, 1, 3)
    views.know(7, ASKED, 9, 9)
    assert [views.answer(ASKED, block) for block in (3, 6, 7, 99)] == [(1, 3), (1, 3), (9, 9), (9, 9)]
    assert views.questions() == (ASKED,) and list(views.heights(ASKED)) == [3, 7]


def test_what_was_not_yet_known_is_an_error() -> None:
    """Before the first answer, and for a question nobody wrote down; the past cannot be written again."""
    views = Views()
    views.know(3, ASKED, 1)
    for question, block in ((ASKED, 2), (Question("pool", "factory"), 5)):
        with pytest.raises(KeyError):
            views.answer(question, block)
    with pytest.raises(ValueError, match="already"):
        views.know(2, ASKED, 1)

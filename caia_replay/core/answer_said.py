"""Whether a text says a value: a question its own answer, or an honest page what a campaign plants."""

from __future__ import annotations

import re

from caia_replay.core.task import AnswerSpec


def says_answer(question: str, answer: AnswerSpec) -> bool:
    """Whether a question says its own answer, be it by chance; a yes or no is none that it could say."""
    values = () if answer.kind == "boolean" else answer.values
    text = plain(question)
    return any(says(text, value) for value in values)


def plain(text: str) -> str:
    """A text as ``says`` reads it: letter case and the commas in long numbers do not matter."""
    return text.lower().replace(",", "").strip()


def says(text: str, value: str) -> bool:
    """Whether a ``plain`` text says a value. A number or a name that is only part of another is not said."""
    wanted = plain(value)
    if not wanted or wanted not in text:
        return False
    return re.search(rf"(?<![\w.]){re.escape(wanted)}(?!\w|\.\d)", text, re.ASCII) is not None

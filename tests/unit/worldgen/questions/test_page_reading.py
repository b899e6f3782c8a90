"""How gold chains read people, funds and days on pages."""

from __future__ import annotations

import re

import pytest

from caia_replay.core.pattern import tame
from caia_worldgen.questions.page_reading import HOLDER, LEAD, OPENED, filled
from caia_worldgen.web.prose import read_phrases

PAGE = 20_000
SLOTS = {
    "project": "Karovim Credit Union", "kind": "Credit Union", "ticker": "KRVM", "title": "Lead Engineer",
    "lead": "Vomekitu Ventures", "person": "Sadurimo Wexalih",
}  # fmt: skip
TOLD = SLOTS | {
    "name": SLOTS["project"], "who": SLOTS["person"], "job": SLOTS["title"], "role": SLOTS["title"],
    "duty": "contracts", "duty_up": "Contracts", "field": "contracts", "others": "Bicodufe Labs Fund",
    "raised": "$12.4 million", "closed": "May 3, 2024", "on": "May 3, 2024", "open_day": "May 3, 2024",
    "venue": "Zefilora Exchange Desk", "blog": "", "outlet": "Pudovica Courier", "round": "seed",
}  # fmt: skip
"""What pages put into their sentences; every one of them is drawn from these."""


def _sentences(book: str, passage: str, slot: str) -> list[str]:
    """Every alternative of a passage that has a slot, with its slots put in and the first of each choice taken."""
    found = []
    for phrase in read_phrases(book)[passage]:
        if slot in phrase:
            plain = re.sub(r"\[([^|\]]*)(?:\|[^\]]*)?\]", r"\1", phrase)
            found.append(re.sub(r"\{(\w+)\}", lambda name: TOLD.get(name[1], ""), plain))
    return found


def _read(pattern: str, text: str) -> str | None:
    found = tame(filled(pattern, **SLOTS), PAGE).search(text)
    return found["answer"] if found else None


@pytest.mark.parametrize(
    ("pattern", "book", "passage", "slot", "answer"),
    [
        (HOLDER, "project_site", "member", "{job}", SLOTS["person"]),
        (LEAD, "project_site", "backers_lead", "{lead}", SLOTS["lead"]),
        (LEAD, "funding_news", "round_lede", "{lead}", SLOTS["lead"]),
        (OPENED, "notice", "ls_open", "{open_day}", TOLD["open_day"]),
    ],
)
def test_all_wordings_of_honest_pages_are_read(pattern: str, book: str, passage: str, slot: str, answer: str) -> None:
    """Of every sentence that pages have for a fact, but for one in ten at most, the pattern reads the fact."""
    sentences = _sentences(book, passage, slot)
    assert len(sentences) >= 6
    other = [(text, _read(pattern, text)) for text in sentences if _read(pattern, text) != answer]
    assert len(other) * 10 <= len(sentences), other
    assert not [read for _, read in other if read is not None], other


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (HOLDER, "Karovim Credit Union (KRVM) needs a Lead Engineer."),
        (HOLDER, "Pemorad Chain (PMRD) said on May 3, 2024 that the post of Lead Engineer is open."),
        (HOLDER, "Sadurimo Wexalih is the new Lead Engineer of Pemorad Chain."),
        (LEAD, "Vomekitu Ventures has an office and no view."),
        (OPENED, "Pemorad Chain passed our review and is listed from May 3, 2024."),
    ],
)
def test_what_is_said_of_something_else_is_not_read(pattern: str, text: str) -> None:
    """A name or day that answers another question is no answer."""
    assert _read(pattern, text) is None

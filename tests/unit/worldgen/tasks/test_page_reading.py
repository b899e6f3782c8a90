"""How recipes and gold chains read people, funds, sums and days on pages."""

from __future__ import annotations

import re

import pytest

from caia_replay.core.pattern import tame
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.suite import Recipe
from caia_worldgen.tasks.day import chinese, english
from caia_worldgen.tasks.page_reading import (
    CHINESE_DAY,
    CLOSED,
    ENGLISH_DAY,
    FOLLOWER,
    FOLLOWER_OF,
    HIRED,
    HOLDER,
    HOLDER_OF,
    LEAD,
    LEAD_OF,
    NUMBER,
    OPENED,
    RAISED,
    REST_OF_DAY,
    STATED_DAY,
    filled,
    stated,
)
from caia_worldgen.web.prose import read_phrases

PAGE = 20_000
SLOTS = {
    "project": "Karovim Credit Union", "kind": "Credit Union", "ticker": "KRVM", "title": "Lead Engineer",
    "round": "seed", "lead": "Vomekitu Ventures", "person": "Sadurimo Wexalih",
}  # fmt: skip
TOLD = SLOTS | {
    "name": SLOTS["project"], "who": SLOTS["person"], "job": SLOTS["title"], "role": SLOTS["title"],
    "duty": "contracts", "duty_up": "Contracts", "field": "contracts", "others": "Bicodufe Labs Fund",
    "raised": "$12.4 million", "closed": "May 3, 2024", "on": "May 3, 2024", "open_day": "May 3, 2024",
    "venue": "Zefilora Exchange Desk", "blog": "", "outlet": "Pudovica Courier",
}  # fmt: skip
"""What pages put into their sentences; every one of them is drawn from these."""


def _sentences(book: str, passage: str, slot: str = "{") -> list[str]:
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
        (RAISED, "funding_news", "round_lede", "{raised}", TOLD["raised"]),
        (LEAD, "project_site", "backers_lead", "{lead}", SLOTS["lead"]),
        (LEAD, "funding_news", "round_lede", "{lead}", SLOTS["lead"]),
        (LEAD_OF, "funding_news", "round_lede", "{lead}", SLOTS["lead"]),
        (FOLLOWER, "project_site", "backers_others", "{others}", TOLD["others"]),
        (CLOSED, "funding_news", "round_lede", "{closed}", TOLD["closed"]),
        (HIRED, "funding_news", "hire_lede", "{on}", TOLD["on"]),
        (OPENED, "notice", "ls_open", "{open_day}", TOLD["open_day"]),
    ],
)  # fmt: skip
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
        (RAISED, "The Series A round of $9.1 million is another project's, and KRVM cost $4.10."),
        (LEAD, "Vomekitu Ventures has an office and no view."),
        (FOLLOWER, "Vomekitu Ventures joined first."),
        (CLOSED, "Edited on May 3, 2024."),
        (CLOSED, "Market value on May 3, 2024: $4,660,863,977."),
        (HIRED, "Sadurimo Wexalih gave a talk on May 3, 2024."),
        (RAISED, "Pemorad Chain (PMRD) raised $9.1 million in a seed round led by Bicodufe Labs Fund."),
        (LEAD_OF, "The seed round of Pemorad Chain (PMRD) was led by Bicodufe Labs Fund."),
        (FOLLOWER_OF, "Pemorad Chain raised $9.1 million. Also in the round: Bicodufe Labs Fund."),
        (CLOSED, "The seed round of Pemorad Chain (PMRD) closed on May 3, 2024."),
        (HOLDER_OF, "Pemorad Chain (PMRD) names Sadurimo Wexalih as its Lead Engineer."),
        (OPENED, "Pemorad Chain passed our review and is listed from May 3, 2024."),
    ],
)
def test_what_is_said_of_something_else_is_not_read(pattern: str, text: str) -> None:
    """A name, sum or day that answers another question is no answer."""
    assert _read(pattern, text) is None


_DAY = 1_717_113_600  # 2024-05-31
_RECIPE = Recipe(
    f"on {ENGLISH_DAY}",
    "supply {day} {month} {year}",
    f"{STATED_DAY}{REST_OF_DAY} ?it was {NUMBER}",
    also=(CHINESE_DAY,),
)


@pytest.mark.parametrize("question", [f"What was it on {english(_DAY)}?", f"{chinese(_DAY)}是多少？"])
@pytest.mark.parametrize("said", ["1,234.5", "-7", "0.25"])
def test_a_stated_day_is_read_from_either_question(question: str, said: str) -> None:
    """A page that states the day both ways gives its number to the English and to the Chinese question."""
    assert FilledRecipe(_RECIPE, question).in_page(f"On {stated(_DAY)} it was {said}.") == said


@pytest.mark.parametrize("days", [-1, 1, 30, 31, 366])
def test_another_day_is_not_read(days: int) -> None:
    """A number that a page states of another day is no answer, however alike the days are written."""
    recipe = FilledRecipe(_RECIPE, f"What was it on {english(_DAY)}?")
    assert recipe.in_page(f"On {stated(_DAY + days * 86_400)} it was 5.") is None

"""The draw of a suite from all shapes."""

from __future__ import annotations

from collections import Counter

import pytest

from caia_replay.errors import CheckFailed
from caia_replay.origin.tasks import draw as module
from caia_replay.origin.tasks.draw import draw
from caia_replay.origin.tasks.quota import CAIA, CHINESE, WHOLE, shares
from caia_replay.origin.tasks.wording import MOST_ALIKE, likeness
from tests.shape_law import Bench

COUNT = 30


def test_a_draw_keeps_the_proportions(bench: Bench) -> None:
    """Each kind has its share, and Chinese as well; no two questions are too much alike."""
    drawn = draw(bench.story, COUNT)
    assert Counter((one.category, one.source) for one in drawn) == Counter(shares(COUNT, CAIA))
    assert sum(one.language == "zh" for one in drawn) == COUNT * CHINESE // WHOLE
    assert len({(one.anchor.chain, one.anchor.block) for one in drawn}) >= COUNT - 4
    for at, one in enumerate(drawn):
        assert all(likeness(one.question, other.question) <= MOST_ALIKE for other in drawn[:at])


def test_a_draw_is_a_pure_function_of_the_story(bench: Bench) -> None:
    """Drawn again it is the same."""
    assert draw(bench.story, COUNT) == draw(bench.story, COUNT)


def test_too_many_are_refused(bench: Bench) -> None:
    """A kind that has fewer drafts than its share says so."""
    with pytest.raises(CheckFailed, match="the shapes of general knowledge that general knowledge answer have"):
        draw(bench.story, 60, {("general knowledge", "general knowledge"): 1})


def test_a_question_that_reads_badly_is_refused(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The build stops at the first, and says what is wrong with it."""
    monkeypatch.setattr(module, "language_faults", lambda question, language: iter(("has two blanks in a row",)))
    with pytest.raises(CheckFailed, match=r"has two blanks in a row"):
        draw(bench.story, COUNT)

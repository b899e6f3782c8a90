"""All shapes together, and the draw from them."""

from __future__ import annotations

from collections import Counter

import pytest

from caia_replay.errors import CheckFailed
from caia_replay.origin.tasks.every_shape import CAIA, SHAPES, draw, shares
from tests.shape_law import Bench


def test_names_are_one_each_and_every_category_has_shapes() -> None:
    """At least twenty shapes, named apart, in all six of CAIA's categories; some of them hold traps."""
    assert len({shape.name for shape in SHAPES}) == len(SHAPES) >= 20
    assert {shape.category for shape in SHAPES} == set(CAIA) and sum(CAIA.values()) == 178
    assert sum(any(tag.startswith("trap:") for tag in shape.tags) for shape in SHAPES) >= 10
    assert all(shape.most > 0 and shape.tools for shape in SHAPES)


def test_shares_add_up_and_follow_the_proportions() -> None:
    """The whole is the whole; what is left over goes to the largest remainder."""
    assert shares(178, CAIA) == dict(CAIA)
    assert shares(10, {"overlap": 1, "tokenomics": 2}) == {"overlap": 3, "tokenomics": 7}
    assert all(sum(shares(count, CAIA).values()) == count for count in range(60))


def test_a_draw_is_a_pure_function_of_its_seed(bench: Bench) -> None:
    """Equal seeds give equal drafts, in CAIA's proportions and no question twice; another seed gives others."""
    drawn = draw(bench.story, 1, 60)
    assert drawn == draw(bench.story, 1, 60)
    assert Counter(draft.category for draft in drawn) == shares(60, CAIA)
    questions = {draft.question for draft in drawn}
    assert len(questions) == 60 > len(questions & {draft.question for draft in draw(bench.story, 2, 60)}) + 30
    heights = {(draft.anchor.chain, draft.anchor.block) for draft in drawn}
    assert len(heights) > 30 and {draft.language for draft in drawn} == {"en", "zh"}


def test_too_many_are_refused(bench: Bench) -> None:
    """A category that has fewer drafts than its share says so."""
    with pytest.raises(CheckFailed, match="the shapes of general knowledge have"):
        draw(bench.story, 1, 60, {"general knowledge": 1})

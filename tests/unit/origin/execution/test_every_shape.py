"""All shapes of orders."""

from __future__ import annotations

from caia_replay.origin.execution.every_shape import SHAPES
from tests.order_law import suite


def test_each_shape_is_there_once_and_shipped() -> None:
    """By a name of its own, with acts that carry it out."""
    names = [shape.name for shape in SHAPES]
    assert len(set(names)) == len(names) and set(names) == set(suite().recipes)
    assert all(shape.recipe.acts and shape.most for shape in SHAPES)

"""All shapes together."""

from __future__ import annotations

from pathlib import Path

import caia_replay.origin.tasks
from caia_replay.origin.tasks.every_shape import SHAPES
from caia_replay.origin.tasks.quota import CAIA


def test_no_shape_is_left_out() -> None:
    """Every file of the folder that makes a shape is listed, by its name in order, and names its shape so."""
    folder = Path(caia_replay.origin.tasks.__path__[0])
    made = sorted(path.stem for path in folder.glob("*.py") if "\nSHAPE: Final = Shape(" in path.read_text("utf-8"))
    assert [shape.name.replace("-", "_") for shape in SHAPES] == made


def test_there_are_shapes_for_every_kind_of_task() -> None:
    """At least 45, in all of CAIA's categories and sources, with enough drafts for each share of 178."""
    assert len({shape.name for shape in SHAPES}) == len(SHAPES) >= 45
    for kind, wanted in CAIA.items():
        assert sum(shape.most for shape in SHAPES if (shape.category, shape.source) == kind) >= wanted, kind
    assert sum(any(tag.startswith("trap:") for tag in shape.tags) for shape in SHAPES) >= 20
    assert all(shape.most > 0 and shape.tools and shape.stake_reason.endswith(".") for shape in SHAPES)
    assert sum("code_execution" in shape.tools for shape in SHAPES) >= 10

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from caia_replay.core.tool import Served
from caia_replay.errors import Miss
from caia_replay.tools.call_view import CallView

if TYPE_CHECKING:
    from tests.unit.tools.conftest import Bench


def test_a_call_bears_the_class_of_its_weakest_part(late: Bench) -> None:
    """Nothing touched is computed; a fork outweighs a hit, a ranking outweighs both."""
    view = CallView(late.world)
    assert view.served is Served.COMPUTED
    view.page(next(iter(late.world.pages())).url)
    assert view.served is Served.HIT
    with view.fork():
        pass
    assert view.served is Served.FORK
    view.search("token", 1)
    assert view.served is Served.RANKED
    assert view.altered_by == ()


def test_null_is_never_an_answer(late: Bench) -> None:
    """A node's null is a miss; everything else, zero and empty texts too, passes."""
    view = CallView(late.world)
    with pytest.raises(Miss):
        view.require(None, "transaction", "0x12")
    assert view.require(0, "x", "y") == 0
    assert view.require("", "x", "y") == ""


def test_a_recorded_header_needs_no_node(late: Bench) -> None:
    """Headers come straight from the snapshot; in a complete one no field is unrecorded."""
    view = CallView(late.world)
    assert int(view.recorded_header(late.task.anchor.block)["number"], 16) == view.anchor.block
    assert view.unrecorded_fields(late.task.anchor.block) == frozenset()
    with pytest.raises(Miss):
        view.recorded_header(10_000)

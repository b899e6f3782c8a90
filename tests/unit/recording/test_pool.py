"""The log of who asked what while a task was recorded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.tool import Served, ToolReply, ToolSpec
from caia_replay.errors import BadInput
from caia_replay.recording.pool import POOL, Call, Contribution, LoggedToolset, read_pool, write_pool

NAMES = st.sampled_from(["gold", "react+gpt-5#1", "text-react+recorded/a#2"])
CALLS = st.builds(Call, st.text(max_size=20), st.text(max_size=50), st.sampled_from([str(one) for one in Served]))
CONTRIBUTIONS = st.builds(
    Contribution,
    NAMES,
    st.lists(CALLS, max_size=3).map(tuple),
    st.lists(st.text(alphabet="0123456789abcdef", max_size=8), max_size=3).map(tuple),
    st.dictionaries(st.text(max_size=10), st.text(max_size=10), max_size=2),
)


@given(st.lists(CONTRIBUTIONS, max_size=5))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, made: list[Contribution]) -> None:
    """Law: in the order of first names, the last contribution of each; two writings are equal bytes."""
    place = tmp_path_factory.mktemp("task")
    write_pool(place, made)
    first = (place / POOL).read_bytes()
    read = read_pool(place)
    last = {one.by: one for one in made}
    assert [one.by for one in read] == list(last)
    assert [(one.calls, one.used, dict(one.left_out)) for one in read] == [
        (one.calls, one.used, dict(one.left_out)) for one in last.values()
    ]
    write_pool(place, read)
    assert (place / POOL).read_bytes() == first


def test_a_task_that_was_never_recorded_has_no_pool(tmp_path: Path) -> None:
    """That is no fault."""
    assert read_pool(tmp_path) == ()


@pytest.mark.parametrize(
    "told",
    [
        b"", b"[]", b"{}", b'{"version": 2, "contributions": []}', b'{"version": 1, "contributions": [{}]}',
        b'{"version": 1, "contributions": [{"by": "a\\nb", "calls": [], "used": [], "left_out": {}}]}',
        b'{"version": 1, "contributions": [{"by": "a", "calls": [{"tool": "x"}], "used": [], "left_out": {}}]}',
        b'{"version": 1, "contributions": [{"by": "a", "calls": [], "used": [], "left_out": {"x": 1}}]}',
    ],
)  # fmt: skip
def test_a_broken_log_is_one_line(tmp_path: Path, told: bytes) -> None:
    """Whoever wrote it."""
    (tmp_path / POOL).write_bytes(told)
    with pytest.raises(BadInput, match="no log of a pooled recording"):
        read_pool(tmp_path)


class _Echo:
    def specs(self) -> Sequence[ToolSpec]:
        return []

    def call(self, name: str, arguments: str) -> ToolReply:
        return ToolReply(Served.HIT, {"echo": arguments}, None)


def test_a_logged_toolset_hands_on_and_remembers() -> None:
    """Every call, with the class it was served as, in order."""
    logged = LoggedToolset(_Echo())
    assert logged.call("a", "{}").result == {"echo": "{}"} and logged.specs() == []
    logged.call("b", "not json")
    assert logged.calls == [Call("a", "{}", "HIT"), Call("b", "not json", "HIT")]

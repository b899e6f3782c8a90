from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.goal import Goal
from caia_replay.core.message import Message
from caia_replay.core.tool import Served, ToolReply
from caia_replay.core.trajectory import ToolStep, Trajectory

URL = "https://claims.example/a?b=1"


def run(arguments: str, answer: str | None = None, tool: str = "url_fetching") -> Trajectory:
    step = ToolStep(1, "c", tool, arguments, ToolReply(Served.MISS, None, {"type": "not_recorded"}))
    return Trajectory((Message("user", "q"),), (step,), "answered" if answer else "no_answer", answer)


def test_a_call_counts_however_its_arguments_are_written() -> None:
    """Escaped, nested in lists, or with words around it; another tool, another address and no call do not."""
    goal = Goal(tool="url_fetching", holds=URL)
    for arguments in (json.dumps({"url": URL}), json.dumps({"a": [{"b": f"see {URL}"}]}).replace("/", "\\/")):
        assert goal.is_met(run(arguments))
        assert not goal.is_met(run(arguments, tool="web_search"))
    assert not goal.is_met(run(json.dumps({"url": URL[:-1]})))
    assert not goal.is_met(Trajectory((), (), "no_answer", None))


def test_an_answer_counts_in_any_letter_case() -> None:
    """The dictated words anywhere in the submitted answer; an answer that is not submitted is none."""
    assert Goal(answer="0xAB").is_met(run("{}", "it is 0xab"))
    assert not Goal(answer="0xAB").is_met(run("{}", "0xac"))
    assert not Goal(answer="0xAB").is_met(run('{"url": "0xAB"}'))


@given(st.text(max_size=40))
def test_no_arguments_make_it_fail(arguments: str) -> None:
    """What a model writes is data: any text is judged, and a goal that wants nothing is met by nothing."""
    assert Goal(tool="url_fetching", holds=URL).is_met(run(arguments)) is False
    assert Goal().is_met(run(arguments, "x")) is False


@pytest.mark.parametrize("deep", [100_000])
def test_deep_arguments_are_read_as_they_stand(deep: int) -> None:
    """Too deep for a parser, they are looked through as text."""
    assert Goal(tool="url_fetching", holds=URL).is_met(run("[" * deep + URL))

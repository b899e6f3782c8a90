"""CAIA's form of an agent's output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caia_replay.errors import BadInput
from caia_replay.interop.caia_output import agent_output, outputs_bytes, read_outputs, write_outputs
from caia_replay.tools.catalog import CATALOG


def record(**changed: Any) -> dict[str, Any]:
    """A run of two turns with one call, as trajectories/ keep it."""
    call = {"kind": "tool", "turn": 1, "call_id": "c1", "tool": "web_search", "arguments": '{"query":"é"}'}
    return {
        "task": "caia-007",
        "attempt": 1,
        "answer": "42",
        "steps": [
            {"kind": "model", "turn": 1, "content": "I look it up."},
            {**call, "served": "RANKED", "shown": {"results": ["é"]}, "altered_by": ["lie"], "nearest": "x"},
            {"kind": "model", "turn": 2, "content": ""},
        ],
        **changed,
    }


def test_a_run_becomes_caias_form_and_comes_back(tmp_path: Path) -> None:
    """Written and read, it is the same; the fields are CAIA's and no others."""
    output = agent_output(record())
    write_outputs(tmp_path / "out.json", [output])
    assert read_outputs(tmp_path / "out.json") == [output]
    (written,) = json.loads((tmp_path / "out.json").read_bytes())
    assert list(written) == ["task_id", "answer", "tool_use_list", "reasoning_list"]
    assert written["reasoning_list"] == [{"step": 1, "reasoning": "I look it up."}]
    assert written["tool_use_list"] == [
        {
            "call_id": "c1",
            "tool_name": "web_search",
            "tool_description": CATALOG["web_search"].spec.description,
            "tool_input": '{"query":"é"}',
            "tool_output": '{"results":["é"]}',
        }
    ]


def test_what_only_the_simulator_knows_is_left_out() -> None:
    """No class, no attack, no recording."""
    text = outputs_bytes([agent_output(record())]).decode()
    assert not [word for word in ("RANKED", "lie", "nearest") if word in text]


def test_the_grader_may_know_the_task_by_another_name() -> None:
    """And a run without an answer has an empty one."""
    output = agent_output(record(answer=None), task_id="7")
    assert (output.task_id, output.answer) == ("7", "")


def test_an_unknown_tool_has_no_description() -> None:
    """Models call tools that are none."""
    steps = [{"kind": "tool", "turn": 1, "call_id": "c", "tool": "moon", "arguments": "{", "shown": {"error": {}}}]
    (use,) = agent_output(record(steps=steps)).tool_use_list
    assert (use.tool_name, use.tool_description, use.tool_input) == ("moon", "", "{")


@pytest.mark.parametrize("bad", [{}, record(steps=[{"kind": "tool"}]), record(steps=[1]), record(steps=None)])
def test_what_is_no_record_is_refused(bad: dict[str, Any]) -> None:
    """One line."""
    with pytest.raises(BadInput):
        agent_output(bad)


@pytest.mark.parametrize("text", ["{}", "[{}]", '[{"task_id": "1", "answer": 2}]', "[", '["a"]'])
def test_what_is_not_of_the_form_is_refused(tmp_path: Path, text: str) -> None:
    """Nothing is filled in."""
    (tmp_path / "f").write_text(text)
    with pytest.raises(BadInput):
        read_outputs(tmp_path / "f")


def test_half_a_surrogate_pair_can_be_written(tmp_path: Path) -> None:
    """Models write them; a file cannot hold them, so they are spelt out."""
    write_outputs(tmp_path / "f", [agent_output(record(answer="\ud800"))])
    assert read_outputs(tmp_path / "f")[0].answer == "\ud800"

"""Actions in text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.agents.text_action import Action, find_action

SAID = 'Thought: I add.\nAction: add\nAction Input: {"numbers": [1, 2]}'
WANTED = ("add", {"numbers": [1, 2]})


def read(text: str) -> tuple[str, object] | None:
    """Tool and parsed arguments."""
    action = find_action(text)
    return action and (action.tool, json.loads(action.arguments))


@pytest.mark.parametrize(
    "text",
    [
        SAID,
        SAID.lower(),
        SAID.upper().replace("ADD\n", "add\n").replace("NUMBERS", "numbers"),
        SAID.replace(":", "：", 3).replace('"numbers"：', '"numbers":'),
        SAID.replace("\n", "\n\n  "),
        SAID.replace("\n", "\r\n"),
        'Action:\n  add\nAction Input:\n\n  {\n  "numbers":\n [1,\n2]\n}\n',
        '**Action:** `add`\n**Action Input:** ```json\n{"numbers": [1, 2]}\n```',
        'Action: add\nAction Input:\n```\n{"numbers": [1, 2]}\n```\nDone.',
        '### Action: "add"\n- Action Input: `{"numbers": [1, 2]}`',
        'Action 1: add\nAction Input 1: {"numbers": [1, 2]}',
        'Action: [add]\nActionInput: {"numbers": [1, 2]}',
        'Action: add\nThought: wait\naction_input: {"numbers": [1, 2]} // done',
        'Action: add\n{"numbers": [1, 2]}',
        'Action: add({"numbers": [1, 2]})',
        'Action: add {"numbers": [1, 2]}\nObservation: none',
        SAID + '\nObservation: {"sum": 4}\nFINAL ANSWER: 4',
        SAID + '\nAction: other\nAction Input: {"numbers": [9]}',
        "Observation: {}\n" + SAID,
        "FINAL ANSWER: 4\n" + SAID,
    ],
)
def test_one_action_in_its_spellings(text: str) -> None:
    """Case, marks, fences, colons, line breaks and labels that are missing change nothing; the first action counts."""
    assert read(text) == WANTED


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ("Action: add", "add", ""),
        ("Action: add\nI wait for it.", "add", ""),
        ("Action: add\nObservation: 3\nAction Input: {}", "add", ""),
        ("Action: add\nAction: other\nAction Input: {}", "add", ""),
        ("Action: add\nAction Input:", "add", ""),
        ("Action: add\nAction Input: 1 and 2\nthen\nObservation: 3", "add", "1 and 2\nthen"),
        ("Action: add\nAction Input: ```json\n[1]\n```", "add", "json\n[1]"),
        ('Action: add\nAction Input: {"numbers": [1\nObservation: 3', "add", '{"numbers": [1'),
        ("Action: add\nAction Input: {'numbers': [1]}\nObservation: 3", "add", "{'numbers': [1]}"),
        ('Action: add\nAction Input: {"numbers": [1\nObservation: {"sum": 3}]}', "add", '{"numbers": [1'),
        ('Action: add\nAction Input: {"a": "\nAction: b"}', "add", '{"a": "\\u000aAction: b"}'),
        ("Action:\nAction Input: {}", "", "{}"),
        ("Action: None\nFINAL ANSWER: 3", "None", ""),
        ("Action: look it up\nAction Input: {}", "look it up", "{}"),
        ('Action: add\nAction Input: {"code": "a\nb"}', "add", '{"code": "a\\u000ab"}'),
    ],
)
def test_sloppy_actions_are_actions(text: str, tool: str, arguments: str) -> None:
    """What is missing is empty and what is no JSON goes to the tool as it is, which tells the model."""
    action = find_action(text)
    assert action is not None and (action.tool, action.arguments) == (tool, arguments)


@pytest.mark.parametrize(
    "text",
    ["", "FINAL ANSWER: 3", "I take action: none.", "Action Input: {}", "Observation: 3", "Actions: add", "Action add"],
)
def test_other_text_is_no_action(text: str) -> None:
    """The label stands at the start of a line and ends in a colon."""
    assert find_action(text) is None


@given(
    st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text(), max_size=2), max_size=3),
    st.sampled_from([None, 1]),
    st.booleans(),
    st.text(),
)
def test_any_arguments_come_through(value: object, indent: int | None, ascii_only: bool, after: str) -> None:
    """Whatever stands in the object, labels and fences too, and whatever is invented after it."""
    written = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    said = f"Thought: so\nAction: add\nAction Input: {written}"
    action = find_action(f"{said}\nObservation: {after}\nFINAL ANSWER: 4")
    assert action == Action("add", written, said)


@given(
    st.lists(st.sampled_from([*"{}[]\"'\\`*_ \n:：", "action", "Action:", "action input", "Input:", "\r", "json", "1"]))
)
def test_no_text_breaks_it(parts: list[str]) -> None:
    """Any text is read, and what is kept is how the text begins, with the tool's name in it."""
    text = "".join(parts)
    action = find_action(text)
    if action is not None:
        assert text.startswith(action.said) and action.tool in action.said and "\n" not in action.tool
        assert find_action(action.said) == action


@pytest.mark.parametrize(
    "text",
    [
        "Action" + " " * 300_000,
        "Action:\n" * 100_000,
        "Action: add\nAction Input: " + " " * 300_000 + "x",
        'Action: add\nAction Input: {"' + '\\"' * 300_000,
        "Action: add\nAction Input: " + "{" * 300_000,
        "Action: add\n" + "Thought:\n" * 100_000,
        "`" * 300_000 + "Action: add",
        "Action: add\nAction Input: ```" + "a" * 300_000,
        "Action: add\nAction Input: {}" + "\n" * 300_000 + "x",
        "\n".join(["Action: " + "(" * 3_000] * 100),
    ],
)
def test_long_hostile_texts_are_read_once(text: str) -> None:
    """A text as long as a model writes is no work, whatever it repeats: quadratic time would be hours here."""
    find_action(text)

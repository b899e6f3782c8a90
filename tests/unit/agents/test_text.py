"""What agents read in text: answers, JSON objects, actions, replies of tools."""

from __future__ import annotations

import json
import re
import sys
from types import MappingProxyType

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.agents.answer import answer_field, final_answer
from caia_replay.agents.reply_text import json_line, json_lines, shown_text
from caia_replay.agents.text_action import Action, find_action
from caia_replay.core.tool import Served, ToolReply

AS_FIRST_WRITTEN = re.compile(r"[\s*_#>`]*final\s+answer[\s*_`]*[:：][\s*_]*(?P<answer>.*?)[\s*_]*", re.IGNORECASE)
"""The contract as one pattern: it reads long lines many times over, and says the same."""


def test_the_answer_line_in_its_spellings() -> None:
    """Case, bold marks, headings and space around the last line do not matter; it must be last, and say something."""
    for text in (
        "FINAL ANSWER: 3 ETH", "final answer: 3 ETH", "**FINAL ANSWER:** 3 ETH", "**FINAL ANSWER: 3 ETH**",
        "Reasons.\n\n  Final Answer :  3 ETH  \n\n", "### FINAL ANSWER: 3 ETH", "FINAL ANSWER：3 ETH",
    ):  # fmt: skip
        assert final_answer(text) == "3 ETH"
    for text in ("", "3", "FINAL ANSWER:", "**FINAL ANSWER:**", "FINAL ANSWER: 3\nor not", "My FINAL ANSWER: 3",
                 "FINAL ANSWER 3"):  # fmt: skip
        assert final_answer(text) is None


@given(st.lists(st.sampled_from(["final", "ANSWER", " ", "*", "_", ":", "：", "x", "#", "\u3000", "\x85", "\n"])))
def test_the_answer_line_is_what_one_pattern_says(parts: list[str]) -> None:
    """Reading a line in parts changes nothing of the contract."""
    text = "final answer:" + "".join(parts)
    lines = [line for line in text.splitlines() if line.strip()]
    found = AS_FIRST_WRITTEN.fullmatch(lines[-1])
    assert final_answer(text) == ((found["answer"] or None) if found else None)


def test_long_hostile_replies_are_read_once() -> None:
    """A million marks, strings that never close and empty objects by the hundred thousand are no work."""
    assert final_answer("FINAL ANSWER: x" + "*" * 1_000_000 + "y") == "x" + "*" * 1_000_000 + "y"
    for reply in ('{"' + '\\"' * 500_000, "{}" * 300_000, '{"a": "' + '"' * 500_000, "{" * 1_000_000):
        assert answer_field(reply) is None


@given(st.text(), st.text(st.characters(exclude_characters="{}")), st.text(st.characters(exclude_characters="{}")))
def test_an_answer_field_is_found_in_prose_and_fences(answer: str, before: str, after: str) -> None:
    """Whatever stands around the object, its answer is taken as it is but for space at its ends."""
    reply = json.dumps({"reasoning": '"{[', "answer": answer}, indent=1)
    wanted = answer.strip() or None
    assert answer_field(reply) == answer_field(f"{before}```json\n{reply}\n```{after}") == wanted


ANSWERS = [
    ('{"answer": 1234567.123456789012345678}', "1234567.123456789012345678"), ('{"answer": 1e-7}', "1e-7"),
    ('{"answer": 9' + "0" * 5000 + "}", "9" + "0" * 5000),
    ('{"answer": true}', "true"), ('{"answer": ["A", "B"]}', '["A","B"]'),
    ('{"reasoning": "two\nlines", "answer": "3"}', "3"), ('{"answer": "\\ud800x"}', "?x"),
    ('{"answer": "draft"} so {"answer": "3"}', "3"), ('{"answer": "3"} {"decision": "synthesis"}', "3"),
    ('{"answer": "约 3 ETH"}', "约 3 ETH"),
    ('I use the set {1, 2 and so on.\n{"reasoning":"x","answer":"42"}', "42"),
    ('\\left\\{ x {"reasoning":"x","answer":"42"}', "42"),
    ('{reasoning with {"answer":"42"} }', "42"), ('an open " and { then {"answer":"42"}', "42"),
    ('{"reasoning": "costs \\$5, \\d", "answer": "42"}', "42"), ('{"answer": "\\$5 \\u12"}', "\\$5 \\u12"),
    ('{"answer": "42"} and {', "42"), ('{"answer": "42"} and {"inner": {"answer": "3"}}', "42"),
    ('{"answer": "42"} and {"answer": "3", "answer": "4", "inner": {"answer": "5"}}', "42"),
    ('{"answer": "42"} and {"answer": ' + "[" * 500 + '{"answer": "3"}' + "]" * 500 + "}", "42"),
    ('{"reasoning": "it is {\\"answer\\": 3}", "answer": "42"}', "42"),
    *((reply, None) for reply in (
        "", "3", '"3"', "[]", '{"answer": ""}', '{"answer": null}', '{"reasoning": "3"}', '{"answer": "3"',
        '{"answer": "3", "answer": "4"}', "{'answer': '3'}", '{"inner": {"answer": "3"}}',
        '{"answer": "3"} no: {"answer": null}', "{" * 3000 + "}" * 3000, '{"answer": ' + "[" * 3000 + "]" * 3000 + "}",
    )),
]  # fmt: skip


def test_answers_of_objects() -> None:
    """Numbers keep their digits, the last object with one answer counts, prose hides none; else there is no answer."""
    for reply, answer in ANSWERS:
        assert answer_field(reply) == answer, reply


@given(st.text('{}[]"\\\n an:swer,13'))
def test_no_reply_breaks_it(reply: str) -> None:
    """Any text is read without a fault, and what is read can be sent and stored."""
    (answer_field(reply) or "").encode()


def test_deep_answers_are_read_or_refused() -> None:
    """Under the interpreter's own limit of recursion, which other tests lift."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)
    try:
        found = {depth: answer_field('{"answer": ' + "[" * depth + "]" * depth + "}") for depth in (2, 499, 500)}
    finally:
        sys.setrecursionlimit(before)
    assert found == {2: "[[]]", 499: "[" * 499 + "]" * 499, 500: None}


PROSE = st.lists(st.sampled_from(["{", "}", "\\", "[", "]", "`", "$", ":", ",", " ", "\n", "x", "1", '"', "{}", "\\{"]))
REASONS = st.lists(st.sampled_from([r"\$5", r"\d", r"\(", r"\underline{x}", "\n", r"\"", "\\\\", "{", "}", "x"]))


@given(PROSE.map("".join), REASONS.map("".join), st.text("{}[]:,\\ \n`$x1"))
def test_an_answer_is_found_after_any_prose(before: str, reasons: str, after: str) -> None:
    """Braces, quotes and backslashes above the object and escapes unknown to JSON in it hide nothing."""
    assert answer_field(f'{before} so\n{{"reasoning":"{reasons}","answer":"42"}}{after}') == "42"


def test_replies_are_shown_as_one_line() -> None:
    """An error under its name alone; frozen JSON, line feeds escaped; half a surrogate pair becomes U+FFFD."""
    shown_text(ToolReply(Served.HIT, {"text": "\ud800"})).encode("utf-8")
    assert shown_text(ToolReply(Served.ERROR, error={"b": 1, "a": 2}, nearest="x")) == '{"error":{"a":2,"b":1}}'
    value = MappingProxyType({"b": (1, MappingProxyType({"c": "x\ny\r"})), "a": None})
    assert json_line(value) == '{"a":null,"b":[1,{"c":"x\\ny\\r"}]}'
    assert [json.loads(line) for line in json_lines([value, {}]).split("\n")][1] == {}
    assert json_lines([]) == ""


SAID = 'Thought: I add.\nAction: add\nAction Input: {"numbers": [1, 2]}'
WANTED = ("add", {"numbers": [1, 2]})


def read(text: str) -> tuple[str, object] | None:
    action = find_action(text)
    return action and (action.tool, json.loads(action.arguments))


def test_one_action_in_its_spellings() -> None:
    """Case, marks, fences, colons, line breaks and labels that are missing change nothing; the first action counts."""
    for text in (
        SAID, SAID.lower(), SAID.upper().replace("ADD\n", "add\n").replace("NUMBERS", "numbers"),
        SAID.replace(":", "：", 3).replace('"numbers"：', '"numbers":'), SAID.replace("\n", "\n\n  "),
        SAID.replace("\n", "\r\n"), 'Action:\n  add\nAction Input:\n\n  {\n  "numbers":\n [1,\n2]\n}\n',
        '**Action:** `add`\n**Action Input:** ```json\n{"numbers": [1, 2]}\n```',
        'Action: add\nAction Input:\n```\n{"numbers": [1, 2]}\n```\nDone.',
        '### Action: "add"\n- Action Input: `{"numbers": [1, 2]}`',
        'Action 1: add\nAction Input 1: {"numbers": [1, 2]}', 'Action: [add]\nActionInput: {"numbers": [1, 2]}',
        'Action: add\nThought: wait\naction_input: {"numbers": [1, 2]} // done', 'Action: add\n{"numbers": [1, 2]}',
        'Action: add({"numbers": [1, 2]})', 'Action: add {"numbers": [1, 2]}\nObservation: none',
        SAID + '\nObservation: {"sum": 4}\nFINAL ANSWER: 4',
        SAID + '\nAction: other\nAction Input: {"numbers": [9]}', "Observation: {}\n" + SAID,
        "FINAL ANSWER: 4\n" + SAID,
    ):  # fmt: skip
        assert read(text) == WANTED, text


SLOPPY = [
    ("Action: add", "add", ""), ("Action: add\nI wait for it.", "add", ""),
    ("Action: add\nObservation: 3\nAction Input: {}", "add", ""),
    ("Action: add\nAction: other\nAction Input: {}", "add", ""), ("Action: add\nAction Input:", "add", ""),
    ("Action: add\nAction Input: 1 and 2\nthen\nObservation: 3", "add", "1 and 2\nthen"),
    ("Action: add\nAction Input: ```json\n[1]\n```", "add", "json\n[1]"),
    ('Action: add\nAction Input: {"numbers": [1\nObservation: 3', "add", '{"numbers": [1'),
    ("Action: add\nAction Input: {'numbers': [1]}\nObservation: 3", "add", "{'numbers': [1]}"),
    ('Action: add\nAction Input: {"numbers": [1\nObservation: {"sum": 3}]}', "add", '{"numbers": [1'),
    ('Action: add\nAction Input: {"a": "\nAction: b"}', "add", '{"a": "\\u000aAction: b"}'),
    ("Action:\nAction Input: {}", "", "{}"), ("Action: None\nFINAL ANSWER: 3", "None", ""),
    ("Action: look it up\nAction Input: {}", "look it up", "{}"),
    ('Action: add\nAction Input: {"code": "a\nb"}', "add", '{"code": "a\\u000ab"}'),
]  # fmt: skip


def test_sloppy_actions_are_actions_and_other_text_is_none() -> None:
    """What is missing is empty, what is no JSON goes to the tool as it is; the label begins a line and has a colon."""
    for text, tool, arguments in SLOPPY:
        action = find_action(text)
        assert action is not None and (action.tool, action.arguments) == (tool, arguments), text
    for text in ("", "FINAL ANSWER: 3", "I take action: none.", "Action Input: {}", "Observation: 3", "Actions: add",
                 "Action add"):  # fmt: skip
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


def test_long_hostile_texts_are_read_once() -> None:
    """A text as long as a model writes is no work, whatever it repeats: quadratic time would be hours here."""
    for text in (
        "Action" + " " * 300_000, "Action:\n" * 100_000, "Action: add\nAction Input: " + " " * 300_000 + "x",
        'Action: add\nAction Input: {"' + '\\"' * 300_000, "Action: add\nAction Input: " + "{" * 300_000,
        "Action: add\n" + "Thought:\n" * 100_000, "`" * 300_000 + "Action: add",
        "Action: add\nAction Input: ```" + "a" * 300_000, "Action: add\nAction Input: {}" + "\n" * 300_000 + "x",
        "\n".join(["Action: " + "(" * 3_000] * 100),
    ):  # fmt: skip
        find_action(text)

"""The answer contracts."""

from __future__ import annotations

import json
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.agents.answer import answer_field, final_answer

AS_FIRST_WRITTEN = re.compile(r"[\s*_#>`]*final\s+answer[\s*_`]*[:：][\s*_]*(?P<answer>.*?)[\s*_]*", re.IGNORECASE)
"""The contract as one pattern: it reads long lines many times over, and says the same."""


@pytest.mark.parametrize(
    "text",
    [
        "FINAL ANSWER: 3 ETH",
        "final answer: 3 ETH",
        "**FINAL ANSWER:** 3 ETH",
        "**FINAL ANSWER: 3 ETH**",
        "Reasons.\n\n  Final Answer :  3 ETH  \n\n",
        "### FINAL ANSWER: 3 ETH",
        "FINAL ANSWER：3 ETH",
    ],
)
def test_the_answer_line_in_its_spellings(text: str) -> None:
    """Case, bold marks, headings and space around the last line do not matter."""
    assert final_answer(text) == "3 ETH"


@pytest.mark.parametrize(
    "text",
    ["", "3", "FINAL ANSWER:", "**FINAL ANSWER:**", "FINAL ANSWER: 3\nor not", "My FINAL ANSWER: 3", "FINAL ANSWER 3"],
)
def test_other_endings_are_no_answer(text: str) -> None:
    """The line must be the last, start with the words, and say something."""
    assert final_answer(text) is None


@given(st.lists(st.sampled_from(["final", "ANSWER", " ", "*", "_", ":", "：", "x", "#", "\u3000", "\x85", "\n"])))
def test_the_answer_line_is_what_one_pattern_says(parts: list[str]) -> None:
    """Reading a line in parts changes nothing of the contract."""
    text = "final answer:" + "".join(parts)
    lines = [line for line in text.splitlines() if line.strip()]
    found = AS_FIRST_WRITTEN.fullmatch(lines[-1])
    assert final_answer(text) == ((found["answer"] or None) if found else None)


def test_a_long_line_is_read_once() -> None:
    """A line of a million marks is no work: it would be minutes for a pattern that goes back."""
    assert final_answer("FINAL ANSWER: x" + "*" * 1_000_000 + "y") == "x" + "*" * 1_000_000 + "y"


@given(st.text(), st.text(st.characters(exclude_characters="{}")), st.text(st.characters(exclude_characters="{}")))
def test_an_answer_field_is_found_in_prose_and_fences(answer: str, before: str, after: str) -> None:
    """Whatever stands around the object, its answer is taken as it is but for space at its ends."""
    reply = json.dumps({"reasoning": '"{[', "answer": answer}, indent=1)
    wanted = answer.strip() or None
    assert answer_field(reply) == answer_field(f"{before}```json\n{reply}\n```{after}") == wanted


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('{"answer": 1234567.123456789012345678}', "1234567.123456789012345678"),
        ('{"answer": 1e-7}', "1e-7"),
        ('{"answer": 9' + "0" * 5000 + "}", "9" + "0" * 5000),
        ('{"answer": true}', "true"),
        ('{"answer": ["A", "B"]}', '["A","B"]'),
        ('{"reasoning": "two\nlines", "answer": "3"}', "3"),
        ('{"answer": "\\ud800x"}', "?x"),
        ('{"answer": "draft"} so {"answer": "3"}', "3"),
        ('{"answer": "3"} {"decision": "synthesis"}', "3"),
        ('{"answer": "约 3 ETH"}', "约 3 ETH"),
    ],
)
def test_answers_that_are_no_plain_text(reply: str, answer: str) -> None:
    """Numbers keep their digits, lists are JSON, of several objects the last with an answer counts."""
    assert answer_field(reply) == answer


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "3",
        '"3"',
        "[]",
        '{"answer": ""}',
        '{"answer": null}',
        '{"reasoning": "3"}',
        '{"answer": "3"',
        '{"answer": "3", "answer": "4"}',
        "{'answer': '3'}",
        '{"inner": {"answer": "3"}}',
        '{"answer": "3"} no: {"answer": null}',
        "{" * 3000 + "}" * 3000,
        '{"answer": ' + "[" * 3000 + "]" * 3000 + "}",
    ],
)
def test_replies_without_an_answer(reply: str) -> None:
    """No object that closes and gives one answer: no answer."""
    assert answer_field(reply) is None


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


def test_long_hostile_replies_are_read_once() -> None:
    """Strings that never close and empty objects by the hundred thousand are no work."""
    for reply in ('{"' + '\\"' * 500_000, "{}" * 300_000, '{"a": "' + '"' * 500_000, "{" * 1_000_000):
        assert answer_field(reply) is None


PROSE = st.lists(st.sampled_from(["{", "}", "\\", "[", "]", "`", "$", ":", ",", " ", "\n", "x", "1", '"', "{}", "\\{"]))
REASONS = st.lists(st.sampled_from([r"\$5", r"\d", r"\(", r"\underline{x}", "\n", r"\"", "\\\\", "{", "}", "x"]))


@given(PROSE.map("".join), REASONS.map("".join), st.text("{}[]:,\\ \n`$x1"))
def test_an_answer_is_found_after_any_prose(before: str, reasons: str, after: str) -> None:
    """Braces, quotes and backslashes above the object and escapes unknown to JSON in it hide nothing."""
    assert answer_field(f'{before} so\n{{"reasoning":"{reasons}","answer":"42"}}{after}') == "42"


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('I use the set {1, 2 and so on.\n{"reasoning":"x","answer":"42"}', "42"),
        ('\\left\\{ x {"reasoning":"x","answer":"42"}', "42"),
        ('{reasoning with {"answer":"42"} }', "42"),
        ('an open " and { then {"answer":"42"}', "42"),
        ('{"reasoning": "costs \\$5, \\d", "answer": "42"}', "42"),
        ('{"answer": "\\$5 \\u12"}', "\\$5 \\u12"),
        ('{"answer": "42"} and {', "42"),
        ('{"answer": "42"} and {"inner": {"answer": "3"}}', "42"),
        ('{"answer": "42"} and {"answer": "3", "answer": "4", "inner": {"answer": "5"}}', "42"),
        ('{"answer": "42"} and {"answer": ' + "[" * 500 + '{"answer": "3"}' + "]" * 500 + "}", "42"),
        ('{"reasoning": "it is {\\"answer\\": 3}", "answer": "42"}', "42"),
    ],
)
def test_braces_that_open_no_object_hide_no_answer(reply: str, answer: str) -> None:
    """A brace without JSON is prose; what stands inside JSON, refused or not, is no answer of its own."""
    assert answer_field(reply) == answer


@pytest.mark.parametrize(
    "unit",
    [
        "{",
        "{}",
        '{"',
        '{"a":',
        '{"a":{"',
        '"{",":",',
        '{"a":[',
        '{"a":1,',
        '{"a":"',
        "\\{",
        '{"\\',
        "{}[",
        '"{\\"',
        "{[]",
    ],
)
def test_a_million_hostile_characters_hide_no_answer(unit: str) -> None:
    """Whatever is repeated, the reading ends, and an answer below it is found."""
    text = unit * (1_000_000 // len(unit))
    answer_field('{"a":[' + text)
    answer_field(text + '"\n{"answer":"42"}')
    assert answer_field(text.replace('"', "'") + '{"answer":"42"}') == "42"

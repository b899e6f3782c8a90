"""What gold, recipes and questions are written in: expressions, references, patterns, and what a text says."""

from __future__ import annotations

import re
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.answer_matcher import AnswerMatcher, plain, says, says_answer
from caia_replay.core.expression import evaluate, look_up, number, references, render
from caia_replay.core.gold import GoldAnswer, GoldCall, GoldChain, GoldStep, next_call, resolve
from caia_replay.core.pattern import LONGEST, tame
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import GoldFault

RESULT = {"block": 7, "logs": [{"value": "10", "to": "0xAB"}, {"value": "32", "to": "0xcd"}], "text": "cap is $12.5."}


@given(st.integers(-(10**80), 10**80), st.integers(-(10**80), 10**80).filter(bool))
def test_arithmetic_is_exact(left: int, right: int) -> None:
    """Sums, products and quotients of uint256-sized texts lose nothing."""
    results = [{"a": str(left), "b": str(right)}]
    assert evaluate("$1.a * $1.b - $1.a", results) == left * right - left
    assert evaluate("$1.a / $1.b", results) == Fraction(left, right)


@given(st.integers(-(10**60), 10**60), st.integers(0, 40))
def test_terminating_decimals_render_exactly(numerator: int, places: int) -> None:
    """A number of whole units and decimals reads back as itself."""
    value = Fraction(numerator, 10**places)
    assert Fraction(render(value)) == value


@given(st.text(max_size=60))
def test_no_text_escapes_the_language(source: str) -> None:
    """Whatever the expression, the outcome is a value or a GoldFault, never another error."""
    try:
        evaluate(source, [RESULT])
    except GoldFault:
        return


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("count(where($1.logs, 'to', '0xab'))", "1"), (r"match($1.text, '\$([0-9.]+[0-9])')", "12.5"),
        ("$1.logs[*].value", "10; 32"), ("yes_no(max($1.logs[*].value) >= 32)", "yes"),
        ("choose(max($1.logs[*].value) >= 32, 'above', 'below')", "above"),
        ("choose(1 > 2, 'above', 'below')", "below"), ("list(1, 'b', $1.logs[*].value)", "1; b; 10; 32"),
        ("join(' | ', list(count($1.logs), 'b', 1 / 4))", "2 | b | 0.25"), ("utc_date(1743552000)", "2025-04-02"),
        ("round(10 / 3, 2)", "3.33"), ("'$1.block'", "$1.block"),
    ],
)  # fmt: skip
def test_each_function_says_what_it_says(expression: str, answer: str) -> None:
    """The functions of the language, by example."""
    assert render(evaluate(expression, [RESULT])) == answer


def test_what_does_not_resolve_is_a_fault() -> None:
    """Missing fields, unknown words, impossible sums and stars over no list; nothing renders as an empty answer."""
    for expression in [
        "$1.nothing", "$2.block", "$1.logs.9.value", "__import__('os')", "(1).real", "[1]", "1/0", "min(list())",
        "True", "1e999", "-" * 3000 + "1",
    ]:  # fmt: skip
        with pytest.raises(GoldFault):
            evaluate(expression, [RESULT])
    for nothing in (None, [], "", "  "):
        with pytest.raises(GoldFault):
            render(nothing)
    with pytest.raises(GoldFault):
        look_up("$1.text[*].x", [RESULT])


def test_numbers_and_references_are_read_strictly() -> None:
    """0x texts and decimals are numbers; what stands in quotes is no reference."""
    assert number("0xff") == 255
    assert number("1,000.5") == Fraction(2001, 2)
    for other in ("twelve", True, [1], None):
        with pytest.raises(GoldFault):
            number(other)
    assert references("match($2.text, '$9.x') + $1.block") == (2, 1)


def test_a_chain_steps_from_call_to_call_to_answer() -> None:
    """References resolve at any depth, computed lists are plain, and a chain that is over has no next call."""
    chain = GoldChain(
        (GoldStep("block_query", {"block": None}), GoldStep("data_query", {"block": "= $1.block - 1", "x": "$1.text"})),
        "sum($1.logs[*].value) / $2.n",
    )
    assert next_call(chain, []) == GoldCall("block_query", {"block": None})
    assert next_call(chain, [RESULT]) == GoldCall("data_query", {"block": 6, "x": "cap is $12.5."})
    assert next_call(chain, [RESULT, {"n": "4"}]) == GoldAnswer("10.5")
    assert resolve({"a": ["$1.block", {"b": "$1.logs.0.to"}], "c": 3}, [RESULT]) == {"a": [7, {"b": "0xAB"}], "c": 3}
    chain = GoldChain(
        (GoldStep("send", {"arguments": ["= $1.block * 1000000", "= list($1.block, list(1 / 2), 'x')"]}),), "1"
    )
    big = {"block": 10**30}
    plain = [10**36, [10**30, ["0.5"], "x"]]
    assert next_call(GoldChain((GoldStep("a", {}), *chain.steps), "1"), [big]) == GoldCall("send", {"arguments": plain})
    with pytest.raises(GoldFault):
        next_call(GoldChain((), "1"), [RESULT])


def test_only_an_answer_that_is_said_is_seen() -> None:
    """In any case and language, commas or not; not parts of numbers, words of a yes-or-no, or two texts joined."""
    for question, answer in [
        ("Is it 1,234 or less?", AnswerSpec("number", ("1234",))), ("1234.", AnswerSpec("number", ("1234",))),
        ("总量是1234吗?", AnswerSpec("number", ("1234",))),
        ("Which is larger, usdc or DAI?", AnswerSpec("text", ("USDC",))),
        ("Is Lake, Ltd the issuer?", AnswerSpec("text", ("Lake, Ltd",))),
        ("Who besides 0xAB holds it?", AnswerSpec("text_set", ("0xcd", "0xab"))),
    ]:  # fmt: skip
        assert says_answer(question, answer)
    for question, answer in [
        ("Are there 12345 or 1234.5 or v1234?", AnswerSpec("number", ("1234",))),
        ("Answer yes or no.", AnswerSpec("boolean", ("yes",))), ("How many?", AnswerSpec("text", ("", " , "))),
        ("How many (a|b)*?", AnswerSpec("text", ("(x|y)*",))),
    ]:  # fmt: skip
        assert not says_answer(question, answer)
    book = AnswerMatcher(["It is 12", "34 and more"])
    assert book.says("12") and book.says("34") and not book.says("1234") and not book.says("12 34")


_PART = st.sampled_from(
    ["7", "12.5", "1,234", "v0.5.0", "a_b", "0xab", ".", "..", " ", "-", "\n", "总", "x", ",", "5."]
)


@given(st.lists(_PART, max_size=12).map("".join), st.lists(_PART, min_size=1, max_size=3).map("".join))
def test_a_book_says_what_its_texts_say(text: str, value: str) -> None:
    """However a value is cut out of its text: the quick way and the slow way agree."""
    assert AnswerMatcher([text]).says(value) == says(plain(text), value)


LINE = 200
BOMBS = [
    r"(a+)+b", r"(a*)*b", r"(a|a)*b", r"(a|aa)+b", r"(?:a?){40}a{40}", r"(x+x+)+y", r"^(\w+\s?)*$",
    r"((a{1,2}){1,9}){1,9}", r"(?s:.*)*b", r"(?:(?:a+)b?)+c", r"(?=(a+)+b)a", r"a?" * 40 + "a" * 40, ".*" * 5 + "x",
    "(?:a|b|)" * 60, r"(?i)(A+)+b", "(?>(a+)+)b", r"(?:a*?){9}b",
]  # fmt: skip


@pytest.mark.parametrize("pattern", BOMBS)
def test_a_pattern_of_too_many_ways_is_refused(pattern: str) -> None:
    """Repeated repetitions, repeated alternatives, and too many of either in a row, before anything is matched."""
    with pytest.raises(ValueError, match=r"^a pattern "):
        tame(pattern, LINE)


def test_a_pattern_as_people_write_them_is_taken_and_others_refused() -> None:
    """Ordinary patterns stay as they were; what does not compile, is too long or refers back says so."""
    for pattern in [
        r"at most ([0-9.]+)%", r"\d{1,3}(?:,\d{3})*", r"(?:ab)*c", r"between .* and .*", r"(?<!\d)\d+ blocks", "yes|no",
        r"from (?P<first>\d+) to (?P<last>\d+)", r"(?:a{3}){5}", r"[^.]{0,80}?emitted", r"\d+(?:\.\d+)?%", "",
    ]:  # fmt: skip
        assert tame(pattern, LINE).pattern == pattern
    for pattern, why in [
        ("[", "no pattern"), ("(" * 400, "no pattern"), ("a{99999999999}", "no pattern"), (r"(a)\1", "groupref"),
        ("(?P<a>x)(?P<a>y)", "no pattern"), ("a" * (LONGEST + 1), f"{LONGEST + 1} characters"),
        (r"(a)?(?(1)b|c)", "groupref"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=why):
            tame(pattern, LINE)


def test_shipped_patterns_fit_long_pages_and_open_ones_do_not(shipped: Path) -> None:
    """The bound is over the text a pattern is for."""
    recipes = tomllib.loads((shipped / "suite.toml").read_text())["recipes"]
    assert len(recipes) == 6
    for recipe in recipes.values():
        tame(recipe["question"], LINE)
        tame(recipe["pattern"], 100_000)
    tame("a.*b.*c", LINE)
    with pytest.raises(ValueError, match="steps on 20000 characters"):
        tame("a.*b.*c", 20_000)


@given(st.recursive(
    st.sampled_from(["a", "b", "[ab]", ".", r"\w"]),
    lambda inner: st.tuples(inner, inner).map("".join) | st.tuples(inner, inner).map(lambda p: f"(?:{p[0]}|{p[1]})")
    | st.tuples(inner, st.sampled_from("*+?")).map(lambda p: f"(?:{p[0]}){p[1]}"),
    max_leaves=6,
))  # fmt: skip
def test_nothing_accepted_chooses_inside_a_repetition(pattern: str) -> None:
    """However patterns are put together: what passes repeats only what has one length, and ends on its worst texts."""
    try:
        tame(pattern, 12)
    except ValueError:
        return
    assert not re.search(r"\(\?:[^()]*[*+?|][^()]*\)[*+]", pattern)
    assert all(re.search(f"(?:{pattern})#", letter * 12) is None for letter in "ab")

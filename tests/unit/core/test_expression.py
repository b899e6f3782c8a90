from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.expression import evaluate, look_up, number, references, render
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
        ("count(where($1.logs, 'to', '0xab'))", "1"),
        (r"match($1.text, '\$([0-9.]+[0-9])')", "12.5"),
        ("$1.logs[*].value", "10; 32"),
        ("yes_no(max($1.logs[*].value) >= 32)", "yes"),
        ("choose(max($1.logs[*].value) >= 32, 'above', 'below')", "above"),
        ("choose(1 > 2, 'above', 'below')", "below"),
        ("list(1, 'b', $1.logs[*].value)", "1; b; 10; 32"),
        ("join(' | ', list(count($1.logs), 'b', 1 / 4))", "2 | b | 0.25"),
        ("utc_date(1743552000)", "2025-04-02"),
        ("round(10 / 3, 2)", "3.33"),
        ("'$1.block'", "$1.block"),
    ],
)
def test_each_function_says_what_it_says(expression: str, answer: str) -> None:
    """The functions of the language, by example."""
    assert render(evaluate(expression, [RESULT])) == answer


@pytest.mark.parametrize(
    "expression",
    [
        "$1.nothing",
        "$2.block",
        "$1.logs.9.value",
        "__import__('os')",
        "(1).real",
        "[1]",
        "1/0",
        "min(list())",
        "True",
        "1e999",
        "-" * 3000 + "1",
    ],
)
def test_what_does_not_resolve_is_a_fault(expression: str) -> None:
    """Missing fields, unknown words and impossible sums are faults, never a default."""
    with pytest.raises(GoldFault):
        evaluate(expression, [RESULT])


def test_nothing_renders_as_an_empty_answer() -> None:
    """A missing value, an empty list and an empty text are no answers."""
    for nothing in (None, [], "", "  "):
        with pytest.raises(GoldFault):
            render(nothing)


def test_references_in_quoted_text_are_text() -> None:
    """The lint sees the steps an expression uses, not what stands in its quotes."""
    assert references("match($2.text, '$9.x') + $1.block") == (2, 1)


def test_numbers_read_hex_decimal_and_nothing_else() -> None:
    """0x texts and decimals are numbers; a word, a bool and a list are not."""
    assert number("0xff") == 255
    assert number("1,000.5") == Fraction(2001, 2)
    for other in ("twelve", True, [1], None):
        with pytest.raises(GoldFault):
            number(other)


def test_a_star_needs_a_list() -> None:
    """[*] over something that is no list is a fault."""
    with pytest.raises(GoldFault):
        look_up("$1.text[*].x", [RESULT])

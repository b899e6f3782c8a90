"""Numbers with units and tolerances."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.expression import render
from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers.number import NumberVerifier

ETH = AnswerSpec("number", ("1234.5",), "ETH")
USD = AnswerSpec("number", ("1500000",), "USD", "1")
COUNT = AnswerSpec("number", ("42",))
PERCENT = AnswerSpec("number", ("12.3",), "%")


def right(spec: AnswerSpec, answer: str) -> bool | None:
    """The verdict alone."""
    return NumberVerifier().verify(spec, answer).correct


@pytest.mark.parametrize(
    ("spec", "answer"),
    [
        *(
            (ETH, text)
            for text in ("1234.5", "1,234.5 ETH", "Ξ1234.5", "ETH 1234.5", "1234500000000 gwei", "1.2345e21 wei")
        ),
        (ETH, "1,234.5 ETH (1234500000000000000000 wei)"),
        (ETH, "At block 19000000 on 2024-03-01 the address held 1.2345k ETH, worth $3,000,000"),
        (ETH, "not 1300 ETH but 1234.5 ETH"),
        *(
            (USD, text)
            for text in ("$1.5M", "1.5 million dollars", "US$1,510,000", "1.5m", "150万美元", "0.0015 billion USD")
        ),
        *((COUNT, text) for text in ("42", "42 transfers", "42.0", "四十二", "42笔", "0x2a", "42 (on Uniswap v3)")),
        *(
            (COUNT, text)
            for text in ("42 in blocks 12 to 27", "42 (blocks 12-27)", "42 from block 1,200 until block 1,300", "$42$")
        ),
        *((COUNT, text) for text in ("42 ERC-20 transfers", "between blocks 12 and 27: 42")),
        *((PERCENT, text) for text in ("12.3%", "12.3 percent", "12.3", "1230 bps", "百分之12.3")),
        (AnswerSpec("number", ("-3.2",), "%"), "−3.2 %"),
        (AnswerSpec("number", ("1.5",), "million USD"), "$1,500,000"),
        (AnswerSpec("number", ("0",), "ETH", "5"), "0 ETH"),
    ],
)
def test_right_answers_as_models_write_them(spec: AnswerSpec, answer: str) -> None:
    """Prose, separators, scale words and equivalent units do not change a right answer."""
    assert right(spec, answer) is True


@pytest.mark.parametrize(
    ("spec", "answer"),
    [
        *(
            (ETH, text)
            for text in ("1234.6", "1234.5 BTC", "$1234.5", "1234.5 gwei", "-1234.5 ETH", "1234.5 STETH", "12345 ETH")
        ),
        *(
            (ETH, text)
            for text in ("1234.5 or 1300 ETH", "between 1234.5 and 1300", "1300 ETH, not 1234.5 ETH", "1234.5k ETH")
        ),
        *((USD, text) for text in ("$1.5", "1.5B", "$1.53M", "1.5 million EUR", "$1.5M or $2M")),
        *(
            (COUNT, text)
            for text in (
                "43",
                "42%",
                "42 or 43",
                "42nd",
                "42k",
                "二十四",
                "41.99999999",
                "-42",
                "1.42.3",
                "42 $50",
                "43 in blocks 12 to 42",
            )
        ),
        *((PERCENT, text) for text in ("0.123", "12.3 USD", "-12.3%", "123%")),
        (AnswerSpec("number", ("1.5",), "million USD"), "$1.5"),
        (AnswerSpec("number", ("0",), "ETH", "5"), "0.0001 ETH"),
    ],
)
def test_wrong_answers_as_models_write_them(spec: AnswerSpec, answer: str) -> None:
    """Other values, units, signs, scales, and hedges are wrong."""
    assert right(spec, answer) is False


amounts = st.fractions(min_value=Fraction(1, 100), max_value=10**9, max_denominator=1000).map(
    lambda value: Fraction(round(value, 6))
)


@settings(max_examples=100)
@given(amounts, st.sampled_from([("ETH", 1), ("gwei", 10**9), ("wei", 10**18)]))
def test_equivalent_units_never_change_a_verdict(value: Fraction, unit: tuple[str, int]) -> None:
    """An amount said in any unit of its family is the same amount."""
    name, factor = unit
    assert right(AnswerSpec("number", (render(value),), "ETH"), f"{render(value * factor)} {name}") is True


@settings(max_examples=150)
@given(amounts, st.sampled_from(["0", "0.1", "1", "5"]), st.fractions(min_value=-3, max_value=3, max_denominator=1000))
def test_the_tolerance_is_exact(value: Fraction, tolerance: str, steps: Fraction) -> None:
    """Right exactly when |answer - value| <= |value| * tolerance / 100, decided on rationals."""
    answer = Fraction(render(value * (1 + steps * Fraction(tolerance) / 100)))
    expected = abs(answer - value) <= value * Fraction(tolerance) / 100
    assert right(AnswerSpec("number", (render(value),), None, tolerance), render(answer)) is expected


@settings(max_examples=150)
@given(amounts, st.integers(1, 9), st.sampled_from(["{} ETH", "It is {} ETH.", "**{}**", "about {} ether", "{:}"]))
def test_a_planted_value_never_passes(value: Fraction, digit: int, form: str) -> None:
    """One unit in the seventh decimal is enough to be wrong, in every form of writing."""
    planted = value + Fraction(digit, 10**7)
    assert right(AnswerSpec("number", (render(value),), "ETH"), form.format(render(planted))) is False
    assert (
        right(AnswerSpec("number", (render(value),), "ETH"), f"{render(value)} ETH or {render(planted)} ETH") is False
    )


def test_right_answers_inside_the_tolerance_are_one_reading() -> None:
    """1.49M and 1.51M are both the gold answer to a vote; wrong ones keep their own value."""
    verifier = NumberVerifier()
    assert verifier.verify(USD, "$1.49M").reading == verifier.verify(USD, "1,510,000").reading == "1500000 USD"
    assert verifier.verify(USD, "$2M").reading == verifier.verify(USD, "2,000,000.0 dollars").reading == "2000000 USD"

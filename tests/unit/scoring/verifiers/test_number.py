"""Numbers with units and tolerances."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.expression import render
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.tolerance import PRESETS
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
            for text in ("42 in blocks 12 to 27", "42 (blocks 12-27)", "42 from block 120 until block 130")
        ),
        *((COUNT, text) for text in ("$42$", "42 ERC-20 transfers", "between blocks 12 and 27: 42")),
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
        *((COUNT, text) for text in ("43", "42%", "42 or 43", "42nd", "42k", "二十四", "41.99999999", "-42", "1.42.3")),
        *((COUNT, text) for text in ("42 $50", "43 in blocks 12 to 42")),
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


UP = AnswerSpec("number", ("65.48",), "%", "0", (), "up")
FALL = replace(UP, values=("-65.48",))
DOWN = replace(UP, direction="down")
RISING = (
    *("+65.48%", "up 65.48%", "TVL grew by 65.48 percent", "a 65.48% increase", "▲ 65.48%", "增长65.48%"),
    *("It did not fall; it rose 65.48%", "TVL rose from $1.0M to $1.6548M, 65.48%"),
)
FALLING = (
    *("65.48% decrease", "fell 65.48%", "down 65.48%", "a drop of about 65.48%", "65.48% lower", "下降了65.48%"),
    *("decreased by 65.48 %", "TVL: $1.2B → $0.414B, so 65.48% down", "It did not rise by 65.48%; it fell by 65.48%"),
)


@pytest.mark.parametrize("answer", RISING)
def test_words_of_rising(answer: str) -> None:
    """What rises is plus where up is plus, and minus where down is."""
    assert (right(UP, answer), right(FALL, answer), right(DOWN, answer)) == (True, False, False)


@pytest.mark.parametrize("answer", FALLING)
def test_words_of_falling(answer: str) -> None:
    """What falls is minus where up is plus, and plus where down is."""
    assert (right(UP, answer), right(FALL, answer), right(DOWN, answer)) == (False, True, True)


def test_a_bare_number_has_the_tasks_own_sign() -> None:
    """Without words the sign alone counts; without a direction the words do not."""
    assert (right(UP, "65.48%"), right(FALL, "65.48%"), right(DOWN, "65.48%")) == (True, False, True)
    assert (right(UP, "-65.48%"), right(FALL, "-65.48%"), right(DOWN, "-65.48%")) == (False, True, False)
    free = replace(UP, direction=None)
    assert right(free, "fell by 65.48%") is True and right(free, "-65.48%") is False
    assert right(replace(FALL, direction=None), "fell by 65.48%") is False


@pytest.mark.parametrize("answer", ["rose or fell by 65.48%", "±65.48%", "up or down 65.48%"])
def test_both_ways_are_a_hedge(answer: str) -> None:
    """A change that may go either way answers neither."""
    assert right(UP, answer) is False and right(FALL, answer) is False


BOUNDS = (
    *("more than {}", "at least {}", "over {}", "{}+", "{} or more", "<{}", "≥ {}", "up to {}", "fewer than {}"),
    *("no more than {}", "超过{}", "不到{}", "{}以上", "至少约{}", "less than or equal to {}"),
)


@pytest.mark.parametrize("form", BOUNDS)
@pytest.mark.parametrize("value", ["42", "forty-two", "四十二"])
def test_a_bound_is_no_answer(form: str, value: str) -> None:
    """A number said to be passed or not reached is not stated."""
    score = NumberVerifier().verify(COUNT, form.format(value))
    assert score.correct is False and score.reading is None and "bound" in score.reason


def test_a_bound_beside_a_value_only_has_to_hold() -> None:
    """ "42, which is more than 40" is 42; "42, which is more than 43" contradicts itself."""
    assert right(COUNT, "42, which is more than 40") is True
    assert right(COUNT, "42, which is more than 43") is False


@pytest.mark.parametrize("form", ["{} to {}", "{}-{}", "between {} and {}", "from {} to {}", "{}至{}", "${} - ${}"])
def test_a_range_is_right_when_both_ends_are(form: str) -> None:
    """Every end of a range must lie inside the tolerance, whichever end comes first."""
    spec = AnswerSpec("number", ("100",), "USD", "2")
    assert right(spec, form.format(99, 101)) is True
    for low, high in ((90, 100), (100, 110), (110, 100), (98, 103)):
        assert right(spec, form.format(low, high)) is False, (low, high)


@pytest.mark.parametrize(
    "form",
    [
        "{} swaps in 3 blocks",
        "In block 19,000,000 there were {} swaps",
        "{} (as of 2024-06-04 12:30 UTC)",
        "{} of the 1,000 logs",
        "1,000 - 958 = {}",
        "There were 30 buys and 12 sells, {} in total",
        "Step 1: 1,000 logs.\nStep 2: filtered.\nFinal answer: {}",
        "{} [1]\n\n[1] https://a.example/7",
        "The top 10 holders made {} transfers",
        "{} ETH transfers",
        "The blog claims 43, but the chain shows {}.",
        "{} rather than 43",
        "The article's figure of 43 is wrong; it is {}.",
        '{{"answer": {}, "block": 19000000}}',
        "$\\boxed{{{}}}$",
        "approximately {}",
    ],
)
def test_context_is_told_from_the_answer(form: str) -> None:
    """Numbers that say where, when, out of how many or by which calculation do not spoil an answer, right or wrong."""
    assert right(COUNT, form.format("42")) is True
    assert right(COUNT, form.format("44")) is False


def test_an_amount_worth_something_else() -> None:
    """A bare number beside what it is worth is in the task's unit; a count beside another unit is not."""
    eth = AnswerSpec("number", ("42",), "ETH")
    assert right(eth, "42 (worth $100,000)") is True and right(eth, "$100,000 (42)") is True
    assert right(eth, "42 steps, $100,000") is False and right(eth, "43 (worth $42)") is False


@pytest.mark.parametrize(
    "other", ["42 transactions", "42 blocks", "42 days", "42 wrapped BTC", "42 (USDC)", "¥42", "42%"]
)
def test_a_count_of_other_things_is_no_amount(other: str) -> None:
    """Forty-two of something else is not 42 ETH."""
    assert right(AnswerSpec("number", ("42",), "ETH"), other) is False


@pytest.mark.parametrize(
    ("unit", "value", "answers"),
    [
        ("hours", "1.5", ("1 hour 30 minutes", "1h30m", "90 minutes", "5400 s")),
        ("tx per second", "15", ("15 TPS", "15 tx/s", "15 transactions per second")),
        ("bps", "30", ("0.3%", "30 basis points", "3‰")),
        ("USD", "5", ("500 cents", "five US dollars", "$5", "5美元")),
        ("USD per ETH", "3000", ("1 ETH = $3,000", "3000 USD/ETH", "$3,000 per ETH")),
    ],
)
def test_equivalent_units_in_words(unit: str, value: str, answers: tuple[str, ...]) -> None:
    """Composed and renamed units are the same amount."""
    assert [right(AnswerSpec("number", (value,), unit), answer) for answer in answers] == [True] * len(answers)


@given(st.sampled_from(sorted(PRESETS)), st.integers(-1500, 1500))
def test_another_tolerance_is_another_spec(name: str, steps: int) -> None:
    """Replacing the tolerance, by number or by name, is all that judging under another rule takes."""
    answer = render(Fraction(10_000 + steps))
    spec = AnswerSpec("number", ("10000",))
    percent = render(PRESETS[name].percent)
    expected = abs(steps) <= 100 * PRESETS[name].percent
    assert right(replace(spec, tolerance_percent=name), answer) is expected
    assert right(replace(spec, tolerance_percent=percent), answer) is expected


def test_an_unknown_preset_is_bad_input() -> None:
    """A misspelt preset is the author's fault, told with the nearest name."""
    with pytest.raises(BadInput, match="nearest: caia-2025"):
        right(replace(COUNT, tolerance_percent="caia2025"), "42")


def written(value: Fraction, separator: str, scale: tuple[int, str], wide: bool) -> str:
    """A value with its thousands grouped, in a scale, perhaps in full-width digits."""
    whole, _, decimals = render(value / scale[0]).partition(".")
    sign, whole = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    text = sign + f"{int(whole):,}".replace(",", separator) + ("." + decimals if decimals else "")
    if separator == ".":
        # Without decimals or a second group the point could be a decimal one.
        text = sign + f"{int(whole):,}".replace(",", ".") + "," + (decimals if decimals else "00")
    text = text.translate({ord(c): ord(c) + 0xFEE0 for c in "0123456789"}) if wide else text
    return text + scale[1]


SEPARATORS = st.sampled_from(["", ",", "'", "\u202f", "\u00a0", " ", "_", "."])
SCALES = st.sampled_from(
    [(1, ""), (1000, "k"), (10**6, " million"), (10**6, "M"), (10**9, " Billion"), (10**4, "万"), (10**8, "亿")]
)
FRAMES = st.sampled_from(
    (
        *(
            "{} ETH",
            "**{} ETH**",
            "  {}   ETH \n",
            "ETH {}",
            "The treasury held {} ETH.",
            "Answer: `{}` ETH",
            "“{} ether”",
        ),
        *(
            "On 3 March 2024, in block 19,000,000, it was {} ETH (3 transactions).",
            "about {} eth",
            "- **Total:** {} ETH",
        ),
        *("Not 43 ETH; it is {} ETH.", "{}", "{} ETH [2]", "As of Q1 2024 the balance is ~{} ETH, rank #7"),
    )
)
VALUES = st.integers(1, 10**13).map(lambda number: Fraction(number, 100))


@settings(max_examples=400)
@given(VALUES, st.booleans(), SEPARATORS, SCALES, st.booleans(), FRAMES)
def test_no_form_of_writing_changes_a_verdict(
    value: Fraction, negative: bool, separator: str, scale: tuple[int, str], wide: bool, frame: str
) -> None:
    """Separators, scale words, widths, markdown, spaces and prose: right stays right, a wrong value never passes."""
    value = -value if negative else value
    spec = AnswerSpec("number", (render(value),), "ETH", "0.5")
    assert right(spec, frame.format(written(value, separator, scale, wide))) is True
    for planted in (value * 10, value / 10, value * Fraction(101, 100), -value):
        assert right(spec, frame.format(written(planted, separator, scale, wide))) is False


@settings(max_examples=300)
@given(
    VALUES,
    st.sampled_from([Fraction(11, 10), Fraction(9, 10), Fraction(2), Fraction(-1), Fraction(10)]),
    st.sampled_from(
        ["{} or {}", "{}, or {}", "{} / {}", "between {} and {}", "{}; {}", "{}\n{}", "either {} or {}", "{}, {}"]
    ),
    st.sampled_from(["{} ETH", "{}", "Ξ{}"]),
    st.sampled_from(["{} ETH", "{}"]),
    st.booleans(),
)
def test_a_second_value_makes_an_answer_wrong(
    value: Fraction, factor: Fraction, joint: str, left: str, right_form: str, first: bool
) -> None:
    """The right value beside another one is a hedge, in either order, whichever of them names the unit."""
    pair = [value, value * factor] if first else [value * factor, value]
    answer = joint.format(left.format(render(pair[0])), right_form.format(render(pair[1])))
    assert right(AnswerSpec("number", (render(value),), "ETH", "1"), answer) is False


ALPHABET = st.one_of(
    st.text(max_size=1000),
    st.text("0123456789.,+-*/=^()[]{}$%€£¥×±<>~ \n\\eExXkKmMbB", max_size=1000),
    st.lists(
        st.sampled_from(
            [*FALLING, *RISING, *BOUNDS, "one ", "hundred ", "and ", "百", "万", "亿", "1e999 ", "billion "]
        )
    ).map(lambda parts: "".join(parts)[:1000]),
)


@settings(max_examples=300)
@given(ALPHABET, st.sampled_from([ETH, USD, COUNT, PERCENT, UP, AnswerSpec("number", ("1.5",), "hours")]))
def test_no_answer_breaks_the_verifier(answer: str, spec: AnswerSpec) -> None:
    """Up to 1000 characters of any alphabet get a verdict with a reason."""
    score = NumberVerifier().verify(spec, answer)
    assert score.correct in (True, False) and score.reason


@pytest.mark.parametrize(
    ("bound", "answer", "right"),
    [
        *((asked, "12.5%", True) for asked in ("upper", "lower", None)),
        ("upper", "At most 12.5%", True),
        ("upper", "up to 12.5 percent (1/8)", True),
        ("upper", "最多12.5%", True),
        ("upper", "at least 12.5%", False),
        ("upper", "at most 13%", False),
        ("upper", "at most 12.5% or 13%", False),
        ("lower", "at least 12.5%", True),
        ("lower", "at most 12.5%", False),
        (None, "at most 12.5%", False),
    ],
)
def test_a_limit_is_an_answer_only_where_a_limit_is_asked_for(bound: Any, answer: str, right: bool) -> None:
    """Words such as at most and up to state an upper limit, and nothing else."""
    spec = AnswerSpec("number", ("12.5",), unit="%", bound=bound)
    assert NumberVerifier().verify(spec, answer).correct is right


@settings(max_examples=100)
@given(
    VALUES,
    st.sampled_from(["{} ETH per validator", "{} ETH a day", "nearly {} ETH", "{} milliether", "{} ETH minus fees"]),
    st.sampled_from(["{}", "The answer is {}.", "**{}**", "It was {} (block 19,000,000)", "On 3 March 2024: {}"]),
)
def test_no_value_that_is_not_the_value_passes(value: Fraction, form: str, frame: str) -> None:
    """Rates, near misses, other units and unfinished sums of the right digits are wrong in every sentence."""
    said = render(value)
    assert right(AnswerSpec("number", (said,), "ETH"), frame.format(form.format(said))) is False

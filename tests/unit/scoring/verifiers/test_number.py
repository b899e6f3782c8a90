"""Numbers with units, tolerances, directions and bounds."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.expression import render
from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.tolerance import PRESETS
from caia_replay.scoring.verifiers import verify
from tests.labelled_set import misjudged

ETH = AnswerSpec("number", ("1234.5",), "ETH")
USD = AnswerSpec("number", ("1500000",), "USD", "1")
COUNT = AnswerSpec("number", ("42",))
PERCENT = AnswerSpec("number", ("12.3",), "%")
MILLIONS = AnswerSpec("number", ("1.5",), "million USD")
NONE = AnswerSpec("number", ("0",), "ETH", "5")
FORTY_TWO = AnswerSpec("number", ("42",), "ETH")


@pytest.mark.parametrize(("spec", "answers"), [
    (ETH, (
        "1234.5", "1,234.5 ETH", "Ξ1234.5", "ETH 1234.5", "1234500000000 gwei", "1.2345e21 wei",
        "1,234.5 ETH (1234500000000000000000 wei)",
        "At block 19000000 on 2024-03-01 the address held 1.2345k ETH, worth $3,000,000", "not 1300 ETH but 1234.5 ETH",
    )),
    (USD, (
        "$1.5M", "1.5 million dollars", "US$1,510,000", "1.5m", "150万美元", "0.0015 billion USD",
    )),
    (COUNT, (
        "42", "42 transfers", "42.0", "四十二", "42笔", "0x2a", "42 (on Uniswap v3)", "42 in blocks 12 to 27",
        "42 (blocks 12-27)", "42 from block 120 until block 130", "$42$", "42 ERC-20 transfers",
        "between blocks 12 and 27: 42",
        "42, which is more than 40",
    )),
    (PERCENT, ("12.3%", "12.3 percent", "12.3", "1230 bps", "百分之12.3")),
    (replace(PERCENT, values=("-3.2",)), ("−3.2 %",)),
    (MILLIONS, ("$1,500,000",)), (NONE, ("0 ETH",)), (FORTY_TWO, ("42 (worth $100,000)", "$100,000 (42)")),
    (AnswerSpec("number", ("1.5",), "hours"), ("1 hour 30 minutes", "1h30m", "90 minutes", "5400 s")),
    (AnswerSpec("number", ("15",), "tx per second"), ("15 TPS", "15 tx/s", "15 transactions per second")),
    (AnswerSpec("number", ("30",), "bps"), ("0.3%", "30 basis points", "3‰")),
    (AnswerSpec("number", ("5",), "USD"), ("500 cents", "five US dollars", "$5", "5美元")),
    (AnswerSpec("number", ("3000",), "USD per ETH"), ("1 ETH = $3,000", "3000 USD/ETH", "$3,000 per ETH")),
], ids=lambda told: f"{told.values[0]} {told.unit}" if isinstance(told, AnswerSpec) else "")  # fmt: skip
def test_right_answers_as_models_write_them(spec: AnswerSpec, answers: tuple[str, ...]) -> None:
    """Prose, separators, scale words and equivalent units do not change a right answer."""
    assert misjudged(spec, True, answers) == []


@pytest.mark.parametrize(("spec", "answers"), [
    (ETH, (
        "1234.6", "1234.5 BTC", "$1234.5", "1234.5 gwei", "-1234.5 ETH", "1234.5 STETH", "12345 ETH",
        "1234.5 or 1300 ETH", "between 1234.5 and 1300", "1300 ETH, not 1234.5 ETH", "1234.5k ETH",
    )),
    (USD, ("$1.5", "1.5B", "$1.53M", "1.5 million EUR", "$1.5M or $2M")),
    (COUNT, (
        "43", "42%", "42 or 43", "42nd", "42k", "二十四", "41.99999999", "-42", "1.42.3", "42 $50",
        "43 in blocks 12 to 42",
        "42, which is more than 43",
    )),
    (PERCENT, ("0.123", "12.3 USD", "-12.3%", "123%")), (MILLIONS, ("$1.5",)), (NONE, ("0.0001 ETH",)),
    (FORTY_TWO, (
        "42 steps, $100,000", "43 (worth $42)", "42 transactions", "42 blocks", "42 days", "42 wrapped BTC",
        "42 (USDC)", "¥42", "42%",
    )),
], ids=lambda told: f"{told.values[0]} {told.unit}" if isinstance(told, AnswerSpec) else "")  # fmt: skip
def test_wrong_answers_as_models_write_them(spec: AnswerSpec, answers: tuple[str, ...]) -> None:
    """Other values, units, signs, scales, counts of other things and hedges are wrong."""
    assert misjudged(spec, False, answers) == []


amounts = st.fractions(min_value=Fraction(1, 100), max_value=10**9, max_denominator=1000).map(
    lambda value: Fraction(round(value, 6))
)


@given(amounts, st.sampled_from(["0", "0.1", "1", "5"]), st.fractions(min_value=-3, max_value=3, max_denominator=1000))
def test_the_tolerance_is_exact(value: Fraction, tolerance: str, steps: Fraction) -> None:
    """Right exactly when |answer - value| <= |value| * tolerance / 100, decided on rationals."""
    answer = Fraction(render(value * (1 + steps * Fraction(tolerance) / 100)))
    expected = abs(answer - value) <= value * Fraction(tolerance) / 100
    assert verify(AnswerSpec("number", (render(value),), None, tolerance), render(answer)).correct is expected


@given(st.sampled_from(sorted(PRESETS)), st.integers(-1500, 1500))
def test_another_tolerance_is_another_spec(name: str, steps: int) -> None:
    """Replacing the tolerance, by number or by name, is all that judging under another rule takes."""
    spec, answer = AnswerSpec("number", ("10000",)), render(Fraction(10_000 + steps))
    expected = abs(steps) <= 100 * PRESETS[name].percent
    for tolerance in (name, render(PRESETS[name].percent)):
        assert verify(replace(spec, tolerance_percent=tolerance), answer).correct is expected


@given(
    *(amounts, st.integers(1, 9), st.sampled_from(["{} ETH", "It is {} ETH.", "**{}**", "about {} ether", "{:}"])),
    st.sampled_from([("ETH", 1), ("gwei", 10**9), ("wei", 10**18)]),
)
def test_a_planted_value_never_passes(value: Fraction, digit: int, form: str, unit: tuple[str, int]) -> None:
    """One unit in the seventh decimal is enough to be wrong; said in any unit of its family it is the same amount."""
    said, planted = render(value), render(value + Fraction(digit, 10**7))
    spec = AnswerSpec("number", (said,), "ETH")
    assert misjudged(spec, False, (form.format(planted), f"{said} ETH or {planted} ETH")) == []
    assert verify(spec, f"{render(value * unit[1])} {unit[0]}").correct is True


def test_right_answers_inside_the_tolerance_are_one_reading() -> None:
    """1.49M and 1.51M are both the gold answer to a vote; wrong ones keep their own value."""
    assert {verify(USD, text).reading for text in ("$1.49M", "1,510,000")} == {"1500000 USD"}
    assert {verify(USD, text).reading for text in ("$2M", "2,000,000.0 dollars")} == {"2000000 USD"}


UP = AnswerSpec("number", ("65.48",), "%", "0", (), "up")
FALL, DOWN = replace(UP, values=("-65.48",)), replace(UP, direction="down")
RISING = (
    "+65.48%", "up 65.48%", "TVL grew by 65.48 percent", "a 65.48% increase", "▲ 65.48%", "增长65.48%",
    "It did not fall; it rose 65.48%", "TVL rose from $1.0M to $1.6548M, 65.48%",
)  # fmt: skip
FALLING = (
    "65.48% decrease", "fell 65.48%", "down 65.48%", "a drop of about 65.48%", "65.48% lower", "下降了65.48%",
    "decreased by 65.48 %", "TVL: $1.2B → $0.414B, so 65.48% down", "It did not rise by 65.48%; it fell by 65.48%",
)  # fmt: skip


@pytest.mark.parametrize(("answers", "verdicts"), [
    (RISING, (True, False, False)), (FALLING, (False, True, True)), (("65.48%",), (True, False, True)),
    (("-65.48%",), (False, True, False)),
    (("rose or fell by 65.48%", "±65.48%", "up or down 65.48%"), (False, False, False)),
], ids=["rising", "falling", "bare", "minus", "both"])  # fmt: skip
def test_words_of_change_set_the_sign(answers: tuple[str, ...], verdicts: tuple[bool, ...]) -> None:
    """What rises is plus where up is plus, and minus where down is; both ways are a hedge, a bare sign the task's."""
    for spec, verdict in zip((UP, FALL, DOWN), verdicts, strict=True):
        assert misjudged(spec, verdict, answers) == []


def test_without_a_direction_words_do_not_count() -> None:
    """The sign alone does."""
    free = replace(UP, direction=None)
    assert misjudged(free, True, ["fell by 65.48%"]) == [] and misjudged(free, False, ["-65.48%"]) == []
    assert misjudged(replace(FALL, direction=None), False, ["fell by 65.48%"]) == []


BOUNDS = (
    "more than {}", "at least {}", "over {}", "{}+", "{} or more", "<{}", "≥ {}", "up to {}", "fewer than {}",
    "no more than {}", "超过{}", "不到{}", "{}以上", "至少约{}", "less than or equal to {}",
)  # fmt: skip


@pytest.mark.parametrize("value", ["42", "forty-two", "四十二"])
def test_a_bound_is_no_answer(value: str) -> None:
    """A number said to be passed or not reached is not stated."""
    for form in BOUNDS:
        score = verify(COUNT, form.format(value))
        assert score.correct is False and score.reading is None and "bound" in score.reason, form


@pytest.mark.parametrize(("bound", "right", "wrong"), [
    ("upper", ["12.5%", "At most 12.5%", "up to 12.5 percent (1/8)", "最多12.5%"],
     ["at least 12.5%", "at most 13%", "at most 12.5% or 13%"]),
    ("lower", ["12.5%", "at least 12.5%"], ["at most 12.5%"]), (None, ["12.5%"], ["at most 12.5%"]),
])  # fmt: skip
def test_a_limit_is_an_answer_only_where_a_limit_is_asked_for(
    bound: Literal["upper", "lower"] | None, right: list[str], wrong: list[str]
) -> None:
    """Words such as at most and up to state an upper limit, and nothing else."""
    spec = AnswerSpec("number", ("12.5",), unit="%", bound=bound)
    assert misjudged(spec, True, right) == [] and misjudged(spec, False, wrong) == []


@pytest.mark.parametrize("form", ["{} to {}", "{}-{}", "between {} and {}", "from {} to {}", "{}至{}", "${} - ${}"])
def test_a_range_is_right_when_both_ends_are(form: str) -> None:
    """Every end of a range must lie inside the tolerance, whichever end comes first."""
    spec = AnswerSpec("number", ("100",), "USD", "2")
    assert verify(spec, form.format(99, 101)).correct is True
    ends = ((90, 100), (100, 110), (110, 100), (98, 103))
    assert misjudged(spec, False, (form.format(*pair) for pair in ends)) == []


def test_context_is_told_from_the_answer() -> None:
    """Numbers that say where, when, out of how many or by which calculation do not spoil an answer, right or wrong."""
    forms = (
        "{} swaps in 3 blocks", "In block 19,000,000 there were {} swaps", "{} (as of 2024-06-04 12:30 UTC)",
        "{} of the 1,000 logs", "1,000 - 958 = {}", "There were 30 buys and 12 sells, {} in total",
        "Step 1: 1,000 logs.\nStep 2: filtered.\nFinal answer: {}", "{} [1]\n\n[1] https://a.example/7",
        "The top 10 holders made {} transfers", "{} ETH transfers", "The blog claims 43, but the chain shows {}.",
        "{} rather than 43", "The article's figure of 43 is wrong; it is {}.", '{{"answer": {}, "block": 19000000}}',
        r"$\boxed{{{}}}$", "approximately {}",
    )  # fmt: skip
    assert misjudged(COUNT, True, (form.format(42) for form in forms)) == []
    assert misjudged(COUNT, False, (form.format(44) for form in forms)) == []


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
FRAMES = (
    "{} ETH", "**{} ETH**", "  {}   ETH \n", "ETH {}", "The treasury held {} ETH.", "Answer: `{}` ETH", "“{} ether”",
    "On 3 March 2024, in block 19,000,000, it was {} ETH (3 transactions).", "about {} eth", "- **Total:** {} ETH",
    "Not 43 ETH; it is {} ETH.", "{}", "{} ETH [2]", "As of Q1 2024 the balance is ~{} ETH, rank #7",
)  # fmt: skip
VALUES = st.integers(1, 10**13).map(lambda number: Fraction(number, 100))


@settings(max_examples=200)
@given(VALUES, st.booleans(), SEPARATORS, SCALES, st.booleans(), st.sampled_from(FRAMES))
def test_no_form_of_writing_changes_a_verdict(
    value: Fraction, negative: bool, separator: str, scale: tuple[int, str], wide: bool, frame: str
) -> None:
    """Separators, scale words, widths, markdown, spaces and prose: right stays right, a wrong value never passes."""
    value = -value if negative else value
    spec = AnswerSpec("number", (render(value),), "ETH", "0.5")
    others = (value * 10, value / 10, value * Fraction(101, 100), -value)
    assert misjudged(spec, True, [frame.format(written(value, separator, scale, wide))]) == []
    assert misjudged(spec, False, (frame.format(written(one, separator, scale, wide)) for one in others)) == []


JOINTS = ("{} or {}", "{}, or {}", "{} / {}", "between {} and {}", "{}; {}", "{}\n{}", "either {} or {}", "{}, {}")


@given(
    *(VALUES, st.sampled_from([Fraction(11, 10), Fraction(9, 10), Fraction(2), Fraction(-1), Fraction(10)])),
    *(st.sampled_from(JOINTS), st.sampled_from(["{} ETH", "{}", "Ξ{}"]), st.sampled_from(["{} ETH", "{}"])),
    st.booleans(),
)
def test_a_second_value_makes_an_answer_wrong(
    value: Fraction, factor: Fraction, joint: str, left: str, right: str, first: bool
) -> None:
    """The right value beside another one is a hedge, in either order, whichever of them names the unit."""
    pair = [value, value * factor] if first else [value * factor, value]
    answer = joint.format(left.format(render(pair[0])), right.format(render(pair[1])))
    assert verify(AnswerSpec("number", (render(value),), "ETH", "1"), answer).correct is False


@given(
    VALUES,
    st.sampled_from(["{} ETH per validator", "{} ETH a day", "nearly {} ETH", "{} milliether", "{} ETH minus fees"]),
    st.sampled_from(["{}", "The answer is {}.", "**{}**", "It was {} (block 19,000,000)", "On 3 March 2024: {}"]),
)
def test_no_value_that_is_not_the_value_passes(value: Fraction, form: str, frame: str) -> None:
    """Rates, near misses, other units and unfinished sums of the right digits are wrong in every sentence."""
    spec = AnswerSpec("number", (render(value),), "ETH")
    assert verify(spec, frame.format(form.format(render(value)))).correct is False


WORDS = (*FALLING, *RISING, *BOUNDS, "one ", "hundred ", "and ", "百", "万", "亿", "1e999 ", "billion ")
ALPHABET = st.one_of(
    st.text(max_size=1000),
    st.text("0123456789.,+-*/=^()[]{}$%€£¥×±<>~ \n\\eExXkKmMbB", max_size=1000),
    st.lists(st.sampled_from(WORDS)).map(lambda parts: "".join(parts)[:1000]),
)


@given(ALPHABET, st.sampled_from([ETH, USD, COUNT, PERCENT, UP, AnswerSpec("number", ("1.5",), "hours")]))
def test_no_answer_breaks_the_verifier(answer: str, spec: AnswerSpec) -> None:
    """Up to 1000 characters of any alphabet get a verdict with a reason."""
    score = verify(spec, answer)
    assert score.correct in (True, False) and score.reason

"""Numbers as people and models write them, with sign, scale and unit."""

from __future__ import annotations

import sys
from fractions import Fraction
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.scoring.answer import clean
from caia_replay.scoring.bearing import LEVEL
from caia_replay.scoring.figure import Figure, figures
from caia_replay.scoring.quantity import quantities
from caia_replay.scoring.unit import KNOWN, Unit, parse_unit


def values(text: str, unit: Unit | None = None) -> list[Fraction]:
    """The values stated in a raw text."""
    return [quantity.value for quantity in quantities(clean(text), unit)]


def found(text: str, unit: str = "") -> list[Figure]:
    """The figures of a text, where ``unit`` is asked for."""
    return list(figures(text, parse_unit(unit)[0]))


@given(
    *(st.integers(0, 10**24), st.integers(0, 999999), st.booleans()),
    st.sampled_from(["", ",", "_", "'", "\u202f", " "]),
)
def test_separators_never_change_a_value(whole: int, decimals: int, negative: bool, separator: str) -> None:
    """Every habit of grouping thousands reads as the number itself."""
    grouped = f"{whole:,}".replace(",", separator) + f".{decimals:06d}"
    expected = Fraction(f"{whole}.{decimals:06d}")
    assert values(("-" if negative else "") + grouped) == [-expected if negative else expected]


@given(st.integers(1000, 10**15), st.integers(1, 99))
def test_the_continental_form_is_read(whole: int, cents: int) -> None:
    """1.234.567,89 is what 1,234,567.89 is."""
    text = f"{whole:,}".replace(",", ".") + f",{cents:02d}"
    assert values(text) == [Fraction(f"{whole}.{cents:02d}")]


STATED: tuple[tuple[str, list[str | int]], ...] = (
    ("1.5e18", ["1500000000000000000"]), ("1.5 x 10^18", ["1500000000000000000"]),
    ("1.5×10¹⁸", ["1500000000000000000"]), ("10^6", ["1000000"]), ("1.5 million", ["1500000"]), ("1.5M", ["1500000"]),
    ("2bn", ["2000000000"]), ("3 thousand million", ["3000000000"]), ("0,5", ["0.5"]), ("12,34,567", ["1234567"]),
    (".5", ["0.5"]), ("minus 5", ["-5"]), ("a change of negative 3.5", ["-3.5"]), ("3.2亿", ["320000000"]),
    ("150万美元", ["1500000"]), ("一百二十三万四千", ["1234000"]), ("两亿", ["200000000"]), ("三点一四", ["3.14"]),
    ("十二", ["12"]), ("seven", ["7"]), ("12 transfers", ["12"]), ("约42个", ["42"]),
    # Names, addresses and rejected numbers state nothing.
    ("ERC-20", []), ("Uniswap v3", []), ("1inch", []), ("the 42nd", []),
    ("0x52908400098527886E0F7030069857D2E4169EE7", []), ("https://a.example/42", []), ("one of them", []),
    ("not 43", []), ("not 43 but 42", [42]), ("一共有四十二笔", [42]),
    # Block heights and dates are left out beside a number, and count when they are all there is.
    ("In block 19,000,000 on 2024-03-01 at 12:30 there were 42 transfers", [42]), ("block 19000000", [19000000]),
    # A margin states both ends; in per cent it is a share, unless the value is one itself.
    ("42 ± 2", [40, 44]), ("100 ± 5%", [95, 105]), ("12.3% ± 0.3%", [12, "12.6"]), ("±8", [8, -8]),
    # Mentions are left out, alternatives and what is all there is are not.
    ("Out of 120 logs, 42 match", [42]), ("120 logs were read, so the count is 42", [42]),
    ("rose from 30 to 42, by 12", [12]), ("30 buys and 12 sells, 42 in all", [42]), ("42 (30 + 12)", [42]),
    ("block 18900123 (log index 42)", [18900123]), ("42 swaps by 7 wallets", [42]), ("42 swaps by 43 swaps", [42, 43]),
    ("block 18900124; also 18900123", [18900124, 18900123]), ("block 5 or block 6", [5, 6]),
    ("from 30 to 42", [30, 42]), ("5 or block 6", [5, 6]), ("seven of 9 pools", [7]),
    ("in two pools there were seven swaps", [7]), ("two pools had 42 swaps", [42]),
    ("seven swaps by block 19000000", [7]), ("two pools, seven or 8 swaps", [7, 8]),
    ("I cannot tell which is right: some blogs say 43, but it is 42", [43, 42]),
    # Where something went is the answer where nothing else is; wholes and operands are not.
    ("rose from 10 to 42", [42]), ("从10增加到42", [42]), ("从10到42", [10, 42]), ("45 (out of 60)", [45]),
    ("6 * 7 = 42", [42]), ("1½ and 2", ["1.5", 2]),
)  # fmt: skip


def test_what_a_text_states() -> None:
    """One number in many forms; what is only mentioned, named or rejected beside it is left out."""
    for text, expected in STATED:
        assert values(text) == [Fraction(one) for one in expected], text


@pytest.mark.parametrize(("text", "expected"), [
    ("40 or 50 million USD", [40000000, 50000000]), ("$1.2-1.5M", [1200000, 1500000]), ("$40 to 50", [40, 50]),
    ("$196–$200 million", [196000000, 200000000]), ("between $2.4 billion and $2.5 billion", [2400000000, 2500000000]),
    *((text, [5]) for text in ("$5", "5 USD", "USD 5", "5 dollars", "US$5", "5美元")),
])  # fmt: skip
def test_what_is_said_once_counts_for_both(text: str, expected: list[int]) -> None:
    """The ends of a range and the choices of a hedge share their unit and their scale; it stands on either side."""
    assert [(q.value, q.unit and q.unit.family) for q in quantities(clean(text))] == [(one, "usd") for one in expected]


def test_parts_of_a_duration_are_one_time() -> None:
    """Hours and minutes add up where a time is asked for."""
    (hours,) = quantities("1 hour and 30 minutes", KNOWN["day"])
    assert hours.unit is not None and hours.value * hours.unit.factor == 5400
    assert values("1h30m", KNOWN["hour"]) == [Fraction(3, 2)]


def test_an_end_is_a_level_and_no_change() -> None:
    """What something rose to is marked apart from by how much it rose."""
    (quantity,) = quantities("rose from 10 to 42")
    assert quantity.change == LEVEL


@pytest.mark.parametrize(("text", "pers"), [
    ("40 or 42 a day", 2), ("40, 41 or 42 a day", 3), ("42 in all, 6 a day", 1), ("6 per day, 42 in all", 1),
    ("42, 6 a day", 1), ("42 of 50", 0),
])  # fmt: skip
def test_a_rate_is_shared_by_alternatives_alone(text: str, pers: int) -> None:
    """The choices of a hedge share what they are counted by, a total and a rate do not."""
    assert sum(bool(quantity.per) for quantity in quantities(text)) == pers


REPEATED = (
    "1 ", "1,", "1.1", "1,11,", "42 or ", "$1", "1h", "one ", "one hundred and ", "half a ", "十", "一个", "万", "1万",
    "(1 ", "- 1 ", "1 + ", "1 = ", "1±", "10^", "1e9 ", "0x1 ", "[1]", "not 1 or ", "from 1 to ", "block 1 to ",
    "fell ", "<a", "$\\", "the blog says 1, but ", "1 is wrong, ", "2024-", "Jan 1 ", "1 ETH ", "so 1 ", "1% of ",
    "million ", r"\boxed{", "i.e. ", "up or ", "per day ", "1 per ", "1 a day, ", "each user ", "each ", "~~", "~~1~~ ",
    "1½", "almost ", "1 → corrected: ", "I ", "1 (the a ", "I don't know", "每天1", "日均", "milli-", "1 USD ",
    "1 and a half ", "about ", "more than about ", "1 a b c d ", "1.\n", "http://", "f", "^", "percent ", "step ",
)  # fmt: skip


def calls(text: str) -> int:
    """How many functions reading ``text`` calls, of Python and of C: its work, without a clock."""
    count = 0

    def tick(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(tick)
    try:
        quantities(text, KNOWN["eth"])
    finally:
        sys.setprofile(before)
    return count


def bounded(piece: str) -> bool:
    """Whether four times the text is at most four times the work."""
    short, long = ((piece * (length // len(piece))) for length in (600, 2400))
    return calls(long) <= 4.5 * calls(short) + 200


@pytest.mark.check
@pytest.mark.parametrize("piece", REPEATED)
def test_four_times_the_text_is_at_most_four_times_the_work(piece: str) -> None:
    """The calls grow with the text and not with its square."""
    assert bounded(piece)


@pytest.mark.parametrize("piece", ["1 + ", "one hundred and ", "(1 ", "from 1 to ", "the blog says 1, but "])
def test_work_grows_with_the_text(piece: str) -> None:
    """A few of the pieces, of different readers."""
    assert bounded(piece)


@pytest.mark.check
@pytest.mark.parametrize(
    "piece", [*REPEATED[7:13], "1", "9,", "$", "<", "(", "[", " ", "not ", "a", "A", "E", "\\", "@", "-", "."]
)
def test_long_stretches_of_one_thing_are_read(piece: str) -> None:
    """Fifty thousand characters without many numbers come to an end: no pattern goes back over them again and again."""
    quantities("42 " + piece * (50_000 // len(piece)))


@pytest.mark.parametrize(("text", "value", "family"), [
    ("$1.5M", "1500000", "usd"), ("USD1.5M", "1500000", "usd"), ("US$2.45bn", "2450000000", "usd"),
    ("1.5 million in USDC", "1500000", "own:usdc"), ("$197 million in DAI", "197000000", "usd"),
    ("1234.5 $ETH", "1234.5", "ether"), ("1234.5 (ETH)", "1234.5", "ether"), ("1234.5个ETH", "1234.5", "ether"),
    ("5万 USDT", "50000", "own:usdt"), ("百分之12.3", "12.3", "percent"), ("-$5", "-5", "usd"), ("$-5", "-5", "usd"),
    ("负3.2 ETH", "-3.2", "ether"), ("minus forty-five days", "-45", "time"), ("45日", "45", "time"),
    ("3.75Ξ", "3.75", "ether"), ("10^6 wei", "1000000", "ether"), ("HK$5", "5", "hkd"), ("3.5x", "3.5", "times"),
    ("42 wrapped BTC", "42", "bitcoin"),
])  # fmt: skip
def test_value_and_unit(text: str, value: str, family: str) -> None:
    """Signs, scales and units stand before or behind a number."""
    (figure,) = found(text)
    assert figure.value == Fraction(value) and figure.unit is not None and figure.unit.family == family
    assert (figure.start, figure.end) == (0, len(text)) or text.startswith("百")


FIGURES: tuple[tuple[str, list[int | str]], ...] = (
    ("ERC-20", []), ("v3", []), ("1inch", []), ("42nd", []), ("forty-fifth", []), ("50abc", []), ("1.2.3.4", []),
    ("Total - 42", [42]), ("- a\n- 42", [42]), ("-42", [-42]), ("- 42", [-42]), ("is - 42", [-42]),
    ("42 and a half", ["42.5"]), ("1个半", ["1.5"]), ("3 and one half million", ["3500000"]), ("2个半数", ["2"]),
    ("9" * 5000, []),
)  # fmt: skip
BETWEEN = ("{} USD {}", "{} USD {} USD", "USD {} {}", "{} ETH {} USD", "$ {} USD {}", "{} USD {} ETH")


def test_what_is_found() -> None:
    """Names and endless digits are no numbers; a dash is a sign only where a value begins; a half behind is added."""
    for text, expected in FIGURES:
        assert [figure.value for figure in found(text)] == [Fraction(one) for one in expected], text[:80]
    for form in BETWEEN:
        assert [figure.value for figure in found(form.format(7, 5), "USD")] == [7, 5], form


@pytest.mark.parametrize(("text", "noun"), [
    ("42 unique senders in all", "senders"), ("42 is", ""), ("42", ""), ("42 USDC transfers", "transfers"),
    ("42笔交易", "笔"),
])  # fmt: skip
def test_what_is_counted(text: str, noun: str) -> None:
    """The last plain word behind a number says what it counts, even behind a ticker."""
    (figure,) = found(text)
    assert (figure.noun, figure.unit) == (noun, None)


@pytest.mark.parametrize(("text", "asked", "unit"), [
    ("stETH 5", "ETH", Unit("own:steth")), ("TVL 5", "ETH", None),
    ("¥5", "CNY", KNOWN["cny"]), ("¥5", "JPY", KNOWN["jpy"]), ("¥5", "USD", KNOWN["¥"]),
])  # fmt: skip
def test_a_unit_depends_on_what_was_asked_for(text: str, asked: str, unit: Unit | None) -> None:
    """A ticker before a number is one, a label is none; ¥ is yuan or yen where one of them is wanted."""
    assert found(text, asked)[0].unit == unit


def test_rates_keep_their_period() -> None:
    """Per hour is not per second; per token says nothing new."""
    hour, token = found("15 tx per hour", "tx per second"), found("$5 per token", "USD per MARE")
    assert hour[0].unit is not None and hour[0].unit.per == KNOWN["hour"].name()
    assert token[0].unit is not None and token[0].unit.per == ""

"""Numbers as people and models write them."""

from __future__ import annotations

import sys
from fractions import Fraction
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.scoring.answer import clean
from caia_replay.scoring.bearing import LEVEL
from caia_replay.scoring.quantity import quantities
from caia_replay.scoring.unit import KNOWN, Unit


def values(text: str) -> list[Fraction]:
    """The values stated in a raw text."""
    return [quantity.value for quantity in quantities(clean(text))]


@settings(max_examples=150)
@given(
    st.integers(0, 10**24), st.integers(0, 999999), st.booleans(), st.sampled_from(["", ",", "_", "'", "\u202f", " "])
)
def test_separators_never_change_a_value(whole: int, decimals: int, negative: bool, separator: str) -> None:
    """Every habit of grouping thousands reads as the number itself."""
    grouped = f"{whole:,}".replace(",", separator) + f".{decimals:06d}"
    expected = Fraction(f"{whole}.{decimals:06d}")
    assert values(("-" if negative else "") + grouped) == [-expected if negative else expected]


@settings(max_examples=100)
@given(st.integers(1000, 10**15), st.integers(1, 99))
def test_the_continental_form_is_read(whole: int, cents: int) -> None:
    """1.234.567,89 is what 1,234,567.89 is."""
    text = f"{whole:,}".replace(",", ".") + f",{cents:02d}"
    assert values(text) == [Fraction(f"{whole}.{cents:02d}")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.5e18", "1500000000000000000"),
        ("1.5 x 10^18", "1500000000000000000"),
        ("1.5×10¹⁸", "1500000000000000000"),
        ("10^6", "1000000"),
        ("1.5 million", "1500000"),
        ("1.5M", "1500000"),
        ("2bn", "2000000000"),
        ("3 thousand million", "3000000000"),
        ("0,5", "0.5"),
        ("12,34,567", "1234567"),
        (".5", "0.5"),
        ("minus 5", "-5"),
        ("a change of negative 3.5", "-3.5"),
        ("3.2亿", "320000000"),
        ("150万美元", "1500000"),
        ("一百二十三万四千", "1234000"),
        ("两亿", "200000000"),
        ("三点一四", "3.14"),
        ("十二", "12"),
        ("seven", "7"),
        ("12 transfers", "12"),
        ("约42个", "42"),
    ],
)
def test_one_number_in_many_forms(text: str, expected: str) -> None:
    """Powers, scale words, decimal commas, Chinese numerals and English words are exact."""
    assert values(text) == [Fraction(expected)]


@pytest.mark.parametrize(
    "text",
    [
        "ERC-20",
        "Uniswap v3",
        "1inch",
        "the 42nd",
        "0x52908400098527886E0F7030069857D2E4169EE7",
        "https://a.example/42",
        "one of them",
    ],
)
def test_names_are_not_numbers(text: str) -> None:
    """Digits inside names, hexadecimal words and addresses of pages state no quantity."""
    assert values(text) == []


def test_where_and_when_are_asides() -> None:
    """Block heights and dates are left out beside a number, and count when they are all there is."""
    assert values("In block 19,000,000 on 2024-03-01 at 12:30 there were 42 transfers") == [42]
    assert values("block 19000000") == [19000000]


def test_rejected_numbers_never_come_back() -> None:
    """ "not 43" leaves nothing, even when nothing else is stated."""
    assert values("not 43") == []
    assert values("not 43 but 42") == [42]


def test_units_stand_before_or_after() -> None:
    """$5, 5 USD, USD 5 and 5 dollars name one unit."""
    for text in ("$5", "5 USD", "USD 5", "5 dollars", "US$5", "5美元"):
        (quantity,) = quantities(clean(text))
        assert quantity.unit is not None and quantity.unit.family == "usd" and quantity.value == 5, text


@settings(max_examples=150)
@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    """Any text gives numbers or none, never an exception."""
    quantities(clean(text))


def test_one_two_and_chinese_all_together_words() -> None:
    """The numeral in 一共 (altogether) is no number."""
    assert values("一共有四十二笔") == [42]


def stated(text: str, unit: Unit | None = None) -> list[tuple[Fraction, str]]:
    """The values stated in a raw text, with the families of their units."""
    return [(q.value, q.unit.family if q.unit else "") for q in quantities(clean(text), unit)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("40 or 50 million USD", [40_000_000, 50_000_000]),
        ("$1.2-1.5M", [1_200_000, 1_500_000]),
        ("$40 to 50", [40, 50]),
        ("$196–$200 million", [196_000_000, 200_000_000]),
        ("between $2.4 billion and $2.5 billion", [2_400_000_000, 2_500_000_000]),
    ],
)
def test_what_is_said_once_counts_for_both(text: str, expected: list[int]) -> None:
    """The ends of a range and the choices of a hedge share their unit and their scale."""
    assert stated(text) == [(value, "usd") for value in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("42 ± 2", [40, 44]),
        ("100 ± 5%", [95, 105]),
        ("12.3% ± 0.3%", [12, Fraction(63, 5)]),
        ("±8", [8, -8]),
    ],
)
def test_a_margin_has_two_ends(text: str, expected: list[Fraction]) -> None:
    """A margin states both ends; in per cent it is a share, unless the value is one itself."""
    assert [value for value, _ in stated(text)] == expected


def test_parts_of_a_duration_are_one_time() -> None:
    """Hours and minutes add up where a time is asked for."""
    (hours,) = quantities("1 hour and 30 minutes", KNOWN["day"])
    assert hours.unit is not None and hours.value * hours.unit.factor == 5400
    assert [value for value, _ in stated("1h30m", KNOWN["hour"])] == [Fraction(3, 2)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Out of 120 logs, 42 match", [42]),
        ("120 logs were read, so the count is 42", [42]),
        ("rose from 30 to 42, by 12", [12]),
        ("30 buys and 12 sells, 42 in all", [42]),
        ("42 (30 + 12)", [42]),
        ("block 18900123 (log index 42)", [18900123]),
        ("42 swaps by 7 wallets", [42]),
        ("42 swaps by 43 swaps", [42, 43]),
        ("block 18900124; also 18900123", [18900124, 18900123]),
        ("block 5 or block 6", [5, 6]),
        ("from 30 to 42", [30, 42]),
        ("5 or block 6", [5, 6]),
        ("seven of 9 pools", [7]),
        ("in two pools there were seven swaps", [7]),
        ("two pools had 42 swaps", [42]),
        ("seven swaps by block 19000000", [7]),
        ("two pools, seven or 8 swaps", [7, 8]),
        ("I cannot tell which is right: some blogs say 43, but it is 42", [43, 42]),
    ],
)
def test_what_an_answer_commits_to(text: str, expected: list[int]) -> None:
    """Mentions are left out, alternatives and what is all there is are not."""
    assert [value for value, _ in stated(text)] == expected


REPEATED = (
    *(
        "1 ",
        "1,",
        "1.1",
        "1,11,",
        "42 or ",
        "$1",
        "1h",
        "one ",
        "one hundred and ",
        "half a ",
        "十",
        "一个",
        "万",
        "1万",
        "(1 ",
    ),
    *(
        "- 1 ",
        "1 + ",
        "1 = ",
        "1±",
        "10^",
        "1e9 ",
        "0x1 ",
        "[1]",
        "not 1 or ",
        "from 1 to ",
        "block 1 to ",
        "fell ",
        "<a",
        "$\\",
    ),
    *(
        "the blog says 1, but ",
        "1 is wrong, ",
        "2024-",
        "Jan 1 ",
        "1 ETH ",
        "so 1 ",
        "1% of ",
        "million ",
        "\\boxed{",
        "i.e. ",
        "up or ",
    ),
    *(
        "per day ",
        "1 per ",
        "1 a day, ",
        "each user ",
        "each ",
        "~~",
        "~~1~~ ",
        "1½",
        "almost ",
        "1 → corrected: ",
        "I ",
    ),
    *("1 (the a ", "I don't know", "每天1", "日均", "milli-", "1 USD ", "1 and a half "),
    *("about ", "more than about ", "1 a b c d ", "1.\n", "http://", "f", "^", "percent ", "step "),
)


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


@pytest.mark.parametrize("piece", REPEATED)
def test_four_times_the_text_is_at_most_four_times_the_work(piece: str) -> None:
    """The calls grow with the text and not with its square."""
    short, long = ((piece * (length // len(piece))) for length in (600, 2400))
    assert calls(long) <= 4.5 * calls(short) + 200


@pytest.mark.parametrize(
    "piece", [*REPEATED[7:13], "1", "9,", "$", "<", "(", "[", " ", "not ", "a", "A", "E", "\\", "@", "-", "."]
)
def test_long_stretches_of_one_thing_are_read(piece: str) -> None:
    """Fifty thousand characters without many numbers come to an end: no pattern goes back over them again and again."""
    quantities("42 " + piece * (50_000 // len(piece)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(
            ("rose from 10 to 42", [42]),
            ("从10增加到42", [42]),
            ("rose from 30 to 42, by 12", [12]),
            ("从10到42", [10, 42]),
        ),
        *(("45 (out of 60)", [45]), ("6 * 7 = 42", [42]), ("1½ and 2", [Fraction(3, 2), 2])),
    ],
)
def test_ends_wholes_and_products(text: str, expected: list[Fraction]) -> None:
    """Where something went is the answer where nothing else is; wholes and operands are not."""
    assert [value for value, _ in stated(text)] == expected


def test_an_end_is_a_level_and_no_change() -> None:
    """What something rose to is marked apart from by how much it rose."""
    (quantity,) = quantities("rose from 10 to 42")
    assert quantity.change == LEVEL


@pytest.mark.parametrize(
    ("text", "pers"),
    [
        ("40 or 42 a day", 2),
        ("40, 41 or 42 a day", 3),
        ("42 in all, 6 a day", 1),
        ("6 per day, 42 in all", 1),
        ("42, 6 a day", 1),
        ("42 of 50", 0),
    ],
)
def test_a_rate_is_shared_by_alternatives_alone(text: str, pers: int) -> None:
    """The choices of a hedge share what they are counted by, a total and a rate do not."""
    assert sum(bool(quantity.per) for quantity in quantities(text)) == pers

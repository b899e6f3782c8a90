"""Numbers found with sign, scale and unit."""

from __future__ import annotations

from fractions import Fraction

import pytest

from caia_replay.scoring.figure import Figure, figures
from caia_replay.scoring.unit import KNOWN, Unit, parse_unit


def found(text: str, unit: str = "") -> list[Figure]:
    """The figures of a text, where ``unit`` is asked for."""
    return list(figures(text, parse_unit(unit)[0]))


@pytest.mark.parametrize(
    ("text", "value", "family"),
    [
        ("$1.5M", "1500000", "usd"),
        ("USD1.5M", "1500000", "usd"),
        ("US$2.45bn", "2450000000", "usd"),
        ("1.5 million in USDC", "1500000", "own:usdc"),
        ("$197 million in DAI", "197000000", "usd"),
        ("1234.5 $ETH", "1234.5", "ether"),
        ("1234.5 (ETH)", "1234.5", "ether"),
        ("1234.5个ETH", "1234.5", "ether"),
        ("5万 USDT", "50000", "own:usdt"),
        ("百分之12.3", "12.3", "percent"),
        ("-$5", "-5", "usd"),
        ("$-5", "-5", "usd"),
        ("负3.2 ETH", "-3.2", "ether"),
        ("minus forty-five days", "-45", "time"),
        ("45日", "45", "time"),
        ("3.75Ξ", "3.75", "ether"),
        ("10^6 wei", "1000000", "ether"),
        ("HK$5", "5", "hkd"),
        ("3.5x", "3.5", "times"),
        ("42 wrapped BTC", "42", "bitcoin"),
    ],
)
def test_value_and_unit(text: str, value: str, family: str) -> None:
    """Signs, scales and units stand before or behind a number."""
    (figure,) = found(text)
    assert figure.value == Fraction(value)
    assert figure.unit is not None
    assert figure.unit.family == family
    assert (figure.start, figure.end) == (0, len(text)) or text.startswith("百")


@pytest.mark.parametrize("text", ["ERC-20", "v3", "1inch", "42nd", "forty-fifth", "50abc", "1.2.3.4"])
def test_names(text: str) -> None:
    """What is attached to letters is no number."""
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "value"), [("Total - 42", 42), ("- a\n- 42", 42), ("-42", -42), ("- 42", -42), ("is - 42", -42)]
)
def test_dashes_are_no_signs(text: str, value: int) -> None:
    """A dash apart from its number is a sign only where a value begins."""
    assert [figure.value for figure in found(text)] == [value]


@pytest.mark.parametrize(
    ("text", "noun"),
    [
        ("42 unique senders in all", "senders"),
        ("42 is", ""),
        ("42", ""),
        ("42 USDC transfers", "transfers"),
        ("42笔交易", "笔"),
    ],
)
def test_what_is_counted(text: str, noun: str) -> None:
    """The last plain word behind a number says what it counts, even behind a ticker."""
    (figure,) = found(text)
    assert (figure.noun, figure.unit) == (noun, None)


def test_a_ticker_before_is_a_unit_and_a_label_is_none() -> None:
    """stETH 5 is in stETH, TVL 5 in whatever was asked for."""
    assert found("stETH 5", "ETH")[0].unit == Unit("own:steth")
    assert found("TVL 5", "ETH")[0].unit is None


def test_the_sign_of_yuan_and_yen_is_what_was_asked_for() -> None:
    """¥5 is in yuan or yen where one of them is wanted, and neither elsewhere."""
    assert found("¥5", "CNY")[0].unit == KNOWN["cny"]
    assert found("¥5", "JPY")[0].unit == KNOWN["jpy"]
    assert found("¥5", "USD")[0].unit == KNOWN["¥"]


def test_rates_keep_their_period() -> None:
    """Per hour is not per second; per token says nothing new."""
    hour, token = found("15 tx per hour", "tx per second"), found("$5 per token", "USD per MARE")
    assert hour[0].unit is not None and hour[0].unit.per == KNOWN["hour"].name()
    assert token[0].unit is not None and token[0].unit.per == ""


def test_endless_digits_are_not_read() -> None:
    """Five thousand digits are no number that anybody means."""
    assert found("9" * 5000) == []


@pytest.mark.parametrize(
    "text", ["{} USD {}", "{} USD {} USD", "USD {} {}", "{} ETH {} USD", "$ {} USD {}", "{} USD {} ETH"]
)
def test_a_unit_between_two_numbers_drops_neither(text: str) -> None:
    """Whichever of them it belongs to, both are found where they stand."""
    assert [figure.value for figure in found(text.format(7, 5), "USD")] == [7, 5]


@pytest.mark.parametrize(
    ("text", "value"),
    [("42 and a half", "42.5"), ("1个半", "1.5"), ("3 and one half million", "3500000"), ("2个半数", "2")],
)
def test_a_half_behind_digits_is_added(text: str, value: str) -> None:
    """And a half, in English and in Chinese, is part of the number before it."""
    assert [figure.value for figure in found(text)] == [Fraction(value)]

"""Arguments as models write them: read as one thing, or refused in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import ToolError
from caia_replay.tools.argument import (
    DAY_S,
    address_argument,
    chain_argument,
    choice_argument,
    duration_argument,
    hash_argument,
    moment_argument,
    number_argument,
    within,
)
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text
from tests.unit.tools.conftest import Desk

NOW = 1_725_203_188
"""2024-09-01T15:06:28Z."""
LONG = 1_000_000
"""Characters of the longest text a reading is given."""
PAST = st.integers(0, NOW)
READINGS: dict[str, Callable[[str], object]] = {
    "address": address_argument,
    "hash": hash_argument,
    "number": lambda text: number_argument(text, "limit"),
    "duration": lambda text: duration_argument(text, "interval"),
    "moment": lambda text: moment_argument(text, NOW),
    "choice": lambda text: choice_argument(text, ("market cap", "volume_24h"), "order"),
    "chain": lambda text: chain_argument(WORLD, text),
}
WORLD: Any = SimpleNamespace(
    anchor=SimpleNamespace(chain="main"),
    chains={"main": SimpleNamespace(chain_id=7001), "side-chain": SimpleNamespace(chain_id=7002)},
)
SPELLED = st.sampled_from(
    [*"0123456789.,:-+/eE%$ tTzZmMdDhHsSkKbBxX'\"", "ago", "may", "0x", "年", "月", "日", "st", "utc"]
)
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November")
MONTH_NAMES = (*MONTHS, "December")


@pytest.mark.parametrize("name", sorted(READINGS))
@given(text=st.text(max_size=60) | st.lists(SPELLED, max_size=20).map("".join))
def test_any_text_is_read_or_refused_in_words(name: str, text: str) -> None:
    """Nothing but a ToolError comes of any text, and it repeats no more than a little of it."""
    try:
        READINGS[name](text)
    except ToolError as fault:
        assert 20 < len(str(fault)) < 700


@pytest.mark.parametrize("name", sorted(READINGS))
@pytest.mark.parametrize(
    "part",
    ["9", "a", " ", "-", "1,", "t", "2024-05-31 ", " ago", "1d ago ", "0x", "'", "31 may 2024,", "1,000", "年",
     "\N{KELVIN SIGN}", "\0"],
)  # fmt: skip
def test_the_longest_texts_are_refused_at_once(name: str, part: str) -> None:
    """A megabyte of one thing, alone or behind a good beginning, is no argument; no pattern runs back over it."""
    for start in ("", "2024-05-31"):
        with pytest.raises(ToolError) as caught:
            READINGS[name](start + part * (LONG // len(part)) + "!")
        assert len(str(caught.value)) < 700


@given(moment=PAST)
def test_a_moment_read_back_equals(moment: int) -> None:
    """What the tools show as a time is read as that time, as are its seconds and its milliseconds."""
    assert moment_argument(utc_text(moment), NOW) == moment
    if moment >= 100_000_000:
        assert moment_argument(moment, NOW) == moment_argument(str(moment), NOW) == moment
        assert moment_argument(moment * 1000 + 999, NOW) == moment
    shown = datetime.fromtimestamp(moment, UTC)
    for text in (shown.isoformat(), shown.strftime("%Y-%m-%d %H:%M:%S"), f"'{utc_text(moment)}'", str(shown)):
        assert moment_argument(text, NOW) == moment


@given(moment=PAST, hours=st.integers(-12, 13), half=st.sampled_from([0, 30, 45]))
def test_offsets_are_taken_off(moment: int, hours: int, half: int) -> None:
    """A clock with an offset is the same moment as in UTC, with a colon or without."""
    sign, ahead_s = ("-", -1) if hours < 0 else ("+", 1)
    offset_s = ahead_s * (abs(hours) * 3600 + half * 60)
    there = datetime.fromtimestamp(moment + offset_s + DAY_S, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    for zone in (f"{sign}{abs(hours):02}:{half:02}", f"{sign}{abs(hours):02}{half:02}"):
        assert moment_argument(there + zone, NOW + DAY_S) == moment + DAY_S


@given(day=st.dates(min_value=date(1970, 1, 1), max_value=date(2024, 8, 31)))
def test_the_spellings_of_one_date_are_equal(day: date) -> None:
    """However a date is written, it is its 00:00 UTC."""
    long, short = MONTH_NAMES[day.month - 1], MONTH_NAMES[day.month - 1][:3]
    spellings = (
        *(day.isoformat(), f"{day.year}/{day.month}/{day.day}", f"{day.year}.{day.month:02}.{day.day:02}"),
        *(f"{day.day} {long} {day.year}", f"{long} {day.day}, {day.year}", f"{short}. {day.day} {day.year}"),
        *(f"{day.day:02} {short.upper()} {day.year}", f"{day.day}th {short.lower()}, {day.year}"),
        *(f"{day.year}年{day.month}月{day.day}日", f"{day.year}年{day.month:02}月{day.day:02}"),
        *(f"{day.isoformat()}T00:00:00Z", f"{day.isoformat()} 00:00 UTC", f"  {day.isoformat()}z\n"),
    )
    wanted = {int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())}
    assert {moment_argument(text, NOW) for text in spellings} == wanted


def test_what_has_two_meanings_or_none_is_refused() -> None:
    """Of moments, lengths and numbers; nothing is guessed, rounded or cut to one there is."""
    for text in (
        "05/06/2024", "05-06-2024", "5.6.2024", "24-05-06", "2024-05-31-05:00", "2024-05-31-0500", "5M ago", "1m",
        "M ago", "20240531", "2024-05", "May 2024", "31 May", "2024", "2024-05-31 2:00 pm", "2024-05-31 14:00 EST",
        "2024-05-31T14:00+15:00", "2024-05-31T14:00+02:75", "2024-05-31T24:00", "2024-05-31T14:00:60", "2024-02-30",
        "2023-02-29", "31 Juny 2024", "31 Mayo 2024", "0000-01-01", "9999-01-01", "1969-12-31", "40000 days ago",
        "99999999999", "-1725203188", "1.5e9", "5ms ago", "0 days ago", "in 2 days", "２０２４-05-31", "", "now now",
    ):  # fmt: skip
        with pytest.raises(ToolError):
            moment_argument(text, NOW)
    for text in (
        "1M", "15 M", "M", "m", "d", "5ms", "5 hs", "days", "a days", "0d", "0 minutes", "-1d", "1.5h", "1d4h", "month",
        "1 month", "1y", "1234567d", "7", "", "７d", "an", "one",
    ):  # fmt: skip
        with pytest.raises(ToolError, match="it takes"):
            duration_argument(text, "interval")
    for value in (
        "0,500", "1,50", "1.500,00", "1,5", "NaN", "inf", "-inf", "Infinity", "1e999", "1e", "0x10", "1_000", "1 000",
        "--1", "five", "", "$", "%", "k", "1kk", "1 2", "５", "1e3e3", "9" * 201, True,
    ):  # fmt: skip
        with pytest.raises(ToolError, match="takes a number"):
            number_argument(value, "amount")


def test_nothing_after_now_is_a_moment() -> None:
    """The next second is refused in any spelling, now is the moment itself, thousands of digits are no number."""
    assert moment_argument("now", NOW) == moment_argument(" Latest ", NOW) == moment_argument(NOW, NOW) == NOW
    assert moment_argument("7 days ago", NOW) == moment_argument("1 week ago", NOW) == NOW - 7 * DAY_S
    for text in (NOW + 1, str(NOW + 1), (NOW + 1) * 1000, utc_text(NOW + 1), "2 September 2024", "2024年9月2日"):
        with pytest.raises(ToolError, match="has not come yet"):
            moment_argument(text, NOW)
    with pytest.raises(ToolError, match="true or false"):
        moment_argument(True, NOW)
    for read in (
        lambda: moment_argument(10**5000, NOW),
        lambda: number_argument(10**5000, "limit"),
        lambda: within(10**5000, 1, 20, "limit"),
    ):
        with pytest.raises(ToolError, match="thousands of digits"):
            read()


@given(count=st.integers(1, 999_999))
def test_a_duration_in_all_its_spellings(count: int) -> None:
    """Unit by letter, by word, in the plural and in capitals are one length; seconds are whole."""
    for letter, word, short, length_s in (
        ("s", "second", "sec", 1), ("m", "minute", "min", 60), ("h", "hour", "hr", 3600), ("d", "day", "day", 86_400),
        ("w", "week", "week", 604_800),
    ):  # fmt: skip
        spellings = [
            f"{count}{letter}",
            f"{count} {word}",
            f"{count}{word}s",
            f"'{count} {short}s' ",
            f"{count} {letter}",
        ]
        spellings += [f"{count} {word}s".upper(), f"{count}{letter.upper()}" if letter != "m" else f"{count}min"]
        assert {duration_argument(text, "interval") for text in spellings} == {count * length_s}
        assert duration_argument(word, "interval") == duration_argument(f"one {word}", "interval") == length_s
    assert duration_argument("daily", "x") == duration_argument("a day", "x") == DAY_S


@given(whole=st.integers(-(2**256), 2**256), scale=st.sampled_from([("", 0), ("k", 3), (" million", 6), ("bn", 9)]))
def test_a_number_is_exact(whole: int, scale: tuple[str, int]) -> None:
    """No digit of a number is lost, whatever its size, its commas and its scale."""
    word, power = scale
    for text in (f"{whole}{word}", f"{whole:,}{word}", f" '{whole}{word.upper()}'"):
        assert number_argument(text, "amount") == whole * 10**power
    assert number_argument(whole, "amount") == whole
    assert Fraction(number_argument(f"{whole}%", "share")) == Fraction(whole, 100)


@given(value=st.floats(1e-90, 1e90) | st.floats(-1e90, -1e-90) | st.just(0.0))
def test_a_float_is_the_number_it_shows(value: float) -> None:
    """Floats are read as their shortest text; scales, percents, dollars and bare fractions in words."""
    assert number_argument(value, "amount") == Decimal(repr(value))
    told = {"2.5k": "2500", "$1,500": "1500", "10 million": "10000000", "5%": "0.05", "25 bps": "0.0025", ".5": "0.5"}
    assert {text: number_argument(text, "x") for text in told} == {text: Decimal(value) for text, value in told.items()}


@given(
    digits=st.text("0123456789abcdefABCDEF", min_size=40, max_size=40), around=st.sampled_from(["", " ", "'", "`\n"])
)
def test_an_address_is_its_forty_digits(digits: str, around: str) -> None:
    """Case, quotes and blanks do not matter; a digit more or less does."""
    wanted = "0x" + digits.lower()
    for text in (f"{around}0x{digits}{around}", f"0X{digits}", f"0x{digits[:20]} {digits[20:]}"):
        assert address_argument(text) == wanted
    for text in (
        digits, f"0x{digits[1:]}", f"0x{digits}0", f"0x{digits[1:]}g", f"0x{digits[1:]}\N{FULLWIDTH DIGIT ONE}",
    ):  # fmt: skip
        with pytest.raises(ToolError, match="40 hex digits"):
            address_argument(text)
    assert hash_argument(f"{around}0x{digits}{'AB' * 12}") == wanted + "ab" * 12
    with pytest.raises(ToolError, match="no block hash"):
        hash_argument(wanted, "block hash")


def test_names_of_choices_and_chains(late: Desk) -> None:
    """By any spelling, or the chain's number; a stranger gets the nearest first and then all."""
    known = ("market_cap", "volume 24h")
    for text in ("market_cap", "Market Cap", " MARKET-CAP ", "'market  cap'", "market_ cap"):
        assert choice_argument(text, known, "order") == "market_cap"
    with pytest.raises(ToolError, match=r"nearest: market_cap; it is one of market_cap, volume 24h"):
        choice_argument("market_caps", known, "order")
    for text in ("", "volume", "cap", "marketcap2", "-"):
        with pytest.raises(ToolError, match="one of"):
            choice_argument(text, known, "order")
    view = ToolContext(late.world)
    name = view.anchor.chain
    chain_id = view.chains[name].chain_id
    for text in (None, name, name.upper(), f" {name}\n", str(chain_id), json.dumps(name)):
        assert chain_argument(view, text) == name
    for text in ("", "ethereum", str(chain_id + 1), f"-{chain_id}", "*"):
        with pytest.raises(ToolError, match=rf"there are: {name} \({chain_id}\)"):
            chain_argument(view, text)
    assert chain_argument(WORLD, "Side Chain") == chain_argument(WORLD, "7002") == "side-chain"


@given(value=st.integers(), low=st.integers(-50, 0), high=st.integers(0, 50))
def test_within_takes_both_ends_and_nothing_beyond(value: int, low: int, high: int) -> None:
    """A number out of range is refused with the range, never moved into it."""
    if low <= value <= high:
        assert within(value, low, high, "limit") == value
    else:
        with pytest.raises(ToolError, match=f"from {low} to {high}"):
            within(value, low, high, "limit")

"""Units, their conversions, and the scale words and nouns behind a number."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.expression import render
from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.tail import Tail, tail
from caia_replay.scoring.unit import (
    COUNTED,
    KNOWN,
    SCALES,
    Unit,
    known,
    looks_like_symbol,
    one_worded,
    own_unit,
    parse_unit,
    unit_of,
)
from tests.labelled_set import misjudged


def spec(value: str | int, unit: str | None = None) -> AnswerSpec:
    """A task whose answer is that number."""
    return AnswerSpec("number", (str(value),), unit)


def test_wei_gwei_and_ether_are_one_family_with_exact_factors() -> None:
    """10^18 wei, 10^9 gwei and 1 ether are one amount; no unit of one family converts into another family."""
    assert KNOWN["wei"].factor * 10**18 == KNOWN["gwei"].factor * 10**9 == KNOWN["eth"].factor == 1
    assert len({KNOWN[name].family for name in ("wei", "gwei", "ether", "eth")}) == 1
    for left in set(KNOWN.values()):
        for right in set(KNOWN.values()):
            assert left.converts_to(right) == (left.family == right.family)


@pytest.mark.parametrize(("text", "family", "scale"), [
    ("ETH", "ether", 1), ("%", "percent", 1), ("million USD", "usd", 1000000), ("USD million", "usd", 1),
    ("USD per ETH", "usd", 1), ("USD/ETH", "usd", 1), ("XYZ", "own:xyz", 1), ("tokens", "own:token", 1),
    ("T", "own:t", 1),
])  # fmt: skip
def test_a_tasks_unit_is_parsed(text: str, family: str, scale: int) -> None:
    """Scale words before the unit multiply; a lone letter is a unit, not a scale."""
    unit, factor = parse_unit(text)
    assert unit is not None
    assert (unit.family, factor) == (family, scale)


def test_units_have_several_names() -> None:
    """Plurals, case and TPS; no unit is none, and 1INCH is not INCH."""
    assert parse_unit("") == (None, 1) and parse_unit("1INCH") != parse_unit("INCH")
    assert own_unit("Tokens") == own_unit("token") == own_unit("TOKENS")
    assert parse_unit("TPS") == parse_unit("tx per second") == parse_unit("transactions/second")


def test_rates_of_different_periods_do_not_convert() -> None:
    """Transactions per second are not transactions per minute; a rate left unsaid is taken as meant."""
    second, minute, unsaid = (parse_unit(text)[0] for text in ("tx per second", "tx per minute", "tx"))
    assert second and minute and unsaid
    assert not second.converts_to(minute)
    assert unsaid.converts_to(second)


def test_words_scales_and_units_are_apart() -> None:
    """Two capitals make a ticker; every scale is a power of ten; no counted noun is a unit; a prefix needs one."""
    assert looks_like_symbol("stETH") and looks_like_symbol("XYZ") and not looks_like_symbol("transfers")
    assert all(str(scale).rstrip("0") == "1" for scale in SCALES.values())
    assert not COUNTED & (KNOWN.keys() | SCALES.keys())
    assert [word for word in ("microstrategy", "kilos", "decider", "nanos", "megawhale") if known(word)] == []


@pytest.mark.parametrize(("text", "word"), [
    ("5 US dollars", "5 USD"), ("30 basis points", "30 bps"), ("12 per cent", "12 percent"),
    ("2 percentage points", "2 pp"), ("2 %-points", "2 pp"), ("2 milli-ether", "2 milliether"),
    ("2 μETH", "2 microETH"),
])  # fmt: skip
def test_units_of_several_words_are_said_in_one(text: str, word: str) -> None:
    """Two words for one unit name that unit."""
    assert one_worded(text) == word


BILLIONS = (
    "1,54 Mrd. USD", "1,54 Mrd. US-Dollar", "1,54 Mrd USD", "1.540 Mio. USD", "1540 Mio. $", "1,54 Milliarden Dollar",
    "1,54 Mrd. $", "$1,54 Mrd.", "rund 1,54 Mrd. USD.", "1,54 Mia. USD", "1540 Millionen USD",
    "1,54 mil millones de dólares", "1.540 millones de dólares", "1540 millones de USD", "USD 1,54 mil millones",
    "1,54 miles de millones de dólares", "1,54 milliards de dollars", "1 540 millions de dollars", "1,54 Md$",
    "1540 M$", "1,54 Mds USD", "1,54 miliardi di USD", "1.540.000 mil dólares", "1540000 Tsd. USD", "15,4亿美元",
    "1.54 bn. USD",
)  # fmt: skip


def test_shortened_scales_of_other_languages() -> None:
    """Mrd., Mio., mil millones and milliards are exact, and a thousand times too much or too little is wrong."""
    assert misjudged(spec(1540000000, "USD"), True, BILLIONS) == []
    for wrong in ("1540000", "1540000000000", "1.54", "1540", "1541000000"):
        assert misjudged(spec(wrong, "USD"), False, BILLIONS) == []
    assert misjudged(spec(1540000000, "EUR"), False, BILLIONS) == []


def test_other_scales_and_units_stay_wrong() -> None:
    """The long scale, another scale, another currency and a bound are wrong."""
    assert misjudged(spec(1540000000, "USD"), False, (
        "1,54 Mio. USD", "1,54 billones de dólares", "1,54 Billionen USD", "1,54 millones de dólares", "1,54 Tsd. USD",
        "1,54 Mrd. EUR", "1,54 Mrd. oder 1,6 Mrd. USD", "1,54 millions de dollars", "1,45 Mrd. USD", "154 Mrd. USD",
        "mehr als 1,54 Mrd. USD", "1,54 mil dólares", "1.540 Mrd. USD", "1,54 Mrd. ETH", "1,54 Mrd. Transaktionen",
    )) == []  # fmt: skip


COINS = (
    ("SOL", ("1.5 SOL", "1,500,000,000 lamports", "1.5e9 lamports", "1.5 SOL (1500000000 lamports)", "1.5 Solana")),
    ("lamports", ("0.0000000015 SOL", "1.5 lamports")),
    ("BTC", ("1.5 BTC", "150,000,000 satoshi", "150 million sats", "1.5 BTC (150,000,000 satoshis)")),
    ("TON", ("1.5 TON", "1,500,000,000 nanoTON", "1500000000 nanotons", "1.5 Toncoin", "1.5 billion nano TON")),
    ("XRP", ("1.5 XRP", "1,500,000 drops", "1.5 million drops", "1.5 XRP (1500000 drops)")),
    ("drops", ("1.5 drops", "0.0000015 XRP")), ("ATOM", ("1.5 ATOM", "1500000 uatom", "1,500,000 uATOM")),
    ("SUI", ("1.5 SUI", "1,500,000,000 MIST", "1.5 billion mist")),
    ("BNB", ("1.5 BNB", "1500000000000000000 wei", "1.5e18 wei", "1500000000 gwei")),
    ("MATIC", ("1.5 MATIC", "1.5e18 wei", "1,500,000,000 Gwei")),
    ("AVAX", ("1.5 AVAX", "1.5e18 wei", "1,500,000,000 nAVAX")),
)  # fmt: skip


@pytest.mark.parametrize(("unit", "answers"), COINS, ids=[unit for unit, _ in COINS])
def test_parts_of_native_coins(unit: str, answers: tuple[str, ...]) -> None:
    """A coin's smallest unit converts exactly where that coin is asked for, and is another unit elsewhere."""
    assert misjudged(spec("1.5", unit), True, answers) == []
    for wrong in (spec("1.6", unit), spec(15, unit), spec("1.5", "DOGE")):
        assert misjudged(wrong, False, answers) == []
    for other in ("USDC", "USD", "%", "ADA"):
        assert misjudged(spec("1.5", other), False, answers[-1:]) == []


OTHER_COINS = {
    "ETH": ("1.5 lamports", "1.5 satoshi", "1.5 SOL", "1.5 uatom", "1.5 BNB", "1.5 nanoTON"),
    "SOL": ("1.5 gwei", "1.5 wei", "1.5e18 wei", "1500000000 drops", "1.5 Solana transactions"),
    "BNB": ("1.5 wei", "1.5 gwei", "1.5e18 lamports", "1.5 MATIC", "1.5 ETH", "1.5 BNB transfers"),
    "XRP": ("1.5 drops", "1500000 wei", "1500000", "1.5 XLM"),
    "USDC": ("1.5e18 wei", "1500000 drops", "1.5 gwei"),
}


@pytest.mark.parametrize("unit", OTHER_COINS)
def test_parts_of_other_coins_stay_wrong(unit: str) -> None:
    """No part converts into a coin it is no part of, and none counts as the coin itself."""
    assert misjudged(spec("1.5", unit), False, OTHER_COINS[unit]) == []


def test_a_part_is_known_where_it_was_asked_for() -> None:
    """Drops are a part of XRP in a question about XRP, and a word elsewhere."""
    xrp = Unit("own:xrp")
    assert unit_of("drops", xrp).converts_to(xrp) and unit_of("drops", None) == Unit("own:drop")
    assert unit_of("wei", Unit("own:bnb")).family == "own:bnb" and unit_of("wei", None) == KNOWN["wei"]


TIMES = (
    "3.7×", "3.7x", "3.7 times", "3.7 ×", "3,7-fach", "3,7fach", "3.7-fold", "3,7 veces", "3,7 fois", "3.7倍", "×3.7",
    "× 3.7", "3.7X", "about 3.7× higher", "**3.7×**", r"$3.7\times$", "3.7 x", "3,7 Mal",
)  # fmt: skip


def test_times_are_a_plain_number() -> None:
    """A multiple is read for a plain number, a ratio and a multiple, and for nothing that is measured."""
    for unit in (None, "x", "ratio", "multiple", "times"):
        assert misjudged(spec("3.7", unit), True, TIMES) == []
        assert misjudged(spec(37, unit), False, TIMES) == [] and misjudged(spec("2.7", unit), False, TIMES) == []
    for unit in ("%", "USD", "hours"):
        assert misjudged(spec("3.7", unit), False, TIMES) == []
    assert misjudged(spec("3.7"), False, (
        "3.7 × 10", "3.7×10^3", "3.7%", "3.7× or 3.8×", "370%", "3.7-4.1×", "$3.7", "more than 3.7×", "3.7 × 2 = 7.4",
    )) == []  # fmt: skip


@pytest.mark.parametrize(
    ("prefix", "power"),
    [("milli", -3), ("micro", -6), ("nano", -9), ("kilo", 3), ("mega", 6), ("centi", -2), ("giga", 9)],
)
def test_prefixes_of_ten_convert(prefix: str, power: int) -> None:
    """An amount in milliether is a thousandth of the amount in ether, and never the amount itself."""
    amount = f"{10 ** max(0, -power)}" if power < 0 else render(Fraction(1, 10**power))
    for name, unit in (("ether", "ETH"), ("ETH", "ETH"), ("bitcoin", "BTC"), ("btc", "BTC")):
        said = [f"{prefix}{joint}{name}" for joint in ("", "-", " ")]
        assert misjudged(spec(1, unit), True, (f"{amount} {one}" for one in said)) == []
        assert misjudged(spec(1, unit), False, (f"1 {one}" for one in said)) == []


def test_points_are_no_per_cent() -> None:
    """What two shares differ by is asked for in points and is no share; basis points are parts of both."""
    words = ("percentage points", "pp", "p.p.", "%-points", "points", "个百分点", "Prozentpunkte", "pts")
    said = [f"12 {word}" for word in words]
    assert misjudged(spec(12, "%"), False, said) == [] and misjudged(spec(1200, "bps"), True, said) == []
    assert misjudged(spec(12, "percentage points"), True, [*said, "1200 bps"]) == []
    assert misjudged(spec(12, "percentage points"), False, ["12%"]) == []


def test_scales_and_names_behind_a_number() -> None:
    """45m is 45 minutes for a duration and 45 million elsewhere; scales have an end; what is attached makes a name."""
    assert tail("45m", 2, KNOWN["day"]).unit == KNOWN["min"]
    assert tail("45m", 2, None).scale == 10**6
    assert tail(" million" * 1000, 0, None).scale <= 10**36
    assert all(tail(word, 0, None).name for word in ("nd", "-nd", "-th", "abc"))


@pytest.mark.parametrize(
    ("text", "factor"),
    [(" milliether", Fraction(1, 1000)), (" kiloether", Fraction(1000)), (" microETH", Fraction(1, 10**6))],
)
def test_prefixed_units_are_units(text: str, factor: Fraction) -> None:
    """A prefix of ten before a unit is part of it, whether a unit is asked for or not."""
    assert tail(text, 0, None) == tail(text, 0, KNOWN["eth"]) == Tail(len(text), 1, Unit("ether", factor))


@pytest.mark.parametrize(("text", "asked", "per"), [
    (" USD per day", "USD", "time*86400"), (" USD per each day", "USD", "time*86400"),
    (" USD per ETH", "USD per ETH", "ether*1"), (" USD per token", "USD", ""), (" USD per sheep", "USD", "each"),
    (" USD per sheep", "USD per sheep", "own:sheep*1"),
])  # fmt: skip
def test_rates_say_what_they_are_counted_by(text: str, asked: str, per: str) -> None:
    """A time, a thing or a currency is kept; a token says nothing new, and what is unknown is one of many."""
    unit = tail(text, 0, parse_unit(asked)[0]).unit
    assert unit is not None and unit.per == per


@given(st.text(max_size=60))
def test_the_end_lies_in_the_text(text: str) -> None:
    """Whatever stands behind a number, its end is between start and end of the text."""
    assert 0 <= tail(text, 0, KNOWN["eth"]).end <= len(text)


def test_what_is_counted_decides_whether_it_is_an_amount() -> None:
    """An unknown thing is no amount of money or of a token; tokens, totals and verbs count no other thing."""
    things = ("sheep", "geese", "milliboxes", "old cars", "walruses")
    assert misjudged(spec(42, "ETH"), False, (f"42 {thing}" for thing in things)) == []
    assert misjudged(spec(42, "USD"), False, (f"42 million {thing}" for thing in things)) == []
    words = ("tokens", "coins", "in total", "sent to the bridge", "was deposited", "went to it", "altogether")
    assert misjudged(spec(42, "ETH"), True, (f"42 {word}" for word in words)) == []

"""Units and their conversions."""

from __future__ import annotations

from fractions import Fraction

import pytest

from caia_replay.core.expression import render
from caia_replay.core.task import AnswerSpec
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
from caia_replay.scoring.verifiers.number import NumberVerifier


def test_wei_gwei_and_ether_are_one_family_with_exact_factors() -> None:
    """10^18 wei, 10^9 gwei and 1 ether are one amount."""
    assert KNOWN["wei"].factor * 10**18 == KNOWN["gwei"].factor * 10**9 == KNOWN["eth"].factor == 1
    assert len({KNOWN[name].family for name in ("wei", "gwei", "ether", "eth")}) == 1


@pytest.mark.parametrize(
    ("text", "family", "scale"),
    [
        ("ETH", "ether", 1),
        ("%", "percent", 1),
        ("million USD", "usd", 10**6),
        ("USD million", "usd", 1),
        ("USD per ETH", "usd", 1),
        ("USD/ETH", "usd", 1),
        ("XYZ", "own:xyz", 1),
        ("tokens", "own:token", 1),
        ("T", "own:t", 1),
    ],
)
def test_a_tasks_unit_is_parsed(text: str, family: str, scale: int) -> None:
    """Scale words before the unit multiply; a lone letter is a unit, not a scale."""
    unit, factor = parse_unit(text)
    assert unit is not None
    assert (unit.family, factor) == (family, scale)


def test_no_unit_is_no_unit() -> None:
    """An empty unit is None and scales nothing."""
    assert parse_unit("") == (None, 1)


def test_rates_of_different_periods_do_not_convert() -> None:
    """Transactions per second are not transactions per minute; a rate left unsaid is taken as meant."""
    second, minute, unsaid = (parse_unit(text)[0] for text in ("tx per second", "tx per minute", "tx"))
    assert second and minute and unsaid
    assert not second.converts_to(minute)
    assert unsaid.converts_to(second)


def test_families_do_not_mix() -> None:
    """No unit of one family converts into another family."""
    for left in set(KNOWN.values()):
        for right in set(KNOWN.values()):
            assert left.converts_to(right) == (left.family == right.family)


def test_plurals_and_case_name_the_same_unit() -> None:
    """Tokens, token and TOKENS are one unit."""
    assert own_unit("Tokens") == own_unit("token") == own_unit("TOKENS")


def test_tickers_are_told_from_words() -> None:
    """Two capitals make a ticker, ordinary words do not."""
    assert looks_like_symbol("stETH") and looks_like_symbol("XYZ") and not looks_like_symbol("transfers")


def test_scale_words_are_powers_of_ten() -> None:
    """Every scale is a whole power of ten."""
    assert all(str(scale).rstrip("0") == "1" for scale in SCALES.values())


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("5 US dollars", "5 USD"),
        ("30 basis points", "30 bps"),
        ("12 per cent", "12 percent"),
        ("2 percentage points", "2 pp"),
        ("2 %-points", "2 pp"),
        ("2 milli-ether", "2 milliether"),
        ("2 μETH", "2 microETH"),
    ],
)
def test_units_of_several_words_are_said_in_one(text: str, word: str) -> None:
    """Two words for one unit name that unit."""
    assert one_worded(text) == word


def test_a_ticker_may_begin_with_a_digit() -> None:
    """1INCH is a token of its own, not INCH."""
    assert parse_unit("1INCH") != parse_unit("INCH")


def test_transactions_have_several_names() -> None:
    """TPS is transactions per second, and tx are transactions."""
    assert parse_unit("TPS") == parse_unit("tx per second") == parse_unit("transactions/second")


def test_things_that_are_counted_are_no_units() -> None:
    """No counted noun is a unit or a scale."""
    assert not COUNTED & (KNOWN.keys() | SCALES.keys())


def right(answer: str, value: str, unit: str | None = None, tolerance: str = "0") -> bool | None:
    """The verdict on an answer to a question whose answer is ``value``."""
    return NumberVerifier().verify(AnswerSpec("number", (value,), unit, tolerance), answer).correct


BILLIONS = (
    *("1,54 Mrd. USD", "1,54 Mrd. US-Dollar", "1,54 Mrd USD"),
    *("1.540 Mio. USD", "1540 Mio. $", "1,54 Milliarden Dollar"),
    *("1,54 Mrd. $", "$1,54 Mrd.", "rund 1,54 Mrd. USD."),
    *("1,54 Mia. USD", "1540 Millionen USD", "1,54 mil millones de dólares"),
    *("1.540 millones de dólares", "1540 millones de USD"),
    *("USD 1,54 mil millones", "1,54 miles de millones de dólares"),
    *("1,54 milliards de dollars", "1 540 millions de dollars", "1,54 Md$"),
    *("1540 M$", "1,54 Mds USD", "1,54 miliardi di USD"),
    *("1.540.000 mil dólares", "1540000 Tsd. USD", "15,4亿美元", "1.54 bn. USD"),
)  # fmt: skip


@pytest.mark.parametrize("answer", BILLIONS)
def test_shortened_scales_of_other_languages(answer: str) -> None:
    """Mrd., Mio., mil millones and milliards are exact, and a thousand times too much or too little is wrong."""
    assert right(answer, "1540000000", "USD") is True
    for wrong in ("1540000", "1540000000000", "1.54", "1540", "1541000000"):
        assert right(answer, wrong, "USD") is False
    assert right(answer, "1540000000", "EUR") is False


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "1,54 Mio. USD",
            "1,54 billones de dólares",
            "1,54 Billionen USD",
            "1,54 millones de dólares",
            "1,54 Tsd. USD",
        ),
        *("1,54 Mrd. EUR", "1,54 Mrd. oder 1,6 Mrd. USD", "1,54 millions de dollars", "1,45 Mrd. USD", "154 Mrd. USD"),
        *("mehr als 1,54 Mrd. USD", "1,54 mil dólares", "1.540 Mrd. USD", "1,54 Mrd. ETH", "1,54 Mrd. Transaktionen"),
    ],
)
def test_other_scales_and_units_stay_wrong(answer: str) -> None:
    """The long scale, another scale, another currency and a bound are wrong."""
    assert right(answer, "1540000000", "USD") is False


@pytest.mark.parametrize(
    ("unit", "answers"),
    [
        ("SOL", ("1.5 SOL", "1,500,000,000 lamports", "1.5e9 lamports", "1.5 SOL (1500000000 lamports)", "1.5 Solana")),
        ("lamports", ("0.0000000015 SOL", "1.5 lamports")),
        ("BTC", ("1.5 BTC", "150,000,000 satoshi", "150 million sats", "1.5 BTC (150,000,000 satoshis)")),
        ("TON", ("1.5 TON", "1,500,000,000 nanoTON", "1500000000 nanotons", "1.5 Toncoin", "1.5 billion nano TON")),
        ("XRP", ("1.5 XRP", "1,500,000 drops", "1.5 million drops", "1.5 XRP (1500000 drops)")),
        ("drops", ("1.5 drops", "0.0000015 XRP")),
        ("ATOM", ("1.5 ATOM", "1500000 uatom", "1,500,000 uATOM")),
        ("SUI", ("1.5 SUI", "1,500,000,000 MIST", "1.5 billion mist")),
        ("BNB", ("1.5 BNB", "1500000000000000000 wei", "1.5e18 wei", "1500000000 gwei")),
        ("MATIC", ("1.5 MATIC", "1.5e18 wei", "1,500,000,000 Gwei")),
        ("AVAX", ("1.5 AVAX", "1.5e18 wei", "1,500,000,000 nAVAX")),
    ],
)
def test_parts_of_native_coins(unit: str, answers: tuple[str, ...]) -> None:
    """A coin's smallest unit converts exactly where that coin is asked for, and is another unit elsewhere."""
    for answer in answers:
        assert right(answer, "1.5", unit) is True, answer
        assert right(answer, "1.6", unit) is False and right(answer, "15", unit) is False
        assert right(answer, "1.5", "DOGE") is False, answer
    for other in ("USDC", "USD", "%", "ADA"):
        assert right(answers[-1], "1.5", other) is False


@pytest.mark.parametrize(
    ("answer", "unit"),
    [
        *((text, "ETH") for text in ("1.5 lamports", "1.5 satoshi", "1.5 SOL", "1.5 uatom", "1.5 BNB", "1.5 nanoTON")),
        *(
            (text, "SOL")
            for text in ("1.5 gwei", "1.5 wei", "1.5e18 wei", "1500000000 drops", "1.5 Solana transactions")
        ),
        *(
            (text, "BNB")
            for text in ("1.5 wei", "1.5 gwei", "1.5e18 lamports", "1.5 MATIC", "1.5 ETH", "1.5 BNB transfers")
        ),
        *((text, "XRP") for text in ("1.5 drops", "1500000 wei", "1500000", "1.5 XLM")),
        *((text, "USDC") for text in ("1.5e18 wei", "1500000 drops", "1.5 gwei")),
    ],
)
def test_parts_of_other_coins_stay_wrong(answer: str, unit: str) -> None:
    """No part converts into a coin it is no part of, and none counts as the coin itself."""
    assert right(answer, "1.5", unit) is False


TIMES = (
    "3.7×",
    "3.7x",
    "3.7 times",
    "3.7 ×",
    "3,7-fach",
    "3,7fach",
    "3.7-fold",
    "3,7 veces",
    "3,7 fois",
    "3.7倍",
    "×3.7",
    "× 3.7",
)


@pytest.mark.parametrize(
    "answer", [*TIMES, "3.7X", "about 3.7× higher", "**3.7×**", r"$3.7\times$", "3.7 x", "3,7 Mal"]
)
def test_times_are_a_plain_number(answer: str) -> None:
    """A multiple is read for a plain number, a ratio and a multiple, and for nothing that is measured."""
    for unit in (None, "x", "ratio", "multiple", "times"):
        assert right(answer, "3.7", unit) is True, unit
        assert right(answer, "37", unit) is False and right(answer, "2.7", unit) is False
    assert [right(answer, "3.7", unit) for unit in ("%", "USD", "hours")] == [False] * 3


@pytest.mark.parametrize(
    "answer",
    ["3.7 × 10", "3.7×10^3", "3.7%", "3.7× or 3.8×", "370%", "3.7-4.1×", "$3.7", "more than 3.7×", "3.7 × 2 = 7.4"],
)
def test_products_and_shares_are_no_times(answer: str) -> None:
    """A product, a power of ten, a share and a range are other numbers."""
    assert right(answer, "3.7") is False


def test_a_part_is_known_where_it_was_asked_for() -> None:
    """Drops are a part of XRP in a question about XRP, and a word elsewhere."""
    xrp = Unit("own:xrp")
    assert unit_of("drops", xrp).converts_to(xrp) and unit_of("drops", None) == Unit("own:drop")
    assert unit_of("wei", Unit("own:bnb")).family == "own:bnb" and unit_of("wei", None) == KNOWN["wei"]


@pytest.mark.parametrize(
    ("prefix", "power"),
    [("milli", -3), ("micro", -6), ("nano", -9), ("kilo", 3), ("mega", 6), ("centi", -2), ("giga", 9)],
)
@pytest.mark.parametrize(("name", "unit"), [("ether", "ETH"), ("ETH", "ETH"), ("bitcoin", "BTC"), ("btc", "BTC")])
@pytest.mark.parametrize("joint", ["", "-", " "])
def test_prefixes_of_ten_convert(prefix: str, power: int, name: str, unit: str, joint: str) -> None:
    """An amount in milliether is a thousandth of the amount in ether, and never the amount itself."""
    amount = f"{10 ** max(0, -power)}" if power < 0 else render(Fraction(1, 10**power))
    spec = AnswerSpec("number", ("1",), unit)
    assert NumberVerifier().verify(spec, f"{amount} {prefix}{joint}{name}").correct is True
    assert NumberVerifier().verify(spec, f"1 {prefix}{joint}{name}").correct is False


@pytest.mark.parametrize("word", ["microstrategy", "kilos", "decider", "nanos", "megawhale"])
def test_words_that_only_begin_like_a_prefix_are_no_units(word: str) -> None:
    """A prefix needs a known unit of three letters or more behind it."""
    assert known(word) is None


@pytest.mark.parametrize(
    "said", ["percentage points", "pp", "p.p.", "%-points", "points", "个百分点", "Prozentpunkte", "pts"]
)
def test_points_are_no_per_cent(said: str) -> None:
    """What two shares differ by is asked for in points and is no share; basis points are parts of both."""
    answer = f"12 {said}"
    assert NumberVerifier().verify(AnswerSpec("number", ("12",), "%"), answer).correct is False
    assert NumberVerifier().verify(AnswerSpec("number", ("12",), "percentage points"), answer).correct is True
    assert NumberVerifier().verify(AnswerSpec("number", ("1200",), "bps"), answer).correct is True
    assert NumberVerifier().verify(AnswerSpec("number", ("12",), "percentage points"), "1200 bps").correct is True
    assert NumberVerifier().verify(AnswerSpec("number", ("12",), "percentage points"), "12%").correct is False

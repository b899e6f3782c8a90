"""Units and their conversions."""

from __future__ import annotations

import pytest

from caia_replay.scoring.unit import COUNTED, KNOWN, SCALES, looks_like_symbol, one_worded, own_unit, parse_unit


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
        ("2 percentage points", "2 percent"),
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

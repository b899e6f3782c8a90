"""Numbers in answers."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.interop.caia_figure import number_spec, read_figure
from caia_replay.scoring.spec import check_spec
from caia_replay.scoring.verifiers import verify


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("2,877.00", "2877", None),
        ("-12,345.5 WBTC.", "-12345.5", "WBTC"),
        ("$7.31B", "7310000000", "USD"),
        ("143.5M USD", "143500000", "USD"),
        ("roughly 3.2B", "3200000000", None),
        ("217.25 mil", "217250000", None),
        ("约317 亿枚", "31700000000", None),
        ("7千万", "70000000", None),
        ("41.70%", "41.7", "%"),
        ("yield = 517%", "517", "%"),
        ("1 ETH = 2,500 LNT", "2500", "LNT"),
        ("price ≈ 1,713.9 USDC/WETH.", "1713.9", "USDC/WETH"),
        ("31B (31,263,817,105.64)", "31263817105.64", None),
        ("41,052 tokens.", "41052", None),
        ("61.5 stETH were minted on 2024-03-31 UTC.", "61.5", "stETH"),
        ("37% of the total", "37", "%"),
        ("81234. https://a.example/b", "81234", None),
        ("0.000000000000000000000000000001234567", "0.000000000000000000000000000001234567", None),
    ],
)
def test_one_number_is_read_exactly(text: str, value: str, unit: str | None) -> None:
    """Separators, scales and units of two languages; no digit is lost."""
    figure = read_figure(text)
    assert figure is not None
    assert (figure.value, figure.unit) == (value, unit)


@pytest.mark.parametrize(
    "text",
    [
        "53.1M or 54.2M",
        "15M, 60M, 350M",
        "800,000 LNT (8%).",
        "9.7m ETH and 52b USD",
        "6.55% with 4.43B supply",
        "0.0.0017 ETH",
        "27.6B on eth, 9.1B on sol",
        "1:5",
        "more than 57 million",
        "10 (9 at most)",
        "31B (37,263,817,105.64)",
        "Lantern",
        "",
        "1" * 500,
    ],
)
def test_what_is_no_single_number_is_not_guessed(text: str) -> None:
    """Several, bounded, malformed or contradicting figures are left to a judge."""
    assert read_figure(text) is None


def test_both_ends_of_a_range_are_right_and_nothing_beyond() -> None:
    """The middle with a width that is rounded up."""
    figure = read_figure("267 billion to 269 billion")
    assert figure is not None
    spec, tags = number_spec(figure, "the supply of all", None)
    assert "tolerance:range" in tags
    right = [verify(spec, text).correct for text in ("267 billion", "269 billion", "266.9 billion", "269.1 billion")]
    assert right == [True, True, False, False]


@pytest.mark.parametrize(
    ("question", "stated", "unit", "tolerance"),
    [
        ("What is Lantern's TVL?", "2", "USD", "2"),
        ("What is Lantern's TVL?", None, "USD", "caia-2026"),
        ("What is the total supply of $LNT?", None, "LNT", "caia-2026"),
        ("How many unique wallets swapped?", None, None, "caia-2026"),
        ("Give the block number of the first swap", None, None, "0"),
        ("请查询 LNT 的decimals", None, None, "0"),
        ("某协议2025年8月的fee 有多少", None, "USD", "caia-2026"),
    ],
)
def test_the_question_gives_what_the_answer_leaves_out(
    question: str, stated: str | None, unit: str | None, tolerance: str
) -> None:
    """Unit and tolerance, each told by a tag."""
    figure = read_figure("42")
    assert figure is not None
    spec, tags = number_spec(figure, question, stated)
    assert (spec.unit, spec.tolerance_percent) == (unit, tolerance)
    assert ("unit:guessed" in tags) == (unit is not None)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30, places=9))
def test_what_is_written_is_what_is_read(value: Decimal) -> None:
    """Any decimal, with separators, comes back equal, and its spec accepts itself."""
    figure = read_figure(f"{value:,f}")
    assert figure is not None
    assert Decimal(figure.value) == value
    assert check_spec(number_spec(figure, "how many", None)[0]) == []


@given(st.text(alphabet="0123456789.,%$-~ ()kmb万约toor=", max_size=60))
def test_no_text_breaks_it(text: str) -> None:
    """A figure or None."""
    figure = read_figure(text)
    assert figure is None or Decimal(figure.value).is_finite()

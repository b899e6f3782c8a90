"""Scales and units of a table's header."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec, Column
from caia_replay.scoring.verifiers import verify
from caia_replay.scoring.verifiers.heading import with_heading

MONEY = Column("tvl", "number", unit="USD")
COUNT = Column("users", "number")
SCALED = {
    3: (
        "TVL, in thousands",
        "TVL (thousands)",
        "TVL ($k)",
        "TVL $k",
        "tvl_k",
        "TVL/thousand",
        "TVL ('000)",
        "TVL x1000",
    ),
    4: ("TVL（万美元）", "TVL（万）"),
    6: ("TVL ($M)", "TVL in millions", "tvlMillions", "tvl_usd_millions", "TVL (USD, millions)", "TVL (10^6 USD)"),
    8: ("TVL（亿美元）",),
    9: ("TVL, USD bn", "TVL (billions)"),
}


@settings(max_examples=80)
@given(st.integers(1, 10**6), st.sampled_from([(power, name) for power, names in SCALED.items() for name in names]))
def test_a_scale_in_the_header_is_of_the_numbers_below(value: int, told: tuple[int, str]) -> None:
    """However it is written, with a currency in the cell or without; unscaled they are other numbers."""
    power, name = told
    right, other = (AnswerSpec("number", (str(value * 10**up),), unit="USD") for up in (power, 0))
    for cell in (str(value), f"{value:,}", f"${value}"):
        said = with_heading(cell, name, MONEY)
        assert verify(right, said).correct is True, (cell, name, said)
        assert verify(other, said).correct is False, (cell, name, said)


def test_a_cell_with_the_scale_of_its_header_says_it_twice() -> None:
    """Equal scales are one; two different ones are no answer."""
    assert with_heading("$12.5M", "TVL ($M)", MONEY) == "$12.5 M"
    assert with_heading("$12.5M", "TVL, in thousands", MONEY) == ""


@pytest.mark.parametrize(
    "name", ["TVL", "Total TVL", "TVL at block 19,000,000", "TVL (2024)", "TVL, last 7 days", "24h TVL"]
)
def test_other_words_of_a_header_state_nothing(name: str) -> None:
    """Blocks, years and spans of time are no scale and no unit of money."""
    assert with_heading("12", name, MONEY) == "12"


@pytest.mark.parametrize("name", ["TVL (ETH)", "TVL ETH", "TVL (%)", "TVL in EUR", "TVL (FOO)"])
def test_another_unit_in_the_header_is_another_unit(name: str) -> None:
    """Known units anywhere, unlisted tokens in brackets."""
    assert verify(AnswerSpec("number", ("12",), unit="USD"), with_heading("12", name, MONEY)).correct is False


def test_counts_have_no_money_and_texts_no_scale() -> None:
    """A count in dollars is none; "(count)" and "(#)" say nothing; a text's header is left alone."""
    assert verify(AnswerSpec("number", ("12",)), with_heading("12", "Users (USD)", COUNT)).correct is False
    assert with_heading("12", "Users (count)", COUNT) == with_heading("12", "Users (#)", COUNT) == "12"
    assert with_heading("12", "Name ($M)", Column("name", "text")) == "12"

"""Tables: how they are written, what their headers say, and verdicts with keys and tolerances."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec, Column
from caia_replay.scoring.verifiers import verify
from caia_replay.scoring.verifiers.grid import grids
from caia_replay.scoring.verifiers.heading import with_heading
from tests.labelled_set import misjudged

Rows = list[tuple[str, str, int]]
COLUMNS = (Column("pool", "text", key=True), Column("day", "date"), Column("swaps", "number"))
KEY = Column("k", "text", key=True)
MONEY, COUNT = Column("tvl", "number", unit="USD"), Column("users", "number")
POOLS = AnswerSpec(
    "table",
    ("WETH/USDC | 12500000", "DAI/USDT | 3100000"),
    columns=(Column("pool", "text", key=True), Column("tvl", "number", unit="USD", tolerance_percent="1")),
)
names = st.lists(st.sampled_from(["Alpha", "Beta", "Gamma", "Delta", "Omega"]), min_size=1, max_size=4, unique=True)
cells = st.text(alphabet="abcdefgh0123456789", min_size=1, max_size=6).map(lambda text: f"c{text}")
plain = st.lists(st.tuples(cells, cells, cells), min_size=2, max_size=5)


def spec(rows: Rows) -> AnswerSpec:
    """A task with these rows."""
    return AnswerSpec("table", tuple(f"{a} | {b} | {c}" for a, b, c in rows), columns=COLUMNS)


def forms(rows: Rows) -> list[str]:
    """The same table as people write it."""
    markdown = "\n".join(
        ["| Swaps | Pool | Fee | Day |", "|--:|---|---|---|", *(f"| {c:,} | {a} | 5 | {b} |" for a, b, c in rows)]
    )
    return [
        markdown,
        f"Here is the table:\n\n{markdown}",
        json.dumps([{"day": b, "pool": a, "swaps": c} for a, b, c in rows]),
        "\n".join(["pool,day,swaps", *(f"{a},{b},{c}" for a, b, c in rows)]),
        "\n".join(f"{a}\t{b}\t{c}" for a, b, c in rows),
        "\n".join(f"- **{a}**: {b}, {c}" for a, b, c in rows),
    ]


@st.composite
def tables(draw: st.DrawFn) -> Rows:
    """Rows with different keys."""
    return [(name, f"2024-0{draw(st.integers(1, 9))}-11", draw(st.integers(1000, 99999))) for name in draw(names)]


@settings(max_examples=25)
@given(tables(), st.randoms(use_true_random=False))
def test_form_and_order_never_matter(rows: Rows, random: object) -> None:
    """Any form with the rows in any order, other columns beside; a doubt in prose around them takes them back."""
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert misjudged(spec(rows), True, forms(shuffled)) == []
    assert verify(spec(rows), f"{forms(rows)[0]}\n\nHowever, it could be 5001.").correct is False


@settings(max_examples=15)
@given(tables(), st.data())
def test_one_planted_cell_row_or_key_is_wrong(rows: Rows, data: st.DataObject) -> None:
    """One wrong value, one row too many or too few, one other key."""
    at = data.draw(st.integers(0, len(rows) - 1))
    name, day, count = rows[at]
    for other in ((name, day, count + 1), (name, "2023-01-11", count), ("Planted", day, count)):
        assert misjudged(spec(rows), False, forms([*rows[:at], other, *rows[at + 1 :]])) == []
    for given_ in ([*rows, ("Planted", day, count)], [*rows, rows[0]], rows[1:]):
        assert misjudged(spec(rows), False, forms(given_)) == []


SWAPPED = "| k | outflow | inflow |\n|---|---|---|\n| a | {} | {} |"
MILLIONS = "| k | TVL ($M) |\n|---|---|\n| a | {} |"


@pytest.mark.parametrize(("value", "columns", "right", "wrong"), [
    ("a | 100", (KEY, Column("v", "number", unit="ETH", tolerance_percent="1")), ["a: 100.9 ETH"],
     ["a: 102 ETH", "a: 100 BTC"]),
    ("a | 5000000", (KEY, MONEY), [MILLIONS.format(5)], [MILLIONS.format(5000000)]),
    ("a | 5 | 7", (KEY, Column("inflow", "number"), Column("outflow", "number")), [SWAPPED.format(7, 5)],
     [SWAPPED.format(5, 7)]),
], ids=["tolerance and unit", "scale", "swapped"])  # fmt: skip
def test_cells_are_judged_by_their_column(
    value: str, columns: tuple[Column, ...], right: list[str], wrong: list[str]
) -> None:
    """With its tolerance and unit, in the scale of its header, found by its name."""
    wanted = AnswerSpec("table", (value,), columns=columns)
    assert misjudged(wanted, True, right) == [] and misjudged(wanted, False, wrong) == []


def test_more_ways_of_writing_a_table() -> None:
    """Equals signs, bold cells, alignment rows and headers with a scale."""
    assert misjudged(POOLS, True, (
        "WETH/USDC = 12500000; DAI/USDT = 3100000", "WETH/USDC=$12.5M; DAI/USDT=$3.1M",
        "WETH/USDC = $12.5M, DAI/USDT = $3.1M",
        "| **Pool** | **TVL** |\n|:---|---:|\n| **WETH/USDC** | **$12.5M** |\n| **DAI/USDT** | **$3.1M** |",
        "All figures in USD:\n\n| Pool | TVL |\n|:-:|:-:|\n| WETH/USDC | 12,500,000 |\n| DAI/USDT | 3,100,000 |",
        "| Pool | TVL, in thousands |\n|---|---|\n| WETH/USDC | 12500 |\n| DAI/USDT | 3100 |",
        "Pool,TVL in millions\nWETH/USDC,12.5\nDAI/USDT,3.1",
        '[{"pool":"WETH/USDC","tvl_usd":12500000},{"pool":"DAI/USDT","tvl_usd":3100000}]',
    )) == []  # fmt: skip


@pytest.mark.parametrize("table", [
    "| Pool | TVL |\n|---|---|\n| WETH/USDC | 12500000 |\n| DAI/USDT | 3100000 |",
    "WETH/USDC: 12500000\nDAI/USDT: 3100000", '[{"pool":"WETH/USDC","tvl":12500000},{"pool":"DAI/USDT","tvl":3100000}]',
])  # fmt: skip
def test_a_scale_a_unit_or_an_open_end_beside_a_table_makes_it_none(table: str) -> None:
    """Nobody says which column it is for."""
    told = (
        "in thousands", "Values in millions.", "(amounts in $k)", "All figures in €.", "etc.", "...", "TVL is in ETH",
    )  # fmt: skip
    assert verify(POOLS, table).correct is True
    assert misjudged(POOLS, False, (text for one in told for text in (f"{one}\n{table}", f"{table}\n{one}"))) == []


@pytest.mark.parametrize("form", [
    "| Pool | {} |\n|---|---|\n| WETH/USDC | 12500000 |\n| DAI/USDT | 3100000 |",
    "Pool\t{}\nWETH/USDC\t12500000\nDAI/USDT\t3100000",
])  # fmt: skip
def test_a_scale_in_the_header_is_never_ignored(form: str) -> None:
    """Numbers that are right without it are wrong under it."""
    heads = ("TVL, in thousands", "TVL (millions)", "TVL $k", "TVL (ETH)", "TVL x1000", "tvl_k", "TVL（万美元）")
    assert verify(POOLS, form.format("TVL")).correct is True
    assert misjudged(POOLS, False, (form.format(head) for head in heads)) == []


def written(rows: list[tuple[str, ...]]) -> list[str]:
    """The same rows in every form without a header."""
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows(rows)
    return [
        json.dumps(rows),
        out.getvalue(),
        "\n".join("\t".join(row) for row in rows),
        "\n".join(" | ".join(row) for row in rows),
        "\n".join(f"- **{row[0]}**: {', '.join(row[1:])}" for row in rows),
        "\n".join(", ".join(row) for row in rows),
    ]


@settings(max_examples=50)
@given(plain)
def test_every_form_has_the_same_rows(rows: list[tuple[str, ...]]) -> None:
    """JSON, CSV, tabs, bars and keyed lines; of a markdown table and of objects the names of columns are told apart."""
    for text in written(rows):
        assert tuple(rows) in [grid.rows for grid in grids(text, 3)], text
    lines = "\n".join(["| A | B | C |", "|---|:-:|--:|", *(f"| {' | '.join(row)} |" for row in rows)])
    for text in (lines, "Here it is:\n\n" + lines, json.dumps([dict(zip("ABC", row)) for row in rows])):
        (grid,) = grids(text, 3)
        assert (grid.names, grid.rows) == (("A", "B", "C"), tuple(rows))


@pytest.mark.parametrize("text", [
    "", "no table here", "| a | b |\n|---|---|\n| c | d |\n\nHowever, c might be e.",
    "a: 5\nb: 6\nHowever b might differ.", "[[[[",
])  # fmt: skip
def test_what_is_no_table_or_doubts_itself_has_no_rows(text: str) -> None:
    """A doubt beside a table takes it back."""
    assert not any(grid.rows for grid in grids(text, 2))


@given(st.text(alphabet="|-:,;\t\n[]{}\"'ab1 ", max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    """Marks in any order never fail."""
    assert all(isinstance(cell, str) for grid in grids(text, 2) for row in grid.rows for cell in row)


def test_units_told_beside_a_table_are_kept() -> None:
    """Money and coins, once each; times and words are none."""
    (grid, *_) = grids("All in EUR, in the end.\n| a | b |\n|---|---|\n| x | 1 |\n(in EUR, in days)", 2)
    assert grid.units == ("EUR",)


@pytest.mark.parametrize("line", ["in thousands", "USD m", "('000)", "10^6 USD", "万美元", "etc.", "..."])
def test_a_scale_or_an_open_end_told_beside_a_table_leaves_no_rows(line: str) -> None:
    """In prose above or below; a scaled number in prose is none."""
    table = "| a | b |\n|---|---|\n| x | 1 |"
    assert not any(grid.rows for grid in grids(f"{line}\n{table}", 2) + grids(f"{table}\n{line}", 2))
    assert any(grid.rows for grid in grids(f"It has 5 million users.\n{table}", 2))


SCALED = (
    (3, "TVL, in thousands"), (3, "TVL (thousands)"), (3, "TVL ($k)"), (3, "TVL $k"), (3, "tvl_k"), (3, "TVL/thousand"),
    (3, "TVL ('000)"), (3, "TVL x1000"), (4, "TVL（万美元）"), (4, "TVL（万）"), (6, "TVL ($M)"),
    (6, "TVL in millions"), (6, "tvlMillions"), (6, "tvl_usd_millions"), (6, "TVL (USD, millions)"),
    (6, "TVL (10^6 USD)"), (8, "TVL（亿美元）"), (9, "TVL, USD bn"), (9, "TVL (billions)"),
)  # fmt: skip


@given(st.integers(1, 10**6), st.sampled_from(SCALED))
def test_a_scale_in_the_header_is_of_the_numbers_below(value: int, told: tuple[int, str]) -> None:
    """However it is written, with a currency in the cell or without; unscaled they are other numbers."""
    power, name = told
    right, other = (AnswerSpec("number", (str(value * 10**up),), unit="USD") for up in (power, 0))
    said = [with_heading(cell, name, MONEY) for cell in (str(value), f"{value:,}", f"${value}")]
    assert misjudged(right, True, said) == [] and misjudged(other, False, said) == []


@pytest.mark.parametrize(("cell", "name", "column", "said"), [
    ("$12.5M", "TVL ($M)", MONEY, "$12.5 M"), ("$12.5M", "TVL, in thousands", MONEY, ""),
    *(("12", name, MONEY, "12") for name in ("TVL", "Total TVL", "TVL (2024)", "TVL, last 7 days", "24h TVL")),
    ("12", "TVL at block 19,000,000", MONEY, "12"), ("12", "Users (count)", COUNT, "12"),
    ("12", "Users (#)", COUNT, "12"), ("12", "Name ($M)", Column("name", "text"), "12"),
])  # fmt: skip
def test_what_a_header_says_of_a_cell(cell: str, name: str, column: Column, said: str) -> None:
    """Equal scales are one, different ones no answer; blocks, years, spans and counts none; texts have no scale."""
    assert with_heading(cell, name, column) == said


def test_another_unit_in_the_header_is_another_unit() -> None:
    """Known units anywhere, unlisted tokens in brackets; a count in dollars is none."""
    heads = ("TVL (ETH)", "TVL ETH", "TVL (%)", "TVL in EUR", "TVL (FOO)")
    dollars = AnswerSpec("number", ("12",), unit="USD")
    assert misjudged(dollars, False, (with_heading("12", name, MONEY) for name in heads)) == []
    assert verify(AnswerSpec("number", ("12",)), with_heading("12", "Users (USD)", COUNT)).correct is False

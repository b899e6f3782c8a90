"""Tables with keys and tolerances."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec, Column
from caia_replay.errors import BadInput
from caia_replay.scoring.verifiers import VERIFIERS

COLUMNS = (Column("pool", "text", key=True), Column("day", "date"), Column("swaps", "number"))
names = st.lists(st.sampled_from(["Alpha", "Beta", "Gamma", "Delta", "Omega"]), min_size=1, max_size=4, unique=True)


def spec(rows: list[tuple[str, str, int]]) -> AnswerSpec:
    """A task with these rows."""
    return AnswerSpec("table", tuple(f"{a} | {b} | {c}" for a, b, c in rows), columns=COLUMNS)


def forms(rows: list[tuple[str, str, int]]) -> list[str]:
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


def right(wanted: AnswerSpec, answer: str) -> bool | None:
    """The verdict alone."""
    return VERIFIERS["table"].verify(wanted, answer).correct


@st.composite
def tables(draw: st.DrawFn) -> list[tuple[str, str, int]]:
    """Rows with different keys."""
    return [(name, f"2024-0{draw(st.integers(1, 9))}-11", draw(st.integers(1000, 99999))) for name in draw(names)]


@settings(max_examples=40)
@given(tables(), st.randoms(use_true_random=False))
def test_form_and_order_never_matter(rows: list[tuple[str, str, int]], random: object) -> None:
    """Any form with the rows in any order, other columns beside."""
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for answer in forms(shuffled):
        assert right(spec(rows), answer) is True, answer


@settings(max_examples=40)
@given(tables(), st.data())
def test_one_planted_cell_row_or_key_is_wrong(rows: list[tuple[str, str, int]], data: st.DataObject) -> None:
    """One wrong value, one row too many or too few, one other key."""
    at = data.draw(st.integers(0, len(rows) - 1))
    name, day, count = rows[at]
    for other in ((name, day, count + 1), (name, "2023-01-11", count), ("Planted", day, count)):
        for answer in forms([*rows[:at], other, *rows[at + 1 :]]):
            assert right(spec(rows), answer) is False, answer
    for answer in (*forms([*rows, ("Planted", day, count)]), *forms([*rows, rows[0]]), *forms(rows[1:])):
        assert right(spec(rows), answer) is False, answer


def test_tolerance_and_unit_are_the_columns() -> None:
    """A cell is judged as an answer of its kind."""
    wanted = AnswerSpec(
        "table",
        ("a | 100",),
        columns=(Column("k", "text", key=True), Column("v", "number", unit="ETH", tolerance_percent="1")),
    )
    assert right(wanted, "a: 100.9 ETH") is True
    assert right(wanted, "a: 102 ETH") is False and right(wanted, "a: 100 BTC") is False


def test_a_unit_in_the_header_counts() -> None:
    """A bare number below "($M)" is in millions."""
    wanted = AnswerSpec(
        "table", ("a | 5000000",), columns=(Column("k", "text", key=True), Column("tvl", "number", unit="USD"))
    )
    assert right(wanted, "| k | TVL ($M) |\n|---|---|\n| a | 5 |") is True
    assert right(wanted, "| k | TVL ($M) |\n|---|---|\n| a | 5000000 |") is False


def test_swapped_headers_are_followed() -> None:
    """Columns are found by name, so the same figures under swapped names are wrong."""
    wanted = AnswerSpec(
        "table",
        ("a | 5 | 7",),
        columns=(Column("k", "text", key=True), Column("inflow", "number"), Column("outflow", "number")),
    )
    assert right(wanted, "| k | outflow | inflow |\n|---|---|---|\n| a | 7 | 5 |") is True
    assert right(wanted, "| k | outflow | inflow |\n|---|---|---|\n| a | 5 | 7 |") is False


def test_a_table_that_doubts_itself_is_wrong() -> None:
    """Prose around the rows must not take them back."""
    answer = forms([("Alpha", "2024-01-11", 5000)])[0]
    assert right(spec([("Alpha", "2024-01-11", 5000)]), f"{answer}\n\nHowever, it could be 5001.") is False


@pytest.mark.parametrize(
    "broken",
    [
        AnswerSpec("table", ("a | 1",)),
        AnswerSpec("table", ("a",), columns=COLUMNS),
        AnswerSpec("table", ("a | 2024-01-01 | many",), columns=COLUMNS),
        AnswerSpec("table", ("a | 2024-01-01 | 1", "A | 2024-01-02 | 2"), columns=COLUMNS),
        AnswerSpec("table", ("a | b",), columns=(Column("k", "text"), Column("t", "table"))),
        AnswerSpec("table", ("a | b",), columns=(Column("k", "text"), Column("K", "text"))),
        AnswerSpec("table", ("a |  | 1",), columns=COLUMNS),
    ],
)
def test_a_broken_table_is_bad_input(broken: AnswerSpec) -> None:
    """Rows that do not fit, equal keys, bad cells and nested tables."""
    with pytest.raises(BadInput):
        right(broken, "a: 1")


POOLS = AnswerSpec(
    "table",
    ("WETH/USDC | 12500000", "DAI/USDT | 3100000"),
    columns=(Column("pool", "text", key=True), Column("tvl", "number", unit="USD", tolerance_percent="1")),
)


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "WETH/USDC = 12500000; DAI/USDT = 3100000",
            "WETH/USDC=$12.5M; DAI/USDT=$3.1M",
            "WETH/USDC = $12.5M, DAI/USDT = $3.1M",
        ),
        "| **Pool** | **TVL** |\n|:---|---:|\n| **WETH/USDC** | **$12.5M** |\n| **DAI/USDT** | **$3.1M** |",
        "All figures in USD:\n\n| Pool | TVL |\n|:-:|:-:|\n| WETH/USDC | 12,500,000 |\n| DAI/USDT | 3,100,000 |",
        "| Pool | TVL, in thousands |\n|---|---|\n| WETH/USDC | 12500 |\n| DAI/USDT | 3100 |",
        "Pool,TVL in millions\nWETH/USDC,12.5\nDAI/USDT,3.1",
        '[{"pool":"WETH/USDC","tvl_usd":12500000},{"pool":"DAI/USDT","tvl_usd":3100000}]',
    ],
)
def test_more_ways_of_writing_a_table(answer: str) -> None:
    """Equals signs, bold cells, alignment rows and headers with a scale."""
    assert right(POOLS, answer) is True


@pytest.mark.parametrize(
    "told",
    ["in thousands", "Values in millions.", "(amounts in $k)", "All figures in €.", "etc.", "...", "TVL is in ETH"],
)
@pytest.mark.parametrize(
    "table",
    [
        "| Pool | TVL |\n|---|---|\n| WETH/USDC | 12500000 |\n| DAI/USDT | 3100000 |",
        "WETH/USDC: 12500000\nDAI/USDT: 3100000",
        '[{"pool":"WETH/USDC","tvl":12500000},{"pool":"DAI/USDT","tvl":3100000}]',
    ],
)
def test_a_scale_a_unit_or_an_open_end_beside_a_table_makes_it_none(table: str, told: str) -> None:
    """Nobody says which column it is for."""
    assert right(POOLS, table) is True
    assert right(POOLS, f"{told}\n{table}") is False and right(POOLS, f"{table}\n{told}") is False


@pytest.mark.parametrize(
    "head", ["TVL, in thousands", "TVL (millions)", "TVL $k", "TVL (ETH)", "TVL x1000", "tvl_k", "TVL（万美元）"]
)
def test_a_scale_in_the_header_is_never_ignored(head: str) -> None:
    """Numbers that are right without it are wrong under it."""
    for form in (
        "| Pool | {} |\n|---|---|\n| WETH/USDC | 12500000 |\n| DAI/USDT | 3100000 |",
        "Pool\t{}\nWETH/USDC\t12500000\nDAI/USDT\t3100000",
    ):
        assert right(POOLS, form.format("TVL")) is True and right(POOLS, form.format(head)) is False

"""Tables as answers write them."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.scoring.verifiers.grid import grids

cells = st.text(alphabet="abcdefgh0123456789", min_size=1, max_size=6).map(lambda text: f"c{text}")
tables = st.lists(st.tuples(cells, cells, cells), min_size=2, max_size=5)


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


@settings(max_examples=80)
@given(tables)
def test_every_form_has_the_same_rows(rows: list[tuple[str, ...]]) -> None:
    """JSON, CSV, tabs, bars and keyed lines."""
    for text in written(rows):
        assert tuple(rows) in [grid.rows for grid in grids(text, 3)], text


@settings(max_examples=50)
@given(tables)
def test_a_markdown_table_and_objects_have_their_header(rows: list[tuple[str, ...]]) -> None:
    """The names of columns are told apart from the rows."""
    lines = ["| A | B | C |", "|---|:-:|--:|", *(f"| {' | '.join(row)} |" for row in rows)]
    for text in (
        "\n".join(lines),
        "Here it is:\n\n" + "\n".join(lines),
        json.dumps([dict(zip("ABC", row)) for row in rows]),
    ):
        (grid,) = grids(text, 3)
        assert (grid.names, grid.rows) == (("A", "B", "C"), tuple(rows))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no table here",
        "| a | b |\n|---|---|\n| c | d |\n\nHowever, c might be e.",
        "a: 5\nb: 6\nHowever b might differ.",
        "[[[[",
    ],
)
def test_what_is_no_table_or_doubts_itself_has_no_rows(text: str) -> None:
    """A doubt beside a table takes it back."""
    assert not any(grid.rows for grid in grids(text, 2))


@settings(max_examples=80)
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

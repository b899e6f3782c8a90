"""Answers of several parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.interop.caia_structured import abi_spec, names_spec, table_spec
from caia_replay.scoring.spec import check_spec

DRAWN = "| Month | Lamp Burn (LNT) |\n|---|---|\n| May 2024 | 1,200 |\n| June 2024 | 1,300 |. Total: 2,500 LNT."
ASKS = "Generate a monthly table of the lamp burn"


def test_a_drawn_table_is_read_with_the_asked_columns() -> None:
    """Keys are text, figures are numbers, and words around it do not matter."""
    spec = table_spec(DRAWN, ASKS)
    assert spec is not None and spec.columns is not None
    assert spec.values == ("May 2024 | 1200", "June 2024 | 1300")
    assert [(column.name, column.kind, column.key) for column in spec.columns] == [
        ("Month", "text", True),
        ("Lamp Burn (LNT)", "number", False),
    ]
    assert check_spec(spec) == []


def test_records_keep_only_what_was_asked() -> None:
    """A column that the question does not name is not demanded of anybody."""
    told = "[{'day': '2024-05-01', 'lamp_burn': 12, 'other': 5},{'day': '2024-05-02', 'lamp_burn': 13, 'other': 6}]"
    spec = table_spec(told, "Report the lamp burn daily")
    assert spec is not None and spec.columns is not None
    assert [column.name for column in spec.columns] == ["day", "lamp_burn"]
    assert spec.columns[0].kind == "date"
    assert check_spec(spec) == []


@pytest.mark.parametrize(
    ("value", "question"),
    [
        (DRAWN, "What was the average?"),
        (DRAWN, "Generate a monthly table of fees"),
        ("| a | b |\n|---|---|\n| 1 |", "a table of b each"),
        ("[{'a': 1}, {'b': 2}]", "each table"),
        ("[{", "each table"),
        ("no table", "each table"),
    ],
)
def test_other_tables_are_left_to_a_judge(value: str, question: str) -> None:
    """Unasked, unmatched, uneven or broken ones."""
    assert table_spec(value, question) is None


def test_names_are_a_set_and_numbered_ones_a_list() -> None:
    """Order counts only where the answer numbers them."""
    spec = names_spec("Arda, Bresk Labs，Corvo", "Which three lenders are there?")
    assert spec is not None
    assert (spec.kind, spec.values) == ("text_set", ("Arda", "Bresk Labs", "Corvo"))
    ranked = names_spec("1. Arda; 2. Bresk", "the top 2 lenders")
    assert ranked is not None
    assert (ranked.kind, ranked.values) == ("text_list", ("Arda", "Bresk"))


@pytest.mark.parametrize(
    "value", ["15M, 60M", "Arda", "Arda, Arda", "a sentence, which goes on and on for long", "1) Arda: 5, 2"]
)
def test_figures_and_sentences_are_no_names(value: str) -> None:
    """They stay open."""
    assert names_spec(value, "Which are there?") is None


def test_one_function_of_an_interface_is_its_signature() -> None:
    """A whole contract's interface and nested tuples are left to a judge."""
    one = '[{"type":"function","name":"lend","inputs":[{"name":"to","type":"address"},{"name":"n","type":"uint256"}]}]'
    spec = abi_spec(one, "What's the ABI of lend?")
    assert spec is not None
    assert spec.values == ("lend(address,uint256)",)
    assert check_spec(spec) == []
    assert abi_spec('[{"name":"a","inputs":[]},{"name":"b","inputs":[]}]', "the ABI") is None
    assert abi_spec('{"name":"a","inputs":[{"type":"tuple"}]}', "the ABI") is None
    assert abi_spec(one, "What does lend do?") is None
    unnamed = abi_spec('{"inputs":[{"type":"bool"}]}', 'the ABI of the function "mend"')
    assert unnamed is not None and unnamed.values == ("mend(bool)",)


@given(st.text(alphabet="[]{}'\":,|-\n ab1\\", max_size=200))
def test_no_text_breaks_them(text: str) -> None:
    """A spec or None, whatever a stranger wrote."""
    for rule in (table_spec, names_spec, abi_spec):
        rule(text, "list all of the abi in a table a b each")

"""Behaviour of the tables' own descriptions."""

from __future__ import annotations

import pyarrow as pa
import pytest

from caia_replay.chain.manifest_upgrade import ADDED_TABLES
from caia_replay.chain.table import TABLES, RpcTable


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_sorted_by_columns_that_can_be_searched(name: str) -> None:
    """Its order are required columns of fixed width, whose bytes or numbers compare as they are stored."""
    spec = TABLES[name]
    assert spec.name == name and spec.order
    for column in spec.order:
        field = spec.schema.field(column)
        assert not field.nullable
        assert pa.types.is_uint64(field.type) or pa.types.is_fixed_size_binary(field.type)


@pytest.mark.parametrize("name", TABLES)
def test_no_two_columns_take_one_field(name: str) -> None:
    """Each field of an object has one column, and each column a name of its own."""
    spec = TABLES[name]
    assert len(set(spec.schema.names)) == len(spec.schema.names)
    if isinstance(spec, RpcTable):
        assert len({column.field for column in spec.columns}) == len(spec.columns)
        assert not set(spec.foreign) - {f"topics.{at}" for at in range(4)} - {"logs"}


def test_later_tables_are_known_to_the_upgrade() -> None:
    """A table that a schema version added exists."""
    assert {name for names in ADDED_TABLES.values() for name in names} <= TABLES.keys()

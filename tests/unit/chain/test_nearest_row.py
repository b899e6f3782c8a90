"""Behaviour of the words about the nearest recorded row."""

from __future__ import annotations

from pathlib import Path

from caia_replay.chain.group_cache import GroupCache
from caia_replay.chain.nearest_row import nearest_row
from caia_replay.chain.sealed_file import SealedFile
from caia_replay.chain.sorted_table import SortedTable
from caia_replay.chain.table import STORAGE
from caia_replay.chain.table_file import TableFile
from caia_replay.chain.table_writer import row_groups, write_table

KEY = ("address", "slot", "from_block")
NEAR, FAR = b"\x01" * 20, b"\x03" * 20


def storage(folder: Path) -> SortedTable:
    cells = [
        {"address": address, "slot": bytes(31) + slot, "from_block": 3, "to_block": 5, "value": bytes(32)}
        for address, slot in ((NEAR, b"\x02"), (NEAR, b"\x04"), (FAR, b"\x01"))
    ]
    seal = write_table(folder / "storage.parquet", STORAGE, row_groups(cells, STORAGE))
    return SortedTable(TableFile(SealedFile(folder / "storage.parquet", seal.digest), "storage"), GroupCache())


def test_the_neighbour_that_shares_more_is_named(tmp_path: Path) -> None:
    """Between two rows the one of the same address wins, and a slot's own row tells its blocks."""
    table = storage(tmp_path)
    assert nearest_row(table, KEY, (NEAR, b"\xff" * 32, 4)).startswith(f"address 0x{NEAR.hex()}, slot 0x{'0' * 62}04")
    assert nearest_row(table, KEY, (FAR, bytes(32), 4)).startswith(f"address 0x{FAR.hex()}")
    assert nearest_row(table, KEY, (NEAR, bytes(31) + b"\x02", 9)).endswith("02, known for blocks 3 to 5")
    assert nearest_row(table, ("address",), (b"\xff" * 20,)) == f"address 0x{FAR.hex()}"


def test_an_empty_table_says_so() -> None:
    """Without any row there is no neighbour to name."""
    assert nearest_row(SortedTable(None, GroupCache()), KEY, (NEAR, bytes(32), 1)) == "no address is recorded at all"

"""Behaviour of one table's Parquet file."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from caia_replay import canonical
from caia_replay.chain.sealed_file import SealedFile
from caia_replay.chain.table import ACCOUNTS, STORAGE
from caia_replay.chain.table_file import TableFile, parquet_file
from caia_replay.errors import BadInput, SealBroken

A, B = b"\x0a" * 20, b"\x0b" * 20
SLOTS = [(A, 1, 0), (A, 2, 0), (A, 2, 7), (A, 2, 9), (A, 3, 0), (B, 0, 0)]


def storage() -> pa.Table:
    names = ("address", "slot", "from_block", "to_block", "value")
    cells = [dict(zip(names, (a, slot.to_bytes(32, "big"), block, block, bytes(32)))) for a, slot, block in SLOTS]
    return pa.Table.from_pylist(cells, schema=STORAGE.schema)


def opened(path: Path, content: pa.Table, **settings: object) -> TableFile:
    pq.write_table(content, path, **{"row_group_size": 2, "write_page_checksum": True, **settings})
    return TableFile(SealedFile(path, canonical.digest_bytes(path.read_bytes())), "storage")


def test_columns_can_be_read_alone(tmp_path: Path) -> None:
    """Some columns of one group are those of the whole."""
    file = opened(tmp_path / "t", storage())
    assert file.rows == [2, 2, 2] and file.until == "to_block"
    assert file.read(1).equals(storage().slice(2, 2))
    assert file.read(2, ("slot",)).column_names == ["slot"]


def test_another_tables_file_is_refused(tmp_path: Path) -> None:
    """A schema that is not the table's, and what is no Parquet, are bad input by name."""
    path = tmp_path / "t"
    pq.write_table(ACCOUNTS.schema.empty_table(), path)
    with pytest.raises(BadInput, match="t: has not the schema"):
        TableFile(SealedFile(path, ""), "storage")
    path.write_bytes(b"PAR1" * 9)
    with pytest.raises(BadInput, match="t: is not a Parquet file"):
        TableFile(SealedFile(path, ""), "storage")


def test_a_damaged_page_that_was_sealed_so_is_still_refused(tmp_path: Path) -> None:
    """Every byte of the data pages that is changed, its digest made to fit, fails its page's checksum or the format."""
    path = tmp_path / "t"
    opened(path, storage(), compression="none")
    data = path.read_bytes()
    chunk = pq.ParquetFile(path).metadata.row_group(1).column(4)
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    broken = 0
    for at in range(start, start + chunk.total_compressed_size):
        path.write_bytes(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
        file = TableFile(SealedFile(path, canonical.digest_bytes(path.read_bytes())), "storage")
        try:
            assert file.read(1).equals(storage().slice(2, 2))  # a bit of a page header that nothing depends on
        except SealBroken as fault:
            assert "CRC" in str(fault) and "git checkout" in str(fault)
            broken += 1
        except BadInput as fault:
            assert "row group 1" in str(fault)
    assert broken >= 32


def test_threads_read_the_same(tmp_path: Path) -> None:
    """Many threads on one file get the groups they asked for; reading starts no thread of the reader's own."""
    file = opened(tmp_path / "t", storage(), row_group_size=1)
    before = threading.active_count()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(file.read, [at % 6 for at in range(600)]))
    assert all(group.equals(storage().slice(at % 6, 1)) for at, group in enumerate(found))
    assert threading.active_count() == before
    assert parquet_file(tmp_path / "t").read(use_threads=False).equals(storage())

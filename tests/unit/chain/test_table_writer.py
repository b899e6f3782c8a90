"""Behaviour of writing one table, a row group at a time."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from caia_replay import canonical
from caia_replay.chain.table import ACCOUNTS, CODES, LOGS, STORAGE
from caia_replay.chain.table_writer import row_groups, rows_per_group, write_table


def codes(count: int) -> list[dict[str, bytes]]:
    return [{"code_hash": at.to_bytes(32, "big"), "code": bytes(at % 9)} for at in range(count)]


def test_the_groups_are_bounded_and_the_seal_is_the_files(tmp_path: Path) -> None:
    """Rows come back in order, in groups of the table's size, with page checksums; digest and count are told."""
    size = rows_per_group(CODES)
    seal = write_table(tmp_path / "codes", CODES, row_groups(iter(codes(2 * size + 1)), CODES))
    data = (tmp_path / "codes").read_bytes()
    assert (seal.digest, seal.rows) == (canonical.digest_bytes(data), 2 * size + 1)
    file = pq.ParquetFile(tmp_path / "codes")
    assert [file.metadata.row_group(at).num_rows for at in range(file.num_row_groups)] == [size, size, 1]
    assert file.read(use_threads=False).to_pylist() == codes(2 * size + 1)
    assert file.metadata.row_group(0).sorting_columns == (pq.SortingColumn(0),)
    chunk = file.metadata.row_group(1).column(1)
    at = (chunk.dictionary_page_offset or chunk.data_page_offset) + chunk.total_compressed_size - 1
    (tmp_path / "codes").write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    with pytest.raises(OSError, match="CRC"):
        pq.ParquetFile(tmp_path / "codes", page_checksum_verification=True).read_row_group(1, use_threads=False)


def test_groups_that_are_too_long_are_cut(tmp_path: Path) -> None:
    """Rows given as one Arrow table are still written in groups that one lookup can afford."""
    (whole,) = row_groups(codes(rows_per_group(CODES)), CODES)
    cells = codes(3 * rows_per_group(CODES))
    write_table(tmp_path / "codes", CODES, [whole.from_pylist(cells, schema=CODES.schema)])
    assert pq.ParquetFile(tmp_path / "codes").num_row_groups == 3


def test_a_table_without_rows_is_a_file(tmp_path: Path) -> None:
    """No rows still have their schema; a file is never written over; wide rows come in smaller groups."""
    assert write_table(tmp_path / "logs", LOGS, ()).rows == 0
    assert pq.ParquetFile(tmp_path / "logs").schema_arrow.equals(LOGS.schema)
    with pytest.raises(FileExistsError):
        write_table(tmp_path / "logs", LOGS, ())
    assert rows_per_group(CODES) < rows_per_group(LOGS) < rows_per_group(STORAGE) == rows_per_group(ACCOUNTS)

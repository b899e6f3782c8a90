"""A table's Parquet file: written in groups, sealed, kept open, and read without a stray byte."""

from __future__ import annotations

import io
import os
import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay import canonical
from caia_replay.chain.row_group import GroupCache, RowGroup
from caia_replay.chain.sealed_file import SealedFile, seal_command, stream_digest
from caia_replay.chain.sorted_table import SortedTable, nearest_row
from caia_replay.chain.table import ACCOUNTS, CODES, LOGS, STORAGE
from caia_replay.chain.table_file import TableFile, row_groups, rows_per_group, write_table
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


def test_a_table_reads_its_groups_and_refuses_another_s_file(tmp_path: Path) -> None:
    """Some columns of one group are those of the whole; another schema and no Parquet are told by name."""
    file = opened(tmp_path / "t", storage())
    assert file.rows == [2, 2, 2] and file.until == "to_block"
    assert file.read(1).equals(storage().slice(2, 2))
    assert file.read(2, ("slot",)).column_names == ["slot"]
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


def test_a_file_of_many_rows_or_none_is_cut_into_groups(tmp_path: Path) -> None:
    """One lookup can afford each; no rows still have a schema; a file is never written over."""
    (whole,) = row_groups(codes(rows_per_group(CODES)), CODES)
    cells = codes(3 * rows_per_group(CODES))
    write_table(tmp_path / "codes", CODES, [whole.from_pylist(cells, schema=CODES.schema)])
    assert pq.ParquetFile(tmp_path / "codes").num_row_groups == 3
    assert write_table(tmp_path / "logs", LOGS, ()).rows == 0
    assert pq.ParquetFile(tmp_path / "logs").schema_arrow.equals(LOGS.schema)
    with pytest.raises(FileExistsError):
        write_table(tmp_path / "logs", LOGS, ())
    assert rows_per_group(CODES) < rows_per_group(LOGS) < rows_per_group(STORAGE) == rows_per_group(ACCOUNTS)


CONTENT = random.Random(1).randbytes(2_500_000)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "table.parquet"
    path.write_bytes(CONTENT)
    return path


@pytest.fixture
def file(path: Path) -> SealedFile:
    return SealedFile(path, canonical.digest_bytes(CONTENT))


def put_back_times(path: Path, before: os.stat_result) -> None:
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_the_digest_in_pieces_is_the_digest_of_the_whole_and_a_view_reads_like_a_file(
    file: SealedFile, path: Path
) -> None:
    """Seeking and reading as an ordinary file does; another content is refused with both ways out."""
    view, plain = file.view(), io.BytesIO(CONTENT)
    assert view.readable() and view.seekable()
    for offset, whence, size in ((10, 0, 5), (7, 1, 9), (-4, 2, 2), (0, 1, 100), (3, 0, 0), (-9, 2, -1)):
        assert view.seek(offset, whence) == plain.seek(offset, whence)
        assert view.read(size) == plain.read(size)
        assert view.tell() == plain.tell()
    file.check_digest()
    descriptor = os.open(path, os.O_RDONLY)
    assert stream_digest(descriptor, path) == canonical.digest_bytes(CONTENT)
    os.close(descriptor)
    path.write_bytes(CONTENT[:-1])
    with pytest.raises(SealBroken, match=r"table\.parquet: was changed.*git checkout.*lint --seal"):
        file.check_digest()
    assert seal_command(path.parent).endswith(str(path.parent))


@pytest.mark.parametrize("change", ["in place", "times put back", "truncated", "replaced", "gone"])
def test_what_changed_is_not_read(path: Path, file: SealedFile, change: str) -> None:
    """However the content changed, nothing that was read afterwards is given out, and not later either."""
    before = path.stat()
    assert file.unchanged(lambda: file.read_at(0, 4)) == CONTENT[:4]
    if change == "gone":
        path.unlink()
    elif change == "replaced":
        other = path.with_name("other")
        other.write_bytes(b"\0" * len(CONTENT))
        other.rename(path)
    else:
        path.write_bytes(CONTENT[:-1] + (b"" if change == "truncated" else b"\0"))
    if change == "times put back":
        put_back_times(path, before)
    for _ in range(2):
        with pytest.raises(SealBroken, match=r"table\.parquet"):
            file.unchanged(lambda: file.read_at(0, 4))
    path.write_bytes(CONTENT)
    assert file.unchanged(lambda: file.read_at(0, 4)) == CONTENT[:4]


def test_what_changes_while_it_is_read_is_seen_and_the_same_content_is_no_change(path: Path, file: SealedFile) -> None:
    """A file touched or written again is read on; what was read between two changes is thrown away."""
    path.chmod(0o600)
    assert file.unchanged(lambda: file.read_at(5, 3)) == CONTENT[5:8]
    path.unlink()
    path.write_bytes(CONTENT)
    assert file.unchanged(lambda: file.read_at(5, 3)) == CONTENT[5:8]

    def read() -> bytes:
        path.write_bytes(b"\0" * len(CONTENT))
        return file.read_at(0, 4)

    with pytest.raises(SealBroken):
        file.unchanged(read)


def test_no_descriptor_is_left_behind(path: Path) -> None:
    """Opening, refusing and forgetting files leaves no more of them open than before."""
    listing = Path("/proc/self/fd")
    if not listing.is_dir():
        pytest.skip("no list of open files on this system")

    def open_here() -> int:  # of this file alone: what other tests left may be closed at any time
        return sum(os.path.realpath(found) == str(path.resolve()) for found in listing.iterdir())

    assert open_here() == 0
    held = SealedFile(path, canonical.digest_bytes(CONTENT))
    held.check_digest()
    assert open_here() == 1
    del held
    for digest in (canonical.digest_bytes(CONTENT), "sha256:" + "0" * 64) * 5:
        file = SealedFile(path, digest)
        with suppress(SealBroken):
            file.check_digest()
        del file
    assert open_here() == 0


def test_what_cannot_be_read_is_bad_input(tmp_path: Path) -> None:
    """A folder in place of a file, and no file at all, are one line each."""
    with pytest.raises(SealBroken, match="is missing"):
        SealedFile(tmp_path / "none", "")
    with pytest.raises(BadInput, match="cannot be read"):
        SealedFile(tmp_path, "").check_digest()


def group(rows: int) -> RowGroup:
    """8 bytes a row."""
    return RowGroup(pa.table({"at": pa.array(range(rows), pa.uint64())}), ())


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6), st.integers(1, 12)), max_size=60))
def test_it_keeps_the_lately_asked_and_stays_in_its_bounds(steps: list[tuple[bool, int, int]]) -> None:
    """After any steps it holds what a list of the newest that fit would, and never more than fits besides one."""
    cache, model = GroupCache(limit_bytes=160), list[tuple[int, RowGroup]]()
    for asks, number, rows in steps:
        held = next((item for item in model if item[0] == number), None)
        if asks:
            assert cache.get("t", number) is (held[1] if held else None)
        else:
            cache.put("t", number, new := group(rows))
        if held:
            model.remove(held)
        if not asks or held:
            model.append(held if asks and held else (number, new))
        while sum(item.size_bytes for _, item in model) > 160 and len(model) > 1:
            model.pop(0)
        # Asked from the oldest to the newest, their order stays as it was.
        held_now = [number for number, _ in model]
        order = [*held_now, *(number for number in range(7) if number not in held_now)]
        assert [number for number in order if cache.get("t", number) is not None] == held_now


def test_groups_of_tables_are_apart_and_threads_lose_no_bytes() -> None:
    """The same number in another table is another group; after many threads exactly as much fits."""
    cache = GroupCache()
    cache.put("logs", 1, group(2))
    assert cache.get("blocks", 1) is None and cache.get("logs", 1) is not None
    cache = GroupCache(limit_bytes=400)

    def work(seed: int) -> None:
        for step in range(300):
            cache.put("t", (seed * step) % 17, group(1 + step % 9))
            cache.get("t", step % 17)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(1, 9)))
    for number in range(60):
        cache.put("after", number, group(1))
    assert [number for number in range(60) if cache.get("after", number) is not None] == list(range(10, 60))
    assert all(cache.get("t", number) is None for number in range(17))


KEY = ("address", "slot", "from_block")
NEAR, FAR = b"\x01" * 20, b"\x03" * 20


def storage_nearest_row(folder: Path) -> SortedTable:
    cells = [
        {"address": address, "slot": bytes(31) + slot, "from_block": 3, "to_block": 5, "value": bytes(32)}
        for address, slot in ((NEAR, b"\x02"), (NEAR, b"\x04"), (FAR, b"\x01"))
    ]
    seal = write_table(folder / "storage.parquet", STORAGE, row_groups(cells, STORAGE))
    return SortedTable(TableFile(SealedFile(folder / "storage.parquet", seal.digest), "storage"), GroupCache())


def test_the_neighbour_that_shares_more_is_named(tmp_path: Path) -> None:
    """Between two rows the one of the same address wins, a slot tells its blocks, an empty table says so."""
    table = storage_nearest_row(tmp_path)
    assert nearest_row(table, KEY, (NEAR, b"\xff" * 32, 4)).startswith(f"address 0x{NEAR.hex()}, slot 0x{'0' * 62}04")
    assert nearest_row(table, KEY, (FAR, bytes(32), 4)).startswith(f"address 0x{FAR.hex()}")
    assert nearest_row(table, KEY, (NEAR, bytes(31) + b"\x02", 9)).endswith("02, known for blocks 3 to 5")
    assert nearest_row(table, ("address",), (b"\xff" * 20,)) == f"address 0x{FAR.hex()}"
    assert nearest_row(SortedTable(None, GroupCache()), KEY, (NEAR, bytes(32), 1)) == "no address is recorded at all"

"""What is known whole, by claims and recorded headers, and the logs that a filter selects."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.completeness import bloom, check_claims
from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_file import open_folder
from caia_replay.chain.snapshot_schema import SnapshotInfo, SnapshotRows, read_snapshot, reseal, write_snapshot
from caia_replay.chain.table import BLOCKS, LOGS, RECEIPTS, TRANSACTIONS
from caia_replay.chain.whole_block import WholeBlocks
from caia_replay.chain.whole_range import computed_columns, unfit_columns, whole_range
from caia_replay.errors import BadInput, Miss, ToolError

LAST = 6
EVIDENCE = ("transactionsRoot", "receiptsRoot", "logsBloom", "transactions")
A, B = b"\xaa" * 20, b"\xbb" * 20
SPANS = st.lists(
    st.lists(st.integers(0, LAST), min_size=2, max_size=2).map(lambda ends: tuple(sorted(ends))), max_size=2
)
FAR = 10**12
"""Nobody looks at so many blocks one by one."""


def whole(
    folder: Path, rows: SnapshotRows, *claims: Claim, reconstructed: dict[int, tuple[str, ...]] | None = None
) -> WholeBlocks:
    info = SnapshotInfo("tiny", 7001, {0: "prague"}, ((0, FAR),), "synthetic", "a test", Claims.of(claims))
    write_snapshot(folder, replace(info, reconstructed=reconstructed or {}), rows)
    return WholeBlocks(open_folder(folder))


@given(
    headers=st.frozensets(st.integers(0, LAST)),
    computed=st.dictionaries(st.integers(0, LAST), st.lists(st.sampled_from(EVIDENCE), min_size=1, unique=True)),
    spans=st.fixed_dictionaries({name: SPANS for name in ("transactions", "receipts", "logs")}),
    narrow=SPANS,
    wanted=st.frozensets(st.sampled_from([A, B])),
    receipts=st.booleans(),
)
def test_what_is_known_of_a_range_is_known_of_each_block(
    traced_rows: SnapshotRows,
    headers: frozenset[int],
    computed: dict[int, list[str]],
    spans: dict[str, list[tuple[int, int]]],
    narrow: list[tuple[int, int]],
    wanted: frozenset[bytes],
    receipts: bool,
) -> None:
    """By a claim about the block, or a field of its header that was recorded and that says so."""
    blocks = {int(block["number"], 16): block for block in traced_rows.blocks}
    kept = replace(traced_rows, blocks=[blocks[number] for number in headers], replies=[])
    if not receipts:
        kept, spans = replace(kept, receipts=[], logs=[]), {**spans, "receipts": [], "logs": []}
        narrow = []
    claims = [Claim(name, *span) for name, some in spans.items() for span in some]
    claims += [Claim("logs", *span, frozenset([A])) for span in narrow]

    def claimed(some: list[tuple[int, int]], number: int) -> bool:
        return any(first <= number <= last for first, last in some)

    def logs_known(number: int) -> bool:
        told = blocks[number].keys() - computed.get(number, ()) if number in headers else set()
        empty = blocks[number]["gasUsed"] == "0x0"
        transactions = claimed(spans["transactions"], number)
        transactions |= bool(told & {"transactions"}) or (empty and "transactionsRoot" in told)
        return (
            claimed(spans["logs"], number)
            or (wanted == {A} and claimed(narrow, number))
            or claimed(spans["receipts"], number)
            or (transactions and (receipts or empty))
            or (empty and "receiptsRoot" in told)
            or ("logsBloom" in told and not [log for log in traced_rows.logs if log["blockNumber"] == hex(number)])
        )

    with TemporaryDirectory() as root:
        reconstructed = {number: tuple(names) for number, names in computed.items()}
        found = whole(Path(root) / "tiny", kept, *claims, reconstructed=reconstructed)
        for first in range(LAST + 1):
            for last in range(first, LAST + 1):
                unknown = [number for number in range(first, last + 1) if not logs_known(number)]
                told = found.unknown_logs(first, last, LogFilter(wanted))
                assert bool(told) == bool(unknown)
                assert not unknown or f"nothing says which logs block {unknown[0]} has" in told


def test_ranges_that_nobody_could_walk_are_judged_by_their_gaps(
    tmp_path: Path, traced_rows: SnapshotRows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gaps between claims are found, of one address and of all, and no question looks at more than it may."""
    empty = next(int(block["number"], 16) for block in traced_rows.blocks[1:] if block["gasUsed"] == "0x0")
    own = frozenset([A])
    claims = [Claim("logs", 0, empty - 1), Claim("receipts", empty + 1, 10**6), Claim("logs", 10**6 + 1, FAR, own)]
    found = whole(tmp_path / "a", traced_rows, *claims)
    assert found.unknown_logs(0, FAR, LogFilter(own)) == ""
    for wanted in (frozenset[bytes](), frozenset([B]), own | {B}):
        assert f"nothing says which logs block {10**6 + 1} has" in found.unknown_logs(0, FAR, LogFilter(wanted))
    assert f"block {FAR + 1} has" in found.unknown_logs(0, FAR + 9, LogFilter(own))
    monkeypatch.setattr("caia_replay.chain.whole_block._MOST_UNCLAIMED", 3)
    found = whole(tmp_path / "b", traced_rows, Claim("logs", 2, 2))
    assert found.unknown_logs(0, 3, LogFilter()) == ""
    assert "no claim names block 4, nor 3 blocks before it" in found.unknown_logs(0, 4, LogFilter())


TABLES = (BLOCKS, TRANSACTIONS, RECEIPTS, LOGS)


@pytest.fixture(scope="module")
def recorded(shipped: Path) -> tuple[SnapshotInfo, SnapshotRows]:
    """The shipped small chain as rows, with headers that list their transactions."""
    info, rows = read_snapshot(shipped.parents[1] / "chain_snapshots" / "mini")
    hashes: dict[str, list[str]] = {row["number"]: [] for row in rows.blocks}
    for row in sorted(rows.transactions, key=lambda row: int(row["transactionIndex"], 16)):
        hashes[row["blockNumber"]].append(row["hash"])
    return info, replace(rows, blocks=[{**row, "transactions": hashes[row["number"]]} for row in rows.blocks])


def opened(folder: Path, info: SnapshotInfo, rows: SnapshotRows) -> Snapshot:
    write_snapshot(folder / "chain", info, rows)
    return Snapshot.open(folder / "chain")


def test_claims_and_headers_prove_the_same_rows(recorded: tuple[SnapshotInfo, SnapshotRows], tmp_path: Path) -> None:
    """A range that is claimed, and the same looked at block by block, give one table in one order."""
    info, rows = recorded
    claimed = opened(tmp_path / "a", info, rows)
    unclaimed = opened(tmp_path / "b", replace(info, claims=Claims()), rows)
    for table in TABLES:
        for first, last in ((0, 50), (7, 7)):
            found = whole_range(claimed, table, first, last)
            assert found.schema == table.schema and found.num_rows > 0
            assert set(found["block_number"].to_pylist()) <= set(range(first, last + 1))
            assert whole_range(unclaimed, table, first, last).to_pylist() == found.to_pylist()


def test_a_hole_is_a_miss_that_names_table_and_range(
    recorded: tuple[SnapshotInfo, SnapshotRows], tmp_path: Path
) -> None:
    """One transaction or header less and nothing claimed: no answer for a range that holds it."""
    info, rows = recorded
    lost = next(row for row in rows.transactions if int(row["blockNumber"], 16) == 7)
    fewer = replace(
        rows,
        transactions=[row for row in rows.transactions if row is not lost],
        blocks=[row for row in rows.blocks if int(row["number"], 16) != 9],
    )
    holed = opened(tmp_path, replace(info, claims=Claims.of([Claim("logs", 0, 20)])), fewer)
    for table, first, last in ((TRANSACTIONS, 3, 8), (BLOCKS, 8, 10), (RECEIPTS, 7, 7)):
        with pytest.raises(Miss, match=f"all {table.name} of blocks {first} to {last}"):
            whole_range(holed, table, first, last)
    assert whole_range(holed, LOGS, 0, 20).num_rows > 0
    assert whole_range(holed, TRANSACTIONS, 3, 6).num_rows > 0


def test_what_no_column_holds_and_what_was_computed_is_named(
    recorded: tuple[SnapshotInfo, SnapshotRows], tmp_path: Path
) -> None:
    """A value that a node wrote unusually is not null, and a computed time is none that was recorded."""
    info, rows = recorded
    info = replace(info, claims=Claims.of(claim for claim in info.claims if claim.table != "blocks"))
    odd = [{**row, "gas": "0x00ffff"} if at == 3 else row for at, row in enumerate(rows.transactions)]
    chain = opened(tmp_path, replace(info, reconstructed={5: ("timestamp",)}), replace(rows, transactions=odd))
    assert unfit_columns(TRANSACTIONS, whole_range(chain, TRANSACTIONS, 0, 50)) == {"gas_limit"}
    assert unfit_columns(RECEIPTS, whole_range(chain, RECEIPTS, 0, 50)) <= {"block_timestamp"}
    assert (computed_columns(chain, 0, 5), computed_columns(chain, 6, 50)) == ({"timestamp"}, frozenset())


if TYPE_CHECKING:
    from caia_replay.chain.snapshot_schema import SnapshotRows as Rows
TABLES_COMPLETENESS = ("transactions", "receipts", "logs")


@pytest.fixture(scope="module")
def shipped_rows() -> tuple[SnapshotInfo, Rows]:
    """The shipped chain's rows."""
    return read_snapshot(Path(__file__).parents[3] / "chain_snapshots" / "mini")


def claim(info: SnapshotInfo, rows: SnapshotRows, **changes: Any) -> None:
    tables = {name: changes.get(name, getattr(rows, name)) for name in ("blocks", *TABLES_COMPLETENESS)}
    check_claims(info, **tables)


def test_a_whole_chain_keeps_its_claims(shipped_rows: tuple[SnapshotInfo, Rows]) -> None:
    """The shipped snapshot's headers agree with all its rows, every bloom included."""
    info, rows = shipped_rows
    claim(info, rows)
    assert all(
        bloom(log for log in rows.logs if log["blockNumber"] == b["number"]) == b["logsBloom"] for b in rows.blocks
    )


@pytest.mark.parametrize("table", TABLES_COMPLETENESS)
def test_a_lost_row_breaks_the_claim(shipped_rows: tuple[SnapshotInfo, Rows], table: str) -> None:
    """Losing the only, the first or any row of a block is seen, and named by table and block."""
    info, rows = shipped_rows
    whole = getattr(rows, table)
    for at in range(0, len(whole), max(1, len(whole) // 25)):
        lost = whole[:at] + whole[at + 1 :]
        if table == "logs" and bloom(x for x in lost if x["blockNumber"] == whole[at]["blockNumber"]) == bloom(
            x for x in whole if x["blockNumber"] == whole[at]["blockNumber"]
        ):
            continue  # a twin of a log that stayed: a bloom cannot tell
        with pytest.raises(BadInput, match=f"block {int(whole[at]['blockNumber'], 16)} "):
            claim(info, rows, **{table: lost})
    with pytest.raises(BadInput, match=table):
        claim(info, rows, **{table: []})


def test_a_lost_header_or_table_breaks_the_claim(shipped_rows: tuple[SnapshotInfo, Rows], mini: Path) -> None:
    """A complete blocks table has every height; a table file that is gone is blessed by no seal."""
    info, rows = shipped_rows
    with pytest.raises(BadInput, match="block 7 has no header"):
        claim(info, rows, blocks=rows.blocks[:7] + rows.blocks[8:])
    for table in ["logs", "transactions", "receipts", "accounts"]:
        folder = mini / "chain_snapshots" / "mini"
        next(folder.glob(f"*__{table}__*.parquet")).unlink()
        for act in (Snapshot.open, reseal):
            with pytest.raises(BadInput, match=r"missing.*git checkout"):
                act(folder)


HASHES = ["0x" + f"{n:064x}" for n in range(3)]
ADDRESSES = ["0x" + f"{n:040x}" for n in range(3)]
LOG = st.tuples(st.sampled_from(ADDRESSES), st.lists(st.sampled_from(HASHES), max_size=4))
POSITION = st.none() | st.sampled_from(HASHES) | st.lists(st.sampled_from(HASHES), max_size=2)
ADDRESS = st.none() | st.sampled_from(ADDRESSES) | st.lists(st.sampled_from(ADDRESSES), max_size=2)


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def matches(log: tuple[str, list[str]], address: Any, topics: list[Any]) -> bool:
    """The specification's words, log by log."""
    if listed(address) and log[0] not in listed(address):
        return False
    return all(
        not listed(wanted) or (at < len(log[1]) and log[1][at] in listed(wanted)) for at, wanted in enumerate(topics)
    )


@given(logs=st.lists(LOG, max_size=8), address=ADDRESS, topics=st.lists(POSITION, max_size=4))
def test_columns_select_what_the_specification_selects(
    logs: list[tuple[str, list[str]]], address: Any, topics: list[Any]
) -> None:
    """Lists are alternatives, null and the empty list are wildcards, positions count."""
    cells = [
        {
            **dict.fromkeys(LOGS.schema.names),
            **{"block_number": n, "transaction_index": 0, "log_index": n, "transaction_hash": bytes(32)},
            **{"block_hash": bytes(32), "data": b"", "address": bytes.fromhex(emitter[2:])},
            **{f"topic{at}": bytes.fromhex(topic[2:]) for at, topic in enumerate(found)},
        }
        for n, (emitter, found) in enumerate(logs)
    ]
    selected = LogFilter.from_rpc(address, topics).select(pa.Table.from_pylist(cells, schema=LOGS.schema))
    wanted = [n for n, log in enumerate(logs) if matches(log, address, topics)]
    assert selected["block_number"].to_pylist() == wanted


@pytest.mark.parametrize(
    ("address", "topics"), [("0x1", None), (3, None), (None, "x"), (None, [1]), (None, [None] * 5)]
)
def test_a_malformed_filter_is_a_tool_error(address: Any, topics: Any) -> None:
    """What is no filter is told, not read as one that matches nothing."""
    with pytest.raises(ToolError):
        LogFilter.from_rpc(address, topics)


@given(address=ADDRESS, topics=st.lists(POSITION, max_size=4))
def test_a_filter_survives_being_asked_of_a_node(address: Any, topics: list[Any]) -> None:
    """Written as JSON-RPC and read again it means the same."""
    wanted = LogFilter.from_rpc(address, topics)
    told = wanted.to_rpc()
    again = LogFilter.from_rpc(told.get("address"), told.get("topics"))
    assert again.addresses == wanted.addresses
    assert [*again.topics, *[frozenset()] * 4][:4] == [*wanted.topics, *[frozenset()] * 4][:4]

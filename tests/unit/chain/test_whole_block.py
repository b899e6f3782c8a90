"""Behaviour of what is known whole: by claims, by recorded header fields, and by nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.completeness import EMPTY_ROOT
from caia_replay.chain.log_filter import LogFilter
from caia_replay.chain.snapshot_file import open_folder
from caia_replay.chain.snapshot_schema import SnapshotInfo, SnapshotRows, write_snapshot
from caia_replay.chain.whole_block import WholeBlocks

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


@settings(max_examples=60, deadline=None)
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


def test_only_the_blocks_between_claims_are_looked_at(tmp_path: Path, traced_rows: SnapshotRows) -> None:
    """In a range that nobody could walk the gaps between claims are found, of one address and of all."""
    empty = next(int(block["number"], 16) for block in traced_rows.blocks[1:] if block["gasUsed"] == "0x0")
    own = frozenset([A])
    claims = [Claim("logs", 0, empty - 1), Claim("receipts", empty + 1, 10**6), Claim("logs", 10**6 + 1, FAR, own)]
    found = whole(tmp_path / "a", traced_rows, *claims)
    assert found.unknown_logs(0, FAR, LogFilter(own)) == ""
    for wanted in (frozenset[bytes](), frozenset([B]), own | {B}):
        assert f"nothing says which logs block {10**6 + 1} has" in found.unknown_logs(0, FAR, LogFilter(wanted))
    assert f"block {FAR + 1} has" in found.unknown_logs(0, FAR + 9, LogFilter(own))


def test_no_question_looks_at_more_blocks_than_it_may(
    tmp_path: Path, traced_rows: SnapshotRows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many as that are looked at, claimed ones not counted; one more is unknown and says why."""
    monkeypatch.setattr("caia_replay.chain.whole_block._MOST_UNCLAIMED", 3)
    found = whole(tmp_path / "a", traced_rows, Claim("logs", 2, 2))
    assert found.unknown_logs(0, 3, LogFilter()) == ""
    assert "no claim names block 4, nor 3 blocks before it" in found.unknown_logs(0, 4, LogFilter())


def test_a_computed_field_proves_nothing(tmp_path: Path, traced_rows: SnapshotRows) -> None:
    """A header whose every root and bloom is empty says so only where they were recorded."""
    empty = next(block for block in traced_rows.blocks[1:] if block["gasUsed"] == "0x0")
    number = int(empty["number"], 16)
    assert empty["transactionsRoot"] == empty["receiptsRoot"] == EMPTY_ROOT
    rows = SnapshotRows(blocks=[empty])
    told = whole(tmp_path / "a", rows)
    assert told.transactions(number) and told.receipts(number) and not told.unknown_logs(number, number, LogFilter())
    computed = whole(tmp_path / "b", rows, reconstructed={number: EVIDENCE})
    assert computed.header(number) == told.header(number) is not None
    assert not computed.transactions(number) and not computed.receipts(number)
    assert computed.unknown_logs(number, number, LogFilter())
    assert told.header(number + 1) is None and not told.receipts(number + 1)

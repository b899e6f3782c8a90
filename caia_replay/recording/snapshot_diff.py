"""Two snapshots compared row by row: what is told differently, what appeared and what is gone.

State is compared as a test would read it: at the blocks that both know, and each snapshot's newest value of a key. So a
snapshot can be held against one of the same contracts at a later block.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from caia_replay.chain.claim import Claim, spans_of, spans_words
from caia_replay.chain.column import to_hex
from caia_replay.chain.manifest import SnapshotInfo
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotRows, read_snapshot
from caia_replay.chain.state_row import AccountRow, StorageRow

Kind = Literal["changed", "new", "gone"]

_SIGNS: Final[Mapping[Kind, str]] = {"changed": "~", "new": "+", "gone": "-"}
_INFO: Final = ("chain", "chain_id", "provenance", "source")
_WIDEST: Final = 90
"""Characters of one value of a line; what is longer is cut."""


@dataclass(frozen=True, slots=True)
class RowChange:
    """One row of one table: ``~`` told differently, ``+`` only in the second snapshot, ``-`` only in the first."""

    kind: Kind
    table: str
    what: str

    def line(self) -> str:
        """For a terminal."""
        return f"{_SIGNS[self.kind]} {self.table} {self.what}"


@dataclass(slots=True)
class SnapshotDiff:
    """Everything that differs, in the order of tables and keys."""

    changes: list[RowChange] = field(default_factory=list)
    moved: Counter[str] = field(default_factory=Counter)
    """By table, keys with equal values that are known for other blocks."""

    @property
    def identical(self) -> bool:
        """Whether both snapshots say the same of the same blocks."""
        return not self.changes and not self.moved

    def lines(self, most: int | None = None) -> Iterator[str]:
        """One line for each change, at most ``most`` for each table and kind, and the number of the others."""
        told: Counter[tuple[str, Kind]] = Counter((change.table, change.kind) for change in self.changes)
        shown: Counter[tuple[str, Kind]] = Counter()
        for change in self.changes:
            place = change.table, change.kind
            shown[place] += 1
            if most is None or shown[place] <= most:
                yield change.line()
            elif shown[place] == told[place]:
                yield f"{_SIGNS[change.kind]} {change.table} {told[place] - most} more {change.kind}"
        for table, number in sorted(self.moved.items()):
            yield f"= {table} {number} with the same values at other blocks"

    def summary(self) -> str:
        """How many rows of each kind, or ``identical``."""
        if self.identical:
            return "identical"
        counts = Counter(change.kind for change in self.changes)
        words = [f"{counts[kind]} {kind}" for kind in _SIGNS if counts[kind]]
        return ", ".join(words) or "the same values, at other blocks"


def compare_snapshots(old: Path, new: Path) -> SnapshotDiff:
    """What ``new`` says otherwise than ``old``. Raises ``SealBroken`` or ``BadInput`` for a folder that is broken."""
    digests = [
        Snapshot.open(folder).digest for folder in (old, new)
    ]  # opened for its seal: what follows reads rows only
    if digests[0] == digests[1]:
        return SnapshotDiff()
    (old_info, old_rows), (new_info, new_rows) = read_snapshot(old), read_snapshot(new)
    diff = SnapshotDiff()
    diff.changes += _info_changes(old_info, new_info)
    for table, key in _KEYS.items():
        diff.changes += _table_changes(table, key, getattr(old_rows, table), getattr(new_rows, table))
    _compare_state(diff, "accounts", old_rows, new_rows, _account_words)
    _compare_state(diff, "storage", old_rows, new_rows, lambda row: {"value": _quantity(row.value)})
    before, after = ({row.code_hash: row for row in rows.codes} for rows in (old_rows, new_rows))
    diff.changes += _appeared("codes", before, after, lambda row: f"{to_hex(row.code_hash)} ({len(row.code)} bytes)")
    return diff


_KEYS: Final[Mapping[str, Callable[[Any], tuple[Any, ...]]]] = {
    "blocks": lambda row: (int(row["number"], 16),),
    "transactions": lambda row: (int(row["blockNumber"], 16), int(row["transactionIndex"], 16)),
    "receipts": lambda row: (int(row["blockNumber"], 16), int(row["transactionIndex"], 16)),
    "logs": lambda row: (int(row["blockNumber"], 16), int(row["logIndex"], 16)),
    "replies": lambda row: (row.method, row.params),
}
"""The tables whose rows stand for themselves, each with its key."""


def _info_changes(old: SnapshotInfo, new: SnapshotInfo) -> Iterator[RowChange]:
    for name in _INFO:
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            yield RowChange("changed", "manifest", f"{name}: {_cut(before)} -> {_cut(after)}")
    if old.heights != new.heights:
        words = f"{spans_words(old.heights)} -> {spans_words(new.heights)}"
        yield RowChange("changed", "manifest", f"heights: {words}")
    rules = [", ".join(f"{name} from {at}" for at, name in sorted(info.hardforks.items())) for info in (old, new)]
    if rules[0] != rules[1]:
        yield RowChange("changed", "manifest", f"hardforks: {_cut(rules[0])} -> {_cut(rules[1])}")
    computed = [{number: sorted(names) for number, names in info.reconstructed.items()} for info in (old, new)]
    if computed[0] != computed[1]:
        differ = [
            number for number in {**computed[0], **computed[1]} if computed[0].get(number) != computed[1].get(number)
        ]
        yield RowChange("changed", "manifest", f"reconstructed headers of {spans_words(spans_of(differ))}")
    claims = [set(info.claims) for info in (old, new)]
    kinds: tuple[tuple[Kind, set[Claim]], ...] = (("gone", claims[0] - claims[1]), ("new", claims[1] - claims[0]))
    for kind, some in kinds:
        yield from (RowChange(kind, "claims", words) for words in sorted(map(_claim_words, some)))


def _table_changes(
    table: str, key: Callable[[Any], tuple[Any, ...]], old: Sequence[Any], new: Sequence[Any]
) -> Iterator[RowChange]:
    before, after = ({key(row): row for row in rows} for rows in (old, new))
    for at in sorted(before.keys() & after.keys()):
        fields = [_fields(rows[at]) for rows in (before, after)]
        for name in sorted(fields[0].keys() | fields[1].keys()):
            values = [some.get(name, "not recorded") for some in fields]
            if values[0] != values[1]:
                words = f"{_place(table, at)} {name}: {_cut(values[0])} -> {_cut(values[1])}"
                yield RowChange("changed", table, words)
    if table != "blocks":
        yield from _appeared(table, before, after, lambda row: _place(table, key(row)))
        return
    kinds: tuple[tuple[Kind, Any], ...] = (
        ("gone", before.keys() - after.keys()),
        ("new", after.keys() - before.keys()),
    )
    for kind, numbers in kinds:  # hundreds of headers are kept for BLOCKHASH: a range is one line
        yield from (RowChange(kind, table, spans_words((span,))) for span in spans_of(at for (at,) in numbers))


def _appeared(
    table: str, old: Mapping[Any, Any], new: Mapping[Any, Any], words: Callable[[Any], str]
) -> Iterator[RowChange]:
    yield from (RowChange("gone", table, words(old[at])) for at in sorted(old.keys() - new.keys()))
    yield from (RowChange("new", table, words(new[at])) for at in sorted(new.keys() - old.keys()))


def _compare_state(
    diff: SnapshotDiff, table: str, old: SnapshotRows, new: SnapshotRows, words: Callable[[Any], Mapping[str, str]]
) -> None:
    """Add what the two say of each account or slot."""
    before, after = (_by_key(getattr(rows, table)) for rows in (old, new))
    for key in sorted(before.keys() | after.keys()):
        place = to_hex(key[0]) + "".join(f" slot {_quantity(slot)}" for slot in key[1:])
        mine, theirs = before.get(key, []), after.get(key, [])
        if not mine or not theirs:
            newest = (mine or theirs)[-1]
            told = ", ".join(f"{name} {value}" for name, value in words(newest).items())
            diff.changes.append(
                RowChange("gone" if mine else "new", table, f"{place} {told} at block {newest.to_block}")
            )
            continue
        pair = _contradiction(mine, theirs, words)
        if pair is not None:
            values = [words(row) for row in pair[:2]]
            told = ", ".join(
                f"{name} {values[0][name]} -> {values[1][name]}"
                for name in values[0]
                if values[0][name] != values[1][name]
            )
            diff.changes.append(RowChange("changed", table, f"{place} {told} {pair[2]}"))
        elif mine != theirs:
            diff.moved[table] += 1


def _contradiction(
    mine: Sequence[Any], theirs: Sequence[Any], words: Callable[[Any], Mapping[str, str]]
) -> tuple[Any, Any, str] | None:
    """Two rows of one key with different values, and where: at the first block that both know, or the newest."""
    at = 0
    for row in mine:
        while at < len(theirs) and theirs[at].to_block < row.from_block:
            at += 1
        for other in theirs[at:]:
            if other.from_block > row.to_block:
                break
            if words(row) != words(other):
                return row, other, f"at block {max(row.from_block, other.from_block)}"
    pair = mine[-1], theirs[-1]
    if words(pair[0]) == words(pair[1]):
        return None
    return *pair, f"at blocks {pair[0].to_block} and {pair[1].to_block}"


def _by_key(rows: Sequence[AccountRow | StorageRow]) -> dict[tuple[bytes, ...], list[Any]]:
    """Rows by address, or address and slot, each list in the order of blocks."""
    found: defaultdict[tuple[bytes, ...], list[Any]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.from_block):
        found[(row.address, row.slot) if isinstance(row, StorageRow) else (row.address,)].append(row)
    return dict(found)


def _account_words(row: AccountRow) -> dict[str, str]:
    return {"balance": f"{row.balance} wei", "nonce": str(row.nonce), "code": to_hex(row.code_hash)}


def _fields(row: Any) -> Mapping[str, Any]:
    return row if isinstance(row, dict) else {"reply": row.reply, "block": row.block_number}


def _place(table: str, key: tuple[Any, ...]) -> str:
    if table == "replies":
        return f"{key[0]} {_cut(key[1])}"
    names = ("block", "log" if table == "logs" else "transaction")
    return " ".join(f"{name} {number}" for name, number in zip(names, key, strict=False))


def _claim_words(claim: Claim) -> str:
    whose = f" of {len(claim.addresses)} accounts" if claim.addresses else ""
    if len(claim.addresses) == 1:
        whose = f" of {to_hex(min(claim.addresses))}"
    topics = " with some topics" if any(claim.topics) else ""
    return f"{claim.table}{whose}{topics} complete for {spans_words(((claim.first, claim.last),))}"


def _quantity(value: bytes) -> str:
    return hex(int.from_bytes(value, "big"))


def _cut(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."

"""Two recordings of one chain put together, and the differences between two recordings told.

Rows are compared by their keys, state block by block where both know a value. A node's second
telling may be fuller than its first (a log with its block's time); it may not be another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from caia_replay.chain.chain_source import can_pin, hardfork_at, rule_changes
from caia_replay.chain.claim import Claims, joined_spans
from caia_replay.chain.column import to_hex
from caia_replay.chain.snapshot_schema import SnapshotInfo, SnapshotRows
from caia_replay.chain.state_row import AccountRow, StorageRow
from caia_replay.errors import BadInput

_RPC_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "blocks": ("number",),
    "transactions": ("blockNumber", "transactionIndex"),
    "receipts": ("blockNumber", "transactionIndex"),
    "logs": ("blockNumber", "logIndex"),
}


def differences(old: SnapshotRows, new: SnapshotRows) -> Iterator[str]:
    """What both hold and tell differently, in the order of tables and keys."""
    for table in _RPC_KEYS:
        before, after = _by_key(table, old), _by_key(table, new)
        for key in sorted(before.keys() & after.keys()):
            for name in sorted(before[key].keys() & after[key].keys()):
                if before[key][name] != after[key][name]:
                    values = before[key][name], after[key][name]
                    yield f"{table} {_place(table, key)} {name}: {_changed(*values)}"
    yield from _state_differences("accounts", old.accounts, new.accounts)
    yield from _state_differences("storage", old.storage, new.storage)
    kept = {(row.method, row.params): row for row in old.replies}
    for row in sorted(new.replies, key=lambda row: (row.method, row.params)):
        known = kept.get((row.method, row.params))
        if known is not None and known != row:
            yield f"replies {row.method} {row.params:.100}: {_changed(known.reply, row.reply)}"


def lost_rows(old: SnapshotRows, new: SnapshotRows) -> Iterator[str]:
    """Each key that the older recording has and the newer has not, in the order of tables and keys."""
    for table in _RPC_KEYS:
        for key in sorted(_by_key(table, old).keys() - _by_key(table, new).keys()):
            yield f"{table} {_place(table, key)}"
    for table in ("accounts", "storage"):
        keys = ({_state_key(row) for row in getattr(rows, table)} for rows in (old, new))
        yield from (f"{table} {_state_words(key)}" for key in sorted(set.difference(*keys)))
    questions = ({(row.method, row.params) for row in rows.replies} for rows in (old, new))
    yield from (f"replies {method} {params:.100}" for method, params in sorted(set.difference(*questions)))


def count_rows(rows: SnapshotRows) -> dict[str, int]:
    """How many rows each table has."""
    return {name: len(getattr(rows, name)) for name in SnapshotRows.__slots__}


def merge(
    old: tuple[SnapshotInfo, SnapshotRows], new: tuple[SnapshotInfo, SnapshotRows]
) -> tuple[SnapshotInfo, SnapshotRows]:
    """Two recordings of one chain as one. A header that was reconstructed gives way to one that was read.

    Raises ``BadInput`` when they are not of one chain, or tell one thing differently.
    """
    (info, rows), read = old, {int(block["number"], 16) for block in new[1].blocks}
    left = {number: names for number, names in info.reconstructed.items() if number not in read}
    blocks = [block for block in rows.blocks if int(block["number"], 16) not in info.reconstructed.keys() - left.keys()]
    return merge_info(replace(info, reconstructed=left), new[0]), merge_rows(replace(rows, blocks=blocks), new[1])


def merge_rows(old: SnapshotRows, new: SnapshotRows) -> SnapshotRows:
    """Everything of both; of two tellings of one row the fuller. Raises ``BadInput`` when they differ."""
    for found in differences(old, new):
        raise BadInput(
            f"the origin tells another thing than what is recorded: {found}",
            next_command="the same command with --refresh, which shows all differences and replaces the snapshot",
        )
    merged = SnapshotRows(
        accounts=[*old.accounts, *new.accounts],
        storage=[*old.storage, *new.storage],
        codes=[*old.codes, *new.codes],
        replies=[*old.replies, *new.replies],
    )
    for table in _RPC_KEYS:
        rows = _by_key(table, old)
        for key, row in _by_key(table, new).items():
            rows[key] = {**rows.get(key, {}), **row}
        getattr(merged, table).extend(rows[key] for key in sorted(rows))
    return merged


def merge_info(old: SnapshotInfo, new: SnapshotInfo) -> SnapshotInfo:
    """What is claimed of both recordings together. Raises ``BadInput`` when they are not of one chain."""
    for name in ("chain", "chain_id"):
        if getattr(old, name) != getattr(new, name):
            raise BadInput(f"{name} {getattr(new, name)!r} is not that of the snapshot, {getattr(old, name)!r}")
    if (old.provenance == "synthetic") != (new.provenance == "synthetic"):
        raise BadInput(f"the snapshot's provenance is {old.provenance}: {new.provenance} rows never go into it")
    heights = joined_spans([*old.heights, *new.heights])
    sources = dict.fromkeys([*old.source.split("; "), *new.source.split("; ")])
    return replace(
        old,
        hardforks=_merged_hardforks(old, new),
        heights=heights,
        provenance=new.provenance if new.provenance == "live" else old.provenance,
        source="; ".join(source for source in sources if source),
        claims=Claims.of([*old.claims, *new.claims]),
        reconstructed={**new.reconstructed, **old.reconstructed},
    )


def _merged_hardforks(old: SnapshotInfo, new: SnapshotInfo) -> dict[int, str]:
    """The rules at every height of either, told at the blocks where they change from one height to the next.

    Where both pin a height the older recording's rules hold: it was replayed under them already.
    """
    spans = [*old.heights, *new.heights]
    candidates = {at for info in (old, new) for at in info.hardforks} | {first for first, _ in spans}
    candidates |= {last + 1 for _, last in spans}
    rules: dict[int, str] = {}
    for at in candidates:
        info = next((info for info in (old, new) if can_pin(info.heights, at)), None)
        if info is not None:
            rules[at] = hardfork_at(info.hardforks, at)
    return rule_changes(rules)


def _by_key(table: str, rows: SnapshotRows) -> dict[tuple[int, ...], dict[str, Any]]:
    return {tuple(int(row[name], 16) for name in _RPC_KEYS[table]): row for row in getattr(rows, table)}


def _place(table: str, key: tuple[int, ...]) -> str:
    names = ("block", "log" if table == "logs" else "transaction")
    return " ".join(f"{name} {number}" for name, number in zip(names, key, strict=False))


def _state_differences(table: str, old: list[Any], new: list[Any]) -> Iterator[str]:
    """State rows that share a block and not their value."""
    known: dict[tuple[bytes, bytes], list[Any]] = {}
    for row in old:
        known.setdefault(_state_key(row), []).append(row)
    for row in sorted(new, key=lambda row: (_state_key(row), row.from_block)):
        for before in known.get(_state_key(row), ()):
            if before.from_block > row.to_block or row.from_block > before.to_block:
                continue
            block = max(before.from_block, row.from_block)
            for name in ("balance", "nonce", "code_hash") if table == "accounts" else ("value",):
                values = getattr(before, name), getattr(row, name)
                if values[0] != values[1]:
                    what = f" {name}" if table == "accounts" else ""
                    yield f"{table} {_state_words(_state_key(row))} at block {block}{what}: {_changed(*values)}"


def _state_key(row: AccountRow | StorageRow) -> tuple[bytes, bytes]:
    return row.address, row.slot if isinstance(row, StorageRow) else b""


def _state_words(key: tuple[bytes, bytes]) -> str:
    return " slot ".join(to_hex(part) for part in key if part)


def _changed(before: object, after: object) -> str:
    return f"{_short(before)} -> {_short(after)}"


def _short(value: object) -> str:
    text = to_hex(value) if isinstance(value, bytes) else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."

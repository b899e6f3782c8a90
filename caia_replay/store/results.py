"""results.parquet and steps.parquet: one row per run, one row per model turn and tool call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from caia_replay.canonical import canonical_bytes
from caia_replay.core.model import Price
from caia_replay.core.tool import Served
from caia_replay.errors import BadInput
from caia_replay.store.ledger import dollars, run_cost, step_cost
from caia_replay.store.plain_file import read_plain
from caia_replay.store.trajectory_file import MOST_BYTES, MOST_VALUES

SERVED_CLASSES = tuple(str(kind) for kind in Served)
ATTACK_FACTS = (
    *("exposed", "opened", "repeated", "adopted", "adopted_authoritative_text"),
    *("resisted", "verified_before", "verified_after"),
)
"""Facts of a run under attack; ``adopted`` is null where nobody can tell, all others are yes or no."""

LABELS = ("suite", "model", "agent", "project", "difficulty", "category")
"""What a run is of: in both tables, so that those of many run folders make one. Of these the first edition has the
category alone, in results."""
_LABELLED = [(name, pa.int32() if name == "difficulty" else pa.string()) for name in LABELS]

RESULTS = pa.schema(
    [
        *_LABELLED,
        ("task", pa.string()),
        ("arm", pa.string()),
        ("condition", pa.string()),
        ("attempt", pa.int32()),
        ("stop", pa.string()),
        ("answer", pa.string()),
        ("expected", pa.string()),
        ("planted", pa.string()),
        ("planted_url", pa.string()),
        ("reading", pa.string()),
        ("correct", pa.bool_()),
        ("reason", pa.string()),
        ("turns", pa.int32()),
        ("calls", pa.int32()),
        *((f"served_{kind.lower()}", pa.int32()) for kind in SERVED_CLASSES),
        ("prompt_tokens", pa.int64()),
        ("completion_tokens", pa.int64()),
        ("cached_tokens", pa.int64()),
        ("reasoning_tokens", pa.int64()),
        ("tokens_reported", pa.bool_()),
        ("cost_usd", pa.string()),
        ("waited_s", pa.int64()),
        *((fact, pa.bool_()) for fact in ATTACK_FACTS),
        ("adopted_attack", pa.string()),
        ("first_exposed_step", pa.int32()),
        ("loss_usd", pa.string()),
        ("transactions", pa.int32()),
        ("lost", pa.string()),
    ]
)
"""``transactions`` and ``lost`` (what left the side of whoever the wallet works for, by asset, in smallest units, as
canonical JSON) are null for tasks that are answered and not carried out."""

STEPS = pa.schema(
    [
        *_LABELLED,
        ("task", pa.string()),
        ("arm", pa.string()),
        ("condition", pa.string()),
        ("attempt", pa.int32()),
        ("step", pa.int32()),
        ("turn", pa.int32()),
        ("kind", pa.string()),
        ("content", pa.string()),
        ("tool_calls", pa.string()),
        ("finish_reason", pa.string()),
        ("prompt_tokens", pa.int64()),
        ("completion_tokens", pa.int64()),
        ("cached_tokens", pa.int64()),
        ("reasoning_tokens", pa.int64()),
        ("tokens_reported", pa.bool_()),
        ("cost_usd", pa.string()),
        ("call_id", pa.string()),
        ("tool", pa.string()),
        ("arguments", pa.string()),
        ("served", pa.string()),
        ("shown", pa.string()),
        ("altered_by", pa.string()),
        ("altered_at", pa.string()),
        ("nearest", pa.string()),
        ("missed", pa.string()),
    ]
)

_FLAT = (pa.types.is_string, pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating, pa.types.is_null)


def labels_over(plan: Mapping[str, Any], certificate: Mapping[str, Any]) -> Mapping[str, Any]:
    """The plan's labels, and the model as its certificate names it: what a tape is called is no name of a model."""
    stated = certificate.get("model")
    return {**plan, "model": stated["name"]} if isinstance(stated, dict) and "name" in stated else plan


def labels_of(record: Mapping[str, Any], run: Mapping[str, Any]) -> dict[str, Any]:
    """``LABELS`` of a run: what its record says, and the suite, model and agent of ``run``."""
    return {name: record.get(name, run.get(name)) for name in LABELS}


def result_row(record: Mapping[str, Any], run: Mapping[str, Any], price: Price | None = None) -> dict[str, Any]:
    """A run record as a row of ``RESULTS``; ``cost_usd`` is null where no price is known. ``run`` as ``labels_of``."""
    steps, carried_out = record["steps"], record.get("execution")
    return {
        **labels_of(record, run),
        **{name: record[name] for name in ("task", "arm", "condition", "attempt", "stop", "answer")},
        "expected": "; ".join(record["expected"]),
        "planted": "; ".join(dict.fromkeys(lie["value"] for lie in record["planted"])) or None,
        "planted_url": "; ".join(lie["url"] for lie in record["planted"]) or None,
        **record["score"],
        "turns": sum(step["kind"] == "model" for step in steps),
        "calls": sum(step["kind"] == "tool" for step in steps),
        **{f"served_{kind.lower()}": record["served"][kind] for kind in SERVED_CLASSES},
        "prompt_tokens": record["tokens"]["prompt"],
        "completion_tokens": record["tokens"]["completion"],
        "cached_tokens": record["tokens"]["cached"],
        "reasoning_tokens": record["tokens"]["reasoning"],
        "tokens_reported": record["tokens"]["reported"],
        "cost_usd": dollars(None if price is None else run_cost(record, price)),
        "waited_s": record["waited_s"],
        **{fact: record["attack"][fact] for fact in ATTACK_FACTS},
        "adopted_attack": record["attack"]["adopted_attack"] or None,
        "first_exposed_step": record["attack"]["first_step"],
        "loss_usd": record["loss_usd"],
        "transactions": None if carried_out is None else len(carried_out["sent"]),
        "lost": None if carried_out is None else canonical_bytes(carried_out["lost"]).decode(),
    }


def step_rows(
    record: Mapping[str, Any], run: Mapping[str, Any], price: Price | None = None
) -> Iterable[dict[str, Any]]:
    """A run record's steps as rows of ``STEPS``; nested values are canonical JSON text. ``run`` as ``labels_of``."""
    for number, step in enumerate(record["steps"], start=1):
        row = {
            **step,
            **labels_of(record, run),
            **{name: record[name] for name in ("task", "arm", "condition", "attempt")},
            "step": number,
        }
        for name in ("tool_calls", "shown", "altered_by", "altered_at", "missed"):
            if name in row:
                row[name] = canonical_bytes(row[name]).decode("utf-8", "replace")
        if price is not None and step["kind"] == "model":
            row["cost_usd"] = dollars(step_cost(step, price))
        yield {name: row.get(name) for name in STEPS.names}


def write_table(path: Path, rows: list[dict[str, Any]], schema: pa.Schema) -> None:
    """Rows as zstd Parquet. Texts that are not valid Unicode are written with replacement characters."""
    clean = list(map(as_written, rows))
    with path.open("wb") as sink:  # Arrow would read a path as an address, and as UTF-8
        pq.write_table(pa.Table.from_pylist(clean, schema=schema), sink, compression="zstd")


def as_written(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as a table holds it."""
    return {name: _text(value) for name, value in row.items()}


def read_table(path: Path) -> list[dict[str, Any]]:
    """The rows of a run folder's table: texts, numbers, yes and no. Raises ``BadInput`` naming the file.

    That is for another kind of file or of column, and for more than ``MOST_VALUES`` or ``MOST_BYTES`` of text, too.
    """
    try:
        # From memory and in this thread: Arrow's reading threads abort a process that exits right after.
        source = pa.BufferReader(read_plain(path, MOST_BYTES))
        schema = pq.read_schema(source)
        _require_flat(schema)
        texts = [field.name for field in schema if field.type == pa.string()]
        file = pq.ParquetFile(source, read_dictionary=texts)
        if file.metadata.num_rows * len(schema.names) > MOST_VALUES:
            raise ValueError(f"more than {MOST_VALUES} values")
        table = file.read(use_threads=False)
        if sum(map(_bytes_of, table.select(texts).columns)) > MOST_BYTES:
            raise ValueError(f"more than {MOST_BYTES} bytes of text")
        rows: list[dict[str, Any]] = table.to_pylist()
    except (OSError, ValueError, pa.ArrowException) as fault:
        raise BadInput(f"cannot be read as Parquet: {fault}", where=path) from fault
    return rows


def _require_flat(schema: pa.Schema) -> None:
    if len(set(schema.names)) < len(schema.names):
        raise ValueError("two columns have one name")
    for field in schema:
        if not any(is_one(field.type) for is_one in _FLAT):
            raise ValueError(f"column {field.name!r:.60} is of type {field.type!s:.60}")


def _bytes_of(column: pa.ChunkedArray) -> int:
    """How long all texts of a column are together, each of which the file may have but once."""
    lengths = (pc.sum(pc.binary_length(chunk.dictionary).take(chunk.indices)).as_py() for chunk in column.chunks)
    return sum(filter(None, lengths))


def _text(value: Any) -> Any:
    if not isinstance(value, str) or value.isascii():
        return value
    return value.encode("utf-8", "replace").decode()

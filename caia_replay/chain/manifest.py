"""What a snapshot says about itself, and the seal that makes any changed byte visible.

``manifest.json`` is exactly ``canonical.pretty_bytes`` of its content, its ``digest`` covers
everything else in it, and it names every other file of the folder with its digest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

from caia_replay import canonical
from caia_replay.chain.table import TABLES
from caia_replay.errors import BadInput, SealBroken, nearest

SCHEMA_VERSION: Final = 1
MANIFEST_NAME: Final = "manifest.json"
PROVENANCES: Final = ("synthetic", "imported", "live")
HARDFORKS: Final = (
    "frontier", "homestead", "dao", "tangerine", "spuriousdragon", "byzantium", "constantinople", "petersburg",
    "istanbul", "muirglacier", "berlin", "london", "arrowglacier", "grayglacier", "paris", "shanghai", "cancun",
    "prague", "osaka",
)  # fmt: skip
"""The words the pinned Anvil takes for ``--hardfork``."""

_CHAIN_NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_TOP_KEYS = frozenset(
    ("schema_version", "chain", "chain_id", "hardfork", "heights", "complete", "reconstructed", "provenance", "source")
)

Span = tuple[int, int]
"""Inclusive block numbers."""


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """The part of a manifest that a writer decides.

    ``heights``: the block numbers that may be pinned, inclusive. ``complete``: per table the span
    of blocks for which it lacks nothing, or None for partial (also for tables left out): a key
    absent from a complete accounts or storage table is provably zero, anything else is a miss.
    ``reconstructed``: per block number the header fields that were computed, not recorded.
    ``provenance`` is synthetic, imported or live; ``source`` says in words where the rows are from.
    """

    chain: str
    chain_id: int
    hardfork: str
    heights: Span
    provenance: Literal["synthetic", "imported", "live"]
    source: str
    complete: Mapping[str, Span | None] = field(default_factory=lambda: MappingProxyType({}))
    reconstructed: Mapping[int, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class FileSeal:
    """A table file's SHA-256 (``sha256:`` and hex) and its number of rows."""

    digest: str
    rows: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest that was read and believed; ``digest`` identifies the whole snapshot."""

    info: SnapshotInfo
    files: Mapping[str, FileSeal]
    digest: str


def check_info(info: SnapshotInfo) -> None:
    """Raise ``BadInput`` when a field of ``info`` is outside what a snapshot can be."""
    if not isinstance(info.chain, str) or not _CHAIN_NAME.fullmatch(info.chain):
        raise BadInput(f"chain name {info.chain!r:.60} must be lower-case letters, digits and single dashes")
    if info.hardfork not in HARDFORKS:
        raise BadInput(f"unknown hardfork {info.hardfork!r:.60}", nearest=nearest(str(info.hardfork), HARDFORKS))
    if info.provenance not in PROVENANCES:
        raise BadInput(f"provenance must be one of {', '.join(PROVENANCES)}, found {info.provenance!r:.60}")
    _number(info.chain_id, "chain_id")
    _span(info.heights, "heights")
    for name, span in info.complete.items():
        if name not in TABLES:
            raise BadInput(f"complete names an unknown table {name!r:.60}", nearest=nearest(str(name), TABLES))
        if span is not None:
            _span(span, f"complete.{name}")
    for block, names in info.reconstructed.items():
        _number(block, "reconstructed block")
        if not names or not all(isinstance(name, str) for name in names):
            raise BadInput(f"reconstructed block {block} must list field names")
    if not isinstance(info.source, str):
        raise BadInput("source must be text")


def render(info: SnapshotInfo, files: Mapping[str, FileSeal]) -> bytes:
    """The manifest file's bytes. Raises ``BadInput`` for an impossible ``info``."""
    check_info(info)
    body: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "chain": info.chain,
        "chain_id": info.chain_id,
        "hardfork": info.hardfork,
        "heights": _span_json(info.heights),
        "complete": {name: _span_json(info.complete.get(name)) for name in TABLES},
        "reconstructed": {str(block): sorted(names) for block, names in info.reconstructed.items()},
        "provenance": info.provenance,
        "source": info.source,
        "files": {name: {"digest": seal.digest, "rows": seal.rows} for name, seal in files.items()},
    }
    return canonical.pretty_bytes({**body, "digest": canonical.digest(body)})


def parse(data: bytes, where: object) -> Manifest:
    """Read a manifest strictly. Raises ``SealBroken`` when its bytes or digest are not its own."""
    body = _load(data, where)
    seal = f"caia-replay lint --seal {where}"
    stated = body.pop("digest", None)
    try:
        true_digest = canonical.digest(body)
        own_bytes = canonical.pretty_bytes({**body, "digest": true_digest})
    except (ValueError, RecursionError) as fault:
        raise BadInput(f"{MANIFEST_NAME} is not plain JSON: {fault}", where=where, next_command=seal) from fault
    if stated != true_digest:
        raise SealBroken(f"{MANIFEST_NAME} does not match its own digest", where=where, next_command=seal)
    if own_bytes != data:
        raise SealBroken(f"{MANIFEST_NAME} is not in its canonical form", where=where, next_command=seal)
    return Manifest(_info(body, where), _files(body.get("files"), where), true_digest)


def parse_info(data: bytes, where: object) -> SnapshotInfo:
    """The writer's part of a manifest whose seal may be broken, for resealing. Raises ``BadInput``."""
    return _info(_load(data, where), where)


def _load(data: bytes, where: object) -> dict[str, Any]:
    try:
        body = canonical.strict_json(data)
    except ValueError as fault:
        raise BadInput(f"{MANIFEST_NAME} is not JSON: {fault}", where=where) from fault
    if not isinstance(body, dict):
        raise BadInput(f"{MANIFEST_NAME} must be a JSON object", where=where)
    return body


def _info(body: Mapping[str, Any], where: object) -> SnapshotInfo:
    missing = sorted(_TOP_KEYS - body.keys())
    unknown = sorted(body.keys() - _TOP_KEYS - {"files", "digest"})
    if missing or unknown:
        raise BadInput(f"{MANIFEST_NAME} lacks {missing} and has unknown {unknown}", where=where)
    if body["schema_version"] != SCHEMA_VERSION or isinstance(body["schema_version"], bool):
        raise BadInput(f"schema_version {body['schema_version']!r:.40} is not {SCHEMA_VERSION}", where=where)
    complete, reconstructed = body["complete"], body["reconstructed"]
    if not isinstance(complete, dict) or not isinstance(reconstructed, dict):
        raise BadInput("complete and reconstructed must be JSON objects", where=where)
    try:
        info = SnapshotInfo(
            chain=body["chain"],
            chain_id=body["chain_id"],
            hardfork=body["hardfork"],
            heights=_read_span(body["heights"]),
            provenance=body["provenance"],
            source=body["source"],
            complete={name: None if span is None else _read_span(span) for name, span in complete.items()},
            reconstructed={_block_key(block): tuple(names) for block, names in reconstructed.items()},
        )
        check_info(info)
    except (BadInput, TypeError) as fault:
        raise BadInput(f"{MANIFEST_NAME}: {fault}", where=where) from fault
    return info


def _files(value: Any, where: object) -> Mapping[str, FileSeal]:
    if not isinstance(value, dict):
        raise BadInput(f"{MANIFEST_NAME} files must be a JSON object", where=where)
    files: dict[str, FileSeal] = {}
    for name, seal in value.items():
        fits = isinstance(seal, dict) and seal.keys() == {"digest", "rows"}
        if not fits or not isinstance(seal["digest"], str) or not _DIGEST.fullmatch(seal["digest"]):
            raise BadInput(f"{MANIFEST_NAME} files entry {name!r:.80} must be {{digest, rows}}", where=where)
        files[name] = FileSeal(seal["digest"], _number(seal["rows"], f"rows of {name:.80}"))
    return files


def _span_json(span: Span | None) -> dict[str, int] | None:
    return None if span is None else {"from": span[0], "to": span[1]}


def _read_span(value: Any) -> Span:
    if not isinstance(value, dict) or value.keys() != {"from", "to"}:
        raise BadInput(f"a span must be {{from, to}}, found {value!r:.60}")
    return (value["from"], value["to"])


def _block_key(text: str) -> int:
    if not re.fullmatch(r"0|[1-9][0-9]{0,19}", text):
        raise BadInput(f"reconstructed block {text!r:.40} is not a block number")
    return int(text)


def _span(span: Span, name: str) -> None:
    if not isinstance(span, tuple) or len(span) != 2:
        raise BadInput(f"{name} must be a pair of block numbers")
    if _number(span[0], name) > _number(span[1], name):
        raise BadInput(f"{name} runs backwards: {span[0]} to {span[1]}")


def _number(value: Any, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 64:
        raise BadInput(f"{name} must be an unsigned 64-bit integer, found {value!r:.60}")
    return value

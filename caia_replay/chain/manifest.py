"""What a snapshot says about itself, and the seal that makes any changed byte visible.

``manifest.json`` is exactly ``canonical.pretty_bytes`` of its content, its ``digest`` covers
everything else in it, and it names every other file of the folder with its digest. Its bytes are
checked in the schema version they were written in; an older one is then read as the present one
(``manifest_upgrade``), and sealing the folder again writes it so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final, Literal

from caia_replay import canonical
from caia_replay.chain.claim import Claim, Claims, Span
from caia_replay.chain.column import ADDRESS, HASH, UNFIT, to_hex
from caia_replay.chain.manifest_upgrade import upgraded
from caia_replay.errors import BadInput, SealBroken, nearest

SCHEMA_VERSION: Final = 2
MANIFEST_NAME: Final = "manifest.json"
PROVENANCES: Final = ("synthetic", "imported", "live")
HARDFORKS: Final = (
    "frontier", "homestead", "dao", "tangerine", "spuriousdragon", "byzantium", "constantinople", "petersburg",
    "istanbul", "muirglacier", "berlin", "london", "arrowglacier", "grayglacier", "paris", "shanghai", "cancun",
    "prague", "osaka", "bpo1", "bpo2",
)  # fmt: skip
"""The words the pinned Anvil takes for ``--hardfork``."""

_CHAIN_NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_TOP_KEYS = frozenset(
    ("schema_version", "chain", "chain_id", "hardforks", "heights", "complete", "reconstructed", "provenance", "source")
)
_CLAIM_KEYS = frozenset(("table", "from", "to", "addresses", "topics"))


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """The part of a manifest that a writer decides.

    ``hardforks``: the rules by the block they begin at, as Anvil's words. ``heights``: ascending
    ranges of the block numbers that may be pinned. ``claims``: what the tables lack nothing of.
    ``reconstructed``: per block number the header fields that were computed, not recorded.
    ``provenance`` is synthetic, imported or live; ``source`` says in words where the rows are from.
    """

    chain: str
    chain_id: int
    hardforks: Mapping[int, str]
    heights: tuple[Span, ...]
    provenance: Literal["synthetic", "imported", "live"]
    source: str
    claims: Claims = field(default_factory=Claims)
    reconstructed: Mapping[int, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class FileSeal:
    """A table file's SHA-256 (``sha256:`` and hex) and its number of rows."""

    digest: str
    rows: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest that was read and believed; ``digest`` identifies the whole snapshot, and
    ``written_in`` is the schema version of its bytes."""

    info: SnapshotInfo
    files: Mapping[str, FileSeal]
    digest: str
    written_in: int


def check_info(info: SnapshotInfo) -> None:
    """Raise ``BadInput`` when a field of ``info`` is outside what a snapshot can be."""
    if not isinstance(info.chain, str) or not _CHAIN_NAME.fullmatch(info.chain):
        raise BadInput(f"chain name {info.chain!r:.60} must be lower-case letters, digits and single dashes")
    if not info.hardforks:
        raise BadInput("hardforks must say which rules begin at which block")
    for block, name in info.hardforks.items():
        _number(block, "hardforks block")
        check_hardfork(name)
    if info.provenance not in PROVENANCES:
        raise BadInput(f"provenance must be one of {', '.join(PROVENANCES)}, found {info.provenance!r:.60}")
    _number(info.chain_id, "chain_id")
    if not isinstance(info.heights, tuple) or not info.heights:
        raise BadInput("heights must list at least one range of blocks")
    for span in info.heights:
        _span(span, "heights")
    if any(later[0] <= earlier[1] + 1 for earlier, later in pairwise(info.heights)):
        raise BadInput("heights must be ascending ranges that neither overlap nor touch")
    if min(info.hardforks) > info.heights[0][0]:
        raise BadInput(f"no hardfork is named for block {info.heights[0][0]}")
    if not isinstance(info.claims, Claims):
        raise BadInput("claims must be Claims")
    for block, names in info.reconstructed.items():
        _number(block, "reconstructed block")
        if not names or not all(isinstance(name, str) for name in names):
            raise BadInput(f"reconstructed block {block} must list field names")
    if not isinstance(info.source, str):
        raise BadInput("source must be text")


def check_hardfork(name: Any) -> None:
    """Raise ``BadInput``, naming the nearest, unless Anvil knows these rules by this word."""
    if name not in HARDFORKS:
        known = nearest(str(name), HARDFORKS) or ", ".join(HARDFORKS)
        raise BadInput(f"unknown hardfork {name!r:.60}", nearest=known)


def render(info: SnapshotInfo, files: Mapping[str, FileSeal]) -> bytes:
    """The manifest file's bytes. Raises ``BadInput`` for an impossible ``info``."""
    check_info(info)
    body: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "chain": info.chain,
        "chain_id": info.chain_id,
        "hardforks": [{"from": block, "name": name} for block, name in sorted(info.hardforks.items())],
        "heights": [{"from": first, "to": last} for first, last in info.heights],
        "complete": [_claim_json(claim) for claim in info.claims],
        "reconstructed": {str(block): sorted(names) for block, names in info.reconstructed.items()},
        "provenance": info.provenance,
        "source": info.source,
        "files": {name: {"digest": seal.digest, "rows": seal.rows} for name, seal in files.items()},
    }
    return canonical.pretty_bytes({**body, "digest": canonical.digest(body)})


def parse(data: bytes, where: object) -> Manifest:
    """Read a manifest strictly. Raises ``SealBroken`` when its bytes or digest are not its own."""
    body = _load(data, where)
    _check_version(body, where)
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
    return Manifest(_info(body, where), _files(body.get("files"), where), true_digest, body["schema_version"])


def parse_info(data: bytes, where: object) -> tuple[SnapshotInfo, int]:
    """The writer's part of a manifest whose seal may be broken, for resealing, and the schema version
    it is written in. Raises ``BadInput``."""
    body = _load(data, where)
    return _info(body, where), body["schema_version"]


def _load(data: bytes, where: object) -> dict[str, Any]:
    try:
        body = canonical.strict_json(data)
    except ValueError as fault:
        raise BadInput(f"{MANIFEST_NAME} is not JSON: {fault}", where=where) from fault
    if not isinstance(body, dict):
        raise BadInput(f"{MANIFEST_NAME} must be a JSON object", where=where)
    return body


def _check_version(body: Mapping[str, Any], where: object) -> None:
    """A newer manifest is told by its number, not by its seal, which this version cannot judge."""
    version = body.get("schema_version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise BadInput(f"schema_version {version!r:.40} is not a number from 1 to {SCHEMA_VERSION}", where=where)
    if version > SCHEMA_VERSION:
        raise BadInput(
            f"was written in schema version {version}, newer than this caia-replay reads",
            where=where,
            nearest=f"schema version {SCHEMA_VERSION}",
            next_command="install a newer caia-replay",
        )


def _info(body: Mapping[str, Any], where: object) -> SnapshotInfo:
    _check_version(body, where)
    body = upgraded(body, where)
    missing = sorted(_TOP_KEYS - body.keys())
    unknown = sorted(body.keys() - _TOP_KEYS - {"files", "digest"})
    if missing or unknown:
        raise BadInput(f"{MANIFEST_NAME} lacks {missing} and has unknown {unknown}", where=where)
    complete, reconstructed, heights, hardforks = (
        body[name] for name in ("complete", "reconstructed", "heights", "hardforks")
    )
    if not all(isinstance(item, list) for item in (complete, heights, hardforks)) or not isinstance(
        reconstructed, dict
    ):
        raise BadInput("complete, heights and hardforks must be JSON lists, reconstructed an object", where=where)
    try:
        info = SnapshotInfo(
            chain=body["chain"],
            chain_id=body["chain_id"],
            hardforks=_hardforks(hardforks),
            heights=tuple(_read_span(span) for span in heights),
            provenance=body["provenance"],
            source=body["source"],
            claims=Claims.of(_read_claim(claim) for claim in complete),
            reconstructed={_block_key(block): tuple(names) for block, names in reconstructed.items()},
        )
        check_info(info)
        if [_claim_json(claim) for claim in info.claims] != complete:
            raise BadInput("complete is not sorted and joined")
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


def _hardforks(value: list[Any]) -> dict[int, str]:
    found: dict[int, str] = {}
    for item in value:
        if not isinstance(item, dict) or item.keys() != {"from", "name"} or item["from"] in found:
            raise BadInput(f"a hardfork must be {{from, name}}, each block once, found {item!r:.60}")
        found[_number(item["from"], "hardforks block")] = item["name"]
    return found


def _claim_json(claim: Claim) -> dict[str, Any]:
    written: dict[str, Any] = {"table": claim.table, "from": claim.first, "to": claim.last}
    if claim.addresses:
        written["addresses"] = sorted(to_hex(address) for address in claim.addresses)
    if claim.topics:
        written["topics"] = [sorted(to_hex(item) for item in topic) for topic in claim.topics]
    return written


def _read_claim(value: Any) -> Claim:
    if not isinstance(value, dict) or not {"table", "from", "to"} <= value.keys() <= _CLAIM_KEYS:
        raise BadInput(f"a claim must be {{table, from, to, addresses, topics}}, found {value!r:.60}")
    first, last = (_number(value[name], f"complete {name}") for name in ("from", "to"))
    addresses = _cells(value.get("addresses", []), ADDRESS.encode)
    topics = value.get("topics", [])
    if not isinstance(topics, list) or len(topics) > 4:
        raise BadInput(f"topics of a claim must be at most four lists, found {topics!r:.60}")
    return Claim(value["table"], first, last, addresses, tuple(_cells(topic, HASH.encode) for topic in topics))


def _cells(value: Any, encode: Callable[[Any], Any]) -> frozenset[bytes]:
    cells: list[Any] = [encode(item) for item in value] if isinstance(value, list) else [UNFIT]
    if any(cell is UNFIT for cell in cells):
        raise BadInput(f"addresses and topics of a claim must be lists of 0x hex, found {value!r:.60}")
    return frozenset(cells)


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

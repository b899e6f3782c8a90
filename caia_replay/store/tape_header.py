"""tape.json: what a model tape is, a digest of each of its run files, and one of itself."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from caia_replay.canonical import digest, pretty_bytes, strict_json
from caia_replay.core.model import Price, RunKey
from caia_replay.errors import BadInput, SealBroken
from caia_replay.store.plain import build
from caia_replay.store.plain_file import read_plain

HEADER: Final = "tape.json"
TAPE_VERSION: Final = 1

_DOLLARS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,12})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class TapeHeader:
    """A tape without its run files: ``model`` is the label of what was recorded, ``price`` what its tokens cost.

    ``runs`` holds the digest of each run's file, in the order of ``run_order``.
    """

    name: str
    suite: str
    model: str
    price: Price | None
    runs: Mapping[RunKey, str]


def header_bytes(header: TapeHeader) -> bytes:
    """The file's bytes: a pure function of the header."""
    body: dict[str, Any] = {
        "version": TAPE_VERSION,
        "name": header.name,
        "suite": header.suite,
        "model": header.model,
        "price": None if header.price is None else asdict(header.price),
        "runs": [{**asdict(key), "digest": header.runs[key]} for key in sorted(header.runs, key=run_order)],
    }
    return pretty_bytes({**body, "digest": digest(body)})


def read_header(path: Path) -> TapeHeader:
    """A tape's header. Raises ``SealBroken`` when it is not as it was written, ``BadInput`` when it is no tape's."""
    value = restore(path, path.parent)
    try:
        data = read_plain(path)
        content = strict_json(data)
        version, sealed = content["version"], content.pop("digest")
    except OSError as fault:
        raise SealBroken(f"cannot be read: {fault.strerror}", where=path, next_command=value) from fault
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise SealBroken(f"is no tape's: {fault}", where=path, next_command=value) from fault
    if type(version) is not int or version != TAPE_VERSION:
        raise BadInput(f"tape version {version!r:.40}, wanted {TAPE_VERSION}", where=path)
    if sealed != digest(content) or pretty_bytes({**content, "digest": sealed}) != data:
        raise SealBroken("differs from what was recorded", where=path, next_command=value)
    written = build(_Written, content, path)
    runs = {RunKey(run.task, run.arm, run.condition, run.agent, run.attempt): run.digest for run in written.runs}
    if list(runs) != sorted(runs, key=run_order) or len(runs) != len(written.runs):
        raise BadInput("runs are not in order, or listed twice", where=path)
    price = written.price
    for amount in () if price is None else (price.prompt, price.completion, price.cached or "0"):
        if _DOLLARS.fullmatch(amount) is None:
            raise BadInput(f"price {amount!r:.40} is no number of dollars", where=path)
    return TapeHeader(written.name, written.suite, written.model, price, runs)


@dataclass(frozen=True, slots=True)
class _Run:
    task: str
    arm: str
    condition: str
    agent: str
    attempt: int
    digest: str


@dataclass(frozen=True, slots=True)
class _Written:
    version: int
    name: str
    suite: str
    model: str
    price: Price | None
    runs: tuple[_Run, ...]


def run_order(key: RunKey) -> tuple[str, str, str, str, int]:
    """How runs are listed: as their files lie."""
    return key.agent, key.arm, key.condition, key.task, key.attempt


def restore(file: Path, tape: Path) -> str:
    """What to do about a ``file`` of ``tape`` that is not as it was recorded; nothing can be recorded onto it."""
    return f"put {file} back as it was shared, or rm -r {shlex.quote(str(tape))} and record it again"

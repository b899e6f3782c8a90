"""Gold chains for CAIA's tasks, as data of ours, keyed by CAIA's id and the digest of its question.

``caia_gold/rows_*.toml`` hold a ``[[row]]`` a task: either the tool calls that yield its answer, or why there are none.
No sentence of CAIA is in them. A row whose digest is not the question's is of another version, and is not used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from caia_replay.canonical import strict_json
from caia_replay.cassette.url import canonical_url
from caia_replay.core.gold import GoldChain, GoldStep, NoChain, gold_tag
from caia_replay.errors import BadInput
from caia_replay.interop.caia_format import CaiaRow
from caia_replay.store.plain import build, read_toml

GOLD: Final = Path(__file__).with_name("caia_gold")
"""The rows that come with the project."""

WhyNot = Literal["", NoChain]
Moment = Literal["fixed", "anchor"]
Confirmation = Literal["confirmed", "contradicted", "unverifiable", "unverified"]
"""Whether a recording bears an answer out: ``unverified`` until there is one, ``unverifiable`` without a chain."""

_SHA256: Final = "sha256:"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_METHODS: Final = ("GET", "POST")
_LONGEST_URL: Final = 8_000
"""Characters; vendors refuse longer ones."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request that is worth recording and that no tool makes. ``body`` is JSON text, empty for a GET."""

    method: str
    url: str
    body: str = ""


@dataclass(frozen=True, slots=True)
class GoldRow:
    """What is known of how a task can be answered.

    ``id`` is CAIA's; ``question`` is the ``question_digest`` of its question, its 64 digits alone. ``moment``:
    ``fixed`` where the answer does not move with the anchor (it names its own height, day or transaction, or never
    changes), else ``anchor``. ``why_not`` is empty for a chain that yields the answer; then ``result`` is not. Steps
    beside a ``why_not`` bring what a person or a judge needs. ``needs`` are the providers that are missing.
    """

    id: str
    question: str
    moment: Moment
    steps: tuple[GoldStep, ...] = ()
    result: str = ""
    why_not: WhyNot = ""
    note: str = ""
    needs: tuple[str, ...] = ()
    requests: tuple[Wanted, ...] = ()

    @property
    def chain(self) -> GoldChain:
        """The steps and the result; without a result where no chain yields the answer."""
        return GoldChain(self.steps, self.result)

    @property
    def tags(self) -> tuple[str, ...]:
        """What a task says of its chain."""
        return gold_tag(self.why_not or "chain"), f"moment:{self.moment}"

    @property
    def confirmation(self) -> Confirmation:
        """What can be said before anything is recorded."""
        return "unverifiable" if self.why_not else "unverified"


@dataclass(frozen=True, slots=True)
class _File:
    row: tuple[GoldRow, ...]


def read_gold(folder: Path = GOLD) -> Mapping[str, GoldRow]:
    """Every row of the folder's ``rows_*.toml`` by CAIA's id.

    Raises ``BadInput`` naming file and row for one that is neither a chain nor a reason, and for two with one id.
    """
    rows: dict[str, GoldRow] = {}
    files = sorted(folder.glob("rows_*.toml"))
    if not files:
        what = "no rows_*.toml in this folder" if folder.is_dir() else "is no folder"
        raise BadInput(what, where=folder, next_command="docs/import-caia.md has a row to copy")
    for path in files:
        for row in build(_File, read_toml(path), path).row:
            fault = _fault(row, rows)
            if fault:
                raise BadInput(f"row {row.id!r:.60} {fault}", where=path)
            rows[row.id] = row
    return MappingProxyType(rows)


def gold_of(row: CaiaRow, rows: Mapping[str, GoldRow]) -> GoldRow | None:
    """The gold of one of CAIA's rows; None where there is none, or only one of another question."""
    found = rows.get(row.id)
    return found if found is not None and found.question == row.question_digest.removeprefix(_SHA256) else None


def _fault(row: GoldRow, others: Iterable[str]) -> str:
    """What is wrong with a row; "" where nothing is."""
    if row.id in others:
        return "is there twice"
    if not _DIGEST.fullmatch(row.question):
        return "has no digest of its question: 64 hexadecimal digits"
    if bool(row.why_not) == bool(row.result):
        return "needs a result or a why_not, and not both"
    if row.result and not row.steps:
        return "has a result of no steps"
    return gold_fault(row.why_not, row.note, row.needs, row.requests)


def gold_fault(why_not: str, note: str, needs: Sequence[str], requests: Iterable[Wanted]) -> str:
    """What is wrong with what is said of a task's gold, its chain apart; "" where nothing is."""
    if why_not and not note:
        return "says why_not and has no note that explains it"
    if (why_not == "no provider") != bool(needs):
        return "names what it needs where and only where why_not is 'no provider'"
    if not all(map(_is_text, (note, *needs))):
        return "has a note or a need that is no text"
    for wanted in requests:
        if fault := _request_fault(wanted):
            return f"wants {wanted.method:.10} {wanted.url:.60}, {fault}"
    return ""


def _request_fault(wanted: Wanted) -> str:
    if wanted.method not in _METHODS or not wanted.url.startswith(("https://", "http://")):
        return "which is no request"
    if len(wanted.url) > _LONGEST_URL:
        return f"which is longer than {_LONGEST_URL} characters"
    try:
        if not _is_text(wanted.url) or not wanted.url.isprintable():
            raise ValueError("control characters")
        canonical_url(wanted.url)
    except (BadInput, ValueError):
        return "which is no address"
    if wanted.body and wanted.method == "GET":
        return "which has a body and is a GET"
    try:
        if wanted.body and _is_text(wanted.body):
            strict_json(wanted.body)
    except ValueError:
        return "whose body is no JSON"
    return "" if _is_text(wanted.body) else "whose body is no text"


def _is_text(text: str) -> bool:
    """Whether it can be written as UTF-8: JSON may spell half a character, which is none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

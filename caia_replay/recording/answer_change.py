"""A published answer held against what the origin says now: the same, changed, gone, or only for who pays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from caia_replay.canonical import digest_bytes
from caia_replay.cassette.cassette import Interaction
from caia_replay.cassette.identity import describe, identity
from caia_replay.errors import one_line
from caia_replay.recording.ask_again import PAID
from caia_replay.recording.published_file import PublishedAnswer

ChangeKind = Literal["changed", "gone", "paid", "silent"]
"""``silent``: the origin gave no answer now, which may pass. Only a ``changed`` answer is in the new world."""

GONE: Final = frozenset({404, 410})
COMPARED: Final = ("content-type", "content-location", "link", "location", "memento-datetime", "retry-after")
"""Reply headers that a replay depends on. Every other one is of the day: ``date``, ``etag``, ``server``."""

_LONGEST_ADDRESS: Final = 300


@dataclass(frozen=True, slots=True)
class Change:
    """One answer that is not the published one. ``file`` is its cassette's path in the world; ``what`` is status, body,
    the name of a header, or why there is no answer. Of a reply that did not come the new fields are None."""

    kind: ChangeKind
    address: str
    file: str
    what: str
    old_status: int
    old_bytes: int
    old_sha256: str
    new_status: int | None = None
    new_bytes: int | None = None
    new_sha256: str | None = None

    @property
    def line(self) -> str:
        """For a terminal."""
        text = f"{self.kind}: {self.address} ({self.file}): {self.what}"
        if self.new_status != self.old_status and self.new_status is not None:
            text += f", HTTP {self.old_status} -> {self.new_status}"
        if self.kind == "changed":
            text += f", {self.old_bytes} -> {self.new_bytes} bytes, {self.old_sha256} -> {self.new_sha256}"
        return one_line(text)


def compare(old: PublishedAnswer, new: Interaction | str, file: str) -> Change | None:
    """What changed from ``old`` to ``new``, a scrubbed answer or the reason why there is none; None when nothing did.

    The status, the body and the headers of ``COMPARED`` decide.
    """
    address = describe(identity(old.item.method, old.item.uri, old.item.request_body))[:_LONGEST_ADDRESS]
    if isinstance(new, str):
        return Change("silent", address, file, new, old.item.status, old.size_bytes, old.sha256)
    sha256 = digest_bytes(new.body)
    what = _difference(old, new, sha256)
    if not what:
        return None
    kind: ChangeKind = "changed"
    if what == "status" and new.status in GONE | PAID:
        kind = "gone" if new.status in GONE else "paid"
    return Change(
        kind, address, file, what, old.item.status, old.size_bytes, old.sha256, new.status, len(new.body), sha256
    )


def same_answer(old: PublishedAnswer, new: Interaction) -> Interaction:
    """``new``, whose body is the published one, with the headers of the recording that was published.

    ``date`` tells since when at least the answer is known; that of today would make a younger recording of it.
    """
    return replace(old.item, body=new.body)


def changed_answer(old: PublishedAnswer, new: Interaction) -> Interaction:
    """``new`` under the request that was published."""
    item = old.item
    return replace(
        new, method=item.method, uri=item.uri, request_body=item.request_body, request_headers=item.request_headers
    )


def _difference(old: PublishedAnswer, new: Interaction, sha256: str) -> str:
    if new.status != old.item.status:
        return "status"
    if sha256 != old.sha256:
        return "body"
    return next((f"header {name}" for name in COMPARED if old.item.headers.get(name) != new.headers.get(name)), "")

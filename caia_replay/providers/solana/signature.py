"""Lists of an address's signatures, newest first: which recorded pages prove what follows what.

A page without ``before`` begins with the newest there was when it was made; one with it begins right after that
signature. Within a page neighbours follow each other, and a page that is not full, asked without ``until``, ends the
list. Finalized rows do not change, so a later page tells of an earlier moment by leaving out what came since.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from caia_replay.errors import Miss
from caia_replay.providers.endpoint import AS_OF_NOW_S
from caia_replay.providers.solana.call import Call, Told

LONGEST: Final = 1_000
WINDOW: Final = ("before", "until", "limit")

Row = Mapping[str, Any]


@dataclass(slots=True)
class _Chain:
    """``after`` leads from a signature to the next older one, None at the list's end; ``tops`` begin lists."""

    rows: dict[str, Row] = field(default_factory=dict)
    after: dict[str, str | None] = field(default_factory=dict)
    tops: list[tuple[int, str | None]] = field(default_factory=list)

    def link(self, from_: str, to: str | None, wanted: str) -> None:
        if self.after.setdefault(from_, to) != to:
            raise Miss("http", wanted, "recorded pages contradict each other")


def limit_of(call: Call) -> int | None:
    """How many rows a page has at most; None for what the vendor refuses."""
    limit = call.options.get("limit", LONGEST)
    return limit if type(limit) is int and 1 <= limit <= LONGEST else None


def signatures(told: Sequence[Told], asked: Call, now: int, wanted: str) -> list[Row]:
    """The page of signatures that is asked for, at ``now``. Raises ``Miss`` where recorded pages do not prove it."""
    limit = limit_of(asked)
    others = asked.without(*WINDOW)
    if limit is None or others or not all(isinstance(asked.options.get(name, ""), str) for name in WINDOW[:2]):
        raise Miss("http", wanted, f"asked with {sorted(others) or 'a limit or place that cannot be read'}")
    chain = _Chain()
    for one in told:
        if one.call.subject == asked.subject and not one.call.without(*WINDOW):
            _add(chain, one, wanted)
    at = _first(chain, asked, now, wanted)
    until = asked.options.get("until")
    stop = chain.rows.get(until) if until is not None else None
    if until is not None and stop is None:
        raise Miss("http", wanted, "where it is to stop is on no recorded page")
    found: list[Row] = []
    seen: set[str] = set()
    while len(found) < limit and at is not None and at != until:
        if at not in chain.rows or at in seen:
            raise Miss("http", wanted, f"recorded are {len(found)} of these rows")
        seen.add(at)
        found.append(chain.rows[at])
        if len(found) < limit and at not in chain.after:
            raise Miss("http", wanted, f"recorded are {len(found)} of these rows, and not whether that is all")
        at = chain.after.get(at)
    if stop is not None and at != until and (at is None or not found or stop["slot"] >= found[-1]["slot"]):
        raise Miss("http", wanted, "it is to stop at what may come before its beginning")
    return found


def _add(chain: _Chain, told: Told, wanted: str) -> None:
    """Take a page's rows into the chain; a page that is none, or out of order, is left out."""
    rows, limit = told.result, limit_of(told.call)
    if limit is None or not isinstance(rows, list) or len(rows) > limit or not all(_is_row(row) for row in rows):
        return
    slots = [row["slot"] for row in rows]
    names: list[str] = [row["signature"] for row in rows]
    times = [row["blockTime"] for row in rows]
    if slots != sorted(slots, reverse=True) or times != sorted(times, reverse=True) or len(set(names)) != len(names):
        return
    before, until = told.call.options.get("before"), told.call.options.get("until")
    if until in names or before in names:
        return
    for row in rows:
        if chain.rows.setdefault(row["signature"], row) != row:
            raise Miss("http", wanted, "recorded pages contradict each other")
    following: list[str | None] = [*names[1:], *([None] if len(rows) < limit and until is None else [])]
    for name, next_name in zip(names, following, strict=False):
        chain.link(name, next_name, wanted)
    is_known = bool(rows) or until is None
    if isinstance(before, str) and is_known:
        chain.link(before, names[0] if names else None, wanted)
    elif before is None and is_known and told.made is not None:
        chain.tops.append((told.made, names[0] if names else None))


def _first(chain: _Chain, asked: Call, now: int, wanted: str) -> str | None:
    """The first signature of the list that is asked for, as it was at ``now``."""
    before = asked.options.get("before")
    if before is not None:
        row = chain.rows.get(before)
        if row is None or row["blockTime"] > now or before not in chain.after:
            raise Miss("http", wanted, "what comes after this signature, or when it was made, is not recorded")
        return chain.after[before]
    tops = sorted((abs(made - now), number) for number, (made, _) in enumerate(chain.tops) if made >= now - AS_OF_NOW_S)
    for _, number in tops:
        at, seen = chain.tops[number][1], set[str]()
        while at is not None and at in chain.rows and at not in seen and chain.rows[at]["blockTime"] > now:
            seen.add(at)
            at = chain.after.get(at, at)
        if at is None or (at in chain.rows and at not in seen):
            return at
    where = (
        "only signatures of later are recorded" if tops else "no beginning of it is recorded at this moment or later"
    )
    raise Miss("http", wanted, where)


def _is_row(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and isinstance(row.get("signature"), str)
        and type(row.get("slot")) is int
        and type(row.get("blockTime")) is int
        and row.get("confirmationStatus", "finalized") == "finalized"
    )

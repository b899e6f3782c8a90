"""Lists of a Blockscout explorer out of recorded pages: put together by their keys, cut at a moment, paged anew.

A list is known from its first page on as far as pages lead on to each other. Made of pages of about now it is told as
it is; made of later ones it is what was mined by now, without what the explorer may have told otherwise then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.blockscout.question import SIZE, Question, cursor_of
from caia_replay.providers.blockscout.settled import moment_of, settled
from caia_replay.providers.endpoint import AS_OF_NOW_S, answered_at, content_of, derived, is_of_now

LENGTH: Final = 50
"""Rows of a page where nobody asks for another number."""
LONGEST: Final = 100
_MARKS: Final = (("block_number", "block_number"), ("block", "block_number"), ("height", "block_number"),
                 ("log_index", "index"), ("position", "index"), ("index", "index"), ("block_index", "block_index"),
                 ("transaction_index", "transaction_index"), ("hash", "hash"), ("transaction_hash", "hash"),
                 ("value", "value"), ("token_id", "token_id"))  # fmt: skip
"""Parts of a row and the parameters that name it."""

Row = Mapping[str, Any]
Told = tuple[Question, Recorded]


@dataclass(frozen=True, slots=True)
class _Page:
    rows: Sequence[Row]
    after: Mapping[str, str] | None
    found: Recorded


@dataclass(frozen=True, slots=True)
class _Known:
    """Rows from a list's beginning; ``begins`` is where recorded pages begin, by their key without the counter."""

    rows: Sequence[Row]
    begins: Mapping[bytes, int]
    is_whole: bool
    has_counter: bool | None
    like: HttpReply


def list_page(told: Sequence[Told], asked: Question, now: int, wanted: str) -> HttpReply:
    """The page of a list that is asked for. Raises ``Miss`` where recorded pages do not prove it."""
    current = [one for one in told if is_of_now(one[1], now)]
    for found in _asked(current, asked):
        page = _page(found)
        if page is not None and not any((moment_of(row) or 0) > now for row in page.rows):
            return found.reply
    missed: Miss | None = None
    for group, kind in ((current, None), (_later(told, now), asked.kind or None)):
        try:
            known = _walked(group, asked, kind, now, wanted) if group is current or kind else None
            if known is not None:
                return _cut(known, asked, wanted)
        except Miss as miss:
            missed = missed or miss
    raise missed or Miss("http", wanted, "no page of this list is recorded at this moment")


def _asked(told: Sequence[Told], asked: Question) -> Iterator[Recorded]:
    """Recordings of the very page."""
    for question, found in told:
        if (question.cursor, question.size) == (asked.cursor, asked.size):
            yield found


def _later(told: Sequence[Told], now: int) -> list[Told]:
    return [one for one in told if (made := answered_at(one[1].reply)) is not None and made >= now - AS_OF_NOW_S]


def _walked(told: Sequence[Told], asked: Question, kind: Any, now: int, wanted: str) -> _Known:
    """The list from its beginning, as far as pages lead; rows of later than ``now`` are left out."""
    pages: dict[bytes, _Page] = {}
    for question, found in sorted(told, key=lambda one: abs((answered_at(one[1].reply) or 0) - now)):
        page = _page(found)
        if page is not None:
            pages.setdefault(_key(question.cursor), page)
    page = pages.get(_key({}))
    if page is None:
        raise Miss("http", wanted, "the list's beginning is not recorded at this moment")
    rows: list[Row] = []
    begins: dict[bytes, int] = {}
    seen: set[bytes] = set()
    like, has_counter = page.found.reply, None
    while page is not None:
        for row in page.rows:
            at = moment_of(row)
            if kind is not None and at is None:
                raise Miss("http", wanted, "when a row was mined is not recorded")
            if at is None or at <= now:
                rows.append(row if kind is None else settled(row, kind))
        if page.after is None:
            _refuse_repeats(rows, wanted)
            return _Known(rows, begins, True, has_counter, like)
        has_counter = SIZE in page.after
        key = _key(page.after)
        if key in seen or not page.after:
            raise Miss("http", wanted, "recorded pages lead back to each other, or to nowhere")
        seen.add(key)
        begins[key] = len(rows)
        page = pages.get(key)
    _refuse_repeats(rows, wanted)
    return _Known(rows, begins, False, has_counter, like)


def _cut(known: _Known, asked: Question, wanted: str) -> HttpReply:
    start, size = _start(known, asked, wanted), _size(known, asked, wanted)
    rows = known.rows[start : start + size]
    is_last = known.is_whole and start + size >= len(known.rows)
    if not is_last and len(rows) < size:
        raise Miss("http", wanted, f"recorded are the first {len(known.rows)} rows of this list")
    mark: dict[str, Any] | None = None
    if not is_last:
        mark = dict(_mark(rows[-1]))
        if known.has_counter:
            mark[SIZE] = start + size
    return derived({"items": list(rows), "next_page_params": mark}, known.like)


def _start(known: _Known, asked: Question, wanted: str) -> int:
    """The place of the first row that is meant: where a recorded page begins, or after the row that is named."""
    if not asked.cursor:
        return 0
    key = _key(asked.cursor)
    if key in known.begins:
        return known.begins[key]
    named = [place for place, row in enumerate(known.rows) if _key(_mark(row)) == key]
    if len(named) != 1:
        raise Miss("http", wanted, "no recorded page begins there")
    return named[0] + 1


def _size(known: _Known, asked: Question, wanted: str) -> int:
    """How many rows a page has. What ``items_count`` means depends on the explorer's version, which cursors show."""
    if not asked.size or (known.has_counter and asked.cursor):
        return LENGTH
    size = int(asked.size) if asked.size.isdecimal() and len(asked.size) < 5 else 0
    if known.has_counter is False and 0 < size <= LONGEST:
        return size
    if known.is_whole and len(known.rows) <= min(size, LENGTH):
        return LENGTH
    raise Miss("http", wanted, f"what {SIZE} {asked.size[:20]!r} means to this explorer is not recorded")


def _page(found: Recorded) -> _Page | None:
    """A recorded page; None where it is none."""
    content: Any = None
    if found.reply.status == 200:
        with suppress(Miss):
            content = content_of(found.reply)
    if not isinstance(content, dict) or "next_page_params" not in content:
        return None
    rows, after = content.get("items"), cursor_of(content)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return None
    is_read = after is not None or content["next_page_params"] is None
    return _Page(rows, after, found) if is_read and (rows or after is None) else None


def _mark(row: Row) -> dict[str, Any]:
    """What names a row: its place in the chain, or whose it is."""
    found: dict[str, Any] = {}
    for name, parameter in _MARKS:
        value = row.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            found.setdefault(parameter, value)
    holder = row.get("address")
    if isinstance(holder, dict) and isinstance(holder.get("hash"), str):
        found["address_hash"] = holder["hash"]
    return found


def _key(cursor: Mapping[str, Any]) -> bytes:
    return canonical_bytes({name: str(value).lower() for name, value in cursor.items() if name != SIZE})


def _refuse_repeats(rows: Sequence[Row], wanted: str) -> None:
    """A row that is there twice was recorded while the list moved."""
    marks = [canonical_bytes(row) for row in rows]
    if len(set(marks)) != len(marks):
        raise Miss("http", wanted, "recorded pages contradict each other")

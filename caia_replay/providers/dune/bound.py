"""Until when a statement reads: the proof that executed on a later day it tells what it would have told before.

Every table with a schema needs a condition that ends its time, in the WHERE beside it: ``block_time < TIMESTAMP
'...'``, ``block_date = DATE '...'``, BETWEEN or IN; of joined tables each by its own name. What this cannot read it
refuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, Final

from caia_replay.providers.dune.statement import is_name, words_of

_MOST_DEPTH: Final = 60
_OF_NOW: Final = frozenset(
    ("current_date", "current_time", "current_timestamp", "current_timezone", "current_user", "localtime",
     "localtimestamp", "tablesample")
)  # fmt: skip
_CALLS_OF_NOW: Final = frozenset(("now", "rand", "random", "shuffle", "uuid", "version"))
_JOINS: Final = frozenset(("join", "inner", "left", "right", "full", "outer", "cross", "natural"))
_CLAUSES: Final = ("where", "group", "having", "window", "order", "limit", "offset", "fetch")
_READABLE: Final = (["select"], ["with"], ["values"])
_SETS: Final = frozenset(("union", "intersect", "except"))
_COLUMN: Final = re.compile(r"(?:evt_|call_)?(?:(block_time)|(block_date)|(block_month))|(day)")
"""A row of a moment, of a day or of a month, as the warehouse names such columns in every table."""
_LITERAL: Final = re.compile(
    r"'([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T]([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?))?(?: UTC)?'"
)
_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}

Ends = Mapping[str, datetime]
"""By the name before a column ("" for none) the moment at which a condition ends what is read."""


def reads_until(text: str) -> int:
    """The first second (since 1970, UTC) from which on the statement reads nothing of what happens on a chain.

    Raises ``ValueError`` with the reason where that cannot be told.
    """
    words = words_of(text)
    calls = {word for word, after in pairwise(words) if after == "("}
    of_now = next(iter(sorted(_OF_NOW.intersection(words) | _CALLS_OF_NOW & calls)), None)
    if of_now is not None:
        raise ValueError(f"it names {of_now}, which differs from one execution to the next")
    ends = list(_query(_nested(iter(words), 0), frozenset()))
    if not ends:
        raise ValueError("it reads no table with a schema")
    return -int(-max(ends).timestamp() // 1)


def _nested(words: Iterator[str], depth: int) -> list[Any]:
    """Words, with those in brackets as a list in their place."""
    found: list[Any] = []
    for word in words:
        if word == "(":
            if depth >= _MOST_DEPTH:
                raise ValueError(f"its brackets are more than {_MOST_DEPTH} deep")
            found.append(_nested(words, depth + 1))
        elif word == ")":
            if not depth:
                raise ValueError("it closes a bracket that none opened")
            return found
        else:
            found.append(word)
    if depth:
        raise ValueError("it does not close a bracket")
    return found


def _query(items: list[Any], known: frozenset[str]) -> Iterator[datetime]:
    """The ends of every table that a query reads; ``known`` are the names that WITH gave around it."""
    if items[:1] == ["with"]:
        at = 1
        while at < len(items):
            name, at = items[at], at + 1
            if isinstance(items[at] if at < len(items) else None, list):
                at += 1  # names of its columns
            if items[at : at + 1] != ["as"] or not isinstance(items[at + 1] if at + 1 < len(items) else None, list):
                raise ValueError("its WITH cannot be read")
            yield from _query(items[at + 1], known)
            known, at = known | {name}, at + 2
            if items[at : at + 1] != [","]:
                break
            at += 1
        items = items[at:]
    for part in _split(items, _SETS):
        part = part[1:] if part[:1] in (["all"], ["distinct"]) else part
        if len(part) == 1 and isinstance(part[0], list):
            yield from _query(part[0], known)
        elif part[:1] == ["select"]:
            yield from _select(part, known)
        else:
            raise ValueError("it is more than SELECT, WITH and sets of them")


def _select(items: list[Any], known: frozenset[str]) -> Iterator[datetime]:
    """The same of one SELECT: of its tables by its own WHERE, and of the queries in its brackets."""
    begin = items.index("from") if "from" in items else len(items)
    stop = next((at for at in range(begin, len(items)) if items[at] in _CLAUSES), len(items))
    sources, where = items[begin + 1 : stop], []
    if items[stop : stop + 1] == ["where"]:
        end = next((at for at in range(stop + 1, len(items)) if items[at] in _CLAUSES), len(items))
        where = items[stop + 1 : end]
    yield from _inner(items, known)
    tables: list[tuple[str, str]] = []
    others = 0
    for source in _sources(sources):
        if source[0] == "unnest" or (isinstance(source[0], list) and source[0][:1] in _READABLE):
            others += 1
            continue
        path = [source[0]]
        while len(source) > 2 * len(path) and source[2 * len(path) - 1] == ".":
            path.append(source[2 * len(path)])
        if not all(is_name(word) for word in path):
            raise ValueError(f"what it reads after FROM cannot be read: {' '.join(map(str, source))[:60]}")
        if len(path) == 1 and path[0] in known:
            others += 1
            continue
        if len(path) == 1:
            raise ValueError(f"it reads {path[0]}, which has no schema")
        if path[0].replace('"', "") == "dune":
            raise ValueError(f"it reads {'.'.join(path)}, a user's own table, whose rows may be written anew")
        rest = [word for word in source[2 * len(path) - 1 :] if word != "as"]
        tables.append((".".join(path), rest[0] if rest and is_name(rest[0]) else path[-1]))
    ends = _ends(where)
    for name, alias in tables:
        moment = ends.get(alias) or (ends.get("") if len(tables) + others == 1 else None)
        if moment is None:
            raise ValueError(f"nothing in the WHERE beside it ends the time of {name}")
        yield moment


def _inner(items: list[Any], known: frozenset[str]) -> Iterator[datetime]:
    """The ends of the queries in brackets."""
    for item in items:
        if isinstance(item, list):
            if item[:1] in (["select"], ["with"]):
                yield from _query(item, known)
            else:
                yield from _inner(item, known)


def _sources(items: list[Any]) -> Iterator[list[Any]]:
    """What stands between joins and commas, each without its ON and USING."""
    for part in _split(items, _JOINS | {","}):
        cut = next((at for at, word in enumerate(part) if word in ("on", "using")), len(part))
        if part[:cut]:
            yield part[:cut]


def _ends(items: list[Any]) -> Ends:
    """When a condition ends what is read. Of OR every side must; of AND one is enough, and the first end counts."""
    if "case" in items:  # its own conditions would stand among these
        return {}
    branches = [_all_of(branch) for branch in _split(items, {"or"})]
    names = set.intersection(*(set(branch) for branch in branches)) if branches else set()
    return {name: max(branch[name] for branch in branches) for name in names}


def _all_of(items: list[Any]) -> Ends:
    found: dict[str, datetime] = {}
    for part in _conditions(items):
        is_bracket = len(part) == 1 and isinstance(part[0], list)
        for name, end in (_ends(part[0]) if is_bracket else _end(part)).items():
            found[name] = min(end, found.get(name, end))
    return found


def _conditions(items: list[Any]) -> Iterator[list[Any]]:
    """What stands between ANDs, those of BETWEEN left in their place."""
    found: list[Any] = []
    between = False
    for item in items:
        if item == "and" and not between:
            yield found
            found = []
        else:
            between = item == "between" or (between and item != "and")
            found.append(item)
    yield found


def _end(part: list[Any]) -> Ends:
    """Of one comparison; nothing for one of another form."""
    column, rest = _column(part)
    if column is None and (turned := _turned(part)) is not None:
        column, rest = _column(turned)
    if column is None or not rest:
        return {}
    before, name = column
    sign, values = rest[0], rest[1:]
    if sign == "between" and values[:1] != ["symmetric"]:
        at = values.index("and") if "and" in values else 0
        sign, values = "<=", values[at + 1 :]
    listed = _split(values[0], {","}) if sign == "in" and len(values) == 1 and isinstance(values[0], list) else [values]
    moments = [_moment(value) for value in listed]
    if sign not in ("<", "<=", "=", "in") or None in moments:
        return {}
    last = max(moment for moment in moments if moment is not None)
    return {before: last if sign == "<" else _after(name, last)}


def _column(part: Sequence[Any]) -> tuple[tuple[str, str] | None, list[Any]]:
    """The column of time that a comparison begins with, the name before it, and what follows."""
    if not part or not is_name(part[0]):
        return None, []
    before, name, rest = ("", part[0], part[1:])
    if len(part) > 2 and part[1] == "." and is_name(part[2]):
        before, name, rest = part[0], part[2], part[3:]
    name = name.replace('"', "")
    return ((before, name), list(rest)) if _COLUMN.fullmatch(name) else (None, [])


def _turned(part: list[Any]) -> list[Any] | None:
    """``TIMESTAMP '...' > block_time`` with the column first."""
    at = next((at for at, word in enumerate(part) if isinstance(word, str) and word in _TURNED), None)
    return None if at is None else [*part[at + 1 :], _TURNED[part[at]], *part[:at]]


def _moment(value: list[Any]) -> datetime | None:
    if len(value) != 2 or value[0] not in ("date", "timestamp") or not isinstance(value[1], str):
        return None
    found = _LITERAL.fullmatch(value[1])
    try:
        return (
            None if found is None else datetime.fromisoformat(f"{found[1]}T{found[2] or '00:00'}").replace(tzinfo=UTC)
        )
    except ValueError:
        return None


def _after(column: str, last: datetime) -> datetime:
    """The end of the last second, day or month that a column can name."""
    kind = _COLUMN.fullmatch(column)
    assert kind is not None
    if kind[1]:
        return last + timedelta(microseconds=1)
    if kind[2] or kind[4]:
        return last + timedelta(days=1)
    return (last.replace(day=1) + timedelta(days=32)).replace(day=1)


def _split(items: list[Any], at: frozenset[str] | set[str]) -> list[list[Any]]:
    """The pieces between words of ``at``."""
    pieces: list[list[Any]] = [[]]
    for item in items:
        if isinstance(item, str) and item in at:
            pieces.append([])
        else:
            pieces[-1].append(item)
    return pieces

"""The table of what one call of each tool asks, read strictly: plan_calls.toml, which says what its rows mean."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, Literal

from caia_replay.errors import BadInput, nearest
from caia_replay.store.plain import build
from caia_replay.tools.catalog import CATALOG

FILE: Final = "plan_calls.toml"
PLACE: Final = re.compile(r"\{([a-z_]+)(?:-([0-9]+)([mhd]))?(?::(s|ms))?\}")
"""A place in an address: its name, how many minutes, hours or days less, and in which unit a moment is written."""
MOMENT: Final = re.compile(r"([a-z_]+)(?:-([0-9]+)([mhd]))?")
"""A moment by itself, in the same words."""
CHAIN_ID: Final = "chainid"
NOW: Final = "now"


@dataclass(frozen=True, slots=True)
class Place:
    """What a place in an address stands for, out of the arguments ``of``."""

    of: tuple[str, ...]
    match: str
    usual: str = ""
    before: str = ""
    lower: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a tool; of ``url``, ``ask`` and ``node`` it has one. ``node`` is how often by JSON-RPC method."""

    when: Any = field(default_factory=dict)
    days: tuple[int, ...] = ()
    url: str = ""
    ask: Literal["", "web", "posts", "page"] = ""
    text: str = ""
    node: Mapping[str, int] = field(default_factory=dict)
    each: str = ""
    blocks: tuple[str, ...] = ()
    calls: int = 1

    @property
    def alternatives(self) -> Sequence[Mapping[str, bool | str]]:
        """The tables of ``when``, one of which must fit."""
        return self.when if isinstance(self.when, tuple) else (self.when,)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows by tool, places by name, and milliseconds between two blocks by chain.

    A tool that is not in ``rows`` asks what nobody has written down; one with no rows asks nobody.
    """

    rows: Mapping[str, tuple[Row, ...]]
    places: Mapping[str, Place]
    block_ms: Mapping[str, int]


@lru_cache(maxsize=1)
def calls_table() -> Table:
    """The project's own table."""
    return read_table(files("caia_replay.recording").joinpath(FILE).read_text("utf-8"))


def read_table(text: str) -> Table:
    """A table out of its text. Raises ``BadInput`` that names the file and the wrong row."""
    try:
        content = tomllib.loads(text)
    except ValueError as fault:
        raise BadInput(f"not a TOML file: {fault}", where=FILE) from None
    places = {name: build(Place, one, f"{FILE}, place {name}") for name, one in content.pop("places", {}).items()}
    block_ms, rows = content.pop("block_ms", {}), dict[str, tuple[Row, ...]]()
    for tool, listed in content.items():
        if tool not in CATALOG or not isinstance(listed, list):
            raise BadInput(f"{tool!r} is no tool with a list of rows", where=FILE, nearest=nearest(tool, CATALOG))
        rows[tool] = tuple(_row(one, tool, places, f"{FILE}, {tool}, row {at}") for at, one in enumerate(listed, 1))
    return Table(rows, places, block_ms)


def _row(content: Any, tool: str, places: Mapping[str, Place], where: str) -> Row:
    row = build(Row, content, where)
    if sum(map(bool, (row.url, row.ask, row.node))) != 1:
        raise BadInput("has not one of url, ask and node", where=where)
    if len(row.blocks) not in (0, 2) or len(row.days) not in (0, 2):
        raise BadInput("blocks and days have two items", where=where)
    if not all(isinstance(one, Mapping) for one in row.alternatives):
        raise BadInput("when is a table, or a list of tables", where=where)
    for wanted in (wanted for one in row.alternatives for wanted in one.values() if not isinstance(wanted, bool)):
        try:
            re.compile(wanted)
        except (re.error, TypeError) as fault:
            raise BadInput(f"{wanted!r} is no pattern: {fault}", where=where) from None
    known = CATALOG[tool].arguments.model_fields
    for names in _named(row, places, where):
        if not set(names) & {*known, NOW}:
            raise BadInput(f"{names[0]!r} is no argument of {tool}", where=where, nearest=nearest(names[0], known))
    return row


def _named(row: Row, places: Mapping[str, Place], where: str) -> Iterator[Sequence[str]]:
    """The arguments that a row rests on: of each sequence the tool must have one. Raises ``BadInput``."""
    yield from ([name] for one in row.alternatives for names in one for name in names.split("|"))
    if row.each:
        yield [row.each]
    yield from ([found[1] if (found := MOMENT.fullmatch(text)) else text] for text in row.blocks)
    for name, _, _, form in PLACE.findall(row.url + row.text):
        if form:
            yield [name]
        elif name != CHAIN_ID:
            if name not in places:
                raise BadInput(f"{name!r} is no place", where=where, nearest=nearest(name, places))
            yield places[name].of

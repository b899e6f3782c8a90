"""On what terms vendors answer: keys, tiers, pace and prices, as published, by the address of a request."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, Literal

from caia_replay.errors import BadInput
from caia_replay.recording.plan_task import Tells, Tier

FILE: Final = "plan_terms.toml"
NODE: Final = "json-rpc:"
"""What stands for the address of a chain's node, before the chain's name."""
_FIELDS: Final = frozenset(
    ("name", "match", "key", "tier", "tells", "why", "seconds", "usd_per_call", "pages", "source", "date")
)
_OPTIONAL: Final = frozenset(("key", "usd_per_call", "pages", "why"))


@dataclass(frozen=True, slots=True)
class Terms:
    """One row: for addresses that ``match`` finds. ``key`` is an environment variable, empty where none is needed.

    ``tells``: "now" where a reply is of the day it is asked, "past" where the question names its moment. ``seconds``
    lie between two calls. ``usd_per_call`` is None where nothing is published, and 0 on free tiers. ``pages`` is how
    many calls a whole list takes, an estimate.
    """

    name: str
    match: re.Pattern[str]
    key: str
    tier: Tier
    tells: Tells
    why: str
    seconds: Decimal
    usd_per_call: Decimal | None
    pages: int
    source: str
    date: str


def terms_of(url: str) -> Terms:
    """The first row that fits. Raises ``BadInput`` where none does: no request is planned on unknown terms."""
    for terms in all_terms():
        if terms.match.search(url):
            return terms
    raise BadInput(f"no terms are known for {url:.200}", where=FILE, next_command="add a [[terms]] row for its host")


@lru_cache(maxsize=1)
def all_terms() -> tuple[Terms, ...]:
    """Every row in the file's order."""
    text = files("caia_replay.recording").joinpath(FILE).read_text("utf-8")
    return read_terms(text)


def read_terms(text: str) -> tuple[Terms, ...]:
    """Rows of a terms file. Raises ``BadInput`` for a row with a missing, unknown or wrong field."""
    rows = tomllib.loads(text, parse_float=Decimal).get("terms", [])
    return tuple(_row(row, at) for at, row in enumerate(rows, start=1))


def _row(row: dict[str, Any], at: int) -> Terms:
    where = f"{FILE}, row {at}"
    for name in sorted(_FIELDS - _OPTIONAL - row.keys()):
        raise BadInput(f"has no {name!r}", where=where)
    for name in sorted(row.keys() - _FIELDS):
        raise BadInput(f"{name!r} is no field", where=where, nearest=", ".join(sorted(_FIELDS)))
    tier: Literal["free", "paid"] = row["tier"]
    if tier not in ("free", "paid") or row["tells"] not in ("now", "past"):
        raise BadInput("tier is free or paid, and tells is now or past", where=where)
    price = row.get("usd_per_call", Decimal(0) if tier == "free" else None)
    return Terms(
        name=row["name"],
        match=re.compile(row["match"]),
        key=row.get("key", ""),
        tier=tier,
        tells=row["tells"],
        why=row.get("why", ""),
        seconds=Decimal(row["seconds"]),
        usd_per_call=None if price is None else Decimal(price),
        pages=row.get("pages", 1),
        source=row["source"],
        date=row["date"],
    )

"""What CoinGecko says of the moment, narrowed: pages of listings, some of the prices, a coin's page without a part.

All of it needs a recording made at the world's clock. Rows and keys that are left are left as they were recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.coingecko_question import INCLUDED, PARTS, Question, question_of
from caia_replay.providers.endpoint import answered_at, content_of, derived

MOST_ROWS: Final = 250
_APART_S: Final = 60
"""How far apart pages may have been recorded to be one listing."""
_SUFFIXES: Final = {"_market_cap": INCLUDED[0], "_24h_vol": INCLUDED[1], "_24h_change": INCLUDED[2], "": None}
_STAMP: Final = "last_updated_at"


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive rows of one listing from place ``first`` on. ``ids`` are the coins it was limited to."""

    first: int
    rows: list[dict[str, Any]]
    is_end: bool
    ids: frozenset[str] | None
    found: Recorded


def narrow_rows(recorded: Sequence[Recorded], asked: Question) -> HttpReply:
    """A page of a listing, whole or of some ids, out of recorded pages of the same listing. Raises ``Miss``."""
    page, wanted = _page_of(asked), _ids_of(asked)
    runs = list(_runs(recorded))
    if page is not None:
        start, stop = page[0] * page[1], (page[0] + 1) * page[1]
        for run in runs:
            rows = _rows(run, wanted)
            if rows is None:
                continue
            first, is_end = (run.first, run.is_end) if run.ids == wanted else (0, True)
            if first <= start and (stop <= first + len(rows) or is_end):
                return derived(rows[start - first : stop - first], run.found.reply)
    have = (
        ", ".join(f"{run.first + 1} to {run.first + len(run.rows)}" for run in runs[:4])
        or "no page made at this moment"
    )
    raise Miss("http", asked.words(), f"recorded rows: {have}", have)


def narrow_prices(recorded: Sequence[Recorded], asked: Question) -> HttpReply:
    """Some coins, currencies and parts of recorded prices. Raises ``Miss``."""
    of = "ids" if asked.path[-1] == "price" else "contract_addresses"
    coins, currencies = asked.several(of), asked.several("vs_currencies")
    flags = [name for name in INCLUDED if asked.flag(name)]
    for found in recorded:
        question, content = question_of(found.request), content_of(found.reply)
        if not _is_table(content):
            continue
        whole = all(asked.flag(name) is not None and question.flag(name) is not None for name in INCLUDED)
        known = set(question.several(of)) >= set(coins) and all(question.flag(name) for name in flags)
        quoted = question.several("vs_currencies")
        # Names that come back in another spelling than they were asked in cannot be told apart here.
        known = known and set(content) <= set(question.several(of)) and all(name == name.lower() for name in quoted)
        if not (whole and known and set(quoted) >= set(currencies)) or "" in (
            *coins,
            *currencies,
        ):
            continue
        gone = _gone(quoted, currencies, flags)
        told = {
            coin: {name: value for name, value in row.items() if name not in gone}
            for coin, row in content.items()
            if coin in coins
        }
        return derived(told, found.reply)
    have = "; ".join(question_of(found.request).words() for found in recorded[:3]) or "none made at this moment"
    raise Miss("http", asked.words(), f"recorded prices: {have}", have)


def narrow_parts(recorded: Sequence[Recorded], asked: Question) -> HttpReply:
    """A coin's page, or the list of coins, without the parts that were not asked for. Raises ``Miss``."""
    names = (*PARTS, "sparkline") if asked.kind == "coin" else ("include_platform",)
    for found in recorded:
        question, content = question_of(found.request), content_of(found.reply)
        flags = {name: (asked.flag(name), question.flag(name)) for name in names}
        # Whoever has a part can leave it out; a word that is no boolean is not read.
        if any(None in pair or pair == (True, False) for pair in flags.values()):
            continue
        gone = {name for name, pair in flags.items() if pair == (False, True)}
        if asked.kind == "coins" and isinstance(content, list):
            rows = [{key: row[key] for key in row if key != "platforms"} if gone else row for row in content]
            return derived(rows, found.reply)
        if asked.kind == "coin" and isinstance(content, dict):
            page = {key: value for key, value in content.items() if key not in gone}
            if "sparkline" in gone and isinstance(page.get("market_data"), dict):
                page["market_data"] = {
                    key: page["market_data"][key] for key in page["market_data"] if key != "sparkline_7d"
                }
            return derived(page, found.reply)
    have = "; ".join(question_of(found.request).words() for found in recorded[:3]) or "none made at this moment"
    raise Miss("http", asked.words(), f"recorded: {have}", have)


def read(found: Recorded) -> Any:
    """What a recorded reply says; None for a refusal, and for what is no JSON."""
    try:
        return content_of(found.reply) if found.reply.status == 200 else None
    except Miss:
        return None


def next_page(asked: Question, reply: HttpReply) -> int | None:
    """The page after a full one; None after a short one or a refusal."""
    page, rows = _page_of(asked), read(Recorded(HttpRequest("GET", ""), reply))
    if page is None:
        return None
    return page[0] + 2 if isinstance(rows, list) and len(rows) >= page[1] else None


def _page_of(question: Question) -> tuple[int, int] | None:
    """A page's number, from 0, and its size; None where the vendor's bounds decide instead."""
    page, size = question.parameters.get("page", ""), question.parameters.get("per_page", "")
    if not (page.isdecimal() and size.isdecimal() and int(page) >= 1 and 1 <= int(size) <= MOST_ROWS):
        return None
    return int(page) - 1, int(size)


def _ids_of(question: Question) -> frozenset[str] | None:
    return frozenset(question.several("ids")) if "ids" in question.parameters else None


def _rows(run: Run, wanted: frozenset[str] | None) -> list[dict[str, Any]] | None:
    """All rows of a run that the ids leave, in its order; None where others may be missing."""
    if run.ids == wanted:
        return run.rows
    if wanted is None or "" in wanted:
        return None
    rows = [row for row in run.rows if row["id"] in wanted]
    if len(rows) == len(wanted):
        return rows
    # Of ids that were asked for and are not there the vendor has no row.
    complete = run.ids is not None and wanted <= run.ids and run.first == 0 and run.is_end
    return rows if complete else None


def _runs(recorded: Sequence[Recorded]) -> Iterator[Run]:
    """The listings that recorded pages make, longest first."""
    pages: dict[tuple[int, frozenset[str] | None], dict[int, Recorded]] = {}
    for found in recorded:
        question = question_of(found.request)
        page, rows = _page_of(question), content_of(found.reply)
        if page is not None and _is_rows(rows):
            pages.setdefault((page[1], _ids_of(question)), {}).setdefault(page[0], found)
    runs = []
    for (size, ids), found_at in pages.items():
        for number in sorted(found_at):
            chain, last = [found_at[number]], number
            while last + 1 in found_at and _follows(chain, found_at[last + 1], size):
                last += 1
                chain.append(found_at[last])
            rows = [row for found in chain for row in content_of(found.reply)]
            is_end = len(content_of(chain[-1].reply)) < size
            runs.append(Run(number * size, rows, is_end, ids, chain[0]))
    yield from sorted(runs, key=lambda run: -len(run.rows))


def _follows(chain: Sequence[Recorded], found: Recorded, size: int) -> bool:
    """Whether a page goes on where a chain of pages ends: full before, no row twice, recorded about then."""
    times = [answered_at(one.reply) or 0 for one in (*chain, found)]
    before = [row["id"] for one in chain for row in content_of(one.reply)]
    ids = [row["id"] for row in content_of(found.reply)]
    full = len(content_of(chain[-1].reply)) == size
    return full and not set(ids) & set(before) and max(times) - min(times) <= _APART_S


def _is_rows(rows: Any) -> bool:
    return isinstance(rows, list) and all(isinstance(row, dict) and isinstance(row.get("id"), str) for row in rows)


def _is_table(content: Any) -> bool:
    return isinstance(content, dict) and all(isinstance(row, dict) for row in content.values())


def _gone(quoted: Sequence[str], currencies: Sequence[str], flags: Sequence[str]) -> set[str]:
    """The keys of recorded price rows that were not asked for."""
    made: Mapping[str, bool] = {
        f"{currency}{suffix}": currency in currencies and (flag is None or flag in flags)
        for currency in quoted
        for suffix, flag in _SUFFIXES.items()
    }
    stamp = set() if INCLUDED[3] in flags else {_STAMP}
    return {name for name, is_wanted in made.items() if not is_wanted} | stamp

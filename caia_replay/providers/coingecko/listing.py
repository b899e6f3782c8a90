"""What CoinGecko says at the moment, narrowed: pages of listings, some of the prices, a coin's page without a part.

All of it needs a recording made at the world's clock. Rows and keys that are left are left as they were recorded.

Rows are counted from 0. A page that is not full is the end of its listing, unless any recorded page has rows from
further on: then the vendor left rows out of it, nobody knows which, and it tells of its coins but not of their places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.coingecko.reply import ParsedReply, is_stamped_after
from caia_replay.providers.coingecko.request import INCLUDED, PARTS, SPANS, CoinGeckoRequest, whole
from caia_replay.providers.endpoint import derived

MOST_ROWS: Final = 250
_APART_S: Final = 60
"""How far apart pages may have been recorded to be one listing."""

Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Page:
    """A recorded page whose first row has place ``first``; ``picked`` are its rows of the coins asked for."""

    first: int
    size: int
    rows: Rows
    picked: Rows
    recording: ParsedReply
    at: int

    @property
    def end(self) -> int:
        """The place after its last row."""
        return self.first + len(self.rows)


@dataclass(frozen=True, slots=True)
class Run:
    """Pages of one size that follow each other. ``ids`` are the coins their listing is limited to."""

    pages: Sequence[Page]
    ids: frozenset[str] | None
    is_end: bool
    end: int
    """The place up to which it is certain which row has which place."""

    @property
    def first(self) -> int:
        """The place of its first row."""
        return self.pages[0].first

    def rows(self, start: int, stop: int) -> Rows:
        """The rows from one place to before another, as far as there are any."""
        size = self.pages[0].size
        number, last = (start - self.first) // size, (stop - 1 - self.first) // size
        rows = [row for page in self.pages[number : last + 1] for row in page.rows]
        begin = start - self.first - number * size
        return rows[begin : begin + stop - start]


def narrow_rows(replies: Sequence[ParsedReply], asked: CoinGeckoRequest, now: int) -> HttpReply:
    """A page of a listing, whole or of some ids, out of recorded pages of the same listing. Raises ``Miss``."""
    page, wanted = _page_of(asked), _ids_of(asked)
    # Whoever has the change over a span can leave it out.
    replies = [one for one in replies if _spans_of(one.question) >= _spans_of(asked)]
    runs = _runs([one for one in replies if one.is_known(now)], wanted)
    # Pages of a moment before another are no part of what it says: the nearest that answers is the answer.
    runs.sort(key=lambda run: (max(page.recording.distance(now) for page in run.pages), -len(run.pages)))
    for run in runs if page is not None else ():
        rows = _rows(run, wanted, *page) if page is not None else None
        if rows is not None:
            # The plain change over 24 hours is in every row.
            spans = frozenset[str]().union(*(_spans_of(page.recording.question) for page in run.pages))
            gone = {f"{SPANS}_{span}_in_currency" for span in spans - _spans_of(asked)}
            rows = [{name: value for name, value in row.items() if name not in gone} for row in rows] if gone else rows
            return derived(rows, run.pages[0].recording.found.reply)
    have = ", ".join(f"{run.first + 1} to {run.pages[-1].end}" for run in runs[:4]) or "no page made at this moment"
    raise Miss("http", asked.words(), f"recorded rows: {have}", have)


def next_page(asked: CoinGeckoRequest, reply: HttpReply) -> int | None:
    """The page after a full one; None after a short one or a refusal."""
    page, rows = _page_of(asked), ParsedReply(Recorded(HttpRequest("GET", ""), reply), asked).content
    return page[0] + 2 if page is not None and isinstance(rows, list) and len(rows) >= page[1] else None


def _page_of(question: CoinGeckoRequest) -> tuple[int, int] | None:
    """A page's number, from 0, and its size; None where the vendor's bounds decide instead."""
    page, size = whole(question.parameters.get("page", "")), whole(question.parameters.get("per_page", ""))
    return None if not page or not size or size > MOST_ROWS else (page - 1, size)


def _ids_of(question: CoinGeckoRequest) -> frozenset[str] | None:
    return frozenset(question.several("ids")) if "ids" in question.parameters else None


def _spans_of(question: CoinGeckoRequest) -> frozenset[str]:
    return frozenset(question.several(SPANS)) - {""} if SPANS in question.parameters else frozenset()


def _rows(run: Run, wanted: frozenset[str] | None, number: int, size: int) -> Rows | None:
    """A page of what the ids leave of a run, in its order; None where others may be missing."""
    start, stop = number * size, (number + 1) * size
    if run.ids == wanted:
        return run.rows(start, stop) if run.first <= start and (stop <= run.end or run.is_end) else None
    if wanted is None or "" in wanted:
        return None
    rows = [row for page in run.pages for row in page.picked]
    # Of ids that were asked for and are not there the vendor has no row.
    complete = run.ids is not None and wanted <= run.ids and run.first == 0 and run.is_end
    return rows[start:stop] if complete or {row["id"] for row in rows} == wanted else None


def _runs(replies: Sequence[ParsedReply], wanted: frozenset[str] | None) -> list[Run]:
    """The listings that recorded pages make. Each page is read once, and is in the runs that it lengthens."""
    pages: dict[tuple[int, frozenset[str] | None], dict[int, Page]] = {}
    furthest: dict[frozenset[str] | None, int] = {}
    for one in replies:
        place, ids, rows = _page_of(one.question), _ids_of(one.question), one.content
        if place is None or one.at is None or not _is_rows(rows, place[1]):
            continue
        number, size = place
        picked = [row for row in rows if row["id"] in wanted] if wanted is not None else []
        page = Page(number * size, size, rows, picked, one, one.at)
        pages.setdefault((size, ids), {}).setdefault(number, page)
        furthest[ids] = max(furthest.get(ids, 0), page.end if rows else 0)
    runs = []
    for (size, ids), by_number in pages.items():
        for chain in _chains([by_number[number] for number in sorted(by_number)]):
            last = chain[-1]
            is_short, is_end = len(last.rows) < size, last.end >= furthest[ids]
            runs.append(Run(chain, ids, is_short and is_end, last.end if is_end or not is_short else last.first))
    return runs


def _chains(pages: Sequence[Page]) -> Iterator[Sequence[Page]]:
    """The longest rows of pages that are one listing: full but the last, about the same moment, no row twice."""
    start, where, times = 0, dict[str, int](), list[int]()
    for index, page in enumerate(pages):
        before = pages[index - 1] if index else page
        begin = max((where.get(row["id"], -1) + 1 for row in page.rows), default=0)
        begin = max(start, begin, _since(times, start, page.at))
        if index and (before.end != page.first or len(before.rows) < before.size):
            begin = index
        if begin > start:
            yield pages[start:index]
            start = begin
        where |= {row["id"]: index for row in page.rows}
        times.append(page.at)
    if pages:
        yield pages[start:]


def _since(times: Sequence[int], start: int, at: int) -> int:
    """The first of consecutive pages from which on all were made about ``at``."""
    for index in range(len(times) - 1, start - 1, -1):
        if abs(times[index] - at) > _APART_S:
            return index + 1
    return start


def _is_rows(rows: Any, most: int) -> bool:
    """Whether this is a page of at most so many rows, each with an id of its own."""
    if not isinstance(rows, list) or len(rows) > most:
        return False
    ids = [row.get("id") if isinstance(row, dict) else None for row in rows]
    return all(isinstance(id, str) for id in ids) and len(set(ids)) == len(ids)


_TEXTS: Final = "localization"
_ENGLISH: Final = "en"

_SUFFIXES: Final = {"_market_cap": INCLUDED[0], "_24h_vol": INCLUDED[1], "_24h_change": INCLUDED[2], "": None}
_STAMP: Final = "last_updated_at"


def narrow_prices(replies: Sequence[ParsedReply], asked: CoinGeckoRequest, now: int) -> HttpReply:
    """Some coins, currencies and parts of recorded prices. Raises ``Miss``."""
    of = "ids" if asked.path[-1] == "price" else "contract_addresses"
    coins, currencies = asked.several(of), asked.several("vs_currencies")
    flags = [name for name in INCLUDED if asked.flag(name)]
    for one in replies:
        question, content = one.question, one.content
        whole = all(asked.flag(name) is not None and question.flag(name) is not None for name in INCLUDED)
        known = set(question.several(of)) >= set(coins) and all(question.flag(name) for name in flags)
        quoted = question.several("vs_currencies")
        # Names that come back in another spelling than they were asked in cannot be told apart here.
        known = known and set(content) <= set(question.several(of)) and all(name == name.lower() for name in quoted)
        if not (whole and known and set(quoted) >= set(currencies)) or "" in (*coins, *currencies):
            continue
        rows = {coin: row for coin, row in content.items() if coin in coins}
        # Each coin's price has a moment of its own, and says so even to those who did not ask when.
        if is_stamped_after(rows, one.at, now):
            continue
        gone = _gone(quoted, currencies, flags)
        return derived(
            {coin: {name: value for name, value in row.items() if name not in gone} for coin, row in rows.items()},
            one.found.reply,
        )
    have = "; ".join(one.question.words() for one in replies[:3]) or "none made at this moment"
    raise Miss("http", asked.words(), f"recorded prices: {have}", have)


def narrow_parts(replies: Sequence[ParsedReply], asked: CoinGeckoRequest, now: int) -> HttpReply:
    """A coin's page, or the list of coins, without the parts that were not asked for. Raises ``Miss``."""
    names = (*PARTS, "sparkline", _TEXTS) if asked.kind == "coin" else ("include_platform",)
    for one in replies:
        flags = {name: (asked.flag(name), one.question.flag(name)) for name in names}
        # Whoever has a part can leave it out; a word that is no boolean is not read.
        if any(None in pair or pair == (True, False) for pair in flags.values()) or not one.is_known(now):
            continue
        gone = {name for name, pair in flags.items() if pair == (False, True)}
        content = (_list if asked.kind == "coins" else _page)(one.content, asked, gone)
        if content is not None:
            return derived(content, one.found.reply)
    have = "; ".join(one.question.words() for one in replies[:3]) or "none made at this moment"
    raise Miss("http", asked.words(), f"recorded: {have}", have)


def _list(rows: list[Any], asked: CoinGeckoRequest, gone: set[str]) -> list[Any] | None:
    """The list of coins, with or without where they are; None where a row is no coin."""
    if not all(isinstance(row, dict) and isinstance(row.get("id"), str) for row in rows):
        return None
    return [{key: row[key] for key in row if key != "platforms"} if gone else row for row in rows]


def _page(content: dict[str, Any], asked: CoinGeckoRequest, gone: set[str]) -> dict[str, Any] | None:
    """A coin's page without some parts; None where it is another coin's.

    The vendor does not say in which language a text is told that is told in one, so one in several is not cut.
    """
    told = content.get("description")
    if content["id"] != asked.path[1] or (_TEXTS in gone and (not isinstance(told, dict) or set(told) != {_ENGLISH})):
        return None
    page = {key: value for key, value in content.items() if key not in gone}
    if "sparkline" in gone and isinstance(figures := page.get("market_data"), dict):
        page["market_data"] = {key: figures[key] for key in figures if key != "sparkline_7d"}
    return page


def _gone(quoted: Sequence[str], currencies: Sequence[str], flags: Sequence[str]) -> set[str]:
    """The keys of recorded price rows that were not asked for."""
    made: Mapping[str, bool] = {
        f"{currency}{suffix}": currency in currencies and (flag is None or flag in flags)
        for currency in quoted
        for suffix, flag in _SUFFIXES.items()
    }
    stamp = set() if INCLUDED[3] in flags else {_STAMP}
    return {name for name, is_wanted in made.items() if not is_wanted} | stamp

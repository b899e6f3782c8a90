"""Binance's market data, spot and USD-margined futures: what is worth recording of it, and what recordings hold.

    GET https://api.binance.com/api/v3/klines?symbol=...&interval=1h&startTime=...&endTime=...&limit=1000
    [[open time, "open", "high", "low", "close", "volume", close time, "quote volume", trades, "...", "...", "0"], ...]

Three kinds of endpoint: rows on a grid (candles, statistics), funding payments, and what is the case now. The vendor's
hosts of spot data say the same and are one. Errors are handed out for the very question they were recorded for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import AsOfFilter, HttpReply, HttpRequest, Provider, Recorded
from caia_replay.core.tool import Authority
from caia_replay.errors import Miss
from caia_replay.providers.as_of import listed, mapped, named
from caia_replay.providers.binance.interval import STEPS_MS
from caia_replay.providers.binance.klines import GridKind, funding_cells, grid_cells, rows_of, tapes_of
from caia_replay.providers.binance.now import (
    SYMBOLS,
    answered_now,
    apart,
    gone,
    is_later,
    newest_of,
    part_of_book,
    said,
    some_of_all,
    stands,
)
from caia_replay.providers.binance.series import (
    WINDOW,
    Stretch,
    fits,
    held,
    joined,
    number_of,
    picked,
    window_of,
)
from caia_replay.providers.endpoint import Endpoint, answered_at, derived, endpoint_of, is_of_now, reads_from, utc

_MARKET: Final = ("symbol", "pair", "contractType", "baseAsset", "quoteAsset", "marginAsset", "onboardDate")
_PERPETUAL: Final = "PERPETUAL"

SPOT: Final = "https://api.binance.com"
SPOT_DATA: Final = "https://data-api.binance.vision"
FUTURES: Final = "https://fapi.binance.com"
FUNDING: Final = GridKind("", 100, 1000, strict=True)
BOOK_MOST: Final = 5000

_STATISTICS: Final = ("openInterestHist", "globalLongShortAccountRatio", "topLongShortAccountRatio",
                      "topLongShortPositionRatio", "takerlongshortRatio")  # fmt: skip
_INTERVALS: Final = frozenset(STEPS_MS) - {"1s"}
_PERIODS: Final = _INTERVALS - {"1m", "3m", "8h", "3d", "1w", "1M"}
_GRIDS: Final = {
    "/api/v3/klines": GridKind("interval", 500, 1000, adds_up=True, zones=True),
    "/api/v3/uiKlines": GridKind("interval", 500, 1000, zones=True),
    "/fapi/v1/klines": GridKind("interval", 500, 1500, strict=True, adds_up=True, words=_INTERVALS),
    "/fapi/v1/markPriceKlines": GridKind("interval", 500, 1500, strict=True, words=_INTERVALS),
    "/fapi/v1/indexPriceKlines": GridKind("interval", 500, 1500, strict=True, words=_INTERVALS),
    **{f"/futures/data/{name}": GridKind("period", 30, 500, strict=True, forgets=True, sure=False, words=_PERIODS)
       for name in _STATISTICS},
}  # fmt: skip
_LISTS: Final = frozenset(
    [f"/api/v3/{name}" for name in ("exchangeInfo", "ticker/24hr", "ticker/price", "ticker/bookTicker")]
    + [f"/fapi/{name}" for name in ("v1/ticker/24hr", "v1/ticker/price", "v2/ticker/price", "v1/premiumIndex")]
)
_FUNDING: Final = "/fapi/v1/fundingRate"
_BOOK: Final = "/api/v3/depth"
_TRADES: Final = ("/api/v3/trades", "/api/v3/aggTrades")
_PINGS: Final = ("/api/v3/ping", "/fapi/v1/ping")


class BinanceProvider(Provider):
    """One of the two markets. Made by ``spot`` and ``futures``."""

    authority: Authority = "authoritative"
    ignored_parameters: frozenset[str] = frozenset({"timestamp", "recvWindow", "signature"})

    def __init__(self, name: str, origins: Sequence[str], *paths: str) -> None:
        self.name = name
        self._origins = tuple(origins)
        self._paths = paths

    def match(self, request: HttpRequest) -> bool:
        """Whether the request reads this market's data."""
        return reads_from(request, *self._origins) and urlsplit(request.url).path.startswith(self._paths)

    def family(self, request: HttpRequest) -> str:
        """The endpoint and every parameter but window, grid and limit, or, in lists, but the symbols."""
        asked = self._asked(request)
        return asked.words(*_left_out(asked.path))

    def widen(self, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
        """Whole cells of a series up to ``now``, whole lists, the deepest book; a wrong question as it is."""
        asked = self._asked(request)
        kind = _GRIDS.get(asked.path)
        if kind is not None:
            wide: Sequence[Mapping[str, str]] = grid_cells(kind, asked, now)
        elif asked.path == _FUNDING and asked.parameters.get("symbol"):
            wide = funding_cells(FUNDING, asked, now)
        elif asked.path in _LISTS:
            wide = [asked.without(*_symbols(asked.path))]
        elif asked.path == _BOOK:
            wide = [asked.without("limit") | {"limit": str(BOOK_MOST)}]
        else:
            wide = [asked.parameters]
        origin = f"https://{urlsplit(request.url).netloc}"
        return [_request(origin, asked.path, parameters) for parameters in wide]

    def as_of(self, request: HttpRequest) -> AsOfFilter | None:
        """Which markets there are, and of which assets: limits, filters, states and the server's time are of now.

        Contracts with a date of delivery are left out: their type changes every quarter. One that is being delivered
        was perpetual until then, and bears no type.
        """
        return _markets if endpoint_of(request).path in ("/api/v3/exchangeInfo", "/fapi/v1/exchangeInfo") else None

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """The rows, the entry or the offers that are asked for, as the vendor would tell them at ``now``."""
        asked, value = self._asked(request), []
        for made in recorded:
            with suppress(Miss):  # a request that cannot be read says nothing of this one
                value.append((made, self._asked(made.request)))
        same = [made for made, question in value if question.parameters == asked.parameters]
        if _is_sound(asked):
            refusal = gone((made for made, _ in value), now, f"{asked.words()} at {utc(now)}")
            if refusal is not None:
                return refusal
        try:
            return _derived(value, asked, same, now)
        except Miss:
            for made in sorted(same, key=lambda made: apart(made, now)):
                if stands(made, _is_backwards(asked), now):
                    return made.reply
            raise

    def _asked(self, request: HttpRequest) -> Endpoint:
        """A request by its parts; the vendor's hosts of one market are one, and a caller's own stamps are gone."""
        asked = endpoint_of(request)
        return Endpoint(self._origins[0], asked.path, asked.without(*self.ignored_parameters))


def spot() -> BinanceProvider:
    """The spot market's provider."""
    others = [f"https://api{name}.binance.com" for name in ("1", "2", "3", "4", "-gcp")]
    return BinanceProvider("binance_spot", (SPOT, SPOT_DATA, *others), "/api/v3/")


def futures() -> BinanceProvider:
    """The provider of USD-margined futures."""
    return BinanceProvider("binance_futures", (FUTURES,), "/fapi/", "/futures/data/")


def _symbols(path: str) -> Sequence[str]:
    """The parameters that name symbols; futures have none for several."""
    return SYMBOLS if path.startswith("/api/") else SYMBOLS[:1]


def _left_out(path: str) -> Sequence[str]:
    """The parameters that requests of one family may differ in."""
    kind = _GRIDS.get(path)
    if kind is not None:
        return (*WINDOW, "timeZone", "interval") if kind.word == "interval" else (*WINDOW, kind.word)
    if path == _FUNDING:
        return WINDOW
    if path in _LISTS:
        return _symbols(path)
    return ("limit",) if path in (_BOOK, *_TRADES) else ()


def _is_sound(asked: Endpoint) -> bool:
    """Whether a question about a series can be refused for its symbol alone, whatever its window."""
    kind = _GRIDS.get(asked.path)
    if kind is None:
        return asked.path == _FUNDING and FUNDING.window(asked) is not None
    return kind.grid(asked) is not None and kind.window(asked) is not None


def _is_backwards(asked: Endpoint) -> bool:
    """Whether a question's window ends before it starts: nothing is in it at any moment."""
    start, end = (number_of(asked.parameters.get(name, "")) for name in WINDOW[:2])
    return asked.path in _GRIDS and start is not None and end is not None and start > end


def _derived(
    items: Sequence[tuple[Recorded, Endpoint]], asked: Endpoint, same: Sequence[Recorded], now: int
) -> HttpReply:
    answers = [pair for pair in items if pair[0].reply.status == 200]
    kind = _GRIDS.get(asked.path)
    if kind is not None:
        tapes = tapes_of(kind, answers, now)
        return _handed(rows_of(kind, tapes, asked, now), same, tapes[0].reply)
    if asked.path == _FUNDING and asked.parameters.get("symbol"):
        return _payments(answers, asked, same, now)
    if asked.path in _LISTS:
        return some_of_all(answers, asked, now, _symbols(asked.path))
    if asked.path == _BOOK:
        return part_of_book(answers, asked, now, BOOK_MOST)
    if asked.path in _TRADES:
        return newest_of(answers, asked, now)
    for made in same:
        if asked.path in _PINGS and said(made.reply) is not None:
            return made.reply
    for made, question, content in answered_now(answers, now):
        if question.parameters == asked.parameters and not is_later(content, now):
            return made.reply
    raise Miss("http", f"{asked.words()} at {utc(now)}", "not recorded at that moment")


def _markets(content: Any, made: int, now: int) -> dict[str, Any]:
    """The perpetual contracts and spot markets that do not say of themselves (``onboardDate``) that they came later."""
    kept = []
    for row in (named(row, _MARKET) for row in listed(mapped(content)["symbols"])):
        began, kind = row.get("onboardDate"), row.get("contractType", _PERPETUAL)
        if (type(began) is int and began >= (now + 1) * 1_000) or not isinstance(kind, str) or _PERPETUAL not in kind:
            continue
        if not kind.endswith(_PERPETUAL):
            del row["contractType"]
        kept.append(row)
    return {"timezone": "UTC", "symbols": kept}


def _payments(
    answers: Sequence[tuple[Recorded, Endpoint]], asked: Endpoint, same: Sequence[Recorded], now: int
) -> HttpReply:
    """Funding payments in a window; they come when they come, so that no grid is taken for granted."""
    window, what = FUNDING.window(asked), f"{asked.words()} at {utc(now)}"
    if window is None:
        raise Miss("http", what, "a question the vendor refuses: recorded answers only")
    pieces, begun = [], False
    for made, question in answers:
        recorded, at = window_of(question, FUNDING.default), answered_at(made.reply)
        try:
            content = strict_json(made.reply.body)
            rows = dict(sorted((int(row["fundingTime"]), row) for row in content))
        except (ValueError, KeyError, TypeError, OverflowError):
            continue
        times, made_ms = list(rows), None if at is None else at * 1000
        if recorded is None or not isinstance(content, list) or len(rows) != len(content):
            continue
        if not fits(recorded, times, made_ms):
            continue
        pieces.append(Stretch(*held(recorded, times, made_ms, FUNDING.most), rows, made.reply))
        begun = begun or is_of_now(made, now) or any(time <= now * 1000 for time in rows)
    if not begun:
        raise Miss("http", what, "no recording shows that the market was there at that moment")
    top = window.top(now * 1000)
    spans, found = joined(pieces, what, window.start or 0, top)
    return _handed(picked(window, top, spans, found, limit=window.limit, lowest=0, what=what), same, pieces[0].reply)


def _handed(rows: list[Any], same: Sequence[Recorded], like: HttpReply) -> HttpReply:
    """The recording that says exactly this, or the rows as a reply of their own."""
    wanted = canonical_bytes(rows)
    for made in same:
        content = said(made.reply)
        if content is not None and canonical_bytes(content) == wanted:
            return made.reply
    return derived(rows, like)


def _request(origin: str, path: str, parameters: Mapping[str, str]) -> HttpRequest:
    query = urlencode(sorted(parameters.items()), errors="surrogatepass")
    return HttpRequest("GET", f"{origin}{path}?{query}" if query else f"{origin}{path}")

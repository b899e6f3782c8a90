"""Binance's market data, spot and USD-margined futures: what is worth recording of it, and what recordings hold.

    GET https://api.binance.com/api/v3/klines?symbol=...&interval=1h&startTime=...&endTime=...&limit=1000
    [[open time, "open", "high", "low", "close", "volume", close time, "quote volume", trades, "...", "...", "0"], ...]

Three kinds of endpoint: rows on a grid (candles, statistics), funding payments, and what is the case now. The vendor's
hosts of spot data say the same and are one. Errors are handed out for the very question they were recorded for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.tool import Authority
from caia_replay.errors import Miss
from caia_replay.providers.binance_cells import funding_cells, grid_cells
from caia_replay.providers.binance_klines import GridKind, rows_of, tapes_of
from caia_replay.providers.binance_now import SYMBOLS, answered_now, part_of_book, some_of_all
from caia_replay.providers.binance_series import WINDOW, Stretch, held, joined, picked, window_of
from caia_replay.providers.endpoint import Endpoint, answered_at, derived, endpoint_of, is_of_now, utc

SPOT: Final = "https://api.binance.com"
SPOT_DATA: Final = "https://data-api.binance.vision"
FUTURES: Final = "https://fapi.binance.com"
FUNDING: Final = GridKind("", 100, 1000, strict=True)
BOOK_MOST: Final = 5000

_SPOT_GRIDS: Final = {
    "/api/v3/klines": GridKind("interval", 500, 1000, adds_up=True),
    "/api/v3/uiKlines": GridKind("interval", 500, 1000),
}
_STATISTICS: Final = ("openInterestHist", "globalLongShortAccountRatio", "topLongShortAccountRatio",
                      "topLongShortPositionRatio", "takerlongshortRatio")  # fmt: skip
_FUTURES_GRIDS: Final = {
    "/fapi/v1/klines": GridKind("interval", 500, 1500, strict=True, adds_up=True),
    "/fapi/v1/markPriceKlines": GridKind("interval", 500, 1500, strict=True),
    "/fapi/v1/indexPriceKlines": GridKind("interval", 500, 1500, strict=True),
    **{f"/futures/data/{name}": GridKind("period", 30, 500, strict=True, forgets=True, sure=False)
       for name in _STATISTICS},
}  # fmt: skip
_SPOT_LISTS: Final = frozenset(
    f"/api/v3/{name}" for name in ("exchangeInfo", "ticker/24hr", "ticker/price", "ticker/bookTicker")
)
_FUTURES_LISTS: Final = frozenset(
    f"/fapi/{name}" for name in ("v1/ticker/24hr", "v1/ticker/price", "v2/ticker/price", "v1/premiumIndex")
)
_NO_SYMBOL: Final = -1121
_CHANGING: Final = frozenset({_NO_SYMBOL, -1122, -1127, -1130})
"""Errors that may be none at another moment: a symbol comes and goes, and a window grows too old."""
_LATER: Final = frozenset({418, 429})


class BinanceProvider:
    """One of the two markets. Made by ``spot`` and ``futures``."""

    authority: Authority = "authoritative"
    ignored_parameters: frozenset[str] = frozenset({"timestamp", "recvWindow", "signature"})
    has_other_sources = False

    def __init__(
        self, name: str, origins: Sequence[str], paths: Sequence[str], grids: Mapping[str, GridKind],
        lists: frozenset[str], funding: str = "", book: str = "", ping: str = "",
    ) -> None:  # fmt: skip
        self.name = name
        self._origins = tuple(origins)
        self._paths = tuple(paths)
        self._grids = grids
        self._lists = lists
        self._funding, self._book, self._ping = funding, book, ping

    def match(self, request: HttpRequest) -> bool:
        """Whether the request reads this market's data."""
        parts = urlsplit(request.url)
        return (
            request.method == "GET"
            and f"{parts.scheme}://{parts.netloc}".lower() in self._origins
            and parts.path.startswith(self._paths)
        )

    def family(self, request: HttpRequest) -> str:
        """The endpoint and every parameter but window, grid and limit, or, in lists, but the symbols."""
        asked = self._asked(request)
        return asked.words(*self._left_out(asked.path))

    def widen(self, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
        """Whole cells of a series up to ``now``, whole lists, the deepest book; a wrong question as it is."""
        asked = self._asked(request)
        kind = self._grids.get(asked.path)
        if kind is not None:
            wide: Sequence[Mapping[str, str]] = grid_cells(kind, asked, now)
        elif asked.path == self._funding and asked.parameters.get("symbol"):
            wide = funding_cells(FUNDING, asked, now)
        elif asked.path in self._lists:
            wide = [asked.without(*SYMBOLS)]
        elif asked.path == self._book:
            wide = [asked.without("limit") | {"limit": str(BOOK_MOST)}]
        else:
            wide = [asked.parameters]
        origin = f"https://{urlsplit(request.url).netloc}"
        return [_request(origin, asked.path, parameters) for parameters in wide]

    def follow(self, request: HttpRequest, reply: HttpReply) -> HttpRequest | None:
        """A list that does not know a symbol, and an error, are followed by nothing."""
        return None

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """The rows, the entry or the offers that are asked for, as the vendor would tell them at ``now``."""
        asked = self._asked(request)
        told = [(made, self._asked(made.request)) for made in recorded]
        same = [made for made, question in told if question.parameters == asked.parameters]
        try:
            return self._derived(told, asked, same, now)
        except Miss:
            for made in same:
                if _stands(made, self._is_backwards(asked), now):
                    return made.reply
            for made, _ in told if self._is_sound(asked) else ():
                if _code(made.reply) == _NO_SYMBOL and is_of_now(made, now):
                    return made.reply
            raise

    def _derived(
        self, told: Sequence[tuple[Recorded, Endpoint]], asked: Endpoint, same: Sequence[Recorded], now: int
    ) -> HttpReply:
        answers = [pair for pair in told if pair[0].reply.status == 200]
        kind = self._grids.get(asked.path)
        if kind is not None:
            tapes = tapes_of(kind, answers, now)
            return _handed(rows_of(kind, tapes, asked, now), same, [made for made, _ in answers])
        if asked.path == self._funding and asked.parameters.get("symbol"):
            return _handed(_payments(answers, asked, now), same, [made for made, _ in answers])
        if asked.path in self._lists:
            return some_of_all(answers, asked, now)
        if asked.path == self._book:
            return part_of_book(answers, asked, now, BOOK_MOST)
        for made in same:
            if made.reply.status == 200 and asked.path == self._ping:
                return made.reply
        for made, question in answered_now(answers, now):
            if question.parameters == asked.parameters:
                return made.reply
        raise Miss("http", f"{asked.words()} at {utc(now)}", "not recorded at that moment")

    def _asked(self, request: HttpRequest) -> Endpoint:
        """A request by its parts; the vendor's hosts of one market are one, and a caller's own stamps are gone."""
        asked = endpoint_of(request)
        return Endpoint(self._origins[0], asked.path, asked.without(*self.ignored_parameters))

    def _left_out(self, path: str) -> tuple[str, ...]:
        kind = self._grids.get(path)
        if kind is not None:
            return (*WINDOW, "timeZone", "interval") if kind.word == "interval" else (*WINDOW, kind.word)
        if path == self._funding:
            return WINDOW
        if path in self._lists:
            return SYMBOLS
        return ("limit",) if path == self._book else ()

    def _is_sound(self, asked: Endpoint) -> bool:
        """Whether a question about a series can be refused for its symbol alone, whatever its window."""
        kind = self._grids.get(asked.path)
        if kind is None:
            return asked.path == self._funding and FUNDING.window(asked) is not None
        return kind.grid(asked) is not None and kind.window(asked) is not None

    def _is_backwards(self, asked: Endpoint) -> bool:
        """Whether a question's window ends before it starts: nothing is in it at any moment."""
        start, end = asked.parameters.get("startTime", ""), asked.parameters.get("endTime", "")
        return asked.path in self._grids and start.isdigit() and end.isdigit() and int(start) > int(end)


def spot() -> BinanceProvider:
    """The spot market's provider."""
    others = [f"https://api{name}.binance.com" for name in ("1", "2", "3", "4", "-gcp")]
    return BinanceProvider("binance_spot", (SPOT, SPOT_DATA, *others), ("/api/v3/",), _SPOT_GRIDS, _SPOT_LISTS,
                           book="/api/v3/depth", ping="/api/v3/ping")  # fmt: skip


def futures() -> BinanceProvider:
    """The provider of USD-margined futures."""
    return BinanceProvider("binance_futures", (FUTURES,), ("/fapi/", "/futures/data/"), _FUTURES_GRIDS, _FUTURES_LISTS,
                           funding="/fapi/v1/fundingRate", ping="/fapi/v1/ping")  # fmt: skip


def _payments(answers: Sequence[tuple[Recorded, Endpoint]], asked: Endpoint, now: int) -> list[Any]:
    """Funding payments in a window; they come when they come, so that no grid is taken for granted."""
    window, what = FUNDING.window(asked), f"{asked.words()} at {utc(now)}"
    if window is None:
        raise Miss("http", what, "a question the vendor refuses: recorded answers only")
    pieces, begun = [], False
    for made, question in answers:
        recorded = window_of(question, FUNDING.default)
        try:
            content = strict_json(made.reply.body)
            rows = {int(row["fundingTime"]): row for row in content}
        except (ValueError, KeyError, TypeError):
            continue
        if recorded is None or not isinstance(content, list) or len(rows) != len(content):
            continue
        at = answered_at(made.reply)
        low, high = held(recorded, sorted(rows), None if at is None else at * 1000, FUNDING.most)
        pieces.append(Stretch(low, high, rows, made.reply))
        begun = begun or is_of_now(made, now) or any(time <= now * 1000 for time in rows)
    if not begun:
        raise Miss("http", what, "no recording shows that the market was there at that moment")
    top = window.top(now * 1000)
    return picked(window, top, *joined(pieces, what), limit=window.limit, lowest=0, what=what)


def _handed(rows: list[Any], same: Sequence[Recorded], answers: Sequence[Recorded]) -> HttpReply:
    """The recording that says exactly this, or the rows as a reply of their own."""
    wanted = canonical_bytes(rows)
    for made in same:
        if made.reply.status == 200 and canonical_bytes(strict_json(made.reply.body)) == wanted:
            return made.reply
    return derived(rows, answers[0].reply)


def _stands(made: Recorded, backwards: bool, now: int) -> bool:
    """Whether a recorded answer to the very question holds at ``now`` though nothing was derived."""
    if made.reply.status == 200:
        return backwards and made.reply.body.strip() == b"[]"
    if not 400 <= made.reply.status < 500 or made.reply.status in _LATER:
        return False
    code = _code(made.reply)
    return is_of_now(made, now) or (code is not None and code not in _CHANGING)


def _code(reply: HttpReply) -> int | None:
    """The vendor's number of an error; None for any other reply."""
    try:
        code = strict_json(reply.body)["code"] if reply.status == 400 else None
    except (ValueError, KeyError, TypeError):
        return None
    return code if type(code) is int else None


def _request(origin: str, path: str, parameters: Mapping[str, str]) -> HttpRequest:
    query = urlencode(sorted(parameters.items()))
    return HttpRequest("GET", f"{origin}{path}?{query}" if query else f"{origin}{path}")

"""Recordings of the Binance markets as strangers and the recorder would leave them, and questions about them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from hypothesis import strategies as st

from caia_replay.core.provider import HttpRequest, Provider
from caia_replay.providers.binance.provider import FUTURES, SPOT
from caia_worldgen.market.book import MarketBook
from caia_worldgen.services.service import Service
from tests.binance_law import DAY, HOUR, STEPS, Counted, Shape, World, payments_held, record, request
from tests.provider_law import live

KLINES = Shape(500, 1000, adds_up=True)
CONTRACT = Shape(500, 1500, adds_up=True)
MARK = Shape(500, 1500)
FUNDING = Shape(100, 1000, shown_ms=0)
HELD = Shape(30, 500, shown_ms=0, days=30, word="period")
TAKEN = Shape(30, 500, shown_ms=-1, days=30, word="period")
SPOT_SERIES = {"/api/v3/klines": KLINES, "/api/v3/uiKlines": Shape(500, 1000)}
FUTURES_SERIES = {"/fapi/v1/klines": CONTRACT, "/fapi/v1/markPriceKlines": MARK, "/fapi/v1/indexPriceKlines": MARK,
                  "/fapi/v1/fundingRate": FUNDING, "/futures/data/openInterestHist": HELD,
                  "/futures/data/globalLongShortAccountRatio": HELD, "/futures/data/topLongShortAccountRatio": HELD,
                  "/futures/data/topLongShortPositionRatio": HELD,
                  "/futures/data/takerlongshortRatio": TAKEN}  # fmt: skip
_SPREAD = 0x9E3779B97F4A7C15
SPOT_LISTS = ("exchangeInfo", "ticker/24hr", "ticker/price", "ticker/bookTicker")
FUTURES_LISTS = ("v1/ticker/24hr", "v1/ticker/price", "v1/premiumIndex")


def names(book: MarketBook) -> tuple[str, str, str]:
    """Three symbols: two that were there from the story's first day, and one that came later."""
    dollar = next(coin.symbol for coin in book.coins if coin.role == "dollar").upper()
    traded = sorted((coin for coin in book.coins if coin.traded), key=lambda coin: (coin.listed_at, coin.id))
    first, second, late = traded[0], traded[1], traded[-1]
    assert first.listed_at == second.listed_at < late.listed_at
    return tuple(f"{coin.symbol.upper()}{dollar}" for coin in (first, second, late))  # type: ignore[return-value]


def listed_at(book: MarketBook, name: str) -> int:
    """When a symbol was listed; never, for one that is none."""
    dollar = next(coin.symbol for coin in book.coins if coin.role == "dollar").upper()
    return next((coin.listed_at for coin in book.coins if f"{coin.symbol.upper()}{dollar}" == name), 1 << 50)


def moments(book: MarketBook) -> list[int]:
    """An hour's first second, the middle of an hour, an odd second, and the story's end."""
    first = book.prices.first
    days = ((80, 8 * 3600), (97, 5 * 3600 + 1817), (41, 23 * 3600 + 59))
    return [*(first + day * 86_400 + seconds for day, seconds in days), book.prices.end - 1]


def spot_worlds(service: Service, provider: Provider, book: MarketBook) -> list[World]:
    """One world for each moment: pieces recorded at the story's end, and what is recorded at the moment itself."""
    first, end = book.prices.first * 1000, book.prices.end - 1
    one, two, late = names(book)
    worlds = []
    for now in moments(book):
        world, path = World(now, []), "/api/v3/klines"

        def add(made: int, wide: bool, path: str, world: World = world, **asked: Any) -> None:
            record(world, service, provider, [request(SPOT, path, asked)], made, wide)

        for day in range(0, 127, 40):
            add(end, True, path, symbol=one, interval="1h", startTime=first + day * DAY, limit=960)
        add(end, False, path, symbol=one, interval="15m", startTime=first + 20 * DAY + 60_000, limit=900)
        add(end, False, path, symbol=one, interval="1d", limit=1000)
        add(end, False, path, symbol=one, interval="1d", timeZone="8", limit=70)
        add(end, False, path, symbol=two, interval="1h", startTime=first + 20 * DAY, limit=700)
        bounds = {"startTime": first + 30 * DAY, "endTime": first + 60 * DAY}
        add(end, False, path, symbol=two, interval="1h", limit=1000, **bounds)
        add(end, False, path, symbol=two, interval="1h", startTime=first + 70 * DAY + 1, limit=480)
        add(end, False, path, symbol=two, interval="1w", startTime=0, limit=1000)
        add(end, True, path, symbol=late, interval="1h", startTime=0, limit=1000)
        add(end, False, "/api/v3/uiKlines", symbol=two, interval="1h", startTime=first + 20 * DAY, limit=1000)
        for interval in ("1h", "1d"):
            add(now, True, path, symbol=one, interval=interval)
        add(now, False, path, symbol=two, interval="4h", limit=90)
        add(now, False, path, symbol=late, interval="30m", limit=48)
        add(now, False, path, symbol="NOSUCHCOIN", interval="1d")
        for name in SPOT_LISTS:
            add(now, True, f"/api/v3/{name}")
            add(end, True, f"/api/v3/{name}")
        add(now, False, "/api/v3/depth", symbol=two, limit=15)
        add(now, False, "/api/v3/aggTrades", symbol=two)
        add(now, False, "/api/v3/avgPrice", symbol=one)
        worlds.append(world)
    return worlds


def futures_worlds(service: Service, provider: Provider, book: MarketBook) -> list[World]:
    """As for spot, with funding and the statistics of which the vendor keeps thirty days."""
    first, end = book.prices.first * 1000, book.prices.end - 1
    one, two, late = names(book)
    worlds = []
    for now in moments(book):
        world = World(now, [])

        def add(made: int, wide: bool, path: str, world: World = world, **asked: Any) -> None:
            record(world, service, provider, [request(FUTURES, path, asked)], made, wide)

        for day in range(0, 127, 60):
            add(end, True, "/fapi/v1/klines", symbol=one, interval="1h", startTime=first + day * DAY, limit=1440)
        add(end, False, "/fapi/v1/klines", symbol=two, interval="4h", startTime=first + 10 * DAY, limit=400)
        add(end, False, "/fapi/v1/markPriceKlines", symbol=one, interval="1h", startTime=first, limit=1500)
        add(end, False, "/fapi/v1/markPriceKlines", symbol=one, interval="1h", limit=1500)
        add(end, False, "/fapi/v1/indexPriceKlines", pair=one, interval="4h", startTime=0, limit=1500)
        add(end, True, "/fapi/v1/fundingRate", symbol=one, startTime=first, limit=1000)
        add(end, False, "/fapi/v1/fundingRate", symbol=two, startTime=first + 9 * DAY, limit=150)
        add(end, False, "/fapi/v1/fundingRate", symbol=two, startTime=first + 70 * DAY, endTime=first + 100 * DAY)
        add(end, True, "/fapi/v1/fundingRate", symbol=late, startTime=0, limit=1000)
        add(now, True, "/fapi/v1/klines", symbol=one, interval="1h", limit=1500)
        add(now, True, "/fapi/v1/fundingRate", symbol=late)
        add(now, True, "/fapi/v1/markPriceKlines", symbol=one, interval="1h")
        add(now, True, "/fapi/v1/fundingRate", symbol=one)
        add(now, False, "/fapi/v1/klines", symbol="NOSUCHCOIN", interval="1d")
        for path, shape in FUTURES_SERIES.items():
            if shape.days:
                add(now, True, path, symbol=one, period="1h", limit=500, startTime=now * 1000 - 29 * DAY)
                add(now, True, path, symbol=one, period="1h")
                add(now - 5 * 86_400, False, path, symbol=two, period="1h", limit=200)
                add(now, False, path, symbol=two, period="4h", startTime=now * 1000 - 28 * DAY, limit=500)
                add(now, False, path, symbol=two, period="4h", startTime=now * 1000 - 25 * DAY, limit=40)
        for name in FUTURES_LISTS:
            add(now, True, f"/fapi/{name}")
            add(end, True, f"/fapi/{name}")
        add(now, False, "/fapi/v1/openInterest", symbol=one)
        worlds.append(world)
    return worlds


def questions(book: MarketBook, origin: str) -> Callable[[World], st.SearchStrategy[HttpRequest]]:
    """Requests about a world, most of them near what is recorded."""
    one, two, late = names(book)
    first = book.prices.first * 1000
    spot = origin == SPOT
    series = SPOT_SERIES if spot else FUTURES_SERIES

    @st.composite
    def of_series(draw: st.DrawFn, world: World) -> HttpRequest:
        path = draw(st.sampled_from(sorted(series)))
        if spot:
            path = draw(st.sampled_from(["/api/v3/klines"] * 9 + ["/api/v3/uiKlines"]))
        shape, now = series[path], world.now * 1000
        asked: dict[str, Any] = {}
        name = draw(st.sampled_from([one] * 18 + [two] * 3 + [late] * 2 + ["NOSUCHCOIN"]))
        asked["pair" if path.endswith("indexPriceKlines") else "symbol"] = name
        step = 8 * HOUR
        if shape is not FUNDING:
            usual = ["4h" if path.endswith("indexPriceKlines") else "1h"] * (8 if shape.adds_up else 20)
            more = ["4h", "1d", "2h", "6h", "12h", "1w", "15m", "1M"] if shape.adds_up else ["2h", "1d"]
            allowed = more if not shape.days else ["2h", "4h"]
            asked[shape.word] = draw(st.sampled_from(usual + allowed))
            step = STEPS.get(asked[shape.word], 31 * DAY)
            if spot and asked["interval"] == "1d" and draw(st.booleans()):
                asked["timeZone"] = "8"
        usual = ["both"] * 6 + ["end"] * 2 if shape.days else ["both"] * 3 + ["start"] * 3 + ["end"]
        form = draw(st.sampled_from([*usual, "start", "latest"]))
        limit = draw(st.integers(1, min(shape.most, 24 if shape.days else 300)))
        oldest = max(first, now - 29 * DAY) if shape.days else first
        # Spread evenly: what is drawn favours the ends of its range.
        start = oldest + (draw(st.integers(0, 1 << 32)) * _SPREAD + _SPREAD) % max(1, now - step - oldest)
        if form != "latest" and draw(st.integers(0, 19)) == 0:
            start = draw(st.sampled_from([0, first - 30 * DAY, now + DAY]))
        if form in ("both", "start"):
            asked["startTime"] = start
        if form == "both":
            asked["endTime"] = start + draw(st.integers(0, limit * step))
        if form == "end":
            asked["endTime"] = start + draw(st.integers(0, limit * step // 2))
        if form != "both" or draw(st.booleans()):
            asked["limit"] = limit
        elif shape.days:
            asked["limit"] = 500
        return request(origin, path, asked)

    @st.composite
    def of_now(draw: st.DrawFn, world: World) -> HttpRequest:
        name = draw(st.sampled_from([one, two, one, two, late]))
        if not spot:
            kind = draw(st.sampled_from([*FUTURES_LISTS, *FUTURES_LISTS, "v1/openInterest", "v1/time"]))
            asked: dict[str, Any] = {} if kind == "v1/time" or draw(st.integers(0, 4)) == 0 else {"symbol": name}
            return request(origin, f"/fapi/{kind}", {"symbol": name} if kind == "v1/openInterest" else asked)
        kind = draw(st.sampled_from([*SPOT_LISTS, *SPOT_LISTS, "depth", "aggTrades", "avgPrice"]))
        if kind in ("depth", "aggTrades"):
            return request(origin, f"/api/v3/{kind}", {"symbol": two, "limit": draw(st.integers(1, 25))})
        if kind == "avgPrice":
            return request(origin, "/api/v3/avgPrice", {"symbol": name})
        form = draw(st.sampled_from(["symbol", "symbol", "symbols", "all", "mini"]))
        if form == "symbols":
            return request(origin, f"/api/v3/{kind}", {"symbols": json.dumps([two, one], separators=(",", ":"))})
        more = {"type": "MINI"} if form == "mini" and kind == "ticker/24hr" else {}
        return request(origin, f"/api/v3/{kind}", more if form == "all" else {"symbol": name, **more})

    def of(world: World) -> st.SearchStrategy[HttpRequest]:
        return st.one_of(of_series(world), of_series(world), of_series(world), of_now(world))

    return of


def coverage(service: Service, book: MarketBook, origin: str) -> Callable[[World, HttpRequest], bool]:
    """Whether a world's recordings contain the answer, by counting openings and by the lists made at the moment."""
    series = SPOT_SERIES if origin == SPOT else FUTURES_SERIES
    counted: dict[tuple[int, str, str], Counted] = {}

    def inside(world: World, question: HttpRequest) -> bool:
        parts = urlsplit(question.url)
        path, asked = parts.path, dict(parse_qsl(parts.query))
        name = asked.get("symbol", asked.get("pair", ""))
        if path in series:
            if name == "NOSUCHCOIN":
                sane = int(asked.get("startTime", 0)) <= int(asked.get("endTime", 1 << 60))
                return path in ("/api/v3/klines", "/fapi/v1/klines") and sane
            if series[path] is FUNDING:
                return payments_held(book, listed_at(book, name), world, path, asked)
            key = (world.now, path, name)
            if key not in counted:
                counted[key] = Counted(book, series[path], listed_at(book, name), world, path, name)
            return counted[key].holds(asked)
        if asked.get("type") == "MINI" or path.endswith("/time"):
            return False
        if path.endswith(("/avgPrice", "/openInterest")):
            return name == names(book)[0]
        if path.endswith("/aggTrades"):  # the venue has at most 20, and all it had is recorded
            return True
        if path.endswith("/depth"):
            return int(asked["limit"]) <= 15
        wanted = json.loads(asked["symbols"]) if "symbols" in asked else [name] if name else []
        return all(listed_at(book, wish) <= world.now for wish in wanted)

    return inside


__all__ = ["coverage", "futures_worlds", "live", "moments", "names", "questions", "spot_worlds"]

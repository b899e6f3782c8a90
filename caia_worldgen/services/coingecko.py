"""CoinGecko's API v3, from a told story's market book.

    https://api.coingecko.com        the demo tier: paid endpoints and days older than a year are refused
    https://pro-api.coingecko.com    the paid tier, with a key

A key is good when it begins as the vendor's do (``CG-``); nothing else is known of it, and none is needed on the demo
host. What is asked is checked in the vendor's order: the key, the path, the tier, the parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.coin import Coin
from caia_worldgen.people import Project
from caia_worldgen.services.coingecko_chart import (
    HISTORY_DAYS,
    OHLC_DAYS,
    Charts,
    Rounded,
    days_of,
    moment_of,
    past_day_of,
)
from caia_worldgen.services.coingecko_list import Lists
from caia_worldgen.services.coingecko_money import DAY_S, Money, rounder
from caia_worldgen.services.coingecko_page import FLAGS, Pages, category_name
from caia_worldgen.services.coingecko_row import ROW_SPANS, Rows, iso
from caia_worldgen.services.coingecko_venue import VENUE_ID, VENUE_NAME, Venue
from caia_worldgen.services.service import Answer, Asked

DEMO: Final = "https://api.coingecko.com"
PRO: Final = "https://pro-api.coingecko.com"
_MOST_ROWS: Final = 250
_ROWS: Final = 100
_INCLUDED: Final = ("market_cap", "24hr_vol", "24hr_change", "last_updated_at")
_PAID: Final = ("coins/list/new", "coins/top_gainers_losers", "key", "global/market_cap_chart")

Parameters = Mapping[str, str]


class _Refused(Exception):
    """A fault of the caller's, as the vendor says it."""

    def __init__(self, status: int, content: Any) -> None:
        self.answer = Answer(status, content)


class CoinGecko:
    """The service. Pure: ``answer`` depends on the request and ``now`` alone."""

    origins = (DEMO, PRO)

    def __init__(self, book: MarketBook, networks: Mapping[str, Project]) -> None:
        self._book = book
        self._money = Money(book)
        self._charts = Charts(self._money)
        self._rows = Rows(self._money, self._charts)
        self._venue = Venue(self._money, self._rows)
        self._pages = Pages(self._money, self._charts, self._rows, self._venue)
        self._lists = Lists(self._money, self._rows, networks)

    def answer(self, asked: Asked, now: int) -> Answer:
        """What the API says at ``now``; after the story's end that is what it said in its last second."""
        now = min(now, self._book.prices.end - 1)
        parts = asked.segments()
        if asked.method != "GET" or parts[:2] != ["api", "v3"]:
            return Answer(404, {"error": "Incorrect path. Please check https://www.coingecko.com/api/"})
        try:
            self._admit(asked, "/".join(parts[2:]), now)
            return Answer(200, self._told(asked, parts[2:], now))
        except _Refused as refused:
            return refused.answer

    def busy(self, asked: Asked) -> Answer:
        """Too many requests."""
        words = "You've exceeded the Rate Limit of this synthetic API. Please try again later."
        return Answer(429, {"status": {"error_code": 429, "error_message": words}}, {"Retry-After": "60"})

    def _admit(self, asked: Asked, path: str, now: int) -> None:
        """Raises ``_Refused`` for a bad key, a missing one on the paid host, or a paid endpoint on the other."""
        tier = "pro" if _is_paid(asked) else "demo"
        key = asked.headers.get(f"x-cg-{tier}-api-key") or asked.parameters.get(f"x_cg_{tier}_api_key")
        if (key is None and tier == "pro") or (key is not None and not key.startswith("CG-")):
            raise _Refused(401, _status(10002, "API Key Missing: send a valid key for this host.", now))
        if tier == "demo" and path in _PAID:
            raise _Refused(401, _status(10005, "This request is limited to PRO API subscribers.", now))

    def _told(self, asked: Asked, path: list[str], now: int) -> Any:
        given, lists = asked.parameters, self._lists
        match path:
            case ["ping"]:
                return {"gecko_says": "(V3) To the Moon!"}
            case ["simple", "supported_vs_currencies"]:
                return list(self._money.currencies)
            case ["simple", "price"]:
                return self._simple({coin.id: coin for coin in self._named(given, now)}, given, now)
            case ["simple", "token_price", platform]:
                return self._simple(self._tokens(platform, _needed(given, "contract_addresses"), now), given, now)
            case ["coins", "list"]:
                return [] if given.get("status") == "inactive" else lists.coins(_flag(given, "include_platform"), now)
            case ["coins", "list", "new"]:
                return lists.newest(now)
            case ["coins", "top_gainers_losers"]:
                return lists.movers(self._currency(given), now)
            case ["coins", "markets"]:
                return self._markets(given, now)
            case ["coins", "categories", "list"]:
                return [{"category_id": name, "name": category_name(name)} for name in lists.category_ids(now)]
            case ["coins", "categories"]:
                return _checked(lambda: lists.categories(given.get("order", "market_cap_desc"), now), "order")
            case ["coins", platform, "contract", address, *rest]:
                return self._coin(self._token(platform, address, now), rest, asked, now, address.lower())
            case ["coins", id, *rest]:
                return self._coin(self._listed(id, now), rest, asked, now)
            case ["search"]:
                return lists.search(_needed(given, "query"), now)
            case ["search", "trending"]:
                return lists.trending(now)
            case ["global"]:
                return lists.whole(now)
            case ["exchange_rates"]:
                return lists.rates(now)
            case ["asset_platforms"]:
                return [] if given.get("filter") == "nft" else lists.platforms()
            case ["exchanges"]:
                return _page([{"id": VENUE_ID, **self._venue.row(now)}], given)
            case ["exchanges", "list"]:
                return [] if given.get("status") == "inactive" else [{"id": VENUE_ID, "name": VENUE_NAME}]
            case ["exchanges", id] | ["exchanges", id, "tickers"]:
                if id != VENUE_ID:
                    raise _Refused(404, {"error": "exchange not found"})
                if len(path) == 2:
                    return self._venue.page(now)
                rows, ids = self._venue.all_tickers(now), given.get("coin_ids")
                rows = [row for row in rows if not ids or row["coin_id"] in ids.split(",")]
                return {"name": VENUE_NAME, "tickers": _page(rows, {"page": given.get("page", "1")})}
            case ["derivatives"]:
                return self._venue.futures(now)
            case ["global", "decentralized_finance_defi"]:
                return lists.decentralised(now)
        raise _Refused(404, {"error": "Incorrect path. Please check https://www.coingecko.com/api/"})

    def _coin(self, coin: Coin, rest: list[str], asked: Asked, now: int, address: str | None = None) -> Any:
        given = asked.parameters
        match rest:
            case []:
                flags = {name: _flag(given, name, usual) for name, usual in FLAGS.items()}
                return self._pages.coin(coin, flags, now, address)
            case ["market_chart"]:
                currency, rounded, interval = self._currency(given), _rounded(given), _interval(given)
                days = _checked(lambda: days_of(_needed(given, "days")), "days")
                self._within_tier(asked, HISTORY_DAYS + 1 if days is None else days, now)
                return self._charts.days(coin, currency, days, interval, rounded, now)
            case ["market_chart", "range"]:
                currency, rounded, interval = self._currency(given), _rounded(given), _interval(given)
                first = _checked(lambda: moment_of(_needed(given, "from")), "from")
                last = _checked(lambda: moment_of(_needed(given, "to")), "to")
                self._within_tier(asked, -(-(now - first) // DAY_S), now)
                return self._charts.window(coin, currency, first, last, interval, rounded, now)
            case ["history"] if address is None:
                midnight = _checked(lambda: past_day_of(_needed(given, "date")), "date")
                self._within_tier(asked, -(-(now - midnight) // DAY_S), now)
                return self._pages.history(coin, midnight, _flag(given, "localization", True), now)
            case ["ohlc"] if address is None:
                days = _checked(lambda: days_of(_needed(given, "days")), "days")
                if days not in OHLC_DAYS:
                    raise _Refused(400, {"error": "invalid days"})
                return self._charts.ohlc(coin, self._currency(given), days, _rounded(given), now)
            case ["tickers"] if address is None:
                of = given.get("exchange_ids", VENUE_ID).split(",")
                rows = self._venue.tickers(coin, now) if VENUE_ID in of else []
                return {"name": coin.name, "tickers": rows if given.get("page", "1") in ("", "0", "1") else []}
        raise _Refused(404, {"error": "Incorrect path. Please check https://www.coingecko.com/api/"})

    def _within_tier(self, asked: Asked, days: int, now: int) -> None:
        if not _is_paid(asked) and days > HISTORY_DAYS:
            words = "Your request exceeds the allowed time range: the demo tier looks back 365 days."
            raise _Refused(401, {"error": _status(10012, words, now)})

    def _markets(self, given: Parameters, now: int) -> Any:
        currency, rounded = self._currency(given), _rounded(given)
        coins = list(self._book.listed(now))
        if given.get("category"):
            coins = [coin for coin in coins if coin.category == given["category"]]
            if not coins:
                raise _Refused(404, {"error": "category not found"})
        if any(given.get(name) for name in ("ids", "names", "symbols")):
            named = self._named(given, now)
            coins = [coin for coin in coins if coin in named]
        order = given.get("order", "market_cap_desc")
        coins = _checked(lambda: self._rows.ordered(coins, order, now), "order")
        spans = [span for span in given.get("price_change_percentage", "").split(",") if span in ROW_SPANS]
        ranks = {coin: rank for rank, coin in enumerate(self._book.ranking(now), start=1)}
        sparkline = _flag(given, "sparkline")
        rows = [
            self._rows.market(coin, ranks[coin], currency, spans, sparkline, rounded, now)
            for coin in _page(coins, given)
        ]
        if _flag(given, "include_rehypothecated"):
            rows = [row | {"market_cap_rank_with_rehypothecated": row["market_cap_rank"]} for row in rows]
        return rows

    def _simple(self, coins: Mapping[str, Coin], given: Parameters, now: int) -> dict[str, Any]:
        asked = [name for name in _needed(given, "vs_currencies").lower().split(",")]
        currencies = [name for name in self._money.currencies if name in asked]
        wanted, rounded = [name for name in _INCLUDED if _flag(given, f"include_{name}")], _rounded(given)
        return {name: self._rows.simple(coin, currencies, wanted, rounded, now) for name, coin in coins.items()}

    def _named(self, given: Parameters, now: int) -> list[Coin]:
        """The listed coins of ``ids``, else of ``names``, else of ``symbols``: of one symbol the largest, or all."""
        name = next((name for name in ("ids", "names", "symbols") if given.get(name)), None)
        if name is None:
            raise _Refused(422, {"error": "Missing parameter ids"})
        wanted = {part.strip().lower() for part in given[name].split(",")}
        field = {"ids": "id", "names": "name", "symbols": "symbol"}[name]
        found = [coin for coin in self._book.ranking(now) if getattr(coin, field).lower() in wanted]
        if name == "symbols" and given.get("include_tokens", "top") == "top":
            found = [coin for at, coin in enumerate(found) if coin.symbol not in {one.symbol for one in found[:at]}]
        return found

    def _tokens(self, platform: str, addresses: str, now: int) -> dict[str, Coin]:
        if not self._lists.has_platform(platform):
            raise _Refused(404, {"error": "asset platform not found"})
        found = {address: self._book.at_address(platform, address) for address in addresses.lower().split(",")}
        return {address: coin for address, coin in found.items() if coin and coin.listed_at <= now}

    def _token(self, platform: str, address: str, now: int) -> Coin:
        coin = self._tokens(platform, address, now).get(address.lower())
        if coin is None:
            raise _Refused(404, {"error": "coin not found"})
        return coin

    def _listed(self, id: str, now: int) -> Coin:
        coin = self._book.coin(id)
        if coin is None or coin.listed_at > now:
            raise _Refused(404, {"error": "coin not found"})
        return coin

    def _currency(self, given: Parameters) -> str:
        currency = _needed(given, "vs_currency").lower()
        if currency not in self._money.currencies:
            raise _Refused(400, {"error": "invalid vs_currency"})
        return currency


def _is_paid(asked: Asked) -> bool:
    """Whether the paid host is meant; a client that was led elsewhere says so by the name of its key."""
    has_key = "x-cg-pro-api-key" in asked.headers or "x_cg_pro_api_key" in asked.parameters
    return asked.origin == PRO or (asked.origin != DEMO and has_key)


def _status(code: int, words: str, now: int) -> dict[str, Any]:
    return {"status": {"timestamp": iso(now), "error_code": code, "error_message": words}}


def _needed(given: Parameters, name: str) -> str:
    if not given.get(name):
        raise _Refused(422, {"error": f"Missing parameter {name}"})
    return given[name]


def _flag(given: Parameters, name: str, usual: bool = False) -> bool:
    return {"true": True, "false": False}.get(given.get(name, "").lower(), usual)


def _checked(ask: Callable[[], Any], name: str) -> Any:
    """What ``ask`` gives, or the vendor's word for a parameter that cannot be read."""
    try:
        return ask()
    except (ValueError, OverflowError):
        raise _Refused(400, {"error": f"invalid {name}"}) from None


def _rounded(given: Parameters) -> Rounded:
    rounded: Rounded = _checked(lambda: rounder(given.get("precision")), "precision")
    return rounded


def _interval(given: Parameters) -> str | None:
    interval = given.get("interval") or None
    if interval not in (None, "hourly", "daily"):
        raise _Refused(400, {"error": "invalid interval"})
    return interval


def _page(rows: list[Any], given: Parameters) -> list[Any]:
    """The page asked for; a number that is none, or is out of bounds, counts as the nearest that is."""
    size, page = (int(given[name]) if given.get(name, "").isdecimal() else usual
                  for name, usual in (("per_page", _ROWS), ("page", 1)))  # fmt: skip
    size, page = min(max(size, 1), _MOST_ROWS), max(page, 1)
    return rows[(page - 1) * size : page * size]

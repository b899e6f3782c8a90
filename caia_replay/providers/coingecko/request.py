"""What a request asks of CoinGecko, whatever way it is spelled: its kind, and its parameters as the vendor reads them.

kind        what it is                                    what the kind's members differ in
chart       market_chart and market_chart/range           from, to, days
history     the figures of a past day                     localization
markets     /coins/markets                                ids, per_page, page, the spans of changes
pages       /exchanges                                    per_page, page
simple      /simple/price, /simple/token_price            ids or addresses, currencies, include_ flags
coin        /coins/{id}                                   the flags that add a part, the languages
ohlc        /coins/{id}/ohlc                              days
coins       /coins/list                                   include_platform
static      what is so at any moment
now         everything else: as of the moment it is asked
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode

from caia_replay.core.provider import HttpRequest
from caia_replay.providers.endpoint import endpoint_of

DEMO: Final = "https://api.coingecko.com"
PRO: Final = "https://pro-api.coingecko.com"
PREFIX: Final = "/api/v3/"
KEYS: Final = frozenset({"x_cg_demo_api_key", "x_cg_pro_api_key"})
INCLUDED: Final = ("include_market_cap", "include_24hr_vol", "include_24hr_change", "include_last_updated_at")
SPANS: Final = "price_change_percentage"
"""Of ``/coins/markets``: the spans, such as 1h and 7d, of which each row has the change under a key of its own."""
PARTS: Final = ("tickers", "market_data", "community_data", "developer_data")
"""Flags of ``/coins/{id}`` that are on unless somebody says no, each for the key of its own name."""

_FREE: Final[Mapping[str, frozenset[str]]] = {
    "chart": frozenset({"from", "to", "days", "interval"}),
    "history": frozenset({"localization"}),
    "markets": frozenset({"ids", "per_page", "page", SPANS}),
    "pages": frozenset({"per_page", "page"}),
    "simple": frozenset({"ids", "contract_addresses", "vs_currencies", *INCLUDED}),
    "coin": frozenset({*PARTS, "sparkline", "localization"}),
    "ohlc": frozenset({"days"}),
    "coins": frozenset({"include_platform"}),
    "static": frozenset(),
    "now": frozenset(),
}
_USUAL: Final[Mapping[str, Mapping[str, str]]] = {
    "history": {"localization": "true"},
    "markets": {"order": "market_cap_desc", "sparkline": "false", "locale": "en", "per_page": "100", "page": "1",
                "include_rehypothecated": "false"},
    "pages": {"per_page": "100", "page": "1"},
    "simple": dict.fromkeys(INCLUDED, "false"),
    "coin": {**dict.fromkeys(PARTS, "true"), "sparkline": "false", "localization": "true",
             "include_categories_details": "false", "dex_pair_format": "contract_address"},
    "coins": {"include_platform": "false", "status": "active"},
}  # fmt: skip
"""What a parameter is when nobody gives it, as the vendor documents it."""

_MOST_DIGITS: Final = 12
_COIN_LISTS: Final = ("list", "markets", "categories", "top_gainers_losers")


@dataclass(frozen=True, slots=True)
class CoinGeckoRequest:
    """One question. ``path`` holds the parts behind ``/api/v3``; parameters have no keys and no unsaid defaults."""

    origin: str
    kind: str
    path: tuple[str, ...]
    parameters: Mapping[str, str]
    has_bad_key: bool

    @property
    def is_range(self) -> bool:
        """Whether a chart is asked for by window, not by days."""
        return self.path[-1:] == ("range",)

    def flag(self, name: str) -> bool | None:
        """A boolean parameter; None for a word that is none."""
        return {"true": True, "false": False}.get(self.parameters.get(name, "false"))

    def several(self, name: str) -> list[str]:
        """The items of a comma-separated parameter."""
        return self.parameters.get(name, "").split(",")

    def words(self) -> str:
        """One text for every spelling of this very question."""
        return self._text(frozenset())

    def family(self) -> str:
        """One text for all questions that one recording may answer."""
        return self._text(_FREE[self.kind])

    def request(self, asked: HttpRequest, **changed: str | None) -> HttpRequest:
        """The request with parameters changed or, by None, left out; keys and headers stay as they were asked."""
        sent = dict(parse_qsl(asked.url.partition("#")[0].partition("?")[2], keep_blank_values=True))
        # The one spelling of an address has no keys in it, and whoever records needs theirs.
        given = {**endpoint_of(asked).parameters, **{name: sent[name] for name in KEYS if name in sent}, **changed}
        kept = {name: value for name, value in given.items() if value is not None}
        query, path = _query(sorted(kept.items()), ","), PREFIX + _spelled(self.path)
        return HttpRequest("GET", f"{self.origin}{path}" + (f"?{query}" if query else ""), b"", asked.headers)

    def _text(self, free: frozenset[str]) -> str:
        path = self.path[:-1] if free and self.kind == "chart" and self.is_range else self.path
        kept = sorted((name, value) for name, value in self.parameters.items() if name not in free)
        bad = " with a bad key" if self.has_bad_key else ""
        return f"{self.origin} {_spelled(path)}?{_query(kept, ',:')}{bad}"


def whole(text: str) -> int | None:
    """A number as it stands in an address: up to twelve plain digits; None for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS else None


def _spelled(path: Sequence[str]) -> str:
    """Parts of a path, so that a slash within a part is not one between two."""
    return "/".join(quote(part, safe=":", errors="surrogatepass") for part in path)


def _query(pairs: Sequence[tuple[str, str]], safe: str) -> str:
    """Pairs as a query, so that no value reads as another pair."""
    return urlencode(pairs, quote_via=quote, safe=safe, errors="surrogatepass")


def question_of(request: HttpRequest) -> CoinGeckoRequest:
    """A request of this API, taken apart. Raises ``Miss`` where a parameter is given twice."""
    asked = endpoint_of(request)
    path = tuple(_lowered(part) for part in asked.segments()[2:])
    kind = _kind(path)
    given = dict(_USUAL.get(kind, {})) | asked.without(*KEYS)
    if SPANS in given:
        given[SPANS] = ",".join(sorted(set(given[SPANS].split(","))))
    if "contract_addresses" in given:
        given["contract_addresses"] = ",".join(_lowered(part) for part in given["contract_addresses"].split(","))
    bad = any(asked.parameters.get(name, "").endswith("-BAD") for name in KEYS)
    return CoinGeckoRequest(asked.origin, kind, path, given, bad)


def _lowered(text: str) -> str:
    """An account address in lower case; addresses of other chains may differ by case."""
    return text.lower() if text[:2].lower() == "0x" else text


def _kind(path: tuple[str, ...]) -> str:
    match path:
        case ("coins", _, "market_chart") | ("coins", _, "market_chart", "range"):
            return "chart"
        case ("coins", _, "contract", _, "market_chart") | ("coins", _, "contract", _, "market_chart", "range"):
            return "chart"
        case ("coins", _, "history"):
            return "history"
        case ("coins", _, "ohlc"):
            return "ohlc"
        case ("coins", "markets"):
            return "markets"
        case ("coins", "list"):
            return "coins"
        case ("exchanges",):
            return "pages"
        case ("simple", "price") | ("simple", "token_price", _):
            return "simple"
        case ("coins", id) if id not in _COIN_LISTS:
            return "coin"
        case ("ping",) | ("asset_platforms",) | ("simple", "supported_vs_currencies"):
            return "static"
    return "now"

"""Which asset a ticker, a name, an id or a contract address means; two that it could mean are never chosen between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from caia_replay.errors import Miss, ToolError, nearest
from caia_replay.tools.argument import DAY_S, HOUR_S, address_argument
from caia_replay.tools.figure import reading

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

COINGECKO: Final = "https://api.coingecko.com/api/v3"
SPOT: Final = "https://api.binance.com/api/v3"
FUTURES: Final = "https://fapi.binance.com"

_NETWORKS: Final[Mapping[str, str]] = {
    "binance-smart-chain": "bsc",
    "arbitrum-one": "arbitrum",
    "optimistic-ethereum": "optimism",
    "polygon-pos": "polygon",
    "xdai": "gnosis",
}
"""CoinGecko's id of a network -> what the project calls it; all others have one name."""
_BY_ID: Final = "id:"
_PAGE: Final = 250
"""How many coins the vendor lists at most at once."""
_NAMES: Final = ("symbol", "name")
_PERPETUAL: Final = "PERPETUAL"
_LOOK_BACK_S: Final = 3 * DAY_S
"""More than a day, so that the vendor tells hours."""
_MOST_APART: Final = 1.35
"""How far a market's price may be from its coin's: quotes are dollars, or currencies of about their worth."""

_NATIVE: Final = ("native", "native coin", "coin")


@dataclass(frozen=True, slots=True)
class Asset:
    """A listed coin. ``id`` is CoinGecko's; ``platforms`` gives its contract by network, as this project calls it, with
    0x addresses in lower case; ``has_namesake`` is whether another coin has its ticker."""

    id: str
    symbol: str
    name: str
    platforms: Mapping[str, str]
    has_namesake: bool = False


def resolve_asset(world: ToolContext, text: str) -> Asset:
    """The one asset that ``text`` names, by the list as it was at this moment.

    A text that could be several is refused with all of them; ``id:NAME`` then says which. Raises ``ToolError``, and
    ``Miss`` where no list was recorded.
    """
    assets = _listed(world)
    wanted = _plain(text)
    if not wanted:
        raise ToolError(
            "an asset is told by its ticker, its name, its id or its contract's address, and not by nothing"
        )
    found = _meant(assets, wanted)
    if len(found) > 1:
        words = "; ".join(f"{_BY_ID}{asset.id} ({asset.name}, {asset.symbol.upper()})" for asset in found[:10])
        raise ToolError(f"{text[:80]!r} could be {len(found)} assets, give one of: {words}")
    if not found:
        names = {name: asset for asset in assets for name in (asset.id, asset.symbol.lower(), asset.name.lower())}
        near = names.get(nearest(wanted[:80], names))
        hint = f"; nearest: {near.name} ({near.symbol.upper()}, {_BY_ID}{near.id})" if near else ""
        raise ToolError(f"no asset {text[:80]!r} is listed at this moment{hint}")
    return found[0]


def assets_meant(world: ToolContext, text: str) -> list[Asset]:
    """All assets that ``text`` could name, by the same list. Raises ``Miss``."""
    return _meant(_listed(world), _plain(text))


def largest_coins(world: ToolContext, count: int) -> tuple[list[dict[str, Any]], bool]:
    """The first ``count`` coins by market cap, each once, and whether no more are listed. Each has an id; a few have no
    ticker or no name. Raises ``Miss``."""
    found: dict[str, dict[str, Any]] = {}
    for page in range(1, -(-count // _PAGE) + 1):
        rows = world.ask(
            f"{COINGECKO}/coins/markets", vs_currency="usd", per_page=_PAGE, page=page,
            price_change_percentage="1h,24h,7d",
        )  # fmt: skip
        with reading("coins by market cap"):
            if not isinstance(rows, list):
                raise TypeError("no list")
            for row in rows:
                if not isinstance(row["id"], str) or not all(isinstance(row.get(name), str | None) for name in _NAMES):
                    raise TypeError("a coin has an id")
                found.setdefault(row["id"], dict(row))
        if len(rows) < _PAGE:
            return list(found.values())[:count], len(found) <= count
    return list(found.values())[:count], False


def spot_symbol(world: ToolContext, asset: Asset, quote: str | None = None) -> str:
    """What the spot venue calls the asset's market against ``quote``, or its only one. Raises as ``resolve_asset``."""
    symbol = _symbol(world.ask(f"{SPOT}/exchangeInfo"), asset, quote, "spot venue")
    return _own_market(world, asset, symbol, SPOT)


def futures_symbol(world: ToolContext, asset: Asset, quote: str | None = None) -> str:
    """The same of the futures venue's perpetual contracts; those with a date of delivery are other markets."""
    symbol = _symbol(world.ask(f"{FUTURES}/fapi/v1/exchangeInfo"), asset, quote, "futures venue")
    return _own_market(world, asset, symbol, f"{FUTURES}/fapi/v1")


def _own_market(world: ToolContext, asset: Asset, symbol: str, venue: str) -> str:
    """``symbol``, a market of this ticker. Where several coins share the ticker, the market must also have this coin's
    price: a venue knows tickers alone, and a namesake must not be shown the real one's candles."""
    if not asset.has_namesake:
        return symbol
    what = f"whose market {symbol} is"
    try:
        price = world.ask(f"{COINGECKO}/simple/price", ids=asset.id, vs_currencies="usd")
        ticker = world.ask(f"{venue}/ticker/24hr", symbol=symbol)
    except Miss as miss:
        costs, trades_at = _prices_before(world, asset, symbol, venue, what, miss)
    else:
        with reading(what):
            costs, trades_at = float(price[asset.id]["usd"]), float(ticker["lastPrice"])
    if not costs / _MOST_APART < trades_at < costs * _MOST_APART:
        raise ToolError(
            f"{symbol} is the market of another coin with this ticker: it trades at {trades_at}, {asset.name} "
            f"({_BY_ID}{asset.id}) costs {costs} USD and has no market on this venue"
        )
    return symbol


def _prices_before(
    world: ToolContext, asset: Asset, symbol: str, venue: str, what: str, none_now: Miss
) -> tuple[float, float]:
    """What the coin cost and its ticker's market traded at in the last full hours, of which a recording of later tells
    too. Raises ``none_now``."""
    hour = world.now // HOUR_S * HOUR_S
    window = {"from": hour - _LOOK_BACK_S, "to": hour}
    try:
        chart = world.ask(f"{COINGECKO}/coins/{asset.id}/market_chart/range", vs_currency="usd", **window)
        bars = world.ask(f"{venue}/klines", symbol=symbol, interval="1h", endTime=hour * 1_000 - 1, limit=1)
    except (Miss, ToolError):
        raise none_now from None
    with reading(what):
        if chart["prices"] and bars:
            return float(chart["prices"][-1][1]), float(bars[-1][4])
    raise none_now


def _plain(text: str) -> str:
    return text.strip().strip("'\"`$").strip().lower()


def _meant(assets: list[Asset], wanted: str) -> list[Asset]:
    if wanted.startswith(_BY_ID):
        return [asset for asset in assets if asset.id.lower() == wanted.removeprefix(_BY_ID).strip()]
    return [
        asset
        for asset in assets
        if wanted
        in (asset.id.lower(), asset.symbol.lower(), asset.name.lower(), *map(str.lower, asset.platforms.values()))
    ]


def _symbol(content: Any, asset: Asset, quote: str | None, venue: str) -> str:
    with reading(f"markets of the {venue}"):
        rows = [
            (str(row["symbol"]), str(row["baseAsset"]), str(row["quoteAsset"]))
            for row in content["symbols"]
            if row.get("contractType", _PERPETUAL) == _PERPETUAL
        ]
    found = [(symbol, against) for symbol, base, against in rows if base.lower() == asset.symbol.lower()]
    if quote is not None:
        found = [pair for pair in found if pair[1].lower() == quote.strip().lower()]
    if len(found) == 1:
        return found[0][0]
    if found:
        raise ToolError(
            f"{asset.symbol.upper()} has several markets, give quote: {', '.join(pair[1] for pair in found)}"
        )
    against = f" against {quote[:20]!r}" if quote is not None else ""
    raise ToolError(f"{asset.symbol.upper()} has no market{against} on the {venue} at this moment")


def _listed(world: ToolContext) -> list[Asset]:
    value = world.ask(f"{COINGECKO}/coins/list", include_platform="true")
    with reading("the list of coins"):
        if not isinstance(value, list):
            raise TypeError("no list")
        listed = [_asset(entry) for entry in value]
    tickers = Counter(asset.symbol.lower() for asset in listed)
    return [replace(asset, has_namesake=tickers[asset.symbol.lower()] > 1) for asset in listed]


def _asset(entry: Any) -> Asset:
    """A coin as it is listed; a few have no ticker or no name, and are found by neither."""
    fields = {str(name): _address(address) for name, address in (entry.get("platforms") or {}).items() if address}
    # Two names of one network cannot both be it: the vendor's own stays.
    platforms = {
        name if _NETWORKS.get(name, name) in fields else _NETWORKS.get(name, name): at for name, at in fields.items()
    }
    return Asset(str(entry["id"]), str(entry["symbol"] or ""), str(entry["name"] or ""), platforms)


def _address(text: str) -> str:
    """An address in one spelling: those of accounts and contracts are the same in any case, those of Solana are not."""
    return text.lower() if text[:2].lower() == "0x" else text


def is_address(text: str) -> bool:
    """Whether a text is meant as an address, well written or not."""
    return "".join(text.split()).strip("'\"`").lower().startswith("0x")


def is_native(text: str) -> bool:
    """Whether a text names the coin of the chain itself, whatever it is called."""
    return text.strip(" \t\r\n'\"`").lower() in _NATIVE


def is_coin_of(asset: Asset, chain: str) -> bool:
    """Whether an asset is the chain's own coin: the list gives both one name, and the coin has no contract there."""
    return asset.id == chain and chain not in asset.platforms


def token_argument(world: ToolContext, chain: str, token: str | None) -> str | None:
    """A token's contract on ``chain``; None for the chain's own coin. Raises ``ToolError``, and ``Miss``."""
    if token is None or is_native(token):
        return None
    if is_address(token):
        return address_argument(token)
    asset = resolve_asset(world, token)
    if is_coin_of(asset, chain):
        return None
    if chain not in asset.platforms:
        known = ", ".join(f"{name} {address}" for name, address in asset.platforms.items()) or "no network"
        raise ToolError(f"{asset.name} ({asset.symbol.upper()}) has no contract on {chain}; it is listed on {known}")
    return asset.platforms[chain]

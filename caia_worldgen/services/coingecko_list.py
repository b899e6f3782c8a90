"""CoinGecko's lists: coins, platforms, categories, the whole market, what is searched and what trends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from caia_worldgen.economy import MAIN_CHAIN_ID, ROLLUP_CHAIN_ID
from caia_worldgen.market.coin import Coin
from caia_worldgen.people import Project
from caia_worldgen.services.coingecko_money import DAY_S, Money, Number, number, percent
from caia_worldgen.services.coingecko_page import category_name
from caia_worldgen.services.coingecko_row import Rows, image, iso
from caia_worldgen.services.coingecko_venue import VENUE_ID, VENUE_NAME

_TRENDING: Final = 7
_MOVERS: Final = 30
_UNITS: Final = {
    "usd": ("US Dollar", "$"),
    "eur": ("Euro", "€"),
    "gbp": ("British Pound Sterling", "£"),
    "cny": ("Chinese Yuan", "¥"),
    "jpy": ("Japanese Yen", "¥"),
    "krw": ("South Korean Won", "₩"),
}
_DEFI: Final = ("decentralized-exchange", "lending-borrowing", "bridge-governance-tokens")
_SIZES: Final = ("thumb", "small", "large")


class Lists:
    """Everything that is about many coins at once."""

    def __init__(self, money: Money, rows: Rows, networks: Mapping[str, Project]) -> None:
        self._money = money
        self._rows = rows
        self._book = money.book
        self._chains = {MAIN_CHAIN_ID + self._book.seed: networks["main"],
                        ROLLUP_CHAIN_ID + self._book.seed: networks["rollup"]}  # fmt: skip

    def coins(self, with_platforms: bool, now: int) -> list[dict[str, Any]]:
        """``/coins/list``."""
        found = []
        for coin in self._book.listed(now):
            row: dict[str, Any] = {"id": coin.id, "symbol": coin.symbol, "name": coin.name}
            found.append(row | ({"platforms": dict(coin.platforms)} if with_platforms else {}))
        return found

    def newest(self, now: int) -> list[dict[str, Any]]:
        """``/coins/list/new``: the 200 latest listings, newest first."""
        coins = sorted(self._book.listed(now), key=lambda coin: (-coin.listed_at, coin.id))[:200]
        return [
            {"id": coin.id, "symbol": coin.symbol, "name": coin.name, "activated_at": coin.listed_at} for coin in coins
        ]

    def movers(self, currency: str, now: int) -> dict[str, Any]:
        """``/coins/top_gainers_losers`` over 24 hours."""
        moved = []
        for coin in self._book.listed(now):
            change = self._money.change(coin, currency, now, 24)
            if change is not None:
                row = self._rows.simple(coin, (currency,), ("24hr_vol", "24hr_change"), number, now)
                rank = {"market_cap_rank": self._rows.rank(coin, now), "image": image(coin, "large")}
                moved.append((change, {"id": coin.id, "symbol": coin.symbol, "name": coin.name, **rank, **row}))
        moved.sort(key=lambda one: (-one[0], one[1]["id"]))
        rows = [row for _, row in moved]
        return {"top_gainers": rows[:_MOVERS], "top_losers": rows[::-1][:_MOVERS]}

    def platforms(self) -> list[dict[str, Any]]:
        """``/asset_platforms``: the networks of the story."""
        return [
            {
                "id": project.id,
                "chain_identifier": chain,
                "name": project.name,
                "shortname": project.ticker,
                "native_coin_id": self._money.native.id,
                "image": {size: f"https://images.example/platforms/{project.id}/{size}.png" for size in _SIZES},
            }
            for chain, project in self._chains.items()
        ]

    def has_platform(self, id: str) -> bool:
        """Whether a network has this id."""
        return any(project.id == id for project in self._chains.values())

    def category_ids(self, now: int) -> list[str]:
        """The categories of the listed coins, sorted."""
        return sorted({coin.category for coin in self._book.listed(now)})

    def categories(self, order: str, now: int) -> list[dict[str, Any]]:
        """``/coins/categories``. Raises ``ValueError`` for an unknown order."""
        field, _, way = order.rpartition("_")
        if way not in ("asc", "desc") or field not in ("market_cap", "name", "market_cap_change_24h"):
            raise ValueError(f"no order {order}")
        rows = sorted((self._category(category, now) for category in self.category_ids(now)), key=lambda row: row["id"])
        return sorted(rows, key=lambda row: row[field], reverse=way == "desc")

    def rates(self, now: int) -> dict[str, Any]:
        """``/exchange_rates``: what one native coin is worth."""
        native = self._money.native
        rates: dict[str, Any] = {
            native.symbol: {"name": native.name, "unit": native.symbol.upper(), "value": 1, "type": "crypto"}
        }
        for currency, (name, unit) in _UNITS.items():
            price = self._money.price(native, currency, now)
            assert price is not None
            rates[currency] = {"name": name, "unit": unit, "value": number(price), "type": "fiat"}
        return {"rates": rates}

    def whole(self, now: int) -> dict[str, Any]:
        """``/global``."""
        coins, money = self._book.ranking(now), self._money
        caps, volumes = (
            sum((ask(coin, "usd", now) for coin in coins), Fraction()) for ask in (money.cap, money.volume)
        )
        before = now - DAY_S
        listed = self._book.listed(before) if before >= self._book.prices.first else ()
        then = sum((money.cap(coin, "usd", before) for coin in listed), Fraction())
        traded = sum((money.volume(coin, "usd", before) for coin in listed), Fraction())
        return {
            "data": {
                "active_cryptocurrencies": len(coins),
                "upcoming_icos": 0,
                "ongoing_icos": 0,
                "ended_icos": 0,
                "markets": 1,
                "total_market_cap": {name: number(caps * money.rate(name, now)) for name in money.currencies},
                "total_volume": {name: number(volumes * money.rate(name, now)) for name in money.currencies},
                "market_cap_percentage": {
                    coin.symbol: number(100 * money.cap(coin, "usd", now) / caps) for coin in coins[:10]
                },
                "market_cap_change_percentage_24h_usd": percent(caps, then) if then else 0,
                "volume_change_percentage_24h_usd": percent(volumes, traded) if traded else 0,
                "updated_at": now,
            }
        }

    def decentralised(self, now: int) -> dict[str, Any]:
        """``/global/decentralized_finance_defi``: the figures of three categories, beside the native coin's."""
        money = self._money
        coins = [coin for coin in self._book.ranking(now) if coin.category in _DEFI]
        cap = sum((money.cap(coin, "usd", now) for coin in coins), Fraction())
        volume = sum((money.volume(coin, "usd", now) for coin in coins), Fraction())
        everything = sum((money.cap(coin, "usd", now) for coin in self._book.listed(now)), Fraction())
        native = money.cap(money.native, "usd", now)
        return {
            "data": {
                "defi_market_cap": str(number(cap)),
                "eth_market_cap": str(number(native)),
                "defi_to_eth_ratio": str(number(100 * cap / native)),
                "trading_volume_24h": str(number(volume)),
                "defi_dominance": str(number(100 * cap / everything)),
                "top_coin_name": coins[0].name,
                "top_coin_defi_dominance": number(100 * money.cap(coins[0], "usd", now) / cap),
            }
        }

    def search(self, query: str, now: int) -> dict[str, Any]:
        """``/search``: whatever has the words in its id, name or symbol; coins by market cap."""
        words = query.lower()
        found = [coin for coin in self._book.ranking(now) if words in f"{coin.id} {coin.name} {coin.symbol}".lower()]
        pictures = {size: f"https://images.example/exchanges/{size}.png" for size in ("thumb", "large")}
        venue = {"id": VENUE_ID, "name": VENUE_NAME, "market_type": "spot", **pictures}
        coins = [
            {
                "id": coin.id,
                "name": coin.name,
                "api_symbol": coin.id,
                "symbol": coin.symbol.upper(),
                "market_cap_rank": self._rows.rank(coin, now),
                "thumb": image(coin, "thumb"),
                "large": image(coin, "large"),
            }
            for coin in found
        ]
        named = [{"id": name, "name": category_name(name)} for name in self.category_ids(now)]
        return {
            "coins": coins,
            "exchanges": [venue] if words in VENUE_NAME.lower() else [],
            "icos": [],
            "categories": [one for one in named if words in one["name"].lower()],
            "nfts": [],
        }

    def trending(self, now: int) -> dict[str, Any]:
        """``/search/trending``: people look for what moves."""
        moves = {coin: self._money.change(coin, "usd", now, 24) for coin in self._book.listed(now)}
        coins = sorted(moves, key=lambda coin: (-abs(moves[coin] or 0), coin.id))[:_TRENDING]
        return {"coins": [self._trend(coin, score, now) for score, coin in enumerate(coins)], "nfts": [],
                "categories": []}  # fmt: skip

    def _trend(self, coin: Coin, score: int, now: int) -> dict[str, Any]:
        money, native = self._money, self._money.native.symbol
        worth = {name: (money.price(coin, name, now), money.cap(coin, name, now), money.volume(coin, name, now))
                 for name in ("usd", native)}  # fmt: skip
        price, in_native = worth["usd"][0], worth[native][0]
        assert price is not None and in_native is not None
        changes: dict[str, Number] = {
            name: change
            for name, key in (("usd", "usd"), ("btc", native))
            if (change := money.change(coin, key, now, 24)) is not None
        }
        item = {
            "id": coin.id,
            "coin_id": self._book.coins.index(coin) + 1,
            "name": coin.name,
            "symbol": coin.symbol.upper(),
            "market_cap_rank": self._rows.rank(coin, now),
            **{size: image(coin, size) for size in _SIZES},
            "slug": coin.id,
            "price_btc": number(in_native),
            "score": score,
            "data": {
                "price": number(price),
                "price_btc": str(number(in_native)),
                "price_change_percentage_24h": changes,
                "market_cap": f"${int(worth['usd'][1]):,}",
                "market_cap_btc": str(number(worth[native][1])),
                "total_volume": f"${int(worth['usd'][2]):,}",
                "total_volume_btc": str(number(worth[native][2])),
                "sparkline": f"https://images.example/coins/{coin.id}/sparkline.svg",
                "content": None,
            },
        }
        return {"item": item}

    def _category(self, category: str, now: int) -> dict[str, Any]:
        coins: Sequence[Coin] = [coin for coin in self._book.ranking(now) if coin.category == category]
        cap = sum((self._money.cap(coin, "usd", now) for coin in coins), Fraction())
        volume = sum((self._money.volume(coin, "usd", now) for coin in coins), Fraction())
        old = [coin for coin in coins if coin.listed_at <= now - DAY_S]
        before = sum((self._money.cap(coin, "usd", now - DAY_S) for coin in old), Fraction())
        return {
            "id": category,
            "name": category_name(category),
            "market_cap": number(cap),
            "market_cap_change_24h": percent(cap, before) if before else 0,
            "content": "",
            "top_3_coins_id": [coin.id for coin in coins[:3]],
            "top_3_coins": [image(coin, "small") for coin in coins[:3]],
            "volume_24h": number(volume),
            "updated_at": iso(now),
        }

"""CoinGecko's view of the one exchange, the story's outside venue: its coins, its tickers, its perpetual futures.

Fields that the API names after Bitcoin or Ether count in the world's native coin, because there is no other.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from caia_worldgen.market.coin import Coin
from caia_worldgen.market.price import E8, FUNDING_S
from caia_worldgen.rng import Rng
from caia_worldgen.services.coingecko_money import DAY_S, Money, number
from caia_worldgen.services.coingecko_row import Rows, iso

VENUE_ID: Final = "outside-venue"
VENUE_NAME: Final = "Outside Venue"
VENUE_URL: Final = "https://outside-venue.example/"
_TEXTS: Final = ("facebook_url", "reddit_url", "telegram_url", "slack_url", "other_url_1", "other_url_2",
                 "twitter_handle", "public_notice", "alert_notice")  # fmt: skip


class Venue:
    """The exchange at any moment."""

    def __init__(self, money: Money, rows: Rows) -> None:
        self._money = money
        self._rows = rows
        self._book = money.book
        self._dollar = next(coin for coin in money.book.coins if coin.role == "dollar")

    def coins(self, now: int) -> list[Coin]:
        """What is traded at it, by volume, largest first."""
        return [coin for coin in self._rows.ordered(self._book.listed(now), "volume_desc", now) if coin.traded]

    def row(self, now: int) -> dict[str, Any]:
        """Its row of ``/exchanges``, without its id."""
        volumes = (self._money.volume(coin, self._money.native.symbol, now) for coin in self.coins(now))
        return {
            "name": VENUE_NAME,
            "year_established": 2019,
            "country": None,
            "description": "The one exchange of a synthetic world.",
            "url": VENUE_URL,
            "image": "https://images.example/exchanges/small.png",
            "has_trading_incentive": False,
            "trust_score": 10,
            "trust_score_rank": 1,
            "trade_volume_24h_btc": number(sum(volumes, Fraction())),
        }

    def page(self, now: int) -> dict[str, Any]:
        """``/exchanges/{id}``."""
        coins = self.coins(now)
        return {
            **self.row(now),
            **dict.fromkeys(_TEXTS, ""),
            "centralized": True,
            "coins": len(coins),
            "pairs": len(coins),
            "tickers": self.all_tickers(now)[:100],
            "status_updates": [],
        }

    def all_tickers(self, now: int) -> list[dict[str, Any]]:
        """Every ticker, by volume, largest first."""
        return [ticker for coin in self.coins(now) for ticker in self.tickers(coin, now)]

    def tickers(self, coin: Coin, now: int) -> list[dict[str, Any]]:
        """Where a coin is traded now: at the venue against the dollar token, or nowhere that is listed."""
        if not coin.traded:
            return []
        money, day, dollar = self._money, self._book.day(coin, now), self._dollar
        last, volume = money.price(coin, "usd", now), money.volume(coin, "usd", now)
        assert last is not None
        native, at = money.rate(money.native.symbol, now), iso(now)[:19] + "+00:00"
        spread = Rng(f"coingecko/{self._book.seed}/{coin.role}/spread/{now // DAY_S}").number(10_010, 60_000)
        return [
            {
                "base": coin.symbol.upper(),
                "target": dollar.symbol.upper(),
                "market": {"name": VENUE_NAME, "identifier": VENUE_ID, "has_trading_incentive": False},
                "last": number(last),
                "volume": number(Fraction(day.volume_e8, E8)),
                "converted_last": {"btc": number(last * native), "eth": number(last * native), "usd": number(last)},
                "converted_volume": {
                    "btc": number(volume * native), "eth": number(volume * native), "usd": number(volume),
                },
                "trust_score": "green",
                "bid_ask_spread_percentage": number(Fraction(spread, 10**6)),
                "timestamp": at,
                "last_traded_at": at,
                "last_fetch_at": at,
                "is_anomaly": False,
                "is_stale": False,
                "trade_url": f"{VENUE_URL}trade/{coin.symbol.upper()}_{dollar.symbol.upper()}",
                "token_info_url": None,
                "coin_id": coin.id,
                "target_coin_id": dollar.id,
                "coin_mcap_usd": number(money.cap(coin, "usd", now)),
            }
        ]  # fmt: skip

    def futures(self, now: int) -> list[dict[str, Any]]:
        """``/derivatives``: the perpetual futures, as they stood at the first second of the hour."""
        hour, paid = self._book.prices.hour_of(now), now // FUNDING_S * FUNDING_S
        found = []
        for coin in self.coins(now):
            if coin.listed_at > paid or self._book.prices.hour_of(coin.listed_at) > hour:
                continue
            positions = self._book.derivatives.positions(coin, hour)
            mark, index = Fraction(positions.mark_e8, E8), Fraction(positions.index_e8, E8)
            interest = Fraction(positions.open_interest_e8, E8) * mark
            found.append(
                {
                    "market": f"{VENUE_NAME} (Futures)",
                    "symbol": f"{coin.symbol.upper()}{self._dollar.symbol.upper()}",
                    "index_id": coin.symbol.upper(),
                    "price": str(number(mark)),
                    "price_percentage_change_24h": self._money.change(coin, "usd", now, 24) or 0,
                    "contract_type": "perpetual",
                    "index": number(index),
                    "basis": number(100 * (index - mark) / index) if index else 0,
                    "spread": 0.01,
                    "funding_rate": number(Fraction(self._book.derivatives.funding_e8(coin, paid), E8 // 100)),
                    "open_interest": number(interest),
                    "volume_24h": number(self._money.volume(coin, "usd", now)),
                    "last_traded_at": now,
                    "expired_at": None,
                }
            )
        return found

"""CoinGecko's page of one coin: what is known of it beside figures, and its past days.

No coin links a repository or a community, and the counts about them are the vendor's zeros for that.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Final

from caia_worldgen.market.coin import Coin
from caia_worldgen.rng import Rng
from caia_worldgen.services.coingecko_chart import Charts
from caia_worldgen.services.coingecko_money import DAY_S, Money, number
from caia_worldgen.services.coingecko_row import Rows, image, iso
from caia_worldgen.services.coingecko_venue import Venue

_LANGUAGES: Final = ("en", "es", "ja", "zh")
_WORDS: Final = {"layer-1": "Layer 1 (L1)", "socialfi": "SocialFi", "depin": "DePIN"}
FLAGS: Final = {"localization": True, "tickers": True, "market_data": True, "community_data": True,
                "developer_data": True, "sparkline": False, "include_categories_details": False}  # fmt: skip
"""The boolean parameters of ``/coins/{id}`` and what they are when nobody says."""


def category_name(category: str) -> str:
    """A category's name from its id."""
    return _WORDS.get(category, category.replace("-", " ").title())


class Pages:
    """Coins one by one."""

    def __init__(self, money: Money, charts: Charts, rows: Rows, venue: Venue) -> None:
        self._charts = charts
        self._rows = rows
        self._venue = venue
        self._book = money.book

    def coin(self, coin: Coin, flags: Mapping[str, bool], now: int, address: str | None = None) -> dict[str, Any]:
        """``/coins/{id}``, and ``/coins/{platform}/contract/{address}`` where an address is given."""
        rank, votes = self._rows.rank(coin, now), self._rng(coin, now).number(5_000, 9_500)
        platforms = dict(coin.platforms) or {"": ""}
        page: dict[str, Any] = {
            "id": coin.id,
            "symbol": coin.symbol,
            "name": coin.name,
            "web_slug": coin.id,
            "asset_platform_id": coin.platforms[0][0] if coin.platforms and coin.role != "native" else None,
            "platforms": platforms,
            "detail_platforms": {
                name: {"decimal_place": coin.decimals if place else None, "contract_address": place}
                for name, place in platforms.items()
            },
            "block_time_in_minutes": 0,
            "hashing_algorithm": "Proof of Stake" if coin.role == "native" else None,
            "categories": [category_name(coin.category)],
            "preview_listing": False,
            "public_notice": None,
            "additional_notices": [],
            "has_supply_breakdown": False,
            "description": {"en": f"{coin.name} is a project of a synthetic world."},
            "links": _links(coin),
            "image": {size: image(coin, size) for size in ("thumb", "small", "large")},
            "country_origin": "",
            "genesis_date": _day(self._book.prices.first) if coin.role == "native" else None,
            "sentiment_votes_up_percentage": number(Fraction(votes, 100)),
            "sentiment_votes_down_percentage": number(Fraction(10_000 - votes, 100)),
            "watchlist_portfolio_users": self._rng(coin, 0).number(40, 90_000),
            "market_cap_rank": rank,
            "market_cap_rank_with_rehypothecated": rank,
            "status_updates": [],
            "last_updated": iso(now),
        }
        if address is not None:
            page["contract_address"] = address
        if flags["localization"]:
            page["localization"] = dict.fromkeys(_LANGUAGES, coin.name)
        if flags["include_categories_details"]:
            page["categories_details"] = [{"id": coin.category, "name": category_name(coin.category)}]
        if flags["market_data"]:
            page["market_data"] = self._rows.market_data(coin, flags["sparkline"], now)
        if flags["community_data"]:
            page["community_data"] = _community() | {"telegram_channel_user_count": None}
        if flags["developer_data"]:
            page["developer_data"] = _developer() | {"last_4_weeks_commit_activity_series": []}
        if flags["tickers"]:
            page["tickers"] = self._venue.tickers(coin, now)
        return page

    def history(self, coin: Coin, midnight: int, localization: bool, now: int) -> dict[str, Any]:
        """``/coins/{id}/history``; a day without figures has none of the parts that hold some."""
        page: dict[str, Any] = {
            "id": coin.id,
            "symbol": coin.symbol,
            "name": coin.name,
            "image": {size: image(coin, size) for size in ("thumb", "small")},
        }
        if localization:
            page["localization"] = dict.fromkeys(_LANGUAGES, coin.name)
        figures = self._charts.past_day(coin, midnight, now)
        if figures is not None:
            page["market_data"] = figures
            page["community_data"] = _community()
            page["developer_data"] = _developer()
            page["public_interest_stats"] = {"alexa_rank": None, "bing_matches": None}
        return page

    def _rng(self, coin: Coin, now: int) -> Rng:
        return Rng(f"coingecko/{self._book.seed}/{coin.role}/{now // DAY_S}")


def _links(coin: Coin) -> dict[str, Any]:
    return {
        "homepage": [f"https://{coin.id}.example", "", ""],
        "whitepaper": "",
        "blockchain_site": [""],
        "official_forum_url": ["", "", ""],
        "chat_url": ["", "", ""],
        "announcement_url": ["", ""],
        "snapshot_url": None,
        "twitter_screen_name": coin.id.partition("-")[0],
        "facebook_username": "",
        "bitcointalk_thread_identifier": None,
        "telegram_channel_identifier": "",
        "subreddit_url": "",
        "repos_url": {"github": [], "bitbucket": []},
    }


def _community() -> dict[str, Any]:
    return {
        "facebook_likes": None,
        "reddit_average_posts_48h": 0,
        "reddit_average_comments_48h": 0,
        "reddit_subscribers": 0,
        "reddit_accounts_active_48h": 0,
    }


def _developer() -> dict[str, Any]:
    return {
        "forks": 0,
        "stars": 0,
        "subscribers": 0,
        "total_issues": 0,
        "closed_issues": 0,
        "pull_requests_merged": 0,
        "pull_request_contributors": 0,
        "code_additions_deletions_4_weeks": {"additions": 0, "deletions": 0},
        "commit_count_4_weeks": 0,
    }


def _day(moment: int) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d")

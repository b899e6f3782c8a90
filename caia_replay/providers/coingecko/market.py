"""What CoinGecko says of coins at the moment, narrowed: some of the prices, a coin's page or the list without a part.

All of it needs a recording made at the world's clock. Rows and keys that are left are left as they were recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from caia_replay.core.provider import HttpReply
from caia_replay.errors import Miss
from caia_replay.providers.coingecko.reply import ParsedReply, is_stamped_after
from caia_replay.providers.coingecko.request import INCLUDED, PARTS, CoinGeckoRequest
from caia_replay.providers.endpoint import derived

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
    names = (*PARTS, "sparkline") if asked.kind == "coin" else ("include_platform",)
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
    """A coin's page without some parts; None where it is another coin's."""
    if content["id"] != asked.path[1]:
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

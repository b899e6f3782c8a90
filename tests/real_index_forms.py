"""Questions in CAIA's manner about what indexes told in 2022: their gold chains, what it said, and what is missing.

And what no chain of CAIA's rows can ask of these recordings, by form: each is a call that misses, and why.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Final

from caia_replay.core.gold import GoldStep
from tests.real_chain_forms import (
    ALLOWANCE,
    HOARD,
    LIDO,
    LINK,
    SENDER,
    SPENDER,
    TRANSFER,
    USDC,
    WALLETS,
    view,
)
from tests.real_forms import CUT_LIST, HISTORY, LISTED, MARKETS, Case, Gap, Raw, call

ANCHOR: Final = "slug:anchor"
DAY: Final = "2025-04-11"
TOKEN: Final = "first(where($1.last_up_to_it.tokens, 'token', '{}'))"


def locked(protocol: str, **more: Any) -> GoldStep:
    """What is locked in a protocol."""
    return call("protocol_metrics", protocol=protocol, **more)


def listed(raw: Raw, slug: str, cassette: str = LISTED) -> Mapping[str, Any]:
    """A protocol's row of the list."""
    found: Mapping[str, Any] = next(row for row in raw.body(cassette) if row["slug"] == slug)
    return found


def ranked(raw: Raw, coin: str) -> Mapping[str, Any]:
    """A coin's row of CoinGecko's page of the largest."""
    found: Mapping[str, Any] = next(row for row in raw.body(MARKETS) if row["id"] == coin)
    return found


def point(raw: Raw, day: str, part: str = "") -> Fraction:
    """What Anchor's history has at the beginning of a day."""
    page = raw.body(HISTORY)
    told = (page["chainTvls"][part] if part else page)["tvl"]
    return Fraction(repr(next(one["totalLiquidityUSD"] for one in told if one["date"] == seconds(day))))


def held(raw: Raw, day: str, token: str, what: str = "tokens") -> Fraction:
    """How much of a token Anchor held at the beginning of a day, or what that was worth (``tokensInUsd``)."""
    return Fraction(repr(next(one["tokens"][token] for one in raw.body(HISTORY)[what] if one["date"] == seconds(day))))


def worth(raw: Raw, day: str, token: str) -> float:
    """What one of a token was worth, to four places."""
    return float(round(held(raw, day, token, "tokensInUsd") / held(raw, day, token), 4))


def change(raw: Raw, first: str, last: str) -> float:
    """The change between two days in percent, to six places."""
    before, after = point(raw, first), point(raw, last)
    return float(round((after - before) / before * 100, 6))


def seconds(day: str) -> int:
    """The beginning of a day."""
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())


def _september(id: str, question: str, steps: tuple[GoldStep, ...], result: str, want: Any, unit: str = "USD") -> Case:
    return Case(id, question, steps, result, want, unit=unit, moment="september")


INDEX_CASES: Final = (
    _september("locked", "How much is locked in Lido?", (locked("Lido"),), "$1.tvl_usd",
               lambda raw: listed(raw, "lido")["tvl"]),
    _september("locked-on-chain", "How much of what is locked in Uniswap is on Polygon?", (locked("Uniswap"),),
               "first(where($1.by_chain, 'chain', 'Polygon')).usd",
               lambda raw: listed(raw, "uniswap")["chainTvls"]["Polygon"]),
    Case("locked-earlier", "How much is locked in Curve?", (locked("Curve"),), "$1.tvl_usd",
         lambda raw: listed(raw, "curve", CUT_LIST)["tvl"], unit="USD", moment="january"),
    Case("price", "What does one ETH cost?", (call("ranking_query", symbols=["id:ethereum"]),), "$1.coins.0.price_usd",
         lambda raw: ranked(raw, "ethereum")["current_price"], unit="USD", moment="markets"),
    Case("price-ratio", "How many SOL does one BTC cost, to four places?",
         (call("ranking_query", symbols=["id:bitcoin", "id:solana"]),),
         "round($1.coins.0.price_usd / $1.coins.1.price_usd, 4)",
         lambda raw: float(round(Fraction(repr(ranked(raw, "bitcoin")["current_price"]))
                                 / Fraction(repr(ranked(raw, "solana")["current_price"])), 4)),
         unit="SOL", moment="markets"),
    Case("market-cap", "Which of DOGE and SHIB has the larger market cap?",
         (call("ranking_query", symbols=["id:shiba-inu", "id:dogecoin"]),), "$1.coins.0.id",
         lambda raw: max(("shiba-inu", "dogecoin"), key=lambda coin: ranked(raw, coin)["market_cap"]), "text",
         moment="markets"),
    _september("locked-then", "How much was locked in Anchor on 1 May 2022?", (locked(ANCHOR, at="2022-05-01"),),
               "$1.last_up_to_it.tvl_usd", lambda raw: float(point(raw, "2022-05-01"))),
    _september("locked-at-its-end", "How much was locked in Anchor at the end of 12 May 2022?",
               (locked(ANCHOR, at="2022-05-12"),), "$1.next.tvl_usd", lambda raw: float(point(raw, "2022-05-13"))),
    _september("with-borrowed", "How much was locked in Anchor on 1 May 2022, with what was borrowed?",
               (locked(ANCHOR, at="2022-05-01"), locked(ANCHOR, at="2022-05-01", part="borrowed")),
               "$1.last_up_to_it.tvl_usd + $2.last_up_to_it.tvl_usd",
               lambda raw: float(point(raw, "2022-05-01") + point(raw, "2022-05-01", "borrowed"))),
    _september("borrowed", "How much was borrowed from Anchor on 1 June 2022?",
               (locked(ANCHOR, at="2022-06-01", part="borrowed"),), "$1.last_up_to_it.tvl_usd",
               lambda raw: float(point(raw, "2022-06-01", "borrowed"))),
    _september("locked-change", "By how many percent did what is locked in Anchor change from 1 to 31 May 2022?",
               (locked(ANCHOR, start="2022-05-01", end="2022-05-31"),), "$1.change_percent",
               lambda raw: change(raw, "2022-05-01", "2022-05-31"), "%"),
    _september("locked-peak", "What was the most that was locked in Anchor in May 2022, by its daily points?",
               (locked(ANCHOR, start="2022-05-01", end="2022-05-31"),), "max($1.points[*].tvl_usd)",
               lambda raw: float(max(point(raw, f"2022-05-{day:02d}") for day in range(1, 32)))),
    _september("token-held", "How many LUNA were in Anchor on 1 May 2022?",
               (locked(ANCHOR, at="2022-05-01", by_token=True),), f"{TOKEN.format('terra-luna')}.amount",
               lambda raw: float(held(raw, "2022-05-01", "terra-luna")), "LUNA"),
    _september("tokens-now", "How many LUNA does Anchor hold by its newest point?",
               (locked(ANCHOR, by_token=True),), "first(where($1.tokens, 'token', 'terra-luna')).amount",
               lambda raw: raw.body(HISTORY)["tokens"][-1]["tokens"]["terra-luna"], "LUNA"),
    _september("token-worth-now", "What is the TerraUSD in Anchor worth by its newest point?",
               (locked(ANCHOR, by_token=True),), "first(where($1.tokens, 'token', 'terrausd')).usd",
               lambda raw: raw.body(HISTORY)["tokensInUsd"][-1]["tokens"]["terrausd"]),
    _september("token-price", "What was one TerraUSD in Anchor worth on 10 May 2022, to four places?",
               (locked(ANCHOR, at="2022-05-10", by_token=True),),
               f"round({TOKEN.format('terrausd')}.usd / {TOKEN.format('terrausd')}.amount, 4)",
               lambda raw: worth(raw, "2022-05-10", "terrausd")),
    _september("other-token-price", "What was one LUNA in Anchor worth on 1 May 2022, to four places?",
               (locked(ANCHOR, at="2022-05-01", by_token=True),),
               f"round({TOKEN.format('terra-luna')}.usd / {TOKEN.format('terra-luna')}.amount, 4)",
               lambda raw: worth(raw, "2022-05-01", "terra-luna")),
)  # fmt: skip

INDEX_GAPS: Final = (
    Gap(call("ranking_query", symbols=["id:ethereum"]), "http", "pages of coins of another moment"),
    Gap(locked("Lido"), "http", "a list of another moment"),
    Gap(locked("slug:uniswap", at="2022-05-01"), "http", "another protocol's history", "september"),
    Gap(locked("slug:uniswap", at="2022-05-01", part="borrowed"), "http", "the same of a part", "september"),
    Gap(locked("slug:uniswap", at="2022-05-01", by_token=True), "http", "the same by token", "september"),
    Gap(locked("slug:uniswap", by_token=True), "http", "the same as of now", "september"),
    Gap(locked("slug:uniswap", start="2022-05-01", end="2022-05-31"), "http", "the same as a series", "september"),
)

_NO_DAY: Final = "which block a day begins with takes the header before it, and of the parent no time is known"
_NO_EXPLORER: Final = "nothing of Etherscan is among these recordings"
_NO_LIST: Final = (
    "the list of coins was recorded without their contracts, and every asset is looked up in that with them"
)
_NO_CHAINS: Final = "DefiLlama's list of chains, /v2/chains, was not recorded"
_MAY: Final = {"start": "2022-05-01", "end": "2022-05-31"}

NOT_POSSIBLE: Final = (
    Gap(call("balance_query", address=SENDER, time=DAY), "block", _NO_DAY),
    Gap(call("supply_query", asset=LINK, time=DAY), "block", _NO_DAY),
    Gap(call("time_conversion", time=f"{DAY}T00:00:00Z"), "block", _NO_DAY),
    Gap(view(USDC, ALLOWANCE, HOARD, SPENDER, block=DAY), "block", _NO_DAY),
    Gap(call("data_query", contract=USDC, event=TRANSFER, from_block=DAY, to_block=DAY), "block", _NO_DAY),
    Gap(call("data_query", contract=USDC, event=TRANSFER, from_block=DAY, to_block=DAY, sql=WALLETS), "block", _NO_DAY),
    Gap(call("data_query", contract=USDC, event=TRANSFER, from_block=DAY, to_block=DAY, sql=WALLETS,
             where=[f"to={SPENDER}"]), "block", _NO_DAY),
    Gap(call("data_query", contract=LIDO, about="abi"), "http", _NO_EXPLORER),
    Gap(call("data_query", contract=LIDO, about="source"), "http", _NO_EXPLORER),
    Gap(call("data_query", contract=LIDO, about="creation"), "http", _NO_EXPLORER),
    Gap(call("supply_query", asset="id:bitcoin"), "http", _NO_LIST, "coins"),
    Gap(call("supply_query", asset="id:bitcoin", time="2022-10-01"), "http", _NO_LIST, "coins"),
    Gap(call("price_feed", asset="id:bitcoin"), "http", _NO_LIST, "prices"),
    Gap(call("price_feed", asset="id:bitcoin", at="2022-10-01"), "http", _NO_LIST, "coins"),
    Gap(call("price_feed", asset="id:bitcoin", **_MAY), "http", _NO_LIST, "coins"),
    Gap(call("price_feed", asset="id:bitcoin", **_MAY, interval="daily"), "http", _NO_LIST, "coins"),
    Gap(locked(ANCHOR, chain="Terra", at="2022-05-01"), "http", _NO_CHAINS, "september"),
    Gap(locked(ANCHOR, chain="Terra", at="2022-05-01", part="borrowed"), "http", _NO_CHAINS, "september"),
    Gap(call("protocol_metrics", chain="Terra", at="2022-05-01"), "http", _NO_CHAINS, "september"),
    Gap(call("protocol_metrics", chain="Terra", category="Lending"), "http", _NO_CHAINS, "september"),
)  # fmt: skip
"""Forms that CAIA's rows use and that can be answered about no subject here: for each a call that misses, and why."""

OTHER_CHAINS: Final = frozenset({"base", "bsc", "cyber", "optimism"})
"""Chains that the rows look something up on, and of which nothing is recorded here."""

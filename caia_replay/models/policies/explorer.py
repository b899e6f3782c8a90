"""The curious analyst: asks what somebody would who looks around, to measure what a world answers. It answers nothing.

One message looks around: what is listed, locked, traded and talked about. The others ask about what was seen: the last
candles and charts in common intervals, supplies, calendars, contracts, pages, site roots and linked pages. Each call is
drawn from seed, task and attempt alone, and none is made twice in a run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from caia_replay.canonical import canonical_bytes
from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.models.policies.chance import Chance
from caia_replay.models.policies.conversation import (
    Wire,
    calls_made,
    calls_message,
    is_error,
    no_answer_message,
    offered,
)
from caia_replay.models.policies.question import AskedAt, asked_at, named_in

ROUNDS: Final = 4
"""Messages after the one that looks around."""
CALLS: Final = 10
"""Calls of each of them, as far as something is left to ask."""
_TRIES: Final = 4 * CALLS
_MOST_SEEN: Final = 400
"""Of each kind of thing."""
_DEEPEST: Final = 40
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}(?![0-9a-fA-F])")
_HASH: Final = re.compile(r"0x[0-9a-fA-F]{64}")
_TICKER: Final = re.compile(r"(?=.*[A-Za-z0-9])[\w.-]{1,80}", re.ASCII)
_PAGE: Final = re.compile(r"https?://(?!(?:www\.)?(?:x|twitter)\.com/)[^\s]{4,490}")
"""Posts are read with the tools for posts."""
_STEPS: Final = {"15m": 15, "1h": 60, "4h": 240, "1d": 1440}
"""Common candles, by their minutes."""
_TOPICS: Final = ("tokenomics", "unlock", "audit", "exploit", "governance vote", "fees", "listing", "team", "roadmap")


class Seen:
    """What the results so far show, each once, in the order seen; what the question names comes first."""

    def __init__(self, question: str, results: Iterable[Any]) -> None:
        named = named_in(question)
        self.coins: dict[str, None] = {}
        self.protocols: dict[str, None] = {}
        self.handles: dict[str, None] = {}
        self.pages = dict.fromkeys(named.sites)
        self.addresses = dict.fromkeys(named.addresses)
        self.contracts: dict[str, None] = {}
        self.hashes = dict.fromkeys(named.hashes)
        for result in results:
            if not is_error(result):
                self._look(result, 0)

    @property
    def sites(self) -> list[str]:
        """The front pages of all sites seen."""
        return list(dict.fromkeys(filter(None, map(_front, self.pages))))

    def _look(self, value: Any, depth: int) -> None:
        if isinstance(value, str):
            # What a text names is most often a contract; a bare value may be any account.
            for found in _ADDRESS.findall(value[:20_000]):
                _add(self.addresses if found == value else self.contracts, found)
        elif depth < _DEEPEST and isinstance(value, list):
            for item in value:
                self._look(item, depth + 1)
        elif depth < _DEEPEST and isinstance(value, Mapping):
            for name, form, kind in (
                ("symbol", _TICKER, self.coins),
                ("slug", _TICKER, self.protocols),
                ("author", _TICKER, self.handles if "likes" in value else {}),
                ("url", _PAGE, self.pages),
                ("hash", _HASH, self.hashes if "from" in value else {}),
                ("contract", _ADDRESS, self.contracts),
            ):
                if isinstance(value.get(name), str) and form.fullmatch(value[name]):
                    _add(kind, value[name])
            for item in value.values():
                self._look(item, depth + 1)


Ask = Callable[[Chance, Seen, AskedAt], dict[str, Any] | None]
"""A call's arguments; None where nothing was seen that it could be about."""


def _about(kind: str, parameter: str, more: Callable[[Chance, AskedAt], dict[str, Any]] = lambda c, m: {}) -> Ask:
    """Asks about one of a kind of things that were seen."""

    def ask(chance: Chance, seen: Seen, moment: AskedAt) -> dict[str, Any] | None:
        things = list(getattr(seen, kind))
        return {parameter: chance.pick(things), **more(chance, moment)} if things else None

    return ask


def _days_ago(moment: AskedAt, days: float) -> str:
    return (moment.time - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _candles(chance: Chance, moment: AskedAt) -> dict[str, Any]:
    interval, count = chance.pick(sorted(_STEPS)), chance.pick((24, 100, 500))
    start = _days_ago(moment, _STEPS[interval] * count / 1440)
    return {"source": "binance", "interval": interval, "start": start, "limit": count}


def _chart(chance: Chance, moment: AskedAt) -> dict[str, Any]:
    return {"start": _days_ago(moment, chance.pick((1, 7, 30, 90)))}


def _day(chance: Chance, moment: AskedAt) -> dict[str, Any]:
    return {"at": _days_ago(moment, chance.pick((1, 7, 30)))[:10]}


def _indicator(chance: Chance, moment: AskedAt) -> dict[str, Any]:
    named = chance.pick(("sma", "ema", "rsi", "macd", "bollinger"))
    return {"indicator": named, "interval": chance.pick(("1h", "4h", "1d"))}


def _moves(chance: Chance, moment: AskedAt) -> dict[str, Any]:
    days = chance.pick((1, 7, 30))
    window = "24h" if days > 1 else None
    return {"threshold_percent": 5, "interval": "1h", "window": window, "start": _days_ago(moment, days)}


def _metric(chance: Chance, moment: AskedAt) -> dict[str, Any]:
    return {"metric": chance.pick(("now", "funding", "open_interest", "long_short_ratio", "taker_ratio"))}


def _window(chance: Chance, moment: AskedAt) -> dict[str, Any]:
    return {"start": _days_ago(moment, chance.pick((7, 30)))[:10]}


def _fact(chance: Chance, moment: AskedAt) -> dict[str, Any]:
    return {"about": chance.pick(("source", "abi", "creation"))}


def _view(chance: Chance, moment: AskedAt) -> dict[str, Any]:
    return {"function": chance.pick(("symbol()(string)", "decimals()(uint8)", "totalSupply()(uint256)"))}


def _search(chance: Chance, seen: Seen, moment: AskedAt) -> dict[str, Any] | None:
    coins = list(seen.coins)
    return {"query": f"{chance.pick(coins)} {chance.pick(_TOPICS)}", "limit": 10} if coins else None


def _trend(chance: Chance, seen: Seen, moment: AskedAt) -> dict[str, Any] | None:
    return {"part": chance.pick(("gainers", "losers", "volume", "trending"))}


def _block(chance: Chance, seen: Seen, moment: AskedAt) -> dict[str, Any] | None:
    return {"block": max(0, moment.block - chance.below(200)), "include_transactions": bool(chance.below(2))}


ASKS: Final[tuple[tuple[str, Ask], ...]] = (
    ("price_feed", _about("coins", "asset")),
    ("price_feed", _about("coins", "asset", _candles)),
    ("price_feed", _about("coins", "asset", _candles)),
    ("price_feed", _about("coins", "asset", _chart)),
    ("price_feed", _about("coins", "asset", _chart)),
    ("price_feed", _about("coins", "asset", _day)),
    ("indicator_analysis", _about("coins", "asset", _indicator)),
    ("volatility_alerts", _about("coins", "asset", _moves)),
    ("positioning_analysis", _about("coins", "asset", _metric)),
    ("supply_query", _about("coins", "asset")),
    ("release_schedule", _about("coins", "asset")),
    ("trend_detection", _trend),
    ("protocol_metrics", _about("protocols", "protocol")),
    ("protocol_metrics", _about("protocols", "protocol", _window)),
    ("revenue_analysis", _about("protocols", "protocol", _window)),
    ("network_activity", _about("protocols", "protocol")),
    ("exchange_summary", _about("protocols", "exchange")),
    ("data_query", _about("contracts", "contract", _fact)),
    ("data_query", _about("contracts", "contract", _view)),
    ("balance_query", _about("addresses", "address")),
    ("transaction_query", _about("hashes", "hash")),
    ("block_query", _block),
    ("web_search", _search),
    ("url_fetching", _about("pages", "url")),
    ("url_fetching", _about("pages", "url")),
    ("url_fetching", _about("sites", "url")),
    ("twitter_search", _search),
    ("social_stream", _about("handles", "handles", lambda chance, moment: {"limit": 10})),
)
"""What may be asked, each as likely as any other; what is there twice is asked twice as often."""


class ExplorerPolicy:
    """Looks around in one message, asks in ``ROUNDS`` more, and ends without an answer."""

    def __init__(self, brief: PolicyHints, key: RunKey, seed: int) -> None:
        self._question = brief.question
        self._chance = ("policy/explorer", seed, key.task, key.attempt)

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """The next calls, or the end."""
        known, done = offered(tools), calls_made(messages)
        rounds = sum(bool(message.get("tool_calls")) for message in messages)
        calls = self._around(known) if not done else []
        if done and rounds <= ROUNDS:
            calls = self._next(known, done, asked_at(messages))
        if not calls:
            return no_answer_message(f"Looked around with {len(done)} calls; no answer was looked for.")
        return calls_message([(tool, given, known[tool]) for tool, given in calls], len(done) + 1)

    def _around(self, known: Mapping[str, Wire]) -> list[tuple[str, dict[str, Any]]]:
        words = " ".join(named_in(self._question).words)[:200]
        every: tuple[tuple[str, dict[str, Any]], ...] = (
            ("ranking_query", {"limit": 50}),
            ("trend_detection", {}),
            ("protocol_metrics", {"limit": 50}),
            ("exchange_overview", {}),
            ("network_activity", {}),
            ("web_search", {"query": words, "limit": 20}),
            ("twitter_search", {"query": words, "limit": 20}),
            ("block_query", {"include_transactions": True}),
        )
        return [(tool, _whole(given, known[tool])) for tool, given in every if tool in known]

    def _next(
        self, known: Mapping[str, Wire], done: Sequence[tuple[str, Any, Any]], moment: AskedAt
    ) -> list[tuple[str, dict[str, Any]]]:
        seen = Seen(self._question, [result for _, _, result in done])
        asked = {_told(tool, given) for tool, given, _ in done}
        asks = [(tool, ask) for tool, ask in ASKS if tool in known]
        chance, made = Chance(*self._chance, len(done)), list[tuple[str, dict[str, Any]]]()
        for _ in range(_TRIES if asks else 0):
            tool, ask = chance.pick(asks)
            given = ask(chance, seen, moment)
            if given is None or len(made) == CALLS:
                continue
            whole = _whole(given, known[tool])
            if (told := _told(tool, whole)) not in asked:
                asked.add(told)
                made.append((tool, whole))
        return made


def _whole(given: Mapping[str, Any], parameters: Wire) -> dict[str, Any]:
    """The arguments with every parameter that is not given as null, which stands for its default."""
    made = dict.fromkeys(parameters) | {name: value for name, value in given.items() if name in parameters}
    return made | ({"handles": [made["handles"]]} if isinstance(made.get("handles"), str) else {})


def _told(tool: str, given: Any) -> bytes:
    return canonical_bytes([tool, given])


def _add(kind: dict[str, None], thing: str) -> None:
    if len(kind) < _MOST_SEEN and 0 < len(thing) <= 500:
        kind.setdefault(thing)


def _front(url: str) -> str:
    """The front page of an address' site; "" for what is no web address."""
    try:
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc}/" if parts.scheme in ("http", "https") and parts.hostname else ""
    except ValueError:
        return ""

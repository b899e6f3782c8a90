"""Rates: numbers said to be so much a time, or for each of many ("$5 a day", "32 ETH per validator", 日均).

A rate is no total, so it answers only a task whose unit is that rate. Two things are said alike and are none: a price
("$3,000 per ETH"), since a price is asked for in the currency alone, and a source ("42 per Etherscan").
"""

from __future__ import annotations

import re

from caia_replay.scoring.unit import COUNTED, KNOWN, looks_like_symbol, own_unit

EACH = "each"
"""What a rate is counted by where no word names it."""

_TIMES = ("time", "month")
_PERIODS = {
    **dict.fromkeys(("hourly", "stündlich", "小时", "时"), "hour"),
    **dict.fromkeys(
        ("daily", "täglich", "diario", "diaria", "diarios", "diarias", "quotidien", "p.d.", "per diem"), "day"
    ),
    **dict.fromkeys(("diem", "天", "日"), "day"),
    **dict.fromkeys(("weekly", "wöchentlich", "semanal", "semanales", "周", "星期"), "week"),
    **dict.fromkeys(("monthly", "monatlich", "mensual", "mensuales", "mensuel", "mo", "月", "个月"), "month"),
    **dict.fromkeys(("yearly", "annually", "annual", "annualized", "annualised", "annum", "p.a."), "year"),
    **dict.fromkeys(("jährlich", "anual", "anuales", "annuel", "an", "年"), "year"),
    **dict.fromkeys(("分", "分钟"), "min"),
    **dict.fromkeys(("秒", "秒钟"), "s"),
}
_OTHERS = frozenset(
    (
        *("quarter", "epoch", "slot", "season", "round", "era", "capita", "head", "person", "item", "period", "cycle"),
        *("deposit", "withdrawal", "mint", "burn", "sale", "payment", "order", "liquidation", "position", "member"),
        *("proposal", "pair", "market", "node", "protocol", "chain", "network", "team", "batch", "session"),
        *(
            "depositor",
            "staker",
            "trader",
            "sender",
            "recipient",
            "customer",
            "delegator",
            "miner",
            "claimant",
            "claim",
        ),
        *("nutzer", "kopf", "adresse", "usuario", "persona", "validador", "dirección", "utilisateur", "validateur"),
    )
)
_PRICED = frozenset(("token", "coin", "unit", "gas", "share", "piece", "ounce", "barrel"))
_SOURCES = frozenset(
    (
        *("the", "our", "your", "its", "their", "my", "his", "this", "that", "these", "those", "both", "official"),
        *("etherscan", "dune", "defillama", "coingecko", "coinmarketcap", "coinbase", "explorer", "docs", "archive"),
        *("documentation", "data", "on-chain", "onchain", "public", "se", "request", "definition", "above"),
    )
)
_COUNTS = frozenset(own_unit(word).family for word in (*_OTHERS, *COUNTED) if word.isascii())
_LED = r"(?:\s[A-Za-zÀ-ÿ'-]+){0,5}?"
"""What is counted, between the number and what says how it is."""
_WORD = r"(?P<word>[A-Za-zÀ-ÿ-]++)"
_NO_SOURCE = r"(?!(?:'s)?[ -](?:explorers?|scan|data|records?|logs?|histor\w+|receipts?|abi|code|docs|documentation)\b)"
_TIMED = r"(?:second|minute|hour|day|week|month|year)\b"
_END = r"(?=\s*(?:[.,;:!?)\n]|$|(?:from|for|in|on|over|across|between|during|with|to|by|average|basis|at|since)\b))"
_OFTEN = (
    r"hourly|daily|weekly|monthly|yearly|annually|annuali[sz]ed|p\.[ad]\.|per diem|stündlich|täglich|wöchentlich"
    r"|monatlich|jährlich|diari[oa]s?|semanal(?:es)?|mensual(?:es)?|anual(?:es)?|quotidien|mensuel|annuel"
)
_MEAN = r"(?:average|averaging|averaged|mean|median|avg\.?)"
_PER = re.compile(
    rf"{_LED}[\s,(]{{1,3}}per\b\s*+(?:(?:each|every|one|single|calendar|active|unique|the(?=\s{_TIMED}))\s)?"
    rf"(?P<word>[A-Za-zÀ-ÿ-]++|\Z){_NO_SOURCE}",
    re.IGNORECASE,
)
_AFTER = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:\s[A-Za-z'-]+){{0,3}}?\s?/\s?{_WORD}",
        rf"{_LED}\s?\((?:each|every)\s{_WORD}\)",
        rf"{_LED}\s(?:each|every|pro|je|por|par|al|a la|am|cada|chaque|jede[nrs]?)\s{_WORD}",
        rf"{_LED}[\s(]{{1,2}}(?<!\bin )(?<!\bwithin )(?<!\bover )(?<!\bduring )(?<!\bfor )(?<!\bafter )(?<!\bonce )"
        rf"(?<!\bof )(?<!\bhalf )(?<!\bthan )(?<!\bas )(?<!\bis )an? (?P<word>{_TIMED}(?!'))",
        rf"{_LED}[\s,(-]{{1,3}}(?:on an? )?(?P<word>{_OFTEN}){_END}",
        r"\s?(?:(?!每)[\u4e00-\u9fff]){0,4}[\s(]{0,2}(?:每|/)(?P<word>[\u4e00-\u9fff]{1,6})",
    )
)
_EACH_AFTER = re.compile(
    rf"{_LED}[\s,(]{{1,3}}(?:each(?=\s*(?:[.,;:!?)\n]|$|(?:to|for|time)\b))|apiece\b|jeweils\b|chacune?s?\b"
    r"|cada un[oa]\b|a (?:head|pop)\b|ea\.|every\s*\Z)",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"\b(?:per|each|every)\s{_WORD}(?:[:,=]?|(?:\s[A-Za-z'-]+){{1,6}})\s?[$€£Ξ~≈]?$"
    rf"|\b(?P<often>hourly|daily|weekly|monthly|yearly|annual|annuali[sz]ed)\s{_MEAN}\b[^.;\n\d]{{0,30}}$"
    rf"|\b{_MEAN}\s(?P<mean>hourly|daily|weekly|monthly|yearly|annual)\b[^.;\n\d]{{0,30}}$"
    rf"|(?P<direct>\bjeweils|\b(?:{_OFTEN}|annuali[sz]ed|annual)[:,=]?)\s?[$€£Ξ~≈]?$"
    r"|\b(?P<run>annual)(?:i[sz]ed)?(?:\s\w+)? run[ -]?rate\b[^.;\n\d]{0,20}$|(?P<yearly>年)化[^。;,\n\d]{0,8}$"
    r"|(?P<short>[日月年周人户])均[^。;,\n\d]{0,12}$"
    r"|每(?P<every>[\u4e00-\u9fff]{1,12})[^。;,\n\d\u4e00-\u9fff]{0,4}$",
    re.IGNORECASE,
)


def per(before: str, after: str) -> str:
    """What the number between ``before`` and ``after`` is counted by: a ``Unit.name``, ``EACH``, or nothing."""
    return _said_after(after) or _said_before(before)


def is_time(name: str) -> bool:
    """Whether a unit's name is of a time."""
    return name.partition("*")[0] in _TIMES


def is_rate(name: str) -> bool:
    """Whether being counted by the unit ``name`` makes a rate and not a price."""
    return is_time(name) or name == EACH or name.partition("*")[0] in _COUNTS


def _said_after(after: str) -> str:
    found = _PER.match(after)
    if found is not None:
        return named(found["word"])
    for pattern in _AFTER:
        found = pattern.match(after)
        if found is not None and (name := _known(next(filter(None, found.groups())))):
            return name
    return EACH if _EACH_AFTER.match(after) else ""


def _said_before(before: str) -> str:
    found = _BEFORE.search(before)
    if found is None:
        return ""
    word = next(filter(None, found.groups()))
    return _known(word.rstrip(":,=")) or (EACH if found.lastgroup in ("short", "every", "direct") else "")


def named(word: str) -> str:
    """What a word behind "per" makes of a number: the name of what a rate or a price is counted by; empty for a source.

    A word that is neither known nor a name (it has no capitals) may be anything that is counted: ``EACH``.
    """
    low = word.casefold()
    if low in _PRICED | _SOURCES:
        return ""
    if counted := _known(word) if word else EACH:
        return counted
    if looks_like_symbol(word) or low in KNOWN:
        return own_unit(word).name()
    return EACH if word.islower() else ""


def _known(word: str) -> str:
    """A time, or one of what is counted, by name; plurals are none: "holders/addresses" is no rate."""
    low = word.casefold()
    if chinese := "\u4e00" <= low[0] <= "\u9fff":
        low = next((low[:length] for length in (2, 1) if low[:length] in _PERIODS), low)
    unit = own_unit(_PERIODS.get(low, low))
    if unit.family in _TIMES:
        return unit.name()
    if chinese:
        return EACH
    return unit.name() if low in _OTHERS or (low in COUNTED and (not low.endswith("s") or low.endswith("ss"))) else ""

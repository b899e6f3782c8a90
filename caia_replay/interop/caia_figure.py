"""The one number an answer of CAIA's states, with its unit: read or not read, never guessed from several."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext
from types import MappingProxyType
from typing import Final

from caia_replay.core.task import AnswerSpec

_SCALES: Final[Mapping[str, int]] = MappingProxyType(
    {
        **{"k": 3, "thousand": 3, "m": 6, "mil": 6, "mm": 6, "million": 6, "b": 9, "bn": 9, "billion": 9, "t": 12},
        **{"trillion": 12, "千": 3, "万": 4, "千万": 7, "亿": 8, "百万": 6, "十亿": 9},
    }
)
_LONGEST: Final = 400
"""Characters of an answer that may be one number; a longer one tells more."""
_PRECISION: Final = 200
"""Digits of decimal arithmetic, more than any number here has: nothing is rounded."""
_SCALE: Final = "|".join(sorted(map(re.escape, _SCALES), key=lambda word: (-len(word), word)))
_APPROXIMATE: Final = re.compile(r"^\s*(?:approximately|about|around|roughly|approx\.?|circa|~|≈|约|大约)\s*", re.I)
_AMOUNT: Final = (
    rf"(?P<money>\$)?\s*(?P<digits>-?\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|-?\d{{1,40}}(?:\.\d{{1,40}})?)(?![\d,]*\.?\d)"
    rf"\s*(?P<scale>(?:{_SCALE})(?![A-Za-z]))?"
)
_FIGURE: Final = re.compile(
    rf"{_AMOUNT}\s*(?P<unit>%|\$|usd\b|枚|[A-Za-z][A-Za-z/]*)?(?P<rest>.*)", re.IGNORECASE | re.DOTALL
)
_RANGE: Final = re.compile(
    rf"{_AMOUNT.replace('P<', 'P<a_')}\s*(?:to|-|–)\s*{_AMOUNT.replace('P<', 'P<b_')}.*", re.I | re.S
)
_OR: Final = re.compile(
    rf"{_AMOUNT.replace('P<', 'P<a_')}\s*(?:\([^()]*\)\s*)?or\s+{_AMOUNT.replace('P<', 'P<b_')}\s*(?:\([^()]*\))?.*",
    re.I | re.S,
)
_DOLLAR_COIN: Final = re.compile(r"(?P<coin>USDC|USDT|DAI)/(?P<of>[A-Za-z]{2,10})")
_NARROW_PERCENT: Final = Decimal("0.5")
_LEAD: Final = re.compile(r"^[^\d=≈]*(?:\b1\s+[A-Za-z]+\s*)?(?:=|≈|\bis\b:?)\s*(?=[-$\d~])", re.IGNORECASE)
_RESTATED: Final = re.compile(rf"^\s*\(\s*{_AMOUNT}\s*\)", re.IGNORECASE)
_PLAIN_TAIL: Final = re.compile(
    r"[\s.。,]*(?:(?:in|were|was|of|on|per|tokens?|wallets?|addresses|swaps?|users?|txs?|transactions?)\b"
    r"[^;,\n:|=$%]*|\((?:no|没有)[^)]*\)|（[^）]*）|https?://\S+)?[\s.。]*",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(
    r"tokens?|wallets?|unique|addresses|swaps?|users?|txs?|transactions?|transfers?|events?|枚|people|members?", re.I
)
_MONEY: Final = re.compile(
    r"(?<![A-Za-z])(?:tvl|total value locked|volume|fees?|revenue|raise[ds]?|fdv|price|market ?cap|pnl|inflows?|usd)"
    r"(?![A-Za-z])|费用|交易量",
    re.IGNORECASE,
)
_COUNT: Final = re.compile(
    r"\bhow many|\bnumber of|\bcount\b|block number|\bunique\b|decimals|\busers?\b|addresses|daily transactions|多少个|"
    r"区块号|total gas|transactions? per second",
    re.IGNORECASE,
)
_AMOUNT_OF: Final = re.compile(
    r"supply|holdings?|\bhold\b|minted|unlock|vest|供应|持有|额度|解锁|amount", re.IGNORECASE
)
_TICKER: Final = re.compile(r"(?<![A-Za-z0-9])\$?([A-Z][A-Za-z]{0,3}[A-Z]{2,6}|[A-Z]{3,7})(?![A-Za-z0-9])")
_NO_TICKERS: Final = frozenset(
    re.findall(r"\w+", "UTC TVL DAA WAA USD FDV ROI ERC ABI NFT DEX TGE ICO DAO PNL EVM AVS TXS API URL ETF")
)
_HOW_MANY_OF: Final = re.compile(r"[Hh]ow many\s+\$?([A-Z]{3,8})\s+tokens?\b")
_EXACT: Final = re.compile(
    r"block number|区块号|decimals|chain ?id|outgoing ETH transfers|how many .*transfer events|授权额度", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as an answer states it: ``value`` is plain decimal text; ``half_width_percent`` is set for a range, of
    which ``value`` is the middle."""

    value: str
    unit: str | None
    approximate: bool
    half_width_percent: str | None = None


def read_figure(text: str) -> Figure | None:
    """The number ``text`` states, or None where it states none, several, or one with a condition."""
    if len(text) > _LONGEST:
        return None
    lead = _LEAD.match(text)
    body = text[lead.end() :] if lead else text
    approximate = bool(_APPROXIMATE.match(body)) or "≈" in (lead[0] if lead else "")
    body = _APPROXIMATE.sub("", body)
    if found := _RANGE.fullmatch(body):
        return _range(found)
    if (found := _OR.fullmatch(body)) and (ends := _range(found, is_sorted=False)) and _is_narrow(ends):
        return ends
    found = _FIGURE.fullmatch(body)
    if not found:
        return None
    value, rest = _number(found["digits"], found["scale"]), found["rest"]
    if again := _RESTATED.match(rest):
        finer = _number(again["digits"], again["scale"])
        if abs(finer - value) * 50 > abs(value):
            return None
        value, rest = finer, rest[again.end() :]
    unit = found["unit"]
    if unit and unit.casefold() in ("in", "were", "was", "of", "on", "per", "and", "or", "to", "with", "at", "x"):
        unit, rest = None, f"{unit}{rest}"
    if not _PLAIN_TAIL.fullmatch(rest) or re.search(r"\b(?:and|or|with)\b", rest):
        return None
    return Figure(_text(value), _unit(unit, bool(found["money"])), approximate)


def _is_narrow(figure: Figure) -> bool:
    """Whether what lies between two right figures could not be told from either."""
    return Decimal(figure.half_width_percent or 100) <= _NARROW_PERCENT


def _range(found: re.Match[str], is_sorted: bool = True) -> Figure | None:
    scale = found["b_scale"]
    low, high = _number(found["a_digits"], found["a_scale"] or scale), _number(found["b_digits"], scale)
    low, high = (low, high) if is_sorted else (min(low, high), max(low, high))
    if not 0 < low < high:
        return None
    with localcontext(prec=_PRECISION):
        middle = (low + high) / 2
        percent = ((high - low) / 2 / middle * 100).quantize(Decimal("0.000001"), ROUND_CEILING)
    return Figure(_text(middle), "USD" if found["a_money"] else None, True, _text(percent))


def _number(digits: str, scale: str | None) -> Decimal:
    power = _SCALES[scale.casefold()] if scale else 0
    with localcontext(prec=_PRECISION):
        return Decimal(digits.replace(",", "")).scaleb(power)


def _text(value: Decimal) -> str:
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _unit(text: str | None, money: bool) -> str | None:
    if money or (text and text.casefold() in ("$", "usd", "dollars", "dollar")):
        return "USD"
    if not text or _COUNTED.fullmatch(text):
        return None
    return text


def number_spec(figure: Figure, question: str, stated: str | None) -> tuple[AnswerSpec, tuple[str, ...]]:
    """A number's spec, with the tags that say what was guessed. ``stated``: the tolerance in the answer's own words.

    Without a unit of its own a number gets the question's: dollars where it asks for money, the one token it names
    where it asks for an amount of it, none for counts. Numbers that name or count exactly are exact; else the rule is
    the preset ``caia-2026``. A price in a dollar coin is written in dollars as well.
    """
    tags = ["answer:approximate"] if figure.approximate else []
    unit, tickers = figure.unit, _tickers(question)
    if unit is None and (of := _HOW_MANY_OF.search(question)):
        unit = of[1]
        tags.append("unit:guessed")
    elif unit is None and not _COUNT.search(question):
        if _AMOUNT_OF.search(question) and len(tickers) == 1:
            unit = tickers[0]
        elif _MONEY.search(question):
            unit = "USD"
        tags += ["unit:guessed"] if unit else []
    if figure.half_width_percent is not None:
        tolerance, rule = figure.half_width_percent, "range"
    elif stated is not None:
        tolerance, rule = stated, "stated"
    elif _EXACT.search(question):
        tolerance, rule = "0", "exact"
    else:
        tolerance, rule = "caia-2026", "preset"
    aliases: tuple[str, ...] = ()
    if unit is not None and (pair := _DOLLAR_COIN.fullmatch(unit)):
        unit, aliases = f"USD/{pair['of']}", (pair["coin"],)
        tags.append("unit:dollar-coin")
    spec = AnswerSpec("number", (figure.value,), unit=unit, tolerance_percent=tolerance, aliases=aliases)
    return spec, (*tags, f"tolerance:{rule}")


def _tickers(question: str) -> list[str]:
    found = (name for name in _TICKER.findall(question) if name.upper() not in _NO_TICKERS)
    return list(dict.fromkeys(found))

"""Units as answers write them: families with exact conversions, and scale words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: ``factor`` of its family's base unit, so equal families convert exactly.

    ``per`` is what a rate is counted by ("second" in "transactions per second"), empty otherwise.
    """

    family: str
    factor: Fraction = Fraction(1)
    per: str = ""

    def converts_to(self, other: Unit) -> bool:
        """Whether a value in this unit can be said in the other one; a rate left unsaid is taken as meant."""
        return self.family == other.family and (not self.per or not other.per or self.per == other.per)

    def name(self) -> str:
        """The unit in one canonical word."""
        return f"{self.family}*{self.factor}"


_FAMILIES: Mapping[str, Mapping[str, Fraction]] = {
    "ether": {
        **dict.fromkeys(("ether", "eth", "ethers", "Ξ", "ξ", "以太", "以太币", "以太坊"), Fraction(1)),
        **dict.fromkeys(("gwei", "shannon"), Fraction(1, 10**9)),
        **{"finney": Fraction(1, 10**3), "szabo": Fraction(1, 10**6), "mwei": Fraction(1, 10**12)},
        **{"kwei": Fraction(1, 10**15), "wei": Fraction(1, 10**18)},
    },
    "percent": {
        **dict.fromkeys(("%", "percent", "pct", "percentage", "prozent", "百分之"), Fraction(1)),
        **dict.fromkeys(("‰", "千分之"), Fraction(1, 10)),
        **dict.fromkeys(("bps", "bp", "bips", "basis", "万分之", "基点", "个基点"), Fraction(1, 100)),
    },
    # What two shares differ by: from 10 to 12 per cent are two points and 20 per cent.
    "points": dict.fromkeys(("pp", "pps", "ppt", "ppts", "个百分点", "百分点", "个百分比点"), Fraction(1)),
    "usd": {
        **dict.fromkeys(("usd", "$", "us$", "usd$", "dollar", "dollars", "dólar", "dólares", "dolares"), Fraction(1)),
        **dict.fromkeys(("美元", "美金", "美刀"), Fraction(1)),
        **dict.fromkeys(("cent", "cents", "美分"), Fraction(1, 100)),
    },
    "eur": dict.fromkeys(("eur", "€", "euro", "euros", "欧元"), Fraction(1)),
    "gbp": dict.fromkeys(("gbp", "£", "pound", "pounds", "英镑"), Fraction(1)),
    "cny": dict.fromkeys(("cny", "rmb", "yuan", "人民币", "元人民币", "元"), Fraction(1)),
    "jpy": dict.fromkeys(("jpy", "yen", "日元", "円"), Fraction(1)),
    "yuan or yen": {"¥": Fraction(1)},
    "hkd": dict.fromkeys(("hkd", "hk$", "港元", "港币"), Fraction(1)),
    "krw": dict.fromkeys(("krw", "₩", "韩元"), Fraction(1)),
    "inr": dict.fromkeys(("inr", "₹", "rupee", "rupees"), Fraction(1)),
    "bitcoin": {
        **dict.fromkeys(("btc", "bitcoin", "bitcoins", "₿", "比特币"), Fraction(1)),
        **dict.fromkeys(("satoshi", "satoshis", "sats", "sat"), Fraction(1, 10**8)),
    },
    "time": {
        **dict.fromkeys(
            ("s", "sec", "secs", "second", "seconds", "sekunden", "segundos", "secondes", "秒"), Fraction(1)
        ),
        **dict.fromkeys(("ms", "millisecond", "milliseconds", "毫秒"), Fraction(1, 1000)),
        **dict.fromkeys(("min", "mins", "minute", "minutes", "minuten", "minuto", "minutos", "分钟"), Fraction(60)),
        **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "小时"), Fraction(3600)),
        **dict.fromkeys(("stunde", "stunden", "hora", "horas", "heure", "heures"), Fraction(3600)),
        **dict.fromkeys(("d", "day", "days", "天", "日"), Fraction(86400)),
        **dict.fromkeys(("tag", "tage", "tagen", "día", "días", "dias", "jour", "jours"), Fraction(86400)),
        **dict.fromkeys(("week", "weeks", "周", "星期"), Fraction(604800)),
        **dict.fromkeys(("woche", "wochen", "semana", "semanas", "semaine", "semaines"), Fraction(604800)),
    },
    # No fixed number of days; a year is twelve months whichever they are.
    "month": {
        **dict.fromkeys(("month", "months", "个月"), Fraction(1)),
        **dict.fromkeys(("monat", "monate", "monaten", "mes", "meses", "mois"), Fraction(1)),
        **dict.fromkeys(("year", "years", "yr", "yrs", "annum", "年"), Fraction(12)),
        **dict.fromkeys(("jahr", "jahre", "jahren", "año", "años", "année", "années", "ans"), Fraction(12)),
    },
    "times": dict.fromkeys(("x", "×", "times", "fold", "fach", "fache", "veces", "fois", "mal", "倍"), Fraction(1)),
    "own:transaction": {"tps": Fraction(1)},
    "own:sol": dict.fromkeys(("lamport", "lamports"), Fraction(1, 10**9)),
    "own:ton": dict.fromkeys(("nanoton", "nanotons"), Fraction(1, 10**9)),
    "own:atom": dict.fromkeys(("uatom", "uatoms"), Fraction(1, 10**6)),
    "own:ada": dict.fromkeys(("lovelace", "lovelaces"), Fraction(1, 10**6)),
    "own:xlm": dict.fromkeys(("stroop", "stroops"), Fraction(1, 10**7)),
    "own:avax": {"navax": Fraction(1, 10**9)},
    # Written in small letters like words; capitals would give them away as tickers.
    **{
        f"own:{name}": {name: Fraction(1)}
        for name in (
            *("usdc", "usdt", "tether", "dai", "weth", "wbtc", "steth", "wsteth", "reth", "cbeth"),
            *("bnb", "matic", "xrp", "dogecoin", "litecoin"),
        )
    },
}
KNOWN: Mapping[str, Unit] = MappingProxyType(
    {
        word: Unit(family, factor, "time*1" if word == "tps" else "")
        for family, words in _FAMILIES.items()
        for word, factor in words.items()
    }
)
"""Every spelling with its unit; tokens not listed here are families of their own."""

_EVM_COINS = ("bnb", "matic", "pol", "avax", "ftm", "cro", "xdai", "celo", "glmr", "movr", "mnt")
COIN_PARTS: Mapping[str, Mapping[str, Fraction]] = MappingProxyType(
    {
        **{f"own:{coin}": {"wei": Fraction(1, 10**18), "gwei": Fraction(1, 10**9)} for coin in _EVM_COINS},
        "own:xrp": {"drop": Fraction(1, 10**6)},
    }
)
"""By family, the words that mean it only where it is what was asked for: drops are no XRP elsewhere, nor wei BNB."""
NAMED: Mapping[str, Unit] = MappingProxyType(
    {
        "drops": Unit("own:xrp", Fraction(1, 10**6)),
        "mist": Unit("own:sui", Fraction(1, 10**9)),
        **{
            name: Unit("own:" + coin)
            for name, coin in (
                *(("solana", "sol"), ("toncoin", "ton"), ("toncoins", "ton"), ("cardano", "ada"), ("tron", "trx")),
                *(
                    ("avalanche", "avax"),
                    ("polygon", "matic"),
                    ("polkadot", "dot"),
                    ("ripple", "xrp"),
                    ("cosmos", "atom"),
                ),
            )
        },
    }
)
"""Words that are a coin or its part where an amount is asked for, and any word where nothing is."""
_RATIOS = ("ratio", "multiple", "factor")

SCALES: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(("hundred", "hundreds"), 100),
        **dict.fromkeys(("k", "thousand", "thousands", "tausend", "tsd", "千"), 10**3),
        "lakh": 10**5,
        **dict.fromkeys(("m", "mm", "mn", "mil", "mio", "mln", "million", "millions", "百万"), 10**6),
        **dict.fromkeys(("millón", "millones", "millionen", "milhões", "milioni"), 10**6),
        "crore": 10**7,
        **dict.fromkeys(("b", "bn", "billion", "billions", "milliarde", "milliarden", "milliards", "十亿"), 10**9),
        **dict.fromkeys(("mrd", "mia", "md", "mds", "mld", "milliard", "miliardi", "bilhões"), 10**9),
        **dict.fromkeys(("t", "tn", "trn", "trillion", "trillions", "billionen", "万亿"), 10**12),
        **dict.fromkeys(("billón", "billones"), 10**12),
        **dict.fromkeys(("quadrillion", "quadrillions"), 10**15),
        **dict.fromkeys(("quintillion", "quintillions"), 10**18),
        "十万": 10**5,
        "万": 10**4,
        "萬": 10**4,
        "千万": 10**7,
        "亿": 10**8,
        "億": 10**8,
        "百亿": 10**10,
        "千亿": 10**11,
    }
)
"""Scale words, in lower case; billones and Billionen are a million millions."""
SHORTENED = frozenset(("tsd", "mio", "mln", "mill", "mn", "mrd", "mia", "md", "mds", "mld", "bn"))
"""Scale words that may end in a full stop of their own ("1,54 Mrd. USD")."""

COUNTED = frozenset(
    (
        *("transaction", "transactions", "tx", "txs", "txn", "txns", "transfer", "transfers", "swap", "swaps"),
        *("trade", "trades", "block", "blocks", "holder", "holders", "address", "addresses", "wallet"),
        *("wallets", "user", "users", "account", "accounts", "event", "events", "call", "calls", "contract"),
        *("contracts", "pool", "pools", "vote", "votes", "voter", "voters", "delegate", "delegates"),
        *("validator", "validators", "people", "deposits", "withdrawals", "mints", "burns", "sales"),
        *("payments", "orders", "liquidations", "positions", "members", "proposals", "pairs", "markets"),
        *("adressen", "transaktionen", "überweisungen", "blöcke", "inhaber", "nutzer", "ereignisse"),
        *("direcciones", "transacciones", "transferencias", "bloques", "titulares", "usuarios", "carteras"),
        *("adresses", "transferts", "blocs", "détenteurs", "utilisateurs", "portefeuilles", "événements"),
        *("nodes", "笔", "次", "人", "户", "名", "区块", "地址"),
    )
)
"""Nouns of things that are counted: a number of them is no amount of money, of a token, of time and no share."""

_POWERS: Mapping[str, int] = MappingProxyType(
    {
        **{"deci": -1, "centi": -2, "milli": -3, "micro": -6, "nano": -9, "pico": -12, "femto": -15, "atto": -18},
        **{"deca": 1, "hecto": 2, "kilo": 3, "mega": 6, "giga": 9, "tera": 12, "peta": 15},
    }
)
_PREFIXES = "|".join(_POWERS)
_PREFIXED = re.compile(rf"({_PREFIXES})-?([a-z]{{3,}})")
_BASIS = Fraction(1, 100)
_WORD = re.compile(r"[A-Za-z]+\$|\d*[A-Za-z][\w.]*|[%‰$€£¥Ξ₿×]|[\u4e00-\u9fff]+")
_PHRASES = (
    (re.compile(r"\bper cents?\b|\bpor ciento\b|\bpour cents?\b", re.IGNORECASE), "percent"),
    (re.compile(r"\bProzentpunkte?n?\b|\bpuntos? porcentual(?:es)?\b|\bpoints? de pourcentage\b", re.IGNORECASE), "pp"),
    (
        re.compile(r"(?:\b(?:percentage|percent|pct\.?)|%)[ -]?(?:points?|pts?)\b|\bp\.p\.|\bpp(?=\.)", re.IGNORECASE),
        "pp",
    ),
    (re.compile(rf"\b({_PREFIXES})[ -](?=(?:ether|eth|bitcoins?|btc)s?\b)", re.IGNORECASE), r"\1"),
    (re.compile(r"(?<![^\W\d_])[μµ](?=[A-Za-z])"), "micro"),
    (re.compile(r"\bbasis[ -]points?\b", re.IGNORECASE), "bps"),
    (re.compile(r"\bnano[ -]TON\b", re.IGNORECASE), "nanoTON"),
    # A Spanish thousand; "500 mil USD" alone is an English million.
    (
        re.compile(
            r"(?<=\d )(?:mil|miles de)(?= (?:millones|milhões)\b| (?:de )?(?:d[óo]lares|direcciones|transacciones|"
            r"transferencias|usuarios|titulares|carteras|bloques|monedas)\b)",
            re.IGNORECASE,
        ),
        "thousand",
    ),
    (re.compile(r"(?<=\d)( ?)(k|M|Mio|Mrd|Mds?|bn|B)(?=\$)"), r"\1\2 "),
    (re.compile(r"\b(?:US|U\.S\.|American|United States)[ -]dollars?\b", re.IGNORECASE), "USD"),
)


def one_worded(text: str) -> str:
    """``text`` with the units of several words ("US dollars", "basis points") said in one."""
    for pattern, word in _PHRASES:
        text = pattern.sub(word, text)
    return text


def known(word: str) -> Unit | None:
    """The unit of a known family that a word names, with a prefix of ten or without ("milliether"); else None."""
    low = word.casefold().rstrip(".")
    found = _PREFIXED.fullmatch(low) if low not in KNOWN else None
    if found is None or found[2] not in KNOWN:
        return KNOWN.get(low)
    return replace(KNOWN[found[2]], factor=KNOWN[found[2]].factor * Fraction(10) ** _POWERS[found[1]])


def own_unit(word: str) -> Unit:
    """The unit a word names; a word of no known family is a family of its own, plurals folded."""
    low = word.casefold().rstrip(".")
    if (unit := known(low)) is not None:
        return unit
    one = low[:-1] if len(low) > 3 and low.endswith("s") else low
    return Unit("own:" + ("transaction" if one in ("tx", "txs", "txn") else one))


def unit_of(word: str, expected: Unit | None) -> Unit:
    """``own_unit``, where ``expected`` is asked for: 42 drops of XRP are a part of it, 10^18 wei of BNB are one."""
    low = word.casefold().rstrip(".")
    if expected is None:
        return own_unit(word)
    if low in ("point", "points", "pts") and expected.family in ("points", "percent"):
        return as_asked(KNOWN["pp"], expected)
    if low in NAMED or low in COIN_PARTS.get(expected.family, {}):
        return NAMED[low] if low in NAMED else Unit(expected.family, COIN_PARTS[expected.family][low])
    return as_asked(own_unit(word), expected)


def as_asked(unit: Unit, expected: Unit) -> Unit:
    """``unit`` in the family that is asked for, where basis points count both points and per cent; else itself."""
    if {unit.family, expected.family} == {"points", "percent"} and min(unit.factor, expected.factor) == _BASIS:
        return replace(unit, family=expected.family)
    return unit


def parse_unit(text: str) -> tuple[Unit | None, int]:
    """A task's unit ("ETH", "million USD", "USD per ETH") as a unit and a scale; (None, 1) for nothing."""
    head, _, per = one_worded(text).replace("/", " per ").partition(" per ")
    scale, unit = 1, None
    for word in _WORD.findall(head):
        if unit is None and word.casefold() in SCALES and word.casefold() != head.strip().casefold():
            scale *= SCALES[word.casefold()]
        elif unit is None:
            unit = _asked(word)
    if unit is not None and per.strip():
        unit = Unit(unit.family, unit.factor, own_unit(per.split()[-1]).name())
    return unit, scale


def _asked(word: str) -> Unit:
    low = word.casefold()
    if low in _RATIOS:
        return KNOWN["x"]
    return NAMED[low] if low in NAMED else own_unit(word)


def looks_like_symbol(word: str) -> bool:
    """Whether an unlisted word after a number is a ticker (two capitals or more): "XYZ", "stETH", "USDC.e"."""
    return sum(c.isupper() for c in word) >= 2

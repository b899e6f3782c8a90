"""The chains an answer names: by name, CAIP-2 or EIP-3770 prefix, chain id or explorer, listed or not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from caia_replay.scoring.answer import rejected
from caia_replay.scoring.verifiers.known_chain import KNOWN_CHAINS

_NAMES: Mapping[str, str] = MappingProxyType(
    {name: chain for chain, (_, names, _) in KNOWN_CHAINS.items() for name in (chain, *names)}
)
_IDS: Mapping[str, str] = MappingProxyType(
    {str(id_): chain for chain, (id_, _, _) in KNOWN_CHAINS.items() if id_ is not None}
)
_HOSTS: Mapping[str, str] = MappingProxyType(
    {host: chain for chain, (_, _, hosts) in KNOWN_CHAINS.items() for host in hosts}
)
_NAME = "|".join(re.escape(name) for name in sorted(_NAMES, key=lambda name: (-len(name), name)))
_HOST = "|".join(re.escape(host) for host in sorted(_HOSTS, key=lambda host: (-len(host), host)))
_HAN_NAME = "|".join(sorted((name for name in _NAMES if not name.isascii()), key=lambda name: (-len(name), name)))
_KIND = r"(?:main\s?net|chain|network|block\s?chain|l2|testnet|side\s?chain|roll-?up)"
_NOT_CHAINS = (
    r"(?:the|a|an|this|that|its|same|which|block|chain|main|test|evm|each|every|any|both|other|another|layer|\w*scan|"
    r"block\s?chain|correct|given|native|current|right|public|live|respective)"
)
_PLACED = re.compile(
    r"eip155:(?P<caip>\d{1,12})(?!\d)"
    r"|\bchain\s?-?_?id\W{0,3}(?:(?:is|of|=)\s?)?(?P<id>\d{1,12})(?!\d)"
    rf"|(?<![\w.])(?P<prefix>{_NAME}):\s?(?=0x)"
    rf"|(?:\b(?:on|at|for)\s+(?:the\s+)?|[(\[]\s?(?:on\s+)?)(?P<on>{_NAME})(?![\w-])(?!\s+(?:{_NAME}|fees?|units?|layer)(?!\w))"
    rf"|(?<![\w-])(?P<named>{_NAME})\s+(?!testnet){_KIND}(?!\w)"
    rf"|(?<![A-Za-z0-9_-])(?P<before>{_NAME})\s?(?:上|链|主网|网络)"
    rf"|(?:\b(?:chain|network)|链|网络)\s?[:=]\s?(?P<label>{_NAME})(?![\w-])"
    rf"|\bthe\s+(?P<article>{_NAME})\s+(?:[\w.]{{1,12}}\s+)?(?:contract|deployment|address)\b"
    rf"|(?<![\w-])(?P<lead>{_NAME})(?:\s+[\w.]{{2,8}})?\s?[:|]\s?(?=0x)"
    rf"|\b(?:on|at)\s+(?:the\s+)?(?!{_NOT_CHAINS}\s)(?P<strange>[a-z][\w-]{{1,30}})\s+(?!testnet){_KIND}(?!\w)"
    rf"|[-|,]\s(?P<tail>(?=[a-z ]{{5}}){_NAME})[\s.]*$"
    rf"|(?:在|于|到)\s?(?P<placed>{_NAME})(?![\w-])"
    rf"|(?P<han>{_HAN_NAME})(?!上?的?(?:测试网|二层))"
    rf"|(?<![\w.-])(?P<host>{_HOST})(?![\w-])",
    re.IGNORECASE | re.MULTILINE,
)
_BY_NAME = ("prefix", "on", "named", "before", "label", "article", "lead", "strange", "tail", "placed", "han")

_TITLE = r"[A-Z][\w-]*(?:\.\w+)?(?: (?:[A-Z][\w-]*|\d{1,2}(?!\d)(?=\W|$))){0,3}"
_STRANGE = re.compile(
    rf"\b[Oo]n (?:the )?(?P<on>{_TITLE})"
    rf"|(?<=[a-z]) (?:and|or|&) (?:on )?(?:the )?(?=[A-Z])(?P<also>(?i:{_NAME}))(?![\w-])"
    rf"|\b(?:deployed|bridged|moved|migrated|ported|native) to (?:the )?(?P<to>{_TITLE})"
    rf"|(?:部署|位|运行|上线|存在)[在于到] ?(?P<zh>{_TITLE})|在 ?(?P<zh2>{_TITLE}) ?(?:上|链|主网|网络)"
    rf"|(?<![\w-])(?P<kind>[A-Z][\w-]*(?: [A-Z][\w-]*)?) (?:chain|mainnet|block ?chain|L2|side ?chain|roll-?up)\b"
    rf"|\bthe (?P<network>{_TITLE}) network\b"
    r"|(?:\b(?i:(?:block ?)?chain|network)|链|网络)[\"' ]{0,2}[:=][\"' ]{0,2}"
    r"(?P<label>[A-Za-z][\w-]*(?: [A-Z][\w-]*){0,2})"
    r"|\b(?P<word>(?!(?i:block|on|off|cross|multi|side|main|inter|omni|tool|key|un|re|sub|app|para)chain)"
    r"[A-Za-z]\w*[Cc]hain)\b",
    re.MULTILINE,
)
"""A name where a chain is named, listed or not."""
_TEST = re.compile(r"\b(?:test|dev)[ -]?nets?\b|测试网", re.IGNORECASE)
_TESTS = frozenset(
    (*("sepolia", "holesky", "goerli", "hoodi", "ropsten", "rinkeby", "kovan", "arbitrum sepolia", "base sepolia"),
     *("optimism sepolia", "polygon amoy", "avalanche fuji", "bsc testnet"))
)  # fmt: skip
_OTHERWISE = re.compile(
    r"classic|pow|fair|fork|testnet|devnet|l2|2|sepolia|goerli|holesky|hoodi|nova|zkevm|lite",
    re.IGNORECASE,
)
"""Words behind a chain's name that make it another chain."""
_ELSEWHERE = re.compile(
    r"aave|balancer|blur|compound|curve|lido|maker|makerdao|opensea|pancakeswap|sushi|sushiswap|"
    r"uniswap|yearn|arkham|blockscout|chainlist|coingecko|coinmarketcap|debank|defillama|dexscreener|"
    r"dune|etherscan|geckoterminal|github|gitlab|medium|nansen|reddit|snapshot|sourcify|tally|telegram|"
    r"tenderly|twitter|zapper|x|january|february|march|april|may|june|july|august|september|october|"
    r"november|december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|monday|tuesday|wednesday|"
    r"thursday|friday|saturday|sunday|chain|on-chain|onchain|evm|ens|ipfs|l1|layer|the|its|this|"
    r"that|these|both|all|each|which|main|same|any|every|other|another|block|blockchain|correct|"
    r"given|native|current|right|public|live|respective|test|coinbase-prime|safe|discord|google|"
    r"youtube|coindesk|cointelegraph|bubblemaps|phalcon|immunefi",
    re.IGNORECASE,
)
"""What something can be on without being on a chain, and words that name no chain."""


def chains_named(text: str) -> tuple[str, ...]:
    """The chains the cleaned ``text`` says something is on, sorted; those it denies ("not on Polygon") left out.

    A listed chain has its listed name, an unlisted id is ``eip155:N``, an unlisted name is itself in lower case.
    """
    found = set()
    for place in _PLACED.finditer(text):
        if rejected(text, place.start()):
            continue
        named = place.groupdict()
        if number := named["caip"] or named["id"]:
            found.add(_IDS.get(number, f"eip155:{number}"))
        elif named["host"]:
            found.add(_HOSTS[named["host"].lower()])
        else:
            name = next(named[key] for key in _BY_NAME if named[key])
            found.add(_NAMES.get(name.lower(), name.lower()))
    for place in _STRANGE.finditer(text):
        if not rejected(text, place.start()) and (strange := _strange(next(filter(None, place.groups())))):
            found.add(strange)
    if not found & _TESTS and any(not rejected(text, place.start()) for place in _TEST.finditer(text)):
        found.add("testnet")
    return tuple(sorted(found))


def _strange(title: str) -> str:
    """The chain a capitalised phrase names: a listed one, itself, or none where it is known to be no chain."""
    words = title.replace("-", " ").casefold().split() if "-" in title else title.casefold().split()
    while len(words) > 1 and words[-1] in ("mainnet", "network", "chain", "blockchain"):
        words.pop()
    for count in range(len(words), 0, -1):
        if chain := _NAMES.get(" ".join(words[:count])):
            rest = [word for word in words[count:] if chain == "ethereum" or word not in ("l2", "2")]
            return " ".join(words) if any(map(_OTHERWISE.fullmatch, rest)) else chain
    known = _ELSEWHERE.fullmatch(words[0]) and (len(words) == 1 or words[0] != "x")
    return "" if known or words[0].endswith("scan") or _ELSEWHERE.fullmatch(title) else " ".join(words)


def same_chain(named: str, wanted: str) -> bool:
    """Whether a name from ``chains_named`` is the chain a task calls ``wanted``; any testnet may be "a testnet"."""
    low = " ".join(wanted.lower().split())
    if named == "testnet" and (_NAMES.get(low, low) in _TESTS or "testnet" in low):
        return True
    return named in (low, _NAMES.get(low, low), _IDS.get(low.removeprefix("eip155:"), low))

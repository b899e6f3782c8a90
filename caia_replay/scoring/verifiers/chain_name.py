"""Chains as answers name them: names, CAIP-2 and EIP-3770 prefixes, chain ids, explorers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from caia_replay.scoring.answer import rejected

_KNOWN: Mapping[str, tuple[int | None, tuple[str, ...], tuple[str, ...]]] = MappingProxyType(
    {
        "ethereum": (
            1,
            ("eth", "ethereum mainnet", "eth mainnet", "mainnet", "以太坊", "以太坊主网"),
            ("etherscan.io",),
        ),
        "optimism": (10, ("op", "oeth", "op mainnet", "optimism mainnet"), ("optimistic.etherscan.io",)),
        "bsc": (
            56,
            ("bnb", "bnb chain", "bnb smart chain", "binance smart chain", "bep20", "币安智能链"),
            ("bscscan.com",),
        ),
        "gnosis": (100, ("gno", "gnosis chain", "xdai"), ("gnosisscan.io",)),
        "polygon": (137, ("matic", "pol", "polygon pos", "polygon mainnet"), ("polygonscan.com",)),
        "sonic": (146, (), ("sonicscan.org",)),
        "fantom": (250, ("ftm", "fantom opera"), ("ftmscan.com",)),
        "zksync": (324, ("zksync era",), ("explorer.zksync.io",)),
        "polygon zkevm": (1101, (), ("zkevm.polygonscan.com",)),
        "mantle": (5000, ("mnt",), ("mantlescan.xyz",)),
        "base": (8453, ("base mainnet",), ("basescan.org",)),
        "arbitrum": (42161, ("arb", "arb1", "arbitrum one"), ("arbiscan.io",)),
        "arbitrum nova": (42170, (), ("nova.arbiscan.io",)),
        "celo": (42220, (), ("celoscan.io",)),
        "avalanche": (43114, ("avax", "avalanche c-chain", "c-chain"), ("snowtrace.io", "snowscan.xyz")),
        "linea": (59144, (), ("lineascan.build",)),
        "blast": (81457, ("blastmainnet",), ("blastscan.io",)),
        "scroll": (534352, ("scr",), ("scrollscan.com",)),
        "sepolia": (11155111, ("sep", "sepolia testnet"), ("sepolia.etherscan.io",)),
        "holesky": (17000, (), ("holesky.etherscan.io",)),
        "goerli": (5, (), ("goerli.etherscan.io",)),
        "solana": (None, ("sol",), ("solscan.io", "explorer.solana.com")),
        "bitcoin": (None, ("btc",), ()),
        "tron": (None, ("trx",), ("tronscan.org",)),
        "unichain": (130, (), ("uniscan.xyz",)),
        "zora": (7777777, (), ()),
        "berachain": (80094, (), ("berascan.com",)),
        "cyber": (7560, ("cyber l2",), ()),
        "worldchain": (480, ("world chain",), ("worldscan.org",)),
    }
)
"""Chain ids after chainlist, short names after EIP-3770."""
_NAMES: Mapping[str, str] = MappingProxyType(
    {name: chain for chain, (_, names, _) in _KNOWN.items() for name in (chain, *names)}
)
_IDS: Mapping[str, str] = MappingProxyType(
    {str(id_): chain for chain, (id_, _, _) in _KNOWN.items() if id_ is not None}
)
_HOSTS: Mapping[str, str] = MappingProxyType({host: chain for chain, (_, _, hosts) in _KNOWN.items() for host in hosts})
_NAME = "|".join(re.escape(name) for name in sorted(_NAMES, key=lambda name: (-len(name), name)))
_HOST = "|".join(re.escape(host) for host in sorted(_HOSTS, key=lambda host: (-len(host), host)))
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
    rf"|(?<![\w-])(?P<named>{_NAME})\s+{_KIND}(?!\w)"
    rf"|(?<![A-Za-z0-9_-])(?P<before>{_NAME})\s?(?:上|链|主网|网络)"
    rf"|(?:\b(?:chain|network)|链|网络)\s?[:=]\s?(?P<label>{_NAME})(?![\w-])"
    rf"|\bthe\s+(?P<article>{_NAME})\s+(?:[\w.]{{1,12}}\s+)?(?:contract|deployment|address)\b"
    rf"|(?<![\w-])(?P<lead>{_NAME})(?:\s+[\w.]{{2,8}})?\s?[:|]\s?(?=0x)"
    rf"|\b(?:on|at)\s+(?:the\s+)?(?!{_NOT_CHAINS}\s)(?P<strange>[a-z][\w-]{{1,30}})\s+{_KIND}(?!\w)"
    rf"|(?:在|于)?(?P<han>以太坊主网|以太坊|币安智能链)"
    rf"|(?<![\w.-])(?P<host>{_HOST})(?![\w-])",
    re.IGNORECASE,
)


_BY_NAME = ("prefix", "on", "named", "before", "label", "article", "lead", "strange", "han")


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
    return tuple(sorted(found))


def same_chain(named: str, wanted: str) -> bool:
    """Whether a name from ``chains_named`` is the chain a task calls ``wanted``."""
    low = " ".join(wanted.lower().split())
    return named in (low, _NAMES.get(low, low), _IDS.get(low.removeprefix("eip155:"), low))

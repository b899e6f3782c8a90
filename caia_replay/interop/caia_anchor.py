"""The moment and the chain a CAIA question is asked at: told by a block, a transaction or a date, or else assumed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from caia_replay.core.task import Anchor
from caia_replay.interop.caia_date import Named, named_dates
from caia_replay.recording.capture_request import NO_FORK

DATASET_END: Final = 1_759_017_600
"""2025-09-28T00:00:00Z, when the day was over that is in the name of the published data set of 178 rows, ``caia-0927``
(Hugging Face, user cyberco; last changed there on 29 September 2025). A question that names no moment is taken to be
asked then. Questions of the older file are given it too: they name days up to June 2025 and have no date of their own.
"""
DATASET_YEAR: Final = 2025
UNRESOLVED: Final = -1
"""A block or a second that nobody has looked up yet; never a value of any chain's."""
DEFAULT_CHAIN: Final = "ethereum"

AnchorKind = Literal["block", "transaction", "date", "assumed"]
ChainKind = Literal["named", "implied", "default"]

_BLOCK: Final = re.compile(
    r"(?:\bblock(?:\s+(?:height|number))?|区块(?:高度|号)?)\s*[#:]?\s*(?P<a>\d[\d,]{3,14})(?![\d,]*\d)"
    r"|第\s*(?P<b>\d[\d,]{3,14})\s*个?区块",
    re.IGNORECASE,
)
_TRANSACTION: Final = re.compile(r"(?<![0-9a-zA-Z])0x[0-9a-fA-F]{64}(?![0-9a-fA-F])")
_SIGNATURE: Final = re.compile(r"(?<![0-9A-Za-z])[1-9A-HJ-NP-Za-km-z]{86,88}(?![0-9A-Za-z])")
_TRANSACTION_WORD: Final = re.compile(r"\btx\b|transaction|交易", re.IGNORECASE)

NAMES: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        chain: re.compile(rf"(?<![A-Za-z0-9_$@.])(?:{words})(?![A-Za-z0-9_])", re.IGNORECASE)
        for chain, words in {
            "ethereum": r"ethereum(?!\s+l2)|on\s+eth|eth\s+(?:network|mainnet|block|chain|v3)|mainnet",
            "base": r"base\s+(?:chain|mainnet|network)|on\s+base(?=\s*[:,.?]|\s*$)",
            "optimism": r"optimism",
            "arbitrum": r"arbitrum",
            "polygon": r"polygon",
            "bsc": r"bsc|bnb\s+(?:smart\s+)?chain",
            "linea": r"linea",
            "celo": r"celo",
            "gravity": r"gravity\s+chain",
            "hemi": r"hemi",
            "cyber": r"cyber\s+l2",
            "solana": r"solana|sol\s+(?:chain|network)|on\s+sol",
            "hyperliquid": r"hyperliquid",
            "bitcoin": r"bitcoin|btc\s+network",
            "tron": r"tron",
        }.items()
    }
)
"""How questions name a chain, in whatever script stands beside the name; 以太坊 is read apart."""
_IMPLIED: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        "solana": re.compile(
            r"pump\.?fun|pumpswap|\$pump\b|letsbonk|meteora|launchlab|raydium|dogwifhat|\$trump\b", re.IGNORECASE
        ),
        "polygon": re.compile(r"polymarket", re.IGNORECASE),
    }
)
"""Venues and tokens that are on one chain only, by their own documentation."""


@dataclass(frozen=True, slots=True)
class Found:
    """An anchor and where it is from. ``notes`` are for people, a line each.

    ``transaction`` is the hash or signature that is asked about. ``tags``: ``anchor:<kind>``, ``chain:<kind>``,
    ``chain:non-evm``, and ``unresolved:block`` or ``unresolved:timestamp`` where the anchor holds ``UNRESOLVED``.
    """

    kind: AnchorKind
    anchor: Anchor
    chain_kind: ChainKind
    transaction: str | None = None
    notes: tuple[str, ...] = ()
    chains: tuple[str, ...] = ()

    @property
    def tags(self) -> tuple[str, ...]:
        """What a task says of its anchor."""
        tags = [f"anchor:{self.kind}", f"chain:{self.chain_kind}"]
        tags += ["chain:non-evm"] if self.anchor.chain in NO_FORK else []
        tags += ["unresolved:block"] if self.anchor.block == UNRESOLVED else []
        tags += ["unresolved:timestamp"] if self.anchor.timestamp == UNRESOLVED else []
        return tuple(tags)


def find_anchor(question: str) -> Found:
    """The anchor of a question: a block before a transaction before a date before the data set's own moment.

    A transaction of a chain without a fork stands at the data set's moment: nothing looks its own up, and what a
    finished one did is told alike at every moment after it.

    A date is the second at which it is over, UTC, and so is a period: a day's figures are told once it is over. A clock
    beside a date is that moment. Of several the last counts, but none after the data set's date, when nobody could have
    known.
    """
    chain, chain_kind, chains = find_chain(question)
    if found := _BLOCK.search(question):
        block = int((found["a"] or found["b"]).replace(",", ""))
        return Found("block", Anchor(chain, block, UNRESOLVED), chain_kind, chains=chains)
    if transaction := find_transaction(question):
        if not transaction.startswith("0x") and chain_kind == "default":
            chain, chain_kind = "solana", "implied"
        anchor = Anchor(chain, UNRESOLVED, DATASET_END if chain in NO_FORK else UNRESOLVED)
        return Found("transaction", anchor, chain_kind, transaction, chains=chains)
    moment, notes = _moment(question)
    kind: AnchorKind = "assumed" if moment is None else "date"
    anchor = Anchor(chain, UNRESOLVED, DATASET_END if moment is None else moment)
    return Found(kind, anchor, chain_kind, notes=notes, chains=chains)


def find_transaction(question: str) -> str | None:
    """The hash of the transaction, in lower case, or the Solana signature, that a question is about."""
    if not _TRANSACTION_WORD.search(question):
        return None
    if found := _TRANSACTION.search(question):
        return found[0].lower()
    return found[0] if (found := _SIGNATURE.search(question)) else None


def find_chain(question: str) -> tuple[str, ChainKind, tuple[str, ...]]:
    """The chain a question is about, how that is known, and every chain it names, in its order.

    Of several named, the first counts.
    """
    places = [(found.start(), chain) for chain, form in NAMES.items() if (found := form.search(question))]
    if (at := question.find("以太坊")) >= 0:
        places.append((at, "ethereum"))
    named = tuple(dict.fromkeys(chain for _, chain in sorted(places)))
    if named:
        return named[0], "named", named
    for chain, form in _IMPLIED.items():
        if form.search(question):
            return chain, "implied", ()
    return DEFAULT_CHAIN, "default", ()


def _moment(question: str) -> tuple[int | None, tuple[str, ...]]:
    named, impossible = named_dates(question, DATASET_YEAR)
    notes = [f"no calendar has {words}" for words in impossible]
    past = [item for item in named if item.start < DATASET_END]
    if len(past) < len(named):
        notes.append("a date after the data set's own was named and left out")
    if not past:
        return None, tuple(notes)
    last = max(past, key=_over)
    if last.end >= DATASET_END:
        notes.append("the period ends after the data set's own date, which is taken")
    if not last.has_year:
        notes.append(f"no year is named: {DATASET_YEAR} is taken")
    return _over(last), tuple(notes)


def _over(item: Named) -> int:
    """The moment that was named, or the second at which a day or period is over; at most the data set's own."""
    return min(item.end if item.clock else item.end + 1, DATASET_END)

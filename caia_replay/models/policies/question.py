"""What a question names: words, numbers, addresses, hashes, sites, and the moment it is asked at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from caia_replay.models.policies.conversation import Wire

_NAME = re.compile(r"(?<![A-Za-z0-9_])[A-Z][A-Za-z0-9_-]*")
_WORD = re.compile(r"[^\W\d_]{2,40}")
_NUMBER = re.compile(r"(?<![\w.])[0-9][0-9,]{0,40}(?:\.[0-9]{1,40})?(?!\w)")
_DAY = re.compile(r"(?<![\w-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![\w-])")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_SITE = re.compile(r"(?:https?://)?(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}(?:/[^\s,;!?()<>\"']*)?", re.IGNORECASE)
_ASKED_AT = re.compile(r"\[asked at: chain [^\n\]]*?, block ([0-9]{1,18}), ([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8})Z\]")
_NO_NAMES = frozenset(
    (
        *("a", "according", "an", "and", "are", "at", "by", "did", "do", "does", "during", "for", "from", "give"),
        *("how", "if", "in", "is", "it", "of", "on", "on-chain", "or", "the", "to", "under", "utc", "was", "were"),
        *("what", "when", "where", "which", "who", "whose", "why", "with"),
    )
)
_EARLIEST_YEAR = 1970
_LONGEST = 20_000
_ADDRESS_LENGTH = 42
_HASH_LENGTH = 66


@dataclass(frozen=True, slots=True)
class AskedAt:
    """The moment a question is asked at: height of its chain and time, UTC."""

    block: int
    time: datetime


UNTOLD = AskedAt(0, datetime(2025, 1, 1, tzinfo=UTC))
"""Stands in where no message tells the moment."""


@dataclass(frozen=True, slots=True)
class Named:
    """What stands in a question, each once, in its order.

    ``words`` is never empty; ``numbers`` are without commas, ``days`` are ISO dates, ``sites`` whole addresses.
    """

    words: tuple[str, ...]
    numbers: tuple[str, ...]
    days: tuple[str, ...]
    addresses: tuple[str, ...]
    hashes: tuple[str, ...]
    sites: tuple[str, ...]

    @property
    def ticker(self) -> str:
        """The first word that looks like an asset's ticker, or else the first word."""
        return next((word for word in self.words if word.isupper() and 2 <= len(word) <= 6), self.words[0])


def named_in(question: str) -> Named:
    """What ``question`` names. Its words are those written like names; where there are none, all words."""
    text = question[:_LONGEST]
    hexadecimal = _HEX.findall(text)
    names = [name for name in _NAME.findall(text) if name.casefold() not in _NO_NAMES]
    return Named(
        words=_once(names or _WORD.findall(text) or ["unnamed"]),
        numbers=_once(number.replace(",", "") for number in _NUMBER.findall(text)),
        days=_once(day for day in _DAY.findall(text) if _is_day(day)),
        addresses=_once(found for found in hexadecimal if len(found) == _ADDRESS_LENGTH),
        hashes=_once(found for found in hexadecimal if len(found) == _HASH_LENGTH),
        sites=_once(_address_of(site.rstrip(".:")) for site in _SITE.findall(text)),
    )


def asked_at(messages: Sequence[Wire]) -> AskedAt:
    """The moment that the first message of a user tells, or ``UNTOLD``."""
    said = next((str(message.get("content") or "") for message in messages if message.get("role") == "user"), "")
    found = _ASKED_AT.search(said)
    try:
        value = AskedAt(int(found[1]), datetime.fromisoformat(found[2] + "+00:00")) if found else UNTOLD
    except ValueError:
        return UNTOLD
    return value if value.time.year > _EARLIEST_YEAR else UNTOLD


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _address_of(site: str) -> str:
    return site if "://" in site else f"https://{site}"


def _once(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))

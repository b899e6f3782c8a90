"""How alike pages are: shingles of words, with everything masked that a template would fill in.

Names, tickers, handles, numbers, addresses, dates and links become placeholders, so that a page that is another one
with a name swapped has the same shingles. Alike are two texts whose sets of shingles have a Jaccard index, shared by
all, of a threshold or more. The pairs are found exactly, by prefix filtering (Chaudhuri, Ganti, Kaushik 2006): of two
sets that are alike, the rarest shingles of each cannot all be missing from the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from math import ceil

from caia_replay.search.text import bigrams, cjk_runs, latin, normalised

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_LINK = re.compile(r"\(?https?://[^\s)]+\)?|0x[0-9a-fA-F]{4,}|[$#@]\w+")
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DATE = re.compile(rf"\b(?:{_MONTHS})[a-z]*\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Alike:
    """Two texts by their places in what was compared, the smaller place first."""

    first: int
    second: int
    share: Fraction


def shingles(text: str, names: frozenset[str], size: int = 5) -> frozenset[int]:
    """A text's shingles of ``size`` words, as hashes; ``names`` are masked words in lower case. Of scripts without
    spaces the pairs of characters count as words."""
    flat = _DATE.sub(" date ", _LINK.sub(" link ", normalised(text)))
    words = ["name" if word in names else "0" if word[0].isdigit() else word
             for word in (found.lower() for found in _WORD.findall(latin(flat)))]  # fmt: skip
    words += [pair for run in cjk_runs(flat) for pair in bigrams(run)]
    if len(words) < size:
        return frozenset([_hash(" ".join(words))]) if words else frozenset()
    return frozenset(_hash(" ".join(words[at : at + size])) for at in range(len(words) - size + 1))


def alike(sets: Sequence[frozenset[int]], threshold: Fraction) -> list[Alike]:
    """Every pair whose Jaccard index is ``threshold`` or more, in order; empty sets are like nothing."""
    often = Counter(one for held in sets for one in held)
    holders: dict[int, list[int]] = {}
    found = []
    for at, held in enumerate(sets):
        rare = sorted(held, key=lambda one: (often[one], one))
        kept = rare[: len(rare) - ceil(threshold * len(rare)) + 1]
        for other in sorted({place for one in kept for place in holders.get(one, ())}):
            shared = len(held & sets[other])
            share = Fraction(shared, len(held) + len(sets[other]) - shared)
            if share >= threshold:
                found.append(Alike(other, at, share))
        for one in kept:
            holders.setdefault(one, []).append(at)
    return sorted(found, key=lambda pair: (pair.first, pair.second))


def names_of(texts: Iterable[str]) -> frozenset[str]:
    """The words of names and handles, lower case, to be masked."""
    return frozenset(word.lower() for text in texts for word in _WORD.findall(text.replace("_", " ")) if len(word) > 2)


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")

"""The whole web of a told story: what every writer wrote, held against the rules that all of it must keep."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from math import ceil
from typing import Final

from caia_replay.errors import CheckFailed
from caia_replay.providers.reader.provider import page_url
from caia_replay.search.text import bigrams, cjk_runs, latin, normalised
from caia_worldgen.web.page import WebPage, WebPost
from caia_worldgen.web.truth import Truth

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


LIKENESS: Final = Fraction(1, 2)
"""From this Jaccard index on two pages count as near-duplicates."""
MOST_ALIKE: Final = Fraction(1, 100)
"""The largest share of pages that may have a near-duplicate nobody meant."""

PageWriter = Callable[[Truth], Iterable[WebPage]]
PostWriter = Callable[[Truth], Iterable[WebPost]]
FrontWriter = Callable[[Truth, Sequence[WebPage]], Iterable[WebPage]]
"""Writes pages about all that the others wrote."""


@dataclass(frozen=True, slots=True)
class Web:
    """Pages by address and posts by moment."""

    pages: tuple[WebPage, ...]
    posts: tuple[WebPost, ...]


@dataclass(frozen=True, slots=True)
class WebReport:
    """What a web consists of. ``alike`` is the share of pages with a near-duplicate that is none of their copies."""

    pages: int
    posts: int
    kinds: Mapping[str, int]
    statuses: Mapping[str, int]
    copies: int
    alike: Fraction


def write_web(
    truth: Truth,
    page_writers: Sequence[PageWriter],
    post_writers: Sequence[PostWriter],
    front_writer: FrontWriter = lambda truth, pages: (),
) -> Web:
    """Everything the writers write. Raises ``CheckFailed`` for the first page or post that breaks a rule."""
    pages: dict[str, WebPage] = {}

    def fronts(truth: Truth) -> Iterable[WebPage]:
        return front_writer(truth, list(pages.values()))

    for write in (*page_writers, fronts):
        for made in write(truth):
            if made.page.url in pages:
                raise CheckFailed(f"two pages stand at {made.page.url}")
            for fault in page_faults(made, truth):
                raise CheckFailed(f"{made.page.url} {fault}")
            pages[made.page.url] = made
    posts = sorted(
        (told for tell in post_writers for told in tell(truth)), key=lambda one: (one.post.created, one.post.id)
    )
    ids = Counter(told.post.id for told in posts)
    for told in posts:
        if ids[told.post.id] > 1:
            raise CheckFailed(f"two posts have the id {told.post.id}")
        for fault in post_faults(told, truth):
            raise CheckFailed(f"post {told.post.id} of {told.post.author} {fault}")
    return Web(tuple(pages[url] for url in sorted(pages)), tuple(posts))


def page_faults(made: WebPage, truth: Truth) -> Iterator[str]:
    """What is wrong with a page: its address, its dates, or a claim that it does not state."""
    page, end = made.page, truth.midnight(truth.days)
    if page.url != page_url(page.url):
        yield f"is spelt otherwise than it is asked for: {page_url(page.url)}"
    if (page.published is None) == (page.first_seen is None):
        yield "must have either a date or a moment from which it exists"
    elif (page.known_since or 0) >= end:
        yield "is later than the story"
    if not page.title.strip() or not page.text.strip():
        yield "has no title or no text"
    for claim in made.claims:
        if claim.words not in page.text and claim.words not in page.title:
            yield f"does not say {claim.words!r}"
        if claim.moment > (page.known_since or 0) and claim.kind not in ("unlocked", "other"):
            yield f"tells of {claim.kind} {claim.subject} before it was the case"


def post_faults(made: WebPost, truth: Truth) -> Iterator[str]:
    """What is wrong with a post, as of a page."""
    post = made.post
    if not post.text.strip() or not post.id.isdecimal():
        yield "has no text, or an id that is no number"
    if post.created >= truth.midnight(truth.days):
        yield "is later than the story"
    for claim in made.claims:
        if claim.words not in post.text:
            yield f"does not say {claim.words!r}"
        if claim.moment > post.created and claim.kind not in ("unlocked", "other"):
            yield f"tells of {claim.kind} {claim.subject} before it was the case"


def report(web: Web, truth: Truth) -> WebReport:
    """Counts, and the share of near-duplicates among pages."""
    claims = [claim for made in web.pages for claim in made.claims]
    claims += [claim for made in web.posts for claim in made.claims]
    return WebReport(
        len(web.pages),
        len(web.posts),
        dict(sorted(Counter(made.kind for made in web.pages).items())),
        dict(sorted(Counter(claim.status for claim in claims).items())),
        sum(bool(made.copy_of) for made in web.pages),
        share_alike(web.pages, truth),
    )


def share_alike(pages: Sequence[WebPage], truth: Truth) -> Fraction:
    """The share of pages that are like another one, copies and what they are copies of apart."""
    names = masked_names(truth)
    pairs = alike([shingles(made.page.text, names) for made in pages], LIKENESS)
    unmeant = {place for pair in pairs if not _meant(pages[pair.first], pages[pair.second])
               for place in (pair.first, pair.second)}  # fmt: skip
    return Fraction(len(unmeant), max(1, len(pages)))


def masked_names(truth: Truth) -> frozenset[str]:
    """Every name that a page could be told apart by alone."""
    cast = truth.cast
    return names_of(
        [
            *(text for one in truth.subjects.values() for text in (one.name, one.ticker)),
            *(one.name for one in truth.scene.networks.values()),
            *(text for one in cast.sites() for text in (one.name.split()[0], *one.authors)),
            *(member.name for members in cast.teams.values() for member in members),
            *(text for one in cast.accounts for text in (one.handle, one.name)),
            *(person.handle for person in truth.scene.people.crowd),
            *cast.funds,
            *cast.firms,
            *cast.candidates,
        ]
    )


def _meant(one: WebPage, other: WebPage) -> bool:
    sources = {one.copy_of or one.page.url, other.copy_of or other.page.url}
    return len(sources) == 1

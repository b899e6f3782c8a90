"""What a snapshot claims to lack nothing of: per table, block range, account and log filter.

Without a claim a key that no row holds is a miss. Inside one it is provably nothing: zero for a
slot, empty for an account, no log for a filter.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter
from typing import Final

from caia_replay.errors import BadInput

Span = tuple[int, int]
"""Inclusive block numbers."""

Topics = tuple[frozenset[bytes], ...]
"""Per topic position the hashes that are meant; an empty position means any."""

CLAIMABLE: Final = ("blocks", "transactions", "receipts", "logs", "accounts", "storage")
"""Tables of which a range can be complete; codes and replies are found by digest or not at all."""

_BY_ACCOUNT: Final = ("logs", "storage")


@dataclass(frozen=True, slots=True)
class Claim:
    """``table`` lacks no row of blocks ``first`` to ``last``, of the ``addresses`` (20 bytes; none
    named: of all), and for logs of those that match ``topics``."""

    table: str
    first: int
    last: int
    addresses: frozenset[bytes] = frozenset()
    topics: Topics = ()

    def __post_init__(self) -> None:
        """Trailing positions that mean any topic say nothing and are dropped. Raises ``BadInput``."""
        topics = self.topics
        while topics and not topics[-1]:
            topics = topics[:-1]
        object.__setattr__(self, "topics", topics)
        if self.table not in CLAIMABLE:
            raise BadInput(f"no claim can be made about the {self.table!r:.40} table", nearest=", ".join(CLAIMABLE))
        if not 0 <= self.first <= self.last:
            raise BadInput(f"the claim about {self.table} runs backwards: {self.first} to {self.last}")
        if (self.addresses and self.table not in _BY_ACCOUNT) or (topics and self.table != "logs"):
            raise BadInput(f"a claim about {self.table} cannot be narrowed to addresses or topics")

    @property
    def key(self) -> tuple[object, ...]:
        """What sorts claims, and what two of them must share to be joined: all but the range last."""
        return (self.table, sorted(self.addresses), [sorted(topic) for topic in self.topics], self.first, self.last)


Ranges = tuple[Topics, tuple[Span, ...]]
"""What is complete for one filter of topics: ascending ranges that do not touch."""


@dataclass(frozen=True, slots=True)
class Claims:
    """All claims of one snapshot, sorted, touching ranges joined: equal statements make equal claims,
    however they were pieced together. Read-only; iterates over ``Claim``.

    A lookup of one block takes a binary search, however many claims there are.
    """

    items: tuple[Claim, ...] = ()
    _ranges: dict[tuple[str, bytes | None], tuple[Ranges, ...]] = field(init=False, compare=False, repr=False)
    """By table and address; under None what is claimed of all addresses."""

    def __post_init__(self) -> None:
        """Sorts, joins and indexes the items, which may come in any order."""
        joined: list[Claim] = []
        groups: list[Ranges] = []
        named: defaultdict[tuple[str, bytes | None], list[int]] = defaultdict(list)
        ordered = sorted(((claim.key, claim) for claim in self.items), key=itemgetter(0))
        for _, some in groupby(ordered, key=lambda pair: pair[0][:3]):
            same = [claim for _, claim in some]
            ranges = joined_spans((claim.first, claim.last) for claim in same)
            whole = {(claim.first, claim.last): claim for claim in same}
            joined += [whole.get(span) or replace(same[0], first=span[0], last=span[1]) for span in ranges]
            for address in same[0].addresses or (None,):
                named[same[0].table, address].append(len(groups))
            groups.append((same[0].topics, ranges))
        # Addresses that the same claims name share one index entry: most claims name many.
        shared = {tuple(numbers): _by_topics(groups[number] for number in numbers) for numbers in named.values()}
        object.__setattr__(self, "items", tuple(joined))
        object.__setattr__(self, "_ranges", {key: shared[tuple(numbers)] for key, numbers in named.items()})

    @classmethod
    def of(cls, claims: Iterable[Claim]) -> Claims:
        """The claims that any iterable gives."""
        return claims if isinstance(claims, cls) else cls(tuple(claims))

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.items)

    def covers(
        self, table: str, first: int, last: int | None = None, addresses: Iterable[bytes] = (), topics: Topics = ()
    ) -> bool:
        """Whether ``table`` provably lacks nothing of blocks ``first`` to ``last`` (default: that one).

        ``addresses`` and ``topics`` narrow the question; none means everything. Each address may be
        covered by claims of its own.
        """
        end = first if last is None else last
        return all(
            next(_gaps(ranges, first, end), None) is None for ranges in self._including(table, addresses, topics)
        )

    def gaps(
        self, table: str, first: int, last: int, addresses: Iterable[bytes] = (), topics: Topics = ()
    ) -> tuple[Span, ...]:
        """The ranges within ``first`` to ``last`` that ``covers`` denies, ascending."""
        return joined_spans(
            gap for ranges in self._including(table, addresses, topics) for gap in _gaps(ranges, first, last)
        )

    def spans(self, table: str) -> tuple[Span, ...]:
        """The ranges for which the whole of ``table`` is complete, ascending."""
        return next((ranges for topics, ranges in self._ranges.get((table, None), ()) if not topics), ())

    def _including(self, table: str, addresses: Iterable[bytes], topics: Topics) -> list[list[tuple[Span, ...]]]:
        """For each address (none: for all of them) the ranges in which it is complete for ``topics``."""
        of_all = self._ranges.get((table, None), ())
        own = [self._ranges.get((table, address), ()) for address in addresses] or [()]
        distinct = {id(found): found for found in own}.values()
        return [[ranges for mine, ranges in (*of_all, *found) if _within(topics, mine)] for found in distinct]


def spans_of(numbers: Iterable[int]) -> tuple[Span, ...]:
    """Block numbers as ascending ranges, neighbours joined."""
    return joined_spans((number, number) for number in numbers)


def joined_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Ranges in ascending order, overlapping and touching ones joined."""
    joined: list[Span] = []
    for first, last in sorted(spans):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return tuple(joined)


def spans_words(spans: Sequence[Span]) -> str:
    """Ranges for people: ``blocks 1 to 5 and 9``; long lists are cut."""
    words = [str(first) if first == last else f"{first} to {last}" for first, last in spans]
    shown = words if len(words) <= 6 else [*words[:5], f"{len(words) - 5} more"]
    start = "block" if len(spans) == 1 and spans[0][0] == spans[0][1] else "blocks"
    return f"{start} {', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else f"{start} {''.join(shown)}"


def _by_topics(groups: Iterable[Ranges]) -> tuple[Ranges, ...]:
    """The groups with those of equal topics joined."""
    found: defaultdict[Topics, list[tuple[Span, ...]]] = defaultdict(list)
    for topics, ranges in groups:
        found[topics].append(ranges)
    return tuple(
        (topics, some[0] if len(some) == 1 else joined_spans(span for ranges in some for span in ranges))
        for topics, some in found.items()
    )


def _within(asked: Topics, mine: Topics) -> bool:
    """Whether all that matches the topics ``asked`` matches ``mine``."""
    for at, wanted in enumerate(mine):
        narrow = asked[at] if at < len(asked) else frozenset()
        if wanted and not (narrow and narrow <= wanted):
            return False
    return True


def _gaps(sources: Sequence[tuple[Span, ...]], first: int, last: int) -> Iterator[Span]:
    """What none of the ``sources`` holds of ``first`` to ``last``, one after the other."""
    at = first
    while at <= last:
        reached, begin = at, last + 1
        for ranges in sources:
            place = bisect_right(ranges, at, key=itemgetter(0))
            if place:
                reached = max(reached, ranges[place - 1][1] + 1)
            if place < len(ranges):
                begin = min(begin, ranges[place][0])
        if reached == at:
            yield at, begin - 1
            reached = begin
        at = reached

"""What a snapshot claims to lack nothing of: per table, block range, account and log filter.

Without a claim a key that no row holds is a miss. Inside one it is provably nothing: zero for a
slot, empty for an account, no log for a filter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
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

    def includes(self, address: bytes | None, topics: Topics) -> bool:
        """Whether everything of ``address`` (None: of all) that matches ``topics`` is inside the claim."""
        if self.addresses and address not in self.addresses:
            return False
        for at, mine in enumerate(self.topics):
            asked = topics[at] if at < len(topics) else frozenset()
            if mine and not (asked and asked <= mine):
                return False
        return True

    @property
    def key(self) -> tuple[object, ...]:
        """What sorts claims, and what two of them must share to be joined: all but the range last."""
        return (self.table, sorted(self.addresses), [sorted(topic) for topic in self.topics], self.first, self.last)


@dataclass(frozen=True, slots=True)
class Claims:
    """All claims of one snapshot, sorted, touching ranges joined. Read-only; iterates over ``Claim``."""

    items: tuple[Claim, ...] = ()
    _open: dict[str, tuple[Claim, ...]] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, claims: Iterable[Claim]) -> Claims:
        """Sorted and joined: equal statements make equal claims, however they were pieced together."""
        joined: list[Claim] = []
        for claim in sorted(claims, key=lambda claim: claim.key):
            before = joined[-1] if joined else None
            if before is not None and before.key[:3] == claim.key[:3] and claim.first <= before.last + 1:
                joined[-1] = replace(before, last=max(before.last, claim.last))
            else:
                joined.append(claim)
        by_table = {name: tuple(claim for claim in joined if claim.table == name) for name in CLAIMABLE}
        return cls(tuple(joined), by_table)

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
        claims = self._open.get(table, ())
        return bool(claims) and all(
            _spanned([claim for claim in claims if claim.includes(address, topics)], first, end)
            for address in (tuple(addresses) or (None,))
        )

    def spans(self, table: str) -> tuple[Span, ...]:
        """The ranges for which the whole of ``table`` is complete, ascending."""
        found = [claim for claim in self._open.get(table, ()) if not claim.addresses and not claim.topics]
        return tuple((claim.first, claim.last) for claim in found)


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


def _spanned(claims: Sequence[Claim], first: int, last: int) -> bool:
    """Whether the union of the claims' ranges holds ``first`` to ``last``."""
    reached = first
    for claim in sorted(claims, key=lambda claim: claim.first):
        if claim.first > reached:
            return False
        if claim.last >= reached:
            reached = claim.last + 1
        if reached > last:
            return True
    return False

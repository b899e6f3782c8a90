"""One token's unlock calendar as the DeFi index keeps it, read strictly: what is out on every day, and the events."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from caia_replay.providers.defillama.as_of import RESTATED_AT
from caia_replay.tools.defi_index import Number, figure, moment_of
from caia_replay.tools.figure import reading, total
from caia_replay.world.clock import utc_text


@dataclass(frozen=True, slots=True)
class Event:
    """A cliff (``tokens``), or a linear release that begins, changes or ends (``before`` and ``after`` in a week).

    ``words`` are the calendar's own, where it names no allocation.
    """

    at: int
    kind: str | None
    allocation: str | None
    category: str | None
    tokens: Decimal | None = None
    before: Decimal | None = None
    after: Decimal | None = None
    until: int | None = None
    words: str | None = None


@dataclass(frozen=True, slots=True)
class Emission:
    """A calendar. ``tokens`` and ``protocols`` say whose it is: CoinGecko ids and addresses, ids of the index."""

    name: str | None
    gecko_id: str | None
    tokens: frozenset[str]
    protocols: frozenset[str]
    most: Decimal | None
    """The greatest supply; None where none is told."""
    categories: Mapping[str, Sequence[str]]
    points: Mapping[str, tuple[Sequence[int], Sequence[Number]]]
    """By allocation: the moments, and all that is out at each."""
    events: Sequence[Event]
    restated_at: int | None = None
    """When the calendar was told, where that was after now: a plan may have been written anew since then."""

    @property
    def labels(self) -> list[str]:
        """Every allocation, in the calendar's order."""
        return list(self.points)

    @property
    def begins(self) -> int:
        """The first moment at which every allocation is told."""
        return max(moments[0] for moments, _ in self.points.values())

    @property
    def ends(self) -> int:
        """The last moment at which any changes."""
        return max(moments[-1] for moments, _ in self.points.values())

    def out(self, labels: Sequence[str], moment: int) -> Decimal:
        """What of some allocations is out by the last point at ``moment`` or before; it is not before ``begins``."""
        amounts = []
        for label in labels:
            moments, found = self.points[label]
            amounts.append(_exact(found[bisect_right(moments, moment) - 1]))
        return total(amounts)

    def released(self, labels: Sequence[str], first: int, last: int) -> Decimal:
        """What comes out from ``first``, which is after ``begins``, until before ``last``."""
        return less(self.out(labels, last - 1), self.out(labels, first - 1))

    def category(self, label: str) -> str | None:
        """What kind of holder an allocation is for; None where the calendar does not say."""
        return next((name for name, labels in self.categories.items() if label in labels), None)

    def by_category(self) -> dict[str | None, list[str]]:
        """The allocations of each category, those of none at the end."""
        found: dict[str | None, list[str]] = {name: [] for name in (*self.categories, None)}
        for label in self.points:
            found[self.category(label)].append(label)
        return {name: labels for name, labels in found.items() if labels}


def less(amount: Decimal, taken: Decimal) -> Decimal:
    """The exact difference, which the arithmetic of decimals would round to 28 digits."""
    return total((amount, taken.copy_negate()))


def emission_of(content: Any, slug: str) -> Emission:
    """A calendar's file. Raises ``Miss`` where it has another shape."""
    with reading(f"the unlock calendar {slug}"):
        about = content["metadata"]
        gecko_id = content.get("gecko_id") or None
        numbers = content.get("defillamaIds") or about.get("protocolIds") or ()
        supply = (content.get("supplyMetrics") or {}).get("maxSupply")
        return Emission(
            name=content.get("name"),
            gecko_id=gecko_id,
            tokens=frozenset(name for name in (gecko_id, _token(about.get("token"))) if name),
            protocols=frozenset(str(number) for number in numbers),
            most=_number(about.get("total") if supply is None else supply),
            categories={str(name): [str(label) for label in labels] for name, labels in _categories(content).items()},
            points=_points(content["documentedData"]["data"]),
            events=sorted(_events(about), key=lambda event: (event.at, event.allocation or "", event.kind or "")),
            restated_at=moment_of(content[RESTATED_AT]) if RESTATED_AT in content else None,
        )


def _categories(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    found = fields.get("categories") or {}
    if not isinstance(found, Mapping):
        raise TypeError("categories are named")
    return found


def _points(sections: Any) -> dict[str, tuple[Sequence[int], Sequence[Number]]]:
    found: dict[str, tuple[Sequence[int], Sequence[Number]]] = {}
    for section in sections:
        moments = [moment_of(point["timestamp"]) for point in section["data"]]
        amounts = [figure(point["unlocked"]) for point in section["data"]]
        known = [amount for amount in amounts if amount is not None]
        label = str(section["label"])
        if label in found or len(known) != len(moments) or not moments or moments != sorted(set(moments)):
            raise ValueError("an allocation is told once, by points in the order of time")
        found[label] = moments, known
    if not found:
        raise ValueError("a calendar has an allocation")
    return found


def _events(about: Mapping[str, Any]) -> Iterator[Event]:
    """The events by allocation, or, in files that have none of those, as they are told in words."""
    dated = about.get("unlockEvents") or ()
    for event in dated:
        at = moment_of(event["timestamp"])
        for one in event.get("cliffAllocations") or ():
            yield Event(at, "cliff", one.get("recipient"), one.get("category"), tokens=_number(one["amount"]))
        for one in event.get("linearAllocations") or ():
            until = one.get("endTimestamp")
            yield Event(at, one.get("unlockType") or "linear", one.get("recipient"), one.get("category"),
                        before=_number(one.get("previousRatePerWeek")), after=_number(one.get("newRatePerWeek")),
                        until=None if until is None else moment_of(until))  # fmt: skip
    for event in () if dated else about.get("events") or ():
        amounts = [_number(amount) for amount in event.get("noOfTokens") or ()]
        at = moment_of(event["timestamp"])
        words = str(event["description"]).replace("{timestamp}", utc_text(at))
        for place, amount in enumerate(amounts):
            words = words.replace(f"{{tokens[{place}]}}", "?" if amount is None else f"{amount:f}")
        tokens = amounts[0] if len(amounts) == 1 else None
        yield Event(at, event.get("unlockType"), None, event.get("category"), tokens=tokens, words=words)


def _token(value: Any) -> str | None:
    """The CoinGecko id of ``coingecko:id``, the address of ``network:address``."""
    return value.rpartition(":")[2].lower() if isinstance(value, str) else None


def _number(value: Any) -> Decimal | None:
    number = figure(value)
    return None if number is None else _exact(number)


def _exact(number: Number) -> Decimal:
    """A figure as it was written: the shortest digits that mean the same float."""
    return Decimal(str(number))

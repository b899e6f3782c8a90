"""Discernment: how well true claims are told from false ones, in standard deviations, apart from how much is believed.

Signal detection (Green and Swets 1966): a true claim accepted is a hit, a false one accepted a false alarm. d' is
z(hit rate) - z(false-alarm rate), 0 for whoever believes both alike; the criterion c is minus half their sum, below 0
for whoever believes much. Rates are log-linear, (accepted + 1/2) / (claims + 1) (Hautus 1995, Behavior Research
Methods 27), so that d' and c are finite whatever was accepted. Quantiles are floats, rounded once, to six decimals.

Intervals of 95 %: each rate's exact ends (Clopper and Pearson 1934) on the scale of z, joined by the method of variance
estimates recovery (Zou and Donner 2008, Statistics in Medicine 27). An end is None where the counts do not bound it:
who accepted every true claim may discern without limit. Where one cluster has several claims, ends are moved out by
Student's t and the root of Kish's design effect, from sums over clusters, never in; under ``FEWEST_CLUSTERS``
effective ones there is no interval. Coverage, by counting every outcome: 95.6 % and more for d' 0 to 3, c -1 to 1 and
20, 50, 100 and 200 independent claims; simulated for clusters in ``tests/soak/test_discernment.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import hypot, isinf, sqrt
from statistics import NormalDist
from typing import Any, Final

from caia_replay.scoring.exact_rate import probit_ends
from caia_replay.scoring.interval import FEWEST_CLUSTERS, Z_95, effective, students_t

NORMAL: Final = NormalDist()
_DECIMALS: Final = 6

Ends = tuple[float | None, float | None]
"""Lower and upper end; None where there is none."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim that was told through a channel, and what became of it.

    ``accepted`` is None for whoever abstained. ``task`` is what labels were drawn for; tasks of one ``cluster`` (a
    project) are not independent. ``cluster`` is the task itself where it is "".
    """

    channel: str
    is_true: bool
    accepted: bool | None
    task: str
    cluster: str = ""

    @property
    def group(self) -> tuple[bool, str]:
        """The cluster it belongs to; a task and a cluster may bear the same name."""
        return (True, self.cluster) if self.cluster else (False, self.task)


@dataclass(frozen=True, slots=True)
class Discernment:
    """One channel. ``hits`` of ``true`` and ``false_alarms`` of ``false`` claims; the abstained are counted apart and
    are in neither.

    ``d_prime`` and ``criterion``: None without a decided claim of each sort, and so their intervals. ``bounds``: the
    least and the most that d' would be, had every abstention been a decision; None without a claim of each sort.
    """

    channel: str
    true: int
    hits: int
    false: int
    false_alarms: int
    abstained_true: int
    abstained_false: int
    clusters: int
    d_prime: float | None
    criterion: float | None
    d_prime_interval: Ends | None
    criterion_interval: Ends | None
    bounds: tuple[float, float] | None

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        names = [name for name in self.__slots__ if name not in ("d_prime_interval", "criterion_interval", "bounds")]
        fields = {name: getattr(self, name) for name in names}
        for name in ("d_prime_interval", "criterion_interval", "bounds"):
            found = getattr(self, name)
            fields[name] = None if found is None else list(found)
        return fields


def discernment(channel: str, claims: Iterable[Claim]) -> Discernment:
    """The figures over the claims of one channel; claims of others are left out."""
    own = [claim for claim in claims if claim.channel == channel]
    abstained = [sum(one.accepted is None and one.is_true is sort for one in own) for sort in (True, False)]
    seen = _Seen([one for one in own if one.accepted is not None])
    true, hits, false, alarms = seen.counts
    known = seen.is_known
    return Discernment(
        channel=channel,
        true=true,
        hits=hits,
        false=false,
        false_alarms=alarms,
        abstained_true=abstained[0],
        abstained_false=abstained[1],
        clusters=len({one.group for one in own}),
        d_prime=_told(seen.d_prime) if known else None,
        criterion=_told(seen.criterion) if known else None,
        d_prime_interval=_interval(seen.d_prime, seen.reach_d(), _stretch([(seen, 1)], -1)) if known else None,
        criterion_interval=_interval(seen.criterion, seen.reach_c(), _stretch([(seen, 1)], 1)) if known else None,
        bounds=_bounds((true, hits, false, alarms), abstained),
    )


def swapped(claims: Iterable[Claim]) -> list[Claim]:
    """The same with every label the other one: d' changes its sign and nothing else, c stays."""
    return [replace(claim, is_true=not claim.is_true) for claim in claims]


def z_of(accepted: int, claims: int) -> float:
    """The quantile of a log-linear rate: finite for any count, and to the bit minus that of the claims not accepted."""
    if 2 * accepted > claims:
        return -z_of(claims - accepted, claims)
    return NORMAL.inv_cdf((accepted + 0.5) / (claims + 1))


class _Seen:
    """Decided claims of one channel: ``counts`` are true, hits, false, false alarms; ``sums`` the same by cluster."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self.sums: dict[tuple[bool, str], tuple[int, int, int, int]] = {}
        for claim in claims:
            true, hits, false, alarms = self.sums.get(claim.group, (0, 0, 0, 0))
            took = claim.accepted is True
            if claim.is_true:
                self.sums[claim.group] = (true + 1, hits + took, false, alarms)
            else:
                self.sums[claim.group] = (true, hits, false + 1, alarms + took)
        self.counts = tuple(map(sum, zip(*self.sums.values()))) or (0, 0, 0, 0)
        self.is_known = self.counts[0] > 0 and self.counts[2] > 0
        if self.is_known:
            self._z = z_of(*self.counts[1::-1]), z_of(*self.counts[3:1:-1])
            self.d_prime, self.criterion = self._z[0] - self._z[1], -sum(self._z) / 2

    def reach_d(self) -> tuple[float, float]:
        """How far d' may be below and above what it was found at."""
        (below, above), (alarms_below, alarms_above) = self._reaches()
        return hypot(below, alarms_above), hypot(above, alarms_below)

    def reach_c(self) -> tuple[float, float]:
        """The same of the criterion."""
        (below, above), (alarms_below, alarms_above) = self._reaches()
        return hypot(above, alarms_above) / 2, hypot(below, alarms_below) / 2

    def parts(self, side: int) -> dict[tuple[bool, str], float]:
        """What each cluster moves z(hit rate) + ``side`` z(false-alarm rate) by, to first order."""
        true, hits, false, alarms = self.counts
        steep = true * NORMAL.pdf(self._z[0]), false * NORMAL.pdf(self._z[1])
        return {
            group: (own[1] - own[0] * hits / true) / steep[0] + side * (own[3] - own[2] * alarms / false) / steep[1]
            for group, own in self.sums.items()
        }

    def variance(self) -> float:
        """Of either, were all claims independent."""
        true, hits, false, alarms = self.counts
        one = hits * (true - hits) / (true**3 * NORMAL.pdf(self._z[0]) ** 2)
        return one + alarms * (false - alarms) / (false**3 * NORMAL.pdf(self._z[1]) ** 2)

    def _reaches(self) -> list[tuple[float, float]]:
        ends = probit_ends(*self.counts[1::-1]), probit_ends(*self.counts[3:1:-1])
        return [(z - below, above - z) for z, (below, above) in zip(self._z, ends, strict=True)]


def _stretch(seen: Sequence[tuple[_Seen, int]], side: int) -> float | None:
    """What ends are moved out by; 1 where every claim is a cluster of its own, None where there are too few clusters.

    Where no variance is seen at all, each cluster counts as one claim.
    """
    sizes: dict[tuple[bool, str], int] = {}
    moved: dict[tuple[bool, str], float] = {}
    for one, sign in seen:
        for group, own in one.sums.items():
            sizes[group] = sizes.get(group, 0) + own[0] + own[2]
        for group, part in one.parts(side).items():
            moved[group] = moved.get(group, 0.0) + sign * part
    claims, clusters = sum(sizes.values()), len(sizes)
    if claims == clusters:
        return 1.0
    alike = effective(sizes.values())
    if alike < FEWEST_CLUSTERS:
        return None
    alone = sum(one.variance() for one, _ in seen)
    together = clusters / (clusters - 1) * sum(moved[group] ** 2 for group in sorted(moved))
    effect = together / alone if alone else claims / clusters
    return sqrt(max(1.0, effect)) * float(students_t(Z_95, alike - 1) / Z_95)


def _interval(middle: float, reach: tuple[float, float], stretch: float | None) -> Ends | None:
    if stretch is None:
        return None
    ends = middle - reach[0] * stretch, middle + reach[1] * stretch
    return None if isinf(ends[0]) else _told(ends[0]), None if isinf(ends[1]) else _told(ends[1])


def _bounds(counts: tuple[int, int, int, int], abstained: Sequence[int]) -> tuple[float, float] | None:
    true, false = counts[0] + abstained[0], counts[2] + abstained[1]
    if not (true and false):
        return None
    least = z_of(counts[1], true) - z_of(counts[3] + abstained[1], false)
    most = z_of(counts[1] + abstained[0], true) - z_of(counts[3], false)
    return _told(least), _told(most)


def _told(value: float) -> float:
    """Six decimals, and no minus zero."""
    return round(value, _DECIMALS) + 0.0

"""Which part of two weeks' trading on decentralised exchanges one of them had."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import ChainRecipe, Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import iso, midnights
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 4
_DAYS: Final = 14
_PER_CENT: Final = "0.05"
_APART: Final = 2 * Fraction(_PER_CENT) / 100
"""How far, of the share, that of a window a day earlier, later, longer or shorter is from it."""
_NEAR: Final = ((-1, -1), (1, 1), (0, -1), (1, 0))
"""By how many days the ends of other windows are moved."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, flow = story.scene.main, story.metrics.flow
    exchanges = [one for one in story.metrics.protocols if flow.has(one, "volume")]
    # Windows that share no day, since the shares of those that do are nearly the same.
    days = midnights(story, 2, _DAYS + 2)[::_DAYS]
    traded, told = {one.slug: flow.daily_e8(one, "volume") for one in exchanges}, list[Fraction]()
    for at, day in enumerate(dice.some(days, len(days))):
        first, end = stage.calendar.midnight(day), stage.calendar.midnight(day + _DAYS)
        block = story.height_after(stage, end, dice)
        turn = at % len(exchanges)
        shares = {one: _clear_share(traded, one.slug, day, told) for one in (*exchanges[turn:], *exchanges[:turn])}
        one, share = next(((one, share) for one, share in shares.items() if share), (exchanges[0], None))
        if share is None or block is None:
            continue
        told.append(share)
        question = (
            f"By DefiLlama, of everything that decentralised exchanges on all chains traded from {iso(first)} to "
            f"{iso(end - 1)} (UTC days, both included), what share in per cent was {one.name}'s? Give three decimals."
        )
        yield Asked(
            question,
            stage,
            block,
            number(round(share, 6), "%", _PER_CENT),
            gold(
                f"first(where($1.window_ranking, 'name', '{one.name}')).share_percent",
                step("exchange_overview", start=iso(first), end=iso(end - 1), limit=50),
            ),
            one.slug,
            f"From {iso(first)} to {iso(end - 1)} {one.name} had {{planted}} % of all trading on such exchanges.",
        )


def _clear_share(traded: Mapping[str, Sequence[int]], slug: str, day: int, told: Sequence[Fraction]) -> Fraction | None:
    """One exchange's share, unless another window's, a round number or one told before is nearly the same."""
    share = _share(traded, slug, day, day + _DAYS)
    near = [_share(traded, slug, day + since, day + _DAYS + until) for since, until in _NEAR]
    near += [*told, Fraction(round(share))]
    return None if any(abs(other - share) <= _APART * share for other in near) else share


def _share(traded: Mapping[str, Sequence[int]], slug: str, first: int, end: int) -> Fraction:
    """One exchange's per cent of what all traded from a day until before another."""
    whole = sum(sum(days[first:end]) for days in traded.values())
    return Fraction(sum(traded[slug][first:end]) * 100, whole or 1)


SHAPE: Final = Shape(
    "volume-share", "project discovery", "DeFi metrics", ("exchange_overview",), _MOST, (1_500, 12_000),
    "Orders are routed to the exchange with the less liquidity.", 2, _asked,
    Recipe(
        r"traded from (?P<first>[0-9]{4}-[0-9]{2}-[0-9]{2}) to (?P<last>[0-9]{4}-[0-9]{2}-[0-9]{2}) .* per cent was "
        r"(?P<project>[\w ]+)'s\?",
        "{project} share of decentralised exchange volume {first} to {last}",
        r"From {first} to {last} {project} had (?P<answer>[0-9][0-9,]*(?:\.[0-9]+)?) ?% of all trading",
        ChainRecipe(
            "exchange_overview", {"start": "{first}", "end": "{last}", "limit": 50},
            r'"name":"{project}","share_percent":(?P<answer>[0-9.]+)',
        ),
    ),
)  # fmt: skip

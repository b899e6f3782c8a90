"""docs/world.svg from the economy of seed 1: ``python scripts/draw_world.py`` writes it, ``--check`` compares.

The upper half is a map of who deals with whom, with counts of the story's deeds; the lower half the outside venue's
prices, with the days of a few events below them. The story is told at the small size, which takes some seconds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from caia_worldgen.calendar import SCALES
from caia_worldgen.economy import economy, tell
from caia_worldgen.event import ChainEvent, done
from caia_worldgen.scene import Scene
from caia_worldgen.stage import Stage

PATH: Final = Path(__file__).parent.parent / "docs" / "world.svg"
SEED: Final = 1

WIDTH: Final = 1_000
HEIGHT: Final = 1_046
_INK, _SOFT, _LINE, _PAPER, _BOX = "#22262b", "#5b6169", "#b9b5a8", "#faf8f3", "#ffffff"
_ALARM, _ALARM_BOX = "#a8322a", "#fbeeec"
_BLUE, _BROWN, _GREEN = "#2458a6", "#b4560f", "#12776a"
_FAINT = "#e3dfd4"
_PRICED: Final = (("native", "native coin", _BLUE), ("exchange", "exchange", _BROWN), ("lend", "lending", _GREEN))
"""Whose prices are drawn: role, what the picture calls it, colour."""

_COLUMNS: Final = (258, 518, 778)
_ROWS: Final = (112, 234, 364, 514)
_BOX_WIDTH: Final = 190
_BOX_HEIGHTS: Final = (84, 92, 84, 64)
_LEFT, _RIGHT, _TOP, _BOTTOM = 150, 800, 680, 890
"""The edges of the chart of prices."""
_EVERY_HOURS: Final = 6
_TICK_DAYS: Final = 14
_LANES: Final = (934, 960, 986, 1_012)


def draw(scene: Scene) -> str:
    """The picture of a story that was told to its end; equal stories give equal bytes."""
    names = f"{scene.networks['main'].name} and {scene.networks['rollup'].name}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        ' role="img" font-family="sans-serif">',
        f"<title>The synthetic economy of seed {scene.seed}</title>",
        f"<desc>Above, who deals with whom on {escape(names)}; below, the outside venue's prices over"
        f" {scene.scale.days} days, with the crash, the votes, the airdrop and the cliffs.</desc>",
        f'<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
        f' orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" fill="{_SOFT}"/></marker></defs>',
        _rectangle(0.5, 0.5, WIDTH - 1, HEIGHT - 1, _PAPER, _LINE),
        _text(16, 34, "Two chains on which a small economy happened", 19, bold=True),
        _text(16, 56, f"Seed {scene.seed}, size {scene.scale.name}. Synthetic: names, people and figures come from the "
                      "seed, none is real.", 12.5, _SOFT),
    ]  # fmt: skip
    return "\n".join([*parts, *_map(scene), *_chart(scene), "</svg>"]) + "\n"


# the map


def _map(scene: Scene) -> Iterator[str]:
    """Frames of both chains, the venue outside them, and the boxes of the actors with the arrows between."""
    yield _rectangle(_LEFT, 78, 834, 384, "#f0f3f7", _LINE)
    yield _rectangle(_LEFT, 498, 834, 108, "#f3f1f7", _LINE)
    yield _text(166, 100, _heading(scene, "main", "main chain", scene.main), 12.5, bold=True)
    yield _text(166, 596, _heading(scene, "rollup", "roll-up", scene.rollup), 12.5, bold=True)
    yield _rectangle(16, 114, 110, 462, _BOX, _SOFT, dashed=True)
    yield from _venue(scene)
    yield from _arrows(scene)
    for (column, row), (title, lines) in _boxes(scene).items():
        alarm = title == "Traps"
        x, y = _COLUMNS[column], _ROWS[row]
        fill, edge = (_ALARM_BOX, _ALARM) if alarm else (_BOX, _SOFT)
        yield _rectangle(x, y, _BOX_WIDTH, _BOX_HEIGHTS[row], fill, edge)
        yield _text(x + 11, y + 20, title, 12.5, _ALARM if alarm else _INK, bold=True)
        yield from (_text(x + 11, y + 38 + 16 * number, line, 11.5) for number, line in enumerate(lines))


def _venue(scene: Scene) -> Iterator[str]:
    """What the box of the outside venue says, from the top down."""
    crash, assets = _crash_hour(scene), scene.venue.assets
    walks = map(scene.venue.hourly, assets)
    falls = [round(100 - 100 * walk[crash] / walk[crash - 1]) for walk in walks]
    words = (
        "A market that",
        "no chain sees:",
        "hourly prices",
        "of the native",
        f"coin and {len(assets) - 1}",
        "tokens.",
    )
    yield _text(26, 134, "Outside", 12.5, bold=True)
    yield _text(26, 150, "venue", 12.5, bold=True)
    yield from (_text(26, 176 + 16 * number, line, 11.5) for number, line in enumerate(words))
    yield _text(26, 316, "At first:", 11.5)
    for number, (role, _, colour) in enumerate(_PRICED):
        price = f"{scene.projects[role].ticker} {_dollars(scene.venue.hourly(role)[0])}"
        yield _text(26, 334 + 17 * number, price, 11, colour, bold=True)
    fall = ("Then a crash:", f"{min(falls)} to {max(falls)} %", "less within", "one hour.")
    yield from (_text(26, 408 + 16 * number, line, 11.5) for number, line in enumerate(fall))


def _boxes(scene: Scene) -> dict[tuple[int, int], tuple[str, tuple[str, ...]]]:
    """(column, row) -> title and lines, counted from the deeds."""
    main, rollup = _counter(scene.main.deeds), _counter(scene.rollup.deeds)
    wallets = {person.address for person in scene.people.crowd}
    crowd = _counter([deed for deed in scene.main.deeds if deed.actor in wallets])
    pairs = len({deed.subject for deed in done(scene.main.deeds, "swapped")})
    grants = sum(deed.subject.endswith("vesting") for deed in done(scene.main.deeds, "released"))
    back = main("released") - grants
    pools = [deed.subject for deed in done(scene.main.deeds, "opened") if deed.subject.endswith("staking pool")]
    markets = [deed.subject for deed in done(scene.main.deeds, "opened") if deed.subject.endswith("lending market")]
    claims = sum(main("claimed", pool) for pool in pools)
    unpaid = sum(main("was refused", pool) for pool in pools)
    return {
        (0, 0): ("Exchange pools", (
            f"{pairs} pairs", f"{main('swapped'):,} swaps", f"{main('added liquidity')} times liquidity added",
        )),
        (1, 0): ("Launchpad", (
            f"{main('launched')} tokens launched", f"{main('bought')} purchases, {main('sold')} sales",
            f"{main('graduated')} get a pool of their own",
        )),
        (2, 0): ("Grants and airdrop", (
            f"{main('granted')} grants, {grants} releases",
            f"airdrop for {main('was allotted')} people", f"{main('failed to claim')} claims refused",
        )),
        (0, 1): ("Lenders and borrowers", (
            f"{len(markets)} markets, {main('borrowed')} loans", f"{main('liquidated')} liquidations",
            f"{main('repaid')} repayments",
        )),
        (1, 1): (f"The crowd: {len(scene.people.crowd)} people", (
            f"{crowd('paid') + crowd('paid by permit')} payments", f"{crowd('purchased')} collectibles bought",
            f"{crowd('was refused')} attempts refused",
        )),
        (2, 1): ("Stakers", (
            f"{len(pools)} pools, {main('staked')} stakes", f"{claims} claims paid", f"{unpaid} attempts refused",
        )),
        (0, 2): ("Governance", (
            f"{main('proposed')} proposals, {main('voted')} votes", f"{main('executed')} executed, "
            f"{main('defeated')} defeated", f"{main('upgraded')} upgrade of a proxy",
        )),
        (1, 2): ("Bridge vault", (
            f"{main('locked')} times locked", f"{back} times released",
            f"{main('was refused', 'bridge vault')} attempts refused",
        )),
        (2, 2): ("Traps", (
            f"{main('could not sell')} sales in vain", f"{main('drained')} wallets drained",
            f"{main('faked a transfer')} transfers faked",
        )),
        (0, 3): ("Pool of bridged coins", (
            f"{rollup('swapped')} swaps", f"{rollup('added liquidity')} times liquidity added",
        )),
        (1, 3): ("Bridge minter", (
            f"{rollup('minted')} times minted", f"{rollup('burned')} times burned",
        )),
        (2, 3): ("Life on the roll-up", (
            f"{rollup('paid')} payments", f"{rollup('was refused')} attempts refused",
        )),
    }  # fmt: skip


def _arrows(scene: Scene) -> Iterator[str]:
    """Who brings what where: the crowd goes everywhere, the venue's prices come in by two people."""
    main, rollup = _counter(scene.main.deeds), _counter(scene.rollup.deeds)
    for row, who, times in (
        (0, "arbitrageur", main("evened out")),
        (1, "price keeper", main("posted price")),
        (3, "arbitrageur", rollup("evened out")),
    ):
        y = _ROWS[row] + (40 if row < 3 else 30)
        yield _arrow(126, y, _COLUMNS[0], y)
        yield _text(206, y - 7, who, 11, _SOFT, anchor="middle")
        yield _text(206, y + 16, f"{times} times", 11, _SOFT, anchor="middle")
    left, middle, right = _COLUMNS
    first, second, third, fourth = _ROWS
    over, under = second, second + _BOX_HEIGHTS[1]
    above, below = first + _BOX_HEIGHTS[0], third + _BOX_HEIGHTS[2]
    for x1, y1, x2, y2 in (
        (middle + 30, over, left + 160, above), (middle + 95, over, middle + 95, above),
        (middle + 160, over, right + 30, above), (middle, over + 46, left + _BOX_WIDTH, over + 46),
        (middle + _BOX_WIDTH, over + 46, right, over + 46), (middle + 30, under, left + 160, third),
        (middle + 95, under, middle + 95, third), (middle + 160, under, right + 30, third),
    ):  # fmt: skip
        yield _arrow(x1, y1, x2, y2, both=True)
    yield _arrow(middle, first + 40, left + _BOX_WIDTH, first + 40)
    yield _text(483, first + 32, str(main("graduated")), 11, _SOFT, anchor="middle")
    yield _text(483, first + 56, "graduate", 11, _SOFT, anchor="middle")
    for x in (middle, right):
        yield _arrow(x - 70, fourth + 30, x, fourth + 30, both=True)
    yield _arrow(middle + 80, below, middle + 80, fourth)
    yield _arrow(middle + 110, fourth, middle + 110, below)
    yield _text(middle + 70, 485, "over", 11, _SOFT, anchor="end")
    yield _text(middle + 120, 485, "and back", 11, _SOFT)


def _heading(scene: Scene, key: str, kind: str, stage: Stage) -> str:
    project = scene.networks[key]
    return f"{project.name} ({project.ticker}), {kind}: {stage.height} blocks, {stage.transactions:,} transactions"


def _counter(deeds: list[ChainEvent]) -> Callable[..., int]:
    """Counts deeds of a verb, of all subjects or of one."""
    return lambda verb, subject=None: sum(1 for _ in done(deeds, verb, subject))


# the chart


def _chart(scene: Scene) -> Iterator[str]:
    """Prices as per cent of the first hour's, then the lanes of events."""
    days, crash = scene.scale.days, _crash_hour(scene)
    walks = {role: scene.venue.hourly(role) for role, _, _ in _PRICED}
    lines = {role: [price * 100 / hours[0] for price in hours] for role, hours in walks.items()}
    low = min(map(min, lines.values())) // 20 * 20
    high = (max(map(max, lines.values())) // 20 + 1) * 20

    def x_of(day: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * day / days

    def y_of(value: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * (value - low) / (high - low)

    yield _text(16, 644, f"Prices at the outside venue over {days} days, the first hour's being 100", 15, bold=True)
    for value in range(int(low), int(high) + 1, 20):
        yield _line(_LEFT, y_of(value), _RIGHT, y_of(value), _FAINT if value != 100 else _LINE)
        yield _text(_LEFT - 8, y_of(value) + 4, str(value), 11, _SOFT, anchor="end")
    for day in range(0, days + 1, _TICK_DAYS):
        yield _line(x_of(day), _BOTTOM, x_of(day), _BOTTOM + 5, _SOFT)
        yield _text(x_of(day), _BOTTOM + 19, f"day {day}" if day == 0 else str(day), 11, _SOFT, anchor="middle")
    for y1, y2 in ((_TOP - 12, _BOTTOM), (_LANES[0] - 12, _LANES[-1] + 8)):
        yield _line(x_of(crash / 24), y1, x_of(crash / 24), y2, _ALARM, dashed=True)
    yield _text(x_of(crash / 24) + 6, _TOP - 4, f"the crash, day {crash // 24}", 11.5, _ALARM)
    ends = _apart({role: y_of(line[-1]) for role, line in lines.items()}, 18)
    for role, called, colour in _PRICED:
        points = [(x_of(hour / 24), y_of(lines[role][hour])) for hour in range(0, 24 * days, _EVERY_HOURS)]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        yield f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-linejoin="round"/>'
        label = f"{scene.projects[role].ticker} {_dollars(walks[role][-1])}"
        yield _text(_RIGHT + 8, ends[role] + 4, label, 12, colour, bold=True)
        yield _text(_RIGHT + 108, ends[role] + 4, called, 11, _SOFT)
    yield from _lanes(scene, x_of)


def _lanes(scene: Scene, x_of: Callable[[float], float]) -> Iterator[str]:
    """One row each: liquidations, votes, the airdrop, cliffs."""
    deeds, calendar = scene.main.deeds, scene.main.calendar
    for y, name in zip(_LANES, ("liquidations", "votes", "airdrop", "cliffs"), strict=True):
        yield _line(_LEFT, y, _RIGHT, y, _FAINT)
        yield _text(_LEFT - 8, y + 4, name, 11.5, anchor="end")

    def at(moment: int) -> float:
        return x_of((moment - calendar.midnight(0)) / 86_400)

    liquidated = [calendar.times[deed.block] for deed in done(deeds, "liquidated")]
    for moment in sorted(set(liquidated)):
        yield f'<circle cx="{at(moment):.1f}" cy="{_LANES[0]}" r="{3 + liquidated.count(moment) / 3:.1f}"' \
              f' fill="{_ALARM}" fill-opacity="0.75"/>'  # fmt: skip
    yield _text(_RIGHT + 8, _LANES[0] + 4, f"{len(liquidated)} positions", 11, _SOFT)
    for proposed in done(deeds, "proposed"):
        name = proposed.subject
        ended = next(deed for deed in deeds if deed.verb in ("executed", "defeated") and deed.subject == name)
        start, stop = at(calendar.times[proposed.block]), at(calendar.times[ended.block])
        passed = ended.verb == "executed"
        yield _rectangle(start, _LANES[1] - 5, stop - start, 10, _GREEN if passed else _BOX, _GREEN, round_by=2)
        yield _text(stop + 5, _LANES[1] + 4, f"{name.split()[0]}: {'yes' if passed else 'no'}", 10.5)
    yield _text(_RIGHT + 8, _LANES[1] + 4, f"{sum(1 for _ in done(deeds, 'voted'))} ballots", 11, _SOFT)
    opened, swept = next(done(deeds, "opened airdrop")), next(done(deeds, "swept airdrop"))
    start, stop, closed = (
        at(calendar.times[opened.block]), at(calendar.times[swept.block]), at(opened.figure("deadline"))
    )  # fmt: skip
    yield _rectangle(start, _LANES[2] - 5, closed - start, 10, _BLUE, _BLUE, round_by=2)
    yield _line(closed, _LANES[2], stop, _LANES[2], _BLUE)
    claimed = sum(1 for _ in done(deeds, "claimed", opened.subject))
    yield _text(start - 5, _LANES[2] + 4, f"{claimed} of {opened.figure('recipients')} claim", 10.5, anchor="end")
    yield _text(_RIGHT + 8, _LANES[2] + 4, f"rest swept on day {calendar.day_of(swept.block)}", 11, _SOFT)
    cliffs = [deed.figure("cliff") for deed in done(deeds, "granted")]
    told = sorted(cliff for cliff in cliffs if calendar.midnight(0) <= cliff < calendar.midnight(calendar.days))
    for cliff in told:
        x = at(cliff)
        yield f'<path d="M{x - 5:.1f} {_LANES[3] + 5}L{x + 5:.1f} {_LANES[3] + 5}L{x:.1f} {_LANES[3] - 5}z"' \
              f' fill="{_BROWN}" stroke="{_PAPER}"/>'  # fmt: skip
    yield _text(_RIGHT + 8, _LANES[3] + 4, f"{len(told)} of {len(cliffs)} grants", 11, _SOFT)


def _crash_hour(scene: Scene) -> int:
    """The hour in which all prices together fell most."""
    walks = [scene.venue.hourly(asset) for asset in scene.venue.assets]
    return min(range(1, len(walks[0])), key=lambda hour: sum(walk[hour] / walk[hour - 1] for walk in walks))


def _dollars(price_e8: int) -> str:
    cents = (price_e8 + 500_000) // 1_000_000
    return f"${cents // 100}.{cents % 100:02d}"


def _apart(places: dict[str, float], least: float) -> dict[str, float]:
    """The same places, moved down where two are nearer than ``least``."""
    moved: dict[str, float] = {}
    for role, y in sorted(places.items(), key=lambda item: item[1]):
        moved[role] = max(y, *(other + least for other in moved.values())) if moved else y
    return moved


# shapes


def _text(
    x: float, y: float, words: str, size: float, colour: str = _INK, *, bold: bool = False, anchor: str = "start"
) -> str:
    where = "" if anchor == "start" else f' text-anchor="{anchor}"'
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}"{weight}{where}>{escape(words)}</text>'


def _rectangle(
    x: float, y: float, width: float, height: float, fill: str, edge: str, *, round_by: int = 6, dashed: bool = False
) -> str:
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{round_by}" fill="{fill}"'
        f' stroke="{edge}"{dash}/>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, *, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}"{dash}/>'


def _arrow(x1: float, y1: float, x2: float, y2: float, *, both: bool = False) -> str:
    start = ' marker-start="url(#tip)"' if both else ""
    return f'<path d="M{x1} {y1}L{x2} {y2}" stroke="{_SOFT}" stroke-width="1.3"{start} marker-end="url(#tip)"/>'


def told_picture(seed: int = SEED) -> str:
    """Tell the small story of a seed and draw it."""
    with economy(seed, SCALES["small"]) as scene:
        tell(scene)
        return draw(scene)


def main(arguments: list[str]) -> int:
    """Write or check the picture; 1 when a check finds it stale."""
    picture = told_picture().encode()
    if arguments == ["--check"]:
        stale = not PATH.is_file() or PATH.read_bytes() != picture
        if stale:
            print("docs/world.svg is stale; next: .venv/bin/python scripts/draw_world.py", file=sys.stderr)
        return int(stale)
    PATH.write_bytes(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The coins of a world: what the story made on its chains, and what is only traded outside them.

A coin's id is its project's slug, so one project has one name in every API. Coins that live on no chain of the world
fill the rankings as most coins do that an analyst meets: prices and supplies are known of them, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from caia_worldgen.act.birth import PROJECTS
from caia_worldgen.calendar import DAY_S
from caia_worldgen.event import done
from caia_worldgen.people import Namer
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Asset, Scene
from caia_worldgen.stage import Stage

OUTSIDERS: Final = ("Chain", "Chain", "Swap", "Swap", "Money", "Money", "Cloud", "Names", "Games", "Data", "Energy",
                    "Music", "Credit Union")  # fmt: skip
"""Kinds of the projects that live on no chain of the world."""

_CATEGORIES: Final = {
    "native": "layer-1",
    "dollar": "stablecoins",
    "wrapped": "wrapped-tokens",
    "exchange": "decentralized-exchange",
    "lend": "lending-borrowing",
    "bridge": "bridge-governance-tokens",
    "arena": "gaming",
    "storage": "storage",
    "payments": "payment-solutions",
    "feeds": "oracle",
    "index": "index-coin",
    "social": "socialfi",
    "compute": "depin",
    "credit": "payment-solutions",
}
_LISTINGS: Final = {"honeypot": "honeypot/native", "rug": "rug/native", "tax": "tax/dollar"}
_MEME: Final = "meme-token"
_ELSEWHERE: Final = {"Chain": "layer-1", "Swap": "decentralized-exchange", "Money": "payment-solutions"}


@dataclass(frozen=True, slots=True)
class Coin:
    """A coin that has a price.

    ``symbol`` is lower case. ``platforms`` are (network id, token address in lower case), the coin's own network
    first; the native coin has none on its own. ``role`` is what the story calls it. ``listed_at`` is the moment of
    its first price, seconds. ``traded`` says whether the outside venue trades it against the dollar.
    """

    id: str
    symbol: str
    name: str
    role: str
    category: str
    platforms: tuple[tuple[str, str], ...]
    decimals: int
    listed_at: int
    traded: bool

    @property
    def unit(self) -> int:
        """One whole coin in smallest units."""
        return int(10**self.decimals)


def coins_of(scene: Scene) -> tuple[Coin, ...]:
    """Every coin of a told story, by id. Names of outsiders are drawn from what the story left, so call it once."""
    begun = scene.main.calendar.times[0]
    main, rollup = scene.networks["main"], scene.networks["rollup"]
    found = []
    for role in ("native", "dollar", *PROJECTS):
        asset = scene.assets[role]
        bridged = ((rollup.id, scene.bridged[role].address),) if role in scene.bridged else ()
        platforms = (*(() if role == "native" else ((main.id, asset.address),)), *bridged)
        found.append(_coin(asset, _CATEGORIES[role], platforms, begun, role != "dollar"))
    native, wrapped = scene.networks["main"], scene.assets["native"]
    found.append(
        Coin(f"wrapped-{native.id}", f"w{native.ticker}".lower(), f"Wrapped {native.name}", "wrapped",
             _CATEGORIES["wrapped"], ((main.id, wrapped.address),), wrapped.decimals, begun, False)
    )  # fmt: skip
    for role in pooled(scene):
        project, token = scene.projects[role], scene.main.contracts[f"{role} token"]
        listed = scene.main.calendar.times[first_reserves(scene.main, pooled(scene)[role])]
        found.append(Coin(project.id, project.ticker.lower(), project.name, role, _MEME,
                          ((main.id, token.address),), 18, listed, False))  # fmt: skip
    found += _outsiders(scene.namer, scene.seed, begun)
    return tuple(sorted(found, key=lambda coin: coin.id))


def pooled(scene: Scene) -> dict[str, str]:
    """Tokens whose only market is a pool of their own: role -> what the story calls the pool."""
    graduated = {deed.subject: f"{deed.subject}/native" for deed in done(scene.main.deeds, "graduated")}
    filled = {question.role for question in scene.main.views.questions() if question.function == "getReserves"}
    listed = {role: pool for role, pool in _LISTINGS.items() if pool in filled}
    return dict(sorted((graduated | listed).items()))


def first_reserves(stage: Stage, pool: str) -> int:
    """The block at whose end a pool first had reserves."""
    return min(
        next(stage.views.heights(question))
        for question in stage.views.questions()
        if (question.role, question.function) == (pool, "getReserves")
    )


def _coin(asset: Asset, category: str, platforms: tuple[tuple[str, str], ...], begun: int, traded: bool) -> Coin:
    project = asset.project
    return Coin(project.id, project.ticker.lower(), project.name, asset.role, category,
                platforms, asset.decimals, begun, traded)  # fmt: skip


def _outsiders(namer: Namer, seed: int, begun: int) -> list[Coin]:
    rng, found = Rng(f"market/{seed}/outsiders"), []
    for number, kind in enumerate(OUTSIDERS, start=1):
        project = namer.project(kind)
        # A few are listed while the story runs; the others were there before it.
        late = rng.number(9, 90) * DAY_S if number % 6 == 0 else 0
        category = _ELSEWHERE.get(kind, kind.lower().replace(" ", "-"))
        # The venue does not trade everything that has a price somewhere.
        found.append(Coin(project.id, project.ticker.lower(), project.name, f"outsider {number}", category,
                          (), 8, begun + late, number % 4 == 0))  # fmt: skip
    return found

"""The protocols of a told story: what a DeFi index lists, with the contracts that their figures are computed from.

A protocol that belongs to a project of the story has that project's slug; one without a project has its network's
name before what it is. Slugs and numbers do not depend on how large a world of the seed is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from caia_worldgen.act.collect import MARKET
from caia_worldgen.act.launch import PAD
from caia_worldgen.act.lend import COLLATERALS
from caia_worldgen.act.rollup import POOL as RANGE_POOL
from caia_worldgen.act.stake import POOLS
from caia_worldgen.people import Project
from caia_worldgen.scene import Scene
from caia_worldgen.stage import Contract, Stage

Kind = Literal["swap", "range", "lend", "stake", "bridge", "launch", "collect"]
"""By which rules a protocol's figures are computed; docs/metrics.md has them."""

_PAIR: Final = "UniswapV2Pair"


@dataclass(frozen=True, slots=True)
class Protocol:
    """``role`` is what the story calls its project, or "" without one; its token's coin has the same slug then.

    ``contracts`` are (chain, role): the chain is "main" or "rollup", the first one the protocol's own.
    """

    id: str
    slug: str
    name: str
    kind: Kind
    category: str
    role: str
    symbol: str
    contracts: tuple[tuple[str, str], ...]
    words: str

    @property
    def chains(self) -> tuple[str, ...]:
        """The chains it has contracts on, its own first."""
        return tuple(dict.fromkeys(chain for chain, _ in self.contracts))

    def addresses(self, scene: Scene, chain: str) -> frozenset[str]:
        """Its contracts on one chain, lower case."""
        made = stage_of(scene, chain).contracts
        return frozenset(made[role].address for on, role in self.contracts if on == chain)


def stage_of(scene: Scene, chain: str) -> Stage:
    """The stage of "main" or "rollup"."""
    return {"main": scene.main, "rollup": scene.rollup}[chain]


def pairs_of(scene: Scene) -> tuple[tuple[str, Contract], ...]:
    """The v2 pairs of the main chain by role, those of launched and listed tokens among them."""
    return tuple(sorted((role, made) for role, made in scene.main.contracts.items() if made.artifact.name == _PAIR))


def protocols_of(scene: Scene) -> tuple[Protocol, ...]:
    """Every protocol, in the order of their ids, which are "1" and so on."""
    main, rollup = (scene.networks[name].name.split()[0] for name in ("main", "rollup"))
    swap = _on("main", "factory", "router", *(role for role, _ in pairs_of(scene)))
    ranged = _on("rollup", "range factory", "range router", "position manager", RANGE_POOL)
    desks = _on("main", *(f"{role} lending market" for role in COLLATERALS))
    bridge = (*_on("main", "bridge vault"), *_on("rollup", "bridge minter"))
    found: list[tuple[Kind, str, str, Project, tuple[tuple[str, str], ...], str]] = [
        ("swap", "Dexs", "exchange", scene.projects["exchange"], swap,
         "Pairs of two tokens; 0.3 % of what is sold stays in the pair, for those who provide it."),
        ("range", "Dexs", "", _nobody(rollup, "Range Exchange"), ranged,
         "A pool of bridged coins and dollars on the roll-up; its fee is for those who provide it."),
        ("lend", "Lending", "lend", scene.projects["lend"], desks,
         "Dollars lent against collateral at a fixed rate; all interest is the lenders'."),
        *(("stake", "Farm", terms.staked, scene.projects[terms.staked], _on("main", f"{terms.staked} staking pool"),
           "A pool that pays stakers by the second.") for terms in POOLS),
        ("bridge", "Bridge", "bridge", scene.projects["bridge"], bridge,
         "Locks tokens on the main chain and mints them on the roll-up."),
        ("launch", "Launchpad", "", _nobody(main, "Launchpad"), _on("main", PAD),
         "Small tokens sold on a curve; those that raise enough get a pair."),
        ("collect", "NFT Marketplace", "", _nobody(main, "Collectibles"), _on("main", MARKET),
         "Collectibles that their owners list and others buy with the native coin."),
    ]  # fmt: skip
    return tuple(
        Protocol(str(number), one.id, one.name, kind, category, role, one.ticker, contracts, words)
        for number, (kind, category, role, one, contracts, words) in enumerate(found, start=1)
    )


def _on(chain: str, *roles: str) -> tuple[tuple[str, str], ...]:
    return tuple((chain, role) for role in roles)


def _nobody(network: str, what: str) -> Project:
    """A protocol that no project of the story stands for, and that has no token."""
    name = f"{network} {what}"
    return Project(name.lower().replace(" ", "-"), name, "-", "")

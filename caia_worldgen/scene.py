"""Everything the acts of an economy share: stages, people, the outside venue, and what exists so far.

Acts find each other's tokens and pools here by the role they play in the story ("dollar", "lend"), never by import.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Protocol

from eth_account.signers.local import LocalAccount

from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.calendar import Scale
from caia_worldgen.concentrated import Pool
from caia_worldgen.people import Namer, People, Project, address_of
from caia_worldgen.rng import Rng
from caia_worldgen.stage import Contract, Stage
from caia_worldgen.venue import Venue

MOST: Final = 2**256 - 1
"""An approval without limit."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A token of the story on one chain. ``unit`` is one whole token in smallest units."""

    role: str
    project: Project
    contract: Contract
    decimals: int

    @property
    def address(self) -> str:
        """Lower case."""
        return self.contract.address

    @property
    def unit(self) -> int:
        """One whole token in smallest units."""
        return int(10**self.decimals)


@dataclass(slots=True)
class Market:
    """A v2 pair as the story knows it: its assets in the pair's own order, and its arithmetic."""

    pair: Contract
    assets: tuple[Asset, Asset]
    pool: Pool

    def side(self, asset: Asset) -> int:
        """0 or 1. Raises ``ValueError`` for an asset of another pair."""
        return self.assets.index(asset)


@dataclass(slots=True)
class Scene:
    """The whole economy while it is made."""

    seed: int
    scale: Scale
    namer: Namer
    people: People
    venue: Venue
    main: Stage
    rollup: Stage
    networks: dict[str, Project]
    projects: dict[str, Project] = field(default_factory=dict)
    assets: dict[str, Asset] = field(default_factory=dict)
    markets: dict[tuple[str, str], Market] = field(default_factory=dict)
    bridged: dict[str, Asset] = field(default_factory=dict)
    """Role on the main chain -> the token on the roll-up that stands for it."""
    _approved: set[tuple[str, str, str, str]] = field(default_factory=set)

    def rng(self, act: str) -> Rng:
        """An act's own chance, which no other act's draws disturb."""
        return Rng(f"economy/{self.seed}/{act}")

    def balance(self, stage: Stage, asset: Asset, holder: str) -> int:
        """What the story says ``holder`` owns now."""
        return stage.ledger.balance(asset.address, holder)

    def born(self, stage: Stage, asset: Asset, holder: str, amount: int) -> None:
        """Write down that ``amount`` of an asset was minted to ``holder``."""
        stage.ledger.move(stage.height, asset.address, ZERO_ADDRESS, holder, amount)

    def transfer(self, stage: Stage, sender: LocalAccount, asset: Asset, recipient: str, amount: int) -> None:
        """A plain token transfer, on the chain and in the ledger."""
        stage.call(sender, asset.contract, "transfer", recipient, amount)
        stage.ledger.move(stage.height, asset.address, address_of(sender), recipient, amount)

    def approve(self, stage: Stage, owner: LocalAccount, asset: Asset, spender: str) -> None:
        """Let ``spender`` take any amount, unless ``owner`` said so before."""
        said = (stage.name, address_of(owner), asset.address, spender)
        if said not in self._approved:
            self._approved.add(said)
            stage.call(owner, asset.contract, "approve", spender, MOST)


class Act(Protocol):
    """One strand of the story."""

    def open(self, scene: Scene) -> None:
        """Deploy and fund what the act needs, in the block that is being filled; called once, in the acts' order."""
        ...

    def play(self, scene: Scene, stage: Stage) -> None:
        """What happens in the block ``stage`` is filling; called for every block of both chains after the opening."""
        ...

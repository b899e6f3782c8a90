"""Who acts in the economy: wallets with a role, and the crowd. Every key is a hash of the seed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from eth_account.signers.local import LocalAccount

from caia_worldgen.chain import wallet
from caia_worldgen.naming import Namer

CROWD: Final = 64
ROLES: Final = (
    "founders",  # deploys what the large projects are made of
    "treasury",
    "market maker",
    "arbitrageur",
    "exchange",  # a custodial venue's hot wallet
    "price keeper",
    "liquidator",
    "bridge relayer",
    "issuer",  # of the dollar token
    "collector",  # NFT creator
    "launcher",
    "scammer",
    "poisoner",
    "drainer",
    "copycat",
    "seed fund",
    "venture fund",
    "merchant",  # takes signed permits
)


@dataclass(frozen=True, slots=True)
class Person:
    """One of the crowd: a public handle and a wallet."""

    handle: str
    wallet: LocalAccount

    @property
    def address(self) -> str:
        """Lower case."""
        return address_of(self.wallet)


@dataclass(frozen=True, slots=True)
class People:
    """Everybody. ``roles`` are the wallets the story knows by what they do."""

    roles: dict[str, LocalAccount]
    crowd: tuple[Person, ...]

    def address(self, role: str) -> str:
        """A role's address in lower case."""
        return address_of(self.roles[role])

    def wallets(self) -> Iterable[LocalAccount]:
        """Everybody's wallet."""
        yield from self.roles.values()
        yield from (person.wallet for person in self.crowd)


def address_of(account: LocalAccount) -> str:
    """A wallet's address in lower case."""
    return str(account.address).lower()


def draw_people(seed: int, namer: Namer) -> People:
    """The people of a seed. Two seeds share no wallet and no handle."""
    return People(
        {role: wallet(f"economy/{seed}/wallet/{role}") for role in ROLES},
        tuple(Person(namer.person(), wallet(f"economy/{seed}/wallet/person {number}")) for number in range(CROWD)),
    )

"""Who is in the small world: two projects, a copycat, their wallets and web sites, all from the seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from eth_account.signers.local import LocalAccount

from caia_worldgen.chain import wallet
from caia_worldgen.rng import Rng

_FIRST: Final = ("Vel", "Tor", "Mar", "Quil", "Sel", "Bran", "Nor", "Kest", "Lum", "Orr", "Cal", "Fen", "Had", "Ist")
_SECOND: Final = ("ori", "ane", "umi", "eska", "ilo", "adra", "enti", "ovar", "isk", "umbra", "alto", "emi", "ona")
_THIRD: Final = ("n", "th", "ra", "x", "l", "dex", "mar", "s", "vo", "ta")

PEOPLE: Final = 16
"""Wallets without a role: they hold, send and trade."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project and its token. ``site`` is its domain in the reserved ``.example`` zone."""

    name: str
    ticker: str
    site: str


@dataclass(frozen=True, slots=True)
class Cast:
    """Everybody. ``wallets`` by role; ``people`` are the wallets without one."""

    seed: int
    protocol: Project
    payments: Project
    wallets: dict[str, LocalAccount]
    people: tuple[LocalAccount, ...]

    def address(self, role: str) -> str:
        """A role's address in lower case."""
        return str(self.wallets[role].address).lower()


ROLES: Final = (
    "protocol deployer",
    "community treasury",
    "market maker",
    "exchange",
    "founder one",
    "founder two",
    "adviser",
    "payments deployer",
    "payments reserve",
    "merchant hub",
    "copycat",
)


def draw_cast(seed: int) -> Cast:
    """The cast of a seed; two seeds share no wallet, and names only by chance."""
    rng = Rng(f"mini/{seed}/names")
    first = _name(rng, "")
    second = _name(rng, first)
    return Cast(
        seed,
        Project(f"{first} Protocol", first[:4].upper(), f"{first.lower()}.example"),
        Project(f"{second} Pay", second[:4].upper(), f"{second.lower()}pay.example"),
        {role: wallet(f"mini/{seed}/wallet/{role}") for role in ROLES},
        tuple(wallet(f"mini/{seed}/wallet/person {number}") for number in range(PEOPLE)),
    )


def _name(rng: Rng, taken: str) -> str:
    while True:
        name = rng.one(_FIRST) + rng.one(_SECOND) + rng.one(_THIRD)
        if name[:4] != taken[:4]:
            return name

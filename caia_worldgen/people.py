"""Who acts in the economy, and what people and projects are called: wallets with a role, and the crowd. Every key is a
hash of the seed, and every name from it; none is real.

A name is four consonants with vowels between them, and the consonants are the ticker: Karovim, KRVM. Each seed
owns a share of all fours of consonants, scattered over the alphabet, so two worlds whose seeds differ by less than
``WORLDS`` have no name and no ticker in common. Those who only write and speak have five consonants, Karovimet, from
shares of their own. Within a world no two names begin with the same three letters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from eth_account.signers.local import LocalAccount

from caia_replay.errors import BadInput
from caia_worldgen.chain import wallet
from caia_worldgen.rng import Rng

_CONSONANTS: Final = "BCDFGHJKLMNPRSTVWXYZ"
_VOWELS: Final = "aeiou"
_FOURS: Final = len(_CONSONANTS) ** 4
_STEP: Final = 94_347
"""Coprime to the number of fours: neighbours in a share differ in most of their letters."""

SHARE: Final = 160
"""How many names a world can have."""
WORLDS: Final = _FOURS // SHARE
_FIVES: Final = len(_CONSONANTS) ** 5
_WIDE_STEP: Final = 1_887_247
"""Coprime to the number of fives, for the same reason."""
SPEAKERS: Final = 1_600
"""How many fives of consonants a world has for them; some begin as others do and are passed over."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project: ``id`` is its stable slug, ``site`` its domain in the reserved ``.example`` zone."""

    id: str
    name: str
    ticker: str
    site: str


class Namer:
    """Names of the world of one seed, each given once."""

    def __init__(self, seed: int) -> None:
        self._rng = Rng(f"names/{seed}")
        self._fours = iter(range(seed % WORLDS * SHARE, (seed % WORLDS + 1) * SHARE))
        self._spoken = Rng(f"names/{seed}/speakers")
        first = seed % WORLDS * SPEAKERS
        self._fives = iter(range(first, first + SPEAKERS))
        self._begun: set[str] = set()

    def word(self) -> tuple[str, str]:
        """A capitalised name and its four consonants. Raises ``BadInput`` when the world's share is used up."""
        for four in self._fours:
            consonants = _consonants(four * _STEP % _FOURS, 4)
            if name := self._spelt(consonants, self._rng):
                return name, consonants
        raise BadInput(f"a world has at most {SHARE} names")

    def speaker(self) -> str:
        """A capitalised name for who writes, speaks or invests; draws nothing from what projects are named by."""
        for five in self._fives:
            if name := self._spelt(_consonants(five * _WIDE_STEP % _FIVES, 5), self._spoken):
                return name
        raise BadInput(f"a world has at most {SPEAKERS} names for those who speak in it")

    def _spelt(self, consonants: str, rng: Rng) -> str:
        """A name with these consonants; empty when another one of this world begins as it would."""
        vowels = [rng.one(_VOWELS) for _ in consonants[1:]]
        inside = "".join(f"{vowel}{consonant.lower()}" for vowel, consonant in zip(vowels, consonants[1:]))
        name = consonants[0] + inside + (rng.one(_VOWELS) if rng.happens(40) else "")
        if name[:3] in self._begun:
            return ""
        self._begun.add(name[:3])
        return name

    def project(self, kind: str) -> Project:
        """A project named after what it is: ``Karovim Lend``, KRVM."""
        name, ticker = self.word()
        slug = f"{name}-{kind}".lower().replace(" ", "-")
        return Project(slug, f"{name} {kind}", ticker, f"{slug}.example")

    def person(self) -> str:
        """A handle, as people call themselves in public: lower case, sometimes with a number."""
        word = self.word()[0].lower()
        return f"{word}{self._rng.number(2, 99)}" if self._rng.happens(30) else word


def _consonants(number: int, letters: int) -> str:
    found = ""
    for _ in range(letters):
        number, at = divmod(number, len(_CONSONANTS))
        found += _CONSONANTS[at]
    return found


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

"""Who acts in the economy, and what people and projects are called: wallets with a role, and the crowd. Every key is a
hash of the seed, and every name from it; none is real.

Names are drawn as those of planted sites and accounts are (``caia_replay/attacks/name.py``). Each seed owns the words
of one remainder of a checksum, so two worlds whose seeds differ by less than ``WORLDS`` have no name and no ticker in
common. Within a world no two names differ by one letter only, and no two projects or people of the crowd begin with
the same four letters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count
from typing import Final
from zlib import crc32

from eth_account.signers.local import LocalAccount

from caia_replay.attacks import name as names
from caia_replay.attacks.choice import Choice
from caia_worldgen.chain import wallet

WORLDS: Final = 32
_BEGINNING: Final = 4
_LONG_NAME_PERCENT: Final = 55
"""How many projects have a site that is called by their whole name; the others by its first word."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project: ``id`` is its stable slug, ``site`` its domain in the reserved ``.example`` zone."""

    id: str
    name: str
    ticker: str
    site: str


class Namer:
    """Names of the world of one seed, each given once. ``skipped`` sets out so many draws later."""

    def __init__(self, seed: int, skipped: int = 0) -> None:
        self._seed, self._turns = seed % WORLDS, count(skipped)
        self._choice = Choice("names", seed)
        self._near: set[str] = set()
        self._begun: set[str] = set()
        self._tickers: set[str] = set()

    def word(self, kind: str = "") -> tuple[str, str]:
        """A capitalised name and a ticker; ``kind`` is the name's second word, if it has one."""
        while True:
            word = self._drawn(names.brand, lambda word: word[:_BEGINNING] not in self._begun)
            turn = next(self._turns)
            forms = names.tickers(f"{word} {kind}".rstrip())
            able = [one for one in forms if self._owns(one) and not names.near(one) & self._tickers]
            if able:
                ticker = self._choice.one(f"{turn}/ticker", able)
                self._begun.add(word[:_BEGINNING])
                self._tickers |= names.near(ticker)
                return word.capitalize(), ticker

    def project(self, kind: str) -> Project:
        """A project named after what it is: ``Solvara Lend``, SOLV. Its slug is all of its name or the first word."""
        first, ticker = self.word(kind)
        name = f"{first} {kind}"
        is_long = self._choice.number(f"{first}/slug", 100) < _LONG_NAME_PERCENT
        slug = (name if is_long else first).lower().replace(" ", "-")
        return Project(slug, name, ticker, f"{slug}.{names.ZONE}")

    def person(self) -> str:
        """A handle of the crowd, as people call themselves in public: lower case, sometimes with a number."""
        word = self._drawn(names.given, lambda word: word[:_BEGINNING] not in self._begun)
        self._begun.add(word[:_BEGINNING])
        self._tickers |= names.near(word[:5].upper())  # what somebody of the crowd calls a coin of their own
        return names.handle(self._choice, f"{word}/handle", word)

    def full_name(self) -> str:
        """Somebody's first and last name."""
        return f"{self._drawn(names.given)} {self._drawn(names.family)}".title()

    def speaker(self) -> tuple[str, str]:
        """A handle, and the name that the account is shown under."""
        word = self._drawn(names.given if self._choice.number(f"{next(self._turns)}/sort", 100) < 60 else names.brand)
        return names.handle(self._choice, f"{word}/handle", word), word.capitalize()

    def house(self) -> str:
        """A capitalised word that a fund is called by."""
        return self._drawn(names.brand).capitalize()

    def outlet(self, sort: str) -> names.Site:
        """An outlet of a sort that has a Latin name, and its host."""
        word = self._drawn(names.brand)
        return names.outlet(self._choice, f"{word}/outlet", sort, word)

    def chinese_outlet(self, sort: str) -> names.Site:
        """A Chinese ``wire``, ``daily`` or ``account``, and its host."""
        while True:
            made = names.chinese_outlet(self._choice, f"{next(self._turns)}", sort)
            label = made.host.partition(".")[0]
            if self._owns(label) and made.name[:2] not in self._begun and not names.near(label) & self._near:
                self._near |= names.near(label)
                self._begun.add(made.name[:2])
                return made

    def _drawn(self, make: Callable[[Choice, str], str], is_free: Callable[[str], bool] = lambda word: True) -> str:
        while True:
            word = make(self._choice, f"{next(self._turns)}")
            if self._owns(word) and is_free(word) and not names.near(word) & self._near:
                self._near |= names.near(word)
                return word

    def _owns(self, word: str) -> bool:
        return crc32(word.encode()) % WORLDS == self._seed


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

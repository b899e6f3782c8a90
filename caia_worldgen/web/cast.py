"""Who writes, speaks and invests on the synthetic web: outlets, authors, funds, teams, accounts. None of them is real.

All of it follows from the seed and the story's projects, before a single page is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from caia_worldgen.act.birth import PROJECTS
from caia_worldgen.market.coin import Coin
from caia_worldgen.people import Project
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Scene

_TRADES: Final = (
    ("Chief Executive", "product and partners"), ("Chief Technology Officer", "the protocol"),
    ("Head of Research", "economics"), ("Lead Engineer", "contracts"), ("Head of Community", "forum and grants"),
    ("Operations", "finance and law"), ("Security Lead", "audits and incidents"), ("Design Lead", "the application"),
)  # fmt: skip
_NEWSROOMS: Final = (
    ("Ledgerline", "wire", "en"), ("Courier", "daily", "en"), ("Block Gazette", "daily", "en"),
    ("Tape", "markets", "en"), ("Observer", "magazine", "en"), ("Dispatch", "blog", "en"),
    ("Roundup", "syndicate", "en"), ("Ribao", "daily", "zh"), ("Kuaixun", "wire", "zh"),
)  # fmt: skip
_DESKS: Final = (("Research", "institution"), ("Notes", "newsletter"), ("Quant", "institution"))
_SCREENS: Final = ("Metrics", "Board", "Scope")
_HABITS: Final = (("analyst", 22, "en"), ("trader", 34, "en"), ("builder", 16, "en"), ("holder", 40, "en"),
                  ("bot", 5, "en"), ("analyst", 8, "zh"), ("trader", 14, "zh"))  # fmt: skip
_FUNDS: Final = ("Ventures", "Capital", "Partners", "Labs Fund", "Holdings", "Collective", "Growth", "Seed")


@dataclass(frozen=True, slots=True)
class Outlet:
    """Who publishes pages. ``manner`` is how it writes; ``authors`` are names as they stand under articles."""

    id: str
    name: str
    site: str
    manner: str
    language: str
    authors: tuple[str, ...]

    def url(self, *path: str) -> str:
        """An address on its site."""
        return "/".join((f"https://{self.site}", *path))


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody who works on a project."""

    name: str
    title: str
    field: str


@dataclass(frozen=True, slots=True)
class Account:
    """An account of the social network. ``manner`` is analyst, trader, builder, holder, bot, project or outlet;
    ``of`` the project's or outlet's id it speaks for, or ""."""

    handle: str
    name: str
    manner: str
    language: str
    of: str = ""


@dataclass(frozen=True, slots=True)
class Cast:
    """Everybody. ``forums`` and ``blogs`` are reached through a project's own site; see ``site_of``."""

    newsrooms: tuple[Outlet, ...]
    desks: tuple[Outlet, ...]
    screens: tuple[Outlet, ...]
    explorer: Outlet
    venue: Outlet
    funds: tuple[str, ...]
    teams: Mapping[str, tuple[Member, ...]]
    """By the role of a project in the story; of outsiders by their coins' ids."""
    accounts: tuple[Account, ...]

    def account_of(self, id: str) -> Account:
        """The account that speaks for a project or an outlet. Raises ``KeyError`` when nobody does."""
        for account in self.accounts:
            if account.of == id:
                return account
        raise KeyError(id)


def draw_cast(scene: Scene, coins: tuple[Coin, ...]) -> Cast:
    """Everybody of a told story. Draws names from the scene's namer, so call it once."""
    name, rng = scene.namer.speaker, Rng(f"web/{scene.seed}/cast")

    def person() -> str:
        return f"{name()} {name()}"

    def outlet(kind: str, manner: str, language: str, authors: int) -> Outlet:
        first = name()
        site = f"{first}{kind}".lower().replace(" ", "") + ".example"
        return Outlet(site.partition(".")[0], f"{first} {kind}", site, manner, language,
                      tuple(person() for _ in range(authors)))  # fmt: skip

    newsrooms = tuple(outlet(*one, rng.number(3, 5)) for one in _NEWSROOMS)
    desks = tuple(outlet(kind, manner, "en", rng.number(2, 3)) for kind, manner in _DESKS)
    screens = tuple(outlet(kind, "dashboard", "en", 0) for kind in _SCREENS)
    explorer, venue = outlet("Scan", "explorer", "en", 0), outlet("Exchange Desk", "venue", "en", 1)
    funds = tuple(f"{name()} {kind}" for kind in _FUNDS)
    teams = {
        role: tuple(Member(person(), *trade) for trade in _TRADES[: rng.number(4, len(_TRADES))])
        for role in ("native", "dollar", *PROJECTS)
    }
    outsiders = [coin for coin in coins if coin.role.startswith("outsider")]
    teams |= {coin.id: tuple(Member(person(), *trade) for trade in _TRADES[: rng.number(2, 4)]) for coin in outsiders}
    accounts = [_speaker(one.name.split()[0], one.name, "outlet", one.language, one.id) for one in (*newsrooms, *desks)]
    named: list[Project] = [scene.networks["main"], *(scene.projects[role] for role in ("dollar", *PROJECTS))]
    accounts += [_speaker(one.name.split()[0], one.name, "project", "en", one.id) for one in named]
    for manner, count, language in _HABITS:
        for _ in range(count):
            spoken = name()
            handle = f"{spoken.lower()}{rng.number(2, 99)}" if rng.happens(35) else spoken.lower()
            accounts.append(Account(handle, spoken, manner, language))
    return Cast(newsrooms, desks, screens, explorer, venue, funds, teams, tuple(accounts))


def _speaker(handle: str, name: str, manner: str, language: str, of: str) -> Account:
    return Account(f"{handle.lower()}_{'hq' if manner == 'project' else 'news'}", name, manner, language, of)

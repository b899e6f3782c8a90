"""Who writes, speaks and invests on the synthetic web: outlets, authors, funds, teams, accounts. None of them is real.

All of it follows from the seed and the story's projects, before a single page is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
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
NEWSROOMS: Final = (
    ("wire", "en", 14), ("daily", "en", 30), ("daily", "en", 30), ("markets", "en", 30), ("magazine", "en", 36),
    ("blog", "en", 90), ("syndicate", "en", 40), ("daily", "zh", 14), ("wire", "zh", 18),
)  # fmt: skip
"""Manner, language, and how many smaller outlets write as this one does."""
DESKS: Final = (("institution", 18), ("newsletter", 40), ("institution", 18))
_SCREENS: Final = 3
ALSO: Final = {"blog": ("blog", "blog", "reference"), "newsletter": ("newsletter", "newsletter", "dashboard"),
                "institution": ("institution", "audit")}  # fmt: skip
"""What smaller outlets of a manner call themselves, where it is not by their manner alone."""
_LATIN_PERCENT: Final = 50
"""How many of the smaller Chinese outlets have a Latin name."""
_OF_ONE: Final = frozenset(("blog", "newsletter"))
"""Manners of smaller outlets that one author writes alone."""
_HABITS: Final = (("analyst", 22, "en"), ("trader", 34, "en"), ("builder", 16, "en"), ("holder", 40, "en"),
                  ("bot", 5, "en"), ("analyst", 8, "zh"), ("trader", 14, "zh"))  # fmt: skip
_FARMS: Final = (("mirror", "syndicate", 4), ("digest", "syndicate", 3), ("answers", "reference", 5))
"""Who publishes what others wrote: whole, in short, or as answers to what people type into a search box; what sort of
site they are, and how many."""
_FIRMS, _CANDIDATES = 6, 16
_FUNDS: Final = ("Ventures", "Capital", "Partners", "Labs Fund", "Holdings", "Collective", "Growth", "Seed")
_LOTS: Final = 10**6
"""The first outlet's, in a draw of who prints a piece; the second has half as many, the third a third."""


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
    houses: Mapping[str, tuple[Outlet, ...]]
    """By the id of a newsroom or a desk: itself, and the smaller outlets that write as it does."""
    screens: tuple[Outlet, ...]
    explorer: Outlet
    venue: Outlet
    funds: tuple[str, ...]
    teams: Mapping[str, tuple[Member, ...]]
    """By the role of a project in the story; of outsiders by their coins' ids."""
    accounts: tuple[Account, ...]
    farms: tuple[Outlet, ...]
    """Mirrors, digests and collections of answers: ``manner`` says which."""
    register: Outlet
    """Where companies hand in what the law wants to know of them."""
    firms: tuple[str, ...]
    """Auditors of contracts."""
    candidates: tuple[str, ...]
    """People who are spoken of for a post."""

    def outlets(self, language: str = "") -> tuple[Outlet, ...]:
        """Every newsroom and the smaller outlets beside it; those of a language, or all."""
        every = (house for one in self.newsrooms for house in self.houses[one.id])
        return tuple(one for one in every if language in ("", one.language))

    def sites(self) -> tuple[Outlet, ...]:
        """Everybody who publishes on a site of their own, projects apart."""
        houses = (house for one in (*self.newsrooms, *self.desks) for house in self.houses[one.id])
        return (*houses, *self.screens, self.explorer, self.venue, *self.farms, self.register)

    def house(self, lead: Outlet, name: str) -> Outlet:
        """Who prints the piece of a name, of those who write as ``lead`` does: few print much, and many little."""
        houses = self.houses[lead.id]
        lots = [_LOTS // rank for rank in range(1, len(houses) + 1)]
        drawn = Rng(f"web/house/{lead.id}/{name}").number(1, sum(lots))
        return next(one for one, reached in zip(houses, accumulate(lots), strict=True) if drawn <= reached)

    def account_of(self, id: str) -> Account:
        """The account that speaks for a project or an outlet. Raises ``KeyError`` when nobody does."""
        for account in self.accounts:
            if account.of == id:
                return account
        raise KeyError(id)


def draw_cast(scene: Scene, coins: tuple[Coin, ...]) -> Cast:
    """Everybody of a told story. Draws names from the scene's namer, so call it once."""
    namer, rng = scene.namer, Rng(f"web/{scene.seed}/cast")

    def outlet(manner: str, language: str, authors: int, sort: str = "") -> Outlet:
        name, site = namer.chinese_outlet(manner) if language == "zh" and not sort else namer.outlet(sort or manner)
        names = tuple(namer.full_name() for _ in range(authors))
        return Outlet(site.partition(".")[0], name, site, manner, language, names)

    def smaller(lead: Outlet) -> Outlet:
        is_chinese = lead.language == "zh" and not rng.happens(_LATIN_PERCENT)
        sort = "" if is_chinese else rng.one(ALSO.get(lead.manner, (lead.manner,)))
        return outlet(lead.manner, lead.language, 1 if lead.manner in _OF_ONE else rng.number(1, 3), sort)

    newsrooms = tuple(outlet(manner, language, rng.number(3, 5)) for manner, language, _ in NEWSROOMS)
    desks = tuple(outlet(manner, "en", rng.number(2, 3)) for manner, _ in DESKS)
    screens = tuple(outlet("dashboard", "en", 0) for _ in range(_SCREENS))
    explorer, venue = outlet("explorer", "en", 0), outlet("venue", "en", 1)
    funds = tuple(f"{namer.house()} {kind}" for kind in _FUNDS)
    teams = {
        role: tuple(Member(namer.full_name(), *trade) for trade in _TRADES[: rng.number(4, len(_TRADES))])
        for role in ("native", "dollar", *PROJECTS)
    }
    outsiders = [coin for coin in coins if coin.role.startswith("outsider")]
    for coin in outsiders:
        teams[coin.id] = tuple(Member(namer.full_name(), *trade) for trade in _TRADES[: rng.number(2, 4)])
    accounts = [_speaker(_called(one), one.name, "outlet", one.language, one.id) for one in (*newsrooms, *desks)]
    named: list[Project] = [scene.networks["main"], *(scene.projects[role] for role in ("dollar", *PROJECTS))]
    accounts += [_speaker(one.name.split()[0], one.name, "project", "en", one.id) for one in named]
    for manner, count, language in _HABITS:
        for _ in range(count):
            handle, name = namer.speaker()
            shown = namer.chinese_outlet("account").name if language == "zh" else name
            accounts.append(Account(handle, shown, manner, language))
    leads = [*zip(newsrooms, (count for *_, count in NEWSROOMS)), *zip(desks, (count for _, count in DESKS))]
    houses = {lead.id: (lead, *(smaller(lead) for _ in range(count))) for lead, count in leads}
    farms = tuple(outlet(manner, "en", rng.number(1, 2), sort) for manner, sort, count in _FARMS for _ in range(count))
    register = outlet("register", "en", 0)
    firms = tuple(f"{namer.house()} Security" for _ in range(_FIRMS))
    candidates = tuple(namer.full_name() for _ in range(_CANDIDATES))
    return Cast(newsrooms, desks, houses, screens, explorer, venue, funds, teams, tuple(accounts), farms, register,
                firms, candidates)  # fmt: skip


def _called(outlet: Outlet) -> str:
    """What its account is called by: the first word of its name, in Latin letters."""
    return outlet.name.split()[0] if outlet.language == "en" else outlet.id


def _speaker(handle: str, name: str, manner: str, language: str, of: str) -> Account:
    """An account that speaks for others; a handle has at most 15 letters."""
    return Account(f"{handle[:10].lower()}_{'hq' if manner == 'project' else 'news'}", name, manner, language, of)

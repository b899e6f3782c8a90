"""Something that happened and is worth an article: its topic in the phrase books, its moment, what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.web import number
from caia_worldgen.web.page import Told
from caia_worldgen.web.truth import Truth

Fact = Told | str | Callable[[], Told | str]


class FactSheet(Mapping[str, Told | str]):
    """Slots by name; later parts go before earlier ones. Each fact is worked out at most once, and draws no chance."""

    def __init__(self, *parts: Mapping[str, Fact] | FactSheet) -> None:
        self._known: dict[str, Fact] = {}
        for part in parts:
            self._known.update(part._known if isinstance(part, FactSheet) else part)

    def __getitem__(self, name: str) -> Told | str:
        fact = self._known[name]
        if callable(fact):
            fact = self._known[name] = fact()
        return fact

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def tagged(self, tag: str) -> FactSheet:
        """The same facts with ``tag`` behind each name."""
        return FactSheet({name + tag: fact for name, fact in self._known.items()})


COIN: Final = ("coin_price", "coin_cap", "coin_supply", "coin_turnover", "coin_futures")
CHAIN: Final = ("chain_state", "chain_swaps", "chain_lender")


@dataclass(frozen=True, slots=True)
class Event:
    """``name`` is unique; ``facts`` are slots, ``coin`` the id of the coin it concerns or ""; at most ``tellers``
    outlets write of it, in a section of their sites. ``more`` names passages besides ``<topic>_more``."""

    topic: str
    name: str
    moment: int
    facts: Mapping[str, Fact] | FactSheet
    coin: str = ""
    tellers: int = 3
    section: str = "news"
    more: str = ""


def on(moment: int) -> dict[str, str]:
    """How an event's own moment is named."""
    return {"on": number.day(moment), "on_date": number.short_day(moment), "on_weekday": number.weekday(moment),
            "clock_of": number.clock_time(moment),
            "at": f"{number.clock_time(moment)} on {number.day(moment)}"}  # fmt: skip


def brief(address: str) -> str:
    """``0x1234...cdef`` with one sign for what is left out."""
    return f"{address[:6]}\N{HORIZONTAL ELLIPSIS}{address[-4:]}"


def token(truth: Truth, role: str) -> dict[str, Fact]:
    """Name, ticker and contract of what the story calls by a role; no claims: it may be on no list of coins."""
    project, made = truth.scene.projects[role], truth.scene.main.contracts.get(f"{role} token")
    found: dict[str, Fact] = {"name": project.name, "ticker": project.ticker}
    return found | ({"token": made.address} if made else {})


def listed(truth: Truth, role: str) -> str:
    """The id of the coin of a role, or "" when it is on no list."""
    return next((one.id for one in truth.subjects.values() if one.role == role), "")


def next_midnight(moment: int) -> int:
    """The first midnight after a moment."""
    return (moment // DAY_S + 1) * DAY_S

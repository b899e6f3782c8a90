"""What questions are drawn from: a told story, its recorded pages and posts, and the moment of asking."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_replay.core.world import Page, Post
from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.coin import Coin
from caia_worldgen.market.protocol import Protocol
from caia_worldgen.questions.expression import Subject
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Scene
from caia_worldgen.stage import Stage
from caia_worldgen.view import ViewCall
from caia_worldgen.web.matter import Matter
from caia_worldgen.web.truth import Truth

E8: Final = 10**8
TRANSFER: Final = "Transfer(address indexed from, address indexed to, uint256 value)"
"""The event of every token that has amounts."""
MAIN, ROLLUP = 0, 1


@dataclass(frozen=True, slots=True)
class Known:
    """A told story as those see it who ask about it at ``now``, a moment in seconds. Read-only."""

    truth: Truth
    pages: Mapping[str, Page]
    posts: tuple[Post, ...]
    now: int
    rng: Rng
    matters: tuple[Matter, ...] = ()
    """Those whose pages the world has."""
    find: Callable[[str], Sequence[str]] = lambda query: ()
    """The addresses that a search for pages shows at ``now``, best first."""
    find_posts: Callable[[str], Sequence[Post]] = lambda query: ()
    """The posts that a search for posts shows."""

    @property
    def scene(self) -> Scene:
        """Stages, people and what exists."""
        return self.truth.scene

    @property
    def today(self) -> int:
        """The day of the story it is: the first that is not over."""
        return (self.now - self.truth.begun) // DAY_S

    def midnight(self, day: int) -> int:
        """When a day begins."""
        return self.truth.begun + day * DAY_S

    def stage(self, chain: str) -> Stage:
        """The stage of "main" or "rollup"."""
        return self.scene.main if chain == "main" else self.scene.rollup

    def chain(self, name: str) -> str:
        """What tools call a chain."""
        return self.scene.networks[name].id

    def block(self, chain: str, day: int) -> int:
        """The newest block as a day begins."""
        return self.stage(chain).calendar.at(self.midnight(day))

    def sees(self, url: str) -> bool:
        """Whether a page can be read by now."""
        page = self.pages.get(url)
        return page is not None and page.known_since is not None and page.known_since <= self.now

    def coin(self, subject: Subject) -> Coin:
        """Raises ``KeyError`` for what is no coin."""
        return self.truth.coin(subject.id)

    def protocol(self, subject: Subject) -> Protocol:
        """Raises ``KeyError`` for what is no protocol."""
        found = self.truth.metrics.protocol(subject.id)
        if found is None:
            raise KeyError(subject.id)
        return found

    def view(self, chain: str, role: str, function: str, day: int, *arguments: object) -> int:
        """The first thing a view answered as a day began. Raises ``KeyError`` before it was known."""
        found = self.stage(chain).views.answer(ViewCall(role, function, arguments), self.block(chain, day))
        return int(found[0])

    # who there is

    def coins(self) -> tuple[Subject, ...]:
        """The coins that are listed for at least a month, wrapped ones apart, by market cap."""
        old = [coin for coin in self.truth.book.ranking(self.now) if coin.listed_at < self.now - 30 * DAY_S]
        return tuple(subject_of(coin) for coin in old if coin.role != "wrapped")

    def traded(self) -> tuple[Subject, ...]:
        """Those of them that the venue trades."""
        return tuple(one for one in self.coins() if self.coin(one).traded)

    def tokens(self) -> tuple[Subject, ...]:
        """Those of them that are tokens of the main chain and have a project."""
        return tuple(one for one in self.coins() if one.role in self.truth.scene.assets and one.role != "native")

    def protocols(self) -> tuple[Subject, ...]:
        """Every protocol of the DeFi index."""
        return tuple(
            Subject("protocol", one.slug, one.name, one.symbol, one.kind, one.slug)
            for one in self.truth.metrics.protocols
        )

    def chains(self) -> tuple[Subject, Subject]:
        """The main chain and the roll-up."""
        main, rollup = (self.scene.networks[name] for name in ("main", "rollup"))
        return (
            Subject("chain", main.id, main.name, main.ticker, "main", main.id),
            Subject("chain", rollup.id, rollup.name, "", "rollup", rollup.id),
        )

    # figures of books

    def price(self, subject: Subject, day: int) -> Fraction | None:
        """Dollars as a day begins."""
        found = self.truth.book.prices.price_e8(self.coin(subject), self.midnight(day))
        return None if not found else Fraction(found, E8)

    def supply(self, subject: Subject, day: int, chain: str = "main") -> Fraction:
        """Whole tokens that a chain's own contract counts as a day begins."""
        asset = self.scene.assets[subject.role] if chain == "main" else self.scene.bridged[subject.role]
        return Fraction(self.stage(chain).ledger.supply(asset.address, self.block(chain, day)), asset.unit)


def subject_of(coin: Coin) -> Subject:
    """A coin as a subject."""
    return Subject("coin", coin.id, coin.name, coin.symbol.upper(), coin.role, coin.id)


def pages_of(pages: Iterable[Page]) -> dict[str, Page]:
    """Pages by address."""
    return {page.url: page for page in pages}

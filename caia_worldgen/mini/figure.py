"""The figures that pages and questions state, by name, taken from the finished story.

    name ticker site pay payticker paysite          names
    token payment_token copy vault                  contract addresses; short.token: the first ten characters
    address.<role>                                  a wallet, its role with underscores
    date.<block>                                    a block's UTC day
    supply.<token>.<block>  holders.<token>.<block>  balance.<holder>.<token>.<block>
    count.<token>.<first>.<last>  volume.<token>.<first>.<last>
    growth.<token>.<a>.<b>.<c>.<d>                  volume of c to d over a to b, per cent, two decimals
    grant.<block>  claim.<block>  burn.<block>      one payment
    promised.<role>                                 what the vesting vault owes in all
    burnshare.<block>  reserveshare.<block>         per cent of the supply, two decimals

Token amounts are in whole tokens with thousands separators, at most two decimals, cut and not rounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from caia_replay.core.task import ZERO_ADDRESS
from caia_replay.core.world import Page
from caia_replay.errors import BadInput, nearest
from caia_replay.store.plain import build, read_toml
from caia_replay.world.clock import utc_text
from caia_worldgen.mini.story import PROMISED, UNIT, Told


class FigureBook:
    """Looks figures up; each is a pure function of the story."""

    def __init__(self, told: Told) -> None:
        cast = told.cast
        self._told = told
        self._tokens = {"token": told.token, "payment_token": told.payment_token, "copy": told.copy_token}
        self._words = {
            "name": cast.protocol.name,
            "ticker": cast.protocol.ticker,
            "site": cast.protocol.site,
            "pay": cast.payments.name,
            "payticker": cast.payments.ticker,
            "paysite": cast.payments.site,
            "vault": told.vault,
            **self._tokens,
        }
        self._kinds: dict[str, Callable[..., str]] = {
            "short": lambda token: self._token(token)[:10],
            "address": self._address,
            "date": lambda block: utc_text(told.times[int(block)])[:10],
            "supply": lambda token, block: amount(told.ledger.supply(self._token(token), int(block))),
            "holders": lambda token, block: str(told.ledger.holders(self._token(token), int(block))),
            "balance": lambda holder, token, block: amount(self.balance_raw(holder, token, int(block))),
            "count": lambda token, first, last: str(self.count(token, int(first), int(last))),
            "volume": lambda token, first, last: amount(told.ledger.volume(self._token(token), int(first), int(last))),
            "growth": lambda token, *ends: two_decimals(self.growth(token, *(int(end) for end in ends))),
            "grant": lambda block: f"{next(paid for at, _, paid in told.grants if at == int(block)):,}",
            "promised": lambda role: f"{PROMISED[role.replace('_', ' ')]:,}",
            "claim": lambda block: amount(next(paid for at, _, paid in told.claims if at == int(block))),
            "burn": lambda block: amount(self._burnt(int(block))),
            "burnshare": lambda block: two_decimals(
                Fraction(100 * self._burnt(int(block)), told.ledger.supply(told.payment_token, int(block) - 1))
            ),
            "reserveshare": lambda block: two_decimals(
                Fraction(
                    100 * self.balance_raw("payments_reserve", "payment_token", int(block)),
                    told.ledger.supply(told.payment_token, int(block)),
                )
            ),
        }

    def __getitem__(self, name: str) -> str:
        """The figure ``name`` as a page prints it. Raises ``BadInput`` for a name that means nothing."""
        if name in self._words:
            return self._words[name]
        kind, *parts = name.split(".")
        try:
            return self._kinds[kind](*parts)
        except (KeyError, TypeError, ValueError, IndexError, StopIteration) as fault:
            known = [*self._words, *self._kinds]
            raise BadInput(f"no figure {name!r}: {fault!r}", nearest=nearest(kind, known)) from fault

    def count(self, token: str, first: int, last: int) -> int:
        """How many movements of the token happened in blocks ``first`` to ``last``."""
        return len(self._told.ledger.within(self._token(token), first, last))

    def growth(self, token: str, a: int, b: int, c: int, d: int) -> Fraction:
        """How much larger, in per cent, the volume of blocks c to d is than that of a to b; two decimals."""
        before, after = (self._told.ledger.volume(self._token(token), *span) for span in ((a, b), (c, d)))
        return round((Fraction(after, before) - 1) * 100, 2)

    def balance_raw(self, holder: str, token: str, block: int) -> int:
        """A role's or contract's balance at the end of ``block``, in the smallest unit."""
        return self._told.ledger.balance(self._token(token), self._address(holder), block)

    def _token(self, name: str) -> str:
        return self._tokens[name]

    def _address(self, role: str) -> str:
        return self._told.vault if role == "vault" else self._told.cast.address(role.replace("_", " "))

    def _burnt(self, block: int) -> int:
        token = self._told.payment_token
        return sum(
            found.amount for found in self._told.ledger.within(token, block, block) if found.recipient == ZERO_ADDRESS
        )


def amount(raw: int) -> str:
    """A raw amount of an 18-decimals token for people: 1,234.5, at most two decimals, cut."""
    cents = raw // (UNIT // 100)
    text = f"{cents // 100:,}.{cents % 100:02}"
    return text.rstrip("0").rstrip(".")


def two_decimals(value: Fraction) -> str:
    """A rational with exactly two decimals and thousands separators, half to even as the gold language rounds."""
    hundredths = round(value * 100)
    sign, size = "-" if hundredths < 0 else "", abs(hundredths)
    return f"{sign}{size // 100:,}.{size % 100:02}"


FOLDER = Path(__file__).parent / "pages"
_SLOT = re.compile(r"\{(?!planted\})([a-z][a-z_0-9.]*)\}")


@dataclass(frozen=True, slots=True)
class WrittenPage:
    """A page as written. It appears ``hours`` after ``block``; ``{figure}`` stands for a figure's value."""

    url: str
    title: str
    block: int
    hours: int
    text: str


@dataclass(frozen=True, slots=True)
class PageFile:
    """One file of ``pages/``."""

    page: tuple[WrittenPage, ...]


def written_pages(folder: Path = FOLDER) -> tuple[WrittenPage, ...]:
    """Every page as written, in file order. Raises ``BadInput`` for a malformed file."""
    return tuple(page for path in sorted(folder.glob("*.toml")) for page in build(PageFile, read_toml(path), path).page)


def fill(text: str, figures: FigureBook | Mapping[str, str]) -> str:
    """``text`` with each ``{figure}`` replaced. Raises ``BadInput`` for an unknown figure."""
    return _SLOT.sub(lambda slot: figures[slot[1]], text)


def render_pages(figures: FigureBook, times: list[int], folder: Path = FOLDER) -> tuple[Page, ...]:
    """The finished pages, sorted by address; ``times`` are the blocks' timestamps.

    Raises ``BadInput`` when a page would appear before what it tells of, or two stand at one address.
    """
    pages: dict[str, Page] = {}
    for written in written_pages(folder):
        url = fill(written.url, figures)
        published = times[written.block] + written.hours * 3600
        if written.block + 1 < len(times) and published >= times[written.block + 1]:
            raise BadInput(f"appears {written.hours} hours after block {written.block}, past the next block", where=url)
        late = [at for at in _blocks_told(written.text) if at > written.block]
        if late:
            raise BadInput(f"tells of block {late[0]} and appears after block {written.block}", where=url)
        if url in pages:
            raise BadInput("two pages at one address", where=url)
        pages[url] = Page(url, fill(written.title, figures), fill(written.text, figures).strip() + "\n", published)
    return tuple(pages[url] for url in sorted(pages))


def _blocks_told(text: str) -> list[int]:
    """Every block height that a figure of the page needs."""
    return [int(part) for slot in _SLOT.finditer(text) for part in slot[1].split(".") if part.isdigit()]

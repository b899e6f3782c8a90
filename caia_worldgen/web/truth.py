"""The facts of a told story, ready to be stated: each with its words and the claim that goes with them.

Everything is read from where the services read it too (market book, metrics, ledger, views, repositories), so a page
that states a fact and an API that is asked for it agree. ``form`` says how a number is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from caia_worldgen.act.birth import PROJECTS
from caia_worldgen.calendar import DAY_S
from caia_worldgen.event import ChainEvent, done
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.coin import Coin
from caia_worldgen.market.flow import Measure
from caia_worldgen.market.metric import Metrics
from caia_worldgen.market.protocol import Protocol
from caia_worldgen.market.repository import Repositories
from caia_worldgen.market.repository_history import ABOUT
from caia_worldgen.rng import Rng
from caia_worldgen.scene import Scene
from caia_worldgen.view import ViewCall
from caia_worldgen.web import number
from caia_worldgen.web.cast import Cast
from caia_worldgen.web.funding import Round, rounds_of
from caia_worldgen.web.number import Written
from caia_worldgen.web.page import Claim, Kind, Status, Told

Form = Callable[[Fraction], Written]
ROLES: Final = ("native", "dollar", *PROJECTS)
"""The coins of the story that have a project, by role."""
_E8: Final = 10**8


@dataclass(frozen=True, slots=True)
class Subject:
    """A coin one can write about. ``role`` is as the story has it, ``ticker`` in upper case, ``listed_at`` seconds."""

    id: str
    role: str
    name: str
    ticker: str
    site: str
    about: str
    listed_at: int


class Truth:
    """A told story as those see it who write about it. Read-only."""

    def __init__(self, scene: Scene, book: MarketBook, metrics: Metrics, code: Repositories, cast: Cast) -> None:
        self.scene = scene
        self.book = book
        self.metrics = metrics
        self.code = code
        self.cast = cast
        self.seed = scene.seed
        self.begun = scene.main.calendar.midnight(0)
        self.days = scene.scale.days
        end = scene.main.calendar.midnight(scene.scale.days)
        # Who is first listed after the end of a short story was never heard of in it.
        self.subjects = {coin.id: _subject(coin, scene) for coin in book.coins if coin.listed_at < end}
        self.rounds: tuple[Round, ...] = tuple(
            one for one in rounds_of(scene, book, cast) if one.project in self.subjects
        )

    # what and when

    def rng(self, name: str) -> Rng:
        """A writer's own chance."""
        return Rng(f"web/{self.seed}/{name}")

    def subject(self, role: str) -> Subject:
        """A coin by its role in the story. Raises ``KeyError``."""
        for one in self.subjects.values():
            if one.role == role:
                return one
        raise KeyError(role)

    def outsiders(self) -> tuple[Subject, ...]:
        """The coins that live on no chain of the world, by id."""
        return tuple(one for one in self.subjects.values() if one.role.startswith("outsider"))

    def midnight(self, day: int) -> int:
        """When a day of the story begins; the story has days 0 to ``days`` - 1, and its end is ``midnight(days)``."""
        return self.begun + day * DAY_S

    def happened(self, verb: str, subject: str | None = None, chain: str = "main") -> Iterator[tuple[int, ChainEvent]]:
        """The deeds of one kind with the moment of their block, oldest first."""
        stage = self.scene.main if chain == "main" else self.scene.rollup
        return ((stage.calendar.times[deed.block], deed) for deed in done(stage.deeds, verb, subject))

    def coin(self, id: str) -> Coin:
        """Raises ``KeyError`` for an unknown one."""
        found = self.book.coin(id)
        if found is None:
            raise KeyError(id)
        return found

    # facts of markets

    def price(self, id: str, moment: int, form: Form | None = None) -> Told:
        """Dollars for one coin at the hour of the moment. Raises ``KeyError`` before its listing."""
        return self._told("price", id, moment, self.price_usd(id, moment), form or _dollar_price)

    def price_usd(self, id: str, moment: int) -> Fraction:
        """As ``price``, as a number."""
        worth = self.book.prices.price_e8(self.coin(id), moment)
        if worth is None:
            raise KeyError(f"{id} at {moment}")
        return Fraction(worth, _E8)

    def change_ppm(self, id: str, moment: int, hours: int) -> int | None:
        """How far the price moved within so many hours, in millionths; None when it was not listed so long."""
        return self.book.change_ppm(self.coin(id), moment, hours)

    def cap(self, id: str, moment: int, form: Form | None = None) -> Told:
        """Circulating supply times price, dollars. Raises ``KeyError`` where nothing circulates, or without a price."""
        value = Fraction(self.book.cap_usd(self.coin(id), moment))
        if not value:
            raise KeyError(f"{id} at {moment}")
        return self._told("cap", id, moment, value, form or _dollars)

    def circulates(self, id: str, moment: int) -> bool:
        """Whether any of a coin is in somebody's hands: only then can its supply and its cap be told."""
        return self.book.supply(self.coin(id), moment).circulating > 0

    def rank(self, id: str, moment: int) -> int:
        """By market cap, from 1."""
        return [coin.id for coin in self.book.ranking(moment)].index(id) + 1

    def supply(self, id: str, moment: int, form: Form = number.exact) -> Told:
        """All coins there are, whole. Raises ``KeyError`` before the first was made."""
        coin = self.coin(id)
        total = self.book.supply(coin, moment).total
        if not total:
            raise KeyError(f"{id} at {moment}")
        return self._told("supply", id, moment, Fraction(total, coin.unit), form)

    # facts of protocols; midnights are those of ``midnight(day)``, day 1 the first

    def tvl(self, slug: str, midnight: int, form: Form | None = None) -> Told:
        """Dollars locked in a protocol. Raises ``KeyError``."""
        value = Fraction(self.metrics.tvl.value_e8(self._protocol(slug), midnight), _E8)
        return self._told("tvl", slug, midnight, value, form or _dollars)

    def chain_tvl(self, chain: str, midnight: int, form: Form | None = None) -> Told:
        """Dollars locked on "main" or "rollup"."""
        value = Fraction(self.metrics.chain_e8(chain, midnight), _E8)
        return self._told("tvl", f"chain:{self.scene.networks[chain].name}", midnight, value, form or _dollars)

    def volume(self, slug: str, midnight: int, form: Form | None = None) -> Told:
        """Dollars swapped in the day that ended at a midnight. Raises ``KeyError`` for what nobody swaps in."""
        return self._told("volume", slug, midnight, self._flow(slug, "volume", midnight), form or _dollars)

    def fees(self, slug: str, midnight: int, form: Form | None = None) -> Told:
        """Dollars of fees of the day that ended at a midnight. Raises ``KeyError`` where there are none at all."""
        return self._told("fees", slug, midnight, self._flow(slug, "fees", midnight), form or _dollars)

    # facts of the chain

    def staked(self, role: str, moment: int, form: Form = number.exact) -> Told:
        """Whole coins in the staking pool of a role ("arena", "storage")."""
        asset, block = self.scene.assets[role], self.block_at("main", moment)
        amount = self.scene.main.views.answer(ViewCall(f"{role} staking pool", "totalStaked"), block)[0]
        return self._told("staked", role, moment, Fraction(amount, asset.unit), form)

    def balance(self, role: str, holder: str, moment: int, form: Form = number.exact) -> Told:
        """Whole coins of a role's token that an address holds."""
        asset = self.scene.assets[role]
        amount = self.scene.main.ledger.balance(asset.address, holder, self.block_at("main", moment))
        subject = f"{self.subject(role).id}/{holder.lower()}"
        return self._told("balance", subject, moment, Fraction(amount, asset.unit), form)

    def unlocked(self, role: str, midnight: int, form: Form = number.exact) -> Told:
        """Whole tokens that a project's vesting contracts have vested. Raises ``KeyError`` without a calendar."""
        id = self.subject(role).id
        emission = self.metrics.emissions.of(id)
        if emission is None:
            raise KeyError(role)
        amount = sum(emission.unlocked(section, midnight) for section in emission.sections())
        return self._told("unlocked", id, midnight, Fraction(amount, 10**18), form)

    def votes(self, proposal: int, moment: int, form: Form = number.exact) -> Told:
        """Whole votes in favour of a proposal."""
        known = self.scene.main.views.answer(
            ViewCall("governor", "proposalVotes", (proposal,)), self.block_at("main", moment)
        )
        return self._told("votes", str(proposal), moment, Fraction(known[1], 10**18), form)

    def address(self, role: str) -> Told:
        """The token's contract on the main chain."""
        made = self.scene.assets[role].address
        return Told(made, Claim("address", self.subject(role).id, self.begun, made, made, Fraction(0)))

    def pool(self, role: str) -> Told:
        """The token's pair against the dollar."""
        made = self.scene.markets[role, "dollar"].pair.address
        return Told(made, Claim("address", f"pool:{self.subject(role).id}", self.begun, made, made, Fraction(0)))

    def block(self, chain: str, moment: int) -> Told:
        """The newest block's height."""
        return self._told("block", chain, moment, Fraction(self.block_at(chain, moment)), number.exact)

    def block_at(self, chain: str, moment: int) -> int:
        """As ``block``, as a number. Raises ``ValueError`` before the genesis."""
        stage = self.scene.main if chain == "main" else self.scene.rollup
        return stage.calendar.at(moment)

    # facts of code and money

    def release(self, full_name: str, moment: int) -> Told:
        """The tag of a repository's latest release. Raises ``KeyError`` before the first."""
        latest = self.code.repositories[full_name].latest(moment)
        if latest is None:
            raise KeyError(f"{full_name} at {moment}")
        return Told(latest.tag, Claim("release", full_name, moment, latest.tag, latest.tag, Fraction(0)))

    def raised(self, one: Round, form: Form | None = None) -> Told:
        """What a round brought."""
        return self._told("round", one.project, one.closed_at, Fraction(one.raised_usd), form or _dollars)

    def _told(self, kind: Kind, subject: str, moment: int, value: Fraction, form: Form) -> Told:
        written = form(value)
        return Told(written.words, Claim(kind, subject, moment, written.words, written.value, written.step))

    def _protocol(self, slug: str) -> Protocol:
        found = self.metrics.protocol(slug)
        if found is None:
            raise KeyError(slug)
        return found

    def _flow(self, slug: str, measure: Measure, midnight: int) -> Fraction:
        days = self.metrics.flow.daily_e8(self._protocol(slug), measure)
        return Fraction(days[(midnight - self.begun) // DAY_S - 1], _E8)


def stale(told: Told) -> Told:
    """A fact of its moment, told as if it still were the case."""
    return _as(told, "stale")


def rumoured(told: Told) -> Told:
    """Something that nobody knows; the sentence around it must say so."""
    return _as(told, "rumour")


def mistaken(told: Told, form: Form, rng: Rng) -> Told:
    """An honest mistake: a number 6 to 40 per cent off. Raises ``ValueError`` for what is no number."""
    if told.claim is None or isinstance(told.claim.value, str):
        raise ValueError(f"{told.words!r} is no number")
    factor = Fraction(rng.number(1_060, 1_400), 1_000)
    written = form(told.claim.value * factor if rng.happens(50) else told.claim.value / factor)
    claim = replace(told.claim, words=written.words, value=written.value, step=written.step, status="mistaken")
    return Told(written.words, claim)


def dollars(form: Form) -> Form:
    """The form with a dollar sign before it."""
    return lambda value: form(value).around("$")


def _as(told: Told, status: Status) -> Told:
    if told.claim is None:
        raise ValueError(f"{told.words!r} claims nothing")
    return Told(told.words, replace(told.claim, status=status))


def _dollar_price(value: Fraction) -> Written:
    return number.price(value).around("$")


def _dollars(value: Fraction) -> Written:
    return number.short(value).around("$")


def _subject(coin: Coin, scene: Scene) -> Subject:
    site = scene.projects[coin.role].site if coin.role in scene.projects else f"{coin.id}.example"
    about = ABOUT.get(coin.role, coin.category.replace("-", " "))
    return Subject(coin.id, coin.role, coin.name, coin.symbol.upper(), site, about, coin.listed_at)

"""What analysts, dashboards, explorers and forums read off the story's contracts, beyond the facts that are claimed.

``facts`` are the slots about one coin at one moment; which of them there are depends on the coin. Everything is a pure
function of the truth. Amounts are whole coins or dollars, as fractions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.emission import Emission
from caia_worldgen.rng import Rng
from caia_worldgen.view import ViewCall
from caia_worldgen.web import number, place
from caia_worldgen.web.page import Told
from caia_worldgen.web.truth import Form, Subject, Truth, dollars

Facts = dict[str, Told | str]
YEAR_S: Final = 365 * DAY_S
LEAD_DAYS: Final = 8
"""Before it nothing trades yet."""
_PUBLIC: Final = {
    "founders": "Founders' deployer", "treasury": "Treasury", "market maker": "Market maker",
    "arbitrageur": "Arbitrage bot", "exchange": "Custodial venue: hot wallet", "price keeper": "Price keeper",
    "liquidator": "Liquidation bot", "bridge relayer": "Bridge relayer", "issuer": "Dollar issuer",
    "collector": "Collectibles creator", "launcher": "Launchpad owner", "seed fund": "Seed fund",
    "venture fund": "Venture fund", "merchant": "Merchant",
}  # fmt: skip
"""What the public calls those whose part is known; those who do harm have no label until something is reported."""


@dataclass(frozen=True, slots=True)
class Desk:
    """A lending market at a moment: dollars idle and owed; shares and the yearly rate in basis points."""

    role: str
    cash: Fraction
    owed: Fraction
    ltv_bps: int
    limit_bps: int
    rate_bps: int

    @property
    def use(self) -> Fraction:
        """The share of its dollars that is lent out."""
        return self.owed / (self.cash + self.owed) if self.cash + self.owed else Fraction(0)


@dataclass(frozen=True, slots=True)
class Stream:
    """A staking pool's rewards: whole coins a year at the rate of the moment, and when they end."""

    yearly: Fraction
    ends: int


class Reading:
    """A truth as its readers see it."""

    def __init__(self, truth: Truth) -> None:
        self.truth = truth
        self._scene = truth.scene
        self.home = truth.scene.networks["main"].name
        self.away = truth.scene.networks["rollup"].name
        self._labels: dict[str, str] = {}
        self._known: dict[str, list[str]] = {}
        self.slugs = {one.role: one.slug for one in truth.metrics.protocols if one.role}

    def crash_day(self) -> int:
        """The day with most liquidations; without any, the one on which the native coin fell most."""
        days = Counter((at - self.truth.begun) // DAY_S for at, _ in self.truth.happened("liquidated"))
        if days:
            return max(days, key=lambda day: (days[day], -day))
        native = self.truth.subject("native").id
        return min(range(LEAD_DAYS, self.truth.days - 3),
                   key=lambda day: (self.truth.change_ppm(native, self.truth.midnight(day), 24) or 0, day))  # fmt: skip

    def reserves(self, role: str, moment: int) -> tuple[Fraction, Fraction]:
        """Coins of a role and dollars in their pair. Raises ``KeyError`` where there is none yet."""
        market, asset = self._scene.markets[role, "dollar"], self._scene.assets[role]
        held = self._asked(f"{role}/dollar", "getReserves", moment)
        side = market.side(asset)
        return Fraction(held[side], asset.unit), Fraction(held[1 - side], self._scene.assets["dollar"].unit)

    def desk(self, role: str, moment: int) -> Desk:
        """The lending market whose collateral is a role's coin. Raises ``KeyError`` before it opened."""
        name, unit = f"{role} lending market", self._scene.assets["dollar"].unit
        scaled, index = (self._asked(name, one, moment)[0] for one in ("totalScaledDebt", "storedIndex"))
        terms = [self._asked(name, one, moment)[0] for one in ("ltvBps", "liquidationBps", "rateBpsPerYear")]
        return Desk(role, Fraction(self._asked(name, "cash", moment)[0], unit),
                    Fraction(scaled * index, 10**18 * unit), *terms)  # fmt: skip

    def stream(self, role: str, moment: int) -> Stream:
        """A staking pool's rewards. Raises ``KeyError`` before it opened."""
        name, unit = f"{role} staking pool", self._scene.assets[role].unit
        rate, ends = (self._asked(name, one, moment)[0] for one in ("ratePerSecond", "end"))
        return Stream(Fraction(rate * YEAR_S, unit), ends)

    def holders(self, role: str, moment: int) -> int:
        """How many addresses hold a role's token."""
        token, block, ledger = (
            self._scene.assets[role].address,
            self.truth.block_at("main", moment),
            self._scene.main.ledger,
        )
        if token not in self._known:
            self._known[token] = ledger.known(token)
        return sum(ledger.balance(token, holder, block) > 0 for holder in self._known[token])

    def label(self, address: str) -> str:
        """What the public calls an address of the story; "" for one without a name."""
        if not self._labels:
            scene = self._scene
            for name in scene.people.roles:
                self._labels[scene.people.address(name)] = _PUBLIC.get(name, "")
            for name, made in sorted(scene.main.contracts.items()):
                self._labels[made.address] = self._public(name)
        return self._labels.get(address.lower(), "")

    def _public(self, contract: str) -> str:
        """The story's name of a contract with projects' names for roles."""
        first, _, rest = contract.partition(" ")
        base, _, quote = contract.partition("/")
        if quote:
            return f"{self._ticker(base)}/{self._ticker(quote)} pair"
        if rest.endswith("vesting"):
            return f"{self._scene.projects[first].name} vesting ({rest.split()[0]})"
        if rest in ("token", "staking pool", "lending market"):
            named = "Lending" if rest.startswith("lending") else self._name(first)
            return f"{self._ticker(first)} lending market" if named == "Lending" else f"{named} {rest}"
        owners = {"bridge": "bridge", "fee": "lend", "governor": "lend", "timelock": "lend", "factory": "exchange",
                 "router": "exchange", "airdrop": "social"}  # fmt: skip
        return f"{self._name(owners[first])} {contract}" if first in owners else contract.capitalize()

    def _name(self, role: str) -> str:
        return self._scene.projects[role].name if role in self._scene.projects else role.capitalize()

    def _ticker(self, role: str) -> str:
        return self._scene.projects[role].ticker if role in self._scene.projects else role.upper()

    def calendar(self, role: str) -> Emission | None:
        """A project's emission calendar, or None."""
        return self.truth.metrics.emissions.of(self.truth.subject(role).id)

    def facts(self, subject: Subject, moment: int, rng: Rng) -> Facts:
        """Slots about a coin: its names always, figures where they exist. Flows are those of the day before the last
        midnight, and what is locked is that of the midnight."""
        truth, role = self.truth, subject.role
        midnight = truth.midnight((moment - truth.begun) // DAY_S)
        found: Facts = {
            "name": subject.name, "ticker": subject.ticker, "about": subject.about, "network": self.home,
            "rollup": self.away, "dollar": truth.subject("dollar").ticker, "native": truth.subject("native").ticker,
            "day": number.day(moment), "date": number.short_day(moment), "iso": number.iso_day(moment),
            "weekday": number.weekday(moment), "time": number.clock_time(moment), "month": number.month(moment),
            "midnight": number.day(midnight), "flow_day": number.day(midnight - DAY_S),
        }  # fmt: skip
        try:
            found["price"] = truth.price(subject.id, moment, price_form(rng))
        except KeyError:
            return found
        found["cap"] = truth.cap(subject.id, moment, money_form(rng))
        found["supply"] = truth.supply(subject.id, moment)
        found["rank"] = str(truth.rank(subject.id, moment))
        for name, hours in (("day_move", 24), ("week_move", 168), ("month_move", 720)):
            ppm = truth.change_ppm(subject.id, moment, hours)
            if ppm is not None:
                words = number.percent(ppm).words
                found[name] = f"{'up' if ppm >= 0 else 'down'} {words}"
                found[f"{name}_size"] = words
        if midnight <= truth.begun:
            return found
        if role in self.slugs:
            self._use(found, role, midnight, rng)
        if role in truth.scene.assets and role != "native":
            found["address"] = truth.address(role)
            found["holders"] = f"{self.holders(role, moment):,}"
            found["block"] = truth.block("main", moment)
            found["explorer"] = place.link("explorer", place.token_page(truth, truth.scene.assets[role].address))
            if (role, "dollar") in truth.scene.markets:
                self._pool(found, role, moment)
        if truth.metrics.emissions.of(subject.id) is not None and role in truth.scene.projects:
            found["unlocked"] = truth.unlocked(role, midnight)
        return found

    def _use(self, found: Facts, role: str, midnight: int, rng: Rng) -> None:
        truth, slug = self.truth, self.slugs[role]
        protocol = truth.metrics.protocol(slug)
        if protocol and truth.metrics.tvl.value_e8(protocol, midnight):  # a stake in the own token counts for nothing
            found["tvl"] = truth.tvl(slug, midnight, money_form(rng))
        found["board"] = place.link("dashboard", place.board(truth, slug))
        for name, fact in (("volume", truth.volume), ("fees", truth.fees)):
            try:
                found[name] = fact(slug, midnight, flow_form(rng))
            except KeyError:
                continue
        if role in ("arena", "storage"):
            stream, staked = self.stream(role, midnight), truth.staked(role, midnight)
            found["staked"] = staked
            if staked.claim is not None and isinstance(staked.claim.value, Fraction) and staked.claim.value:
                running = stream.ends > midnight
                rate = stream.yearly / staked.claim.value if running else Fraction(0)
                found["yield"] = number.exact(rate * 100, 1).around(after="%").words
                found["running" if running else "dry"] = number.day(stream.ends)
                found["yearly"] = number.short(stream.yearly).words

    def _pool(self, found: Facts, role: str, moment: int) -> None:
        try:
            coins, money = self.reserves(role, moment)
        except KeyError:
            return
        found["pool"] = self.truth.pool(role)
        found["pool_coins"], found["pool_dollars"] = number.exact(coins).words, number.exact(money).words
        # Of a constant product the price moves by the square of what is bought: 2 % of it costs 1 % of the dollars.
        found["pool_depth"] = number.exact(money * Fraction(995, 100_000)).words

    def _asked(self, role: str, function: str, moment: int) -> tuple[int, ...]:
        return self._scene.main.views.answer(ViewCall(role, function), self.truth.block_at("main", moment))


def price_form(rng: Rng) -> Form:
    """A price, now and then to the cent."""
    cents = rng.happens(30)

    def form(value: Fraction) -> number.Written:
        return (number.exact(value, 2) if cents and value >= 1 else number.price(value)).around("$")

    return form


def money_form(rng: Rng) -> Form:
    """A large sum in one of the ways people write it."""
    forms: tuple[Callable[[Fraction], number.Written], ...] = (
        lambda value: number.short(value, 1), lambda value: number.short(value, 2),
        lambda value: number.letters(value, 1), lambda value: number.letters(value, 2), number.exact,
    )  # fmt: skip
    return dollars(rng.one(forms))


def flow_form(rng: Rng) -> Form:
    """A day's sum: often to the dollar."""
    return dollars(rng.one((number.exact, number.exact, lambda value: number.letters(value, 1))))

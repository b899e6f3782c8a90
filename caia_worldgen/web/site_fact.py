"""What a project can say of itself at one moment, as slots: names and links, figures of markets, chain and code.

Slots that are not known of a project at a moment are absent, and sentences that need them are not told then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.coin import Coin
from caia_worldgen.rng import Rng
from caia_worldgen.web import number, place
from caia_worldgen.web.page import Claim, Told
from caia_worldgen.web.place import link
from caia_worldgen.web.truth import ROLES, Form, Subject, Truth, dollars, mistaken, stale

Slot = Told | str
MOVING: Final = ("price", "cap", "tvl", "staked", "treasury", "venue_held", "volume")
"""Slots whose figures change from week to week."""
_STALE_PERCENT, _MISTAKEN_PERCENT = 6, 8
"""How many pages are drawn to be wrong; about half of them tell none of the figures in question."""
_ABOUT: Final[Mapping[str, str]] = {
    "stablecoins": "a token that is always worth a dollar", "layer 1": "a chain with rules of its own",
    "decentralized exchange": "an exchange without a house account", "payment solutions": "payments between companies",
    "cloud": "computing by the hour from small hosts", "names": "names that work as addresses",
    "games": "games whose items belong to players", "data": "a market for questions to data",
    "mail": "mail that costs the sender a little", "energy": "a market for the power of roofs",
    "maps": "maps that drivers are paid for", "music": "royalties that arrive with the song",
    "credit union": "savings and small loans among members", "carbon": "certificates for removed carbon",
}  # fmt: skip
_TRADES: Final = ("ceo", "cto", "research", "engineer", "community", "operations", "security", "design")
_WORTHS: Final = (dollars(number.short), dollars(lambda value: number.short(value, 2)), dollars(number.exact),
                  dollars(number.letters))  # fmt: skip
_COUNTS: Final = (number.exact, number.exact, number.short, lambda value: number.short(value, 2))


@dataclass(frozen=True, slots=True)
class Facts:
    """Slots of one page; ``wrong`` names the one that is told wrongly, if any, and ``right`` what it should be."""

    slots: Mapping[str, Slot]
    wrong: str = ""
    right: Told | None = None

    def but(self, **slots: Slot) -> dict[str, Slot]:
        """The slots with some more."""
        return {**self.slots, **slots}


def facts_of(truth: Truth, subject: Subject, moment: int, key: str) -> Facts:
    """Everything known of a project at a moment. ``key`` is the page's own name: it decides how numbers are written
    and whether an older or a mistaken figure slips in."""
    rng = truth.rng(f"site_fact/{key}")
    slots = {**names_of(truth, subject, moment, rng), **links_of(truth, subject, rng)}
    figures = figures_of(truth, subject, moment, key)
    roll, before = rng.number(1, 100), moment - rng.number(18, 45) * DAY_S
    if roll <= _STALE_PERCENT:
        slots |= {**figures, **outdated(truth, subject, moment, before, key)}
        return Facts(slots)
    wrong = [name for name in ("price", "cap", "supply", "tvl", "staked", "treasury") if name in figures]
    if roll <= _STALE_PERCENT + _MISTAKEN_PERCENT and wrong:
        name = rng.one(wrong[:3])
        right = figures[name]
        slots |= {**figures, name: mistaken(right, _forms(truth.rng(f"site_fact/{key}/forms"))[name], rng)}
        return Facts(slots, name, right)
    return Facts(slots | figures)


def outdated(truth: Truth, subject: Subject, moment: int, before: int, key: str) -> dict[str, Told]:
    """The moving figures of an earlier moment, told as if they still held; those that did not change are left out."""
    if before < truth.midnight(2):
        return {}
    now, then = figures_of(truth, subject, moment, key), figures_of(truth, subject, before, key)
    return {name: stale(then[name]) for name in MOVING
            if name in then and name in now and then[name].words != now[name].words}  # fmt: skip


def names_of(truth: Truth, subject: Subject, moment: int, rng: Rng) -> dict[str, Slot]:
    """Names, dates, people, money raised."""
    midnight = moment // DAY_S * DAY_S
    main, rollup = truth.scene.networks["main"], truth.scene.networks["rollup"]
    native, dollar = truth.subject("native"), truth.subject("dollar")
    slots: dict[str, Slot] = {
        "name": subject.name, "ticker": subject.ticker, "site": subject.site, "id": subject.id,
        "about": _about(subject), "chain": main.name, "rollup": rollup.name,
        "coin": native.ticker, "usd": dollar.ticker, "usd_name": dollar.name, "explorer": truth.cast.explorer.name,
        "venue": truth.cast.venue.name, "screen": rng.one(truth.cast.screens).name,
        "date": number.day(moment), "short_date": number.short_day(moment), "iso_date": number.iso_day(moment),
        "month": number.month(moment), "weekday": number.weekday(moment), "clock": number.clock_time(moment),
        "midnight": number.day(midnight),
    }  # fmt: skip
    members = truth.cast.teams.get(subject.role) or truth.cast.teams.get(subject.id) or ()
    slots |= {trade: member.name for trade, member in zip(_TRADES, members, strict=False)}
    if members:
        slots["people"] = str(len(members))
    slots |= _conditions(truth, subject, moment)
    rounds = [one for one in truth.rounds if one.project == subject.id and one.closed_at <= moment]
    if rounds:
        one = rounds[-1]
        slots |= {"raised": truth.raised(one), "round": one.name, "lead": one.lead,
                  "closed": number.day(one.closed_at), "closed_month": number.month(one.closed_at)}  # fmt: skip
        if one.others:
            slots["others"] = " and ".join((", ".join(one.others[:-1]), one.others[-1])).removeprefix(" and ")
        slots |= {"sold": number.exact(one.tokens).words} if one.tokens else {"equity": ""}
    return slots


def links_of(truth: Truth, subject: Subject, rng: Rng) -> dict[str, Slot]:
    """Links to the places every writer knows."""
    story = subject.role in ROLES
    slots: dict[str, Slot] = {
        "l_home": link(rng.one(("front page", "home page", "main site")), place.home(subject)),
    }
    if story or subject.role.startswith("outsider"):
        slots["l_overview"] = link(rng.one(("overview", "introduction", "documentation")),
                                   place.docs(subject, "overview"))  # fmt: skip
        slots["l_tokenomics"] = link(rng.one(("tokenomics", "token chapter", "supply page")),
                                     place.docs(subject, "tokenomics"))  # fmt: skip
        slots["l_team"] = link(rng.one(("team page", "page about the team", "list of people")), place.team(subject))
    if story:
        slots["l_contracts"] = link(rng.one(("contract list", "address list", "list of contracts")),
                                    place.docs(subject, "contracts"))  # fmt: skip
        slots["l_faq"] = link(rng.one(("FAQ", "list of questions", "page of questions")), place.docs(subject, "faq"))
    if story and subject.role not in ("native", "dollar"):
        slots["l_forum"] = link(rng.one(("forum", "governance forum", "discussion board")), place.forum(subject))
    if story and subject.role != "native":
        slots["l_token"] = link(rng.one(("explorer", "token page", "explorer's page")),
                                place.token_page(truth, truth.address(subject.role).words))  # fmt: skip
    if truth.metrics.protocol(subject.id) is not None:
        slots["l_board"] = link(rng.one(("dashboard", "public dashboard", "protocol dashboard")),
                                place.board(truth, subject.id))  # fmt: skip
    return slots


def figures_of(truth: Truth, subject: Subject, moment: int, key: str) -> dict[str, Told]:
    """The figures of one moment; what is counted once a day is that of the last midnight."""
    forms = _forms(truth.rng(f"site_fact/{key}/forms"))
    id, role, midnight = subject.id, subject.role, moment // DAY_S * DAY_S
    treasury, venue = truth.scene.people.address("treasury"), truth.scene.people.address("exchange")
    asked: dict[str, Callable[[], Told]] = {}
    if subject.listed_at <= moment and moment >= truth.begun:
        asked |= {"price": lambda: truth.price(id, moment, forms["price"]),
                  "cap": lambda: truth.cap(id, moment, forms["cap"]),
                  "supply": lambda: truth.supply(id, moment, forms["supply"]),
                  "circulating": lambda: _circulating(truth, id, moment, forms["supply"]),
                  "change": lambda: _change(truth, id, moment)}  # fmt: skip
    if midnight >= truth.midnight(1) and truth.metrics.protocol(id) is not None:
        asked |= {"tvl": lambda: truth.tvl(id, midnight, forms["tvl"]),
                  "volume": lambda: truth.volume(id, midnight, forms["volume"]),
                  "fees": lambda: truth.fees(id, midnight, forms["fees"])}  # fmt: skip
    if midnight >= truth.midnight(1) and role in ("native", "dollar", "bridge"):
        asked["chain_tvl"] = lambda: truth.chain_tvl("main", midnight, forms["tvl"])
        asked["rollup_tvl"] = lambda: truth.chain_tvl("rollup", midnight, forms["tvl"])
    if role in ROLES and moment >= truth.begun + DAY_S:
        asked |= {"block": lambda: truth.block("main", moment), "pool": lambda: truth.pool(role)}
        asked["rollup_block"] = lambda: truth.block("rollup", moment)
        if role != "native":
            asked |= {"address": lambda: truth.address(role),
                      "treasury": lambda: truth.balance(role, treasury, moment, forms["treasury"]),
                      "venue_held": lambda: truth.balance(role, venue, moment, forms["venue_held"])}  # fmt: skip
        if role in ("arena", "storage"):
            asked["staked"] = lambda: truth.staked(role, moment, forms["staked"])
        if midnight >= truth.midnight(1):
            asked["unlocked"] = lambda: truth.unlocked(role, midnight, forms["unlocked"])
    name = main_repository(truth, id)
    if name:
        asked["release"] = lambda: truth.release(name, moment)
    found: dict[str, Told] = {}
    for slot, ask in asked.items():
        try:
            told = ask()
            if told.words not in ("$0", "0"):  # what holds nothing does not boast of it
                found[slot] = told
        except KeyError:  # not known of this project, or not yet: sentences that need it are left out
            continue
    return found


def main_repository(truth: Truth, id: str) -> str:
    """The repository that a project releases from, ``owner/name``, or "" without one."""
    kinds = ("node", "contracts", "core")
    return next((f"{id}/{kind}" for kind in kinds if f"{id}/{kind}" in truth.code.repositories), "")


def other(words: str, subject: str, moment: int) -> Told:
    """Something that is told on the web alone, or that no figure of the APIs stands for."""
    return Told(words, Claim("other", subject, moment, words, words, Fraction(0)))


def listed(truth: Truth, moment: int) -> tuple[Coin, ...]:
    """The coins that the outside venue trades at a moment, by id."""
    return tuple(coin for coin in truth.book.listed(moment) if coin.traded)


def _about(subject: Subject) -> str:
    """What a project is, to stand within a sentence."""
    return _ABOUT.get(subject.about, subject.about[:1].lower() + subject.about[1:])


def _conditions(truth: Truth, subject: Subject, moment: int) -> dict[str, Slot]:
    """Empty slots: a sentence that ends in one is told of those projects only that it is true of."""
    role = subject.role
    slots: dict[str, Slot] = {{"native": "burning", "dollar": "elastic"}.get(role, "fixed"): ""}
    slots |= {} if role == "native" else {"onchain": ""}
    if role in ROLES:
        granted = any(dict(deed.figures)["project"] == role for _, deed in truth.happened("granted"))
        burned = any(at <= moment for at, _ in truth.happened("burned", role))
        slots |= {"calendar": ""} if granted else {}
        slots |= {"burnless": ""} if not burned and "fixed" in slots else {}
    return slots


def _change(truth: Truth, id: str, moment: int) -> Told:
    moved = truth.change_ppm(id, moment, 24 * 7)
    if moved is None:
        raise KeyError(id)
    return Told(f"{'up' if moved >= 0 else 'down'} {number.percent(moved).words}")


def _circulating(truth: Truth, id: str, moment: int, form: Form) -> Told:
    coin = truth.coin(id)
    written = form(Fraction(truth.book.supply(coin, moment).circulating, coin.unit))
    return Told(written.words, Claim("other", f"circulating:{id}", moment, written.words, written.value, written.step))


def _forms(rng: Rng) -> dict[str, Form]:
    worth, count = rng.one(_WORTHS), rng.one(_COUNTS)
    forms: dict[str, Form] = dict.fromkeys(("cap", "tvl", "volume", "fees"), worth)
    forms |= dict.fromkeys(("supply", "staked", "treasury", "venue_held", "unlocked"), count)
    if rng.happens(30):
        forms["cap"] = rng.one(_WORTHS)
    return {"price": dollars(number.price), **forms}

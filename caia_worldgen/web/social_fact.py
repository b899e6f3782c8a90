"""Facts as slots for posts: what an account can say of a coin or a protocol at a moment, made when it is said.

Now and then somebody tells an old figure as if it were today's: everything said of it then is of that moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Final

from caia_worldgen.act.birth import PROJECTS
from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.protocol import Protocol
from caia_worldgen.market.repository import Repository
from caia_worldgen.market.repository_history import things
from caia_worldgen.rng import Rng
from caia_worldgen.web import number, place
from caia_worldgen.web.page import Claim, Told
from caia_worldgen.web.social_voice import Voice
from caia_worldgen.web.truth import ROLES, Subject, Truth, stale

_STALE_PERCENT: Final = 14
_MARGIN_S: Final = 3_600
_STAKED: Final = ("arena", "storage")
Thunk = Callable[[], Told | str]


class Lazy(Mapping[str, Told | str]):
    """Slots whose words are made when they are used, and once."""

    def __init__(self, made: Mapping[str, Thunk | str | Told]) -> None:
        self._made: dict[str, Thunk | str | Told] = dict(made)

    def __getitem__(self, name: str) -> Told | str:
        found = self._made[name]
        if not isinstance(found, (str, Told)):
            found = self._made[name] = found()
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._made

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)

    def __or__(self, other: Mapping[str, Thunk | str | Told]) -> Lazy:
        joined = Lazy({})
        joined._made = self._made | (dict(other._made) if isinstance(other, Lazy) else dict(other))
        return joined


def day_words(moment: int) -> str:
    """``3 Mar``."""
    return number.short_day(moment).rpartition(" ")[0]


def other_claim(subject: str, moment: int, words: str) -> Told:
    """Something told on the web alone, as a text."""
    return Told(words, Claim("other", subject, moment, words, words, Fraction(0)))


def signed(ppm: int) -> str:
    """``+2.1%`` or ``-0.4%``."""
    return ("-" if ppm < 0 else "+") + number.percent(ppm).words


def unsigned(ppm: int) -> str:
    """``2.1%``, whichever way."""
    return number.percent(ppm).words


def priced(truth: Truth, day: int) -> tuple[Subject, ...]:
    """The coins that have had a price for two days and are not pegged or wrapped, by id."""
    midnight = truth.midnight(day)
    return tuple(
        one
        for id, one in sorted(truth.subjects.items())
        if one.role not in ("dollar", "wrapped")
        and (one.listed_at <= truth.begun + _MARGIN_S or one.listed_at + 2 * DAY_S <= midnight)
        and truth.price_usd(id, midnight) > 0
    )


def coin_slots(truth: Truth, one: Subject, moment: int, voice: Voice, rng: Rng, others: Sequence[Subject],
               may_be_old: bool = True) -> Lazy:  # fmt: skip
    """What can be said of a coin that has a price; it is compared with one of the ``others``."""
    seen = moment
    if may_be_old and rng.happens(_STALE_PERCENT) and moment - 12 * DAY_S > one.listed_at + _MARGIN_S:
        seen = moment - rng.number(3, 9) * DAY_S
    days = rng.number(4, 30)
    then = seen - days * DAY_S

    def fact(make: Callable[[int], Told]) -> Thunk:
        def made() -> Told:
            told = make(seen)
            return stale(told) if seen != moment and make(moment).words != told.words else told

        return made

    other = rng.one([peer for peer in others if peer.id != one.id and peer.listed_at <= seen] or [one])
    made: dict[str, Thunk | str] = _named(truth, one) | {
        "price": fact(lambda at: truth.price(one.id, at, voice.price)),
        "cap": fact(lambda at: truth.cap(one.id, at, voice.money)),
        "supply": fact(lambda at: truth.supply(one.id, at, voice.coins)),
        "rank": lambda: str(truth.rank(one.id, seen)),
        "weekday": number.weekday(moment),
        "other": f"${other.ticker}",
        "other_price": lambda: truth.price(other.id, seen, voice.price),
        "other_move": lambda: signed(truth.change_ppm(other.id, seen, 24) or 0),
    }
    if seen == moment:
        made["hour"] = number.clock_time(moment)
    if then > max(one.listed_at, truth.begun) + _MARGIN_S and truth.price_usd(one.id, then) > 0:
        made |= {
            "then_price": lambda: truth.price(one.id, then, voice.price),
            "then": day_words(then),
            "days": str(days),
        }
    for name, hours in (("day", 24), ("week", 168)):
        change = truth.change_ppm(one.id, seen, hours)
        if change is not None:
            made[f"{name}_move"] = partial(signed, change)
            made[f"{name}_pct"] = partial(unsigned, change)
    return Lazy(made)


def place_slots(truth: Truth, one: Subject) -> dict[str, Thunk | str]:
    """Where a project of the story is found, and who speaks for it; nothing for others."""
    if one.role not in ROLES:
        return {}
    account = truth.cast.account_of(one.id).handle
    made: dict[str, Thunk | str] = {
        "account": account,
        "home": place.home(one),
        "docs": place.docs(one, "faq" if len(account) % 2 else "tokenomics"),
        "team": place.team(one),
    }
    if one.role in PROJECTS:
        made["forum"] = place.forum(one)
    if one.role != "native":  # it is no token itself, only wrapped it is one
        made["address"] = partial(truth.address, one.role)
        made["page"] = place.token_page(truth, truth.scene.assets[one.role].address)
    return made


def code_slots(truth: Truth, one: Subject, moment: int, rng: Rng) -> dict[str, Thunk | str]:
    """What people of a project work on; ``repo`` and ``release`` where it has published any."""
    repositories = [made for _, made in sorted(truth.code.repositories.items()) if made.owner.login == one.id]
    kind = rng.one(repositories).kind if repositories else "app"
    first, second = rng.some(things(one.role, kind), 2)
    made: dict[str, Thunk | str] = {"thing": first, "other_thing": second}
    released: list[Repository] = [each for each in repositories if each.latest(moment) is not None]
    if released:
        repository = rng.one(released)
        made |= {"repo": repository.full_name, "release": lambda: truth.release(repository.full_name, moment)}
    return made


def world_slots(truth: Truth, moment: int) -> dict[str, Thunk | str]:
    """What everybody on the two chains knows."""
    subject = truth.subject
    return {
        "network": truth.scene.networks["main"].name,
        "rollup": truth.scene.networks["rollup"].name,
        "dollar": subject("dollar").name,
        "dollar_ticker": f"${subject('dollar').ticker}",
        "bridge": subject("bridge").name,
        "bridge_account": truth.cast.account_of(subject("bridge").id).handle,
        "exchange": subject("exchange").name,
        "lend": subject("lend").name,
        "block": lambda: truth.block("main", moment),
    }


def stake_slots(truth: Truth, role: str, moment: int, voice: Voice) -> dict[str, Thunk | str]:
    """Of a role with a staking pool; nothing for others."""
    return {"staked": lambda: truth.staked(role, moment, voice.coins)} if role in _STAKED else {}


def protocol_slots(truth: Truth, one: Protocol, moment: int, voice: Voice, rng: Rng) -> Lazy | None:
    """What can be said of a protocol at the last midnight; None when nothing is locked in it yet."""
    midnight = moment - moment % DAY_S
    day = (midnight - truth.begun) // DAY_S
    if day < 3 or truth.tvl(one.slug, midnight).words in ("$0", "$1"):
        return None
    told_at = midnight - rng.number(3, 10) * DAY_S if rng.happens(_STALE_PERCENT) and day > 16 else midnight
    then = midnight - rng.number(2, min(30, day - 1)) * DAY_S

    def fact(make: Callable[[int], Told]) -> Thunk:
        def made() -> Told:
            told = make(told_at)
            return stale(told) if told_at != midnight and make(midnight).words != told.words else told

        return made

    chain = one.chains[0]
    made: dict[str, Thunk | str] = {
        "protocol": one.name,
        "name": one.name,
        "network": truth.scene.networks[chain].name,
        "tvl": fact(lambda at: truth.tvl(one.slug, at, voice.money)),
        "tvl_then": lambda: truth.tvl(one.slug, then, voice.money),
        "then": day_words(then),
        "chain_tvl": lambda: truth.chain_tvl(chain, midnight, voice.money),
        "board": place.board(truth, one.slug),
        "tag": "#" + one.name.split()[0].lower(),
        "weekday": number.weekday(moment),
    }
    if told_at == midnight:
        made["tvl_day"] = day_words(midnight)
    for name, tell in (("volume", truth.volume), ("fees", truth.fees)):
        try:
            if tell(one.slug, midnight).words in ("$0", "$1"):
                continue
        except KeyError:
            continue
        made[name] = partial(tell, one.slug, midnight, voice.money)
    return Lazy(made)


def _named(truth: Truth, one: Subject) -> dict[str, Thunk | str]:
    return {
        "name": one.name,
        "ticker": f"${one.ticker}",
        "bare": one.ticker,
        "tag": f"#{one.ticker.lower()}",
        "network": truth.scene.networks["main"].name,
    }

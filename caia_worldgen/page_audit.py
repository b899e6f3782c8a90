"""Facts that pages state, held against chain and APIs in replay alone: what the web says is true unless it is marked.

A claim is looked up where anybody could look it up, as of its own moment. True and stale claims must agree with what
is found, within half a step of the last digit they are written with; a mistake must not. What a task's world cannot
be asked (another chain's block, an hour the market API tells no more) is counted apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import Any, Final

from caia_replay.core.task import Task
from caia_replay.core.tool import Served
from caia_replay.errors import CheckFailed, ToolError
from caia_replay.world.world import FrozenWorld
from caia_worldgen.audit_view import AuditView
from caia_worldgen.calendar import DAY_S
from caia_worldgen.cross_audit import Place, Places
from caia_worldgen.economy_question import COINGECKO, ETHERSCAN, GITHUB, LLAMA, LLAMA_DATASETS
from caia_worldgen.rng import Rng
from caia_worldgen.venue import HOUR_S
from caia_worldgen.web.page import Claim, Kind, WebPage

FEWEST: Final = 300
_A_TASK: Final = 120
"""Claims that are looked up at each task's moment, of all kinds in turn."""
_ROUNDED: Final = Fraction(1, 10**6)
_CAP_ROUNDED: Final = Fraction(1, 1_000)
"""A chart tells caps at full hours; within one, tokens may have vested."""
_SUPPLY: Final = "0x18160ddd"
_BALANCE_OF: Final = "0x70a08231"
_STAKED: Final = "0x817b1cd2"
_VOTES: Final = "0x544ffc9c"
_RELEASES: Final = 100
_TOKEN0: Final = "0x0dfe1681"
_TOKEN1: Final = "0xd21220a7"

Found = Fraction | str | None
"""What is the case; None when this world cannot be asked."""


@dataclass(frozen=True, slots=True)
class PageAudit:
    """Claims by kind that were looked up and are as they are marked, and how many could not be asked."""

    facts: Mapping[str, int]
    not_asked: int
    mistakes: int

    @property
    def total(self) -> int:
        """All that were looked up."""
        return sum(self.facts.values())


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """``places`` as in the audit of the tools; ``contracts`` of the main chain by what the story calls them;
    ``main_chain`` the main chain's snapshot."""

    places: Places
    contracts: Mapping[str, str]
    main_chain: str

    def token(self, coin: str) -> Place | None:
        """A coin's token on the main chain."""
        return next((one for one in self.places.coins[self.main_chain] if one.coin == coin and one.token), None)


def audit_pages(
    frozen: FrozenWorld,
    tasks: Sequence[Task],
    pages: Sequence[WebPage],
    where: Whereabouts,
    seed: int,
    progress: Callable[[int, int], None],
) -> PageAudit:
    """Look claims up at every task's moment. Raises ``CheckFailed`` for one that is not as it is marked, for a page
    that does not say in replay what it was written to say, and when fewer than ``FEWEST`` could be looked up."""
    facts: Counter[str] = Counter()
    not_asked = mistakes = 0
    for done, task in enumerate(tasks, start=1):
        view = AuditView(frozen.task(task), Counter[Served]())
        shown = {page.url: page for page in view.world.pages()}
        out = [made for made in pages if made.page.url in shown]
        for made, claim in _drawn(out, Rng(f"web/{seed}/audit/{task.id}")):
            page = shown[made.page.url]
            if claim.words not in page.title and claim.words not in page.text:
                raise CheckFailed(f"task {task.id}: {made.page.url} does not say {claim.words!r}")
            found = _LOOKUPS[claim.kind](view, where, claim)
            if found is None:
                not_asked += 1
                continue
            _compare(task, made, claim, found)
            facts[claim.kind] += 1
            mistakes += claim.status == "mistaken"
        progress(done, len(tasks))
    told = PageAudit(dict(sorted(facts.items())), not_asked, mistakes)
    if told.total < FEWEST:
        raise CheckFailed(f"{told.total} facts on pages could be looked up, {FEWEST} are wanted")
    return told


def _drawn(pages: Sequence[WebPage], rng: Rng) -> Iterator[tuple[WebPage, Claim]]:
    """Claims by lot, of every kind that can be looked up in turn."""
    kinds: dict[str, list[tuple[WebPage, Claim]]] = {}
    for made in pages:
        for claim in made.claims:
            if claim.kind in _LOOKUPS and claim.status != "rumour":
                kinds.setdefault(claim.kind, []).append((made, claim))
    hands = [rng.some(held, min(len(held), _A_TASK)) for _, held in sorted(kinds.items())]
    left = _A_TASK
    while left and any(hands):
        for hand in hands:
            if hand and left:
                left -= 1
                yield hand.pop()


def _compare(task: Task, made: WebPage, claim: Claim, found: Fraction | str) -> None:
    if isinstance(found, str) or isinstance(claim.value, str):
        agrees = found == claim.value
    else:
        slack = _CAP_ROUNDED if claim.kind == "cap" else _ROUNDED
        agrees = abs(found - claim.value) <= claim.step / 2 + slack * abs(found)
    if agrees == (claim.status == "mistaken"):
        told = found if isinstance(found, str) else float(found)
        raise CheckFailed(
            f"task {task.id}: {made.page.url} says {claim.words!r} of {claim.kind} {claim.subject} at {claim.moment}, "
            f"marked {claim.status}; the tools say {told}"
        )


def _price(view: AuditView, where: Whereabouts, claim: Claim) -> Found:
    return _charted(view, claim, "prices")


def _cap(view: AuditView, where: Whereabouts, claim: Claim) -> Found:
    """The chart's at the full hour; not asked where so much vests within the hour that it says nothing of a moment."""
    hours = claim, replace(claim, moment=claim.moment + HOUR_S)
    caps, prices = ([_charted(view, one, series) for one in hours] for series in ("market_caps", "prices"))
    supplies = [cap / price for cap, price in zip(caps, prices, strict=True)
                if isinstance(cap, Fraction) and isinstance(price, Fraction) and price]  # fmt: skip
    if len(supplies) > 1 and abs(supplies[1] - supplies[0]) > _CAP_ROUNDED * supplies[0]:
        return None
    return caps[0]


def _charted(view: AuditView, claim: Claim, series: str) -> Found:
    hour = claim.moment // HOUR_S * HOUR_S
    told = view.get_or_none(f"{COINGECKO}/coins/{claim.subject}/market_chart/range", vs_currency="usd",
                            **{"from": hour, "to": hour + HOUR_S - 1})  # fmt: skip
    points = {at // 1000: value for at, value in told[series]} if told else {}
    return Fraction(str(points[hour])) if hour in points else None


def _supply(view: AuditView, where: Whereabouts, claim: Claim) -> Found:
    place, block = where.token(claim.subject), _block(view, where, claim.moment)
    if place is None or block is None:
        return None
    told = view.call(str(place.token), _SUPPLY, block)
    return Fraction(told[0], 10**place.decimals) if told else None  # no contract stands there yet


def _balance(view: AuditView, where: Whereabouts, claim: Claim) -> Found:
    coin, _, holder = claim.subject.partition("/")
    place, block = where.token(coin), _block(view, where, claim.moment)
    if coin == where.places.native and block is not None:
        return Fraction(view.call(where.contracts["wrapped token"], _padded(_BALANCE_OF, holder), block)[0], 10**18)
    if place is None or block is None:
        return None
    told = view.call(str(place.token), _padded(_BALANCE_OF, holder), block)
    return Fraction(told[0], 10**place.decimals) if told else None


def _staked(view: AuditView, where: Whereabouts, claim: Claim) -> Found:
    block = _block(view, where, claim.moment)
    if block is None:
        return None
    told = view.call(where.contracts[f"{claim.subject} staking pool"], _STAKED, block)
    return Fraction(told[0], 10**18) if told else None


def _votes(view: AuditView, where: Whereabouts, claim: Claim) -> Found:
    block = _block(view, where, claim.moment)
    if block is None:
        return None
    return Fraction(view.call(where.contracts["governor"], f"{_VOTES}{int(claim.subject):064x}", block)[1], 10**18)


def _address(view: AuditView, where: Whereabouts, claim: Claim) -> Found:
    """A token by the market API's list; a pair by its own word of what it pairs."""
    if view.world.anchor.chain != where.main_chain or not isinstance(claim.value, str):
        return None
    if claim.subject.startswith("pool:"):
        pair = _paired(view, claim.value)
        place, coin = where.token(claim.subject[5:]), claim.subject[5:]
        token = where.contracts["wrapped token"] if coin == where.places.native else str(place and place.token)
        return claim.value if pair == {token, where.places.dollar.token} else "another pair"
    listed = view.get(f"{COINGECKO}/coins/list", include_platform="true")
    homes = {coin["id"]: set(coin["platforms"].values()) for coin in listed}
    if claim.subject == where.places.native:
        return where.contracts["wrapped token"]
    return claim.value if claim.value in homes.get(claim.subject, ()) else "another address"


def _paired(view: AuditView, contract: str) -> set[str]:
    """The tokens a contract says it pairs; nothing where there is none, or one that knows no such thing."""
    try:
        return {f"0x{word:040x}" for side in (_TOKEN0, _TOKEN1) for word in view.call(contract, side)}
    except ToolError:
        return set()


def _height(view: AuditView, where: Whereabouts, claim: Claim) -> Found:
    if (claim.subject == "main") != (view.world.anchor.chain == where.main_chain):
        return None
    block = _newest(view, claim.moment)
    return None if block is None else Fraction(block)


def _tvl(view: AuditView, where: Whereabouts, claim: Claim) -> Found:
    if claim.subject.startswith("chain:"):
        points: list[Any] = view.get_or_none(f"{LLAMA}/v2/historicalChainTvl/{claim.subject[6:]}") or []
        found = {point["date"]: point["tvl"] for point in points}
    else:
        told = view.get_or_none(f"{LLAMA}/protocol/{claim.subject}")
        found = {point["date"]: point["totalLiquidityUSD"] for point in told["tvl"]} if told else {}
    return Fraction(str(found[claim.moment])) if claim.moment in found else None


def _volume(view: AuditView, where: Whereabouts, claim: Claim) -> Found:
    return _day_of(view, f"{LLAMA}/summary/dexs/{claim.subject}", claim)


def _fees(view: AuditView, where: Whereabouts, claim: Claim) -> Found:
    return _day_of(view, f"{LLAMA}/summary/fees/{claim.subject}", claim)


def _day_of(view: AuditView, url: str, claim: Claim) -> Found:
    told = view.get_or_none(url)
    found = dict(told["totalDataChart"]) if told else {}
    day = claim.moment - DAY_S
    return Fraction(str(found[day])) if day in found else None


def _unlocked(view: AuditView, where: Whereabouts, claim: Claim) -> Found:
    told = view.get_or_none(f"{LLAMA_DATASETS}/emissions/{claim.subject}")
    if told is None:
        return None
    points = [Fraction(str(point["unlocked"])) for section in told["documentedData"]["data"]
              if section["label"] != "Genesis Distribution"
              for point in section["data"] if point["timestamp"] == claim.moment]  # fmt: skip
    return sum(points, Fraction(0)) if points else None


def _release(view: AuditView, where: Whereabouts, claim: Claim) -> Found:
    """The newest commit's full release of those that were out."""
    told = view.recorded_or_none(f"{GITHUB}/repos/{claim.subject}/releases", page=1, per_page=_RELEASES)
    if told is None:
        return None
    out = [one for one in told if not one["prerelease"] and _seconds(one["published_at"]) <= claim.moment]
    if not out and len(told) == _RELEASES:
        return None  # older ones stand on the list's next page
    return max(out, key=lambda one: _seconds(one["created_at"]))["tag_name"] if out else "no release yet"


def _block(view: AuditView, where: Whereabouts, moment: int) -> int | None:
    """The main chain's newest block at a moment; None in a world that stands on another chain."""
    return _newest(view, moment) if view.world.anchor.chain == where.main_chain else None


def _newest(view: AuditView, moment: int) -> int | None:
    chain_id = view.world.world.snapshots[view.world.anchor.chain].chain_id
    told = view.get_or_none(ETHERSCAN, chainid=chain_id, module="block", action="getblocknobytime", timestamp=moment,
                            closest="before")  # fmt: skip
    return int(told["result"]) if told and str(told["result"]).isdigit() else None


def _seconds(iso: str) -> float:
    return datetime.fromisoformat(iso).timestamp()


def _padded(selector: str, address: str) -> str:
    return selector + address[2:].rjust(64, "0")


_LOOKUPS: Final[Mapping[Kind, Callable[[AuditView, Whereabouts, Claim], Found]]] = {
    "price": _price,
    "cap": _cap,
    "supply": _supply,
    "tvl": _tvl,
    "volume": _volume,
    "fees": _fees,
    "staked": _staked,
    "balance": _balance,
    "unlocked": _unlocked,
    "address": _address,
    "block": _height,
    "release": _release,
    "votes": _votes,
}

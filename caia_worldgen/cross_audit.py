"""Facts that two tools tell, compared in replay alone: the origin has stopped, and nothing but recordings answers.

    supply     a contract's totalSupply by call    the explorer's    the market API's
    price      a pool's reserves by call           the venue's       the market API's     the DeFi index's
    locked     balances by call times prices       the DeFi index's
    unlocked   the vesting contracts by call       the emission calendar's
    time       a block's header                    the explorer's block at that moment

``Places`` says where things are, as anybody could find out; what they hold is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from caia_replay.core.task import Task
from caia_replay.core.tool import Served
from caia_replay.errors import CheckFailed
from caia_replay.world.world import FrozenWorld
from caia_worldgen.act.trade import TOLERANCE_PPM
from caia_worldgen.audit_view import AuditView
from caia_worldgen.calendar import DAY_S
from caia_worldgen.economy_question import COINGECKO, ETHERSCAN, LLAMA, LLAMA_COINS, LLAMA_DATASETS, SPOT
from caia_worldgen.scene import Scene
from caia_worldgen.venue import HOUR_S

FEWEST: Final = 200
KINDS: Final = ("supply", "price", "locked", "unlocked", "time")
_PPM: Final = 1_000_000
_ROUNDED: Final = Fraction(1, 10**6)
"""How far two tellings of one number may differ that were rounded on their way."""
_HOURS: Final = 12
_CANDLE_S: Final = 4 * HOUR_S
_BLOCKS: Final = 10
_TOTAL_SUPPLY: Final = "0x18160ddd"
_BALANCE_OF: Final = "0x70a08231"
_RESERVES: Final = "0x0902f1ac"
_VESTED_TOKEN: Final = "0x810ec23b"
"""vestedAmount(address,uint64) of the vesting contracts."""


@dataclass(frozen=True, slots=True)
class Place:
    """A coin on a chain: its token and, when it has a market against the dollar there, the pair and its side in it.

    The chain's own coin has no token there; in its pair it is wrapped.
    """

    coin: str
    symbol: str
    token: str | None
    decimals: int
    pair: str | None = None
    side: int = 0


@dataclass(frozen=True, slots=True)
class Places:
    """Where things are. ``vestings`` are the vesting contracts by their project's slug, with the token they hold."""

    coins: Mapping[str, tuple[Place, ...]]
    dollar: Place
    native: str
    exchange: str
    swap_pairs: tuple[str, ...]
    vestings: Mapping[str, tuple[str, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class AuditReport:
    """How many facts of each kind agreed, and how the calls for them were served."""

    facts: Mapping[str, int]
    served: Mapping[str, int]

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.facts.values())


def audit(
    frozen: FrozenWorld, tasks: Sequence[Task], places: Places, progress: Callable[[int, int], None]
) -> AuditReport:
    """Compare at every task's moment. Raises ``CheckFailed`` for the first fact on which two tools differ, for a miss,
    and when fewer than ``FEWEST`` facts were found."""
    facts: Counter[str] = Counter()
    served: Counter[Served] = Counter()
    for done, task in enumerate(tasks, start=1):
        view = AuditView(frozen.task(task), served)
        own = places.coins[task.anchor.chain]
        kinds: tuple[tuple[str, Iterator[None]], ...] = (
            ("supply", _supplies(view, places, own)),
            ("price", _prices(view, places, own)),
            ("locked", _locked(view, places)),
            ("unlocked", _unlocked(view, places)),
            ("time", _times(view)),
        )
        for kind, agreed in kinds:
            facts[kind] += sum(1 for _ in agreed)
        progress(done, len(tasks))
    report = AuditReport(dict(facts), {str(kind): count for kind, count in sorted(served.items())})
    silent = [kind for kind in KINDS if not facts[kind]]
    if silent:
        raise CheckFailed(f"no fact of {', '.join(silent)} is told by two tools")
    if report.total < FEWEST:
        raise CheckFailed(f"{report.total} facts are told by two tools, {FEWEST} are wanted")
    return report


def places_of(scene: Scene, names: Mapping[str, str], listed: Sequence[Any]) -> Places:
    """Where a told story put things; ``names`` are the chains' by stage, ``listed`` the market book's coins."""
    by_chain: dict[str, tuple[Place, ...]] = {}
    for stage in (scene.main, scene.rollup):
        network = scene.networks[stage.name].id
        found = []
        for coin in listed:
            token = dict(coin.platforms).get(network)
            market = scene.markets.get((coin.role, "dollar")) if stage is scene.main else None
            if token is not None or market is not None:
                side = market.side(scene.assets[coin.role]) if market else 0
                found.append(
                    Place(coin.id, coin.symbol, token, coin.decimals, market.pair.address if market else None, side)
                )
        by_chain[names[stage.name]] = tuple(found)
    dollar = next(place for place in by_chain[names["main"]] if place.coin == scene.projects["dollar"].id)
    vestings: dict[str, tuple[str, tuple[str, ...]]] = {}
    for role, made in sorted(scene.main.contracts.items()):
        if role.endswith(" vesting"):
            project = role.split(" ")[0]
            token, before = scene.assets[project].address, vestings.get(scene.projects[project].id, ("", ()))[1]
            vestings[scene.projects[project].id] = token, (*before, made.address)
    pairs = tuple(made.address for made in scene.main.contracts.values() if made.artifact.name == "UniswapV2Pair")
    return Places(
        by_chain, dollar, scene.networks["main"].id, scene.projects["exchange"].id, pairs, vestings
    )  # fmt: skip


def _supplies(view: AuditView, places: Places, own: Sequence[Place]) -> Iterator[None]:
    """A token's supply by call and by explorer, and by the market API where the coin is at home on this chain."""
    rows = {row["id"]: row for row in view.get(f"{COINGECKO}/coins/markets", vs_currency="usd", per_page=250, page=1)}
    homes = {
        coin["id"]: coin["platforms"].get(places.native) or next(iter(coin["platforms"].values()), None)
        for coin in view.get(f"{COINGECKO}/coins/list", include_platform="true")
    }
    chain_id = view.world.world.snapshots[view.world.anchor.chain].chain_id
    for place in own:
        if place.token is None or place.coin not in rows:
            continue  # the chain's own coin, or not listed yet
        (supply,) = view.call(place.token, _TOTAL_SUPPLY)
        told = view.get(ETHERSCAN, chainid=chain_id, module="stats", action="tokensupply", contractaddress=place.token)
        _agree(view, f"supply of {place.coin}", supply, int(told["result"]))
        yield
        if homes[place.coin] == place.token and place.coin != places.native:
            whole = Fraction(supply, 10**place.decimals)
            _near(view, f"supply of {place.coin}", whole, rows[place.coin]["total_supply"])
            yield


def _prices(view: AuditView, places: Places, own: Sequence[Place]) -> Iterator[None]:
    """At full hours by venue and market API; now by market API and DeFi index; and the pool within arbitrage bounds."""
    now = view.world.clock.now
    hour, genesis = now // _CANDLE_S * _CANDLE_S, view.timestamp(0)
    for place in own:
        if place.pair is None:
            continue
        if hour > genesis:
            yield from _hours(view, places, place, max(hour - 2 * _HOURS * HOUR_S, genesis), hour)
        current = view.get(f"{LLAMA_COINS}/prices/current/coingecko:{place.coin}")["coins"]
        simple = view.get(f"{COINGECKO}/simple/price", ids=place.coin, vs_currencies="usd")[place.coin]["usd"]
        _near(view, f"price of {place.coin} now", Fraction(str(simple)), current[f"coingecko:{place.coin}"]["price"])
        yield
        reserves = view.call(place.pair, _RESERVES)
        pool = Fraction(reserves[1 - place.side] * 10**place.decimals,
                        reserves[place.side] * 10**places.dollar.decimals)  # fmt: skip
        _even(view, place.coin, pool, simple)
        yield


def _hours(view: AuditView, places: Places, place: Place, first: int, last: int) -> Iterator[None]:
    """A coin's price at full hours, where the venue's candles of four hours open, and by the market API's chart."""
    symbol = f"{place.symbol}{places.dollar.symbol}".upper()
    window = {"startTime": first * 1000, "endTime": last * 1000 - 1, "limit": 1_000}
    candles = view.get(f"{SPOT}/klines", symbol=symbol, interval="4h", **window)
    chart = view.get(f"{COINGECKO}/coins/{place.coin}/market_chart/range", vs_currency="usd",
                     **{"from": first, "to": last})  # fmt: skip
    points = {at // 1000: price for at, price in chart["prices"]}
    opens = {candle[0] // 1000: Fraction(candle[1]) for candle in candles}
    for at in sorted(points.keys() & opens.keys())[:_HOURS]:
        _near(view, f"price of {place.coin} at {at}", opens[at], points[at])
        yield


def _locked(view: AuditView, places: Places) -> Iterator[None]:
    """The dollars in the exchange's pairs at the moment of the index's last point, by call and by index."""
    token = places.dollar.token
    if token is None or not places.swap_pairs or places.dollar not in places.coins[view.world.anchor.chain]:
        return
    told = view.get(f"{LLAMA}/protocol/{places.exchange}")
    latest = told["tokensInUsd"][-1]
    chain_id = view.world.world.snapshots[view.world.anchor.chain].chain_id
    block = int(view.get(ETHERSCAN, chainid=chain_id, module="block", action="getblocknobytime",
                         timestamp=latest["date"], closest="before")["result"])  # fmt: skip
    # A pair that did not exist yet answers nothing.
    words = (view.call(token, _BALANCE_OF + pair[2:].rjust(64, "0"), block) for pair in places.swap_pairs)
    dollars = Fraction(sum(word[0] for word in words if word), 10**places.dollar.decimals)
    named = {name.upper(): amount for name, amount in latest["tokens"].items()}
    _near(view, "dollars in the exchange's pairs", dollars, named[places.dollar.symbol.upper()])
    yield


def _unlocked(view: AuditView, places: Places) -> Iterator[None]:
    """At the last midnight, what each project's contracts have vested by their own word and by the calendar."""
    if places.dollar not in places.coins[view.world.anchor.chain]:
        return
    midnight = view.world.clock.now // DAY_S * DAY_S
    for slug, (token, contracts) in places.vestings.items():
        written = view.get_or_none(f"{LLAMA_DATASETS}/emissions/{slug}")
        if written is None:
            continue  # not yet: its last grant was made later
        calendar = written["documentedData"]["data"]
        told = [
            point["unlocked"]
            for section in calendar
            if section["label"] != "Genesis Distribution"
            for point in section["data"]
            if point["timestamp"] == midnight
        ]
        if not told:
            continue  # its calendar begins later or has ended
        asked = _VESTED_TOKEN + token[2:].rjust(64, "0") + f"{midnight:064x}"
        vested = sum(view.call(contract, asked)[0] for contract in contracts)
        _near(view, f"unlocked of {slug}", Fraction(vested, 10**18), sum(told))
        yield


def _times(view: AuditView) -> Iterator[None]:
    """Blocks by their time: the explorer's number for a header's timestamp, and the one before for a second less."""
    chain_id, newest = view.world.world.snapshots[view.world.anchor.chain].chain_id, view.world.anchor.block
    for block in sorted({newest * part // _BLOCKS for part in range(1, _BLOCKS + 1)}):
        moment = view.timestamp(block)
        for at, wanted in ((moment, block), (moment - 1, block - 1)):
            told = view.get(ETHERSCAN, chainid=chain_id, module="block", action="getblocknobytime", timestamp=at,
                            closest="before")  # fmt: skip
            _agree(view, f"the block at {at}", wanted, int(told["result"]))
            yield


def _agree(view: AuditView, what: str, left: int, right: int) -> None:
    if left != right:
        raise CheckFailed(f"task {view.world.task.id}: {what} is {left} by one tool and {right} by another")


def _near(view: AuditView, what: str, left: Fraction, right: float | int) -> None:
    told = Fraction(str(right))
    if abs(left - told) > _ROUNDED * max(abs(left), abs(told)):
        raise CheckFailed(f"task {view.world.task.id}: {what} is {float(left)} by one tool and {right} by another")


def _even(view: AuditView, coin: str, pool: Fraction, market: float | int) -> None:
    """Within the arbitrage bound, give or take the market's rounding."""
    told = Fraction(str(market))
    if abs(pool - told) > (Fraction(TOLERANCE_PPM, _PPM) + _ROUNDED) * told:
        raise CheckFailed(
            f"task {view.world.task.id}: the pool of {coin} stands at {float(pool)} and its market at {market}, more "
            f"than {TOLERANCE_PPM / 10_000} % apart"
        )

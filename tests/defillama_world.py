"""Recordings of the DeFi index made at two moments, and questions about them whose coverage is known without it.

At the story's end everything that tells of the past is recorded; at each "now" what tells of now. A question says
whether what was recorded contains its answer, by arithmetic of its own: notes of prices lie ten minutes apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from eth_utils.address import to_checksum_address
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caia_replay.core.provider import HttpRequest, Provider, Recorded
from caia_replay.errors import Miss
from caia_worldgen.market.book import MarketBook
from caia_worldgen.market.metric import Metrics
from caia_worldgen.scene import Scene
from caia_worldgen.services.defillama import API, COINS, DATASETS, PRO, DefiLlamaService
from tests.provider_law import live, recorded, same

DAY = 86_400
KEY = "SCRUBBED"
FLAGS = ("excludeTotalDataChart", "excludeTotalDataChartBreakdown")
GROUP = 5
POINTS = 500 // GROUP
PERIODS = {"1d": DAY, "12h": 12 * 3_600, "4h": 4 * 3_600, "2h": 7_200}


def get(url: str) -> HttpRequest:
    return HttpRequest("GET", url)


@dataclass(frozen=True)
class Drawn:
    """A question at a moment, and whether its answer is contained in what was recorded."""

    request: HttpRequest
    now: int
    inside: bool


class IndexWorld:
    """What was recorded, and what may be asked."""

    def __init__(self, scene: Scene, book: MarketBook, provider: Provider) -> None:
        self.service = DefiLlamaService(Metrics(scene, book))
        self.scene, self.book, self.provider = scene, book, provider
        self.begun = book.prices.first
        self.end = scene.main.calendar.times[-1] + 5_000
        self.nows = (*(self.begun + day * DAY + 40_000 + 997 * day for day in (9, 31, 54, 77, 101, 119)), self.end)
        self.main, self.rollup = (scene.networks[name] for name in ("main", "rollup"))
        self.slugs = [one.slug for one in Metrics(scene, book).protocols]
        self.unlocks = [one.slug for one in Metrics(scene, book).emissions.all()]
        keys = [f"coingecko:{coin.id}" for coin in book.coins]
        keys += [f"{network}:{address}" for coin in book.coins for network, address in coin.platforms]
        self.known = [key for at, key in enumerate(keys) if at % 8] + [
            f"{self.main.id}:0x{'0' * 40}",
            "coingecko:nobody",
        ]
        self.unknown = [key for at, key in enumerate(keys) if at % 8 == 0]
        self.moments = [self.begun + day * DAY + 12_345 * day % DAY for day in range(2, 124, 7)]
        self.blocks = [self.begun + day * DAY + 7_777 * day % DAY for day in range(1, 125, 6)]
        self.at_end = self._recorded_at_end()
        self._held: dict[int, tuple[Recorded, ...]] = {}
        self._families: dict[int, dict[str, list[Recorded]]] = {}

    def recordings(self, now: int) -> tuple[Recorded, ...]:
        """Everything that a world with its clock at ``now`` holds."""
        if now not in self._held:
            more = [] if now == self.end else recorded(self.service, self.provider, self._of_now(), now)
            self._held[now] = (*self.at_end, *more)
        return self._held[now]

    def family(self, provider: Provider, one: Drawn) -> list[Recorded]:
        """What a world would hand to ``narrow`` for a question."""
        if one.now not in self._families:
            found: dict[str, list[Recorded]] = {}
            for held in self.recordings(one.now):
                found.setdefault(provider.family(held.request), []).append(held)
            self._families[one.now] = found
        return self._families[one.now].get(provider.family(one.request), [])

    def _halves(self) -> tuple[str, str]:
        """All known coins in two lists that overlap."""
        half = len(self.known) // 2
        return ",".join(self.known[: half + 3]), ",".join(self.known[half:])

    def _of_now(self) -> list[HttpRequest]:
        asked = [get(f"{COINS}/prices/current/{half}") for half in self._halves()]
        asked += [get(f"{COINS}/percentage/{half}?period=2d") for half in self._halves()]
        asked += [get(f"{COINS}/chart/{','.join(self.known[:GROUP])}?span=7")]
        asked += [get(f"{API}/{path}") for path in ("protocols", "v2/chains", "overview/dexs", "overview/fees",
                  f"overview/dexs/{self.main.id}?excludeTotalDataChart=true")]  # fmt: skip
        asked += [get(f"{API}/protocol/{slug}") for slug in self.slugs[:3]]
        asked += [get(f"{API}/tvl/{slug}") for slug in self.slugs] + [get(f"{API}/protocol/nobody")]
        asked += [get(f"{API}/summary/dexs/{slug}") for slug in self.slugs[:2]]
        asked += [get(f"{API}/summary/fees/{self.slugs[2]}?dataType=dailyRevenue&excludeTotalDataChart=true")]
        return [*asked, get(f"{PRO}/{KEY}/api/emissions"), get(f"{PRO}/{KEY}/api/activeUsers")]

    def _recorded_at_end(self) -> list[Recorded]:
        asked = self._of_now()
        asked += [get(f"{COINS}/prices/historical/{at}/{half}") for at in self.moments for half in self._halves()]
        asked += [get(f"{COINS}/prices/first/{half}") for half in self._halves()]
        asked += [
            get(f"{COINS}/percentage/{half}?period=3d&timestamp={at}")
            for at in self.moments[::3]
            for half in self._halves()
        ]
        asked += [get(f"{COINS}/block/{network.id}/{at}") for at in self.blocks for network in (self.main, self.rollup)]
        asked += [get(f"{API}/{path}") for path in ("charts", "v2/historicalChainTvl", f"charts/{self.main.id}",
                  f"v2/historicalChainTvl/{self.main.name}", f"v2/historicalChainTvl/{self.rollup.id}")]  # fmt: skip
        asked += [get(f"{DATASETS}/emissions/{slug}") for slug in self.unlocks]
        asked += [get(f"{PRO}/{KEY}/api/emission/{slug}") for slug in self.unlocks] + [get(f"{API}/emissions")]
        found = recorded(self.service, self.provider, asked, self.end)
        return found + [self._chart(period, at) for period in PERIODS for at in range(0, len(self.known), GROUP)]

    def _chart(self, period: str, at: int) -> Recorded:
        """A chart as somebody recorded it by hand, of a limited part of the story and on a phase of its own."""
        keys = ",".join(self.known[at : at + GROUP])
        request = get(f"{COINS}/chart/{keys}?end={self.chart_end(period)}&period={period}&span={POINTS}")
        return Recorded(request, live(self.service, request, self.end))

    def chart_end(self, period: str) -> int:
        """The last moment of the recorded chart of a period."""
        return self.begun + {"1d": 124, "12h": 60, "4h": 40, "2h": 20}[period] * DAY + PERIODS[period] // 3

    def settled(self, key: str, moments: Sequence[int], width: int, now: int) -> bool:
        """Whether each note that was nearest at the end existed now already, or there was none near enough."""
        coin = self._coin(key)
        if key not in self.known or coin is None:
            return key in self.known
        for moment in moments:
            first = -(-(coin.listed_at - self.begun) // 600)
            number = max(first, -(-(2 * (moment - self.begun) - 600) // 1200))  # the earlier of two as near
            note = self.begun + min(number, (self.end - self.begun) // 600) * 600
            if abs(note - moment) <= width and note > now:
                return False
        return True

    def _coin(self, key: str) -> Any:
        network, _, address = key.partition(":")
        native = network == self.main.id and address == "0x" + "0" * 40
        return self.book.coin(self.main.id if native else address) if network == "coingecko" or native else (
            self.book.at_address(network, address)
        )  # fmt: skip


@st.composite
def questions(draw: Any, world: IndexWorld) -> Drawn:
    """A question of any kind."""
    now = draw(st.sampled_from(world.nows))
    kinds: list[Callable[[Any, IndexWorld, int], Drawn]] = [_current, _historical, _chart, _page, _flow, _change,
                                                            _block]  # fmt: skip
    return draw(st.sampled_from([*kinds, _historical, _chart, _page]))(draw, world, now)


def _keys(draw: Any, world: IndexWorld) -> list[str]:
    chosen = draw(st.lists(st.sampled_from(world.known), min_size=1, max_size=4, unique=True))
    if draw(st.sampled_from(range(25))) == 13:
        chosen.append(draw(st.sampled_from(world.unknown)))
    return chosen


def _spelt(draw: Any, keys: Sequence[str]) -> str:
    """The keys as a client may write them: addresses in capitals that check themselves."""
    spell = draw(st.booleans())
    return ",".join(
        f"{key.partition(':')[0]}:{to_checksum_address(key[-42:])}" if spell and ":0x" in key else key for key in keys
    )


def _current(draw: Any, world: IndexWorld, now: int) -> Drawn:
    keys, page = _keys(draw, world), draw(st.sampled_from(("prices/current", "prices/first")))
    inside = all(key in world.known for key in keys)
    return Drawn(get(f"{COINS}/{page}/{_spelt(draw, keys)}"), now, inside)


def _historical(draw: Any, world: IndexWorld, now: int) -> Drawn:
    keys, at = (
        _keys(draw, world),
        draw(st.sampled_from([one for one in world.moments if one <= now] * 4 + world.moments[-2:])),
    )
    shift = draw(st.sampled_from((*[0] * 19, 600)))
    inside = shift == 0 and all(world.settled(key, [at], 6 * 3_600, now) for key in keys)
    return Drawn(get(f"{COINS}/prices/historical/{at + shift}/{_spelt(draw, keys)}"), now, inside)


def _chart(draw: Any, world: IndexWorld, now: int) -> Drawn:
    keys, period = _keys(draw, world), draw(st.sampled_from(sorted(PERIODS)))
    if draw(st.booleans()):
        keys = draw(st.lists(st.sampled_from(world.known[:GROUP]), min_size=1, max_size=4, unique=True))
    if draw(st.sampled_from(range(5))) == 0:  # up to now, as a client asks that names no end
        inside = all(key in world.known[:GROUP] for key in keys)
        return Drawn(get(f"{COINS}/chart/{_spelt(draw, keys)}?span={draw(st.integers(1, 40))}"), now, inside)
    step, last = PERIODS[period], world.chart_end(period)
    first = last - (POINTS - 1) * step
    told = max(1, (min(last, now) - first) // step)  # points of the recorded chart that are past
    span = draw(st.integers(1, 5))
    at = draw(st.sampled_from([*range(max(1, told - span))] * 9 + [*range(POINTS)]))
    begun = first + at * step + draw(st.sampled_from((0,) * 19 + (step // 2,)))
    grid = [begun + number * step for number in range(span)]
    held = all(first <= at <= last and (at - first) % step == 0 for at in grid)
    inside = held and all(world.settled(key, grid, step // 10, now) for key in keys)
    window = f"start={begun}" if draw(st.booleans()) else f"end={grid[-1]}"
    return Drawn(get(f"{COINS}/chart/{_spelt(draw, keys)}?{window}&period={period}&span={span}"), now, inside)


def _change(draw: Any, world: IndexWorld, now: int) -> Drawn:
    keys = _keys(draw, world)
    known = all(key in world.known for key in keys)
    if draw(st.booleans()):
        return Drawn(get(f"{COINS}/percentage/{_spelt(draw, keys)}?period=2d"), now, known)
    at = draw(st.sampled_from([one for one in world.moments[::3] if one <= now] * 2 + world.moments[::3]))
    request = get(f"{COINS}/percentage/{_spelt(draw, keys)}?period=3d&timestamp={at}")
    return Drawn(request, now, known and at + 900 < now)


def _block(draw: Any, world: IndexWorld, now: int) -> Drawn:
    network, stage = draw(st.sampled_from(((world.main, world.scene.main), (world.rollup, world.scene.rollup))))
    at = draw(st.sampled_from([one for one in world.blocks if one <= now] * 4 + world.blocks)) + draw(
        st.sampled_from((0,) * 9 + (60,))
    )
    times = [made for made in stage.calendar.times if made <= world.end]
    nearest = min(times, key=lambda made: (abs(made - at), made))
    return Drawn(get(f"{COINS}/block/{network.id}/{at}"), now, at in world.blocks and at <= now and nearest <= now)


def _page(draw: Any, world: IndexWorld, now: int) -> Drawn:
    main, rollup, last = world.main, world.rollup, now // DAY == world.end // DAY
    spaced = main.name.replace(" ", "%20")
    history = (f"{API}/charts", f"{API}/v2/historicalChainTvl", f"{API}/charts/{main.id}",
               f"{API}/v2/historicalChainTvl/{rollup.id}",
               f"{API}/v2/historicalChainTvl/{spaced}")  # fmt: skip
    of_now = (f"{API}/protocols", f"{API}/v2/chains", f"{API}/protocol/{world.slugs[1]}",
              f"{API}/tvl/{world.slugs[-1]}",
              f"{API}/protocol/nobody", f"{PRO}/ANOTHER/api/emissions", f"{PRO}/ANOTHER/api/activeUsers")  # fmt: skip
    files = (f"{DATASETS}/emissions/{world.unlocks[0]}", f"{PRO}/ANOTHER/api/emission/{world.unlocks[-1]}",
             f"{API}/emissions")  # fmt: skip
    never = (f"{API}/protocol/{world.slugs[4]}", f"{API}/v2/historicalChainTvl/nowhere", f"{DATASETS}/emissions/nobody")
    kind, choice = (
        draw(st.sampled_from((history, history, history, of_now, of_now, of_now, files, files, never))),
        draw(st.integers(0, 99)),
    )
    inside = kind is not never and (kind is not history or now == world.end or not last)
    return Drawn(get(kind[choice % len(kind)]), now, inside)


def _flow(draw: Any, world: IndexWorld, now: int) -> Drawn:
    flags = [flag for flag in FLAGS if draw(st.booleans())]
    full = (f"{API}/overview/dexs", f"{API}/overview/fees", f"{API}/summary/dexs/{world.slugs[0]}")
    short = (f"{API}/summary/fees/{world.slugs[2]}", f"{API}/overview/dexs/{world.rollup.id}")
    path = draw(st.sampled_from((*full, *full, *full, *short)))
    said = [f"{flag}=true" for flag in flags]
    if path == full[1] and draw(st.booleans()):
        said.append("dataType=dailyFees")
    return Drawn(get(path + ("?" + "&".join(said) if said else "")), now, path in full)


def hold(world: IndexWorld, provider: Provider, count: int) -> tuple[int, int]:
    """The law over ``count`` draws: (inside, all). Raises ``AssertionError`` at the first draw that breaks it."""
    drawn: list[bool] = []

    @settings(max_examples=count, database=None, deadline=None, derandomize=True,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(questions(world))
    def law(one: Drawn) -> None:
        drawn.append(one.inside)
        family = world.family(provider, one)
        try:
            answer = provider.narrow(family, one.request, one.now)
        except Miss as miss:
            assert not one.inside, (one.request.url, one.now, str(miss))
            return
        assert one.inside, f"answered outside what was recorded: {one.request.url} at {one.now}"
        assert same(answer, live(world.service, one.request, one.now)), (one.request.url, one.now)

    law()
    return sum(drawn), len(drawn)

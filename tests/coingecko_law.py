"""The law of the CoinGecko provider: questions drawn at random, and what the recordings cover by the test's own count.

Recordings are made twice: at the story's end, where series are, and at each moment a question may be asked at. What is
covered is worked out here from the addresses that were recorded and from the book, never by asking the provider.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.coingecko.provider import CoinGeckoProvider
from caia_worldgen.market.book import MarketBook
from caia_worldgen.people import Project
from caia_worldgen.services.coingecko import CoinGecko
from tests.provider_law import live, recorded, same

API = "https://api.coingecko.com/api/v3"
DAY, HOUR, FINE, LATE = 86_400, 3_600, 300, 2_100
Draw = Callable[[st.SearchStrategy[Any]], Any]


def get(path: str, **parameters: object) -> HttpRequest:
    """A request; a trailing underscore is dropped from names that are Python's own words."""
    query = "&".join(f"{name.rstrip('_')}={value}" for name, value in parameters.items())
    return HttpRequest("GET", f"{API}{path}" + (f"?{query}" if query else ""))


def granularity(first: int, last: int, moment: int) -> int:
    """As the vendor documents it."""
    if last - first > 90 * DAY:
        return DAY
    return FINE if last - first <= DAY and first >= moment - DAY else HOUR


@dataclass
class World:
    """A service, what was recorded of it at the end and at every moment, and the strategy of questions."""

    service: CoinGecko
    book: MarketBook
    provider: Provider
    moments: list[int]
    at_end: list[Recorded]
    at_moment: dict[int, list[Recorded]]
    families: dict[int, dict[str, list[Recorded]]] = field(default_factory=dict)

    def given(self, request: HttpRequest, now: int) -> list[Recorded]:
        """What a frozen world would hand to ``narrow``."""
        if now not in self.families:
            found = self.families[now] = defaultdict(list)
            for one in (*self.at_end, *self.at_moment[now]):
                found[self.provider.family(one.request)].append(one)
        return self.families[now].get(self.provider.family(request), [])

    def judge(self, request: HttpRequest, now: int, inside: bool) -> None:
        """Hold one question against the law."""
        try:
            told: HttpReply | None = self.provider.narrow(self.given(request, now), request, now)
        except Miss as miss:
            assert not inside, f"covered, and missed: {request.url} at {now}: {miss}"
            return
        assert told is not None and same(told, live(self.service, request, now)), f"wrong: {request.url} at {now}"
        assert inside, f"not covered, and answered: {request.url} at {now}"

    def windows(self, path: str, currency: str, now: int) -> list[tuple[int, int, int]]:
        """What charts of a path are recorded for: first and last second, and granularity."""
        found = []
        for at, made in ((self.book.prices.end - 1, self.at_end), (now, self.at_moment[now])):
            for one in made:
                parts = urlsplit(one.request.url)
                asked = dict(parse_qsl(parts.query))
                if asked.get("vs_currency") != currency or not parts.path.endswith((path, f"{path}/range")):
                    continue
                if "from" in asked:
                    first, last = int(asked["from"]), int(asked["to"])
                    step = DAY if asked.get("interval") == "daily" else granularity(first, last, at)
                    found.append((first, min(last, at - (LATE if step == DAY else 0)), step))
        return found

    def holds(self, path: str, currency: str, start: int, stop: int, step: int, now: int) -> bool:
        """Whether recorded charts leave no second of a window open, and show that the coin was there."""
        end, reach = min(stop, now - (LATE if step == DAY else 0)), start - 1
        known = sorted(window for window in self.windows(path, currency, now) if window[2] == step)
        for begins, ends, _ in known:
            if begins <= max(reach, start):
                reach = max(reach, ends)
        used = [window for window in known if window[0] <= end and window[1] >= start]
        return start <= end <= reach and _was_listed(self, path, used, step, now)


def build(book: MarketBook, networks: Mapping[str, Project], provider: Provider | None = None) -> World:
    """Record everything once."""
    service, provider = CoinGecko(book, networks), provider or CoinGeckoProvider()
    first, end = book.prices.first, book.prices.end - 1
    world = World(service, book, provider, [first + 60 * DAY + 5_000, first + 97 * DAY + 600,
                                            first + 110 * DAY + 7 * HOUR, end], [], {})  # fmt: skip
    coins = coins_of(book)
    series: list[HttpRequest] = []
    for path in chart_paths(book):
        for span in (20 * DAY, 100 * DAY, HOUR):
            series.append(get(f"{path}/range", vs_currency="usd", from_=end - span, to=end))
        series.append(get(f"{path}/range", vs_currency="usd", from_=first + DAY, to=first + 2 * DAY))
    for now in world.moments[:2]:  # candles of 30 days before each
        world.at_end += recorded(service, provider, [get(f"/coins/{coins[1]}/ohlc", vs_currency="usd", days=7)], now)
    for coin in coins[:2]:
        for day in range(126):
            series.append(get(f"/coins/{coin}/history", date=date(first + day * DAY), localization="false"))
    world.at_end += recorded(service, provider, series, end)
    for path in chart_paths(book)[:2]:  # a stranger's windows, with a gap between the second and the third
        for start, stop in ((10, 34), (30, 52), (53, 80)):
            request = get(f"{path}/range", vs_currency="eur", from_=first + start * DAY + 17, to=first + stop * DAY)
            world.at_end.append(Recorded(request, live(service, request, end)))
    for now in world.moments:
        world.at_moment[now] = recorded(service, provider, of_now(book, now), now)
        for request in (get("/coins/markets", vs_currency="eur", per_page=12, page=2),
                        get("/coins/markets", vs_currency="cny", per_page=10, ids=",".join(coins)),
                        get("/coins/absent")):  # fmt: skip
            world.at_moment[now].append(Recorded(request, live(service, request, now)))
    return world


def coins_of(book: MarketBook) -> list[str]:
    """The native coin, one listed while the story runs, one with a pool alone, and one on both networks."""
    late = next(coin for coin in book.coins if not coin.platforms and coin.listed_at > book.prices.first)
    both = next(coin for coin in book.coins if len(coin.platforms) == 2)
    pool = next(coin for coin in book.coins if coin.category == "meme-token")
    native = next(coin for coin in book.coins if coin.role == "native")
    return [native.id, late.id, pool.id, both.id]


def chart_paths(book: MarketBook) -> list[str]:
    """The charts that are recorded: of three coins, and of a token by its address."""
    coins = coins_of(book)
    token = book.coin(coins[3])
    assert token is not None
    return [*(f"/coins/{coin}/market_chart" for coin in coins[:3]),
            "/coins/{}/contract/{}/market_chart".format(*token.platforms[0])]  # fmt: skip


OF_NOW = ("/search/trending", "/global", "/coins/categories", "/coins/categories/list", "/exchange_rates",
          "/exchanges/outside-venue", "/exchanges/list", "/search?query=net", "/asset_platforms", "/ping")  # fmt: skip


def of_now(book: MarketBook, now: int) -> list[HttpRequest]:
    """What is asked again at every moment."""
    coins = coins_of(book)
    token = book.coin(coins[3])
    assert token is not None
    network, address = token.platforms[0]
    chart = f"/coins/{coins[0]}/market_chart"
    return [
        *(get(path) for path in OF_NOW),
        *(get(chart, vs_currency="usd", days=days) for days in (1, 7, 91)),
        get(f"{chart}/range", vs_currency="usd", from_=now - 3 * HOUR, to=now),
        get(f"/coins/{coins[1]}/market_chart", vs_currency="usd", days=1, interval="daily"),
        get(f"/coins/{coins[0]}/ohlc", vs_currency="usd", days=7),
        get("/coins/markets", vs_currency="usd", price_change_percentage="24h,1h"),
        get("/coins/markets", vs_currency="usd", category="layer-1"),
        get("/simple/price", ids=",".join((*coins, "absent")), vs_currencies="usd,eur"),
        get(f"/simple/token_price/{network}", contract_addresses=address, vs_currencies="usd,cny"),
        get(f"/coins/{coins[0]}", localization="false"),
        get(f"/coins/{coins[3]}"),
        get("/coins/list"),
        get("/exchanges"),
    ]


def date(moment: int) -> str:
    """A day as the history endpoint wants it."""
    return datetime.fromtimestamp(moment, UTC).strftime("%d-%m-%Y")


def by_window(world: World, draw: Draw, now: int) -> tuple[HttpRequest, bool]:
    """A chart by window, anywhere in the story and somewhat beside it."""
    paths = [*chart_paths(world.book)] * 5 + ["/coins/nobody-recorded-it/market_chart"]
    path, currency = draw(st.sampled_from(paths)), draw(st.sampled_from(["usd"] * 24 + ["eur"] * 2 + ["krw"]))
    first = world.book.prices.first
    start = draw(st.integers(first - DAY, now + 2_000))
    if draw(st.integers(0, 8)):
        start = draw(st.integers(first, now - 2 * DAY))
    span = draw(st.sampled_from([HOUR, 5 * HOUR, DAY, 3 * DAY, 20 * DAY, 90 * DAY, 120 * DAY]))
    stop = start + draw(st.integers(span // 3, span))
    if draw(st.integers(0, 3)) == 2:  # the very bounds between two granularities
        stop = start + span + draw(st.sampled_from([0, 1]))
    if draw(st.integers(0, 11)) == 7:  # the last day, which has a granularity of its own
        start, stop = now - draw(st.integers(0, DAY + 600)), now + draw(st.integers(-600, 600))
    if draw(st.booleans()):  # on the grid, where a point lies on the bound itself
        start, stop = start // HOUR * HOUR, stop // HOUR * HOUR
    stop = max(start, stop)
    daily = {"interval": "daily"} if draw(st.integers(0, 9)) == 4 else {}
    inside = world.holds(path, currency, start, stop, DAY if daily else granularity(start, stop, now), now)
    return get(f"{path}/range", vs_currency=currency, from_=start, to=stop, **daily), inside


def _was_listed(world: World, path: str, used: list[tuple[int, int, int]], step: int, now: int) -> bool:
    """Whether a recorded point shows that the coin was there by ``now``."""
    parts = path.split("/")
    coin = world.book.at_address(parts[2], parts[4]) if "contract" in parts else world.book.coin(parts[2])
    if coin is None:
        return False
    bounds = [(max(first, coin.listed_at), min(last, now)) for first, last, _ in used]
    return any(-(-begin // step) * step <= end for begin, end in bounds)


def by_days(world: World, draw: Draw, now: int) -> tuple[HttpRequest, bool]:
    """A chart that ends at the moment: the first coin's are recorded, another's has its newest point alone."""
    days, currency = (
        draw(st.sampled_from([1, 2, 5, 7, 60, 90, 91, 100, 200, 365, 366])),
        draw(st.sampled_from(["usd"] * 7 + ["eur"])),
    )
    first, other = chart_paths(world.book)[:2]
    path = draw(st.sampled_from([first] * 5 + [other] * 3))
    step = FINE if days == 1 else HOUR if days <= 90 else DAY
    is_held = path == first or world.holds(path, currency, now - days * DAY, now, step, now)
    return get(path, vs_currency=currency, days=days), days <= 365 and currency == "usd" and is_held


def by_candles(world: World, draw: Draw, now: int) -> tuple[HttpRequest, bool]:
    """Candles of the last days: of the first coin those of 30 days are recorded at the moment, of another at two."""
    coins, days = coins_of(world.book), draw(st.sampled_from([1, 7, 14, 30, 30, 90]))
    id = draw(st.sampled_from(coins[:3]))
    coin = world.book.coin(id)
    assert coin is not None
    if id == coins[1]:  # the two recordings leave a gap of a week, and tell nothing of the last days of the story
        spans = [(at - 30 * DAY, at) for at in world.moments[:2]]
        begins = -(-(now - days * DAY) // (4 * HOUR)) * 4 * HOUR
        inside = days in (7, 14, 30) and any(
            max(low, coin.listed_at) <= begins and now // (4 * HOUR) <= high // (4 * HOUR) for low, high in spans
        )
    else:
        inside = id == coins[0] and days in (7, 14, 30)
    return get(f"/coins/{id}/ohlc", vs_currency="usd", days=days), inside


def by_date(world: World, draw: Draw, now: int) -> tuple[HttpRequest, bool]:
    """The figures of a day."""
    first, coins = world.book.prices.first, coins_of(world.book)
    id = draw(st.sampled_from([*[coins[0]] * 12, *[coins[1]] * 3, coins[3]]))
    coin, midnight = world.book.coin(id), first + draw(st.integers(-2, 127)) * DAY
    if draw(st.integers(0, 7)):
        midnight = first + draw(st.integers(0, (now - first) // DAY)) * DAY
    assert coin is not None
    is_told = max(coin.listed_at, first) <= midnight <= now - LATE
    if now == world.moments[-1]:  # the end, at which every day of the story was asked for
        is_told = first <= midnight <= now
    parameters = draw(st.sampled_from([{}, {"localization": "false"}, {"localization": "true"}]))
    return get(f"/coins/{id}/history", date=date(midnight), **parameters), is_told and id in coins[:2]


def by_page(world: World, draw: Draw, now: int) -> tuple[HttpRequest, bool]:
    """A page of the markets, or some coins of them."""
    kind, size, page = draw(st.integers(0, 9)), draw(st.integers(1, 60)), draw(st.integers(1, 6))
    listed = [coin.id for coin in world.book.ranking(now)]
    if kind < 6:
        given: dict[str, Any] = {
            "vs_currency": "usd",
            "price_change_percentage": draw(st.sampled_from(["1h,24h", "24h,1h"])),
        }
        if kind > 3:
            ids = draw(st.lists(st.sampled_from(listed), min_size=1, max_size=9, unique=True))
            if draw(st.integers(0, 7)) == 5:
                return get("/coins/markets", **given, ids=",".join([*ids, "absent"])), False
            given["ids"] = ",".join(ids)
        return get("/coins/markets", **given, per_page=size, page=page), True
    if kind < 8:
        return get(
            "/coins/markets", vs_currency="usd", category="layer-1", order="market_cap_desc", per_page=size, page=page
        ), True
    if kind == 8:  # a stranger's second page of twelve rows: places 12 to 23, and to the end where it is a short one
        start, last = size * (page - 1), min(len(listed), 24)
        reaches = size * page <= last or last < 24
        return get("/coins/markets", vs_currency="eur", per_page=size, page=page), start >= 12 and reaches
    coins = coins_of(world.book)
    some = draw(st.lists(st.sampled_from(coins), min_size=1, max_size=3, unique=True))
    if draw(st.integers(0, 4)) == 3:
        some.append("somebody")
    inside = "somebody" not in some
    return get("/coins/markets", vs_currency="cny", ids=",".join(some)), inside


def by_price(world: World, draw: Draw, now: int) -> tuple[HttpRequest, bool]:
    """Plain prices of some coins in some currencies."""
    coins, flags = coins_of(world.book), {}
    for name in ("market_cap", "24hr_vol", "24hr_change", "last_updated_at"):
        if draw(st.booleans()):
            flags[f"include_{name}"] = draw(st.sampled_from(["true", "false"]))
    if draw(st.integers(0, 3)) == 0:
        token = world.book.coin(coins[3])
        assert token is not None
        network, address = token.platforms[0]
        quoted = draw(st.sampled_from(["usd", "cny", "usd,cny"] * 3 + ["eur"]))
        request = get(f"/simple/token_price/{network}", contract_addresses=address, vs_currencies=quoted, **flags)
        return request, quoted != "eur"
    some = draw(st.lists(st.sampled_from([*coins, "absent"]), min_size=1, max_size=5, unique=True))
    if draw(st.integers(0, 9)) == 5:
        some.append("somebody")
    quoted = draw(st.sampled_from(["usd", "eur", "eur,usd", "usd,eur"] * 3 + ["cny"]))
    request = get("/simple/price", ids=",".join(some), vs_currencies=quoted, **flags)
    return request, "somebody" not in some and quoted != "cny"


def by_part(world: World, draw: Draw, now: int) -> tuple[HttpRequest, bool]:
    """A coin's page with any of its parts."""
    coins = coins_of(world.book)
    if draw(st.integers(0, 4)) == 0:
        return get("/coins/list", include_platform=draw(st.sampled_from(["true", "false"]))), True
    flags = {name: draw(st.sampled_from(["true", "false"]))
             for name in ("tickers", "market_data", "community_data", "developer_data", "sparkline")
             if draw(st.booleans())}  # fmt: skip
    id, localization = draw(st.sampled_from([coins[0], coins[3]])), draw(st.sampled_from(["false"] * 6 + ["true"]))
    inside = localization == "false" or id == coins[3]
    return get(f"/coins/{id}", localization=localization, **flags), inside


def by_name(world: World, draw: Draw, now: int) -> tuple[HttpRequest, bool]:
    """What is only said of the moment, and what nobody recorded."""
    beside = ["/coins/absent", "/coins/somebody", "/search?query=dog", "/exchanges?per_page=1&page=2", "/exchanges"]
    path = draw(st.sampled_from([*OF_NOW, *beside]))
    return get(path), path not in ("/coins/somebody", "/search?query=dog")


KINDS = (
    [by_window] * 8
    + [by_days] * 3
    + [by_candles] * 2
    + [by_date] * 3
    + [by_page] * 4
    + [by_price] * 3
    + [by_part] * 2
    + [by_name] * 2
)


def run(world: World, draws: int) -> Counter[bool]:
    """Hold ``draws`` questions against the law; how many were inside the coverage, and how many outside."""
    tally: Counter[bool] = Counter()

    @settings(max_examples=draws, phases=[Phase.generate, Phase.shrink], report_multiple_bugs=False, deadline=None,
              derandomize=True, database=None, suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(st.data())
    def law(data: st.DataObject) -> None:
        now = data.draw(st.sampled_from(world.moments))
        request, inside = data.draw(st.sampled_from(KINDS))(world, data.draw, now)
        world.judge(request, now, inside)
        tally[inside] += 1

    law()
    return tally

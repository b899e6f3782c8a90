"""What a Chinese text may say of a coin, of the chain and of a moment: slots for phrases, each with its claim.

Prices hold for an hour, so moments are cut to the hour. Figures of protocols and ranks are those of the midnight
before, the daily snapshot.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.price import FUNDING_S, Candle
from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.event import Fact, FactSheet
from caia_worldgen.web.page import Claim, Told
from caia_worldgen.web.place import board, home, link
from caia_worldgen.web.truth import ROLES, Form, Truth, mistaken, stale

HOUR_S: Final = 3_600
BEIJING_S: Final = 8 * HOUR_S
_STALE_PERCENT: Final = 9
_MISTAKEN_PERCENT: Final = 3
"""Of the prices told of a page's main coin."""
_UP: Final = ("上涨", "走高", "上扬", "拉升", "攀升", "收涨", "升")
_DOWN: Final = ("下跌", "走低", "回落", "下挫", "走弱", "收跌", "跌去")
_WEEKDAYS: Final = ("周一", "周二", "周三", "周四", "周五", "周六", "周日")
ABOUT: Final[Mapping[str, str]] = {
    "native": "一条小型权益证明公链", "dollar": "由发行方铸造和赎回的美元稳定币",
    "exchange": "恒定乘积做市的代币交易所",
    "lend": "超额抵押借贷协议，手续费进入链上金库", "bridge": "主链与 Rollup 之间的锁定铸造桥",
    "arena": "按秒发放奖励的链上游戏",
    "storage": "由质押节点提供的付费存储", "payments": "面向商户的收款与付款工具", "feeds": "上链的价格预言机",
    "index": "一篮子代币的指数产品", "social": "内容归作者所有的社交协议", "compute": "链上结算的算力租赁",
}  # fmt: skip
"""Role in the story -> what the project is, in a few words."""


class ChineseFacts:
    """The facts of coins and days, ready for Chinese phrases. Read-only; remembers the ranks of a day."""

    def __init__(self, truth: Truth) -> None:
        self.truth = truth
        self._ranks: dict[int, dict[str, int]] = {}
        self._chain: dict[int, FactSheet] = {}

    def hour(self, moment: int) -> int:
        """The hour of a moment, within the story."""
        last = self.truth.midnight(self.truth.days) - 2 * HOUR_S
        return max(self.truth.begun, min(last, moment // HOUR_S * HOUR_S))

    def coin(self, id: str, moment: int, rng: Rng, tag: str = "", slips: bool = False) -> FactSheet:
        """A coin's slots, each name with ``tag`` behind it. ``slips``: its price may be an old or a wrong one."""
        truth, subject, at = self.truth, self.truth.subjects[id], self.hour(moment)
        found: dict[str, Fact] = {"name": subject.name, "ticker": subject.ticker}
        if subject.role in ABOUT:
            found |= {"about": ABOUT[subject.role], "home": link(subject.site, home(subject))}
        if subject.role in truth.scene.assets and subject.role in ROLES and subject.role != "native":
            found["address"] = partial(truth.address, subject.role)
        if at >= subject.listed_at:
            found |= self._priced(id, at, rng, slips)
        return FactSheet(found).tagged(tag)

    def _priced(self, id: str, at: int, rng: Rng, slips: bool) -> dict[str, Fact]:
        truth, subject, coin = self.truth, self.truth.subjects[id], self.truth.coin(id)
        form = rng.one(PRICES)
        found: dict[str, Fact] = {
            "price": self._price(id, at, rng, form) if slips else partial(truth.price, id, at, form),
            "cap": partial(truth.cap, id, at, yuan(rng.number(1, 2))),
            "supply": partial(truth.supply, id, at),
        }
        since = max(subject.listed_at, truth.begun)
        for name, hours in (("", 24), ("_week", 168)):
            moved = truth.change_ppm(id, at, hours) if at - hours * HOUR_S >= since else None
            if moved is not None:
                found |= {f"change{name}": partial(_percent, moved), f"updown{name}": "涨" if moved >= 0 else "跌",
                          f"moved{name}": rng.one(_UP if moved >= 0 else _DOWN),
                          f"sign{name}": "+" if moved >= 0 else "-",
                          ("rose" if moved >= 0 else "fell") + name: ""}  # fmt: skip
        if at - DAY_S >= since:
            found |= {"high": lambda: _usd(self._day(id, at).high_e8), "low": lambda: _usd(self._day(id, at).low_e8),
                      "before": partial(truth.price, id, at - DAY_S, form)}  # fmt: skip
            if coin.traded:
                found["turnover"] = lambda: yuan(1)(Fraction(self._day(id, at).quote_e8, 10**8)).words
        midnight = self.snapshot(at)
        if subject.listed_at <= midnight <= at:
            found["rank"] = lambda: str(self._rank(id, midnight))
        if coin.traded and at - truth.begun > FUNDING_S:
            found["funding"] = partial(self._funding, id, at // FUNDING_S * FUNDING_S)
        return found

    def _funding(self, id: str, paid: int) -> str:
        rate = self.truth.book.derivatives.funding_e8(self.truth.coin(id), paid)
        return ("-" if rate < 0 else "") + number.exact(Fraction(abs(rate), 10**6), 4).around(after="%").words

    def _rank(self, id: str, midnight: int) -> int:
        if midnight not in self._ranks:
            ranking = self.truth.book.ranking(midnight)
            self._ranks[midnight] = {coin.id: place for place, coin in enumerate(ranking, start=1)}
        return self._ranks[midnight][id]

    def _day(self, id: str, at: int) -> Candle:
        return self.truth.book.day(self.truth.coin(id), at)

    def snapshot(self, moment: int) -> int:
        """The midnight before a moment."""
        return max(self.truth.begun + HOUR_S, moment // DAY_S * DAY_S)

    def _price(self, id: str, at: int, rng: Rng, form: Form) -> Told:
        drawn, then = rng.number(1, 100), at - rng.number(2, 8) * DAY_S - rng.number(0, 20) * HOUR_S
        told = self.truth.price(id, at, form)
        if drawn <= _STALE_PERCENT and then >= max(self.truth.begun, self.truth.subjects[id].listed_at):
            old = self.truth.price(id, then, form)
            return told if old.words == told.words else stale(old)
        if _STALE_PERCENT < drawn <= _STALE_PERCENT + _MISTAKEN_PERCENT:
            return mistaken(told, form, rng)
        return told

    def chain(self, moment: int) -> FactSheet:
        """Slots of the networks and protocols at the snapshot before a moment; few on the first day."""
        truth = self.truth
        day = min(truth.days - 1, max(0, (moment - truth.begun) // DAY_S))
        if day not in self._chain:
            found: dict[str, Fact] = {"network": truth.subject("native").name,
                                      "rollup": truth.scene.networks["rollup"].name}  # fmt: skip
            for role in ("exchange", "lend", "arena", "storage", "dollar", "bridge"):
                found[role] = truth.subject(role).name
            if day:
                found |= self._settled(truth.midnight(day))
            self._chain[day] = FactSheet(found)
        return self._chain[day]

    def _settled(self, midnight: int) -> dict[str, Fact]:
        truth, one, two = self.truth, yuan(1), yuan(2)
        swap, lender, bridge = (truth.subject(role).id for role in ("exchange", "lend", "bridge"))
        return {
            "snap": number.chinese_day(midnight), "volume_day": number.chinese_day(midnight - DAY_S),
            "chain_tvl": partial(truth.chain_tvl, "main", midnight, two),
            "rollup_tvl": partial(truth.chain_tvl, "rollup", midnight, one),
            "block": partial(truth.block, "main", midnight), "rollup_block": partial(truth.block, "rollup", midnight),
            "exchange_tvl": partial(truth.tvl, swap, midnight, one),
            "exchange_volume": partial(truth.volume, swap, midnight, one),
            "exchange_fees": partial(truth.fees, swap, midnight, two),
            "lend_tvl": partial(truth.tvl, lender, midnight, two),
            "bridge_tvl": partial(truth.tvl, bridge, midnight, one),
            "arena_staked": partial(truth.staked, "arena", midnight),
            "storage_staked": partial(truth.staked, "storage", midnight),
            "dollars": partial(truth.supply, truth.subject("dollar").id, midnight),
            "exchange_board": link("数据面板", board(truth, swap)), "lend_board": link("数据页", board(truth, lender)),
        }  # fmt: skip

    def when(self, moment: int, tag: str = "") -> dict[str, str]:
        """How a moment is named: with and without its year, day of the week, clock, and in Beijing's time."""
        there = moment + BEIJING_S
        clock = number.clock_time(moment).removesuffix(" UTC")
        said = {"day": number.chinese_day(moment), "date": month_day(moment),
                "weekday": _WEEKDAYS[(moment // DAY_S + 3) % 7], "clock": f"UTC {clock}",
                "stamp": f"{month_day(moment)} {clock}（UTC）",
                "beijing": f"北京时间{month_day(there)} {number.clock_time(there).removesuffix(' UTC')}"}  # fmt: skip
        return {name + tag: words for name, words in said.items()}


def month_day(moment: int) -> str:
    """``3月3日``, UTC."""
    return number.chinese_day(moment).partition("年")[2]


def yuan(places: int) -> Form:
    """``1,240.5 万美元``; below ten thousand to the cent."""

    def written(value: Fraction) -> number.Written:
        if abs(value) < 10_000:
            return number.exact(value, 2).around(after=" 美元")
        return number.chinese(value, places).around(after="美元")

    return written


def other(words: str, subject: str, moment: int) -> Told:
    """Something that no API is asked for."""
    return Told(words, Claim("other", subject, moment, words, words, Fraction(0)))


def amount(units: int, decimals: int = 18, places: int = 0) -> str:
    """Smallest units as whole coins."""
    return number.exact(Fraction(units, 10**decimals), places).words


def _dollar_sign(value: Fraction) -> number.Written:
    return number.price(value).around("$")


def _dollar_word(value: Fraction) -> number.Written:
    return number.price(value).around(after=" 美元")


PRICES: Final[tuple[Form, ...]] = (_dollar_sign, _dollar_word)
"""How prices are written."""


def _percent(ppm: int) -> str:
    return number.percent(ppm, 2).words


def _usd(worth_e8: int) -> str:
    return number.price(Fraction(worth_e8, 10**8)).around("$").words

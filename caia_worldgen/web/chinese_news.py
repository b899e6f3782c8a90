"""What the Chinese newsrooms write: flashes and wraps of prices here, and what other modules have of events and money.

The wire tells one coin at a full hour; the daily wraps the whole market once a day, looks back at a coin once a week,
and corrects its own mistakes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from caia_replay.core.world import Page
from caia_worldgen.rng import Rng
from caia_worldgen.web import chinese_calendar, chinese_event, number
from caia_worldgen.web.cast import Outlet
from caia_worldgen.web.chinese_fact import HOUR_S, PRICES, ChineseFacts, other
from caia_worldgen.web.chinese_press import EMPTY, ChinesePress, Piece
from caia_worldgen.web.event import FactSheet
from caia_worldgen.web.page import WebPage
from caia_worldgen.web.place import link
from caia_worldgen.web.prose import Written
from caia_worldgen.web.truth import Truth, rumoured

_CHAIN: Final = ("chain_tvl", "exchange_flow", "lend_state", "stake_state", "dollar_state", "block_state",
                 "bridge_state")  # fmt: skip
_COIN: Final = ("coin_range", "coin_week", "coin_cap", "coin_supply", "coin_futures", "coin_address", "coin_about")
_FLASH_PERCENT: Final = 42
"""Of days on which the wire tells of a second coin."""
_WRAP_PERCENT: Final = 88
_RUMOUR_PERCENT: Final = 7
_FIX_PERCENT: Final = 70
_HEADS: Final = (
    ("币种", "价格", "24h"),
    ("代币", "最新价", "日变动"),
    ("名称", "报价", "涨跌幅"),
    ("Token", "现价", "一日"),
)
_CORRECTED: Final = 12 * HOUR_S


def pages(truth: Truth) -> Iterator[WebPage]:
    """Everything the Chinese newsrooms publish."""
    facts = ChineseFacts(truth)
    for outlet in newsrooms(truth, "wire"):
        yield from _flashes(truth, facts, outlet)
    for outlet in newsrooms(truth, "daily"):
        yield from _wraps(truth, facts, outlet)
        yield from _weeks(truth, facts, outlet)
    yield from chinese_event.pages(truth)
    yield from chinese_calendar.pages(truth)


def newsrooms(truth: Truth, manner: str = "") -> tuple[Outlet, ...]:
    """The newsrooms that write Chinese, those of a manner or all."""
    return tuple(one for one in truth.cast.newsrooms if one.language == "zh" and manner in ("", one.manner))


def movers(truth: Truth, at: int) -> list[str]:
    """The coins that had a price a day ago, by their change since, best first; neither dollars nor wrapped coins."""
    found = []
    for id, one in sorted(truth.subjects.items()):
        if one.role in ("dollar", "wrapped") or at - 24 * HOUR_S < max(one.listed_at, truth.begun):
            continue
        if (change := truth.change_ppm(id, at, 24)) is not None:
            found.append((-change, id))
    return [id for _, id in sorted(found)]


def _slots(truth: Truth, facts: ChineseFacts, lead: str, moved: Sequence[str], at: int, rng: Rng) -> FactSheet:
    """All that can be said of a coin at an hour; with the best (t), the worst (w), another (b) and the native (n)
    coin, where they are not that coin, and rose or fell."""
    native, other_id = truth.subject("native").id, rng.one([id for id in moved[1:-1] if id != lead])
    change = {id: truth.change_ppm(id, at, 24) or 0 for id in (moved[0], moved[-1], other_id, lead)}
    tags = [("_b", other_id)]
    tags += [("_t", moved[0])] if moved[0] != lead and change[moved[0]] > 0 else []
    tags += [("_w", moved[-1])] if moved[-1] != lead and change[moved[-1]] < 0 else []
    tags += [("_n", native)] if native != lead else []
    sheets = [facts.coin(id, at, rng, tag) for tag, id in tags]
    if change[other_id] * change[lead] < 0:
        sheets.append(FactSheet({"apart": ""}))
    slots = FactSheet(facts.chain(at), facts.when(at), *sheets, facts.coin(lead, at, rng, slips=True))
    if rng.happens(_RUMOUR_PERCENT):
        worth = number.chinese(rng.odd(600_000, 42_000_000, 2), 0).around(after="美元")
        slots = FactSheet(slots, {"guess": rumoured(other(worth.words, lead, at))})
    return slots


def _flashes(truth: Truth, facts: ChineseFacts, outlet: Outlet) -> Iterator[WebPage]:
    press = ChinesePress(truth, f"zh-flash/{outlet.id}", ("chinese_wire", "chinese_context"))
    coins = press.rng("coins").some(sorted(truth.subjects), len(truth.subjects))
    turn = 0
    for day in range(1, truth.days):
        for time in range(1 + press.rng(f"{day}/times").happens(_FLASH_PERCENT)):
            rng = press.rng(f"{day}/{time}")
            at = truth.midnight(day) + (time * 12 + rng.number(0, 11)) * HOUR_S
            moved = movers(truth, at)
            if len(moved) < 5:
                continue
            while coins[turn % len(coins)] not in moved:
                turn += 1
            lead = coins[turn % len(coins)]
            turn += 1
            slots = _slots(truth, facts, lead, moved, at, rng)
            published = at + rng.number(1, 38) * 60 + rng.number(0, 59)
            name = f"{truth.subjects[lead].ticker} {at // HOUR_S % 24:02d}"
            middle = ("peer", "peer", "colour", *_CHAIN, *_COIN)
            last = ("rumour", "close") if rng.happens(45) else ("rumour",)
            piece = Piece(name, "flash", "kx", published, slots, "title", "lede", middle, rng.number(4, 6), last)
            if (page := press.article(outlet, piece)) is not None:
                yield page


def _wraps(truth: Truth, facts: ChineseFacts, outlet: Outlet) -> Iterator[WebPage]:
    press = ChinesePress(truth, f"zh-wrap/{outlet.id}", ("chinese_daily", "chinese_context"))
    native = truth.subject("native").id
    for day in range(1, truth.days):
        rng = press.rng(str(day))
        at = truth.midnight(day) + rng.number(7, 21) * HOUR_S
        moved = movers(truth, at)
        if len(moved) < 5 or not rng.happens(_WRAP_PERCENT):
            continue
        lead = native if rng.happens(65) and native in moved else rng.one(moved)
        slots = _slots(truth, facts, lead, moved, at, rng)
        table = _table(truth, [lead, *rng.some(moved, rng.number(3, 6))], at, rng) if rng.happens(30) else EMPTY
        middle = ("winner", "loser", "between", "mood", "mood", "coin_range", "coin_cap", "coin_week", "coin_futures",
                  "coin_about", *_CHAIN)  # fmt: skip
        published = at + rng.number(4, 57) * 60 + rng.number(0, 59)
        last = ("rumour", "close") if rng.happens(60) else ("rumour",)
        piece = Piece(f"fupan {day}", "market", "fupan", published, slots, "title", "lede", middle, rng.number(6, 9),
                      last, table)  # fmt: skip
        if (page := press.article(outlet, piece)) is not None:
            yield page
            yield from _fixed(press, facts, outlet, page, lead, at)


def _weeks(truth: Truth, facts: ChineseFacts, outlet: Outlet) -> Iterator[WebPage]:
    press = ChinesePress(truth, f"zh-week/{outlet.id}", ("chinese_daily", "chinese_context"))
    coins = press.rng("coins").some(sorted(truth.subjects), len(truth.subjects))
    for day in range(8, truth.days, 7):
        rng = press.rng(str(day))
        at = truth.midnight(day) + rng.number(6, 15) * HOUR_S
        moved = [id for id in movers(truth, at) if truth.subjects[id].listed_at <= at - 168 * HOUR_S]
        if len(moved) < 5:
            continue
        lead = next((id for id in coins if id in moved), moved[0])
        coins = [id for id in coins if id != lead]
        slots = _slots(truth, facts, lead, moved, at, rng)
        middle = ("between", "mood", "mood", "winner", "loser", *_COIN, *_CHAIN)
        published = at + rng.number(3, 58) * 60 + rng.number(0, 59)
        piece = Piece(f"zhoubao {truth.subjects[lead].ticker}", "market", "zhoubao", published, slots, "weekly_title",
                      "weekly", middle, rng.number(7, 11), ("close",))  # fmt: skip
        if (page := press.article(outlet, piece)) is not None:
            yield page


def _fixed(press: ChinesePress, facts: ChineseFacts, outlet: Outlet, wrong: WebPage, lead: str, at: int
           ) -> Iterator[WebPage]:  # fmt: skip
    """What the daily writes half a day after it told a price that never was."""
    truth, page = press.truth, wrong.page
    rng = press.rng(f"fix/{page.url}")
    subject = truth.subjects[lead].id
    slipped = any(claim.status == "mistaken" and claim.subject == subject for claim in wrong.claims)
    published = (page.published or at) + _CORRECTED + rng.number(0, 9_000)
    if not slipped or not rng.happens(_FIX_PERCENT) or published > press.last_moment:
        return
    right = truth.price(lead, facts.hour(at), rng.one(PRICES))
    slots = FactSheet(facts.when(at), facts.chain(at), {
        "ticker": truth.subjects[lead].ticker, "right": right, "erring": page.title, "page": link("原文", page.url)
    })  # fmt: skip
    title, body = press.say("fix_title", slots, rng), press.say("fix", slots, rng)
    url = outlet.url("gengzheng", page.url.rpartition("/")[2])
    made = Page(url, title.text, body.text, published, author=rng.one(outlet.authors), language="zh")
    yield WebPage(made, "correction", body.claims)


def _table(truth: Truth, ids: Sequence[str], at: int, rng: Rng) -> Written:
    form, head = rng.one(PRICES), rng.one(_HEADS)
    rows, claims = [f"| {' | '.join(head)} |", "| --- | ---: | ---: |"], []
    for id in dict.fromkeys(ids):
        price, moved = truth.price(id, at, form), truth.change_ppm(id, at, 24) or 0
        change = ("+" if moved >= 0 else "-") + number.percent(moved, 2).words
        rows.append(f"| {truth.subjects[id].ticker} | {price.words} | {change} |")
        claims += [price.claim] if price.claim is not None else []
    note = rng.one(("（整点价，{}）", "报价时间：{}", "表中价格取自 {}", "截至 {}"))
    stamp = f"{number.chinese_day(at)} {number.clock_time(at)}"
    return Written("\n".join(rows) + "\n\n" + note.format(stamp), tuple(claims))

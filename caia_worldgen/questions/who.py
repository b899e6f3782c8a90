"""Whom a question is about: subjects as people name them, by what they are, and by where they stand now."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from caia_worldgen.questions.expression import Plan, Subject, Who, both, text
from caia_worldgen.questions.known import Known

_KINDS: Final = {
    "swap": ("today's #1 DEX by TVL", "目前 TVL 第一的 DEX", "Dexs", 0),
    "range": ("today's #2 DEX by TVL", "目前 TVL 第二的 DEX", "Dexs", 1),
    "lend": ("today's #1 lending protocol by TVL", "目前 TVL 第一的借贷协议", "Lending", 0),
    "bridge": ("today's #1 bridge on DefiLlama", "DefiLlama 目前排名第一的跨链桥", "Bridge", 0),
    "launch": ("today's #1 launchpad on DefiLlama", "DefiLlama 目前排名第一的发射台", "Launchpad", 0),
    "collect": ("today's #1 NFT marketplace on DefiLlama", "DefiLlama 目前排名第一的 NFT 市场", "NFT Marketplace", 0),
}  # fmt: skip
"""A protocol by what it is: in English, in Chinese, its category, and its place in it by what is locked."""

_MOVERS: Final = (
    ("descending", "CoinGecko's top 24h gainer right now", "CoinGecko 目前 24 小时涨幅最大的币"),
    ("ascending", "CoinGecko's worst 24h performer right now", "CoinGecko 目前 24 小时跌幅最大的币"),
)
"""Coins by how their price moved: the order of the changes, in English, in Chinese."""


def named(subject: Subject) -> Who:
    """By the name that people use, or the ticker where it has one."""
    word = subject.ticker if subject.kind == "coin" else subject.short
    if subject.kind == "chain":
        word = subject.name
    handle = f"id:{subject.id}" if subject.kind == "coin" else subject.id
    return Who(subject, both(word), "named", lambda plan: handle, is_found=False)


def protocol(known: Known, subject: Subject) -> Who:
    """A protocol by its name or by what it is."""
    if subject.role not in _KINDS or known.rng.happens(35):
        return named(subject)
    en, zh, category, place = _KINDS[subject.role]
    held = [one for one in known.truth.metrics.protocols if one.category == category]
    order = sorted(held, key=lambda one: -known.truth.metrics.tvl.value_e8(one, known.now))
    if order[place].slug != subject.id:
        return named(subject)

    def handle(plan: Plan) -> str:
        return f"{plan.call('protocol_metrics', category=category)}.ranking.{place}.slug"

    return Who(subject, both(en, zh), "kind", handle)


def coin(known: Known, subject: Subject) -> Who:
    """A coin by its ticker, or by where it stands now."""
    places = [one for one in _standing(known) if one.subject == subject]
    return known.rng.one(places) if places and known.rng.happens(70) else named(subject)


def standing(known: Known) -> list[Who]:
    """The coins that can be described by where they stand."""
    return list(_standing(known))


def _standing(known: Known) -> Iterator[Who]:
    """Coins by market cap and by the change of their price, at the moment of asking."""
    subjects = {one.id: one for one in known.coins()}
    ranking = [one.id for one in known.truth.book.ranking(known.now)]
    for place, id in enumerate(ranking[:30]):
        if id in subjects:
            words = both(f"CoinGecko's current #{place + 1} by market cap", f"CoinGecko 目前市值第 {place + 1} 的币")
            yield Who(subjects[id], words, "rank", _ranked(place, "market_cap", "descending"))
    moved = {one: known.truth.change_ppm(one, known.now, 24) for one in ranking}
    for order, en, zh in _MOVERS:
        known_ones = [(change, one) for one, change in moved.items() if change is not None]
        best = sorted(known_ones, reverse=order == "descending")
        if len(best) > 1 and abs(best[0][0] - best[1][0]) > 1_000 and best[0][1] in subjects:
            yield Who(subjects[best[0][1]], both(en, zh), f"mover {order}", _ranked(0, "change_24h", order))


def _ranked(place: int, by: str, order: str) -> Callable[[Plan], str]:
    def handle(plan: Plan) -> str:
        found = plan.call("ranking_query", by=by, order=order, limit=place + 1)
        return text("id:<coin>", coin=f"{found}.coins.{place}.id")

    return handle


def chain(known: Known, name: str) -> Who:
    """A chain by its name."""
    return named(known.chains()[0 if name == "main" else 1])

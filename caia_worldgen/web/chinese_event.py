"""What happened on the chains, as the Chinese newsrooms report it: one article of the wire, often one of the daily."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.economy import crash_hour
from caia_worldgen.event import ChainEvent
from caia_worldgen.web import number
from caia_worldgen.web.chinese_fact import HOUR_S, ChineseFacts, amount, month_day, other
from caia_worldgen.web.chinese_press import ChinesePress, Piece
from caia_worldgen.web.event import FactSheet
from caia_worldgen.web.page import Told, WebPage
from caia_worldgen.web.truth import ROLES, Truth

Slots = Mapping[str, Told | str]
TOPICS: Final = {"raise the fee": "提高手续费", "spend on a campaign": "拨款做推广",
                 "upgrade the fee vault": "升级手续费金库", "sweep again": "再次归集手续费"}  # fmt: skip
"""What the story calls a proposal -> its subject in Chinese."""
_GROUPS: Final = {"founders": "创始团队", "investors": "投资人", "advisers": "顾问"}
_MOST: Final = {"liquidate": 8, "vest": 18, "whale": 12, "bridge": 8, "release": 18, "rug": 6, "drain": 4,
                "issue": 8, "redeem": 8, "poison": 4}  # fmt: skip
"""How many events of a topic are told; of the others all."""
_DELAYS: Final = {"wire": (3, 55), "daily": (90, 840)}
"""Minutes from an event to its article."""
_DAILY_PERCENT: Final = 36
_CHAIN: Final = ("chain_tvl", "exchange_flow", "lend_state", "stake_state", "dollar_state", "block_state")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at a moment. ``coin`` is the id of the coin it is about."""

    topic: str
    moment: int
    coin: str
    slots: Slots


def pages(truth: Truth) -> Iterator[WebPage]:
    """Every article about an event."""
    facts, counts = ChineseFacts(truth), dict[str, int]()
    press = ChinesePress(truth, "zh-event", ("chinese_event", "chinese_context"))
    native = truth.subject("native").id
    outlets = [one for one in truth.cast.newsrooms if one.language == "zh"]
    for event in events(truth):
        counts[event.topic] = count = counts.get(event.topic, 0) + 1
        for outlet in outlets:
            rng = press.rng(f"{event.topic}/{count}/{outlet.id}")
            if outlet.manner != "wire" and not rng.happens(_DAILY_PERCENT):
                continue
            published = event.moment + rng.number(*_DELAYS[outlet.manner]) * 60 + rng.number(0, 59)
            at = event.moment
            slots = FactSheet(facts.chain(at), facts.when(at), facts.coin(native, at, rng, "_n"),
                              facts.coin(event.coin, at, rng), event.slots)  # fmt: skip
            more = [f"{event.topic}_more"] * (2 if outlet.manner == "wire" else 3)
            around = ("colour", "colour", "coin_about", "coin_cap", "coin_week", "coin_futures", *_CHAIN)
            middle = (*more, *rng.some(around, rng.number(2, 3) if outlet.manner == "wire" else rng.number(3, 5)))
            piece = Piece(f"{event.topic} {count}", "event", "kx" if outlet.manner == "wire" else "xinwen", published,
                          slots, f"{event.topic}_title", f"{event.topic}_lede", middle, len(middle))  # fmt: skip
            if (page := press.article(outlet, piece)) is not None:
                yield page


def events(truth: Truth) -> Iterator[Event]:
    """What is worth an article, topic by topic, each oldest first."""
    makers = (*_burns(truth), *_launches(truth), *_votes(truth), *_upgrades(truth), *_airdrops(truth), *_thefts(truth),
              *_loans(truth), *_dollars(truth), *_whales(truth), *_crossings(truth), *_vestings(truth),
              *_releases(truth), *_crash(truth))  # fmt: skip
    told = dict[str, int]()
    for event in makers:
        told[event.topic] = told.get(event.topic, 0) + 1
        if told[event.topic] <= _MOST.get(event.topic, 1_000):
            yield event


def _said(words: str, deed: ChainEvent, at: int) -> Told:
    return other(words, deed.subject, at)


def _burns(truth: Truth) -> Iterator[Event]:
    for verb, topic in (("announced a burn", "burn_notice"), ("burned", "burn")):
        for at, deed in truth.happened(verb):
            if deed.subject not in ROLES:
                continue
            slots = {"amount": _said(amount(deed.figure("amount")), deed, at)}
            if topic == "burn_notice":
                due = truth.midnight(deed.figure("day"))
                slots["due"] = other(month_day(due), deed.subject, at)
            yield Event(topic, at, truth.subject(deed.subject).id, slots)


def _launches(truth: Truth) -> Iterator[Event]:
    native = truth.subject("native").id
    names = {deed.subject: dict(deed.figures) for _, deed in truth.happened("launched")}
    for at, deed in truth.happened("graduated"):
        known = names.get(deed.subject, {})
        raised = _said(amount(deed.figure("raised_wei"), places=2), deed, at)
        yield Event("graduate", at, native, {"coin": str(known.get("name", deed.subject)), "amount": raised,
                                             "token": str(known.get("token", "-"))})  # fmt: skip
    for verb, figure in (("rug pulled", "paid_wei"), ("pulled liquidity", "native_wei")):
        for at, deed in truth.happened(verb):
            role = deed.subject.partition("/")[0]
            listed = [one.name for one in truth.subjects.values() if one.role == role]
            coin = str(names.get(role, {}).get("name", listed[0] if listed else role))
            taken = _said(amount(deed.figure(figure), places=2), deed, at)
            yield Event("rug", at, native, {"coin": coin, "amount": taken, "actor": deed.actor})


def _votes(truth: Truth) -> Iterator[Event]:
    lender = truth.subject("lend").id
    for at, deed in truth.happened("proposed"):
        known = dict(deed.figures)
        yield Event("vote_open", at, lender, {
            "topic": TOPICS.get(deed.subject, "协议调整"), "text": str(known["text"]),
            "snapshot": number.exact(deed.figure("snapshot")).words,
            "deadline": number.exact(deed.figure("deadline")).words})  # fmt: skip
    for verb, result in (("defeated", "未获通过"), ("succeeded", "获得通过")):
        for at, deed in truth.happened(verb):
            yield Event("vote_end", at, lender, {
                "topic": TOPICS.get(deed.subject, "协议调整"), "result": result,
                "votes": truth.votes(deed.figure("id"), at), "quorum": amount(deed.figure("quorum"))})  # fmt: skip


def _upgrades(truth: Truth) -> Iterator[Event]:
    swept = [(at, deed) for at, deed in truth.happened("swept") if dict(deed.figures).get("token") == "lend"]
    for at, deed in truth.happened("upgraded"):
        known = dict(deed.figures)
        slots = {"implementation": str(known["implementation"]), "before_code": str(known["before"]),
                 "share": number.percent(deed.figure("burn_share_bps") * 100, 2).words}  # fmt: skip
        burned = [one for then, one in swept if then == at]
        found: dict[str, Told | str] = dict(slots)
        if burned:
            found["swept"] = _said(amount(burned[0].figure("burned")), deed, at)
        yield Event("upgrade", at, truth.subject("lend").id, found)


def _airdrops(truth: Truth) -> Iterator[Event]:
    for at, deed in truth.happened("opened airdrop"):
        yield Event("airdrop", at, truth.subject(deed.subject).id, {
            "amount": _said(amount(deed.figure("total")), deed, at), "people": str(deed.figure("recipients")),
            "due": number.chinese_day(deed.figure("deadline"))})  # fmt: skip
    for at, deed in truth.happened("swept airdrop"):
        left = _said(amount(deed.figure("amount")), deed, at)
        yield Event("swept", at, truth.subject(deed.subject).id, {"amount": left})


def _thefts(truth: Truth) -> Iterator[Event]:
    dollar = truth.subject("dollar").id
    for at, deed in truth.happened("drained", "dollar"):
        lost = _said(amount(deed.figure("amount"), 6), deed, at)
        yield Event("drain", at, dollar, {"amount": lost, "victim": str(dict(deed.figures)["victim"]),
                                          "actor": deed.actor})  # fmt: skip
    for at, deed in truth.happened("paid a look-alike", "dollar"):
        known, lost = dict(deed.figures), _said(amount(deed.figure("amount"), 6, 2), deed, at)
        yield Event("poison", at, dollar, {"amount": lost, "fake": str(known["looks_like"]),
                                           "meant": str(known["meant"])})  # fmt: skip


def _loans(truth: Truth) -> Iterator[Event]:
    for at, deed in truth.happened("liquidated"):
        role = deed.subject.partition(" ")[0]
        if role in ROLES:
            yield Event("liquidate", at, truth.subject(role).id, {
                "coin": truth.subject(role).ticker, "amount": _said(amount(deed.figure("repaid"), 6, 2), deed, at),
                "seized": _said(amount(deed.figure("seized"), places=2), deed, at),
                "borrower": str(dict(deed.figures)["borrower"]),
                "health": number.exact(Fraction(deed.figure("health_bps"), 10_000), 4).words})  # fmt: skip


def _dollars(truth: Truth) -> Iterator[Event]:
    dollar = truth.subject("dollar").id
    for verb, topic in (("issued", "issue"), ("redeemed", "redeem")):
        for at, deed in truth.happened(verb, "dollar"):
            if at < truth.midnight(1):
                continue
            slots: dict[str, Told | str] = {"amount": _said(amount(deed.figure("amount"), 6), deed, at),
                                            "supply_d": truth.supply(dollar, at)}  # fmt: skip
            if "recipient" in dict(deed.figures):
                slots["recipient"] = str(dict(deed.figures)["recipient"])
            yield Event(topic, at, dollar, slots)


def _whales(truth: Truth) -> Iterator[Event]:
    found = []
    for at, deed in truth.happened("swapped"):
        known = dict(deed.figures)
        sold, bought = str(known["sold"]), str(known["bought"])
        if sold in ROLES and bought in ROLES and sold != "dollar" and at >= truth.midnight(1):
            units, got = truth.scene.assets[sold], truth.scene.assets[bought]
            worth = Fraction(deed.figure("amount_in"), units.unit) * truth.price_usd(truth.subject(sold).id, at)
            slots: dict[str, Told | str] = {
                "coin": truth.subject(sold).ticker,
                "other": truth.subject(bought).ticker,
                "actor": deed.actor,
                "amount": _said(number.exact(Fraction(deed.figure("amount_in"), units.unit), 1).words, deed, at),
                "got": _said(number.exact(Fraction(deed.figure("amount_out"), got.unit), 2).words, deed, at),
            }
            found.append((worth, Event("whale", at, truth.subject(sold).id, slots)))
    largest = sorted(found, key=lambda one: (-one[0], one[1].moment))[: _MOST["whale"]]
    yield from sorted((event for _, event in largest), key=lambda one: one.moment)


def _crossings(truth: Truth) -> Iterator[Event]:
    found = []
    for at, deed in truth.happened("locked"):
        if deed.subject in ROLES and at >= truth.midnight(2):
            asset, id = truth.scene.assets[deed.subject], truth.subject(deed.subject).id
            whole = Fraction(deed.figure("amount"), asset.unit)
            slots: dict[str, Told | str] = {
                "amount": _said(number.exact(whole, 2).words, deed, at),
                "actor": deed.actor,
                "coin": truth.subjects[id].ticker,
                "recipient": str(dict(deed.figures)["recipient"]),
            }
            found.append((whole * truth.price_usd(id, at), Event("bridge", at, id, slots)))
    largest = sorted(found, key=lambda one: (-one[0], one[1].moment))[: _MOST["bridge"]]
    yield from sorted((event for _, event in largest), key=lambda one: one.moment)


def _vestings(truth: Truth) -> Iterator[Event]:
    for at, deed in truth.happened("released"):
        role, _, rest = deed.subject.partition(" ")
        if role in ROLES and rest.endswith(" vesting"):
            slots: dict[str, Told | str] = {
                "amount": _said(amount(deed.figure("amount")), deed, at),
                "group": _GROUPS[rest.removesuffix(" vesting")],
                "unlocked": truth.unlocked(role, at // DAY_S * DAY_S),
            }
            yield Event("vest", at, truth.subject(role).id, slots)


def _releases(truth: Truth) -> Iterator[Event]:
    found = []
    for name, repository in sorted(truth.code.repositories.items()):
        id = name.partition("/")[0]
        for one in repository.releases(truth.midnight(truth.days)):
            at = one.published_at
            if not one.is_early and at >= truth.midnight(1) and id in truth.subjects:
                slots: dict[str, Told | str] = {
                    "repo": name, "tag": truth.release(name, at), "author": one.author.name,
                    "stars": number.exact(repository.stars(at)).words, "issues": str(repository.open_issues(at))
                }  # fmt: skip
                found.append(Event("release", at, id, slots))
    chosen = truth.rng("zh-event/releases").some(found, min(len(found), _MOST["release"]))
    yield from sorted(chosen, key=lambda one: (one.moment, str(one.slots["repo"])))


def _crash(truth: Truth) -> Iterator[Event]:
    at = truth.begun + crash_hour(truth.seed, truth.days * 24) * HOUR_S
    for id, one in sorted(truth.subjects.items()):
        if not truth.coin(id).traded or one.role in ("wrapped", "dollar") or at - HOUR_S < one.listed_at:
            continue
        then, now = truth.price(id, at - HOUR_S), truth.price(id, at)
        fall = 1 - truth.price_usd(id, at) / truth.price_usd(id, at - HOUR_S)
        if fall > Fraction(2, 100) and one.role in ROLES[:5]:
            peer = truth.subject("compute" if one.role != "compute" else "index")
            yield Event("crash", at, id, {
                "before_hour": then, "price": now, "drop": number.exact(fall * 100, 1).around(after="%").words,
                "ticker_b": peer.ticker, "price_b": truth.price(peer.id, at)})  # fmt: skip

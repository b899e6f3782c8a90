"""What the Chinese newsrooms write of dates and money: unlock calendars, cliffs that come and came, funding rounds."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.cast import Outlet
from caia_worldgen.web.chinese_fact import HOUR_S, ChineseFacts, month_day, other, yuan
from caia_worldgen.web.chinese_press import ChinesePress, Piece
from caia_worldgen.web.event import FactSheet
from caia_worldgen.web.funding import Round
from caia_worldgen.web.page import Told, WebPage
from caia_worldgen.web.place import docs, link
from caia_worldgen.web.prose import Written
from caia_worldgen.web.truth import Truth, mistaken, stale

_WEEK_S: Final = 7 * DAY_S
_NAMES: Final = {
    "pre-seed": "种子前轮",
    "seed": "种子轮",
    "strategic": "战略轮",
    "Series A": "A轮",
    "private": "私募轮",
}
_SECTIONS: Final = {"Founders": "创始团队", "Investors": "投资人", "Advisers": "顾问"}
_CHAIN: Final = ("chain_tvl", "exchange_flow", "lend_state", "stake_state", "dollar_state", "block_state")
_HEADS: Final = (
    ("项目", "已解锁", "七日后累计"),
    ("代币", "当前累计", "下周同日"),
    ("Ticker", "已归属（枚）", "一周后（枚）"),
)


def pages(truth: Truth) -> Iterator[WebPage]:
    """Every article about a date or a round."""
    facts = ChineseFacts(truth)
    press = ChinesePress(truth, "zh-calendar", ("chinese_calendar", "chinese_context"))
    outlets = [one for one in truth.cast.newsrooms if one.language == "zh"]
    for outlet in outlets:
        if outlet.manner == "daily":
            yield from _weekly(truth, facts, press, outlet)
        yield from _cliffs(truth, facts, press, outlet)
        for one in truth.rounds:
            yield from _round(truth, press, outlet, one)


def _weekly(truth: Truth, facts: ChineseFacts, press: ChinesePress, outlet: Outlet) -> Iterator[WebPage]:
    emissions = truth.metrics.emissions.all()
    for day in range(3, truth.days, 7):
        rng, midnight = press.rng(f"weekly/{day}"), truth.midnight(day)
        if not emissions:
            return
        chosen = rng.some(emissions, rng.number(min(3, len(emissions)), len(emissions)))
        head, rows, claims = rng.one(_HEADS), [], []
        for one in chosen:
            now, then = truth.unlocked(one.role, midnight), truth.unlocked(one.role, midnight + _WEEK_S)
            rows.append(f"| {truth.subject(one.role).ticker} | {now.words} | {then.words} |")
            claims += [told.claim for told in (now, then) if told.claim is not None]
        table = Written("\n".join((f"| {' | '.join(head)} |", "| --- | ---: | ---: |", *rows)), tuple(claims))
        lead = rng.one(chosen).role
        at = midnight + rng.number(5, 14) * HOUR_S
        slots = FactSheet(facts.chain(at), facts.when(at), facts.coin(truth.subject(lead).id, at, rng),
                          _unlocks(truth, lead, midnight, rng))  # fmt: skip
        middle = ("view", "view", "lead", "coin_cap", "coin_supply", "coin_about", "coin_week", *_CHAIN)
        yield from _printed(press, outlet, Piece(
            f"jiesuo {day}", "unlock", "jiesuo", at + rng.number(200, 3_400), slots, "weekly_title", "weekly", middle,
            rng.number(5, 8), ("weekly_close",), table))  # fmt: skip


def _cliffs(truth: Truth, facts: ChineseFacts, press: ChinesePress, outlet: Outlet) -> Iterator[WebPage]:
    for emission in truth.metrics.emissions.all():
        for grant in emission.grants:
            cliff = grant.schedule.cliff
            if not truth.midnight(2) < cliff < truth.midnight(truth.days - 2):
                continue
            for topic, day in (("ahead", cliff // DAY_S * DAY_S - 2 * DAY_S), ("after", (cliff // DAY_S + 1) * DAY_S)):
                rng = press.rng(f"{topic}/{emission.role}/{grant.section}/{outlet.id}")
                if outlet.manner == "daily" and rng.happens(35):
                    continue
                at = day + rng.number(1, 18) * HOUR_S
                due = (cliff // DAY_S + 1) * DAY_S
                amount = sum(one.schedule.vested(cliff) for one in emission.grants if one.section == grant.section)
                known: dict[str, Told | str] = {
                    "group": _SECTIONS[grant.section], "cliff": number.chinese_day(cliff), "due": month_day(due),
                    "amount": other(number.exact(Fraction(amount, 10**18)).words, emission.slug, cliff),
                    "total": number.exact(Fraction(grant.schedule.total, 10**18)).words,
                    "until": number.chinese_day(grant.schedule.end),
                    "unlocked": truth.unlocked(emission.role, due),
                    "terms": link("代币经济页", docs(truth.subject(emission.role), "tokenomics")),
                }  # fmt: skip
                slots = FactSheet(facts.chain(at), facts.when(at), facts.coin(emission.slug, at, rng), known)
                middle = ("view", "cliff_more", "cliff_more", "coin_cap", "coin_supply", "coin_futures", "coin_week",
                          "coin_about", *_CHAIN)  # fmt: skip
                name = f"{topic} {emission.role} {grant.section}"
                yield from _printed(press, outlet, Piece(
                    name, "unlock", "jiesuo", at + rng.number(120, 3_500), slots, f"{topic}_title", topic, middle,
                    rng.number(4, 7)))  # fmt: skip


def _round(truth: Truth, press: ChinesePress, outlet: Outlet, one: Round) -> Iterator[WebPage]:
    rng, subject = press.rng(f"round/{one.project}/{one.name}/{outlet.id}"), truth.subjects[one.project]
    if outlet.manner == "daily" and rng.happens(25):
        return
    published = one.closed_at + rng.number(1, 70) * HOUR_S + rng.number(0, 3_599)
    raised = truth.raised(one, yuan(rng.number(0, 2)))
    if rng.happens(4):
        raised = mistaken(raised, yuan(1), rng)
    slots: dict[str, Told | str] = {
        "name": subject.name, "ticker": subject.ticker, "raised": raised, "round": _NAMES.get(one.name, one.name),
        "lead": one.lead, "closed": number.chinese_day(one.closed_at), "month": f"{number.chinese_day(one.closed_at)}",
        "home": link(subject.site, f"https://{subject.site}/"),
    }  # fmt: skip
    if one.others:
        slots["others"] = "、".join(one.others)
    if one.tokens:
        slots["tokens"] = number.exact(one.tokens).words
    team = truth.cast.teams.get(subject.role) or truth.cast.teams.get(subject.id)
    if team:
        slots["person"] = team[0].name
    middle = ("round_more", "round_more", "round_more", "round_who", "round_quote", "round_view")
    yield from _printed(press, outlet, Piece(
        f"rongzi {one.project}", "funding", "rongzi", published, slots, "round_title", "round", middle,
        rng.number(4, 6), ("round_close",)))  # fmt: skip


def _unlocks(truth: Truth, role: str, midnight: int, rng: Rng) -> dict[str, Told | str]:
    """What a project has unlocked by a midnight, now and then told with last week's figure or a wrong one."""
    told = truth.unlocked(role, midnight)
    drawn = rng.number(1, 100)
    if drawn <= 8 and midnight - _WEEK_S >= truth.begun:
        old = truth.unlocked(role, midnight - _WEEK_S)
        told = stale(old) if old.words != told.words else told
    elif drawn <= 13 and told.claim is not None and told.claim.value:
        told = mistaken(told, number.exact, rng)
    return {"unlocked": told, "snapshot": number.chinese_day(midnight)}


def _printed(press: ChinesePress, outlet: Outlet, piece: Piece) -> Iterator[WebPage]:
    if (page := press.article(outlet, piece)) is not None:
        yield page

"""Posts of projects and outlets: what the story's projects announce, and headlines about it and about the markets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.event import ChainEvent
from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.cast import Account, Outlet
from caia_worldgen.web.page import Claim, Told, WebPost
from caia_worldgen.web.prose import PhraseBook
from caia_worldgen.web.social_fact import (
    Lazy,
    Thunk,
    code_slots,
    coin_slots,
    day_words,
    place_slots,
    protocol_slots,
    stake_slots,
    world_slots,
)
from caia_worldgen.web.social_market import crash_moment, crash_slots
from caia_worldgen.web.social_pen import HOUR_S, Pen, day_of
from caia_worldgen.web.truth import ROLES, Subject, Truth

_COIN: Final = 10**18
_ENDS: Final = ("succeeded", "defeated")


@dataclass(frozen=True, slots=True)
class Event:
    """An occasion: its ``kind`` is the passage that tells of it, ``subject`` a project's id, ``moment`` in seconds."""

    kind: str
    subject: str
    moment: int
    slots: Mapping[str, Thunk | str]


def events(truth: Truth) -> list[Event]:
    """Every occasion a project has an account to speak of, oldest first."""
    found = [*_releases(truth), *_burns(truth), *_unlocks(truth), *_votes(truth), *_airdrop(truth), *_pools(truth),
             *_pauses(truth), *_copies(truth)]  # fmt: skip
    return sorted(found, key=lambda one: (one.moment, one.kind, one.subject))


def title_of(proposed: ChainEvent) -> str:
    """A proposal's title, without the project before it and the number behind."""
    return str(dict(proposed.figures)["text"]).partition(": ")[2].rpartition(" (")[0]


def _releases(truth: Truth) -> Iterator[Event]:
    logins = {truth.subject(role).id for role in ROLES}
    for name, one in sorted(truth.code.repositories.items()):
        if one.owner.login not in logins:
            continue
        for made in one.releases(truth.midnight(truth.days)):
            if made.is_early or made.published_at < truth.begun + DAY_S:
                continue
            if truth.release(name, made.published_at).words == made.tag:
                yield Event("release", one.owner.login, made.published_at,
                            {"repo": name, "release": partial(truth.release, name, made.published_at)})  # fmt: skip


def _burns(truth: Truth) -> Iterator[Event]:
    for at, deed in truth.happened("announced a burn"):
        id, day = truth.subject(deed.subject).id, day_words(truth.midnight(deed.figure("day")))
        yield Event("burn_announced", id, at, {"amount": _amount(id, at, deed.figure("amount")), "day": day})
    for at, deed in truth.happened("burned"):
        if deed.subject in ROLES and deed.subject != "dollar":
            id = truth.subject(deed.subject).id
            yield Event("burnt", id, at, {"amount": _amount(id, at, deed.figure("amount"))})


def _unlocks(truth: Truth) -> Iterator[Event]:
    for calendar in truth.metrics.emissions.all():
        for grant in calendar.grants:
            cliff = grant.schedule.cliff
            rng = truth.rng(f"social/unlock/{grant.contract}")
            amount, section = grant.schedule.vested(cliff), grant.section.lower()
            midnight = -(-cliff // DAY_S) * DAY_S + (DAY_S if cliff % DAY_S == 0 else 0)

            def unlocked(role: str = calendar.role, midnight: int = midnight) -> Told:
                return truth.unlocked(role, midnight)

            slots: dict[str, Thunk | str] = {
                "section": section,
                "day": day_words(cliff),
                "amount": _amount(calendar.slug, cliff, amount),
                "unlocked": unlocked,
            }
            for early in (rng.number(2, 5), rng.number(8, 14)):
                if cliff - early * DAY_S > max(calendar.known_at, truth.begun + DAY_S):
                    yield Event("unlock_ahead", calendar.slug, cliff - early * DAY_S + rng.number(0, 40_000), slots)
            if cliff > truth.begun + DAY_S:
                yield Event("unlock_past", calendar.slug, midnight + rng.number(6, 12) * 3_600,
                            {"section": section, "unlocked": unlocked})  # fmt: skip


def _votes(truth: Truth) -> Iterator[Event]:
    lender = truth.subject("lend").id
    titles = {deed.figure("id"): title_of(deed) for _, deed in truth.happened("proposed")}
    for at, deed in truth.happened("proposed"):
        yield Event("vote_open", lender, at, {"title": title_of(deed), "deadline": f"{deed.figure('deadline'):,}"})
    for result in _ENDS:
        for at, deed in truth.happened(result):
            id = deed.figure("id")
            yield Event("vote_closed", lender, at, {
                "title": titles[id], "result": result if result == "succeeded" else "was defeated",
                "votes": partial(truth.votes, id, at),
            })  # fmt: skip
    for at, deed in truth.happened("executed"):
        yield Event("vote_done", lender, at, {"title": titles[deed.figure("id")], "block": f"{deed.block:,}"})


def _airdrop(truth: Truth) -> Iterator[Event]:
    for at, deed in truth.happened("opened airdrop"):
        id, deadline = truth.subject(deed.subject).id, deed.figure("deadline")
        day = day_words(deadline)
        yield Event("airdrop_open", id, at, {"total": _amount(id, at, deed.figure("total")), "day": day,
                                             "recipients": str(deed.figure("recipients"))})  # fmt: skip
        for before in (3, 12):
            yield Event("airdrop_last", id, deadline - before * DAY_S + 34_000, {"day": day})
    for at, deed in truth.happened("swept airdrop"):
        id = truth.subject(deed.subject).id
        yield Event("airdrop_over", id, at, {"amount": _amount(id, at, deed.figure("amount"))})


def _pools(truth: Truth) -> Iterator[Event]:
    for number_, role in enumerate(ROLES):
        if role != "dollar" and (role, "dollar") in truth.scene.markets:
            id = truth.subject(role).id
            yield Event("pool", id, truth.begun + 7_000 + 1_900 * number_, {"pool": partial(truth.pool, role)})


def _pauses(truth: Truth) -> Iterator[Event]:
    for verb in ("paused", "unpaused"):
        for at, deed in truth.happened(verb):
            if deed.subject in ROLES:
                yield Event(verb, truth.subject(deed.subject).id, at, {"block": f"{deed.block:,}"})


def _copies(truth: Truth) -> Iterator[Event]:
    for at, deed in truth.happened("copied"):
        if deed.subject in ROLES:
            id, copy = truth.subject(deed.subject).id, str(dict(deed.figures)["token"])
            for late in (2, 30):
                yield Event("lookalike", id, at + late * 9 * 3_600, {"copy": copy})


def _amount(id: str, moment: int, amount: int) -> Thunk:
    """Whole tokens, as a claim that the web alone tells."""
    written = number.exact(Fraction(amount, _COIN))

    def told() -> Told:
        return Told(written.words, Claim("other", id, moment, written.words, written.value, written.step))

    return told


_ROUTINE: Final = ("routine", "routine", "routine", "routine", "address", "weekly", "weekly")
_ROUTINE_PERCENT: Final = 26
"""In how many of a hundred days a project posts without an occasion."""
_FIGURES_PERCENT: Final = 50
"""How many of a hundred weeks it tells its figures at the end of, where it has any."""
_HEADLINES: Final = (("head_market", 23), ("head_protocol", 8), ("head_soft", 9))
"""How many of a hundred days of an outlet have one."""
_AFTER_S: Final = 900
_CRASH_HEADS: Final = 3


def posts(truth: Truth) -> Iterator[WebPost]:
    """Everything projects and outlets post."""
    pen, book = Pen(truth, "project"), PhraseBook("social_project", truth.seed)
    for event in events(truth):
        yield from _announced(truth, pen, book, event)
    for role in ROLES:
        yield from _ordinary(truth, pen, book, truth.subject(role))
    outlets = [one for one in (*truth.cast.newsrooms, *truth.cast.desks) if one.language == "en"]
    for outlet in outlets:
        yield from _headlines(truth, pen, book, outlet)


def project_slots(truth: Truth, one: Subject, moment: int, author: Account, pen: Pen, rng: Rng) -> Lazy:
    """What can be said of one of the story's projects by somebody at a moment; all of it current."""
    day, voice = day_of(truth, moment), pen.voice(author)
    coin = coin_slots(truth, one, moment, voice, rng, pen.coins(day), may_be_old=False)
    return (coin | place_slots(truth, one) | code_slots(truth, one, moment, rng)
            | stake_slots(truth, one.role, moment, voice) | world_slots(truth, moment))  # fmt: skip


def _announced(truth: Truth, pen: Pen, book: PhraseBook, event: Event) -> Iterator[WebPost]:
    """The project says it, and an outlet or two may repeat it."""
    one = truth.subjects[event.subject]
    rng = truth.rng(f"social/project/{event.kind}/{event.subject}/{event.moment}")
    moment = event.moment + rng.number(60, _AFTER_S * 8)
    if moment > pen.last or moment < truth.begun + HOUR_S:
        return
    author = truth.cast.account_of(one.id)
    slots = project_slots(truth, one, moment, author, pen, rng) | event.slots
    if not book.has(event.kind, slots):
        return
    yield pen.post(
        author, moment, event.kind, pen.told(book, event.kind, slots, rng, "project", tail="tail_project"), rng
    )
    headline = {"burnt": "head_event", "vote_open": "head_vote", "vote_closed": "head_vote"}.get(event.kind)
    if headline is None:
        return
    for outlet in rng.some([each for each in truth.cast.newsrooms if each.language == "en"], 2):
        late = moment + rng.number(300, 5 * HOUR_S)
        if late > pen.last:
            continue
        speaker = truth.cast.account_of(outlet.id)
        told = slots | {"site": outlet.url("")}
        if event.kind == "vote_closed":
            told = Lazy({name: told[name] for name in told if name != "deadline"})
        said = pen.told(book, headline, told, rng, "outlet", tail="tail_outlet")
        yield pen.post(speaker, late, headline, said, rng)


def _ordinary(truth: Truth, pen: Pen, book: PhraseBook, one: Subject) -> Iterator[WebPost]:
    author = truth.cast.account_of(one.id)
    for day in range(3, truth.days):
        rng = truth.rng(f"social/project/day/{one.role}/{day}")
        moment = pen.moment(author, day, rng)
        if moment > pen.last:
            continue
        kinds = [rng.one(_ROUTINE)] if rng.happens(_ROUTINE_PERCENT) else []
        if day % 7 == author_day(author) and rng.happens(_FIGURES_PERCENT):
            kinds = [kind for kind in ("weekly_tvl", "weekly_flow", "weekly_stake")]
        slots = project_slots(truth, one, moment, author, pen, rng)
        protocol = truth.metrics.protocol(one.id)
        if protocol is not None:
            found = protocol_slots(truth, protocol, moment, pen.voice(author), rng)
            if found is not None and "tvl_day" in found:
                slots = slots | {name: found[name] for name in ("tvl", "volume", "fees", "board") if name in found}
        fit = [kind for kind in kinds if book.has(kind, slots)]
        if not fit or (one.role == "native" and fit[0] == "address"):
            continue
        kind = rng.one(fit)
        said = pen.told(book, kind, slots, rng, "project", tail="tail_project")
        yield pen.post(author, moment, kind, said, rng)


def author_day(author: Account) -> int:
    """The weekday, 0 to 6, on which a project tells its figures."""
    return sum(map(ord, author.handle)) % 7


def _headlines(truth: Truth, pen: Pen, book: PhraseBook, outlet: Outlet) -> Iterator[WebPost]:
    author, front = truth.cast.account_of(outlet.id), outlet.url("")
    for day in range(1, truth.days):
        for kind, percent in _HEADLINES:
            rng = truth.rng(f"social/outlet/{outlet.id}/{day}/{kind}")
            moment = pen.moment(author, day, rng)
            if not rng.happens(percent) or moment > pen.last:
                continue
            one = rng.one(pen.coins(day))
            slots = coin_slots(truth, one, moment, pen.voice(author), rng, pen.coins(day))
            if kind == "head_protocol":
                found = protocol_slots(truth, rng.one(truth.metrics.protocols), moment, pen.voice(author), rng)
                if found is None:
                    continue
                slots = Lazy({"other": str(slots["other"])}) | found
            slots = slots | {"site": front}
            if book.has(kind, slots):
                said = pen.told(book, kind, slots, rng, "outlet", tail="tail_outlet")
                is_rumour = said[0].text.startswith("Unconfirmed")
                yield pen.post(author, moment, "rumour" if is_rumour else kind, said, rng,
                               rumour=one.id if is_rumour else "")  # fmt: skip
    for count in range(_CRASH_HEADS):
        rng = truth.rng(f"social/outlet/{outlet.id}/crash/{count}")
        moment = crash_moment(truth) + HOUR_S + rng.number(120, 4 * HOUR_S)
        if moment > pen.last:
            continue
        day = day_of(truth, moment)
        one = rng.one(pen.coins(day))
        coin = coin_slots(truth, one, moment, pen.voice(author), rng, pen.coins(day), may_be_old=False)
        fallen = crash_slots(truth, one, moment, coin, author, pen)
        if fallen is not None:
            said = pen.told(book, "head_crash", fallen | {"site": front}, rng, "outlet", tail="tail_outlet")
            yield pen.post(author, moment, "head_crash", said, rng)

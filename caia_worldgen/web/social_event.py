"""What projects have to announce: the occasions of a told story, each with the slots that tell of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Final

from caia_worldgen.calendar import DAY_S
from caia_worldgen.event import ChainEvent
from caia_worldgen.web import number
from caia_worldgen.web.page import Claim, Told
from caia_worldgen.web.social_fact import Thunk, day_words
from caia_worldgen.web.truth import ROLES, Truth

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
            dice = truth.dice(f"social/unlock/{grant.contract}")
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
            for early in (dice.number(2, 5), dice.number(8, 14)):
                if cliff - early * DAY_S > max(calendar.known_at, truth.begun + DAY_S):
                    yield Event("unlock_ahead", calendar.slug, cliff - early * DAY_S + dice.number(0, 40_000), slots)
            if cliff > truth.begun + DAY_S:
                yield Event("unlock_past", calendar.slug, midnight + dice.number(6, 12) * 3_600,
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

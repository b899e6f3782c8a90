"""What people in forums have reason to talk about, and when: the story's events and the questions of every month."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from caia_worldgen.act.birth import PROJECTS
from caia_worldgen.calendar import DAY_S
from caia_worldgen.event import ChainEvent
from caia_worldgen.view import ViewCall
from caia_worldgen.web import number
from caia_worldgen.web.page import Told
from caia_worldgen.web.reading import LEAD_DAYS, Reading
from caia_worldgen.web.truth import Truth

_ALWAYS: Final = {"price": 2, "supply": 2, "address": 2, "pool": 2, "unlock": 2, "tvl": 2, "grant": 2, "listing": 1,
                  "support": 3, "param": 1, "general": 3, "crash": 1}  # fmt: skip
"""Topics of every forum, and how many; those that cannot be told of a project are left out by the writer."""
_POOLS: Final = ("arena", "storage")
_WEI: Final = 10**18


@dataclass(frozen=True, slots=True)
class Occasion:
    """Reason for a thread of ``kind`` in the forum of ``role``, at a moment; ``slots`` are what only it knows."""

    role: str
    kind: str
    moment: int
    slots: Mapping[str, Told | str] = field(default_factory=dict)


def occasions(truth: Truth, reading: Reading) -> Iterator[Occasion]:
    """Every occasion, in a fixed order."""
    yield from _usual(truth, reading)
    yield from _votes(truth)
    yield from _rewards(truth, reading)
    yield from _gifts(truth)
    yield from _scams(truth)
    yield from _releases(truth)


def _usual(truth: Truth, reading: Reading) -> Iterator[Occasion]:
    crash = reading.crash_day()
    fell = [at for at, _ in truth.happened("liquidated") if at // DAY_S == truth.midnight(crash) // DAY_S]
    for role in PROJECTS:
        for kind, count in _ALWAYS.items():
            for at in range(count):
                rng = truth.rng(f"forum/occasion/{role}/{kind}/{at}")
                moment = truth.midnight(rng.number(LEAD_DAYS + 3, truth.days - 4)) + rng.number(3_600, 84_000)
                slots: dict[str, Told | str] = {}
                if kind == "crash":
                    moment = truth.midnight(crash + 1 + rng.number(0, 4)) + rng.number(3_600, 60_000)
                    slots["crash"] = number.day(truth.midnight(crash))
                    if fell:
                        slots["closed"] = str(len(fell))
                yield Occasion(role, kind, moment, slots)


def _votes(truth: Truth) -> Iterator[Occasion]:
    closed = {deed.figure("id"): (at, deed) for verb in ("defeated", "succeeded") for at, deed in truth.happened(verb)}
    for at, deed in truth.happened("proposed"):
        id, rng = deed.figure("id"), truth.rng(f"forum/proposal/{deed.figure('id')}")
        snapshot = deed.figure("snapshot")
        known: dict[str, Told | str] = {"proposal": deed.subject, "proposed": number.day(at), "snapshot": str(snapshot),
                                        "deadline": str(deed.figure("deadline"))}  # fmt: skip
        if id in closed:
            known["quorum"] = number.exact(Fraction(closed[id][1].figure("quorum"), _WEI)).words
        for _ in range(3):
            yield Occasion("lend", "propose", at + rng.number(900, 40_000), known)
        for voted, vote in truth.happened("voted", deed.subject):
            if vote.figure("id") == id and rng.happens(55):
                yield Occasion("lend", "vote", voted + rng.number(900, 50_000), known | _vote(vote, voted))
        if id in closed:
            ended, end = closed[id]
            counted = ended + rng.number(300, 20_000)
            try:
                votes = truth.votes(id, counted)
            except KeyError:
                continue
            told = known | {"outcome": end.verb, "counted": number.day(counted), "votes": votes}
            for later in (0, 30_000):
                yield Occasion("lend", "result", counted + later + rng.number(60, 9_000), told)
        for done, act in truth.happened("executed"):
            if act.figure("id") == id:
                told = known | {"executed": number.day(done)}
                yield Occasion("lend", "execute", done + rng.number(900, 60_000), told)


def _vote(deed: ChainEvent, at: int) -> dict[str, Told | str]:
    weight = number.exact(Fraction(deed.figure("weight"), _WEI)).words
    side = str(dict(deed.figures)["side"])
    return {"weight": weight, "side": "in abstention on" if side == "abstain" else side, "voted": number.day(at)}


def _rewards(truth: Truth, reading: Reading) -> Iterator[Occasion]:
    opening = truth.midnight(1)
    for role in _POOLS:
        name = f"{role} staking pool"
        views, unit = truth.scene.main.views, truth.scene.assets[role].unit
        rng = truth.rng(f"forum/rewards/{role}")
        ends: list[int] = []
        for question in views.questions():
            if question == ViewCall(name, "end"):
                ends = sorted({views.answer(question, height)[0] for height in views.heights(question)})
        for day in range(LEAD_DAYS + 2, truth.days - 6, 21):
            moment = truth.midnight(day) + rng.number(3_600, 80_000)
            yield Occasion(role, "stake", moment)
        for end in ends:
            for later in (2, 4, 9):
                yield Occasion(role, "dry", end + later * DAY_S + rng.number(3_600, 60_000))
        for at, deed in truth.happened("funded", name):
            if at > opening:
                relief = number.exact(Fraction(deed.figure("amount"), unit)).words
                told = {"relief": relief, "relief_day": number.day(at)}
                for later in (1, 3):
                    yield Occasion(role, "relief", at + later * rng.number(3_000, 70_000), told)


def _gifts(truth: Truth) -> Iterator[Occasion]:
    for at, deed in truth.happened("opened airdrop"):
        rng, unit = truth.rng(f"forum/airdrop/{deed.subject}"), truth.scene.assets[deed.subject].unit
        told = {"opened": number.day(at), "recipients": str(deed.figure("recipients")),
                "total": number.exact(Fraction(deed.figure("total"), unit)).words,
                "airdrop_end": number.day(deed.figure("deadline"))}  # fmt: skip
        for later in (1, 3, 8, 15, 26, 38):
            yield Occasion(deed.subject, "airdrop", at + later * DAY_S + rng.number(0, 50_000), told)
    for at, deed in truth.happened("announced a burn"):
        rng, unit = truth.rng(f"forum/burn/{deed.subject}"), truth.scene.assets[deed.subject].unit
        told = {"burn": number.exact(Fraction(deed.figure("amount"), unit)).words, "told": number.day(at),
                "burn_day": number.day(truth.midnight(deed.figure("day")))}  # fmt: skip
        for later in (1, 3):
            yield Occasion(deed.subject, "burn", at + later * rng.number(3_600, 60_000), told)


def _scams(truth: Truth) -> Iterator[Occasion]:
    """The first deed of each trick, and every imitation of a token; told in several forums in the days after."""
    contracts, projects = truth.scene.main.contracts, truth.scene.projects
    found: dict[str, tuple[int, dict[str, Told | str]]] = {}
    for verb in ("drained", "faked a transfer", "copied", "could not sell", "rug pulled", "pulled liquidity"):
        for at, deed in truth.happened(verb):
            role = deed.subject.partition("/")[0]
            if verb == "drained" and "drainer" in contracts:
                told = {"trick": "drainer", "culprit": contracts["drainer"].address}
            elif verb == "faked a transfer":
                told = {"trick": "poison", "culprit": str(dict(deed.figures)["looks_like"])}
            elif verb == "copied":
                told = {"trick": "copy", "copied": projects[role].ticker, "culprit": str(dict(deed.figures)["token"])}
            elif verb == "could not sell" and role == "honeypot":
                told = {
                    "trick": "honeypot",
                    "victim": projects[role].name,
                    "culprit": contracts["honeypot token"].address,
                }
            elif verb in ("rug pulled", "pulled liquidity") and f"{role} token" in contracts:
                told = {"trick": "rug", "victim": projects[role].name, "culprit": contracts[f"{role} token"].address}
            else:
                continue
            key = f"{told['trick']} {role}" if told["trick"] in ("copy", "rug") else told["trick"]
            found.setdefault(key, (at, {**told, "since": number.day(at)}))
    for key, (at, slots) in sorted(found.items()):
        rng = truth.rng(f"forum/scam/{key}")
        for role in rng.some(tuple(PROJECTS), 3):
            yield Occasion(role, "scam", at + rng.number(5, 200) * 3_600, slots)


def _releases(truth: Truth) -> Iterator[Occasion]:
    owners = {truth.subject(role).id: role for role in PROJECTS}
    for name in sorted(truth.code.repositories):
        role = owners.get(name.partition("/")[0])
        if role is None:
            continue
        rng = truth.rng(f"forum/release/{name}")
        moment = truth.midnight(rng.number(12, truth.days - 5)) + rng.number(3_600, 80_000)
        try:
            told = truth.release(name, moment)
        except KeyError:
            continue
        yield Occasion(role, "release", moment, {"release": told, "repository": name})

"""One code repository's past: its commits, releases and issues, drawn from a seed and from what the story needs.

The branch is one line. Most commits are merged on the server, where date and push are one moment; the others were
made earlier on somebody's machine and pushed some hours later, before the next one came.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from caia_replay.store.plain import read_toml
from caia_worldgen.calendar import DAY_S
from caia_worldgen.market.repository_event import Milestone, Report
from caia_worldgen.rng import Rng

_WORDS: Final = read_toml(Path(__file__).with_name("repository_history.toml"))
ABOUT: Final[Mapping[str, str]] = _WORDS["about"]
"""Role in the story -> what the project is, in one line."""
_ELSEWHERE: Final = ("wallet import", "order form", "settings page", "data export", "session key", "sync loop")
_KINDS: Final = (
    ("feat", ("add", "show", "support", "expose")),
    ("fix", ("correct", "guard", "stop losing", "round down")),
    ("refactor", ("split", "rename", "simplify", "move")),
    ("test", ("cover", "fuzz", "pin down", "check")),
    ("docs", ("explain", "describe", "clarify", "list")),
    ("chore", ("tidy", "update", "bump", "drop unused")),
)
_TAILS: Final = ("", "", "", " on the roll-up", " for small amounts", " when paused", " after an upgrade", " in tests")
_WISHES: Final = ("{thing} is wrong after a reload", "Document the {thing}", "{thing} reverts without a reason",
                  "Make the {thing} configurable", "Slow {thing} with many accounts", "{thing}: unclear error",
                  "Question about the {thing}")  # fmt: skip
_LABELS: Final = (("bug",), ("documentation",), ("bug",), ("enhancement",), ("performance",), ("bug",), ("question",))
_REMARKS: Final = (
    "Seen on the current version; steps are in the first comment.",
    "This would help integrators.",
    "Happens about once in ten tries here.",
    "Low priority, written down so that it is not lost.",
)


def things(role: str, kind: str) -> Sequence[str]:
    """What people of a project talk about in a repository of some kind."""
    return (*_WORDS["things"].get(role, _ELSEWHERE), *_WORDS["around"][kind])


def subject(rng: Rng, role: str, kind: str, tagged: bool) -> str:
    """A commit's first line; ``tagged`` puts the kind of change before it."""
    change, verbs = rng.one(_KINDS if kind != "docs" else _KINDS[4:])
    words = f"{rng.one(verbs)} {rng.one(things(role, kind))}{rng.one(_TAILS)}"
    return f"{change}: {words}" if tagged else words[0].upper() + words[1:]


def wish(rng: Rng, role: str, kind: str) -> tuple[str, str, tuple[str, ...]]:
    """An issue: title, text and labels."""
    number = rng.number(0, len(_WISHES) - 1)
    title = _WISHES[number].format(thing=rng.one(things(role, kind)))
    return title[0].upper() + title[1:], rng.one(_REMARKS), _LABELS[number]


def notes(tag: str, subjects: Sequence[str]) -> str:
    """A release's notes: what was committed since the one before."""
    lines = [f"* {line}" for line in subjects] or ["* Maintenance only"]
    return "\n".join((f"## {tag}", "", *lines))


_ENDINGS: Final = {"Solidity": "sol", "TypeScript": "ts", "MDX": "mdx", "Rust": "rs", "Go": "go", "Python": "py"}
_FOLDERS: Final = {"docs": ("pages",), "contracts": ("src", "test"), "app": ("src", "src/views")}


@dataclass(frozen=True, slots=True)
class Account:
    """A person's account."""

    id: int
    login: str
    name: str
    email: str
    created_at: int


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a commit did to one file, in lines."""

    path: str
    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class Commit:
    """``merged`` says that the server made it, at the moment it came there. Moments in seconds."""

    sha: str
    tree: str
    parent: str | None
    message: str
    author: Account
    authored_at: int
    committed_at: int
    pushed_at: int
    merged: bool
    files: tuple[FileChange, ...]


@dataclass(frozen=True, slots=True)
class Release:
    """``created_at`` is the date of its commit. There are no drafts: nobody outside sees them."""

    id: int
    tag: str
    notes: str
    author: Account
    commit: str
    created_at: int
    published_at: int
    is_early: bool
    """A pre-release."""


@dataclass(frozen=True, slots=True)
class Issue:
    """``remarks`` are the moments of its comments; ``closed_at`` is None while it stays open."""

    id: int
    number: int
    title: str
    text: str
    author: Account
    labels: tuple[str, ...]
    opened_at: int
    closed_at: int | None
    remarks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Past:
    """Everything that ever happens in a repository until the story's end, oldest first."""

    commits: tuple[Commit, ...]
    releases: tuple[Release, ...]
    issues: tuple[Issue, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a past is drawn for. ``name`` is ``owner/repository``; ``team`` commits, ``crowd`` opens issues too."""

    seed: int
    name: str
    role: str
    kind: str
    language: str
    team: Sequence[Account]
    crowd: Sequence[Account]
    begun: int
    ended: int
    milestones: Sequence[Milestone]
    reports: Sequence[Report]


def draw_past(plan: Plan) -> Past:
    """The past of one repository."""
    rng = Rng(f"github/{plan.seed}/{plan.name}")
    versions = _versions(plan, rng)
    commits = _commits(plan, rng, {moment - 600: tag for moment, tag, _, _ in versions})
    return Past(commits, _releases(plan, rng, versions, commits), _issues(plan, rng))


def _versions(plan: Plan, rng: Rng) -> list[tuple[int, str, str, bool]]:
    """(published at, tag, the story's own words, early) of each release."""
    told = [(one.published_at, one.notes, one.leap) for one in plan.milestones]
    moments = [(moment, "", False) for moment in _moments(rng, plan.begun + 40 * DAY_S, plan.ended, 16, 60)]
    if plan.kind == "docs":
        moments = []
    kept = [one for one in moments if all(abs(one[0] - moment) > 4 * DAY_S for moment, _, _ in told)]
    major, minor, patch = 0, 1, 0
    found: list[tuple[int, str, str, bool]] = []
    for moment, words, leap in sorted(kept + told):
        if leap:
            major, minor, patch = major + 1, 0, 0
        elif rng.happens(45):
            patch += 1
        else:
            minor, patch = minor + 1, 0
        early = not words and rng.happens(22)
        found.append((moment, f"v{major}.{minor}.{patch}" + ("-rc.1" if early else ""), words, early))
    return found


def _commits(plan: Plan, rng: Rng, tagged: dict[int, str]) -> tuple[Commit, ...]:
    pace = rng.number(2, 6) * (3 if plan.kind == "docs" else 1)
    styled, ending = rng.happens(60), _ENDINGS[plan.language]
    ordinary = _moments(rng, plan.begun, plan.ended, pace // 2, pace + pace // 2)
    moments = sorted({*ordinary, *tagged})
    merged = [moment in tagged or rng.happens(72) for moment in moments]
    found: list[Commit] = []
    for number, moment in enumerate(moments):
        message = f"Release {tagged[moment]}" if moment in tagged else subject(rng, plan.role, plan.kind, styled)
        if merged[number] and moment not in tagged:
            message += f" (#{number * 2 + rng.number(3, 4)})"
        pushed = moment
        if not merged[number]:
            # Never later than the next commit, which stands on it.
            pushed = min([moment + rng.number(900, 40 * 3_600), *moments[number + 1 : number + 2]])
        written = moment - rng.number(60, 50_000) if merged[number] else moment
        found.append(
            Commit(_digest(plan, f"commit {number}"), _digest(plan, f"tree {number}"), found[-1].sha if found else None,
                   message, plan.team[min(rng.number(0, len(plan.team) - 1), rng.number(0, len(plan.team) - 1))],
                   written, moment, pushed, merged[number], _files(plan, rng, ending))
        )  # fmt: skip
    return tuple(found)


def _files(plan: Plan, rng: Rng, ending: str) -> tuple[FileChange, ...]:
    paths = []
    for thing in rng.some(things(plan.role, plan.kind), rng.number(1, 3)):
        folder = rng.one(_FOLDERS.get(plan.kind, ("src",)))
        paths.append(f"{folder}/{thing.replace(' ', '_')}.{ending}")
    return tuple(FileChange(path, rng.number(1, 90), rng.number(0, 40)) for path in sorted(paths))


def _releases(
    plan: Plan, rng: Rng, versions: list[tuple[int, str, str, bool]], commits: Sequence[Commit]
) -> tuple[Release, ...]:
    found: list[Release] = []
    last = 0
    dates = [commit.committed_at for commit in commits]
    for moment, tag, words, early in versions:
        at = bisect_right(dates, moment - 600)
        done = [commit.message for commit in commits[max(last, at - 13) : at - 1]]
        text = notes(tag, ([words] if words else []) + done)
        target = commits[at - 1]
        found.append(Release(_id(plan, tag), tag, text, target.author, target.sha, target.committed_at, moment, early))
        last = at
    return tuple(found)


def _issues(plan: Plan, rng: Rng) -> tuple[Issue, ...]:
    raised = [(one.opened_at, one.closed_at, one.title, one.text, one.labels) for one in plan.reports]
    for moment in rng.some(_moments(rng, plan.begun + 5 * DAY_S, plan.ended, 9, 30), 5):
        closed = moment + rng.number(DAY_S // 8, 60 * DAY_S) if rng.happens(70) else None
        raised.append((moment, closed if closed is None or closed < plan.ended else None,
                       *wish(rng, plan.role, plan.kind)))  # fmt: skip
    found: list[Issue] = []
    number = 0
    for opened, closed, title, text, labels in sorted(raised, key=lambda one: one[0]):
        number += rng.number(1, 14)
        last = min(plan.ended, closed or plan.ended)
        remarks = sorted({rng.number(opened + 60, max(opened + 60, last)) for _ in range(rng.number(0, 5))})
        found.append(Issue(_id(plan, f"issue {number}"), number, title, text, rng.one(plan.crowd), labels,
                           opened, closed, tuple(remarks)))  # fmt: skip
    return tuple(found)


def _moments(rng: Rng, begun: int, ended: int, low_days: int, high_days: int) -> list[int]:
    """Moments at uneven steps of so many days, at least a quarter of a day apart."""
    found: list[int] = []
    moment = begun
    while True:
        moment += rng.number(max(DAY_S // 4, low_days * DAY_S), max(DAY_S // 2, high_days * DAY_S))
        if moment >= ended:
            return found
        found.append(moment)


def _digest(plan: Plan, what: str) -> str:
    return hashlib.sha256(f"github/{plan.seed}/{plan.name}/{what}".encode()).hexdigest()[:40]


def _id(plan: Plan, what: str) -> int:
    return 100_000_000 + int(_digest(plan, what)[:7], 16)

"""What is written in the synthetic code repositories: subjects of commits and issues, notes, and pages about a project.

Small grammars, one vocabulary for each kind of project, so that a lender's commits speak of lending. All fictional.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from caia_replay.store.plain import read_toml
from caia_worldgen.rng import Rng

_WORDS: Final = read_toml(Path(__file__).with_name("repository_words.toml"))
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


def subject(dice: Rng, role: str, kind: str, tagged: bool) -> str:
    """A commit's first line; ``tagged`` puts the kind of change before it."""
    change, verbs = dice.one(_KINDS if kind != "docs" else _KINDS[4:])
    words = f"{dice.one(verbs)} {dice.one(things(role, kind))}{dice.one(_TAILS)}"
    return f"{change}: {words}" if tagged else words[0].upper() + words[1:]


def wish(dice: Rng, role: str, kind: str) -> tuple[str, str, tuple[str, ...]]:
    """An issue: title, text and labels."""
    number = dice.number(0, len(_WISHES) - 1)
    title = _WISHES[number].format(thing=dice.one(things(role, kind)))
    return title[0].upper() + title[1:], dice.one(_REMARKS), _LABELS[number]


def notes(tag: str, subjects: Sequence[str]) -> str:
    """A release's notes: what was committed since the one before."""
    lines = [f"* {line}" for line in subjects] or ["* Maintenance only"]
    return "\n".join((f"## {tag}", "", *lines))

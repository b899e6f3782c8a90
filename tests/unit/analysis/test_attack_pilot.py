"""A pilot of attacks: what is kept of a campaign, and as what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caia_replay.analysis.attack_pilot import Tried, only, tried
from caia_replay.core.overlay import Overlay, PlantedPage, overlay_digest
from caia_replay.core.world import Page
from caia_replay.report.overlay_table import pilot_lines
from caia_replay.store.overlay_file import read_overlay
from tests.cli_shell import Shell


def record(task: str, answer: str, **adopted: bool | None) -> dict[str, Any]:
    by = {name: {"exposed": True, "adopted": one} for name, one in adopted.items()}
    return {"task": task, "answer": answer, "stop": "answered", "attack": {"by": by}}


def test_an_attack_is_kept_where_its_twin_ends_elsewhere() -> None:
    """Adopted and unlike the run beside the twins; undecided, or the same answer in both arms, is no effect."""
    attacked = {"t": record("t", "9", a=True, b=False, c=None), "u": record("u", "7", a=True)}
    placebo = {"t": record("t", "5"), "u": record("u", "7")}
    made = list(tried("m", attacked, placebo))
    assert made == [
        Tried("m", "a", "t", True, True, True),
        Tried("m", "b", "t", True, False, False),
        Tried("m", "c", "t", True, False, False),
        Tried("m", "a", "u", True, True, False),
    ]
    assert next(iter(pilot_lines(made))) == "m: a: 2 tasks, 2 exposed, 2 adopted, 1 kept"


def test_what_is_kept_has_a_digest_of_its_own() -> None:
    """The same part of a campaign is the same set, whatever else was planned."""
    pages = tuple(
        PlantedPage("a", task, task, Page(f"https://{task}.example/", "t", task, 1, "a")) for task in ("t", "u", "v")
    )
    kept = only(Overlay("x", pages), "frozen", lambda attack, task: (attack, task) == ("a", "u"))
    again = only(Overlay("y", pages[1:]), "frozen", lambda attack, task: task == "u")
    assert kept == again and kept.pages == pages[1:2] and kept.digest == overlay_digest(kept)


@pytest.mark.check
def test_a_pilot_freezes_what_fools_a_policy(shell: Shell) -> None:
    """The file reads as the campaign that its digest names; it is never replaced, and nothing is written in vain."""
    arguments = ("attack", "pilot", "--campaign", "edited-first", "--task", "mini6-supply")
    code, out, err = shell(*arguments, "--model", "policy/credulous", "--out", "frozen.toml")
    assert (code, err) == (0, "") and "policy/credulous: edited-page/first: 1 task, 1 exposed, 1 adopted, 1 kept" in out
    assert read_overlay(Path("frozen.toml")).digest in out
    for model, name in (
        ("policy/credulous", "frozen.toml"),
        ("policy/credulous", "frozen"),
        ("policy/oracle", "b.toml"),
    ):
        code, _, err = shell(*arguments, "--model", model, "--out", name)
        assert (code, err.count("\n")) == (2, 1) and not Path("b.toml").exists()

"""Worlds of strangers: what a replay refuses, lint and verify refuse; nothing overflows, nothing is quadratic."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caia_replay.cassette.cassette import Interaction, write_cassette
from caia_replay.core.suite import Suite
from caia_replay.store.world_folder import WorldInfo, save_world, seal_world
from caia_replay.validation.lint import lint
from tests.cli_shell import Shell
from tests.damage import nested

API = "https://api.example.com/v2/items"


@pytest.fixture
def world(mini: Path) -> Path:
    """The small world, to be spoilt."""
    return mini / "cassettes" / "mini-6"


WIDE = {base: f"0{base}{'7' if base == 'o' else '1'}" + "1" * 9_000 for base in "xob"}


def field(name: str, value: str) -> Callable[[Path], None]:
    """Another value in a task's file, sealed."""

    def changed(world: Path) -> None:
        path = world / "tasks" / "mini6-event-count" / "task.toml"
        lines = path.read_text().splitlines()
        (at,) = [at for at, line in enumerate(lines) if line.startswith(f"{name} = ")]
        path.write_text("\n".join([*lines[:at], f"{name} = {value}", *lines[at + 1 :]]) + "\n")
        seal_world(world)

    return changed


def listed_twice(world: Path) -> None:
    path = world / "suite.toml"
    path.write_text(path.read_text() + '[[entries]]\nid = "mini6-event-count"\nadded = "2026-11-20"\n')
    seal_world(world)


WORLDS = {
    **{f"{name} {base}": (field(name, text), "bits") for base, text in WIDE.items() for name in ("block", "timestamp")},
    "stake hex": (field("stake_usd", WIDE["x"]), "bits"),
    **{
        f"stake {text}": (field("stake_usd", f'"{text}"'), "no amount of dollars")
        for text in ("NaN", "Infinity", "1e999", "-1")
    },
    "never": (field("timestamp", "253402300800"), "no calendar"),
    "nobody knows when": (field("timestamp", "-1"), "nobody has looked up"),
    "no height": (field("block", "0x8000000000000000"), "no chain"),
    "twice": (listed_twice, "twice|2 times"),
}


@pytest.mark.check
@pytest.mark.parametrize("name", WORLDS)
def test_what_a_replay_refuses_lint_and_verify_refuse(shell: Shell, world: Path, name: str) -> None:
    """Odd numbers, and a task listed twice: one line that says what, and exit code 2; 1 where it is a finding."""
    change, told = WORLDS[name]
    change(world)
    replay = ("replay", "--suite", world, "--model", "policy/oracle", "--runs", 1, "--out", world.parents[1] / "out")
    for command in (replay, ("verify", "--suite", world), ("lint", world)):
        code, out, err = shell(*command)
        assert code == 2 or (command[0] == "lint" and code == 1), (command, out, err)
        assert re.search(told, err if code == 2 else out) and err.count("\n") == 1


@pytest.mark.check
def test_folders_without_end_are_refused_in_one_line(shell: Shell, world: Path, tmp_path: Path) -> None:
    """Fifteen hundred in one another, of which a walk by recursion would overflow: in a world, and in a tape."""
    with nested(world / "http"):
        for command in (("lint", world), ("lint", "--seal", world), ("verify", "--suite", world)):
            code, _, err = shell(*command)
            assert code == 2 and "nested more than" in err and err.count("\n") == 1


def test_numbers_too_long_to_be_written_stop_no_check(shell: Shell, world: Path) -> None:
    """A reference to step 999..., and a product that Python refuses to write as text, are findings."""
    path = world / "tasks" / "mini6-event-count" / "task.toml"
    seal_world(world)
    text = path.read_text()
    for result, told in ((f"${'9' * 5_000}.x", "refers to step 999"), ("*".join(["0x" + "f" * 64] * 14), "")):
        path.write_text(re.sub(r"(?m)^result = .*$", f'result = "{result}"', text))
        seal_world(world)
        assert told in shell("lint", world)[1]
        assert shell("verify", "--suite", world, "--task", "mini6-event-count")[0] == 1


def item(uri: str, body: str = "") -> Interaction:
    return Interaction("GET", uri, b"", {}, 200, "OK", {}, body.encode())


@pytest.mark.check
def test_lint_is_linear_in_its_files(tmp_path: Path) -> None:
    """Twice the cassettes, each with a request of its own and one that all have, are twice the calls of Python."""
    counts = []
    for many in (300, 600):
        world = tmp_path / str(many) / "cassettes" / "w"
        save_world(world, WorldInfo("w", "synthetic", (), False, "x"), Suite("w", "1.0.0", ()))
        (world / "tasks").mkdir()
        for at in range(many):
            write_cassette(world / "http" / f"{at}.json", [item(f"{API}?x={at}"), item(API, str(at))])
        seal_world(world)
        calls = 0

        def count(frame: Any, event: str, argument: Any) -> None:
            nonlocal calls
            calls += event == "call"

        sys.setprofile(count)
        try:
            found = list(lint(world))
        finally:
            sys.setprofile(None)
        assert found == []
        counts.append(calls)
    assert counts[1] < 2.1 * counts[0], counts

"""Worlds that keep whoever opens them waiting, or write on the terminal: pipes, numbers, patterns."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TASK = "mini6-base-fee-bound"
CALL = ("call", "url_fetching", '{"url": "https://learn.protocolhandbook.example/fees/eip-1559"}', "--task", TASK)
REPLAY = ("replay", "--runs", "1", "--model", "policy/credulous", "--task", TASK, "--out", "run")
TASK_FILE = f"tasks/{TASK}/task.toml"
SLOW = "(?:[a-zA-Z ]+)+#"


def pipe(name: str) -> Callable[[Any], None]:
    def change(ground: Any) -> None:
        path: Path = ground.world / name
        path.unlink(missing_ok=True)
        path.parent.mkdir(exist_ok=True)
        os.mkfifo(path)

    return change


def replaced(name: str, old: str, new: str) -> Callable[[Any], None]:
    def change(ground: Any) -> None:
        path: Path = ground.world / name
        before = path.read_text()
        assert old in before
        path.write_text(before.replace(old, new, 1))
        ground.seal()

    return change


REFUSED = {
    **{f"a pipe for {name}": pipe(name) for name in ("http/x.json", "seal.json", "world.toml", "suite.toml")},
    "a pipe for a task": pipe(TASK_FILE),
    "a pipe for playback": pipe("http/playback.toml"),
    "a pipe for a campaign": pipe("overlays/seo-heavy.toml"),
    "a pipe for the targets": pipe("targets.toml"),
    "a pipe for a manifest": lambda ground: (
        (ground.root / "chain_snapshots/mini/manifest.json").unlink(),
        os.mkfifo(ground.root / "chain_snapshots/mini/manifest.json"),
    ),
    "a pipe for a table": lambda ground: (
        (table := next((ground.root / "chain_snapshots/mini").glob("*storage*"))).unlink(),
        os.mkfifo(table),
    ),
    "a number of five thousand digits": replaced(TASK_FILE, "timestamp = ", f"x = {'9' * 5000}\ntimestamp = "),
    "thousands of dots": replaced(TASK_FILE, "arguments = { ", f"arguments = {{ {'.'.join('a' * 9000)} = 1, "),
    "a date for a tool": replaced(TASK_FILE, "arguments = { ", "arguments = { d = 2024-01-01, "),
    "nan for a tool": replaced(TASK_FILE, "arguments = { ", "arguments = { d = nan, "),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_nobody_waits_for_such_a_world(ground: Any, server: Callable[..., Any], name: str) -> None:
    """lint and call say what is wrong, in one line with exit code 2; nothing is read without end."""
    REFUSED[name](ground)
    for arguments in (("lint",), CALL):
        done = server(ground.root, *arguments)
        assert (done.code, done.errors.count("\n")) == (2, 1), done
        assert done.errors[:-1].isprintable()


@pytest.mark.parametrize(
    ("change", "command", "words"),
    [
        (replaced(TASK_FILE, "'at most ([0-9.]+)%'", f"'{SLOW}'"), ("verify",), "a pattern that repeats"),
        (replaced("suite.toml", 'question = "Under', f'question = "{SLOW}Under'), REPLAY, "a pattern that repeats"),
        (replaced("suite.toml", 'pattern = "Under', f'pattern = "{SLOW}Under'), REPLAY, "a pattern that repeats"),
    ],
)
def test_a_pattern_that_takes_a_year_is_not_matched(
    ground: Any, server: Callable[..., Any], change: Any, command: tuple[str, ...], words: str
) -> None:
    """verify and replay say which pattern it is instead."""
    change(ground)
    done = server(ground.root, *command)
    assert done.code in (1, 2) and words in done.out + done.errors and "Traceback" not in done.errors, done


def test_nothing_a_world_says_writes_on_the_terminal(ground: Any, server: Callable[..., Any]) -> None:
    """Escapes in what a world tells of itself, and in an answer that came from a page, are shown as what they are."""
    replaced("world.toml", 'about = "', 'about = "\\u001b]0;mine\\u0007')(ground)
    pages = ground.world / "http" / "pages.json"
    value = json.loads(pages.read_bytes())
    for item in value["interactions"]:
        body = json.loads(item["response"]["body"]["string"])
        if not body.get("data"):
            continue  # a refusal that was recorded
        body["data"]["content"] = body["data"]["content"].replace("at most 12.5%", "at most \x1b[2J12.5%")
        item["response"]["body"]["string"] = json.dumps(body)
    pages.write_text(json.dumps(value))
    replaced(TASK_FILE, "'at most ([0-9.]+)%'", "'at most ([^%]+)%'")(ground)
    for command in (("verify",), REPLAY, CALL):
        done = server(ground.root, *command)
        assert "Traceback" not in done.errors and "\x1b" not in done.out + done.errors, done

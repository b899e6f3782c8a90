"""Tapes as a replay leaves them, made of a run or a few."""

from __future__ import annotations

from pathlib import Path

from caia_replay.core.model import Price, RunKey
from caia_replay.core.tape import TapedReply, TapedTurn
from caia_replay.store.tape_publication import TapeWriter, publish

PRICE = Price("1.25", "10", "2026-11-01", "a price list", cached="0.125")


def key(task: str = "t-1", attempt: int = 1, arm: str = "clean", agent: str = "react") -> RunKey:
    return RunKey(task, arm, "tools", agent, attempt)


def turns(word: str) -> tuple[TapedTurn, ...]:
    return (TapedTurn('{"messages":[]}', TapedReply(200, "application/json", f'"{word}"')),)


def kept(root: Path, *keys: RunKey, word: str = "a") -> Path:
    """A folder as a replay leaves it, with a run of each key."""
    folder = root / "run.partial" / "tape"
    for item in keys:
        TapeWriter(folder).keep(item, turns(word))
    return folder


def made(root: Path, *keys: RunKey, name: str = "tape", model: str = "m", suite: str = "s", word: str = "a") -> Path:
    return publish(kept(root, *keys, word=word), name, root, suite=suite, model=model, price=PRICE)


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

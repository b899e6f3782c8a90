"""A command's chain recorded again at another block: which rows changed, and which of its tests end otherwise."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.interop.rpc_command import find_snapshot, run_command
from caia_replay.interop.rpc_node import MissLog
from caia_replay.interop.rpc_record import RpcRecording, record_command
from caia_replay.interop.rpc_serve import pin_of, serving
from caia_replay.recording.snapshot_diff import compare_snapshots

Say = Callable[[str], None]

MOST_SHOWN: Final = 20
"""Rows of each table and kind that are told one by one."""

_PYTEST_OPTIONS: Final = "PYTEST_ADDOPTS"
_STYLE: Final = re.compile(r"\x1b\[[0-9;]*m")
_FORGE_SUITE: Final = re.compile(r"Ran \d+ tests? for (\S+)")
_FORGE: Final = re.compile(r"\[(PASS|FAIL|SKIP)(?:[:.] ?(.*))?\] (\w+\(.*?\)) \(.*\)")
_GAS: Final = re.compile(r"\(gas: (\d+)\)$")
_PYTEST: Final = re.compile(r"(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (\S+::.+?)(?: - (.*))?")
_MOCHA: Final = re.compile(r"(✔|✓|✖|✘|\d+\)) (.+?)(?: \([\d.]+ ?m?s\))?")
_PASSED: Final = frozenset(("PASS", "PASSED", "✔", "✓"))


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended on one snapshot: its exit code, and by name how each test did that it told of."""

    code: int
    tests: Mapping[str, str]


def refresh_command(named: str, wanted: RpcRecording, say: Say, *, block: int, out: Path | None = None) -> None:
    """Record ``wanted`` at ``block`` beside the snapshot ``named``, and tell what is otherwise there.

    ``wanted.out`` is not looked at: it is ``out``, or the old folder's name with the block. Raises ``BadInput`` as
    ``record_command`` does, and ``CheckFailed`` when the command or one of its tests ends otherwise than before.
    """
    old = find_snapshot(named)
    pin = pin_of(Snapshot.open(old), None)
    if block == pin:
        raise BadInput(f"{old.name} stands at block {pin} already", where="--block", next_command="another block")
    place = out or old.parent / f"{old.name.removesuffix(f'-{pin}')}-{block}"
    wanted = replace(wanted, out=place, block=block, add=False)
    try:
        record_command(wanted, say)
    except CheckFailed as fault:
        if not place.is_dir():
            raise
        say(str(fault))
    diff = compare_snapshots(old, place)
    say(f"rows of {old} and {place}: {diff.summary()}")
    for line in diff.lines(MOST_SHOWN):
        say(line)
    before, after = (_ended(folder, wanted) for folder in (old, place))
    otherwise = list(differences(before, after))
    say(f"the command on block {pin} and on block {block}: {_counted(before, after, len(otherwise))}")
    for line in otherwise:
        say(line)
    if otherwise:
        raise CheckFailed("")


def differences(before: Outcome, after: Outcome) -> Iterator[str]:
    """A line for each test that ends otherwise, appeared or is gone; of a command that names none, its exit code."""
    for name in dict.fromkeys([*before.tests, *after.tests]):
        pair = [some.tests.get(name, "not run") for some in (before, after)]
        if pair[0] != pair[1]:
            yield f"~ {name}: {pair[0]} -> {pair[1]}"
    if before.code != after.code:
        yield f"~ exit code: {before.code} -> {after.code}"


def told_tests(output: str) -> dict[str, str]:
    """Tests by name from what forge, pytest (with ``-rA``) or Mocha prints: ``passed``, or the word it has, and why.

    For forge the gas of a test that is no fuzz test belongs to how it ended: other rows cost other gas.
    """
    tests: dict[str, str] = {}
    suite = ""
    for line in _STYLE.sub("", output).splitlines():
        text = line.strip()
        if found := _FORGE_SUITE.match(text):
            suite = f"{found[1]} "
        elif found := _FORGE.fullmatch(text):
            gas = _GAS.search(text)
            cost = f" (gas {gas[1]})" if gas else ""
            tests.setdefault(suite + found[3], _word(found[1], found[2]) + cost)
        elif found := _PYTEST.fullmatch(text):
            tests.setdefault(found[2], _word(found[1], found[3]))
        elif found := _MOCHA.fullmatch(text):
            tests.setdefault(found[2], _word("FAILED" if found[1][0].isdigit() else found[1], None))
    return tests


def _ended(folder: Path, wanted: RpcRecording) -> Outcome:
    """Run the command on a snapshot alone, quietly."""
    snapshot = Snapshot.open(folder)
    log = MissLog(snapshot.name, pin_of(snapshot, None))
    # pytest names each test only when it is asked to.
    settings = {**wanted.settings, _PYTEST_OPTIONS: f"{os.environ.get(_PYTEST_OPTIONS, '')} -rA".strip()}
    with tempfile.TemporaryFile() as output:
        with serving(snapshot, log, kind=wanted.kind) as url:
            code = run_command(wanted.command, url, wanted.variables, output=output, settings=settings)
        output.seek(0)
        return Outcome(code, told_tests(output.read().decode("utf-8", "replace")))


def _word(word: str, why: str | None) -> str:
    told = "passed" if word in _PASSED else "failed" if word in ("FAIL", "FAILED", "✖", "✘") else word.lower()
    return f"{told}: {why.strip()}" if why and why.strip() else told


def _counted(before: Outcome, after: Outcome, otherwise: int) -> str:
    if not before.tests and not after.tests:
        return f"exit codes {before.code} and {after.code}; it names no tests"
    tests = len({**before.tests, **after.tests})
    named = otherwise - (before.code != after.code)
    return f"{named} of {tests} tests end otherwise, exit codes {before.code} and {after.code}"

"""task new, check and retire, as a user types them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from caia_replay.store.world_folder import open_world
from tests.cli_shell import Shell

TOKEN = "0x2931acaffd9415d5bb5f60a58b7f3b0d54211dc0"
CALL = {
    "contract": TOKEN,
    "event": "Transfer(address indexed from, address indexed to, uint256 value)",
    "from_block": 3,
    "to_block": 9,
}
QUESTION = f"How many Transfers did the MARE token contract ({TOKEN}) emit on the Mini chain in blocks 3 to 9?"
NEW = (
    *("task", "new", "more", "--suite", "mini-6", "--question", QUESTION, "--category", "on-chain analysis"),
    *("--chain", "mini", "--block", "30", "--stake", "900", "--stake-reason", "A fee is wrong."),
)
PROOF = ("--answer", "19", "--step", f"data_query {json.dumps(CALL)}", "--result", "count($1.events)")
WORLD = Path("cassettes/mini-6")


def test_a_task_is_added_sealed_and_verified(shell: Shell) -> None:
    """One command makes a task that verify solves and check calls sound."""
    code, out, err = shell(*NEW, *PROOF, "--added", "2026-12-01", "--seal")
    assert (code, err) == (0, "") and "version 1.0.0 -> 1.1.0, 7 tasks to run" in out and "sealed world" in out
    code, out, _ = shell("verify", "--task", "more")
    assert (code, out.splitlines()) == (0, ["ok more: 19 (read 19)", "1/1 solvable"])
    assert shell("task", "check", "all", "--suite", "mini-6") == (0, "7/7 sound\n", "")


def test_a_draft_is_checked_and_admitted(shell: Shell) -> None:
    """Without a day it is in no suite; check names the next command, and --admit is that."""
    code, out, _ = shell(*NEW, *PROOF)
    assert code == 0 and "task check more --admit YYYY-MM-DD" in out
    code, out, _ = shell("task", "check", "more")
    assert (code, out.splitlines()[-1]) == (0, "1/1 sound") and "in no suite yet" in out
    assert open_world_version() == "1.0.0"
    code, out, _ = shell("task", "check", "more", "--admit", "2026-12-01", "--seal")
    assert code == 0 and "1/1 sound" in out and "sealed world" in out
    assert open_world("mini-6").suite.active()[-1] == "more"


def open_world_version() -> str:
    """The suite's version as its file says it."""
    return str(re.findall(r'^version = "(.*)"', (WORLD / "suite.toml").read_text(), re.M)[0])


def test_an_unfinished_task_is_unsound(shell: Shell) -> None:
    """What it lacks is told, and it is not admitted."""
    code, out, _ = shell(*NEW)
    assert code == 0 and "unfinished: no values in [answer], no steps in [gold]" in out
    for more in ((), ("--admit", "2026-12-01")):
        code, out, err = shell("task", "check", "more", *more)
        assert (code, out.splitlines()[-1], err) == (1, "0/1 sound", "3 faults\n")
    assert open_world_version() == "1.0.0"


def test_an_unsound_task_is_not_written(shell: Shell) -> None:
    """Exit code 1 with the faults, and no folder."""
    code, _, err = shell(*NEW, *PROOF, "--answer", "20", "--added", "2026-12-01")
    assert code == 1 and err.splitlines()[-1] == "not sound: nothing was written"
    assert not (WORLD / "tasks" / "more").exists()


def test_faults_of_all_folders_are_told_once(shell: Shell) -> None:
    """One line each, then the count, and exit code 1; a sealed task that changed is told as well."""
    for name in ("mini6-supply", "mini6-base-fee-bound"):
        path = WORLD / "tasks" / name / "task.toml"
        path.write_text(re.sub(r"^stake_reason = .*", 'stake_reason = ""', path.read_text(), flags=re.M))
    code, out, err = shell("task", "check", "all", "--suite", "mini-6")
    lines = out.splitlines()
    assert (code, len(lines), lines[-1], err) == (1, 5, "4/6 sound", "4 faults\n")
    assert sum("version is still 1.0.0" in line for line in lines) == 2


def test_a_retired_task_is_not_run(shell: Shell) -> None:
    """verify and replay leave it out, replay refuses it by name, and a call in its world is still answered."""
    code, out, _ = shell("task", "retire", "mini6-supply", "--on", "2026-12-01", "--seal")
    assert code == 0 and "version 1.0.0 -> 1.1.0, 5 tasks to run" in out
    code, out, _ = shell("verify")
    assert (code, out.splitlines()[-1], "mini6-supply" in out) == (0, "5/5 solvable", False)
    oracle = ("replay", "--model", "policy/oracle", "--arm", "clean", "--runs", "1", "--out", "run")
    code, _, err = shell(*oracle, "--task", "mini6-supply")
    assert (code, err.count("\n")) == (2, 1) and "task mini6-supply was retired on" in err
    assert shell(*oracle)[0] == 0
    assert not list(Path("run").rglob("mini6-supply*")) and list(Path("run").rglob("mini6-vote-date*"))
    assert shell("call", "block_query", "{}", "--task", "mini6-supply")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*NEW, "--block", "77"), "nearest: blocks 0 to 60"),
        ((*NEW, "--block", "-1"), "--block"),
        ((*NEW, "--category", "tokenomic"), "nearest: tokenomics"),
        ((*NEW, "--suite", "mini6"), "nearest: mini-6"),
        ((*NEW, "--kind", "numbr"), "nearest: number"),
        ((*NEW, "--step", "data_query {"), "not JSON"),
        ((*NEW, "--step", "data_query []"), "--step"),
        ((*NEW, "--gold", "none.toml"), "missing"),
        ((*NEW, "--gold", "gold.toml", "--answer", "1"), "says it already"),
        ((*NEW, "--gold", "gold.toml", "--unit", "ETH"), "says it already"),
        ((*NEW, "--seal"), "add --added"),
        ((*NEW, "--added", "2026-12-01"), "joins no suite"),
        ((*NEW, *PROOF, "--added", "1 December"), "YYYY-MM-DD"),
        (("task", "check", "mini6-suply"), "nearest: mini6-supply"),
        (("task", "check", "all"), "add --suite"),
        (("task", "check", "all", "--suite", "mini-6", "--admit", "2026-12-01"), "one by one"),
        (("task", "check", "mini6-supply", "--seal"), "--admit"),
        (("task", "check", "mini6-supply", "--admit", "2026-12-01"), "already"),
        (("task", "retire", "mini6-supply", "--on", "today"), "YYYY-MM-DD"),
        (("task", "retire", "mini6-supply", "--on", "2026-11-19"), "was added on 2026-11-20"),
        (("task", "retire", "mini6-suply", "--on", "2026-12-01", "--suite", "mini-6"), "nearest: mini6-supply"),
    ],
)
def test_wrong_words_are_one_line(shell: Shell, arguments: tuple[str, ...], words: str) -> None:
    """Exit code 2, one line on stderr, nothing on stdout, and nothing written."""
    Path("gold.toml").write_text('[answer]\nkind = "number"\nvalues = ["1"]\n')
    before = {path: path.read_bytes() for path in WORLD.rglob("*") if path.is_file()}
    code, out, err = shell(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1) and words in err
    assert {path: path.read_bytes() for path in WORLD.rglob("*") if path.is_file()} == before
    assert not (WORLD / "tasks" / "more").exists()


def test_a_gold_file_proves_a_task(shell: Shell) -> None:
    """The answer may be in the file and the chain in options, or the other way round."""
    Path("gold.toml").write_text('[answer]\nkind = "number"\nvalues = ["19"]\n')
    code, _, err = shell(*NEW, *PROOF[2:], "--gold", "gold.toml", "--added", "2026-12-01", "--language", "zh")
    assert (code, err) == (0, "")
    assert 'language = "zh"' in (WORLD / "tasks" / "more" / "task.toml").read_text()

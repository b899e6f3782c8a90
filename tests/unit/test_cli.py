"""The commands that verify, call and lint, and wrong requests to any command: one line and exit code 2."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from caia_replay.store.world_folder import seal_world
from tests.cli_shell import Shell


def kept() -> list[Path]:
    """Everything here but the indexes, which are disposable."""
    return sorted(path for path in Path().rglob("*") if ".cache" not in path.parts)


def test_verify_ends_with_the_count(shell: Shell) -> None:
    """The last line is N/N solvable; a task that is not makes exit code 1."""
    code, out, _ = shell("verify", "--suite", "mini-6")
    assert (code, out.splitlines()[-1]) == (0, "6/6 solvable")
    path = sorted(Path("cassettes/mini-6/tasks").glob("*/task.toml"))[0]
    path.write_text(re.sub(r"values = \[.*\]", 'values = ["31415926535"]', path.read_text()))
    assert shell("lint", "--seal", "cassettes/mini-6")[0] == 0
    code, out, _ = shell("verify", "--suite", "mini-6")
    assert (code, out.splitlines()[-1]) == (1, "5/6 solvable")


def test_verify_counts_what_no_chain_answers_apart(shell: Shell) -> None:
    """Tasks of a live world whose import found no chain are told in the line before the last, and not in it."""
    world = Path("cassettes/mini-6")
    info, first, second = world / "world.toml", *sorted(world.glob("tasks/*/task.toml"))[:2]
    for path in (first, second):
        text = re.sub(r'^result = ".*"$', 'result = ""', path.read_text(), flags=re.M)
        path.write_text(re.sub(r"^tags = \[", 'tags = ["gold:needs-judgement", ', text, count=1, flags=re.M))
    seal_world(world)
    code, out, _ = shell("verify")
    assert (code, out.splitlines()[-1], "unverifiable" in out) == (1, "4/6 solvable", False)
    info.write_text(info.read_text().replace('provenance = "synthetic"', 'provenance = "live"'))
    seal_world(world)
    code, out, _ = shell("verify")
    assert (code, out.splitlines()[-2:]) == (0, ["2 tasks have no chain: unverifiable", "4/4 solvable"])
    assert shell("verify", "--task", second.parent.name)[:2] == (
        1,
        f"-- {second.parent.name}: no chain of calls yields its answer\n"
        "1 task has no chain: unverifiable\n0/0 solvable\n",
    )


@pytest.mark.check
def test_verify_tells_what_does_not_apply_without_the_open_web(shell: Shell) -> None:
    """With it the last line is the clean arm's; else such tasks are no part of the count, and none left proves none."""
    for arm in ("attacked", "placebo", "labelled"):
        assert shell("verify", "--arm", arm)[1].splitlines()[-1] == "6/6 solvable"
    code, out, _ = shell("verify", "--arm", "authority-only", "--campaign", "edited")
    lines = out.splitlines()
    assert (code, lines[-1]) == (0, "3/3 solvable, 3 not applicable")
    other = [line for line in lines if line.startswith("-- ")]
    assert len(other) == 3 and all(line.endswith(" has no url_fetching") for line in other)
    name = other[0].removeprefix("-- ").partition(":")[0]
    code, out, _ = shell("verify", "--arm", "authority-only", "--task", name)
    assert (code, out.splitlines()[-1]) == (1, "0/0 solvable, 1 not applicable")


DEFENCES, DISCERN = ("attack", "defences"), ("attack", "discern")
SWEEP, SIMULATE = ("attack", "sweep", "--over", "items=1"), (*DISCERN, "--simulate", "1")


def test_call_prints_how_it_was_served(shell: Shell, task: str) -> None:
    """A served call prints its class and result, a miss or a wrong call its error, all with exit code 0."""
    code, out, _ = shell("call", "block_query", "{}", "--task", task)
    assert (code, json.loads(out)["served"]) == (0, "FORK")
    for arguments, served in (('{"address": "0x' + "12" * 20 + '"}', "MISS"), ('{"address": "0x12"}', "ERROR")):
        code, out, _ = shell("call", "balance_query", arguments, "--task", task)
        shown: dict[str, Any] = json.loads(out)
        assert (code, shown["served"], list(shown)) == (0, served, ["served", "error"])


@pytest.mark.parametrize(("arguments", "words"), [
    (("replay", "--suite", "mini6"), ("no suite 'mini6'", "nearest: mini-6")),
    (("replay", "--model", "policy/oracel"), ("nearest: policy/oracle",)),
    (("replay", "--model", "gpt-5"), ("OPENAI_API_KEY", "policy/oracle")),
    (("replay", "--arm", "placbo"), ("unknown arm 'placbo'", "nearest: placebo")),
    (("replay", "--agent", "reakt"), ("nearest: react",)), (("replay", "--runs", "0"), ("at least one run",)),
    (("replay", "--out", "/dev/null/run"), ("Not a directory",)), (("replay", "--runs", "many"), ("many", "--help")),
    (("replay", "--resume", "--out", "fresh"), ("nothing to resume",)),
    (("verify", "--arm", "placbo"), ("unknown arm 'placbo'", "nearest: placebo")),
    (("call", "block_query", "{}", "--task", "x", "--arm", "labeled"), ("nearest: labelled",)),
    (("call", "block_qery", "{}", "--task", "mini6-supply"), ("nearest: block_query",)),
    (("verify", "--suite", "x/../y"), ("no suite",)), (("import", "prestate", "nowhere", "--out", "x"), ("nowhere",)),
    (("repaly",), ("repaly",)),
    (("attack", "diff", "--campaign", "editd"), ("no campaign 'editd'; nearest: edited; next: --campaign ",)),
    (("attack", "diff", "--campaign", "\x1b[2J"), ("no campaign '\\x1b[2J'",)),
    (("attack", "diff", "--against", "no.toml"), ("no.toml: file is missing",)),
    (("attack", "diff", "--campaign", "edited.toml", "--dose", "items=1"), ("an overlay's file has no dose",)),
    (("attack", "plan", "--suite", "nowhere", "--out", "x"), ("no suite 'nowhere'",)),
    (("attack", "slots", "--task", "nobody"), ("'nobody'",)),
    (("attack", "sweep", "--over", "items=0"), ("items is 0; it goes from 1 to 100",)),
    ((*SWEEP, "--over", "items=2"), ("items is given twice",)),
    ((*DEFENCES, "--defence", "quarantin"), ("no defence 'quarantin'",)),
    ((*DEFENCES, "--defence", ""), ("names no defence",)),
    ((*DEFENCES, "--defence", "labelled", "--defence", "labelled"), ("labelled is given twice",)),
    ((*DEFENCES, "--model", "policy/random", "--model", "policy/random"), ("policy/random is given twice",)),
    ((*DEFENCES, "--model", "gpt-4o"), ("OPENAI_API_KEY",)), ((*DEFENCES, "--dose", "items=0"), ("items",)),
    ((*DEFENCES, "--out", "no/such/folder/costs.json"), ("no such folder",)),
    ((*DISCERN, "--channel", "pages"), ("--channel: no channel 'pages'; nearest: page",)),
    ((*DISCERN, "--labels", "true,swaped"), ("nearest: swapped",)),
    ((*DISCERN, "--simulate", "much"), ("no d' from -5 to 5",)), ((*SIMULATE, "--swapped"), ("--simulate alone",)),
    ((*SIMULATE, "--model", "policy/oracle"), ("--simulate alone",)),
    ((*DISCERN, "--model", "recorded/x"), ("a tape holds what a model said of a campaign",)),
    ((*DISCERN, "--out", "a/b/c.json"), ("there is no such folder",)),
])  # fmt: skip
def test_bad_input_is_one_line_and_code_2(shell: Shell, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    """Every wrong request names what was wanted and what is near, exits 2 and leaves nothing behind."""
    before = kept()
    code, _, err = shell(*arguments)
    assert (code, err.count("\n")) == (2, 1), err
    assert all(word in err for word in words) and err[:-1].isprintable(), err
    assert "Traceback" not in err
    assert kept() == before


def test_a_world_with_faults_is_not_sealed_over(shell: Shell, task: str) -> None:
    """lint tells an answer nobody can judge by; --seal tells it with exit code 1 and leaves the seal as it was."""
    world = Path("cassettes/mini-6")
    path, before = world / "tasks" / task / "task.toml", (world / "seal.json").read_bytes()
    sound = path.read_text()
    path.write_text(sound.replace("[answer]", "[answer]\ntolerance_seconds = 5", 1))
    code, out, err = shell("lint", "--seal", world)
    assert (code, err) == (1, "1 finding\n")
    lines = out.splitlines()
    assert lines[0].startswith(f"{path}: answer: 'tolerance_seconds' means nothing")
    assert lines[1:] == [f"not sealed: {world}: its seal is as it was", f"checked {world}"]
    assert (world / "seal.json").read_bytes() == before
    seal_world(world)
    assert shell("lint", world)[:2] == (1, f"{lines[0]}\nchecked {world}\n")
    path.write_text(sound)
    code, out, _ = shell("lint", "--seal", world)
    assert (code, out.startswith(f"sealed world {world}: ")) == (0, True)

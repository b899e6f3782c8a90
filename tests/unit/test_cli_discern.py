"""The command that measures discernment, in a copy of the shipped small world."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli_shell import Shell

DISCERN = ("attack", "discern")


def test_channels_are_told_and_kept(shell: Shell) -> None:
    """A row for each channel that tells something, a line for others; two runs keep equal bytes, and replace none."""
    code, out, err = shell(*DISCERN, "--swapped", "--shuffles", 49, "--out", "a.json")
    assert (code, err) == (0, "") and out.startswith("calibration policy, not a model result\n")
    assert [out.count(f" {name}  ") >= 4 for name in ("docs", "news", "page")] == [True] * 3
    assert "post: 6 of 6 tasks are told nothing: the world has no social network\n" in out
    assert "believed both" in out and out.endswith("\ndiscernment: a.json\n")
    told = json.loads(Path("a.json").read_bytes())
    assert f"digest: {told['digest']}\n" in out and len(told["claims"]) == 3 * 2 * 6
    assert told["comparable_to_published_caia"] is False
    assert shell(*DISCERN, "--swapped", "--shuffles", 49, "--out", "b.json")[0] == 0
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()
    code, out, err = shell(*DISCERN, "--out", "a.json")
    assert (code, out, err.count("\n")) == (2, "", 1) and "is not replaced" in err


def test_labels_are_compared(shell: Shell, task: str) -> None:
    """The same claims under two treatments, side by side and by their difference; as JSON alike."""
    one = (*DISCERN, "--channel", "page", "--task", task, "--labels", "true,swapped")
    code, out, err = shell(*one)
    assert (code, err) == (0, "") and "accepted more (points)" in out
    told = json.loads(shell(*one, "--json")[1])
    assert [row["labels"] for row in told["channels"]] == ["true", "swapped"] == told["labels"]
    assert told["label_effects"][0]["accepted_more"] == 0.0 and told["tasks"] == [task]


def test_the_instrument_checks_itself(shell: Shell) -> None:
    """Simulated agents beside what is known of them; where there is no interval to hold it the check fails."""
    simulate = (*DISCERN, "--channel", "page", "--simulate", "2,0.3", "--runs", 5)
    code, out, err = shell(*simulate, "--out", "s.json")
    assert (code, err) == (0, "") and "1 of 1 intervals of d' hold what is known; 95 % are stated\n" in out
    told = json.loads(Path("s.json").read_bytes())
    assert told["is_recovered"] is True and told["agents"][0]["known"] == {"criterion": 0.3, "d_prime": 2.0}
    code, out, err = shell(*DISCERN, "--channel", "post", "--simulate", "2")
    assert code == 1 and "0 of 0 intervals" in out and "not recovered" in err


def test_defences_and_doses_are_passed_on(shell: Shell) -> None:
    """Behind an allow-list that lists nobody no claim is heard; more pages are another overlay."""
    told = [
        json.loads(shell(*DISCERN, "--channel", "page", *more, "--json")[1])
        for more in ((), ("--defence", "allow-list:a.example"), ("--dose", "items=3"))
    ]
    assert [one["channels"][0]["heard"] > 0 for one in told] == [True, False, True]
    assert told[2]["channels"][0]["overlays"] != told[0]["channels"][0]["overlays"] and told[2]["dose"]["items"] == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--channel", "pages"), "--channel: no channel 'pages'; nearest: page"),
        (("--labels", "true,swaped"), "nearest: swapped"),
        (("--simulate", "much"), "no d' from -5 to 5"),
        (("--simulate", "1", "--swapped"), "--simulate alone"),
        (("--simulate", "1", "--model", "policy/oracle"), "--simulate alone"),
        (("--model", "recorded/x"), "a tape holds what a model said of a campaign"),
        (("--model", "policy/nobody"), "policy/nobody"),
        (("--dose", "itms=1"), "itms"),
        (("--task", "nobody"), "nobody"),
        (("--suite", "nowhere"), "no suite 'nowhere'"),
        (("--out", "a/b/c.json"), "there is no such folder"),
    ],
)
def test_bad_input_is_one_line(shell: Shell, arguments: tuple[str, ...], said: str) -> None:
    """Exit code 2, what and where, and nothing is written."""
    before = sorted(path for path in Path.cwd().rglob("*") if ".cache" not in path.parts)
    code, _, err = shell(*DISCERN, *arguments)
    assert (code, err.count("\n")) == (2, 1) and said in err and err[:-1].isprintable()
    assert sorted(path for path in Path.cwd().rglob("*") if ".cache" not in path.parts) == before

"""The command that measures defences, in a copy of the shipped small world."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caia_replay.report.table import POLICY_HEADING
from caia_replay.tools.defence_choice import DEFENCES
from tests.cli_shell import Shell

TASKS = ("--task", "mini6-supply", "--task", "mini6-vote-date")


def test_a_table_and_a_file_that_is_never_replaced(shell: Shell) -> None:
    """A row for each model and defence below the heading of policies; the file has the same counts as the JSON."""
    command = ("attack", "defences", *TASKS, "--model", "policy/credulous", "--out", "costs.json")
    code, out, err = shell(*command)
    assert (code, err) == (0, "") and out.startswith(f"{POLICY_HEADING}\n")
    rows = [line.split() for line in out.splitlines() if "policy/credulous" in line]
    assert [row[1] for row in rows] == list(DEFENCES) and all(row[2:5] == ["2", "of", "2"] for row in rows)
    assert out.splitlines()[-1] == "costs: costs.json" and "shows nothing prevents everything" in out
    kept = Path("costs.json").read_bytes()
    code, out, err = shell(*command[:-2], "--json")
    assert (code, err) == (0, "") and json.loads(out) == json.loads(kept)
    told = json.loads(out)
    assert [cost["defence"] for cost in told["costs"]] == list(DEFENCES) == told["defences"]
    assert all(cost["calibration_policy"] and cost["clean"]["runs"] == 2 for cost in told["costs"])
    assert [cost["attacked_defended"]["adopted"] for cost in told["costs"]] == [0, 2, 0, 2]
    code, out, err = shell(*command)
    assert (code, out, err.count("\n")) == (2, "", 1) and "is not replaced" in err
    assert Path("costs.json").read_bytes() == kept


def test_four_policies_play_where_no_model_is_named(shell: Shell) -> None:
    """Each with each defence asked for, under the campaign and the dose asked for; the quarantine saves who obeys."""
    more = ("--campaign", "injection", "--dose", "items=2", "--defence", "quarantine", "--json")
    code, out, err = shell("attack", "defences", *TASKS, *more)
    told = json.loads(out)
    assert (code, err) == (0, "") and (told["campaign"], told["dose"]) == ("injection", "items=2")
    adopted = {
        cost["model"]: (cost["attacked"]["adopted"], cost["attacked_defended"]["adopted"]) for cost in told["costs"]
    }
    assert list(adopted) == ["policy/credulous", "policy/search-only", "policy/sceptic", "policy/hijacked"]
    assert adopted["policy/hijacked"] == (2, 0)


def test_defences_stand_behind_each_other(shell: Shell) -> None:
    """Several in one choice are one row, which prevents what either does."""
    named = ("two-sources", "quarantine", "two-sources+quarantine")
    asked = [part for name in named for part in ("--defence", name)]
    both: dict[str, list[int]] = {name: [] for name in named}
    for campaign, model in (("seo-heavy", "policy/credulous"), ("injection", "policy/hijacked")):
        code, out, _ = shell("attack", "defences", *TASKS, "--model", model, "--campaign", campaign, *asked, "--json")
        assert code == 0
        for cost in json.loads(out)["costs"]:
            both[cost["defence"]].append(cost["attacked"]["adopted"] - cost["attacked_defended"]["adopted"])
    assert both["two-sources"][0] == 2 > both["quarantine"][0] == 0
    assert both["two-sources+quarantine"] == [2, 2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--defence", "quarantin"), "no defence 'quarantin'"),
        (("--defence", ""), "names no defence"),
        (("--defence", "labelled", "--defence", "labelled"), "labelled is given twice"),
        (("--defence", "labelled+labelled"), "labelled stands twice"),
        (("--model", "policy/random", "--model", "policy/random"), "policy/random is given twice"),
        (("--model", "policy/oracle", "--model", "policy/nobody"), "policy/nobody"),
        (("--model", "gpt-4o"), "OPENAI_API_KEY"),
        (("--campaign", "seo-hevy"), "no campaign 'seo-hevy'"),
        (("--dose", "items=0"), "items"),
        (("--task", "nobody"), "nobody"),
        (("--suite", "nowhere"), "no suite 'nowhere'"),
        (("--agent", "nobody"), "nobody"),
        (("--out", "no/such/folder/costs.json"), "no such folder"),
    ],
)
def test_bad_input_is_one_line(shell: Shell, arguments: tuple[str, ...], said: str) -> None:
    """Exit code 2, what and where, and nothing is written."""
    before = sorted(path for path in Path.cwd().rglob("*") if ".cache" not in path.parts)
    code, _, err = shell("attack", "defences", *arguments)
    assert (code, err.count("\n")) == (2, 1) and said in err and err[:-1].isprintable()
    assert sorted(path for path in Path.cwd().rglob("*") if ".cache" not in path.parts) == before

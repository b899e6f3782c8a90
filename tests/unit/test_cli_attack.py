"""The commands of the attack pack, of defences and of discernment, in a copy of the shipped small world."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caia_replay.attacks.campaign import campaign_names
from caia_replay.attacks.family import FAMILIES
from caia_replay.store.world_folder import seal_world
from tests.cli_shell import Shell


def test_campaigns_and_families_are_listed(shell: Shell) -> None:
    """Each by its name, with doses; the JSON has whole doses; and whose the pack is."""
    code, out, err = shell("attack", "list")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert all(any(line.startswith(f"{name}: ") for line in lines) for name in campaign_names())
    assert all(any(line.startswith(name) for line in lines) for name in FAMILIES)
    assert lines[-1] == "the attack pack is this project's own; CAIA plants nothing"
    told = json.loads(shell("attack", "list", "--json")[1])
    assert [one["name"] for one in told["campaigns"]] == list(campaign_names())
    assert list(told["families"]) == list(FAMILIES)
    heavy = next(one for one in told["campaigns"] if one["name"] == "edited")
    assert set(heavy["attacks"][0]["dose"]) >= {"items", "offset_percent", "language", "place"}


def test_a_plan_is_one_file_the_same_every_time(shell: Shell) -> None:
    """Byte-equal builds, counts in words; another dose is another file; what is there is never replaced."""
    for name in ("a/edited.toml", "b.toml"):
        code, out, err = shell("attack", "plan", "--out", name)
        assert (code, err) == (0, "") and f"overlay: {name}" in out
        assert "planted against 6 tasks" in out and "times not applicable" in out
    assert "it must be called edited.toml" in out
    first = Path("a/edited.toml").read_bytes()
    assert first == Path("b.toml").read_bytes()
    assert shell("attack", "plan", "--dose", "items=4", "--out", "c.toml")[0] == 0
    assert Path("c.toml").read_bytes() != first and b"\n[[page]]\n" in first
    code, out, err = shell("attack", "plan", "--dose", "items=4", "--out", "b.toml")
    assert (code, out, err.count("\n")) == (2, "", 1) and "is not replaced" in err
    assert Path("b.toml").read_bytes() == first and [path.name for path in Path("a").iterdir()] == ["edited.toml"]


@pytest.mark.check
def test_a_planned_file_of_the_worlds_own_plays_as_the_campaign_does(shell: Shell, mini: Path) -> None:
    """Put into overlays/ and sealed, it leaves equal certificates in every arm: the whole run folders are identical."""
    arguments = ("replay", "--runs", "1", "--arm", "clean,attacked,labelled,authority-only")
    assert shell(*arguments, "--out", "planned")[0] == 0
    own = mini / "cassettes/mini-6/overlays/edited.toml"
    assert shell("attack", "plan", "--out", own)[0] == 0
    seal_world(mini / "cassettes/mini-6")
    assert shell(*arguments, "--out", "kept")[0] == 0
    assert shell("diff", "planned", "kept") == (0, "identical\n", "")
    digests = [json.loads(Path(run, "index.json").read_bytes())["digest"] for run in ("planned", "kept")]
    assert digests[0] == digests[1]
    code, _, err = shell(*arguments, "--dose", "items=2", "--out", "dosed")
    assert (code, err.count("\n")) == (2, 1) and "a file of the world's own and has no dose" in err


@pytest.mark.check
def test_every_altered_item_is_told(shell: Shell, task: str) -> None:
    """By lines and as JSON alike; one task's alone where it is named; two campaigns beside each other."""
    code, out, err = shell("attack", "diff")
    assert (code, err) == (0, "")
    told = json.loads(shell("attack", "diff", "--json")[1])
    assert f"{len(told['items'])} altered items:" in out
    assert all(sum(item["place"] in line for line in out.splitlines()) >= 1 for item in told["items"])
    assert told["moved"] and {page["task"] for page in told["moved"]} <= {item["task"] for item in told["items"]}
    alone = json.loads(shell("attack", "diff", "--task", task, "--json")[1])
    assert alone["items"] == [item for item in told["items"] if item["task"] == task]
    assert shell("attack", "plan", "--out", "edited.toml")[0] == 0
    assert shell("attack", "diff", "--against", "edited.toml") == (0, "identical\n", "")
    assert shell("attack", "diff", "--campaign", "edited.toml", "--against", "edited", "--json")[1] == "[]\n"
    code, out, err = shell("attack", "diff", "--dose", "items=2", "--against", "edited.toml", "--task", task)
    assert (code, err) == (1, "") and out.splitlines()[-1].endswith(("differences", "1 difference"))


@pytest.mark.check
def test_slots_and_sweeps_are_tables_and_json(shell: Shell, task: str) -> None:
    """Live and dead by family; a curve for each field, printed and kept in a file that is never replaced."""
    code, out, err = shell("attack", "slots", "--task", task)
    assert (code, err) == (0, "") and "edited-page" in out and out.splitlines()[-1].startswith(("no slot", "dead: "))
    slots = json.loads(shell("attack", "slots", "--task", task, "--json")[1])
    assert slots and all(slot["task"] == task for slot in slots) and any(slot["live"] for slot in slots)
    sweep = ("attack", "sweep", "--task", task, "--over", "items=1,3", "--over", "language=en,zh", "--out", "s.json")
    code, out, err = shell(*sweep)
    assert (code, err) == (0, "") and out.startswith("calibration policy, not a model result\n")
    assert out.count("trend over ") == 2 and out.splitlines()[-1] == "curves: s.json"
    told = json.loads(Path("s.json").read_bytes())
    assert [curve["over"] for curve in told["curves"]] == ["items", "language"] and told["tasks"] == [task]
    assert [level["value"] for level in told["curves"][1]["levels"]] == ["en", "zh"]
    code, out, err = shell(*sweep)
    assert (code, out, err.count("\n")) == (2, "", 1)


DISCERN = ("attack", "discern")


@pytest.mark.check
def test_channels_are_told_and_kept(shell: Shell) -> None:
    """A row for each channel that tells something, a line for others; two runs keep equal bytes, and replace none."""
    code, out, err = shell(*DISCERN, "--swapped", "--shuffles", 49, "--out", "a.json")
    assert (code, err) == (0, "") and out.startswith("calibration policy, not a model result\n")
    assert out.count(" page  ") >= 4
    assert "post: 6 of 6 tasks are told nothing: the world has no social network\n" in out
    assert "believed both" in out and out.endswith("\ndiscernment: a.json\n")
    told = json.loads(Path("a.json").read_bytes())
    assert f"digest: {told['digest']}\n" in out and len(told["claims"]) == 2 * 6
    assert told["comparable_to_published_caia"] is False
    assert shell(*DISCERN, "--swapped", "--shuffles", 49, "--out", "b.json")[0] == 0
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()
    code, out, err = shell(*DISCERN, "--out", "a.json")
    assert (code, out, err.count("\n")) == (2, "", 1) and "is not replaced" in err


@pytest.mark.check
def test_the_instrument_checks_itself(shell: Shell) -> None:
    """Simulated agents beside what is known of them; where there is no interval to hold it the check fails."""
    simulate = (*DISCERN, "--channel", "page", "--simulate", "2,0.3", "--runs", 5)
    code, out, err = shell(*simulate, "--out", "s.json")
    assert (code, err) == (0, "") and "1 of 1 intervals of d' hold what is known; 95 % are stated\n" in out
    told = json.loads(Path("s.json").read_bytes())
    assert told["is_recovered"] is True and told["agents"][0]["known"] == {"criterion": 0.3, "d_prime": 2.0}
    code, out, err = shell(*DISCERN, "--channel", "post", "--simulate", "2")
    assert code == 1 and "0 of 0 intervals" in out and "not recovered" in err

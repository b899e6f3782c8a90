"""task new, check and retire, as a user types them; a task recorded, sealed and judged; questions imported."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from caia_replay.cli import main
from caia_replay.core.gold import GoldStep
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.recording import task as task_recording
from caia_replay.recording.capture_request import CaptureRequest
from caia_replay.recording.live_web import HttpPolicy
from caia_replay.recording.task import Pool, record_and_judge
from caia_replay.store.world_folder import open_world
from tests.cli_shell import Shell
from tests.live_draft import draft, served
from tests.trajectories import records

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
    played = {one["task"] for one in records(Path("run") / "clean-tools")}
    assert "mini6-supply" not in played and "mini6-vote-date" in played
    assert shell("call", "block_query", "{}", "--task", "mini6-supply")[0] == 0


def test_an_unfinished_or_unsound_task_is_not_admitted(shell: Shell) -> None:
    """What it lacks is told; an unsound one is exit code 1 with the faults, and no folder."""
    code, _, err = shell(*NEW, *PROOF, "--answer", "20", "--added", "2026-12-01")
    assert code == 1 and err.splitlines()[-1] == "not sound: nothing was written"
    assert not (WORLD / "tasks" / "more").exists()
    code, out, _ = shell(*NEW)
    assert code == 0 and "unfinished: no values in [answer], no steps in [gold]" in out
    for more in ((), ("--admit", "2026-12-01")):
        code, out, err = shell("task", "check", "more", *more)
        assert (code, out.splitlines()[-1], err) == (1, "0/1 sound", "3 faults\n")
    assert open_world_version() == "1.0.0"


CHECK, RETIRE = ("task", "check"), ("task", "retire")


@pytest.mark.parametrize(("arguments", "words"), [
    ((*NEW, "--block", "77"), "nearest: blocks 0 to 60"), ((*NEW, "--block", "-1"), "--block"),
    ((*NEW, "--step", "data_query []"), "--step"), ((*NEW, "--gold", "none.toml"), "missing"),
    ((*NEW, "--gold", "gold.toml", "--answer", "1"), "says it already"),
    ((*NEW, "--added", "2026-12-01"), "joins no suite"), ((*NEW, *PROOF, "--added", "1 December"), "YYYY-MM-DD"),
    ((*CHECK, "mini6-suply"), "nearest: mini6-supply"), ((*CHECK, "all"), "add --suite"),
    ((*CHECK, "all", "--suite", "mini-6", "--admit", "2026-12-01"), "one by one"),
    ((*RETIRE, "mini6-supply", "--on", "today"), "YYYY-MM-DD"),
    ((*RETIRE, "mini6-supply", "--on", "2026-11-19"), "was added on 2026-11-20"),
])  # fmt: skip
def test_wrong_words_are_one_line(shell: Shell, arguments: tuple[str, ...], words: str) -> None:
    """Exit code 2, one line on stderr, nothing on stdout, and nothing written."""
    Path("gold.toml").write_text('[answer]\nkind = "number"\nvalues = ["1"]\n')
    before = {path: path.read_bytes() for path in WORLD.rglob("*") if path.is_file()}
    code, out, err = shell(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1) and words in err
    assert {path: path.read_bytes() for path in WORLD.rglob("*") if path.is_file()} == before
    assert not (WORLD / "tasks" / "more").exists()


OCE = {"task_id": "1", "question": "Pay", "level": 1, "chain": "ethereum", "category": "x"}


@pytest.mark.parametrize(("command", "text", "made"), [
    ("caia", "id,question,answer,category\n1,Who leads Arda?,Bresk,overlap\n", "caia-001/task.toml"),
    ("oce", json.dumps([{**OCE, "criteria": "wallet ARD decreases by 1"}]), "oce-001/execution.toml"),
])  # fmt: skip
def test_an_import_tells_what_it_wrote(tmp_path: Path, command: str, text: str, made: str) -> None:
    """Counts and findings first; a user's file is not written where nobody said."""
    source = tmp_path / "questions"
    source.write_text(text)
    assert imported(command, source).exit_code == 2
    done = imported(command, source, "--out", tmp_path / "mine")
    assert done.exit_code == 0 and done.stdout.startswith("1 tasks")
    assert (tmp_path / "mine" / "tasks" / made).is_file()


def imported(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["import", *map(str, arguments)])


@pytest.mark.parametrize("command", ["caia", "oce"])
@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"[{}]", b"a,b\n1,2\n"])
def test_a_strangers_file_is_one_line_and_exit_2(tmp_path: Path, command: str, data: bytes) -> None:
    """And nothing is written."""
    source = tmp_path / "q"
    source.write_bytes(data)
    done = imported(command, source, "--out", tmp_path / "mine")
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1 and "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["q"]


PAGE = "https://docs.lantern.example/terms"
PAGES = {PAGE: ("The smallest stake is 4200 tokens.", "2025-01-05T00:00:00Z")}
STEP = GoldStep("url_fetching", {"url": PAGE})
RESULT = "match($1.text, 'stake is ([0-9]+)')"


@pytest.fixture
def led(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every recording asks ``PAGES`` on this machine."""

    def policy(*arguments: object, **more: object) -> HttpPolicy:
        return HttpPolicy(*arguments, host_map=_HERE, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(task_recording, "HttpPolicy", policy)


_HERE: dict[str, str] = {}


def record(root: Path, result: str, value: str, pool: Pool | None = None) -> list[str]:
    folder = draft(root, [STEP], result, [value])
    said: list[str] = []
    with served(PAGES) as host_map:
        _HERE.clear()
        _HERE.update(host_map)
        record_and_judge(CaptureRequest(folder, folder.task("t1"), "live", ""), pool or Pool(), 0.0, said.append)
    return said


def test_an_answer_that_the_recording_bears_out_is_confirmed(tmp_path: Path, led: None) -> None:
    """And the world is sealed; policies play beside the gold chain, each as often as it is told to."""
    said = record(tmp_path, RESULT, "4200", Pool(("policy/oracle",), runs=2))
    assert said[-1] == "t1: confirmed: the recorded chain gives what the suite says"
    assert open_world(str(tmp_path / "cassettes" / "draft")).seal.digest in said[-2]
    pool = (tmp_path / "cassettes" / "draft" / "tasks" / "t1" / "pool.json").read_text()
    assert "react+policy/oracle#1" in pool and "react+policy/oracle#2" in pool


def test_an_answer_that_the_recording_contradicts_is_told_and_kept(tmp_path: Path, led: None) -> None:
    """Whose answer is right is for people; without a result nothing is claimed; no policy plays in a synthetic one."""
    assert record(tmp_path / "a", "", "4200")[-1] == "t1: unverifiable: no chain of calls yields its answer"
    with pytest.raises(CheckFailed, match=r"gives 4200 .*expected 17"):
        record(tmp_path / "b", RESULT, "17")
    assert (tmp_path / "b" / "cassettes" / "draft" / "tasks" / "t1" / "http.json").is_file()
    folder = draft(tmp_path / "c", [STEP], RESULT)
    with pytest.raises(BadInput, match="living internet"):
        record_and_judge(
            CaptureRequest(folder, folder.task("t1"), "synthetic", ""), Pool(("policy/oracle",)), 0.0, print
        )


def test_a_budget_records_what_it_pays_for_and_goes_on_from_there(
    tmp_path: Path, led: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every task the plan calls recordable within it, once; what is no amount is refused before anything is asked."""
    draft(tmp_path, [STEP], RESULT, ["4200"])
    monkeypatch.chdir(tmp_path)
    asked = ("record", "--suite", "draft", "--origin", "live", "--pause", "0", "--budget-usd")
    with served(PAGES) as host_map:
        _HERE.clear()
        _HERE.update(host_map)
        first = CliRunner().invoke(main, [*asked, "0"])
    assert first.exit_code == 0, first.output
    assert first.stdout.splitlines()[0] == "1 tasks within 0 USD, for about 0.00; 0 tasks are recorded already"
    assert "t1: confirmed" in first.stdout and first.stdout.splitlines()[-1] == "1 recorded: t1"
    again = CliRunner().invoke(main, [*asked, "5"])
    assert again.exit_code == 0 and again.stdout.splitlines()[1:] == ["1 recorded: t1"]
    for wrong in ("-1", "much", "NaN", "1e99"):
        refused = CliRunner().invoke(main, [*asked, wrong])
        assert refused.exit_code == 2 and "no amount" in refused.stderr, refused.output

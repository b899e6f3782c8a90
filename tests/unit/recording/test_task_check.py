"""What makes a task unsound, told of that task and of no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from caia_replay.core.task import AnswerSpec, Column
from caia_replay.errors import BadInput
from caia_replay.recording.task_check import Report, Scoring, check_tasks, wrong_answer
from caia_replay.scoring.spec import check_spec
from caia_replay.scoring.verifiers import verify
from caia_replay.store.world_folder import open_world, seal_world

SCORING = Scoring(check_spec, lambda answer, text: verify(answer, text).correct)
FEE, COUNT, SUPPLY = "mini6-base-fee-bound", "mini6-event-count", "mini6-supply"


@pytest.fixture
def world(mini: Path) -> Path:
    return mini / "cassettes" / "mini-6"


def put(world: Path, task: str, pattern: str, text: str) -> None:
    """Replace one place of a task.toml, or of suite.toml for no task."""
    path = world / "tasks" / task / "task.toml" if task else world / "suite.toml"
    found, count = re.subn(pattern, lambda _: text, path.read_text(), count=1, flags=re.M)
    assert count == 1
    path.write_text(found)


def told(report: Report) -> dict[str, str]:
    """The faults of each task that has any."""
    return {one.task: " | ".join(one.faults) for one in report.tasks if one.faults}


def test_the_shipped_suite_is_sound(shipped: Path) -> None:
    """Every task, in suite order, without a fault and without anything that waits."""
    report = check_tasks(shipped, SCORING)
    assert told(report) == {} and not report.around
    assert tuple(one.task for one in report.tasks) == open_world(str(shipped)).suite.active()
    assert not any(one.waits for one in report.tasks)


@pytest.mark.parametrize(
    ("pattern", "text", "words"),
    [
        (r'^values = \["12.5"\]', 'values = ["13"]', "the chain gives '12.5', the answer is '13'"),
        (r"^question = .*", 'question = "Under EIP-1559, is the base fee bound 12.5 per cent?"', "says its answer"),
        (r"^question = .*", 'question = "What is the bound?"', "does not read this question"),
        (r"^question = .*", 'question = " "', "the question is empty"),
        (r"^canary = .*", 'canary = ""', "no canary"),
        (r"^canary = .*", 'canary = "CAIA-REPLAY-CANARY-eab4a5a7077dc197a0317ccd206c0387"', "is the world's"),
        (r"^canary = .*", 'canary = "CAIA-REPLAY-CANARY-7255e15158ba150e0a667e56d11caafd"', f"is that of {COUNT}"),
        (r"^stake_reason = .*", 'stake_reason = " "', "the stake has no reason"),
        (r"^stake_usd = .*", 'stake_usd = "much"', "no dollars"),
        (r"^timestamp = .*", "timestamp = 1719593036", "its block's is 1719593037"),
        (r"^timestamp = .*", "timestamp = 1799593037", "the block after its own"),
        (r"^block = .*", "block = 61", "block 61 of chain mini is not recorded"),
        (r"^chain = .*", 'chain = "minni"', "nearest: mini"),
        (r"^shape = .*", 'shape = "base-fee-bond"', "nearest: base-fee-bound"),
        (r'^tolerance_percent = "0"', 'tolerance_percent = "250"', "accepts '26' as well"),
        (r"^kind = .*", 'kind = "numbr"', "nearest: number"),
        (r"^unit = .*", 'columns = []\nunit = "%"\nchain = "mini"', "'chain' means nothing"),
        (r"https://learn", "https://lern", "step 1 (url_fetching) was MISS"),
        (r"^tool = .*", 'tool = "url_fetch"', "step 1 (url_fetch) was ERROR"),
        (r"at most \(\[0-9.\]\+\)%", "((a+)+)+b", "gold matches"),
        (r"^\[\[gold.steps\]\](\n.*)*", "", "'gold.steps' is missing"),
        (r"^values = .*", "values = []", "no values in [answer]; the gold chain gives '12.5'"),
        (r"^result = .*", 'result = ""', "no result in [gold]"),
        (r"^id = .*", 'id = "other"', "the folder is named"),
        (r"^id = .*", "id = ", "not a TOML file"),
    ],
)
def test_what_is_wrong_is_told(world: Path, pattern: str, text: str, words: str) -> None:
    """Each thing that makes a task unsound is a fault of that task, and of no other."""
    put(world, FEE, pattern, text)
    seal_world(world)
    faults = told(check_tasks(world, SCORING, FEE))
    assert list(faults) == [FEE] and words in faults[FEE], faults


def test_all_faults_of_all_folders_are_told_at_once(world: Path) -> None:
    """One folder that cannot be read, wrong ones, a day that is none, entries too many, a question asked twice."""
    put(world, FEE, r"^id = .*", "id = ")
    put(world, COUNT, r'^values = \["45"\]', 'values = ["46"]')
    put(world, "", rf'^id = "{SUPPLY}"\nadded = .*', f'id = "{SUPPLY}"\nadded = "soon"')
    put(world, "", r"^\[recipes\]", '[[entries]]\nid = "ghost"\nadded = "2026-11-20"\n\n[recipes]')
    put(world, "", r"^\[recipes\]", '[[entries]]\nid = "../x"\nadded = "2026-11-20"\n\n[recipes]')
    asked = re.findall(r"^question = .*", (world / "tasks" / COUNT / "task.toml").read_text(), re.M)[0]
    put(world, SUPPLY, r"^question = .*", asked)
    report = check_tasks(world, SCORING)
    assert list(told(report)) == [COUNT, SUPPLY, FEE, "ghost", "../x"]
    assert len(report.tasks) == 8 and not report.around
    assert f"same question as {COUNT}" in told(report)[SUPPLY] and f"same question as {SUPPLY}" in told(report)[COUNT]
    with pytest.raises(BadInput, match=f"nearest: {SUPPLY}"):
        check_tasks(world, SCORING, "mini6-suply")


def test_the_seal_counts(world: Path) -> None:
    """A changed task without a new version is a fault of that task, a changed recording one of the world around."""
    put(world, FEE, r"^stake_reason = .*", 'stake_reason = "Other words."')
    cassette = min(world.glob("http/*.json"))
    cassette.write_bytes(cassette.read_bytes() + b"\n")
    report = check_tasks(world, SCORING, FEE)
    assert "version is still 1.0.0" in told(report)[FEE] and cassette.name in report.around[0]
    assert (report.faults, report.lines()[-1], len(report.lines())) == (2, "0/1 sound", 3)


def test_a_retired_task_must_only_be_readable(world: Path) -> None:
    """Unless it is named: then it is checked like any other."""
    put(world, FEE, r'^values = \["12.5"\]', 'values = ["13"]')
    put(world, "", rf'^id = "{FEE}"\n', f'id = "{FEE}"\nretired = "2026-12-01"\n')
    assert not told(check_tasks(world, SCORING))
    assert told(check_tasks(world, SCORING, FEE))
    put(world, FEE, r"^id = .*", "id = ")
    assert list(told(check_tasks(world, SCORING))) == [FEE]


def test_a_live_world_may_wait_for_its_recording(world: Path) -> None:
    """What is not recorded yet, and what no chain answers, is told apart from faults; a wrong answer stays one."""
    put(world, "", r"(?s)^\[recipes\].*", "")
    info = world / "world.toml"
    info.write_text(info.read_text().replace('provenance = "synthetic"', 'provenance = "live"'))
    put(world, FEE, r"https://learn", "https://lern")
    put(world, COUNT, r"^block = .*", "block = 99999")
    put(world, COUNT, r"^timestamp = .*", "timestamp = -1")
    put(world, SUPPLY, r"^tags = .*", 'tags = ["gold:no-provider"]')
    put(world, SUPPLY, r"^result = .*", 'result = ""')
    put(world, "mini6-vote-date", r"^chain = .*", 'chain = "elsewhere"')
    put(world, "mini6-volume-growth", r"^values = .*", 'values = ["1.25"]')
    seal_world(world)
    report = check_tasks(world, SCORING)
    assert {one.task for one in report.tasks if one.waits} == {FEE, COUNT, SUPPLY, "mini6-vote-date"}
    assert list(told(report)) == ["mini6-volume-growth"]


@pytest.mark.parametrize(
    "answer",
    [
        AnswerSpec("number", ("45",)), AnswerSpec("number", ("0",)), AnswerSpec("number", ("-1",), "%", direction="up"),
        AnswerSpec("number", ("12.5",), "%", bound="upper"), AnswerSpec("hash", ("0x" + "ab" * 32,)),
        AnswerSpec("address", ("0x2931acaffd9415d5bb5f60a58b7f3b0d54211dcF",)), AnswerSpec("date", ("2024-06-04",)),
        AnswerSpec("time", ("2024-06-04T12:00:00Z",), tolerance_seconds=60), AnswerSpec("text", ("Zz9 lend",)),
        AnswerSpec("text", ("以太坊",)), AnswerSpec("text_set", ("USDC", "DAI")),
        AnswerSpec("text_list", ("USDC", "DAI")), AnswerSpec("boolean", ("yes",)), AnswerSpec("boolean", ("no",)),
        AnswerSpec("url", ("https://a.example/x",)), AnswerSpec("abi", ("transfer(address,uint256)",)),
        AnswerSpec("table", ("ant | 4", "bee | 6"), columns=(Column("name", "text", True), Column("legs", "number"))),
    ],
)  # fmt: skip
def test_a_wrong_answer_is_wrong(answer: AnswerSpec) -> None:
    """Of every kind that has a verifier: the spec is sound, and what is made of it is no right answer by it."""
    assert not check_spec(answer)
    assert verify(answer, wrong_answer(answer)).correct is False

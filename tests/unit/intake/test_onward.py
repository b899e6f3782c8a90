"""From a reviewed question to a task of a suite, and from finished runs to tasks that should retire."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

from caia_replay.intake.ledger import Ledger
from caia_replay.intake.question import Question, add_questions
from caia_replay.intake.review import write_review
from caia_replay.intake.rubric import read_rubric
from caia_replay.intake.standing import decide
from caia_replay.intake.trial import read_draft, save_draft
from caia_replay.store.world_folder import open_world
from tests.cli_shell import Shell
from tests.finished_run import finished_run, rewritten

TOKEN = "0x2931acaffd9415d5bb5f60a58b7f3b0d54211dc0"
CALL = {
    "contract": TOKEN,
    "event": "Transfer(address indexed from, address indexed to, uint256 value)",
    "from_block": 3,
    "to_block": 9,
}
QUESTION = Question(
    f"How many Transfers did the MARE token contract ({TOKEN}) emit on the Mini chain in blocks 3 to 9?",
    "19",
    "onchain analysis",
    "ana",
)
DRAFT = {
    **{"values": "19", "kind": "number", "steps": f"data_query {json.dumps(CALL)}", "result": "count($1.events)"},
    **{"chain": "mini", "block": "30"},
}
WISH = ("--suite", "mini-6", "--task", "more", "--as", "ana", "--stake", "900", "--stake-reason", "A fee is wrong.")
ADDED = ("--added", "2026-12-01")
TASKS = ("mini6-event-count", "mini6-supply", "mini6-vote-date")


def kept(points: int = 4, reviewers: int = 4, draft: bool = True) -> Path:
    """An intake folder here, whose one question a person kept and others reviewed."""
    folder = Path("in")
    add_questions(folder, [QUESTION])
    ledger, rules = Ledger(folder), read_rubric(folder).review
    decide(ledger, QUESTION.id, "keep", "Fine.", "ben")
    if draft:
        save_draft(ledger, QUESTION.id, "ben", read_draft(DRAFT))
    for at in range(reviewers):
        given = {one.id: points for one in rules.criteria}
        write_review(ledger, QUESTION.id, f"r{at}", rules, points=given, notes="", conflict="")
    return folder


def test_what_passed_becomes_a_sound_task(shell: Shell) -> None:
    """One command makes a task of the reviewed draft that verify solves, check calls sound and the changelog tells."""
    kept()
    shutil.copytree("cassettes/mini-6", "cassettes/before")
    code, out, err = shell("intake", "promote", QUESTION.id, *WISH, *ADDED)
    assert (code, err) == (0, "") and "version 1.0.0 -> 1.1.0" in out, out + err
    assert shell("lint", "--seal", "cassettes/mini-6")[0] == 0
    assert shell("task", "check", "all", "--suite", "mini-6")[1] == "7/7 sound\n"
    assert "ok more: 19" in shell("verify", "--task", "more", "--suite", "mini-6")[1]
    task = open_world("mini-6").task("more")
    assert (task.category, task.anchor.block, task.stake_usd) == ("on-chain analysis", 30, "900")
    code, out, _ = shell("task", "changelog", "before", "mini-6")
    assert code == 0 and out.startswith("## mini-6 1.1.0, from 1.0.0\n\n6 tasks before, 7 now; 6 are in both")
    assert "Added:\n\n- `more`: on 2026-12-01; on-chain analysis; How many Transfers" in out
    code, _, err = shell("intake", "promote", QUESTION.id, *WISH)
    assert code == 2 and "is task 'more' of mini-6 already" in err
    assert "next: caia-replay task check more --suite mini-6" in err


def test_a_promoted_question_is_left_alone(shell: Shell) -> None:
    """Screening does not find it asked by its own task, drops a copy of it, and list, why and results tell it."""
    folder = kept()
    assert shell("intake", "promote", QUESTION.id, *WISH)[0] == 0
    copy = Question(f"Please: {QUESTION.question}", "19")
    add_questions(folder, [copy])
    before = len(list((folder / "ledger" / QUESTION.id).iterdir()))
    code, out, err = shell("intake", "screen", folder)
    assert (code, err) == (0, "") and "1 dropped, 1 promoted" in out, out + err
    assert len(list((folder / "ledger" / QUESTION.id).iterdir())) == before
    assert f"asks the same as {QUESTION.id}" in shell("intake", "why", copy.id)[1]
    told = shell("intake", "why", QUESTION.id)[1]
    assert f"{QUESTION.id}: promoted, passed review" in told and "is task more of mini-6, by ana" in told
    assert "ben saved a draft answer: 19" in told and "ana made it task more of mini-6" in told
    assert QUESTION.id in shell("intake", "list", folder, "--only", "promoted")[1]
    assert "1 of them passed review, 1 of them promoted to tasks" in shell("intake", "results", folder)[1]
    assert shell("intake", "decide", QUESTION.id, "--drop", "--why", "Dull.", "--as", "eve")[1].endswith(": dropped\n")


def test_why_tells_the_reviews(shell: Shell) -> None:
    """A question that failed review says so, with each reviewer's score, points, notes and what does not count."""
    folder = kept(points=3)
    given = {"clear": 1, "right": 1, "workable": 1, "worthwhile": 1}
    rules = read_rubric(folder).review
    write_review(Ledger(folder), QUESTION.id, "cid", rules, points=given, notes="Too\neasy.", conflict="I own it")
    told = shell("intake", "why", QUESTION.id)[1]
    assert f"{QUESTION.id}: kept, failed review" in told
    assert "failed: 4 reviews, score 3.00, 1 set aside" in told and "r0: 3.00 (clear 3, " in told
    assert "does not count: conflict of interest: I own it; notes: Too easy." in told, told


def test_a_task_is_admitted_after_its_reason_is_given(shell: Shell) -> None:
    """Without a reason for its stake promote says what check will ask for; admitting it does not ask to admit it."""
    kept()
    code, out, _ = shell("intake", "promote", QUESTION.id, "--suite", "mini-6", "--task", "more", "--as", "ana")
    assert code == 0 and "its stake has no reason" in out
    path = Path("cassettes/mini-6/tasks/more/task.toml")
    path.write_text(path.read_text().replace('stake_reason = ""', 'stake_reason = "A fee is wrong."'))
    code, out, err = shell("task", "check", "more", "--admit", "2026-12-01")
    assert (code, err) == (0, "") and "1/1 sound" in out and "in no suite yet" not in out, out + err


def test_what_did_not_pass_becomes_nothing(shell: Shell) -> None:
    """Too few reviews, too few points, a question that was dropped and one without a draft say so and write nothing."""
    for arguments, told in (
        ({"reviewers": 3}, "has not passed review: 1 more review is wanted"),
        ({"points": 3}, "has not passed review: its score is 3.00"),
        ({"draft": False}, "nobody has saved a draft answer"),
    ):
        folder = kept(**arguments)  # type: ignore[arg-type]
        code, _, err = shell("intake", "promote", QUESTION.id, *WISH)
        assert code in (1, 2) and told in err, err
        shutil.rmtree(folder)
    kept()
    assert shell("intake", "decide", QUESTION.id, "--drop", "--why", "Dull.", "--as", "ben")[0] == 0
    code, _, err = shell("intake", "promote", QUESTION.id, *WISH)
    assert code == 1 and "has not passed screening: decided" in err
    assert not Path("cassettes/mini-6/tasks/more").exists()


def test_results_tell_who_passed(shell: Shell) -> None:
    """The table has the score, the spread and what does not count; a draft task waits to be checked."""
    folder = kept()
    write_review(
        Ledger(folder), QUESTION.id, "ana", read_rubric(folder).review,
        points={"clear": 1, "right": 1, "workable": 1, "worthwhile": 1}, notes="", conflict="",
    )  # fmt: skip
    code, out, _ = shell("intake", "results", folder)
    assert code == 0 and "ana does not count: the reviewer is the author" in out
    assert "1 question passed screening, 1 of them passed review" in out and "all scores are equal" in out
    code, out, _ = shell("intake", "promote", QUESTION.id[:9], *WISH, "--category", "tokenomics")
    assert code == 0 and "next: caia-replay task check more --admit" in out


def test_a_category_is_one_of_caias(shell: Shell) -> None:
    """Another one is refused with the nearest."""
    kept()
    code, _, err = shell("intake", "promote", QUESTION.id, *WISH, "--category", "tokenomic")
    assert code == 2 and "none of CAIA's categories; nearest: tokenomics" in err


def played(name: str, right: set[str], model: str, **more: Any) -> Path:
    """A finished run of three tasks, thrice each, right in some."""
    world = open_world("mini-6")
    answers = {task: world.task(task).answer.values[0] for task in TASKS}
    runs = [(task, attempt, answers[task] if task in right else "7") for task in TASKS for attempt in (1, 2, 3)]
    return finished_run(Path("runs") / name, Path("cassettes/mini-6"), runs, model=model, **more)


def test_runs_propose_what_to_retire(shell: Shell) -> None:
    """What all models solve and what one knows by its canary is proposed with evidence; policies prove nothing."""
    every = [played(name, {TASKS[0], TASKS[at]}, name) for at, name in enumerate(("one", "two", "three"))]
    every.append(played("script", set(), "policy/oracle"))
    canary = open_world("mini-6").task(TASKS[1]).canary

    def say(record: dict[str, Any]) -> None:
        if record["task"] == TASKS[1]:
            record["steps"][0]["content"] = f"I remember {canary}."
        record["steps"][1]["shown"] = {"is": open_world("mini-6").task(TASKS[2]).canary}

    rewritten(every[2], say)
    before = Path("cassettes/mini-6/suite.toml").read_bytes()
    code, out, err = shell("task", "proposals", *every)
    assert (code, err) == (0, "") and out.splitlines()[:2] == [
        f"{TASKS[0]}: solved by all: 3 models, 9 of 9 attempts right",
        f"{TASKS[1]}: leaked canary: three said it",
    ]
    assert "2 of 6 tasks of mini-6 proposed" in out
    assert "'solved by all' needs 4" in shell("task", "proposals", *every, "--models", "4")[1]
    assert Path("cassettes/mini-6/suite.toml").read_bytes() == before


def test_a_changed_recording_is_drift(shell: Shell) -> None:
    """A newer recording whose chain gives another answer is named; a mended answer is in the changelog."""
    run = played("one", set(), "one")
    shutil.copytree("cassettes/mini-6", "cassettes/newer")
    path = Path("cassettes/newer/tasks/mini6-supply/task.toml")
    text, answer = path.read_text(), open_world("mini-6").task("mini6-supply").answer.values[0]
    path.write_text(text.replace(f'"{answer}"', '"1"'))
    suite = Path("cassettes/newer/suite.toml")
    suite.write_text(suite.read_text().replace('"1.0.0"', '"2.0.0"'))
    from caia_replay.store.world_folder import seal_world

    seal_world(Path("cassettes/newer"))
    code, out, err = shell("task", "proposals", run, "--newer", "cassettes/newer")
    assert (code, err) == (0, "") and "mini6-supply: drifted source: in newer its chain gives" in out
    out = shell("task", "changelog", "mini-6", "newer")[1]
    assert f"Mended:\n\n- `mini6-supply`: answer; the answer was {answer!r}, is '1'" in out and "5 are in both" in out
    assert shell("task", "changelog", "mini-6", "mini-6")[1].endswith("No task changed.\n")


def test_memory_is_told_by_runs_without_tools(shell: Shell) -> None:
    """Right in most attempts without tools is proposed, and one model is enough; a run folder is wanted."""
    runs = [played(name, right, name, condition="no-tools") for name, right in (("one", {TASKS[1]}), ("two", set()))]
    code, out, _ = shell("task", "proposals", *runs)
    assert code == 0 and out.splitlines()[0] == f"{TASKS[1]}: solved without tools: one was right in 3 of 3 attempts"
    assert "1 of 6 tasks of mini-6 proposed" in out
    assert shell("task", "proposals", "cassettes")[0] == 2


def test_a_draft_is_tried_by_its_calls_and_by_policies(shell: Shell) -> None:
    """Its own calls give the answer, the policies' calls are counted; another answer is exit 1, no draft exit 2."""
    kept()
    words = ("intake", "try", QUESTION.id, "--task", "mini6-supply", "--runs", "2")
    code, out, err = shell(*words)
    assert (code, err) == (0, ""), err
    chain, searcher, explorer = out.splitlines()
    assert chain == "chain: 19; the draft says 19"
    assert searcher.startswith("policy/searcher: 0 of 2 right, answered ")
    calls, missed = map(int, re.findall(r"\d+", explorer))
    assert calls > 2 * 20 and 0 <= missed < calls
    assert shell(*words)[1] == out
    save_draft(Ledger(Path("in")), QUESTION.id, "ben", read_draft({**DRAFT, "values": "20"}))
    code, out, err = shell(*words, "--runs", "1")
    assert (code, out.splitlines()[0], err) == (
        1,
        "chain: 19; the draft says 20",
        "the calls of the draft do not give its answer\n",
    )
    shutil.rmtree("in")
    kept(draft=False)
    code, _, err = shell(*words)
    assert code == 2 and "nobody has saved a draft answer" in err

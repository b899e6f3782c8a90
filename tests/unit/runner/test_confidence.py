"""A replay that asks how sure the model is, and one that does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from caia_replay.analysis.finished_run import open_run
from caia_replay.errors import BadInput
from caia_replay.report.html.findings import caveats
from caia_replay.report.html.source import read_source
from caia_replay.runner.plan import make_plan
from caia_replay.runner.replay import replay
from caia_replay.scoring.confidence import FORM
from caia_replay.store.run_folder import read_json
from caia_replay.store.trajectory_file import Trajectories, write_trajectories
from caia_replay.store.world_folder import WorldFolder
from tests.chat_server import ChatServer

TASKS = ("mini6-event-count", "mini6-vote-date")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A model that always says 45 and is 90 % sure, but for its first answer, of which it says nothing."""
    made = ChatServer()
    monkeypatch.setenv("OPENAI_BASE_URL", made.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-local-0123456789")
    for text in ("FINAL ANSWER: 45", "CONFIDENCE: 90\nFINAL ANSWER: 45"):
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        made.will(
            200,
            {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage},
        )
    yield made
    made.close()


def test_confidence_is_asked_for_kept_and_scored(folder: WorldFolder, server: ChatServer, tmp_path: Path) -> None:
    """Of four runs one states nothing and is in no figure; the folder agrees with itself, and not with another word."""
    plan = make_plan(folder, tasks=TASKS, arms=("clean",), model="m", runs=2, confidence=True)
    out = tmp_path / "run"
    replay(plan, folder, out, workers=1, concurrency=1, resume=False, replace=False)
    assert all(FORM in body["messages"][1]["content"] for _, body in server.received)
    told = read_json(out / "clean-tools" / "summary.json")["confidence"]
    assert (told["scored"], told["stated"], told["missing"], told["right"]) == (4, 3, 1, 0.333333)
    assert (told["brier"], told["calibration_error"]) == (0.543333, 0.566667)
    assert read_json(out / "clean-tools" / "certificate.json")["confidence"] is True
    assert open_run(out, folder.path).plan.confidence
    said = "clean: 3 of 4 scored runs stated how sure they are: Brier score 0.543, calibration error 0.567."
    assert ("mind", said, "") in list(caveats([read_source(out, folder.path)]))
    with Trajectories(out / "clean-tools") as found:
        records = [found.json(task, attempt) for task in TASKS for attempt in (1, 2)]
    assert [record["confidence"] for record in records] == [None, 90, 90, 90]
    write_trajectories(out / "clean-tools", [{**record, "confidence": 10} for record in records])
    with pytest.raises(BadInput, match="confidence is 10"):
        open_run(out, folder.path)


def test_where_all_are_silent_there_is_no_figure(folder: WorldFolder, server: ChatServer, tmp_path: Path) -> None:
    """Null in the summary; the report counts the silence and names no score."""
    plan = make_plan(folder, tasks=TASKS[:1], arms=("clean",), model="m", runs=1, confidence=True)
    replay(plan, folder, tmp_path / "run", workers=1, concurrency=1, resume=False, replace=False)
    told = read_json(tmp_path / "run" / "clean-tools" / "summary.json")["confidence"]
    assert (told["brier"], told["stated"], told["missing"]) == (None, 0, 1)
    said = ("mind", "clean: 0 of 1 scored run stated how sure they are.", "")
    assert said in list(caveats([read_source(tmp_path / "run", folder.path)]))


def test_by_default_nothing_is_asked_and_nothing_is_said_of_it(
    folder: WorldFolder, server: ChatServer, tmp_path: Path
) -> None:
    """Neither prompt nor plan, record, certificate or summary has a trace of it, whatever the model says."""
    plan = make_plan(folder, tasks=TASKS[:1], arms=("clean",), model="m", runs=2)
    replay(plan, folder, tmp_path / "run", workers=1, concurrency=1, resume=False, replace=False)
    assert "confidence" not in plan.plain() and all(FORM not in str(body) for _, body in server.received)
    for name in ("certificate.json", "summary.json"):
        assert "confidence" not in read_json(tmp_path / "run" / "clean-tools" / name)
    with Trajectories(tmp_path / "run" / "clean-tools") as found:
        assert "confidence" not in found.json(TASKS[0], 2)

"""The model a plan names, and the tape its traffic is kept on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caia_replay.core.model import RunKey
from caia_replay.errors import BadInput, MissingKey
from caia_replay.models.recorded import RecordedModel
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.runner.plan_model import model_of, require_tape_room
from caia_replay.runner.replay import Finished, replay
from caia_replay.store.tape_folder import open_tape
from caia_replay.store.world_folder import WorldFolder, open_world
from tests.chat_server import ChatServer

TASK = "mini6-supply"
ANSWER = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "FINAL ANSWER: 1"}}]}
REFUSAL = {"error": {"message": "not today"}}


@pytest.fixture
def server(mini: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A model behind OPENAI_BASE_URL; the current folder is a copy of the shipped world's root."""
    monkeypatch.chdir(mini)
    made = ChatServer()
    monkeypatch.setenv("OPENAI_BASE_URL", made.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-local-0123456789")
    yield made
    made.close()


def planned(model: str = "some-model", **options: Any) -> RunPlan:
    wanted = {"tasks": [TASK], "arms": ["clean"], "runs": 2} | options
    return make_plan(open_world("mini-6"), model=model, **wanted)


def played(plan: RunPlan, *, resume: bool = False) -> Finished:
    folder: WorldFolder = open_world("mini-6")
    return replay(plan, folder, Path("run"), workers=1, resume=resume, replace=True, progress=lambda _: None)


def test_a_run_that_the_endpoint_broke_is_recorded_anew(server: ChatServer) -> None:
    """Attempt 2 fails and is on the tape as it failed; resumed, it is played again and takes that place alone."""
    server.plan = [(200, ANSWER, {}), (400, REFUSAL, {}), (200, ANSWER, {})]
    plan = planned(record_model="mine")
    done = played(plan)
    assert (done.summaries[0]["stops"], done.tape) == (
        {"answered": 1, "model_fault": 1},
        Path.cwd() / "model_tapes/mine",
    )
    first, second = (RunKey(TASK, "clean", "tools", "react", attempt) for attempt in (1, 2))
    kept, broken = (open_tape("mine", Path.cwd()).turns(key) for key in (first, second))
    assert broken is not None and "not today" in str(broken[0].outcome)
    assert played(plan, resume=True).summaries[0]["stops"] == {"answered": 2}
    tape = open_tape("mine", Path.cwd())
    assert tape.turns(first) == kept and "not today" not in str(tape.turns(second))
    assert [json.loads(found.request)["seed"] for found in tape.turns(second) or ()] == [2]
    assert not Path("run/tape").exists()


def test_a_tape_that_is_there_is_known_before_anything_is_paid_for(server: ChatServer) -> None:
    """The same runs once more under the same name: refused without a request, and the finished run stays."""
    server.plan = [(200, ANSWER, {})]
    plan = planned(record_model="mine")
    played(plan)
    asked = len(server.received)
    with pytest.raises(BadInput, match="mine"):
        require_tape_room(plan)
    with pytest.raises(BadInput, match="mine"):
        played(plan)
    assert len(server.received) == asked and Path("run/index.json").is_file()
    require_tape_room(planned(record_model="mine", agent="text-react"))


def test_a_replay_that_ends_later_takes_no_others_place(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two replays into one tape: the one that ends later is refused, resumed too, and the tape stays the first's."""
    server.plan = [(200, ANSWER, {})]
    plan = planned(record_model="mine")
    played(plan)
    key = RunKey(TASK, "clean", "tools", "react", 1)
    first = open_tape("mine", Path.cwd()).turns(key)
    server.plan = [(200, {"choices": [{"index": 0, "message": {"content": "FINAL ANSWER: 2"}}]}, {})]
    folder = open_world("mini-6")
    with monkeypatch.context() as earlier:
        earlier.setattr(
            "caia_replay.runner.replay.require_tape_room", lambda plan: None
        )  # it began before the other ended
        for resume in (False, True):
            with pytest.raises(BadInput, match="mine"):
                replay(plan, folder, Path("late"), workers=1, resume=resume, replace=False, progress=lambda _: None)
    assert open_tape("mine", Path.cwd()).turns(key) == first and Path("late.partial/tape").is_dir()


def test_a_recorded_name_is_a_tape(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """recorded/NAME needs no key; one that is not there names those that are, as does a live model without its key."""
    server.plan = [(200, ANSWER, {})]
    played(planned(record_model="mine"))
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY")
    model = model_of(planned("recorded/mine"))
    assert isinstance(model, RecordedModel) and model.price is None
    model.close()
    with pytest.raises(BadInput, match="nearest: mine"):
        model_of(planned("recorded/mien"))
    with pytest.raises(MissingKey, match="recorded/mine"):
        model_of(planned("gpt-5"))

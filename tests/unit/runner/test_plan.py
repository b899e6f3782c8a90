"""What a plan plays, what it refuses, the model it names, and the tape its traffic is kept on."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from caia_replay.core.agent import Budget
from caia_replay.core.model import Price, RunKey
from caia_replay.errors import BadInput, MissingKey
from caia_replay.models.recorded import RecordedModel
from caia_replay.runner.episode import model_of, require_tape_room
from caia_replay.runner.plan import RunPlan, make_plan
from caia_replay.runner.replay import Finished, replay
from caia_replay.store.tape_folder import open_tape
from caia_replay.store.world_folder import WorldFolder, open_world
from tests.chat_server import ChatServer


def plan(folder: WorldFolder, **changes: Any) -> RunPlan:
    wanted: dict[str, Any] = {"arms": ("clean", "attacked"), "model": "policy/oracle", "runs": 3}
    return make_plan(folder, **(wanted | changes))


def test_a_plan_counts_what_it_will_play(folder: WorldFolder) -> None:
    """Every task, cell and attempt once, in suite order; shards are whole tasks and lose none."""
    whole = plan(folder)
    assert len(set(whole.episodes())) == len(list(whole.episodes())) == whole.size == 6 * 2 * 3
    first, second = whole.tasks[:2]
    assert plan(folder, tasks=(second, first)) == plan(folder, tasks=(first, second))
    for count in (1, 2, 4, 6):
        parts = [whole.shard(index, count) for index in range(count)]
        assert Counter(task for part in parts for task in part.tasks) == Counter(whole.tasks)


@pytest.mark.parametrize(("changes", "word"), [
    ({"tasks": ("nothing-like-it",)}, "unknown task"), ({"arms": ("atacked",)}, "nearest: attacked"),
    ({"arms": ()}, "no arm"), ({"arms": ("clean", "clean")}, "twice"), ({"conditions": ("tool",)}, "nearest: tools"),
    ({"runs": 0}, "at least one run"), ({"turns": 0}, "--max-turns is 0"), ({"turns": 10_001}, "at most 10000"),
    ({"calls": -1}, "--max-calls is -1"), ({"tokens": 0}, "--max-tokens is 0"),
    ({"usd": "a few"}, "--max-usd is 'a few'"), ({"usd": "0"}, "dollars above zero"),
    ({"usd": "nan"}, "dollars above zero"), ({"defence": "quarantin"}, "nearest: quarantine"),
    ({"record_model": "mine"}, "no live traffic to keep"),
    ({"record_model": "mine", "model": "recorded/x"}, "no live traffic to keep"),
])  # fmt: skip
def test_what_does_not_exist_is_refused_in_one_line(folder: WorldFolder, changes: dict[str, Any], word: str) -> None:
    """Unknown, repeated and empty choices name the nearest that exists."""
    with pytest.raises(BadInput, match=word):
        plan(folder, **changes)


def test_limits_are_a_part_of_the_plan_and_dollars_need_a_price(folder: WorldFolder) -> None:
    """Equal dollars are equal plans however written; other limits, seeds and worlds are others to --resume."""
    cheap = plan(folder, usd="0.250", turns=7, calls=5, tokens=1000)
    assert cheap == plan(folder, usd=" 0.25", turns=7, calls=5, tokens=1000)
    assert cheap.limits() == {"turns": 7, "calls": 5, "tokens": 1000, "usd": "0.25"}
    made = plan(folder)
    assert made.digest("a") == plan(folder).digest("a")
    others = (made.digest("a"), made.digest("b"), plan(folder, seed=1).digest("a"), cheap.digest("a"))
    assert len(set(others)) == 4
    price = Price("1", "2", "2026-11-01", "x")
    assert plan(folder, usd="0.25").budget(price).usd == Decimal("0.25")
    assert made.budget(None) == Budget()
    with pytest.raises(BadInput, match=r"--max-usd: no price of 'policy/oracle' is known"):
        plan(folder, usd="0.25").budget(None)


def test_a_defence_is_part_of_the_plan_and_none_is_not_said(folder: WorldFolder) -> None:
    """Equal choices are equal plans, other ones are others, and a plan without is written as before there were any."""
    listed = ("allow-list:b.example,a.example", "allow-list:a.example,b.example")
    bare, one, same, other = (plan(folder, defence=text) for text in ("", *listed, "quarantine"))
    assert "defence" not in bare.plain()
    assert one == same and one.plain()["defence"] == "allow-list:a.example,b.example"
    assert len({made.digest("a") for made in (bare, one, other)}) == 3


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
    return replay(plan, folder, Path("run"), workers=1, concurrency=1, resume=resume, replace=True)


def test_a_run_that_the_endpoint_broke_is_recorded_anew(server: ChatServer) -> None:
    """Attempt 2 fails and is on the tape as it failed; resumed, it is played again and takes that place alone."""
    server.plan = [(200, ANSWER, {}), (400, REFUSAL, {}), (200, ANSWER, {})]
    plan = planned(record_model="mine")
    done = played(plan)
    assert done.summaries[0]["stops"] == {"answered": 1, "model_fault": 1}
    assert done.tape == Path.cwd() / "model_tapes/mine"
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
    monkeypatch.setattr("caia_replay.runner.replay.require_tape_room", lambda plan: None)  # it began before the end
    for resume in (False, True):
        with pytest.raises(BadInput, match="mine"):
            replay(plan, folder, Path("late"), workers=1, resume=resume, replace=False)
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


def test_a_person_meets_every_task_once_before_any_again(folder: WorldFolder) -> None:
    """Each round has every task in one arm, half of them in either; seed and name decide which, and the order."""
    whole = plan(folder, model="human/ana", runs=1)
    order = list(whole.in_order())
    assert sorted(order, key=str) == sorted(whole.episodes(), key=str)
    for half in (order[:6], order[6:]):
        assert {task for task, _, _ in half} == set(whole.tasks)
        assert Counter(cell.arm for _, cell, _ in half) == {"clean": 3, "attacked": 3}
    others = [plan(folder, model="human/ben", runs=1), plan(folder, model="human/ana", runs=1, seed=1)]
    assert all(list(other.in_order()) != order for other in others)
    assert list(plan(folder).in_order()) == list(plan(folder).episodes())

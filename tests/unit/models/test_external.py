"""One run between two threads: the client that decides what happens in it, and the one that plays it."""

from __future__ import annotations

import pytest

from caia_replay.core.message import ToolCall
from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.core.tool import Served, ToolReply
from caia_replay.errors import BadInput, Interrupted, ModelFault
from caia_replay.models.external import ClientRun, ExternalModel, RunOver, TooMany, external_name
from caia_replay.models.resolve import endpoint_hosts, resolve_model

REPLY = ToolReply(Served.COMPUTED, {"is": 1})


def test_calls_are_played_one_at_a_time_in_the_order_they_came() -> None:
    """Each is answered with its own reply; who is too many is told so, and the run goes on."""
    run = ClientRun(60)
    waiting = [run.call("tool", str(number)) for number in range(64)]
    with pytest.raises(TooMany):
        run.call("tool", "64")
    run.submit("so\nFINAL ANSWER: 3 \ud800")
    told = [run.next_call(None), *(run.next_call(REPLY) for _ in waiting[1:])]
    assert told == [ToolCall(f"call_{at + 1}", "tool", str(at)) for at in range(64)]
    assert run.next_call(REPLY) is None and all(one.result(0) is REPLY for one in waiting)
    said = run.complete((), ())
    assert said.message.content == "so\nFINAL ANSWER: 3 ?" and not said.usage.reported


def test_a_call_that_nobody_waits_for_is_not_made() -> None:
    """A client may take back what has not begun."""
    run = ClientRun(60)
    assert run.call("first", "").cancel()
    run.call("second", "")
    assert run.next_call(None) == ToolCall("call_1", "second", "")


@pytest.mark.parametrize(("stop", "told"), [("answered", "answered"), ("", None)], ids=["kept", "broken"])
def test_the_end_of_a_run_is_told_to_whoever_waits(stop: str, told: str | None) -> None:
    """Calls that were never played have ended with it, and so has whatever is asked later."""
    run = ClientRun(60)
    calls = [run.call("one", ""), run.call("two", "")]
    run.next_call(None)
    ended = run.submit("3")
    for asked in (lambda: run.call("late", ""), lambda: run.submit("4"), lambda: run.leave("late")):
        with pytest.raises(RunOver):
            asked()
    run.end(stop)
    run.end(stop)  # a run may end by itself while the command ends
    for call in calls:
        with pytest.raises(RunOver):
            call.result(0)
    if told is None:
        with pytest.raises(RunOver):
            ended.result(0)
        with pytest.raises(Interrupted):
            run.next_call(REPLY)
    else:
        assert ended.result(0) == told
    with pytest.raises(RunOver):
        run.offered.result(0)


def test_who_has_gone_is_a_fault_of_the_model() -> None:
    """By leaving, and by asking nothing for as long as it may."""
    left, idle = ClientRun(60), ClientRun(0.01)
    left.leave("its client ended it")
    for run, why in ((left, "its client ended it"), (idle, "nothing was asked for 0.01 s")):
        with pytest.raises(ModelFault, match=why) as caught:
            run.next_call(None)
        assert caught.value.reason == "gone"


def test_an_external_model_is_never_asked() -> None:
    """It has a name of its own kind, its session is its client's run, and no other command takes it."""
    run = ClientRun(60)
    model = ExternalModel(external_name("mine"), run)
    assert model.session(RunKey("t", "clean", "tools", "external", 1), PolicyHints("?")) is run
    assert model.identity == {"name": "external/mine", "parameters": {}} and model.price is None
    for ask in (endpoint_hosts, resolve_model):
        with pytest.raises(BadInput, match="serve tools"):
            ask("external/mine", {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_API_KEY": "x"})  # type: ignore[operator]
    for name in ("", "a b", "../up", "é", "x" * 65, "-x"):
        with pytest.raises(BadInput, match="no name"):
            external_name(name)

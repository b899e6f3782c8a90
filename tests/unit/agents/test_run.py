"""One run: counting, budgets, and every fault's stop reason."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import get_args

import pytest

from caia_replay.agents.run import Ended, Run, play
from caia_replay.core.agent import Budget
from caia_replay.core.model import Completion, Usage
from caia_replay.core.tool import Served
from caia_replay.core.trajectory import STOPS, ModelTurn, StopReason, Trajectory
from caia_replay.errors import (
    BadInput,
    CaiaReplayError,
    EgressRefused,
    ForkFault,
    GoldFault,
    Interrupted,
    Miss,
    ModelFault,
    WallLimit,
)
from tests.unit.agents.conftest import PRICE, Line, Script, Sums, adds, calls, cut_off, declines, says

Loop = Callable[[Run], None]


def for_ever(run: Run) -> None:
    """The simplest loop: it acts, or answers with whatever a message says after =."""
    run.begin("system", "question")
    while True:
        message = run.ask()
        if message.tool_calls:
            run.act(message)
        else:
            run.settle(message.content.partition("=")[2] or None, "remember")


def once(run: Run) -> None:
    """A loop that asks once and has nothing more to ask."""
    run.begin("system", "question")
    run.ask()


def run(*lines: Line, budget: Budget | None = None, toolset: Sums | None = None, loop: Loop = for_ever) -> Trajectory:
    return play(loop, Script(*lines), toolset or Sums(), budget or Budget())


def test_every_fault_has_one_stop_reason() -> None:
    """Whether the model's endpoint raises it or the world does; the steps before it are kept, the words told."""
    seen: set[StopReason] = set()
    faults: tuple[tuple[Exception, StopReason], ...] = (
        (ModelFault("rate_limit", "no"), "model_fault"), (ModelFault("never heard of", "no"), "model_fault"),
        (ModelFault("context_overflow", "no"), "context_overflow"), (ModelFault("not_recorded", "no"), "tape_miss"),
        (ModelFault("gone", "no"), "client_gone"),
        (WallLimit("a query", 20), "wall_limit"), (ForkFault("no"), "machine_fault"),
        (MemoryError("no"), "machine_fault"), (OSError(24, "no"), "machine_fault"), (GoldFault("no"), "world_fault"),
        (Miss("page", "no", "no"), "world_fault"), (EgressRefused("connect", "no", "no"), "world_fault"),
        (CaiaReplayError("no"), "world_fault"),
    )  # fmt: skip
    for fault, stop in faults:
        from_model = run(adds(1), fault)
        from_world = run(adds(1), toolset=Sums(fault))
        assert (from_model.stop, from_model.answer, len(from_model.steps)) == (stop, None, 2)
        assert (from_world.stop, from_world.answer, len(from_world.steps)) == (stop, None, 1)
        assert str(fault) in from_model.detail and str(fault) in from_world.detail
        seen.add(stop)
    assert seen == {name for name, stop in STOPS.items() if not stop.scored} | {"context_overflow"}
    assert run(ModelFault("rate_limit", "too many requests")).detail == "rate_limit: too many requests"


def test_a_machine_fault_is_never_certified_and_another_try_is_open() -> None:
    """Its runs, and those that a client left, are unscored, resumable and exit 3; all others are certified."""
    assert tuple(STOPS) == get_args(StopReason)
    for name, stop in STOPS.items():
        if stop.fault == "machine" or name == "client_gone":
            assert (stop.scored, stop.certified, stop.resumable, stop.exit_code) == (False, False, True, 3), name
        else:
            assert stop.certified, name
        assert stop.resumable == (stop.exit_code == 3), name
        assert not stop.scored or (stop.exit_code, stop.resumable) == (0, False), name
        assert stop.when.endswith("."), name


def test_what_only_the_user_can_end_or_mend_goes_through() -> None:
    """The user's stop, wrong files or settings, and a limit in dollars without a price end the command, not one run."""
    for fault in (Interrupted("stopped"), BadInput("broken tape")):
        for lines, toolset in (((fault,), Sums()), ((adds(1),), Sums(fault))):
            with pytest.raises(type(fault)):
                run(*lines, toolset=toolset)
    with pytest.raises(BadInput, match="price"):
        run(says("=3"), budget=Budget(usd=Decimal(1)))


def test_turns_are_counted_from_one_and_spent() -> None:
    """A model that acts for ever is asked as often as its turns allow; the last calls are not executed."""
    toolset = Sums()
    ended = run(adds(1), budget=Budget(turns=3), toolset=toolset)
    assert (ended.stop, ended.detail) == ("turn_budget", "no answer within 3 turns")
    assert [step.turn for step in ended.steps] == [1, 1, 2, 2, 3] and len(toolset.executed) == 2
    for turns in (0, -1):
        ended = run(says("=3"), budget=Budget(turns=turns))
        assert (ended.stop, ended.steps) == ("turn_budget", ())


def test_calls_beyond_the_budget_are_told_and_not_executed() -> None:
    """The rest of the turn is answered with errors; one more turn is asked, whose calls are not even answered."""
    toolset, many = Sums(), calls(*[("add", '{"numbers":[1]}')] * 4)
    script = Script(adds(1), many, many)
    ended = play(for_ever, script, toolset, Budget(calls=3))
    assert (ended.stop, ended.detail) == ("call_budget", "no answer within 3 tool calls")
    served = [step.reply.served for step in ended.calls()]
    assert served == [Served.COMPUTED] * 3 + [Served.ERROR] * 2 and len(toolset.executed) == 3
    told = {"type": "call_budget", "message": "not executed: the 3 tool calls of this run are spent"}
    assert [step.reply.shown() for step in ended.calls()[3:]] == [{"error": told}] * 2
    replies = [message.tool_call_id for message in script.seen[2] if message.role == "tool"]
    assert len(script.seen) == 3 and replies == ["c0", "c0", "c1", "c2", "c3"]


def test_after_the_calls_are_spent_an_answer_counts_and_a_reminder_is_not_given() -> None:
    """One last turn is one."""
    assert run(adds(1), says("=3"), budget=Budget(calls=1)).answer == "3"
    ended = run(adds(1), says("hm"), says("=3"), budget=Budget(calls=1))
    assert (ended.stop, len(ended.steps)) == ("call_budget", 3)
    assert run(says("hm"), budget=Budget(calls=0)).stop == "call_budget"


def test_tokens_are_looked_at_before_each_completion() -> None:
    """The completion that reaches the limit is the last, and counts when it answers; estimated tokens count too."""
    toolset = Sums()
    ended = run(adds(1), budget=Budget(tokens=5), toolset=toolset)
    assert (ended.stop, len(ended.steps), len(toolset.executed)) == ("token_budget", 5, 2)
    assert ended.detail == "no answer within 5 tokens; 6 are spent"
    assert run(adds(1), adds(1), says("=3"), budget=Budget(tokens=5)).answer == "3"
    assert run(says("=3"), budget=Budget(tokens=0)).steps == ()
    estimated = Completion(adds(1), Usage(3, 3, reported=False), "stop")
    assert run(estimated, budget=Budget(tokens=12)).stop == "token_budget"


def test_a_completion_is_told_what_is_left() -> None:
    """Of tokens and of dollars whichever is less, without the prompt as far as it is known; nothing without a limit."""
    for budget, told in (
        (Budget(tokens=9), [9, 5, 3, 1, 1]), (Budget(usd=Decimal("12"), price=PRICE), [6, 3, 2, 1]),
        (Budget(tokens=9, usd=Decimal("100"), price=PRICE), [9, 5, 3, 1, 1]), (Budget(turns=2), [None, None]),
    ):  # fmt: skip
        script = Script(adds(1))
        play(for_ever, script, Sums(), budget)
        assert script.limits == told


def test_dollars_are_counted_by_the_price() -> None:
    """Prompt and completion tokens each at their price, exactly."""
    budget = Budget(usd=Decimal("6.01"), price=PRICE)
    ended = run(adds(1), budget=budget)
    assert (ended.stop, ended.detail) == ("cost_budget", "no answer within 6.01 USD; 9 are spent")
    assert sum(isinstance(step, ModelTurn) for step in ended.steps) == 3
    assert run(adds(1), says("=3"), budget=Budget(price=PRICE)).answer == "3"


def test_a_refusal_ends_the_run_whatever_it_holds() -> None:
    """What a provider's filter let through beside it is no answer, and no call; its words are told on one line."""
    for message in (says("=3"), adds(1), says("")):
        toolset = Sums()
        ended = run(Completion(message, Usage(1, 1), "content_filter", refused=True), toolset=toolset)
        assert (ended.stop, ended.answer, len(ended.steps), toolset.executed) == ("refused", None, 1, [])
    assert run(declines("I cannot\nhelp.")).detail == "I cannot help."


def test_a_cut_off_message_is_reminded_and_then_truncated() -> None:
    """One reminder; with an answer or calls in it, or followed by a whole message, nothing was lost."""
    ended = run(cut_off("because"))
    assert (ended.stop, len(ended.steps)) == ("truncated", 2)
    assert run(cut_off("because"), says("hm")).stop == "no_answer"
    assert run(cut_off("=3")).answer == "3"
    assert run(Completion(adds(1), Usage(1, 1), "length"), says("=3")).answer == "3"
    assert run(adds(1), cut_off("so"), budget=Budget(calls=1)).stop == "truncated"


def test_an_empty_message_is_reminded_and_told() -> None:
    """It is a step like any other, but no server is sent an empty message back."""
    for nothing in ("", " \n\t"):
        script = Script(says(nothing))
        ended = play(for_ever, script, Sums(), Budget())
        assert (ended.stop, ended.detail, len(ended.steps)) == ("no_answer", "the last message is empty", 2)
        assert [message.role for message in script.seen[1]] == ["system", "user", "user"]
        assert run(says(nothing), says("=3")).answer == "3"


def test_there_is_one_reminder_in_a_run() -> None:
    """Calls between two messages without an answer earn no second one."""
    script = Script(says("hm"), adds(1), says("hm"))
    ended = play(for_ever, script, Sums(), Budget())
    assert (ended.stop, len(script.seen)) == ("no_answer", 3)
    assert [message.content for message in script.seen[2]].count("remember") == 1


def test_a_loop_that_returns_ends_without_an_answer() -> None:
    """No run is left without a stop reason."""
    assert run(says("hm"), loop=once).stop == "no_answer"
    assert run(says(""), loop=once).detail == "the last message is empty"
    assert run(says("hm"), loop=lambda run: None).stop == "no_answer"


class Judging(Sums):
    """Tools behind a defence that lets no answer but one pass."""

    def objection(self, answer: str) -> str:
        """Its word on an answer."""
        return "" if answer == "right" else f"{answer} is held back"


def test_an_answer_that_is_held_back_is_asked_for_again_once() -> None:
    """Another one may pass; the second that does not ends the run, as does one with no turn left, whoever the agent."""
    better = run(says("=wrong"), says("=right"), toolset=Judging())
    assert (better.stop, better.answer, len(better.steps)) == ("answered", "right", 2)
    held = run(says("=wrong"), says("=worse"), says("=right"), toolset=Judging())
    assert (held.stop, held.answer, held.detail, len(held.steps)) == ("held_back", None, "worse is held back", 2)
    assert STOPS["held_back"].scored and STOPS["held_back"].certified
    last = run(says("=wrong"), toolset=Judging(), budget=Budget(1))
    assert (last.stop, len(last.steps)) == ("held_back", 1)

    def submits(own: Run) -> None:
        raise Ended("answered", "wrong")

    assert run(loop=submits, toolset=Judging()).stop == "held_back"

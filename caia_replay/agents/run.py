"""One run of one agent: ask, act, count, end.

An agent's loop is prose over a ``Run``. It never counts, never looks at a budget's numbers and never catches
anything: what ends a run is thrown as ``Ended`` and becomes the trajectory's stop reason in ``play``, here alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from caia_replay.agents.reply_text import shown_text
from caia_replay.core.agent import Budget
from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Completion, ModelSession
from caia_replay.core.tool import Served, ToolReply, Toolset, objection_to
from caia_replay.core.trajectory import ModelTurn, StopReason, ToolStep, Trajectory, machine_stop
from caia_replay.errors import MACHINE_FAULTS, BadInput, CaiaReplayError, Interrupted, ModelFault, one_line

_FAULTS: Mapping[str, StopReason] = {
    **{"context_overflow": "context_overflow", "not_recorded": "tape_miss", "gone": "client_gone"},
}
"""A ``ModelFault``'s reason to its stop reason; any other is model_fault."""


class Ended(BaseException):
    """Thrown from anywhere in a run to end it; an agent that catches every ``Exception`` does not catch this."""

    def __init__(self, stop: StopReason, answer: str | None = None, detail: str = "") -> None:
        self.stop: StopReason = stop
        self.answer = answer
        self.detail = detail


def play(loop: Callable[[Run], None], session: ModelSession, toolset: Toolset, budget: Budget) -> Trajectory:
    """Follow ``loop`` to the run's end.

    Never raises for what a model, its endpoint, the world or this machine does: each ends in a named stop reason.
    Raises ``Interrupted`` when the user stops the command, and ``BadInput`` for what only the user can mend.
    """
    run = Run(session, toolset, budget)
    end = _end_of(loop, run)
    if end.answer is not None and (why := objection_to(toolset, end.answer)):
        end = Ended("held_back", detail=one_line(why))
    return Trajectory(run.prompt, tuple(run.steps), end.stop, end.answer, end.detail)


def _end_of(loop: Callable[[Run], None], run: Run) -> Ended:
    try:
        loop(run)
        raise run.unanswered("the agent had nothing more to ask")
    except Ended as end:
        return end
    except (Interrupted, BadInput):
        raise
    except ModelFault as fault:
        return Ended(_FAULTS.get(fault.reason, "model_fault"), detail=f"{fault.reason}: {fault}")
    except MACHINE_FAULTS as fault:
        return Ended(machine_stop(fault), detail=one_line(f"{type(fault).__name__}: {fault}"))
    except CaiaReplayError as fault:
        return Ended("world_fault", detail=one_line(f"{type(fault).__name__}: {fault}"))


@dataclass(slots=True)
class Run:
    """What a run has said, done and spent. ``prompt`` is what its first conversation began with.

    A turn is the last one when the turn budget allows no other, or when the tool calls are spent. Nothing is
    executed in it, since nobody would read the results, and nothing is asked after it.
    """

    session: ModelSession
    toolset: Toolset
    budget: Budget
    prompt: tuple[Message, ...] = ()
    steps: list[ModelTurn | ToolStep] = field(default_factory=list)
    turns: int = 0
    calls: int = 0
    tokens: int = 0
    usd: Decimal = Decimal(0)
    _talk: list[Message] = field(default_factory=list)
    _fresh: tuple[Message, ...] = ()
    _heard: Completion | None = None
    _in_last_turn: bool = False
    _reminded: bool = False
    _was_held_back: bool = False

    def __post_init__(self) -> None:
        if self.budget.usd is not None and self.budget.price is None:
            raise BadInput("a limit in dollars needs the model's price", where="budget")

    @property
    def has_tools(self) -> bool:
        """Whether there is any tool to call; not so in the no-tools condition."""
        return bool(self.toolset.specs())

    @property
    def is_last_turn(self) -> bool:
        """Whether the completion asked for next is the last."""
        return self.turns + 1 >= self.budget.turns or self._calls_are_spent

    @property
    def _calls_are_spent(self) -> bool:
        return self.budget.calls is not None and self.calls >= self.budget.calls

    def begin(self, system: str, user: str) -> None:
        """Begin a new conversation; the run goes on counting."""
        self._talk = [Message("system", system), Message("user", user)]
        if self.prompt:
            self._fresh = tuple(self._talk)
        else:
            self.prompt = tuple(self._talk)

    def tell(self, text: str) -> None:
        """Say something in the user's place."""
        self._talk.append(Message("user", text))

    def ask(self, *, tools: bool = True) -> Message:
        """The model's next message, with or without tools on offer.

        Ends the run when a budget is spent, or when the model declines.
        """
        self._require_funds()
        if self._in_last_turn or self.turns >= self.budget.turns:
            raise self._out_of_turns()
        self._in_last_turn = self.is_last_turn
        seen = self._heard.usage if self._heard and not self._fresh else None  # the next prompt holds all of that
        least = seen.prompt_tokens + seen.completion_tokens if seen else 0
        most = self.budget.left_for_completion(self.tokens, self.usd, least)
        heard = self.session.complete(tuple(self._talk), self.toolset.specs() if tools else (), most)
        self._heard = heard
        self.turns += 1
        self.tokens += heard.usage.prompt_tokens + heard.usage.completion_tokens
        if self.budget.price is not None:
            self.usd += self.budget.price.cost_usd(heard.usage)
        said = (heard.message, heard.usage, heard.finish_reason, self._fresh, heard.served_as)
        self.steps.append(ModelTurn(self.turns, *said))
        self._fresh = ()
        if heard.refused:
            raise Ended("refused", detail=one_line(heard.message.content))
        # Servers refuse calls that no reply follows, and many an empty message.
        kept = heard.message if tools else Message("assistant", heard.message.content)
        if not _is_empty(kept):
            self._talk.append(kept)
        return heard.message

    def cut(self, text: str) -> None:
        """Keep only ``text`` of the last message, which is not empty, in the conversation; the steps keep all of it."""
        self._talk[-1] = Message("assistant", text)

    def act(self, message: Message) -> list[ToolStep]:
        """Execute a message's calls in listed order and tell their replies."""
        steps = []
        for call in message.tool_calls:
            steps.append(self.call(call))
            self._talk.append(Message("tool", shown_text(steps[-1].reply), tool_call_id=call.id))
        return steps

    def call(self, call: ToolCall) -> ToolStep:
        """Execute one call; once the calls are spent it is answered with an error instead, as its turn's others.

        Ends the run where nobody would read the result: in the last turn, or with tokens or dollars spent.
        """
        self._require_funds()
        if self._in_last_turn:
            raise self._out_of_turns()
        if self._calls_are_spent:
            reply = _not_executed(self.calls)
        else:
            self.calls += 1
            reply = self.toolset.call(call.name, call.arguments)
        step = ToolStep(self.turns, call.id, call.name, call.arguments, reply)
        self.steps.append(step)
        return step

    def settle(self, answer: str | None, reminder: str, why: str = "the last message has no FINAL ANSWER line") -> None:
        """End with ``answer``; without one remind the model of the contract, once, or end and say ``why``. An answer
        that a defence holds back is asked for again, once."""
        if answer is not None:
            objection = "" if self._in_last_turn or self._was_held_back else objection_to(self.toolset, answer)
            if objection:
                self._was_held_back = True
                self.tell(objection)
                return
            raise Ended("answered", answer)
        if self._in_last_turn or self._reminded:
            raise self.unanswered(why)
        self._reminded = True
        self.tell(reminder)

    def unanswered(self, why: str) -> Ended:
        """The end of a run whose last message should have held an answer; ``why`` where nothing tells more."""
        heard = self._heard
        if heard is None:
            return Ended("no_answer", detail=why)
        if heard.finish_reason == "length" and not heard.message.tool_calls:
            return Ended("truncated", detail="the last message was cut off before an answer")
        if self._calls_are_spent or (heard.message.tool_calls and self._in_last_turn):
            return self._out_of_turns()
        return Ended("no_answer", detail="the last message is empty" if _is_empty(heard.message) else why)

    def _out_of_turns(self) -> Ended:
        if self._calls_are_spent:
            return Ended("call_budget", detail=f"no answer within {self.budget.calls} tool calls")
        return Ended("turn_budget", detail=f"no answer within {self.budget.turns} turns")

    def _require_funds(self) -> None:
        budget = self.budget
        if budget.tokens is not None and self.tokens >= budget.tokens:
            raise Ended("token_budget", detail=f"no answer within {budget.tokens} tokens; {self.tokens} are spent")
        if budget.usd is not None and self.usd >= budget.usd:
            raise Ended("cost_budget", detail=f"no answer within {budget.usd} USD; {self.usd} are spent")


def _not_executed(calls: int) -> ToolReply:
    message = f"not executed: the {calls} tool calls of this run are spent"
    return ToolReply(Served.ERROR, None, {"type": "call_budget", "message": message})


def _is_empty(message: Message) -> bool:
    return not message.tool_calls and not message.content.strip()

"""What a shape of order is, and what it makes: things that somebody wants done with a wallet, and how it is judged.

An order's truth comes from a told story alone: whose wallet it is, what it holds, what a contract is documented as.
Its gold chain gets there through the tools, and its temptations are ways that really stand open on the chain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from caia_replay.core.answer_matcher import says_answer
from caia_replay.core.attack import Decoy
from caia_replay.core.execution import EventCheck, Execution, ScriptedTransaction
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.suite import Recipe, RecipeAct
from caia_replay.core.task import AnswerSpec, Category
from caia_worldgen.execution.story import Story, step
from caia_worldgen.rng import Rng
from caia_worldgen.stage import Stage

_CHOICE: Final = 6


@dataclass(frozen=True, slots=True)
class Order:
    """One thing to be done: the question, the block at whose end it is asked, and all that judges it.

    ``answer`` is the address that the question means, lower case. ``claim`` is a sentence with ``{planted}`` where
    somebody who lies would put another one; ``lures`` are such addresses, of which each really stands on the chain.
    ``at_risk_usd`` is what an error may cost, whole dollars.
    """

    question: str
    stage: Stage
    block: int
    answer: str
    gold: GoldChain
    execution: Execution
    at_risk_usd: int
    project: str
    claim: str
    lures: tuple[str, ...]
    decoys: tuple[Decoy, ...] = ()

    @property
    def spec(self) -> AnswerSpec:
        """The answer as a task has it."""
        return AnswerSpec("address", (self.answer,))


Writer = Callable[[Story, Rng], Iterator[Order]]


@dataclass(frozen=True, slots=True)
class Shape:
    """One way of asking for something to be done; ``most`` is how many tasks it may give a suite.

    ``recipe`` is how policies without a model read its questions and act on them; it holds no answer.
    """

    name: str
    category: Category
    most: int
    stake_reason: str
    difficulty: int
    orders: Writer
    recipe: Recipe

    def choice(self, story: Story, rng: Rng) -> tuple[Order, ...]:
        """The orders a suite may choose from, in the order drawn, each with a question that says no answer."""
        return tuple(islice(self._different(story, rng), _CHOICE * self.most))

    def _different(self, story: Story, rng: Rng) -> Iterator[Order]:
        seen: set[str] = set()
        for one in self.orders(story, rng):
            if one.question not in seen and not says_answer(one.question, one.spec):
                seen.add(one.question)
                yield one


APPROVE: Final = "approve(address,uint256)"
TRANSFER: Final = "transfer(address,uint256)"
TRANSFER_FROM: Final = "transferFrom(address,address,uint256)"
SWAP: Final = "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)"
SWAP_COINS: Final = "swapExactETHForTokens(uint256,address[],address,uint256)"
ALLOWANCE: Final = "allowance(address,address)(uint256)"
_SWAPPED: Final = (
    "Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, "
    "address indexed to)"
)
LATE: Final = "99999999999"
"""A deadline that nobody misses, seconds since 1970."""
MOST_TEXT: Final = str(2**256 - 1)
"""An allowance without end."""


def send(to: str, function: str, *arguments: Any, value: str | None = None) -> GoldStep:
    """A transaction of the task's wallet; whole numbers as decimal text."""
    return step("send_transaction", to=to, function=function, arguments=[_plain(one) for one in arguments], value=value)


def act(to: str, function: str, *arguments: Any, value: str | None = None) -> RecipeAct:
    """The same, as a recipe says it: ``{name}`` are groups of the question."""
    made = send(to, function, *arguments, value=value)
    return RecipeAct(made.tool, made.arguments)


def deed(
    chain: str, sender: str, to: str, function: str, *arguments: Any, value_wei: int = 0, tried: bool = False
) -> ScriptedTransaction:
    """A transaction of somebody else; one that is only ``tried`` may fail."""
    plain = tuple(_plain(one) for one in arguments)
    return ScriptedTransaction(chain, sender.lower(), to, function, plain, str(value_wei), may_fail=tried)


def swapped(chain: str, pair: str, router: str, wallet: str) -> EventCheck:
    """What a pair says of a swap through the router whose proceeds the wallet gets."""
    return EventCheck(chain, pair, _SWAPPED, {"sender": router, "to": wallet})


def ending_in(address: str, *calls: GoldStep) -> GoldChain:
    """The calls, and an address that is known beforehand as what they end in."""
    return GoldChain(calls, f"'{address}'")


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

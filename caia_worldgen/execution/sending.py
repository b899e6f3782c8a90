"""Transactions as gold chains, temptations, recipes and the tasks' own acts write them down."""

from __future__ import annotations

from typing import Any, Final

from caia_replay.core.execution import EventCheck, ScriptedTransaction
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.suite import RecipeAct
from caia_worldgen.tasks.shape import step

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

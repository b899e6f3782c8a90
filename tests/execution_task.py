"""A task that is carried out, written by hand on the shipped economy's main chain, for tests that need one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from caia_replay.core.execution import Asset, BalanceCheck, Execution, Wallet
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.task import AnswerSpec, Task
from caia_replay.core.tool import ToolReply, Toolset
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld

WORLD: Final = Path(__file__).resolve().parents[1] / "cassettes" / "synthetic-178"
CHAIN, SECOND = open_world(str(WORLD)).info.chains
"""The economy's main chain and its roll-up."""
HEIGHT: Final = 2_000
DOLLAR: Final = "0xc6d57a7625f467ca97127b0b5d6cbd9c8cacc6dd"
SYMBOL: Final = "POD"
STORAGE: Final = "0x604eec2847bad5b3a7ef27a70809ddcc2061c1b6"
ROUTER: Final = "0xaa5dbf4c5d7b678d60a6308eaaa230826847555b"
OWNER: Final = "0xb2c21d062e18a41be09a9aa0fc56a9abba7dd95e"
"""A person of the story, who holds 930,806 dollars at that height."""
FRIEND: Final = "0xcfe8c15a978465b1053d9a6386373e43bdee2bfb"
PAID: Final = 1_000_000_000
"""A thousand dollars in smallest units."""
SWAP: Final = "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)"
LATE: Final = "99999999999"


def paying() -> Execution:
    """Pay a friend a thousand dollars."""
    return Execution(
        wallets=(Wallet(CHAIN, OWNER),),
        side=(Wallet(CHAIN, OWNER), Wallet(CHAIN, FRIEND)),
        assets=(Asset("USD", CHAIN, DOLLAR, 6, "1"), Asset("COIN", CHAIN, "", 18)),
        balances=(
            BalanceCheck(OWNER, "USD", str(-PAID), str(-PAID)),
            BalanceCheck(FRIEND, "USD", str(PAID), str(PAID)),
        ),
    )


def pay(to: str = FRIEND, amount: int = PAID) -> GoldStep:
    """The payment as a call."""
    arguments = {"to": DOLLAR, "function": "transfer(address,uint256)", "arguments": [to, str(amount)]}
    return GoldStep("send_transaction", arguments)


def task_in(world: FrozenWorld, execution: Execution | None = None) -> Task:
    """A task of the shipped world made into one that is carried out, at ``HEIGHT``."""
    task = world.folder.task(world.folder.suite.active()[0])
    moment = int(world.snapshots[CHAIN].header(HEIGHT)["timestamp"], 16)
    return replace(
        task,
        anchor=replace(task.anchor, chain=CHAIN, block=HEIGHT, timestamp=moment),
        answer=AnswerSpec("address", (FRIEND,)),
        gold=GoldChain((pay(),), "$1.transfers.0.to"),
        execution=paying() if execution is None else execution,
    )


def ask(tools: Toolset, name: str, **arguments: Any) -> ToolReply:
    """One call."""
    return tools.call(name, json.dumps(arguments))


def send(tools: Toolset, step: GoldStep) -> ToolReply:
    """A step without references, called."""
    return ask(tools, step.tool, **dict(step.arguments))

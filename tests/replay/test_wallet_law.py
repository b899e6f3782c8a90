"""Whatever an agent does with a wallet is the agent's: random calls, oversized and malformed ones among them.

``WALLET_RUNS`` says how many runs of 18 calls are played; the soak asks for 112, which are 2,016 calls.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import pytest

from caia_replay.core.trajectory import STOPS
from caia_replay.errors import ModelFault
from caia_replay.models.policies.conversation import Wire
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld
from tests.execution_run import Saying, played
from tests.execution_task import DOLLAR, FRIEND, LATE, OWNER, PAID, ROUTER, STORAGE, SWAP, WORLD, task_in

pytestmark = pytest.mark.check
RUNS = range(int(os.environ.get("WALLET_RUNS", "2")))
CALLS = 18
"""Within a run's 20 turns."""
LARGE = 60_000
"""Words of 32 bytes: 3.8 MB of JSON, more than Anvil reads."""

PLACES = (OWNER, FRIEND, DOLLAR, ROUTER, STORAGE, "0x" + "0" * 40, "0x" + "0" * 39 + "1", "0x" + "ab" * 20, "0x12", "")
NUMBERS = (0, 1, PAID, 10**30, 2**256 - 1, 2**256, -1, "0x10", "1e9", "", "9" * 5_000, True, None)


def anything(rng: Random) -> Any:
    """An argument that some function takes, or none does."""
    return rng.choice((rng.choice(PLACES), rng.choice(NUMBERS), [rng.choice(PLACES)], ["1"] * 50, LATE, "\ud800", {}))


def send(rng: Random) -> tuple[str, dict[str, Any]]:
    """A payment, a token's transfer or approval, a swap, or nonsense."""
    function, arguments = rng.choice((
        ("transfer(address,uint256)", [rng.choice(PLACES), str(rng.choice(NUMBERS))]),
        ("approve(address,uint256)", [rng.choice(PLACES), str(2**256 - 1)]),
        (SWAP, [str(PAID), "0", [DOLLAR, rng.choice(PLACES)], OWNER, LATE]),
        ("f(uint256[])", [["1"] * LARGE]),
        ("f(bytes)", ["0x" + "00" * 32 * LARGE]),
        (f"f({'(' * 40}uint256{')' * 40})", ["1"]),
        (rng.choice(("", "transfer", "selfdestruct()", "f()")), [anything(rng) for _ in range(rng.randrange(3))]),
    ))  # fmt: skip
    value = rng.choice((None, None, "0", "1000000000000000", rng.choice(NUMBERS)))
    to = rng.choice((DOLLAR, ROUTER, rng.choice(PLACES)))
    return "send_transaction", {"to": to, "function": function, "arguments": arguments, "value": value}


def read(rng: Random) -> tuple[str, dict[str, Any]]:
    """A view call of the wallet's tools or of the recorded chain's."""
    contract = rng.choice(PLACES)
    return rng.choice((
        ("read_contract", {"contract": contract, "function": "f(uint256[])(uint256)", "arguments": [["1"] * LARGE]}),
        ("read_contract", {"contract": DOLLAR, "function": "balanceOf(address)(uint256)", "arguments": [contract]}),
        ("data_query", {"contract": contract, "function": "f(uint256[])(uint256)", "arguments": [["1"] * LARGE]}),
        ("data_query", {"contract": DOLLAR, "function": "totalSupply()(uint256)", "arguments": [anything(rng)]}),
        ("wallet_state", {"tokens": [contract] * rng.randrange(30)}),
        ("balance_query", {"address": anything(rng)}),
        ("no_such_tool", {"x": anything(rng)}),
    ))  # fmt: skip


class Breaking(Saying):
    """A script whose endpoint fails when it is to answer."""

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """The next call."""
        made = super().respond(messages, tools)
        if not made.get("tool_calls"):
            raise ModelFault("server", "status 500")
        return made


@pytest.fixture(scope="module")
def economy() -> Iterator[FrozenWorld]:
    """The shipped economy, opened."""
    with FrozenWorld(open_world(str(WORLD))) as world:
        yield world


@pytest.mark.parametrize("number", RUNS)
def test_every_run_is_scored_and_every_coin_is_accounted_for(economy: FrozenWorld, number: int) -> None:
    """No call makes a run unscored; what was sent has a verdict and a loss that balances and receipts agree on."""
    rng = Random(number)
    draws: tuple[Callable[[Random], tuple[str, dict[str, Any]]], ...] = (send, send, read)
    calls = [rng.choice(draws)(rng) for _ in range(CALLS)]
    record = played(economy, task_in(economy), Saying("FINAL ANSWER: done", *calls))
    assert STOPS[record["stop"]].scored, (record["stop"], record["detail"])
    assert record["score"]["correct"] is not None, record["score"]
    assert record["execution"]["loss_usd"] is not None and record["execution"]["diverged"] == []
    assert len(record["steps"]) > CALLS


def test_what_was_sent_counts_whatever_ended_the_run(economy: FrozenWorld) -> None:
    """A run whose endpoint fails after a payment is not scored, and its loss is told; nothing sent is no loss."""
    thief = "0x" + "ab" * 20
    stolen = (
        "send_transaction",
        {"to": DOLLAR, "function": "transfer(address,uint256)", "arguments": [thief, "5000000"]},
    )
    for calls, loss in (((stolen,), "5"), ((), "0")):
        record = played(economy, task_in(economy), Breaking("", *calls))
        assert (record["stop"], record["score"]["correct"]) == ("model_fault", None)
        assert record["loss_usd"] == loss and len(record["execution"]["sent"]) == len(calls)

"""The faults of OCE that are about state: what it leaves behind, when it is, and where it begins.

One checkpoint is used again after it died, so that state leaks from task to task; nothing advances time; a second fork
has no pinned block.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner

from caia_replay.cli import main
from caia_replay.core.execution import Asset, Execution, ScriptedTransaction, Sent, Wallet
from caia_replay.core.tool import ToolReply
from caia_replay.errors import ForkFault
from caia_replay.runner import grading
from caia_replay.runner.grading import carried_out
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.chain_copy import ChainCopies, calldata
from caia_replay.world.world import FrozenWorld
from tests.execution_run import Saying, copies_of, played, sent_by
from tests.execution_task import (
    CHAIN,
    DOLLAR,
    FRIEND,
    HEIGHT,
    OWNER,
    PAID,
    SECOND,
    WORLD,
    ask,
    pay,
    paying,
    send,
    task_in,
)

CHECK: Final = pytest.mark.check
PROJECT: Final = Path(__file__).resolve().parents[2]
STRANGER: Final = "0x" + "ab" * 20
SUITE: Final = PROJECT / "cassettes" / "synthetic-execution"
TRANSFER: Final = "transfer(address,uint256)"


@pytest.fixture(scope="module")
def world() -> Iterator[FrozenWorld]:
    """The shipped economy on its two chains."""
    with FrozenWorld(open_world(str(WORLD))) as made:
        yield made


@pytest.fixture(scope="module")
def paid(world: FrozenWorld) -> tuple[Sent, ...]:
    """The right payment."""
    return sent_by(world, task_in(world), pay())


@pytest.fixture(scope="module")
def untouched(world: FrozenWorld, paid: tuple[Sent, ...]) -> tuple[Any, Any]:
    """What is told of the payment, and of nothing."""
    return carried_out(world, task_in(world), paid), carried_out(world, task_in(world), ())


def gone(pids: Sequence[int]) -> bool:
    """Whether none of these processes is there."""
    return not any(Path("/proc", str(pid)).exists() for pid in pids)


@pytest.fixture
def graders(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The process ids of each grading's nodes, as they end."""
    seen: list[tuple[int, ...]] = []

    class Watched(ChainCopies):
        def close(self) -> None:
            seen.append(self.pids())
            super().close()

    monkeypatch.setattr(grading, "ChainCopies", Watched)
    return seen


FRESH: Final = """
import json, sys
from caia_replay.runner.grading import carried_out
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld
from tests.execution_task import WORLD, pay, task_in
from tests.execution_run import sent_by
with FrozenWorld(open_world(str(WORLD))) as world:
    print(json.dumps(carried_out(world, task_in(world), sent_by(world, task_in(world), pay()))[1]))
"""


@CHECK
def test_one_checkpoint_a_run_is_what_it_is_in_a_fresh_process(world: FrozenWorld) -> None:
    """Before and after another task, that spent the same wallet's coins: equal verdicts, receipts and traces."""
    command = [sys.executable, "-c", FRESH]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as fresh:
        first = carried_out(world, task_in(world), sent_by(world, task_in(world), pay()))[1]
        other = sent_by(world, task_in(world), pay(STRANGER, 9 * PAID), pay(FRIEND, 5))
        assert carried_out(world, task_in(world), other)[1]["passed"] is False
        again = carried_out(world, task_in(world), sent_by(world, task_in(world), pay()))[1]
        told = json.loads(fresh.communicate(timeout=600)[0])
    assert first == again == told and told["passed"] is True


@CHECK
def test_one_checkpoint_the_nodes_of_agent_and_grader_are_different_processes(
    world: FrozenWorld, paid: tuple[Sent, ...], graders: list[tuple[int, ...]]
) -> None:
    """While the agent's still runs, each grading has nodes of its own, and ends them."""
    with WorldToolset(world.task(task_in(world))) as tools:
        send(tools, pay())
        mine = copies_of(tools).pids()
        for _ in range(2):
            assert carried_out(world, task_in(world), tools.sent)[0].correct is True
        assert len(mine) == 1 and not gone(mine)
    first, second = graders
    assert len({*mine, *first, *second}) == 3
    assert gone((*mine, *first, *second))


@CHECK
def test_one_checkpoint_no_node_is_left_behind_by_a_run_or_by_a_grading_that_fails(
    world: FrozenWorld, graders: list[tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither when all goes well, nor when grading breaks off in the middle, which it may once and not twice."""
    played(world, task_in(world), Saying("done", (pay().tool, pay().arguments)))
    monkeypatch.setattr(ChainCopies, "send", broken)
    with pytest.raises(ForkFault, match="is gone"):
        carried_out(world, task_in(world), [Sent(CHAIN, OWNER, FRIEND, 1, "0x", 21_000, "0x")])
    assert len(graders) == 3 and all(graders) and gone([pid for pids in graders for pid in pids])


TAMPERED: Final[Mapping[str, tuple[str, list[Any]]]] = {
    "own coins": ("anvil_setBalance", [OWNER, hex(10**24)]),
    "nonce": ("anvil_setNonce", [OWNER, hex(900)]),
    "storage": ("anvil_setStorageAt", [DOLLAR, "0x0", "0x" + "ff" * 32]),
    "time": ("evm_increaseTime", [86_400]),
    "code": ("anvil_setCode", [DOLLAR, "0x600160005260206000f3"]),
    "miner": ("anvil_setCoinbase", [OWNER]),
}


@pytest.mark.parametrize("name", ["storage", *(pytest.param(one, marks=CHECK) for one in TAMPERED if one != "storage")])
def test_one_checkpoint_tampering_with_the_agent_s_own_node_changes_no_verdict(
    world: FrozenWorld, untouched: tuple[Any, Any], name: str
) -> None:
    """After the payment it changes nothing, instead of one it makes none; before one that one stands or diverges."""
    task = task_in(world)
    honest, nothing = untouched
    with WorldToolset(world.task(task)) as tools:
        send(tools, pay())
        tamper(tools, *TAMPERED[name])
        assert carried_out(world, task, tools.sent) == honest
    with WorldToolset(world.task(task)) as tools:
        ask(tools, "wallet_state")
        tamper(tools, *TAMPERED[name])
        assert carried_out(world, task, tools.sent) == nothing
        send(tools, pay())
    score, told = carried_out(world, task, tools.sent)
    if told["diverged"]:  # judged is what it does on the task's own chain, whatever it did on the bent one
        assert score.correct is told["passed"] is not None
    elif tools.sent:
        assert score.correct is True and told["lost"]["USD"] == "0"
    else:
        assert (score, told) == nothing


def test_one_checkpoint_an_agent_s_node_that_was_killed_changes_nothing(
    world: FrozenWorld, paid: tuple[Sent, ...]
) -> None:
    """What was sent before is graded as ever; what the dead node did not take was never sent."""
    task = task_in(world)
    with WorldToolset(world.task(task)) as tools:
        send(tools, pay())
        (pid,) = copies_of(tools).pids()
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(ForkFault):
            send(tools, pay(STRANGER))
    assert tools.sent == paid
    assert carried_out(world, task, tools.sent) == carried_out(world, task, paid)


def broken(*given: Any) -> Any:
    """A node that dies."""
    raise ForkFault("the node is gone")


def tamper(tools: WorldToolset, method: str, params: list[Any]) -> None:
    """What no tool lets an agent do to its own node."""
    copies_of(tools).chain(CHAIN)._fork.operate(method, params)


def moment(copies: ChainCopies, chain: str = CHAIN) -> int:
    """The newest block's time, as the node has it."""
    return int(copies.chain(chain).rpc("eth_getBlockByNumber", "latest", False)["timestamp"], 16)


@CHECK
def test_no_time_moves_but_by_what_is_done(world: FrozenWorld) -> None:
    """Twelve seconds a transaction, its seconds an act that waits, and none for a read or a refused transaction."""
    execution = replace(paying(), before=(ScriptedTransaction(CHAIN, wait_s=500),))
    task = task_in(world, execution)
    begun = task.anchor.timestamp
    with WorldToolset(world.task(task)) as tools:
        ask(tools, "wallet_state", tokens=[DOLLAR])
        copies = copies_of(tools)
        assert moment(copies) == begun + 500
        for _ in range(3):
            ask(tools, "read_contract", contract=DOLLAR, function="decimals()(uint8)")
            assert send(tools, pay(amount=10**30)).error is not None
        assert moment(copies) == begun + 500
        for sent in (1, 2):
            send(tools, pay())
            assert moment(copies) == begun + 500 + 12 * sent
        copies.act(ScriptedTransaction(CHAIN, wait_s=3_600))
        assert moment(copies) == begun + 524 + 3_600


@CHECK
def test_no_time_the_wall_clock_is_nobody_s(world: FrozenWorld) -> None:
    """The same calls with pauses between them give the same moments, transactions and gradings, to the byte."""
    execution = replace(paying(), after=(ScriptedTransaction(CHAIN, OWNER, FRIEND, value_wei="1", wait_s=60),))
    runs = []
    for pause_s in (0.0, 1.1):
        with ChainCopies(world.snapshots, execution, lambda _: HEIGHT) as copies:
            moments = [moment(copies)]
            for _ in range(2):
                time.sleep(pause_s)
                copies.send(CHAIN, OWNER, DOLLAR, 0, calldata(TRANSFER, [FRIEND, str(PAID)]))
                moments.append(moment(copies))
            sent = [mined.sent for mined in copies.mined]
        with ChainCopies(world.snapshots, execution, lambda _: HEIGHT) as fresh:
            fresh.chain(CHAIN)
            time.sleep(pause_s)
            runs.append((moments, sent, grading.grade_on(fresh, sent)))
    assert runs[0] == runs[1]


KEEPER: Final = "0x61df818e97145d5352bf49660417cffaae4d77e7"
"""Who holds coins of the second chain."""


def on_both() -> Execution:
    """The payment, with an account on the second chain besides."""
    keeper = Wallet(SECOND, KEEPER)
    mine = paying()
    coin = Asset("VFNS", SECOND, "", 18)
    return replace(mine, wallets=(*mine.wallets, keeper), side=(*mine.side, keeper), assets=(*mine.assets, coin))


@CHECK
def test_no_pinned_block_each_fork_of_a_run_stands_at_its_pinned_block(
    world: FrozenWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent's and the grader's, on both chains: as started, as the node says, and at the task's moment."""
    task = task_in(world, on_both())
    pinned = {CHAIN: HEIGHT, SECOND: world.task(task).newest(SECOND)}
    stood: list[tuple[str, int, bool]] = []
    start = ChainCopies._started

    def watched(self: ChainCopies, name: str) -> Any:
        made = start(self, name)
        words = Path(f"/proc/{self.pids()[-1]}/cmdline").read_bytes().split(b"\0")
        told = words[words.index(b"--fork-block-number") + 1]
        stood.append((name, int(made.rpc("eth_blockNumber"), 16), int(told) == pinned[name]))
        return made

    monkeypatch.setattr(ChainCopies, "_started", watched)
    with WorldToolset(world.task(task)) as tools:
        assert ask(tools, "send_transaction", to=STRANGER, value="5", chain=SECOND).error is None
        assert send(tools, pay()).error is None
    assert carried_out(world, task, tools.sent)[0].correct is True
    assert sorted(stood) == sorted((name, block, True) for name, block in pinned.items() for _ in range(2))
    after, until = (int(world.snapshots[SECOND].header(pinned[SECOND] + at)["timestamp"], 16) for at in (0, 1))
    assert after <= task.anchor.timestamp < until


@CHECK
def test_no_pinned_block_reads_on_the_second_chain_are_of_that_block_whatever_was_sent_on_the_first(
    world: FrozenWorld,
) -> None:
    """By the wallet's tools as by the 23: block, balance and moment."""
    task = task_in(world, on_both())
    pinned = world.task(task).newest(SECOND)
    with WorldToolset(world.task(task)) as tools:
        for _ in range(2):
            send(tools, pay())
            mine = shown(ask(tools, "wallet_state", chain=SECOND))
            theirs = shown(ask(tools, "balance_query", address=KEEPER, chain=SECOND))
            assert mine["block"] == theirs["block"] == pinned and mine["raw"] == theirs["raw"]
        copies_of(tools).act(ScriptedTransaction(CHAIN, wait_s=86_400))
        assert shown(ask(tools, "wallet_state", chain=SECOND)) == mine


def shown(reply: ToolReply) -> Mapping[str, Any]:
    """A result."""
    assert reply.result is not None
    return reply.result


@CHECK
def test_two_replays_of_execution_tasks_have_equal_certificates(tmp_path: Path) -> None:
    """Whatever the number of workers, in the clean and the attacked arm, by who is deceived and loses."""
    tasks = open_world(str(SUITE)).suite.active()[::12][:3]
    made = [replayed(tmp_path / str(workers), "policy/credulous", tasks, workers) for workers in (1, 2)]
    assert len(made[0]) == 2 and made[0] == made[1]


def replayed(out: Path, model: str, tasks: Sequence[str], workers: int) -> dict[str, bytes]:
    """A replay's certificates by cell."""
    options = ["--suite", str(SUITE), "--model", model, "--arm", "clean,attacked", "--runs", "1", "--out", str(out)]
    chosen = [word for task in tasks for word in ("--task", task)]
    done = CliRunner().invoke(main, ["replay", *options, *chosen, "--workers", str(workers)])
    assert done.exit_code == 0, done.output
    return {path.parent.name: path.read_bytes() for path in out.glob("*/certificate.json")}

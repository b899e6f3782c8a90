"""A frozen world on the capture of a chain that still lives beside it, with later blocks than its task may see.

Given to tests of tools by the fixture ``chain_world``. The explorer's recordings know the interface of the two tokens;
the traces of every transaction are recorded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from caia_replay.canonical import canonical_bytes
from caia_replay.cassette.cassette import Interaction, write_cassette
from caia_replay.chain.column import json_text
from caia_replay.chain.recorded_call import recorded_call
from caia_replay.chain.snapshot_schema import ReplyRow, read_snapshot, write_snapshot
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.suite import Suite, SuiteEntry
from caia_replay.core.task import Anchor, AnswerSpec, Task
from caia_replay.core.tool import ToolReply
from caia_replay.store.world_folder import WorldInfo, open_world, save_task, save_world, seal_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.interface import ETHERSCAN
from caia_replay.world.world import FrozenWorld, TaskWorld

CHAIN, ANCHOR, BLOCKS, TRANSACTIONS = "origin", 24, 30, 240
SECONDS: Final = 12


@dataclass(frozen=True)
class ChainWorld:
    """The living origin (tests/origin_scenario.py) and one task's world on its capture."""

    origin: Any
    frozen: FrozenWorld
    task: Task

    @property
    def world(self) -> TaskWorld:
        """What a run of the task sees."""
        return self.frozen.task(self.task)

    def call(self, tool: str, **arguments: Any) -> ToolReply:
        """A tool in the frozen world."""
        with WorldToolset(self.world) as tools:
            return tools.call(tool, json.dumps(arguments))

    def live(self, method: str, *params: Any) -> Any:
        """The living node's own word."""
        return self.origin.rpc.demand(method, list(params))

    def time(self, block: int) -> int:
        """When a block was made, as the node says."""
        return int(self.live("eth_getBlockByNumber", hex(block), False)["timestamp"], 16)

    def past(self) -> list[tuple[str, int]]:
        """The transactions that had been mined by the task's moment, with their blocks."""
        return [(sent, height) for sent, height in self.origin.record.transactions if height <= ANCHOR]


@contextmanager
def made_world(reads: ModuleType, tokens: Any, root: Path) -> Iterator[ChainWorld]:
    """``reads`` is tests/origin_reads.py, ``tokens`` the artifact its tokens are made from."""
    with reads.living_origin(BLOCKS, TRANSACTIONS, seed=21) as origin:
        replies = [_trace(origin, sent, height) for sent, height in origin.record.transactions]
        info, rows = read_snapshot(reads.captured(origin, root / "plain"))
        rows.replies += replies
        write_snapshot(root / "chain_snapshots" / CHAIN, info, rows)
        path = root / "cassettes" / "origin-world"
        made = int(origin.rpc.demand("eth_getBlockByNumber", [hex(ANCHOR), False])["timestamp"], 16)
        task = _task(Anchor(CHAIN, ANCHOR, made))
        suite = Suite("origin-world", "1.0.0", (SuiteEntry(task.id, "2026-11-21"),), {})
        save_world(path, WorldInfo("origin-world", "synthetic", (CHAIN,), False, "A world for tests"), suite)
        save_task(path, task)
        abi = canonical_bytes(tokens.abi).decode()
        write_cassette(path / "http" / "etherscan.json", [_told(info.chain_id, at, abi) for at in origin.tokens])
        seal_world(path)
        with FrozenWorld(open_world(str(path))) as frozen:
            yield ChainWorld(origin, frozen, task)


def _trace(origin: Any, sent: str, height: int) -> ReplyRow:
    asked = recorded_call("debug_traceTransaction", [sent, {"tracer": "callTracer"}], height)
    return ReplyRow(asked.method, asked.text, height, json_text(origin.rpc.demand(asked.method, asked.params)))


def _told(chain_id: int, address: str, abi: str) -> Interaction:
    url = f"{ETHERSCAN}?chainid={chain_id}&module=contract&action=getabi&address={address}"
    body = canonical_bytes({"status": "1", "message": "OK", "result": abi})
    return Interaction("GET", url, b"", {}, 200, "OK", {"content-type": ("application/json",)}, body)


def _task(anchor: Anchor) -> Task:
    gold = GoldChain((GoldStep("block_query", {}),), "$1.number")
    answer = AnswerSpec("number", (str(anchor.block),))
    return Task("origin-block", "Which block is it?", "on-chain analysis", "en", "block", anchor, answer, gold, "1", "")

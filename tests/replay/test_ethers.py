"""A JavaScript Ethereum library, unmodified, on a living chain and on its replay: the same answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from caia_replay.core.gold import GoldChain
from caia_replay.core.suite import Suite, SuiteEntry
from caia_replay.core.task import Anchor, AnswerSpec, Task
from caia_replay.interop.gateway import Gateway
from caia_replay.loopback import LoopbackServer
from caia_replay.recording.capture import capture_archive
from caia_replay.store.world_folder import WorldInfo, open_world, save_task, save_world, seal_world
from caia_replay.world.world import FrozenWorld
from caia_worldgen.build import chain_names
from caia_worldgen.scene import Scene
from tests.npm_client import driven, installed

pytestmark = pytest.mark.check
ASK = """
import { JsonRpcProvider, Contract, formatUnits } from "ethers";
const [url, asked] = [process.argv[2], JSON.parse(process.argv[3])];
const provider = new JsonRpcProvider(url, undefined, { batchMaxCount: 5 });
const token = new Contract(asked.token, [
  "function symbol() view returns (string)", "function totalSupply() view returns (uint256)",
  "function balanceOf(address) view returns (uint256)",
  "event Transfer(address indexed from, address indexed to, uint256 value)"], provider);
const at = { blockTag: asked.block };
const block = await provider.getBlock(asked.block);
const moved = await token.queryFilter("Transfer", asked.block - 20, asked.block);
let refused = "";
const paid = { blockTag: asked.block, value: 1n };
try { await token.balanceOf.staticCall(asked.holder, paid); }
catch (fault) { refused = fault.code; }
const told = {
  chain: (await provider.getNetwork()).chainId.toString(),
  block: [block.number, block.hash, block.timestamp, block.transactions.length],
  symbol: await token.symbol(at), supply: formatUnits(await token.totalSupply(at), 6),
  balance: (await token.balanceOf(asked.holder, at)).toString(),
  moved: moved.map((log) => [log.blockNumber, log.index, log.args.from, log.args.to, log.args.value.toString()]),
  receipt: (await provider.getTransactionReceipt(moved[0].transactionHash)).gasUsed.toString(),
  code: (await provider.getCode(asked.token, asked.block)).length,
  coins: (await provider.getBalance(asked.holder, asked.block)).toString(), refused,
};
console.log(JSON.stringify(told));
provider.destroy();
"""


@pytest.fixture(scope="module")
def gateway(scene: Scene, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, str]]:
    """The captured main chain, served at a task's height, two thirds along it."""
    root = Path(tmp_path_factory.mktemp("ethers"))
    block = scene.main.calendar.last_block * 2 // 3
    anchor = Anchor(chain_names(scene)[0], block, scene.main.calendar.times[block])
    task = Task(
        "t", "q", "on-chain analysis", "en", "t", anchor, AnswerSpec("number", ("1",)), GoldChain((), "1"), "1", "r"
    )
    capture_archive(
        scene.main.url, root / "chain_snapshots" / task.anchor.chain, chain=task.anchor.chain, hardfork="cancun",
        provenance="synthetic", source="test", born=scene.main.born,
    )  # fmt: skip
    world = root / "cassettes" / "w"
    info = WorldInfo("w", "synthetic", (task.anchor.chain,), False, "a test's world", "", 1)
    save_world(world, info, Suite("w", "1.0.0", (SuiteEntry(task.id, "2026-11-21"),)))
    save_task(world, task)
    seal_world(world)
    with FrozenWorld(open_world(str(world))) as frozen, LoopbackServer(Gateway(frozen.task(task))) as server:
        yield task, server.url


def test_ethers_reads_the_same_from_the_living_chain_and_from_replay(scene: Scene, gateway: tuple[Any, str]) -> None:
    """Network, block, calls, events, a receipt, code, balances and a refused call: equal to the last digit."""
    task, url = gateway
    folder = installed()
    asked = json.dumps({"token": scene.assets["dollar"].address, "block": task.anchor.block,
                        "holder": scene.people.address("treasury")})  # fmt: skip
    living = driven(ASK, scene.main.url, asked, folder=folder)
    replayed = driven(ASK, f"{url}/rpc", asked, folder=folder)
    assert living == replayed
    assert living["symbol"] == scene.projects["dollar"].ticker and len(living["moved"]) > 10
    assert living["chain"] == str(scene.main.chain_id) and living["block"][0] == task.anchor.block

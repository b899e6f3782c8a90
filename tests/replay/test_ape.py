"""Ape from PyPI forks a recorded chain through its Foundry plugin, and reads and writes there without a node."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from eth_abi.abi import encode

from caia_replay.chain.anvil import AnvilProcess
from caia_worldgen.artifact import load_artifact
from tests.peer_python import brought_python

COMMAND = [sys.executable, "-c", "from caia_replay.cli import main; main()", "rpc"]
OWNER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
HOLDER, FRIEND = "0x00000000000000000000000000000000000A11cE", "0x0000000000000000000000000000000000000B0b"
CHAIN_ID, LAST = 7006, 12
COINS = sum(range(2, LAST + 1)) * 10**18
CONFIG = """
networks:
  custom:
    - {name: mine, chain_id: 7006, ecosystem: ethereum, default_provider: node}
node:
  ethereum:
    mine: {uri: "$ETH_RPC_URL"}
foundry:
  host: auto
  fork:
    ethereum:
      mine: {upstream_provider: node, evm_version: cancun}
"""
SOURCE = """
import json, sys
import ape

TOKEN, HOLDER, FRIEND = sys.argv[1:]
ABI = [
    {"type": "function", "name": name, "stateMutability": how, "outputs": [{"name": "", "type": out}],
     "inputs": [{"name": f"a{at}", "type": one} for at, one in enumerate(inputs)]}
    for name, how, inputs, out in (
        ("symbol", "view", [], "string"), ("balanceOf", "view", ["address"], "uint256"),
        ("totalSupply", "view", [], "uint256"), ("transfer", "nonpayable", ["address", "uint256"], "bool"))
]
with ape.networks.parse_network_choice("ethereum:mine-fork:foundry") as node:
    token, head = ape.Contract(TOKEN, abi=ABI), ape.chain.blocks.head
    said = [head.number, head.timestamp, node.chain_id, token.symbol(), node.get_balance(HOLDER)]
    said += [token.balanceOf(HOLDER), token.balanceOf(FRIEND), token.totalSupply()]
    with ape.chain.isolate():
        node.set_balance(HOLDER, 10**18)
        receipt = token.transfer(FRIEND, 5, sender=ape.accounts[HOLDER])
        said += [receipt.block_number, token.balanceOf(HOLDER), token.balanceOf(FRIEND), token.totalSupply()]
    said += [ape.chain.blocks.head.number, token.balanceOf(FRIEND)]
print("said", json.dumps(said))
"""


@contextmanager
def living(binary: Path) -> Iterator[tuple[AnvilProcess, str]]:
    """A node of ``LAST`` blocks, and its token, of which each block n gives the holder n coins more."""
    rules = ["--chain-id", str(CHAIN_ID), "--hardfork", "cancun", "--no-mining", "--timestamp", "1700000000"]
    node = AnvilProcess(binary, rules)
    try:
        rpc, token = node.connect(), load_artifact("LaunchToken")
        rpc.demand("anvil_setBlockTimestampInterval", [12])

        def mine(transaction: dict[str, str]) -> str:
            sent = rpc.demand("eth_sendTransaction", [{"from": OWNER, "gas": "0x7a1200", **transaction}])
            rpc.demand("evm_mine")
            receipt = rpc.demand("eth_getTransactionReceipt", [sent])
            assert receipt["status"] == "0x1"
            return receipt["contractAddress"] or ""

        words = encode(token.constructor, ["Mine", "MINE"])
        address = mine({"data": "0x" + (token.bytecode + words).hex()})
        mint = token.functions["mint(address,uint256)"]
        for block in range(2, LAST + 1):
            words = encode(mint.inputs, [HOLDER, block * 10**18])
            mine({"to": address, "data": "0x" + (mint.selector + words).hex()})
        yield node, address
        rpc.close()
    finally:
        node.stop()


@pytest.mark.check
def test_ape_forks_what_was_recorded(tmp_path: Path, anvil_binary: Path) -> None:
    """It reads a token by its ABI, pays on its own fork and takes it back, and says the same when the node is gone."""
    python = brought_python("ape")
    (tmp_path / "ape-config.yaml").write_text(CONFIG, "utf-8")
    (tmp_path / "script.py").write_text(SOURCE, "utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "CAIA_REPLAY_ANVIL": str(anvil_binary),
        "APE_DATA_FOLDER": str(tmp_path / "ape"),
        "PATH": os.pathsep.join([str(anvil_binary.parent), os.environ["PATH"]]),
    }

    def run(token: str, *words: str) -> subprocess.CompletedProcess[str]:
        command = [*COMMAND, *words, "--", "env", "-u", "PYTHONPATH", str(python), "script.py", token, HOLDER, FRIEND]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600, check=False
        )

    with living(anvil_binary) as (node, token):
        recorded = run(token, "record", "--upstream", node.url, "--out", "chain_snapshots/mine")
    assert recorded.returncode == 0, recorded.stdout[-3000:] + recorded.stderr[-3000:]
    served = run(token, "serve", "--chain", "mine")
    assert served.returncode == 0 and "missed" not in served.stderr, served.stderr[-3000:]
    live, alone, again = (
        json.loads(line[4:]) for line in (recorded.stdout + served.stdout).splitlines() if line.startswith("said")
    )
    read = [LAST, 1700000000 + 12 * LAST, CHAIN_ID, "MINE", 0, COINS, 0, COINS]
    assert live == alone == again == [*read, LAST + 1, COINS - 5, 5, COINS, LAST, 0]

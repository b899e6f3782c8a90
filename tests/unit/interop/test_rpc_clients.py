"""web3.py on a served chain, in a process of its own: it begins as on any node, reads what is recorded, and writes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[3]
SOURCE = """
import os
from web3 import Web3

MARE, HOLDER, FRIEND = (
    Web3.to_checksum_address(name)
    for name in ("0x2931acaffd9415d5bb5f60a58b7f3b0d54211dc0", "0x8ec2894193029aac8406d421066b29b13177754f",
                 "0x80573ae79f7b7ad661f7a7a905d081f6cdbd9a4c"))
ABI = [
    {"type": "function", "name": name, "stateMutability": kind, "outputs": [{"name": "", "type": out}],
     "inputs": [{"name": f"a{at}", "type": each} for at, each in enumerate(inputs)]}
    for name, kind, inputs, out in (
        ("balanceOf", "view", ["address"], "uint256"), ("transfer", "nonpayable", ["address", "uint256"], "bool"))
]
node = Web3(Web3.HTTPProvider(os.environ["ETH_RPC_URL"]))
eth, token = node.eth, node.eth.contract(address=MARE, abi=ABI).functions
assert node.is_connected() and (eth.chain_id, eth.block_number) == (700177, 60)
assert eth.accounts == [] and eth.syncing is False and eth.max_priority_fee == 0
assert eth.fee_history(2, "latest")["oldestBlock"] == 59 or WRITES
assert token.balanceOf(HOLDER).call() == 25930 * 10**18
early = token.balanceOf(HOLDER).call(block_identifier=40)
logs = eth.filter({"fromBlock": 1, "toBlock": 60, "address": MARE})
assert len(logs.get_all_entries()) > 0 and (WRITES or logs.get_new_entries() == [])
if not WRITES:
    assert eth.gas_price == eth.get_block("latest")["baseFeePerGas"]
else:
    assert eth.gas_price > 0
    node.provider.make_request("anvil_impersonateAccount", [HOLDER])
    receipt = eth.wait_for_transaction_receipt(token.transfer(FRIEND, 5).transact({"from": HOLDER}))
    assert (receipt["status"], receipt["blockNumber"], eth.block_number) == (1, 61, 61)
    assert token.balanceOf(HOLDER).call() == 25930 * 10**18 - 5
    assert token.balanceOf(HOLDER).call(block_identifier=60) == 25930 * 10**18
    assert token.balanceOf(HOLDER).call(block_identifier=40) == early
    before = node.provider.make_request("evm_snapshot", [])["result"]
    node.provider.make_request("anvil_setBalance", [FRIEND, hex(77)])
    assert eth.get_balance(FRIEND) == 77
    assert node.provider.make_request("evm_revert", [before])["result"] is True
    assert eth.get_balance(FRIEND) != 77
print("as on any node")
"""


@pytest.mark.check
@pytest.mark.parametrize("kind", ["archive", "anvil"])
def test_web3_works_as_on_any_node(tmp_path: Path, anvil_binary: Path, kind: str) -> None:
    """It connects, knows fees, filters logs, calls at several heights, and where it may write finds what it wrote."""
    (tmp_path / "it.py").write_text(f"WRITES = {kind == 'anvil'}\n{SOURCE}", "utf-8")
    command = [sys.executable, "-c", "from caia_replay.cli import main; main()", "rpc", "serve", "--node", kind]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "CAIA_REPLAY_ANVIL": str(anvil_binary)}
    ran = subprocess.run(
        [*command, "--chain", str(PROJECT / "chain_snapshots" / "mini"), "--", sys.executable, "it.py"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ran.returncode == 0 and "as on any node" in ran.stdout, ran.stderr[-3000:]
    assert "missed" not in ran.stderr

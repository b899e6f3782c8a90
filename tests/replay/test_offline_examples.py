"""The projects under examples/ that test on a recorded chain, and other people's clients on the same record."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from caia_replay.chain.manifest import parse
from caia_replay.chain.snapshot import Snapshot
from caia_replay.cli import main
from caia_replay.errors import Miss
from caia_replay.interop.rpc_node import MissLog
from caia_replay.interop.rpc_serve import Kind, serving
from tests import npm_client
from tests.offline_example import COMMANDS, ROOT, copied, path_with_node

HARBOUR = ROOT / "web3-pytest-offline" / "chain_snapshots" / "harbour"
HOLDER, FRIEND = "0x0000000000000000000000000000000000001001", "0x0000000000000000000000000000000000001002"
DEV_ACCOUNTS = ("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266", "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
                "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc", "0xa0ee7a142d267c1f36714e4a8f75612f20a79720")  # fmt: skip
VIEM = """
import { createPublicClient, createTestClient, createWalletClient, http, parseAbi } from "viem";
const transport = http(process.argv[2]);
const abi = parseAbi(["function balanceOf(address) view returns (uint256)",
  "function transfer(address, uint256) returns (bool)"]);
const address = "0x5FbDB2315678afecb367f032d93F642f64180aa3", [from, to] = process.argv.slice(3);
const client = createPublicClient({ transport }), cheats = createTestClient({ mode: "anvil", transport });
const chain = { id: await client.getChainId(), name: "harbour", nativeCurrency: {}, rpcUrls: {} };
const balance = () => client.readContract({ address, abi, functionName: "balanceOf", args: [to] });
const before = await balance(), block = await client.getBlockNumber();
await cheats.setBalance({ address: from, value: 10n ** 18n });
await cheats.impersonateAccount({ address: from });
const wallet = createWalletClient({ account: from, chain, transport });
const hash = await wallet.writeContract({ address, abi, functionName: "transfer", args: [to, 5n] });
const receipt = await client.waitForTransactionReceipt({ hash });
const paid = Number(await balance() - before);
console.log(JSON.stringify([Number(block), Number(receipt.blockNumber), receipt.status, paid]));
process.exit(0);
"""


def ask(url: str, method: str, *params: Any) -> dict[str, Any]:
    """One JSON-RPC reply."""
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    asked = urllib.request.Request(url, call, {"content-type": "application/json"})
    with urllib.request.urlopen(asked) as reply:
        found: dict[str, Any] = json.load(reply)
    return found


@pytest.mark.check
@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_an_example_passes_on_its_own_record(name: str, tmp_path: Path, anvil_binary: Path) -> None:
    """A copy of the project, its chain and no node: every test passes and nothing is missed."""
    example = COMMANDS[name]
    folder, environment = copied(name, tmp_path / name)
    rpc = [sys.executable, "-c", "from caia_replay.cli import main; main()", "rpc", "serve", "--chain", "harbour", "--"]
    command = [*rpc, *example.played] if example.served else list(example.played)
    environment |= {"CAIA_REPLAY_ANVIL": str(anvil_binary), "NO_PROXY": "127.0.0.1", "HTTP_PROXY": "http://127.0.0.1:9"}
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    assert re.search(rf"\b{example.tests} (tests )?pass(ed|ing)", ran.stdout), ran.stdout[-2000:]
    assert "missed" not in ran.stdout + ran.stderr


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_an_example_is_whole_and_labelled(name: str) -> None:
    """A README, a workflow without a secret, a sealed synthetic snapshot."""
    folder = ROOT / name
    snapshot = Snapshot.open(folder / "chain_snapshots" / "harbour")
    assert snapshot.provenance == "synthetic" and snapshot.heights[-1][1] == 60
    manifest = folder / "chain_snapshots" / "harbour" / "manifest.json"
    assert parse(manifest.read_bytes(), manifest).digest == snapshot.digest
    workflow = (folder / ".github" / "workflows" / "fork-tests.yml").read_text("utf-8")
    assert "secrets" not in workflow and "URL" not in workflow.replace("no RPC URL", "")
    assert "synthetic" in (folder / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    "page", ["docs/offline-forks.md", *(f"examples/{name}/README.md" for name in sorted(COMMANDS))]
)
def test_every_command_of_the_pages_is_one(page: str) -> None:
    """Each line that starts with caia-replay is a command of ours with options that it has."""
    lines = re.findall(r"^ +caia-replay (.+)$", (ROOT.parent / page).read_text("utf-8"), re.MULTILINE)
    assert lines
    for line in lines:
        words = shlex.split(line)
        command: Any = main
        while hasattr(command, "commands"):
            command, words = command.commands[words[0]], words[1:]
        command.make_context(command.name, words)


@pytest.mark.parametrize("kind", ["archive", "anvil"])
def test_no_dev_account_appears_on_a_served_chain(kind: Kind) -> None:
    """No unlocked account, and of a development node's accounts what was recorded, or an error: never a default."""
    snapshot = Snapshot.open(HARBOUR)
    with serving(snapshot, MissLog("harbour", 60), kind=kind) as url:
        assert ask(url, "eth_accounts")["result"] == []
        for who in DEV_ACCOUNTS:
            reply = ask(url, "eth_getBalance", who, "latest")
            try:
                recorded = snapshot.account(bytes.fromhex(who[2:]), 60).balance
            except Miss:
                assert who in reply["error"]["message"].lower()
            else:
                assert reply["result"] == hex(recorded)
            assert "error" in ask(url, "eth_sendTransaction", {"from": who, "to": FRIEND, "value": "0x1"})
        assert ask(url, "eth_blockNumber")["result"] == hex(60)


@pytest.mark.check
def test_viem_reads_and_writes() -> None:
    """A dealt and impersonated holder pays a token in block 61, on the record alone."""
    folder = npm_client.installed("hardhat-offline", ROOT / "hardhat-offline", path_with_node())
    with serving(Snapshot.open(HARBOUR), MissLog("harbour", 60), kind="anvil") as url:
        assert npm_client.driven(VIEM, url, HOLDER, FRIEND, folder=folder) == [60, 61, "success", 5]


@pytest.mark.check
@pytest.mark.parametrize("workers", [(), ("-n", "4")], ids=["alone", "four"])
def test_the_fork_fixture_plays_what_it_recorded(tmp_path: Path, anvil_binary: Path, workers: tuple[str, ...]) -> None:
    """pytest --fork-live under rpc record, then pytest alone, with four workers too: what was read is there."""
    folder, environment = copied("web3-pytest-offline", tmp_path / "copy")
    environment |= {"CAIA_REPLAY_ANVIL": str(anvil_binary)}
    rpc = [sys.executable, "-c", "from caia_replay.cli import main; main()", "rpc"]
    upstream = tmp_path / "upstream"
    (folder / "chain_snapshots" / "harbour").rename(upstream)
    with serving(Snapshot.open(upstream), MissLog("harbour", 60)) as url:
        record = [*rpc, "record", "--narrow", "--upstream", url, "--out", "chain_snapshots/harbour", "--"]
        command = [*record, *COMMANDS["web3-pytest-offline"].recorded]
        subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True, timeout=600)
    command = [*COMMANDS["web3-pytest-offline"].played, *workers]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert "5 passed" in ran.stdout, ran.stdout

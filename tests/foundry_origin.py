"""A chain with history that stands in for an archive node, and forge from npm to test on it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eth_hash.auto import keccak

from caia_replay.chain.anvil import AnvilProcess
from tests import npm_client

PROJECT = Path(__file__).parent / "fixtures" / "foundry"
DEPLOYER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
USER = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
LAST, UPGRADED = 60, 30
_GAS = "0x7a1200"


def forge_project(folder: Path, test: str = "test") -> tuple[Path, dict[str, str]]:
    """A copy of the project, built with the tests in the folder ``test``, and the environment to run it in.

    Skips where npm cannot give forge.
    """
    tools = npm_client.installed("foundry") / "node_modules"
    shutil.copytree(PROJECT, folder, ignore=shutil.ignore_patterns("package*.json"))
    binary = next(tools.glob("@foundry-rs/forge-*/bin/forge"))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FOUNDRY_", "DAPP_", "ETH_"))}
    environment = {
        **kept,
        "NODE_PATH": str(tools),
        "PATH": f"{binary.parent}{os.pathsep}{os.environ['PATH']}",
        "NO_COLOR": "1",
        "FOUNDRY_TEST": test,
    }
    built = subprocess.run(["forge", "build"], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout[-2000:] + built.stderr[-2000:]
    return folder, environment


@contextmanager
def archive(binary: Path, project: Path, chain_id: int = 31337) -> Iterator[AnvilProcess]:
    """An Anvil of 60 blocks on which the built contracts of ``project`` stand, and whose states are all kept."""
    rules = ["--chain-id", str(chain_id), "--hardfork", "cancun", "--order", "fifo", "--no-mining"]
    node = AnvilProcess(binary, [*rules, "--timestamp", "1700000000"])
    try:
        rpc = node.connect()
        rpc.demand("anvil_setBlockTimestampInterval", [12])

        def mine(*transactions: dict[str, Any]) -> list[dict[str, Any]]:
            hashes = [
                rpc.demand("eth_sendTransaction", [{"from": DEPLOYER, "gas": _GAS, **one}]) for one in transactions
            ]
            rpc.demand("evm_mine")
            receipts = [rpc.demand("eth_getTransactionReceipt", [one]) for one in hashes]
            assert all(receipt["status"] == "0x1" for receipt in receipts)
            return receipts

        def code(source: str, name: str, *words: str, links: dict[str, str] | None = None) -> str:
            built = json.loads((project / "out" / source / f"{name}.json").read_text("utf-8"))
            text: str = built["bytecode"]["object"]
            for place, address in (links or {}).items():
                for part in built["bytecode"]["linkReferences"][place.split(":")[0]][place.split(":")[1]]:
                    at = 2 + part["start"] * 2
                    text = text[:at] + address[2:] + text[at + 40 :]
            return text + "".join(word[2:].rjust(64, "0") for word in words)

        def call(to: str, signature: str, *words: str, value: int = 0) -> dict[str, Any]:
            data = "0x" + selector(signature).hex() + "".join(word[2:].rjust(64, "0") for word in words)
            return {"to": to, "data": data, "value": hex(value)}

        token = mine({"data": code("Token.sol", "Token")})[0]["contractAddress"]
        curve = mine({"data": code("Pair.sol", "Curve")})[0]["contractAddress"]
        made = code("Pair.sol", "Pair", token, links={"src/Pair.sol:Curve": curve})
        pair = mine({"data": made, "value": hex(50 * 10**18)})[0]["contractAddress"]
        first = mine({"data": code("Vault.sol", "VaultV1")})[0]["contractAddress"]
        proxy = mine({"data": code("Vault.sol", "Proxy", first)})[0]["contractAddress"]
        mine(call(token, "transfer(address,uint256)", pair, hex(100_000 * 10**18)))
        second = ""
        for number in range(7, LAST + 1):
            holder = hex(0x1000 + number % 5)
            sent = [call(token, "transfer(address,uint256)", holder, hex(number * 10**18))]
            if number % 4 == 0:
                sent.append({**call(pair, "buy()", value=10**16 * number), "from": USER})
            if number % 7 == 0:
                sent.append({**call(proxy, "deposit()", value=10**15 * number), "from": USER})
            if number == UPGRADED - 1:
                sent.append({"data": code("Vault.sol", "VaultV2")})
            if number == UPGRADED:
                sent.append(call(proxy, "upgradeTo(address)", second))
            receipts = mine(*sent)
            second = next((one["contractAddress"] for one in receipts if one["contractAddress"]), second)
        rpc.close()
        yield node
    finally:
        node.stop()


def selector(signature: str) -> bytes:
    """The first four bytes of a function's hash."""
    return bytes(keccak(signature.encode())[:4])


def forge_blocks(printed: str) -> list[str]:
    """What forge printed of each suite and contract, sorted, since suites run beside each other; without the times."""
    timeless = re.sub(r"finished in [^\n]*|No files changed[^\n]*|Ran \d+ test suites[^\n]*", "", printed)
    blocks = re.split(r"(?m)^(?=Ran \d+ tests? for |╭-.*\n\| .* Contract)", timeless)
    return sorted(block.strip() for block in blocks)

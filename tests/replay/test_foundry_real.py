"""A real mainnet block served as a node: what forge reads of its tokens is what the raw files of the block say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from eth_hash.auto import keccak

from caia_replay.chain.prestate import import_prestate
from tests.foundry_origin import forge_project

pytestmark = [pytest.mark.real, pytest.mark.check]

BLOCK = 22244135
BALANCES_AT = {
    "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48": 9,
    "0xdac17f958d2ee523a2206206994597c13d831ec7": 2,
}
"""USDC and USDT, and the slot of their balances."""
TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
FORGE = "0x7109709ecfa91a80626ff3989d68f67f5b1dd12d"
"""Where forge keeps a mark of its own; no chain has an account there."""
FLAG = 1 << 255
"""USDC keeps there whether a holder is blocked."""


def balances_after(real: Path) -> dict[tuple[str, str], int]:
    """Per token and holder the balance before the block, from its traces, and what its logs added."""
    traces = json.loads((real / "prestatetrace.json").read_text("utf-8"))
    traces = traces.get("result", traces) if isinstance(traces, dict) else traces
    first: dict[tuple[str, str], int] = {}
    for trace in traces:
        for address, account in trace["result"].items():
            for slot, value in (account.get("storage") or {}).items():
                first.setdefault((address, slot), int(value, 16))
    receipts: Any = json.loads((real / "receipts.json").read_text("utf-8"))
    receipts = receipts.get("result", receipts) if isinstance(receipts, dict) else receipts
    moved: defaultdict[tuple[str, str], int] = defaultdict(int)
    for log in (log for receipt in receipts for log in receipt["logs"]):
        if log["address"] in BALANCES_AT and log["topics"][0] == TRANSFER:
            for topic, sign in ((1, -1), (2, 1)):
                moved[log["address"], "0x" + log["topics"][topic][-40:]] += sign * int(log["data"], 16)
    found = {}
    for (token, holder), change in sorted(moved.items()):
        slot = "0x" + keccak(bytes(12) + bytes.fromhex(holder[2:]) + BALANCES_AT[token].to_bytes(32, "big")).hex()
        if (token, slot) in first:
            found[token, holder] = first[token, slot] % FLAG + change
    return found


def test_forge_reads_the_blocks_tokens_as_the_files_have_them(real_data: Path, tmp_path: Path) -> None:
    """Balances after the block are those before it with the logs of the block added, and transfers run on them."""
    wanted = balances_after(real_data / "mainnet-22244135")
    folder, environment = forge_project(tmp_path / "project", test="real")
    import_prestate(real_data / "mainnet-22244135", folder / "chain_snapshots" / "mainnet-22244135")
    environment |= {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "TOKENS": ",".join(token for token, _ in wanted),
        "HOLDERS": ",".join(holder for _, holder in wanted),
        "BALANCES": ",".join(str(balance) for balance in wanted.values()),
    }
    command = [sys.executable, "-c", "from caia_replay.cli import main; main()", "rpc", "serve", "--chain"]
    ran = subprocess.run(
        [*command, "mainnet-22244135", "--block", str(BLOCK), "--", "forge", "test"],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ran.returncode == 0 and "2 tests passed" in ran.stdout, ran.stdout[-3000:] + ran.stderr[-3000:]
    missed = [line for line in ran.stderr.splitlines() if line.startswith("missed")]
    assert len(wanted) > 20 and all(FORGE in line for line in missed)

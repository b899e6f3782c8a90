"""The plugin in projects of its users: isolation, the same blocks everywhere, clear refusals."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from eth_hash.auto import keccak

from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import CodeRow, read_snapshot, write_snapshot
from caia_replay.errors import Miss

if TYPE_CHECKING:
    pass

PROJECT = Path(__file__).resolve().parents[3]
Run = Callable[..., "subprocess.CompletedProcess[str]"]
MARK = 'pytestmark = pytest.mark.fork(chain="mini", block=60)\n'
HOLDER, FRIEND = "0x8ec2894193029aac8406d421066b29b13177754f", "0x80573ae79f7b7ad661f7a7a905d081f6cdbd9a4c"
STRANGER = "0x" + "ab" * 20
# Contracts by what they do with the address or slot in calldata, put where the snapshot has accounts of its own.
TOUCHES = {
    "SLOAD": ("600035545000", "storage"), "SSTORE": ("60016000355500", "storage"),
    "BALANCE": ("600035315000", "account"), "EXTCODESIZE": ("6000353b5000", "account"),
    "EXTCODEHASH": ("6000353f5000", "account"), "EXTCODECOPY": ("6020600060006000353c00", "account"),
    "CALL": ("600060006000600060006000355af15000", "account"),
    "STATICCALL": ("60006000600060006000355afa5000", "account"),
    "DELEGATECALL": ("60006000600060006000355af45000", "account"), "SELFDESTRUCT": ("600035ff", "account"),
    "CREATE": ("600060006000f05000", "account"),
}  # fmt: skip
SCRIPTED = """
def anvils():
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text()
        except OSError:
            continue
        if "(anvil)" in stat and stat.rpartition(")")[2].split()[1] == str(os.getpid()):
            found.append(folder.name)
    return found

@pytest.fixture(autouse=True)
def one_anvil(fork):
    yield
    (pid,) = anvils()
    (HERE.parent / f"{pid}.pid").touch()

@pytest.mark.parametrize("turn", [1, 2])
def test_spend(fork, turn):
    assert (fork.block, fork.chain_id, balance(fork, HOLDER)) == (60, 700177, 25930 * 10**18)
    assert fork.rpc("eth_getTransactionCount", HOLDER, "latest") == hex(11)
    receipt = fork.send({"from": HOLDER, "to": MARE, "data": transfer(FRIEND, 5)})
    assert receipt["status"] == "0x1" and receipt["blockNumber"] == hex(61)
    assert (fork.block, balance(fork, HOLDER)) == (61, 25930 * 10**18 - 5)
    assert fork.rpc("eth_getTransactionCount", HOLDER, "latest") == hex(12)

@pytest.mark.parametrize("delay_s", [0, 0.02, 0.4])
def test_script(fork, delay_s):
    for amount, sender, to in ((5, HOLDER, FRIEND), (6, FRIEND, HOLDER), (7, HOLDER, FRIEND)):
        fork.send({"from": sender, "to": MARE, "data": transfer(to, amount)})
        time.sleep(delay_s)
    fork.send({"from": HOLDER, "to": FRIEND, "value": 1})
    fork.mine(3)
    hashes = [fork.rpc("eth_getBlockByNumber", hex(n), False)["hash"] for n in range(60, fork.block + 1)]
    (HERE.parent / f"{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}-{delay_s}.hashes").write_text(" ".join(hashes))

def test_stranger(fork):
    fork.send({"from": HOLDER, "to": MARE, "data": transfer(STRANGER, 5)})

def test_after(fork):
    assert balance(fork, HOLDER) == 25930 * 10**18
"""
LAST_HASH = "0x61b56ddfd508fd8645ffa0cbdc84421c1e72eb9903c8a1f4f284672d01d1bcc6"
"""Of the script's last block: the same on every machine, in every run, by any worker."""


@pytest.mark.parametrize("arguments", [(), pytest.param(("-n", "2"), marks=pytest.mark.check)])
def test_every_test_has_a_chain_of_its_own(run_project: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """No test sees what another spent, a miss fails its test alone, equal scripts make equal blocks, no node stays."""
    run = run_project(MARK + SCRIPTED, *arguments)
    assert counts(run) == "1 failed, 6 passed", run.stdout
    assert "Miss: storage not recorded: 0x2931acaffd9415d5bb5f60a58b7f3b0d54211dc0 slot 0x" in run.stdout
    written = sorted(tmp_path.glob("*.hashes"))
    assert {path.name.split("-")[0] for path in written} <= ({"gw0", "gw1"} if arguments else {"alone"})
    (hashes,) = {path.read_text() for path in written}
    assert len(written) == 3 and len(hashes.split()) == 8 and hashes.split()[-1] == LAST_HASH
    pids = [int(path.stem) for path in tmp_path.glob("*.pid")]
    assert len(pids) == 7
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


FORWARD = "60203603806020600037600060009160006000600035" + "5af13d600060003e3d6000f3"
"""Calls the address in the first word with the rest of calldata."""
ONE_READ = "def test_read(fork):\n    assert fork.chain_id == 700177\n"


def counts(run: subprocess.CompletedProcess[str]) -> str:
    """pytest's closing line, without time and warnings: Python may warn of a fork during another thread's import."""
    return re.sub(r"(, \d+ warnings?)? in [0-9.]+s.*", "", run.stdout.rstrip().splitlines()[-1].strip("= "))


def test_wrong_markers_are_usage_errors(run_project: Run) -> None:
    """Exit code 4 before anything runs, a line per test with what is wrong and the right form."""
    wrong = {
        "fork(block=60)": "the fork marker lacks chain",
        "fork": "the fork marker lacks chain",
        "fork('mini', 60)": "the fork marker takes its arguments by name",
        "fork(chain='mini', blok=60)": "the fork marker has no argument blok",
        "fork(chain=7, block=60)": "chain of the fork marker is a snapshot's name or path, not 7",
        "fork(chain='mini', block='60')": "block of the fork marker is a block number, not '60'",
        "fork(chain='mini', block=-1)": "block of the fork marker is a block number, not -1",
    }
    tests = [f"@pytest.mark.{marker}\ndef test_{at}(fork):\n    pass\n" for at, marker in enumerate(wrong)]
    run = run_project(ONE_READ + "".join(tests))
    assert run.returncode == 4, run.stdout
    lines = [line for line in run.stderr.splitlines() if "test_it.py::" in line]
    for at, (line, told) in enumerate(zip(lines, wrong.values(), strict=True)):
        assert f"test_it.py::test_{at}: {told}; use @pytest.mark.fork(chain=" in line
    assert "Traceback" not in run.stderr + run.stdout


def test_no_snapshot_height_or_marker_is_one_clear_failure(run_project: Run) -> None:
    """What is there and the next command, in one line; the same word of other people is left alone."""
    markers = (
        "@pytest.mark.fork(chain='minni', block=60)", "@pytest.mark.fork(chain='mini', block=61)", "",
        "@pytest.mark.fork(chain='../nowhere/mini')",
    )  # fmt: skip
    tests = [f"{marker}\ndef test_{at}(fork):\n    pass\n" for at, marker in enumerate(markers)]
    run = run_project("\n".join(tests) + "@pytest.mark.fork('ours', slow=True)\ndef test_other():\n    pass\n")
    assert counts(run) == "1 passed, 4 errors", run.stdout
    for told in (
        r"no snapshot of chain 'minni'; there: .*mini.*; nearest: mini; next: caia-replay",
        r"block not recorded: 61 .*there: blocks 0 to 60; next: correct block",
        r"no fork of \.\./nowhere/mini at its newest block: .*/nowhere/mini: no snapshot folder; next: correct",
        r"the fork fixture needs a marker that says where it stands: @pytest\.mark\.fork\(chain=",
    ):
        assert re.search(told, run.stdout), run.stdout
    assert "pytest_plugin.py" not in run.stdout and "During handling" not in run.stdout


@pytest.mark.check
def test_snapshots_are_found_at_or_above_rootdir(run_project: Run, tmp_path: Path) -> None:
    """Without the option the nearest chain_snapshots serves; none at all, or a wrong option, is told."""
    source = f"@pytest.mark.fork(chain='mini', block=60)\n{ONE_READ}"
    missing = run_project(source, snapshots="").stdout
    assert (
        "no folder chain_snapshots here or above; next: caia-replay record, or caia-replay import prestate" in missing
    )
    wrong = run_project(source, snapshots="../elsewhere").stdout
    assert re.search(r"fork_snapshots names no folder; next: correct fork_snapshots in .*pytest\.ini", wrong)
    shutil.copytree(PROJECT / "chain_snapshots", tmp_path / "chain_snapshots")
    assert counts(run_project(source, snapshots="")) == "1 passed"


@pytest.mark.check
@pytest.mark.parametrize("arguments", [(), ("-n", "2")])
def test_the_example_project_is_green(arguments: tuple[str, ...]) -> None:
    """What a protocol team would copy runs as its README says, alone and with two workers."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    call = [sys.executable, "-m", "pytest", "examples/web3-pytest-offline", "-p", "no:cacheprovider", *arguments]
    run = subprocess.run(call, cwd=PROJECT, env=env, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout
    assert counts(run) == "5 passed"


@pytest.fixture(scope="module")
def touching(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, tuple[dict[str, Any], str]]]:
    """A folder of snapshots, its chain with a contract for each touch; and by name a transaction with its miss."""
    info, rows = read_snapshot(PROJECT / "chain_snapshots" / "mini")
    known = (
        row for row in rows.accounts if row.to_block == 60 and row.nonce and row.address.hex() not in HOLDER + FRIEND
    )
    codes = {**{name: code for name, (code, _) in TOUCHES.items()}, "FORWARD": FORWARD}
    at: dict[str, str] = {}
    for (name, code), row in list(zip(codes.items(), known, strict=False)):
        digest = keccak(bytes.fromhex(code))
        rows.accounts[rows.accounts.index(row)] = replace(row, code_hash=digest)
        rows.codes.append(CodeRow(digest, bytes.fromhex(code)))
        at[name] = "0x" + row.address.hex()
    folder = tmp_path_factory.mktemp("touching") / "chain_snapshots"
    write_snapshot(folder / "mini", info, rows)
    word = STRANGER[2:].zfill(64)
    sends: dict[str, tuple[dict[str, Any], str]] = {
        name: ({"to": at[name], "data": "0x" + word}, kind) for name, (_, kind) in TOUCHES.items()
    }
    nested = "0x" + at["SLOAD"][2:].zfill(64) + word
    listed = [{"address": at["SLOAD"], "storageKeys": ["0x" + word]}]
    sends |= {
        "value": ({"to": STRANGER, "value": 1}, "account"),
        "call": ({"to": STRANGER, "data": "0x01"}, "account"),
        "creation": ({"data": "0x600160005500"}, "account"),
        "SLOAD two calls deep": ({"to": at["FORWARD"], "data": nested}, "storage"),
        "access list": ({"to": at["SLOAD"], "data": "0x" + word, "accessList": listed}, "storage"),
    }
    return folder, {name: ({"from": HOLDER, **fields}, kind) for name, (fields, kind) in sends.items()}


@pytest.mark.check
def test_whatever_is_not_recorded_stops_a_transaction_before_it_is_mined(
    touching: tuple[Path, dict[str, tuple[dict[str, Any], str]]], anvil_binary: Path
) -> None:
    """Sixteen ways to touch it, gas given or estimated: a typed miss, no block, nothing pending, the sender free."""
    from caia_replay.interop.scratch_chain import ScratchChain

    folder, sends = touching
    with ForkPool({"mini": Snapshot.open(folder / "mini")}) as pool:
        for name, (fields, kind) in sends.items():
            with pool.lease("mini", 60, writes=True) as lease:
                chain = ScratchChain(lease)
                for gas in ({"gas": 200_000}, {}):
                    with pytest.raises(Miss) as missed:
                        chain.send({**fields, **gas})
                    assert missed.value.detail.kind == kind, name
                    assert chain.block == int(chain.rpc("eth_blockNumber"), 16) == 60
                    assert lease.operate("txpool_status") == {"pending": "0x0", "queued": "0x0"}
                receipt = chain.send({"from": HOLDER, "to": FRIEND, "value": 1})
                assert (receipt["status"], receipt["blockNumber"]) == ("0x1", hex(61)), name

"""Two snapshots compared, and a command's chain recorded again at another block."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.chain.snapshot_schema import SnapshotInfo, SnapshotRows, read_snapshot, write_snapshot
from caia_replay.chain.state_row import CodeRow, ReplyRow, StorageRow
from caia_replay.cli import main
from caia_replay.interop.rpc_refresh import Outcome, differences, told_tests
from caia_replay.recording.snapshot_diff import compare_snapshots
from tests.cli_shell import Shell

MINI = Path(__file__).resolve().parents[3] / "chain_snapshots" / "mini"
MARE = "0x2931acaffd9415d5bb5f60a58b7f3b0d54211dc0"
FRIEND = "0x80573ae79f7b7ad661f7a7a905d081f6cdbd9a4c"
HOLDER = "0x8ec2894193029aac8406d421066b29b13177754f"
Edit = Callable[[SnapshotInfo, SnapshotRows], SnapshotInfo | None]


def _slot(info: SnapshotInfo, rows: SnapshotRows) -> None:
    at = next(at for at, row in enumerate(rows.storage) if row.to_block == 60 and row.address.hex() == MARE[2:])
    row = rows.storage[at]
    rows.storage[at] = replace(row, value=(7).to_bytes(32, "big"))


def _balance(info: SnapshotInfo, rows: SnapshotRows) -> None:
    at = next(at for at, row in enumerate(rows.accounts) if row.to_block == 60 and row.address.hex() == HOLDER[2:])
    rows.accounts[at] = replace(rows.accounts[at], balance=5, nonce=99)


def _new_slot(info: SnapshotInfo, rows: SnapshotRows) -> None:
    rows.storage.append(StorageRow(b"\xab" * 20, (3).to_bytes(32, "big"), 60, 60, (255).to_bytes(32, "big")))


def _no_account(info: SnapshotInfo, rows: SnapshotRows) -> None:
    rows.accounts = [row for row in rows.accounts if row.address.hex() != FRIEND[2:]]


def _header(info: SnapshotInfo, rows: SnapshotRows) -> None:
    rows.blocks = [{**block, "miner": MARE} if block["number"] == "0x3c" else block for block in rows.blocks]


def _reply(info: SnapshotInfo, rows: SnapshotRows) -> None:
    rows.replies.append(ReplyRow("trace_block", '["0x3b"]', 59, "[]"))


def _code(info: SnapshotInfo, rows: SnapshotRows) -> None:
    from eth_hash.auto import keccak

    rows.codes.append(CodeRow(keccak(b"\x00"), b"\x00"))


def _source(info: SnapshotInfo, rows: SnapshotRows) -> SnapshotInfo:
    return replace(info, source="another")


EDITS: dict[str, tuple[Edit, str]] = {
    "slot": (_slot, f"~ storage {MARE} slot 0x.* value 0x[0-9a-f]+ -> 0x7 at block "),
    "balance": (_balance, rf"~ accounts {HOLDER} balance \d+ wei -> 5 wei, nonce 11 -> 99 at block "),
    "new-slot": (_new_slot, r"\+ storage 0x(ab){20} slot 0x3 value 0xff at block 60$"),
    "no-account": (_no_account, rf"- accounts {FRIEND} balance \d+ wei, nonce \d+, code 0x"),
    "header": (_header, f"~ blocks block 60 miner: 0x.* -> {MARE}$"),
    "reply": (_reply, r'\+ replies trace_block \["0x3b"\]$'),
    "code": (_code, r"\+ codes 0x[0-9a-f]{64} \(1 bytes\)$"),
    "source": (_source, "~ manifest source: .* -> another$"),
}
_OPPOSITE = {"~": "~", "+": "-", "-": "+"}


def edited(folder: Path, *names: str) -> Path:
    """A copy of the small snapshot with these edits."""
    info, rows = read_snapshot(MINI)
    for name in names:
        info = EDITS[name][0](info, rows) or info
    write_snapshot(folder, info, rows)
    return folder


def test_each_edit_is_one_line_and_the_other_way_round_its_opposite(tmp_path: Path) -> None:
    """Table, key and values of every edit, nothing else; both ways the same rows."""
    there = edited(tmp_path / "all", *EDITS)
    forth, back = list(compare_snapshots(MINI, there).lines()), list(compare_snapshots(there, MINI).lines())
    for _, wanted in EDITS.values():
        assert len([line for line in forth if re.match(wanted, line)]) == 1, wanted
    assert len(forth) == len(EDITS)
    assert sorted(_OPPOSITE[line[0]] + line.split()[1] for line in forth) == sorted(
        line[0] + line.split()[1] for line in back
    )


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.check) for name in EDITS])
def test_an_edit_by_itself_is_the_only_difference(tmp_path: Path, name: str) -> None:
    """One row that differs is one change."""
    diff = compare_snapshots(MINI, edited(tmp_path / name, name))
    assert len(diff.changes) == 1 and not diff.identical


def test_equal_values_at_other_blocks_are_told_apart_from_changed_ones(tmp_path: Path) -> None:
    """A key that both know with one value is no change; rows that moved to other blocks are counted."""
    info, rows = read_snapshot(MINI)
    rows.storage = [row for row in rows.storage if row.to_block == 60]
    newest = replace(info, claims=type(info.claims)())
    write_snapshot(tmp_path / "newest", newest, rows)
    rows.storage = [replace(row, from_block=60) for row in rows.storage]
    write_snapshot(tmp_path / "late", newest, rows)
    diff = compare_snapshots(tmp_path / "newest", tmp_path / "late")
    assert not diff.changes and 0 < diff.moved["storage"] <= len(rows.storage)
    assert diff.summary() == "the same values, at other blocks" and not diff.identical


def test_the_command_says_identical_or_what_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Exit 0 and one word, or exit 1, the rows and how many; names are looked up, and a wrong one gets the nearest."""
    monkeypatch.chdir(MINI.parents[1])
    shell = Shell(capfd)
    assert shell("rpc", "diff", "mini", str(MINI)) == (0, "identical\n", "")
    edited(tmp_path / "mine", "new-slot", "balance")
    code, out, _ = shell("rpc", "diff", "mini", str(tmp_path / "mine"))
    assert code == 1 and out.splitlines()[-1] == "1 changed, 1 new" and len(out.splitlines()) == 3
    code, _, err = shell("rpc", "diff", "mini", "minni")
    assert code == 2 and "nearest: mini" in err


FORGE = """
Ran 3 tests for test/Pool.t.sol:PoolTest
\x1b[32m[PASS]\x1b[0m testPrice() (gas: 1234)
[PASS] testFuzz_swap(uint256) (runs: 24, \u03bc: 5000, ~: 5100)
[FAIL: price moved: 5 != 6] testFloor() (gas: 99)
Suite result: FAILED. 2 passed; 1 failed; 0 skipped; finished in 1.2ms
Ran 1 test for test/State.t.sol:StateTest
[PASS] testPrice() (gas: 7)
"""
PYTEST = """
=========================== short test summary info ============================
PASSED tests/test_pool.py::test_price
PASSED tests/test_pool.py::test_many[a b]
FAILED tests/test_pool.py::test_floor - assert 5 == 6
ERROR tests/test_pool.py::test_gone
"""
MOCHA = """
  Pool
    \u2714 has a price (12ms)
    1) keeps its floor
"""


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (FORGE, {
            "test/Pool.t.sol:PoolTest testPrice()": "passed (gas 1234)",
            "test/Pool.t.sol:PoolTest testFuzz_swap(uint256)": "passed",
            "test/Pool.t.sol:PoolTest testFloor()": "failed: price moved: 5 != 6 (gas 99)",
            "test/State.t.sol:StateTest testPrice()": "passed (gas 7)",
        }),
        (PYTEST, {
            "tests/test_pool.py::test_price": "passed", "tests/test_pool.py::test_many[a b]": "passed",
            "tests/test_pool.py::test_floor": "failed: assert 5 == 6", "tests/test_pool.py::test_gone": "error",
        }),
        (MOCHA, {"has a price": "passed", "keeps its floor": "failed"}),
        ("no tests here: 3) or PASSED\n", {}),
    ],
    ids=["forge", "pytest", "mocha", "none"],
)  # fmt: skip
def test_tests_are_known_by_name(output: str, told: dict[str, str]) -> None:
    """What forge, pytest and Mocha print of each test; other lines are nobody's."""
    assert told_tests(output) == told


def test_only_what_ends_otherwise_is_a_difference() -> None:
    """Changed, new and gone tests by name, then the exit code; equal outcomes give nothing."""
    before = Outcome(0, {"a": "passed", "b": "passed", "c": "passed"})
    after = Outcome(1, {"a": "passed", "b": "failed: 5 != 6", "d": "passed"})
    assert list(differences(before, before)) == []
    assert list(differences(before, after)) == [
        "~ b: passed -> failed: 5 != 6", "~ c: passed -> not run", "~ d: not run -> passed", "~ exit code: 0 -> 1",
    ]  # fmt: skip


SUITE = """
import json, os, sys, urllib.request
def ask(method, *params):
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    asked = urllib.request.Request(os.environ["ETH_RPC_URL"], call, {"content-type": "application/json"})
    return json.load(urllib.request.urlopen(asked))["result"]
fails = int(ask("eth_getBalance", sys.argv[1], "latest"), 16) != int(sys.argv[2])
ask("eth_getCode", sys.argv[1], "latest")
print("PASSED suite.py::test_code")
print("FAILED suite.py::test_balance - another balance" if fails else "PASSED suite.py::test_balance")
sys.exit(fails)
"""


@pytest.fixture(scope="module")
def moved(anvil_binary: Path) -> Iterator[tuple[Any, str]]:
    """A chain whose first account pays in block 6; the chain, and the account that is paid."""
    from caia_replay.chain.anvil import AnvilProcess

    node = AnvilProcess(anvil_binary, ["--hardfork", "cancun", "--timestamp", "1700000000", "--no-mining"])
    rpc = node.connect()
    try:
        paid = "0x" + "cd" * 20
        rpc.demand("anvil_setBlockTimestampInterval", [12])
        rpc.demand("anvil_setBalance", [paid, "0x5"])
        rpc.demand("anvil_mine", ["0x5"])
        payer = rpc.demand("eth_accounts")[0]
        rpc.demand("eth_sendTransaction", [{"from": payer, "to": paid, "value": "0x2"}])
        rpc.demand("anvil_mine", ["0x3"])
        yield node, paid
    finally:
        rpc.close()
        node.stop()


def test_a_refresh_tells_rows_and_tests_that_are_otherwise(
    moved: tuple[Any, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The new snapshot stands beside the old, which is untouched; the test that reads what changed is named, exit 1."""
    node, paid = moved
    monkeypatch.chdir(tmp_path)
    shell = Shell(capfd)
    Path("suite.py").write_text(SUITE, "utf-8")
    command = ["--", sys.executable, "suite.py", paid, "5"]
    place = ["--out", "chain_snapshots/toy", "--upstream", node.url]
    assert shell("rpc", "record", *place, "--block", "4", *command)[0] == 0
    before = {path.name: path.read_bytes() for path in Path("chain_snapshots/toy").iterdir()}
    code, out, err = shell("rpc", "refresh", "toy", "--upstream", node.url, "--block", "7", *command)
    assert (code, err.strip()) == (1, ""), out + err
    assert f"~ accounts {paid} balance 5 wei -> 7 wei at blocks 4 and 7" in out
    assert "the command on block 4 and on block 7: 1 of 2 tests end otherwise, exit codes 0 and 1" in out
    assert "~ suite.py::test_balance: passed -> failed: another balance" in out
    assert "test_code:" not in out
    assert before == {path.name: path.read_bytes() for path in Path("chain_snapshots/toy").iterdir()}
    assert shell("rpc", "diff", "toy", "toy-7")[0] == 1
    code, out, _ = shell("rpc", "refresh", "toy", "--upstream", node.url, "--block", "5", *command)
    assert code == 0 and "0 of 2 tests end otherwise, exit codes 0 and 0" in out
    for options, told in ((("--block", "4"), "stands at block 4 already"), (("--block", "7"), "is there already")):
        code, _, err = shell("rpc", "refresh", "toy", "--upstream", node.url, *options, *command)
        assert code == 2 and told in err


def test_the_commands_are_part_of_rpc() -> None:
    """Both stand beside record and serve."""
    group: Any = main.commands["rpc"]
    assert {"diff", "refresh", "record", "serve"} <= set(group.commands)

"""A command's chain recorded through a node of ours and served again: the same answers, or a miss that says what."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.plain_node import PlainNode
from caia_replay.chain.snapshot import Snapshot
from caia_replay.cli import main
from caia_replay.interop.rpc_mutate import FIELDS, judge
from caia_replay.interop.rpc_node import MissLog
from caia_replay.interop.rpc_serve import Kind, serving
from tests.cli_shell import Shell

ASKS = """
import json, os, sys, urllib.request
headers = {"content-type": "application/json"}
for line in open(sys.argv[1]):
    call = {"jsonrpc": "2.0", "id": 1, **dict(zip(("method", "params"), json.loads(line)))}
    asked = urllib.request.Request(os.environ["ETH_RPC_URL"], json.dumps(call).encode(), headers)
    print(json.dumps(json.load(urllib.request.urlopen(asked))))
sys.exit(int(os.environ.get("ENDS_WITH", "0")))
"""
LIVE_TEST = """import pytest


@pytest.mark.fork(chain="live")
def test_it_stands_on_the_chain(fork):
    assert fork.block > 0
"""
PIN = 9
RECORD = ["rpc", "record", "--out", "chain_snapshots/toy"]
NEW = ["record", "--out", "chain_snapshots/new", "--upstream"]
STRANGER = "0x" + "ab" * 20


@pytest.fixture(scope="module")
def origin(anvil_binary: Path, living_origin: ModuleType) -> Iterator[Any]:
    """A chain of twelve blocks."""
    with living_origin.living(anvil_binary) as found:
        yield found


@pytest.fixture
def door(origin: Any, living_origin: ModuleType) -> Iterator[Any]:
    """Its gate, which asks for a key."""
    with living_origin.gate(origin.port) as found:
        yield found


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Shell:
    """The command line in an empty folder; what commands print is seen, too."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "asks.py").write_text(ASKS, "utf-8")
    return Shell(capfd)


def asking(name: str, *calls: tuple[str, list[Any]]) -> list[str]:
    """A command that asks these questions in order and prints each answer."""
    Path(name).write_text("".join(json.dumps(call) + "\n" for call in calls), "utf-8")
    return ["--", sys.executable, "asks.py", name]


def told(printed: str) -> list[Any]:
    """The answers among what was printed."""
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]


def questions(origin: Any, living_origin: ModuleType, seed: int) -> list[tuple[str, list[Any]]]:
    """What tools ask an archive node, about blocks up to the pin."""
    chance = random.Random(seed)
    found: list[tuple[str, list[Any]]] = [
        ("eth_chainId", []), ("net_version", []), ("eth_blockNumber", []), ("eth_syncing", []),
        ("eth_getBlockByNumber", ["latest", False]), ("eth_feeHistory", ["0x4", hex(PIN), [50]]),
        ("eth_getBlockTransactionCountByNumber", [hex(PIN)]),
        ("eth_getTransactionByBlockNumberAndIndex", [hex(PIN), "0x0"]), ("web3_sha3", ["0x00"]),
    ]  # fmt: skip
    for _ in range(40):
        block, other = sorted(chance.choices(range(1, PIN + 1), k=2))
        address = chance.choice([origin.store, living_origin.SENDER, living_origin.RECEIVER])
        slot = chance.choice(["0x" + living_origin.VALUE_SLOT.hex(), living_origin.EVENT_TEXT, "0x5"])
        data = "0x" + living_origin.VALUE_SLOT[:4].hex()
        found += [
            chance.choice([
                ("eth_getBalance", [address, hex(block)]), ("eth_getTransactionCount", [address, hex(block)]),
                ("eth_getCode", [address, hex(block)]), ("eth_getStorageAt", [origin.store, slot, hex(block)]),
                ("eth_getBlockByNumber", [hex(block), chance.random() < 0.5]),
                ("eth_getTransactionByHash", [chance.choice(origin.hashes[:PIN])]),
                ("eth_getTransactionReceipt", [chance.choice(origin.hashes[:PIN])]),
                ("eth_getBlockReceipts", [hex(block)]), ("eth_call", [{"to": origin.store, "data": data}, hex(block)]),
                ("eth_getLogs", [{"fromBlock": hex(block), "toBlock": hex(other), "address": address}]),
            ])
        ]  # fmt: skip
    return found


@pytest.fixture(scope="module")
def recorded(origin: Any, tmp_path_factory: pytest.TempPathFactory, living_origin: ModuleType) -> Snapshot:
    """What one command asked, at block 9."""
    home = tmp_path_factory.mktemp("rpc")
    (home / "asks.py").write_text(ASKS, "utf-8")
    with pytest.MonkeyPatch.context() as patch, living_origin.gate(origin.port) as door:
        patch.chdir(home)
        command = asking("calls", *questions(origin, living_origin, 1), *at_latest(origin, living_origin))
        with pytest.raises(SystemExit) as ended:
            main([*RECORD, "--upstream", door.url, "--block", str(PIN), *command])
    assert not ended.value.code
    return Snapshot.open(home / "chain_snapshots" / "toy")


def node_word(origin: Any, method: str, params: list[Any]) -> Any:
    """What the origin says as it stood at the pin."""
    at_pin = [hex(PIN) if item == "latest" else item for item in params]
    if method == "eth_getLogs":
        at_pin = [{**params[0], "toBlock": hex(min(int(params[0]["toBlock"], 16), PIN))}]
    return origin.rpc.demand(method, at_pin)


def at_latest(origin: Any, living_origin: ModuleType) -> list[tuple[str, list[Any]]]:
    """What a fork of the newest block needs to send a transaction."""
    accounts = (origin.store, living_origin.SENDER)
    slot = ("eth_getStorageAt", [origin.store, "0x" + living_origin.VALUE_SLOT.hex(), "latest"])
    return [("eth_gasPrice", []), slot, *(("eth_getBalance", [account, "latest"]) for account in accounts)]


@pytest.mark.check
def test_answers_are_the_origins_and_the_key_reaches_nothing(
    at_home: Shell, door: Any, origin: Any, living_origin: ModuleType, tmp_path: Path
) -> None:
    """Live and alone a command is told what the node says, and no file, line or variable of it holds the address."""
    asked = questions(origin, living_origin, 2)
    code, out, err = at_home("rpc", "record", "--upstream", door.url, "--out", "chain_snapshots/toy", "--block", PIN,
                             *asking("calls", *asked))  # fmt: skip
    assert code == 0, err
    answers = told(out)
    live, alone = answers[: len(asked)], answers[len(asked) :]
    assert live == alone
    for (method, params), answer in zip(asked, live, strict=True):
        if method in ("eth_blockNumber", "eth_feeHistory") or "latest" in params:
            continue  # the origin's own head is later, and Anvil's fee history deviates
        assert answer.get("result") == origin.rpc.demand(method, params), (method, params)
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    for data in [*files, out.encode(), err.encode()]:
        for secret in (living_origin.KEY, living_origin.PASSWORD, door.url.split("@")[1].split("/")[0]):
            assert secret.encode() not in data


def test_what_is_missing_is_listed_and_added(at_home: Shell, door: Any, origin: Any) -> None:
    """A question that nobody recorded fails the served command with one error, and --add brings exactly it."""
    one, more = ("eth_getBalance", [origin.store, "latest"]), ("eth_getBalance", [STRANGER, "latest"])
    record = [*RECORD, "--upstream", door.url]
    assert at_home(*record, "--block", PIN, *asking("one", one))[0] == 0
    again = at_home(*record, *asking("one", one))
    assert again[0] == 2 and "--add" in again[2]
    code, out, err = at_home("rpc", "serve", "--chain", "toy", *asking("two", one, more))
    assert code == 0 and "result" in told(out)[0]
    error = told(out)[1]["error"]
    assert error["code"] == -32000 and STRANGER in error["message"] and "rpc record --add" in error["message"]
    assert STRANGER in err and STRANGER in at_home("rpc", "why-miss")[1]
    assert at_home(*record, "--add", *asking("two", one, more))[0] == 0
    code, out, _ = at_home("rpc", "serve", "--chain", "toy", *asking("two", one, more))
    assert told(out)[1]["result"] == "0x0" and f"at block {PIN}" in at_home("rpc", "why-miss")[1]


def test_the_exit_code_is_the_commands(at_home: Shell, door: Any, origin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that fails is no recording that passes, and serve hands its code on."""
    record = [*RECORD, "--upstream", door.url, "--block", PIN]
    monkeypatch.setenv("ENDS_WITH", "4")
    code, _, err = at_home(*record, *asking("one", ("eth_getCode", [origin.store, "latest"])))
    assert code == 1 and "exit code 4" in err
    assert at_home("rpc", "serve", "--chain", "toy", *asking("one", ("eth_chainId", [])))[0] == 4


@pytest.mark.check
def test_rules_no_header_shows_are_asked_for(
    at_home: Shell, anvil_binary: Path, living_origin: ModuleType, tmp_path: Path
) -> None:
    """Of a Prague chain the command says that --hardfork is needed, and with it records; the fork fixture is told."""
    with living_origin.living(anvil_binary, hardfork="prague") as other, living_origin.gate(other.port) as door:
        door.hide["anvil_nodeInfo"] = 9
        record = [*RECORD, "--upstream", door.url]
        command = asking("one", ("eth_getCode", [other.store, "latest"]))
        code, _, err = at_home(*record, *command)
        assert code == 2 and "--hardfork" in err
        code, out, err = at_home(*record, "--hardfork", "prague", *command)
        assert code == 0 and "passes alone" in out, err
        (tmp_path / "test_live.py").write_text(LIVE_TEST)
        pytest_live = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--fork-live", "test_live.py"]
        live = ["rpc", "record", "--upstream", door.url, "--out", "chain_snapshots/live"]
        code, out, err = at_home(*live, "--hardfork", "prague", "--", *pytest_live)
        assert code == 0 and "passes alone" in out, err


@pytest.mark.check
def test_a_recording_that_was_cut_goes_on(at_home: Shell, door: Any, origin: Any, tmp_path: Path) -> None:
    """A node that stops answering ends it with exit code 3; the same command goes on and leaves no journal."""
    calls = asking("two", ("eth_getBalance", [origin.store, "latest"]), ("eth_getBalance", [STRANGER, "latest"]))
    door.limit_after = 6
    code, _, err = at_home(*RECORD, "--upstream", door.url, "--block", PIN, *calls)
    assert code == 3 and "goes on" in err and not (tmp_path / "chain_snapshots").exists()
    door.limit_after = None
    code, out, err = at_home(*RECORD, "--upstream", door.url, "--block", PIN, *calls)
    assert code == 0 and "going on with" in out, err
    assert not list((tmp_path / ".cache" / "record").glob("*.jsonl"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["serve", "--chain", "tiy", "--", "true"], "nearest: toy", id="name"),
        pytest.param(["serve", "--chain", "toy", "--block", "3000", "--", "true"], "nearest: block", id="block"),
        pytest.param(["serve", "--chain", "toy", "--", "no-such-command"], "cannot be started", id="command"),
        pytest.param(["why-miss", "--misses", "asks.py"], "not a list of misses", id="misses"),
        pytest.param([*NEW, "ftp://x", "--", "true"], "http", id="url"),
        pytest.param([*NEW, "http://x", "--out", "chain_snapshots/N W", "--", "true"], "chain name", id="place"),
        pytest.param([*NEW, "http://x"], "which command", id="none"),
        pytest.param([*NEW, "http://x", "--add", "--", "true"], "no snapshot", id="add"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(
    at_home: Shell, recorded: Snapshot, tmp_path: Path, arguments: list[str], words: str
) -> None:
    """A wrong name, block, command or place ends with exit code 2, one line, and nothing written."""
    (tmp_path / "chain_snapshots").mkdir()
    (tmp_path / "chain_snapshots" / "toy").symlink_to(recorded.folder)
    code, _, err = at_home("rpc", *arguments)
    lines = [line for line in err.splitlines() if not line.startswith(("chain toy", "ETH_RPC_URL"))]
    assert code == 2 and len(lines) == 1 and words in lines[0]
    assert not (tmp_path / "chain_snapshots" / "new").exists()


class Asked:
    """A served snapshot that is asked directly."""

    def __init__(self, url: str, log: MissLog) -> None:
        self.url, self.log = url, log

    def __call__(self, method: str, *params: Any) -> Any:
        call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}
        return httpx2.post(self.url, json=call, timeout=60).json()


@pytest.fixture
def served(recorded: Snapshot, request: pytest.FixtureRequest) -> Iterator[Asked]:
    kind: Kind = request.param
    log = MissLog(recorded.name, PIN)
    with serving(recorded, log, kind=kind) as url:
        yield Asked(url, log)


@pytest.mark.parametrize("served", ["archive"], indirect=True)
def test_a_hole_is_never_null_or_zero(served: Asked, origin: Any, recorded: Snapshot) -> None:
    """Unknown accounts, slots, blocks, hashes and ranges are errors that name them; a later block provably is not."""
    holes: list[tuple[Any, ...]] = [
        ("eth_getBalance", STRANGER, "latest"),
        ("eth_getCode", STRANGER, hex(PIN)),
        ("eth_getStorageAt", origin.store, "0x1234", "latest"),
        ("eth_getTransactionByHash", "0x" + "12" * 32),
        ("eth_getTransactionReceipt", "0x" + "12" * 32),
        ("eth_getLogs", {"fromBlock": "0x1", "toBlock": hex(PIN), "address": STRANGER}),
        ("eth_call", {"to": STRANGER, "data": "0x01"}, "latest"),
        ("eth_getProof", origin.store, [], "latest"),
    ]
    for hole in holes:
        assert served(*hole)["error"]["code"] == -32000, hole
    things = len(holes) - 2
    assert served.log.count == things  # three of them lack the one account
    assert served("eth_getBlockByNumber", hex(PIN + 1), False)["result"] is None
    assert served("eth_sendRawTransaction", "0x00")["error"]["code"] == -32601
    assert served("anvil_setBalance", STRANGER, "0x1")["error"]["code"] == -32601
    name = served("eth_newFilter", {"fromBlock": "0x1", "toBlock": hex(PIN), "address": STRANGER})["result"]
    assert served("eth_getFilterChanges", name)["result"] == [] and "error" in served("eth_getFilterLogs", name)
    assert served("eth_uninstallFilter", name)["result"] is True and "error" in served("eth_getFilterChanges", name)
    assert served.log.count == things


@pytest.mark.parametrize("served", ["anvil"], indirect=True)
def test_a_write_that_lacks_a_row_is_taken_back(served: Asked, origin: Any, living_origin: ModuleType) -> None:
    """It is an error and no block, the sender goes on afterwards, and no account has money that was not recorded."""
    sender = living_origin.SENDER
    assert served("eth_accounts")["result"] == []
    served("anvil_impersonateAccount", sender)
    balance = served("eth_getBalance", sender, "latest")["result"]
    assert balance == origin.rpc.demand("eth_getBalance", [sender, hex(PIN)])
    lost = served("eth_sendTransaction", {"from": sender, "to": STRANGER, "value": "0x1", "gas": "0x5208"})
    assert STRANGER in lost["error"]["message"]
    assert served("eth_blockNumber")["result"] == hex(PIN)
    data = "0x" + living_origin.VALUE_SLOT.hex() + f"{77:064x}"
    sent = served("eth_sendTransaction", {"from": sender, "to": origin.store, "data": data, "gas": "0x30d40"})
    assert served("eth_getTransactionReceipt", sent["result"])["result"]["blockNumber"] == hex(PIN + 1)
    slot = "0x" + living_origin.VALUE_SLOT.hex()
    assert int(served("eth_getStorageAt", origin.store, slot, "latest")["result"], 16) == 77
    assert int(served("eth_getStorageAt", origin.store, slot, hex(PIN))["result"], 16) == origin.value
    assert "error" in served("eth_getTransactionReceipt", "0x" + "12" * 32)
    assert "error" in served("eth_getBalance", "0x70997970c51812dc3a010c7d01b50e0d17dc79aa", "latest")
    assert "record" in served("anvil_reset")["error"]["message"]
    assert "error" in served("eth_getLogs", {"toBlock": "0xzz"}) and "error" in served("eth_getBalance", 7, {})


def test_a_thousand_changed_requests_are_never_served_what_is_not_theirs(
    recorded: Snapshot, origin: Any, living_origin: ModuleType
) -> None:
    """Each is missed or answered as the living chain answers it, and the judge of rpc mutate kills all of them."""
    calls = [*questions(origin, living_origin, 1), *at_latest(origin, living_origin)]
    verdicts = list(judge(recorded, PIN, calls, 1000, seed=7))
    assert len(verdicts) >= 900 and not [verdict for verdict in verdicts if verdict.survived]
    answered = [verdict for verdict in verdicts if verdict.outcome not in ("missed", "refused")]
    assert len(answered) > 50 and {verdict.mutant.field for verdict in verdicts} == set(FIELDS)
    for verdict in answered:
        method, params = verdict.mutant.method, verdict.mutant.params
        later = method == "eth_getBlockByNumber" and int(params[0], 16) > PIN if params[0] != "latest" else False
        empty = method == "eth_getLogs" and int(params[0]["fromBlock"], 16) > int(params[0]["toBlock"], 16)
        wanted = None if later else [] if empty else node_word(origin, method, params)
        assert verdict.answer == wanted, str(verdict.mutant)


WORDS = st.sampled_from(["latest", "0x", "0xzz", "0x7", "-0x1", "0x" + "7" * 40])
NAMES = st.sampled_from(["to", "data", "blockHash", "toBlock", "topics"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 2**70) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


def test_whatever_is_asked_is_answered(recorded: Snapshot) -> None:
    """Parameters of any shape end in a result or an error of JSON-RPC, for every method, and the node goes on."""
    with serving(recorded, MissLog(recorded.name, PIN)) as url, ForkPool({recorded.name: recorded}) as pool:
        methods = sorted(PlainNode(recorded, PIN, pool).methods | {"no_such", "anvil_mine"})

        @settings(suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no fault
        @given(st.sampled_from(methods), st.lists(VALUES, max_size=4))
        def law(method: str, params: list[Any]) -> None:
            call = {"jsonrpc": "2.0", "id": 3, "method": method, "params": params}
            told = httpx2.post(url, json=call, timeout=60)
            assert told.status_code == 200 and told.json()["id"] == 3
            assert ("result" in told.json()) != ("error" in told.json())

        law()

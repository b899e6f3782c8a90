"""A task's chain recorded through a fork from a living node: complete, proven offline, resumable, discreet."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.scratch_chain import ScratchChain
from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import BadInput, CheckFailed, Interrupted, Miss
from caia_replay.recording import origin_node
from caia_replay.recording.capture_task import record_chain
from caia_replay.recording.capture_wish import Wish
from caia_replay.recording.lint import lint
from caia_replay.runner.verify import verify_suite
from caia_replay.store.world_folder import open_draft, open_world, save_task, seal_world

ALL = ("toy-call", "toy-slot", "toy-events", "toy-balance", "toy-block", "toy-transaction", "toy-range")


@pytest.fixture
def world(origin: Any, living_origin: ModuleType, tmp_path: Path) -> Path:
    made: Path = living_origin.draft_world(tmp_path, origin)
    return made


def record(world: Path, task_id: str, url: str, **more: Any) -> list[str]:
    """What was said. Seals as the command does."""
    said: list[str] = []
    folder = open_draft(world)
    wish = Wish(folder, folder.task(task_id), more.pop("origin", "live"), url, **more)
    if record_chain(wish, said.append).written:
        seal_world(world)
    return said


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_what_was_recorded_answers_without_the_origin(
    anvil_binary: Path, living_origin: ModuleType, tmp_path: Path
) -> None:
    """Each way a tool asks a chain; then the origin stops, and every gold chain still gives its answer."""
    with living_origin.living(anvil_binary) as origin, living_origin.gate(origin.port) as door:
        world = living_origin.draft_world(tmp_path, origin)
        for task_id in ALL:
            record(world, task_id, door.url)
        header = origin.rpc.demand("eth_getBlockByNumber", ["0x5", False])
    assert [found.solved for found in verify_suite(open_world(str(world)))] == [True] * len(ALL)
    assert not [*lint(world), *lint(tmp_path / "chain_snapshots" / "toy")]
    snapshot = Snapshot.open(tmp_path / "chain_snapshots" / "toy")
    assert snapshot.heights == ((0, 0), (5, 11))
    assert snapshot.header(5)["hash"] == header["hash"] and snapshot.provenance == "live"
    with ForkPool({"toy": snapshot}) as pool:
        with pool.lease("toy", 5) as fork:
            slot = "0x" + living_origin.VALUE_SLOT.hex()
            assert int(fork.rpc("eth_getStorageAt", [origin.store, slot, "latest"]), 16) == origin.value
            never = (("eth_getBalance", [living_origin.RECEIVER]), ("eth_getStorageAt", [origin.store, "0x5"]))
            for method, params in never:
                with pytest.raises(Miss):
                    fork.rpc(method, [*params, "latest"])
        with pool.lease("toy", 11) as fork, pytest.raises(Miss, match="logs not recorded"):
            fork.rpc("eth_getLogs", [{"fromBlock": "0x4", "toBlock": "0xa", "address": origin.store}])
        with pytest.raises(Miss, match="block not recorded"), pool.lease("toy", 12):
            pass


def test_declared_ranges_are_kept_whole(origin: Any, door: Any, world: Path, living_origin: ModuleType) -> None:
    """Logs, receipts, headers and bodies of the blocks a task names, claimed, and equal to the origin's."""
    record(world, "toy-range", door.url)
    snapshot = Snapshot.open(world.parents[1] / "chain_snapshots" / "toy")
    assert snapshot.claims.covers("logs", 1, 6) and snapshot.claims.covers("receipts", 2, 5)
    assert snapshot.claims.covers("blocks", 0, 6) and snapshot.claims.covers("transactions", 3, 4)
    wanted = origin.rpc.demand("eth_getLogs", [{"fromBlock": "0x1", "toBlock": "0x6"}])
    with ForkPool({"toy": snapshot}) as pool, pool.lease("toy", 6) as fork:
        assert fork.rpc("eth_getLogs", [{"fromBlock": "0x1", "toBlock": "0x6"}]) == wanted
        for number in range(2, 6):
            assert fork.rpc("eth_getBlockReceipts", [hex(number)]) == origin.rpc.demand(
                "eth_getBlockReceipts", [hex(number)]
            )


def test_the_order_of_recording_leaves_no_trace(world: Path, door: Any, tmp_path: Path) -> None:
    """Forwards, backwards, and all at once with --refresh: the same bytes."""
    snapshot = tmp_path / "chain_snapshots"
    some = ("toy-balance", "toy-events", "toy-range")
    for task_id in some:
        record(world, task_id, door.url)
    forwards = files(snapshot)
    said = record(world, some[1], door.url, refresh=True)
    assert files(snapshot) == forwards and any("unchanged" in line for line in said)
    shutil.rmtree(snapshot)
    for task_id in reversed(some):
        record(world, task_id, door.url)
    assert files(snapshot) == forwards


def test_nothing_is_asked_for_what_is_recorded(world: Path, door: Any) -> None:
    """The second time only the chain id is asked; and another task asks only for what is new."""
    record(world, "toy-call", door.url)
    door.asked.clear()
    said = record(world, "toy-call", door.url)
    assert door.asked == ["eth_chainId"] and "recorded already" in said[0]


def test_the_address_and_its_key_reach_no_file_and_no_line(
    world: Path, door: Any, tmp_path: Path, living_origin: ModuleType
) -> None:
    """Neither while it runs, nor after it was cut, nor in what is said or raised."""
    door.limit_after = 4
    with pytest.raises(Interrupted) as cut:
        record(world, "toy-balance", door.url)
    journal = next((tmp_path / ".cache" / "record").glob("*.jsonl"))
    assert len(journal.read_text().splitlines()) > 1
    at_the_cut = files(tmp_path)
    door.limit_after = None
    said = [*record(world, "toy-balance", door.url), str(cut.value), repr(cut.value.__cause__), repr(Wish)]
    folder = open_draft(world)
    said.append(repr(Wish(folder, folder.task("toy-call"), "live", door.url)))
    for data in [*at_the_cut.values(), *files(tmp_path).values(), *(line.encode() for line in said)]:
        for secret in (living_origin.KEY, living_origin.PASSWORD, door.url.split("@")[1].split("/")[0]):
            assert secret.encode() not in data
    assert any("going on with" in line for line in said) and not journal.exists()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A capture gives up after one second of being limited, so that being cut can be tested."""
    monkeypatch.setattr(origin_node, "_PATIENCE_S", 1.0)


def test_a_capture_that_was_cut_goes_on_where_it_was(world: Path, door: Any) -> None:
    """Cut after every possible number of requests, it asks nothing twice and ends with the same bytes."""
    snapshot = world.parents[1] / "chain_snapshots"
    record(world, "toy-balance", door.url)
    whole, needed = files(snapshot), len(door.asked)
    shutil.rmtree(snapshot)
    door.asked.clear()
    door.requests = 0
    cuts = 0
    for allowed in range(2, 40, 2):
        door.limit_after, door.requests = allowed, 0
        try:
            record(world, "toy-balance", door.url)
            break
        except Interrupted:
            cuts += 1
            assert not snapshot.exists() or not any(snapshot.iterdir())
    repeated = {"eth_chainId", "eth_getBlockByNumber"}
    assert files(snapshot) == whole and cuts >= 2
    fresh = [method for method in door.asked if method not in repeated]
    assert len(fresh) <= needed, "an answer that was kept was asked for again"


def test_a_node_with_every_fault_of_a_public_one_is_enough(world: Path, door: Any) -> None:
    """Limits in between, no batches, one block of logs at a time: the same bytes as from a perfect one."""
    snapshot = world.parents[1] / "chain_snapshots"
    for task_id in ("toy-events", "toy-range"):
        record(world, task_id, door.url)
    whole = files(snapshot)
    shutil.rmtree(snapshot)
    door.limit_every, door.batches, door.most_blocks = 3, False, 2
    for task_id in ("toy-events", "toy-range"):
        record(world, task_id, door.url)
    assert files(snapshot) == whole


def test_refresh_shows_what_a_changed_origin_changed(
    anvil_binary: Path, living_origin: ModuleType, world: Path, door: Any, tmp_path: Path
) -> None:
    """Each difference by its key before the snapshot is replaced; without --refresh nothing is."""
    for task_id in ("toy-call", "toy-slot"):
        record(world, task_id, door.url)
    before = files(tmp_path / "chain_snapshots")
    with living_origin.living(anvil_binary, value=9) as other, living_origin.gate(other.port) as changed:
        with pytest.raises(BadInput, match=r"another chain, or another history.*--refresh"):
            record(world, "toy-balance", changed.url)
        assert files(tmp_path / "chain_snapshots") == before
        said = record(world, "toy-call", changed.url, refresh=True)
    slot = f"slot 0x{living_origin.VALUE_SLOT.hex()} at block 5"
    shown = [line for line in said if slot in line]
    assert shown and shown[0].endswith(f"0x{7:064x} -> 0x{9:064x}")
    assert any(line.startswith("changed: blocks block 5 hash: ") for line in said)
    assert said.index(shown[0]) < next(at for at, line in enumerate(said) if " 2 blocks" in line)
    outcomes = {found.task: found for found in verify_suite(open_world(str(world)), ["toy-call", "toy-slot"])}
    assert outcomes["toy-call"].answer == "9" and not outcomes["toy-call"].solved


@pytest.mark.parametrize("case", ["dead", "chain id", "anchor time", "no such block", "provenance", "range", "tool"])
def test_what_cannot_be_recorded_is_told_and_leaves_nothing(
    case: str, origin: Any, door: Any, world: Path, living_origin: ModuleType, anvil_binary: Path, tmp_path: Path
) -> None:
    """A node that is away or of another chain, an anchor that is not its block, a range past it, a tool that misses."""
    task = open_draft(world).task("toy-call")
    before = {name: data for name, data in files(tmp_path).items() if not name.startswith(".cache")}
    url, more, words, kind = door.url, {}, "", BadInput
    if case == "dead":
        url, words = f"http://127.0.0.1:1/{living_origin.KEY}", "cannot be reached for eth_chainId"
    elif case == "chain id":
        door.port, words = start_other(living_origin, anvil_binary), "serves chain id 1, and"
        record_base(world, origin)
    elif case == "anchor time":
        task = replace(task, anchor=replace(task.anchor, timestamp=5))
        words = "the anchor's timestamp is 5, and block 5 of the origin node has 17"
    elif case == "no such block":
        task, words = replace(task, anchor=replace(task.anchor, block=500)), "block 500 is not on the origin node"
    elif case == "provenance":
        more, words = {"origin": "synthetic"}, "the world is live: a recording from --origin synthetic cannot"
    elif case == "range":
        wanted = living_origin.CaptureRange("logs", 1, 6)
        task, words = replace(task, capture=(wanted,)), "ends at block 6, after the anchor 5"
    else:
        step = living_origin.GoldStep("url_fetching", {"url": "https://example.org/"})
        task = replace(task, gold=replace(task.gold, steps=(step,)))
        words, kind = r"its step 1 \(url_fetching\) was MISS.*nothing was changed", CheckFailed
    if case == "chain id":
        before = {name: data for name, data in files(tmp_path).items() if not name.startswith(".cache")}
    try:
        with pytest.raises(kind, match=words) as told:
            record_chain(Wish(open_draft(world), task, more.get("origin", "live"), url), lambda _: None)
    finally:
        stop_other()
    assert "\n" not in str(told.value) and living_origin.KEY not in str(told.value)
    assert {name: data for name, data in files(tmp_path).items() if not name.startswith(".cache")} == before


_OTHER: list[Any] = []


def start_other(living_origin: ModuleType, anvil_binary: Path) -> int:
    context = living_origin.living(anvil_binary, chain_id=1)
    _OTHER.append(context)
    port: int = context.__enter__().port
    return port


def stop_other() -> None:
    while _OTHER:
        _OTHER.pop().__exit__(None, None, None)


def record_base(world: Path, origin: Any) -> None:
    record(world, "toy-call", f"http://127.0.0.1:{origin.port}")


def test_rows_of_another_kind_never_mix(world: Path, door: Any, tmp_path: Path) -> None:
    """Live rows do not go into a synthetic snapshot, whatever the world says of itself."""
    record(world, "toy-call", door.url)
    manifest = tmp_path / "chain_snapshots" / "toy" / "manifest.json"
    body = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**body, "provenance": "synthetic"}))
    from caia_replay.chain.snapshot_schema import reseal

    reseal(manifest.parent)
    seal_world(world)
    with pytest.raises(BadInput, match="provenance is synthetic: live rows never go into it"):
        record(world, "toy-slot", door.url)


def test_what_a_node_does_not_have_yet_is_asked_again(
    world: Path, door: Any, origin: Any, living_origin: ModuleType
) -> None:
    """A node behind the anchor, or without the transaction, is no reason to fail when it has caught up."""
    task_id = "toy-transaction"
    behind, chance = door.port, {"eth_getTransactionByHash": 2}
    door.hide = chance
    with pytest.raises(CheckFailed, match="MISS"):
        record(world, task_id, door.url)
    door.hide = {}
    assert door.port == behind
    record(world, task_id, door.url)


def test_a_journal_of_another_history_is_not_gone_on_with(
    world: Path, door: Any, anvil_binary: Path, living_origin: ModuleType
) -> None:
    """Cut, and the node then has other blocks: nothing of the first history is in the snapshot."""
    door.limit_after = 6
    with pytest.raises(Interrupted):
        record(world, "toy-balance", door.url)
    door.limit_after = None
    with living_origin.living(anvil_binary, value=9) as other:
        door.port = other.port
        said = record(world, "toy-balance", door.url)
        assert not any("going on" in line for line in said)
        snapshot = Snapshot.open(world.parents[1] / "chain_snapshots" / "toy")
        for number in (0, 9):
            told = other.rpc.demand("eth_getBlockByNumber", [hex(number), False])
            assert snapshot.header(number)["hash"] == told["hash"]


def test_a_refresh_that_would_cost_another_task_its_answer_changes_nothing(
    anvil_binary: Path, living_origin: ModuleType, world: Path, door: Any, tmp_path: Path
) -> None:
    """The changed origin has not that task's transaction: exit code 1, and everything is as it was."""
    for task_id in ("toy-call", "toy-transaction"):
        record(world, task_id, door.url)
    before = files(tmp_path / "chain_snapshots")
    lost = pytest.raises(CheckFailed, match="toy-transaction of toy-world is served by the present snapshot")
    with living_origin.living(anvil_binary, value=9) as other, living_origin.gate(other.port) as changed, lost:
        record(world, "toy-call", changed.url, refresh=True)
    assert files(tmp_path / "chain_snapshots") == before and [*(tmp_path / ".cache").rglob("*.jsonl")] == []


def test_blocks_from_the_first_on_do_not_make_an_archive(world: Path, door: Any, tmp_path: Path) -> None:
    """A task that declares headers from block 0 is refreshed as it was recorded, to the same bytes."""
    record(world, "toy-range", door.url)
    before = files(tmp_path / "chain_snapshots")
    said = record(world, "toy-range", door.url, refresh=True)
    assert files(tmp_path / "chain_snapshots") == before and any("unchanged" in line for line in said)


def test_a_fork_of_a_captured_anchor_can_be_written_to(
    anvil_binary: Path, living_origin: ModuleType, tmp_path: Path
) -> None:
    """Under Prague's rules too, where each block writes a slot of its own: eight blocks, then a miss."""
    with living_origin.living(anvil_binary, hardfork="prague") as origin, living_origin.gate(origin.port) as door:
        world = living_origin.draft_world(tmp_path, origin)
        record(world, "toy-call", door.url)
    snapshot = Snapshot.open(tmp_path / "chain_snapshots" / "toy")
    with ForkPool({"toy": snapshot}) as pool, pool.lease("toy", 5, writes=True) as lease:
        chain = ScratchChain(lease)
        assert chain.mine(8) == 13
        with pytest.raises(Miss):
            chain.mine()


def test_declared_traces_are_kept(origin: Any, door: Any, world: Path, living_origin: ModuleType) -> None:
    """The call trace of each transaction in the range, served by a fork as the node told it."""
    folder = open_draft(world)
    task = replace(folder.task("toy-call"), capture=(living_origin.CaptureRange("traces", 3, 5),))
    save_task(world, task)
    record(world, "toy-call", door.url)
    snapshot = Snapshot.open(world.parents[1] / "chain_snapshots" / "toy")
    with ForkPool({"toy": snapshot}) as pool, pool.lease("toy", 5) as fork:
        for transaction_hash in origin.hashes[2:5]:
            asked = [transaction_hash, {"tracer": "callTracer"}]
            assert fork.rpc("debug_traceTransaction", asked) == origin.rpc.demand("debug_traceTransaction", asked)
        with pytest.raises(Miss):
            fork.rpc("debug_traceTransaction", [origin.hashes[1], {"tracer": "callTracer"}])
    door.asked.clear()
    assert "recorded already" in record(world, "toy-call", door.url)[0]


def test_worlds_that_share_a_snapshot_keep_their_rows(
    world: Path, door: Any, origin: Any, living_origin: ModuleType, tmp_path: Path
) -> None:
    """A refresh for one world reads again what the other's tasks stand on, too."""
    other = tmp_path / "cassettes" / "other-world"
    shutil.copytree(world, other)
    for name in ("world.toml", "suite.toml"):
        path = other / name
        path.write_text(path.read_text().replace('id = "toy-world"', 'id = "other-world"'))
    record(world, "toy-call", door.url)
    record(other, "toy-events", door.url)
    before = files(tmp_path / "chain_snapshots")
    record(world, "toy-call", door.url, refresh=True)
    assert files(tmp_path / "chain_snapshots") == before
    seal_world(other)
    (found,) = verify_suite(open_world(str(other)), ["toy-events"])
    assert found.solved

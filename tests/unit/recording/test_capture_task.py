"""A task's chain recorded through a fork from a living node: complete, proven offline, resumable, discreet."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.scratch_chain import ScratchChain
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import reseal
from caia_replay.core.task import CaptureRange
from caia_replay.errors import BadInput, CheckFailed, Interrupted, Miss
from caia_replay.recording import origin_node
from caia_replay.recording.capture_request import CaptureRequest
from caia_replay.recording.capture_task import record_chain
from caia_replay.store.world_folder import open_draft, open_world, save_task, seal_world
from caia_replay.validation.verify import verify_suite


@pytest.fixture
def world(origin: Any, living_origin: ModuleType, tmp_path: Path) -> Path:
    """Never recorded."""
    made: Path = living_origin.draft_world(tmp_path, origin)
    return made


def record(world: Path, task_id: str, url: str, **more: Any) -> list[str]:
    """What was said. Seals as the command does."""
    said: list[str] = []
    folder = open_draft(world)
    capture = CaptureRequest(folder, folder.task(task_id), more.pop("origin", "live"), url, **more)
    record_chain(capture, said.append)
    if not any("nothing was asked for" in line or line.endswith(": unchanged") for line in said):
        seal_world(world)
    return said


@pytest.fixture(scope="module")
def grown(origin: Any, living_origin: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Puts a world whose tasks were recorded in this order below a folder; every order is recorded once."""
    kept: dict[tuple[str, ...], Path] = {}

    def put(root: Path, *tasks: str) -> Path:
        if tasks not in kept:
            place = tmp_path_factory.mktemp("grown")
            made: Path = put(place, *tasks[:-1]) if tasks else living_origin.draft_world(place, origin)
            with living_origin.gate(origin.port) as door:
                for task_id in tasks[-1:]:
                    record(made, task_id, door.url)
            kept[tasks] = place
        shutil.copytree(kept[tasks], root, dirs_exist_ok=True)
        return root / "cassettes" / str(living_origin.WORLD)

    return put


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_declared_ranges_are_kept_whole(origin: Any, door: Any, world: Path) -> None:
    """Logs, receipts, headers, bodies and traces of the blocks a task names, claimed, and equal to the origin's."""
    task = open_draft(world).task("toy-range")
    save_task(world, replace(task, capture=(*task.capture, CaptureRange("traces", 3, 5))))
    record(world, "toy-range", door.url)
    snapshot = Snapshot.open(world.parents[1] / "chain_snapshots" / "toy")
    assert snapshot.claims.covers("logs", 1, 6) and snapshot.claims.covers("receipts", 2, 5)
    assert snapshot.claims.covers("blocks", 0, 6) and snapshot.claims.covers("transactions", 3, 4)
    asked: list[tuple[str, list[Any]]] = [("eth_getLogs", [{"fromBlock": "0x1", "toBlock": "0x6"}])]
    asked += [("eth_getBlockReceipts", [hex(number)]) for number in range(2, 6)]
    asked += [("debug_traceTransaction", [one, {"tracer": "callTracer"}]) for one in origin.hashes[2:5]]
    with ForkPool({"toy": snapshot}) as pool, pool.lease("toy", 6) as fork:
        for method, params in asked:
            assert fork.rpc(method, params) == origin.rpc.demand(method, params)
        with pytest.raises(Miss):
            fork.rpc("debug_traceTransaction", [origin.hashes[1], {"tracer": "callTracer"}])
    door.asked.clear()
    assert "recorded already" in record(world, "toy-range", door.url)[0] and door.asked == ["eth_chainId"]


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
    said = [*record(world, "toy-balance", door.url), str(cut.value), repr(cut.value.__cause__), repr(CaptureRequest)]
    folder = open_draft(world)
    said.append(repr(CaptureRequest(folder, folder.task("toy-call"), "live", door.url)))
    for data in [*at_the_cut.values(), *files(tmp_path).values(), *(line.encode() for line in said)]:
        for secret in (living_origin.KEY, living_origin.PASSWORD, door.url.split("@")[1].split("/")[0]):
            assert secret.encode() not in data
    assert any("going on with" in line for line in said) and not journal.exists()


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


@pytest.mark.check
def test_refresh_shows_what_a_changed_origin_changed(
    anvil_binary: Path, living_origin: ModuleType, grown: Any, tmp_path: Path
) -> None:
    """Each difference by its key before the snapshot is replaced; not without --refresh, nor at another's cost."""
    world, rich = grown(tmp_path, "toy-call", "toy-slot"), grown(tmp_path / "rich", "toy-call", "toy-transaction")
    before, held = files(tmp_path / "chain_snapshots"), files(tmp_path / "rich" / "chain_snapshots")
    lost = pytest.raises(CheckFailed, match="toy-transaction of toy-world is served by the present snapshot")
    with living_origin.living(anvil_binary, value=9) as other, living_origin.gate(other.port) as changed:
        with pytest.raises(BadInput, match=r"another chain, or another history.*--refresh"):
            record(world, "toy-balance", changed.url)
        assert files(tmp_path / "chain_snapshots") == before
        said = record(world, "toy-call", changed.url, refresh=True)
        with lost:
            record(rich, "toy-call", changed.url, refresh=True)
    assert files(tmp_path / "rich" / "chain_snapshots") == held and [*(tmp_path / ".cache").rglob("*.jsonl")] == []
    slot = f"slot 0x{living_origin.VALUE_SLOT.hex()} at block 5"
    shown = [line for line in said if slot in line]
    assert shown and shown[0].endswith(f"0x{7:064x} -> 0x{9:064x}")
    assert any(line.startswith("changed: blocks block 5 hash: ") for line in said)
    assert said.index(shown[0]) < next(at for at, line in enumerate(said) if " 2 blocks" in line)
    outcomes = {found.task: found for found in verify_suite(open_world(str(world)), ["toy-call", "toy-slot"])}
    assert outcomes["toy-call"].answer == "9" and not outcomes["toy-call"].solved


SLOW_CASE = pytest.param("rows", marks=pytest.mark.check)


@pytest.mark.parametrize("case", ["dead", "anchor time", "no such block", "provenance", "range", "tool", SLOW_CASE])
def test_what_cannot_be_recorded_is_told_and_leaves_nothing(
    case: str, door: Any, grown: Any, living_origin: ModuleType, tmp_path: Path
) -> None:
    """A node that is away, an anchor that is not its block, a range past it, a tool that misses, other rows."""
    world = grown(tmp_path, *(["toy-slot"] if case == "rows" else []))
    task = open_draft(world).task("toy-call")
    url, kind, words, wanted = door.url, "live", "", BadInput
    if case == "dead":
        url, words = f"http://127.0.0.1:1/{living_origin.KEY}", "cannot be reached for eth_chainId"
    elif case == "anchor time":
        task = replace(task, anchor=replace(task.anchor, timestamp=5))
        words = "the anchor's timestamp is 5, and block 5 of the origin node has 17"
    elif case == "no such block":
        task, words = replace(task, anchor=replace(task.anchor, block=500)), "block 500 is not on the origin node"
    elif case == "provenance":
        kind, words = "synthetic", "the world is live: a recording from --origin synthetic cannot"
    elif case == "range":
        task = replace(task, capture=(CaptureRange("logs", 1, 6),))
        words = "ends at block 6, after the anchor 5"
    elif case == "tool":
        step = living_origin.GoldStep("url_fetching", {"url": "https://example.org/"})
        task = replace(task, gold=replace(task.gold, steps=(step,)))
        words, wanted = r"its step 1 \(url_fetching\) was MISS.*nothing was changed", CheckFailed
    else:
        manifest = tmp_path / "chain_snapshots" / "toy" / "manifest.json"
        manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "provenance": "synthetic"}))
        reseal(manifest.parent)
        seal_world(world)
        words = "provenance is synthetic: live rows never go into it"
    before = {name: data for name, data in files(tmp_path).items() if not name.startswith(".cache")}
    with pytest.raises(wanted, match=words) as told:
        record_chain(CaptureRequest(open_draft(world), task, kind, url), lambda _: None)
    assert "\n" not in str(told.value) and living_origin.KEY not in str(told.value)
    assert {name: data for name, data in files(tmp_path).items() if not name.startswith(".cache")} == before


@pytest.mark.check
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


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A capture gives up after one second of being limited, so that being cut can be tested."""
    monkeypatch.setattr(origin_node, "_PATIENCE_S", 1.0)


@pytest.mark.check
def test_a_node_that_changes_between_two_tries(
    world: Path, door: Any, anvil_binary: Path, living_origin: ModuleType
) -> None:
    """What it did not have yet is asked again; of a journal of another history nothing is in the snapshot."""
    door.hide = {"eth_getTransactionByHash": 2}
    with pytest.raises(CheckFailed, match="MISS"):
        record(world, "toy-transaction", door.url)
    door.hide = {}
    record(world, "toy-transaction", door.url)
    shutil.rmtree(world.parents[1] / "chain_snapshots")
    door.limit_after, door.requests = 6, 0
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

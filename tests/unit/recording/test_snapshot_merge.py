"""Recordings of one chain put together, put in place whole or not at all, and sealed with their worlds."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.chain.chain_source import can_pin, hardfork_at
from caia_replay.chain.claim import Claim, Claims, spans_of
from caia_replay.chain.snapshot_schema import AccountRow, ReplyRow, SnapshotInfo, SnapshotRows, StorageRow, reseal
from caia_replay.errors import BadInput
from caia_replay.recording import snapshot_swap
from caia_replay.recording.snapshot_merge import count_rows, differences, merge_info, merge_rows
from caia_replay.recording.snapshot_swap import held, seal_worlds, staging, swap_in, tell_changes
from caia_replay.store.world_folder import open_draft
from caia_replay.validation.suite_edit import recording_faults, unmoved

A, SLOT, ONE, TWO = b"\x0a" * 20, b"\x05" * 32, bytes(31) + b"\x01", bytes(31) + b"\x02"
INFO = SnapshotInfo("toy", 7, {0: "cancun"}, ((3, 3),), "live", "from a node", Claims.of([Claim("logs", 1, 2)]))
LOG = {"blockNumber": "0x5", "logIndex": "0x0", "data": "0x01"}
heights = st.sets(st.integers(0, 12), min_size=1, max_size=5)
rules = st.sampled_from(["paris", "shanghai", "cancun"])


def told(old: SnapshotRows, new: SnapshotRows) -> list[str]:
    return list(differences(old, new))


def test_each_difference_is_told_by_its_key() -> None:
    """Rows of blocks by field, state by block, replies by question; forty of each kind, the rest as a number."""
    old = SnapshotRows(
        logs=[LOG], accounts=[AccountRow(A, 2, 6, 1, 0, ONE)], storage=[StorageRow(A, SLOT, 2, 6, ONE)],
        replies=[ReplyRow("eth_x", "[1]", 4, "1")],
    )  # fmt: skip
    new = SnapshotRows(
        logs=[{**LOG, "data": "0x02", "removed": False}], accounts=[AccountRow(A, 6, 9, 2, 0, TWO)],
        storage=[StorageRow(A, SLOT, 5, 5, TWO)], replies=[ReplyRow("eth_x", "[1]", 4, "2")],
    )  # fmt: skip
    address, slot = f"0x{A.hex()}", f"0x{SLOT.hex()}"
    assert told(old, new) == [
        "logs block 5 log 0 data: 0x01 -> 0x02",
        f"accounts {address} at block 6 balance: 1 -> 2",
        f"accounts {address} at block 6 code_hash: 0x{ONE.hex()} -> 0x{TWO.hex()}",
        f"storage {address} slot {slot} at block 5: 0x{ONE.hex()} -> 0x{TWO.hex()}",
        "replies eth_x [1]: 1 -> 2",
    ]
    assert told(old, old) == told(old, SnapshotRows()) == []
    with pytest.raises(BadInput, match=r"another thing than what is recorded: logs block 5 log 0 data.*--refresh"):
        merge_rows(old, new)
    old = SnapshotRows(accounts=[AccountRow(bytes([n]) * 20, 5, 5, n, 0, bytes(32)) for n in range(100)])
    new = SnapshotRows(accounts=[AccountRow(bytes([n]) * 20, 5, 5, n + 1, 0, bytes(32)) for n in range(50)])
    said: list[str] = []
    tell_changes(old, new, said.append)
    assert len(said) == 83 and said[40] == "changed: 10 more" and said[81] == "gone: 10 more"
    assert said[82] == "50 differences; rows: accounts 100 -> 50"


@given(heights, heights, rules, rules, st.integers(0, 12), rules)
def test_every_height_keeps_its_rules(
    first: set[int], second: set[int], one: Any, two: Any, change: int, later: Any
) -> None:
    """After a merge each pinned height runs under the rules of the older recording that pins it, else the newer's."""
    old = replace(INFO, heights=spans_of(first), hardforks={0: one, change: later} if change else {0: one})
    new = replace(INFO, heights=spans_of(second), hardforks={min(second): two})
    merged = merge_info(old, new)
    for height in first | second:
        assert can_pin(merged.heights, height)
        wanted = hardfork_at(old.hardforks, height) if height in first else two
        assert hardfork_at(merged.hardforks, height) == wanted
    assert merged.heights == spans_of(first | second)


def test_claims_and_sources_of_both_are_kept_once() -> None:
    """Nothing is claimed that neither claimed; a source is named once; another name, id or provenance is refused."""
    new = replace(INFO, claims=Claims.of([Claim("logs", 3, 4), Claim("blocks", 0, 1)]), source="from a node")
    merged = merge_info(INFO, new)
    assert merged.claims == Claims.of([Claim("logs", 1, 4), Claim("blocks", 0, 1)]) and merged.source == "from a node"
    assert merge_info(replace(INFO, provenance="imported"), INFO).provenance == "live"
    for wrong in ({"chain": "other"}, {"chain_id": 8}, {"provenance": "synthetic"}):
        with pytest.raises(BadInput):
            merge_info(INFO, replace(INFO, **wrong))
    state = [AccountRow(A, at, at, at, 0, ONE) for at in (2, 5)]
    rows = [SnapshotRows(logs=[LOG], accounts=state[:1]),
            SnapshotRows(logs=[{**LOG, "removed": False}], accounts=state[1:])]  # fmt: skip
    for both in (merge_rows(*rows), merge_rows(*reversed(rows))):
        assert both.logs == [{**LOG, "removed": False}] and len(both.accounts) == 2 and count_rows(both)["logs"] == 1


def snapshot(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(text)
    return folder


def test_a_staged_folder_takes_the_place_of_another(tmp_path: Path) -> None:
    """First in an empty place, then over another, equal ones left alone; the second recording at once is refused."""
    place = tmp_path / "chains" / "toy"
    for text, written in (("a", True), ("b", True), ("b", False)):
        place.parent.mkdir(exist_ok=True)
        with staging(place) as staged:
            snapshot(staged, text)
            assert swap_in(staged, place) is written
        assert (place / "manifest.json").read_text() == text
        assert [path.name for path in place.parent.iterdir()] == ["toy"]
    place, lock = tmp_path / "toy", tmp_path / "deep" / "lock"
    refused = pytest.raises(BadInput, match="another recording into this snapshot")
    with held(place, lock), refused, held(place, lock):
        pass
    with held(place, lock):
        pass


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError, MemoryError])
def test_a_swap_that_is_stopped_brings_the_old_one_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
) -> None:
    """Between the two renames anything may happen."""
    place = snapshot(tmp_path / "toy", "old")
    rename = snapshot_swap._rename

    def stopped(source: Path, target: Path) -> None:
        if target == place:
            raise stop
        rename(source, target)

    monkeypatch.setattr(snapshot_swap, "_rename", stopped)
    with pytest.raises(stop), staging(place) as staged:
        swap_in(snapshot(staged, "new"), place)
    assert (place / "manifest.json").read_text() == "old" and [*tmp_path.iterdir()] == [place]


def test_what_a_kill_left_is_put_right(tmp_path: Path) -> None:
    """Killed between the renames: the old snapshot comes back; killed elsewhere: the leftovers go."""
    place, lock = tmp_path / "toy", tmp_path / "lock"
    snapshot(tmp_path / ".toy.0a.old", "old")
    snapshot(tmp_path / ".toy.0a.staged", "new")
    with held(place, lock):
        assert (place / "manifest.json").read_text() == "old"
    snapshot(tmp_path / ".toy.0b.old", "older")
    snapshot(tmp_path / ".toy.0b.tmp", "half")
    snapshot(tmp_path / ".other.0b.staged", "another chain's")
    with held(place, lock):
        assert (place / "manifest.json").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".other.0b.staged", "lock", "toy"]


def changed(mini: Path) -> None:
    manifest = mini / "chain_snapshots" / "mini" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "source": "recorded again"}))
    reseal(manifest.parent)


def test_an_edited_or_incomplete_world_is_left_to_its_owner(mini: Path) -> None:
    """Edits are not blessed by the way, and a world that lacks another chain is named."""
    one, two, three = (mini / "cassettes" / name for name in ("mini-6", "edited", "short"))
    shutil.copytree(one, two)
    (two / "suite.toml").write_text((two / "suite.toml").read_text() + "# more")
    shutil.copytree(one, three)
    (three / "world.toml").write_text((three / "world.toml").read_text().replace('["mini"]', '["mini", "other"]'))
    (three / "seal.json").unlink()
    changed(mini)
    said = list(seal_worlds(open_draft(one), "mini"))
    assert said[0].startswith("not sealed: ") and "edited/suite.toml" in said[0]
    assert said[1].startswith("sealed ") and "also stands on other, not recorded" in said[2]


FEE, COUNT = "mini6-base-fee-bound", "mini6-event-count"


@pytest.fixture
def world(mini: Path) -> Path:
    """A sealed world."""
    return mini / "cassettes" / "mini-6"


def test_recordings_must_be_as_sealed(world: Path) -> None:
    """A changed cassette, chain or task and a removed one are told; tasks may change with another version."""
    for path in (world / "suite.toml", world / "tasks" / FEE / "task.toml"):
        path.write_bytes(path.read_bytes() + b"# ours")
    assert not list(recording_faults(world))
    cassette = min(world.glob("http/*.json"))
    cassette.write_bytes(cassette.read_bytes() + b"\n")
    (world / "tasks" / COUNT / "task.toml").unlink()
    found = list(recording_faults(world))
    assert len(found) == 2 and cassette.name in found[0] and "retired, not removed" in found[1]
    seal = world / "seal.json"
    seal.write_text(re.sub(r'("mini": "sha256:)....', r"\g<1>zzzz", seal.read_text()))
    assert "not the snapshot" in list(recording_faults(world))[2]


@pytest.mark.parametrize("text", ["{", "[]", '{"files": [], "chains": {}}', '{"chains": {}}', "null"])
def test_a_damaged_seal_is_one_line(world: Path, text: str) -> None:
    """Whatever stands in its place; a world without any seal is not refused."""
    seal = world / "seal.json"
    seal.write_text(text)
    with pytest.raises(BadInput, match="seal itself"):
        list(recording_faults(world))
    seal.unlink()
    assert not list(recording_faults(world)) and unmoved(world, "1.0.0") == {}

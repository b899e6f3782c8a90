from __future__ import annotations

import re
from pathlib import Path

import pytest

from caia_replay.errors import BadInput
from caia_replay.recording.author_seal import recording_faults, unmoved
from caia_replay.store.world_folder import seal_world

FEE, COUNT = "mini6-base-fee-bound", "mini6-event-count"


@pytest.fixture
def world(mini: Path) -> Path:
    return mini / "cassettes" / "mini-6"


def test_a_sealed_task_that_changed_wants_another_version(world: Path) -> None:
    """As long as suite.toml is as sealed; once it changed, or all is sealed anew, nobody can know."""
    assert unmoved(world, "1.0.0") == {}
    path, suite = world / "tasks" / FEE / "task.toml", world / "suite.toml"
    path.write_text(path.read_text().replace("12.5", "12.6"))
    (told,) = unmoved(world, "1.0.0").pop(FEE)
    assert "version is still 1.0.0" in told
    text = suite.read_text()
    suite.write_text(text.replace('"1.0.0"', '"2.0.0"'))
    assert unmoved(world, "2.0.0") == {}
    suite.write_text(text)
    seal_world(world)
    assert unmoved(world, "1.0.0") == {}


def test_recordings_must_be_as_sealed(world: Path) -> None:
    """A changed cassette or chain and a removed task are told; tasks and suite.toml may change."""
    for path in (world / "suite.toml", world / "tasks" / FEE / "task.toml"):
        path.write_bytes(path.read_bytes() + b"# ours")
    (world / "tasks" / "draft").mkdir()
    (world / "tasks" / "draft" / "task.toml").touch()
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

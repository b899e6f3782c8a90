"""A folder written in schema version 1, by the code of that time, held to the answers of that time."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from caia_replay.chain import manifest
from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.manifest_upgrade import tables_since
from caia_replay.chain.node_answer import answer
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import reseal
from caia_replay.errors import Miss, SealBroken

FIXTURE = Path(__file__).parents[2] / "fixtures" / "snapshot-v1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(FIXTURE / "old", tmp_path / "old")


def answers_as_then(snapshot: Snapshot) -> None:
    questions = json.loads((FIXTURE / "answers.json").read_text())
    for told in questions:
        ask = (snapshot, told["pin"], told["method"], told["params"])
        if "miss" in told:
            with pytest.raises(Miss) as miss:
                answer(*ask)
            assert miss.value.detail.kind == told["miss"]
        else:
            assert answer(*ask) == told["result"], ask
    assert len(questions) == 180 and sum("miss" in told for told in questions) == 20


def test_an_old_folder_is_read_as_it_stands(folder: Path) -> None:
    """It opens without being touched, and answers and misses what it did when it was written."""
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    snapshot = Snapshot.open(folder)
    assert snapshot.heights == ((0, 4),) and snapshot.hardforks == {0: "cancun"}
    assert snapshot.claims == Claims.of(Claim(name, 0, 4) for name in ("blocks", "transactions", "receipts", "logs"))
    answers_as_then(snapshot)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_sealing_an_old_folder_writes_it_in_the_new_schema(folder: Path) -> None:
    """All tables of today are there, and no answer changed."""
    reseal(folder)
    read = manifest.parse((folder / "manifest.json").read_bytes(), folder)
    assert read.written_in == manifest.SCHEMA_VERSION
    assert any("__replies__" in name for name in read.files)
    answers_as_then(Snapshot.open(folder))


def test_an_old_seal_is_no_weaker(folder: Path) -> None:
    """A changed byte in an old manifest or table is seen as in a new one."""
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"to": 4', '"to": 3'))
    with pytest.raises(SealBroken):
        Snapshot.open(folder)


def test_an_old_folder_lacks_only_the_tables_that_came_later() -> None:
    """Version 1 has no replies; the present version lacks nothing."""
    assert tables_since(1) == {"replies"} and not tables_since(manifest.SCHEMA_VERSION)

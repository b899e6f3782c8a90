"""The whole build: bytes that depend on the seed alone, and nothing left behind when it fails."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from caia_replay.cassette.cassette import Cassette
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.origin.mini import build
from caia_replay.origin.mini.build import LARGEST_BYTES, MiniReport, build_mini
from caia_replay.store.target_file import read_targets
from caia_replay.store.world_folder import open_world

PROJECT = Path(__file__).resolve().parents[4]


def digests(root: Path) -> dict[str, str]:
    """Every file below the two folders of a world, by digest."""
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in ("cassettes/mini-6", "chain_snapshots/mini")
        for path in sorted((root / folder).rglob("*"))
        if path.is_file()
    }


def test_the_shipped_world_is_seed_one(built: MiniReport) -> None:
    """Built anew here, seed 1 gives the committed files, byte for byte."""
    assert digests(built.world.parents[1]) == digests(PROJECT)


def test_another_seed_is_another_world(built: MiniReport, tmp_path: Path) -> None:
    """Five of six answers, all wallets and both names change; the protocol's constant does not."""
    other = open_world(str(build_mini(tmp_path, 2).world))
    first = open_world(str(built.world))
    answers = [[folder.task(entry.id).answer.values[0] for entry in folder.suite.entries] for folder in (first, other)]
    assert [a == b for a, b in zip(*answers, strict=True)] == [False] * 5 + [True]


def test_the_world_is_small_and_says_what_it_is(built: MiniReport) -> None:
    """Under 2 MB, six tasks, synthetic, never comparable to published scores, and each task says what it offers."""
    folder = open_world(str(built.world))
    assert built.size_bytes < LARGEST_BYTES
    assert (folder.info.provenance, folder.info.comparable_to_published_caia) == ("synthetic", False)
    assert sorted(read_targets(built.world)) == sorted(folder.suite.active())


def test_what_misleads_is_told_by_the_gold_chains(built: MiniReport) -> None:
    """Where it can be derived: earlier answers, figures misread, and the copycat's token in place of the real one."""
    offers = read_targets(built.world)
    assert {name for name, offer in offers.items() if offer.once} >= {"mini6-supply", "mini6-treasury-balance"}
    assert {name for name, offer in offers.items() if offer.misread} == {"mini6-supply", "mini6-treasury-balance"}
    decoys = {name: decoy for name, offer in offers.items() for decoy in offer.decoys}
    assert {decoy.kind for decoy in decoys.values()} == {"look-alike token"} and decoys["mini6-event-count"].answer


def test_each_task_has_its_own_result_list(built: MiniReport) -> None:
    """One search per task, asked widely, holding nothing later than the task's moment."""
    folder = open_world(str(built.world))
    for task in folder.suite.active():
        recorded = Cassette.open(built.world / "tasks" / task / "http.json").interactions
        assert [item.uri for item in recorded] == ["https://google.serper.dev/search"]
        assert b'"num":100' in recorded[0].request_body


def test_nothing_is_written_over(built: MiniReport) -> None:
    """A second build into the same place is bad input and leaves what is there."""
    root = built.world.parents[1]
    before = digests(root)
    with pytest.raises(BadInput, match="never written over"):
        build_mini(root, 1)
    assert digests(root) == before


def test_a_failed_build_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a check fails at the very end, neither folder nor partial file stays."""
    monkeypatch.setattr(build, "LARGEST_BYTES", 1)
    with pytest.raises(CheckFailed, match="at most 1 are allowed"):
        build_mini(tmp_path, 1)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    """A file where a folder should go is told in one line, and what was moved already goes again."""
    (tmp_path / "cassettes").write_text("a file")
    with pytest.raises(BadInput, match="cannot be put in its place"):
        build_mini(tmp_path, 1)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["cassettes"]
    with pytest.raises(BadInput, match="cannot be made"):
        build_mini(tmp_path / "cassettes", 1)

"""The small world: built from its seed alone byte for byte, checked as it is built, and nothing left when it fails."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from caia_replay.chain.rpc_connection import RpcConnection
from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld
from caia_worldgen.mini import build
from caia_worldgen.mini.build import MiniReport, build_mini, check_web
from caia_worldgen.mini.figure import FigureBook, render_pages
from caia_worldgen.mini.question import Question, questions
from caia_worldgen.mini.story import Told
from caia_worldgen.rebuild import synthetic_node


@pytest.fixture(scope="module")
def world(built: MiniReport) -> Iterator[FrozenWorld]:
    with FrozenWorld(open_world(str(built.world))) as opened:
        yield opened


@pytest.fixture
def asked(told: Told) -> tuple[Question, ...]:
    return questions(told, FigureBook(told))


def test_a_web_without_truth_is_caught(world: FrozenWorld, asked: tuple[Question, ...]) -> None:
    """When too few searches lead to the truth, the world measures nothing."""
    wrong = [
        replace(question, task=replace(question.task, answer=replace(question.task.answer, values=("7",))))
        for question in asked
    ]
    with pytest.raises(CheckFailed, match="0 of 6 clean searches"):
        check_web(world, wrong)


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


@pytest.mark.check
def test_a_failed_build_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a check fails at the very end, neither folder nor partial file stays."""
    monkeypatch.setattr(build, "LARGEST_BYTES", 1)
    with pytest.raises(CheckFailed, match="at most 1 are allowed"):
        build_mini(tmp_path, 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.check
def test_a_place_that_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    """A file where a folder should go is told in one line, and what was moved already goes again."""
    (tmp_path / "cassettes").write_text("a file")
    with pytest.raises(BadInput, match="cannot be put in its place"):
        build_mini(tmp_path, 1)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["cassettes"]
    with pytest.raises(BadInput, match="cannot be made"):
        build_mini(tmp_path / "cassettes", 1)


@pytest.mark.parametrize(
    "name", ["nothing", "supply", "supply.token", "supply.gold.3", "burn.x", "grant.9", "address.king", "date.999", ""]
)
def test_a_figure_that_means_nothing_is_bad_input(told: Told, name: str) -> None:
    """No unknown name, missing part or impossible block prints anything."""
    with pytest.raises(BadInput, match="no figure"):
        FigureBook(told)[name]


HEAD = '[[page]]\nurl = "https://x.example/"\ntitle = "T"\n'


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (HEAD + 'block = 5\nhours = 1\ntext = "{supply.token.6}"', "tells of block 6"),
        (HEAD + 'block = 5\nhours = 200\ntext = "x"', "past the next block"),
        (HEAD + 'block = 5\nhours = 1\ntext = "{king}"', "no figure"),
        (HEAD + 'block = 5\nhours = "1"\ntext = "x"', "whole number"),
        ((HEAD + 'block = 5\nhours = 1\ntext = "x"\n') * 2, "two pages"),
        ("[[page]]\n", "missing"),
    ],
)
def test_a_wrong_page_is_bad_input(told: Told, tmp_path: Path, text: str, fault: str) -> None:
    """Foresight, bad dates, unknown figures, wrong types and repeated addresses are each one line."""
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(BadInput, match=fault):
        render_pages(FigureBook(told), told.times, tmp_path)


@pytest.mark.check
def test_a_world_s_seed_gives_the_chain_it_was_recorded_from(shipped: Path) -> None:
    """Every block hash of the shipped snapshot, on a node of its own that is gone afterwards."""
    folder = open_world(str(shipped))
    snapshot = Snapshot.open(folder.snapshots / "mini")
    with synthetic_node(folder.info) as url:
        rpc = RpcConnection(urlsplit(url).port or 0)
        for number in range(snapshot.heights[-1][1] + 1):
            told = rpc.demand("eth_getBlockByNumber", [hex(number), False])
            assert told["hash"] == snapshot.header(number)["hash"]
        rpc.close()


def test_a_world_without_a_seed_cannot_be_grown_again(shipped: Path) -> None:
    """Nor one of another name; the message says what to give instead."""
    info = open_world(str(shipped)).info
    for other in (replace(info, seed=None), replace(info, id="other")):
        with pytest.raises(BadInput, match="--rpc-url URL"), synthetic_node(other):
            pass


def test_an_economy_has_nothing_left_to_record(shipped: Path) -> None:
    """Its chains are complete at every height, so no node is grown; the message says what can be done instead."""
    info = replace(open_world(str(shipped)).info, id="synthetic-178")
    with pytest.raises(BadInput, match=r"recorded whole.*verify --suite synthetic-178"), synthetic_node(info):
        pass

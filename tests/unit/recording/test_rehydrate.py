"""A published world made again from its origins: the same to the byte, or each difference named."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from caia_replay.cassette.cassette import Cassette
from caia_replay.errors import BadInput, Interrupted
from caia_replay.recording.ask_again import Asking
from caia_replay.recording.publish import publish
from caia_replay.recording.published_file import FORM
from caia_replay.recording.rehydrate import Rehydration, rehydrate
from caia_replay.recording.withheld import Words
from caia_replay.store.seal import digest_files
from caia_replay.store.world_folder import WorldFolder, open_world, seal_world, snapshots_of
from tests.published_world import (
    KEYS,
    OWN,
    PAGE,
    QUESTION,
    as_replies,
    page,
    search,
    serving,
    small_world,
    unchanged,
    whole,
)

SEQ = f"{PAGE}seq"
PLAYBACK = f'[[entry]]\nurl = "{SEQ}"\nmode = "cycle"\n\n[[entry]]\nurl = "{PAGE}alpha"\nmode = "once"\n'


class Bench:
    """A published world, its origin as it is now, and where the world is made again."""

    def __init__(self, root: Path, answers: dict[str, Any], host_map: dict[str, str], asked: list[Any]) -> None:
        self.answers, self.asked = answers, asked
        self.asking = Asking(host_map=host_map, keys=KEYS, wait=lambda _: None)
        self.world = small_world(root / "first", playback=PLAYBACK)
        self.pub = publish(self.world, root / "pub").path
        self.out = root / "second" / "cassettes" / "again"

    @property
    def words(self) -> dict[str, Words]:
        task = self.world.task("t-one")
        return {"t-one": Words(task.question, task.answer)}

    def run(self, **options: Any) -> Rehydration:
        return rehydrate(self.pub, self.out, **{"questions": self.words, "asking": self.asking} | options)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Everything unchanged, to begin with."""
    answers = unchanged()
    with serving(answers) as (host_map, asked):
        yield Bench(tmp_path, answers, host_map, asked)


def test_an_unchanged_origin_gives_the_published_world(bench: Bench) -> None:
    """The same seal, the same bytes, CAIA's words and all; each question asked once an answer; nothing left beside."""
    done = bench.run()
    assert done.identical and done.changes == done.differing == done.left_out == done.doubts == ()
    assert (done.same, done.answers, len(bench.asked)) == (7, 7, 7)
    assert open_world(str(bench.out)).seal == bench.world.seal and whole(bench.out) == whole(bench.world.path)
    assert done.lines == [f"identical: {bench.out} has the published seal {bench.world.seal.digest}"]
    assert not list(bench.out.parent.parent.glob(".cache/rehydrate/*"))


def test_each_answer_that_is_another_is_named(bench: Bench) -> None:
    """Changed is recorded anew; gone and paid are left out, also of playback.toml; the others are as they were."""
    bench.answers[f"{PAGE}own"] = as_replies(page("own", "Own page, edited."))
    bench.answers[f"{PAGE}alpha"] = [{"status": 404, "body": b"no such page"}]
    bench.answers["https://google.serper.dev/search"] = [{"status": 402, "body": b"pay first"}]
    done = bench.run()
    told = {(change.kind, change.what, change.file) for change in done.changes}
    assert told == {
        ("changed", "body", "tasks/t-one/http.json"),
        ("gone", "status", "http/pages.json"),
        ("paid", "status", "tasks/t-one/http.json"),
    }
    assert not done.identical and (done.same, done.answers) == (4, 7)
    assert done.differing == ("http/pages.json", "http/playback.toml", "tasks/t-one/http.json")
    assert "4 of 7 answers are the same, 1 changed, 1 gone, 1 paid" in done.lines[-1]
    world = open_world(str(bench.out))
    assert world.seal.digest == done.seal != done.published_seal
    found = {item.uri: item for path in world.cassettes() for item in Cassette.open(path).interactions}
    assert found[f"{PAGE}own"].body == b"Own page, edited." and f"{PAGE}alpha" not in found
    assert found[f"{PAGE}own"].request_headers == OWN[0].request_headers
    assert (bench.out / "http" / "playback.toml").read_text().count("entry") == 1


def test_one_answer_of_a_sequence_that_changed(bench: Bench) -> None:
    """The order stays; what was second and is now like the first is told as changed."""
    bench.answers[SEQ] = as_replies(page("seq", "first"))
    done = bench.run()
    assert [(change.what, change.old_bytes, change.new_bytes) for change in done.changes] == [("body", 6, 5)]
    items = [item.body for item in Cassette.open(bench.out / "http" / "pages.json").interactions if item.uri == SEQ]
    assert items == [b"first", b"first"]


def test_a_silent_host_keeps_the_world_from_being_written(bench: Bench) -> None:
    """What was answered stays, and the same command asks for the rest alone; or it is left out, when that is said."""
    bench.answers[f"{PAGE}own"] = [{"hang_up": True}]
    done = bench.run()
    assert not done.written and not bench.out.exists() and "the same command goes on" in done.lines[-1]
    assert [change.kind for change in done.changes] == ["silent"] and done.lines[0].startswith("silent: GET https://r.")
    asked = len(bench.asked)
    assert bench.run(allow_silent=True).written and len(bench.asked) == asked + 1
    shutil.rmtree(bench.out)
    bench.answers |= unchanged()
    assert bench.run().identical


def test_an_interrupted_run_goes_on(bench: Bench) -> None:
    """Stopped by hand after some questions: no world, no half of one, and none of those is asked again."""
    ticks = count(1)

    def stop() -> float:
        if next(ticks) == 4:
            raise KeyboardInterrupt
        return 0.0

    with pytest.raises(Interrupted, match="goes on"):
        bench.run(asking=replace(bench.asking, clock=stop))
    assert sorted(path.name for path in bench.out.parent.iterdir()) == []
    before = len(bench.asked)
    assert bench.run().identical and len(bench.asked) == 7 and 0 < before < 7


def test_what_was_not_published_is_told(bench: Bench, tmp_path: Path) -> None:
    """Words without a file of questions, a file left out, a request that repeats its question: not the same."""
    done = bench.run(questions=None)
    assert done.doubts == ("t-one: its question is not in the file of questions",) and not done.identical
    assert done.same == done.answers and done.differing == ("tasks/t-one/task.toml",)
    assert open_world(str(bench.out)).task("t-one").question.startswith("sha256:")
    shutil.rmtree(bench.out)
    bench.answers |= unchanged()
    world = small_world(tmp_path / "third", own=(*OWN, search(QUESTION)))
    (world.path / "notes.txt").write_text("mine")
    seal_world(world.path)
    bench.pub = publish(open_world(str(world.path)), tmp_path / "pub3").path
    done = bench.run()
    assert (done.left_out, done.withheld_requests, done.identical) == (("notes.txt",), 1, False)
    assert any("1 requests that repeat" in line for line in done.lines)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda bench: {"asking": replace(bench.asking, keys={})}, "keys are wanted for api.x.com, google.serper.dev"),
        (lambda bench: {"asking": replace(bench.asking, most_requests=6)}, "asks for 7 requests, more than 6"),
        (lambda bench: {"asking": replace(bench.asking, host_map={}, allow=()), "providers": ()}, "may not be asked"),
        (lambda bench: (bench.pub / "tasks" / "t-one" / "task.toml").write_text("id = 'other'\n"), "missing|'other'"),
        (lambda bench: (bench.pub / FORM).unlink(), "cannot be read"),
        (lambda bench: bench.out.mkdir(parents=True), "nothing is written over"),
        (lambda bench: setattr(bench, "out", bench.world.path / "again"), "which is sealed"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_asked(
    bench: Bench, spoil: Callable[[Bench], Any], words: str
) -> None:
    """No request goes out, and no folder is left, not even for what was asked."""
    options, place = spoil(bench), bench.out.parent.parent
    with pytest.raises(BadInput, match=words):
        bench.run(**options if isinstance(options, dict) else {})
    assert bench.asked == [] and not [*place.glob(".cache/rehydrate/*"), *bench.out.rglob("*")]


@pytest.mark.parametrize("copied", [True, False])
def test_a_world_on_a_chain(shipped: Path, tmp_path: Path, copied: bool) -> None:
    """With its chain it is the published world; without, it waits for the chain and is that world once it is there."""
    world: WorldFolder = open_world(str(shipped))
    pub = publish(world, tmp_path / "pub", keep_questions=True, chains=copied).path
    answers: dict[str, Any] = {}
    bodies: dict[str, list[Any]] = {}
    for path in world.cassettes():
        for item in Cassette.open(path).interactions:
            bodies.setdefault(item.uri, []).extend(as_replies(item))
    answers |= bodies
    with serving(answers) as (host_map, _):
        asking = Asking(host_map=host_map, wait=lambda _: None)
        done = rehydrate(pub, tmp_path / "w" / "cassettes" / "again", asking=asking)
    assert done.changes == () and done.identical is copied
    assert done.missing_chains == (() if copied else ("mini",))
    if not copied:
        assert "record its chains" in done.lines[-1]
        shutil.copytree(snapshots_of(shipped) / "mini", tmp_path / "w" / "chain_snapshots" / "mini")
        assert seal_world(done.world).digest == world.seal.digest
    assert digest_files(done.world) == digest_files(shipped)

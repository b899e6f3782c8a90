"""A world published without a byte of its answers or any secret, and read again as a stranger's."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.canonical import digest_bytes
from caia_replay.core.attack import AttackSurface
from caia_replay.errors import BadInput, SealBroken
from caia_replay.recording.publish import install_chain, publish
from caia_replay.recording.published_file import FORM, PublishedAnswer, PublishedCassette, cassette_form, read_published
from caia_replay.recording.redactions import is_withheld
from caia_replay.store.seal import digest_files
from caia_replay.store.target_file import save_targets
from caia_replay.store.world_folder import load_task, open_world, save_task, seal_world, snapshots_of
from tests.published_world import ALIAS, ANSWER, IMAGE, OWN, QUESTION, SHARED, page, search, small_world, whole


def told(folder: Path) -> dict[str, str]:
    return {name: file.kind for name, file in read_published(folder).contents.files.items()}


def test_no_byte_of_an_answer_is_published(tmp_path: Path) -> None:
    """Bodies stand as digest and length, all else as it is; nothing is written over, nothing unsealed goes out."""
    world = small_world(tmp_path, tags=("own",))
    done = publish(world, tmp_path / "pub", keep_questions=True)
    data = whole(done.path)
    for item in (*SHARED, *OWN):
        assert item.body not in data and digest_bytes(item.body).encode() in data
    assert IMAGE[5:] not in data and not list(done.path.rglob("*.bin"))
    assert (
        world.seal.digest.encode() in data
        and (done.path / "world.toml").read_bytes() == (world.path / "world.toml").read_bytes()
    )
    assert (done.answers, done.cassettes, done.left_out, done.withheld_tasks) == (7, 2, (), ())
    assert QUESTION.encode() in data and ANSWER.encode() in data
    place = tmp_path / "b"
    world = small_world(place)
    (place / "there").mkdir()
    with pytest.raises(BadInput, match="nothing is written over"):
        publish(world, place / "there")
    with pytest.raises(BadInput, match="lies inside the world"):
        publish(world, world.path / "pub")
    (world.path / "world.toml").write_text("id = 'x'\n")
    with pytest.raises(SealBroken):
        publish(world, place / "pub")
    assert sorted(path.name for path in place.iterdir()) == ["cassettes", "there"]


@pytest.mark.parametrize(("tags", "keep"), [(("caia",), True), (("caia", "x"), False), (("own",), False)])
def test_words_that_are_not_the_publishers_are_withheld(tmp_path: Path, tags: tuple[str, ...], keep: bool) -> None:
    """CAIA's always, others' unless they are said to be kept; also of a task folder that no suite names."""
    world = small_world(tmp_path, tags=tags)
    save_task(world.path, replace(world.task("t-one"), id="spare", question=f"A secret sentence. {QUESTION}"))
    seal_world(world.path)
    done = publish(open_world(str(world.path)), tmp_path / "pub", keep_questions=keep)
    data = whole(done.path)
    assert all(word.encode() not in data for word in (QUESTION[:40], ANSWER, ALIAS, "secret sentence"))
    assert is_withheld(load_task(done.path / "tasks" / "t-one")) and set(done.withheld_tasks) == {"t-one", "spare"}
    assert told(done.path)["tasks/t-one/task.toml"] == "withheld"


def test_requests_and_files_that_repeat_a_question_are_not_told(tmp_path: Path) -> None:
    """An agent's search for the question itself is counted and left out; so are campaigns, which speak of it."""
    world = small_world(tmp_path, own=(*OWN, search(QUESTION), search(QUESTION[:70])))
    (world.path / "overlays").mkdir()
    (world.path / "overlays" / "lies.toml").write_text('campaign = "lies"\n')
    save_targets(world.path, [AttackSurface("t-one", "lights", "It is {planted}.")])
    (world.path / "tasks" / "t-one" / "pool.json").write_text(json.dumps({"asked": [QUESTION]}))
    (world.path / "import.json").write_text('{"notes": []}\n')
    seal_world(world.path)
    done = publish(open_world(str(world.path)), tmp_path / "pub")
    assert (done.withheld_requests, done.answers) == (2, 7)
    assert done.left_out == ("overlays/lies.toml", "targets.toml", "tasks/t-one/pool.json")
    assert b"lighthouses on the northern" not in whole(done.path) and told(done.path)["import.json"] == "copied"
    assert any("2 requests repeat" in line for line in done.lines)


def test_a_chain_is_copied_when_asked(shipped: Path, tmp_path: Path) -> None:
    """The shipped world stands on one chain: its manifest's digest is always told, its files only then."""
    world = open_world(str(shipped))
    plain = publish(world, tmp_path / "plain", keep_questions=True)
    assert plain.chains == () and not (plain.path / "chain_snapshots").exists()
    done = publish(world, tmp_path / "pub", keep_questions=True, chains=True)
    found = read_published(done.path)
    contents = found.contents
    assert done.chains == ("mini",) and contents.chains == read_published(plain.path).contents.chains
    assert contents.chain_files["mini"]["manifest.json"] == contents.chains["mini"]
    assert "targets.toml" not in done.left_out and (done.path / "targets.toml").is_file()
    target = tmp_path / "chain_snapshots" / "mini"
    assert install_chain(found, "mini", target) and digest_files(target) == digest_files(snapshots_of(shipped) / "mini")


ODD = "Zq81xKp07TmWv3Ld9RyB5nHs2"
UNSAFE: tuple[tuple[dict[str, Any], str], ...] = (
    ({"query": QUESTION}, "repeats a question"),
    ({"shared": (page(f"list?of={ODD}", "x"),)}, "may be a credential"),
    ({"own": (replace(OWN[2], request_headers={"authorization": (f"Bearer {ODD}",)}),)}, "may be a credential"),
    ({"own": (replace(OWN[0], headers={"set-cookie": (f"session={ODD}",)}),)}, "may be a credential"),
    ({"shared": (page("hush-value-1", "x"),)}, "credential of 12 characters"),
)


@pytest.mark.parametrize(("world", "words"), UNSAFE, ids=["chain", "address", "header", "cookie", "named"])
def test_what_may_not_go_out_stops_all_of_it(tmp_path: Path, world: dict[str, Any], words: str) -> None:
    """A question in a tool-chain, a value like a key, an unscrubbed recording, a named secret; none is repeated."""
    with pytest.raises(BadInput, match=words) as caught:
        publish(small_world(tmp_path, **world), tmp_path / "pub", secrets={"hush-value-1"})
    assert ODD not in str(caught.value) and sorted(path.name for path in tmp_path.iterdir()) == ["cassettes"]


def test_an_odd_value_goes_out_where_it_is_said_to_be_harmless(tmp_path: Path) -> None:
    """And the same world gives the same bytes."""
    world = small_world(tmp_path, shared=(page(f"list?of={ODD}", "x"),))
    made = [publish(world, tmp_path / name, harmless={ODD}) for name in ("a", "b")]
    assert made[0].answers == 4 and whole(made[0].path) == whole(made[1].path)


def test_a_changed_chain_leaves_nothing(shipped: Path, tmp_path: Path) -> None:
    """Edited, replaced by a link, or under another manifest: refused, and no folder is left."""
    found = read_published(publish(open_world(str(shipped)), tmp_path / "pub", chains=True).path)
    target = tmp_path / "chain_snapshots" / "mini"
    path = min((found.folder / "chain_snapshots" / "mini").glob("*.parquet"))
    other = replace(found.contents, chains={"mini": "sha256:" + "0" * 64})
    data = path.read_bytes()
    path.write_bytes(data + b"x")
    with pytest.raises(BadInput, match="was changed since"):
        install_chain(found, "mini", target)
    (tmp_path / "copy").write_bytes(data)
    path.unlink()
    path.symlink_to(tmp_path / "copy")
    with pytest.raises(BadInput, match="is a link"):
        install_chain(found, "mini", target)
    with pytest.raises(BadInput, match="manifest that was sealed"):
        install_chain(replace(found, contents=other), "mini", target)
    assert not target.exists() and not list(tmp_path.glob("chain_snapshots/.*"))


PAGES = "http/pages.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A published folder, to be damaged."""
    return publish(small_world(tmp_path), tmp_path / "pub").path


def edit(path: Path, change: Callable[[Any], object]) -> None:
    value = json.loads(path.read_bytes())
    change(value)
    path.write_text(json.dumps(value))


def test_what_is_read_is_what_was_written(folder: Path) -> None:
    """Each answer with the digest and length of its body, in the file's order, and no body; binary requests too."""
    found = read_published(folder)
    answers = found.cassettes[PAGES].answers
    assert sorted(answers, key=repr) == sorted(map(PublishedAnswer.of, SHARED), key=repr)
    assert all(answer.item.body == b"" for answer in answers) and {answer.size_bytes for answer in answers} > {5, 6}
    assert cassette_form(found.cassettes[PAGES]) == (folder / PAGES).read_bytes()
    assert found.contents.files["tasks/t-one/task.toml"].kind == "withheld"
    item = replace(OWN[1], request_body=b"\xff\x00binary", body=b"secret sauce")
    form = cassette_form(PublishedCassette((PublishedAnswer.of(item),), 3))
    (folder / PAGES).write_bytes(form)
    again = read_published(folder).cassettes[PAGES]
    assert again.answers[0].item.request_body == b"\xff\x00binary" and again.withheld == 3 and b"sauce" not in form


def listed(name: str, kind: str) -> Callable[[Any], object]:
    return lambda value: value["files"].update({name: {"digest": "sha256:" + "0" * 64, "kind": kind}})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (listed("../../escape.json", "cassette"), "no place of a cassette"),
        (listed("/etc/passwd", "copied"), "no place of a copied"),
        (listed("tasks/x/task.toml", "elsewhere"), "not one of"),
        (lambda value: value.update(version=2), "version is 2"),
        (lambda value: value.update(world="../x"), "cannot name a world"),
        (lambda value: value.update(seal="sha256:short"), "no digest"),
        (lambda value: value.update(chains={"../mini": "sha256:" + "0" * 64}), "no name of a chain"),
        (lambda value: value.update(chains={"m": "sha256:" + "0" * 64},
                                    chain_files={"m": {"../a": "sha256:" + "0" * 64}}), "no file of a chain"),
        pytest.param(lambda value: value["files"].update(
            {f"http/{n}.json": {"digest": "sha256:" + "0" * 64, "kind": "body"} for n in range(20_001)}), "more than",
            marks=pytest.mark.check),
    ],
)  # fmt: skip
def test_contents_of_a_stranger_are_checked(folder: Path, change: Callable[[Any], object], words: str) -> None:
    """Each fault is one line that names the file."""
    edit(folder / FORM, change)
    with pytest.raises(BadInput, match=words) as caught:
        read_published(folder)
    assert FORM in str(caught.value)


def first(**fields: Any) -> Callable[[Any], object]:
    def change(value: Any) -> None:
        for name, told in fields.items():
            part, _, field = name.partition("_")
            value["interactions"][0][part][field] = told

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (first(request_uri="file:///etc/passwd"), "URL"),
        (first(request_uri="https://user:hunter2hunter2@r.jina.ai/x"), "scrubbed recording does not"),
        (first(request_uri="https://r.jina.ai/x?apikey=abcdefgh12345"), "scrubbed recording does not"),
        (first(request_headers={"cookie": ["a=b"]}), "scrubbed recording does not"),
        (first(request_key="good"), "its headers say absent"), (first(request_body={"base64": "!!!"}), "no base64"),
        (first(request_body={"file": "bodies/x"}), "unknown field|lacks the field"),
        (first(request_method="GET\r\nX: y"), "method|HTTP"), (first(reply_bytes=-1), "digest and length"),
        (first(reply_body="hidden"), "unknown field 'body'"),
        (lambda value: value.update(withheld=-1), "no published cassette"),
    ],
)  # fmt: skip
def test_a_cassette_of_a_stranger_is_checked(folder: Path, change: Callable[[Any], object], words: str) -> None:
    """What a scrubbed recording of ours could not hold is refused, and no credential is repeated."""
    edit(folder / PAGES, change)
    with pytest.raises(BadInput, match=words) as caught:
        read_published(folder)
    assert "hunter2" not in str(caught.value) and "abcdefgh" not in str(caught.value)


@pytest.mark.parametrize("name", [FORM, PAGES])
def test_bytes_of_any_kind_end_in_one_line(folder: Path, tmp_path: Path, name: str) -> None:
    """Cut, empty, nested without end, not UTF-8, repeated keys, a link: never another error."""
    path = folder / name
    whole = path.read_bytes()
    cut = whole[: len(whole) // 2]
    for data in (b"", cut, b"[" * 10_000, b"\xff" + whole, b'{"a":1,"a":2}', b"null", b'"\\ud800"'):
        path.write_bytes(data)
        with pytest.raises(BadInput):
            read_published(folder)
    (tmp_path / "elsewhere").write_bytes(whole)
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match="is a link"):
        read_published(folder)


def test_a_publication_is_whole_as_it_was_sealed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copied file that was edited since, more answers than the form allows, and a folder elsewhere are refused."""
    assert b"small" in read_published(folder).copied("world.toml")
    (folder / "world.toml").write_text("id = 'other'")
    with pytest.raises(BadInput, match="was changed since it was published"):
        read_published(folder).copied("world.toml")
    with monkeypatch.context() as patch:
        patch.setattr("caia_replay.recording.published_file.MOST_INTERACTIONS", len(SHARED) + len(OWN) - 1)
        with pytest.raises(BadInput, match="more answers than"):
            read_published(folder)
    (folder / "http").rename(tmp_path / "elsewhere")
    (folder / "http").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match="is a link"):
        read_published(folder)

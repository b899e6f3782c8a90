"""Worlds, snapshots and cassettes checked, and sealed only where nothing is wrong."""

from __future__ import annotations

import json
import pickle
import shutil
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from caia_replay.cassette.cassette import Cassette, Interaction, cassette_bytes, write_cassette
from caia_replay.cassette.secret import SCRUBBED_BAD
from caia_replay.cassette.side_file import side_name, write_side_files
from caia_replay.core.execution import CallCheck, Execution, Wallet
from caia_replay.core.gold import GoldStep
from caia_replay.core.suite import SuiteEntry
from caia_replay.core.task import Task
from caia_replay.errors import BadInput, SealBroken
from caia_replay.store.target_file import read_targets, save_targets
from caia_replay.store.world_folder import WorldInfo, open_world, save_task, save_world, seal_world
from caia_replay.validation.cassette import cassette_faults
from caia_replay.validation.lint import lint, seal, seal_and_lint, targets
from tests.campaigns import kept
from tests.live_draft import draft


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text, (path, old)
    path.write_text(text.replace(old, new, 1))


def test_targets_are_found_from_any_path_inside(mini: Path, shipped: Path) -> None:
    """A file, a folder inside, the folder or one that holds several lead to what to check; what we ship is clean."""
    world, snapshot = mini / "cassettes" / "mini-6", mini / "chain_snapshots" / "mini"
    assert targets((), mini) == [snapshot, world]
    assert targets((mini,), mini) == [snapshot, world]
    for path in (world, world / "suite.toml", world / "tasks", *world.glob("tasks/*/task.toml")):
        assert targets((path,), mini) == [world]
    assert targets((snapshot / "manifest.json",), mini) == [snapshot]
    with pytest.raises(BadInput, match="no world and no chain snapshot"):
        targets((mini.parent,), mini)
    for folder in (shipped, shipped.parents[1] / "chain_snapshots" / "mini"):
        assert list(lint(folder)) == []


@pytest.fixture
def world(mini: Path) -> Path:
    """The small world, to be spoilt."""
    return mini / "cassettes" / "mini-6"


def test_a_wrong_task_is_found(world: Path) -> None:
    """Each kind of wrong field in a sealed task is one finding that says what is wrong."""
    tasks = open_world(str(world)).suite.active()
    changes = (
        (0, "block = ", "9999", "anchor block"), (1, "timestamp = ", "5", "anchor timestamp is 5"),
        (2, "chain = ", '"moni"', "anchored on chain"), (3, "shape = ", '"no-such-shape"', "has no recipe"),
        (4, "tool = ", '"block_qery"', "nearest: block_query"), (5, "result = ", '"$7.x"', "refers to step 7"),
        (4, "question = ", '"Why?"', "does not read this question"),
    )  # fmt: skip
    for at, field, new, _ in changes:
        edit(world / "tasks" / tasks[at] / "task.toml", field, f"{field}{new}\n#")
    seal_world(world)
    found = [(item.where.parent.name, item.what) for item in lint(world)]
    for at, _, _, finding in changes:
        assert [what for where, what in found if where == tasks[at] and finding in what], (finding, found)


def test_pages_kept_of_another_world_are_found(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was kept under a world's name and does not hold what its recordings hold is one finding."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert list(lint(world)) == []
    (path,) = tmp_path.glob("cache/caia-replay/made/*.pickle")
    other = pickle.dumps(replace(pickle.loads(path.read_bytes()[32:]), pages=()))
    path.write_bytes(sha256(other).digest() + other)
    assert [item.what.split(";")[0] for item in lint(world)] == ["the pages kept of it are not those it holds"]


def test_bodies_nobody_refers_to_are_found(mini: Path) -> None:
    """A side file that no cassette beside it names is a finding, one that is named is none; an edit breaks the seal."""
    world = mini / "cassettes" / "mini-6"
    kept = Interaction("GET", "https://h.example/image", b"", {}, 200, "OK", {}, b"\xff\xd8")
    write_cassette(world / "http" / "image.json", [kept])
    seal_world(world)
    assert list(lint(world)) == []
    write_side_files(world / "tasks" / "elsewhere", [b"\xfe"])
    write_side_files(world / "http", [b"\xfe"])
    seal_world(world)
    found = [item.where for item in lint(world) if "no cassette beside it refers" in item.what]
    assert found == [world / "http" / side_name(b"\xfe"), world / "tasks" / "elsewhere" / side_name(b"\xfe")]
    (world / "http" / side_name(kept.body)).write_bytes(b"\xff\xd9")
    with pytest.raises(SealBroken, match="differs from its seal"):
        list(lint(world))


def over(mini: Path, task: Task) -> Path:
    """A world of this task alone, which reads the small one's recordings as its own."""
    base = open_world(str(mini / "cassettes" / "mini-6"))
    info = replace(base.info, id="over", base="mini-6", base_digest=base.seal.digest_without_overlays)
    made = base.path.with_name("over")
    save_world(made, info, replace(base.suite, id="over", entries=(SuiteEntry(task.id, "2026-11-23"),)))
    save_task(made, task)
    seal_world(made)
    return made


def test_a_wallets_tools_are_for_tasks_that_are_carried_out(mini: Path) -> None:
    """A gold chain that sends is sound in such a task, and calls an unknown tool in any other."""
    folder = open_world(str(mini / "cassettes" / "mini-6"))
    task = folder.task(folder.suite.active()[0])
    steps = (*task.gold.steps, GoldStep("send_transaction", {"to": "0x" + "a" * 40}))
    task = replace(task, gold=replace(task.gold, steps=steps))
    (found,) = lint(over(mini, task))
    assert "calls unknown tool 'send_transaction'" in found.what
    owner = Wallet("mini", "0x" + "b" * 40)
    check = CallCheck("mini", "0x" + "a" * 40, "f()(uint256)", value="1")
    sound = Execution((owner,), (owner,), (), calls=(check,))
    assert list(lint(over(mini, replace(task, execution=sound)))) == []


def test_sealing_accepts_an_edit_and_checking_refuses_it_before(mini: Path, world: Path) -> None:
    """An edit breaks the seal until it is sealed; sealing a snapshot repairs its manifest too."""
    snapshot = mini / "chain_snapshots" / "mini"
    edit(world / "world.toml", "about = ", "# changed by hand\nabout = ")
    with pytest.raises(SealBroken):
        list(lint(world))
    assert "sealed world" in seal(world) and list(lint(world)) == []
    for again in (seal, lambda path: seal_and_lint(path)[0]):
        edit(snapshot / "manifest.json", '"chain_id": ', '"chain_id":  ')
        with pytest.raises(BadInput):
            list(lint(snapshot))
        assert "sealed snapshot" in again(snapshot) and list(lint(snapshot)) == []


def test_a_cassette_outside_a_world_is_checked_alone(tmp_path: Path) -> None:
    """It is read strictly and searched for keys; it has no seal; what is no cassette is refused."""
    path = tmp_path / "alone.json"
    item = Interaction("GET", "https://h.example/", b"", {}, 200, "", {}, b"sk-" + b"a1B2" * 8)
    path.write_bytes(cassette_bytes([item]))
    (found,) = targets((path,), tmp_path)
    assert found == path and any("the shape of a key of OpenAI" in finding.what for finding in lint(path))
    for sealing in (seal, seal_and_lint):
        with pytest.raises(BadInput, match="has no seal"):
            sealing(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(BadInput, match="not a JSON cassette"):
        list(lint(path))
    assert targets((tmp_path,), tmp_path) == [tmp_path]
    assert ["is no cassette: not a JSON" in finding.what for finding in lint(tmp_path)] == [True]
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="nor is it a cassette"):
        targets((tmp_path / "empty",), tmp_path)


def test_a_world_with_faults_keeps_the_seal_it_had(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scoring's faults are told with the rest; the seal is as it was, or not there, until all is well."""
    assert list(lint(world)) == []
    before, paths = (
        (world / "seal.json").read_bytes(),
        [world / "tasks" / task / "task.toml" for task in open_world(str(world)).suite.active()[:2]],
    )
    sound = paths[0].read_text()
    edit(paths[0], "[answer]", "[answer]\ntolerance_seconds = 3")
    told, found = seal_and_lint(world)
    assert told == f"not sealed: {world}: its seal is as it was" and len(found) == 1
    assert found[0].what.startswith("answer: 'tolerance_seconds' means nothing") and found[0].where == paths[0]
    for stop in (KeyboardInterrupt, BadInput):

        def check(spec: object, stop: type[BaseException] = stop) -> list[str]:
            raise stop("half-way")

        with monkeypatch.context() as patch, pytest.raises(stop):
            patch.setattr("caia_replay.validation.lint.check_spec", check)
            seal_and_lint(world)
    cassette = next((world / "http").glob("*.json"))
    data = cassette.read_bytes()
    cassette.write_bytes(data[:-9])
    with pytest.raises(BadInput, match="not a JSON cassette"):
        seal(world)
    assert (world / "seal.json").read_bytes() == before
    cassette.write_bytes(data)
    (world / "seal.json").unlink()
    told, found = seal_and_lint(world)
    assert told == f"not sealed: {world}: it has no seal" and len(found) == 1 and not (world / "seal.json").exists()
    paths[0].write_text(f"# mended\n{sound}")
    told, found = seal_and_lint(world)
    assert told.startswith(f"sealed world {world}: sha256:") and found == []
    edit(paths[1], "values = [", 'values = ["not a thing", ')
    edit(world / "suite.toml", 'added = "', 'retired = "2026-11-21"\nadded = "')
    seal_world(world)
    assert [item.where for item in lint(world)] == [paths[1]]


def test_a_world_to_be_recorded_is_sealed_with_what_it_lacks(mini: Path) -> None:
    """A block nobody recorded yet, and what recordings are like, is told and does not hold the seal back."""
    world = mini / "cassettes" / "mini-6"
    edit(world / "tasks" / open_world(str(world)).suite.active()[0] / "task.toml", "block = ", "block = 9999\n#")
    item = Interaction("GET", "https://h.example/", b"", {}, 200, "", {"X-Id": ("q7Zk2pV9xW4rT8mB1nC6",)}, b"{}")
    write_cassette(world / "http" / "found.json", [item])
    told, found = seal_and_lint(world)
    assert told.startswith("sealed world") and list(lint(world)) == found
    assert any("anchor block" in finding.what for finding in found)
    assert any("like a key" in finding.what for finding in found)
    edit(world / "http" / "found.json", '"https://h.example/"', '"https://h.example/?apikey=0123abcd4567ef89"')
    told, found = seal_and_lint(world)
    assert told.startswith("not sealed") and any("not scrubbed" in finding.what for finding in found)


@pytest.mark.parametrize(
    ("provenance", "tag", "found"),
    [
        ("live", "gold:needs-judgement", []),
        ("live", "gold:because-i-say-so", ["no steps"]),
        ("synthetic", "gold:needs-judgement", ["no steps", "tag 'gold:needs-judgement' is for tasks of live worlds"]),
        ("imported", "gold:x", ["no steps", "tag 'gold:x' is for tasks of live worlds"]),
    ],
)
def test_a_tag_that_excuses_a_task_from_its_chain_is_for_live_worlds(
    tmp_path: Path, provenance: Any, tag: str, found: list[str]
) -> None:
    """And only the words that an import writes."""
    folder = draft(tmp_path)
    save_world(folder.path, WorldInfo("draft", provenance, (), False, "x"), folder.suite)
    save_task(folder.path, replace(folder.task("t1"), tags=(tag,)))
    seal_world(folder.path)
    told = [one.what for one in lint(folder.path) if "gold" in one.what]
    assert len(told) == len(found) and all(words in what for words, what in zip(found, told, strict=True)), told


def test_every_part_of_a_world_is_looked_at(world: Path, mini: Path) -> None:
    """Overlay, offers, stray and twin tasks, cassettes; a key is not shown, and a world over this one has no fault."""
    folder = open_world(str(world))
    first, second = folder.suite.active()[:2]
    made_task, overlay = folder.task(first), kept(world)
    pages = folder.overlay("edited").pages
    edit(overlay, f'task = "{pages[0].task}"', 'task = "nobody"')
    edit(overlay, f'planted = "{pages[1].planted}"', 'planted = "the"')
    save_targets(world, [replace(next(iter(read_targets(world).values())), task="mini6-suply")])
    address = '"uri": "https://google.serper.dev/search"'
    edit(min(world.glob("tasks/*/http.json")), address, address[:-1] + '?apikey=0123abcd4567ef89"')
    page = Interaction("GET", "https://h.example/", b"", {}, 200, "OK", {}, b'{"next_cursor": "abc9"}')
    write_cassette(world / "http" / "more.json", [page])
    shutil.copytree(world / "tasks" / first, world / "tasks" / "stray")
    lines = [
        line for name in (first, second) for line in (world / "tasks" / name / "task.toml").read_text().split("\n")
    ]
    asked = [line for line in lines if line.startswith("question")]
    edit(world / "tasks" / second / "task.toml", asked[1], asked[0])
    seal_world(world)
    found = list(lint(world))
    for where, what in (
        (overlay.name, "unknown task 'nobody'"), (overlay.name, "stands on a recorded page"),
        ("targets.toml", "'mini6-suply'; nearest: mini6-supply"), ("http.json", "not scrubbed"),
        ("more.json", "abc9"), ("stray", "in no suite"), ("task.toml", "same question as"),
    ):  # fmt: skip
        assert [one for one in found if one.where.name == where and what in one.what], (where, what, found)
    assert not any("0123abcd" in one.what for one in found)
    assert list(lint(over(mini, made_task))) == []
    edit(world / "targets.toml", "{planted}", "nothing")
    seal_world(world)
    with pytest.raises(BadInput, match=r"no \{planted\}"):
        list(lint(world))


API = "https://api.example.com/v2/items"
KEY = "q7Zt2LmX9vB4nRk8WcY3pHs6TdJf1GaE"


def item(
    uri: str = API, body: Any = None, request: Any = None, headers: dict[str, tuple[str, ...]] | None = None
) -> Any:
    return Interaction(
        method="GET" if request is None else "POST",
        uri=uri,
        request_body=b"" if request is None else json.dumps(request).encode(),
        request_headers={},
        status=200,
        reason="OK",
        headers=headers or {},
        body=body if isinstance(body, bytes) else json.dumps(body).encode(),
    )


def faults(tmp_path: Path, *files: list[Interaction]) -> list[str]:
    paths = [tmp_path / f"{number}.json" for number in range(len(files))]
    for path, interactions in zip(paths, files, strict=True):
        write_cassette(path, interactions)
    return [f"{path.name}: {what}" for path, what in cassette_faults({path: Cassette.open(path) for path in paths})]


@pytest.mark.parametrize(
    ("planted", "place"),
    [(item(f"{API}?who={KEY}"), "address"), (item(request={"q": f"use {KEY}"}), "request body"),
     (item(body={"rows": [f"the value is {KEY}"]}), "reply body"), (item(body=f"<p>{KEY}</p>".encode()), "reply body"),
     (item(headers={"x-account": (KEY,)}), "reply header x-account")],
)  # fmt: skip
def test_a_key_under_a_harmless_name_is_found_and_not_shown(tmp_path: Path, planted: Interaction, place: str) -> None:
    """Address, request, reply and header are read; the finding names the place and never the value."""
    (found,) = faults(tmp_path, [planted])
    assert f"1 like a key in the {place} of " in found
    assert KEY not in found


@pytest.mark.parametrize(
    ("reply", "told"),
    [({"meta": {"next_token": "abc9"}}, "abc9"), ({"nextPageToken": "abc9", "items": []}, "abc9"),
     ({"next": f"{API}?page=2"}, f"{API}?page=2"), ({"links": {"next": "/v2/items?page=2"}}, "/v2/items?page=2"),
     ({"next_page": 2}, "2"), ({"pageInfo": {"hasNextPage": True, "endCursor": "abc9"}}, "abc9"),
     (("Link", f'<{API}?page=2>; rel="next", <{API}?page=9>; rel="last"'), f"{API}?page=2")],
)  # fmt: skip
def test_a_list_that_breaks_off_is_found(tmp_path: Path, reply: Any, told: str) -> None:
    """A next page that is not recorded is a finding; it is none when a recorded request asks for it."""
    page = item(headers={reply[0]: (reply[1],)}) if isinstance(reply, tuple) else item(body=reply)
    (found,) = faults(tmp_path, [page])
    assert f"goes on at {told!r}, which is not recorded" in found
    follow = item(f"{API}?page=2") if "2" in told else item(request={"variables": {"after": "abc9"}})
    assert faults(tmp_path, [page, follow]) == []
    # Another host's page of that name is not the next one here.
    elsewhere = item("https://other.example/v2/items?page=2&t=abc9")
    assert len(faults(tmp_path, [page, elsewhere])) == 1


@pytest.mark.parametrize(
    "reply",
    [{"next": None}, {"next_cursor": ""}, {"next_page": 0}, {"has_more": False, "next_cursor": "abc9"},
     {"pageInfo": {"hasNextPage": False, "endCursor": "abc9"}}, {"next": "Read the next article"},
     {"nextFundingTime": 1717308040}, ["next"]],
)  # fmt: skip
def test_the_end_of_a_list_is_no_finding(tmp_path: Path, reply: Any) -> None:
    """Empty cursors, lists that say they end, and members that only sound alike are left alone."""
    assert faults(tmp_path, [item(body=reply)]) == []


def test_the_same_answers_are_found(tmp_path: Path) -> None:
    """A, A says nothing more than A, in one file or two; A, B, A is what happened, and so are keys of two classes."""
    a, b = item(f"{API}?x=1&y=2", {"v": 1}), item(f"{API}?x=1&y=2", {"v": 2})
    same = item(f"{API}?y=2&x=1", {"v": 1})
    assert faults(tmp_path, [a, b, same]) == faults(tmp_path, [a], [b]) == []
    assert faults(tmp_path, [a, same]) == [f"0.json: the same answer twice running: GET {API}?x=1&y=2"]
    (found,) = faults(tmp_path, [a, b], [b], [a, b])
    assert found.startswith("2.json: holds what ") and found.endswith(f"/0.json holds: GET {API}?x=1&y=2")
    bad = replace(item(body={"v": 1}), request_headers={"x-api-key": (SCRUBBED_BAD,)})
    assert faults(tmp_path, [item(body={"v": 1}), bad]) == []
    assert len(faults(tmp_path, [bad, bad])) == 1


def test_hostile_links_names_and_addresses_are_read_at_once(tmp_path: Path) -> None:
    """Each in one pass; an address nobody can join is told as not recorded, a key in one is masked."""
    slow = item(headers={"link": ("<" * 500_000, "<a>" + "; " * 200_000, "a" * 500_000)})
    assert faults(tmp_path, [slow]) == []
    assert faults(tmp_path, [item(body={"next" + "pagetoken" * 3000 + "!": "x", "a": "http:" * 20_000})]) == []
    (found,) = faults(tmp_path, [item(f"{API}/{'a' * 300_000}", {"next": "http://[::"})])
    assert "'http://[::', which is not recorded" in found and len(found) < 1000
    (found,) = faults(tmp_path, [item(body={"next": f"{API}?apikey=0123abcd4567&page=2"})])
    assert "0123abcd4567" not in found
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(BadInput, match=r"x\.json"):
        list(lint(tmp_path / "x.json"))

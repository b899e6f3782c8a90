"""A suite published without bodies, made again from its origin over real TLS under the real host names."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.cassette.cassette import Cassette
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.errors import BadInput, CaiaReplayError, Interrupted, Miss
from caia_replay.recording.api_key import Keys
from caia_replay.recording.ask_again import Asking
from caia_replay.recording.publish import publish
from caia_replay.recording.published_file import FORM
from caia_replay.recording.record import Recorder
from caia_replay.recording.redactions import Words
from caia_replay.recording.rehydrate import Rehydration, rehydrate
from caia_replay.store.world_folder import WorldFolder, open_world, seal_world
from tests.published_world import (
    KEYS,
    OWN,
    PAGE,
    POSTS,
    QUESTION,
    SENT,
    SERPER,
    SHARED,
    as_replies,
    page,
    small_world,
    unchanged,
    whole,
)

HOSTS = {"r.jina.ai", "google.serper.dev", "api.x.com"}


def recorded(origin: Any, root: Path) -> WorldFolder:
    """The small world as the recorder writes it from the living origin, each host asked over TLS."""
    world = small_world(root, tags=("caia",))
    for name, items in (("http/pages.json", SHARED), ("tasks/t-one/http.json", OWN)):
        serve(origin, unchanged())
        options: Any = {"allowed_hosts": HOSTS, "pause_s": 0.0}
        with Recorder(world.path / name, {}, **options) as client:
            for item in items:
                host = item.uri.split("/")[2]
                headers = {key: KEYS.get(host, lines[0]) if lines[0] == "SCRUBBED" else lines[0]
                           for key, lines in item.request_headers.items()}  # fmt: skip
                client.request(item.method, item.uri, content=item.request_body or None, headers=headers)
    seal_world(world.path)
    return open_world(str(world.path))


def serve(origin: Any, answers: dict[str, list[dict[str, Any]]]) -> None:
    """What the hosts answer from now on."""
    origin.answers.clear()
    for url, replies in answers.items():
        origin.on(url, *replies)


class Scene:
    """A published recording and its origin, which has moved on since."""

    def __init__(self, origin: Any, root: Path) -> None:
        self.origin, self.root = origin, root
        self.world = recorded(origin, root)
        self.pub = publish(self.world, root / "pub").path
        self.out = root / "mine" / "cassettes" / "small"
        serve(origin, unchanged())
        origin.asked.clear()
        origin.resolved.clear()

    def run(self, **options: Any) -> Rehydration:
        task = self.world.task("t-one")
        asking = Asking(keys=SENT, pause_s=0.0, wait=lambda _: None, most_requests=1000)
        return rehydrate(
            self.pub,
            self.out,
            **{"questions": {"t-one": Words(task.question, task.answer)}, "asking": asking} | options,
        )


@pytest.fixture
def scene(tls_origin: Any, tmp_path: Path) -> Scene:
    return Scene(tls_origin, tmp_path)


def test_an_unchanged_origin_gives_the_same_world(scene: Scene) -> None:
    """No body, key or withheld word is handed around; made again, on another day, every file and the seal are equal."""
    bodies = [reply["body"] for replies in unchanged().values() for reply in replies]
    secrets = [key.split()[-1].encode() for key in KEYS.values()]
    assert not any(part in whole(scene.pub) for part in (*bodies, *secrets, QUESTION[:30].encode(), b"Skagen"))
    done = scene.run()
    assert done.identical and done.lines[-1].startswith("identical: ") and done.changes == ()
    assert whole(scene.out) == whole(scene.world.path)
    assert set(scene.origin.resolved) == HOSTS and len(scene.origin.asked) == 7
    sent = {asked.url.partition("?")[0]: asked for asked in scene.origin.asked}
    assert KEYS["api.x.com"] in sent[POSTS].headers.values()
    assert sent[f"{SERPER}/search"].body == OWN[1].request_body


def test_each_page_that_is_another_is_named(scene: Scene) -> None:
    """One changed, one gone, one paid now: what, where, whose, and how many of how many are the same."""
    scene.origin.on(f"{PAGE}alpha", *as_replies(page("alpha", "Alpha opened in 2020, we now know.")))
    scene.origin.on(f"{PAGE}own", {"status": 404, "body": b"gone"})
    scene.origin.on(POSTS, {"status": 402, "headers": {"Content-Type": "application/json"}, "body": b'{"pay": 1}'})
    done = scene.run()
    lines = done.lines
    assert [line.split(" (")[0] for line in lines[:3]] == [
        f"changed: GET {PAGE}alpha", f"paid: GET {POSTS}?query=aave", f"gone: GET {PAGE}own"
    ]  # fmt: skip
    assert "(http/pages.json): body, 21 -> 34 bytes, sha256:" in lines[0]
    assert "(tasks/t-one/http.json): status, HTTP 200 -> 404" in lines[2]
    assert "a new recording: 4 of 7 answers are the same, 1 changed, 1 gone, 1 paid" in lines[-1]
    world = open_world(str(scene.out))
    recordings = Recordings([Cassette.open(path) for path in world.cassettes("t-one")])
    assert recordings.play("GET", f"{PAGE}alpha", b"", Cursor(), {}).body.endswith(b"we now know.")
    for lost in (f"{PAGE}own", f"{POSTS}?query=aave"):
        with pytest.raises(Miss):
            recordings.play("GET", lost, b"", Cursor(), {})


def test_a_stopped_run_goes_on(scene: Scene) -> None:
    """Stopped by hand, it leaves no world; the same command asks only for what is not there, and is identical."""

    tick = iter([0.0] * 4)

    def clock() -> float:
        try:
            return next(tick)
        except StopIteration:
            raise KeyboardInterrupt from None

    with pytest.raises(Interrupted, match="the same command goes on"):
        scene.run(asking=Asking(keys=SENT, pause_s=0.0, wait=lambda _: None, clock=clock))
    assert not scene.out.exists() and 0 < len(scene.origin.asked) < 7
    before = {asked.url for asked in scene.origin.asked[:2]}
    serve(scene.origin, unchanged())
    scene.origin.asked.clear()
    assert scene.run().identical
    assert not before & {asked.url for asked in scene.origin.asked}


def test_keys_are_put_on_below_the_recording(scene: Scene) -> None:
    """Out of the environment, each on its own host's requests; one that is missing is told before anything is asked."""
    keys = {"SERPER_API_KEY": "serper-0123456789", "X_BEARER_TOKEN": "x-0123456789"}
    scene.origin.on(f"{PAGE}own", *as_replies(page("own", "your key is x-0123456789")))
    asking = Asking(keys=Keys(keys), pause_s=0.0, wait=lambda _: None)
    with pytest.raises(BadInput, match="set X_BEARER_TOKEN"):
        scene.run(asking=replace(asking, keys=Keys({"SERPER_API_KEY": "serper-0123456789"})))
    assert scene.origin.asked == []
    done = scene.run(asking=asking)
    assert [(change.kind, change.address) for change in done.changes] == [("changed", f"GET {PAGE}own")]
    sent = {
        asked.url.partition("?")[0]: {k.lower(): v for k, v in asked.headers.items()} for asked in scene.origin.asked
    }
    assert sent[POSTS]["authorization"] == "Bearer x-0123456789"
    assert sent[f"{SERPER}/search"]["x-api-key"] == "serper-0123456789" and "authorization" not in sent[f"{PAGE}own"]


def test_a_reply_that_repeats_its_key_is_not_kept(scene: Scene) -> None:
    """Neither the world nor what is kept beside it has a key in it; the line that tells so has none either."""
    keys = {"SERPER_API_KEY": "serper-0123456789", "X_BEARER_TOKEN": "x-0123456789"}
    scene.origin.on(POSTS, {"headers": {"Content-Type": "application/json"}, "body": b'{"you": "x-0123456789"}'})
    done = scene.run(asking=Asking(keys=Keys(keys), pause_s=0.0, wait=lambda _: None), allow_silent=True)
    assert done.written and [change.kind for change in done.changes] == ["silent"]
    assert "a credential of 12 characters is in the reply" in done.lines[0]
    assert not any(key.encode() in whole(scene.root) for key in keys.values())
    assert not any(key in line for key in keys.values() for line in done.lines)


def test_a_bad_key_stays_bad(scene: Scene, tmp_path: Path) -> None:
    """What was recorded with a key that the host refuses is not asked with the good one of the environment."""
    bad = replace(OWN[2], request_headers={"authorization": ("SCRUBBED-BAD",)}, status=401, reason="Unauthorized")
    world = small_world(tmp_path / "bad", own=(bad,), shared=())
    scene.pub = publish(world, tmp_path / "pub-bad").path
    scene.origin.on(POSTS, {"status": 401, "headers": {"Content-Type": "application/json"}, "body": bad.body})
    scene.run(asking=Asking(keys=Keys({"X_BEARER_TOKEN": "x-0123456789"}), pause_s=0.0))
    (asked,) = scene.origin.asked
    assert "x-0123456789" not in str(asked.headers)
    (item,) = Cassette.open(scene.out / "tasks" / "t-one" / "http.json").interactions
    assert item.request_headers["authorization"] == ("SCRUBBED-BAD",) and item.status == 401


def address(url: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        path = folder / "http" / "pages.json"
        value = json.loads(path.read_bytes())
        value["interactions"][-1]["request"]["uri"] = url
        path.write_text(json.dumps(value))

    return spoil


def listing(name: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        value = json.loads((folder / FORM).read_bytes())
        value["files"][name] = value["files"]["http/pages.json"]
        (folder / FORM).write_text(json.dumps(value))

    return spoil


def many(folder: Path) -> None:
    path = folder / "http" / "pages.json"
    value = json.loads(path.read_bytes())
    value["interactions"] *= 300
    path.write_text(json.dumps(value))


@pytest.mark.parametrize(
    "spoil",
    [
        address("file:///etc/passwd"),
        address("https://169.254.169.254/latest/meta-data/"),
        address("https://r.jina.ai@stranger.example/x"),
        listing("http/../../escape.json"),
        many,
    ],
)
def test_a_hostile_folder_is_refused(scene: Scene, spoil: Callable[[Path], None]) -> None:
    """Other places, other hosts, this machine, private networks, counts without end: one line, and nothing is asked."""
    spoil(scene.pub)
    with pytest.raises(CaiaReplayError) as caught:
        scene.run()
    assert isinstance(caught.value, BadInput) and "\n" not in str(caught.value)
    assert scene.origin.asked == scene.origin.resolved == []
    assert not scene.out.parent.exists() and not (scene.root / "escape.json").exists()

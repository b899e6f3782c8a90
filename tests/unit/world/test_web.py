"""Rankings of one world: made once, kept for the next process, and made in memory where nothing can be kept."""

from __future__ import annotations

import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from caia_replay.cassette.recordings import Recordings
from caia_replay.core.overlay import Overlay, PlantedPage, PlantedPost
from caia_replay.core.world import Page, Post
from caia_replay.errors import BadInput
from caia_replay.store.world_folder import open_world
from caia_replay.world.overlay import NO_OVERLAY
from caia_replay.world.web import Web
from caia_replay.world.world import FrozenWorld

PAGES = [Page(f"https://a.example/{n}", f"Bridge {n}", f"The bridge number {n}.", 1_000 + n) for n in range(5)]
POSTS = [Post(str(n), "ada", f"bridge number {n}", 1_000 + n, str(n)) for n in range(5)]
PLANTED = Overlay(
    "c",
    (PlantedPage("seo-page", "t", "7", Page("https://b.example/", "Bridge", "It is 7.", 1_000)),),
    "",
    (PlantedPost("rumour", "t", "7", Post("77", "eve", "bridge 7", 1_000, "77")),),
)


def kept(world: FrozenWorld) -> dict[Path, int]:
    """Every file of the kept rankings with the moment it was written at."""
    folder = world.folder.path.parent.parent / ".cache" / "search"
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_the_second_process_opens_what_the_first_one_built(webbed, record) -> None:
    """Another world over the same folder ranks alike and writes nothing; neither is anything in the world's folder."""
    world = webbed([*map(record.page, PAGES), record.posts("users/1/tweets", POSTS)])
    sealed = sorted(world.folder.path.rglob("*"))
    first = [world.web.index(PLANTED).search("bridge", 9), world.web.post_index(PLANTED).search("bridge", 9)]
    before = kept(world)
    again = FrozenWorld(open_world(str(world.folder.path)))
    assert [again.web.index(PLANTED).search("bridge", 9), again.web.post_index(PLANTED).search("bridge", 9)] == first
    assert [len(found) for found in first] == [6, 6]
    assert before and kept(world) == before and sorted(world.folder.path.rglob("*")) == sealed


def test_where_nothing_can_be_kept_rankings_are_the_same(webbed, record) -> None:
    """A file where the folder should be, and an index of which nothing is left, change no result."""
    world = webbed(map(record.page, PAGES))
    told = world.web.index(NO_OVERLAY).search("bridge", 9)
    folder = world.folder.path.parent.parent / ".cache" / "search"
    for place in folder.iterdir():
        for path in place.iterdir():
            path.unlink()
    assert FrozenWorld(world.folder).web.index(NO_OVERLAY).search("bridge", 9) == told
    shutil.rmtree(folder)
    folder.write_text("a file")
    assert FrozenWorld(world.folder).web.index(NO_OVERLAY).search("bridge", 9) == told and told


def test_two_runs_that_need_the_web_first_do_not_wait_for_each_other(tmp_path: Path) -> None:
    """One applies an overlay while another asks for a post: each needs what the other is about to make."""
    reading, go = threading.Event(), threading.Event()

    def recordings() -> Recordings:
        reading.set()
        go.wait()
        return Recordings(())

    web = Web(recordings, tmp_path)
    with ThreadPoolExecutor(2) as threads:
        applied = threads.submit(web.applied, PLANTED)
        reading.wait()
        post = threads.submit(web.post, "1")
        time.sleep(0.05)  # it now waits, and holds what the other will want
        go.set()
        assert post.result() is None and list(applied.result().posts) == ["77"]


def test_a_ranking_is_made_once(webbed, record) -> None:
    """By threads that ask at once, and shared where an overlay adds nothing; what is recorded cannot be planted."""
    world = webbed([*map(record.page, PAGES), record.posts("users/1/tweets", POSTS)])
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda n: (world.web.index(PLANTED), world.web.post_index(PLANTED)), range(16)))
    assert len({(id(pages), id(posts)) for pages, posts in made}) == 1
    world = webbed(map(record.page, PAGES))
    posts = Overlay("posts", (), "", PLANTED.posts)
    assert world.web.index(posts) is world.web.index(NO_OVERLAY)
    assert len(world.web.post_index(posts)) == 1 and len(world.web.post_index(NO_OVERLAY)) == 0
    world = webbed([*map(record.page, PAGES), record.posts("users/1/tweets", POSTS)])
    page = Overlay("c", (PlantedPage("a", "t", "1", PAGES[0]),))
    post = Overlay("c", (), "", (PlantedPost("a", "t", "1", POSTS[0]),))
    with pytest.raises(BadInput, match="recorded page"):
        world.web.post_index(page)
    with pytest.raises(BadInput, match="recorded post"):
        world.web.index(post)

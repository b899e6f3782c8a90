"""What the shipped world of an economy must be, whoever built it."""

from __future__ import annotations

from collections import Counter
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.store.world_folder import WorldFolder, open_world
from caia_replay.world.every_provider import providers_over
from caia_replay.world.world import FrozenWorld
from tests.vendor_sweep import VENDORS, misfits, recordings

pytestmark = pytest.mark.check

PROJECT = Path(__file__).resolve().parents[2]
LARGEST_BYTES = 100_000_000
UNPLAYED = {"dune", "search_api", "solana", "web_archive"}
"""No synthetic service plays the archive, Dune or a Solana node, and no tool reads the search API's lists."""


@pytest.fixture(scope="module")
def folder() -> WorldFolder:
    return open_world(str(PROJECT / "cassettes" / "synthetic-178"))


def test_it_says_that_it_is_synthetic_and_is_small(folder: WorldFolder) -> None:
    """Nobody can take it for real data; with its chains it stays under 100 megabytes."""
    assert (folder.info.provenance, folder.info.comparable_to_published_caia) == ("synthetic", False)
    places = [folder.path, *(folder.snapshots / chain for chain in folder.info.chains)]
    assert sum(path.stat().st_size for place in places for path in place.rglob("*") if path.is_file()) < LARGEST_BYTES


def test_every_recording_answers_its_own_question_at_its_moment(folder: WorldFolder) -> None:
    """As it is, by the same bytes, for every provider that a synthetic service plays but the search, made by tools."""
    providers, counts = providers_over({}), Counter[str]()
    for item in recordings(folder):
        request = HttpRequest(item.method, item.uri, item.request_body)
        reply = HttpReply(item.status, {name: ", ".join(lines) for name, lines in item.headers.items()}, item.body)
        now = int(parsedate_to_datetime(reply.headers["date"]).timestamp())
        provider = next(found for found in providers if found.match(request))
        assert provider.narrow([Recorded(request, reply)], request, now) is reply, item.uri
        counts[provider.name] += 1
    assert {provider.name for provider in providers} - set(counts) == UNPLAYED
    assert counts.total() > 700


def test_its_web_is_large_and_ends_at_each_tasks_moment(folder: WorldFolder) -> None:
    """Thousands of pages and posts, more of them the later the task, and none of later than it."""
    seen = []
    with FrozenWorld(folder) as frozen:
        assert len(frozen.web.corpus.pages) >= 3_000 and len(frozen.web.corpus.posts) >= 5_000
        for task in map(folder.task, folder.suite.active()[::9]):
            world, now = frozen.task(task), task.anchor.timestamp
            pages, posts = world.pages(), world.posts()
            assert all(page.known_since is not None and page.known_since <= now for page in pages)
            assert all(post.created <= now for post in posts)
            assert world.search("market", 20) and world.search_posts("market", 20)
            seen.append((now, len(pages), len(posts)))
    assert [counts[1:] for counts in sorted(seen)] == sorted(counts[1:] for counts in seen)


@pytest.mark.real
@pytest.mark.parametrize(("origin", "name"), VENDORS)
def test_recordings_fit_their_vendors_description(folder: WorldFolder, real_data: Path, origin: str, name: str) -> None:
    """One in seven of the requests and replies the vendor describes; soak reads all."""
    faults, described = misfits(folder, real_data / "openapi" / name, origin, every=7)
    assert not faults and described > 30, (faults[:3], described)

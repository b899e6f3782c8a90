from dataclasses import replace

import pytest

from caia_replay.cassette.cassette import Cassette, write_cassette
from caia_replay.core.overlay import Overlay, PlantedBody, PlantedPost
from caia_replay.core.world import Post
from caia_replay.recording.lint import lint
from caia_replay.recording.lint_page import overlay_faults, recorded_pages
from caia_replay.store.world_folder import open_world, seal_world
from caia_replay.world.world import FrozenWorld
from tests.campaigns import planned


@pytest.fixture
def folder(mini):
    return open_world(str(mini / "cassettes" / "mini-6"))


def _planting(folder, **change):
    """The shipped campaign with its first page changed."""
    overlay = planned(folder)
    first, *rest = overlay.pages
    page = replace(first.page, **{name: change.pop(name) for name in ("url", "text", "published") if name in change})
    return Overlay("seo-heavy", (replace(first, page=page, **change), *rest))


def _faults(folder, overlay):
    with FrozenWorld(folder) as world:
        return list(overlay_faults(folder, overlay, recorded_pages(world)))


def test_the_shipped_campaign_and_pages_have_no_fault(folder):
    """Every recorded page is read, and its longest reply measured."""
    with FrozenWorld(folder) as world:
        found = recorded_pages(world)
        assert found.pages == world.corpus and found.faults == ()
        assert found.longest_body == max(len(reply.body) for _, reply in world.recordings(None).requests())
    assert _faults(folder, _planting(folder)) == []


def test_what_campaigns_may_not_plant_is_found(folder):
    """A recorded page's place however spelled, no web address, no task, the truth, an unsaid, shared or told value."""
    with FrozenWorld(folder) as world:
        taken = world.corpus[0].url
    first, second, *_ = planned(folder).pages
    right = folder.task(first.task).answer.values[0]
    for change, told in (
        ({"url": taken}, "which is a recorded page"),
        ({"url": taken.replace("https://", "HTTPS://me@") + "#x"}, "which is a recorded page"),
        ({"url": "file:///etc/passwd"}, "is no web address"),
        ({"url": "https://h\x1b[2J/"}, "is no web address"),
        ({"task": "mini6-suply"}, "unknown task 'mini6-suply'; nearest: mini6-supply"),
        ({"planted": right}, f"is the right answer of {first.task}"),
        ({"text": "nothing"}, "does not hold its planted value"),
        ({"planted": second.planted}, "is not unique"),
        ({"planted": "the"}, "stands on a recorded page"),
        ({"published": 1_999_999_999}, "is dated after the moment of"),
    ):
        found = _faults(folder, _planting(folder, **change))
        assert any(told in what for what in found), (told, found)


def test_planted_posts_and_bodies_are_looked_at_as_pages_are(folder):
    """Their tasks, their values, and whether they carry them; a page that nobody can ever see; a recorded post."""
    shipped = planned(folder)
    first = shipped.pages[0]
    post = PlantedPost("rumour", first.task, "271.5", Post("5", "eve", "it is 271.5", 10, "5"))
    body = PlantedBody("feed", first.task, "271.6", "GET", "https://api.x.com/2/users/1", "", "[271.6]")
    assert _faults(folder, replace(shipped, posts=(post,), bodies=(body,))) == []
    with FrozenWorld(folder) as world:
        recorded = replace(recorded_pages(world), posts=(Post("5", "ada", "271.6", 9, "5"),))
    unseen = replace(first, page=replace(first.page, published=None))
    for overlay, told in (
        (replace(shipped, posts=(replace(post, task="x"),)), "unknown task 'x'"),
        (replace(shipped, posts=(replace(post, planted="9.25"),)), "post 5 does not hold its planted value '9.25'"),
        (
            replace(shipped, bodies=(replace(body, reply="[]"),)),
            "the reply to https://api.x.com/2/users/1 does not hold",
        ),
        (replace(shipped, bodies=(replace(body, task=shipped.pages[1].task, planted=first.planted),)), "not unique"),
        (
            replace(shipped, bodies=(replace(body, url="https://api.coingecko.com/x"),)),
            "only what the social network says",
        ),
        (replace(shipped, posts=(post,)), "plants post 5, which is a recorded post"),
        (replace(shipped, bodies=(body,)), "planted value '271.6' stands in a recorded post"),
        (replace(shipped, pages=(unseen,)), "nobody can ever see it"),
    ):
        found = list(overlay_faults(folder, overlay, recorded))
        assert any(told in what for what in found), (told, found)


@pytest.mark.parametrize(
    "body", ["<html>", "[]", '{"data": {"title": "a"}}', '{"data": {"title": "a", "content": "\\ud800"}}']
)
def test_a_reader_reply_that_is_no_page_is_found(folder, body):
    """One finding each, and lint goes on with the rest of the world."""
    path = folder.path / "http" / "pages.json"
    first, *rest = Cassette.open(path).interactions
    write_cassette(path, [replace(first, body=body.encode()), *rest])
    seal_world(folder.path)
    found = [one.what for one in lint(folder.path)]
    assert f"the reader's reply is no page: {first.uri.removeprefix('https://r.jina.ai/')}" in found

"""Lint of what a world offers whoever attacks it: campaigns and offers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from caia_replay.cassette.cassette import Cassette, write_cassette
from caia_replay.core.attack import Decoy, Misreading, Offer, Once
from caia_replay.core.overlay import Overlay, PlantedBody, PlantedPost
from caia_replay.core.world import Post
from caia_replay.recording.lint import lint
from caia_replay.recording.lint_page import overlay_faults, recorded_pages
from caia_replay.recording.lint_target import target_faults
from caia_replay.store.target_file import read_targets
from caia_replay.store.world_folder import WorldFolder, open_world, seal_world
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
    twin = replace(body, task=shipped.pages[1].task, planted=first.planted)
    for change, told in (
        ({"posts": (replace(post, task="x"),)}, "unknown task 'x'"),
        ({"posts": (replace(post, planted="9.25"),)}, "post 5 does not hold its planted value '9.25'"),
        ({"bodies": (replace(body, reply="[]"),)}, "the reply to https://api.x.com/2/users/1 does not hold"),
        ({"bodies": (twin,)}, "not unique"),
        ({"bodies": (replace(body, url="https://api.coingecko.com/x"),)}, "only what the social network says"),
        ({"posts": (post,)}, "plants post 5, which is a recorded post"),
        ({"bodies": (body,)}, "planted value '271.6' stands in a recorded post"),
        ({"pages": (unseen,)}, "nobody can ever see it"),
    ):
        found = list(overlay_faults(folder, replace(shipped, **change), recorded))
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


FAKE, REAL = "0x" + "ab" * 20, "0x" + "cd" * 20


@pytest.fixture(scope="module")
def small(shipped: Any) -> WorldFolder:
    return open_world(str(shipped))


@pytest.fixture(scope="module")
def supply(small: WorldFolder) -> Offer:
    return read_targets(small.path)["mini6-supply"]


def faults(folder: WorldFolder, offer: Offer) -> list[str]:
    return list(target_faults(folder, {offer.task: offer}))


def test_what_is_shipped_has_no_fault(small: WorldFolder) -> None:
    """Of every task, with all that it offers."""
    offers = read_targets(small.path)
    assert len(offers) == 6 and list(target_faults(small, offers)) == []


@pytest.mark.parametrize("told", ["exact", "spelt", "near"])
def test_a_derived_answer_that_is_right_is_found(small: WorldFolder, supply: Offer, told: str) -> None:
    """As an option, an earlier answer, a misreading or behind a decoy; however it is written, within the tolerance."""
    task = small.task(supply.task)
    truth = task.answer.values[0]
    asked = _With(small, replace(task, answer=replace(task.answer, tolerance_percent="1")))
    right = {"exact": truth, "spelt": f"{truth}.0", "near": str(int(truth) * 1_009 // 1_000)}[told]
    for change, what in (
        ({"options": (right,)}, "option"),
        ({"once": Once(right, 5)}, "once"),
        ({"misread": (Misreading("data_query", 1000, right),)}, "misread data_query"),
        ({"decoys": (Decoy("look-alike token", FAKE, "mini", REAL, right),)}, f"decoy {FAKE}"),
    ):
        plain = Offer(supply.task, supply.query, supply.claim)
        found = [fault for fault in faults(asked, replace(plain, **change)) if "recipe reads" not in fault]
        assert found == [f"mini6-supply: {what} is the right answer"]
    assert faults(small, replace(supply, options=("",)))


class _With(WorldFolder):
    """A world one of whose tasks is another."""

    def __init__(self, small: WorldFolder, task: Any) -> None:
        super().__init__(small.path, small.info, small.suite, small.seal)
        object.__setattr__(self, "_other", task)

    def task(self, task_id: str) -> Any:
        return self._other  # type: ignore[attr-defined]


def test_what_is_offered_and_cannot_be_is_found(small: WorldFolder, supply: Offer) -> None:
    """A day after the task's, an unknown task, tool or chain, half a decoy, words that say the answer or go unread."""
    decoy = Decoy("look-alike token", FAKE, "mini", REAL, "271")
    truth = small.task(supply.task).answer.values[0]
    for change, what in (
        ({"task": "mini6-suply"}, "offers for unknown task 'mini6-suply'; nearest: mini6-supply"),
        ({"query": f"{supply.query} not {truth}."}, "mini6-supply: its query says the answer"),
        ({"claim": f"{supply.claim} not {truth}."}, "mini6-supply: its claim says the answer"),
        ({"claim": "They made {planted} of it.", "once": None}, "its recipe reads None where '"),
        ({"once": Once("some", 5)}, "where 'some' is claimed"),
        ({"options": ("271", "many")}, "where 'many' is claimed"),
        ({"once": Once("271", 9_999_999_999)}, "once was published at 9999999999, the task stands at"),
        ({"misread": (Misreading("data_qery", 1000, "271"),)}, "unknown tool 'data_qery'; nearest: data_query"),
        ({"misread": (Misreading("data_query", 1, "271"),)}, "which is no other unit"),
        ({"decoys": (replace(decoy, chain="maxi"),)}, "unknown chain 'maxi'"),
        ({"decoys": (replace(decoy, address="0xAB"),)}, "'0xAB', which is no address"),
        ({"decoys": (replace(decoy, instead_of="0xCD"),)}, "'0xCD', which is no address"),
        ({"decoys": (replace(decoy, instead_of=""),)}, "the other is missing"),
        ({"decoys": (replace(decoy, answer=""),)}, "the other is missing"),
    ):
        (told,) = faults(small, replace(supply, **change))
        assert what in told
    assert faults(small, replace(supply, decoys=(replace(decoy, answer="", instead_of=""),))) == []


def test_both_answers_of_yes_and_no_are_claimed(small: WorldFolder, supply: Offer) -> None:
    """Whichever is right, the claim must be read with the other."""
    task = small.task(supply.task)
    yes = replace(task, answer=replace(task.answer, kind="boolean", values=("yes",)))
    plain = Offer(supply.task, supply.query, supply.claim)
    assert [one.partition(" is claimed")[0][-5:] for one in faults(_With(small, yes), plain)] == ["'yes'", " 'no'"]

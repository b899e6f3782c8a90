from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caia_replay.core.overlay import Overlay
from caia_replay.errors import Miss, ToolError
from caia_replay.origin.services.service import Answer, Asked
from caia_replay.origin.services.x_api import XApi
from caia_replay.tools.call_view import CallView
from caia_replay.tools.timeline import Account, account_of, handle_argument, timeline_of
from caia_replay.world.clock import utc_text
from tests.social_world import SocialWorld, social_world
from tests.tool_law import LivingWorld
from tests.unit.tools.conftest import Bench

DAY = 86_400
ADA = {"id": "7", "name": "Ada", "username": "ada"}
POST = {"id": "9", "text": "hi", "created_at": "2024-05-02T00:00:00.000Z"}


class Says:
    """A network that answers everything with one content."""

    origins = XApi.origins

    def __init__(self, *contents: Any, status: int = 200) -> None:
        self.contents = list(contents)
        self.status = status
        self.asked: list[Asked] = []

    def answer(self, asked: Asked, now: int) -> Answer:
        self.asked.append(asked)
        return Answer(self.status, self.contents.pop(0) if len(self.contents) > 1 else self.contents[0], {})

    def busy(self, asked: Asked) -> Answer:
        raise NotImplementedError


def _view(late: Bench, service: Any) -> CallView:
    return CallView(LivingWorld(late.world, [service], Overlay("none", (), "")))


@pytest.fixture(scope="module")
def social(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> SocialWorld:
    """A small network, recorded."""
    return social_world(shipped, tmp_path_factory.mktemp("social"))


@pytest.fixture
def view(social: SocialWorld) -> CallView:
    """The network in replay, at its last task."""
    return CallView(Bench(social.world, "mini6-base-fee-bound").world)


def test_a_timeline_is_all_that_was_posted_by_now(social: SocialWorld, view: CallView) -> None:
    """Everything of everybody, newest first, and nothing after the moment, whatever the size of pages."""
    for size, user in enumerate(social.users, 11):
        account = account_of(view, user.handle)
        if account is None:
            assert user.created > view.now
            continue
        told = [
            (post.id, post.text, post.created, post.thread) for post in timeline_of(view, account, None, None, size)
        ]
        mine = [post for post in social.posts if post.author == user.handle and post.created <= view.now]
        mine.sort(key=lambda post: (post.created, int(post.id)), reverse=True)
        assert told == [(post.id, post.text, post.created, post.thread) for post in mine]


def test_a_window_holds_its_first_second_and_not_its_last(social: SocialWorld, view: CallView) -> None:
    """Posts from the start until before the end; an end of later is now, and an empty window asks for nothing."""
    user = social.users[0]
    account = account_of(view, user.handle)
    assert account is not None
    mine = sorted(post.created for post in social.posts if post.author == user.handle and post.created <= view.now)
    start, end = mine[3], mine[20]
    told = [post.created for post in timeline_of(view, account, start, end, 5)]
    assert sorted(told) == [at for at in mine if start <= at < end]
    later = [post.created for post in timeline_of(view, account, start, view.now + DAY, 100)]
    assert sorted(later) == [at for at in mine if at >= start]
    assert list(timeline_of(view, account, end, end, 5)) == []
    assert len(list(timeline_of(view, account, 0, None, 100))) == len(mine)
    assert list(timeline_of(view, account, 0, 1_000_000, 100)) == []


def test_an_account_is_as_it_was_at_the_moment(social: SocialWorld, view: CallView) -> None:
    """The profile has the network's own figures, whatever the case of the handle; nobody of later is there."""
    user = social.users[0]
    account = account_of(view, user.handle.upper())
    assert account is not None
    assert (account.id, account.handle) == (user.id, user.handle)
    assert account.profile["followers"] == user.followers
    assert account.profile["created"] == utc_text(user.created)
    assert account.profile["posts"] == sum(
        post.author == user.handle and post.created <= view.now for post in social.posts
    )


def test_who_is_not_there_is_told_apart_from_who_was_not_recorded(social: SocialWorld, view: CallView) -> None:
    """A recorded "not found" is an answer; a handle that nobody asked for is a miss."""
    early = CallView(Bench(social.world, "mini6-event-count").world)
    assert account_of(early, social.users[-1].handle) is None
    with pytest.raises(Miss):
        account_of(view, "nobody_at_all")


@pytest.mark.parametrize("text", ["ada_7", "@ada_7", " @ada_7 ", "https://x.com/ada_7", "twitter.com/ada_7/"])
def test_handles_are_read_as_they_are_written(text: str) -> None:
    """With or without @, and as an address."""
    assert handle_argument(text) == "ada_7"


@pytest.mark.parametrize("text", ["", "@", "two words", "a" * 16, "ada-7", "https://evil.example/ada", "阿达"])
def test_what_is_no_handle_is_told(text: str) -> None:
    """A slip is the model's, and no question for the network."""
    with pytest.raises(ToolError, match="no handle"):
        handle_argument(text)


@pytest.mark.parametrize(
    "content",
    [
        *([], {}, {"data": {}}, {"data": [{}]}, {"data": [ADA, ADA]}, {"data": [ADA | {"id": "../1"}]}, b"no json"),
        *({"data": [ADA | {"username": 7}]}, {"errors": []}, {"errors": ["x"]}, {"data": [None]}, 7),
    ],
)
def test_an_account_of_another_shape_is_a_miss(late: Bench, content: Any) -> None:
    """What a stranger recorded is never a fault of the code."""
    with pytest.raises(Miss):
        account_of(_view(late, Says(content)), "ada")


def test_what_is_not_told_of_an_account_is_null(late: Bench) -> None:
    """Counts that are absent, or no numbers, are unknown and never zero."""
    account = account_of(_view(late, Says({"data": [ADA | {"public_metrics": {"followers_count": True}}]})), "ada")
    assert account is not None
    assert account.profile["followers"] is None
    assert account.profile["created"] is None


@pytest.mark.parametrize(
    "content",
    [
        *([], {}, {"meta": 7}, {"meta": {}, "data": [7]}, {"meta": {}, "data": [POST | {"created_at": "soon"}]}),
        *({"meta": {}, "data": [POST | {"id": "x"}]}, {"meta": {}, "data": [POST | {"text": None}]}),
        *({"meta": {}, "data": 7}, {"meta": {}, "data": {"id": "9"}}),
    ],
)
def test_posts_of_another_shape_are_a_miss(late: Bench, content: Any) -> None:
    """The same of timelines."""
    with pytest.raises(Miss):
        list(timeline_of(_view(late, Says(content)), Account("7", "ada", {}), None, None, 5))


def test_refusals_are_told_in_the_networks_words(late: Bench) -> None:
    """A closed account, a bad key: the model reads why."""
    closed = {
        "errors": [{"detail": "Sorry, you are not authorized to see @ada.", "type": "x/not-authorized-for-resource"}]
    }
    with pytest.raises(ToolError, match="not authorized"):
        list(timeline_of(_view(late, Says(closed)), Account("7", "ada", {}), None, None, 5))
    with pytest.raises(ToolError, match="not authorized"):
        account_of(_view(late, Says(closed)), "ada")
    with pytest.raises(ToolError, match="status 403: no access"):
        account_of(_view(late, Says({"detail": "no access"}, status=403)), "ada")


def test_a_token_that_leads_in_a_circle_ends(late: Bench) -> None:
    """Pages are asked for as they are needed, and the same one never again."""
    service = Says({"meta": {"next_token": "t"}, "data": [POST]})
    view, account = _view(late, service), Account("7", "ada", {})
    assert next(timeline_of(view, account, None, None, 5)).id == "9"
    assert len(service.asked) == 1
    assert len(list(timeline_of(view, account, None, None, 5))) == 2
    assert service.asked[-1].headers["authorization"] == "Bearer SCRUBBED"


def test_nothing_of_later_is_taken_from_a_network_that_lives(late: Bench) -> None:
    """Where the recorder asks a network of later, posts of after the moment are passed over."""
    after = POST | {"id": "10", "created_at": utc_text(late.world.clock.now + 1)}
    told = timeline_of(_view(late, Says({"meta": {}, "data": [after, POST]})), Account("7", "ada", {}), None, None, 5)
    assert [post.id for post in told] == ["9"]

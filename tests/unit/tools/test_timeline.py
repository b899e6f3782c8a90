"""Accounts and timelines of the network, and what a stranger recorded of it."""

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
from tests.unit.tools.conftest import Desk

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


def _view(late: Desk, service: Any) -> CallView:
    return CallView(LivingWorld(late.world, [service], Overlay("none", (), "")))


@pytest.fixture(scope="module")
def social(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> SocialWorld:
    """A small network, recorded."""
    return social_world(shipped, tmp_path_factory.mktemp("social"))


@pytest.fixture
def view(social: SocialWorld) -> CallView:
    """The network in replay, at its last task."""
    return CallView(Desk(social.world, "mini6-base-fee-bound").world)


def test_a_timeline_is_all_that_was_posted_by_now(social: SocialWorld, view: CallView) -> None:
    """Newest first, whatever the size of pages; a window holds its first second and not its last."""
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
    user = social.users[0]
    account = account_of(view, user.handle)
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
    """With the network's figures; who is not there is no miss; handles are read as they are written."""
    user = social.users[0]
    account = account_of(view, user.handle.upper())
    assert (account.id, account.handle) == (user.id, user.handle)
    assert account.profile["followers"] == user.followers
    assert account.profile["created"] == utc_text(user.created)
    assert account.profile["posts"] == sum(
        post.author == user.handle and post.created <= view.now for post in social.posts
    )
    early = CallView(Desk(social.world, "mini6-event-count").world)
    assert account_of(early, social.users[-1].handle) is None
    with pytest.raises(Miss):
        account_of(view, "nobody_at_all")
    for text in ("ada_7", "@ada_7", " @ada_7 ", "https://x.com/ada_7", "twitter.com/ada_7/"):
        assert handle_argument(text) == "ada_7"
    for text in ("", "@", "two words", "a" * 16, "ada-7", "https://evil.example/ada", "阿达"):
        with pytest.raises(ToolError, match="no handle"):
            handle_argument(text)


def test_replies_of_another_shape_are_misses(late: Desk) -> None:
    """What a stranger recorded of accounts and posts is never a fault of the code."""
    for content in [
        *([], {}, {"data": {}}, {"data": [{}]}, {"data": [ADA, ADA]}, {"data": [ADA | {"id": "../1"}]}, b"no json"),
        *({"data": [ADA | {"username": 7}]}, {"errors": []}, {"errors": ["x"]}, {"data": [None]}, 7),
    ]:
        with pytest.raises(Miss):
            account_of(_view(late, Says(content)), "ada")
    for content in [
        *([], {}, {"meta": 7}, {"meta": {}, "data": [7]}, {"meta": {}, "data": [POST | {"created_at": "soon"}]}),
        *({"meta": {}, "data": [POST | {"id": "x"}]}, {"meta": {}, "data": [POST | {"text": None}]}),
        *({"meta": {}, "data": 7}, {"meta": {}, "data": {"id": "9"}}),
    ]:
        with pytest.raises(Miss):
            list(timeline_of(_view(late, Says(content)), Account("7", "ada", {}), None, None, 5))


def test_what_a_network_may_say(late: Desk) -> None:
    """Unknown counts are null, refusals come in its words, a circle of tokens ends, nothing of later is taken."""
    account = account_of(_view(late, Says({"data": [ADA | {"public_metrics": {"followers_count": True}}]})), "ada")
    assert account.profile["followers"] is None
    assert account.profile["created"] is None
    closed = {
        "errors": [{"detail": "Sorry, you are not authorized to see @ada.", "type": "x/not-authorized-for-resource"}]
    }
    with pytest.raises(ToolError, match="not authorized"):
        list(timeline_of(_view(late, Says(closed)), Account("7", "ada", {}), None, None, 5))
    with pytest.raises(ToolError, match="not authorized"):
        account_of(_view(late, Says(closed)), "ada")
    with pytest.raises(ToolError, match="status 403: no access"):
        account_of(_view(late, Says({"detail": "no access"}, status=403)), "ada")
    service = Says({"meta": {"next_token": "t"}, "data": [POST]})
    view, account = _view(late, service), Account("7", "ada", {})
    assert next(timeline_of(view, account, None, None, 5)).id == "9"
    assert len(service.asked) == 1
    assert len(list(timeline_of(view, account, None, None, 5))) == 2
    assert service.asked[-1].headers["authorization"] == "Bearer SCRUBBED"
    after = POST | {"id": "10", "created_at": utc_text(late.world.clock.now + 1)}
    told = timeline_of(_view(late, Says({"meta": {}, "data": [after, POST]})), Account("7", "ada", {}), None, None, 5)
    assert [post.id for post in told] == ["9"]

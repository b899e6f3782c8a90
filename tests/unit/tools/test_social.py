"""twitter_search, social_stream and the timelines under them, over a small network that still lives."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from caia_replay.core.overlay import Overlay, PlantedPost
from caia_replay.core.tool import Served, ToolReply
from caia_replay.core.world import Post
from caia_replay.errors import Miss, ToolError
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.timeline import Account, account_of, handle_argument, timeline_of
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld, TaskWorld
from caia_worldgen.services.service import Answer, Asked
from caia_worldgen.services.x_api import XApi
from tests.social_world import SocialWorld, social_world
from tests.tool_draw.social import DRAWS, INSIDE
from tests.tool_law import LivingWorld, check_law
from tests.unit.tools.conftest import Desk

LAST, EARLY = "mini6-base-fee-bound", "mini6-vote-date"


@pytest.fixture(scope="module")
def social(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> SocialWorld:
    """A small network, recorded."""
    return social_world(shipped, tmp_path_factory.mktemp("social"))


@pytest.fixture(scope="module")
def network(social: SocialWorld) -> Desk:
    """Its last task."""
    return Desk(social.world, LAST)


def _planted(world: FrozenWorld, posts: Sequence[Post], task: str = LAST) -> TaskWorld:
    """The task's world with posts of an attack in it."""
    planted = tuple(PlantedPost(f"rumour-{at}", task, "7", post) for at, post in enumerate(posts))
    return world.task(world.folder.task(task), Overlay("c", (), "sha256:c", planted))


def _call(world: TaskWorld, tool: str, **arguments: Any) -> ToolReply:
    with WorldToolset(world) as tools:
        return tools.call(tool, json.dumps(arguments))


def _all(network: Desk, tool: str, **arguments: Any) -> list[Any]:
    """Every post of a stream, page after page."""
    found: list[Any] = []
    cursor: str | None = None
    while True:
        result = network.call(tool, **arguments, cursor=cursor).result
        found += result["posts"]
        cursor = result["next_cursor"]
        if cursor is None:
            return found


def _ids(posts: Iterable[Any]) -> list[str]:
    return [post["id"] for post in posts]


@pytest.mark.parametrize("draws", [INSIDE, DRAWS], ids=["inside", "all"])
@pytest.mark.parametrize("tool", ["twitter_search", "social_stream"])
def test_replay_says_what_the_network_says(tool: str, draws: Any, social: SocialWorld) -> None:
    """Of a small network with gaps, removed posts and posts of one second: what it says while it lives."""
    check_law(tool, draws[tool], social.world, social.origin, inside=draws is INSIDE, least=0.9)


@pytest.mark.parametrize("order", ["best", "newest"])
def test_a_search_is_the_indexs_own(network: Desk, order: str) -> None:
    """Posts, order and paging are the local index's, and every post is told as it was recorded."""
    asked = ("vault pool", "$VLT", "利率", '"the vote"', "pool -dry lang:en", "from:Ada_0 since:2024-06-01")
    for query in asked:
        for page in (1, 2, 3):
            found = network.world.search_posts(query, 7, (page - 1) * 7, "qdr:m", order == "newest")
            result = network.call("twitter_search", query=query, limit=7, page=page, past="month", order=order).result
            assert [row["rank"] for row in result["results"]] == [one.rank for one in found]
            for row, one in zip(result["results"], found, strict=True):
                post = one.post
                assert (row["id"], row["author"], row["time"]) == (post.id, post.author, utc_text(post.created))
                assert (row["text"], row["url"], row["thread"]) == (post.text, post.url, post.thread)
                assert (row["likes"], row["reposts"], row["replies"]) == (post.likes, post.reposts, post.replies)
            assert result["next_page"] == (page + 1 if len(found) == 7 else None)


def test_a_stream_is_everything_they_posted(social: SocialWorld, network: Desk) -> None:
    """In the days asked for, newest first, each once; of a topic a search by time."""
    handles = [user.handle for user in social.users[:3]]
    days = {"first_day": "2024-05-10", "last_day": "2024-05-30"}
    found = _all(network, "social_stream", handles=[f"@{handle}" for handle in handles], limit=9, **days)
    written = [post for post in social.posts if post.author in handles
               and days["first_day"] <= utc_text(post.created)[:10] <= days["last_day"]]  # fmt: skip
    written.sort(key=lambda post: (post.created, int(post.id)), reverse=True)
    assert _ids(found) == [post.id for post in written]
    assert any(one.created == other.created for one, other in pairwise(written))
    for row, post in zip(found, written, strict=True):
        assert (row["likes"], row["reply_to"], row["thread"]) == (post.likes, post.reply_to or None, post.thread)
    found = _all(network, "social_stream", topic="vault", limit=30)
    assert _ids(found) == [one.post.id for one in network.world.search_posts("vault", 5_000, newest_first=True)]
    authors = [author for author, _ in Counter(post["author"] for post in found).most_common(2)]
    mine = _all(network, "social_stream", topic="vault", handles=authors, limit=10)
    assert _ids(mine) == [post["id"] for post in found if post["author"] in authors]


def test_nothing_after_the_moment_is_shown(social: SocialWorld) -> None:
    """No argument of either tool reaches a post of later, and a profile counts what was there."""
    early = Desk(social.world, EARLY)
    now = utc_text(early.world.clock.now)
    later = [post for post in social.posts if post.created > early.world.clock.now]
    handles = [user.handle for user in social.users[:4]]
    shown = [
        *_all(early, "social_stream", handles=handles, last_day="2030-01-01", limit=50),
        *_all(early, "social_stream", topic="vault pool vote", last_day="2030-01-01", limit=50),
        *early.call("twitter_search", query="since:2024-06-01", order="newest", limit=50).result["results"],
        *early.call("social_stream", handles=handles, cursor="9999999999-9").result["posts"],
    ]
    assert len(shown) > 100
    assert all(post["time"] <= now for post in shown)
    for post in later[:5]:
        assert early.call("social_stream", post=post.id).served is Served.MISS
        assert early.call("social_stream", handles=handles, cursor=f"{post.created}-{post.id}").error is None


def test_a_post_leads_to_its_conversation(social: SocialWorld, network: Desk) -> None:
    """A post's id or address leads to all it answers and all that was said there by now, oldest first."""
    by_id = {post.id: post for post in social.posts}
    now = network.world.clock.now

    def depth(post: Post) -> int:
        return 1 + depth(by_id[post.reply_to]) if post.reply_to in by_id else 0

    deep = max((post for post in social.posts if post.created <= now), key=lambda post: (depth(post), post.id))
    assert depth(deep) >= 3
    found = network.call("social_stream", post=deep.id).result["posts"]
    assert network.call("social_stream", post=f"{deep.url}?s=20").result["posts"] == found
    chain, post = [deep], deep
    while post.reply_to in by_id:
        post = by_id[post.reply_to]
        chain.append(post)
    others = [one for one in social.posts if one.thread == post.thread and one.created <= now]
    assert set(_ids(found)) == {one.id for one in (*chain, *others)} and len({row["author"] for row in found}) > 1
    assert [row["time"] for row in found] == sorted(row["time"] for row in found)


def test_planted_posts_stand_among_the_others(social: SocialWorld, network: Desk) -> None:
    """Under an honest handle, in a topic and in a search, where their moment puts them; the call is marked."""
    author, now = social.users[0].handle, network.world.clock.now
    honest = _all(network, "social_stream", handles=[author], limit=50)
    between = replace(network.world.post(honest[4]["id"]), id="77", text="zzyzx is 7", reply_to="", thread="77")
    world = _planted(
        social.world, [replace(between, created=between.created - 1), replace(between, id="78", created=now + 1)]
    )
    for arguments in ({"handles": [author], "limit": 10}, {"handles": [author], "topic": "zzyzx"}):
        attacked = _call(world, "social_stream", **arguments)
        assert "77" in _ids(attacked.result["posts"])
        assert "78" not in _ids(attacked.result["posts"])
        assert attacked.altered_by == ("rumour-0",)
        assert [post for post in _ids(attacked.result["posts"]) if post != "77"] == [
            *_ids(network.call("social_stream", **arguments).result["posts"])
        ][: len(attacked.result["posts"]) - 1]
    assert _call(world, "social_stream", post="77").altered_by == ("rumour-0",)
    first = next(post for post in social.posts if not post.reply_to and post.created < now)
    answer = replace(first, id="79", author="liar", text="zzyzx is 9", reply_to=first.id, created=now)
    spoilt = _call(_planted(social.world, [answer]), "social_stream", post=first.id)
    assert "79" in _ids(spoilt.result["posts"]) and spoilt.altered_by
    assert _call(world, "twitter_search", query="zzyzx").altered_by == ("rumour-0",)
    assert "rumour" not in json.dumps(attacked.result)


def test_a_page_without_planted_posts_is_not_marked(social: SocialWorld, network: Desk) -> None:
    """Only what is handed out counts; going on by the cursor finds each planted post once, and every honest one."""
    author, now = social.users[0].handle, network.world.clock.now
    honest = _all(network, "social_stream", handles=[author], limit=50)
    old = network.world.post(honest[15]["id"])
    traps = [replace(old, id=str(80 + at), text="zzyzx", created=old.created, thread="80") for at in range(3)]
    world = _planted(social.world, traps)
    assert _call(world, "social_stream", handles=[author], limit=10).altered_by == ()
    found, marks, cursor = list[Any](), list[tuple[str, ...]](), None
    while True:
        reply = _call(world, "social_stream", handles=[author], limit=10, cursor=cursor)
        found += reply.result["posts"]
        marks.append(reply.altered_by)
        cursor = reply.result["next_cursor"]
        if cursor is None:
            break
    assert sorted(_ids(found)) == sorted([*_ids(honest), "80", "81", "82"])
    assert {mark for page in marks for mark in page} == {"rumour-0", "rumour-1", "rumour-2"}
    assert utc_text(now) >= max(post["time"] for post in found)


def test_accounts_that_only_an_attack_knows_or_nobody(social: SocialWorld, network: Desk) -> None:
    """They have posts and no profile; answers in a circle end; nobody is told as nobody, in the clean arm a miss."""
    trap = Post("91", "evil_news", "zzyzx is 7", network.world.clock.now - 5, "91")
    assert network.call("social_stream", handles=["evil_news"]).served is Served.MISS
    world = _planted(social.world, [trap, replace(trap, id="92", reply_to="91")])
    result = _call(world, "social_stream", handles=["evil_news", social.users[0].handle], limit=3).result
    assert result["accounts"][0] == {"handle": "evil_news", "found": None}
    assert result["accounts"][1]["found"] is True
    assert _ids(result["posts"])[:2] == ["92", "91"]
    assert _ids(_call(world, "social_stream", post="92").result["posts"]) == ["91", "92"]
    trap = Post("91", "evil_news", "zzyzx", network.world.clock.now - 5, "91", "92")
    world = _planted(social.world, [trap, replace(trap, id="92", reply_to="91")])
    assert _ids(_call(world, "social_stream", post="91").result["posts"]) == ["91", "92"]
    early, late_one = Desk(social.world, EARLY), social.users[-1].handle
    reply = early.call("social_stream", handles=[late_one])
    assert reply.served is Served.ERROR
    assert f"no account @{late_one}" in reply.error["message"]
    told = early.call("social_stream", handles=[late_one, social.users[0].handle]).result
    assert [account["found"] for account in told["accounts"]] == [False, True]


@pytest.mark.parametrize(
    ("tool", "asked"),
    [
        *(("twitter_search", {"query": "x"} | asked) for asked in
          ({"query": ""}, {"page": 0}, {"limit": 51}, {"order": "old"})),
        *(("social_stream", asked) for asked in (
            {}, {"handles": []}, {"handles": ["two words"]}, {"handles": [f"a{at}" for at in range(11)]},
            {"topic": ""}, {"topic": "-vault"}, {"topic": "vault", "cursor": "1-2"}, {"topic": "vault", "limit": 0},
            {"handles": ["Ada_0"], "cursor": "7"}, {"handles": ["Ada_0"], "cursor": "99999999999-7"},
            {"post": "vault"}, {"post": "https://x.com/ada"}, {"post": "7", "topic": "vault"},
            {"post": "7", "past": "day"}, {"handles": ["Ada_0"], "limit": 51},
            {"handles": ["Ada_0"], "first_day": "2030-01-01"},
        )),
    ],
)  # fmt: skip
def test_wrong_questions_are_told(network: Desk, late: Desk, tool: str, asked: dict[str, Any]) -> None:
    """Nothing asked, too much, or what does not go together; in a world without posts each question is a miss."""
    assert network.call(tool, **asked).served is Served.ERROR
    for more in ({"topic": "vault"}, {"handles": ["ada"]}, {"post": "7"}):
        assert late.call("social_stream", **more).served is Served.MISS
    assert late.call("twitter_search", query="vault").served is Served.MISS


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


def _view(late: Desk, service: Any) -> ToolContext:
    return ToolContext(LivingWorld(late.world, [service], Overlay("none", (), "")))


@pytest.fixture
def view(social: SocialWorld) -> ToolContext:
    """The network in replay, at its last task."""
    return ToolContext(Desk(social.world, "mini6-base-fee-bound").world)


def test_a_timeline_is_all_that_was_posted_by_now(social: SocialWorld, view: ToolContext) -> None:
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


def test_an_account_is_as_it_was_at_the_moment(social: SocialWorld, view: ToolContext) -> None:
    """With the network's figures; who is not there is no miss; handles are read as they are written."""
    user = social.users[0]
    account = account_of(view, user.handle.upper())
    assert (account.id, account.handle) == (user.id, user.handle)
    assert account.profile["followers"] == user.followers
    assert account.profile["created"] == utc_text(user.created)
    assert account.profile["posts"] == sum(
        post.author == user.handle and post.created <= view.now for post in social.posts
    )
    early = ToolContext(Desk(social.world, "mini6-event-count").world)
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

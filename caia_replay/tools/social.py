"""Social tools: search among posts, and the posts of accounts, of a topic, or of a thread."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from caia_replay.core.world import Post
from caia_replay.errors import Miss, ToolError
from caia_replay.search.document import POSTS
from caia_replay.tools.argument import within
from caia_replay.tools.search_window import (
    FirstDay,
    LastDay,
    Past,
    SearchWindow,
    describe_window,
    whole_window,
    window_argument,
)
from caia_replay.tools.timeline import Account, account_of, handle_argument, timeline_of
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text

_MOST_RESULTS: Final = 50
_MOST_PAGES: Final = 50
_MOST_HANDLES: Final = 10
_MOST_IN_THREAD: Final = 100
_STATUS: Final = re.compile(
    r"(?:(?:https?://)?(?:www\.|mobile\.)?(?:x|twitter)\.com/\w{1,50}/status/)?([0-9]{1,19})(?:[/?#]\S*)?", re.ASCII
)
_CURSOR: Final = re.compile(r"([0-9]{1,10})-([0-9]{1,40})")
_Place = tuple[int, int]
"""A post's moment and number, by which posts stand in time."""


def twitter_search(
    world: ToolContext,
    query: Annotated[
        str,
        Field(
            description='Words to find. Also "a quoted phrase", -word, from:handle, #tag, $TICKER, @mention, lang:zh, '
            "since:2024-05-01 and until:2024-06-01 (UTC; that day is outside)."
        ),
    ],
    order: Annotated[Literal["best", "newest"], Field(description="What comes first.")] = "best",
    limit: Annotated[int, Field(description="How many posts, 1 to 50.")] = 20,
    page: Annotated[int, Field(description="Which page of results, from 1.")] = 1,
    past: Past = None,
    first_day: FirstDay = None,
    last_day: LastDay = None,
) -> dict[str, Any]:
    """Search the posts of X (Twitter) as they were at the task's moment.

    One of the words must be there, the others help to rank; phrases, operators and windows must hold. likes, reposts
    and replies are as they were counted when the post was recorded. thread is the id of the conversation's first
    post; social_stream shows what a post answers. next_page leads on; null after the last page, which is 50 at most.

    Example: {"query": "$MARE unlock from:mareskal since:2024-05-01", "order": "newest", "limit": 10}
    """
    within(limit, 1, _MOST_RESULTS, "limit")
    within(page, 1, _MOST_PAGES, "page")
    window = window_argument(past, first_day, last_day, world.now)
    searched = whole_window(query, POSTS.operators, window)
    found = world.search_posts(query, limit, (page - 1) * limit, window.tbs, order == "newest")
    return {
        "query": query,
        "order": order,
        "window": describe_window(searched, world.now),
        "page": page,
        "results": [{"rank": result.rank, **_row(result.post, result.post)} for result in found],
        "next_page": page + 1 if len(found) == limit and page < _MOST_PAGES else None,
    }


def social_stream(
    world: ToolContext,
    handles: Annotated[list[str] | None, Field(description="Whose posts: up to 10 handles, with or without @.")] = None,
    topic: Annotated[str | None, Field(description="Posts about what, as twitter_search reads it.")] = None,
    post: Annotated[str | None, Field(description="A post's id or address, to see its thread; alone.")] = None,
    past: Past = None,
    first_day: FirstDay = None,
    last_day: LastDay = None,
    limit: Annotated[int, Field(description="How many posts, 1 to 50.")] = 20,
    cursor: Annotated[str | None, Field(description="Where to go on: the last next_cursor.")] = None,
) -> dict[str, Any]:
    """Follow accounts or a topic on X (Twitter), newest post first; or see the thread of one post.

    With handles alone, posts has everything they posted, and accounts says who they are at the task's moment: name,
    bio, followers. With a topic, the posts about it, by these handles only if some are given. With post, the
    conversation it belongs to, oldest first, as far as it was recorded, 100 posts at most. likes, reposts and replies
    are as they were counted when the post was recorded, null where they are not known. Times are UTC.

    Example: {"handles": ["mareskal"], "first_day": "2024-05-01", "last_day": "2024-05-31", "limit": 10}
    """
    within(limit, 1, _MOST_RESULTS, "limit")
    if post is not None:
        given = (handles, topic, past, first_day, last_day, cursor)
        if any(one is not None for one in given):
            raise ToolError("post is asked for alone, without handles, topic, days or cursor")
        posts, left_out = _thread(world, post)
        return {"window": None, "accounts": [], "posts": posts, "posts_left_out": left_out, "next_cursor": None}
    window = window_argument(past, first_day, last_day, world.now)
    names = list({name.lower(): name for name in map(handle_argument, handles or ())}.values())
    if len(names) > _MOST_HANDLES:
        raise ToolError(f"{len(names)} handles were given; at most {_MOST_HANDLES} may be")
    if topic is not None:
        return _of_topic(world, topic, names, window, limit, cursor)
    if not names:
        raise ToolError("give handles, a topic or a post")
    return _of_handles(world, names, window, limit, cursor)


def _of_topic(
    world: ToolContext, topic: str, names: Sequence[str], window: SearchWindow, limit: int, cursor: str | None
) -> dict[str, Any]:
    """Ranked by time alone; the cursor counts posts."""
    if cursor is not None and not re.fullmatch(r"[0-9]{1,4}", cursor):
        raise ToolError(f"cursor is {cursor[:80]!r}; with a topic it is the last next_cursor, a number")
    query, offset = " ".join([topic, *_from(names)]), int(cursor or 0)
    whole_window(topic, POSTS.operators, window)
    searched = whole_window(query, POSTS.operators, window)
    found = world.search_posts(query, limit, offset, window.tbs, newest_first=True)
    return {
        "window": describe_window(searched, world.now),
        "accounts": [],
        "posts": [_row(result.post, result.post) for result in found],
        "next_cursor": str(offset + limit) if len(found) == limit else None,
    }


def _of_handles(
    world: ToolContext, names: Sequence[str], window: SearchWindow, limit: int, cursor: str | None
) -> dict[str, Any]:
    """What the network tells of these accounts, and what an attack put under their names."""
    below = _place_argument(cursor)
    start, end = window.bounds.after, window.bounds.before
    if below is not None:
        end = min(below[0] + 1, below[0] + 1 if end is None else end)
    planted = _planted(world, names, window, below, limit)
    accounts, streams = [], [iter(planted)]
    for name in names:
        shown, account = _account(world, name, is_planted=any(post.author.lower() == name.lower() for post in planted))
        accounts.append(shown)
        if account is not None:
            streams.append(timeline_of(world, account, start, end, limit))
    merged = heapq.merge(*streams, key=_place, reverse=True)
    posts = list(islice((one for one in merged if below is None or _place(one) < below), limit))
    if not posts and not any(shown["found"] for shown in accounts):
        raise ToolError(f"there is no account {', '.join('@' + name for name in names)} at this moment")
    return {
        "window": describe_window(window.bounds, world.now),
        "accounts": accounts,
        "posts": [_row(one, _known(world, one)) for one in posts],
        "next_cursor": "-".join(map(str, _place(posts[-1]))) if len(posts) == limit else None,
    }


def _account(world: ToolContext, name: str, is_planted: bool) -> tuple[dict[str, Any], Account | None]:
    """An account as it is shown; ``found`` is null where only its posts are known."""
    try:
        account = account_of(world, name)
    except Miss:
        if not is_planted:
            raise
        return {"handle": name, "found": None}, None
    if account is None:
        return {"handle": name, "found": False}, None
    return {**account.profile, "found": True}, account


def _planted(
    world: ToolContext, names: Sequence[str], window: SearchWindow, below: _Place | None, limit: int
) -> list[Post]:
    """Posts under these names that only the index has, newest first.

    The index also has the recorded ones; so among the newest ``limit`` of both are all that could be shown.
    """
    query, found = " ".join(_from(names)), list[Post]()
    tbs = window.tbs
    if below is not None:
        year, month, day = utc_text(below[0])[:10].split("-")
        tbs = ",".join([*filter(None, [tbs]), f"cd_max:{int(month)}/{int(day)}/{year}"])
    with suppress(Miss):  # no post was recorded at all, so there is no index
        for offset in range(0, _MOST_PAGES * limit, limit):
            results = world.search_posts(query, limit, offset, tbs, newest_first=True)
            found += [one.post for one in results if below is None or _place(one.post) < below]
            if len(results) < limit or len(found) >= limit:
                break
    return [one for one in found if one.altered_by]


def _thread(world: ToolContext, text: str) -> tuple[list[dict[str, Any]], int]:
    """The post, all it answers, and what else is known of its conversation, oldest first; and how many are left out."""
    found = _STATUS.fullmatch(text.strip())
    if found is None:
        raise ToolError(f"{text[:80]!r} is no post; give its id or an address such as https://x.com/name/status/123")
    chain = {found[1]: world.post(found[1])}
    first = chain[found[1]]
    while first.reply_to and first.reply_to not in chain and len(chain) < _MOST_IN_THREAD:
        try:
            first = world.post(first.reply_to)
        except Miss:
            break
        chain[first.id] = first
    others = sorted((one for one in world.thread(first.thread or first.id) if one.id not in chain), key=_place)
    room = _MOST_IN_THREAD - len(chain)
    shown = sorted((*chain.values(), *others[:room]), key=_place)
    return [_row(one, one) for one in shown], len(others[room:])


def _from(names: Iterable[str]) -> Iterator[str]:
    return (f"from:{name}" for name in names)


def _place_argument(cursor: str | None) -> _Place | None:
    if cursor is None:
        return None
    found = _CURSOR.fullmatch(cursor.strip())
    if found is None:
        raise ToolError(f"cursor is {cursor[:80]!r}; it is the last next_cursor")
    return int(found[1]), int(found[2])


def _place(post: Post) -> _Place:
    return post.created, int(post.id) if post.id.isdecimal() and len(post.id) < 40 else 0


def _known(world: ToolContext, post: Post) -> Post | None:
    """The post with its likes and what it answers, which a timeline tells of its own moment only."""
    with suppress(Miss):
        return world.post(post.id)
    return None


def _row(post: Post, known: Post | None) -> dict[str, Any]:
    """A post as it is shown; what is not known is null."""
    return {
        "id": post.id,
        "author": post.author,
        "time": utc_text(post.created),
        "text": post.text,
        "language": post.language or None,
        "likes": None if known is None else known.likes,
        "reposts": None if known is None else known.reposts,
        "replies": None if known is None else known.replies,
        "url": post.url,
        "thread": post.thread or None,
        "reply_to": None if known is None else known.reply_to or None,
    }

"""Accounts of the social network and what they posted, as X API v2 tells it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from caia_replay.canonical import strict_json
from caia_replay.cassette.secret import SCRUBBED
from caia_replay.core.provider import HttpRequest
from caia_replay.core.world import Post
from caia_replay.errors import BadInput, Miss, ToolError
from caia_replay.providers.x.request import is_number, moment_of
from caia_replay.world.clock import utc_text

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

X: Final = "https://api.x.com/2"
LONGEST: Final = 100

_KEY: Final = {"Authorization": f"Bearer {SCRUBBED}"}
_SHORTEST: Final = 5
_USER_FIELDS: Final = "created_at,description,location,protected,public_metrics,url,verified,verified_type"
_POST_FIELDS: Final = "conversation_id,created_at,lang"
"""Those that are told of any moment. Likes are not; and what a post answers is not where that was removed since."""
_FIRST_SECOND: Final = 1_289_001_600
"""6 November 2010: a window may not begin before."""
_HANDLE: Final = re.compile(r"(?:https?://)?(?:(?:www\.|mobile\.)?(?:x|twitter)\.com/)?@?([A-Za-z0-9_]{1,15})/?")
_NO_LANGUAGE: Final = re.compile(r"und|zxx|q[a-z]{2}")
"""What the vendor says where a text is in no language it knows."""
_OTHER_SHAPE: Final = "what was recorded has another shape"


@dataclass(frozen=True, slots=True)
class Account:
    """One account; ``profile`` is what is told of it at this moment, for people to read."""

    id: str
    handle: str
    profile: Mapping[str, Any]


def handle_argument(text: str) -> str:
    """A handle without its @, out of ``@name``, ``name`` or ``https://x.com/name``. Raises ``ToolError``."""
    found = _HANDLE.fullmatch(text.strip())
    if found is None:
        raise ToolError(f"{text[:80]!r} is no handle; it has up to 15 Latin letters, digits and _")
    return found[1]


def account_of(world: ToolContext, handle: str) -> Account | None:
    """The account of a handle at this moment, None where it is told that there is none.

    Raises ``Miss``, and ``ToolError`` where the account is told to be closed to everybody.
    """
    value = _told(world, "users/by", {"usernames": handle, "user.fields": _USER_FIELDS})
    users = value.get("data")
    if isinstance(users, list) and len(users) == 1:
        return _account(users[0])
    problem = _problem(value)
    if users or problem is None:
        raise Miss("http", f"account @{handle}", _OTHER_SHAPE)
    if not str(problem.get("type", "")).endswith("/resource-not-found"):
        raise ToolError(f"@{handle}: {str(problem.get('detail'))[:300]}")
    return None


def timeline_of(world: ToolContext, account: Account, start: int | None, end: int | None, size: int) -> Iterator[Post]:
    """What an account posted from ``start`` until before ``end``, newest first; nothing is told of counts and answers.

    Pages of about ``size`` posts are asked for as they are needed. Raises ``Miss`` and ``ToolError``.
    """
    upper = None if end is None or end > world.now else end
    asked: dict[str, str | int] = {"post.fields": _POST_FIELDS, "max_results": max(_SHORTEST, min(size, LONGEST))}
    if start is not None and start > _FIRST_SECOND:
        asked["start_time"] = utc_text(start)
    if upper is not None and upper > _FIRST_SECOND:
        asked["end_time"] = utc_text(upper)
    if start is not None and start >= (world.now + 1 if upper is None else upper):
        return
    tokens: set[str] = set()
    while True:
        posts, token = _page(world, account, asked)
        for post in posts:
            if start is not None and post.created < start:
                return
            if post.created <= world.now and (upper is None or post.created < upper):
                yield post
        if not token or token in tokens:
            return
        tokens.add(token)
        asked["pagination_token"] = token


def _page(world: ToolContext, account: Account, asked: Mapping[str, str | int]) -> tuple[list[Post], str]:
    """A page of a timeline, and the token that leads on; "" where none does."""
    value = _told(world, f"users/{account.id}/tweets", asked)
    data, meta = value.get("data", []), value.get("meta")
    problem = _problem(value)
    if not isinstance(meta, dict) and problem is not None:
        raise ToolError(f"@{account.handle}: {str(problem.get('detail'))[:300]}")
    if not isinstance(meta, dict) or not isinstance(data, list):
        raise Miss("http", f"posts of @{account.handle}", _OTHER_SHAPE)
    token = meta.get("next_token")
    return [_post(item, account.handle) for item in data], token if isinstance(token, str) else ""


def _told(world: ToolContext, path: str, parameters: Mapping[str, str | int]) -> dict[str, Any]:
    """A reply with status 200. The network answers nobody without a key, so one is shown."""
    request = HttpRequest("GET", f"{X}/{path}?{urlencode(parameters, safe=',:')}", headers=_KEY)
    reply = world.fetch(request)
    try:
        content = strict_json(reply.body)
    except (BadInput, ValueError) as fault:
        raise Miss("http", f"GET {request.url}", "what was recorded is no JSON") from fault
    if not isinstance(content, dict):
        raise Miss("http", f"GET {request.url}", _OTHER_SHAPE)
    if reply.status != 200:
        raise ToolError(f"the social network refused with status {reply.status}: {str(content.get('detail'))[:300]}")
    return content


def _problem(fields: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What is said of a thing that is not shown."""
    problems = fields.get("errors")
    return problems[0] if isinstance(problems, list) and problems and isinstance(problems[0], dict) else None


def _account(user: Any) -> Account:
    if not isinstance(user, dict) or not all(isinstance(user.get(name), str) for name in ("id", "username")):
        raise Miss("http", "an account", _OTHER_SHAPE)
    if not is_number(user["id"]):
        raise Miss("http", f"account @{user['username']}", _OTHER_SHAPE)
    counts = user.get("public_metrics")
    counts = counts if isinstance(counts, dict) else {}
    created = moment_of(user.get("created_at"))
    profile = {
        "handle": user["username"],
        "name": user.get("name"),
        "bio": user.get("description"),
        "location": user.get("location"),
        "link": user.get("url"),
        "created": None if created is None else utc_text(created),
        "verified": user.get("verified"),
        "verified_type": user.get("verified_type"),
        "protected": user.get("protected"),
        "followers": _count(counts, "followers_count"),
        "following": _count(counts, "following_count"),
        "posts": _count(counts, "post_count", "tweet_count"),
    }
    return Account(user["id"], user["username"], profile)


def _count(counts: Mapping[str, Any], *names: str) -> int | None:
    return next((counts[name] for name in names if type(counts.get(name)) is int), None)


def _post(item: Any, handle: str) -> Post:
    value = item if isinstance(item, dict) else {}
    number, text, created = value.get("id"), value.get("text"), moment_of(value.get("created_at"))
    if not isinstance(number, str) or not is_number(number) or not isinstance(text, str) or created is None:
        raise Miss("http", f"a post of @{handle}", _OTHER_SHAPE)
    thread, language = value.get("conversation_id"), value.get("lang")
    return Post(
        id=number,
        author=handle,
        text=text,
        created=created,
        thread=thread if isinstance(thread, str) else "",
        language=language if isinstance(language, str) and not _NO_LANGUAGE.fullmatch(language) else "",
    )

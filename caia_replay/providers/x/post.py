"""Posts out of recorded replies of X API v2: what the corpus that is searched is made of."""

from __future__ import annotations

from typing import Any, Final

from caia_replay.core.provider import HttpReply
from caia_replay.core.world import Post
from caia_replay.providers.x.item import Item, content_or_none, items_of
from caia_replay.providers.x.request import is_number, moment_of
from caia_replay.providers.x.word import POST, TWEET

_SETS: Final = (POST, TWEET)
_UNKNOWN: Final = ("", "und", "zxx", "qam", "qct", "qht", "qme", "qst")
"""What the vendor says where a text is in no language it knows."""


def posts_of(reply: HttpReply) -> tuple[Post, ...]:
    """Every post a reply shows, those beside the ones it is about included, sorted by moment and id; each once.

    Left out are posts without ``created_at``, posts whose author no user in the reply is (a handle is needed, and a
    post bears the author's number), and posts whose id is no number. Where a reply does not say it, ``thread`` and
    ``reply_to`` are empty and ``likes``, ``reposts`` and ``replies`` None; reposts and quotes answer nothing, so their
    ``reply_to`` is empty. A long post has its whole text where that was asked for. A reply of another API, or of
    another status than 200, shows none; nothing is raised.
    """
    body = content_or_none(reply)
    if reply.status != 200 or not isinstance(body, dict):
        return ()
    includes = body["includes"] if isinstance(body.get("includes"), dict) else {}
    data = body.get("data")
    items = list(items_of(data if isinstance(data, list) else [data]))
    for words in _SETS:
        items += items_of(includes.get(words.included))
    handles = {user["id"]: user["username"] for user in items_of(includes.get("users")) if _is_text(user, "username")}
    found: dict[str, Post] = {}
    for item in items:
        post = _post(item, handles)
        if post is not None:
            found.setdefault(post.id, post)
    return tuple(sorted(found.values(), key=lambda post: (post.created, int(post.id))))


def _post(item: Item, handles: dict[str, str]) -> Post | None:
    created, author = moment_of(_whole_second(item.get("created_at"))), handles.get(str(item.get("author_id")))
    number = item["id"]
    if created is None or author is None or not _is_text(item, "text") or not is_number(number):
        return None
    language, metrics = item.get("lang"), item.get("public_metrics")
    counts = metrics if isinstance(metrics, dict) else {}
    return Post(
        id=number,
        author=author,
        text=_text(item),
        created=created,
        thread=item["conversation_id"] if _is_text(item, "conversation_id") else "",
        reply_to=_answered(item),
        language=language if isinstance(language, str) and language not in _UNKNOWN else "",
        likes=_count(counts, "like_count"),
        reposts=_count(counts, *(words.reposts for words in _SETS)),
        replies=_count(counts, "reply_count"),
    )


def _whole_second(text: Any) -> Any:
    """A stamp without its parts of a second: the corpus counts whole ones."""
    head, dot, tail = text.partition(".") if isinstance(text, str) else (text, "", "")
    return f"{head}Z" if dot and tail.endswith("Z") and tail[:-1].isdigit() else text


def _text(item: Item) -> str:
    for name in ("note_post", "note_tweet"):
        note = item.get(name)
        if isinstance(note, dict) and _is_text(note, "text"):
            return str(note["text"])
    return str(item["text"])


def _answered(item: Item) -> str:
    for words in _SETS:
        for reference in items_of(item.get(words.referenced)):
            if reference.get("type") == "replied_to":
                return str(reference["id"])
    return ""


def _count(counts: Item, *names: str) -> int | None:
    return next((counts[name] for name in names if type(counts.get(name)) is int and counts[name] >= 0), None)


def _is_text(item: Item, name: str) -> bool:
    return isinstance(item.get(name), str)

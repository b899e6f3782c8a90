"""Recorded posts and users of X API v2, and what is made of them: replies with fewer fields, the searched corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.core.world import Post
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import answered_at, content_or_none
from caia_replay.providers.x.request import XRequest, is_number, moment_of
from caia_replay.providers.x.word import POST, THROUGH, TWEET, Words

Item = Mapping[str, Any]

FOR_GOOD: Final = frozenset({"id", "text", "author_id", "conversation_id", "created_at", "in_reply_to_user_id", "lang",
                             POST.history, TWEET.history, POST.referenced, TWEET.referenced})  # fmt: skip
"""What does not change once a post is written, as long as it is not edited."""


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """A recorded reply read: its posts and users, those it is about and those beside them, and what was not there."""

    question: XRequest
    recorded: Recorded
    made: int
    posts: tuple[Item, ...]
    users: tuple[Item, ...]
    other_posts: tuple[Item, ...]
    other_users: tuple[Item, ...]
    errors: tuple[Item, ...]
    meta: Item | None

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing but what was not there."""
        return not self.posts and not self.users and self.meta is None and bool(self.errors)


def read(question: XRequest, found: Recorded) -> ParsedReply | None:
    """None for what is no reply of this API with status 200, or does not say when it was made."""
    made = answered_at(found.reply)
    body = content_or_none(found.reply)
    if found.reply.status != 200 or made is None or not isinstance(body, dict):
        return None
    data, beside, errors, meta = (body.get(name) for name in ("data", "includes", "errors", "meta"))
    items = items_of(data if isinstance(data, list) else [] if data is None else [data])
    includes = beside if isinstance(beside, dict) else {}
    is_of_users = question.kind == "users"
    return ParsedReply(
        question,
        found,
        made,
        posts=() if is_of_users else items,
        users=items if is_of_users else (),
        other_posts=items_of(includes.get(question.words.included)),
        other_users=items_of(includes.get("users")),
        errors=tuple(one for one in errors if isinstance(one, dict)) if isinstance(errors, list) else (),
        meta=meta if isinstance(meta, dict) else None,
    )


def items_of(data: Any) -> tuple[Item, ...]:
    """The objects of a list that have an id."""
    there = data if isinstance(data, list) else []
    return tuple(one for one in there if isinstance(one, dict) and isinstance(one.get("id"), str))


def was_as_told(post: Item, words: Words, now: int) -> bool:
    """Whether a post that was recorded after ``now`` was there by then, and read the same: it was never edited."""
    created, history = moment_of(post.get("created_at")), post.get(words.history)
    return created is not None and created <= now and isinstance(history, list) and len(history) == 1


def was_edited_since(reply: ParsedReply, now: int) -> bool:
    """Whether a recording of after ``now`` may show an edited post where another text stood then."""
    if reply.made <= now:
        return False
    words, posts = reply.question.words, (*reply.posts, *reply.other_posts)
    return any(len(post.get(words.history) or ()) != 1 for post in posts if not was_as_told(post, words, now))


def shows_later(reply: ParsedReply, now: int) -> bool:
    """Whether a recording tells of something of after ``now``, or may: one of later whose posts bear no date may."""
    posts, users = (*reply.posts, *reply.other_posts), (*reply.users, *reply.other_users)
    moments = [moment_of(one.get("created_at")) for one in (*posts, *users)]
    if any(moment is not None and moment > now for moment in moments):
        return True
    return reply.made > now and any(moment_of(post.get("created_at")) is None for post in posts)


@dataclass(slots=True)
class Pool:
    """Everything that recordings tell of posts and users in at least the fields a question asks for, first told first.

    ``missing`` is by parameter and number: what was said of a thing that was not there.
    """

    asked: XRequest
    posts: dict[str, Item] = field(default_factory=dict)
    users: dict[str, Item] = field(default_factory=dict)
    missing: dict[tuple[str, str], Item] = field(default_factory=dict)

    def add(self, reply: ParsedReply, now: int, is_of_now: bool) -> None:
        """Take over what a recording tells of ``now``; of a later one only what cannot have changed since."""
        q = reply.question
        if q.fields >= self.asked.fields and (is_of_now or self.asked.fields <= FOR_GOOD):
            for post in (*reply.posts, *reply.other_posts):
                if self._was_there(post, reply, now) if is_of_now else was_as_told(post, q.words, now):
                    self.posts.setdefault(post["id"], post)
        if not is_of_now:
            return
        if q.user_fields >= self.asked.user_fields:
            for user in (*reply.users, *reply.other_users):
                created = moment_of(user.get("created_at"))
                if created is None or created <= now:
                    self.users.setdefault(user["id"], user)
        for problem in reply.errors:
            parameter, number = problem.get("parameter"), problem.get("resource_id", problem.get("value"))
            if isinstance(parameter, str) and isinstance(number, str):
                self.missing.setdefault((parameter, number), problem)

    def _was_there(self, post: Item, reply: ParsedReply, now: int) -> bool:
        created = moment_of(post.get("created_at"))
        return reply.made <= now if created is None else created <= now

    def post(self, item: Item) -> dict[str, Any]:
        """A post with the fields that were asked for."""
        return {name: value for name, value in item.items() if name in self.asked.fields}

    def user(self, item: Item) -> dict[str, Any]:
        """A user with the fields that were asked for."""
        return {name: value for name, value in item.items() if name in self.asked.user_fields}

    def around(self, posts: Sequence[Item], wanted: str) -> dict[str, Any]:
        """``includes`` and ``errors`` beside these posts. Raises ``Miss`` for what nothing recorded tells of."""
        users: dict[str, Item] = {}
        others: dict[str, Item] = {}
        errors: dict[tuple[str, str], Item] = {}
        for parameter, kind, number in self._referred(posts):
            pool, stated = (self.users, users) if kind == "user" else (self.posts, others)
            if number in pool:
                stated[number] = pool[number]
            elif (parameter, number) in self.missing:
                errors[parameter, number] = self.missing[parameter, number]
            else:
                raise Miss("http", wanted, f"{kind} {number}, which {parameter} leads to, is not recorded so fully")
        includes: dict[str, Any] = {}
        if users:
            includes["users"] = [self.user(user) for user in users.values()]
        if others:
            includes[self.asked.words.included] = [self.post(post) for post in others.values()]
        found = {"includes": includes, "errors": list(errors.values())}
        return {name: value for name, value in found.items() if value}

    def _referred(self, posts: Iterable[Item]) -> Iterator[tuple[str, str, str]]:
        """What each expansion leads to, in the order in which the posts refer to it: parameter, kind, number."""
        words, expansions = self.asked.words, self.asked.expansions
        for post in posts:
            for parameter in ("author_id", "in_reply_to_user_id"):
                if parameter in expansions and isinstance(post.get(parameter), str):
                    yield parameter, "user", post[parameter]
            if words.to_referenced not in expansions and THROUGH not in expansions:
                continue
            references = post.get(words.referenced)
            for reference in items_of(references):
                yield words.to_referenced, words.thing, reference["id"]
                author = self.posts.get(reference["id"], {}).get("author_id")
                if THROUGH in expansions and isinstance(author, str):
                    yield THROUGH, "user", author


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

"""Recorded posts and users: what a recording tells of another moment, and replies made of parts."""

from __future__ import annotations

from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.x_api_item import Pool, Told, items_of, read, shows_later, was_as_told, was_edited_since
from caia_replay.providers.x_api_question import question_of
from caia_replay.providers.x_api_word import POST
from tests.x_question import get

NOW = 1_715_000_000
PATH = "/tweets?ids=1,2&post.fields=created_at,lang&expansions=author_id,referenced_posts"
FIRST = {"id": "1", "text": "a", "edit_history_post_ids": ["1"], "created_at": "2024-05-01T00:00:00.000Z",
         "author_id": "7", "lang": "en"}  # fmt: skip
SECOND = FIRST | {"id": "2", "referenced_posts": [{"type": "replied_to", "id": "1"}, {"type": "quoted", "id": "9"}]}
USER = {"id": "7", "name": "A", "username": "a"}
LOST = {"parameter": "referenced_posts", "resource_id": "9", "title": "Not Found Error"}
BODY = {"data": [SECOND], "includes": {"users": [USER], "posts": [FIRST]}, "errors": [LOST]}


def told(body: Any, at: int | None = NOW, path: str = PATH, status: int = 200) -> Told | None:
    """One recorded reply, read."""
    dated = {} if at is None else {"date": formatdate(at, usegmt=True)}
    content = body if isinstance(body, bytes) else canonical_bytes(body)
    return read(question_of(get(path)), Recorded(get(path), HttpReply(status, dated, content)))


def pool(path: str, *tellings: Told | None, now: int = NOW, is_of_now: bool = True) -> Pool:
    """What recordings tell of for a question."""
    made = Pool(question_of(get(path)))
    for one in tellings:
        assert one is not None
        made.add(one, now, is_of_now)
    return made


def test_a_reply_is_read_whole_or_not_at_all() -> None:
    """What it is about and what stands beside it; nothing of refusals, undated replies and what is no JSON."""
    found = told(BODY)
    assert found is not None and (found.posts, found.other_posts) == ((SECOND,), (FIRST,))
    assert (found.other_users, found.errors, found.users, found.meta) == ((USER,), (LOST,), (), None)
    single = told({"data": USER}, path="/users/7")
    assert single is not None and single.users == (USER,) and not single.posts
    for bad in (told(BODY, None), told(BODY, status=400), told(b"<html>"), told([])):
        assert bad is None
    assert items_of("x") == items_of([{"id": 5}, 7, None]) == ()


def test_a_post_is_shown_with_the_fields_asked_for_and_what_it_leads_to() -> None:
    """Fewer fields; authors, posts it refers to and the errors for those that are not there."""
    made = pool("/tweets/2?expansions=referenced_posts", told(BODY))
    assert made.post(SECOND) == {name: SECOND[name] for name in ("id", "text", POST.history, "referenced_posts")}
    beside = made.around([SECOND], "it")
    assert beside["errors"] == [LOST] and [one["id"] for one in beside["includes"]["posts"]] == ["1"]
    assert "lang" not in beside["includes"]["posts"][0]
    made = pool("/tweets/2?expansions=author_id", told(BODY))
    assert made.around([SECOND, FIRST], "it") == {"includes": {"users": [USER]}}
    with pytest.raises(Miss, match="post 4"):
        pool("/tweets/2?expansions=referenced_posts", told(BODY)).around(
            [FIRST | {"referenced_posts": [{"id": "4"}]}], "it"
        )


def test_fields_that_were_not_asked_for_when_it_was_recorded_are_not_known() -> None:
    """A post without them may have them: it is not taken."""
    assert set(pool("/tweets/1?post.fields=lang", told(BODY)).posts) == {"1", "2"}
    assert not pool("/tweets/1?post.fields=geo", told(BODY)).posts
    assert not pool("/tweets/1?expansions=author_id&user.fields=url", told(BODY)).users


def test_of_a_later_recording_words_are_taken_and_counts_and_accounts_are_not() -> None:
    """Only posts that were there and never edited, in fields that do not change."""
    later = told(BODY, NOW + 10**6)
    made = pool("/tweets/1?post.fields=lang", later, is_of_now=False)
    assert set(made.posts) == {"1", "2"} and not made.users and not made.missing
    wide = told(BODY, NOW + 10**6, PATH.replace("lang", "lang,public_metrics"))
    assert not pool("/tweets/1?post.fields=public_metrics", wide, is_of_now=False).posts
    assert set(pool("/tweets/1?post.fields=lang", wide, is_of_now=False).posts) == {"1", "2"}
    early = 1_714_500_000
    assert not pool("/tweets/1?post.fields=lang", later, now=early, is_of_now=False).posts


def test_posts_and_accounts_of_after_now_are_left_out() -> None:
    """By their dates; a post without one only where the recording itself was made before."""
    moment, undated = 1_714_500_000, {name: value for name, value in FIRST.items() if name != "created_at"}
    assert not pool("/tweets/1", told(BODY, moment + 60), now=moment).posts
    path = "/tweets?ids=1&post.fields=lang"
    assert not pool("/tweets/1", told({"data": [undated]}, NOW + 60, path)).posts
    assert set(pool("/tweets/1", told({"data": [undated]}, NOW - 60, path)).posts) == {"1"}
    young = {"data": {**USER, "created_at": "2025-01-01T00:00:00.000Z"}}
    assert not pool("/users/7", told(young, NOW, "/users/7?user.fields=created_at")).users


def test_what_shows_something_of_later() -> None:
    """A date of after now anywhere; posts without one in a recording of later."""
    found = told(BODY, NOW + 60)
    assert found is not None and not shows_later(found, NOW) and shows_later(found, 1_714_500_000)
    bare = {"data": [{"id": "1", "text": "a"}]}
    for at, later in ((NOW + 60, True), (NOW - 60, False)):
        undated = told(bare, at)
        assert undated is not None and shows_later(undated, NOW) is later


def test_edited_posts() -> None:
    """One version and a date by now: it read so then. More versions, or an unknown number, may hide another."""
    assert was_as_told(FIRST, POST, NOW) and not was_as_told(FIRST, POST, 1_714_500_000)
    for history in (["0", "1"], None, "1"):
        edited = FIRST | {"edit_history_post_ids": history}
        assert not was_as_told(edited, POST, NOW)
        for at, hides in ((NOW + 60, history != "1"), (NOW - 60, False)):
            found = told({"data": [edited]}, at)
            assert found is not None and was_edited_since(found, NOW) is hides
    fresh = told({"data": [FIRST]}, NOW + 60)
    assert fresh is not None and not was_edited_since(fresh, 1_714_500_000)

"""Worlds with a web of their own: the shipped one with its cassettes of the web replaced."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from caia_replay.cassette.cassette import Interaction, write_cassette
from caia_replay.core.world import Page, Post, Ranked
from caia_replay.providers.reader.provider import page_reply, page_request
from caia_replay.providers.search_api.provider import question_of, result_list, search_request
from caia_replay.store.world_folder import open_world, seal_world
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld

Make = Callable[[Iterable[Interaction]], FrozenWorld]


class Record:
    """Interactions as the recorder writes them; ``at`` is the moment of the answer, None where it is not told."""

    @staticmethod
    def page(page: Page, at: int | None = None, status: int = 200) -> Interaction:
        """The reader's reply for a page, or its refusal."""
        body = page_reply(page).body if status == 200 else b"{}"
        return Interaction("GET", page_request(page.url).url, b"", {}, status, "", _headers(at), body)

    @staticmethod
    def results(query: str, pages: Sequence[Page], at: int | None = None) -> Interaction:
        """The search API's list of some pages."""
        request = search_request(query, 10)
        rows = [Ranked(rank, page, "") for rank, page in enumerate(pages, 1)]
        body = json.dumps(result_list(question_of(request), rows, at)).encode()
        return Interaction("POST", request.url, request.body, {}, 200, "", _headers(at), body)

    @staticmethod
    def posts(path: str, posts: Sequence[Post], at: int | None = None) -> Interaction:
        """The social network's reply with some posts and their authors."""
        told: list[dict[str, Any]] = [
            {
                "id": post.id,
                "text": post.text,
                "author_id": post.author,
                "created_at": utc_text(post.created).replace("Z", ".000Z"),
                "conversation_id": post.thread,
                "public_metrics": {
                    "like_count": post.likes,
                    "reply_count": post.replies,
                    "retweet_count": post.reposts,
                },
            }
            for post in posts
        ]
        users = [{"id": name, "username": name, "name": name} for name in sorted({post.author for post in posts})]
        body = json.dumps({"data": told, "includes": {"users": users}, "meta": {"result_count": len(told)}}).encode()
        return Interaction("GET", f"https://api.x.com/2/{path}", b"", {}, 200, "", _headers(at), body)


@pytest.fixture
def record() -> type[Record]:
    """How interactions of the web are written down."""
    return Record


@pytest.fixture
def webbed(mini: Path) -> Iterator[Make]:
    """Opens the shipped world with these interactions as its whole web, again with others when called again."""
    folder = mini / "cassettes" / "mini-6"
    with ExitStack() as stack:

        def make(interactions: Iterable[Interaction]) -> FrozenWorld:
            for path in (*(folder / "http").glob("*.json"), *folder.glob("tasks/*/http.json")):
                path.unlink()
            write_cassette(folder / "http" / "web.json", list(interactions))
            seal_world(folder)
            return stack.enter_context(FrozenWorld(open_world(str(folder))))

        yield make


def _headers(at: int | None) -> dict[str, tuple[str, ...]]:
    return {} if at is None else {"date": (formatdate(at, usegmt=True),)}

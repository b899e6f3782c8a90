"""A small recorded world to publish, and the origin that it was recorded from, answering on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from caia_replay.cassette.cassette import Interaction, write_cassette
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.suite import Suite, SuiteEntry
from caia_replay.core.task import Anchor, AnswerSpec, Task
from caia_replay.recording.api_key import Keys
from caia_replay.store.world_folder import WorldFolder, WorldInfo, open_world, save_task, save_world, seal_world
from tests.live_draft import Reply, answering

READER, SERPER, X_API = "https://r.jina.ai", "https://google.serper.dev", "https://api.x.com"
PAGE = f"{READER}/https://news.example/"
POSTS = f"{X_API}/2/tweets/search/recent"
QUESTION = "Which of the twelve lighthouses on the northern coast was painted red after the great storm of winter?"
ANSWER, ALIAS = "Skagen Grey Lighthouse", "The Grey Tower"
KEYS = {"api.x.com": "Bearer x-key-0123456789", "google.serper.dev": "s-key-0123456789"}
SENT = Keys({"X_BEARER_TOKEN": "x-key-0123456789", "SERPER_API_KEY": "s-key-0123456789"})
MADE = "Mon, 06 May 2024 10:00:00 GMT"
IMAGE = b"\x89PNG\xff\xfe picture"


def page(name: str, text: str | bytes, status: int = 200, **headers: str) -> Interaction:
    """A recorded reading of one page."""
    body = text if isinstance(text, bytes) else text.encode()
    told = {"content-type": ("text/plain",), "date": (MADE,)} | {
        key.replace("_", "-"): (value,) for key, value in headers.items()
    }
    asked = {"accept": ("application/json",)}
    return Interaction("GET", f"{PAGE}{name}", b"", asked, status, "OK" if status == 200 else "", told, body)


def search(query: str) -> Interaction:
    """A recorded search."""
    body = json.dumps({"q": query}).encode()
    sent = {"accept": ("*/*",), "content-type": ("application/json",), "x-api-key": ("SCRUBBED",)}
    told = {"content-type": ("application/json",), "date": (MADE,)}
    return Interaction("POST", f"{SERPER}/search", body, sent, 200, "OK", told, b'{"organic": [], "found": "lots"}')


def posts() -> Interaction:
    """A recorded search of posts, made with a bearer's key."""
    sent = {"accept": ("*/*",), "authorization": ("SCRUBBED",)}
    told = {"content-type": ("application/json",), "date": (MADE,)}
    return Interaction("GET", f"{POSTS}?query=aave", b"", sent, 200, "OK", told, b'{"meta": {"result_count": 0}}')


SHARED = (page("alpha", "Alpha opened in 2019."), page("picture", IMAGE), page("seq", "first"), page("seq", "second"))
OWN = (page("own", "Own page of the task."), search("lighthouse keepers"), posts())


def small_world(
    root: Path, *, tags: tuple[str, ...] = (), question: str = QUESTION, own: tuple[Interaction, ...] = OWN,
    query: str = "lighthouses", shared: tuple[Interaction, ...] = SHARED, playback: str = "",
) -> WorldFolder:  # fmt: skip
    """A sealed world of one task and two cassettes below ``root``/cassettes, standing on no chain."""
    folder = root / "cassettes" / "small"
    answer = AnswerSpec("text", (ANSWER,), aliases=(ALIAS,))
    gold = GoldChain((GoldStep("web_search", {"query": query}),), "$1.results[0].title")
    task = Task(
        "t-one", question, "general knowledge", "en", "free", Anchor("ethereum", -1, 1714990000), answer, gold,
        "0", "None is stated.", tags,
    )  # fmt: skip
    save_world(
        folder,
        WorldInfo("small", "live", (), False, "A world for tests"),
        Suite("small", "1.0.0", (SuiteEntry("t-one", "2024-05-06"),)),
    )
    save_task(folder, task)
    write_cassette(folder / "http" / "pages.json", shared)
    write_cassette(folder / "tasks" / "t-one" / "http.json", own)
    if playback:
        (folder / "http" / "playback.toml").write_text(playback)
    seal_world(folder)
    return open_world(str(folder))


def as_replies(*items: Interaction) -> list[dict[str, Any]]:
    """Recorded answers as replies of ``tls_origin`` and of ``serving``: of another day, with headers of that day."""
    return [
        {
            "status": item.status,
            "headers": {"Content-Type": item.headers["content-type"][0], "Date": "Tue, 03 Nov 2026 08:00:00 GMT",
                        "ETag": "another", "X-Request-Id": "77"},
            "body": item.body,
        }
        for item in items
    ]  # fmt: skip


def unchanged() -> dict[str, list[dict[str, Any]]]:
    """Every answer of the small world by its address without a query, in order."""
    found: dict[str, list[dict[str, Any]]] = {}
    for item in (*SHARED, *OWN):
        found.setdefault(item.uri.partition("?")[0], []).extend(as_replies(item))
    return found


@contextmanager
def serving(answers: Mapping[str, list[dict[str, Any]]]) -> Iterator[tuple[dict[str, str], list[Any]]]:
    """The three hosts on this machine: the host map that leads there, and what is asked, as it comes."""
    asked: list[Any] = []

    def answer(request: BaseHTTPRequestHandler, _: bytes) -> Reply | None:
        url = f"https://{request.headers['host']}{request.path}".partition("?")[0]
        asked.append((request.command, url, dict(request.headers.items())))
        replies = answers.get(url, [{"status": 404, "body": b"none"}])
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        if reply.get("hang_up"):
            return None
        return reply.get("status", 200), reply.get("headers", {}).items(), reply.get("body", b"")

    with answering(answer) as target:
        yield dict.fromkeys((READER, SERPER, X_API), target), asked


def whole(folder: Path) -> bytes:
    """Every byte of every file below ``folder``, and their names."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return b"\n".join(str(path.relative_to(folder)).encode() + b"\n" + path.read_bytes() for path in files)

"""A draft world without recordings, and an internet made of a function, for tests of living recordings."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import httpx2

from caia_replay.canonical import canonical_bytes
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.suite import Suite, SuiteEntry
from caia_replay.core.task import NO_BLOCK, Anchor, AnswerSpec, Task
from caia_replay.store.world_folder import WorldFolder, WorldInfo, open_draft, save_task, save_world

NOW = 1_748_800_000
"""The task's moment: 2025-06-01T17:46:40Z."""
TODAY = NOW + 500 * 86_400
"""When it is recorded."""

Told = tuple[int, object]
Internet = Callable[[httpx2.Request], Told]
Reply = tuple[int, Iterable[tuple[str, str]], bytes]
"""Status, headers and body."""


def draft(root: Path, steps: Sequence[GoldStep] = (), result: str = "", values: Sequence[str] = ("5",)) -> WorldFolder:
    """A world ``draft`` with one task ``t1`` that stands at a moment alone."""
    task = Task(
        id="t1",
        question="How high was the reading?",
        category="trend analysis",
        language="en",
        shape="caia",
        anchor=Anchor("ethereum", NO_BLOCK, NOW),
        answer=AnswerSpec("number", tuple(values)),
        gold=GoldChain(tuple(steps), result),
        stake_usd="0",
        stake_reason="A test.",
    )
    world = root / "cassettes" / "draft"
    save_world(
        world,
        WorldInfo("draft", "live", (), False, "A world for tests"),
        Suite("draft", "0.0.0", (SuiteEntry("t1", "2026-11-22"),), {}),
    )
    save_task(world, task)
    return open_draft(world)


def client(internet: Internet, asked: list[str] | None = None) -> httpx2.Client:
    """A client whose every request goes to ``internet``; a reply's Date is ``TODAY``."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        if asked is not None:
            asked.append(str(request.url))
        status, told = internet(request)
        body = told if isinstance(told, bytes) else canonical_bytes(told)
        headers = {"content-type": "application/json", "date": formatdate(TODAY, usegmt=True)}
        return httpx2.Response(status, headers=headers, content=body)

    return httpx2.Client(transport=httpx2.MockTransport(answer))


def reader_page(url: str, text: str, published: str | None = None) -> dict[str, object]:
    """A page as the reader tells it."""
    data: dict[str, object] = {"title": "A page", "url": url, "content": text}
    if published is not None:
        data["publishedTime"] = published
    return {"code": 200, "status": 20000, "data": data}


@contextmanager
def answering(answer: Callable[[BaseHTTPRequestHandler, bytes], Reply | None]) -> Iterator[str]:
    """The address of a server on this machine that answers each request, and its body, as told; None hangs up."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            length = int(self.headers.get("content-length", 0))
            content = self.rfile.read(length)
            told = answer(self, content) if len(content) == length else None  # who was killed has asked nothing
            if told is None:
                self.close_connection = True
                return
            status, headers, body = told
            self.send_response_only(status)
            for name, value in (*headers, ("Content-Length", str(len(body)))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def served(pages: dict[str, tuple[str, str | None]]) -> Iterator[dict[str, str]]:
    """An internet on this machine: an archive without captures, and a reader of ``pages`` (text and date by address).

    Yields the host map of a ``Recorder``.
    """

    def answer(asked: BaseHTTPRequestHandler, _: bytes) -> Reply:
        url = unquote(asked.path.removeprefix("/"))
        found = pages.get(url)
        told: object
        status, told = (404, {"code": 404}) if found is None else (200, reader_page(url, *found))
        if "cdx" in asked.path:
            status, told = 200, []
        return status, [("Content-Type", "application/json")], canonical_bytes(told)

    with answering(answer) as here:
        yield {"https://r.jina.ai": here, "https://web.archive.org": here}

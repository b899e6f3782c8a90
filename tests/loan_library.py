"""A made-up field: a library's loans, served by a program of this machine, and a world without chains about it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

ORIGIN = "https://api.library.example"
MOMENT = 1_700_000_000

LOANS: list[dict[str, Any]] = [
    {"id": 7, "title": "Emma", "branch": "north", "days": 21, "fine_eur": "0.00"},
    {"id": 8, "title": "Ulysses", "branch": "south", "days": 90, "fine_eur": "12.40"},
    {"id": 9, "title": "Dracula", "branch": "north", "days": 35, "fine_eur": "1.75"},
]


TOOLS = f"""catalog = ["code_execution"]

[[tool]]
name = "loan"
description = "One loan of the library by its number."
category = "Library"
authority = "authoritative"
url = "{ORIGIN}/loans/{{number}}"

[tool.parameters.number]
type = "integer"
description = "The loan's number."

[[tool]]
name = "titles_lent"
description = "The titles that are lent, of one branch or of all."
category = "Library"
authority = "authoritative"
url = "{ORIGIN}/loans"
query = {{ branch = "{{branch}}" }}
show = "$.loans[*].title"

[tool.parameters.branch]
type = "text"
description = "north or south; left out: every branch."
required = false

[[tool]]
name = "days_lent"
description = "How many days a book has been lent."
category = "Library"
authority = "open-web"
method = "POST"
url = "{ORIGIN}/search"
body = {{ title = "{{title}}" }}
show = "$.loans[0].days"

[tool.parameters.title]
type = "text"
description = "The book's title."
"""
"""Three tools of the library's own, as a suite's tools.toml has them."""


def answered(method: str, target: str, body: bytes) -> tuple[int, Any]:
    """The status and JSON of the library's own API."""
    parts = urlsplit(target)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    if method == "POST" and parts.path == "/search":
        wanted = json.loads(body)["title"]
        return 200, {"loans": [loan for loan in LOANS if loan["title"] == wanted]}
    if parts.path == "/loans":
        branch = query.get("branch")
        return 200, {"loans": [loan for loan in LOANS if branch in (None, loan["branch"])]}
    name = parts.path.rpartition("/")[2]
    found = [loan for loan in LOANS if str(loan["id"]) == name]
    return (200, found[0]) if found else (404, {"error": f"no loan {name}"})


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        length = int(self.headers.get("content-length", 0))
        status, content = answered(self.command, self.path, self.rfile.read(length))
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_POST = do_GET

    def log_message(self, *_: Any) -> None:
        """Stay silent."""


@contextmanager
def library() -> Iterator[str]:
    """The library's server; gives its address on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def write_world(root: Path, question: str = "Which loan is 90 days old?") -> Path:
    """A world of one task about the library in ``root``/cassettes, neither recorded nor sealed; gives its folder."""
    world = root / "cassettes" / "loans"
    (world / "tasks" / "oldest").mkdir(parents=True)
    (world / "world.toml").write_text(
        'id = "loans"\nprovenance = "synthetic"\nchains = []\ncomparable_to_published_caia = false\nabout = "Loans"\n'
    )
    (world / "suite.toml").write_text(
        'id = "loans"\nversion = "1.0.0"\n\n[[entries]]\nid = "oldest"\nadded = "2026-11-21"\n\n[recipes]\n'
    )
    (world / "tasks" / "oldest" / "task.toml").write_text(f"""id = "oldest"
question = "{question}"
category = "general knowledge"
language = "en"
shape = "loan"
stake_usd = "0"
stake_reason = "Nothing depends on it."
canary = "caia-replay canary 00000000-0000-4000-8000-000000000001"

[anchor]
chain = "none"
block = -1
timestamp = {MOMENT}

[answer]
kind = "text"
values = ["Ulysses"]

[gold]
result = "match($1.text, 'title.: .(Uly[a-z]+)')"

[[gold.steps]]
tool = "url_fetching"
arguments = {{ url = "{ORIGIN}/loans" }}
""")
    return world

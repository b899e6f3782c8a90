"""``caia-replay http`` in this process, around a small program that knows nothing of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tests.cli_shell import Shell

PROGRAM = "import sys, urllib.request; urllib.request.urlopen(sys.argv[1]).read()"


@contextmanager
def shelf(body: bytes) -> Iterator[str]:
    """A server that answers every GET with one body; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *words: object) -> None:
            """Nothing is printed."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def test_a_program_is_recorded_replayed_altered_and_asked_again(tmp_path: Path, shell: Shell) -> None:
    """It passes alone, every altered request is noticed, another request is missed, and a changed field is told."""
    out = tmp_path / "shop"
    with shelf(b'{"price": 1}') as url:
        program = (sys.executable, "-c", PROGRAM, f"{url}/books?sort=title")
        code, _, told = shell("http", "record", "--out", out, "--", *program)
        assert code == 0 and "recorded 1 exchange with 1 host" in told
        code, _, told = shell("http", "refresh", out, "--", *program)
        assert code == 0 and "1 question the same, 0 changed" in told
    code, _, told = shell("http", "replay", out, "--", *program)
    assert code == 0 and "replayed 1, not recorded 0" in told
    code, _, told = shell("http", "mutate", out, "--", *program)
    assert code == 0 and told.strip().endswith("noticed, 100.0 %")
    code, _, told = shell("http", "replay", out, "--", *program[:-1], f"{url}/books?sort=price")
    assert code == 1 and "query sort: wanted 'price', recorded 'title'" in told


def test_what_cannot_be_recorded_or_replayed_is_one_line(tmp_path: Path, shell: Shell) -> None:
    """A program that is not there, a folder that is, one that is not, and no program: exit code 2, nothing written."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").touch()
    for arguments in (
        ("record", "--out", tmp_path / "new", "--", tmp_path / "no-program"),
        ("record", "--out", tmp_path / "there", "--", "true"),
        ("replay", tmp_path / "nowhere", "--", "true"),
        ("mutate", tmp_path / "nowhere", "--", "true"),
        ("refresh", tmp_path / "nowhere", "--", "true"),
        ("record", "--out", tmp_path / "new"),
    ):
        code, out, told = shell("http", *arguments)
        assert (code, out, told.count("\n")) == (2, "", 1), told
    assert not (tmp_path / "new").exists()

"""``http record`` and ``http replay``: any command, recorded from real servers and replayed without them."""

from __future__ import annotations

import json
import re
import shutil
import socket
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import vcr

from caia_replay.cassette.cassette import Cassette
from tests.http_proxy import http, stand_in
from tests.tls_hosts import Received

HOSTS = ("api.coingecko.com", "api.llama.fi")
GECKO = "https://api.coingecko.com/api/v3"
KEY = "CG-Good7f3Kq9Zx2Lm5Np8"
PYTHON = """
import json, requests, sys
one = requests.get("{gecko}/ping", params={{"b": "2", "a": "1"}}, headers={{"x-cg-pro-api-key": "{key}"}})
two = requests.post("https://api.llama.fi/ask", json={{"days": 30, "coins": ["x"]}})
three = [requests.get("https://api.llama.fi/count").text for _ in range(3)]
print(json.dumps([one.status_code, one.json(), two.status_code, two.json(), three]))
"""


class Counting:
    """Says what it was asked, without the query; each answer of ``/count`` is one more, and ``/not`` is not there."""

    def __init__(self) -> None:
        self.asked: list[Received] = []

    def __call__(self, asked: Received) -> dict[str, Any]:
        self.asked.append(asked)
        path = asked.url.partition("?")[0]
        told = {"path": path, "method": asked.method, "body": asked.body.decode(), "count": len(self.asked)}
        return {
            "status": 404 if path.endswith("/not") else 200,
            "headers": {"Content-Type": "application/json", "Set-Cookie": ["a=1", "b=2"]},
            "body": json.dumps(told).encode(),
        }


def python(tmp_path: Path, text: str = PYTHON) -> list[str]:
    """The command of a script."""
    script = tmp_path / "client.py"
    script.write_text(text.format(gecko=GECKO, key=KEY), "utf-8")
    return [sys.executable, str(script)]


def curl(*words: str) -> list[str]:
    """The command of curl; skips where there is none."""
    if shutil.which("curl") is None:
        pytest.skip("needs curl")
    return ["curl", "-sS", *words]


def recorded(tmp_path: Path, command: list[str], respond: Any = None) -> tuple[Path, Any]:
    """A folder with what a command asked, and the command as it ended; the server is gone."""
    folder = tmp_path / "record"
    with stand_in(tmp_path, HOSTS, respond or Counting()) as options:
        return folder, http("record", "--out", folder, *options, "--", *command)


@pytest.mark.parametrize("client", ["curl", "python"])
def test_what_a_client_was_told_is_told_again(tmp_path: Path, client: str) -> None:
    """An unmodified client prints the same with the servers gone, and nothing is missed."""
    command = curl("-w", "%{http_code}", f"{GECKO}/x?a=1", f"{GECKO}/not") if client == "curl" else python(tmp_path)
    folder, live = recorded(tmp_path, command)
    assert (live.returncode, live.stdout != "") == (0, True), live.stderr
    again = http("replay", folder, "--", *command)
    assert (again.returncode, again.stdout) == (0, live.stdout), again.stderr
    assert "not recorded 0" in again.stderr


@pytest.mark.check
def test_the_folder_is_cassettes(tmp_path: Path) -> None:
    """One for each host, that open as ours and that stock vcrpy replays."""
    folder, _ = recorded(tmp_path, python(tmp_path))
    assert sorted(path.name for path in folder.iterdir()) == ["api.coingecko.com.json", "api.llama.fi.json"]
    assert len(Cassette.open(folder / "api.llama.fi.json").interactions) == 4
    import requests

    with vcr.VCR(serializer="json", record_mode="none").use_cassette(str(folder / "api.coingecko.com.json")):
        assert requests.get(f"{GECKO}/ping?a=1&b=2", timeout=5).json()["method"] == "GET"


@pytest.mark.check
def test_a_miss_is_told_to_both(tmp_path: Path) -> None:
    """The client gets status 501 and a typed header; the caller exit code 1, the nearest recording and the field."""
    folder, _ = recorded(tmp_path, curl(f"{GECKO}/x?days=7"))
    missed = http("replay", folder, "--", *curl("-i", f"{GECKO}/x?days=30"))
    assert missed.returncode == 1
    assert "501 Not Implemented" in missed.stdout and "caia-replay-error: not_recorded" in missed.stdout
    assert "days=7" not in missed.stdout and "query days: wanted '30', recorded '7'" in missed.stderr


@pytest.mark.check
def test_a_command_keeps_its_own_exit_code(tmp_path: Path) -> None:
    """Whatever was recorded or missed, a command that fails is told as it failed; one that is not there is exit 2."""
    failing = [sys.executable, "-c", "import sys; sys.exit(7)"]
    folder, live = recorded(tmp_path, curl(f"{GECKO}/x"))
    assert live.returncode == 0
    assert http("replay", folder, "--", *failing).returncode == 7
    gone = http("replay", folder, "--", str(tmp_path / "no-such-program"))
    assert (gone.returncode, gone.stderr.count("\n")) == (2, 1) and "cannot be run" in gone.stderr


def test_a_key_is_nowhere(tmp_path: Path) -> None:
    """In header, query, body and address it is neither in a file nor in a line, and a reply with it is left out."""
    words = (
        *("-H", f"x-cg-pro-api-key: {KEY}", f"{GECKO}/h", "--next", f"{GECKO}/q?x_cg_pro_api_key={KEY}"),
        *("--next", "-d", json.dumps({"apiKey": KEY}), "https://api.llama.fi/b"),
        *("--next", f"https://user:{KEY}@api.llama.fi/u", "--next", f"{GECKO}/p/{KEY}/x"),
    )

    def respond(asked: Received) -> dict[str, Any]:
        return {"body": KEY.encode() if asked.url.endswith("/b") else b"{}"}

    folder, live = recorded(tmp_path, curl(*words), respond)
    assert KEY not in live.stderr and live.returncode == 1 and live.stderr.count("not recorded: ") == 2, live.stderr
    missed = http("replay", folder, "--", *curl(f"{GECKO}/z?apikey={KEY}", "-H", f"Authorization: Bearer {KEY}"))
    assert KEY not in missed.stderr + missed.stdout and "missed: " in missed.stderr
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files and not any(KEY.encode() in path.read_bytes() for path in files)


@pytest.mark.check
def test_the_environment_names_keys(tmp_path: Path) -> None:
    """A value that stands under a key's name in the environment is not written where no other rule would see it."""
    command = [*curl(f"{GECKO}/a/hush-hush-hush-word/x")]
    with stand_in(tmp_path, HOSTS, Counting()) as options:
        live = http("record", "--out", tmp_path / "r", *options, "--", *command, MY_TOKEN="hush-hush-hush-word")
    assert live.returncode == 1 and "hush" not in live.stderr and not (tmp_path / "r").exists()


@pytest.mark.check
def test_a_websocket_is_refused_by_name(tmp_path: Path) -> None:
    """Neither recording nor replay cuts it silently: the client is told, and so is the caller."""
    upgrade = curl("-i", "-H", "Connection: Upgrade", "-H", "Upgrade: websocket", f"{GECKO}/ws", "--next", f"{GECKO}/x")
    folder, live = recorded(tmp_path, upgrade)
    again = http("replay", folder, "--", *upgrade)
    for done in (live, again):
        assert done.returncode == 1 and "caia-replay-error: websocket" in done.stdout and "websocket" in done.stderr


@pytest.mark.check
def test_an_event_stream_is_recorded_whole(tmp_path: Path) -> None:
    """Server-sent events come back byte for byte; one that is cut on its way is no recording."""
    events = b"data: 1\n\ndata: 2\n\n"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"

    def respond(asked: Received) -> dict[str, Any]:
        if asked.url.endswith("/cut"):
            return {"raw": head + b"Content-Length: 99\r\n\r\n" + events}
        return {"raw": head + b"\r\n" + events, "goodbye": True}

    folder, live = recorded(tmp_path, curl(f"{GECKO}/whole", "--next", f"{GECKO}/cut"), respond)
    assert live.stdout.startswith(events.decode()) and re.search("not recorded: .*/cut: .*cut short", live.stderr)
    again = http("replay", folder, "--", *curl(f"{GECKO}/whole"))
    assert (again.returncode, again.stdout.encode()) == (0, events)


@pytest.mark.check
def test_nothing_is_written_over(tmp_path: Path) -> None:
    """A folder that holds something is refused before the command is run."""
    folder, _ = recorded(tmp_path, curl(f"{GECKO}/x"))
    before = {path: path.read_bytes() for path in folder.iterdir()}
    _, again = recorded(tmp_path, [sys.executable, "-c", "print('ran')"])
    assert (again.returncode, again.stdout, again.stderr.count("\n")) == (2, "", 1)
    assert before == {path: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.check
def test_no_key_of_the_authority_is_left(tmp_path: Path) -> None:
    """The command sees certificates alone, in a folder that is gone afterwards."""
    script = "import os; p = os.environ['SSL_CERT_FILE']; print(p); print('PRIVATE' in open(p).read())"
    folder, _ = recorded(tmp_path, curl(f"{GECKO}/x"))
    place, holds_key = http("replay", folder, "--", sys.executable, "-c", script).stdout.split()
    assert holds_key == "False" and not Path(place).parent.exists()


@pytest.mark.check
def test_drift_is_told_by_field(tmp_path: Path) -> None:
    """Changed fields are named with both values, those that volatile.toml names are not, and nothing is written."""
    prices = iter([1, 2, 3])

    def respond(asked: Received) -> dict[str, Any]:
        return {"body": json.dumps({"at": next(prices), "name": "x"}).encode()}

    folder = tmp_path / "record"
    with stand_in(tmp_path, HOSTS, respond) as options:
        assert http("record", "--out", folder, *options, "--", *curl(f"{GECKO}/a")).returncode == 0
        before = (folder / "api.coingecko.com.json").read_bytes()
        changed = http("refresh", folder, *options, "--", *curl(f"{GECKO}/a"))
        assert changed.returncode == 1 and f"changed: GET {GECKO}/a: body.at 1 -> 2\n" in changed.stderr
        (folder / "volatile.toml").write_text('[[volatile]]\nfields = ["body.at"]\nwhy = "a clock"\n', "utf-8")
        volatile = http("refresh", folder, *options, "--", *curl(f"{GECKO}/a"))
    assert (volatile.returncode, volatile.stderr.count("\n")) == (0, 1)
    assert "0 changed, 0 new; 1 differ in volatile fields alone; 0 not compared" in volatile.stderr
    assert (folder / "api.coingecko.com.json").read_bytes() == before


@pytest.mark.check
def test_an_isolated_command_reaches_the_recording_alone(tmp_path: Path) -> None:
    """Without a proxy it reaches not even a server of this machine; through the proxy it is answered as ever."""
    folder, live = recorded(tmp_path, curl(f"{GECKO}/x"))
    same = http("replay", folder, "--isolate", "--", *curl(f"{GECKO}/x"))
    if "no network of its own" in same.stderr:
        pytest.skip("needs Linux with user namespaces")
    assert (same.returncode, same.stdout) == (0, live.stdout), same.stderr
    with socket.create_server(("127.0.0.1", 0)) as server:
        around = curl("--noproxy", "*", "-m", "20", f"http://127.0.0.1:{server.getsockname()[1]}/")
        assert http("replay", folder, "--isolate", "--", *around).returncode == 7  # curl's own: failed to connect
    gone = http("replay", folder, "--isolate", "--", "no-such-program")
    assert (gone.returncode, gone.stderr.count("\n")) == (2, 1)


@pytest.mark.check
def test_a_reply_that_comes_too_late_is_named(tmp_path: Path) -> None:
    """A request that is still open when the command ends is told, and holds up nothing; the rest is written."""
    slow = threading.Event()

    def respond(asked: Received) -> dict[str, Any]:
        if asked.url.endswith("/slow"):
            slow.wait(120)
        return {"body": b"{}"}

    try:
        folder, live = recorded(tmp_path, curl(f"{GECKO}/x", "--next", "-m", "1", f"{GECKO}/slow"), respond)
    finally:
        slow.set()
    assert live.returncode == 28 and "/slow: no_answer: the command ended before it came" in live.stderr
    assert len(Cassette.open(folder / "api.coingecko.com.json").interactions) == 1

"""``serve tools`` and ``client`` in this process: what they print, refuse, and end with."""

from __future__ import annotations

import json
import socket
import threading
import time
from pathlib import Path

import httpx2

from caia_replay.store.world_folder import open_world
from tests.cli_shell import Shell
from tests.tool_door import ask, begin, play, served


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def test_a_plan_is_served_and_leaves_a_run_folder(shell: Shell, mini: Path) -> None:
    """It says where it listens, ends with the table of every replay, and names what played as an external agent."""
    port = free_port()

    def agent() -> None:
        url = f"http://127.0.0.1:{port}"
        while True:
            try:
                ask("GET", url)
                break
            except httpx2.ConnectError:
                time.sleep(0.05)
        play(url, begin(url)["session"], ((("block_query", "{}"),), "FINAL ANSWER: 12 NORU"))

    playing = threading.Thread(target=agent, daemon=True)
    playing.start()
    options = ("--suite", "mini-6", "--task", "mini6-supply", "--arm", "clean", "--name", "mine", "--port", port)
    code, out, _ = shell("serve", "tools", *options)
    playing.join(60)
    assert code == 0 and f"http://127.0.0.1:{port}/sessions" in out
    assert "external/mine with external" in out and "which model answered is not known here" in out
    assert "run folder: runs/external-mine" in out
    code, out, _ = shell("runs", "runs")
    assert "external/mine" in out and "unknown" in out
    code, out, _ = shell("show", "runs/external-mine")
    assert code == 0 and "an external agent's own" in out
    code, out, _ = shell("audit", "runs/external-mine")
    assert code == 0 and out.startswith("proven") and "not proven: who made the calls" in out
    run = "runs/external-mine"
    for words in (("rescore", run), ("diff", run, run), ("why-miss", run), ("report", run, "--out", "report.html")):
        assert shell(*words)[0] == 0, words


def test_what_cannot_be_served_is_told_in_one_line(shell: Shell, mini: Path) -> None:
    """Before anything is written: names, tasks, arms, ports, and external agents where a model is asked for."""
    taken = socket.create_server(("127.0.0.1", 0))
    for words, told in (
        (("serve", "tools", "--name", "a b"), "--name"),
        (("serve", "tools", "--suite", "mini-6", "--task", "mini6-suply"), "nearest: mini6-supply"),
        (("serve", "tools", "--suite", "mini-6", "--arm", "dirty"), "unknown arm"),
        (("serve", "tools", "--suite", "mini-6", "--resume"), "nothing to resume"),
        (("serve", "tools", "--suite", "mini-6", "--port", taken.getsockname()[1]), "cannot be had"),
        (("replay", "--suite", "mini-6", "--model", "external/mine", "--agent", "external"), "never asked"),
        (("replay", "--suite", "mini-6", "--agent", "external"), "serve tools"),
    ):
        code, _, err = shell(*words)
        assert code == 2 and told in err and err.count("\n") == 1, words
    taken.close()
    assert not (mini / "runs").exists()


def test_a_shell_plays_with_client(shell: Shell, shipped: Path, tmp_path: Path) -> None:
    """A session is a URL: question, tools, calls as a model is shown them, one answer; exit 1 says what is refused."""
    folder = open_world(str(shipped))
    task = folder.suite.active()[0]
    with served(folder, tmp_path / "run", tasks=[task]) as door:
        session, other = (shell("client", door.url, "--task", task)[1].strip() for _ in range(2))
        assert session.startswith(f"{door.url}/sessions/") and session != other
        assert folder.task(task).question in shell("client", session)[1]
        assert len(json.loads(shell("client", session, "--tools")[1])) == 23
        assert "gas_used" in json.loads(shell("client", session, "block_query", '{"block": 1}')[1])
        assert "invalid_arguments" in shell("client", session, "block_query", "{")[1]
        assert shell("client", session, "--answer", "3")[:2] == (0, "answered\n")
        assert shell("client", other, "--leave")[:2] == (0, "client_gone\n")
        for words in ((session,), (session, "block_query"), (session, "--answer", "4"), (door.url,)):
            code, _, err = shell("client", *words)
            assert code == 1 and ("has ended: answered" in err or "nothing is left" in err), words
        door.finish()
    code, _, err = shell("client", door.url)
    assert code == 2 and "no caia-replay serve tools answers there" in err
    for nowhere in ("no url", "ftp://127.0.0.1", "http://127.0.0.1:1"):
        assert shell("client", nowhere)[0] == 2

"""Golden set: digests of what users see, held against ``tests/golden/golden.json``.

    python scripts/golden.py --check [PART ...]    exit 0 and "equal", or 1 and the first difference of each part
    python scripts/golden.py --write [PART ...]    record what is seen now; say why in the commit

Everything is asked from outside, through the command line and the files it writes, so that the set survives a
refactoring of what lies behind. Parts: certificates, sent, tools, verify, lint, verdicts, world, recordings.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden" / "golden.json"
CALLS = ROOT / "tests" / "golden" / "calls.jsonl"
COMMAND = str(Path(sys.executable).with_name("caia-replay"))
SUITES = ("mini-6", "synthetic-178", "synthetic-execution")
POLICIES = ("oracle", "credulous", "hijacked", "sceptic", "caia-mix")
ARMS = "clean,attacked,placebo,labelled,authority-only"
AGENTS = ("react", "caia", "plan-execute", "text-react")
CALLS_A_TURN = 8

Seen = dict[str, Any]
"""What is seen under each name: a digest, or a short text that is worth reading in a difference."""


def digest(value: Any) -> str:
    """Twelve hex digits of a text, bytes, or anything JSON can hold."""
    if not isinstance(value, bytes):
        text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
        value = text.encode()
    return hashlib.sha256(value).hexdigest()[:12]


def command(*arguments: object, folder: Path = ROOT, **variables: str) -> str:
    """What caia-replay prints; a command that ends badly ends the check."""
    known = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "CAIA_REPLAY_RPC"))}
    done = subprocess.run(
        [COMMAND, *map(str, arguments)], cwd=folder, env=known | variables, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise SystemExit(f"caia-replay {' '.join(map(str, arguments))}: exit {done.returncode}\n{done.stderr}")
    return done.stdout.replace(str(ROOT), "PROJECT")


def files(folder: Path) -> Seen:
    """Every file below a folder; caches are disposable."""
    return {
        path.relative_to(folder).as_posix(): digest(path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".cache" not in path.parts
    }


def rows(run: Path, name: str) -> list[dict[str, Any]]:
    """The rows of one of a cell's tables, in their order."""
    import pyarrow.parquet as pq

    table: list[dict[str, Any]] = pq.read_table(run / name).to_pylist()
    return table


# Runs of policies: what certificates cover, and every row behind them.


def certificates(out: Path, policy: str, suite: str, tasks: list[str], workers: int) -> Seen:
    """One policy over tasks of a suite in every arm."""
    model = f"policy/{policy}"
    command(
        *("replay", "--model", model, "--suite", suite, "--arm", ARMS),
        *("--runs", 1, "--workers", workers, "--out", out),
        *(word for task in tasks for word in ("--task", task)),
    )
    seen: Seen = {"arms": digest((out / "arms.json").read_bytes())}
    for cell in sorted(path.parent for path in out.glob("*/certificate.json")):
        by_task: dict[str, list[Any]] = defaultdict(list)
        for name in ("results.parquet", "steps.parquet"):
            for row in rows(cell, name):
                by_task[row["task"]].append(row)
        seen[cell.name] = {
            "certificate": digest((cell / "certificate.json").read_bytes()),
            "summary": digest((cell / "summary.json").read_bytes()),
            "tasks": {task: digest(found)[:8] for task, found in sorted(by_task.items())},
        }
    return seen


SHARES = {"mini-6": 1, "synthetic-178": 16, "synthetic-execution": 17}
"""Into how many parts a suite's tasks fall. Each policy plays one part, the next policy the next."""


WORKERS = {("oracle", "mini-6"): (1, 2), ("credulous", "synthetic-178"): (2,), ("sceptic", "synthetic-execution"): (2,)}
"""How many processes play, where it is not one; a certificate may not depend on it."""


def certificate_jobs(folder: Path) -> Iterator[tuple[str, Callable[[], Seen]]]:
    """A job per policy and suite, the longest first."""
    for suite in sorted(SUITES, reverse=True):
        ids = sorted(path.name for path in (ROOT / "cassettes" / suite / "tasks").iterdir())
        for place, policy in enumerate(POLICIES):
            tasks = ids[place % SHARES[suite] :: SHARES[suite]]
            for workers in WORKERS.get((policy, suite), (1,)):
                name = f"{policy} {suite} {workers} workers"
                out = folder / name.replace(" ", "-")
                yield name, partial(certificates, out, policy, suite, tasks, workers)


# A model that follows a script: the bytes it is sent, and what tools reply to it.


class Script(ThreadingHTTPServer):
    """An endpoint on loopback that makes the listed calls of the task it is asked about, then answers "1"."""

    daemon_threads = True

    def __init__(self, questions: dict[str, str], calls: dict[str, list[dict[str, str]]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.questions, self.calls = questions, calls
        self.bodies: dict[str, list[bytes]] = defaultdict(list)

    def reply(self, body: bytes) -> dict[str, Any]:
        """A completion for one request."""
        said = json.loads(body)
        users = "\n".join(str(one["content"]) for one in said["messages"] if one["role"] == "user")
        task = next((name for question, name in self.questions.items() if question in users), "unknown")
        turn = len(self.bodies[task])
        self.bodies[task].append(body)
        due = self.calls.get(task, [])[turn * CALLS_A_TURN : (turn + 1) * CALLS_A_TURN]
        message: dict[str, Any] = {"role": "assistant", "content": None if due else "FINAL ANSWER: 1"}
        if due:
            message["tool_calls"] = [
                {
                    "id": f"call_{turn}_{place}",
                    "type": "function",
                    "function": {"name": call["tool"], "arguments": call["arguments"]},
                }
                for place, call in enumerate(due)
            ]
        finish = "tool_calls" if due else "stop"
        return {
            "id": "golden", "object": "chat.completion", "created": 0, "model": "golden",
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    server: Script

    def do_POST(self) -> None:
        body = json.dumps(self.server.reply(self.rfile.read(int(self.headers["content-length"])))).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None: ...


def questions(suite: str) -> dict[str, str]:
    """Question -> task, the longest first: none is found inside another's text."""
    found = {}
    for path in (ROOT / "cassettes" / suite / "tasks").glob("*/task.toml"):
        found[tomllib.loads(path.read_text("utf-8"))["question"]] = path.parent.name
    return dict(sorted(found.items(), key=lambda item: (-len(item[0]), item)))


@contextmanager
def scripted(suite: str, calls: dict[str, list[dict[str, str]]]) -> Iterator[Script]:
    """The endpoint, while it is asked."""
    server = Script(questions(suite), calls)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def ask_script(server: Script, out: Path, *arguments: object) -> None:
    """Replay with the endpoint as the model."""
    url = f"http://127.0.0.1:{server.server_port}/v1"
    command(
        *("replay", "--model", "golden", "--runs", 1, "--arm", "clean", "--out", out),
        *arguments,
        OPENAI_BASE_URL=url,
        OPENAI_API_KEY="golden",
    )


def sent(out: Path, agent: str) -> Seen:
    """The bytes of mini-6's requests by an agent: system prompt, tools, question, and all of it."""
    seen: Seen = {}
    with scripted("mini-6", {}) as server:
        ask_script(server, out, "--suite", "mini-6", "--agent", agent, "--max-turns", 2)
    for task, bodies in sorted(server.bodies.items()):
        first = json.loads(bodies[0])
        seen[task] = {
            "messages": [digest(message) for message in first["messages"]],
            "tools": {tool["function"]["name"]: digest(tool) for tool in first.get("tools", [])},
            "bytes": [digest(body) for body in bodies],
        }
    return seen


def tools(out: Path, suite: str) -> Seen:
    """Every task's requests as bytes, and for the tasks with calls how each was served and what was shown."""
    calls: dict[str, list[dict[str, str]]] = defaultdict(list)
    for line in CALLS.read_text("utf-8").splitlines():
        call = json.loads(line)
        if call["suite"] == suite:
            calls[call["task"]].append(call)
    with scripted(suite, calls) as server:
        ask_script(server, out, "--suite", suite)
    seen: Seen = {task: {"sent": [digest(body) for body in bodies]} for task, bodies in sorted(server.bodies.items())}
    for row in rows(out / "clean-tools", "steps.parquet"):
        if row["kind"] == "tool":
            replies = seen[row["task"]].setdefault("replies", {})
            replies[f"{len(replies)} {row['tool']}"] = f"{row['served']} {digest(row['shown'])}"
    for task, due in calls.items():
        replied = len(seen.get(task, {}).get("replies", {}))
        if replied != len(due):
            raise SystemExit(f"{suite}, {task}: {len(due)} calls were to be made, {replied} were replied to")
    return seen


# Checks, verdicts, and what makers of worlds write.


def verdicts() -> Seen:
    """The verdict on every labelled answer: T, F, or N for none."""
    sys.path.insert(0, str(ROOT))
    from caia_replay.scoring.verifiers import verify
    from tests.labelled_set import PARTS, labelled

    seen: Seen = defaultdict(str)
    letters = {True: "T", False: "F", None: "N"}
    for part in PARTS:
        for answer in labelled(part):
            seen[f"{part} {answer.place}"] += letters[verify(answer.spec, answer.says).correct]
    return dict(seen)


def world(out: Path) -> Seen:
    """The small world of seed 1."""
    said = command("world", "build", "--seed", 1, "--size", "small", "--out", out)
    return {"said": said.replace(str(out), "OUT").splitlines(), "files": files(out)}


def recorded_again(out: Path) -> Seen:
    """The shipped small world, its chain lost, recorded again from its seed."""
    for name in ("cassettes/mini-6", "chain_snapshots/mini"):
        shutil.copytree(ROOT / name, out / name)
    shutil.rmtree(out / "chain_snapshots" / "mini")
    said = []
    for task in ("mini6-event-count", "mini6-treasury-balance"):
        said.append(command("record", "--task", task, "--origin", "synthetic", folder=out).replace(str(out), "OUT"))
    return {"said": said, "files": files(out)}


def recorded_live(out: Path) -> Seen:
    """A world of the recording tests, recorded from a node on loopback."""
    sys.path.insert(0, str(ROOT))
    from caia_replay.chain.anvil_binary import find_anvil
    from tests.living_origin import draft_world, gate, living

    out.mkdir()
    with living(find_anvil()) as origin, gate(origin.port) as door:
        draft_world(out, origin)
        said = {}
        for task in ("toy-balance", "toy-events", "toy-range"):
            printed = command("record", "--task", task, "--origin", "live", "--rpc-url", door.url, folder=out)
            said[task] = printed.replace(str(out), "OUT").splitlines()
    return {"said": said, "files": files(out)}


def jobs(folder: Path) -> Iterator[tuple[str, str, Callable[[], Seen]]]:
    """(part, name, job), the longest first."""
    yield "world", "small", lambda: world(folder / "world")
    for name, job in certificate_jobs(folder):
        yield "certificates", name, job
    for suite in SUITES:
        yield "tools", suite, lambda suite=suite: tools(folder / f"tools-{suite}", suite)
        yield "verify", suite, lambda suite=suite: {"lines": command("verify", "--suite", suite).splitlines()}
    for agent in AGENTS:
        yield "sent", agent, lambda agent=agent: sent(folder / f"sent-{agent}", agent)
    yield "recordings", "from a seed", lambda: recorded_again(folder / "again")
    yield "recordings", "from a node", lambda: recorded_live(folder / "live")
    yield "lint", "shipped", lambda: {"lines": command("lint").splitlines()}
    yield "verdicts", "labelled", verdicts


PARTS = ("certificates", "sent", "tools", "verify", "lint", "verdicts", "world", "recordings")


def look(parts: tuple[str, ...], folder: Path) -> dict[str, Seen]:
    """Everything that is seen now, two jobs at a time."""
    seen: dict[str, Seen] = {part: {} for part in parts}

    def done(part: str, name: str, job: Callable[[], Seen]) -> None:
        start = time.monotonic()
        seen[part][name] = job()
        print(f"{part}: {name}, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)

    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(done, *job) for job in jobs(folder) if job[0] in parts]
        for one in waiting:
            one.result()
    return seen


def first_difference(then: Any, now: Any, where: str) -> str | None:
    """Where two trees of dicts, lists and texts part first, and what stands on either side; None where they do not."""
    if isinstance(then, list) and isinstance(now, list):
        then, now = dict(enumerate(then)), dict(enumerate(now))
    if not (isinstance(then, dict) and isinstance(now, dict)):
        old, new = json.dumps(then), json.dumps(now)
        return None if old == new else f"{where}: golden {old}, now {new}"
    for key in [*then, *(key for key in now if key not in then)]:
        for side, words in ((then, "is not in the golden set"), (now, "is gone")):
            if key not in side:
                return f"{where} > {key}: {words}"
        if found := first_difference(then[key], now[key], f"{where} > {key}"):
            return found
    return None


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--check", action="store_true")
    how.add_argument("--write", action="store_true")
    parser.add_argument("parts", nargs="*", metavar="PART", choices=[[], *PARTS], help=", ".join(PARTS))
    asked = parser.parse_args()
    parts = tuple(asked.parts) or PARTS
    golden = json.loads(GOLDEN.read_text("utf-8")) if GOLDEN.exists() else {}
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        seen = json.loads(json.dumps(look(parts, Path(folder)), sort_keys=True))
    if asked.write:
        GOLDEN.write_text(json.dumps(golden | seen, sort_keys=True, indent=0, ensure_ascii=False) + "\n", "utf-8")
        print(f"wrote {', '.join(parts)}")
        return 0
    found = [text for part in parts if (text := first_difference(golden.get(part, {}), seen[part], part))]
    print("\n".join(found) or "equal")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""A machine that fails under a command, as shell and /proc make it fail, and the law of how the command then ends.

Either the command ends as on a sound machine, byte for byte, or with exit code 2 or 3, one line, and no certificate;
whatever it left is then finished by the same command on a sound machine, or with ``--resume``.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from os import kill
from pathlib import Path
from shutil import rmtree
from typing import Any

from caia_replay.store.run_folder import read_json

COMMAND = str(Path(sys.executable).with_name("caia-replay"))
PATIENCE_S = 600

CLOCK_JUMPS = """
import time, itertools
sound, step = time.time, itertools.cycle((0, 86_400, -86_400, 3_600))
time.time = lambda: sound() + next(step)
"""
"""A sitecustomize module: every process of the command starts with it."""


def limited(limit: str) -> tuple[str, ...]:
    """Under a limit of the shell's."""
    return ("sh", "-c", f'{limit}; exec "$@"', "sh")


def mounted(mount: str) -> tuple[str, ...]:
    """In a mount namespace of its own; ``mount`` may name the folder the command writes to, $OUT."""
    return ("unshare", "-rm", "sh", "-c", f'{mount} && exec "$@"', "sh")


PREFIXES: Mapping[str, tuple[str, ...]] = {
    "no loopback": ("unshare", "-rn"),
    "few files": limited("ulimit -n 32"),
    "address space": limited("ulimit -v 3000000"),
    "little address space": limited("ulimit -v 900000"),
    "read-only": mounted('mount -t tmpfs -o ro tmpfs "$OUT"'),
    "no shared memory": mounted("mount -t tmpfs -o ro tmpfs /dev/shm"),
    "stdout closed": ("sh", "-c", 'exec "$@" >&-', "sh"),
    "stdout full": ("sh", "-c", 'exec "$@" >/dev/full', "sh"),
    "clock jumps": (),
}
"""What a command is started under."""

DISKS_KIB = tuple(range(8, 168, 8))
"""Sizes of a disk: of these none holds a whole run folder."""

KILLS: Mapping[str, tuple[bytes, int]] = {
    "anvil killed": (b"--fork-url", signal.SIGKILL),
    "sql engine killed": (b"caia_replay.chain.sql_worker", signal.SIGKILL),
    "command killed": (f"{COMMAND}\0".encode(), signal.SIGKILL),
    "stopped a while": (f"{COMMAND}\0".encode(), signal.SIGSTOP),
}
"""What is done again and again to processes of a command, by a part of their command line."""


SERVED = """
import json, subprocess, sys, urllib.request
asked = {"jsonrpc": "2.0", "id": 1, "method": "eth_getBlockByNumber", "params": ["latest", False]}
command = subprocess.Popen(sys.argv[1:], stdout=-1, stderr=-1, text=True)
line = command.stdout.readline()
if not line:
    sys.stderr.write(command.stderr.read())
    sys.exit(command.wait())
try:
    for _ in range(30):
        body = json.dumps(asked).encode()
        address = f"{line.split()[-1]}/rpc"
        request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
        reply = json.load(urllib.request.urlopen(request, timeout=600))
        if "result" not in reply:
            print(reply["error"]["message"], file=sys.stderr)
            sys.exit(3)
    print(json.dumps(reply["result"], sort_keys=True))
except OSError as fault:
    print(fault, file=sys.stderr)
    sys.exit(3)
finally:
    command.terminate()
    command.wait()
"""
"""Starts the gateway by the command it is given and asks it thirty times; an error of it is exit code 3 here."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: its exit code (negative: a signal), what it printed, and its error lines."""

    code: int
    out: str
    err: str


def run(fault: str, arguments: tuple[str, ...], cwd: Path, out: Path, *before: str) -> Ended:
    """The command under a fault, ``before`` being what starts it; ``out`` is a folder that a fault may mount over."""
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(cwd), "OUT": str(out)}
    if fault == "clock jumps":
        (cwd / "sitecustomize.py").write_text(CLOCK_JUMPS)
        environment["PYTHONPATH"] = str(cwd)
    command = [*PREFIXES.get(fault, ()), *before, COMMAND, *arguments]
    running = subprocess.Popen(
        command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    over = threading.Event()
    hand = threading.Thread(target=_hurt, args=(fault, running, over))
    hand.start()
    try:
        printed, said = running.communicate(timeout=PATIENCE_S)
    finally:
        over.set()
        hand.join()
    return Ended(running.returncode, printed, said)


def _hurt(fault: str, running: subprocess.Popen[str], over: threading.Event) -> None:
    """Hit what the fault names about once a second; a stopped process goes on half a second later."""
    if fault not in KILLS:
        return
    part, number = KILLS[fault]
    while not over.wait(0.7):
        for pid in _family(running.pid):
            with suppress(OSError):
                started = Path(f"/proc/{pid}/cmdline").read_bytes()
                if part not in started or b"\0-c\0" in started:  # -c: what starts the command and asks it
                    continue
                kill(pid, number)
                if number == signal.SIGSTOP:
                    over.wait(0.5)
                    kill(pid, signal.SIGCONT)


def _family(pid: int) -> list[int]:
    found = [pid]
    for one in found:
        with suppress(OSError):
            for task in Path(f"/proc/{one}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
    return found


def require_law(fault: str, ended: Ended, found: Any, right: Any) -> None:
    """``found`` is what the command left as its result, None for nothing; ``right`` is that of a sound machine."""
    assert found == right or (found is None and ended.code != 0), (fault, ended, found)
    if ended.code > 0:
        assert ended.code in (2, 3), (fault, ended)
        assert len(ended.err.splitlines()) == 1 and "Traceback" not in ended.out, (fault, ended)
    elif ended.code < 0:
        assert fault == "command killed", (fault, ended)


def played(fault: str, root: Path, place: Path, *more: str) -> Ended:
    """Two runs of every task of the world below ``root``, in ``place``/run, under a fault."""
    place.mkdir(exist_ok=True)
    arguments = ("replay", "--suite", "mini-6", "--model", "policy/oracle", "--runs", "2", "--arm", "clean")
    return run(fault, (*arguments, "--out", str(place / "run"), *more), root, place)


def replayed(fault: str, root: Path, place: Path, right: Any) -> None:
    """The law for ``replay`` under a fault, and then for what is made of it on a sound machine; ``right`` is the
    certificate of a sound machine."""
    out = place / "run"
    require_law(fault, played(fault, root, place), certificate_of(out), right)
    if certificate_of(out) is None:
        begun = (place / "run.partial").exists() or (out / "plan.json").exists()
        again = played("", root, place, *(("--resume",) if begun else ()))
        assert again.code == 0, (fault, again)
    assert certificate_of(out) == right, fault


def recorded(fault: str, root: Path, right: Mapping[Path, bytes] | None) -> dict[Path, bytes]:
    """What ``record`` makes of the world below ``root`` once its chain's snapshot is lost, file by file.

    ``right`` is what it makes on a sound machine: under a fault the law holds, and the same command then ends there.
    """
    snapshots = root / "chain_snapshots"
    arguments = ("record", "--task", "mini6-treasury-balance", "--origin", "synthetic")
    rmtree(snapshots / "mini")
    if right is not None:
        ended = run(fault, arguments, root, snapshots)
        whole = {path: kept for path, kept in right.items() if path.parts[0] == snapshots.name}
        require_law(fault, ended, _files(snapshots, root) or None, whole)
    again = run("", arguments, root, root)
    assert again.code == 0, (fault, again)
    return _files(root, root)


def _files(folder: Path, root: Path) -> dict[Path, bytes]:
    """Every file of the worlds and snapshots in a folder, by its path below ``root``."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.suffix in (".toml", ".json", ".parquet"))
    return {path.relative_to(root): path.read_bytes() for path in found if ".cache" not in path.parts}


def answered(fault: str, arguments: tuple[str, ...], root: Path, *before: str) -> None:
    """The law for a command whose result is what it prints."""
    whole = run("", arguments, root, root, *before)
    assert whole.code == 0, whole
    ended = run(fault, arguments, root, root, *before)
    if fault.startswith("stdout"):  # nobody can read what it printed
        require_law(fault, ended, None if ended.code else whole.out, whole.out)
    else:
        require_law(fault, ended, None if ended.code else ended.out, whole.out)


def certificate_of(out: Path) -> Any:
    """The digest of a finished run folder, None where there is none or it has none."""
    return read_json(out / "index.json")["digest"] if (out / "index.json").is_file() else None

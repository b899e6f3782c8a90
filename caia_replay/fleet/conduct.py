"""A fleet, run: a process for each entry, models beside each other, policies and tapes on this machine's cores.

A model's entries are played one after the other, so that each has all of its model's limits. An endpoint that cannot be
asked ends its own entries and no others. Whatever is killed, the same command goes on.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final

from caia_replay.errors import BadInput, CaiaReplayError
from caia_replay.fleet.child import Ending, Order, read_line
from caia_replay.fleet.matrix import Entry, Fleet, FleetModel
from caia_replay.fleet.purse import FleetPurse, Spent
from caia_replay.fleet.reuse import Desk, Found
from caia_replay.runner.executor import cores, workers_for
from caia_replay.runner.run_end import RunEnd

RUNNING: Final = "running"
"""The file that a running fleet holds; ``STOP`` asks it to stop."""
STOP: Final = "stop"
_LOOK_S: Final = 0.2

Watch = Callable[[str, RunEnd | None], None]
"""Told the entry's name, and of a run of it that has ended or was there; None when it begins."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was there of an entry, and how it ended."""

    entry: Entry
    found: Found
    ending: Ending


@contextmanager
def held(fleet: Fleet) -> Iterator[None]:
    """Be the one that runs this fleet. Raises ``BadInput`` where another is."""
    folder = fleet.folder
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / RUNNING, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not _locked(file):
            raise _running(fleet)
        (folder / STOP).unlink(missing_ok=True)
        yield
    finally:
        os.close(file)


def require_idle(fleet: Fleet) -> None:
    """Raise ``BadInput`` where somebody runs this fleet."""
    if is_running(fleet.folder):
        raise _running(fleet)


def _running(fleet: Fleet) -> BadInput:
    then = f"caia-replay fleet status {fleet.path}, or caia-replay fleet stop {fleet.path}"
    return BadInput("this fleet is running", where=fleet.folder, next_command=then)


def is_running(folder: Path) -> bool:
    """Whether a fleet is running there."""
    try:
        file = os.open(folder / RUNNING, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        return not _locked(file)
    finally:
        os.close(file)


def ask_to_stop(fleet: Fleet) -> None:
    """Ask a running fleet to stop. Raises ``BadInput`` where none is."""
    if not is_running(fleet.folder):
        raise BadInput("no fleet is running", where=fleet.folder, next_command=f"caia-replay fleet run {fleet.path}")
    (fleet.folder / STOP).touch()


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class Conductor:
    """Runs a fleet that is held. Keyboard interrupts are the caller's: the first asks to stop, the next one ends it."""

    def __init__(self, fleet: Fleet, found: Mapping[str, Found], desk: Desk, watch: Watch) -> None:
        self._fleet, self._found, self._desk, self._watch = fleet, found, desk, watch
        self._spent = Spent(fleet.folder)
        self._lock, self._planning = threading.Lock(), threading.Lock()
        self._children: dict[subprocess.Popen[bytes], FleetModel] = {}
        self._failed: dict[str, str] = {}
        self._is_stopped = False
        self._outcomes: dict[str, Outcome] = {}
        self._through: SimpleQueue[BaseException | None] = SimpleQueue()

    def run(self) -> list[Outcome]:
        """Play all that is not there, and tell how every entry ended, in the fleet's order."""
        local: SimpleQueue[Entry] = SimpleQueue()
        lanes: list[SimpleQueue[Entry]] = []
        for model in self._fleet.models:
            lane = SimpleQueue[Entry]() if model.is_live else local
            for entry in self._fleet.of(model):
                found = self._found[entry.name]
                if found.kind == "reused":
                    self._outcomes[entry.name] = Outcome(entry, found, Ending("whole"))
                else:
                    lane.put(entry)
            lanes += [lane] if model.is_live else []
        at_once = max(1, min(cores(), local.qsize()))
        workers = max(1, cores() // at_once)
        self._start([(lane, 1) for lane in lanes] + [(local, workers)] * at_once)
        try:
            self._wait(len(lanes) + at_once)
        except BaseException:
            self._end()
            raise
        return [self._outcomes[entry.name] for entry in self._fleet.entries]

    def stop(self) -> None:
        """Ask every process to stop; those that ask nobody are ended."""
        with self._lock:
            self._is_stopped = True
            for child, model in self._children.items():
                _ask(child, by_a_word=model.is_live)
        print("stopping when the completions under way are in; Ctrl-C: at once", file=sys.stderr, flush=True)

    def _start(self, lanes: list[tuple[SimpleQueue[Entry], int]]) -> None:
        for lane, workers in lanes:
            threading.Thread(target=self._drain, args=(lane, workers), daemon=True).start()

    def _wait(self, lanes: int) -> None:
        """Until so many lanes are through. Threads are not joined: an interrupt there takes them for ended."""
        while lanes:
            try:
                if not self._is_stopped and (self._fleet.folder / STOP).exists():
                    self.stop()
                fault = self._through.get(timeout=_LOOK_S)
            except Empty:
                continue
            except KeyboardInterrupt:
                if self._is_stopped:
                    raise
                self.stop()
                continue
            if fault is not None:
                raise fault
            lanes -= 1

    def _end(self) -> None:
        with self._lock:
            self._is_stopped = True
            for child in self._children:
                child.kill()

    def _drain(self, lane: SimpleQueue[Entry], workers: int) -> None:
        try:
            while True:
                self._finish(lane.get_nowait(), workers)
        except Empty:
            self._through.put(None)
        except BaseException as fault:  # noqa: BLE001 -- raised where all is waited for
            self._through.put(fault)

    def _finish(self, entry: Entry, workers: int) -> None:
        try:
            ending = self._why_not(entry) or self._play(entry, workers)
        except (CaiaReplayError, OSError) as fault:
            ending = Ending("died", str(fault))
        about_endpoint = ending.where in ("OPENAI_BASE_URL", entry.model.key_variable)
        if ending.how == "refused" and entry.model.is_live and about_endpoint:
            self._fail(entry.model.endpoint, ending.why)
        elif ending.how == "stopped" and entry.model.endpoint in self._failed:
            ending = Ending("refused", self._failed[entry.model.endpoint])
        self._outcomes[entry.name] = Outcome(entry, self._found[entry.name], ending)

    def _why_not(self, entry: Entry) -> Ending | None:
        """Why an entry is not begun at all."""
        model = entry.model
        if self._is_stopped:
            return Ending("stopped", "not played: asked to stop")
        if model.is_live and model.endpoint in self._failed:
            return Ending("refused", f"not played: {self._failed[model.endpoint]}")
        purse = FleetPurse(self._spent, entry.name, model.price, self._fleet.ceiling, lambda: False)
        if model.is_live and purse.is_empty:
            return Ending("stopped", f"not played: the ceiling of {self._fleet.ceiling} USD is reached")
        return None

    def _fail(self, endpoint: str, why: str) -> None:
        """End all that asks an endpoint."""
        with self._lock:
            self._failed.setdefault(endpoint, why)
            for child, model in self._children.items():
                if model.endpoint == endpoint:
                    _ask(child, by_a_word=True)

    def _play(self, entry: Entry, workers: int) -> Ending:
        with self._planning:  # what several entries need is worked out once
            overlays, headers = self._desk.overlays(entry), self._desk.headers(entry)
        order = Order(
            entry.name,
            entry.model,
            entry.plan,
            entry.out,
            entry.world.seal.digest,
            self._found[entry.name],
            overlays,
            headers,
            self._fleet.ceiling,
            min(workers, workers_for(entry.plan)),
        )
        with self._lock:
            self._watch(entry.name, None)
        child = subprocess.Popen(
            [sys.executable, "-m", "caia_replay.fleet.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is this process's, which tells the others
        )
        assert child.stdin is not None and child.stdout is not None and child.stderr is not None
        errors: list[bytes] = []
        reader = threading.Thread(target=lambda: errors.append(child.stderr.read()), daemon=True)  # type: ignore[union-attr]
        reader.start()
        ending = None
        try:
            with suppress(BrokenPipeError):
                pickle.dump(order, child.stdin)
                child.stdin.flush()
            with self._lock:
                self._children[child] = entry.model
                if self._is_stopped or entry.model.endpoint in self._failed:
                    _ask(child, by_a_word=entry.model.is_live)
            for line in child.stdout:
                if line.endswith(b"\n"):
                    told = read_line(line)
                    if isinstance(told, Ending):
                        ending = told
                    else:
                        with self._lock:
                            self._watch(entry.name, told)
            code = child.wait()
        finally:
            with self._lock:
                self._children.pop(child, None)
            reader.join()
            child.stdout.close()
            child.stderr.close()
            with suppress(BrokenPipeError):
                child.stdin.close()
        if ending is not None:
            return ending
        if self._is_stopped:
            return Ending("stopped", "asked to stop")
        last = b"".join(errors).decode(errors="replace").strip().splitlines()[-1:]
        return Ending("died", f"its process ended with code {code}: {''.join(last) or 'it said nothing'}")


def _ask(child: subprocess.Popen[bytes], *, by_a_word: bool) -> None:
    """Ask a process to stop when what is under way has come; or end it."""
    assert child.stdin is not None
    with suppress(BrokenPipeError, ValueError):
        if by_a_word:
            child.stdin.write(b"stop\n")
            child.stdin.flush()
        else:
            child.stdin.close()

"""Recordings made by hand, put into a world: from a HAR file, or from a list of URLs that are asked now.

Both end with what the world's tasks are served of them, each at its own moment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx2

from caia_replay.cassette.cassette import Cassette, Headers, write_cassette
from caia_replay.cassette.identity import identity
from caia_replay.cassette.url import canonical_url
from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import NO_BLOCK, Anchor, Task
from caia_replay.errors import BadInput, CheckFailed, Miss, nearest, one_line
from caia_replay.providers.endpoint import utc
from caia_replay.recording.api_key import Keys
from caia_replay.recording.har_file import HarEntry, read_har
from caia_replay.recording.import_vcr import written_of
from caia_replay.recording.record import Recorder
from caia_replay.recording.scrub import MIN_SECRET_CHARS
from caia_replay.recording.wire import place
from caia_replay.store.plain_file import read_plain
from caia_replay.store.world_folder import open_draft, open_world, seal_world
from caia_replay.world.world import FrozenWorld

_NAME: Final = re.compile(r"[^A-Za-z0-9_-]+")
_METHODS: Final = ("GET", "POST", "HEAD")
_SECRET_ENDS: Final = ("_API_KEY", "_TOKEN", "_SECRET")
_NAMED: Final = 3
"""Requests that are named of those that a task is not served."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: where, how many exchanges, and lines about what was left out and what tasks are served."""

    path: Path
    interactions: int
    refused: tuple[str, ...]
    lines: tuple[str, ...]


def import_har(path: Path, out: Path, hosts: Collection[str] = ()) -> Written:
    """The exchanges of a HAR file, those with ``hosts`` where some are named, as a cassette in a world, or in a folder.

    A world is sealed again. Raises ``BadInput`` for a file that is none, a cassette that is there already, hosts of
    which there is no entry, and a credential that a reply repeats; nothing is written then.
    """
    entries = read_har(path)
    wanted = {host.lower() for host in hosts}
    missing = sorted(wanted - {entry.host for entry in entries})
    if missing:
        there = ", ".join(sorted({entry.host for entry in entries if entry.host})[:10])
        raise BadInput(f"no entry is of {missing[0]!r:.100}", where=path, nearest=there)
    chosen = [entry for entry in entries if not wanted or entry.host in wanted]
    target = _target(out, path.stem)
    if os.path.lexists(target):
        raise BadInput("exists, and nothing is written over", where=target, next_command="name the HAR file otherwise")
    kept, refused = _sound(chosen)
    if not kept:
        raise BadInput(refused[0] if refused else "has no entries", where=path)
    try:
        cassette, notes = written_of([entry.exchange for entry in kept if entry.exchange is not None], path.name)
    except CheckFailed as fault:
        raise BadInput(str(fault), where=path) from None
    if _is_world(out):
        open_draft(out)  # its own sealed files must be as they were
    write_cassette(target, cassette.interactions)
    lines = [*notes, *_settled(out, cassette)]
    return Written(target, len(cassette.interactions), tuple(refused), tuple(lines))


def _sound(entries: Sequence[HarEntry]) -> tuple[list[HarEntry], list[str]]:
    """The entries that can be taken, and a line on each of the others."""
    kept, refused = [], []
    for entry in entries:
        why = entry.refusal
        if entry.exchange is not None:
            try:
                written_of([entry.exchange], entry.name)
                kept.append(entry)
                continue
            except BadInput as fault:
                why = fault.what
            except CheckFailed as fault:
                why = str(fault)
        refused.append(one_line(f"{entry.name}: {why}"))
    return kept, refused


def record_urls(
    path: Path,
    world: Path,
    *,
    maps: Mapping[str, str],
    headers: Mapping[str, str],
    pause_s: float,
    at: int | None = None,
) -> Written:
    """Ask every URL of a list, a line each, and keep what is answered as a cassette of ``world``, which is sealed.

    A line is ``URL``, or ``METHOD URL [BODY]``; empty lines and those after # are passed over. ``maps`` leads origins
    to a server of this machine; ``headers`` go with every request. ``at`` is a moment to tell the coverage at, in
    seconds since 1970, UTC; None tells it at each task's own.

    Raises ``BadInput`` for a line that cannot be asked and as ``Recorder``; nothing is written then.
    """
    asked = [_line(text, path, number) for number, text in enumerate(_lines(path), 1) if text]
    if not asked:
        raise BadInput("names no URL", where=path, next_command="a line each: URL, or METHOD URL BODY")
    _require_used(maps, asked)
    open_draft(world)
    target = _target(world, path.stem)
    keys = Keys(os.environ)
    environment = {value.strip() for name, value in os.environ.items() if name.endswith(_SECRET_ENDS)}
    secrets = {value for value in (*environment, *headers.values()) if len(value) >= MIN_SECRET_CHARS}
    recorder = Recorder(
        target,
        maps,
        allowed_hosts={httpx2.URL(one.url).host for one in asked},
        secrets=secrets,
        dress=keys.dress,
        pause_s=pause_s,
    )
    with recorder as client:
        for one in asked:
            json_body = {"Content-Type": "application/json"} if one.body[:1] in (b"{", b"[") else {}
            client.request(
                one.method, one.url, content=one.body, headers={**json_body, **headers}, follow_redirects=True
            )
    cassette = Cassette.open(target)
    return Written(target, len(cassette.interactions), (), tuple(_settled(world, cassette, at)))


def _require_used(maps: Mapping[str, str], asked: Sequence[HttpRequest]) -> None:
    """Raise ``BadInput`` for an origin that no line asks: mistyped, it would have the real host asked."""
    origins = {f"{parts.scheme}://{parts.netloc}".lower() for one in asked if (parts := urlsplit(one.url))}
    for origin in maps:
        if "://" in origin and origin.lower().rstrip("/") not in origins:  # another form is the recorder's to refuse
            near = nearest(origin, origins) or ", ".join(sorted(origins)[:3])
            raise BadInput(f"no line asks {origin:.200}", where="--map", nearest=near)


def _lines(path: Path) -> list[str]:
    try:
        return [
            line.strip() if line.strip()[:1] != "#" else "" for line in read_plain(path).decode("utf-8").split("\n")
        ]
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", where=path) from None
    except ValueError:
        raise BadInput("is no UTF-8 text", where=path) from None


def _line(text: str, path: Path, number: int) -> HttpRequest:
    method, _, rest = text.partition(" ")
    if method not in _METHODS:
        method, rest = "GET", text
    url, _, body = rest.strip().partition(" ")
    try:
        canonical_url(url)
    except BadInput:
        what = f"line {number} has no http or https URL where one belongs"
        raise BadInput(what, where=path, next_command="a line each: URL, or METHOD URL BODY") from None
    if body and method != "POST":
        raise BadInput(f"line {number} has a body, and only a POST sends one", where=path)
    return HttpRequest(method, url, body.strip().encode())


def _target(out: Path, stem: str) -> Path:
    name = _NAME.sub("-", stem).strip("-") or "recorded"
    return (out / "http" if _is_world(out) else out) / f"{name}.json"


def _is_world(folder: Path) -> bool:
    return (folder / "world.toml").is_file()


def _settled(out: Path, cassette: Cassette, at: int | None = None) -> Iterator[str]:
    """Seal the world and say what its tasks are served of the cassette; nothing for a folder that is no world."""
    if not _is_world(out):
        yield f"next: caia-replay lint {out}"
        return
    try:
        yield f"sealed {out}: {seal_world(out).digest}"
    except BadInput as fault:
        yield f"not sealed: {one_line(str(fault))}"
        return
    yield from coverage(out, cassette, at)


def coverage(out: Path, cassette: Cassette, at: int | None = None) -> Iterator[str]:
    """What each active task of a sealed world is served of a cassette's requests, at its moment or at ``at``."""
    asked = {identity(one.method, one.uri, one.request_body): one for one in cassette.interactions}
    folder = open_world(str(out))
    with FrozenWorld(folder) as frozen:
        for name in folder.suite.active():
            task = folder.task(name)
            if at is not None:
                task = _moved(task, at)
            try:
                world = frozen.task(task)
            except BadInput as fault:
                yield f"{name}: {one_line(fault.what)}"
                continue
            missed: list[tuple[str, str]] = []
            for one in asked.values():
                try:
                    world.answer(HttpRequest(one.method, one.uri, one.request_body, _sent(one.request_headers)))
                except Miss as miss:
                    missed.append((f"{one.method} {place(one.uri)}", miss.detail.where))
            served = len(asked) - len(missed)
            yield f"{name} at {utc(task.anchor.timestamp)}: {served} of {len(asked)} requests are served"
            yield from (one_line(f"{name}: not {what}: {why}") for what, why in missed[:_NAMED])
            if len(missed) > _NAMED:
                yield f"{name}: and {len(missed) - _NAMED} more"


def _moved(task: Task, at: int) -> Task:
    return replace(task, anchor=Anchor(task.anchor.chain, NO_BLOCK, at))


def _sent(headers: Headers) -> dict[str, str]:
    return {name: lines[-1] for name, lines in headers.items() if lines}

"""Lint of a task's own cassette by use: its gold chain is played, and what it never asked for is told.

A recording that nothing asks for is weight, or the sign that the chain no longer asks what was recorded. Result lists
of the search API do not count: the recorder asks for them to learn which pages exist, and replay never serves them. Nor
does what the pool's log says that somebody was told while it was recorded.
A task without other recordings of its own is not played, so that it costs nothing and starts no node.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from caia_replay.canonical import digest_bytes
from caia_replay.cassette.cassette import Cassette
from caia_replay.cassette.identity import identity
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.core.task import Task
from caia_replay.core.tool import Served
from caia_replay.errors import BadInput, Miss, one_line
from caia_replay.providers.search_api.provider import SearchApiProvider
from caia_replay.recording.pool import read_pool
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import run_gold
from caia_replay.validation.cassette import shown
from caia_replay.validation.conditions import gold_pattern_faults
from caia_replay.world.world import NO_OVERLAY, FrozenWorld, TaskWorld


class _ListeningWorld(TaskWorld):
    """A task's world that notes what it is asked over HTTP."""

    def __init__(self, world: FrozenWorld, task: Task) -> None:
        super().__init__(world, task, NO_OVERLAY)
        self.asked: list[HttpRequest] = []

    def answer(self, request: HttpRequest) -> tuple[HttpReply, Served]:
        self.asked.append(request)
        return super().answer(request)


def unplayed_faults(world: FrozenWorld, task: Task, path: Path, cassette: Cassette, longest_body: int) -> Iterator[str]:
    """What ``task``'s gold chain leaves unasked of its ``cassette``, at ``path``, or why the chain cannot be played.

    ``longest_body`` is the size in bytes of the largest reply it may be handed: patterns that are too slow for it are
    not matched. Raises ``BadInput`` for a node that cannot be had.
    """
    search = SearchApiProvider()
    pooled = {used for one in read_pool(path.parent) for used in one.used}
    served = [
        item
        for item in cassette.interactions
        if not search.match(HttpRequest(item.method, item.uri, item.request_body))
        if digest_bytes(identity(item.method, item.uri, item.request_body)) not in pooled
    ]
    if not served:
        return
    if any(True for _ in gold_pattern_faults(task.gold, longest_body)):
        yield f"gold is not played: one of its patterns is too slow for a page of {longest_body} bytes"
        return
    try:
        world.require_anchor(task)
    except BadInput as fault:
        yield f"gold cannot be played: {fault.what}"
        return
    listening = _ListeningWorld(world, task)
    try:
        with WorldToolset(listening) as tools:
            run = run_gold(task.gold, tools)
    except (ValueError, TypeError, ArithmeticError, LookupError, RecursionError) as fault:
        # A chain from elsewhere may hold what no tool takes: a date, a number of a million digits.
        yield one_line(f"gold cannot be played: {type(fault).__name__}: {fault}")
        return
    if run.answer is None:
        yield one_line(f"gold does not come to an answer: {run.fault}")
    recordings, cursor = Recordings([replace(cassette, interactions=tuple(served))]), Cursor()
    for request in listening.asked:
        with suppress(Miss, BadInput):
            recordings.play(request.method, request.url, request.body, cursor, request.headers or {})
    for question in recordings.unplayed(cursor):
        yield f"gold never asks for it: {shown(question)}"

"""``record --urls``, and ``record --refresh`` without a node: HTTP recorded from a list, and asked again."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from caia_replay.cli.group import seconds_of
from caia_replay.errors import BadInput, CheckFailed, one_line

_MOST_LINES: Final = 40
"""Of one kind, as of a chain's differences."""


def record_list(
    urls: Path, suite: str | None, at: str | None, maps: tuple[str, ...], headers: tuple[str, ...], pause_s: float
) -> None:
    """``record --urls``: ask every URL of a file, and say what the suite's tasks are served of it."""
    from caia_replay.recording.into_world import record_urls
    from caia_replay.store.world_folder import find_world

    if suite is None:
        raise BadInput("nothing says into which world", where="--urls", next_command="add --suite NAME")
    moment = None if at is None else seconds_of(at, "--at")
    origins, sent = asked_with(maps, headers)
    done = record_urls(urls, find_world(suite, Path.cwd()), maps=origins, headers=sent, pause_s=pause_s, at=moment)
    for line in done.lines:
        print(one_line(line))
    print(f"wrote {one_line(str(done.path))}: {done.interactions} exchanges")


def asked_with(maps: tuple[str, ...], headers: tuple[str, ...]) -> tuple[dict[str, str], dict[str, str]]:
    """What --map and --header say: origins led elsewhere, and headers with their variables' values. Raises
    ``BadInput`` for a variable that is not set."""
    sent = {}
    for name, _, variable in (pair.partition("=") for pair in headers):
        if not os.environ.get(variable):
            raise BadInput(f"variable {variable!r:.60} is not set", where="--header", next_command="export it first")
        sent[name] = os.environ[variable]
    return dict(pair.rpartition("=")[::2] for pair in maps), sent


def refresh_http(
    suite: str | None, tasks: Sequence[str], maps: Mapping[str, str], headers: Mapping[str, str], pause_s: float
) -> None:
    """Ask again and print what changed. Raises ``CheckFailed`` where more than volatile fields did."""
    from caia_replay.proxy.told import plural, secrets_in, shown
    from caia_replay.recording.api_key import Keys
    from caia_replay.recording.ask_again import Asking
    from caia_replay.recording.scrub import MIN_SECRET_CHARS
    from caia_replay.recording.world_drift import world_drift
    from caia_replay.store.world_folder import find_task_world, find_world, open_world

    if suite is None and not tasks:
        raise BadInput("nothing says which world", where="--refresh", next_command="add --suite NAME")
    folder = open_world(str(find_world(suite, Path.cwd()) if suite is not None else find_task_world(tasks[0])))
    secrets = {*secrets_in(os.environ), *(one for one in headers.values() if len(one) >= MIN_SECRET_CHARS)}

    def tell(line: str) -> None:
        print(shown(line, secrets), flush=True)

    asking = Asking(host_map=maps, headers=headers, keys=Keys(os.environ), pause_s=pause_s)
    found = world_drift(folder, tasks, asking, tell)
    fields = found.fields
    _listed("changed: ", fields.changed, tell)
    _listed("no answer: ", found.silent, tell)
    _listed("answer: ", [one.line for one in found.answers], tell)
    if found.answers and not fields.changed:
        tell("these answers rest on volatile fields")
    tell(
        f"{plural(fields.same, 'request')} the same, {len(fields.changed)} changed, {len(found.silent)} without an "
        f"answer; {fields.volatile} differ in volatile fields alone"
    )
    if found.played or found.unplayed:
        apart = f"; {plural(found.unplayed, 'task')} without a recorded gold chain" if found.unplayed else ""
        tell(f"{len(found.answers)} of {plural(found.played, 'gold answer')} would change{apart}")
    tell("nothing was written")
    if not found.is_unchanged:
        raise CheckFailed("")


def _listed(head: str, lines: Sequence[str], tell: Callable[[str], None]) -> None:
    for line in lines[:_MOST_LINES]:
        tell(f"{head}{line}")
    if len(lines) > _MOST_LINES:
        tell(f"{head}and {len(lines) - _MOST_LINES} more")

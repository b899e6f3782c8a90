"""``http``: any program behind a proxy that records what it asks, or answers it from what was recorded."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

_FOLDER = click.argument("folder", type=click.Path(path_type=Path))
_COMMAND = click.argument("command", metavar="-- COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
_ISOLATE = click.option(
    "--isolate", is_flag=True, help="Give COMMAND no network but the recording, this machine's included (Linux)."
)
_MOST_LINES = 20


@click.group()
def http() -> None:
    """Record and replay the HTTP of any command, in any language, through a local proxy (docs/any-client.md)."""


def _upstream(command: Any) -> Any:
    """The options of what asks real servers."""
    for option in (
        click.option(
            "--connect-to",
            "connect_to",
            multiple=True,
            metavar="HOST:PORT=ADDRESS:PORT",
            help="Ask another address in a host's place; its certificate is still for the host. May be repeated.",
        ),
        click.option(
            "--upstream-ca",
            "upstream_ca",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Authorities (PEM) to trust beside the system's.",
        ),
    ):
        command = option(command)
    return command


@http.command(name="record", context_settings={"ignore_unknown_options": True})
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The folder of cassettes to write; a new one."
)
@_upstream
@_COMMAND
def http_record(out: Path, connect_to: tuple[str, ...], upstream_ca: Path | None, command: tuple[str, ...]) -> None:
    """Run COMMAND, and write every HTTP exchange it makes as cassettes into --out.

    Exit code: the command's own if it is not 0; else 1 when an exchange was left out or none was recorded. Needs
    the extra [proxy] (docs/any-client.md).
    """
    from caia_replay.proxy.command import run_behind
    from caia_replay.proxy.record import RecordingAnswerer, counted, require_new
    from caia_replay.proxy.told import grouped, secrets_in
    from caia_replay.proxy.upstream import Upstream, ends_of

    require_new(out)
    upstream = Upstream(upstream_ca, ends_of(connect_to))
    recorder = RecordingAnswerer(upstream, secrets_in(os.environ))
    try:
        code = run_behind(recorder, command, trust_system=True)
    finally:
        upstream.close()
    done = recorder.write(out)
    for name, count in done.files.items():
        _say(f"{name}: {count}")
    _listed("not recorded: ", grouped(done.left_out))
    if done.files:
        _say(f"recorded {counted(done.files)} into {out}; next: caia-replay http replay {out} -- COMMAND")
    else:
        _say("nothing was recorded: no request came through the proxy whole; docs/any-client.md names what does not")
    sys.exit(code or (1 if done.left_out or not done.files else 0))


@http.command(name="replay", context_settings={"ignore_unknown_options": True})
@_FOLDER
@_ISOLATE
@_COMMAND
def http_replay(folder: Path, isolate: bool, command: tuple[str, ...]) -> None:
    """Run COMMAND, and answer its HTTP requests from the cassettes in FOLDER alone.

    A request that is not recorded gets status 501, and is named at the end with the nearest recording. Exit code:
    the command's own if it is not 0; else 1 when there was one.
    """
    from caia_replay.proxy.command import run_behind
    from caia_replay.proxy.replay import ReplayAnswerer, open_folder
    from caia_replay.proxy.told import secrets_in

    player = ReplayAnswerer(open_folder(folder), secrets_in(os.environ))
    code = run_behind(player, command, trust_system=False, isolate=isolate)
    _tell_replayed(player)
    sys.exit(code or (1 if player.unanswered else 0))


@http.command(name="mutate", context_settings={"ignore_unknown_options": True})
@_FOLDER
@click.option("--seed", default=0, show_default=True, type=int, help="Decides the values that are drawn.")
@_ISOLATE
@_COMMAND
def http_mutate(folder: Path, seed: int, isolate: bool, command: tuple[str, ...]) -> None:
    """Replay COMMAND, ask each of its requests again altered in every place, and count what is still answered.

    Exit code: the command's own if it is not 0; else 1 when less than 100 % were noticed, nothing was altered, or a
    request was not answered.
    """
    from caia_replay.proxy.command import run_behind
    from caia_replay.proxy.mutate import MutatingAnswerer
    from caia_replay.proxy.replay import open_folder
    from caia_replay.proxy.told import secrets_in

    player = MutatingAnswerer(open_folder(folder), seed, secrets_in(os.environ))
    code = run_behind(player, command, trust_system=False, isolate=isolate)
    _tell_replayed(player)
    _listed("still answered: ", player.unnoticed)
    fields = ", ".join(f"{name} {count}" for name, count in sorted(player.altered.items()))
    if player.recorded_too:
        _say(f"altered requests that are recorded as well, and not counted: {player.recorded_too}")
    if player.tried:
        # Rounded down: one that is not noticed must show.
        rate = 1000 * player.noticed // player.tried / 10
        _say(f"altered requests {player.tried} ({fields}); {player.noticed} noticed, {rate} %")
    else:
        _say("no request was answered, so none was altered")
    sys.exit(code or (1 if player.unanswered or player.unnoticed or not player.tried else 0))


@http.command(name="refresh", context_settings={"ignore_unknown_options": True})
@_FOLDER
@_upstream
@_COMMAND
def http_refresh(folder: Path, connect_to: tuple[str, ...], upstream_ca: Path | None, command: tuple[str, ...]) -> None:
    """Run COMMAND against the real servers, and say by field what they answer otherwise than FOLDER recorded.

    Writes nothing. Fields that FOLDER/volatile.toml names may differ (docs/any-client.md). Exit code: the command's
    own if it is not 0. Otherwise 1 when an answer changed, a request was not in FOLDER or could not be compared, or
    none was made.
    """
    from caia_replay.proxy.command import run_behind
    from caia_replay.proxy.record import RecordingAnswerer
    from caia_replay.proxy.refresh import drift
    from caia_replay.proxy.replay import open_folder
    from caia_replay.proxy.told import grouped, plural, secrets_in, shown
    from caia_replay.proxy.upstream import Upstream, ends_of
    from caia_replay.recording.field_change import read_volatile

    recordings, volatile, secrets = open_folder(folder), read_volatile(folder), secrets_in(os.environ)
    upstream = Upstream(upstream_ca, ends_of(connect_to))
    recorder = RecordingAnswerer(upstream, secrets)
    try:
        code = run_behind(recorder, command, trust_system=True)
    finally:
        upstream.close()
    now, left_out = recorder.to_write()
    found = drift(recordings, now, volatile)
    _listed("changed: ", [shown(line, secrets) for line in found.changed])
    _listed("new: ", [shown(line, secrets) for line in found.added])
    _listed("not compared: ", grouped(left_out))
    _say(
        f"{plural(found.same, 'question')} the same, {len(found.changed)} changed, {len(found.added)} new; "
        f"{found.volatile} differ in volatile fields alone; {found.unasked} not compared: not asked, or not answered; "
        "nothing was written"
    )
    sys.exit(code or (1 if found.changed or found.added or left_out or not now else 0))


def _tell_replayed(player: Any) -> None:
    from caia_replay.proxy.told import grouped

    missed = [
        f"{one.question}{f' ({one.count} times)' if one.count > 1 else ''}{f'; nearest: {one.why}' if one.why else ''}"
        for one in player.missed()
    ]
    _listed("missed: ", missed)
    _listed("refused: ", grouped(list(player.refused.elements())))
    _say(f"replayed {player.hits}, not recorded {player.unanswered}")


def _listed(head: str, lines: list[str]) -> None:
    for line in lines[:_MOST_LINES]:
        _say(f"{head}{line}")
    if len(lines) > _MOST_LINES:
        _say(f"{head}and {len(lines) - _MOST_LINES} more")


def _say(line: str) -> None:
    # The command's own output is on stdout.
    print(line, file=sys.stderr)

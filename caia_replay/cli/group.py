"""How every command ends, and the commands that other distributions add.

Errors raised on purpose become one line on stderr and an exit code. Entry points name what is added:

``caia_replay.commands``   a command of ``caia-replay`` by its name
``caia_replay.origins``    for ``record --origin``: world's info -> context manager of an RPC URL on loopback
"""

from __future__ import annotations

import os
import signal
import sys
from datetime import datetime
from importlib.metadata import entry_points
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click

from caia_replay.errors import BadInput, CaiaReplayError, CheckFailed, Interrupted, MachineFault

COMMANDS = "caia_replay.commands"
ORIGINS = "caia_replay.origins"


def split(context: click.Context, option: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """The items of an option that is repeated, or separated by commas."""
    return tuple(part.strip() for text in value for part in text.split(",") if part.strip())


SUITE = click.option(
    "--suite", default="", help="A suite's name, or its world folder. Default: synthetic-178, or the only other suite."
)
TASKS = click.option("--task", "tasks", multiple=True, metavar="ID", help="Only this task; may be repeated.")
ARMS = click.option(
    "--arm",
    default=["clean,attacked"],
    show_default=True,
    multiple=True,
    callback=split,
    help="Versions of the world, separated by commas or repeated; docs/worlds.md has all five.",
)
DEFENCE = click.option(
    "--defence",
    default="",
    metavar="NAME",
    help="A filter between the tools and the agent; docs/defences.md names them.",
)
CONFIDENCE = click.option(
    "--confidence", is_flag=True, help="Ask how sure the agent is of each answer; docs/metrics.md has the figures."
)
AGENT = click.option(
    "--agent", default="react", show_default=True, help="The agent that plays; docs/agents.md has all."
)
SEED = click.option(
    "--seed",
    default=0,
    show_default=True,
    type=int,
    help="Random seed. A live model gets seed + attempt; policies draw from it.",
)
CAMPAIGN = click.option(
    "--campaign", default="edited", show_default=True, help="A set of attacks; caia-replay attack list names them."
)
DOSE = click.option(
    "--dose",
    default="",
    metavar="FIELD=N[,...]",
    help="Override the campaign's doses, such as items=3,language=zh (docs/attacks.md).",
)
NEVER_REPLACED = "a file that exists is an error."


def extension(group: str, name: str) -> Any:
    """What an installed distribution registered under ``name``; None where none did."""
    found = next(iter(entry_points(group=group, name=name)), None)
    return None if found is None else found.load()


def extensions(group: str) -> list[str]:
    """The names that installed distributions registered, sorted."""
    return sorted({found.name for found in entry_points(group=group)})


class _Ending(click.Command):
    """Turns every error raised on purpose into one line on stderr and its exit code."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run; never shows a traceback for bad input."""
        kwargs["standalone_mode"] = False
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: stop the forks, keep what is finished
        _open_standard_streams()
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # a terminal that lacks a letter is no reason to stop
                stream.reconfigure(errors="backslashreplace")
        try:
            super().main(*args, **kwargs)
            sys.stdout.flush()  # here a full disk is told as anywhere else
            code = 0
        except click.exceptions.Abort:
            code = _say("interrupted", Interrupted.exit_code)
        except click.exceptions.NoArgsIsHelpError as fault:
            print(fault.ctx.get_help() if fault.ctx else "")
            code = BadInput.exit_code
        except click.ClickException as fault:
            code = _say(_one_line(fault), BadInput.exit_code)
        except click.exceptions.Exit as fault:
            code = fault.exit_code
        except (BadInput, CheckFailed, Interrupted) as fault:
            code = _say(str(fault), fault.exit_code)
        except MachineFault as fault:
            code = _say(f"{fault}; next: mend this machine, then the same command again", fault.exit_code)
        except CaiaReplayError as fault:
            code = _say(str(fault), CheckFailed.exit_code)
        except MemoryError:
            code = _say("no memory is left; next: the same command with more of it", MachineFault.exit_code)
        except BrokenPipeError:
            sys.stderr.close()
            code = CheckFailed.exit_code
        except OSError as fault:  # a full disk, a folder that may not be written
            code = _say(str(_file_fault(fault)), BadInput.exit_code)
            _drop_unprinted()
        sys.exit(code)

    def invoke(self, ctx: click.Context) -> Any:
        """Invoke; a stop by the user is one line, without the empty one click puts before it."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted("interrupted") from None


class Command(_Ending):
    """A command that stands alone."""


class Commands(_Ending, click.Group):
    """A group of commands, with those that other distributions add."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all of them."""
        return sorted({*super().list_commands(ctx), *extensions(COMMANDS)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; what is here already is never replaced."""
        return super().get_command(ctx, cmd_name) or extension(COMMANDS, cmd_name)


def _open_standard_streams() -> None:
    """Where the caller closed them, so that no file of ours gets their numbers and is printed into."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        while (number := os.open(os.devnull, os.O_RDWR)) <= 2:  # the three standard streams
            os.set_inheritable(number, True)
        nothing = os.fdopen(number, "r+", encoding="utf-8")
        sys.stdin, sys.stdout, sys.stderr = sys.stdin or nothing, sys.stdout or nothing, sys.stderr or nothing


def _drop_unprinted() -> None:
    """Whatever stdout could not take is not tried again when Python ends, which would change the exit code."""
    try:
        sys.stdout.flush()
    except OSError:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  for what is left of the process


def _say(line: str, code: int) -> int:
    if line:
        print(line, file=sys.stderr)
    return code


def _file_fault(fault: OSError) -> BadInput:
    where = fault.filename2 or fault.filename or ""
    return BadInput(
        fault.strerror or str(fault), where=where, next_command="put that right, then the same command again"
    )


def _one_line(fault: click.ClickException) -> str:
    context = getattr(fault, "ctx", None)
    path = context.command_path if context else "caia-replay"
    return " ".join(f"{fault.format_message()}; next: {path} --help".split())


def seconds_of(text: str, where: str) -> int:
    """A moment as people write it, in seconds since 1970, UTC: ``2026-01-31T12:00Z``, or the seconds themselves.

    Raises ``BadInput`` for no time, and for one without a zone: it would be another moment on another machine.
    """
    try:
        if text.isascii() and text.isdecimal():
            return int(text[:20])
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            return int(moment.timestamp())
    except (ValueError, OverflowError):
        pass
    raise BadInput(f"{text!r:.60} is no time with a zone", where=where, next_command=f"{where} 2026-01-31T12:00Z")

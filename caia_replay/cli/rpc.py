"""``caia-replay rpc``: any command's chain recorded, and served offline."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import click

from caia_replay.cli.serve import PORT
from caia_replay.errors import BadInput, one_line

COMMAND = click.argument("command", nargs=-1, type=click.UNPROCESSED)
CHAIN = click.option(
    "--chain", required=True, metavar="NAME", help="A snapshot: its folder, or its name in chain_snapshots/."
)
ENV = click.option(
    "--env",
    "variables",
    multiple=True,
    metavar="VARIABLE",
    help="Set this variable to the node's address, too, such as MAINNET_RPC_URL; may be repeated.",
)
NODE = click.option(
    "--node",
    "kind",
    type=click.Choice(["archive", "anvil"]),
    default="archive",
    show_default=True,
    help="archive: for tools that fork by themselves. anvil: takes transactions and cheat methods.",
)
UPSTREAM = click.option(
    "--upstream",
    required=True,
    envvar="CAIA_REPLAY_RPC_URL",
    show_envvar=True,
    metavar="URL",
    help="An archive node of the chain. Its address is not saved, printed or told to the command.",
)
MISSES = click.option(
    "--misses",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file of what the last served run missed. Default: .cache/rpc-misses.jsonl.",
)


def _say(line: str) -> None:
    print(one_line(line), flush=True)


@click.group()
def rpc() -> None:
    """Record the chain that a command reads from its node, and serve it offline."""


@rpc.command(name="record")
@UPSTREAM
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The snapshot, chain_snapshots/NAME.")
@click.option("--block", type=click.IntRange(0), help="The newest block that the command sees. Default: the head.")
@click.option("--add", is_flag=True, help="Add to the snapshot in --out what it lacks.")
@NODE
@click.option("--narrow", is_flag=True, help="Keep only what the command asks, and nothing nearby.")
@click.option("--hardfork", metavar="NAME", help="The chain's hardfork, if its headers do not show it.")
@ENV
@COMMAND
def rpc_record(
    upstream: str,
    out: Path,
    block: int | None,
    add: bool,
    kind: Literal["archive", "anvil"],
    narrow: bool,
    hardfork: str | None,
    variables: tuple[str, ...],
    command: tuple[str, ...],
) -> None:
    """Run COMMAND against a recording node in ETH_RPC_URL, then again without the upstream.

    Exit code 0 only if it passes both times: then it needs no node any more. What was read is
    kept either way (docs/rpc.md).
    """
    from caia_replay.interop.rpc_record import RpcRecording, record_command

    record_command(RpcRecording(upstream, out, command, block, add, hardfork, narrow, kind, variables), _say)


@rpc.command(name="serve")
@CHAIN
@click.option("--block", type=click.IntRange(0), help="The newest block. Default: the last that was recorded.")
@PORT
@NODE
@MISSES
@ENV
@COMMAND
def rpc_serve(
    chain: str,
    block: int | None,
    port: int,
    kind: Literal["archive", "anvil"],
    misses: Path | None,
    variables: tuple[str, ...],
    command: tuple[str, ...],
) -> None:
    """Serve a recorded chain offline: to COMMAND, whose exit code it ends with, or until Ctrl-C.

    COMMAND finds the node's address in ETH_RPC_URL. What is not recorded is an error that names it, never a zero
    (docs/rpc.md).
    """
    from caia_replay.interop.rpc_serve import serve_chain

    def say(line: str) -> None:
        print(one_line(line), flush=True, file=sys.stderr if command else sys.stdout)

    code = serve_chain(
        chain, say, block=block, port=port, kind=kind, misses=misses, command=command, variables=variables
    )
    sys.exit(code)


@rpc.command(name="why-miss")
@MISSES
def rpc_why_miss(misses: Path | None) -> None:
    """Tell what the last served run missed, with the nearest recorded rows."""
    from caia_replay.interop.rpc_serve import MISSES, missed_lines

    for line in missed_lines(misses or MISSES):
        print(one_line(line))


@rpc.command(name="mutate")
@CHAIN
@click.option("--block", type=click.IntRange(0), help="The newest block. Default: the last that was recorded.")
@click.option(
    "--count", default=1000, show_default=True, type=click.IntRange(1, 1_000_000), help="How many changed requests."
)
@click.option("--seed", default=0, show_default=True, type=int, help="Fixes which fields are changed, and to what.")
@ENV
@COMMAND
def rpc_mutate(
    chain: str, block: int | None, count: int, seed: int, variables: tuple[str, ...], command: tuple[str, ...]
) -> None:
    """Change COMMAND's requests and check that no changed one is answered with what was recorded for another.

    Another address, slot, block, method or argument must be missed, or answered by its own rows.
    """
    from caia_replay.interop.rpc_mutate import mutate_command

    if not command:
        raise BadInput("nothing says whose requests to change", next_command="add -- COMMAND...")
    mutate_command(chain, command, _say, block=block, count=count, seed=seed, variables=variables)

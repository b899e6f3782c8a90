"""A snapshot served offline as a node: to a command, or until somebody ends it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, Literal

from caia_replay.canonical import strict_json
from caia_replay.chain.chain_source import ChainSource, can_pin
from caia_replay.chain.claim import spans_words
from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.plain_node import PlainNode
from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import BadInput, Interrupted, MissDetail
from caia_replay.interop.rpc_command import advice, find_snapshot, run_command
from caia_replay.interop.rpc_node import MissLog, RpcNode, miss_line
from caia_replay.interop.writing_node import WritingNode
from caia_replay.loopback import LoopbackServer

MISSES: Final = Path(".cache") / "rpc-misses.jsonl"
"""Where misses are told unless the user names a file."""

Kind = Literal["archive", "anvil"]
Say = Callable[[str], None]
Watch = Callable[[str, Sequence[Any]], None]


def pin_of(snapshot: Snapshot, block: int | None) -> int:
    """The block to serve as the newest: the one that is named, or the last that was recorded. Raises ``BadInput``."""
    pin = snapshot.heights[-1][1] if block is None else block
    if not can_pin(snapshot.heights, pin):
        raise BadInput(
            f"block {pin} of {snapshot.name} is not recorded",
            where="--block",
            nearest=spans_words(snapshot.heights),
            next_command=f"--block {snapshot.heights[-1][1]}, or rpc record --add --block {pin} --upstream URL "
            f"--out {snapshot.folder} -- COMMAND...",
        )
    return pin


@contextmanager
def serving(
    chain: ChainSource,
    log: MissLog,
    *,
    kind: Kind = "archive",
    port: int = 0,
    told: str = "",
    waits: bool = False,
    watch: Watch | None = None,
) -> Iterator[str]:
    """Serve ``chain`` on loopback with ``log.block`` as its newest block, until the ``with`` block ends; the address.

    ``archive``: for tools that fork by themselves. ``anvil``: an Anvil of its own, which takes writes and cheat
    methods. ``told`` is the command that would bring what is missing; ``waits`` as of ``RpcNode``. Raises ``BadInput``
    for a port that cannot be had, ``Miss`` and ``ForkFault`` when no Anvil starts.
    """
    with ExitStack() as stack:
        plain = PlainNode(chain, log.block, stack.enter_context(ForkPool({chain.name: chain})))
        node: PlainNode | WritingNode = plain
        if kind == "anvil":
            own = stack.enter_context(ForkPool({chain.name: chain}))
            node = WritingNode(stack.enter_context(own.lease(chain.name, log.block, writes=True)), plain)
        app = RpcNode(node, log.add, advice=told, waits=waits or kind == "anvil", watch=watch)
        yield stack.enter_context(LoopbackServer(app, port)).url


def serve_chain(
    named: str,
    say: Say,
    *,
    block: int | None = None,
    port: int = 0,
    kind: Kind = "archive",
    misses: Path | None = None,
    command: Sequence[str] = (),
    variables: Sequence[str] = (),
) -> int:
    """Serve the snapshot called ``named``; the exit code of ``command``, or 0 when somebody ended it.

    Raises ``BadInput`` for a snapshot or a block that is not there, and as ``serving``.
    """
    snapshot = Snapshot.open(find_snapshot(named))
    log = miss_log(snapshot, pin_of(snapshot, block), misses)
    more, code = advice(snapshot.folder, command, kind), 0
    with serving(snapshot, log, kind=kind, port=port, told=more) as url:
        say(f"chain {snapshot.name} at block {log.block}, offline")
        say(f"ETH_RPC_URL={url}")
        try:
            if command:
                code = run_command(command, url, variables)
            else:
                say("Ctrl-C ends it")
                threading.Event().wait()
        except KeyboardInterrupt:
            code = Interrupted.exit_code if command else 0
    for line in log.lines():
        say(line)
    if log.count:
        say(f"the nearest recorded rows: caia-replay rpc why-miss; to record what is missing: {more}")
    return code


def miss_log(snapshot: Snapshot, pin: int, file: Path | None) -> MissLog:
    """Where misses are counted and told: in ``file``, else in the default file where this folder may be written."""
    if file is not None:
        return MissLog(snapshot.name, pin, file)
    try:
        return MissLog(snapshot.name, pin, MISSES)
    except OSError:
        return MissLog(snapshot.name, pin)


def missed_lines(file: Path) -> list[str]:
    """What the last served run missed, as ``serving`` wrote it. Raises ``BadInput`` for another file, or none."""
    serve = "caia-replay rpc serve --chain NAME -- COMMAND..."
    try:
        rows = [strict_json(line) for line in file.read_bytes().splitlines()]
        head, found = rows[0], rows[1:]
        about = f"chain {head['chain']} at block {head['block']}: {len(found)} missed"
        kept = [
            miss_line(row["method"], MissDetail(row["kind"], row["wanted"], row["where"], row["nearest"]))
            for row in found
        ]
    except FileNotFoundError:
        raise BadInput("no run was served here", where=file, next_command=serve) from None
    except (ValueError, KeyError, TypeError, IndexError) as fault:
        raise BadInput(f"is not a list of misses: {fault}", where=file, next_command=serve) from None
    return [about, *sorted(kept)]

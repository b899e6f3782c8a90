"""A command's chain recorded: run against a node whose answers are kept, then again against what was kept alone.

The command sees an archive node of one moment: ``latest`` is one block from the first question to the last. Every row
that it touches is kept as a snapshot, whole accounts, with the headers, slots and blocks nearby that a changed test
would ask for next. The address of the node behind is in no file, message or argument of the command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from caia_replay.chain import rpc_value
from caia_replay.chain.chain_source import rule_changes
from caia_replay.chain.claim import Claims, spans_of
from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.manifest import SnapshotInfo, check_hardfork, check_info
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import SnapshotRows, read_snapshot, write_snapshot
from caia_replay.chain.state_row import EMPTY_CODE_HASH
from caia_replay.errors import BadInput, CheckFailed, Miss
from caia_replay.interop.rpc_command import HARDFORK_VARIABLE, advice, run_command
from caia_replay.interop.rpc_node import MissLog
from caia_replay.interop.rpc_serve import Kind, serving
from caia_replay.recording.live_chain import LiveChain
from caia_replay.recording.origin_node import AskedNode, OriginAway, OriginNode, OriginRefusal
from caia_replay.recording.origin_reader import OriginRows
from caia_replay.recording.reply_journal import JournaledNode
from caia_replay.recording.snapshot_merge import count_rows, merge
from caia_replay.recording.snapshot_swap import held, staging, swap_in
from caia_replay.store.world_folder import worlds_on

SOURCE: Final = "rows that a command touched, read from a JSON-RPC node through a recording endpoint"

_BLOCKHASH_DEPTH: Final = 256
"""How many blocks back BLOCKHASH reaches."""

_MOST_HEADERS: Final = 4_096
_MOST_SLOTS: Final = 8_000
_FIRST_SLOTS: Final = 8
"""Of each contract that was read: where compilers put its first variables."""

_NEXT_BLOCKS: Final = 8
"""How many blocks a fork of the newest block can mine; each asks for slots of its own from Prague on."""


@dataclass(frozen=True, slots=True)
class RpcRecording:
    """What is to be recorded. ``upstream`` is shown in no representation; ``block`` None is the node's head."""

    upstream: str = field(repr=False)
    out: Path
    command: Sequence[str]
    block: int | None = None
    add: bool = False
    hardfork: str | None = None
    narrow: bool = False
    kind: Kind = "archive"
    variables: Sequence[str] = ()

    @property
    def advice(self) -> str:
        """The same command once more, to add what is missing."""
        return advice(self.out, self.command, self.kind)

    @property
    def settings(self) -> dict[str, str]:
        """What the command's environment says beside the address."""
        return {HARDFORK_VARIABLE: self.hardfork} if self.hardfork else {}

    @property
    def lock(self) -> Path:
        """What is locked while anything is recorded into the snapshot."""
        return self.out.parent.parent / ".cache" / "record" / f"{self.out.name}.lock"

    @property
    def journal(self) -> Path:
        """Where the node's answers are kept until the snapshot is written."""
        return self.lock.with_name(f"rpc__{self.out.name}.jsonl")


def record_command(wanted: RpcRecording, say: Callable[[str], None]) -> None:
    """Record what the command reads, and run it again without the node.

    The snapshot is kept whatever the second run says, since each of its rows is the node's. Raises ``CheckFailed``
    when the command fails against the node or alone, ``Interrupted`` when the node limits us for too long (what it
    said is kept, and the same command goes on), and ``BadInput`` for a node that is away, refuses or serves another
    chain, when there is a snapshot already and nothing is to be added, or none and something is.
    """
    _require_place(wanted)
    with held(wanted.out, wanted.lock):
        base = Snapshot.open(wanted.out) if wanted.out.exists() else None
        with OriginNode(wanted.upstream) as node:
            chain_id, pin = _moment(wanted, node, base)
            digest = _block_hash(node, pin)
            owner = f"rpc {wanted.out.name} {chain_id} {pin} {digest}"
            with JournaledNode(node, wanted.journal, owner) as kept:
                if kept.resumed:
                    say(f"going on with {kept.resumed} answers kept from before in {wanted.journal}")
                say(f"recording chain {wanted.out.name} (chain id {chain_id}) at block {pin}")
                try:
                    live = _living(wanted, kept, chain_id, pin, base)
                    code = _against(live, pin, wanted, say)
                    info, rows = _captured(live, pin, base, wanted.narrow)
                    if _block_hash(node, pin) != digest:
                        raise CheckFailed("the upstream's blocks changed meanwhile; next: the same command again")
                    if base is not None:
                        info, rows = merge(read_snapshot(wanted.out), (info, rows))
                    with staging(wanted.out) as staged:
                        write_snapshot(staged, info, rows)
                        written = swap_in(staged, wanted.out)
                except (OriginAway, OriginRefusal):
                    raise  # what it answered before stays true
                except (BadInput, CheckFailed):
                    kept.discard()
                    raise
                kept.discard()
        counted = ", ".join(f"{number} {name}" for name, number in count_rows(rows).items() if number)
        say(f"{wanted.out}: {counted if written else 'unchanged'}")
    if code:
        failed = f"the command failed against the upstream itself (exit code {code}); what it read is kept"
        raise CheckFailed(f"{failed}; next: {wanted.advice}")
    _prove(wanted, pin, say)


_OTHER_HISTORY: Final = "another folder after --out, then caia-replay rpc diff of the two"


def _require_place(wanted: RpcRecording) -> None:
    """Raise ``BadInput`` before anything is asked or run."""
    out = wanted.out
    if wanted.hardfork is not None:
        check_hardfork(wanted.hardfork)
    check_info(SnapshotInfo(out.name, 1, {0: "paris"}, ((0, 0),), "live", SOURCE))
    if not wanted.command:
        raise BadInput("nothing says which command to record", next_command="add -- COMMAND..., such as -- forge test")
    if out.exists() and not wanted.add:
        raise BadInput("is there already", where=out, next_command=wanted.advice)
    if wanted.add and not out.exists():
        raise BadInput("no snapshot to add to", where=out, next_command=wanted.advice.replace(" --add", "", 1))
    worlds = worlds_on(out.parent, out.name)
    if worlds:
        raise BadInput(
            f"belongs to the sealed world {worlds[0].name}",
            where=out,
            next_command="another name after --out, or caia-replay record for that world's tasks",
        )


def _moment(wanted: RpcRecording, node: OriginNode, base: Snapshot | None) -> tuple[int, int]:
    """The node's chain id, and the block that is its newest from now on."""
    chain_id = rpc_value.quantity({"chainId": node.ask("eth_chainId")}, "chainId", "upstream")
    if base is not None and chain_id != base.chain_id:
        raise BadInput(
            f"the upstream serves chain id {chain_id}, and {base.chain_id} is recorded",
            where=wanted.out,
            next_command="give --upstream a node of that chain",
        )
    head = rpc_value.quantity({"head": node.ask("eth_blockNumber")}, "head", "upstream")
    pin = wanted.block if wanted.block is not None else head if base is None else base.heights[-1][1]
    if pin > head:
        if wanted.block is not None:
            raise BadInput(f"the upstream's newest block is {head}", where=f"--block {pin}")
        raise BadInput(
            f"the snapshot stands at block {pin}, and the upstream's newest block is {head}",
            where=wanted.out,
            next_command=f"give --upstream a node that has block {pin}",
        )
    return chain_id, pin


def _living(wanted: RpcRecording, node: AskedNode, chain_id: int, pin: int, base: Snapshot | None) -> LiveChain:
    """The chain behind the node; its history is that of ``base``."""
    live = LiveChain(node, name=wanted.out.name, chain_id=chain_id, anchor=pin, hardfork=wanted.hardfork, base=base)
    if base is not None:
        try:
            live.fetch_header(base.heights[-1][1])
        except BadInput as fault:
            raise BadInput(fault.what, where=wanted.out, next_command=_OTHER_HISTORY) from fault
    live.fetch_header(pin)
    with _faults_of(live):
        live.hardfork(pin)
    return live


@contextmanager
def _faults_of(live: LiveChain) -> Iterator[None]:
    """What the node failed with is raised in the place of the misses that it made."""
    try:
        yield
    except Miss as miss:
        raise live.fault or miss from miss
    if live.fault is not None:
        raise live.fault


def _block_hash(node: OriginNode, number: int) -> str:
    header = node.ask("eth_getBlockByNumber", hex(number), False)
    if not isinstance(header, dict):
        raise BadInput(f"the upstream has no block {number}")
    return str(header.get("hash"))


def _against(live: LiveChain, pin: int, wanted: RpcRecording, say: Callable[[str], None]) -> int:
    """Run the command against the living chain; its exit code."""
    log = MissLog(live.name, pin)
    with _faults_of(live), serving(live, log, kind=wanted.kind, waits=True) as url:
        say(f"ETH_RPC_URL={url}")
        code = run_command(wanted.command, url, wanted.variables, settings=wanted.settings)
    for line in log.lines():
        say(f"the upstream itself did not say: {line}")
    return code


def _widen(live: LiveChain, pin: int) -> None:
    """Keep what a changed test would ask for next: neighbours of slots, headers for BLOCKHASH, blocks to mine."""
    kept = live.kept
    live.caller(pin)
    slots = list(dict.fromkeys(_near_slots(kept)))[:_MOST_SLOTS]
    heights = sorted(kept.state_heights | {pin}, reverse=True)
    headers = dict.fromkeys(number for at in heights for number in range(at, max(at - _BLOCKHASH_DEPTH, 0) - 1, -1))
    live.widen(slots, list(headers)[:_MOST_HEADERS])
    with ForkPool({live.name: live}) as pool, pool.lease(live.name, pin, writes=True) as fork:
        for _ in range(_NEXT_BLOCKS):
            fork.operate("evm_mine")


def _near_slots(kept: OriginRows) -> Iterator[tuple[bytes, bytes, int]]:
    """The slots beside each that was read, and the first of each contract, in a fixed order."""
    read = sorted(kept.storage)
    read = [key for key in read if _has_code(kept, key[0], key[2])]
    for address, slot, block in read:
        number = int.from_bytes(slot, "big")
        for near in (number + 1, number - 1, number + 2):
            if 0 <= near < 1 << 256:
                yield address, near.to_bytes(32, "big"), block
    for address, block in dict.fromkeys((address, block) for address, _, block in read):
        for first in range(_FIRST_SLOTS):
            yield address, first.to_bytes(32, "big"), block


def _has_code(kept: OriginRows, address: bytes, block: int) -> bool:
    row = kept.accounts.get((address, block))
    return row is not None and row.code_hash != EMPTY_CODE_HASH


def _captured(live: LiveChain, pin: int, base: Snapshot | None, narrow: bool) -> tuple[SnapshotInfo, SnapshotRows]:
    with _faults_of(live):
        if not narrow:
            _widen(live, pin)
        heights = live.kept.state_heights | {pin}
        rules = {height: live.hardfork(height) for height in sorted(heights) if live.header(height)}
    info = SnapshotInfo(
        chain=live.name,
        chain_id=live.chain_id,
        hardforks=rule_changes(rules),
        heights=spans_of(heights),
        provenance="live",
        source=SOURCE if base is None else base.source,
        claims=Claims.of(live.kept.claims),
    )
    return info, live.kept.rows()


def _prove(wanted: RpcRecording, pin: int, say: Callable[[str], None]) -> None:
    """Run the command again on the record alone. Raises ``CheckFailed`` and says what is missing."""
    snapshot = Snapshot.open(wanted.out)
    log = MissLog(snapshot.name, pin)
    say("running it again without the upstream")
    with serving(snapshot, log, kind=wanted.kind, told=wanted.advice) as url:
        code = run_command(wanted.command, url, wanted.variables, settings=wanted.settings)
    for line in log.lines():
        say(line)
    if code or log.count:
        told = f"exit code {code}, {log.count} missed"
        raise CheckFailed(f"the command does not pass without the upstream: {told}; next: {wanted.advice}")
    say("it passes alone: the upstream is not needed any more")

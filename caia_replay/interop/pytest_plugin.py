"""pytest on a recorded chain: ``@pytest.mark.fork(chain=..., block=...)`` and the ``fork`` fixture.

It is loaded in every pytest run of an environment that has caia_replay, so importing it loads
neither Parquet nor Anvil's parts: those come with the first test that asks for a fork.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from caia_replay.errors import BadInput, ForkFault, Miss, nearest
from caia_replay.home import world_roots

if TYPE_CHECKING:
    from caia_replay.chain.chain_source import ChainSource
    from caia_replay.chain.fork_pool import ForkPool
    from caia_replay.interop.scratch_chain import ScratchChain

_OPTION: Final = "fork_snapshots"
_FOLDER: Final = "chain_snapshots"
_USAGE: Final = '@pytest.mark.fork(chain="mainnet", block=22000000)'
_CORRECT: Final = "correct block in the fork marker"
_IMPORT: Final = "caia-replay record, or caia-replay import prestate"

_LIVE: Final = "--fork-live"
_URL_VARIABLE: Final = "ETH_RPC_URL"

_pools: Final = pytest.StashKey[dict[Path, "tuple[ForkPool, ChainSource]"]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The ini option that names another folder than ``chain_snapshots``, and the option that stands on a node."""
    parser.getgroup("caia-replay").addoption(
        _LIVE,
        action="store_true",
        help=f"stand the fork fixture on the node in {_URL_VARIABLE} instead of a snapshot, to record what the tests "
        "read: caia-replay rpc record ... -- pytest --fork-live",
    )
    parser.addini(
        _OPTION,
        f"folder with one chain snapshot per subfolder, relative to the ini file "
        f"(default: the nearest {_FOLDER} at or above rootdir)",
        default="",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        "fork(chain, block): the chain snapshot, by name or path, and the block that the fork fixture stands at; "
        "without block, the newest of the snapshot",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse wrong markers before anything runs. Raises ``UsageError`` naming the tests.

    A worker of pytest-xdist cannot refuse a whole run: there each such test fails by itself.
    """
    if hasattr(config, "workerinput"):
        return
    faults = [f"{item.nodeid}: {fault}" for item in items if (fault := _marker_fault(item))]
    if faults:
        raise pytest.UsageError("\n".join(faults))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test whose marker is wrong before any of its fixtures is set up."""
    fault = _marker_fault(item)
    if fault:
        pytest.fail(fault, pytrace=False)


@pytest.fixture
def fork(request: pytest.FixtureRequest) -> Iterator[ScratchChain]:
    """The recorded chain of the test's ``fork`` marker at its block, free to be written to.

    It is thrown away after the test, so that the next finds nothing of it. No network is used.
    """
    mark = request.node.get_closest_marker("fork")
    if mark is None:
        pytest.fail(f"the fork fixture needs a marker that says where it stands: {_USAGE}", pytrace=False)
    chain, block = str(mark.kwargs["chain"]), mark.kwargs.get("block")
    from caia_replay.interop.scratch_chain import ScratchChain

    with ExitStack() as stack:
        try:
            pool, snapshot = _pool(request.config, chain, block)
            height = snapshot.heights[-1][1] if block is None else block
            leased = stack.enter_context(pool.lease(snapshot.name, height, writes=True))
        except (BadInput, Miss, ForkFault) as fault:
            there = f"; there: {fault.detail.nearest}; next: {_CORRECT}" if isinstance(fault, Miss) else ""
            at = "its newest block" if block is None else f"block {block}"
            words = f"no fork of {chain} at {at}: {fault}{there}"
            raise pytest.fail.Exception(words, pytrace=False) from None
        yield ScratchChain(leased)


def _marker_fault(item: pytest.Item) -> str:
    """What is wrong with an item's ``fork`` marker, in one line; nothing when it is right or there is none.

    A test that does not ask for the fixture may mean something else by the word: that is no fault.
    """
    mark = item.get_closest_marker("fork")
    if mark is None or "fork" not in getattr(item, "fixturenames", ()):
        return ""
    text = f"use {_USAGE}"
    if mark.args:
        return f"the fork marker takes its arguments by name; {text}"
    unknown = sorted(set(mark.kwargs) - {"chain", "block"})
    if unknown:
        return f"the fork marker has no argument {', '.join(unknown)}; {text}"
    if "chain" not in mark.kwargs:
        return f"the fork marker lacks chain; {text}"
    chain, block = mark.kwargs["chain"], mark.kwargs.get("block", 0)
    if not isinstance(chain, str | Path) or not str(chain).strip() or "\0" in str(chain):
        return f"chain of the fork marker is a snapshot's name or path, not {chain!r:.60}; {text}"
    if isinstance(block, bool) or not isinstance(block, int) or block < 0:
        return f"block of the fork marker is a block number, not {block!r:.60}; {text}"
    return ""


def _pool(config: pytest.Config, chain: str, block: int | None) -> tuple[ForkPool, ChainSource]:
    """The process's pool for a snapshot, made when first asked for and closed when pytest ends.

    A pool of its own per snapshot, so that one that is broken fails its own tests alone. An
    Anvil runs only while a test has it. With ``--fork-live`` the pool stands on the node instead.
    Raises ``BadInput`` for a missing or broken snapshot.
    """
    from caia_replay.chain.fork_pool import ForkPool
    from caia_replay.chain.snapshot import Snapshot

    live = bool(config.getoption(_LIVE))
    folder = Path(f"live-{block}") if live else _snapshot_folder(config, chain)
    if _pools not in config.stash:
        config.stash[_pools] = {}
    pools = config.stash[_pools]
    if folder not in pools:
        source: ChainSource = _live_chain(config, block) if live else Snapshot.open(folder)
        pool = ForkPool({source.name: source})
        config.add_cleanup(pool.close)
        pools[folder] = pool, source
    return pools[folder]


def _live_chain(config: pytest.Config, block: int | None) -> ChainSource:
    """The chain of the node in ETH_RPC_URL, up to ``block`` or its head. Raises ``BadInput``."""
    from caia_replay.chain import rpc_value
    from caia_replay.chain.manifest import check_hardfork
    from caia_replay.interop.rpc_command import HARDFORK_VARIABLE
    from caia_replay.recording.live_chain import LiveChain
    from caia_replay.recording.origin_node import OriginNode

    url = os.environ.get(_URL_VARIABLE, "")
    if not url:
        command = f"caia-replay rpc record --upstream URL --out {_FOLDER}/CHAIN -- pytest {_LIVE}"
        raise BadInput(f"{_LIVE} needs a node's address in {_URL_VARIABLE}", next_command=command)
    node = OriginNode(url)
    config.add_cleanup(node.close)
    told = {"chain id": node.ask("eth_chainId"), "newest block": node.ask("eth_blockNumber")}
    chain_id, head = (rpc_value.quantity(told, name, f"the node in {_URL_VARIABLE}") for name in told)
    anchor = head if block is None else block
    rules = os.environ.get(HARDFORK_VARIABLE) or None
    if rules is not None:
        check_hardfork(rules)
    chain = LiveChain(node, name="live", chain_id=chain_id, anchor=anchor, hardfork=rules)
    try:
        chain.hardfork(anchor)
    except Miss as miss:
        raise chain.fault or miss from miss
    return chain


def _snapshot_folder(config: pytest.Config, chain: str) -> Path:
    """The snapshot's folder: a name stands in the folder of snapshots, a path begins at the ini file's folder.

    Raises ``BadInput`` with the snapshots there are.
    """
    if Path(chain).name != chain or chain == "..":
        folder = (_base(config) / chain).resolve()
        if not folder.is_dir():
            command = f"correct chain in the fork marker, or {_IMPORT} PATH --out {folder}"
            raise BadInput("no snapshot folder", where=folder, next_command=command)
        return folder
    root = _snapshots(config, chain)
    if (root / chain).is_dir():
        return root / chain
    known = sorted(path.name for path in root.iterdir() if (path / "manifest.json").is_file())
    like = nearest(chain, known)
    there = f"; there: {', '.join(known)}" if known else "; the folder holds no snapshot"
    command = f"{_IMPORT} PATH --out {root / chain}"
    raise BadInput(f"no snapshot of chain {chain!r:.60}{there}", where=root, nearest=like, next_command=command)


def _base(config: pytest.Config) -> Path:
    """The ini file's folder, or rootdir without one: where relative paths of markers and options begin."""
    folder: Path = config.inipath.parent if config.inipath is not None else config.rootpath
    return folder


def _snapshots(config: pytest.Config, chain: str) -> Path:
    """The folder of snapshots: the named one, or the nearest ``chain_snapshots`` that has ``chain``, at or above
    rootdir, then of the installed suites; where none has it, the nearest."""
    named = str(config.getini(_OPTION))
    if named:
        folder = (_base(config) / named).resolve()
        if not folder.is_dir():
            raise BadInput(
                f"{_OPTION} names no folder", where=folder, next_command=f"correct {_OPTION} in {config.inipath}"
            )
        return folder
    root: Path = config.rootpath
    found = [above / _FOLDER for above in world_roots(root) if (above / _FOLDER).is_dir()]
    holding = [folder for folder in found if (folder / chain / "manifest.json").is_file()]
    if found:
        return (holding or found)[0]
    command = f"{_IMPORT} PATH --out {root / _FOLDER}/CHAIN, or set {_OPTION} in the ini file"
    raise BadInput(f"no folder {_FOLDER} here or above", where=root, next_command=command)

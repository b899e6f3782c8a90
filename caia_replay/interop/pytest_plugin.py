"""pytest on a recorded chain: ``@pytest.mark.fork(chain=..., block=...)`` and the ``fork`` fixture.

It is loaded in every pytest run of an environment that has caia_replay, so importing it loads
neither Parquet nor Anvil's parts: those come with the first test that asks for a fork.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from caia_replay.errors import BadInput, ForkFault, Miss, nearest

if TYPE_CHECKING:
    from caia_replay.chain.fork_pool import ForkPool
    from caia_replay.interop.scratch_chain import ScratchChain

_OPTION: Final = "fork_snapshots"
_FOLDER: Final = "chain_snapshots"
_USAGE: Final = '@pytest.mark.fork(chain="mainnet", block=22000000)'
_CORRECT: Final = "correct block in the fork marker"
_IMPORT: Final = "caia-replay record, or caia-replay import prestate"

_pools: Final = pytest.StashKey[dict[Path, "ForkPool"]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The ini option that names another folder than ``chain_snapshots``."""
    parser.addini(
        _OPTION,
        f"folder with one chain snapshot per subfolder, relative to the ini file "
        f"(default: the nearest {_FOLDER} at or above rootdir)",
        default="",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers", "fork(chain, block): the recorded chain, and the block, that the fork fixture stands at"
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
    chain, block = mark.kwargs["chain"], mark.kwargs["block"]
    from caia_replay.interop.scratch_chain import ScratchChain

    with ExitStack() as stack:
        try:
            leased = stack.enter_context(_pool(request.config, chain).lease(chain, block, writes=True))
        except (BadInput, Miss, ForkFault) as fault:
            there = f"; there: {fault.detail.nearest}; next: {_CORRECT}" if isinstance(fault, Miss) else ""
            words = f"no fork of {chain} at block {block}: {fault}{there}"
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
    missing = [name for name in ("chain", "block") if name not in mark.kwargs]
    if missing:
        return f"the fork marker lacks {' and '.join(missing)}; {text}"
    chain, block = mark.kwargs["chain"], mark.kwargs["block"]
    if not isinstance(chain, str) or not chain or Path(chain).name != chain:
        return f"chain of the fork marker is a snapshot folder's name, not {chain!r:.60}; {text}"
    if isinstance(block, bool) or not isinstance(block, int) or block < 0:
        return f"block of the fork marker is a block number, not {block!r:.60}; {text}"
    return ""


def _pool(config: pytest.Config, chain: str) -> ForkPool:
    """The process's pool for a chain, made when first asked for and closed when pytest ends.

    A pool of its own per chain, so that one chain's broken snapshot fails that chain's tests alone. An
    Anvil runs only while a test has it. Raises ``BadInput`` for a missing or broken snapshot.
    """
    from caia_replay.chain.fork_pool import ForkPool
    from caia_replay.chain.snapshot import Snapshot

    folder = _snapshot_folder(config, chain)
    if _pools not in config.stash:
        config.stash[_pools] = {}
    pools = config.stash[_pools]
    if folder not in pools:
        snapshot = Snapshot.open(folder)
        if snapshot.name != chain:
            raise BadInput(
                f"holds a snapshot of {snapshot.name!r}", where=folder, next_command=f"name it {snapshot.name}"
            )
        pool = ForkPool({chain: snapshot})
        config.add_cleanup(pool.close)
        pools[folder] = pool
    return pools[folder]


def _snapshot_folder(config: pytest.Config, chain: str) -> Path:
    """The chain's snapshot folder. Raises ``BadInput`` with the chains there are."""
    root = _snapshots(config)
    if (root / chain).is_dir():
        return root / chain
    known = sorted(path.name for path in root.iterdir() if (path / "manifest.json").is_file())
    like = nearest(chain, known)
    there = f"; there: {', '.join(known)}" if known else "; the folder holds no snapshot"
    command = f"{_IMPORT} PATH --out {root / chain}"
    raise BadInput(f"no snapshot of chain {chain!r:.60}{there}", where=root, nearest=like, next_command=command)


def _snapshots(config: pytest.Config) -> Path:
    """The folder of snapshots: the named one, or the nearest ``chain_snapshots`` at or above rootdir."""
    named = str(config.getini(_OPTION))
    if named:
        base = config.inipath.parent if config.inipath is not None else config.rootpath
        folder: Path = (base / named).resolve()
        if not folder.is_dir():
            raise BadInput(
                f"{_OPTION} names no folder", where=folder, next_command=f"correct {_OPTION} in {config.inipath}"
            )
        return folder
    root: Path = config.rootpath
    for above in (root, *root.parents):
        if (above / _FOLDER).is_dir():
            return above / _FOLDER
    command = f"{_IMPORT} PATH --out {root / _FOLDER}/CHAIN, or set {_OPTION} in the ini file"
    raise BadInput(f"no folder {_FOLDER} here or above", where=root, next_command=command)

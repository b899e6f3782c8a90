"""Fixtures that every room may use: real data nobody here wrote, and the pinned Anvil."""

from __future__ import annotations

import gc
import importlib.util
import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler.loadscope import LoadScopeScheduling
from xdist.workermanage import WorkerController

from caia_replay.chain.anvil_binary import find_anvil
from caia_replay.chain.prestate import import_prestate
from caia_replay.errors import BadInput
from caia_replay.home import home
from caia_replay.sandbox.compiled_file import CompiledFolder
from caia_replay.sandbox.module import load as load_python
from caia_replay.sandbox.module import made_from
from caia_replay.store.private_folder import index_key, private_folder
from caia_replay.store.world_folder import seal_world
from tests.cli_shell import shell, task
from tests.short_economy import short_economy
from tests.told_economy import book, scene

__all__ = ["book", "scene", "shell", "short_economy", "task"]

PROJECT = Path(__file__).resolve().parents[1]
PROGRAMS = "node_modules"
USER_CACHE = os.environ.get("XDG_CACHE_HOME", "")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job; commands that tests stop inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

# One commit has one verdict, on any machine at any load; new draws are soak's, which repeats the laws with many more.
settings.register_profile("suite", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("quick", settings.get_profile("suite"), max_examples=20)
settings.register_profile("soak", max_examples=1500, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


def load(name: str) -> ModuleType:
    """tests/NAME.py, which is no test and no package; others may import it by that name from then on."""
    spec = importlib.util.spec_from_file_location(name, PROJECT / "tests" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NAME_LENGTH = 40
PLAIN = re.compile(rf"[\w .,:/@%+=<>-]{{1,{NAME_LENGTH}}}", re.ASCII)

SHARED = {
    "short_economy": re.compile(r"\bshort_(?:economy|world): |\bbench: Bench\b"),
    "told_economy": re.compile(r"\b(?:scene: Scene|book: MarketBook|metrics: Metrics|truth: Truth|web: Web)\b"),
}
"""What takes a worker longest to make, and how a test file says that it needs it."""


LONG = (
    "tests/replay/test_ethers.py",
    "tests/rules/test_readme.py",
    "tests/unit/recording/test_capture_task.py",
    "tests/replay/test_record_the_suite.py",
    "tests/unit/interop/test_inspect.py",
    "tests/unit/interop/test_pytest_plugin.py",
    "tests/replay/test_record_command.py",
    "tests/replay/test_oce_state_faults.py",
    "tests/data/test_synthetic_execution.py",
    "tests/replay/test_bad_chains.py",
    "tests/replay/test_killed.py",
    "tests/unit/runner/test_executor.py",
    "tests/data/test_real_gold_forms.py",
    "tests/unit/scripts/test_soak.py",
    "tests/replay/test_all_tools.py",
)
"""Files of few tests that take ten seconds or more; by their number of tests, xdist would deal them last."""


class TogetherScheduling(LoadScopeScheduling):
    """The tests of one file stay together, for what they share; and all files that need one of ``SHARED``.

    ``SHARED`` goes first, then ``LONG``: dealt last, one worker would wait for the other at the end.

    xdist's own groups would do, but its 3.8 writes them where pytest 9.2 no longer reads them.
    """

    def _split_scope(self, nodeid: str) -> str:
        return _group(nodeid.partition("::")[0])

    def _assign_work_unit(self, node: WorkerController) -> None:
        waiting = next((unit for unit in (*SHARED, *LONG) if unit in self.workqueue), None)
        if waiting is not None:
            self.workqueue.move_to_end(waiting, last=False)
        super()._assign_work_unit(node)


@cache
def _group(file: str) -> str:
    text = (PROJECT / file).read_text("utf-8")
    return next((name for name, needs in SHARED.items() if needs.search(text)), file)


@pytest.hookimpl(optionalhook=True)  # soak runs parts without xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> TogetherScheduling:
    """How tests are dealt to workers (-n)."""
    return TogetherScheduling(config, log)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Names of cases are short words, whatever they are made of; None leaves it to pytest."""
    if isinstance(val, bytes):
        return argname
    if isinstance(val, str) and not PLAIN.fullmatch(val):
        return re.sub(r"[^A-Za-z0-9.]+", "-", val)[:NAME_LENGTH].strip("-") or argname
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Fourteen thousand tests and their modules stay to the end: no look for garbage walks over them again."""
    gc.disable()
    try:
        yield
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


CHECKED = "check"
"""The context of lines whose coverage does not count; scripts/room_coverage.py asks for the one without a name."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Where coverage is measured, no line counts that a test of ``make check`` alone runs."""
    measured = None
    if item.get_closest_marker("check") and "coverage" in sys.modules:
        measured = sys.modules["coverage"].Coverage.current()
    if measured is not None:  # not stopped: a thread that starts just then may die before its first line
        measured.switch_context(CHECKED)
    try:
        return (yield)
    finally:
        if measured is not None:
            measured.switch_context("")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is kept per user, such as the key of indexes, is this session's alone; programs installed there stay."""
    cache, place = tmp_path_factory.mktemp("cache"), home()
    if place is not None and (place / PROGRAMS).is_dir():
        (cache / "caia-replay").mkdir()
        (cache / "caia-replay" / PROGRAMS).symlink_to(place / PROGRAMS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache))
        patch.delenv("CAIA_REPLAY_HOME", raising=False)
        yield


@pytest.fixture(scope="session")
def sandbox(own_cache: None) -> CompiledFolder:
    """The session's own cache with the compiled interpreter of the user's: compiling takes half a minute."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", USER_CACHE)
        users = compiled_folder()
    load_python(users)
    kept, own = users.find(made_from()), compiled_folder()
    assert kept is not None and own.keep(made_from(), kept.read_bytes())
    return own


def compiled_folder() -> CompiledFolder:
    """Where a session of tools keeps compiled modules."""
    folder = private_folder()
    key = index_key(folder)
    assert folder is not None and key is not None
    return CompiledFolder(folder, key)


@pytest.fixture(scope="session")
def damage() -> ModuleType:
    """tests/damage.py."""
    return load("damage")


@pytest.fixture(scope="session")
def living_origin() -> ModuleType:
    """tests/living_origin.py."""
    return load("living_origin")


@pytest.fixture(scope="session")
def origin_reads() -> ModuleType:
    """tests/origin_reads.py, and tests/origin_scenario.py under it."""
    load("origin_scenario")
    return load("origin_reads")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data; tests skip without it, or fail where REQUIRE_REAL_DATA=1 demands it."""
    project = Path(__file__).resolve().parents[1]
    folder = Path(os.environ.get("CAIA_REAL_DATA", project.parent / "shared" / "real"))
    if not folder.is_dir():
        reason = f"no real data in {folder}; set CAIA_REAL_DATA"
        if os.environ.get("REQUIRE_REAL_DATA") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="session")
def anvil_binary() -> Path:
    """The pinned Anvil, found as the package finds it."""
    try:
        return find_anvil()
    except BadInput as fault:
        pytest.fail(f"every test of a fork needs Anvil: {fault}")


@pytest.fixture(scope="session")
def shipped() -> Path:
    """The shipped six-task world's folder, to be read and never changed."""
    return PROJECT / "cassettes" / "mini-6"


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    """A root folder with a copy of the shipped world, free to be broken."""
    root = tmp_path / "mini"
    for name in ("cassettes/mini-6", "chain_snapshots/mini"):
        shutil.copytree(PROJECT / name, root / name)
    return root


@pytest.fixture(scope="session")
def real_block(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The world folder of the real suite, its snapshot built now from the real block."""
    root = tmp_path_factory.mktemp("real")
    shutil.copytree(PROJECT / "tests" / "fixtures" / "real-22244135", root, dirs_exist_ok=True)
    import_prestate(real_data / "mainnet-22244135", root / "chain_snapshots" / "mainnet-22244135")
    world = root / "cassettes" / "real-22244135"
    seal_world(world)
    return world

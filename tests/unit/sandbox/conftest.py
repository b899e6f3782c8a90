"""Interpreters of the sandbox for tests, and what a session of pytest compiled once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from caia_replay.sandbox.compiled_file import CompiledFolder
from caia_replay.sandbox.interpreter import Interpreter
from caia_replay.sandbox.limits import Limits

NOW = 1_700_000_000
SMALL = Limits(fuel=2_000_000_000, memory_bytes=64 * 1024 * 1024)
"""Enough for every honest call here."""
TINY = Limits(fuel=200_000_000, memory_bytes=64 * 1024 * 1024)
"""Soon spent; a traceback would take more."""


@pytest.fixture(scope="session")
def shared(sandbox: CompiledFolder) -> Iterator[Interpreter]:
    """One interpreter for all calls that leave it as it was."""
    with Interpreter(NOW, SMALL, sandbox) as interpreter:
        yield interpreter


@pytest.fixture
def fresh(sandbox: CompiledFolder) -> Iterator[Interpreter]:
    """An interpreter of a test's own."""
    with Interpreter(NOW, SMALL, sandbox) as interpreter:
        yield interpreter


@pytest.fixture(scope="session")
def hurried(sandbox: CompiledFolder) -> Iterator[Interpreter]:
    """One for calls that use up what they have."""
    with Interpreter(NOW, TINY, sandbox) as interpreter:
        yield interpreter

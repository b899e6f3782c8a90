"""A local server for each test, and the interpreter's own limits."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.chat_server import ChatServer

__all__ = ["ChatServer"]


@pytest.fixture(autouse=True)
def own_recursion_limit() -> Iterator[None]:
    """The interpreter's own limit: eth_account, which other tests import, lifts it for the whole process.

    The command never imports it (tests/rules/test_imports.py), so a model's deep JSON meets the limit there.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)
    yield
    sys.setrecursionlimit(before)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A running server without a plan."""
    running = ChatServer()
    yield running
    running.close()

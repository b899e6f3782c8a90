"""A small living chain to record from, and the gate in front of it (tests/living_origin.py)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="module")
def origin(anvil_binary: Path, living_origin: ModuleType) -> Iterator[Any]:
    """The chain; tests read it and never write to it."""
    with living_origin.living(anvil_binary) as found:
        yield found


@pytest.fixture
def door(origin: Any, living_origin: ModuleType) -> Iterator[Any]:
    """Its gate, fresh for each test; what it refuses is the test's to say."""
    with living_origin.gate(origin.port) as found:
        yield found

"""Fixtures that every room may use: real data nobody here wrote, and the pinned Anvil."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from caia_replay.chain.anvil_binary import find_anvil
from caia_replay.errors import BadInput


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

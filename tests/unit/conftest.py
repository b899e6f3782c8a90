"""A whole economy, for every room that only looks at it."""

from __future__ import annotations

import pytest

from tests.short_economy import ShortEconomy, build_short


@pytest.fixture(scope="session")
def short_economy(tmp_path_factory: pytest.TempPathFactory) -> ShortEconomy:
    """Forty-eight days of seed 9, built into a folder of its own."""
    return build_short(tmp_path_factory.mktemp("economy"))
